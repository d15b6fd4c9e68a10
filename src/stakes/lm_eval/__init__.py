"""stakes where lm-eval is used: functions for task files, and answers from its results.

lm-eval calls these functions and hands over its results; nothing here imports it.
"""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
