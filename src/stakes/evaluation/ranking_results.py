"""How well scores rank: areas, error rates and costs of the best threshold, with intervals."""

import math
from dataclasses import replace

import numpy as np

from stakes._check import StakesError
from stakes._counting import bincount
from stakes._math import log, times, turns
from stakes._typing import FloatArray, IntArray, Label
from stakes.calibration import AffineCalibrator
from stakes.calibration.crossfit import TrainOnTest, cross_fitted, deal_samples
from stakes.curves import RocCurve
from stakes.curves.detectors import detectors_of
from stakes.curves.placements import Placements
from stakes.evaluation.application_decisions import ApplicationDecisions, curve_of
from stakes.evaluation.applications import ApplicationSamples
from stakes.metrics.expected_losses import expectation
from stakes.results import FEWEST_GROUPS, Estimate, Interval, normalized_of
from stakes.samples import Samples
from stakes.scores import LogLikelihoodRatios
from stakes.statistics import ScoreLevels
from stakes.statistics.group_effects import ONE_GROUP, design_effect, effective_groups

_FOLDS = 5


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
    """Return the equal error rate, at effective numbers of samples."""
    w, copies, unit = samples.scaled_weights(), samples.copies, samples.groups
    totals, squares = (bincount(samples.y, times(x, copies), 2) for x in (w, w * w))
    sizes = np.square(totals) / squares
    effective = 0.0
    if unit is not None:
        groups, eer = int(np.unique(unit).size), curve.eer()
        if groups < FEWEST_GROUPS:
            return Estimate(eer, None, f"needs {FEWEST_GROUPS} groups: got {groups}")
        effective = effective_groups(unit, times(w, copies), samples.y)
        if effective <= 1:
            return Estimate(eer, None, ONE_GROUP)
        scores = samples.scores.ranks()
        at = int(np.argmin(np.abs(curve.miss_rate - curve.false_alarm_rate)))
        wrong = (scores > curve.thresholds[at]) != (samples.y == 1)
        rates = np.array([curve.false_alarm_rate[at], curve.miss_rate[at]])
        influence = w * (wrong - rates[samples.y]) / totals[samples.y]
        sizes = sizes / design_effect(influence, unit, w, samples.y, copies)
    return curve.eer_estimate(level, sizes=(float(sizes[0]), float(sizes[1])), groups=effective)


def best_threshold_estimate(
    use: ApplicationSamples, scores: FloatArray, indices: IntArray, level: float
) -> Estimate:
    """Return the normalised cost of decisions by the best threshold, with its interval.

    The best threshold on the samples does too well on them, thresholds chosen on other folds do
    too badly: the interval reaches from the lower end of the first to the upper end of the second.
    Only the order of the scores counts, so that any rising map of them gives the same interval.
    """
    places = np.unique(scores, return_inverse=True)[1].astype(np.float64)
    first, second = (
        normalized_of(ApplicationDecisions(*made).cost, level)
        for made in ((use, indices), _decisions_of_folds(use, places))
    )
    if first.interval is None or second.interval is None:
        return Estimate(first.value, None, first.method)
    low, high = first.interval.low, max(first.interval.high, second.interval.high)
    method = f"{first.method}; upper end from thresholds of other folds"
    return Estimate(first.value, Interval(low, high, level), method)


def _decisions_of_folds(
    use: ApplicationSamples, places: FloatArray
) -> tuple[ApplicationSamples, IntArray]:
    """Return decisions by the threshold that is best on the samples of other folds.

    Groups are dealt to folds whole. Other samples of a class are dealt one by one in the order of
    their scores: a row that stands for several becomes two where they get different decisions.
    """
    samples, others = use.samples, use
    best = best_on_part if use.binary_costs is None else _least_on_part
    copies = np.ones(len(samples), dtype=np.int64) if samples.copies is None else samples.copies
    second = np.zeros(len(samples), dtype=np.int64)  # copies that get the second decision
    mine = [np.flatnonzero(samples.y == k) for k in (0, 1)]
    orders = [rows[np.argsort(places[rows], kind="stable")] for rows in mine]
    for number in range(_FOLDS):
        if samples.groups is not None:
            own = np.where(samples.groups % _FOLDS == number, copies, 0)
        else:
            own = np.empty_like(copies)
            for order in orders:
                own[order] = turns(copies[order], _FOLDS, number)
        rest = copies - own
        train = np.flatnonzero(rest)
        if not bincount(samples.y[train], minlength=2).all():
            continue
        if samples.copies is not None:
            others = replace(use, samples=replace(samples, copies=rest))
        cut = _middle(places[train], best(others, places, train))
        second += np.where(places > cut, own, 0)
    if samples.copies is None or samples.groups is not None:
        return use, (second > 0).astype(np.int64)
    made = np.stack([copies - second, second])
    indices, kept = np.nonzero(made)
    return replace(use, samples=samples.with_copies(kept, made[indices, kept])), indices


