"""Samples on their way into a summary: classes, and what else is known of each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.summary.group_hashes import part_of
from stakes.summary.kept_rows import Hashes


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

    @property
    def ones(self) -> IntArray:
        """One for each sample, to be counted."""
        return np.ones(self.y.size, dtype=np.int64)


class MemberRows(NamedTuple):
    """What belongs to rows that were kept: weights, parts of groups, amounts by column."""

    weights: FloatArray | None
    part: IntArray | None
    amounts: dict[str, FloatArray]


@dataclass(frozen=True)
class Members:
    """What belongs to samples besides class and scores."""

    weighted: bool = False
    grouped: bool = False
    columns: tuple[str, ...] = ()  # of amounts

    @property
    def width(self) -> int:
        """How many numbers that are for each sample."""
        return self.weighted + self.grouped + len(self.columns)

    def columns_of(self, new: CheckedBatch) -> list[FloatArray]:
        """Return these numbers as columns."""
        found = [new.weights, new.parts, *(new.amounts[name] for name in self.columns)]
        return [np.asarray(column, dtype=np.float64) for column in found if column is not None]

    def read(self, values: FloatArray) -> MemberRows:
        """Return columns as what they are."""
        columns = list(np.ascontiguousarray(values.T))
        weights = columns.pop(0) if self.weighted else None
        part = columns.pop(0).astype(np.int64) if self.grouped else None
        return MemberRows(weights, part, dict(zip(self.columns, columns, strict=True)))
