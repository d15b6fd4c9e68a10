"""What samples of each class add to the gaps of confidences, at priors that are not the data's.

A sample of class k then counts prior over share times, so the right and the wrong samples of a bin
have the weights of their classes. If posteriors are right, the class of a sample in the file has
the odds of its posterior over that weight.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from stakes._kernels import sum_by
from stakes._math import times
from stakes._typing import FloatArray, IntArray
from stakes.metrics.reliability import event_of
from stakes.samples import Samples
from stakes.scores import Answers
from stakes.statistics.bins import bin_of

_HEAVY = 0.1  # share of the weight from which on a class must have enough samples


@dataclass(frozen=True, eq=False)
class ClassGaps:
    """Sums by bin: as the samples came, and if posteriors are right. They add."""

    count: FloatArray  # chosen classes x bins: samples
    variance: FloatArray  # the same: of what they add to the gap, if posteriors are right
    third: FloatArray  # the same: its third central moment
    seen: FloatArray  # classes x bins: what samples of the class add to the gap
    expected: FloatArray  # the same, if posteriors are right
    rate: FloatArray  # samples of each class, if posteriors are right
    weight: FloatArray  # of each class
    square: FloatArray  # squared weights of its samples

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def sizes(self) -> FloatArray:
        """Return samples of each class; with weights, equal ones that are as precise."""
        square = self.square
        return np.divide(self.weight**2, square, out=np.zeros_like(square), where=square > 0)

    def fewest(self) -> float:
        """Return the samples of the class that has fewest, of those that weigh a tenth or more."""
        heavy = self.weight >= _HEAVY * self.weight.sum()
        return float(self.sizes()[heavy].min()) if heavy.any() else 0.0

    @classmethod
    def of(cls, samples: Samples, edges: FloatArray, *, in_blocks: bool) -> Self:
        """Sum samples into bins of the largest posterior."""
        units = _Units.of(samples)
        copies = np.ones(len(samples)) if samples.copies is None else samples.copies.astype(float)
        blocks = samples.blocks() if in_blocks else _whole(samples)
        found = (
            cls._of_block(y, answers, units.relative(part, y), units.of_class, edges, copies[part])
            for part, y, answers in blocks
        )
        total = next(found)
        for more in found:
            total = total + more
        return total

    @classmethod
    def _of_block(
        cls,
        y: IntArray,
        answers: Answers,
        relative: FloatArray,
        unit: FloatArray,
        edges: FloatArray,
        copies: FloatArray,
    ) -> Self:
        """Sum some rows; `relative` is the weight of a sample over the mean of its class."""
        p, hit = event_of(y, answers, confidence=True)
        top, table = np.minimum(p, 1.0), answers.p
        n, k = edges.size + 1, unit.size
        code, choice = bin_of(top, edges), table.argmax(axis=1)
        inverse = np.divide(1.0, unit, out=np.zeros(k), where=unit > 0)
        odds = np.maximum(table @ inverse, 1e-300)
        own, rest = unit[choice], 1 - top
        second = top * own * rest**2 + top**2 * np.maximum(table @ unit - top * own, 0.0)
        third = top * own**2 * rest**3 - top**3 * np.maximum(table @ unit**2 - top * own**2, 0.0)
        counted = unit[y] > 0
        relative = np.where(counted, relative, 0.0)
        weight = relative * unit[y]
        chosen, both = code + n * choice, code + n * y
        pull = copies * relative * top / odds
        expected = np.stack([-sum_by(code, pull * table[:, j], n) for j in range(k)])
        expected += sum_by(chosen, pull, k * n).reshape(k, n)
        return cls(
            sum_by(chosen, copies * counted, k * n).reshape(k, n),
            sum_by(chosen, copies * relative**2 * second / odds, k * n).reshape(k, n),
            sum_by(chosen, copies * relative**3 * third / odds, k * n).reshape(k, n),
            sum_by(both, copies * weight * (hit - top), k * n).reshape(k, n),
            expected,
            (copies * counted / odds) @ table * inverse,
            sum_by(y, copies * weight, k),
            sum_by(y, copies * weight**2, k),
        )


@dataclass(frozen=True, eq=False)
class _Units:
    """Mean weight of a sample of each class at the priors of use, and the weights as given."""

    of_class: FloatArray
    mean: FloatArray
    weights: FloatArray | None

    @classmethod
    def of(cls, samples: Samples) -> Self:
        factors = samples.class_factors()
        k = len(samples.classes)
        weights = samples.plain_weights()
        count = samples.counts
        total = count
        if weights is not None:
            total = np.bincount(samples.y, times(weights, samples.copies), k)
        mean = np.divide(total, count, out=np.zeros(k), where=count > 0)
        return cls(mean if factors is None else mean * factors, mean, weights)

    def relative(self, part: slice, y: IntArray) -> FloatArray:
        """Return the weight of each sample over the mean of its class."""
        return np.ones(y.size) if self.weights is None else self.weights[part] / self.mean[y]


def _whole(samples: Samples) -> Iterator[tuple[slice, IntArray, Answers]]:
    """Yield all samples as one block."""
    yield slice(0, len(samples)), samples.y, samples.scores.answers(samples.priors)
