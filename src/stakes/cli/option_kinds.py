"""Kinds of values that options take, and what they refuse: "<option> must <rule>: got <value>"."""

import math
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from typing import Any

import click

from stakes._amounts import read_unit
from stakes._errors import InputError
from stakes.cli.messages import refuse

_SHARES = 100  # per cent


class Choice(click.Choice[str]):
    """One of some words; `hints` are for words that mean something else.

    Words of others that mean one of them are understood, but not listed: there is one word for a
    thing.
    """

    def __init__(self, choices: Sequence[str], hints: Mapping[str, str] | None = None) -> None:
        """Know the words, in lower case."""
        super().__init__(choices, case_sensitive=False)
        self.hints = hints or {}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Return the word that is meant."""
        text = str(value)
        if text.lower() not in self.choices:
            from stakes._foreign_words import own_name  # noqa: PLC0415  only for other words

            value = own_name(text, self.choices) or value
        return super().convert(value, param, ctx)

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ANN401, ARG002
        """Say the words, and the one that was probably meant."""
        word = str(value).lower().replace("_", "-")
        near = get_close_matches(word, self.choices, n=1, cutoff=0.75)
        hint = self.hints.get(word) or (f"Did you mean {near[0]}?" if near else "")
        return f"must be {either(self.choices)}: got {value!r}. {hint}".rstrip()


class FileKind(Choice):
    """A kind of file; readers take long to load, so that they are looked up where one is named."""

    case_sensitive = False
    hints: Mapping[str, str] = {}

    def __init__(self) -> None:
        """Know no kinds yet."""

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The kinds."""
        return tuple(import_module("stakes.io.readers").file_kinds())


class Number(click.FloatRange):
    """A number in a range; NaN, which no range of click refuses, is none."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Read a number."""
        try:
            known = float(value)
            if math.isnan(known):
                self._refuse(value, param, ctx)
            return super().convert(value, param, ctx)
        except ValueError:
            self._refuse(value, param, ctx)
        except click.BadParameter:
            self._refuse(float(value), param, ctx)

    def _refuse(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> None:
        rule, share = f"a number {_range(self)}".rstrip(), _percentage(value)
        hint = f" {share:g} % is {share / _SHARES:g}." if self.max == 1 and share else ""
        shown = repr(value) if isinstance(value, str) else f"{value:g}"
        self.fail(f"must be {rule}: got {shown}.{hint}", param, ctx)

    def _describe_range(self) -> str:
        return ""  # help is calmer without; the message has it


class Whole(click.IntRange):
    """A whole number of at least so much."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Read a whole number."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"must be a whole number {_range(self)}: got {value!r}.", param, ctx)

    def _describe_range(self) -> str:
        return ""


def either(words: Sequence[str]) -> str:
    """Return words as a choice: "a, b or c"."""
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _range(kind: click.FloatRange | click.IntRange) -> str:
    """Return a range in words; empty where there is none."""
    low = "" if kind.min is None else f"{'above' if kind.min_open else 'of at least'} {kind.min:g}"
    high = "" if kind.max is None else f"{'below' if kind.max_open else 'at most'} {kind.max:g}"
    return " and ".join(part for part in (low, high) if part)


def _percentage(value: object) -> float | None:
    """Return the percentage that somebody may have meant: 95 or 95%."""
    try:
        share = float(str(value).removesuffix("%"))
    except ValueError:
        return None
    return share if 1 < share <= _SHARES else None


def unit(ctx: click.Context, param: click.Parameter, value: str) -> str:  # noqa: ARG001
    """Refuse what is not a unit of cost."""
    try:
        read_unit(value)
    except InputError as error:
        refuse(f"--{error}")
    return value
