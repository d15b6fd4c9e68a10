"""Sums over all samples of any number of classes, and some rows for what sums cannot tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from stakes._check import InputError
from stakes._typing import FloatArray, IntArray
from stakes.statistics.bins import bin_of, equal_width
from stakes.summary.amounts import amount_field, fractions, parts, sizes, total, total_of_units
from stakes.summary.decision_sums import DecisionPlan, DecisionSums
from stakes.summary.form import Reader, Writer, damaged
from stakes.summary.kept_rows import KeptRows
from stakes.summary.members import CheckedBatch, MemberRows, Members
from stakes.summary.tally import Field, Layout, Tally

BINS = 15  # of the confidence, as in a report
MOST_CLASSES = 10_000
_MOST_ROWS, _MOST_OF_TWO = 20_000, 100_000  # that are kept, of several classes and of two
_MOST_NUMBERS = 2**23  # of all rows kept
_MOST_CELLS = 2**24  # of classes and decisions
_WEIGHT_BITS = 3
_UNIT = 2.0**28  # parts of 1 that confidences are summed in
_MOST_SAMPLES = 2**33  # of a class: their confidences sum to less than 2^61 units


@dataclass(frozen=True)
class RowPlan:
    """How samples are kept: what is summed, and of how many numbers a row of scores is."""

    sums: DecisionPlan
    width: int
    columns: tuple[str, ...] = ()  # of prices, in all applications

    def __post_init__(self) -> None:
        k = self.n_classes
        if k > MOST_CLASSES or any(k * m > _MOST_CELLS for m in self.sums.decisions):
            rule = f"must be at most {MOST_CLASSES} for a summary, and classes times decisions"
            raise InputError("classes", f"{rule} at most {_MOST_CELLS}", f"{k} classes")

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return self.sums.n_classes

    @property
    def members(self) -> Members:
        """What belongs to rows besides class and scores."""
        return Members(self.sums.weighted, self.sums.grouped, self.columns)

    @property
    def kept_width(self) -> int:
        """How many numbers are kept of a row."""
        return self.width + self.members.width

    @property
    def quota(self) -> int:
        """How many rows of each class are kept."""
        most = _MOST_OF_TWO if self.n_classes == 2 else _MOST_ROWS
        return max(min(most, _MOST_NUMBERS // self.kept_width) // self.n_classes, 1)

    def bins(self) -> Layout:
        """Return the layout of confidences: by outcome, class, bin, and size of weight."""
        weights = [amount_field(_WEIGHT_BITS, (0,))] if self.sums.weighted else []
        fields = Field(2), Field(self.n_classes), Field(BINS), *weights
        return Layout(fields, 2 + 2 * self.sums.weighted)


class RowState:
    """Samples in bounded memory."""

    def __init__(self, plan: RowPlan) -> None:
        self.plan = plan
        self.sums = DecisionSums(plan.sums)
        self.bins = Tally(plan.bins())
        self.rows = KeptRows(plan.n_classes, plan.kept_width, plan.quota)

    @property
    def counts(self) -> IntArray:
        """How many samples of each class there are."""
        return self.sums.counts

    def update(
        self,
        new: CheckedBatch,
        values: FloatArray,
        p: FloatArray,
        decisions: Sequence[IntArray],
        losses: Sequence[FloatArray],
    ) -> None:
        """Add samples: scores, posteriors, decisions in each application, losses by each rule."""
        _check_number(self.counts + np.bincount(new.y, minlength=self.plan.n_classes))
        self.sums.update(new, decisions, losses)
        self._bin(new, p)
        self.rows.add(new.y, np.column_stack([values, *self.plan.members.columns_of(new)]))

    def kept(self) -> tuple[FloatArray, MemberRows]:
        """Return the scores of the rows that are kept, and what belongs to them."""
        values = self.rows.settled().values
        width = self.plan.width
        return values[:, :width], self.plan.members.read(values[:, width:])

    def _bin(self, new: CheckedBatch, p: FloatArray) -> None:
        """Count confidences and how often they came true."""
        choice = p.argmax(axis=1)
        top = np.minimum(p[np.arange(new.y.size), choice], 1.0)
        fields = [choice == new.y, new.y, bin_of(top, equal_width(BINS))]
        numbers = [new.ones]
        if new.weights is not None:
            fields.append(sizes(new.weights, _WEIGHT_BITS))
            numbers += parts(new.weights)
            top = top * fractions(new.weights)
        self.bins.add(fields, [*numbers, np.rint(top * _UNIT).astype(np.int64)])

    def confidences(self) -> FloatArray:
        """Return 3 x outcomes x classes x bins: weight, squared weight, confidence by weight."""
        tally = self.bins.settled()
        values, sums = tally.values(), tally.sums
        weight, chance = sums[0].astype(np.float64), sums[-1] / _UNIT
        if self.plan.sums.weighted:
            weight = total(values[3], _WEIGHT_BITS, *sums[1:3])
            chance = total_of_units(values[3], _WEIGHT_BITS, chance)
        shape = 2, self.plan.n_classes, BINS
        code = np.ravel_multi_index(tuple(values[:3]), shape)
        every = weight, weight * weight / sums[0], chance
        size = int(np.prod(shape))
        return np.stack([np.bincount(code, term, size).reshape(shape) for term in every])

    def __add__(self, other: Self) -> Self:
        out = type(self)(self.plan)
        _check_number(self.counts + other.counts)
        out.sums, out.bins = self.sums + other.sums, self.bins + other.bins
        out.rows = self.rows + other.rows
        return out

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RowState):
            return NotImplemented
        same = self.sums == other.sums and self.bins == other.bins
        return same and self.rows == other.rows

    __hash__ = None  # type: ignore[assignment]

    def write(self, writer: Writer) -> None:
        """Write what was kept."""
        for part in (self.sums, self.bins, self.rows):
            part.write(writer)

    @classmethod
    def read(cls, reader: Reader, plan: RowPlan) -> Self:
        """Read what was kept."""
        out = cls(plan)
        out.sums = DecisionSums.read(reader, plan.sums)
        out.bins = Tally.read(reader, plan.bins())
        out.rows = KeptRows.read(reader, plan.n_classes, plan.kept_width, plan.quota)
        out._check()
        return out

    def _check(self) -> None:
        """Refuse parts that are not of the same samples."""
        _check_number(self.counts)
        count, chance = self.bins.sums[0], self.bins.sums[-1]
        binned = np.bincount(self.bins.values()[1], count, self.plan.n_classes)
        if (binned != self.counts).any() or (count < 1).any():
            raise damaged("bins of other samples")
        if (chance > count * _UNIT).any():
            raise damaged("confidences above 1")
        kept, full = self.rows.samples(), self.rows.full
        if (kept[~full] != self.counts[~full]).any() or (kept[full] >= self.counts[full]).any():
            raise damaged("rows of other samples")


def _check_number(counts: IntArray) -> None:
    """Refuse more samples than confidences can be summed of."""
    if counts.max(initial=0) > _MOST_SAMPLES:
        msg = "a summary of rows must hold at most 2**33 samples of each class:"
        raise InputError(f"{msg} got {counts.max()}.")
