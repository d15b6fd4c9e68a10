"""The calibration slope: the textbook's logistic regression, fitted again, its coverage."""

import math

import numpy as np
import pytest
from scipy.special import expit, logit

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
    return b, (x @ np.linalg.inv(h))[:, 0] * w * (y - q)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_slope_is_that_of_a_logistic_regression(weighted: bool) -> None:  # noqa: FBT001
    """At the ends too: some weights as likely as exp(-1.96^2 / 2) give them."""
    y, z = drawn(300, 2.0, seed=41)
    w = np.random.default_rng(42).uniform(0.5, 2, 300) if weighted else np.ones(300)
    found = calibration_slope(read_samples(y, expit(z), sample_weight=w if weighted else None))
    b, influence = regression(z, y, w)
    assert found.value == pytest.approx(b[0], rel=1e-6)
    band = found.interval()
    assert band is not None
    half = 1.96 * math.sqrt(influence @ influence)  # of the sandwich
    assert band.high - band.low == pytest.approx(2 * half, rel=0.2)
    for side, end in ((1, band.high), (-1, band.low)):
        reached = regression(z, y, w * likely(side * influence))[0][0]
        assert 0 <= side * (end - reached) < 0.15 * half  # with half an unseen sample


def likely(slope: FloatArray) -> FloatArray:
    """Return weights with a mean of 1, larger where the slope is, as likely as exp(-1.96^2 / 2)."""

    def at(size: float) -> FloatArray:
        tilted = 1 / (1 - size * slope / slope.max())
        return tilted / tilted.mean()

    low, high = 0.0, 1 - 1e-9
    for _ in range(60):
        middle = (low + high) / 2
        near = -2 * np.log(at(middle)).sum() < 1.96**2
        low, high = (middle, high) if near else (low, middle)
    return at(low)


def test_copies_are_groups_taken_whole() -> None:
    """But for an unseen sample, which is half as much as a group of two, and Student's t."""
    y, z = drawn(2000, 1.0, seed=43)
    unit = np.tile(np.arange(2000), 2)
    twice = calibration_slope(read_samples(np.tile(y, 2), expit(np.tile(z, 2))), unit)
    once = calibration_slope(read_samples(y, expit(z)))
    assert twice.value == pytest.approx(once.value, rel=1e-7)
    ends = [found.interval() for found in (once, twice)]
    assert ends[0] is not None
    assert ends[1] is not None
    width = ends[0].high - ends[0].low
    assert tuple(ends[1]) == pytest.approx(tuple(ends[0]), abs=0.02 * width)


def test_the_slope_does_not_depend_on_the_priors_of_use() -> None:
    y, z = drawn(400, 0.5, seed=44)
    scores = stakes.LogLikelihoodRatios(z)
    a, b = (calibration_slope(read_samples(y, scores, priors=[1 - p, p])) for p in (0.02, 0.5))
    assert a.value == pytest.approx(b.value, rel=1e-6)
    bands = a.interval(), b.interval()
    assert bands[0] is not None
    assert bands[1] is not None
    assert tuple(bands[0]) == pytest.approx(tuple(bands[1]), rel=1e-4)


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
