"""Traditional metrics under weights, and by multinomial resampling of counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stakes._check import UndefinedMetricError
from stakes._text import key_of
from stakes._typing import FloatArray, IntArray, Names
from stakes.intervals.bootstrap import Replicates
from stakes.intervals.resampling import seed_of
from stakes.intervals.sums import ClassSums
from stakes.metrics import ConfusionMatrix, DecisionMetric
from stakes.metrics.traditional import Binary

_FEW_DECISIONS = 8  # for which a column each costs less than a weight of each sample


@dataclass(frozen=True, eq=False)
class CountStatistic:
    """Metrics of decisions, from the weight of each class and decision."""

    name: str
    y: IntArray
    decided: IntArray
    classes: Names
    decisions: Names
    metrics: Sequence[DecisionMetric]
    priors: FloatArray | None
    smooth = True

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each metric."""
        return tuple(f"{self.name}.{key_of(metric.name)}" for metric in self.metrics)

    def of(self, weights: FloatArray) -> FloatArray:
        """Return the values, one row for each row of weights."""
        k, m = len(self.classes), len(self.decisions)
        cell = self.y * m + self.decided
        tables = [np.bincount(cell, row, k * m).reshape(k, m) for row in weights]
        return self._values(np.stack(tables))

    def _values(self, tables: FloatArray) -> FloatArray:
        """Return the values of many tables of counts."""
        return values_of(tables, self.metrics, self.priors, (self.classes, self.decisions))


@dataclass(frozen=True, eq=False)
class FewCountStatistic(CountStatistic):
    """The same for few decisions, where each can have a column of its own that is summed."""

    @cached_property
    def sums(self) -> ClassSums:
        """How many samples of each class got each decision."""
        columns = [self.decided == j for j in range(len(self.decisions))]
        return ClassSums(np.array(columns, dtype=np.float64), self.y, len(self.classes))

    def from_sums(self, sums: FloatArray) -> FloatArray:
        """Return the values from sums within each class."""
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
    if tables.shape[1:] == (2, 2):
        (n11, n12), (n21, n22) = tables.transpose(1, 2, 0)
        counts = Binary(n11, n12, n21, n22)
        fast = [_vector(metric, counts) for metric in metrics]
        if all(values is not None for values in fast):
            return np.column_stack(fast)  # type: ignore[arg-type]
    return np.array([[_single(metric, table, names) for metric in metrics] for table in tables])


def _vector(metric: Any, counts: Binary) -> FloatArray | None:  # noqa: ANN401
    """Return a metric of many counts at once, where it can do that."""
    if not hasattr(metric, "values"):
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(metric.values(counts), dtype=np.float64)


def _single(metric: DecisionMetric, table: FloatArray, names: tuple[Names, Names]) -> float:
    """Return a metric of one table."""
    if not np.isfinite(table).all():
        return float("nan")
    try:
        counts = ConfusionMatrix.from_counts(table, classes=names[0], decisions=names[1])
        return metric.of(counts).value
    except UndefinedMetricError:
        return float("nan")


def replicate_counts(
    confusion: ConfusionMatrix,
    metrics: Sequence[DecisionMetric],
    priors: FloatArray | None,
    count: int,
    rng: "int | np.random.Generator",
) -> Replicates:
    """Return metrics of counts that are drawn again, multinomially.

    With given priors the size of each class is kept; counts must be those of samples without
    weights.
    """
    table = confusion.counts.astype(np.int64)
    names = (confusion.classes, confusion.decisions)
    drawn = _drawn(table, np.random.default_rng(seed_of(rng)), count, by_class=priors is not None)
    cells = np.argwhere(table > 0)
    without = np.repeat(table[None], len(cells), axis=0).astype(np.float64)
    without[np.arange(len(cells)), cells[:, 0], cells[:, 1]] -= 1
    observed, values, left_out = (
        values_of(tables.astype(np.float64), metrics, priors, names)
        for tables in (table[None], drawn, without)
    )
    times = table[cells[:, 0], cells[:, 1]].astype(np.float64)
    return Replicates(
        tuple(key_of(m.name) for m in metrics), observed[0], values, left_out, times=times
    )


def _drawn(table: IntArray, rng: "np.random.Generator", count: int, *, by_class: bool) -> IntArray:
    """Return tables of counts drawn from one, over all cells or within each class."""
    if not by_class:
        n = int(table.sum())
        return rng.multinomial(n, table.ravel() / n, size=count).reshape(count, *table.shape)
    rows = [rng.multinomial(int(row.sum()), row / max(row.sum(), 1), size=count) for row in table]
    return np.stack(rows, axis=1)
