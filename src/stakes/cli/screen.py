"""Results on a terminal: one screen, aligned, readable in 80 columns and without colour."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from stakes._text import number, plain
from stakes.cli.paragraphs import print_verdicts
from stakes.costs import CostMatrix
from stakes.evaluation.findings import SCHEMA_VERSION
from stakes.metrics import ConfusionMatrix, Explanation

if TYPE_CHECKING:
    from stakes.evaluation import DecisionEvaluation
    from stakes.paper import Reproduction

_MOST_ROWS, _MOST_COLUMNS = 12, 8
_BY_CASE = "from case to case"
_MOST_WRITTEN = 200
_MOST_PRICED = 4  # classes up to which the cost of a cell is shown
_COLUMNS = 5  # of a paper's table side by side in 80 columns
_NOTE = """\
All at the priors above. NEC is the normalised expected cost of the costs that
the metric implies. FA per miss: how many more false alarms would harm it as
much as one more miss, for this very system.\
"""


def head(source: str, samples: str) -> str:
    """Return the line that says what made a report, and of what."""
    import stakes  # noqa: PLC0415

    return f"stakes {stakes.__version__}  {plain(Path(source).name)}  {samples}"


def json_document(command: str, body: Mapping[str, Any]) -> str:
    """Return one JSON document that says what made it."""
    import stakes  # noqa: PLC0415

    head = {"stakes": stakes.__version__, "schema": SCHEMA_VERSION, "command": command}
    return json.dumps({**head, **body}, indent=2, allow_nan=False)


class _Screen(Console):
    """A terminal whose reader may go away, which the command line turns into a quiet end."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(file: IO[str] | None = None) -> Console:
    """Return the terminal to print on, or a file; user strings are never read as markup."""
    wide = None if file is None else 80
    return _Screen(
        file=file, width=wide, markup=False, highlight=False, emoji=False, soft_wrap=False
    )


def print_decisions(screen: Console, evaluation: "DecisionEvaluation", source: str) -> None:
    """Print what decisions cost, beside the naive system and the traditional metrics."""
    confusion = evaluation.confusion
    unit = "samples" if confusion.whole else "total weight"
    screen.print(
        Text(head(source, f"{number(confusion.n, 6)} {unit}, seed {evaluation.seed}"), style="bold")
    )
    screen.print(_problem(evaluation))
    screen.print()
    screen.print(_costs(evaluation))
    screen.print()
    print_verdicts(screen, evaluation.verdicts)
    print_counts(screen, confusion, evaluation.costs)
    if evaluation.traditional:
        screen.print()
        print_traditional(screen, evaluation.traditional)
    for reason in evaluation.reasons:
        screen.print(Text(reason))


def _problem(evaluation: "DecisionEvaluation") -> Group:
    """Return classes, priors and costs, in words."""
    cost = evaluation.expected_cost
    origin = "from the data" if cost.priors_from_data else "as given"
    pairs = list(zip(cost.classes, cost.priors, strict=True))
    priors = ", ".join(f"{plain(c)} {number(p)}" for c, p in pairs[:8])
    priors += f" and {len(pairs) - 8} more" if len(pairs) > 8 else ""
    last = f"  (of interest: {plain(cost.classes[-1])})" if len(cost.classes) == 2 else ""
    return Group(
        Text(f"priors   {priors}, {origin}{last}"),
        Text(f"costs    {described(evaluation.costs) if evaluation.costs else _BY_CASE}"),
    )


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
    decisions = ", ".join(plain(d) for d in costs.decisions[:8])
    more = f" and {costs.shape[1] - 8} more" if costs.shape[1] > 8 else ""
    return f"{costs.shape[0]} classes, {costs.shape[1]} decisions: {decisions}{more}"


