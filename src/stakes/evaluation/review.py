"""A cap on reviews of very many cases: where it lies, from batches in any order."""

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.evaluation.threshold_choice import capped_threshold


class ReviewLevels:
    """How often each value occurs among the cases that are to get the second decision."""

    def __init__(self) -> None:
        self.n = 0  # cases, whatever is decided
        self._level: FloatArray = np.empty(0)
        self._count: IntArray = np.empty(0, dtype=np.int64)
        self._waiting: list[FloatArray] = []
        self._n_waiting = 0

    def add(self, value: FloatArray, chosen: IntArray) -> None:
        """Add cases: the value that they are ordered by, and 1 for the second decision."""
        self.n += chosen.size
        self._waiting.append(value[chosen == 1])
        self._n_waiting += self._waiting[-1].size
        if self._n_waiting > max(self._level.size, 2**20):
            self._settle()

    def _settle(self) -> None:
        """Count the values that wait."""
        level, count = np.unique(np.concatenate([*self._waiting, []]), return_counts=True)
        self._waiting, self._n_waiting = [], 0
        both, code = np.unique(np.concatenate([self._level, level]), return_inverse=True)
        counts = np.zeros(both.size, dtype=np.int64)
        np.add.at(counts, code, np.concatenate([self._count, count]))
        self._level, self._count = both, counts

    def cut(self, cap: float) -> float:
        """Return the value above which cases get the second decision, a share `cap` at most."""
        self._settle()
        return capped_threshold(self._level, self._count / max(self.n, 1), cap)

    def tied(self, cut: float) -> int:
        """Return how many cases lie at a value."""
        return int(self._count[self._level == cut].sum())
