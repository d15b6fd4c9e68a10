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
from stakes.metrics.paired import PairedDifference, flipped, paired_difference

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
def test_the_p_value_of_unit_costs_is_near_that_of_mcnemar(up: int, down: int) -> None:
    found = decisions(discordant(up, down))
    exact = 1.0 if up == down else stats.binomtest(up, up + down).pvalue
    less = stats.binom.pmf(max(up, down), up + down, 0.5) if up != down else 0.0  # of mid-p
    assert exact - 1.5 * less - 1e-9 <= found.p_value <= exact + 1e-9
    assert flipped(discordant(up, down)) == pytest.approx(exact)
    assert found.discordant == up + down


def test_a_few_p_values_of_unit_costs() -> None:
    """Those of the specification: half an unseen row at 5 : 0 errors, 6 : 0, 10 : 2."""
    for up, down, p in ((5, 0, 0.0387), (6, 0, 0.0192), (8, 1, 0.0257), (10, 2, 0.0263)):
        assert decisions(discordant(up, down)).p_value == pytest.approx(p, abs=5e-5)
    assert not decisions(discordant(4, 0, 200)).distinguishable()
    assert ends(decisions(discordant(4, 0, 200)))[0] < 0


def test_many_discordant_rows_agree_with_mcnemar() -> None:
    for up, down in ((20, 9), (30, 20), (70, 40), (250, 200)):
        exact = stats.binomtest(up, up + down).pvalue
        found = decisions(discordant(up, down, 1000)).p_value
        assert exact * 0.6 < found < exact
        assert flipped(discordant(up, down, 1000)) == pytest.approx(exact, rel=0.4)


