"""Packages whose names are imported when first used, so that a command loads what it needs.

Public names are declared in the `__all__` of the module that defines them. `make exports` writes
them into the stub of each package, `__init__.pyi`, one line for each name: type checkers read it,
and so does the package itself. Nothing is imported here but what the interpreter has loaded anyway.
"""

import sys
from importlib import import_module


def lazy_names(package: str):  # type: ignore[no-untyped-def] # noqa: ANN202
    """Return `__getattr__`, `__dir__` and `__all__` of a package, from its stub.

    No name may be that of a module of the package: once loaded, the module would stand for it.
    """
    path = f"{sys.modules[package].__path__[0]}/__init__.pyi"
    with open(path, encoding="utf-8") as stub:  # noqa: PTH123  pathlib loads slowly, too
        imports = [line.split() for line in stub if line.startswith("from ")]
    modules = {name: module for _, module, _, name, _, _ in imports}  # from module import x as x

    def get(name: str) -> object:
        if name not in modules:
            from stakes._foreign_words import missing_name  # noqa: PLC0415  only for a slip

            raise missing_name(package, name, sys._getframe(1)) from None
        if modules[name] == package:  # a module of the package
            return import_module(f"{package}.{name}")
        value = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: list(modules), list(modules)
