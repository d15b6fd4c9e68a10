"""What samples of each class add to the gaps of confidences, at priors that are not the data's.

A sample of class k then counts prior over share times, so the right and the wrong samples of a bin
have the weights of their classes. If posteriors are right, the class of a sample in the file has
the odds of its posterior over that weight. Of many classes the heaviest are summed one by one, and
all others, and those of few samples, together: variances are then too large rather than too small.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import reduce
from itertools import starmap
from operator import add
from typing import Self

import numpy as np

from stakes._counting import bincount
from stakes._kernels.group_sums import sum_by
from stakes._math import quotient, times
from stakes._typing import FloatArray, IntArray
from stakes.metrics.probability_bins import event_of
from stakes.samples import Samples
from stakes.scores import Answers
from stakes.statistics.bins import bin_of

FEWEST = 5  # samples of an outcome or a heavy class below which no interval is given
_HEAVY = 0.1  # share of the weight from which on a class must have enough samples
_MOST_GROUPS = 32  # of classes


@dataclass(frozen=True, eq=False)
class ClassGaps:
    """Sums by bin: as the samples came, and if posteriors are right. Those of blocks add."""

    group: IntArray  # of each class; all other fields are sums
    count: FloatArray  # groups of chosen classes x bins: samples
    variance: FloatArray  # the same: of what they add to the gap, if posteriors are right
    third: FloatArray  # the same: its third central moment
    seen: FloatArray  # groups x bins: what samples of these classes add to the gap
    expected: FloatArray  # the same, if posteriors are right
    rate: FloatArray  # samples of each group, if posteriors are right
    weight: FloatArray  # of each class
    square: FloatArray  # squared weights of its samples

    def __add__(self, other: Self) -> Self:
        names = [f.name for f in fields(self) if f.name != "group"]
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in names})

    def sizes(self) -> FloatArray:
        """Return samples of each class; with weights, equal ones that are as precise."""
        return quotient(self.weight**2, self.square).round(9)  # equal weights count as none

    def fewest(self) -> float:
        """Return the samples of the class that has fewest, of those that weigh a tenth or more."""
        heavy = self.weight >= _HEAVY * self.weight.sum()
        return float(self.sizes()[heavy].min()) if heavy.any() else math.inf

    @classmethod
    def from_samples(cls, samples: Samples, edges: FloatArray) -> "ClassGaps":
        """Sum samples into bins of the largest posterior."""
        factors, weights, k = samples.class_factors(), samples.plain_weights(), len(samples.classes)
        count = total = samples.counts
        if weights is not None:
            total = bincount(samples.y, times(weights, samples.copies), k)
        mean = quotient(total, count)  # weight of a sample
        unit = mean if factors is None else mean * factors  # the same at the priors of use
        group = _groups(count, unit)
        copies = np.ones(len(samples)) if samples.copies is None else samples.copies.astype(float)
        blocks: Iterable[tuple[slice, IntArray, Answers]] = samples.blocks()
        if not samples.large:
            every = samples.scores.answers(samples.priors)
            blocks = [(slice(0, len(samples)), samples.y, every)]

        def summed(part: slice, y: IntArray, answers: Answers) -> "ClassGaps":
            relative = np.ones(y.size) if weights is None else weights[part] / mean[y]
            return cls._of_block(y, answers, relative, unit, group, edges, copies[part])

        return reduce(add, starmap(summed, blocks))

    @classmethod
    def _of_block(
        cls,
        y: IntArray,
        answers: Answers,
        relative: FloatArray,
        unit: FloatArray,
        group: IntArray,
        edges: FloatArray,
        copies: FloatArray,
    ) -> Self:
        """Sum some rows; `relative` is the weight of a sample over the mean of its class."""
        (top, hit), table = event_of(y, answers, confidence=True), answers.p
        n, k, m = edges.size + 1, unit.size, int(group.max()) + 1
        code, choice = bin_of(top, edges), table.argmax(axis=1)
        inverse = quotient(1.0, unit)
        odds = np.maximum(table @ inverse, 1e-300)
        own, rest = unit[choice], 1 - top
        second = top * own * rest**2 + top**2 * np.maximum(table @ unit - top * own, 0.0)
        third = top * own**2 * rest**3 - top**3 * np.maximum(table @ unit**2 - top * own**2, 0.0)
        counted = unit[y] > 0
        relative = np.where(counted, relative, 0.0)
        weight = relative * unit[y]
        chosen, both = code + n * group[choice], code + n * group[y]
        pull = copies * relative * top / odds
        grouped = _by_group(table, group, m)
        expected = np.stack([-sum_by(code, pull * grouped[:, j], n) for j in range(m)])
        expected += sum_by(chosen, pull, m * n).reshape(m, n)
        return cls(
            group,
            sum_by(chosen, copies * counted, m * n).reshape(m, n),
            sum_by(chosen, copies * relative**2 * second / odds, m * n).reshape(m, n),
            sum_by(chosen, copies * relative**3 * third / odds, m * n).reshape(m, n),
            sum_by(both, copies * weight * (hit - top), m * n).reshape(m, n),
            expected,
            sum_by(group, (copies * counted / odds) @ table * inverse, m),
            sum_by(y, copies * weight, k),
            sum_by(y, copies * weight**2, k),
        )


def _groups(counts: IntArray, unit: FloatArray) -> IntArray:
    """Return the group of each class: its own, or that of all with few samples or little weight."""
    weight = counts * unit
    order = np.argsort(-weight, kind="stable")
    alone = order[counts[order] >= FEWEST][: _MOST_GROUPS - 1]
    if counts.size - alone.size <= 1:
        return np.arange(counts.size)
    group = np.full(counts.size, alone.size)
    group[np.sort(alone)] = np.arange(alone.size)
    return group


def _by_group(table: FloatArray, group: IntArray, m: int) -> FloatArray:
    """Return the summed columns of each group; only the last group may have several."""
    if m == group.size:
        return table
    alone = table[:, group < m - 1]
    return np.column_stack([alone, table[:, group == m - 1].sum(axis=1)])
