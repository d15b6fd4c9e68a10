"""Packages whose names are imported when first used, so that a command loads what it needs."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def names_of_package(package: str, modules: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package, given which of its modules each name stands in.

    No name may be that of a module of the package: once loaded, the module would stand for it.
    """
    homes = {name: module for module, names in modules.items() for name in names}

    def get(name: str) -> Any:  # noqa: ANN401
        if name not in homes:
            msg = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(msg)
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get
