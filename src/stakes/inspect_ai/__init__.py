"""Metrics and scorers for Inspect, at a confidence target.

Names, and Inspect with them, are imported when first used.
"""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
