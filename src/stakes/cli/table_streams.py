"""Tables larger than memory: classes found first, then batches that a summary can take."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from threading import Lock
from typing import Any

import click

from stakes._check import Rounding
from stakes._text import quoted
from stakes.cli.messages import refuse
from stakes.cli.parsing import score_columns
from stakes.cli.places import told_in_place
from stakes.cli.read_mode import Choice, joined
from stakes.cli.table_request import Request, read_setting
from stakes.evaluation import Summary
from stakes.evaluation.summaries.batch import Batch as SummaryBatch
from stakes.evaluation.summaries.compared_rows import ComparedRows, ScoreForm
from stakes.evaluation.summaries.slice_sums import CodedColumn
from stakes.io import Columns
from stakes.io.batches import Ask
from stakes.io.columns import no_rows
from stakes.io.streams import Limits
from stakes.io.units import ROWS, Piece, Unit, checked_columns, units_of
from stakes.scores import Scores
from stakes.summary.members import Members


class ListedScoresError(Exception):
    """The column of scores holds lists, which are not summed in batches."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows that are ready to be added, and the scores of each system."""

    columns: Columns
    rows: SummaryBatch  # of the first system
    systems: Mapping[str, Scores]


class Stream:
    """A table that is read unit by unit, with its classes, costs and priors.

    One system is added to a summary; of several, rows are kept. `cells` where only cells of the
    score serve: one column of numbers for two classes.
    """

    def __init__(self, request: Request, choice: Choice, *, cells: bool = False) -> None:
        self.request, self.choice = request, choice
        self.units, first = self._begun(cells=cells)
        self.setting, self.first = read_setting(request, self._labels(first), first, by_name=True)
        self._roundings: dict[str, Rounding | None] = dict.fromkeys(self.first)
        self._lock = Lock()

    def ready(self, unit: Unit) -> Batch | None:
        """Read a unit and check it; None where it has no rows."""
        piece = unit.read()
        return piece.checked(self._batch) if len(piece) else None

    def add(self, total: Any, batch: Batch | None) -> int:  # noqa: ANN401
        """Add a batch, and return how many rows it had."""
        if batch is None:
            return 0
        by_sum, known = self.request.options.renormalize, self._roundings
        with self._lock:
            for name, scores in batch.systems.items():
                known[name] = joined(known[name], scores.rounding, renormalize=by_sum)
        with told_in_place(batch.columns, self.request.arguments):
            self._keep(total, batch)
        return len(batch.columns)

    def notes(self) -> list[str]:
        """Say which rows were rounded."""
        found = {name: str(r) for name, r in self._roundings.items() if r is not None}
        alone = len(self._roundings) == 1
        return [text if alone else f"{name}: {text}" for name, text in found.items()]

    def fresh(self) -> Any:  # noqa: ANN401
        """Return what batches are added to, without any."""
        o, setting = self.request.options, self.setting
        if len(self.first) > 1:
            forms = {name: ScoreForm.from_scores(scores) for name, scores in self.first.items()}
            return ComparedRows(setting.classes, forms, members=self._members)
        return Summary(
            classes=setting.classes,
            scores=type(next(iter(self.first.values()))),
            **setting.arguments,
            weighted=o.weight is not None,
            grouped=o.group is not None,
            slices=o.slices,
        )

    @property
    def _members(self) -> Members:
        o, prices = self.request.options, tuple(dict.fromkeys(self.request.prices))
        return Members(o.weight is not None, o.group is not None, prices)

    def _keep(self, total: Summary | ComparedRows, batch: Batch) -> None:
        if isinstance(total, Summary):
            total.add_batch(batch.rows)
            return
        checked, _, rows = batch.rows.read(self._members)
        some = batch.systems
        if rows is not None:
            some = {name: scores.part(rows) for name, scores in some.items()}
        total.update(checked, some)

    def _begun(self, *, cells: bool) -> tuple[Iterator[Unit], Columns]:
        """Return all units, and the columns of the first that has rows; it is read only once."""
        units = self._all_units(self.request.columns)
        begun: list[Unit] = []
        for unit in units:
            begun.append(replace(unit, read=cache(unit.read)))
            piece = begun[-1].read()
            if len(piece):
                columns = piece.checked(Piece.columns)
                if cells and columns.matrix(self.request.score_columns).ndim > 1:
                    if not any(part.streamed for part in self.choice.parts):
                        raise ListedScoresError
                    msg = "--memory 0 is for one number in each row: the scores are lists."
                    raise click.UsageError(f"{msg} Leave it out.")  # it was read, so it is lost
                return chain(begun, units), columns
        raise no_rows(self.choice.source)

    def _all_units(self, ask: Ask) -> Iterator[Unit]:
        o, choice = self.request.options, self.choice
        limits = Limits.read(o.max_bytes, o.timeout, None)
        return units_of(choice.source, choice.parts, ask, limits, ROWS)

    def _labels(self, first: Columns) -> list[str]:
        """Return the labels that tell the classes: of the first batch, or of the whole column."""
        request = self.request
        label = str(request.options.label)
        seen = set(first.coded(label)[0])
        named = score_columns(next(iter(request.systems.values())))
        n_classes = max((2, *first.matrix(named).shape[1:]))
        known = request.options.classes or request.known_classes
        if len(seen) >= n_classes or known is not None:
            return sorted(seen)
        if any(part.streamed for part in self.choice.parts):
            msg = f"--classes must name all classes: the first batch shows only {quoted(seen)},"
            refuse(f"{msg} and this input can be read only once.")
        for columns in checked_columns(self._all_units(Ask(texts=(label,)))):
            seen |= set(columns.coded(label)[0])
            if len(seen) >= n_classes:
                break
        return sorted(seen)

    def _batch(self, piece: Piece) -> Batch:
        o, columns, setting = self.request.options, piece.columns(), self.setting
        codes = columns.codes(str(o.label), setting.classes)
        systems = setting.turned(self.request.scores(columns, setting.columns))
        rows = SummaryBatch(
            codes,
            next(iter(systems.values())),
            None if o.weight is None else columns.numbers(o.weight),
            None if o.group is None else CodedColumn(*columns.coded(o.group)),
            {name: CodedColumn(*columns.coded(name)) for name in dict.fromkeys(o.slices)},
            {name: columns.numbers(name) for name in self.request.prices},
        )
        return Batch(columns, rows, systems)
