"""Pictures, drawn with matplotlib from numbers that were computed elsewhere."""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
