"""A terminal: paragraphs and tables, readable in 80 columns and without colour."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import wrap
from typing import IO, Literal

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

import stakes
from stakes._text import number, plain, plain_list
from stakes._typing import Label
from stakes.cli.places import COMMANDS
from stakes.costs import CostMatrix
from stakes.evaluation import Verdict
from stakes.metrics import ConfusionMatrix, Explanation
from stakes.results import ExpectedLoss

_MOST_ROWS, _MOST_COLUMNS = 12, 8
_MOST_WRITTEN = 200
_MOST_PRICED = 4  # classes up to which the cost of a cell is shown
_NOTE = """\
All at the priors above. NEC is the normalised expected cost at the costs that
the metric implies. FA per miss: how many more false alarms would lower it as
much as one more miss, for this system.\
"""


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Let a reader such as `head` end what is printed, but not the command: files and exit code."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


class Screen(Console):
    """A terminal, or a file of 80 columns; user strings are never read as markup."""

    def __init__(self, file: IO[str] | None = None) -> None:
        wide = None if file is None else 80
        super().__init__(
            file=file, width=wide, markup=False, highlight=False, emoji=False, soft_wrap=False
        )

    def on_broken_pipe(self) -> None:
        """Raise what ends the printing: the reader has gone away."""
        raise BrokenPipeError

    def put(self, text: str, style: str = "") -> None:
        """Print a line as it is."""
        self.print(Text(text, style=style))

    def say(self, text: str, style: str = "", mark: str = "") -> None:
        """Print a paragraph whose lines stand under each other."""
        indent = " " * len(mark)
        lines = wrap(text, self.width, initial_indent=mark, subsequent_indent=indent)
        self.put("\n".join(lines), style)

    def head(self, source: str, facts: str) -> None:
        """Print what made a report, and of what."""
        self.put(head(source, facts), "bold")

    def notes(self, notes: Iterable[str]) -> None:
        """Print what must be known beside the results."""
        for note in notes:
            self.say(f"Note: {plain(note, 400)}")

    def table(self, heading: Sequence[str], rows: Iterable[Sequence[str]], *, gap: int = 2) -> None:
        """Print a table: names to the left, numbers to the right."""
        table = Table(
            box=SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            header_style="bold",
            padding=(0, gap - 1, 0, 0),
        )
        for place, name in enumerate(heading):
            justify: Literal["left", "right"] = "right" if place else "left"
            table.add_column(Text(name), justify=justify, overflow="fold")
        for row in rows:
            table.add_row(*row)
        self.print(table)

    def verdicts(self, verdicts: Sequence[Verdict], commands: Mapping[str, str] = COMMANDS) -> None:
        """Print what the numbers say, and what to do next."""
        for place, verdict in enumerate(verdicts):
            style = "" if place else "bold"
            self.say(f"{verdict.text} {verdict.advice}".strip(), style, "- ")
        for command in filter(None, dict.fromkeys(commands.get(v.action, "") for v in verdicts)):
            self._command("next", command)
        self.explained(verdicts)
        self.print()

    def explained(self, verdicts: Sequence[Verdict]) -> None:
        """Print the command that explains the verdicts."""
        codes = dict.fromkeys(verdict.code for verdict in verdicts)
        if codes:
            self._command("why", f"stakes explain {' '.join(codes)}")

    def _command(self, name: str, command: str) -> None:
        lines = wrap(
            command, self.width - 2, initial_indent=f"  {name}: ", subsequent_indent="      ",
            break_on_hyphens=False, break_long_words=False,
        )  # fmt: skip
        self.put(" \\\n".join(lines), "dim")  # it can be copied as it is

    def counts(self, confusion: ConfusionMatrix, costs: CostMatrix | None) -> None:
        """Print the confusion matrix with the cost of each cell, cut where it is too large."""
        rows, columns = len(confusion.classes), len(confusion.decisions)
        shown = min(columns, _MOST_COLUMNS)
        names = (plain(d, 18) for d in confusion.decisions[:shown])
        places = zip(confusion.row, confusion.column, strict=True)
        cells = dict(zip(places, confusion.cells, strict=True))

        def row(i: int, name: Label) -> list[str]:
            price = np.zeros(shown)
            if costs is not None and rows <= _MOST_PRICED:
                price = costs.at(np.full(shown, i), np.arange(shown))
            priced = (f" (cost {number(each)})" if each else "" for each in price)
            texts = [f"{number(cells.get((i, j), 0), 6)}{cost}" for j, cost in enumerate(priced)]
            return [plain(name, 18), *texts, number(confusion.priors[i])]

        drawn = [row(i, name) for i, name in enumerate(confusion.classes[:_MOST_ROWS])]
        self.table(["truth \\ decision", *names, "in data"], drawn)
        if rows > _MOST_ROWS or columns > _MOST_COLUMNS:
            self.print(f"(the first classes and decisions of {rows} x {columns})")

    def traditional(self, explanations: Sequence[Explanation]) -> None:
        """Print the traditional metrics with the cost each is tied to."""
        rows = [
            (
                e.value.name,
                "undefined" if e.value.undefined else number(e.value.value),
                number(e.value.naive),
                e.value.better,
                "none" if e.expected_cost.undefined else number(e.expected_cost.normalized),
                "" if e.exchange_rate is None else number(e.exchange_rate),
            )
            for e in explanations
            if e.value is not None and e.expected_cost is not None
        ]
        self.table(("", "value", "naive", "better", "NEC", "FA per miss"), rows)
        self.put(_NOTE, "dim")


def head(source: str, facts: str) -> str:
    """Return the line that says what made a report, and of what."""
    return f"stakes {stakes.__version__}  {plain(Path(source).name)}  {facts}"


def priors_in_words(cost: ExpectedLoss, most: int, *longest: int) -> str:
    """Return the priors of the first classes."""
    pairs = list(zip(cost.classes, cost.priors, strict=True))
    listed = ", ".join(f"{plain(c, *longest)} {number(p)}" for c, p in pairs[:most])
    return listed + (f" and {len(pairs) - most} more" if len(pairs) > most else "")


def described(costs: CostMatrix) -> str:
    """Return costs in a few words."""
    k = len(costs.classes)
    if k > _MOST_WRITTEN:  # a table of so many classes is never laid out
        return f"{costs.shape[0]} classes, {costs.shape[1]} decisions"
    values = costs.values
    if costs.shape == (2, 2) and not values.diagonal().any():
        second = costs.classes[1]
        miss, alarm = number(values[1, 0]), number(values[0, 1])
        of = f"'{plain(second)}'"
        return f"{miss} for a missed {of}, {alarm} for a false {of}"
    if costs.shape[1] >= k and np.array_equal(values[:, :k], 1 - np.eye(k)):
        others = [
            f"{plain(name)} {number(column[0])}"
            for name, column in zip(costs.decisions[k:], values[:, k:].T, strict=True)
            if (column == column[0]).all()
        ]
        if len(others) == costs.shape[1] - k:
            return ", ".join(["each error 1", *others])
    decisions = plain_list(costs.decisions, 8)
    return f"{costs.shape[0]} classes, {costs.shape[1]} decisions: {decisions}"
