"""Curves and thresholds: laws, oracles, and what other fields publish."""

import functools
import inspect
import json
import math
from collections.abc import Callable
from itertools import product
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st
from sklearn import metrics as sk

import stakes
from stakes import metrics
from stakes.curves.selective import risk_coverage
from stakes.statistics import ScoreLevels
from strategies import Scored, scored

COSTS = [
    stakes.CostMatrix.zero_one(2),
    stakes.CostMatrix.binary(miss=5, false_alarm=1),
    stakes.CostMatrix.binary(miss=1, false_alarm=7),
    stakes.CostMatrix([[1, 2], [6, 0.5]]),
]


def roc_of(data: Scored) -> stakes.RocCurve:
    return stakes.roc_curve(data.y, stakes.Posteriors(data.p[:, 1]), sample_weight=data.weights)


@given(scored(classes=2))
def test_strictly_rising_maps_change_no_bit(data: Scored) -> None:
    s = data.p[:, 1]
    plain = roc_of(data)
    for mapped in (3 * s - 1, np.exp(s), np.where(s == 1, np.inf, s), s.astype(np.float32)):
        other = stakes.roc_curve(data.y, mapped, sample_weight=data.weights)
        if np.unique(mapped).size < np.unique(s).size:
            continue  # the map made new ties
        assert plain.auc() == other.auc()
        assert plain.eer() == other.eer()
        assert [h.tolist() for h in plain.convex_hull()] == [
            h.tolist() for h in other.convex_hull()
        ]
        for costs in COSTS:
            assert plain.minimum_cost(costs).value == other.minimum_cost(costs).value


@given(scored(classes=2), st.randoms(use_true_random=False))
def test_sample_order_changes_no_bit(data: Scored, random: Random) -> None:
    order = np.array(random.sample(range(data.y.size), data.y.size))
    weights = None if data.weights is None else data.weights[order]
    other = roc_of(Scored(data.y[order], data.p[order], weights, None))
    assert roc_of(data).auc() == other.auc()
    assert roc_of(data).eer() == other.eer()


@given(scored(classes=2))
def test_turning_scores_and_classes_round(data: Scored) -> None:
    s = data.p[:, 1]
    forward, backward = roc_of(data), stakes.roc_curve(data.y, -s, sample_weight=data.weights)
    assert forward.auc() + backward.auc() == pytest.approx(1, abs=4e-16)
    swapped = stakes.roc_curve(1 - data.y, -s, sample_weight=data.weights)
    assert swapped.auc() == pytest.approx(forward.auc(), abs=4e-16)
    assert swapped.eer() == pytest.approx(forward.eer(), abs=1e-15)


@given(scored(classes=2, weights=False))
def test_area_is_the_share_of_pairs_in_order(data: Scored) -> None:
    s = data.p[:, 1]
    first, second = s[data.y == 0], s[data.y == 1]
    pairs = [(b > a) + (a == b) / 2 for a, b in product(first, second)]
    assert roc_of(data).auc() == sum(pairs) / len(pairs)
    assert roc_of(data).auc() == pytest.approx(sk.roc_auc_score(data.y, s), rel=1e-14)
    ours = stakes.precision_recall_curve(data.y, s).average_precision()
    assert ours == pytest.approx(sk.average_precision_score(data.y, s), rel=1e-13)


@given(scored(classes=2, weights=False))
def test_points_are_those_of_scikit_learn(data: Scored) -> None:
    s = data.p[:, 1]
    fpr, tpr, _ = sk.roc_curve(data.y, s, drop_intermediate=False)
    ours = roc_of(data)
    np.testing.assert_allclose(ours.false_alarm_rate[::-1], fpr, atol=1e-15)
    np.testing.assert_allclose(ours.sensitivity[::-1], tpr, atol=1e-15)


@given(scored(classes=2))
def test_the_least_error_rate_is_never_above_the_equal_error_rate(data: Scored) -> None:
    roc = roc_of(data)
    for q in (0.05, 0.3, 0.5, 0.8):
        least = roc.minimum_cost(priors=[1 - q, q]).value
        assert least <= min(roc.eer(), q, 1 - q) + 1e-12
    assert 0 <= roc.eer() <= 0.5


