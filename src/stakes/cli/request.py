"""What a command line asks for: the columns of a table, made ready for the library."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import click
import numpy as np

from stakes._check import InputError, StakesError
from stakes._text import plain, quoted
from stakes.cli.costs import CostText, read_costs, read_detection_cost
from stakes.cli.parsing import order_classes, parse_priors
from stakes.cli.scoring import KINDS, class_names, score_columns
from stakes.costs import CostMatrix, SampleCosts
from stakes.evaluation import Application
from stakes.io import Columns, column_names, join_keys, read_columns
from stakes.scores import Posteriors, PosteriorScores, Scores

_LABELS = ("label", "y", "y_true", "target", "truth", "class")
_PREFIX = "p_"


@dataclass(frozen=True)
class Asked:
    """The options that say what is in a table and what it is for."""

    file: str
    label: str | None = None
    scores: str | None = None
    systems: Mapping[str, str] = field(default_factory=dict)  # columns by name, to be compared
    scores_are: str | None = None
    classes: str | None = None
    positive: str | None = None
    weight: str | None = None
    group: str | None = None
    slices: tuple[str, ...] = ()
    key: str | None = None
    cost: str | None = None
    dcf: str | None = None
    abstain: str | None = None
    prior: str | None = None
    training_prior: str | None = None
    input_format: str | None = None
    max_bytes: int | None = None
    timeout: float = 60.0
    applications: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Problem:
    """Labels, scores and applications, ready for `evaluate` and `compare`."""

    table: Columns
    y: Any
    systems: Mapping[str, Scores]
    classes: list[str]
    costs: Any  # one or several applications
    priors: dict[str, float] | str | None
    weights: Any
    groups: Any
    slices: dict[str, Any]
    asked: Asked

    @property
    def scores(self) -> Scores:
        """The scores, where there is one system."""
        return next(iter(self.systems.values()))

    @contextmanager
    def told_in_place(self) -> Iterator[None]:
        """Say columns and lines of the file where the library says arguments and rows."""
        try:
            yield
        except InputError as error:
            raise type(error)(self._in_place(str(error))) from error

    def _in_place(self, message: str) -> str:
        """Return a message in words of the file."""
        words = {
            "y_true": f"column {self.asked.label!r}",
            "sample_weight": f"column {self.asked.weight!r}",
            "groups": f"column {self.asked.group!r}",
        }
        for argument, column in words.items():
            message = re.sub(rf"\b{argument}\b", f"{plain(self.table.source)}: {column}", message, count=1)
        found = re.search(r"\brow (\d+)", message)
        if found and int(found[1]) < len(self.table):
            place = self.table.place(int(found[1]))
            message = f"{message[: found.start()]}{place}{message[found.end() :]}"
        return message


def read_problem(asked: Asked) -> Problem:
    """Read the table and all that is said about it."""
    if asked.key is not None:
        asked, table = _trials(asked)
    else:
        asked = _guessed(asked)
        table = None
    if asked.scores_are is None:
        msg = f"--scores-are must say what the scores are, one of {quoted(KINDS, most=9)}."
        raise click.UsageError(msg)
    texts = _costs_of(asked)
    if table is None:
        table = _table(asked, texts)
    y = table.texts(str(asked.label))
    names = _classes(asked, texts, y)
    systems = {
        name: _scores(table, columns, asked.scores_are, names)
        for name, columns in asked.systems.items()
    }
    ordered = _ordered(names, asked.positive)
    priors = None if asked.prior is None else parse_priors(asked.prior, ordered)
    if asked.dcf is not None and texts:
        priors = _dcf_priors(asked, ordered)
    adapted = {n: _adapt(s.named(tuple(names)), asked, ordered, priors, y) for n, s in systems.items()}
    needs = any(s.needs_priors for s in adapted.values())
    return Problem(
        table=table,
        y=y,
        systems={n: _turned(s, names, ordered) for n, s in adapted.items()},
        classes=ordered,
        costs=_applications(texts, ordered, table, asked),
        priors="data" if priors is None and needs else priors,
        weights=None if asked.weight is None else table.numbers(asked.weight),
        groups=None if asked.group is None else table.texts(asked.group),
        slices={name: table.texts(name) for name in asked.slices},
        asked=asked,
    )


def _trials(asked: Asked) -> tuple[Asked, Columns]:
    """Read scores of trials and their key."""
    if asked.label or asked.scores or asked.weight or asked.group or asked.slices:
        msg = "--key joins lines `model segment score` with their key: there are no columns to name."
        raise click.UsageError(msg)
    table = join_keys(
        asked.file, str(asked.key), max_bytes=asked.max_bytes, patience=asked.timeout
    )
    from dataclasses import replace  # noqa: PLC0415

    named = replace(
        asked,
        label="label",
        systems={"score": "score"},
        classes="nontarget,target",
        scores_are=asked.scores_are or "llr",
    )
    if asked.scores_are is None:
        _note("scores taken as natural log likelihood ratios; say --scores-are for others.")
    return named, table
