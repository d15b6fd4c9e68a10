"""Builds the kernels in place: `python -m stakes._kernels`."""

import sys

from stakes._kernels.build import main

sys.exit(main())
