"""scikit-learn, where it is installed and recent enough; else the line that installs it.

Modules of this package that import scikit-learn import this one first, so that without
scikit-learn their names raise an error with the pip line, not a bare ImportError.
"""

from importlib import import_module

from stakes._check import MissingExtraError
from stakes._text import plain

OLDEST = "1.6"
_HINT = "Install it with: pip install 'stakes[sklearn]'"


def require() -> None:
    """Import scikit-learn, or say how to install one that is recent enough."""
    try:
        version = import_module("sklearn").__version__
    except ImportError as error:
        msg = f"stakes.sklearn needs scikit-learn, which cannot be imported ({plain(error, 100)})."
        raise MissingExtraError(f"{msg} {_HINT}") from error
    if _numbers(version) < _numbers(OLDEST):
        msg = f"stakes.sklearn needs scikit-learn {OLDEST} or newer: got {plain(version, 40)}."
        raise MissingExtraError(f"{msg} {_HINT}")


def _numbers(version: str) -> tuple[int, ...]:
    """Return the first two numbers of a version."""
    return tuple(int(part) for part in version.split(".")[:2])


require()
