"""The calibration slope: the textbook's logistic regression, its HC3 error, its coverage."""

import math

import numpy as np
import pytest
from scipy.special import expit, logit, stdtrit

import stakes
from stakes._typing import FloatArray, IntArray
from stakes.calibration.slope import calibration_slope
from stakes.samples import read_samples


def drawn(n: int, scale: float, seed: int) -> tuple[IntArray, FloatArray]:
    """Return labels and log odds of two normal classes; scale 1 is calibrated."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return y, scale * (2 * rng.normal(2 * y - 1, 1) + logit(0.3))


def regression(z: FloatArray, y: IntArray, w: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients of a logistic regression, and the influence of each sample."""
    x = np.column_stack([z, np.ones(y.size)])
    b = np.array([0.5, 0.0])
    for _ in range(200):
        q = expit(x @ b)
        h = (x * (w * q * (1 - q))[:, None]).T @ x
        b = b + 0.5 * np.linalg.solve(h, x.T @ (w * (y - q)))
    inverse = np.linalg.inv(h)
    leverage = ((x @ inverse) * x).sum(axis=1) * w * q * (1 - q)
    return b, (x @ inverse)[:, 0] * w * (y - q) / (1 - leverage)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_slope_is_that_of_a_logistic_regression(weighted: bool) -> None:  # noqa: FBT001
    y, z = drawn(300, 2.0, seed=41)
    w = np.random.default_rng(42).uniform(0.5, 2, 300) if weighted else np.ones(300)
    found = calibration_slope(read_samples(y, expit(z), sample_weight=w if weighted else None))
    b, influence = regression(z, y, w)
    assert found.value == pytest.approx(b[0], rel=1e-6)
    assert found.error == pytest.approx(math.sqrt(influence @ influence), rel=1e-6)
    half = stdtrit(min(y.sum(), 300 - y.sum()) - 1, 0.975) * found.error
    band = found.interval()
    assert band is not None
    assert tuple(band) == pytest.approx((found.value - half, found.value + half), rel=1e-9)


def test_groups_are_summed_whole() -> None:
    y, z = drawn(200, 1.0, seed=43)
    twice = calibration_slope(
        read_samples(np.tile(y, 2), expit(np.tile(z, 2))), np.tile(np.arange(200), 2)
    )
    once = calibration_slope(read_samples(y, expit(z)))
    assert twice.value == pytest.approx(once.value, rel=1e-7)
    assert twice.error == pytest.approx(once.error * math.sqrt(199 / 200), rel=1e-5)
    assert twice.degrees == pytest.approx(once.degrees)


def test_the_slope_does_not_depend_on_the_priors_of_use() -> None:
    y, z = drawn(400, 0.5, seed=44)
    scores = stakes.LogLikelihoodRatios(z)
    a, b = (calibration_slope(read_samples(y, scores, priors=[1 - p, p])) for p in (0.02, 0.5))
    assert (a.value, a.error) == pytest.approx((b.value, b.error), rel=1e-6)


@pytest.mark.parametrize(
    ("p", "why"),
    [
        (np.full(100, 0.3), "do not vary"),
        (np.where(np.arange(100) < 50, 0.2, 0.9), "separable"),
    ],
)
def test_no_slope_without_what_determines_it(p: FloatArray, why: str) -> None:
    found = calibration_slope(read_samples(np.repeat([0, 1], 50), p))
    assert math.isnan(found.value)
    assert found.interval() is None
    assert why in found.why


@pytest.mark.parametrize("n", [60, 300])
def test_intervals_cover_the_slope(n: int) -> None:
    """Of 200 draws 5 are expected on either side; more than 12 have a probability below 0.5 %."""
    sides = np.zeros(2, dtype=int)
    for seed in range(200):
        y, z = drawn(n, 2.0, seed=900 + seed)
        band = calibration_slope(read_samples(y, expit(z))).interval()
        if band is not None:
            sides += (band.high < 0.5, band.low > 0.5)
    assert (sides <= 12).all()
