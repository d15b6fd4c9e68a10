"""Tables larger than memory: classes found first, then batches that a summary can take."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from stakes._check import InputError
from stakes._text import plain, quoted
from stakes.cli.places import told_in_place
from stakes.cli.reading import Choice
from stakes.cli.request import (
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


class ListedScoresError(Exception):
    """The column of scores holds lists, which are not summed in batches."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows that are ready to be added: labels as places among the classes, and scores."""

    columns: Columns
    codes: Any
    scores: Scores


class Stream:
    """A table that is read unit by unit, with its classes, costs and priors."""

    def __init__(self, request: Request, choice: Choice) -> None:
        self.request, self.choice = request, choice
        self.units, first = self._begun()
        self._names = class_order(request, self._labels(first), first)
        scores = system_scores(first, self.score_column, request.asked, self._names)
        needs = scores.needs_priors
        self.kind = type(scores)
        self.setting: Setting = read_setting(request, self._names, first, needs_priors=needs)
        self._codes = {name: code for code, name in enumerate(self.setting.classes)}

    @property
    def score_column(self) -> str:
        """The column of scores."""
        return next(iter(self.request.asked.systems.values()))

    def fresh(self) -> "Summary":
        """Return a summary of no rows."""
        from stakes.evaluation import Summary  # noqa: PLC0415  loaded where data are streamed

        return Summary(
            classes=self.setting.classes,
            scores=self.kind,
            costs=self.setting.costs,
            priors=self.setting.priors,
            training_priors=self.setting.training_priors,
        )

    def ready(self, unit: Unit) -> Batch | None:
        """Read a unit and check it; None where it has no rows."""
        piece = unit.read()
        return piece.checked(self._batch) if len(piece) else None

    def add(self, summary: "Summary", batch: Batch | None) -> int:
        """Add a batch to a summary, and return how many rows it had."""
        if batch is None:
            return 0
        with told_in_place(batch.columns, {"y_true": self.request.asked.label}):
            summary.update_codes(batch.codes, batch.scores)
        return len(batch.codes)

    def _begun(self) -> tuple[Iterator[Unit], Columns]:
        """Return all units, and the columns of the first that has rows; it is read only once."""
        units = self._all_units(self.request.columns)
        begun: list[Unit] = []
        for unit in units:
            piece = unit.read()
            begun.append(replace(unit, read=partial(_same, piece)))
            if len(piece):
                columns = piece.checked(Piece.columns)
                if columns.matrix(self.request.score_columns).ndim != 1:
                    raise self._listed()
                return chain(begun, units), columns
        raise no_rows(self.choice.source)

    def _listed(self) -> Exception:
        """Return the error for a column of lists; what can be read only once is lost by then."""
        if not any(part.streamed for part in self.choice.parts):
            return ListedScoresError()
        msg = "--memory 0 is for one number in each row: the scores are lists. Leave it out."
        return click.UsageError(msg)

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
        if len(seen) > 1 or asked.classes is not None or known_classes(self.request) is not None:
            return sorted(seen)
        if any(part.streamed for part in self.choice.parts):
            msg = f"--classes must name both classes: the first batch shows only {quoted(seen)},"
            raise click.UsageError(f"{msg} and this input can be read only once.")
        for unit in self._all_units(Ask(texts=(label,))):
            piece = unit.read()
            if len(piece):
                seen |= set(piece.checked(Piece.columns).coded(label)[0])
            if len(seen) > 1:
                break
        return sorted(seen)

    def _batch(self, piece: Piece) -> Batch:
        """Return rows as labels and scores, all of them checked."""
        columns = piece.columns()
        codes = self._coded(columns, str(self.request.asked.label))
        scores = system_scores(columns, self.score_column, self.request.asked, self._names)
        return Batch(columns, codes, turned(scores, self._names, self.setting.classes))

    def _coded(self, columns: Columns, label: str) -> Any:  # noqa: ANN401
        """Return labels as places among the classes; others are refused."""
        texts, places = columns.coded(label)
        table = np.array([self._codes.get(text, -1) for text in texts], dtype=np.int8)
        codes = recoded(places, table).astype(np.int8, copy=False)
        if (table < 0).any():
            row = int(np.argmax(codes < 0))
            msg = f"{plain(columns.source)}: column {plain(label)!r} must hold labels of the"
            msg = f"{msg} classes {quoted(self.setting.classes)}: got {texts[places[row]]!r}"
            raise InputError(f"{msg} at {columns.place(row)}.")
        return codes


def _same(piece: Piece) -> Piece:
    """Return a piece that was read already."""
    return piece
