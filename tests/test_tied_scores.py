"""Intervals of points on an ROC curve cover where scores have few values, as where they have many.

Populations are known: each of K log odds is as likely as the others and calibrated, or two normal
classes are two standard deviations apart (K = 0).
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import expit, logit, ndtr, ndtri

import stakes
from stakes._quantiles import normal
from stakes.results import Estimate

REPLICATIONS = 200
LEAST = 0.95 - 3 * math.sqrt(0.95 * 0.05 / REPLICATIONS)
RATE = 0.9  # specificity at which the sensitivity is asked for, and the reverse
SIZES = [(n, share) for n in (100, 300) for share in (0.5, 0.2)]


def log_odds(values: int, share: float) -> np.ndarray:
    """Return the log odds that scores may have."""
    return np.linspace(-2.5, 2.5, values) + logit(share)


def drawn(
    values: int, share: float, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and scores."""
    if values == 0:
        y = (rng.random(n) < share).astype(int)
        return y, rng.standard_normal(n) + 2 * y
    x = rng.choice(log_odds(values, share), n)
    return (rng.random(n) < expit(x)).astype(int), x


def truths(values: int, share: float) -> dict[str, float]:
    """Return the values of the population."""
    if values == 0:
        fixed = float(ndtr(2 - ndtri(RATE)))
        return {"eer": float(ndtr(-1.0)), "sensitivity": fixed, "specificity": fixed}
    p = expit(log_odds(values, share))
    alarms = 1 - np.concatenate([[0], np.cumsum((1 - p) / (1 - p).sum())])
    misses = np.concatenate([[0], np.cumsum(p / p.sum())])
    points = list(zip(alarms, misses, strict=True))
    crossings = [  # of the diagonal, by the lines between all points on its two sides
        (a * n - m * b) / (a - m + n - b) if a - m + n - b > 0 else m
        for a, m in points
        for b, n in points
        if a >= m and b <= n
    ]
    slack = 1 - RATE + 1e-12
    return {
        "eer": float(min(crossings)),
        "sensitivity": float(1 - misses[alarms <= slack].min()),
        "specificity": float(1 - alarms[misses <= slack].min()),
    }


def estimates(y: np.ndarray, x: np.ndarray) -> dict[str, Estimate]:
    """Return the three estimates."""
    curve = stakes.roc_curve(y, stakes.Logits(x))
    return {
        "eer": curve.eer_estimate(),
        "sensitivity": curve.sensitivity_estimate(RATE),
        "specificity": curve.specificity_estimate(RATE),
    }


def ends(found: Estimate) -> tuple[float, float]:
    """Return both ends of an interval."""
    assert found.interval is not None
    return found.interval.low, found.interval.high


@pytest.mark.parametrize(("n", "share"), SIZES)
@pytest.mark.parametrize("values", [3, 5, 9, 0])
def test_intervals_cover_whether_scores_have_few_or_many_values(
    values: int, n: int, share: float
) -> None:
    known = truths(values, share)
    rng = np.random.default_rng([606, values, n, round(100 * share)])
    covered = dict.fromkeys(known, 0)
    for _ in range(REPLICATIONS):
        for name, found in estimates(*drawn(values, share, n, rng)).items():
            low, high = ends(found)
            assert 0 <= low <= found.value <= high <= 1
            assert high - low > 1e-3, name
            covered[name] += low - 1e-9 <= known[name] <= high + 1e-9
    for name, count in covered.items():
        assert count >= LEAST * REPLICATIONS, name


def test_the_interval_of_five_values_is_not_a_point() -> None:
    rng = np.random.default_rng(1)
    x = rng.choice([-2.5, -1.25, 0, 1.25, 2.5], 300)
    y = (rng.random(300) < 1 / (1 + np.exp(-x))).astype(int)
    eer = stakes.evaluate(y, stakes.Logits(x)).ranking["eer"]
    low, high = ends(eer)
    assert 0.05 < high - low < 0.15
    assert low < truths(5, 0.5)["eer"] < high


@given(st.integers(0, 2**32 - 1).map(np.random.default_rng), st.integers(1, 6), st.integers(4, 60))
@settings(max_examples=40)
def test_only_the_order_counts_and_classes_may_change_places(
    rng: np.random.Generator, values: int, n: int
) -> None:
    x = rng.integers(0, values, n)
    y = np.concatenate([[0, 1], rng.integers(0, 2, n - 2)])
    found = {name: ends(e) for name, e in estimates(y, x).items()}
    assert {name: ends(e) for name, e in estimates(y, np.exp(x) - 7).items()} == found
    other = {name: ends(e) for name, e in estimates(1 - y, -x).items()}
    assert other["eer"] == pytest.approx(found["eer"], abs=1e-9)
    assert other["sensitivity"] == pytest.approx(found["specificity"], abs=1e-9)
    assert other["specificity"] == pytest.approx(found["sensitivity"], abs=1e-9)
    assert all(high > low for low, high in found.values())


@pytest.mark.parametrize("values", [5, 0])
def test_many_samples_have_a_narrow_interval_and_not_a_point(values: int) -> None:
    curve = stakes.roc_curve(*drawn(values, 0.5, 20_000, np.random.default_rng(5)))
    levels = curve.levels
    often = replace(levels, first=levels.first * 10_000, second=levels.second * 10_000)
    for name in ("eer_estimate", "sensitivity_estimate", "specificity_estimate"):
        at = () if name == "eer_estimate" else (RATE,)
        few, many = (getattr(c, name)(*at) for c in (curve, stakes.RocCurve(often, (0, 1))))
        assert many.value == pytest.approx(few.value, rel=1e-12)
        (a, b), (low, high) = ends(few), ends(many)
        assert a < low < many.value < high < b
        error = math.sqrt(many.value * (1 - many.value) / often.totals[1])
        assert error < high - low < 2 * normal(0.95) * error + 0.001, name


def test_the_equal_error_rate_is_never_thought_to_be_above_a_half() -> None:
    y = np.repeat([0, 1], 20)
    low, high = ends(stakes.roc_curve(y, np.full(40, 0.3)).eer_estimate())
    assert low < 0.5 == high
    assert ends(stakes.roc_curve(y, stakes.Logits(y)).eer_estimate())[0] == 0
