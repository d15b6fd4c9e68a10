"""Closed forms: intervals and differences of areas by DeLong, and the quantile of t."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from scipy.special import ndtri, stdtrit

import stakes
from stakes._quantiles import student as _t
from stakes._typing import FloatArray, IntArray
from stakes.curves.area import delong_variance, placements
from stakes.intervals import auc_difference, auc_interval, placed
from stakes.statistics import ScoreLevels

RNG = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Draw the same numbers in each test, whichever others run."""
    RNG.bit_generator.state = np.random.default_rng(8).bit_generator.state


def brute_variance(s: FloatArray, y: IntArray) -> float:
    """DeLong, DeLong and Clarke-Pearson (1988), pair by pair."""
    a, b = s[y == 0], s[y == 1]
    psi = np.array([[(v > u) + (v == u) / 2 for v in b] for u in a])
    return float(psi.mean(axis=1).var(ddof=1) / a.size + psi.mean(axis=0).var(ddof=1) / b.size)


@given(st.integers(2, 12), st.integers(2, 12), st.integers(0, 10**6))
def test_variance_is_that_of_all_pairs(n1: int, n2: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n1, n2])
    s = rng.integers(0, 8, n1 + n2) + y  # with ties
    found = delong_variance(ScoreLevels.from_scores(s.astype(float), y, None))
    assert found == pytest.approx(brute_variance(s, y), abs=1e-14)
    place = placements(s.astype(float), y)
    assert place[y == 1].mean() == pytest.approx(place[y == 0].mean())
    assert place[y == 1].mean() == pytest.approx(stakes.roc_curve(y, s).auc())


def test_a_variance_by_hand() -> None:
    # 0: scores 1, 3; 1: scores 2, 4, 5. Shares 1, 2/3 and 1/2, 1, 1: variances 1/18 and 1/12.
    levels = ScoreLevels.from_scores(np.array([1.0, 3, 2, 4, 5]), np.array([0, 0, 1, 1, 1]), None)
    assert delong_variance(levels) == pytest.approx(1 / 18 / 2 + 1 / 12 / 3, rel=1e-14)
    found = auc_interval(levels, 5 / 6, 0.95)
    half = stats.t.ppf(0.975, 1) * math.sqrt(1 / 36 + 1 / 36) / (5 / 36)
    ends = [1 / (1 + math.exp(-math.log(5) - x)) for x in (-half, half)]
    assert found.interval is not None
    assert list(found.interval) == pytest.approx(ends, rel=1e-12)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("n1", "n2"), [(1, 1), (3, 40), (500, 2)])
def test_perfect_areas_get_newcombes_interval(n1: int, n2: int, turned: bool) -> None:  # noqa: FBT001
    y = np.repeat([0, 1], [n1, n2])
    levels = ScoreLevels.from_scores((1.0 - 2 * turned) * y, y, None)
    found = auc_interval(levels, 0.0 if turned else 1.0, 0.95)
    band = found.interval
    assert found.method == "Newcombe"
    assert band is not None
    assert 0 <= band.low < band.high <= 1
    edge = band.high if turned else 1 - band.low
    assert found.value in band
    assert 1 / (3 * min(n1, n2) + 2) < edge < 1


def test_newcombes_end_solves_his_equation() -> None:
    y = np.repeat([0, 1], [10, 20])
    band = auc_interval(ScoreLevels.from_scores(y.astype(float), y, None), 1.0, 0.95).interval
    assert band is not None
    t = band.low
    inner = 1 + (15 - 1) * (1 - t) / (2 - t) + (15 - 1) * t / (1 + t)
    assert (1 - t) ** 2 == pytest.approx(ndtri(0.975) ** 2 * t * (1 - t) * inner / 200, rel=1e-9)


def test_any_level_keeps_an_area_between_0_and_1() -> None:
    levels = ScoreLevels.from_scores(np.array([1.0, 3, 2, 4, 5]), np.array([0, 0, 1, 1, 1]), None)
    band = auc_interval(levels, 5 / 6, 1 - 1e-12).interval
    assert band is not None
    assert 0 <= band.low < band.high <= 1


def test_difference_of_areas() -> None:
    y = RNG.integers(0, 2, 80)
    a, b = y + RNG.normal(size=80), y + RNG.normal(size=80).round(1)
    one, other = placed(a, y), placed(b, y)
    pairs = (one, other), (other, one), (one, one)
    forth, back, none = (auc_difference(*pair) for pair in pairs)
    assert forth.value == -back.value
    turned = back.turned().interval()
    assert turned is not None
    assert (none.value, none.interval(), none.p_value) == (0.0, None, 1.0)
    assert none.estimate().method == "the systems rank all samples alike"
    areas = [stakes.roc_curve(y, s).auc() for s in (a, b)]
    assert forth.value == pytest.approx(areas[0] - areas[1])
    # the variance of a difference, from those of all pairs of placements
    parts = [
        np.cov(placements(a, y)[y == k], placements(b, y)[y == k]) / (y == k).sum() for k in (0, 1)
    ]
    each = [part[0, 0] + part[1, 1] - 2 * part[0, 1] for part in parts]
    half = stats.t.ppf(0.975, min((y == k).sum() for k in (0, 1)) - 1) * math.sqrt(sum(each))
    band = forth.interval()
    assert band is not None
    assert list(turned) == pytest.approx(list(band), abs=1e-9)
    assert (band.high - band.low) / 2 == pytest.approx(half, rel=0.1)


def test_areas_differ_alike_by_weights_and_copies() -> None:
    y = RNG.integers(0, 2, 60)
    a, b = y + RNG.normal(size=(2, 60))
    w = RNG.integers(1, 4, 60)
    weighted = auc_difference(*(placed(s, y, w.astype(float), np.arange(60)) for s in (a, b)))
    unit = np.repeat(np.arange(60), w)
    copied = auc_difference(*(placed(np.repeat(s, w), np.repeat(y, w), None, unit) for s in (a, b)))
    assert weighted.value == pytest.approx(copied.value, rel=1e-12)
    assert weighted.p_value == pytest.approx(copied.p_value, rel=0.2)  # of one row, or of several


@pytest.mark.parametrize("degrees", [999, 1000, 1001, 20_000, 10**9])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_quantile_of_t_is_that_of_scipy(degrees: int, level: float) -> None:
    assert _t(level, degrees) == pytest.approx(stdtrit(degrees, (1 + level) / 2), rel=1e-10)
