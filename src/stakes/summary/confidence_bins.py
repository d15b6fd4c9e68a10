"""Confidences of all samples by bin: how often each came true, by class and size of weight."""

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.statistics.bins import bin_of, equal_width
from stakes.summary.form import Part, damaged
from stakes.summary.members import WEIGHT_BITS, CheckedBatch, Members
from stakes.summary.tally import Field, Layout, Tally, total_of_units

BINS = 15  # of the confidence, as in a report
_UNIT = 2.0**28  # parts of 1 that confidences are summed in


class ConfidenceBins(Part):
    """Confidences, by outcome, class, bin, and size of weight."""

    pieces = ("tally",)

    def __init__(self, n_classes: int, *, weighted: bool = False) -> None:
        self.n_classes, self._members = n_classes, Members(weighted)
        weights = self._members.fields((), (0,))
        self.tally = Tally(Layout((Field(2), Field(n_classes), Field(BINS), *weights), after=1))

    def add(self, new: CheckedBatch, p: FloatArray) -> None:
        """Count the confidences of samples with these posteriors, and how often they came true."""
        choice = p.argmax(axis=1)
        top = np.minimum(p[np.arange(new.y.size), choice], 1.0)
        fields = choice == new.y, new.y, bin_of(top, equal_width(BINS))
        if new.weights is not None:
            top = top * np.frexp(new.weights)[0]  # of the power of two of its size
        units = np.rint(top * _UNIT).astype(np.int64)
        self.tally.add([*fields, *self._members.values(new)], after=[units])

    def table(self) -> FloatArray:
        """Return 3 x outcomes x classes x bins: weight, squared weight, confidence by weight."""
        tally = self.tally.settled()
        values, copies = tally.values(), tally.sums[0]
        weight, chance = copies.astype(np.float64), tally.sums[-1] / _UNIT
        if self._members.weighted:
            (weight,) = tally.amounts()
            chance = total_of_units(values[3], WEIGHT_BITS, chance)
        shape = 2, self.n_classes, BINS
        code = np.ravel_multi_index(tuple(values[:3]), shape)
        every = weight, weight * weight / copies, chance
        size = int(np.prod(shape))
        return np.stack([np.bincount(code, term, size).reshape(shape) for term in every])

    def counts(self) -> IntArray:
        """Return how many samples of each class there are."""
        return np.bincount(self.tally.values()[1], self.tally.sums[0], self.n_classes)

    def check(self) -> None:
        """Refuse bins without samples, and confidences that cannot be."""
        count, chance = self.tally.sums[0], self.tally.sums[-1]
        if (count < 1).any():
            raise damaged("bins of other samples")
        if (chance > count * _UNIT).any():
            raise damaged("confidences above 1")
