"""Two classes as weights at levels of the log odds.

Few levels are kept as they are. More are gathered in the cells of a fixed grid, finer near even
odds, with further edges at the thresholds of the applications, so that these stay exact.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from stakes._typing import FloatArray
from stakes.evaluation.sketch.sketch_records import LevelSketch, SketchedApplication
from stakes.samples import Samples
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


@dataclass(frozen=True, eq=False)
class Scored:
    """Log odds of the second class at some priors, and those priors if they move with them."""

    name: str
    log_odds: FloatArray
    reference: FloatArray | None
    auc: float
    levels: ScoreLevels | None = None  # of the log odds, where they were gathered before


def level_sketches(
    scored: Sequence[Scored], samples: Samples, applications: Sequence[SketchedApplication]
) -> tuple[LevelSketch, ...]:
    """Return the levels of each system, exact or gathered."""
    full = [_levels(s.log_odds, samples) if s.levels is None else s.levels for s in scored]
    weighted = samples.weights is not None
    if sum(f.level.size for f in full) * _PER_LEVEL * (1 + weighted) <= _BYTES:
        kept = (
            LevelSketch(s.name, s.reference, f.level, *_floats(f), exact=True, auc=s.auc)
            for s, f in zip(scored, full, strict=True)
        )
        return tuple(kept)
    fitting = _BYTES / (len(scored) * (_PER_WEIGHED_CELL if weighted else _PER_CELL))
    cells = min(_MOST_CELLS, 2 ** int(math.log2(fitting)))
    return tuple(
        _gathered(s, f, _edges(cells, _thresholds(applications, s.reference)))
        for s, f in zip(scored, full, strict=True)
    )


def _levels(log_odds: FloatArray, samples: Samples) -> ScoreLevels:
    """Return the weights of the classes at each distinct log odds."""
    return ScoreLevels.from_scores(log_odds, samples.y, samples.weights, samples.copies)


def _floats(levels: ScoreLevels) -> tuple[FloatArray, FloatArray]:
    """Return the weights of both classes on one scale, or their counts."""
    top = int(levels.exponent.max())
    first, second = (
        cells if levels.whole else np.ldexp(cells, int(e) - top)
        for cells, e in zip((levels.first, levels.second), levels.exponent, strict=True)
    )
    return np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)


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
    for a in applications:
        columns = a.costs.values.T
        if len(columns) > _MOST_DECISIONS:
            continue
        moved = 0.0
        if reference is not None:
            with np.errstate(divide="ignore"):
                old, new = np.log(reference), np.log(a.priors)
            moved = float((new[1] - new[0]) - (old[1] - old[0]))
        for one, other in combinations(columns, 2):
            rise, fall = one[0] - other[0], other[1] - one[1]
            if rise * fall > 0:
                z = math.log(rise / fall) - moved
                found.append(z + _SLACK * (1 + abs(z)))
    return [z for z in found if math.isfinite(z)]


def _gathered(scored: Scored, full: ScoreLevels, edges: FloatArray) -> LevelSketch:
    """Return levels gathered in cells; infinite ones keep a level of their own."""
    cell = np.searchsorted(edges, full.level, side="left") + 1
    last = edges.size + 2
    cell[np.isneginf(full.level)] = 0
    cell[np.isposinf(full.level)] = last
    first, second = (
        np.asarray(np.bincount(cell, w, minlength=last + 1), dtype=np.float64)
        for w in _floats(full)
    )
    ends = np.concatenate([[-np.inf], [edges[0] - 1], (edges[:-1] + edges[1:]) / 2])
    middle = np.concatenate([ends, [edges[-1] + 1], [np.inf]])
    middle[2:-2] = _short(middle[2:-2], edges)
    kept = np.flatnonzero(first + second)
    return LevelSketch(
        scored.name,
        scored.reference,
        middle[kept],
        first[kept],
        second[kept],
        exact=False,
        auc=scored.auc,
    )


def _short(middle: FloatArray, edges: FloatArray) -> FloatArray:
    """Return the middles of cells in few digits, where that keeps them within their cells."""
    brief = np.round(middle * _SHORT) / _SHORT
    inside = (brief > edges[:-1]) & (brief < edges[1:])
    return np.where(inside, brief, middle)
