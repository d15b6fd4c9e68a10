"""Numbers that depend on a threshold: their intervals against the definition, and their laws."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import brentq, minimize

import stakes
from stakes._quantiles import normal
from stakes._typing import FloatArray, IntArray, NDArray
from stakes.curves.likelihood_ratios import minimum_cllr_of
from stakes.inference.cells import HALF, Cells, Unseen
from stakes.inference.error_rates import ErrorRates, balanced
from stakes.inference.law import Problem
from stakes.inference.least_costs import LeastCost
from stakes.inference.rising_maps import LeastLogLoss, RisingMap
from stakes.inference.scored_rows import ScoredRows
from stakes.inference.totals import Totals

EVEN = np.array([0.5, 0.5])
SQUARE = normal(0.95) ** 2
seeds = st.integers(0, 2**32 - 1)


def drawn(seed: int, n: int = 40, values: int = 12) -> tuple[IntArray, FloatArray]:
    """Return classes, both of which occur, and scores with ties."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([[0, 1], rng.integers(0, 2, n - 2)])
    return y, rng.integers(0, values, n) + 4.0 * y


def families(rows: ScoredRows) -> dict[str, tuple[float, float]]:
    """Return the intervals of all numbers that depend on a threshold."""
    costs = np.array([[0.0, 1.0], [3.0, 0.0]])
    rates = ErrorRates(rows)
    return {
        "eer": rates.equal_error(0.95),
        "right": rates.second_right(0.1, 0.95),
        "cost": LeastCost.ordered(rows, costs[rows.y], costs, None).interval(0.95),
        "cost at priors": LeastCost.ordered(rows, costs[rows.y], costs, EVEN).interval(0.95),
        "log loss": RisingMap(rows, EVEN).interval(0.95),
    }


# -- against the definition


@given(seeds)
@settings(max_examples=30)
def test_multipliers_maximise_the_dual(seed: int) -> None:
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(1, 9, 2)) + rng.normal(size=2) * 0.4
    m = rng.integers(1, 5, (1, 9)) / 2

    def cost(mu: FloatArray) -> float:
        t = 1 - z[0] @ mu
        return -2 * float(m[0] @ np.log(t)) if (t > 0).all() else math.inf

    mu, square, weights = balanced(z, m, np.zeros((1, 2)), 50.0)
    if square[0] > 40:  # no weights have such sums
        return
    found = minimize(cost, [1e-3, 1e-3], bounds=[(0, None)] * 2, method="Nelder-Mead", tol=1e-11)
    assert square[0] > -found.fun - 1e-6
    assert weights.sum() == pytest.approx(m.sum(), rel=1e-6)
    sums = weights[0] @ z[0]
    assert (sums > -1e-5).all()
    assert mu[0] @ sums == pytest.approx(0, abs=1e-5)


def divergence(errors: float, n: float, rate: float, side: float) -> float:
    """Return twice the log likelihood that a rate costs, with half a row on its side."""
    errors, n = errors + HALF * (side > 0), n + HALF
    if side * (rate - errors / n) <= 0:
        return 0.0
    pairs = (errors, rate), (n - errors, 1 - rate)
    return 2 * sum(k * math.log(k / (n * p)) if p > 0 else math.inf for k, p in pairs if k > 0)


def last(errors: tuple[float, float], n: tuple[float, float], side: float, fixed: float) -> float:
    """Return the last value at one threshold; NaN for `fixed` if both rates reach it."""

    def slack(value: float) -> float:
        first = value if math.isnan(fixed) else fixed
        used = divergence(errors[0], n[0], first, side) + divergence(errors[1], n[1], value, side)
        return SQUARE - used

    near, far = (1e-12, 1 - 1e-12)[:: int(side)]
    if slack(near) < 0:
        return math.nan
    return far if slack(far) >= 0 else float(brentq(slack, near, far, xtol=1e-13))


@given(seeds, st.integers(4, 60), st.integers(1, 15))
@settings(max_examples=30)
def test_ends_at_a_fixed_rate_are_those_of_the_definition(seed: int, n: int, values: int) -> None:
    y, x = drawn(seed, n, values)
    curve = stakes.roc_curve(y, x)
    sizes = np.bincount(y).astype(float)
    alarms, misses = curve.false_alarms.astype(float), curve.misses.astype(float)
    before = np.append(alarms[0], alarms[:-1])
    low = [last((a, m), tuple(sizes), -1.0, 0.2) for a, m in zip(alarms, misses, strict=True)]
    high = [last((a, m), tuple(sizes), 1.0, 0.2) for a, m in zip(before, misses, strict=True)]
    found = ErrorRates(ScoredRows.from_scores(x, y)).second_right(0.2, 0.95)
    assert found == pytest.approx((1 - np.nanmax(high), 1 - np.nanmin(low)), abs=1e-6)