def _least_on_part(use: ApplicationSamples, places: FloatArray, kept: IntArray) -> float:
    """Return the threshold of least cost on some of the samples, for one matrix of costs."""
    samples = use.samples
    if samples.weights is None and samples.copies is None:
        levels = ScoreLevels.from_places(places[kept].astype(np.int64), samples.y[kept])
    else:
        weights = None if samples.weights is None else samples.weights[kept]
        copies = None if samples.copies is None else samples.copies[kept]
        levels = ScoreLevels.from_scores(places[kept], samples.y[kept], weights, copies)
    curve = RocCurve(levels, samples.classes)
    return curve.minimum_cost(use.binary_costs, samples.given_priors).point.threshold


def best_on_part(use: ApplicationSamples, value: FloatArray, kept: IntArray) -> float:
    """Return the threshold of least cost on some of the samples, just below a distinct value."""
    part = use.part(kept)
    w, first, second = part.samples.balanced_mass(), part.constant(0), part.constant(1)
    level, code = np.unique(value[kept], return_inverse=True)
    saved = bincount(code, w * (first - second), level.size)
    above = np.concatenate([np.cumsum(saved[::-1])[::-1], [0.0]])  # if all from here on are taken
    best = int(above.argmax())
    return float("-inf") if best == 0 else float(level[best - 1])


def _middle(places: FloatArray, threshold: float) -> float:
    """Return a threshold halfway to the next score, so that it favours neither side."""
    if math.isinf(threshold):
        return threshold
    above = places[places > threshold]
    return float((threshold + above.min()) / 2) if above.size else threshold


def _likelihood_costs(samples: Samples, curve: RocCurve, level: float) -> dict[str, Estimate]:
    """Return the cost of likelihood ratios (Cllr) and its minimum, where scores are that.

    The best rising map is fitted to the samples, on which it does too well; an affine one that is
    fitted to other folds does too badly. The interval of the minimum reaches from the lower end of
    the first to the upper end of the second.
    """
    if not isinstance(samples.scores, LogLikelihoodRatios):
        return {}
    from stakes.calibration import IsotonicCalibrator  # noqa: PLC0415  for these alone
    from stakes.curves.likelihood_ratios import LOG_LOSS_IN_BITS, minimum_cllr_of  # noqa: PLC0415

    def loss(some: Samples) -> Estimate:
        record = expectation(LOG_LOSS_IN_BITS, some)
        return normalized_of(record, level)

    even = replace(samples, priors=np.array([0.5, 0.5]), priors_from_data=False)
    cllr, value = loss(even), minimum_cllr_of(curve)
    try:
        alone = replace(even, row=None, n_given=len(even))  # groups are those of rows in use
        dealt = deal_samples(alone, _FOLDS, samples.groups, 0)
        first, second = (
            loss(some.with_scores(cross_fitted(calibrator, some, folds, None, 0).scores))
            for calibrator, some, folds in (
                (IsotonicCalibrator(mix=0), even, TrainOnTest()),
                (AffineCalibrator(), dealt.samples, dealt),
            )
        )
    except StakesError as error:
        return {"cllr": cllr, "minimum_cllr": Estimate(value, None, str(error))}
    if first.interval is None or second.interval is None:
        least = Estimate(value, None, first.method if first.interval is None else second.method)
    else:
        band = Interval(min(first.interval.low, value), max(second.interval.high, value), level)
        how = "closed form; upper end from an affine fit to other folds"
        least = Estimate(value, band, how)
    return {"cllr": cllr, "minimum_cllr": least}
