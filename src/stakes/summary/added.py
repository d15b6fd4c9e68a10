"""Samples on their way into a summary: classes, and what else is known of each."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.summary.groups import part_of
from stakes.summary.kept import Hashes


@dataclass(frozen=True, eq=False)
class Added:
    """A batch: the class of each sample, its weight, the hash of its group, amounts by column."""

    y: IntArray
    weights: FloatArray | None = None
    groups: Hashes | None = None
    amounts: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def parts(self) -> IntArray | None:
        """The part that each group is in."""
        return None if self.groups is None else part_of(self.groups)

    def some(self, rows: IntArray) -> "Added":
        """Return some of the samples."""
        return Added(
            self.y[rows],
            None if self.weights is None else self.weights[rows],
            None if self.groups is None else self.groups[rows],
            {name: values[rows] for name, values in self.amounts.items()},
        )

    @property
    def ones(self) -> IntArray:
        """One for each sample, to be counted."""
        return np.ones(self.y.size, dtype=np.int64)