@given(seeds, st.integers(4, 60))
@settings(max_examples=30)
def test_the_equal_error_rate_includes_rates_of_the_definition(seed: int, n: int) -> None:
    y, x = drawn(seed, n)
    curve, sizes = stakes.roc_curve(y, x), tuple(np.bincount(y).astype(float))
    corners = curve.hull_points
    errors = [(float(curve.false_alarms[j]), float(curve.misses[j])) for j in corners]
    low, high = ErrorRates(ScoredRows.from_scores(x, y)).equal_error(0.95)
    assert low <= np.nanmin([last(e, sizes, -1.0, math.nan) for e in errors]) + 1e-6
    assert high >= min(np.nanmax([last(e, sizes, 1.0, math.nan) for e in errors]), 0.5) - 1e-6
    assert low <= curve.eer() + 1e-12


def reference(y: IntArray, x: FloatArray, priors: FloatArray | None) -> FloatArray:
    """Return the ends of the least cost from the intervals of all thresholds one by one."""
    costs = np.array([[0.0, 1.0], [3.0, 0.0]])
    stratum = 0 if priors is None else 1
    ends = []
    for cut in [-np.inf, *np.unique(x)]:
        pairs = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        if math.isinf(cut) or cut == x.max():  # a constant decision of unseen rows too
            pairs = pairs[pairs[:, 1] == int(math.isinf(cut))]

        def columns(k: IntArray, d: IntArray) -> FloatArray:
            each = np.column_stack([np.ones(k.size), costs[k, d], costs[k, 0], costs[k, 1]])
            return np.where((k[:, None] == [0, 1])[:, :, None], each[:, None], 0).reshape(-1, 8)

        unseen = Unseen.candidates(columns(*pairs.T), pairs[:, 0] * stratum)
        cells = Cells.from_rows(columns(y, (x > cut).astype(int)), unseen, y * stratum)

        def ratio(t: NDArray[Any], k: int) -> NDArray[Any]:
            one = t.reshape(*t.shape[:-1], 2, 4)
            if priors is not None:
                one = one / one[..., :1] * priors[:, None]
            sums = one.sum(axis=-2)
            return sums[..., 1] / sums[..., 2 + k]

        formulas = [lambda t: ratio(t, 0), lambda t: ratio(t, 1)]
        problem = Problem.single(cells, Totals(cells.all_columns, formulas))
        ends.append(problem.intervals(0.95))
    return np.array(ends).min(axis=0).max(axis=0)


@given(seeds, st.integers(6, 40), st.booleans())
@settings(max_examples=15, deadline=None)
def test_the_least_cost_is_that_of_all_thresholds(seed: int, n: int, given_priors: bool) -> None:  # noqa: FBT001
    y, x = drawn(seed, n)
    priors = np.array([0.7, 0.3]) if given_priors else None
    costs = np.array([[0.0, 1.0], [3.0, 0.0]])
    least = LeastCost.ordered(ScoredRows.from_scores(x, y), costs[y], costs, priors)
    low, high = least.problem.intervals(0.95).max(axis=0)
    expected = reference(y, x, priors)
    assert low == pytest.approx(expected[0], rel=1e-6, abs=1e-9)
    assert high == pytest.approx(expected[1], rel=1e-6)


@given(seeds, st.integers(8, 60))
@settings(max_examples=20)
def test_the_loss_of_the_best_map_is_that_of_the_hull_with_its_slopes(seed: int, n: int) -> None:
    y, x = drawn(seed, n, 30)
    rows = ScoredRows.from_scores(x, y)
    problem, rng = RisingMap(rows, EVEN).problem, np.random.default_rng(seed)
    expected = minimum_cllr_of(stakes.roc_curve(y, x)) * math.log(2)
    assert problem.values[0] == pytest.approx(expected, rel=1e-12)
    fits = LeastLogLoss(rows.level, y, np.ones(n), np.arange(n), EVEN)
    weights, way = rng.uniform(0.5, 1.5, (1, n)), 1e-6 * rng.normal(size=n)
    moved = fits.values(weights + way, np.zeros(1, int)) - fits.values(
        weights - way, np.zeros(1, int)
    )
    slope = fits.slopes(weights, np.zeros(1, int))[0]
    assert moved[0] / 2 == pytest.approx(float(slope @ way), rel=1e-3, abs=1e-9)


def test_no_weights_within_the_radius_have_a_larger_loss_of_the_best_map() -> None:
    y, x = drawn(3, 60, 40)
    rows, rng = ScoredRows.from_scores(x, y), np.random.default_rng(4)
    low, high = RisingMap(rows, EVEN).problem.intervals(0.95)[0]
    fits, found = LeastLogLoss(rows.level, y, np.ones(60), np.arange(60), EVEN), []
    for _ in range(2000):
        w = 1 / (1 + 0.9 * rng.uniform(0, 1) * rng.uniform(-1, 1, 60) ** 3)
        for k in (0, 1):
            w[y == k] *= (y == k).sum() / w[y == k].sum()
        if 2 * np.log(1 / w).sum() <= SQUARE:
            found.append(float(fits.values(w[None], np.zeros(1, int))[0]))
    assert len(found) > 100
    assert low < min(found) < max(found) < high


