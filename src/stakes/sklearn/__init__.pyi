# Written by `make exports` from the `__all__` of each module.
