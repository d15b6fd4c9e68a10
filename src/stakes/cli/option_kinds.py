"""Kinds of values that options take, and what they refuse."""

import math
from functools import cached_property
from importlib import import_module
from typing import Any

import click

from stakes._amounts import read_unit
from stakes._errors import InputError
from stakes.cli.messages import refuse

_FEWEST_RESAMPLES, _MOST_RESAMPLES = 50, 1_000_000


class FileKind(click.Choice[str]):
    """A kind of file; readers take long to load, so that they are looked up where one is named."""

    case_sensitive = False

    def __init__(self) -> None:
        """Know no kinds yet."""

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The kinds."""
        return tuple(import_module("stakes.io.readers").file_kinds())


class Number(click.FloatRange):
    """A number in a range; NaN, which no range of click refuses, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Read a number."""
        try:
            known = float(value)
        except ValueError:
            known = math.nan
        if math.isnan(known):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return super().convert(value, param, ctx)

    def _describe_range(self) -> str:
        return "" if self.min is None and self.max is None else super()._describe_range()


def resamples(ctx: click.Context, param: click.Parameter, value: int) -> int:  # noqa: ARG001
    """Refuse numbers of resamples that give no interval, or no end."""
    if value and not _FEWEST_RESAMPLES <= value <= _MOST_RESAMPLES:
        msg = f"--resamples must be 0, or from {_FEWEST_RESAMPLES} to {_MOST_RESAMPLES}:"
        refuse(f"{msg} got {value}.")
    return value


def unit(ctx: click.Context, param: click.Parameter, value: str) -> str:  # noqa: ARG001
    """Refuse what is not a unit of cost."""
    try:
        read_unit(value)
    except InputError as error:
        refuse(f"--{error}")
    return value
