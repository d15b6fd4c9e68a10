"""torch integration: a metric for validation loops, and calibrators as modules.

Names, and torch with them, are imported when first used.
"""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