@given(scored(classes=2))
def test_the_hull_is_convex_above_the_curve_and_holds_every_minimum(data: Scored) -> None:
    roc = roc_of(data)
    alarms, found = roc.convex_hull()
    area = float(np.trapezoid(found[::-1], alarms[::-1]))
    assert area >= roc.auc() - 1e-12
    a, b = -np.diff(alarms), -np.diff(found)  # from everything accepted to nothing
    assert (b[:-1] * a[1:] <= b[1:] * a[:-1] + 1e-12).all()
    for costs, q in product(COSTS[:3], (0.1, 0.5)):
        values = roc.expected_costs(costs, [1 - q, q])
        assert values[roc.hull_points].min() == pytest.approx(values.min(), rel=1e-12, abs=1e-15)


@given(scored(classes=2, weights=False))
def test_bayes_cost_of_pooled_posteriors_is_the_minimum_cost(data: Scored) -> None:
    roc = roc_of(data)
    levels = roc.levels
    starts = levels.blocks()
    first, second = (np.add.reduceat(c, starts[:-1]) for c in (levels.first, levels.second))
    n1, n2 = levels.totals
    ratio = np.repeat(
        np.log(np.maximum(second, 0) / n2, where=second > 0, out=np.full(second.size, -np.inf))
        - np.log(first / n1, where=first > 0, out=np.full(first.size, -np.inf)),
        np.diff(starts),
    )
    llr = stakes.LogLikelihoodRatios(ratio[np.searchsorted(levels.level, data.p[:, 1])])
    for costs, q in product(COSTS[:3], (0.1, 0.37, 0.62)):
        bayes = stakes.bayes_cost(
            data.y, llr, costs=costs, priors=[1 - q, q], sample_weight=data.weights
        )
        least = roc.minimum_cost(costs, [1 - q, q])
        assert bayes.value == pytest.approx(least.value, rel=1e-9, abs=1e-12)


@given(scored(classes=2, weights=False))
def test_a_sweep_is_the_metric_at_every_threshold(data: Scored) -> None:
    roc = roc_of(data)
    every = [metrics.FScore(), metrics.FScore(2), metrics.Matthews(), metrics.NetBenefit(0.3)]
    every += [metrics.PositiveLikelihoodRatio(), metrics.Precision(), metrics.Recall()]
    for metric in every:
        swept = roc.sweep(metric)
        for value, threshold in zip(swept, roc.thresholds, strict=True):
            d = (
                (data.p[:, 1] > threshold).astype(int)
                if threshold > -np.inf
                else np.ones_like(data.y)
            )
            cm = stakes.confusion_matrix(data.y, d, classes=2)
            expected = metric.evaluate(cm).value
            assert value == pytest.approx(expected, rel=1e-14, abs=1e-15, nan_ok=True), metric
        if np.isnan(swept).all():
            with pytest.raises(stakes.UndefinedMetricError, match="no threshold"):
                roc.best(metric)
            continue
        point, best = roc.best(metric)
        finite = swept[~np.isnan(swept)]
        assert best == (finite.max() if metric.better == "higher" else finite.min())
        assert roc.at_threshold(point.threshold).misses == point.misses
    for costs in COSTS:
        cost = roc.expected_costs(costs)
        d = (data.p[:, 1] > roc.thresholds[1]).astype(int)
        expected = stakes.expected_cost(data.y, d, costs=costs).value
        assert cost[1] == pytest.approx(expected, rel=1e-14, abs=1e-15)


@given(scored(classes=2), st.sampled_from([0.1, 0.5, 0.8, 0.95, 1.0]))
def test_a_required_rate_is_kept_at_the_least_loss_of_the_other(data: Scored, rate: float) -> None:
    roc = roc_of(data)
    point = roc.specificity_at(rate)
    assert point.sensitivity >= rate
    assert point.specificity == roc.specificity[roc.sensitivity >= rate].max()
    point = roc.sensitivity_at(rate)
    assert point.specificity >= rate
    assert point.sensitivity == roc.sensitivity[roc.specificity >= rate].max()


