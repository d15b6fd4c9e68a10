"""Functions for task files of lm-eval, and answers from its results.

lm-eval calls these functions; nothing here imports it.
"""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
