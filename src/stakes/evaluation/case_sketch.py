"""What a page needs to judge costs that differ from case to case: some cases, each with its costs.

Cases are drawn within classes; all of them are kept where they are few.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stakes._typing import FloatArray, IntArray, Names
from stakes.costs import SampleCosts
from stakes.evaluation.application_decisions import curve_of
from stakes.evaluation.sketch_sources import Source, log_odds_of, spread

_MOST_CASES = 50_000
_CASE_BYTES = 1_400_000  # for the log odds of all systems and the amounts together
_PER_NUMBER = 8


@dataclass(frozen=True, eq=False)
class SystemOfCases:
    """The log odds of the last class for each case that is kept."""

    name: str
    reference: FloatArray | None  # priors that the log odds hold at and move with; None: they stay
    log_odds: FloatArray
    auc: float  # of all scores


@dataclass(frozen=True, eq=False)
class CaseSketch:
    """Cases of two classes with the costs of two decisions, and what was found on all of them."""

    name: str  # of the application
    decisions: Names
    priors: FloatArray
    priors_from_data: bool
    total: int
    y: IntArray
    weights: FloatArray | None
    cells: tuple[tuple[float | int, ...], ...]  # a cost, or the place of its amounts (int)
    amounts: tuple[FloatArray, ...]
    systems: tuple[SystemOfCases, ...]
    expected: tuple[float, ...]
    normalized: tuple[float, ...]
    counts: tuple[FloatArray, ...]

    @property
    def exact(self) -> bool:
        """Whether all cases are kept."""
        return self.y.size == self.total


def cases_of(sources: Sequence[Source], total: int) -> CaseSketch | None:
    """Return cases with their costs in the first application."""
    judged = [source.decisions[0] for source in sources]
    use, samples = judged[0].use, sources[0].samples
    if not isinstance(use.costs, SampleCosts) or not _fits(use.costs):
        return None
    kept = spread(samples, min(samples.n, _most_cases(use.costs, len(sources))))
    cells, amounts = _priced(use.costs, kept)
    return CaseSketch(
        name=use.name,
        decisions=use.costs.decisions,
        priors=use.samples.priors,
        priors_from_data=use.samples.priors_from_data,
        total=total,
        y=samples.y[kept],
        weights=None if samples.weights is None else samples.weights[kept],
        cells=cells,
        amounts=amounts,
        systems=tuple(
            SystemOfCases(s.name, s.reference, log_odds_of(s)[kept], _area(s)) for s in sources
        ),
        expected=tuple(one.cost.value for one in judged),
        normalized=tuple(one.cost.normalized for one in judged),
        counts=tuple(np.asarray(one.confusion.counts, dtype=np.float64) for one in judged),
    )


def _most_cases(costs: SampleCosts, systems: int) -> int:
    """Return how many cases a page can hold."""
    columns = sum(not isinstance(_cell(costs, i, j), float) for i in (0, 1) for j in (0, 1))
    return min(_MOST_CASES, _CASE_BYTES // (_PER_NUMBER * (columns + systems)))


def _fits(costs: SampleCosts) -> bool:
    """Tell whether these costs are of two classes and two decisions, and differ between cases."""
    return costs.shape[1:] == (2, 2) and costs.constant() is None


def _priced(
    costs: SampleCosts, kept: IntArray
) -> tuple[tuple[tuple[float | int, ...], ...], tuple[FloatArray, ...]]:
    """Return the cells of the costs, and the amounts of the cases that are kept, each once."""
    amounts: list[FloatArray] = []
    cells: list[list[float | int]] = [[0.0, 0.0], [0.0, 0.0]]
    for i, j in ((1, 0), (0, 1), (0, 0), (1, 1)):  # what a missed case costs comes first
        cell = _cell(costs, i, j)
        if isinstance(cell, float):
            cells[i][j] = cell
            continue
        same = (k for k, known in enumerate(amounts) if np.array_equal(known, cell))
        place = next(same, len(amounts))
        if place == len(amounts):
            amounts.append(cell)
        cells[i][j] = place
    return tuple(map(tuple, cells)), tuple(a[kept] for a in amounts)


def _cell(costs: SampleCosts, i: int, j: int) -> float | FloatArray:
    cell = costs.prices(i, j)
    if isinstance(cell, float):
        return cell
    return float(cell[0]) if (cell == cell[0]).all() else cell


def _area(source: Source) -> float:
    curve = curve_of(source.ranked)
    return math.nan if curve is None else curve.auc()
