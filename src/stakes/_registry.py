"""Registries: the classes of one kind, found in the modules of one package.

A class that stands in such a module, without an underscore and not abstract, is registered:
exports, command-line choices, reports, tables of the documentation and laws follow from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, field, fields
from functools import cached_property
from importlib import import_module
from inspect import isabstract
from typing import Any, Generic, TypeVar

from stakes._check import InputError, read_number
from stakes._foreign_calls import Answering
from stakes._text import key_of, plain, quoted

_T = TypeVar("_T")
_LONGEST = 60  # of what is shown of a wrong argument
_CALL = re.compile(r"([^()]+?)\s*(?:\(([^()]*)\))?")


def option(
    default: float, low: float, high: float, *, closed: tuple[bool, bool] = (True, True)
) -> Any:  # noqa: ANN401  a field stands for a number
    """Return a field of a registered dataclass: a number of an interval."""
    return field(default=default, metadata={"low": low, "high": high, "closed": closed})


def read_options(thing: Any) -> None:  # noqa: ANN401  any frozen dataclass
    """Check the options of a new object, and keep them as floats."""
    for own in options_of(type(thing)):
        value = read_number(getattr(thing, own.name), own.name, **own.metadata)
        object.__setattr__(thing, own.name, value)


def options_of(kind: Any) -> tuple[Field[Any], ...]:  # noqa: ANN401  any dataclass
    """Return the options that a class declares, in their order."""
    return tuple(own for own in fields(kind) if own.metadata)


def words(name: str, between: str = " ") -> str:
    """Return the name of a class as words.

    >>> words("BrierLoss"), words("FScore", "_")
    ('brier loss', 'f_score')
    """
    return re.sub(r"(?<=[a-zA-Z0-9])(?=[A-Z][a-z])|(?<=[a-z0-9])(?=[A-Z])", between, name).lower()


class Named(metaclass=Answering):
    """A name, which is that of the class in words where a class gives none."""

    name: str

    @classmethod
    def _derive_name(cls) -> None:
        cls.name = words(cls.__name__)


class Registry(Generic[_T]):
    """The classes of one kind. Its modules are imported when it is first asked, by their names.

    A class may declare `aliases`: short names, and the options that each stands for.
    """

    def __init__(self, package: str, base: type[_T], argument: str) -> None:
        self.package: str = package
        self.base: type[_T] = base
        self.argument: str = argument

    @cached_property
    def classes(self) -> dict[str, type[_T]]:
        """The classes by name, in the order of their modules and of their lines."""
        from pkgutil import iter_modules  # noqa: PLC0415  for those who ask for all

        paths = import_module(self.package).__path__
        names = sorted(module.name for module in iter_modules(paths))
        modules = [import_module(f"{self.package}.{name}") for name in names]
        return {
            name: kind
            for module in modules
            for name, kind in vars(module).items()
            if isinstance(kind, type) and issubclass(kind, self.base)
            if kind.__module__ == module.__name__ and not name.startswith("_")
            if not isabstract(kind)
        }

    @cached_property
    def made_of_numbers(self) -> dict[str, type[_T]]:
        """The classes whose options are numbers, by the name of the class and by that of the thing.

        A class that needs more than numbers is not named in texts.
        """
        found = {
            words(name, "_"): kind
            for name, kind in self.classes.items()
            if all(own.default is not MISSING for own in fields(kind))  # type: ignore[arg-type]
        }
        return {key_of(getattr(kind, "name", "")): kind for kind in found.values()} | found

    @cached_property
    def choices(self) -> dict[str, _T]:
        """What each short name stands for: the aliases of a class or, without any, its name."""
        made: dict[str, _T] = {}
        for kind in dict.fromkeys(self.made_of_numbers.values()):
            aliases: Mapping[str, tuple[float, ...]] = getattr(kind, "aliases", {})
            for alias, values in (aliases or {words(kind.__name__, "_"): ()}).items():
                made[alias] = kind(*values)
        return made

    def read(self, given: str | _T) -> _T:
        """Return an object of the kind: itself, or what a text names.

        That is a short name, or the name of a class with its options.

        >>> from stakes.scoring import RULES
        >>> RULES.read("brier"), RULES.read("threshold_range(0.1, 0.4)")
        (BrierLoss(), ThresholdRange(low=0.1, high=0.4))
        """
        if isinstance(given, self.base):
            return given
        found = _CALL.fullmatch(given.strip().lower()) if isinstance(given, str) else None
        name, options = ("", None) if found is None else (found[1].replace("-", "_"), found[2])
        if name in self.choices and options is None:
            return self.choices[name]
        kind, values = self.made_of_numbers.get(name), _numbers(options or "")
        if kind is not None and values is not None and len(values) <= len(options_of(kind)):
            return kind(*values)
        rule = f"must be one of {quoted(self.choices, most=20)} or an object"
        raise InputError(self.argument, rule, plain(repr(given), _LONGEST))


def _numbers(text: str) -> list[float] | None:
    """Return the numbers between commas; None where there is anything else."""
    try:
        return [float(part) for part in text.split(",")] if text.strip() else []
    except ValueError:
        return None