@given(scored(classes=2, weights=False), st.sampled_from([0.1, 0.5, 0.8, 0.95, 1.0]))
def test_target_odds_make_the_wanted_sensitivity_optimal(data: Scored, wanted: float) -> None:
    roc = roc_of(data)
    target = roc.odds_for(wanted)
    assert target.point.sensitivity >= wanted
    low, high = target.range
    assert low <= target.odds <= high
    necs = target.odds * roc.false_alarm_rate + roc.miss_rate
    ours = target.odds * target.point.false_alarm_rate + target.point.miss_rate
    assert ours == pytest.approx(necs.min(), rel=1e-9, abs=1e-12)
    costs = stakes.CostMatrix.binary(miss=1, false_alarm=max(target.cost_ratio, 1e-300))
    assert roc.minimum_cost(costs).normalized == pytest.approx(
        target.normalized_cost, rel=1e-6, abs=1e-9
    )


def test_a_wish_that_contradicts_its_costs_is_called_so() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [200, 2000])
    s = y + 0.4 * rng.standard_normal(y.size)
    target = stakes.roc_curve(y, s)
    odds = target.odds_for(0.8)
    assert odds.cost_ratio > 1
    assert "times as bad as a miss" in odds.warning
    assert odds.warning in str(odds)
    assert target.odds_for(0.8, priors=[0.999, 0.001]).warning == ""


def test_many_levels_pool_as_few_do() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 30_000)
    s = y + rng.standard_normal(y.size)
    roc = stakes.roc_curve(y, s)
    alarms, found = roc.convex_hull()
    a, b = -np.diff(alarms), -np.diff(found)
    assert (b[:-1] * a[1:] < b[1:] * a[:-1]).all()
    fit = sk_isotonic(s, y)
    starts = roc.levels.blocks()
    first, second = (np.add.reduceat(c, starts[:-1]) for c in (roc.levels.first, roc.levels.second))
    ours = np.repeat(second / (first + second), np.diff(starts))
    np.testing.assert_allclose(ours, fit[np.argsort(s)], atol=1e-12)


def sk_isotonic(s: np.ndarray, y: np.ndarray) -> np.ndarray:
    from sklearn.isotonic import IsotonicRegression  # noqa: PLC0415

    return np.asarray(IsotonicRegression().fit_transform(s, y))


@given(scored(classes=2, weights=False))
def test_cllr_is_normalised_cross_entropy_at_equal_priors(data: Scored) -> None:
    llr = np.linspace(-3, 3, data.y.size)
    ours = float(stakes.cllr(data.y, llr))
    by_hand = (
        np.log2(1 + np.exp(-llr[data.y == 1])).mean() + np.log2(1 + np.exp(llr[data.y == 0])).mean()
    ) / 2
    assert ours == pytest.approx(by_hand, rel=1e-13)
    xe = stakes.cross_entropy(data.y, stakes.LogLikelihoodRatios(llr), priors=[0.5, 0.5])
    assert ours == pytest.approx(xe.normalized, rel=1e-15)
    assert ours == stakes.cllr(data.y, llr).normalized
    assert stakes.minimum_cllr(data.y, llr) <= ours + 1e-12
    assert stakes.minimum_cllr(data.y, llr) <= 1 + 1e-12


def test_class_detectors_average_as_they_say() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    p = rng.dirichlet(np.ones(3), 300) + np.eye(3)[y]
    p /= p.sum(axis=1, keepdims=True)
    ours = stakes.class_detectors(y, stakes.Posteriors(p, renormalize=True))
    assert ours.macro() == pytest.approx(sk.roc_auc_score(y, p, multi_class="ovr"))
    weighted = sk.roc_auc_score(y, p, multi_class="ovr", average="weighted")
    assert ours.prior_weighted() == pytest.approx(weighted)
    assert ours.macro(stakes.RocCurve.eer) < 0.5
    assert list(ours.curves) == [0, 1, 2]


def test_det_coordinates_are_probits() -> None:
    roc = stakes.roc_curve([0, 0, 1, 1], [1.0, 2.0, 1.5, 3.0])
    alarm, miss = roc.det()
    assert alarm[0] == math.inf
    assert miss[0] == -math.inf
    assert alarm[1] == 0
    assert miss[1] == -math.inf


@given(scored(weights=False))
def test_selective_area_has_its_closed_form_for_untied_confidence(data: Scored) -> None:
    curve = stakes.risk_coverage_curve(data.y, data.p)
    choice = data.p.argmax(axis=1)
    sure = data.p[np.arange(data.y.size), choice]
    right = (choice == data.y).astype(int)
    assert curve.coverage[-1] == 1
    assert curve.joint_risk[-1] == pytest.approx(1 - right.mean())
    if 0 < right.sum() < right.size:
        auc = stakes.roc_curve(right, sure).auc()
        accuracy = right.mean()
        expected = (1 - auc) * accuracy * (1 - accuracy) + (1 - accuracy) ** 2 / 2
        assert curve.generalized_area() == pytest.approx(expected, rel=1e-12)


