"""What is summed over all samples: decisions and losses by class, group and weight; confidences.

Sums of losses are exact: the same bits for any order of samples, batches and summaries.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stakes._counting import bincount
from stakes._kernels.exact_sums import ExactSums
from stakes._typing import FloatArray, IntArray
from stakes.scoring import ScoringRule
from stakes.statistics import LossSums
from stakes.statistics.bins import bin_of, equal_width
from stakes.summary.form import Part, damaged
from stakes.summary.members import WEIGHT_BITS, AlikeRows, CheckedBatch, Members
from stakes.summary.tally import MOST_KEYS, Field, Layout, Tally, total_of_units

_PRICE_BITS = {1: 4, 2: 2}  # sizes of prices in an octave, by how many columns of them there are
MOST_COLUMNS = max(_PRICE_BITS)
_PART_DROPS = (0, 2, 4, 6, 8, 10, 11, 12, 12, 12, 12, 12)  # of 20 bits, to 256 parts
_SIZE_DROPS = (0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4)
_UNIT = 2.0**24  # parts of 1 that losses are summed in by group
_MOST_SAMPLES = 2**36  # of a key, whose weights are summed in 62 bits
_PLAIN, _WEIGHTED = 3, 6  # sums of each class
BINS = 15  # of the confidence, as in a report
_CHANCE_UNIT = 2.0**28  # parts of 1 that confidences are summed in


class LossPowers(Part):
    """Sums of a loss, its square and its cube within each class; infinite ones are counted.

    With weights w these are the sums of w and w^2, w loss, and w^2 times the powers of the loss.
    """

    pieces = ("sums", "infinite")

    def __init__(self, n_classes: int, *, weighted: bool = False) -> None:
        self.n_classes, self.weighted = n_classes, weighted
        count = _WEIGHTED if weighted else _PLAIN
        self.sums = [ExactSums(n_classes) for _ in range(count)]
        self.infinite: IntArray = np.zeros(n_classes, dtype=np.int64)

    def add(self, y: IntArray, loss: FloatArray, weights: FloatArray | None = None) -> None:
        """Add the losses of some samples."""
        if weights is not None:
            for sums, term in zip(self.sums, (weights, weights * weights), strict=False):
                sums.add(y, term)
        finite = np.isfinite(loss)
        if not finite.all():
            self.infinite = self.infinite + bincount(y[~finite], minlength=self.n_classes)
            y, loss = y[finite], loss[finite]
            weights = None if weights is None else weights[finite]
        power = loss
        if weights is not None:
            self.sums[2].add(y, weights * loss)
            power = weights * weights * loss
        for sums in self.sums[-3:]:
            sums.add(y, power)
            power = power * loss

    def loss_sums(self, counts: IntArray) -> LossSums:
        """Return the sums as metrics take them, each rounded once."""
        found = np.array([sums.total() for sums in self.sums])
        found[-1, ~np.isfinite(found[-1])] = np.nan
        if not self.weighted:
            return exact_loss_sums(counts, found, self.infinite)
        weight, square, loss, first, second, third = found
        none = np.zeros(self.n_classes, dtype=np.int64)
        return LossSums(weight, loss, square, first, second, third, self.infinite, none)


def exact_loss_sums(counts: IntArray, powers: FloatArray, infinite: IntArray) -> LossSums:
    """Return sums of a loss, its square and its cube, of samples without weights."""
    first, second, third = powers
    return LossSums.unweighted(counts.astype(np.float64), first, second, third, infinite)


@dataclass(frozen=True)
class DecisionPlan:
    """What is counted and summed: of which classes, decisions, rules, and by what."""

    n_classes: int
    decisions: tuple[int, ...]  # how many there are in each application
    columns: tuple[tuple[str, ...], ...]  # of prices in each application
    rules: tuple[ScoringRule, ...]
    members: Members  # weights and groups
    most: int = MOST_KEYS  # of each tally

    def counted(self, i: int) -> Layout:
        """Return the layout of the decisions of an application."""
        names = self.columns[i]
        prices = [Field.amount(_PRICE_BITS[len(names)], _SIZE_DROPS) for _ in names]
        own = self.members.fields(_PART_DROPS, _SIZE_DROPS)
        return Layout((Field(self.n_classes), Field(self.decisions[i]), *own, *prices))

    def summed(self) -> Layout:
        """Return the layout of the losses of groups."""
        own = self.members.fields(_PART_DROPS, _SIZE_DROPS)
        return Layout((Field(self.n_classes), *own), after=len(self.rules))


class DecisionSums(Part):
    """What is known of decisions and losses of all samples."""

    pieces = ("counts", "tallies", "powers", "groups")

    def __init__(self, plan: DecisionPlan) -> None:
        k = plan.n_classes
        self.plan = plan
        self.counts: IntArray = np.zeros(k, dtype=np.int64)
        self.tallies = [Tally(plan.counted(i), plan.most) for i in range(len(plan.decisions))]
        self.powers = [LossPowers(k, weighted=plan.members.weighted) for _ in plan.rules]
        self.groups = Tally(plan.summed(), plan.most) if plan.members.grouped else None

    def update(
        self, new: CheckedBatch, decisions: Sequence[IntArray], losses: Sequence[FloatArray]
    ) -> None:
        """Add samples: their decisions in each application, their losses by each rule."""
        self.counts = self.counts + bincount(new.y, minlength=self.plan.n_classes)
        own = self.plan.members.values(new)
        for tally, decided, names in zip(self.tallies, decisions, self.plan.columns, strict=True):
            tally.add([new.y, decided, *own, *(new.amounts[name] for name in names)])
        for powers, loss in zip(self.powers, losses, strict=True):
            powers.add(new.y, loss, new.weights)
        if self.groups is not None:
            finite = (np.where(np.isfinite(loss), loss, 0.0) for loss in losses)
            units = [np.rint(loss * _UNIT).astype(np.int64) for loss in finite]
            self.groups.add([new.y, *own], after=units)

    def loss_sums(self) -> dict[ScoringRule, LossSums]:
        """Return the exact sums of each rule, as metrics take them."""
        pairs = zip(self.plan.rules, self.powers, strict=True)
        return {rule: powers.loss_sums(self.counts) for rule, powers in pairs}

    def rows(self, i: int) -> AlikeRows:
        """Return the samples of an application with their decisions, those alike as one row."""
        tally = self.tallies[i].settled()
        y, decision, *_ = tally.values()
        priced = replace(self.plan.members, columns=self.plan.columns[i])
        return AlikeRows(y, tally.sums[0], decision, *priced.from_keys(tally, 2))

    def group_rows(self) -> AlikeRows | None:
        """Return the samples of each class and group with their mean losses; None without any."""
        if self.groups is None:
            return None
        tally = self.groups.settled()
        copies, units = tally.sums[0], tally.sums[len(tally.sums) - len(self.powers) :]
        losses = [row / _UNIT / copies for row in units]
        own = self.plan.members.from_keys(tally, 1)
        return AlikeRows(tally.values()[0], copies, losses, *own)

    def check(self) -> None:
        """Refuse parts that are not of the same samples."""
        for tally in (*self.tallies, *([] if self.groups is None else [self.groups])):
            own = bincount(tally.values()[0], tally.sums[0], self.plan.n_classes)
            if (own != self.counts).any() or (tally.sums[0] < 1).any():
                raise damaged("decisions of other samples")
            if tally.sums[0].max(initial=0) > _MOST_SAMPLES:
                raise damaged("too many samples")
        if any((powers.infinite > self.counts).any() for powers in self.powers):
            raise damaged("losses of other samples")


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
        units = np.rint(top * _CHANCE_UNIT).astype(np.int64)
        self.tally.add([*fields, *self._members.values(new)], after=[units])

    def table(self) -> FloatArray:
        """Return 3 x outcomes x classes x bins: weight, squared weight, confidence by weight."""
        tally = self.tally.settled()
        values, copies = tally.values(), tally.sums[0]
        weight, chance = copies.astype(np.float64), tally.sums[-1] / _CHANCE_UNIT
        if self._members.weighted:
            (weight,) = tally.amounts()
            chance = total_of_units(values[3], WEIGHT_BITS, chance)
        shape = 2, self.n_classes, BINS
        code = np.ravel_multi_index(tuple(values[:3]), shape)
        every = weight, weight * weight / copies, chance
        size = int(np.prod(shape))
        return np.stack([bincount(code, term, size).reshape(shape) for term in every])

    def counts(self) -> IntArray:
        """Return how many samples of each class there are."""
        return bincount(self.tally.values()[1], self.tally.sums[0], self.n_classes)

    def check(self) -> None:
        """Refuse bins without samples, and confidences that cannot be."""
        count, chance = self.tally.sums[0], self.tally.sums[-1]
        if (count < 1).any():
            raise damaged("bins of other samples")
        if (chance > count * _CHANCE_UNIT).any():
            raise damaged("confidences above 1")
