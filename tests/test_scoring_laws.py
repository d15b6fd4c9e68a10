"""Laws that hold for every scoring rule."""

import math
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import stakes
from stakes.scores import Probabilities
from strategies import (
    Decided,
    Scored,
    decided,
    plain_rules,
    prior_arrays,
    rules,
    scored,
    weight_arrays,
)

ROUNDING = 2e-15


def close(a: float, b: float, scale: float = 0.0) -> bool:
    return a == b or abs(a - b) <= ROUNDING * max(abs(a), abs(b), scale)


def scale_of(rule: stakes.ScoringRule, data: Scored) -> float:
    """Return the size of the losses, for what rounding may do."""
    value = data.loss(rule).value
    return max(1.0, value if math.isfinite(value) else 1.0)


@given(st.lists(st.floats(1e-12, 1), min_size=2, max_size=40), st.floats(1e-9, 1))
def test_naive_losses_in_closed_form_are_those_of_the_definition(
    shares: list[float], rare: float
) -> None:
    p = np.array([*np.multiply(shares, rare), 1.0])
    p /= p.sum()
    for rule in (stakes.LogLoss(), stakes.BrierLoss()):
        found, wanted = rule.naive_losses(p), stakes.ScoringRule.naive_losses(rule, p)
        np.testing.assert_allclose(found, wanted, rtol=4e-15)


@given(scored(), st.integers(0, 19))
def test_no_answer_beats_the_true_posteriors(data: Scored, which: int) -> None:
    q = data.p[which % data.y.size]
    y = np.arange(q.size)
    for rule in rules(q.size):
        for s in data.p:
            with np.errstate(invalid="ignore"):
                losses = rule.losses(y, Probabilities(np.tile(s, (q.size, 1))))
                other = float(np.where(q > 0, q * losses, 0).sum())
            assert rule.naive(q) <= other + 1e-14 * max(1, rule.naive(q)), rule.name


@given(scored(), st.integers(0, 19))
def test_strict_rules_have_no_second_best_answer(data: Scored, which: int) -> None:
    q = data.p[which % data.y.size]
    y = np.arange(q.size)
    for rule in [rule for rule in rules(q.size) if rule.strict]:
        for s in data.p:
            if np.abs(s - q).max() > 1e-3:
                with np.errstate(invalid="ignore"):
                    losses = rule.losses(y, Probabilities(np.tile(s, (q.size, 1))))
                    assert float(np.where(q > 0, q * losses, 0).sum()) > rule.naive(q) + 1e-9


@given(st.integers(2, 5).flatmap(prior_arrays))
def test_naive_values_have_their_closed_forms(priors: np.ndarray) -> None:
    k = priors.size
    assert stakes.LogLoss().naive(priors) == pytest.approx(-(priors * np.log(priors)).sum())
    assert stakes.BrierLoss().naive(priors) == pytest.approx((priors * (1 - priors)).sum() / k)
    costs = stakes.CostMatrix(np.arange(3.0 * k).reshape(k, 3) % 7, decisions=3)
    assert stakes.BayesCost(costs).naive(priors) == pytest.approx(costs.naive(priors)[1])


@given(scored(), st.randoms(use_true_random=False))
def test_sample_order_changes_no_bit(data: Scored, random: Random) -> None:
    order = np.array(random.sample(range(data.y.size), data.y.size))
    weights = None if data.weights is None else data.weights[order]
    shuffled = Scored(data.y[order], data.p[order], weights, data.priors)
    for rule in rules(data.n_classes):
        one, other = data.loss(rule), shuffled.loss(rule)
        assert one.value == other.value, rule.name
        assert one.naive == other.naive


