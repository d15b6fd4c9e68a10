"""What belongs to samples besides class and scores: weights, groups, amounts by column."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.summary.group_hashes import BITS, part_of
from stakes.summary.kept_rows import Hashes
from stakes.summary.tally import Field, Tally

WEIGHT_BITS = 3  # sizes of weights in an octave are 2^3


@dataclass(frozen=True, eq=False)
class CheckedBatch:
    """A batch: the class of each sample, its weight, the hash of its group, amounts by column."""

    y: IntArray
    weights: FloatArray | None = None
    groups: Hashes | None = None
    amounts: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def parts(self) -> IntArray | None:
        """The part that each group is in."""
        return None if self.groups is None else part_of(self.groups)

    def some(self, rows: IntArray) -> "CheckedBatch":
        """Return some of the samples."""
        return CheckedBatch(
            self.y[rows],
            None if self.weights is None else self.weights[rows],
            None if self.groups is None else self.groups[rows],
            {name: values[rows] for name, values in self.amounts.items()},
        )


class MemberRows(NamedTuple):
    """What belongs to rows: weights, parts of groups, amounts by column."""

    weights: FloatArray | None
    part: IntArray | None
    amounts: Mapping[str, FloatArray]


class AlikeRows(NamedTuple):
    """Rows of samples that are alike: their class, how many, and what else they share."""

    y: IntArray
    copies: IntArray
    value: Any  # the score, the decision, or the mean of each rule's loss
    weights: FloatArray | None = None
    part: IntArray | None = None  # of groups
    amounts: Mapping[str, FloatArray] = MappingProxyType({})


@dataclass(frozen=True)
class Members:
    """Which of these samples have: in fields of a key, or in columns of rows."""

    weighted: bool = False
    grouped: bool = False
    columns: tuple[str, ...] = ()  # of amounts

    def fields(self, part_drops: tuple[int, ...], size_drops: tuple[int, ...]) -> list[Field]:
        """Return the fields of a key for groups and weights, which lose bits at each step."""
        groups = [Field(2**BITS, part_drops)] if self.grouped else []
        return groups + ([Field.amount(WEIGHT_BITS, size_drops)] if self.weighted else [])

    def values(self, new: CheckedBatch) -> "list[IntArray | FloatArray]":
        """Return the values of these fields for each sample."""
        found = (new.parts if self.grouped else None), (new.weights if self.weighted else None)
        return [value for value in found if value is not None]

    def from_keys(self, tally: Tally, first: int) -> MemberRows:
        """Return what belongs to the samples of each key, whose group is its field `first`."""
        means = [amount / tally.sums[0] for amount in tally.amounts()]
        weights = means.pop(0) if self.weighted else None
        part = tally.values()[first] if self.grouped else None
        return MemberRows(weights, part, dict(zip(self.columns, means, strict=True)))

    @property
    def width(self) -> int:
        """How many numbers that are for each sample."""
        return self.weighted + self.grouped + len(self.columns)

    def as_columns(self, new: CheckedBatch) -> list[FloatArray]:
        """Return these numbers as columns."""
        found = [new.weights, new.parts, *(new.amounts[name] for name in self.columns)]
        return [np.asarray(column, dtype=np.float64) for column in found if column is not None]

    def from_columns(self, values: FloatArray) -> MemberRows:
        """Return columns as what they are."""
        columns = list(np.ascontiguousarray(values.T))
        weights = columns.pop(0) if self.weighted else None
        part = columns.pop(0).astype(np.int64) if self.grouped else None
        return MemberRows(weights, part, dict(zip(self.columns, columns, strict=True)))
