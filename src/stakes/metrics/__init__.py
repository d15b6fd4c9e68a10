"""Metrics of hard decisions: costs first, the traditional ones with the costs they imply."""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
