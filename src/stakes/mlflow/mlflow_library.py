"""MLflow, where it is installed and recent enough; else the line that installs it."""

from importlib import import_module
from typing import Any

from stakes._check import MissingExtraError
from stakes._text import plain

OLDEST = 3
_HINT = "Install it with: pip install 'stakes[mlflow]'"


def mlflow_library() -> Any:
    """Return MLflow, or say how to install one that is recent enough."""
    try:
        library = import_module("mlflow")
    except ImportError as error:
        msg = f"stakes.mlflow needs MLflow, which cannot be imported ({plain(error, 100)})."
        raise MissingExtraError(f"{msg} {_HINT}") from error
    version = str(library.__version__)
    if int(version.partition(".")[0]) < OLDEST:
        msg = f"stakes.mlflow needs MLflow {OLDEST} or newer: got {plain(version, 40)}."
        raise MissingExtraError(f"{msg} {_HINT}")
    return library
