"""Decisions and losses of samples: counted by class, decision, group and weight, and summed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from stakes._check import InputError
from stakes._typing import FloatArray, IntArray
from stakes.scoring import ScoringRule
from stakes.statistics import LossSums
from stakes.summary.amounts import amount_field, parts, sizes, total
from stakes.summary.form import Reader, Writer, damaged
from stakes.summary.group_hashes import BITS
from stakes.summary.members import CheckedBatch
from stakes.summary.powers import LossPowers
from stakes.summary.tally import MOST_KEYS, Field, Layout, Tally

_WEIGHT_BITS = 3  # sizes of weights in an octave are 2^3
_PRICE_BITS = {0: 0, 1: 4, 2: 2}  # the same of prices, by how many columns of them there are
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
    weighted: bool = False
    grouped: bool = False
    most: int = MOST_KEYS  # of each tally

    def __post_init__(self) -> None:
        for names in self.columns:
            if len(names) > max(_PRICE_BITS):
                rule = f"must name at most {max(_PRICE_BITS)} columns for a summary"
                raise InputError("costs", rule, len(names))

    @property
    def _members(self) -> list[Field]:
        """What tells samples of one class and decision from each other."""
        found = [Field(2**BITS, _PART_DROPS)] if self.grouped else []
        weights = amount_field(_WEIGHT_BITS, _SIZE_DROPS)
        return [*found, weights] if self.weighted else found

    def counted(self, i: int) -> Layout:
        """Return the layout of the decisions of an application."""
        names = self.columns[i]
        prices = [amount_field(_PRICE_BITS[len(names)], _SIZE_DROPS) for _ in names]
        fields = Field(self.n_classes), Field(self.decisions[i]), *self._members, *prices
        return Layout(fields, 1 + 2 * self.weighted + 2 * len(names))

    def summed(self) -> Layout:
        """Return the layout of the losses of groups."""
        fields = Field(self.n_classes), *self._members
        return Layout(fields, 1 + 2 * self.weighted + len(self.rules))


class DecidedRows(NamedTuple):
    """Samples that are alike: class, decision, how many, weight and group of each, prices."""

    y: IntArray
    decision: IntArray
    copies: IntArray
    weights: FloatArray | None
    part: IntArray | None
    prices: dict[str, FloatArray]


class GroupRows(NamedTuple):
    """Samples of a class and group: how many, weight of each, and the mean of each rule's loss."""

    y: IntArray
    copies: IntArray
    weights: FloatArray | None
    part: IntArray
    losses: list[FloatArray]


