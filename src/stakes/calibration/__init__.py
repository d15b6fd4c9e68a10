"""Calibration: better posteriors from scores, and how much they recover."""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