def test_abstaining_never_costs_more_than_deciding_for_calibrated_scores() -> None:
    data = stakes.simulation.simulate(3, n=20_000)
    scores = data.posteriors(stakes.simulation.skewed_priors(3))
    curve = stakes.abstention_curve(data.y, scores, [0.05, 0.2, 0.6, 1.0])
    values = [cost.value for cost in curve.costs]
    assert values == sorted(values)
    assert list(curve.abstention_rates) == sorted(curve.abstention_rates, reverse=True)
    assert curve.abstention_rates[-1] == 0


# Values of other fields' tools.


@pytest.mark.parametrize(
    ("targets", "others", "eer"),
    [
        ([0, 2], [1], 1 / 3),
        ([1], [0, 2], 1 / 3),
        ([0], [1], 0.5),
        ([1], [0], 0),
        ([0, 1, 2], [1], 0.4),
        ([0, 1, 2], [0.5], 0.25),
        ([0, 1, 2], [1.5], 0.4),
        ([1], [0, 1, 2], 0.4),
        ([0.5], [0, 1, 2], 0.4),
        ([1.5], [0, 1, 2], 0.25),
        ([0.1, 0.4, 0.8], [0.3, 0.5, 0.2, 0.05], 0.3),
    ],
)
def test_equal_error_rate_of_bosaris_and_pyllr(
    targets: list[float], others: list[float], eer: float
) -> None:
    y = [1] * len(targets) + [0] * len(others)
    assert stakes.roc_curve(y, [*targets, *others]).eer() == pytest.approx(eer, rel=1e-15)


def test_actual_detection_costs_of_bosaris() -> None:
    # Published with "accept at >= threshold"; only ratios equal to a threshold would differ.
    y = [1] * 4 + [0] * 4
    llr = [1, 2, 5, 7, -7, -5, -2, -1]
    miss = [0.75, 0.5, 0.5, 0.5, 0.25, 0, 0, 0, 0, 0, 0, 0, 0]
    alarm = [0, 0, 0, 0, 0, 0, 0, 0.25, 0.5, 0.5, 0.5, 0.75, 0.75]
    for plo, r21, r12 in zip(range(-6, 7), miss, alarm, strict=True):
        prior = 1 / (1 + math.exp(-plo + 1e-9))  # a hair below, as "at least" would have it
        dcf = stakes.detection_cost(y, [x + 2e-9 for x in llr], target_prior=prior)
        expected = prior * r21 + (1 - prior) * r12
        assert dcf.actual.value == pytest.approx(expected, abs=1e-6), plo
        assert dcf.effective_prior == pytest.approx(prior)
        assert dcf.minimum.value == 0


@pytest.mark.parametrize(
    ("other", "target", "value"),
    [
        ([1, 1], [1, 1], 1),
        ([3, 3], [1 / 3, 1 / 3], 2),
        ([1 / 3, 1 / 3], [3, 3], 0.4150374992788437),
        ([1 / 3, 1 / 3], [1], 0.7075187496394219),
        ([0.01] * 100, [1], 0.507177646488535),
        ([0.01] * 100 + [100], [1], 0.5400680236656377),
        ([2], [2, 2], 1.0849625007211563),
        ([8], [8] * 8, 1.6699250014423126),
        ([0, 0], [1, 1], 0.5),
        ([0, 0], [math.inf, math.inf], 0),
        ([math.inf, 1], [1, 1], math.inf),
    ],
)
def test_cllr_of_lir(other: list[float], target: list[float], value: float) -> None:
    y = [0] * len(other) + [1] * len(target)
    ratios = stakes.LogLikelihoodRatios.from_ratio([*other, *target])
    assert stakes.cllr(y, ratios).normalized == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    ("ratios", "cllr", "least"),
    [
        ([5, 5, 5, 0.2, 5, 0.2, 0.2, 0.2], 0.8435164295556343, 0.8112781244591329),
        ([6, 5, 5, 0.2, 5, 0.2, 0.2, 0.1], 0.8227448212329838, 0.6887218755408671),
    ],
)
def test_minimum_cllr_of_lir(ratios: list[float], cllr: float, least: float) -> None:
    y = [1, 1, 1, 1, 0, 0, 0, 0]
    llr = stakes.LogLikelihoodRatios.from_ratio(ratios)
    assert stakes.cllr(y, llr).normalized == pytest.approx(cllr, rel=1e-14)
    assert stakes.minimum_cllr(y, llr) == pytest.approx(least, rel=1e-14)


