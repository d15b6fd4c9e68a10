"""scikit-learn integration: scorers, classifiers that decide by cost, evaluation of models.

Names, and scikit-learn with them, are imported when first used.
"""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
