"""torch, where it is installed; else the line that installs it.

Modules of this package have torch from here, so that without it their names raise an error with
the pip line, not a bare ImportError.
"""

from stakes._check import MissingExtraError
from stakes._text import plain

HINT = "Install it with: pip install"

try:
    import torch  # noqa: F401  from here for all modules
    from torch import Tensor, distributed, nn  # noqa: F401
except ImportError as error:
    msg = f"stakes.torch needs torch, which cannot be imported ({plain(error, 100)})."
    raise MissingExtraError(f"{msg} {HINT} 'stakes[torch]'") from error