def test_breath_analyser_of_lir() -> None:
    ratios = [0.101] * 990 + [1000] * 10 + [1000] * 90 + [0.101] * 10
    y = [0] * 1000 + [1] * 100
    llr = stakes.LogLikelihoodRatios.from_ratio(ratios)
    assert stakes.cllr(y, llr).normalized == pytest.approx(0.29151754531969604)
    assert stakes.minimum_cllr(y, llr) == pytest.approx(0.2807451932617031)
    published = {0.01: 0.04698486701717315, 0.1: 0.14172356869339153, 0.9: 0.20195643937771418}
    for prior, bits in published.items():  # empirical cross-entropy, in bits
        xe = stakes.cross_entropy(y, llr, priors=[1 - prior, prior]).value
        assert xe / math.log(2) == pytest.approx(bits)


def test_relative_economic_value_of_weather_is_one_minus_normalised_cost() -> None:
    published = {  # cost-loss ratio: REV of three detectors
        0.1: (0.02857143, -0.64285714, -1.36428571),
        0.3: (0.6, 0.5, 0.35),
        0.5: (0.33333333, 0.36666667, 0.28333333),
        0.7: (-0.28888889, 0.05555556, 0.12777778),
        0.9: (-3.4, -1.5, -0.65),
    }
    for alpha, values in published.items():
        for hit, false, rev in zip((0.8, 0.6, 0.4), (0.2, 0.1, 0.05), values, strict=True):
            cm = stakes.ConfusionMatrix.from_counts([[1 - false, false], [1 - hit, hit]])
            costs = [[0, alpha], [1 - alpha, 0]]
            assert 1 - cm.expected_cost(costs, [0.7, 0.3]).normalized == pytest.approx(
                rev, abs=1e-8
            )


def test_murphy_diagram_of_weather() -> None:
    y, p = [0, 0, 1, 1, 0], [0.1, 0.4, 0.35, 0.8, 0.5]
    published = {0.05: 0.03, 0.2: 0.08, 0.35: 0.27, 0.4: 0.2, 0.5: 0.1, 0.6: 0.08, 0.9: 0.04}
    for theta, value in published.items():
        d = [int(x > theta) for x in p]
        cost = stakes.expected_cost(y, d, costs=[[0, theta], [1 - theta, 0]])
        assert cost.value == pytest.approx(value)
    assert stakes.brier_score(y, p).value == pytest.approx(0.1765)
    assert stakes.cross_entropy(y, p).value == pytest.approx(0.5164598, abs=1e-7)


def test_metrics_reloaded() -> None:
    cm = stakes.ConfusionMatrix.from_counts([[40, 10], [5, 45]])
    assert cm.matthews().value == pytest.approx(0.7035265)
    assert cm.positive_likelihood_ratio().value == pytest.approx(4.5)
    assert cm.f_score().value == pytest.approx(0.857142843, abs=1e-7)
    assert cm.expected_cost([[0, 1], [5, 0]]).normalized == pytest.approx(0.7)
    rare = stakes.ConfusionMatrix.from_counts([[8, 2], [9, 81]])
    assert rare.matthews().value == pytest.approx(0.5590566)
    assert rare.expected_cost().normalized == pytest.approx(1.1)
    assert rare.expected_cost([[0, 1], [5, 0]]).normalized == pytest.approx(4.7)
    for counts, ninth, even in (
        ([[0, 75], [0, 30]], 0.20634922, -0.42857143),
        ([[10, 60], [15, 20]], 0.12698412, -0.38095242),
    ):
        table = stakes.ConfusionMatrix.from_counts(counts)
        assert table.net_benefit(0.1).value == pytest.approx(ninth, abs=1e-7)
        assert table.net_benefit(0.5).value == pytest.approx(even, abs=1e-7)
    five = stakes.confusion_matrix([0, 1, 2, 3, 4], [0, 1, 2, 3, 0])
    assert five.balanced_error_rate().value / five.balanced_error_rate().naive == 0.25


