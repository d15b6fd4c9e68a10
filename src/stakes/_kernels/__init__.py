"""One-pass loops over the data: numpy definitions, and the same in C.

`compiled` says which is in use. STAKES_KERNELS=numpy in the environment asks for the definitions.
After a change to the C sources `python -m stakes._kernels` builds them in place; until then the
library is stale, and not used.
"""

from stakes._kernels.library import COMPILED as compiled  # noqa: N811  a sentence, not a constant

__all__ = ["compiled"]
