"""stakes where inspect is used: metrics at a confidence target, and what scorers need for them.

Names are imported when first used, and inspect with them.
"""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
