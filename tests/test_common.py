"""Laws that hold for every metric of hard decisions."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import stakes
from registry import BINARY, GENERAL, METRIC_OBJECTS, Metric
from strategies import Decided, count, decided, prior_arrays, weight_arrays

ROUNDING = 2e-15


def same(a: float, b: float) -> bool:
    """Tell the same bits, or two NaN."""
    return a == b or (math.isnan(a) and math.isnan(b))


def close(a: float, b: float, scale: float = 0.0) -> bool:
    """Tell values that differ by rounding only."""
    return same(a, b) or abs(a - b) <= ROUNDING * max(abs(a), abs(b), scale)


def every_value(cm: stakes.ConfusionMatrix) -> dict[str, float]:
    """Return all metrics that exist for these classes and decisions."""
    known: dict[str, Metric] = {}
    if cm.decisions == cm.classes:
        known = BINARY if len(cm.classes) == 2 else GENERAL
    return {name: metric(cm) for name, metric in known.items()}


@given(decided(), st.randoms(use_true_random=False))
def test_sample_order_changes_no_bit(data: Decided, random: Random) -> None:
    order = np.array(random.sample(range(data.y.size), data.y.size))
    weights = None if data.weights is None else data.weights[order]
    shuffled = count(data.y[order], data.d[order], weights, data.costs)
    for a, b in zip(
        every_value(data.confusion()).values(), every_value(shuffled).values(), strict=True
    ):
        assert same(a, b)
    assert same(data.cost().value, shuffled.expected_cost(data.costs, data.priors).value)
    assert (data.confusion().counts == shuffled.counts).all()


@given(decided(weights=False), st.data())
def test_a_whole_weight_is_a_repetition(data: Decided, draw: st.DataObject) -> None:
    weights = draw.draw(weight_arrays(data.y.size, whole=True))
    weights[: data.n_classes] = np.maximum(weights[: data.n_classes], 1)
    times = weights.astype(int)
    weighted = count(data.y, data.d, weights, data.costs)
    repeated = count(np.repeat(data.y, times), np.repeat(data.d, times), None, data.costs)
    for a, b in zip(every_value(weighted).values(), every_value(repeated).values(), strict=True):
        assert same(a, b)
    for priors in (None, data.priors):
        assert same(
            weighted.expected_cost(data.costs, priors).value,
            repeated.expected_cost(data.costs, priors).value,
        )


@given(decided())
def test_a_sample_of_weight_zero_is_absent(data: Decided) -> None:
    worst = int(np.argmax(data.costs.values.max(axis=0)))
    weights = np.ones(data.y.size) if data.weights is None else data.weights
    more = count(
        np.append(data.y, [0, 1]),
        np.append(data.d, [worst, 0]),
        np.append(weights, [0, 0]),
        data.costs,
    )
    fewer = count(data.y, data.d, weights, data.costs)
    for a, b in zip(every_value(more).values(), every_value(fewer).values(), strict=True):
        assert same(a, b)
    assert same(more.expected_cost(data.costs).value, fewer.expected_cost(data.costs).value)
    assert same(
        more.expected_cost(data.costs).standard_error,
        fewer.expected_cost(data.costs).standard_error,
    )


@given(decided(), st.integers(-200, 200))
def test_weights_times_a_power_of_two_change_no_bit(data: Decided, power: int) -> None:
    weights = np.ones(data.y.size) if data.weights is None else data.weights
    assume(weights[weights > 0].min() > 1e-200 or power > 0)
    scaled = count(data.y, data.d, np.ldexp(weights, power), data.costs)
    plain = count(data.y, data.d, weights, data.costs)
    for a, b in zip(every_value(plain).values(), every_value(scaled).values(), strict=True):
        assert same(a, b)
    one, other = (cm.expected_cost(data.costs, data.priors) for cm in (plain, scaled))
    assert same(one.value, other.value)
    assert same(one.naive, other.naive)
    assert same(one.standard_error, other.standard_error)


@given(decided(), st.integers(0, 25))
def test_parts_add_up_to_the_whole(data: Decided, cut: int) -> None:
    assume(0 < cut < data.y.size)
    weights = data.weights
    if weights is not None:
        assume(weights[:cut].any())
        assume(weights[cut:].any())
    halves = [
        count(data.y[part], data.d[part], None if weights is None else weights[part], data.costs)
        for part in (slice(cut), slice(cut, None))
    ]
    total, whole = halves[0] + halves[1], data.confusion()
    if weights is None:
        assert (total.counts == whole.counts).all()
        assert total.counts.dtype == whole.counts.dtype == np.int64
    np.testing.assert_allclose(total.counts, whole.counts, rtol=ROUNDING)
    assert close(total.expected_cost(data.costs, data.priors).value, data.cost().value)
    np.testing.assert_allclose(total.size, whole.size, rtol=8 * ROUNDING)


@given(decided(), st.floats(1e-3, 1e3))
def test_the_scale_of_costs_leaves_the_normalized_cost(data: Decided, factor: float) -> None:
    for a, exact in ((factor, False), (8.0, True)):
        scaled = stakes.CostMatrix(a * data.costs.values)
        one, other = (data.confusion().expected_cost(c, data.priors) for c in (data.costs, scaled))
        assert close(a * one.value, other.value)
        assert close(one.normalized, other.normalized, scale=2 * one.normalized)
        assert not exact or same(one.normalized, other.normalized)
        assert one.naive_answer == other.naive_answer or not exact


@given(decided(), st.data())
def test_a_constant_per_row_shifts_the_cost_and_nothing_else(
    data: Decided, draw: st.DataObject
) -> None:
    shift = np.array(
        draw.draw(st.lists(st.integers(0, 9), min_size=data.n_classes, max_size=data.n_classes))
    )
    shifted = stakes.CostMatrix(data.costs.values + shift[:, None])
    one = data.cost()
    other = data.confusion().expected_cost(shifted, data.priors)
    scale = float(shifted.values.max())
    assert close(other.value, one.value + one.priors @ shift, scale=4 * scale)
    assert close(other.naive, one.naive + one.priors @ shift, scale=4 * scale)
    if data.priors is not None:  # with data priors the frequencies vary, and what they cost
        assert close(other.standard_error, one.standard_error, scale=4 * scale)


@given(decided())
def test_the_best_constant_decision_has_normalized_cost_one_and_no_other_has_less(
    data: Decided,
) -> None:
    assume(data.cost().naive > 0)
    values = []
    for j in range(data.costs.shape[1]):
        constant = count(data.y, np.full(data.y.size, j), data.weights, data.costs)
        values.append(constant.expected_cost(data.costs, data.priors).normalized)
    assert min(values) == pytest.approx(1, rel=4 * ROUNDING)
    best, _ = data.costs.naive(data.cost().priors)
    assert values[best] == pytest.approx(1, rel=4 * ROUNDING)


@given(decided(square=True), st.randoms(use_true_random=False))
def test_other_names_in_another_order_change_nothing(data: Decided, random: Random) -> None:
    k = data.n_classes
    order = np.array(random.sample(range(k), k))
    place = np.argsort(order)
    names = [f"class {chr(97 + i)}" for i in range(k)]
    renamed = stakes.confusion_matrix(
        [names[i] for i in place[data.y]],
        [names[i] for i in place[data.d]],
        classes=names,
        sample_weight=data.weights,
    )
    costs = stakes.CostMatrix(data.costs.values[np.ix_(order, order)], classes=names)
    priors = None if data.priors is None else data.priors[order]
    other = renamed.expected_cost(costs, priors)
    assert close(other.value, data.cost().value)
    assert close(other.naive, data.cost().naive)
    for metric in GENERAL.values():
        assert close(metric(renamed), metric(data.confusion()), scale=1)


@given(decided(), st.data())
def test_given_priors_are_a_reweighting_of_the_classes(data: Decided, draw: st.DataObject) -> None:
    priors = draw.draw(prior_arrays(data.n_classes))
    counts = data.confusion()
    assert close(
        counts.at_priors(priors).expected_cost(data.costs).value,
        counts.expected_cost(data.costs, priors).value,
        scale=float(data.costs.values.max()),
    )


@given(decided())
def test_arguments_stay_as_they_were(data: Decided) -> None:
    copies = [a if a is None else a.copy() for a in (data.y, data.d, data.weights, data.priors)]
    values = data.costs.values.copy()
    every_value(data.confusion())
    data.cost().interval()
    for before, after in zip(copies, (data.y, data.d, data.weights, data.priors), strict=True):
        assert before is after or (before == after).all()  # type: ignore[union-attr]
    assert (values == data.costs.values).all()


@given(decided(square=True))
def test_values_lie_in_their_range(data: Decided) -> None:
    values = every_value(data.confusion())
    for name in set(values) - {"normalized_cost"}:
        low, high = METRIC_OBJECTS[name].limits if name in METRIC_OBJECTS else (0.0, 1.0)
        assert math.isnan(values[name]) or low <= values[name] <= high, name
    cost = data.cost()
    assert data.costs.values.min() * (1 - ROUNDING) <= cost.value
    assert cost.value <= data.costs.values.max() * (1 + ROUNDING)
    assert cost.interval().low <= cost.interval().high


@given(decided(square=True, classes=2))
def test_weights_matter(data: Decided) -> None:
    weights = np.where(data.y == 0, 3.0, 1.0)
    counts = count(data.y, data.d, weights, data.costs)
    assert counts.priors[0] > count(data.y, data.d, None, data.costs).priors[0]


@given(decided(square=True, classes=2, weights=False))
def test_naive_values_are_those_of_the_best_constant_decision(data: Decided) -> None:
    counts = data.confusion()
    constants = [count(data.y, np.full(data.y.size, j), None, data.costs) for j in (0, 1)]
    for name, metric in METRIC_OBJECTS.items():
        values = [metric.evaluate(c).value for c in constants]
        better = max if metric.better == "higher" else min
        best = better((v for v in values if not math.isnan(v)), default=0.0)
        assert metric.evaluate(counts).naive == pytest.approx(best, rel=1e-14), name


@given(decided(square=True, classes=2, weights=False), st.integers(-450, -410))
def test_classes_on_different_scales_keep_their_metrics(data: Decided, power: int) -> None:
    """Weights of the first class far below those of the second: F tends to the recall, and so on."""
    weights = np.where(data.y == 0, 2.0**power, 1.0)
    counts, plain = (
        count(data.y, data.d, weights, data.costs),
        count(data.y, data.d, None, data.costs),
    )
    assert same(counts.recall().value, plain.recall().value)
    assert same(counts.specificity().value, plain.specificity().value)
    ratio, other = (c.positive_likelihood_ratio().value for c in (counts, plain))
    assert same(ratio, other)
    if plain.recall().value > 0:
        assert counts.precision().value == 1
        f1, recall = counts.f_score().value, plain.recall().value
        assert f1 == pytest.approx(2 * recall / (recall + 1), rel=1e-14)
    rare = count(data.y, data.d, np.where(data.y == 1, 2.0**power, 1.0), data.costs)
    if plain.counts[0, 1] == 0:  # without false alarms F hangs on the second class alone
        assert same(rare.f_score().value, plain.f_score().value)