class DecisionSums:
    """What is known of decisions and losses of all samples."""

    def __init__(self, plan: DecisionPlan) -> None:
        k = plan.n_classes
        self.plan = plan
        self.counts: IntArray = np.zeros(k, dtype=np.int64)
        self.tallies = [Tally(plan.counted(i), plan.most) for i in range(len(plan.decisions))]
        self.powers = [LossPowers(k, weighted=plan.weighted) for _ in plan.rules]
        self.groups = Tally(plan.summed(), plan.most) if plan.grouped else None

    def update(
        self, new: CheckedBatch, decisions: Sequence[IntArray], losses: Sequence[FloatArray]
    ) -> None:
        """Add samples: their decisions in each application, their losses by each rule."""
        self.counts = self.counts + np.bincount(new.y, minlength=self.plan.n_classes)
        fields, numbers = self._members(new)
        for tally, decided, names in zip(self.tallies, decisions, self.plan.columns, strict=True):
            bits = _PRICE_BITS[len(names)]
            prices = [new.amounts[name] for name in names]
            own = [part for price in prices for part in parts(price)]
            sized = [sizes(price, bits) for price in prices]
            tally.add([new.y, decided, *fields, *sized], [*numbers, *own])
        for powers, loss in zip(self.powers, losses, strict=True):
            powers.add(new.y, loss, new.weights)
        if self.groups is not None:
            finite = (np.where(np.isfinite(loss), loss, 0.0) for loss in losses)
            units = [np.rint(loss * _UNIT).astype(np.int64) for loss in finite]
            self.groups.add([new.y, *fields], [*numbers, *units])

    def _members(self, new: CheckedBatch) -> tuple[list[IntArray], list[IntArray]]:
        """Return group and size of weight of each sample, and what is summed of all."""
        fields, numbers = [], [new.ones]
        if self.plan.grouped:
            fields.append(new.parts)
        if self.plan.weighted:
            fields.append(sizes(new.weights, _WEIGHT_BITS))  # type: ignore[arg-type]
            numbers += parts(new.weights)  # type: ignore[arg-type]
        return fields, numbers  # type: ignore[return-value]

    def loss_sums(self) -> dict[ScoringRule, LossSums]:
        """Return the exact sums of each rule, as metrics take them."""
        pairs = zip(self.plan.rules, self.powers, strict=True)
        return {rule: powers.loss_sums(self.counts) for rule, powers in pairs}

    def rows(self, i: int) -> DecidedRows:
        """Return the samples of an application, those alike as one row."""
        tally, plan = self.tallies[i].settled(), self.plan
        values, sums = tally.values(), tally.sums
        (y, decision), rest = values[:2], values[2:]
        part, weights, rest, left = self._read_members(tally, 2, rest, sums)
        bits = _PRICE_BITS[len(plan.columns[i])]
        prices = {}
        for j, (name, size) in enumerate(zip(plan.columns[i], rest, strict=True)):
            drop = tally.drop(len(values) - len(rest) + j)
            high, low = left[2 * j : 2 * j + 2]
            prices[name] = total(size, bits - drop, high, low) / sums[0]
        return DecidedRows(y, decision, sums[0], weights, part, prices)

    def group_rows(self) -> GroupRows | None:
        """Return the samples of each class and group; None where there are no groups."""
        if self.groups is None:
            return None
        tally = self.groups.settled()
        values, sums = tally.values(), tally.sums
        part, weights, _, left = self._read_members(tally, 1, values[1:], sums)
        losses = [row / _UNIT / sums[0] for row in left]
        return GroupRows(values[0], sums[0], weights, part, losses)  # type: ignore[arg-type]

    def _read_members(
        self, tally: Tally, first: int, values: list[IntArray], sums: IntArray
    ) -> tuple[IntArray | None, FloatArray | None, list[IntArray], IntArray]:
        """Return part and mean weight of each key, and the fields and sums that are left."""
        part, weights, left = None, None, sums[1:]
        if self.plan.grouped:
            part, values, first = values[0], values[1:], first + 1
        if self.plan.weighted:
            bits = _WEIGHT_BITS - tally.drop(first)
            weights = total(values[0], bits, *left[:2]) / sums[0]
            values, left = values[1:], left[2:]
        return part, weights, values, left

    def __add__(self, other: Self) -> Self:
        out = type(self)(self.plan)
        out.counts = self.counts + other.counts
        out.tallies = [a + b for a, b in zip(self.tallies, other.tallies, strict=True)]
        out.powers = [a + b for a, b in zip(self.powers, other.powers, strict=True)]
        if self.groups is not None and other.groups is not None:
            out.groups = self.groups + other.groups
        return out

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DecisionSums):
            return NotImplemented
        same = self.tallies == other.tallies and self.powers == other.powers
        return same and self.groups == other.groups and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]

    def write(self, writer: Writer) -> None:
        """Write what is known."""
        writer.array(self.counts)
        for tally in self.tallies:
            tally.write(writer)
        for powers in self.powers:
            powers.write(writer)
        if self.groups is not None:
            self.groups.write(writer)

    @classmethod
    def read(cls, reader: Reader, plan: DecisionPlan) -> Self:
        """Read what is known."""
        out = cls(plan)
        out.counts = reader.array(plan.n_classes)
        out.tallies = [Tally.read(reader, tally.layout, plan.most) for tally in out.tallies]
        out.powers = [
            LossPowers.read(reader, plan.n_classes, weighted=plan.weighted) for _ in plan.rules
        ]
        if out.groups is not None:
            out.groups = Tally.read(reader, out.groups.layout, plan.most)
        out._check()
        return out

    def _check(self) -> None:
        """Refuse parts that are not of the same samples."""
        every = [*self.tallies, *([] if self.groups is None else [self.groups])]
        for tally in every:
            own = np.bincount(tally.values()[0], tally.sums[0], self.plan.n_classes)
            if (own != self.counts).any() or (tally.sums[0] < 1).any():
                raise damaged("decisions of other samples")
            if tally.sums[0].max(initial=0) > _MOST_SAMPLES:
                raise damaged("too many samples")
        if any((powers.infinite > self.counts).any() for powers in self.powers):
            raise damaged("losses of other samples")
