"""Tables larger than memory: classes found first, then batches that a summary can take."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from stakes._check import InputError, Rounding
from stakes._text import plain, quoted
from stakes.cli.places import told_in_place
from stakes.cli.read_mode import Choice
from stakes.cli.rounding import joined
from stakes.cli.score_columns import score_columns
from stakes.cli.table_request import (
    Request,
    Setting,
    class_order,
    known_classes,
    read_setting,
    system_scores,
    turned,
)
from stakes.io import Columns
from stakes.io.batches import Ask
from stakes.io.columns import no_rows
from stakes.io.gather import recoded
from stakes.io.streams import Limits
from stakes.io.units import ROWS, Piece, Unit, units_of
from stakes.scores import Scores

if TYPE_CHECKING:
    from stakes.evaluation import Summary
    from stakes.evaluation.summaries.batch import Batch as SummaryBatch


class ListedScoresError(Exception):
    """The column of scores holds lists, which are not summed in batches."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows that are ready to be added: labels as places among the classes, scores by system."""

    columns: Columns
    codes: Any
    systems: Mapping[str, Scores]

    @property
    def scores(self) -> Scores:
        """The scores, where there is one system."""
        return next(iter(self.systems.values()))


class TableStream:
    """A table that is read unit by unit, with its classes, costs and priors."""

    def __init__(self, request: Request, choice: Choice) -> None:
        self.request, self.choice = request, choice
        self.units, first = self._begun()
        self._names = class_order(request, self._labels(first), first)
        scores = self._systems(first)
        needs = any(each.needs_priors for each in scores.values())
        self.setting: Setting = read_setting(
            request, self._names, first, needs_priors=needs, by_name=True
        )
        self.first = self._turned(scores)
        self._codes = {name: code for code, name in enumerate(self.setting.classes)}

    @property
    def arguments(self) -> dict[str, str | None]:
        """The columns that stand for arguments of the library."""
        asked = self.request.asked
        return {"y_true": asked.label, "sample_weight": asked.weight, "groups": asked.group}

    def ready(self, unit: Unit) -> Batch | None:
        """Read a unit and check it; None where it has no rows."""
        piece = unit.read()
        return piece.checked(self._batch) if len(piece) else None

    def _check_first(self, first: Columns) -> None:
        """Refuse scores that cannot be read in batches."""

    def _begun(self) -> tuple[Iterator[Unit], Columns]:
        """Return all units, and the columns of the first that has rows; it is read only once."""
        units = self._all_units(self.request.columns)
        begun: list[Unit] = []
        for unit in units:
            piece = unit.read()
            begun.append(replace(unit, read=partial(_same, piece)))
            if len(piece):
                columns = piece.checked(Piece.columns)
                self._check_first(columns)
                return chain(begun, units), columns
        raise no_rows(self.choice.source)

    def _all_units(self, ask: Ask) -> Iterator[Unit]:
        """Go through the units of the table, for some columns of it."""
        asked, choice = self.request.asked, self.choice
        limits = Limits.of(asked.max_bytes, asked.timeout, None)
        return units_of(choice.source, choice.parts, ask, limits, ROWS)

    def _labels(self, first: Columns) -> list[str]:
        """Return the labels that tell the classes: of the first batch, or of the whole column."""
        asked = self.request.asked
        label = str(asked.label)
        seen = set(first.coded(label)[0])
        columns = score_columns(next(iter(asked.systems.values())))
        n_classes = max((2, *first.matrix(columns).shape[1:]))
        if (
            len(seen) >= n_classes
            or asked.classes is not None
            or known_classes(self.request) is not None
        ):
            return sorted(seen)
        if any(part.streamed for part in self.choice.parts):
            msg = f"--classes must name all classes: the first batch shows only {quoted(seen)},"
            raise click.UsageError(f"{msg} and this input can be read only once.")
        for unit in self._all_units(Ask(texts=(label,))):
            piece = unit.read()
            if len(piece):
                seen |= set(piece.checked(Piece.columns).coded(label)[0])
            if len(seen) >= n_classes:
                break
        return sorted(seen)

    def _batch(self, piece: Piece) -> Batch:
        """Return rows as labels and scores, all of them checked."""
        columns = piece.columns()
        codes = self._coded(columns, str(self.request.asked.label))
        return Batch(columns, codes, self._turned(self._systems(columns)))

    def with_columns(self, batch: Batch, slices: Sequence[str] = ()) -> "SummaryBatch":
        """Return a batch with all that belongs to its rows."""
        from stakes.evaluation.summaries.batch import (  # noqa: PLC0415  as Summary
            Batch as SummaryBatch,
        )
        from stakes.evaluation.summaries.slice_sums import CodedColumn  # noqa: PLC0415

        asked, columns = self.request.asked, batch.columns
        return SummaryBatch(
            batch.codes,
            batch.scores,
            None if asked.weight is None else columns.numbers(asked.weight),
            None if asked.group is None else CodedColumn(*columns.coded(asked.group)),
            {name: CodedColumn(*columns.coded(name)) for name in dict.fromkeys(slices)},
            {name: columns.numbers(name) for name in self.request.prices},
        )

    def _systems(self, columns: Columns) -> dict[str, Scores]:
        """Return the scores of each system, in the order of the columns."""
        asked = self.request.asked
        return {
            name: system_scores(columns, text, asked, self._names)
            for name, text in asked.systems.items()
        }

    def _turned(self, systems: Mapping[str, Scores]) -> dict[str, Scores]:
        """Return scores with the class of interest last."""
        return {n: turned(s, self._names, self.setting.classes) for n, s in systems.items()}

    def _coded(self, columns: Columns, label: str) -> Any:  # noqa: ANN401
        """Return labels as places among the classes; others are refused."""
        texts, places = columns.coded(label)
        kind: Any = np.int8 if len(self._codes) <= 127 else np.int64
        table = np.array([self._codes.get(text, -1) for text in texts], dtype=kind)
        codes = recoded(places, table).astype(kind, copy=False)
        if (table < 0).any():
            row = int(np.argmax(codes < 0))
            rule = f"must hold labels of the classes {quoted(self.setting.classes)}"
            got, place = repr(texts[places[row]]), columns.place(row)
            wrong = InputError(f"column {plain(label)!r}", rule, got, place=place)
            raise wrong.moved(source=plain(columns.source))
        return codes