def test_selective_areas_of_fd_shifts() -> None:
    sure = np.tile([0.0, 1.0], 50)
    wrong = 1 - np.tile([0, 1], 50)
    curve = risk_coverage(ScoreLevels.from_scores(sure, wrong, None))
    assert curve.generalized_area() == 0.125
    assert curve.area() == 0.125
    flat = risk_coverage(ScoreLevels.from_scores(np.ones(100), wrong, None))
    assert flat.generalized_area() == 0.25
    assert flat.area() == 0.5
    four = risk_coverage(ScoreLevels.from_scores(np.ones(4), np.array([1, 0, 0, 0]), None))
    assert four.area() == 0.25


def test_values_of_scikit_learn_docstrings() -> None:
    p = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.2, 0.2, 0.6]]
    names = ["eggs", "ham", "spam"]
    ours = stakes.brier_score(names, p, classes=names).value
    assert ours == pytest.approx(0.146666666 / 3)  # theirs is the plain sum over classes
    binary = stakes.brier_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]).value
    assert binary == pytest.approx(0.0375)
    y = ["spam", "ham", "ham", "spam"]
    table = [[0.1, 0.9], [0.9, 0.1], [0.8, 0.2], [0.35, 0.65]]
    loss = stakes.cross_entropy(y, table, classes=["ham", "spam"]).value
    assert loss == pytest.approx(0.21616, abs=1e-5)


TABLE = [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.1, 0.9]]


def test_the_class_of_interest_turns_tables_and_typed_scores_round() -> None:
    y = [0, 0, 1, 1]
    for scores in (TABLE, stakes.Logits(TABLE), stakes.LogLikelihoodRatios([-2.0, -1.0, 0.0, 3.0])):
        assert stakes.roc_curve(y, scores).auc() == 1
        assert stakes.roc_curve(y, scores, positive=0).auc() == 1
        assert stakes.roc_curve(y, scores, positive=0).classes == (1, 0)
    assert stakes.roc_curve(y, [0.1, 0.2, 0.3, 0.9], positive=0).auc() == 0  # scores of class 0
    frame = pl.DataFrame({"spam": [0.1, 0.2, 0.9], "ham": [0.9, 0.8, 0.1]})
    names = ["ham", "ham", "spam"]
    assert stakes.roc_curve(names, frame, positive="spam").auc() == 1
    assert stakes.roc_curve(names, frame, classes=["ham", "spam"]).auc() == 1
    assert stakes.roc_curve(names, frame).auc() == 1


def test_likelihood_ratios_of_named_classes_need_their_order() -> None:
    for call in (stakes.cllr, stakes.minimum_cllr):
        with pytest.raises(stakes.InputError, match="classes"):
            call(["tgt", "non"], [1.0, -1.0])
        call(["tgt", "non"], [1.0, -1.0], classes=["non", "tgt"])
    with pytest.raises(stakes.InputError, match="classes"):
        stakes.detection_cost(["tgt", "non"], [1.0, -1.0], target_prior=0.1)


@given(st.floats(0.01, 0.99), st.floats(0.1, 10), st.floats(0.1, 10))
def test_a_ratio_at_the_threshold_is_not_accepted(prior: float, miss: float, alarm: float) -> None:
    costs = stakes.CostMatrix.binary(miss=miss, false_alarm=alarm)
    at = costs.llr_threshold([1 - prior, prior])
    dcf = stakes.detection_cost(
        [0, 1], [at, at + 5], target_prior=prior, miss=miss, false_alarm=alarm
    )
    assert dcf.threshold == at
    assert dcf.actual.value == 0


def test_class_detectors_rank_by_log_odds_that_do_not_saturate() -> None:
    scores = stakes.Logits([[0, 40.0], [0, 50], [0, 60], [0, 70]])
    assert stakes.class_detectors([0, 0, 1, 1], scores).macro() == 1
    with pytest.raises(stakes.UndefinedMetricError, match="two classes"):
        stakes.class_detectors([0, 0], [[0.5, 0.5], [0.4, 0.6]])
    detectors = stakes.class_detectors([0, 0, 1, 1], TABLE)
    assert detectors.macro(lambda roc: float(roc.minimum_cost())) == 0


