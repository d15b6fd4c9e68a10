"""Evaluate classifiers by what their decisions cost.

Names are imported when first used, so that `import stakes` stays cheap.
"""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
