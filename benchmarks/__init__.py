"""Measurements: speed beside the peers, coverage of intervals, pages.

Speed is measured with one thread of BLAS, which must be said before numpy is loaded.
"""

import os

for _library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"
