"""MLflow integration: evaluations logged to a run, and an evaluator for models.

Names, and MLflow with them, are imported when first used.
"""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
