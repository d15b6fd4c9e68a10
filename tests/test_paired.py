"""Differences of two expected losses on the same samples: exact tests, laws, and known truths."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import stakes
from stakes._typing import FloatArray, IntArray
from stakes.metrics.paired import PairedDifference, paired_difference
from stakes.metrics.spreads import flip_test

SEED = 20240607


def decisions(gap: Any, **more: Any) -> PairedDifference:  # noqa: ANN401
    """Return the difference of losses of decisions in one class."""
    gap = np.asarray(gap, dtype=float)
    y = np.zeros(gap.size, dtype=np.int64)
    largest = more.pop("largest", np.full(gap.size, np.abs(gap).max(initial=1.0)))
    return paired_difference(
        y, np.maximum(gap, 0), np.maximum(-gap, 0), n_classes=1, largest=largest, **more
    )


def ends(found: PairedDifference, level: float = 0.95) -> list[float]:
    band = found.interval(level)
    assert band is not None
    return list(band)


def discordant(up: int, down: int, n: int = 400) -> FloatArray:
    return np.concatenate([np.ones(up), -np.ones(down), np.zeros(n - up - down)])


@pytest.mark.parametrize(("up", "down"), list(product(range(7), range(6))))
def test_few_discordant_rows_are_judged_by_the_exact_test(up: int, down: int) -> None:
    found = decisions(discordant(up, down))
    exact = 1.0 if up == down else stats.binomtest(up, up + down).pvalue
    assert found.p_value >= exact * (1 - 1e-9)
    assert flip_test(discordant(up, down)) == pytest.approx(exact)
    assert found.discordant == up + down


def test_four_rows_that_differ_do_not_make_a_system_better() -> None:
    found = decisions(discordant(4, 0, 200))
    assert found.p_value == pytest.approx(0.125)
    assert ends(found)[0] < 0
    assert not found.distinguishable()
    assert decisions(discordant(6, 0, 200)).distinguishable()


def test_many_discordant_rows_agree_with_mcnemar() -> None:
    for up, down in ((20, 9), (30, 20), (70, 40), (250, 200)):
        exact = stats.binomtest(up, up + down).pvalue
        assert flip_test(discordant(up, down, 1000)) == pytest.approx(exact, rel=0.05, abs=1e-3)


def test_flips_of_unequal_parts_agree_with_all_signs() -> None:
    rng = np.random.default_rng(SEED)
    for _ in range(20):
        parts = rng.choice([0.3, 1.0, 9.0], 16) * rng.choice([-1, 1], 16, p=[0.3, 0.7])
        signs = np.array(list(product([-1, 1], repeat=16)))
        exact = (np.abs(signs @ np.abs(parts)) >= abs(parts.sum()) - 1e-9).mean()
        assert flip_test(parts) == pytest.approx(exact, abs=0.02)


@given(
    st.lists(st.integers(-3, 3), min_size=2, max_size=60),
    st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99]),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_the_interval_excludes_0_where_the_test_rejects(
    gaps: list[int],
    level: float,
    grouped: bool,  # noqa: FBT001
) -> None:
    unit = np.arange(len(gaps)) % max(len(gaps) // 3, 2) if grouped else None
    found = decisions(gaps, unit=unit)
    low, high = ends(found, level)
    assert low <= found.value <= high
    if not math.isclose(found.p_value, 1 - level, abs_tol=1e-6):
        assert (low <= 0 <= high) == (not found.distinguishable(level))


@given(st.integers(0, 10_000), st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_turning_a_pair_round_mirrors_everything(
    seed: int,
    smooth: bool,  # noqa: FBT001
    priors: bool,  # noqa: FBT001
    grouped: bool,  # noqa: FBT001
) -> None:
    rng = np.random.default_rng(seed)
    y = np.tile([0, 0, 1], 20)
    a, b = rng.random((2, 60)) if smooth else rng.integers(0, 2, (2, 60)) * (1.0 + 4 * y)
    more: dict[str, Any] = {
        "n_classes": 2,
        "priors": np.array([0.9, 0.1]) if priors else None,
        "unit": rng.integers(0, 9, 60) if grouped else None,
        "naive": 1.0 * y,
        "largest": None if smooth else 1.0 + 4 * y,
    }
    one, two = paired_difference(y, a, b, **more), paired_difference(y, b, a, **more)
    assert one.value == pytest.approx(-two.value, abs=1e-14)
    assert one.p_value == pytest.approx(two.p_value, abs=1e-12)
    assert ends(one) == pytest.approx([-x for x in reversed(ends(two))])


def test_the_value_is_the_difference_of_the_normalised_costs() -> None:
    rng = np.random.default_rng(SEED)
    y = rng.integers(0, 2, 300)
    first, second = rng.integers(0, 2, (2, 300))
    w = rng.uniform(0.1, 4, 300)
    costs = stakes.CostMatrix.binary(miss=7, false_alarm=1)
    for priors in (None, [0.95, 0.05]):
        expected = [
            stakes.expected_cost(y, d, costs=costs, priors=priors, sample_weight=w)
            for d in (first, second)
        ]
        naive = expected[0].naive_losses[y]
        found = paired_difference(
            y,
            costs.at(y, first),
            costs.at(y, second),
            n_classes=2,
            priors=None if priors is None else np.array(priors),
            weights=w,
            naive=naive,
            largest=costs.values.max(axis=1)[y],
        )
        gap = expected[0].normalized - expected[1].normalized
        assert found.value == pytest.approx(gap, rel=1e-12)


def test_smooth_losses_get_the_t_tests_of_the_books() -> None:
    rng = np.random.default_rng(SEED)
    a, b = rng.random((2, 40))
    one = paired_difference(np.zeros(40, dtype=np.int64), a, b + 0.1, n_classes=1)
    book = stats.ttest_rel(a, b + 0.1)
    assert ends(one)[0] == pytest.approx(book.confidence_interval().low, rel=1e-9)
    assert book.pvalue <= one.p_value < book.pvalue + 0.01  # the sign-flip test agrees
    y = np.repeat([0, 1], [32, 8])
    halves = paired_difference(y, a, b, n_classes=2, priors=np.array([0.5, 0.5]))
    welch = stats.ttest_ind((a - b)[y == 0], (b - a)[y == 1], equal_var=False)
    low, high = welch.confidence_interval()
    assert ends(halves) == pytest.approx([low / 2, high / 2], rel=1e-9)


def test_a_margin_by_a_hair_changes_nothing() -> None:
    """Errors that both systems make break no ties of the exact test."""
    rng = np.random.default_rng(SEED)
    for up, down in ((0, 4), (1, 6), (0, 5), (3, 9), (10, 30)):
        first = np.concatenate([np.ones(up), np.zeros(down), np.ones(40), np.zeros(300)])
        second = np.concatenate([np.zeros(up), np.ones(down), np.ones(40), np.zeros(300)])
        y = rng.integers(0, 2, first.size)
        more: dict[str, Any] = {"n_classes": 2, "largest": np.ones(first.size)}
        plain = paired_difference(y, first, second, **more)
        hair = paired_difference(y, first, second, factor=1 + 1e-9, **more)
        assert hair.p_value == pytest.approx(plain.p_value, rel=1e-6)


def test_a_ratio_is_tested_as_a_difference_from_a_multiple() -> None:
    rng = np.random.default_rng(SEED)
    y, (a, b) = rng.integers(0, 2, 200), rng.integers(0, 2, (2, 200)) * 3.0
    found = paired_difference(y, a, b, n_classes=2, largest=np.full(200, 3.0), factor=1.3)
    assert found.value == pytest.approx(a.mean() - 1.3 * b.mean())
    assert found.discordant == np.count_nonzero(a != b)


def test_a_naive_loss_from_the_data_varies_too() -> None:
    """The standard error of a ratio of two means, by the delta method."""
    rng = np.random.default_rng(SEED)
    y = (rng.random(400) < 0.1).astype(np.int64)
    a, b = rng.random((2, 400)) + 3 * y
    naive = np.where(y == 1, 5.0, 0.0)
    found = paired_difference(y, a + 1, b, n_classes=2, naive=naive)
    ratio = (a + 1 - b).mean() / naive.mean()
    residual = (a + 1 - b - ratio * naive) / naive.mean()
    error = residual.std(ddof=1) / math.sqrt(400)
    assert found.value == pytest.approx(ratio)
    low, high = ends(found)
    assert (high - low) / 2 == pytest.approx(1.97 * error, rel=0.02)


def test_groups_vary_as_one() -> None:
    rng = np.random.default_rng(SEED)
    a, b = rng.random((2, 30))
    y = np.zeros(30, dtype=np.int64)
    alone = paired_difference(y, a, b, n_classes=1)
    each = paired_difference(y, a, b, n_classes=1, unit=np.arange(30))
    assert ends(each) == pytest.approx(ends(alone), rel=1e-9)
    assert each.p_value == pytest.approx(alone.p_value)
    twice = [np.tile(x, 2) for x in (y, a, b, np.arange(30))]
    copied = paired_difference(*twice[:3], n_classes=1, unit=twice[3])
    assert ends(copied) == pytest.approx(ends(alone), rel=1e-9)


def test_errors_that_were_not_seen_are_allowed_for() -> None:
    """No false alarm seen in 60 rows does not make a detector better than a constant answer."""
    y = np.repeat([0, 1], [60, 4])
    largest = np.where(y == 0, 50.0, 1.0)
    never, system = 1.0 * y, np.zeros(64)
    found = paired_difference(y, system, never, n_classes=2, naive=never, largest=largest)
    assert found.value == -1
    assert not found.distinguishable()
    assert ends(found)[1] > 2.5 * 50 / 4  # some three false alarms in 60 are possible


def test_rounding_is_no_difference() -> None:
    rng = np.random.default_rng(SEED)
    y, loss = rng.integers(0, 2, 300), rng.random(300)
    found = paired_difference(y, loss * (1 + 1e-9), loss, n_classes=2)
    assert (found.value, found.p_value, found.discordant) == (0, 1, 0)
    assert found.estimate().method == "equal on every sample"


def test_large_differences_get_no_wider_by_the_test() -> None:
    """Far from 0 the interval is that of the difference, not one made from the p-value."""
    found = decisions(discordant(200, 0, 400))
    low, high = ends(found)
    wilson = stats.binomtest(200, 400).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((wilson.low, wilson.high), abs=0.01)


def test_why_there_is_no_interval() -> None:
    y = np.array([0, 0, 0, 1])
    x, zero = np.array([1.0, 2, 3, 4]), np.zeros(4)
    half = np.array([0.5, 0.5])
    lone = paired_difference(y, x, zero, n_classes=2, priors=half)
    assert lone.value == 3
    assert lone.estimate().interval is None
    assert lone.estimate().method == "a class has one sample"
    assert paired_difference(y, x, zero, n_classes=2, naive=zero).why == "the naive loss is 0"
    lost = paired_difference(y, x, np.array([0, 0, 0, np.inf]), n_classes=2)
    assert lost.why == "a value is infinite"
    assert lost.value == -math.inf
    assert not lost.distinguishable()
    both = paired_difference(y, x * np.inf, np.array([0, 0, 0, np.inf]), n_classes=2)
    assert both.why == "infinite less infinite is undefined"
    assert math.isnan(both.value)


def events(rng: np.random.Generator, means: tuple[float, ...], cost: float) -> tuple[Any, ...]:
    """Return rows on which systems differ: cheap errors for and against, costly ones likewise."""
    counts = rng.poisson(means)
    gap = np.repeat([1.0, -1.0, cost, -cost], counts)
    y = np.repeat([0, 0, 1, 1], counts)
    n = 2000
    gap = np.concatenate([gap, np.zeros(n - gap.size)])
    y = np.concatenate([y, np.arange(n - y.size) % 2])
    return y, gap, np.where(y == 1, cost, 1.0)


def share_of_claims(means: tuple[float, ...], cost: float, rng: np.random.Generator) -> float:
    claims = 0
    for _ in range(300):
        y, gap, largest = events(rng, means, cost)
        found = paired_difference(y, gap, np.zeros(y.size), n_classes=2, largest=largest)
        claims += found.distinguishable()
    return claims / 300


@pytest.mark.parametrize("costly", [0.5, 1, 2, 4, 8, 16])
@pytest.mark.parametrize("cost", [9.0, 30.0])
def test_costly_errors_traded_for_cheap_ones_are_no_difference(costly: float, cost: float) -> None:
    """The two cost the same: one makes costly errors, the other as many cheap ones as they cost."""
    rng = np.random.default_rng([SEED, int(cost), int(2 * costly)])
    assert share_of_claims((cost * costly, 0, 0, costly), cost, rng) <= 0.08  # 5 %, 300 draws


def test_a_difference_that_rests_on_many_errors_is_seen() -> None:
    rng = np.random.default_rng(SEED)
    assert share_of_claims((100, 60, 40, 20), 9.0, rng) > 0.7


def test_prices_that_differ_leave_differences_to_be_seen() -> None:
    """Amounts with a long tail: a system that misses half as many is seen to be better."""
    rng = np.random.default_rng(SEED)
    seen: list[bool] = []
    null: list[bool] = []
    for _ in range(100):
        y = (rng.random(1500) < 0.2).astype(np.int64)
        price = np.where(y == 1, rng.lognormal(0, 1, 1500), 0.1)
        u = rng.random((3, 1500))
        often, again, seldom = (price * (u[i] < rate) for i, rate in enumerate((0.4, 0.4, 0.2)))
        for claims, other in ((seen, seldom), (null, again)):
            found = paired_difference(y, often, other, n_classes=2, naive=price, largest=price)
            claims.append(found.distinguishable())
    assert np.mean(seen) > 0.8
    assert np.mean(null) <= 0.12  # 5 %, and three standard errors of 100 draws


def test_a_price_for_each_case_that_is_constant_is_the_constant() -> None:
    rng = np.random.default_rng(SEED)
    y, (a, b) = rng.integers(0, 2, 100), rng.integers(0, 2, (2, 100)) * 7.0
    one = paired_difference(y, a, b, n_classes=2, largest=np.full(100, 7.0))
    weighted = paired_difference(
        y, a, b, n_classes=2, largest=np.full(100, 7.0), weights=np.full(100, 3.0)
    )
    assert ends(one) == pytest.approx(ends(weighted), rel=1e-12)
    assert one.p_value == pytest.approx(weighted.p_value, rel=1e-9)


def skewed(rng: np.random.Generator, n: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the cross-entropies of two systems of equal worth, with a rare class."""
    y = (rng.random(n) < 0.05).astype(np.int64)
    y[:2] = 1
    noise = rng.standard_normal((2, n))
    noise[1] = 0.8 * noise[0] + 0.6 * noise[1]
    odds = 2 * (noise + 2 * (y - 0.5)) - math.log(19)
    a, b = np.logaddexp(0, np.where(y == 1, -odds, odds))
    return y, a, b


@pytest.mark.parametrize("n", [60, 200, 1000])
def test_equal_cross_entropies_are_seldom_distinguished(n: int) -> None:
    rng = np.random.default_rng([SEED, n])
    claims = [
        paired_difference(*skewed(rng, n), n_classes=2, priors=priors).distinguishable()
        for _ in range(200)
        for priors in (None, np.array([0.5, 0.5]))
    ]
    assert np.mean(claims) <= 0.08
