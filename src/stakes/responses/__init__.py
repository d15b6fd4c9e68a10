"""Answers that may be right, wrong or withheld: those of language models."""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
