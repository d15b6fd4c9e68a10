"""Decisions and losses of samples: counted by class, decision, group and weight, and summed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.scoring import ScoringRule
from stakes.statistics import LossSums
from stakes.summary.form import Part, damaged
from stakes.summary.members import CheckedBatch, MemberRows, Members
from stakes.summary.powers import LossPowers
from stakes.summary.tally import MOST_KEYS, Field, Layout, Tally

_PRICE_BITS = {1: 4, 2: 2}  # sizes of prices in an octave, by how many columns of them there are
MOST_COLUMNS = max(_PRICE_BITS)
_PART_DROPS = (0, 2, 4, 6, 8, 10, 11, 12, 12, 12, 12, 12)  # of 20 bits, to 256 parts
_SIZE_DROPS = (0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4)
_UNIT = 2.0**24  # parts of 1 that losses are summed in by group
_MOST_SAMPLES = 2**36  # of a key, whose weights are summed in 62 bits


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


class DecisionRows(NamedTuple):
    """Samples that are alike: class, decision, how many, and what belongs to each."""

    y: IntArray
    decision: IntArray
    copies: IntArray
    members: MemberRows


class GroupRows(NamedTuple):
    """Samples of a class and group: how many, weight of each, and the mean of each rule's loss."""

    y: IntArray
    copies: IntArray
    weights: FloatArray | None
    part: IntArray
    losses: list[FloatArray]


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
        self.counts = self.counts + np.bincount(new.y, minlength=self.plan.n_classes)
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

    def rows(self, i: int) -> DecisionRows:
        """Return the samples of an application, those alike as one row."""
        tally = self.tallies[i].settled()
        y, decision, *_ = tally.values()
        priced = replace(self.plan.members, columns=self.plan.columns[i])
        return DecisionRows(y, decision, tally.sums[0], priced.from_keys(tally, 2))

    def group_rows(self) -> GroupRows | None:
        """Return the samples of each class and group; None where there are no groups."""
        if self.groups is None:
            return None
        tally = self.groups.settled()
        y, part, *_ = tally.values()
        copies, units = tally.sums[0], tally.sums[len(tally.sums) - len(self.powers) :]
        losses = [row / _UNIT / copies for row in units]
        return GroupRows(y, copies, self.plan.members.from_keys(tally, 1).weights, part, losses)

    def check(self) -> None:
        """Refuse parts that are not of the same samples."""
        for tally in (*self.tallies, *([] if self.groups is None else [self.groups])):
            own = np.bincount(tally.values()[0], tally.sums[0], self.plan.n_classes)
            if (own != self.counts).any() or (tally.sums[0] < 1).any():
                raise damaged("decisions of other samples")
            if tally.sums[0].max(initial=0) > _MOST_SAMPLES:
                raise damaged("too many samples")
        if any((powers.infinite > self.counts).any() for powers in self.powers):
            raise damaged("losses of other samples")