def test_flips_of_unequal_parts_agree_with_all_signs() -> None:
    rng = np.random.default_rng(SEED)
    for _ in range(20):
        parts = rng.choice([0.3, 1.0, 9.0], 12) * rng.choice([-1, 1], 12, p=[0.3, 0.7])
        signs = np.array(list(product([-1, 1], repeat=12)))
        exact = (np.abs(signs @ np.abs(parts)) >= abs(parts.sum()) - 1e-9).mean()
        assert flipped(parts) == pytest.approx(exact)
    assert flipped(np.array([2.0, 1.0, -1.0]), np.array([1, 1, 1])) == 0.75


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
    unit = np.arange(len(gaps)) % max(len(gaps) // 3, 5) if grouped and len(gaps) > 5 else None
    found = decisions(gaps, unit=unit)
    low, high = ends(found, level)
    assert low <= found.value <= high
    assert low >= -3
    assert high <= 3
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


def random_pair(seed: int) -> tuple[tuple[IntArray, FloatArray, FloatArray], dict[str, Any]]:
    """Return losses of two systems and how samples count, of any kind."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(20, 90)), int(rng.integers(1, 4))
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    if rng.random() < 0.5:
        a, b = rng.gamma(0.7, size=(2, n))
        largest = None
    else:
        largest = (1.0 + 4 * y) * (rng.lognormal(size=n) if rng.random() < 0.5 else 1.0)
        a, b = rng.integers(0, 2, (2, n)) * largest
    options = {
        "priors": rng.dirichlet(np.full(k, 5.0)),
        "weights": rng.lognormal(size=n),
        "unit": rng.integers(0, 9, n),
        "naive": 0.5 + y,
    }
    more = {name: value for name, value in options.items() if rng.random() < 0.4}
    if "unit" not in more and rng.random() < 0.3:
        more["copies"] = rng.integers(1, 5, n)
    return (y, a, b), {"n_classes": k, "largest": largest, **more}


@given(st.integers(0, 10**6))
@settings(max_examples=120, deadline=None)
def test_the_p_value_is_that_of_the_interval_that_ends_at_0(seed: int) -> None:
    rows, more = random_pair(seed)
    found = paired_difference(*rows, **more)
    if found.pair is None:
        return
    searched = found.pair.problem(found.base).p_value()
    assert found.p_value >= searched - 1e-6  # ratios of unequal weights can have several maxima
    if 1e-6 < searched < 0.999 and found.p_value == pytest.approx(searched, abs=1e-6):
        near = min(ends(found, 1 - found.p_value), key=abs)
        assert near == pytest.approx(0, abs=1e-6 * (1 + abs(found.value)))
    for level in (0.5, 0.9, 0.95, 0.99):
        if abs(found.p_value - (1 - level)) > 1e-6:
            low, high = ends(found, level)
            assert (low <= 0 <= high) == (not found.distinguishable(level))
    inner, outer = ends(found, 0.5), ends(found, 0.9)
    assert outer[0] <= inner[0] <= found.value <= inner[1] <= outer[1]


@given(st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_no_order_of_rows_changes_a_bit(seed: int) -> None:
    rows, more = random_pair(seed)
    order = np.random.default_rng(seed).permutation(rows[0].size)
    turned: dict[str, Any] = {
        name: value[order] if isinstance(value, np.ndarray) and name != "priors" else value
        for name, value in more.items()
    }
    one = paired_difference(*rows, **more)
    moved: Any = (column[order] for column in rows)
    two = paired_difference(*moved, **turned)
    if one.pair is None:
        return
    assert two.pair is not None
    assert one.value == two.value
    assert one.p_value == two.p_value
    assert ends(one) == ends(two)


@given(st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_copies_are_rows(seed: int) -> None:
    rows, more = random_pair(seed)
    copies = np.random.default_rng(seed).integers(1, 5, rows[0].size)
    more.pop("copies", None)
    one = paired_difference(*rows, copies=copies, **more)
    each: dict[str, Any] = {
        name: np.repeat(value, copies)
        if isinstance(value, np.ndarray) and name != "priors"
        else value
        for name, value in more.items()
    }
    many: Any = (np.repeat(column, copies) for column in rows)
    two = paired_difference(*many, **each)
    assert one.value == pytest.approx(two.value, rel=1e-9, abs=1e-12)
    if one.pair is None:
        return
    assert one.p_value == pytest.approx(two.p_value, rel=1e-7, abs=1e-9)
    assert ends(one) == pytest.approx(ends(two), rel=1e-6, abs=1e-9)


def test_many_rows_that_are_alike_share_a_cell() -> None:
    """Ends move by less than 1e-4 of the width, and no order of rows changes a bit."""
    rng = np.random.default_rng(SEED)
    n = 40_000
    y, (a, b) = (rng.random(n) < 0.1).astype(np.int64), rng.gamma(0.5, size=(2, n))
    naive: Any = 0.3 + y
    for more in ({}, {"weights": rng.lognormal(size=n)}, {"priors": np.array([0.5, 0.5])}):
        found = paired_difference(y, a * 1.02, b, n_classes=2, naive=naive, **more)
        assert found.pair is not None
        few = ends(found)
        assert len(found.pair.problem(found.base).cells.counts) < n / 1.2
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("stakes.inference.pairs.MOST_ROWS", n)
            every = ends(found)
        assert few == pytest.approx(every, abs=1e-4 * (every[1] - every[0]))


def test_smooth_losses_are_near_the_t_tests_of_the_books() -> None:
    rng = np.random.default_rng(SEED)
    a, b = rng.random((2, 400))
    one = paired_difference(np.zeros(400, dtype=np.int64), a, b + 0.04, n_classes=1)
    book = stats.ttest_rel(a, b + 0.04)
    assert ends(one)[0] == pytest.approx(book.confidence_interval().low, rel=0.05)
    assert one.p_value == pytest.approx(book.pvalue, rel=0.25)
    y = np.repeat([0, 1], [320, 80])
    halves = paired_difference(y, a, b, n_classes=2, priors=np.array([0.5, 0.5]))
    welch = stats.ttest_ind((a - b)[y == 0], (b - a)[y == 1], equal_var=False)
    low, high = welch.confidence_interval()
    width = (high - low) / 2
    assert ends(halves) == pytest.approx([low / 2, high / 2], abs=0.05 * width)


@given(st.integers(0, 10**6), st.sampled_from([0.02, 0.1, 0.5]))
@settings(max_examples=60, deadline=None)
def test_the_ratio_has_the_test_of_a_margin(seed: int, margin: float) -> None:
    """Of the same problem: the p-value of a margin is that of the interval that ends there."""
    rows, more = random_pair(seed)
    more.pop("naive", None)
    ratio = paired_difference(*rows, **more).ratio()
    if ratio is None:
        return
    value = float(ratio.values[0])
    assert value >= -1
    p = ratio.p_value(0, margin)
    if 1e-6 < p < 0.999:
        end = ratio.intervals(1 - p)[0][1 if value < margin else 0]
        assert end == pytest.approx(margin, abs=1e-5)


def test_the_margin_0_is_the_difference() -> None:
    rng = np.random.default_rng(SEED)
    y, (a, b) = rng.integers(0, 2, 200), rng.integers(0, 2, (2, 200)) * 3.0
    found = paired_difference(y, a, b, n_classes=2, largest=np.full(200, 3.0))
    ratio = found.ratio()
    assert ratio is not None
    assert float(ratio.values[0]) == pytest.approx(a.mean() / b.mean() - 1)
    assert ratio.p_value() == pytest.approx(found.p_value, rel=0.01)


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
    assert (high - low) / 2 == pytest.approx(1.97 * error, rel=0.05)


def test_groups_vary_as_one() -> None:
    rng = np.random.default_rng(SEED)
    a, b = rng.random((2, 30))
    y = np.zeros(30, dtype=np.int64)
    each = paired_difference(y, a, b, n_classes=1, unit=np.arange(30))
    twice = [np.tile(x, 2) for x in (y, a, b, np.arange(30))]
    copied = paired_difference(*twice[:3], n_classes=1, unit=twice[3])
    assert ends(copied) == pytest.approx(ends(each), rel=0.05)
    assert copied.p_value == pytest.approx(each.p_value, rel=0.05)
    few = paired_difference(y, a, b, n_classes=1, unit=np.arange(30) % 4)
    assert few.estimate().method == "needs 5 groups: got 4"
    assert math.isnan(few.p_value)


def test_a_test_of_flipped_signs_finds_what_rests_on_an_assumption() -> None:
    """Fourteen cheap errors less, where one costly error may have gone unseen."""
    found = decisions(-discordant(14, 0, 300), largest=np.full(300, 9.0))
    assert not found.distinguishable()
    assert math.isnan(found.if_alike())  # all that differ cost the same
    mixed = np.concatenate([-discordant(20, 0, 200), 2 * discordant(1, 3, 100)])
    assert decisions(mixed, largest=np.full(300, 50.0)).if_alike() < 0.001


def test_rounding_is_no_difference() -> None:
    rng = np.random.default_rng(SEED)
    y, loss = rng.integers(0, 2, 300), rng.random(300)
    found = paired_difference(y, loss * (1 + 1e-9), loss, n_classes=2)
    assert (found.value, found.p_value, found.discordant) == (0, 1, 0)
    assert found.estimate().method == "equal on every sample"


def test_large_differences_get_no_wider_by_the_test() -> None:
    """Far from 0 the interval is that of the difference, not one made from the p-value."""
    found = decisions(discordant(200, 0, 400), largest=np.ones(400))
    low, high = ends(found)
    wilson = stats.binomtest(200, 400).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((wilson.low, wilson.high), abs=0.01)


def test_why_there_is_no_interval() -> None:
    y = np.array([0, 0, 0, 1])
    x, zero = np.array([1.0, 2, 3, 4]), np.zeros(4)
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
