"""Traditional metrics under weights, and by multinomial resampling of counts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._check import UndefinedMetricError
from stakes._counting import bincount
from stakes._math import quotient
from stakes._text import key_of
from stakes._typing import FloatArray, IntArray, Names
from stakes.intervals.bootstrap import Replicates, Statistic, SummedStatistic
from stakes.intervals.resampling import ClassSums, seed_of
from stakes.metrics import ConfusionMatrix, DecisionMetric, Matthews
from stakes.metrics.traditional import FourCounts

_FEW_DECISIONS = 8  # for which a column each costs less than a weight of each sample
_CELLS = 2**20  # of all tables that are held at once
_MOST_LEFT_OUT = 2**13  # cells from which a sample each is left out in turn, for BCa


@dataclass(frozen=True, eq=False)
class CountStatistic(Statistic):
    """Metrics of decisions, from the weight of each class and decision."""

    name: str
    y: IntArray
    decided: IntArray
    classes: Names
    decisions: Names
    metrics: Sequence[DecisionMetric]
    priors: FloatArray | None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}.{key_of(metric.name)}" for metric in self.metrics)

    def under(self, weights: FloatArray) -> FloatArray:
        k, m = len(self.classes), len(self.decisions)
        cell = self.y * m + self.decided
        tables = [bincount(cell, row, k * m).reshape(k, m) for row in weights]
        return self._values(np.stack(tables))

    def _values(self, tables: FloatArray) -> FloatArray:
        return values_of(tables, self.metrics, self.priors, (self.classes, self.decisions))


@dataclass(frozen=True, eq=False)
class FewCountStatistic(SummedStatistic, CountStatistic):
    """The same for few decisions, where each can have a column of its own that is summed."""

    @cached_property
    def sums(self) -> ClassSums:
        """How many samples of each class got each decision."""
        columns = [self.decided == j for j in range(len(self.decisions))]
        return ClassSums(np.array(columns, dtype=np.float64), self.y, len(self.classes))

    def from_sums(self, sums: FloatArray) -> FloatArray:
        return self._values(sums[:, :, :-1])


def count_statistic(
    name: str,
    y: IntArray,
    decided: IntArray,
    names: tuple[Names, Names],
    metrics: Sequence[DecisionMetric],
    priors: FloatArray | None,
) -> CountStatistic:
    """Return the metrics of decisions, as they are quickest to draw again."""
    made = FewCountStatistic if len(names[1]) <= _FEW_DECISIONS else CountStatistic
    return made(name, y, decided, *names, metrics, priors)


def values_of(
    tables: FloatArray,
    metrics: Sequence[DecisionMetric],
    priors: FloatArray | None,
    names: tuple[Names, Names],
) -> FloatArray:
    """Return metrics of many tables of counts, at given priors or those of each table."""
    if priors is not None:
        total = tables.sum(axis=2, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = priors[:, None] * tables / total
        tables = np.where((total == 0) & (priors[:, None] == 0), 0.0, shares)
    fast = [_vector(metric, tables) for metric in metrics]
    if all(values is not None for values in fast):
        return np.column_stack(fast)  # type: ignore[arg-type]
    return np.array([[_single(metric, table, names) for metric in metrics] for table in tables])


def _vector(metric: DecisionMetric, tables: FloatArray) -> FloatArray | None:
    if tables.shape[1:] == (2, 2):
        (n11, n12), (n21, n22) = tables.transpose(1, 2, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(metric.values(FourCounts(n11, n12, n21, n22)), dtype=np.float64)
    if isinstance(metric, Matthews):
        right = tables.trace(axis1=1, axis2=2)
        return metric.from_margins(tables.sum(axis=2), tables.sum(axis=1), right)
    return None


def _single(metric: DecisionMetric, table: FloatArray, names: tuple[Names, Names]) -> float:
    if not np.isfinite(table).all():
        return float("nan")
    try:
        counts = ConfusionMatrix.from_counts(table, classes=names[0], decisions=names[1])
        return metric.evaluate(counts).value
    except UndefinedMetricError:
        return float("nan")


def replicate_counts(
    confusion: ConfusionMatrix,
    metrics: Sequence[DecisionMetric],
    priors: FloatArray | None,
    count: int,
    rng: "int | np.random.Generator",
    prefix: str = "",
) -> Replicates:
    """Return metrics of counts resampled from a multinomial: the cost does not grow with N.

    With given priors the size of each class is kept; counts must be those of samples without
    weights.
    """
    cells, names = _Cells.from_confusion(confusion), (confusion.classes, confusion.decisions)
    wide = len(names[0]) > 2 and all(isinstance(metric, Matthews) for metric in metrics)

    def of(block: IntArray) -> FloatArray:
        if not wide:
            return values_of(cells.tables(block), metrics, priors, names)
        correlation = Matthews().from_margins(*cells.margins(block, priors))
        return np.repeat(correlation[:, None], len(metrics), axis=1)

    def values(blocks: Iterator[IntArray]) -> FloatArray:
        return np.concatenate([np.empty((0, len(metrics))), *map(of, blocks)])

    generator = np.random.default_rng(seed_of(rng))
    few = cells.weight.size <= _MOST_LEFT_OUT
    return Replicates(
        tuple(f"{prefix}{key_of(m.name)}" for m in metrics),
        values(iter([cells.weight[None]]))[0],
        values(cells.drawn(generator, count, by_class=priors is not None)),
        values(cells.left_out()) if few else None,
        times=cells.weight.astype(np.float64) if few else None,
    )


@dataclass(frozen=True, eq=False)
class _Cells:
    """How many samples of a class got a decision, where any did; tables are made in blocks."""

    row: IntArray
    column: IntArray
    weight: IntArray
    shape: tuple[int, int]

    @classmethod
    def from_confusion(cls, confusion: ConfusionMatrix) -> "_Cells":
        """Return the cells in use."""
        shape = len(confusion.classes), len(confusion.decisions)
        weight = confusion.cells.astype(np.int64)
        return cls(confusion.row, confusion.column, weight, shape)

    @property
    def _at_a_time(self) -> int:
        return max(1, _CELLS // self.weight.size)

    @cached_property
    def _classes(self) -> IntArray:
        """Where the cells of each class begin."""
        return np.flatnonzero(np.diff(self.row, prepend=-1))

    def margins(
        self, weights: IntArray, priors: FloatArray | None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return sums by class, sums by decision and the sum of what was decided rightly."""
        cells, starts = weights.astype(np.float64), self._classes
        rows = np.zeros((len(cells), self.shape[0]))
        rows[:, self.row[starts]] = np.add.reduceat(cells, starts, axis=1)
        if priors is not None:
            factors = quotient(priors, rows)
            cells *= factors[:, self.row]
            rows *= factors
        order = np.argsort(self.column, kind="stable")
        starts = np.flatnonzero(np.diff(self.column[order], prepend=-1))
        columns = np.zeros((len(cells), self.shape[1]))
        columns[:, self.column[order[starts]]] = np.add.reduceat(cells[:, order], starts, axis=1)
        return rows, columns, cells[:, self.row == self.column].sum(axis=1)

    def tables(self, weights: IntArray) -> FloatArray:
        """Return whole tables from the weights of the cells in use, a row each."""
        out = np.zeros((len(weights), *self.shape))
        out[:, self.row, self.column] = weights
        return out

    def drawn(
        self, rng: "np.random.Generator", count: int, *, by_class: bool
    ) -> Iterator[IntArray]:
        """Yield weights that are drawn from these, over all cells or within each class."""
        classes = np.split(self.weight, self._classes[1:]) if by_class else [self.weight]
        drawers = list(zip(classes, rng.spawn(len(classes)), strict=True))  # as blocks change none
        for start in range(0, count, self._at_a_time):
            size = min(self._at_a_time, count - start)
            parts = [own.multinomial(w.sum(), w / w.sum(), size=size) for w, own in drawers]
            yield np.hstack(parts)

    def left_out(self) -> Iterator[IntArray]:
        """Yield weights with one sample less in one of the cells in use, each in turn."""
        every = np.arange(self.weight.size)
        for start in range(0, every.size, self._at_a_time):
            some = every[start : start + self._at_a_time]
            yield self.weight - (some[:, None] == every)
