"""Metrics of hard decisions: expected cost, and traditional metrics with the costs they imply."""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
