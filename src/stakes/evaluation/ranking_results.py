"""How well scores rank: areas, error rates and costs of the best threshold, with intervals."""

import math
from dataclasses import replace

import numpy as np

from stakes._counting import bincount
from stakes._math import log
from stakes._typing import FloatArray, IntArray, Label
from stakes.curves import RocCurve
from stakes.curves.area import ranked_estimate
from stakes.curves.detectors import detectors_of
from stakes.curves.placements import Placements
from stakes.evaluation.application_decisions import ApplicationDecisions, curve_of
from stakes.evaluation.applications import ApplicationSamples
from stakes.inference.error_rates import ErrorRates
from stakes.inference.least_costs import LeastCost
from stakes.inference.scored_rows import ScoredRows
from stakes.metrics.expected_losses import expectation
from stakes.results import Estimate, normalized_of
from stakes.samples import Samples
from stakes.scores import LogLikelihoodRatios
from stakes.statistics import ScoreLevels


def area_of(samples: Samples, level: float) -> Estimate:
    """Return the AUC of two classes with its interval; NaN where only one occurs."""
    curve = curve_of(samples)
    return Estimate(math.nan) if curve is None else _area(samples, curve, None, level)


def ranking_of(samples: Samples, curve: RocCurve | None, level: float) -> dict[str, Estimate]:
    """Return how well the scores rank: AUC and equal error rate, or AUC of each class."""
    if curve is not None:
        auc = _area(samples, curve, None, level)
        found = {"auc": auc, "eer": _equal_error(samples, curve, level)}
        return found | _likelihood_costs(samples, curve, level)
    if len(samples.classes) == 2:
        return {}
    areas = class_areas(samples, level)
    mean = float(np.mean([a.value for a in areas.values()])) if areas else math.nan
    of_classes = {f"auc.{name}": area for name, area in areas.items()}
    return {"auc": Estimate(mean, None, "mean over classes"), **of_classes}


def class_areas(samples: Samples, level: float) -> dict[Label, Estimate]:
    """Return the AUC of each class against all others."""
    return {
        name: _area(samples, roc, samples.classes.index(name), level)
        for name, roc in detectors_of(samples).items()
    }


def slice_area(samples: Samples, curve: RocCurve | None, level: float) -> Estimate | None:
    """Return the AUC of two classes, or its mean over classes; None where it is undefined."""
    if curve is not None:
        return _area(samples, curve, None, level)
    areas = [] if len(samples.classes) == 2 else [c.auc() for c in detectors_of(samples).values()]
    return Estimate(float(np.mean(areas)), None, "mean over classes") if areas else None


def _area(samples: Samples, curve: RocCurve, k: int | None, level: float) -> Estimate:
    """Return the AUC of two classes, or of class k against all others."""
    auc = curve.auc()
    if samples.weights is None and samples.groups is None:  # whatever copies rows stand for
        return Placements.from_levels(curve.levels).estimate(auc, level)
    if k is None:
        scores, y = samples.scores.ranks(), samples.y
    else:
        answers, y = samples.scores.answers(samples.priors), (samples.y == k).astype(np.int64)
        scores = answers.log_p[:, k] - log(answers.complement(np.full(y.size, k)))
    rows = Placements.from_scores(scores, y, samples.weights, samples.groups, samples.copies)
    return rows.estimate(auc, level)


def _equal_error(samples: Samples, curve: RocCurve, level: float) -> Estimate:
    """Return the equal error rate; groups vary as a whole."""
    if samples.weights is None and samples.groups is None:
        return curve.eer_estimate(level)
    rows = _scored_rows(samples, samples.scores.ranks())
    return ranked_estimate(curve.eer(), rows, ErrorRates(rows).equal_error, level)


def _scored_rows(samples: Samples, scores: FloatArray) -> ScoredRows:
    """Return rows by the order of some scores; those that are alike as one, where that is quick."""
    if samples.weights is None and samples.groups is None:
        levels = ScoreLevels.from_scores(scores, samples.y, None, samples.copies)
        return ScoredRows.from_counts(levels.first, levels.second)
    weights, unit = samples.weights, samples.groups
    return ScoredRows.from_scores(scores, samples.y, weights, unit, samples.copies)


def best_threshold_estimate(
    use: ApplicationSamples, scores: FloatArray, indices: IntArray, level: float
) -> Estimate:
    """Return the normalised cost of decisions by the best threshold, with its interval.

    Only the order of the scores counts, so that any rising map of them gives the same interval.
    """
    cost = ApplicationDecisions(use, indices).cost
    value = cost.normalized
    if cost.undefined is not None:
        return Estimate(value, None, cost.undefined.text)
    least = _least_cost(use, scores)
    return ranked_estimate(value, least.rows, least.interval, level)


def _least_cost(use: ApplicationSamples, scores: FloatArray) -> LeastCost:
    """Return the samples by the order of some scores, with what both decisions cost each."""
    samples, costs, priors = use.samples, use.binary_costs, use.samples.given_priors
    if costs is not None:
        rows = _scored_rows(samples, scores)
        return LeastCost.ordered(rows, costs.values[rows.y], costs.values, priors)
    rows = ScoredRows.from_scores(
        scores, samples.y, samples.weights, samples.groups, samples.copies
    )
    return LeastCost.ordered(rows, use.constants(), _likely(use, rows.number * rows.weight), priors)


def _likely(use: ApplicationSamples, mass: FloatArray) -> FloatArray:
    """Return what decisions cost a case of each class that was not seen.

    Cases of which class they are does not matter for their amounts; expensive ones are the
    likelier to matter: each counts by what it costs to get it wrong.
    """
    out = []
    for k in range(len(use.costs.classes)):
        prices = np.column_stack(
            [use.costs.at(np.full(mass.size, k), np.full(mass.size, d)) for d in (0, 1)]
        )
        share = mass * np.abs(prices[:, 1] - prices[:, 0])
        out.append(share @ prices / share.sum() if share.any() else prices.mean(axis=0))
    return np.array(out)


def best_on_part(use: ApplicationSamples, value: FloatArray, kept: IntArray) -> float:
    """Return the threshold of least cost on some of the samples, just below a distinct value."""
    part = use.part(kept)
    w, first, second = part.samples.balanced_mass(), part.constant(0), part.constant(1)
    level, code = np.unique(value[kept], return_inverse=True)
    saved = bincount(code, w * (first - second), level.size)
    above = np.concatenate([np.cumsum(saved[::-1])[::-1], [0.0]])  # if all from here on are taken
    best = int(above.argmax())
    return float("-inf") if best == 0 else float(level[best - 1])


def _likelihood_costs(samples: Samples, curve: RocCurve, level: float) -> dict[str, Estimate]:
    """Return the cost of likelihood ratios (Cllr) and its minimum, where scores are that."""
    if not isinstance(samples.scores, LogLikelihoodRatios):
        return {}
    from stakes.curves.likelihood_ratios import (  # noqa: PLC0415  for these alone
        LOG_LOSS_IN_BITS,
        minimum_cllr_estimate,
        minimum_cllr_of,
    )

    even = replace(samples, priors=np.array([0.5, 0.5]), priors_from_data=False)
    record = expectation(LOG_LOSS_IN_BITS, even)
    rows = _scored_rows(samples, samples.scores.ranks())
    return {
        "cllr": normalized_of(record, level),
        "minimum_cllr": minimum_cllr_estimate(minimum_cllr_of(curve), rows, level),
    }