# -- laws


@given(seeds, st.booleans(), st.booleans())
@settings(max_examples=15, deadline=None)
def test_order_and_scale_change_nothing(seed: int, weighted: bool, grouped: bool) -> None:  # noqa: FBT001
    y, x = drawn(seed)
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 2, 40) if weighted else None
    unit = rng.integers(0, 9, 40) if grouped else None
    found = families(ScoredRows.from_scores(x, y, weights, unit))
    order = rng.permutation(40)
    w = None if weights is None else weights[order]
    g = None if unit is None else unit[order]
    turned = families(ScoredRows.from_scores(np.exp(x[order] / 9), y[order], w, g))
    assert turned == found
    scaled = None if weights is None else 8 * weights
    assert families(ScoredRows.from_scores(x, y, scaled, unit)) == found


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_a_number_of_rows_is_that_many_rows(seed: int) -> None:
    y, x = drawn(seed)
    number = np.random.default_rng(seed).integers(1, 4, 40)
    at = np.repeat(np.arange(40), number)
    counted = families(ScoredRows.from_scores(x, y, copies=number))
    for name, ends in families(ScoredRows.from_scores(x[at], y[at])).items():
        assert counted[name] == pytest.approx(ends, rel=1e-9, abs=1e-9), name


@given(seeds)
@settings(max_examples=10, deadline=None)
def test_a_higher_level_has_a_wider_interval_that_includes_the_value(seed: int) -> None:
    y, x = drawn(seed)
    curve = stakes.roc_curve(y, x)
    for estimate in (
        curve.eer_estimate,
        lambda level: curve.sensitivity_estimate(0.8, level),
        lambda level: curve.specificity_estimate(0.8, level),
        stakes.minimum_cllr(y, x).estimate,
    ):
        bands = [estimate(level).interval for level in (0.5, 0.9, 0.99)]
        lows, highs = zip(*(tuple(band) for band in bands if band is not None), strict=True)
        assert lows[2] <= lows[1] <= lows[0] <= estimate(0.5).value
        assert estimate(0.5).value <= highs[0] <= highs[1] <= highs[2]


def test_groups_of_alike_rows_have_wider_intervals() -> None:
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [70, 50])
    x = rng.normal(size=120) + 2 * y
    again, unit = np.tile(np.arange(120), 4), np.tile(np.arange(120), 4)
    alone = families(ScoredRows.from_scores(x[again], y[again]))
    grouped = families(ScoredRows.from_scores(x[again], y[again], unit=unit))
    for name, (low, high) in alone.items():
        wider = grouped[name]
        assert wider[1] - wider[0] > 1.4 * (high - low), name


def test_few_groups_have_no_interval() -> None:
    y, x = drawn(6)
    four = ScoredRows.from_scores(x, y, unit=np.arange(40) % 4)
    assert four.why_none == "needs 5 groups: got 4"
    one = ScoredRows.from_scores(x, y, unit=np.where(y == 1, 0, np.arange(40) % 9))
    assert one.why_none == "some class occurs in one group only"


def test_many_groups_that_are_nearly_alike_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    unit = np.repeat(np.arange(2500), 2)
    y = (rng.random(5000) < 0.4).astype(int)
    x = rng.normal(size=5000) + 1.5 * y + 0.5 * rng.normal(size=2500)[unit]
    rows = ScoredRows.from_scores(x, y, unit=unit)
    monkeypatch.setattr("stakes.inference.least_costs._MOST_CELLS", 1000)
    few = families(rows)
    monkeypatch.setattr("stakes.inference.least_costs._MOST_CELLS", 10**6)
    monkeypatch.setattr("stakes.inference.error_rates._MOST_GROUPS", 10**6)
    monkeypatch.setattr("stakes.inference.rising_maps._MOST_LEVELS", 10**6)
    for name, ends in families(replace(rows)).items():
        assert few[name] == pytest.approx(ends, abs=0.005 * (ends[1] - ends[0])), name


def test_costs_by_case_allow_for_an_unseen_case_of_a_large_amount() -> None:
    rng = np.random.default_rng(8)
    y = np.repeat([0, 1], [60, 12])
    p = np.where(y == 1, 1 - 1e-4, 1e-6) * rng.uniform(0.9, 1.0, 72) ** 1e-3  # no errors
    ends = []
    for spread in (0.1, 2.0):
        amounts = {"amount": rng.lognormal(2, spread, 72)}
        costs = stakes.SampleCosts.from_columns([[0, 3], ["amount", 0]], amounts)
        found = stakes.choose_threshold(y, p, costs=costs).results[1].normalized
        assert found.value == 0
        assert found.interval is not None
        ends.append(found.interval.high)
    assert 0 < ends[0] < ends[1] <= 1