def _costs(evaluation: "DecisionEvaluation") -> Table:
    """Return the expected cost and its normalised value, each beside the naive system."""
    cost, level = evaluation.expected_cost, evaluation.level
    table = sheet("", "value", f"{100 * level:g} % interval", "naive", "")
    answer = f"always {plain(cost.naive_answer)}"
    table.add_row(
        "expected cost", number(cost.value), str(cost.interval(level)), number(cost.naive), answer
    )
    if cost.undefined is None:
        band = str(cost.normalized_interval(level))
        table.add_row("normalised (NEC)", number(cost.normalized), band, "1", "lower is better")
    else:
        table.add_row("normalised (NEC)", "undefined", "", "", "no naive cost")
    return table


def print_counts(screen: Console, confusion: ConfusionMatrix, costs: CostMatrix | None) -> None:
    """Print the confusion matrix with the cost of each cell, cut where it is too large."""
    screen.print(_counts(confusion, costs))
    rows, columns = len(confusion.classes), len(confusion.decisions)
    if rows > _MOST_ROWS or columns > _MOST_COLUMNS:
        screen.print(f"(the first classes and decisions of {rows} x {columns})")


def _counts(confusion: ConfusionMatrix, costs: CostMatrix | None) -> Table:
    """Return the confusion matrix as a table."""
    shown = min(len(confusion.decisions), _MOST_COLUMNS)
    table = sheet(
        "truth \\ decision", *(plain(d, 18) for d in confusion.decisions[:shown]), "in data"
    )
    cells = dict(
        zip(zip(confusion.row, confusion.column, strict=True), confusion.cells, strict=True)
    )
    priors = confusion.priors
    for i, name in enumerate(confusion.classes[:_MOST_ROWS]):
        price = np.zeros(shown)
        if costs is not None and len(confusion.classes) <= _MOST_PRICED:
            price = costs.at(np.full(shown, i), np.arange(shown))
        texts = [
            f"{number(cells.get((i, j), 0), 6)}{f' (cost {number(price[j])})' if price[j] else ''}"
            for j in range(shown)
        ]
        table.add_row(plain(name, 18), *texts, number(priors[i]))
    return table


def print_traditional(screen: Console, explanations: Sequence[Explanation]) -> None:
    """Print the traditional metrics with the cost each is tied to."""
    screen.print(_traditional(explanations))
    screen.print(Text(_NOTE, style="dim"))


def _traditional(explanations: Sequence[Explanation]) -> Table:
    """Return the traditional metrics with the cost each is tied to."""
    table = sheet("", "value", "naive", "better", "NEC", "FA per miss")
    for e in explanations:
        if e.value is None or e.expected_cost is None:
            continue
        nec = e.expected_cost
        table.add_row(
            e.value.name,
            "undefined" if e.value.undefined else number(e.value.value),
            number(e.value.naive),
            e.value.better,
            "none" if nec.undefined else number(nec.normalized),
            "" if e.exchange_rate is None else number(e.exchange_rate),
        )
    return table


def sheet(first: str, *others: str, gap: int = 2) -> Table:
    """Return an empty table: names to the left, numbers to the right."""
    table = Table(
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        header_style="bold",
        padding=(0, gap - 1, 0, 0),
    )
    table.add_column(Text(first), overflow="fold")
    for name in others:
        table.add_column(Text(name), justify="right", overflow="fold")
    return table


def print_reproduction(reproduction: "Reproduction") -> None:
    """Print a table of the paper: each computed value, the printed digits, whether they agree."""
    screen = console()
    screen.print(Text(f"{reproduction.label}: {reproduction.title}", style="bold"))
    for start in range(0, len(reproduction.columns), _COLUMNS):
        kept = slice(start, start + _COLUMNS)
        table = sheet(*reproduction.row_names, *reproduction.columns[kept], gap=1)
        for names, cells in reproduction.rows:
            table.add_row(*names, *(cell.text for cell in cells[kept]))
        screen.print(table)
    count = len(reproduction.printed_cells)
    if count:
        screen.print(f"{reproduction.agreeing} of {count} printed cells agree.")
    screen.print()
