"""stakes where scikit-learn is used: scorers, estimators, evaluation of models.

Names are imported when first used, and scikit-learn with them.
"""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
