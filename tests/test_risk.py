"""The risk curve: one expected cost, by brute force, by other functions, in every dialect."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import stakes
from stakes._typing import FloatArray, IntArray
from stakes.scores import Answers

THETAS = np.array([1e-9, 0.0317, 0.1, 0.2, 0.25, 0.3141, 0.5, 0.6, 0.7182, 0.9, 1 - 1e-9])
CLOSE: dict[str, Any] = {"rel": 1e-12, "abs": 1e-15}


@dataclass(frozen=True, eq=False)
class Scored:
    """Samples of two classes with posteriors on a coarse grid, so that ties are common."""

    y: IntArray
    p: FloatArray
    weights: FloatArray | None
    priors: FloatArray | None

    @property
    def options(self) -> dict[str, Any]:
        return {"priors": self.priors, "sample_weight": self.weights}

    @property
    def curve(self) -> stakes.RiskCurve:
        return stakes.risk_curve(self.y, self.p, **self.options)

    @property
    def used_priors(self) -> FloatArray:
        if self.priors is not None:
            return self.priors
        w = self.each
        return np.array([w[self.y == 0].sum(), w[self.y == 1].sum()]) / w.sum()

    @property
    def each(self) -> FloatArray:
        return np.ones(self.y.size) if self.weights is None else self.weights

    def cost(self, theta: float, threshold: float) -> float:
        """Mean cost of deciding the second class above a threshold, by hand."""
        decided, w = self.p > threshold, self.each
        alarms = w[(self.y == 0) & decided].sum() / w[self.y == 0].sum()
        misses = w[(self.y == 1) & ~decided].sum() / w[self.y == 1].sum()
        first, second = self.used_priors
        return float(first * theta * alarms + second * (1 - theta) * misses)


@st.composite
def scored(draw: st.DrawFn, *, certain: bool = True) -> Scored:
    """Samples of both classes, with or without weights and priors."""
    ends = (0, 20) if certain else (1, 19)
    rows = draw(st.lists(st.tuples(st.integers(0, 1), st.integers(*ends)), max_size=30))
    rows += [(0, draw(st.integers(*ends))), (1, draw(st.integers(*ends)))]
    y, p = np.array(rows).T
    assume(not np.isin(p, (0, 20)).all())  # posteriors, not decisions
    lists = st.lists(st.integers(1, 9), min_size=y.size, max_size=y.size)
    weights = draw(st.none() | lists.map(lambda w: np.array(w) / 4))
    second = draw(st.none() | st.integers(1, 99))
    priors = None if second is None else np.array([1 - second / 100, second / 100])
    return Scored(y, p / 20, weights, priors)


SYSTEM = stakes.simulation.simulate(2, n=400)
RAW = SYSTEM.posteriors([0.6, 0.4], stakes.simulation.MISCALIBRATED)
ALL = [None, [0.9, 0.1]]


@given(scored())
def test_the_actual_cost_is_the_mean_cost_of_the_decisions(data: Scored) -> None:
    thetas = np.concatenate([THETAS, np.setdiff1d(data.p, [0, 1])])
    expected = [data.cost(t, t) for t in thetas.tolist()]
    assert data.curve.actual(thetas) == pytest.approx(expected, **CLOSE)


@given(scored())
def test_the_minimum_is_the_least_cost_of_any_threshold(data: Scored) -> None:
    cuts = [-1.0, *data.p.tolist()]
    expected = [min(data.cost(t, cut) for cut in cuts) for t in THETAS.tolist()]
    assert data.curve.minimum(THETAS) == pytest.approx(expected, **CLOSE)


@given(scored())
def test_the_lines_keep_their_order(data: Scored) -> None:
    curve = data.curve
    assert (curve.minimum(THETAS) <= curve.actual(THETAS) * (1 + 1e-12)).all()
    assert (curve.minimum(THETAS) <= curve.naive(THETAS) * (1 + 1e-12)).all()


@given(scored())
def test_areas_are_the_brier_score_and_the_cross_entropy(data: Scored) -> None:
    curve = data.curve
    for area, metric in (
        (curve.brier(), stakes.brier_score),
        (curve.cross_entropy(), stakes.cross_entropy),
    ):
        record = metric(data.y, data.p, **data.options)
        assert area.actual == pytest.approx(record.value, **CLOSE)
        assert area.naive == pytest.approx(record.naive, **CLOSE)
        assert area.minimum <= area.naive * (1 + 1e-12)


def test_areas_are_areas() -> None:
    curve = stakes.risk_curve(SYSTEM.y, RAW)
    width = 1e-5
    middle = (np.arange(100_000) + 0.5) * width
    for line in (curve.actual, curve.minimum):
        area = curve.brier()
        value = getattr(area, line.__name__)
        assert 2 * width * line(middle).sum() == pytest.approx(value, rel=1e-4)
    weighed = curve.actual(middle) / (middle * (1 - middle))
    assert width * weighed.sum() == pytest.approx(curve.cross_entropy().actual, rel=1e-3)


@pytest.mark.parametrize("priors", ALL)
def test_minimum_areas_are_those_after_pool_adjacent_violators(priors: list[float] | None) -> None:
    best = stakes.cross_calibrate(
        stakes.IsotonicCalibrator(mix=0), SYSTEM.y, RAW, folds=stakes.TrainOnTest(), priors=priors
    )
    curve = stakes.risk_curve(SYSTEM.y, RAW, priors=priors)
    for area, metric in (
        (curve.brier(), stakes.brier_score),
        (curve.cross_entropy(), stakes.cross_entropy),
    ):
        value = metric(SYSTEM.y, best, priors=priors).value
        assert area.minimum == pytest.approx(value, rel=1e-9)
        assert area.calibration_loss == pytest.approx(area.actual - value, rel=1e-7)


@given(scored(), st.sampled_from([0.0317, 0.3141, 0.7182, 0.97]))
def test_the_record_of_a_threshold_is_that_of_bayes_cost(data: Scored, theta: float) -> None:
    costs = stakes.CostMatrix.binary(miss=1 - theta, false_alarm=theta)
    record = data.curve.at(theta)
    known = stakes.bayes_cost(data.y, data.p, costs=costs, **data.options)
    for name in ("value", "naive", "normalized"):
        assert getattr(record, name) == pytest.approx(getattr(known, name), **CLOSE)
    for name in ("standard_error", "normalized_standard_error"):  # roots of a rounded 0 there
        wanted = pytest.approx(getattr(known, name), rel=1e-9, abs=1e-7, nan_ok=True)
        assert getattr(record, name) == wanted
    assert record.naive_answer == known.naive_answer
    if data.weights is not None:  # of which the curve keeps sums and sums of squares
        return
    for level in (0.5, 0.95):
        for name in ("interval", "normalized_interval"):
            mine, theirs = (tuple(getattr(r, name)(level)) for r in (record, known))
            assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-12)
    view = data.curve.murphy([theta], level=0.9)
    assert (view.actual[0], view.frame()["low"][0], view.frame()["high"][0]) == pytest.approx(
        (known.value, *known.interval(0.9)), rel=1e-9, abs=1e-12
    )


@given(scored())
def test_the_minimum_is_that_of_the_roc_curve(data: Scored) -> None:
    roc = stakes.roc_curve(data.y, data.p, sample_weight=data.weights)
    for theta in THETAS.tolist():
        costs = stakes.CostMatrix.binary(miss=1 - theta, false_alarm=theta)
        least = roc.minimum_cost(costs, data.priors).value
        assert data.curve.minimum(theta) == pytest.approx(least, **CLOSE)


@given(scored())
def test_every_dialect_follows_from_the_expected_cost(data: Scored) -> None:
    curve, (p1, p2) = data.curve, data.used_priors
    x = np.array([0.03, 0.2, 0.5, 0.77])
    odds = x / (1 - x)
    plo = np.log(p2 / p1) - np.log(odds)
    unit = p2 * (1 - x) + p1 * x
    views: dict[str, tuple[stakes.CurveView, Callable[[FloatArray], FloatArray]]] = {
        "murphy": (curve.murphy(x), lambda ec: ec),
        "relative": (curve.relative_value(x), lambda ec: 1 - ec / curve.naive(x)),
        "benefit": (curve.decision_curve(x), lambda ec: p2 - ec / (1 - x)),
        "avoided": (
            curve.interventions_avoided(x),
            lambda ec: 100 * ((p2 - ec / (1 - x)) - (p2 - p1 * odds)) / odds,
        ),
    }
    for view, of in views.values():
        assert view.actual == pytest.approx(of(curve.actual(x)), rel=1e-9, abs=1e-12)
        assert view.frame()["minimum"] == pytest.approx(of(curve.minimum(x)), rel=1e-9, abs=1e-12)
    over_priors: dict[str, tuple[stakes.CurveView, Callable[[FloatArray], FloatArray]]] = {
        "ape": (curve.ape(plo[::-1]), lambda ec: ec / unit),
        "nbe": (curve.normalized_bayes_error(plo[::-1]), lambda ec: ec / curve.naive(x)),
        "cost": (curve.cost_curve((p2 * (1 - x) / unit)[::-1]), lambda ec: ec / unit),
    }
    near = np.isclose(np.abs(x[:, None] - data.p), 0, atol=1e-9).any(axis=1)  # rounding decides
    for view, of in over_priors.values():
        for line in ("actual", "minimum", "naive"):
            shown = view.frame()[line][::-1]
            wanted = of(getattr(curve, line)(x))
            assert shown[~near] == pytest.approx(wanted[~near], rel=1e-9, abs=1e-12)
        assert view.thresholds[::-1] == pytest.approx(x, rel=1e-9)


@given(scored())
def test_net_benefit_is_that_of_the_confusion_matrix(data: Scored) -> None:
    view = data.curve.decision_curve(THETAS[1:-1])
    for i, theta in enumerate(THETAS[1:-1].tolist()):
        counts = stakes.confusion_matrix(
            data.y, (data.p > theta).astype(int), classes=[0, 1], sample_weight=data.weights
        )
        used = counts if data.priors is None else counts.at_priors(data.priors)
        assert view.actual[i] == pytest.approx(used.net_benefit(theta).value, **CLOSE)
    prior = data.used_priors[1]
    odds = view.x / (1 - view.x)
    assert view.references["treat_all"] == pytest.approx(prior - (1 - prior) * odds, **CLOSE)
    assert view.references["treat_none"] == pytest.approx(np.zeros(view.x.size))


@dataclass(frozen=True)
class Harm(stakes.ScoringRule):
    """Minus the net benefit, sample by sample."""

    theta: float
    name = "harm"

    def losses(self, y: IntArray, answers: Answers) -> FloatArray:
        decided = answers.p[:, 1] > self.theta
        return np.where(y == 0, self.theta / (1 - self.theta), -1.0) * decided

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:
        assert n_classes == 2
        return np.array([0.0, -1.0]), np.array([self.theta / (1 - self.theta), 0.0])


@given(scored(), st.sampled_from([0.0317, 0.3141, 0.7182]))
def test_the_band_of_the_net_benefit_lets_the_prevalence_vary(data: Scored, theta: float) -> None:
    known = stakes.expected_loss(Harm(theta), data.y, data.p, **data.options)
    view = data.curve.decision_curve([theta], level=0.9)
    low, high = known.interval(0.9)
    slack = 1e-12 if data.weights is None else 0.1 * (high - low)
    assert (-view.frame()["high"][0], -view.frame()["low"][0]) == pytest.approx(
        (low, high), rel=1e-9, abs=slack
    )


@pytest.mark.parametrize("priors", ALL)
def test_with_weights_intervals_of_many_samples_are_close(priors: list[float] | None) -> None:
    weights = np.random.default_rng(3).lognormal(0, 0.5, SYSTEM.y.size)
    curve = stakes.risk_curve(SYSTEM.y, RAW, priors=priors, sample_weight=weights)
    costs = stakes.CostMatrix.binary(miss=0.7, false_alarm=0.3)
    known = stakes.bayes_cost(SYSTEM.y, RAW, costs=costs, priors=priors, sample_weight=weights)
    for mine, theirs in (
        (curve.at(0.3).interval(), known.interval()),
        (curve.at(0.3).normalized_interval(), known.normalized_interval()),
    ):
        slack = 0.03 * (theirs.high - theirs.low)
        assert tuple(mine) == pytest.approx(tuple(theirs), abs=slack)


@pytest.mark.parametrize("priors", ALL)
def test_bands_over_priors_take_the_effective_prior_as_given(priors: list[float] | None) -> None:
    curve = stakes.risk_curve(SYSTEM.y, RAW, priors=priors)
    x = [-3.0, 0.0, 1.5]
    error, normalized, cost = (
        curve.ape(x),
        curve.normalized_bayes_error(x),
        curve.cost_curve([0.25, 0.5]),
    )
    for i, plo in enumerate(x):
        effective = 1 / (1 + math.exp(-plo))
        decided = RAW.log_posteriors()[:, 1] > np.log(error.thresholds[i])
        record = stakes.expected_cost(
            SYSTEM.y, decided.astype(int), priors=[1 - effective, effective]
        )
        assert (error.frame()["low"][i], error.frame()["high"][i]) == pytest.approx(
            tuple(record.interval())
        )
        ends = normalized.frame()["low"][i], normalized.frame()["high"][i]
        assert ends == pytest.approx(tuple(record.normalized_interval()))
    assert (cost.frame()["low"] <= cost.actual).all()
    assert (cost.frame()["high"] >= cost.actual).all()


def test_likelihood_ratios_follow_the_priors() -> None:
    llr = stakes.LogLikelihoodRatios(np.linspace(-3, 4, SYSTEM.y.size))
    for priors in ([0.5, 0.5], [0.99, 0.01]):
        curve = stakes.risk_curve(SYSTEM.y, llr, priors=priors)
        costs = stakes.CostMatrix.binary(miss=0.7, false_alarm=0.3)
        known = stakes.bayes_cost(SYSTEM.y, llr, costs=costs, priors=priors)
        assert curve.at(0.3).value == pytest.approx(known.value, **CLOSE)
        dcf = stakes.detection_cost(SYSTEM.y, llr, target_prior=0.2)
        view = curve.normalized_bayes_error([math.log(0.25)])
        assert view.actual[0] == pytest.approx(dcf.actual.normalized, **CLOSE)
        assert view.frame()["minimum"][0] == pytest.approx(dcf.minimum.normalized, **CLOSE)


@pytest.mark.parametrize("priors", [[0.5, 0.5], [0.99, 0.01]])
def test_empirical_cross_entropy_is_cllr_at_even_odds(priors: list[float]) -> None:
    llr = stakes.LogLikelihoodRatios(RAW.log_posteriors() @ [-1, 1])
    view = stakes.risk_curve(SYSTEM.y, llr, priors=priors).empirical_cross_entropy([-1, 0, 2])
    assert view.actual[1] == pytest.approx(stakes.cllr(SYSTEM.y, llr).value, **CLOSE)
    assert view.frame()["minimum"][1] == pytest.approx(stakes.minimum_cllr(SYSTEM.y, llr), rel=1e-9)
    assert view.references["naive"][1] == 1
    for i, odds in ((0, 0.1), (2, 100.0)):
        record = stakes.cross_entropy(SYSTEM.y, llr, priors=[1 / (1 + odds), odds / (1 + odds)])
        assert view.actual[i] == pytest.approx(record.value / math.log(2), **CLOSE)
        assert view.references["naive"][i] == pytest.approx(record.naive / math.log(2), **CLOSE)


def test_cllr_is_the_area_under_the_applied_probability_of_error() -> None:
    llr = stakes.LogLikelihoodRatios(RAW.log_posteriors() @ [-1, 1])
    x = np.linspace(-40, 40, 400_001)
    view = stakes.risk_curve(SYSTEM.y, llr, priors=[0.2, 0.8]).ape(x, level=None)
    cllr = stakes.cllr(SYSTEM.y, llr).value
    assert view.actual.sum() * (x[1] - x[0]) / (2 * math.log(2)) == pytest.approx(cllr, rel=1e-4)


@given(scored(), st.booleans())
def test_no_threshold_is_worse_than_the_worst(data: Scored, normalized: bool) -> None:  # noqa: FBT001
    curve = data.curve
    grid = np.unique([*THETAS, *np.setdiff1d(data.p, [0, 1]), *(np.arange(1, 200) / 200 - 1e-10)])
    view = curve.calibration_loss(grid[grid > 0], normalized=normalized)
    assert view.worst.value >= view.actual.max() * (1 - 1e-9) - 1e-12
    theta = view.worst.threshold
    loss = float(curve.actual(theta) - curve.minimum(theta))
    unit = float(curve.naive(theta)) if normalized else 1.0
    assert view.worst.value == pytest.approx(loss / unit, rel=1e-6, abs=1e-9)
    assert view.worst.value == view.worst.actual - view.worst.minimum


def test_the_worst_application_can_be_put_to_work() -> None:
    curve = stakes.risk_curve(SYSTEM.y, RAW)
    worst = curve.calibration_loss().worst
    cost = stakes.bayes_cost(SYSTEM.y, RAW, costs=worst.costs)
    assert cost.value == pytest.approx(worst.actual, rel=1e-9)
    assert worst.ratio == pytest.approx((1 - worst.threshold) / worst.threshold)
    assert str(worst).startswith("worst at threshold")


def test_calibrated_scores_have_nothing_to_lose() -> None:
    worst = stakes.risk_curve([0, 1], [0.5, 0.5]).calibration_loss().worst
    assert worst.value == 0
    assert str(worst).startswith("calibration loses nothing")


def test_a_certain_wrong_answer_has_no_worst_but_a_limit() -> None:
    for p, limit in (([0.0, 0.2, 0.6, 0.0], 0.0), ([1.0, 0.2, 0.6, 0.7], 1.0)):
        curve = stakes.risk_curve([0, 0, 1, 1], p)
        worst = curve.calibration_loss(normalized=True).worst
        assert (worst.threshold, worst.value) == (limit, math.inf)
        assert curve.calibration_loss([0.01, 0.99], normalized=True).worst.value < math.inf
        assert curve.cross_entropy().actual == math.inf
        assert curve.cross_entropy().calibration_loss == math.inf
        assert curve.brier().actual < 1
        assert 0 < curve.calibration_loss().worst.value < 1


def test_the_cross_fitted_line_is_the_cost_of_cross_fitted_scores() -> None:
    calibrator = stakes.AffineCalibrator()
    curve = stakes.risk_curve(SYSTEM.y, RAW, calibrator=calibrator, rng=3)
    better = stakes.cross_calibrate(calibrator, SYSTEM.y, RAW, rng=3)
    costs = stakes.CostMatrix.binary(miss=0.9, false_alarm=0.1)
    value = stakes.bayes_cost(SYSTEM.y, better, costs=costs).value
    assert curve.cross_fitted(0.1) == pytest.approx(value, **CLOSE)
    assert curve.murphy([0.1]).cross_fitted == pytest.approx([value])
    entropy = stakes.cross_entropy(SYSTEM.y, better).value
    assert curve.cross_entropy().cross_fitted == pytest.approx(entropy, **CLOSE)
    loss = curve.calibration_loss([0.1, 0.2])
    assert loss.frame()["cross_fitted"][0] == pytest.approx(curve.actual(0.1) - value)
    assert "cross_fitted" not in stakes.risk_curve(SYSTEM.y, RAW).ape().frame()


def test_log_odds_far_out_keep_their_digits() -> None:
    llr = stakes.LogLikelihoodRatios([-50.0, 41.0, 40.0, 60.0, np.inf])
    curve = stakes.risk_curve([0, 0, 1, 1, 1], llr, priors=[0.5, 0.5])
    view = curve.normalized_bayes_error([-45.0, -40.5, -39.5], level=None)
    assert view.actual == pytest.approx([1 / 3, 1 / 3 + 0.5 * math.exp(40.5), 0.5 * math.exp(39.5)])
    assert view.frame()["minimum"][0] == pytest.approx(1 / 3)


def test_a_table_a_column_and_logits_give_the_same_curve() -> None:
    p = np.arange(1, 20) / 20
    y = np.arange(19) % 3 % 2
    forms: list[stakes.Scores | np.ndarray] = [
        p,
        np.column_stack([1 - p, p]),
        stakes.LogPosteriors(np.log(p)),
        stakes.Logits(np.log(p) - np.log1p(-p)),
    ]
    between = THETAS[[0, 1, 5, 8, 10]]
    lines = [stakes.risk_curve(y, form).actual(between) for form in forms]
    for line in lines[1:]:
        assert line == pytest.approx(lines[0], rel=1e-12)
    tied = [stakes.risk_curve(y, form).actual(p) for form in forms[:2]]
    assert (tied[0] == tied[1]).all()
    surer = np.array([[1e-30, 1.0], [1e-17, 1.0]])
    curve = stakes.risk_curve([1, 0], surer)
    assert curve.minimum(0.5) == 0
    assert curve.cross_entropy().actual == pytest.approx(-0.5 * math.log(1e-17))


def test_extreme_weights_change_nothing_but_their_share() -> None:
    y, p = [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]
    plain = stakes.risk_curve(y, p, sample_weight=[1, 3, 2, 2], priors=[0.7, 0.3])
    for factor in (1e-300, 1e300):
        w = np.array([1, 3, 2, 2]) * [factor, factor, 1, 1]
        curve = stakes.risk_curve(y, p, sample_weight=w, priors=[0.7, 0.3])
        for name in ("actual", "low", "high", "minimum"):
            one, other = (getattr(c.murphy(), name) for c in (plain, curve))
            assert one == pytest.approx(other, rel=1e-12)


# Values of other tools: nci/scores (weather), BOSARIS and PYLLR (speech), ROCAnalysis.jl.


def test_weather_murphy_diagram() -> None:
    curve = stakes.risk_curve([0, 0, 1, 1, 0], [0.1, 0.4, 0.35, 0.8, 0.5])
    thetas = [0.05, 0.2, 0.35, 0.4, 0.5, 0.6, 0.9]
    values = [0.03, 0.08, 0.27, 0.2, 0.1, 0.08, 0.04]
    assert curve.murphy(thetas).actual == pytest.approx(values)
    assert curve.brier().actual == pytest.approx(0.1765)
    assert curve.cross_entropy().actual == pytest.approx(0.5164598, abs=1e-7)


REV = [
    [0.02857143, 0.6, 0.33333333, -0.28888889, -3.4],
    [-0.64285714, 0.5, 0.36666667, 0.05555556, -1.5],
    [-1.36428571, 0.35, 0.28333333, 0.12777778, -0.65],
]  # one row for each rule to warn
WARNED = {"pod": [0.8, 0.6, 0.4], "pofd": [0.2, 0.1, 0.05]}


def test_weather_relative_economic_value() -> None:
    alpha, priors = [0.1, 0.3, 0.5, 0.7, 0.9], [0.7, 0.3]
    y, certain = [0, 0, 1, 1], stakes.Posteriors([0.0, 1.0, 0.0, 1.0])
    for pod, pofd, value in zip(WARNED["pod"], WARNED["pofd"], REV, strict=True):
        weights = [1 - pofd, pofd, 1 - pod, pod]
        curve = stakes.risk_curve(y, certain, sample_weight=weights, priors=priors)
        assert curve.relative_value(alpha).actual == pytest.approx(value, abs=1e-8)
    first, second = [0.8, 0.1, 0.05, 0.05], [0.2, 0.2, 0.2, 0.4]
    curve = stakes.risk_curve(
        [0] * 4 + [1] * 4,
        [0.1, 0.2, 0.3, 0.4] * 2,
        sample_weight=first + second,
        priors=priors,
    )
    envelope = np.maximum(np.max(REV, axis=0), 0)
    assert curve.relative_value(alpha).minimum == pytest.approx(envelope, abs=1e-8)


def test_speech_actual_detection_cost() -> None:
    llr = stakes.LogLikelihoodRatios([1, 2, 5, 7, -7, -5, -2, -1])
    curve = stakes.risk_curve([1] * 4 + [0] * 4, llr, priors=[0.5, 0.5])
    plo = np.arange(-6, 7)
    misses = np.array([0.75, 0.5, 0.5, 0.5, 0.25, 0, 0, 0, 0, 0, 0, 0, 0])
    alarms = np.array([0, 0, 0, 0, 0, 0, 0, 0.25, 0.5, 0.5, 0.5, 0.75, 0.75])
    prior = 1 / (1 + np.exp(-plo))
    known = prior * misses + (1 - prior) * alarms
    # There, scores equal to the threshold are accepted; here, just below it.
    assert curve.ape(plo + 1e-9).actual == pytest.approx(known, abs=1e-8)
    tied = curve.ape([-1.0]).actual
    assert tied == pytest.approx([0.25 / (1 + math.e)])


@pytest.mark.parametrize(
    ("targets", "others", "eer"),
    [
        ([0, 2], [1], 1 / 3),
        ([0], [1], 1 / 2),
        ([1], [0], 0),
        ([0, 1, 2], [1], 0.4),
        ([0, 1, 2], [0.5], 0.25),
        ([1.5], [0, 1, 2], 0.25),
    ],
)
def test_speech_equal_error_rate_is_the_top_of_the_minimum(
    targets: list[float], others: list[float], eer: float
) -> None:
    y = [1] * len(targets) + [0] * len(others)
    curve = stakes.risk_curve(
        y, stakes.LogLikelihoodRatios(targets + others), priors=[0.5, 0.5]
    ).cost_curve(np.arange(1, 10_000) / 10_000, level=None)
    assert curve.frame()["minimum"].max() == pytest.approx(eer, abs=1e-4)


FORENSIC = [
    ([3.0, 3.0], [1 / 3, 1 / 3], 2.0),
    ([1 / 3, 1 / 3], [3.0, 3.0], 0.4150374992788437),
    ([1 / 3, 1 / 3], [1.0], 0.7075187496394219),
]


@pytest.mark.parametrize(("others", "targets", "value"), FORENSIC)
def test_forensic_cllr(others: list[float], targets: list[float], value: float) -> None:
    y = [0] * len(others) + [1] * len(targets)
    llr = stakes.LogLikelihoodRatios.from_ratio(others + targets)
    view = stakes.risk_curve(y, llr, priors=[0.3, 0.7]).empirical_cross_entropy([0.0])
    assert view.actual == pytest.approx([value])


def test_views_are_frames_and_plain_values() -> None:
    curve = stakes.risk_curve(SYSTEM.y, RAW)
    for view in (curve.ape(), curve.decision_curve(), curve.empirical_cross_entropy([0, 1])):
        frame = view.frame()
        assert next(iter(frame)) == view.x_name
        assert {column.size for column in frame.values()} == {view.x.size}
        plain = view.to_dict()
        assert plain["columns"]["actual"] == view.actual.tolist()
    assert (
        repr(curve.murphy()) == "CurveView(Murphy diagram, 99 points, threshold 0.0100 to 0.9900)"
    )
    assert repr(curve.calibration_loss()).startswith("CalibrationLossView(")
    assert repr(curve).startswith(f"RiskCurve({SYSTEM.y.size} distinct scores")
    assert float(curve.brier()) == curve.brier().actual
    assert curve.murphy(level=None).low is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stakes.risk_curve([0, 1, 2], np.eye(3)), "two classes: got 3"),
        (lambda: stakes.risk_curve([0, 0], [0.1, 0.2]), "class 1 has none"),
        (lambda: stakes.risk_curve([0, 1], [0.1, 0.2], priors=[1, 0]), "priors must be above 0"),
        (lambda: stakes.risk_curve([0, 1], [0.1, 0.2]).cross_fitted(0.5), "calibrator must be"),
        (lambda: stakes.risk_curve([0, 1], [0.1, 0.2]).actual([0.5, 0]), "got 0"),
        (lambda: stakes.risk_curve([0, 1], [0.1, 0.2]).naive(math.nan), "got nan"),
        (lambda: stakes.risk_curve([0, 1], [0.1, 0.2]).at(1), "threshold must be"),
        (lambda: stakes.risk_curve([0, 1], [0.1, 0.2]).murphy([0.5, 0.2]), "grid must be"),
        (lambda: stakes.risk_curve([0, 1], [0.1, 0.2]).decision_curve([0.5, 1]), "got 1"),
        (lambda: stakes.risk_curve([0, 1], [0.1, 0.2]).cost_curve([0, 0.5]), "effective_prior"),
        (lambda: stakes.risk_curve([0, 1], [0.1, 0.2]).ape([0, math.inf]), "got inf"),
        (
            lambda: stakes.risk_curve([0, 1], [0.1, 0.2]).empirical_cross_entropy([-math.inf, 0]),
            "got -inf",
        ),
        (lambda: stakes.risk_curve([0, 1], [0.1, 0.2]).ape(level=1.5), "level must be"),
    ],
)
def test_mistakes_are_named(call: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(stakes.StakesError, match=message):
        call()
