"""More than two classes: exact sums of all samples, and some rows for what sums cannot tell."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from stakes._check import InputError
from stakes._typing import FloatArray, IntArray
from stakes.scores import Answers
from stakes.scoring import ScoringRule
from stakes.statistics import LossSums
from stakes.statistics.bins import bin_of, equal_width
from stakes.summary.form import Reader, Writer, damaged
from stakes.summary.kept import KeptRows
from stakes.summary.powers import LossPowers

BINS = 15  # of the confidence, as in a report
MOST_CLASSES = 10_000
_MOST_ROWS = 20_000
_MOST_NUMBERS = 2**23  # of all rows kept
_MOST_CELLS = 2**24  # of a table of classes and decisions
_UNIT = 2.0**30  # parts of 1 that confidences are summed in, so that sums are whole numbers
_MOST_SAMPLES = 2**32  # of a class: their confidences sum to less than 2^63 units
_BLOCK = 2**22  # samples at a time: their confidences sum to less than 2^53 units


@dataclass(frozen=True)
class RowPlan:
    """How samples of several classes are kept."""

    n_classes: int
    rules: tuple[ScoringRule, ...]
    decisions: tuple[int, ...]  # how many there are in each application

    def __post_init__(self) -> None:
        k = self.n_classes
        if k > MOST_CLASSES or any(k * m > _MOST_CELLS for m in self.decisions):
            msg = f"classes must be at most {MOST_CLASSES} for a summary, and classes times"
            raise InputError(f"{msg} decisions at most {_MOST_CELLS}: got {k} classes.")

    @property
    def quota(self) -> int:
        """How many rows of each class are kept."""
        return max(min(_MOST_ROWS, _MOST_NUMBERS // self.n_classes) // self.n_classes, 1)


class RowState:
    """Samples of several classes in bounded memory."""

    def __init__(self, plan: RowPlan) -> None:
        k = plan.n_classes
        self.plan = plan
        self.counts: IntArray = np.zeros(k, dtype=np.int64)
        self.tables: list[IntArray] = [np.zeros((k, m), dtype=np.int64) for m in plan.decisions]
        self.powers = [LossPowers(k) for _ in plan.rules]
        self.hits: IntArray = np.zeros((2, k, BINS), dtype=np.int64)  # by outcome, class, bin
        self.confidence: IntArray = np.zeros((2, k, BINS), dtype=np.int64)  # summed, in units
        self.rows = KeptRows(k, k, plan.quota)

    def update(
        self, y: IntArray, values: FloatArray, answers: Answers, decisions: list[IntArray]
    ) -> None:
        """Add samples: their scores, posteriors, and decisions in each application."""
        losses = [rule.of(y, answers) for rule in self.plan.rules]
        counts = self.counts + np.bincount(y, minlength=self.plan.n_classes)
        _check_number(counts)
        self.counts = counts
        for table, decided in zip(self.tables, decisions, strict=True):
            _count(table, y, decided)
        for powers, loss in zip(self.powers, losses, strict=True):
            powers.add(y, loss)
        self._bin(y, answers.p)
        self.rows.add(y, values)

    def _bin(self, y: IntArray, p: FloatArray) -> None:
        """Count confidences and how often they came true."""
        for start in range(0, y.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            self._bin_block(y[block], p[block])

    def _bin_block(self, y: IntArray, p: FloatArray) -> None:
        """Count few enough confidences for their sums to be exact."""
        choice = p.argmax(axis=1)
        top = np.minimum(p[np.arange(y.size), choice], 1.0)
        hit = (choice == y).astype(np.int64)
        code = (hit * self.plan.n_classes + y) * BINS + bin_of(top, equal_width(BINS))
        shape, size = self.hits.shape, self.hits.size
        self.hits += np.bincount(code, minlength=size).reshape(shape)
        units = np.bincount(code, np.rint(top * _UNIT), size)
        self.confidence += units.astype(np.int64).reshape(shape)

    def confidence_sums(self) -> FloatArray:
        """Return the summed confidence by outcome, class and bin."""
        return np.asarray(self.confidence / _UNIT, dtype=np.float64)

    def loss_sums(self) -> dict[ScoringRule, LossSums]:
        """Return the exact sums of each rule, as metrics take them."""
        pairs = zip(self.plan.rules, self.powers, strict=True)
        return {rule: powers.loss_sums(self.counts) for rule, powers in pairs}

    def __add__(self, other: Self) -> Self:
        out = type(self)(self.plan)
        out.counts = self.counts + other.counts
        _check_number(out.counts)
        out.tables = [a + b for a, b in zip(self.tables, other.tables, strict=True)]
        out.powers = [a + b for a, b in zip(self.powers, other.powers, strict=True)]
        out.hits, out.confidence = self.hits + other.hits, self.confidence + other.confidence
        out.rows = self.rows + other.rows
        return out

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RowState):
            return NotImplemented
        mine, theirs = ((s.counts, *s.tables, s.hits, s.confidence) for s in (self, other))
        same = all(map(np.array_equal, mine, theirs))
        return same and self.powers == other.powers and self.rows == other.rows

    __hash__ = None  # type: ignore[assignment]

    def write(self, writer: Writer) -> None:
        """Write what was kept."""
        writer.array(self.counts)
        for table in self.tables:
            used = np.flatnonzero(table)
            writer.listed(np.diff(used, prepend=0))
            writer.array(table.ravel()[used])
        for powers in self.powers:
            powers.write(writer)
        writer.array(self.hits.ravel())
        writer.array(self.confidence.ravel())
        self.rows.write(writer)

    @classmethod
    def read(cls, reader: Reader, plan: RowPlan) -> Self:
        """Read what was kept."""
        out = cls(plan)
        k = plan.n_classes
        out.counts = reader.array(k)
        for table in out.tables:
            used = np.cumsum(reader.listed(table.size))
            if used.size and (used[-1] >= table.size or (np.diff(used) < 1).any()):
                raise damaged("decisions that there are not")
            table.ravel()[used] = reader.array(used.size)
            if (table.sum(axis=1) != out.counts).any():
                raise damaged("decisions of other samples")
        out.powers = [LossPowers.read(reader, k) for _ in plan.rules]
        out.hits = reader.array(out.hits.size).reshape(out.hits.shape)
        out.confidence = reader.array(out.hits.size).reshape(out.hits.shape)
        out.rows = KeptRows.read(reader, k, k, plan.quota)
        out._check()
        return out

    def _check(self) -> None:
        """Refuse parts that are not of the same samples."""
        _check_number(self.counts)
        lost = any((powers.infinite > self.counts).any() for powers in self.powers)
        if lost or (self.hits.sum(axis=(0, 2)) != self.counts).any():
            raise damaged("losses or bins of other samples")
        if (self.confidence > self.hits * _UNIT).any():
            raise damaged("confidences above 1")
        kept, full = self.rows.samples(), self.rows.full
        if (kept[~full] != self.counts[~full]).any() or (kept[full] >= self.counts[full]).any():
            raise damaged("rows of other samples")


def _check_number(counts: IntArray) -> None:
    """Refuse more samples than confidences can be summed of."""
    if counts.max(initial=0) > _MOST_SAMPLES:
        msg = "a summary of more than two classes must hold at most 2**32 samples of each:"
        raise InputError(f"{msg} got {counts.max()}.")


def _count(table: IntArray, y: IntArray, decided: IntArray) -> None:
    """Count samples by class and decision; few samples touch few cells."""
    code = y * table.shape[1] + decided
    if 16 * y.size < table.size:
        np.add.at(table.reshape(-1), code, 1)
    else:
        table += np.bincount(code, minlength=table.size).reshape(table.shape)