@given(scored(weights=False), st.data())
def test_a_whole_weight_is_a_repetition(data: Scored, draw: st.DataObject) -> None:
    weights = draw.draw(weight_arrays(data.y.size, whole=True))
    weights[: data.n_classes] = np.maximum(weights[: data.n_classes], 1)
    times = weights.astype(int)
    weighted = Scored(data.y, data.p, weights, data.priors)
    repeated = Scored(np.repeat(data.y, times), np.repeat(data.p, times, axis=0), None, data.priors)
    for rule in rules(data.n_classes):
        assert close(weighted.loss(rule).value, repeated.loss(rule).value), rule.name


@given(scored())
def test_a_sample_of_weight_zero_is_absent_even_if_its_loss_is_infinite(data: Scored) -> None:
    weights = np.ones(data.y.size) if data.weights is None else data.weights
    certain = np.eye(data.n_classes)[[1]]
    more = Scored(
        np.append(data.y, 0), np.vstack([data.p, certain]), np.append(weights, 0), data.priors
    )
    fewer = Scored(data.y, data.p, weights, data.priors)
    for rule in rules(data.n_classes):
        one, other = more.loss(rule), fewer.loss(rule)
        assert one.value == other.value, rule.name
        assert (one.infinite_rows == other.infinite_rows).all()


@given(scored(), st.integers(-200, 200))
def test_weights_times_a_power_of_two_change_no_bit(data: Scored, power: int) -> None:
    weights = np.ones(data.y.size) if data.weights is None else data.weights
    assume(weights[weights > 0].min() > 1e-200 or power > 0)
    scaled = Scored(data.y, data.p, np.ldexp(weights, power), data.priors)
    plain = Scored(data.y, data.p, weights, data.priors)
    for rule in rules(data.n_classes):
        assert plain.loss(rule).value == scaled.loss(rule).value, rule.name


@given(scored(), st.data())
def test_priors_are_a_reweighting(data: Scored, draw: st.DataObject) -> None:
    priors = draw.draw(prior_arrays(data.n_classes))
    share = np.bincount(data.y, minlength=data.n_classes) / data.y.size
    given_priors = Scored(data.y, data.p, None, priors)
    reweighted = Scored(data.y, data.p, (priors / share)[data.y], None)
    for rule in rules(data.n_classes):
        one, other = given_priors.loss(rule), reweighted.loss(rule)
        assert close(one.value, other.value, scale=2 * scale_of(rule, data)), rule.name


@given(scored(), st.randoms(use_true_random=False))
def test_other_names_in_another_order_change_nothing(data: Scored, random: Random) -> None:
    k = data.n_classes
    order = np.array(random.sample(range(k), k))
    names = [f"class {chr(97 + i)}" for i in range(k)]
    renamed = [names[i] for i in np.argsort(order)[data.y]]
    priors = None if data.priors is None else data.priors[order]
    for rule in plain_rules():
        other = stakes.expected_loss(
            rule,
            renamed,
            data.p[:, order],
            priors=priors,
            sample_weight=data.weights,
            classes=names,
        )
        assert close(other.value, data.loss(rule).value, scale=1), rule.name


@given(scored(weights=False))
def test_answering_the_priors_scores_one(data: Scored) -> None:
    counts = np.bincount(data.y, minlength=data.n_classes)
    priors = counts / counts.sum()
    answers = np.tile(priors, (data.y.size, 1))
    for rule in rules(data.n_classes):
        loss = stakes.expected_loss(rule, data.y, answers)
        assert math.isnan(loss.normalized) or loss.normalized == pytest.approx(1, rel=1e-14)


@given(scored(weights=False, classes=2))
def test_bayes_decisions_of_calibrated_posteriors_never_cost_more_than_the_naive_one(
    data: Scored,
) -> None:
    values, code = np.unique(data.p[:, 1], return_inverse=True)
    calibrated = np.bincount(code, data.y) / np.bincount(code)
    assert values.size == calibrated.size
    for costs in ([[0, 1], [1, 0]], [[0, 1], [5, 0]], [[0, 1, 0.2], [3, 0, 0.2]]):
        cost = stakes.bayes_cost(data.y, stakes.Posteriors(calibrated[code]), costs=costs)
        assert cost.value <= cost.naive + 1e-12


