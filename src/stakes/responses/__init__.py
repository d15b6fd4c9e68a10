"""Answers that may be right, wrong or withheld, and what is known of them."""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
