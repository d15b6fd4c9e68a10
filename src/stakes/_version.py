"""The version: here, because looking it up among the installed packages takes long."""

__all__ = ["__version__"]

__version__ = "0.1.0"