class Stream(TableStream):
    """A table of one system, which is added to a summary."""

    def __init__(self, request: Request, choice: Choice) -> None:
        super().__init__(request, choice)
        self._rounding: Rounding | None = None
        self._lock = Lock()

    @property
    def score_column(self) -> str:
        """The column of scores, or several."""
        return next(iter(self.request.asked.systems.values()))

    def notes(self) -> list[str]:
        """Say how rows were rounded."""
        return [] if self._rounding is None else [str(self._rounding)]

    def fresh(self) -> "Summary":
        """Return a summary of no rows."""
        from stakes.evaluation import Summary  # noqa: PLC0415  loaded where data are streamed

        asked = self.request.asked
        return Summary(
            classes=self.setting.classes,
            scores=type(next(iter(self.first.values()))),
            costs=self.setting.costs,
            priors=self.setting.priors,
            training_priors=self.setting.training_priors,
            weighted=asked.weight is not None,
            grouped=asked.group is not None,
            slices=asked.slices,
        )

    def add(self, summary: "Summary", batch: Batch | None) -> int:
        """Add a batch to a summary, and return how many rows it had."""
        if batch is None:
            return 0
        by_sum = self.request.asked.renormalize
        with self._lock:
            self._rounding = joined(self._rounding, batch.scores.rounding, renormalize=by_sum)
        with told_in_place(batch.columns, self.arguments):
            summary.add_batch(self.with_columns(batch, self.request.asked.slices))
        return len(batch.codes)


class CellStream(Stream):
    """A table of one column of scores for two classes."""

    def _check_first(self, first: Columns) -> None:
        """Refuse a column of lists; what can be read only once is lost by then."""
        if first.matrix(self.request.score_columns).ndim == 1:
            return
        if not any(part.streamed for part in self.choice.parts):
            raise ListedScoresError
        msg = "--memory 0 is for one number in each row: the scores are lists. Leave it out."
        raise click.UsageError(msg)


def _same(piece: Piece) -> Piece:
    """Return a piece that was read already."""
    return piece
