"""Slices of a summary: the main application on the samples of each value of some columns."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from stakes._check import InputError, StakesError, shown_value
from stakes._check.slice_columns import check_few, in_order
from stakes._math import log
from stakes._text import plain
from stakes._typing import FloatArray, IntArray
from stakes.evaluation.slice_measures import ScoresOfSlice
from stakes.evaluation.slice_results import SliceDecisions
from stakes.evaluation.summaries.summary_request import Request, renumbered
from stakes.evaluation.summaries.summed_rows import loss_records
from stakes.scores import Logits, Posteriors, Scores
from stakes.scoring import LogLoss
from stakes.summary.decision_sums import DecisionPlan, DecisionSums, LossPowers
from stakes.summary.form import Part, Reader, Writer, damaged
from stakes.summary.members import CheckedBatch
from stakes.summary.parted_cells import PartedCells

MOST_VALUES = 1000  # of a column
_LONGEST = 2**16  # bytes of a value
_MOST_KEYS = 2**16
_MOST_CELLS = 2**14  # of the scores of a slice, beyond which cells are coarser


class CodedColumn(NamedTuple):
    """A column of names: its values, each once, and which of them each sample has."""

    values: Any  # a list, or an array of whole numbers
    codes: IntArray

    def some(self, rows: IntArray) -> "CodedColumn":
        """Return the names of some samples."""
        return CodedColumn(self.values, self.codes[rows])


class SumsOfSlice(Part):
    """Decisions and cross-entropy of some samples; of two classes their scores too, in cells."""

    pieces = ("sums", "cells", "scores")

    def __init__(self, plan: DecisionPlan) -> None:
        self.sums, members = DecisionSums(plan), plan.members
        self.cells: PartedCells | None = None
        self.scores: LossPowers | None = None  # of the posterior of the last class
        if plan.n_classes == 2:
            self.cells = PartedCells(np.empty(0), members, log_odds=True, most=_MOST_CELLS)
            self.scores = LossPowers(2, weighted=members.weighted)

    def update(
        self, new: CheckedBatch, decided: IntArray, losses: FloatArray, scores: "_Column | None"
    ) -> None:
        """Add samples."""
        self.sums.update(new, [decided], [losses])
        if self.cells is not None and self.scores is not None and scores is not None:
            self.cells.update(new, scores.log_odds)
            self.scores.add(new.y, scores.posterior, new.weights)

    def check(self) -> None:
        """Refuse scores of other samples."""
        if self.cells is not None and (self.cells.counts != self.sums.counts).any():
            raise damaged("scores of other samples")

    def known(self, request: Request) -> ScoresOfSlice | None:
        """Return what is known of the scores."""
        if self.cells is None or self.scores is None:
            return None
        rows = self.cells.rows()
        at = Logits.trusted(rows.value)
        samples = request.samples(rows.y, at, rows.weights, copies=rows.copies)
        if rows.part is not None:
            samples = replace(samples, groups=renumbered(rows.part))
        return ScoresOfSlice(samples, self.scores.loss_sums(self.sums.counts))


class _Column(NamedTuple):
    """Of samples of two classes: log odds, which rank them, and posteriors of the last class."""

    log_odds: FloatArray
    posterior: FloatArray

    def some(self, rows: IntArray) -> "_Column":
        return _Column(self.log_odds[rows], self.posterior[rows])


class SliceSums(Part):
    """Decisions, cross-entropy and scores of the samples of each value of each column."""

    def __init__(self, request: Request) -> None:
        self._request = request
        plan = request.plan((request.main,), (LogLoss(),))
        few = replace(plan, most=_MOST_KEYS)  # of fewer keys, as there may be many slices
        self._fresh = partial(SumsOfSlice, few)
        self._sums: dict[str, dict[str, SumsOfSlice]] = {
            name: defaultdict(self._fresh) for name in request.slices
        }

    def update(self, new: CheckedBatch, scores: Scores, columns: Mapping[str, CodedColumn]) -> None:
        """Add samples with their values; nothing changes if they are refused."""
        if not self._sums:
            return
        request = self._request
        given = request.samples(new.y, scores)
        use = request.samples_in_use(request.main, given, new.amounts)
        answers = use.samples.scores.answers(use.samples.priors)
        decided, losses = use.costs.least_expected(answers.p), LogLoss().losses(new.y, answers)
        two = len(request.classes) == 2
        ranked = _Column(_log_odds(scores), answers.p[:, 1]) if two else None
        for name, (values, codes) in columns.items():
            order = np.argsort(codes, kind="stable")
            ends = np.searchsorted(codes[order], np.arange(len(values) + 1))
            for value, start, end in zip(values, ends[:-1], ends[1:], strict=True):
                rows = order[start:end]
                if rows.size:
                    sums, some = self._sums[name][value], ranked and ranked.some(rows)
                    sums.update(new.some(rows), decided[rows], losses[rows], some)

    def check_values(self, columns: Mapping[str, CodedColumn]) -> None:
        """Refuse columns of very many values."""
        for name, column in columns.items():
            known = [*dict.fromkeys((*self._sums[name], *column.values))]
            number = len(known)
            if number > MOST_VALUES:
                msg = f"slices {plain(name)!r} must have at most {MOST_VALUES} values for a summary"
                raise InputError(f"{msg}: got {number}. Cut numbers into ranges first.")
            check_few(f"slices {name!r}", known)

    def __add__(self, other: Self) -> Self:
        out = type(self)(self._request)
        for name, mine in self._sums.items():
            theirs = other._sums[name]
            for value in {**mine, **theirs}:
                none = self._fresh()  # so that what is summed is not shared
                out._sums[name][value] = mine.get(value, none) + theirs.get(value, none)
        return out

    def decisions(self) -> Iterator[SliceDecisions]:
        """Go through the slices, each with its decisions and its cross-entropy."""
        for name, values in self._sums.items():
            check_few(f"slices {name!r}", list(values))
            for value in in_order(values):
                part, sums = values[value], values[value].sums
                told = name, shown_value(value, values), tuple(sums.counts.tolist())
                try:
                    found = self._request.decisions(self._request.main, 0, sums)
                    losses = loss_records(sums, found.use.samples)
                    known = part.known(self._request)
                    yield SliceDecisions(
                        *told, found, losses[LogLoss()], scored=False, scores=known
                    )
                except StakesError as error:
                    yield SliceDecisions(*told, why=str(error))

    def write(self, writer: Writer) -> None:
        """Write the sums of each value."""
        for values in self._sums.values():
            writer.array([len(values)])
            for value in sorted(values):
                text = value.encode()
                writer.array([len(text)])
                writer.raw(text)
                values[value].write(writer)

    def read(self, reader: Reader) -> Self:
        """Read the sums of each value."""
        for values in self._sums.values():
            for _ in range(reader.number(MOST_VALUES)):
                try:
                    value = reader.raw(reader.number(_LONGEST)).decode()
                except UnicodeDecodeError as error:
                    raise damaged("values that are not texts") from error
                values[value].read(reader)
        return self


def _log_odds(scores: Scores) -> FloatArray:
    """Return numbers that rank samples of two classes as their scores do, on one scale."""
    ranks = np.asarray(scores.ranks(), dtype=np.float64)
    if not (isinstance(scores, Posteriors) and scores.values.ndim == 1):
        return ranks
    with np.errstate(divide="ignore"):
        return np.asarray(log(ranks) - np.log1p(-ranks), dtype=np.float64)