def test_average_precision_with_extreme_weights() -> None:
    for weights in ([1, 1e17, 1], [1, 1e300, 1e-300]):
        curve = stakes.precision_recall_curve([0, 1, 1], [0.1, 0.2, 0.9], sample_weight=weights)
        assert curve.average_precision() == pytest.approx(1)


def test_records_are_fit_for_json() -> None:
    roc = stakes.roc_curve([0, 0, 1], [1.0, 2.0, 0.5])
    text = json.dumps(roc.minimum_cost(priors=[0.01, 0.99]).to_dict(), allow_nan=False)
    assert '"-inf"' in text
    infinite = stakes.cross_entropy([0, 1], [[1, 0], [1, 0]])
    assert json.dumps(infinite.to_dict(), allow_nan=False)
    dcf = stakes.detection_cost([0, 1], [-1.0, 1.0], target_prior=0.5)
    assert json.dumps(dcf.to_dict(), allow_nan=False)


def test_priors_weigh_the_risk_of_selective_answers() -> None:
    y, p = [0, 0, 1, 1], stakes.Posteriors([0.1, 0.6, 0.7, 0.8])
    even = stakes.risk_coverage_curve(y, p)
    rare = stakes.risk_coverage_curve(y, p, priors=[0.99, 0.01])
    assert even.joint_risk[-1] == 0.25
    assert rare.joint_risk[-1] == pytest.approx(0.495)


def test_abstention_beside_other_costs_and_odd_prices() -> None:
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    curve = stakes.abstention_curve([0, 1], [0.1, 0.6], iter([0.01, 2.0]), costs=costs)
    assert curve.prices == (0.01, 2.0)
    assert curve.abstention_rates == (1.0, 0.0)
    odd: list[Any] = [[], 0.5]
    for prices in odd:
        with pytest.raises(stakes.InputError, match="prices"):
            stakes.abstention_curve([0, 1], [0.1, 0.6], prices)


def test_normalised_costs_over_thresholds() -> None:
    roc = stakes.roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    assert roc.normalized_costs(costs).min() == roc.minimum_cost(costs).normalized
    assert np.isnan(roc.normalized_costs([[0, 0], [0, 0]])).all()
    assert roc.odds_for(0.9, priors=[0, 1]).cost_ratio == math.inf


def ranking_functions() -> dict[str, Callable[..., object]]:
    """Return all that takes labels and scores, with what else it needs."""
    more: dict[str, dict[str, Any]] = {
        "detection_cost": {"target_prior": 0.1},
        "expected_loss": {},
    }
    found: dict[str, Callable[..., object]] = {}
    for name in stakes.__all__:
        made = getattr(stakes, name)
        make = getattr(made, "from_predictions", made)
        if not callable(make) or (inspect.isclass(make) and make is made):
            continue
        arguments = list(inspect.signature(make).parameters)
        if arguments[:2] in (["y_true", "scores"], ["y_true", "llr"]):
            found[name] = functools.partial(make, **more.get(name, {}))
    return found


def test_places_count_as_scores_do() -> None:
    rng = np.random.default_rng(0)
    places, y = rng.integers(0, 300, 500) * 2, rng.integers(0, 2, 500)
    counted, gathered = (
        ScoreLevels.from_places(places, y),
        ScoreLevels.from_scores(places / 1.0, y, None),
    )
    for name in ("level", "first", "second", "exponent"):
        mine, theirs = getattr(counted, name), getattr(gathered, name)
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("name", sorted(ranking_functions()))
def test_texts_as_labels_need_declared_classes(name: str) -> None:
    """Sorted, "ill" would come before "well", and the scores would be those of the wrong class."""
    scores = np.linspace(0.05, 0.95, 40)
    with pytest.raises(stakes.StakesError, match="classes"):
        ranking_functions()[name](["ill", "well"] * 20, scores)


def test_the_law_of_texts_covers_the_ranking_functions() -> None:
    known = set(ranking_functions())
    assert {
        "auc",
        "roc_curve",
        "precision_recall_curve",
        "threshold_sweep",
        "minimum_cllr",
    } <= known
    assert {"RocDisplay", "DetDisplay", "TippettDisplay", "PrecisionRecallDisplay"} <= known
    assert len(known) > 25
