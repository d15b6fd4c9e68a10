"""Responses to questions: answers that are right or wrong, more or less sure, and abstentions."""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
