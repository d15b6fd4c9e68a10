"""Tables of samples from files of many kinds, read in batches; nothing is lost or guessed."""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
