"""How a sketch is made of systems that were judged."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stakes._typing import FloatArray
from stakes.costs import CostMatrix
from stakes.curves import MinimumCost
from stakes.evaluation.sketch.level_sketch import ScoredSystem, level_sketches
from stakes.evaluation.sketch.row_sketch import choose_rows, row_error, row_sketch
from stakes.evaluation.sketch.sketch_records import LeastCost, Sketch, SketchedApplication
from stakes.evaluation.systems import ApplicationDecisions, System, curve_of, least_cost
from stakes.samples import Samples
from stakes.scores import PosteriorScores
from stakes.statistics import ScoreLevels

MOST_CLASSES = 100
TOO_MANY = f"there are more than {MOST_CLASSES} classes"
BY_CASE = "costs differ from case to case"


@dataclass(frozen=True, eq=False)
class Source:
    """A system: its samples, the priors that its scores move with, and its decisions."""

    name: str
    system: System
    samples: Samples
    reference: FloatArray | None
    decisions: tuple[ApplicationDecisions, ...]
    ranked: Samples  # with the scores that areas and least costs are computed from

    @classmethod
    def given(cls, name: str, system: System) -> "Source":
        """Return a system as it came, before its posteriors were adapted."""
        samples, reference = system.given, system.training
        if not isinstance(samples.scores, PosteriorScores):
            k = len(samples.classes)
            reference = np.full(k, 1 / k)
        return cls(name, system, samples, reference, system.decisions, system.samples)

    @classmethod
    def calibrated(cls, name: str, system: System) -> "Source":
        """Return a system with calibrated scores, which hold at the priors of the main use."""
        judged = system.calibrated_decisions
        samples = judged[0].use.samples
        fits = bool(samples.priors.all())
        return cls(name, system, samples, samples.priors if fits else None, judged, samples)


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
    )
    if not few or not priced:
        return replace(sketch, why_not=BY_CASE if few else TOO_MANY)
    if len(samples.classes) == 2:
        return _levels(sketch, sources, priced)
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


def _application(sources: Sequence[Source], i: int) -> SketchedApplication:
    use = sources[0].decisions[i].use
    return SketchedApplication(
        use.name,
        use.costs,  # type: ignore[arg-type]
        use.samples.priors,
        use.samples.priors_from_data,
        tuple(source.decisions[i].cost.normalized for source in sources),
        (None,) * len(sources),
    )


def _levels(sketch: Sketch, sources: Sequence[Source], priced: Sequence[int]) -> Sketch:
    """Return the sketch of two classes, with what its levels alone could not tell exactly."""
    scored: list[ScoredSystem] = []
    least: list[list[LeastCost | None]] = []  # of each system, in each application
    for source in sources:
        curve, log_odds = curve_of(source.ranked), _log_odds(source)
        ranks, s = source.ranked.scores.ranks(), source.samples
        if curve is not None and np.array_equal(ranks, log_odds):
            levels = curve.levels
        else:
            levels = ScoreLevels.from_scores(log_odds, s.y, s.weights, s.copies)
        area = math.nan if curve is None else curve.auc()
        scored.append(ScoredSystem(source.name, source.reference, area, levels))
        found = [least_cost(source.decisions[i].use, curve) for i in priced]
        least.append([None if m is None else _least(m, ranks, log_odds) for m in found])
    applications = tuple(
        replace(a, least=tuple(row[i] for row in least)) for i, a in enumerate(sketch.applications)
    )
    weighted = sources[0].samples.weights is not None
    systems = level_sketches(scored, applications, weighted=weighted)
    return replace(sketch, applications=applications, systems=systems)


def _least(found: MinimumCost, ranks: FloatArray, log_odds: FloatArray) -> LeastCost:
    threshold = found.point.threshold
    below = log_odds[ranks == threshold] if math.isfinite(threshold) else np.array([threshold])
    return LeastCost(found.value, float(below.max()))


def _log_odds(source: Source) -> FloatArray:
    samples = source.samples
    at = samples.priors if source.reference is None else source.reference
    out = np.empty(len(samples))
    for part, _, answers in replace(samples, priors=at).blocks():
        log_p = answers.log_p
        out[part] = log_p[:, 1] - log_p[:, 0]
    return out
