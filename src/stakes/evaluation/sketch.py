"""A sketch of scores: little enough for a page, enough to judge a system at any other costs.

Two classes are weights at levels of the log odds. Few levels are kept as they are. More are
gathered in the cells of a fixed grid, finer near even odds, with further edges at the thresholds of
the applications, so that these stay exact.

More classes are quantised posteriors of some samples. A posterior p is kept as the rounded square
root of -log p: fine near 1, where decisions are made, and coarse near 0. Samples are drawn within
classes, and ordered so that any first part of them holds each class in proportion.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from stakes._counting import bincount
from stakes._typing import FloatArray, IntArray, Names
from stakes.costs import CostMatrix
from stakes.curves import MinimumCost
from stakes.evaluation.application_decisions import curve_of, least_cost
from stakes.evaluation.case_sketch import CaseSketch, cases_of
from stakes.evaluation.sketch_sources import Source, log_odds_of, spread
from stakes.samples import Samples
from stakes.scores import Logits, LogPosteriors, PosteriorScores, Scores
from stakes.statistics import LossSums, ScoreLevels

MOST_CLASSES = 100
TOO_MANY = f"there are more than {MOST_CLASSES} classes"
BY_CASE = "costs differ from case to case"
_LEVEL_BYTES = 72_000  # for the levels of all systems together
_PER_LEVEL = 8  # bytes that do not shrink; twice as many where samples have weights
_PER_CELL = 4  # bytes of a cell of the grid, as packed; more where samples have weights
_PER_WEIGHED_CELL = 8
_EVEN = 4.0  # the grid is even for log odds below it, and coarsens in proportion above
_REACH = 4.0  # the grid ends at _EVEN * sinh(_REACH), about 109
_MOST_CELLS = 8192
_MOST_DECISIONS = 10  # of an application whose thresholds become edges
_SLACK = 16 * np.finfo(np.float64).eps  # so that a tie stays below its threshold
_SHORT = 2.0**14  # levels of a grid are told in this part of a unit, which packs well
_ROW_BYTES = 1_400_000  # for all systems together
_MOST_ROWS = 100_000
_DEEPEST = 64.0  # -log p from which a posterior counts as 0


@dataclass(frozen=True)
class LeastCost:
    """The least expected cost of any threshold, and that threshold on the levels of a sketch."""

    value: float
    log_odds: float  # the second decision is taken above it


@dataclass(frozen=True, eq=False)
class SketchedApplication:
    """An application that was judged, and what each system costs in it."""

    name: str
    costs: CostMatrix
    priors: FloatArray
    priors_from_data: bool
    normalized: tuple[float, ...]
    least: tuple[LeastCost | None, ...]  # None: not two classes and two decisions
    expected: tuple[float, ...] = ()  # what each system costs a case
    counts: tuple[FloatArray, ...] = ()  # the weight of each class by decision, of each system


@dataclass(frozen=True, eq=False)
class LevelSketch:
    """The weight of either class at each level of the log odds of the second."""

    name: str
    reference: FloatArray | None  # priors that the log odds hold at and move with; None: they stay
    level: FloatArray
    first: FloatArray
    second: FloatArray
    exact: bool  # each level is one of the scores
    auc: float = math.nan  # of all scores; NaN where a class does not occur


@dataclass(frozen=True, eq=False)
class RowSketch:
    """Posteriors of some samples, each as a code; see `posteriors_of`."""

    name: str
    reference: FloatArray | None
    codes: np.ndarray


@dataclass(frozen=True, eq=False)
class Sketch:
    """Systems on the same samples, in memory that does not grow with the number of samples."""

    classes: Names
    counts: IntArray
    priors: FloatArray  # shares in the data, by weight
    used: FloatArray  # priors of use, apart from those that an application has of its own
    weighted: bool
    grouped: bool
    scores: str  # "posteriors", "adapted" or "likelihoods": whether they follow the priors
    applications: tuple[SketchedApplication, ...]
    total: int  # samples
    systems: tuple[LevelSketch, ...] | tuple[RowSketch, ...] = ()
    y: IntArray | None = None  # of the rows
    weights: FloatArray | None = None  # of the rows
    scale: float = 0.0  # of the codes
    error: float = 0.0  # of rows: the largest of a normalised cost, against all samples
    cases: CaseSketch | None = None  # where every application has costs by case
    why_not: str = ""  # there is nothing to judge with
    form: str = (
        "posterior"  # of the delivered scores: "posterior", "log posterior", "log odds", "llr"
    )


def sketch_of(sources: Sequence[Source]) -> Sketch:
    """Return the sketch of systems on the same samples."""
    samples, known = sources[0].samples, sources[0].system.of_all
    every = samples if known is None else known.samples
    few = len(samples.classes) <= MOST_CLASSES
    uses = [each.use for each in sources[0].decisions]
    priced = [i for i, use in enumerate(uses) if isinstance(use.costs, CostMatrix)]
    scores = "likelihoods"  # whether they follow the priors
    if isinstance(samples.scores, PosteriorScores):
        scores = "posteriors" if sources[0].reference is None else "adapted"
    sketch = Sketch(
        classes=samples.classes,
        counts=every.counts,
        priors=every.data_priors(),
        used=samples.priors,
        weighted=samples.weights is not None,
        grouped=samples.groups is not None,
        scores=scores,
        applications=tuple(_application(sources, i) for i in priced) if few else (),
        total=every.n,
        form=_form(samples.scores),
    )
    if not few or not priced:
        cases = cases_of(sources, every.n) if few else None
        return replace(sketch, cases=cases, why_not=BY_CASE if few else TOO_MANY)
    if len(samples.classes) == 2:
        return _with_levels(sketch, sources, priced)
    rows = choose_rows(samples, len(sources))
    systems = tuple(row_sketch(s.name, s.samples, s.reference, rows) for s in sources)
    return replace(
        sketch,
        systems=systems,
        y=samples.y[rows.kept],
        weights=None if samples.weights is None else samples.weights[rows.kept],
        scale=rows.scale,
        error=row_error(systems, samples, rows, sketch.applications),
    )


def _form(scores: Scores) -> str:
    if isinstance(scores, PosteriorScores):
        logs = "log posterior" if isinstance(scores, LogPosteriors) else "posterior"
        return "log odds" if isinstance(scores, Logits) else logs
    return "llr"


def _application(sources: Sequence[Source], i: int) -> SketchedApplication:
    use = sources[0].decisions[i].use
    return SketchedApplication(
        use.name,
        use.costs,  # type: ignore[arg-type]
        use.samples.priors,
        use.samples.priors_from_data,
        tuple(source.decisions[i].cost.normalized for source in sources),
        (None,) * len(sources),
        tuple(source.decisions[i].cost.value for source in sources),
        tuple(np.asarray(s.decisions[i].confusion.counts, dtype=np.float64) for s in sources),
    )


def _with_levels(sketch: Sketch, sources: Sequence[Source], priced: Sequence[int]) -> Sketch:
    """Return the sketch of two classes, with what its levels alone could not tell exactly."""
    exact: list[LevelSketch] = []
    least: list[list[LeastCost | None]] = []  # of each system, in each application
    for source in sources:
        curve, log_odds = curve_of(source.ranked), log_odds_of(source)
        ranks, s = source.ranked.scores.ranks(), source.samples
        if curve is not None and np.array_equal(ranks, log_odds):
            levels = curve.levels
        else:
            levels = ScoreLevels.from_scores(log_odds, s.y, s.weights, s.copies)
        (first, second), area = _floats(levels), math.nan if curve is None else curve.auc()
        name, at = source.name, source.reference
        exact.append(LevelSketch(name, at, levels.level, first, second, exact=True, auc=area))
        found = [least_cost(source.decisions[i].use, curve) for i in priced]
        least.append([None if m is None else _least(m, ranks, log_odds) for m in found])
    applications = tuple(
        replace(a, least=tuple(row[i] for row in least)) for i, a in enumerate(sketch.applications)
    )
    systems = _fitting(exact, applications, weighted=sketch.weighted)
    return replace(sketch, applications=applications, systems=systems)


def _least(found: MinimumCost, ranks: FloatArray, log_odds: FloatArray) -> LeastCost:
    threshold = found.point.threshold
    below = log_odds[ranks == threshold] if math.isfinite(threshold) else np.array([threshold])
    return LeastCost(found.value, float(below.max()))


def _fitting(
    exact: Sequence[LevelSketch], applications: Sequence[SketchedApplication], *, weighted: bool
) -> tuple[LevelSketch, ...]:
    """Return the levels of each system, gathered where they are too many."""
    if sum(s.level.size for s in exact) * _PER_LEVEL * (1 + weighted) <= _LEVEL_BYTES:
        return tuple(exact)
    fitting = _LEVEL_BYTES / (len(exact) * (_PER_WEIGHED_CELL if weighted else _PER_CELL))
    cells = min(_MOST_CELLS, 2 ** int(math.log2(fitting)))
    return tuple(_gathered(s, _edges(cells, _thresholds(applications, s.reference))) for s in exact)


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


def _gathered(full: LevelSketch, edges: FloatArray) -> LevelSketch:
    """Return levels gathered in cells; infinite ones keep a level of their own."""
    cell = np.searchsorted(edges, full.level, side="left") + 1
    last = edges.size + 2
    cell[np.isneginf(full.level)] = 0
    cell[np.isposinf(full.level)] = last
    both = full.first, full.second
    first, second = (bincount(cell, w, last + 1).astype(np.float64) for w in both)
    middle = (edges[:-1] + edges[1:]) / 2
    short = np.round(middle * _SHORT) / _SHORT  # few digits, where these stay within their cells
    inner = np.where((short > edges[:-1]) & (short < edges[1:]), short, middle)
    middle = np.concatenate([[-np.inf, edges[0] - 1], inner, [edges[-1] + 1, np.inf]])
    kept = np.flatnonzero(first + second)
    return replace(full, level=middle[kept], first=first[kept], second=second[kept], exact=False)


@dataclass(frozen=True, eq=False)
class Rows:
    """The samples that are kept."""

    kept: IntArray
    depth: type[np.unsignedinteger]  # of the codes

    @property
    def scale(self) -> float:
        """How many steps of the square root make a unit."""
        return (np.iinfo(self.depth).max - 1) / math.sqrt(_DEEPEST)


def choose_rows(samples: Samples, systems: int) -> Rows:
    """Return which samples are kept, and how finely."""
    n, cells = samples.n, len(samples.classes) * systems
    fine = 2 * n * cells <= _ROW_BYTES and n <= _MOST_ROWS
    most = n if fine else min(n, _MOST_ROWS, _ROW_BYTES // cells)
    return Rows(spread(samples, most), np.uint16 if fine else np.uint8)


def row_sketch(name: str, samples: Samples, reference: FloatArray | None, rows: Rows) -> RowSketch:
    """Return the codes of the posteriors of one system."""
    at = samples.priors if reference is None else reference
    log_p = samples.scores.part(rows.kept).answers(at).log_p
    top = np.iinfo(rows.depth).max
    with np.errstate(invalid="ignore"):
        codes = np.round(rows.scale * np.sqrt(np.maximum(-log_p, 0)))
    codes = np.where(codes < top, codes, top).astype(rows.depth)
    return RowSketch(name, reference, codes)


def posteriors_of(codes: np.ndarray, scale: float) -> FloatArray:
    """Return the posteriors of codes: exp(-(code / scale)^2), and 0 for the largest code."""
    p = np.exp(-np.square(codes / scale))
    p[codes == np.iinfo(codes.dtype).max] = 0
    return np.asarray(p / p.sum(axis=1, keepdims=True), dtype=np.float64)


def row_error(
    sketches: Sequence[RowSketch],
    samples: Samples,
    rows: Rows,
    applications: Sequence[SketchedApplication],
) -> float:
    """Return the largest distance of the normalised costs of the rows from those of all samples."""
    part = samples.with_copies(rows.kept, None)
    worst = 0.0
    for i, sketch in enumerate(sketches):
        p = posteriors_of(sketch.codes, rows.scale)
        for a in applications:
            decided = a.costs.least_expected(_moved(p, sketch.reference, a.priors))
            losses = a.costs.at(part.y, decided)
            mean = LossSums.from_losses(part.y, losses, part.weights, a.priors.size).mean
            seen, naive = a.priors > 0, a.costs.naive(a.priors)[1]
            cost = math.fsum(a.priors[seen] * mean[seen])
            gap = abs(cost / naive - a.normalized[i]) if naive > 0 else math.nan
            worst = max(worst, gap) if math.isfinite(gap) else worst
    return worst


def _moved(p: FloatArray, reference: FloatArray | None, priors: FloatArray) -> FloatArray:
    if reference is None or np.array_equal(reference, priors):
        return p
    with np.errstate(divide="ignore"):
        scores = LogPosteriors.trusted(np.log(p), None)
    return scores.at_priors(reference, priors).answers(priors).p
