"""Two classes as weights at levels of the log odds.

Few levels are kept as they are. More are gathered in the cells of a fixed grid, finer near even
odds, with further edges at the thresholds of the applications, so that these stay exact.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from stakes._typing import FloatArray
from stakes.evaluation.sketch.sketch_records import LevelSketch, SketchedApplication
from stakes.statistics import ScoreLevels

_BYTES = 72_000  # for the levels of all systems together
_PER_LEVEL = 8  # bytes that do not shrink; twice as many where samples have weights
_PER_CELL = 4  # bytes of a cell of the grid, as packed; more where samples have weights
_PER_WEIGHED_CELL = 8
_EVEN = 4.0  # the grid is even for log odds below it, and coarsens in proportion above
_REACH = 4.0  # the grid ends at _EVEN * sinh(_REACH), about 109
_MOST_CELLS = 8192
_MOST_DECISIONS = 10  # of an application whose thresholds become edges
_SLACK = 16 * np.finfo(np.float64).eps  # so that a tie stays below its threshold
_SHORT = 2.0**14  # levels of a grid are told in this part of a unit, which packs well


class ScoredSystem(NamedTuple):
    """A system: priors that its log odds move with, the area below its curve, and its levels."""

    name: str
    reference: FloatArray | None
    auc: float
    levels: ScoreLevels  # of the log odds of the second class


def level_sketches(
    scored: Sequence[ScoredSystem], applications: Sequence[SketchedApplication], *, weighted: bool
) -> tuple[LevelSketch, ...]:
    """Return the levels of each system, exact or gathered."""
    if sum(s.levels.level.size for s in scored) * _PER_LEVEL * (1 + weighted) <= _BYTES:
        return tuple(_sketch(s, s.levels.level, *_floats(s.levels), exact=True) for s in scored)
    fitting = _BYTES / (len(scored) * (_PER_WEIGHED_CELL if weighted else _PER_CELL))
    cells = min(_MOST_CELLS, 2 ** int(math.log2(fitting)))
    return tuple(
        _gathered(s, _edges(cells, _thresholds(applications, s.reference))) for s in scored
    )


def _sketch(
    s: ScoredSystem, level: FloatArray, first: FloatArray, second: FloatArray, *, exact: bool
) -> LevelSketch:
    return LevelSketch(s.name, s.reference, level, first, second, exact=exact, auc=s.auc)


def _floats(levels: ScoreLevels) -> list[FloatArray]:
    """Return the weights of both classes on one scale, or their counts."""
    shift = levels.exponent - levels.exponent.max()
    return [
        np.asarray(cells if levels.whole else np.ldexp(cells, e), dtype=np.float64)
        for cells, e in zip((levels.first, levels.second), shift.tolist(), strict=True)
    ]


def _edges(cells: int, further: Iterable[float]) -> FloatArray:
    """Return the edges of the grid; a cell holds its upper edge."""
    half = cells // 2
    grid = _EVEN * np.sinh(_REACH * np.arange(-half, half + 1) / half)
    edges = np.sort(np.concatenate([grid, np.array(list(further))]))
    return edges[np.append(True, edges[1:] != edges[:-1])]


def _thresholds(
    applications: Sequence[SketchedApplication], reference: FloatArray | None
) -> list[float]:
    """Return the log odds at which two decisions of an application cost the same."""
    found = []
    for a in (a for a in applications if a.costs.shape[1] <= _MOST_DECISIONS):
        moved = 0.0
        if reference is not None:
            with np.errstate(divide="ignore"):
                old, new = np.log(reference), np.log(a.priors)
            moved = float((new[1] - new[0]) - (old[1] - old[0]))
        for one, other in combinations(a.costs.values.T, 2):
            rise, fall = one[0] - other[0], other[1] - one[1]
            if rise * fall > 0:
                z = math.log(rise / fall) - moved
                found.append(z + _SLACK * (1 + abs(z)))
    return [z for z in found if math.isfinite(z)]


def _gathered(scored: ScoredSystem, edges: FloatArray) -> LevelSketch:
    """Return levels gathered in cells; infinite ones keep a level of their own."""
    full = scored.levels
    cell = np.searchsorted(edges, full.level, side="left") + 1
    last = edges.size + 2
    cell[np.isneginf(full.level)] = 0
    cell[np.isposinf(full.level)] = last
    first, second = (np.bincount(cell, w, last + 1).astype(np.float64) for w in _floats(full))
    middle = (edges[:-1] + edges[1:]) / 2
    short = np.round(middle * _SHORT) / _SHORT  # few digits, where these stay within their cells
    inner = np.where((short > edges[:-1]) & (short < edges[1:]), short, middle)
    middle = np.concatenate([[-np.inf, edges[0] - 1], inner, [edges[-1] + 1, np.inf]])
    kept = np.flatnonzero(first + second)
    return _sketch(scored, middle[kept], first[kept], second[kept], exact=False)
