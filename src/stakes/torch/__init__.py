"""stakes where torch is used: a metric for validation loops, calibrators as modules.

Names are imported when first used, and torch with them.
"""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
