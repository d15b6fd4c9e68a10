"""Ranking metrics under weights: samples are sorted once, and never again."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._kernels.draws import reweighted_ranks
from stakes._kernels.kernel_records import Ranking
from stakes._typing import FloatArray, IntArray
from stakes.intervals.bootstrap import Statistic
from stakes.intervals.resampling import Resampling, Stream


@dataclass(frozen=True, eq=False)
class Odds:
    """Costs of two classes as a name, prices of errors and priors (None: as in the weights)."""

    name: str
    costs: FloatArray  # 2 x 2
    priors: FloatArray | None

    @property
    def rises(self) -> FloatArray:
        """What a false alarm and a miss add to the cost, times the prior where it is given."""
        c = self.costs
        rises = np.array([c[0, 1] - c[0, 0], c[1, 0] - c[1, 1]])
        return rises if self.priors is None else rises * self.priors

    def normalized(self, least: FloatArray, sizes: FloatArray) -> FloatArray:
        """Return normalised costs from what errors add, at rows of class weights."""
        with np.errstate(invalid="ignore"):  # of a class that was not drawn
            drawn = sizes / sizes.sum(axis=1, keepdims=True)
        p = drawn if self.priors is None else np.broadcast_to(self.priors, sizes.shape)
        naive = (p @ self.costs).min(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(naive == 0, np.nan, (p @ self.costs.diagonal() + least) / naive)


@dataclass(frozen=True, eq=False)
class RankStatistic(Statistic):
    """AUC, equal error rate, and the least normalised cost of any threshold for some costs."""

    scores: FloatArray
    y: IntArray
    applications: Sequence[Odds]
    equal_error: bool = True  # whether it is asked for; NaN if not
    smooth = False

    @property
    def names(self) -> tuple[str, ...]:
        return ("auc", "eer", *(f"{a.name}.minimum_nec" for a in self.applications))

    @cached_property
    def _ranking(self) -> Ranking:
        rises = np.array([a.rises for a in self.applications]).reshape(-1, 2)
        as_rate = np.array([a.priors is not None for a in self.applications], dtype=np.int64)
        return Ranking(self.scores, self.y, rises, as_rate, self.equal_error)

    def under(self, weights: FloatArray) -> FloatArray:
        return self._values(reweighted_ranks(self._ranking, weights))

    def stream(self, plan: Resampling) -> Stream:
        ranking = self._ranking
        return lambda rows: self._values(plan.ranks(ranking, rows))

    def _values(self, found: FloatArray) -> FloatArray:
        """Return the values from those of the kernel; NaN where a class has no weight."""
        sizes = found[:, :2]
        least = [a.normalized(found[:, 4 + i], sizes) for i, a in enumerate(self.applications)]
        return np.column_stack([found[:, 2], found[:, 3], *least])