@given(scored(classes=2))
def test_brier_and_log_loss_are_integrals_of_bayes_cost_over_thresholds(data: Scored) -> None:
    p = np.clip(data.p[:, 1], 1e-6, 1 - 1e-6)
    y = data.y
    edges = np.unique(np.concatenate([[0.0, 1.0], p]))
    brier = log_loss = 0.0
    for a, b in pairwise(edges):
        middle = (a + b) / 2
        alarms, misses = ((y == 0) & (p > middle)).sum(), ((y == 1) & (p <= middle)).sum()
        brier += alarms * (b * b - a * a) / 2 + misses * ((1 - a) ** 2 - (1 - b) ** 2) / 2
        log_loss += alarms * (math.log1p(-a) - math.log1p(-b)) if alarms else 0.0
        log_loss += misses * (math.log(b) - math.log(a)) if misses else 0.0
    ours = Scored(y, np.column_stack([1 - p, p]), None, None)
    assert 2 * brier / y.size == pytest.approx(ours.loss(stakes.BrierLoss()).value, rel=1e-12)
    assert log_loss / y.size == pytest.approx(ours.loss(stakes.LogLoss()).value, rel=1e-12)
    assert brier / y.size == pytest.approx(ours.loss(stakes.ThresholdRange()).value, rel=1e-12)


@given(scored(classes=2), st.floats(0, 0.8), st.floats(0.05, 1))
def test_threshold_range_is_the_mean_bayes_cost_over_its_interval(
    data: Scored, low: float, width: float
) -> None:
    high = min(low + width, 1.0)
    rule = stakes.ThresholdRange(low, high)
    grid = low + (high - low) * (np.arange(4000) + 0.5) / 4000
    p, t = data.p[:, 1], grid[:, None]
    by_hand = np.where(data.y == 0, np.where(p > t, t, 0), np.where(p <= t, 1 - t, 0))
    ours = stakes.expected_loss(rule, data.y, data.p).value
    assert ours == pytest.approx(by_hand.mean(), abs=1e-3)


@given(scored(), st.sampled_from([np.float32, np.float16]))
def test_single_precision_input_moves_values_by_its_rounding_only(data: Scored, kind: type) -> None:
    p = 1e-3 + (1 - 1e-3 * data.n_classes) * data.p
    exact = Scored(data.y, p, None, data.priors)
    rounded = Scored(data.y, p.astype(kind), None, data.priors)
    allowed = 1.2e-7 if kind is np.float32 else 1e-3  # rounding is relative, so log p moves by it
    for rule in plain_rules():
        assert abs(exact.loss(rule).value - rounded.loss(rule).value) <= allowed


@given(decided(square=True, classes=2))
def test_decisions_that_are_certain_posteriors_cost_the_same(data: Decided) -> None:
    certain = np.eye(2)[data.d]
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    ours = stakes.bayes_cost(data.y, certain, costs=costs, sample_weight=data.weights)
    theirs = stakes.expected_cost(data.y, data.d, costs=costs, sample_weight=data.weights)
    assert ours.value == pytest.approx(theirs.value, rel=4 * ROUNDING)
    assert ours.naive == pytest.approx(theirs.naive, rel=4 * ROUNDING)
    assert ours.standard_error == pytest.approx(
        theirs.standard_error, rel=1e-6, abs=1e-9, nan_ok=True
    )


@given(scored())
def test_arguments_stay_as_they_were(data: Scored) -> None:
    copies = [a if a is None else a.copy() for a in (data.y, data.p, data.weights, data.priors)]
    for rule in rules(data.n_classes):
        data.loss(rule).interval()
    for before, after in zip(copies, (data.y, data.p, data.weights, data.priors), strict=True):
        assert before is after or (before == after).all()  # type: ignore[union-attr]
