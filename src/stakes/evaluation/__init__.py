"""Everything about a system at once: the one entry point behind the command line and the report."""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
