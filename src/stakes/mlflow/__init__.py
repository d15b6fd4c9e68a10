"""stakes where MLflow is used: evaluations logged to a run, and an evaluator for its models.

Names are imported when first used, and MLflow with them.
"""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
