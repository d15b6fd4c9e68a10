"""Answers that harnesses for language models logged: what was right, how sure, what was refused.

Logs are read as files; none of the harnesses is imported.
"""

from stakes._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
