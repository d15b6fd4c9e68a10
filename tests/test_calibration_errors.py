"""Calibration errors at the priors of use, and what chance makes of them."""

import functools
import itertools
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.fft import dct, idct
from scipy.special import expit, logit
from scipy.stats import binom

import stakes
from command import call
from stages import assert_seldom
from stakes.metrics.binned_error import Steps, binomial_distance
from stakes.metrics.calibration_errors import error_of_sums
from stakes.metrics.smooth_error import GRID, _smooth, _waves, smooth_error
from stakes.statistics import BinSums
from stakes.statistics.bins import equal_width
from strategies import Scored, scored

ERRORS: list[Any] = [stakes.calibration_error, stakes.confidence_calibration_error]
SMOOTH: list[Any] = [*ERRORS, stakes.smooth_calibration_error]
SMOOTH_CONFIDENCE: Any = functools.partial(stakes.smooth_calibration_error, confidence=True)
CENTRES = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 2.25]])


def ratios(n: int, share: float, seed: int, slope: float = 1.0) -> tuple[Any, Any]:
    """Return labels and log likelihood ratios, which are right if the slope is 1."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return y, slope * rng.normal(4 * y - 2, 2.0)


def three_classes(n: int, seed: int) -> tuple[Any, stakes.LogLikelihoods]:
    """Return labels, a fifth of the last class, and right likelihoods."""
    rng = np.random.default_rng([seed, n])
    y = rng.permutation(np.repeat([0, 1, 2], [n // 2, n - n // 2 - n // 5, n // 5]))
    x = rng.normal(size=(n, 2)) + CENTRES[y]
    return y, stakes.LogLikelihoods(-np.square(x[:, None] - CENTRES).sum(axis=2) / 2)


@given(
    scored(weights=False),
    st.booleans(),
    st.lists(st.integers(1, 4), min_size=6, max_size=6),
    st.integers(1, 20),
)
def test_a_class_that_counts_m_times_is_one_replicated_m_times(
    data: Scored,
    weighted: bool,  # noqa: FBT001
    times: list[int],
    bins: int,
) -> None:
    k = data.p.shape[1]
    weights = 1.0 + np.arange(data.y.size) % 3 if weighted else None
    factors = np.array(times[:k])
    rows = np.repeat(np.arange(data.y.size), factors[data.y])
    counts = np.bincount(data.y, weights, k) * factors
    kinds: dict[str, Any] = {"priors": counts / counts.sum(), "sample_weight": weights}
    w = None if weights is None else weights[rows]
    for chosen in (bins, stakes.EqualMass(bins)):
        mine = stakes.reliability(data.y, data.p, chosen, confidence=True, **kinds)
        other = stakes.reliability(
            data.y[rows], data.p[rows], chosen, confidence=True, sample_weight=w
        )
        if isinstance(chosen, int):
            np.testing.assert_allclose(mine.frequency, other.frequency, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(mine.share, other.share, rtol=1e-9, atol=1e-12)
    for error in SMOOTH if k == 2 else [stakes.confidence_calibration_error]:
        found, wanted = (
            error(data.y, data.p, **kinds),
            error(data.y[rows], data.p[rows], sample_weight=w),
        )
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    if k == 2:
        curve, other_curve = (
            stakes.reliability_curve(data.y, data.p, resamples=1, **kinds),
            stakes.reliability_curve(data.y[rows], data.p[rows], sample_weight=w, resamples=1),
        )
        np.testing.assert_allclose(curve.frequency, other_curve.frequency, rtol=1e-9, atol=1e-12)
        assert curve.prior == pytest.approx(other_curve.prior)


@given(
    scored(weights=False),
    st.booleans(),
    st.lists(st.integers(1, 9), min_size=6, max_size=6),
    st.integers(1, 20),
)
def test_a_scorecard_has_the_calibration_error_of_the_functions(
    data: Scored,
    weighted: bool,  # noqa: FBT001
    times: list[int],
    bins: int,
) -> None:
    k = data.p.shape[1]
    weights = 1.0 + np.arange(data.y.size) % 3 if weighted else None
    seen = np.bincount(data.y, minlength=k) > 0
    priors = np.where(seen, times[:k], 0) / np.where(seen, times[:k], 0).sum()
    kinds: dict[str, Any] = {"priors": priors, "sample_weight": weights}
    card = stakes.scorecard(data.y, np.array(data.p), bins=bins, **kinds)
    found = card.calibration_error if k == 2 else card.confidence_calibration_error
    wanted = ERRORS[k > 2](data.y, data.p, bins, **kinds)
    assert found is not None
    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-13)
    for name in ("expected_if_calibrated", "debiased"):
        close = pytest.approx(getattr(wanted, name), rel=1e-6, abs=1e-9)
        assert getattr(found, name) == close
    assert found.class_weights == pytest.approx(wanted.class_weights)
    assert (found.name, found.method) == (wanted.name, wanted.method)


@pytest.mark.parametrize("prior", [0.02, 0.3, 0.9])
@pytest.mark.parametrize("slope", [1.0, 2.0])
def test_the_error_at_priors_is_that_of_data_resampled_to_them(prior: float, slope: float) -> None:
    y, llr = ratios(60_000, 0.4, 1, slope)
    other, resampled = ratios(60_000, prior, 2, slope)
    for error in SMOOTH:
        found = error(y, stakes.LogLikelihoodRatios(llr), priors=[1 - prior, prior])
        wanted = error(other, stakes.LogLikelihoodRatios(resampled), priors="data")
        assert found == pytest.approx(wanted, abs=0.004)
        if slope == 2 and prior == 0.3:
            assert found > 0.02


def test_a_calibrated_file_at_other_priors_has_a_small_error_in_every_form() -> None:
    rng = np.random.default_rng(3)
    y = (rng.random(20000) < 0.3).astype(int)
    p = expit(2 * rng.normal(2 * y - 1, 1.0) + logit(0.3))
    result = stakes.evaluate(y, p, priors=[0.95, 0.05], training_priors=[0.7, 0.3], calibrator=None)
    found = result.metrics()
    assert found["calibration_error"].value < 0.004
    assert found["calibration_error"].interval.low == 0  # type: ignore[union-attr]
    expected = found["calibration_error.expected_if_calibrated"].value
    assert expected == pytest.approx(found["calibration_error"].value, rel=0.4)
    plain = result.to_dict()["calibration_errors"]["calibration_error"]
    assert plain["value"] == found["calibration_error"].value
    assert plain["expected_if_calibrated"] == expected


@pytest.mark.parametrize(
    ("error", "prior"),
    [
        *itertools.product(ERRORS, [None, 0.02, 0.5]),
        (SMOOTH[2], None),  # these take longer: each at the priors of the data or at others
        (SMOOTH[2], 0.02),
        (SMOOTH_CONFIDENCE, 0.5),
    ],
)
def test_the_value_expected_if_calibrated_is_the_mean_over_calibrated_samples(
    error: Any,  # noqa: ANN401
    prior: float | None,
) -> None:
    records = []
    for seed in range(200 if error in ERRORS else 60):
        y, llr = ratios(400, 0.3, seed)
        use = 0.3 if prior is None else prior
        p = expit(llr + logit(use))
        records.append(error(y, p, priors=None if prior is None else [1 - prior, prior]))
    values = [record.value for record in records]
    some = records if error in ERRORS else records[:10]  # where it differs by 4 % at most
    expected = [record.expected_if_calibrated for record in some]
    spread = np.std(values) / math.sqrt(len(values))
    assert np.mean(values) == pytest.approx(np.mean(expected), abs=4 * spread, rel=0.06)
    bands = (record.interval() for record in records)
    excluded = (band is not None and band.low > 0 for band in bands)
    # 5 %, and what chance adds; at a rate of 15 %, each would pass with a probability below 0.05
    assert_seldom(excluded, *([(60, 2), (200, 12)] if error in ERRORS else [(20, 0), (60, 3)]))


@pytest.mark.parametrize("n", [100, 1000])
@pytest.mark.parametrize("priors", [(0.1, 0.1, 0.8), (0.9, 0.08, 0.02)])
def test_the_value_expected_of_three_calibrated_classes_at_other_priors(
    n: int, priors: tuple[float, ...]
) -> None:
    values, expected = [], []
    for seed in range(150):
        y, scores = three_classes(n, seed)
        record = stakes.confidence_calibration_error(y, scores, priors=priors)
        values.append(record.value)
        expected.append(record.expected_if_calibrated)
    spread = np.std(values) / math.sqrt(len(values))
    assert np.mean(values) == pytest.approx(np.mean(expected), abs=float(3 * spread))


@pytest.mark.parametrize(
    ("error", "slope", "prior"),
    [
        *((error, *case) for error in ERRORS for case in ((2.0, 0.3), (0.5, 0.3), (2.0, 0.1))),
        (SMOOTH[2], 2.0, 0.3),  # these take longer: each case with one of them
        (SMOOTH[2], 2.0, 0.1),
        (SMOOTH_CONFIDENCE, 0.5, 0.3),
    ],
)
def test_intervals_of_miscalibrated_systems_cover_the_error_of_the_population(
    error: Any,  # noqa: ANN401
    slope: float,
    prior: float,
) -> None:
    x = np.linspace(-40, 40, 200_001)
    density = [
        np.exp(-np.square(x - m) / 8) / math.sqrt(8 * math.pi) * (x[1] - x[0]) for m in (-2, 2)
    ]
    p = expit(slope * x + logit(prior))
    hit = prior * density[1]
    if error in {ERRORS[1], SMOOTH_CONFIDENCE}:
        hit = np.where(p > 0.5, hit, (1 - prior) * density[0])
        p = np.maximum(p, 1 - p)
    gap = hit - (prior * density[1] + (1 - prior) * density[0]) * p
    if error in ERRORS:
        code = np.searchsorted(equal_width(15), p, side="right")
        truth = np.abs(np.bincount(code, gap, 15)).sum()
    else:
        cell = np.searchsorted(equal_width(1000), p)
        truth = smooth_error(np.bincount(cell, gap, 1000).astype(np.float64))

    def missed() -> Iterator[bool]:
        for seed in itertools.count(1000):
            y, llr = ratios(800, 0.3, seed, slope)
            given_priors = None if prior == 0.3 else [1 - prior, prior]
            record = error(y, expit(llr + logit(prior)), priors=given_priors)
            band = record.interval()
            assert band.low <= record <= band.high
            yield truth not in band

    # at a coverage of 85 %, each would pass with a probability below 0.03
    assert_seldom(missed(), (50, 2), (200, 16) if error in ERRORS else (100, 8))


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_intervals_cover_where_few_samples_of_the_frequent_class_weigh_most(share: float) -> None:
    slope, prior = 1.5, 0.02
    x = np.linspace(-40, 40, 200_001)
    first, second = (
        np.exp(-np.square(x - m) / 8) / math.sqrt(8 * math.pi) * (x[1] - x[0]) for m in (-2, 2)
    )
    p = expit(slope * x + logit(prior))
    gap = prior * second * (1 - p) - (1 - prior) * first * p
    code = np.searchsorted(equal_width(15), p, side="right")
    truth = np.abs(np.bincount(code, gap, 15)).sum()
    covered = []
    for seed in range(200):
        y, llr = ratios(500, share, 3000 + seed, slope)
        band = stakes.calibration_error(
            y, expit(llr + logit(prior)), priors=[1 - prior, prior]
        ).interval()
        if band is not None:
            covered.append(truth in band)
    assert len(covered) >= 100
    assert np.mean(covered) >= 0.92


def many_classes(k: int, n: int, slope: float, seed: int) -> tuple[Any, stakes.LogLikelihoods, Any]:
    """Return labels, about as many of each class, likelihoods, and priors that differ."""
    rng = np.random.default_rng([seed, k, n])
    centres = 1.4 * np.random.default_rng(k).normal(size=(k, 10))
    y = rng.permutation(np.arange(n) % k)
    x = centres[y] + rng.normal(size=(n, 10))
    scores = slope * (x @ centres.T - np.square(centres).sum(axis=1) / 2)
    priors = 1 / np.sqrt(np.arange(1, k + 1))
    return y, stakes.LogLikelihoods(scores), priors / priors.sum()


@pytest.mark.parametrize(
    ("k", "n", "error"),
    [
        (20, 500, ERRORS[1]),
        (50, 800, ERRORS[1]),
        (200, 500, ERRORS[1]),
        (20, 500, SMOOTH_CONFIDENCE),
        (200, 500, SMOOTH_CONFIDENCE),
    ],
)
def test_intervals_of_many_classes(k: int, n: int, error: Any) -> None:  # noqa: ANN401
    y, scores, priors = many_classes(k, 20_000, 2.0, 0)
    truth = error(y, scores, priors=priors).value

    def missed() -> Iterator[bool]:
        for seed in itertools.count(1):
            y, scores, priors = many_classes(k, n, 2.0, seed)
            yield truth not in error(y, scores, priors=priors).interval()

    # at a coverage of 80 %, each would pass with a probability below 0.13
    assert_seldom(missed(), (12, 0), (60, 6) if error in ERRORS else (30, 3))
    values, expected = [], []
    for seed in range(60 if error in ERRORS else 30):
        y, scores, priors = many_classes(k, n, 1.0, 1 + seed)
        record = error(y, scores, priors=priors)
        values.append(record.value)
        if seed < 6:  # it differs by 3 % between samples
            expected.append(record.expected_if_calibrated)
    assert np.mean(expected) == pytest.approx(np.mean(values), rel=0.12)


def test_a_thousand_classes_need_no_decomposition_of_a_thousand_columns() -> None:
    y, scores, priors = many_classes(1000, 5000, 1.0, 0)
    record = SMOOTH_CONFIDENCE(y, scores, priors=priors)
    assert len(record.model.cells.strata) <= 32
    assert len(record.model.cells.chance.strata) <= 32
    assert record.interval() is not None


def test_numbers_expected_of_each_class_are_those_in_the_file() -> None:
    y, scores = three_classes(5000, 1)
    model = stakes.confidence_calibration_error(y, scores, priors=[0.1, 0.1, 0.8]).model
    numbers = [n for _, n in model.chance.strata]  # type: ignore[union-attr]
    assert numbers == pytest.approx(np.bincount(y).tolist(), rel=0.05)


def test_classes_of_few_samples_are_pooled_and_never_without_variance() -> None:
    y, scores, priors = many_classes(30, 300, 1.0, 0)
    once = np.concatenate(
        [np.flatnonzero(y < 20), [np.flatnonzero(y == k)[0] for k in range(20, 30)]]
    )
    scores = stakes.LogLikelihoods(scores.values[once])
    model = stakes.confidence_calibration_error(y[once], scores, priors=priors).model
    numbers = [n for _, n in model.strata]  # type: ignore[union-attr]
    assert numbers == pytest.approx([10.0] * 20 + [10.0])


@pytest.mark.parametrize("error", [ERRORS[1], stakes.smooth_calibration_error, SMOOTH_CONFIDENCE])
def test_the_debiased_error_at_priors_is_that_of_data_resampled_to_them(
    error: Any,  # noqa: ANN401
) -> None:
    y, llr = ratios(40_000, 0.4, 1, 2.0)
    other, resampled = ratios(40_000, 0.15, 2, 2.0)
    found = error(y, stakes.LogLikelihoodRatios(llr), priors=[0.85, 0.15])
    wanted = error(other, stakes.LogLikelihoodRatios(resampled), priors="data")
    assert wanted.debiased > 0.02
    assert found.debiased == pytest.approx(wanted.debiased, rel=0.05)
    near, far = found.interval(), wanted.interval()
    assert (near.low, near.high) == pytest.approx((far.low, far.high), rel=0.08)
    assert found.expected_if_calibrated == pytest.approx(wanted.expected_if_calibrated, rel=0.25)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("priors", [None, "other"])
def test_equal_weights_of_any_size_are_none(k: int, priors: str | None) -> None:
    y, scores = three_classes(600, 4)
    p = np.exp(scores.log_posteriors([0.4, 0.3, 0.3]))
    if k == 2:
        y, p = np.minimum(y, 1), np.stack([p[:, 0], p[:, 1] + p[:, 2]], axis=1)
    at = None if priors is None else np.arange(1, k + 1) / (k * (k + 1) / 2)
    for error in (ERRORS[1], SMOOTH_CONFIDENCE):
        plain = error(y, p, priors=at)
        for size in (1.0, 2.0):
            found = error(y, p, priors=at, sample_weight=np.full(y.size, size))
            for name in ("value", "debiased", "expected_if_calibrated"):
                wanted = getattr(plain, name)
                assert getattr(found, name) == pytest.approx(wanted, rel=1e-6, abs=1e-9)
            assert tuple(found.interval(0.9)) == pytest.approx(tuple(plain.interval(0.9)), abs=1e-6)


def test_weights_by_class_at_given_priors_change_nothing() -> None:
    y, scores = three_classes(500, 6)
    priors = [0.2, 0.2, 0.6]
    plain = stakes.confidence_calibration_error(y, scores, priors=priors)
    weights = np.array([1.0, 5.0, 0.2])[y]
    found = stakes.confidence_calibration_error(y, scores, priors=priors, sample_weight=weights)
    assert found == pytest.approx(plain, rel=1e-9)
    assert found.expected_if_calibrated == pytest.approx(plain.expected_if_calibrated, rel=1e-9)
    assert tuple(found.interval()) == pytest.approx(tuple(plain.interval()), rel=1e-6)  # type: ignore[arg-type]


def test_copies_of_samples_have_the_error_of_their_weights_and_a_narrower_interval() -> None:
    y, llr = ratios(1000, 0.3, 9, 2.0)
    twice = np.repeat(np.arange(1000), 2)
    for error in SMOOTH[1:]:
        one = error(y, expit(llr), priors=[0.8, 0.2])
        two = error(y[twice], expit(llr)[twice], priors=[0.8, 0.2])
        assert two == pytest.approx(one, rel=1e-9)
        assert two.expected_if_calibrated < 0.85 * one.expected_if_calibrated
        assert two.interval().high < one.interval().high
        assert two.interval().low > one.interval().low


def test_a_class_with_prior_0_has_no_effect() -> None:
    y, scores = three_classes(600, 8)
    kept = y < 2
    priors = [0.3, 0.7, 0.0]
    p = np.exp(scores.log_posteriors(priors))
    found = stakes.confidence_calibration_error(y, p, priors=priors)
    wanted = stakes.confidence_calibration_error(y[kept], p[kept, :2], priors=priors[:2])
    assert found == pytest.approx(wanted, rel=1e-9)
    assert found.expected_if_calibrated == pytest.approx(wanted.expected_if_calibrated, rel=1e-9)
    assert tuple(found.interval()) == pytest.approx(tuple(wanted.interval()), rel=1e-9)  # type: ignore[arg-type]


@pytest.mark.parametrize("weak", [0.6, 1.0])
def test_the_value_expected_of_scores_that_know_little(weak: float) -> None:
    values, expected = [], []
    for seed in range(200):
        rng = np.random.default_rng([seed, 5])
        y = (rng.random(600) < 0.3).astype(int)
        llr = rng.normal((2 * y - 1) * weak**2 / 2, weak)
        record = stakes.calibration_error(y, expit(llr + logit(0.02)), priors=[0.98, 0.02])
        values.append(record.value)
        expected.append(record.expected_if_calibrated)
    assert np.mean(values) == pytest.approx(np.mean(expected), rel=0.2)


def test_answers_at_the_priors_have_no_error_and_chance_makes_none() -> None:
    y = np.repeat([0, 1], [70, 30])
    record = stakes.calibration_error(y, np.full(100, 0.02), priors=[0.98, 0.02])
    assert record == pytest.approx(0, abs=1e-15)
    assert record.expected_if_calibrated == pytest.approx(0, abs=1e-9)
    assert record.class_weights == pytest.approx({0: 1.4, 1: 1 / 15})
    smooth = stakes.smooth_calibration_error(y, np.full(100, 0.02), priors=[0.98, 0.02])
    assert smooth.expected_if_calibrated < 0.002  # the narrowest width is 0.001


def test_where_there_is_no_interval_the_record_says_why() -> None:
    few = stakes.calibration_error([0] * 50 + [1] * 4, np.linspace(0, 1, 54))
    assert few.interval() is None
    assert "fewer than 5 samples" in few.method
    assert few.estimate().interval is None
    y, llr = ratios(200, 0.5, 0)
    other = stakes.calibration_error(y, expit(llr), norm=2)
    assert other.interval() is None
    assert math.isnan(other.expected_if_calibrated)
    assert "norm 1" in other.method
    smooth = stakes.smooth_calibration_error([0] * 50 + [1] * 4, np.linspace(0, 1, 54))
    assert smooth.interval() is None
    assert "fewer than 5 samples" in smooth.method
    assert "simulated" in stakes.smooth_calibration_error(y, expit(llr)).method
    _, scores = three_classes(300, 1)
    heavy = stakes.confidence_calibration_error(
        np.repeat([0, 1, 2], [148, 148, 4]), scores, priors=[0.1, 0.1, 0.8]
    )
    assert heavy.interval() is None
    assert "fewer than 5 samples of a class" in heavy.method
    grouped = stakes.evaluate(y, expit(llr), groups=np.arange(200) % 40)
    error = grouped.calibration_errors["calibration_error"]
    assert error.interval() is None
    assert "groups" in error.method
    assert math.isnan(error.expected_if_calibrated)
    with pytest.raises(stakes.UndefinedMetricError, match=r"class 1 has prior 0\.5 but no samples"):
        stakes.calibration_error([0, 0], [0.2, 0.3], priors=[0.5, 0.5])


def test_each_error_has_its_own_name() -> None:
    y, llr = ratios(100, 0.5, 1)
    names = [error(y, expit(llr)).name for error in SMOOTH]
    assert names == [
        "calibration error",
        "confidence calibration error",
        "smooth calibration error",
    ]
    assert str(stakes.confidence_calibration_error(y, expit(llr))).startswith("confidence calib")
    three = stakes.simulation.simulate(3, n=300)
    result = stakes.evaluate(three.y, three.posteriors([0.5, 0.3, 0.2]))
    names = [e.name for e in result.calibration_errors.values()]
    assert names == ["confidence calibration error"]


def test_a_record_works_as_the_number_it_was() -> None:
    y, llr = ratios(100, 0.5, 1)
    record = stakes.calibration_error(y, expit(llr))
    value = record.value
    assert float(record) == record == value
    assert 100 * record == 100 * value
    assert f"{record:.3f}" == f"{value:.3f}"
    assert round(record, 3) == round(value, 3)
    assert record < 1


@given(st.integers(1, 40), st.floats(0.01, 0.99))
def test_the_mean_distance_of_a_binomial(n: int, q: float) -> None:
    k = np.arange(n + 1)
    chance = [math.comb(n, i) * q**i * (1 - q) ** (n - i) for i in k]
    wanted = float(np.abs(k - n * q) @ chance)
    assert binomial_distance(np.array([float(n)]), np.array([q]))[0] == pytest.approx(wanted)


@given(st.integers(1, 40), st.floats(0.01, 0.99))
def test_the_mean_distance_of_steps_is_that_of_a_binomial(n: int, q: float) -> None:
    sizes = np.array([[float(n)], [2.0 * n]])
    steps = Steps(sizes, np.full((2, 1), q), np.full((2, 1), 0.5))
    wanted = 0.5 * binomial_distance(np.array([3.0 * n]), np.array([q]))[0]
    assert steps.distance()[0] == pytest.approx(wanted, rel=0.03)


@pytest.mark.parametrize("width", [0.001, 0.03, 1.0])
def test_residuals_are_smoothed_by_a_reflected_kernel(width: float) -> None:
    residual = np.random.default_rng(7).normal(size=(3, GRID))
    damping = np.exp(-np.square(np.pi * width * np.arange(GRID)) / 2)
    wanted = idct(dct(residual, norm="ortho") * damping, norm="ortho")
    found = _smooth(_waves(residual), np.array(width))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


def test_bins_have_wilson_intervals_moved_to_the_priors() -> None:
    y = np.repeat([0, 1], [60, 20])
    bins = stakes.reliability(y, np.full(80, 0.3), 1, priors=[0.5, 0.5])
    low, high = (float(end[0]) for end in bins.interval())
    z, n, rate = 1.959963984540054, 80, 0.25
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(rate * (1 - rate) / n + (z / (2 * n)) ** 2) / (1 + z * z / n)
    odds = [3 * end / (1 - end) for end in (centre - half, centre + half)]
    assert [low, high] == pytest.approx([o / (1 + o) for o in odds])
    assert float(bins.frequency[0]) == pytest.approx(0.5)


def test_sums_of_weights_and_of_replicated_samples_give_the_same_model() -> None:
    y, llr = ratios(500, 0.3, 5)
    p, edges = expit(llr), equal_width(15)
    one, twice = (
        error_of_sums(BinSums.from_probabilities(p, y, w, edges), (0, 1), None, confidence=False)
        for w in (None, np.full(500, 2.0))
    )
    expected = one.expected_if_calibrated
    assert expected == pytest.approx(twice.expected_if_calibrated, rel=1e-12)
    ends = [tuple(error.interval() or ()) for error in (one, twice)]
    assert ends[0] == pytest.approx(ends[1], rel=1e-9)
    assert len(ends[0]) == 2


def test_diagrams_have_the_error_of_the_tables() -> None:
    y, llr = ratios(500, 0.3, 5, 2.0)
    p = expit(llr)
    display = stakes.ReliabilityDisplay
    for made, error in zip(
        (display.from_predictions, display.from_confidences), ERRORS, strict=True
    ):
        assert made(y, p).bins.error() == pytest.approx(error(y, p).value, rel=1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_every_place_shows_the_same_error_with_the_same_interval(k: int, tmp_path: Path) -> None:
    y, scores = three_classes(400, 3)
    p = np.exp(scores.log_posteriors([0.5, 0.3, 0.2])) ** 2
    y, p = (y, p) if k == 3 else (np.minimum(y, 1), np.stack([p[:, 0], p[:, 1] + p[:, 2]], axis=1))
    p = np.round(p / p.sum(axis=1, keepdims=True), 6)
    p[:, 0] = 1 - p[:, 1:].sum(axis=1)
    priors = [0.2, 0.8] if k == 2 else [0.2, 0.2, 0.6]
    wanted = {
        "confidence_calibration_error": ERRORS[1](y, p, priors=priors),
    }
    result = stakes.evaluate(y, p, priors=priors, training_priors="deployment", calibrator=None)
    found, plain = result.metrics(), result.to_dict()["calibration_errors"]
    names = ",".join(f"p{j}" for j in range(k))
    rows = [
        ",".join(map(repr, [int(label), *map(float, row)])) for label, row in zip(y, p, strict=True)
    ]
    (tmp_path / "scores.csv").write_text("\n".join([f"y,{names}", *rows]))
    limits = [f"--max={name}=0.5" for name in wanted]
    columns = ("--label", "y", "--scores", names, "--scores-are", "posteriors")
    at = ("--prior", ",".join(map(str, priors)), "--training-prior", "deployment")
    few = ("--calibrator", "none", "--confident", "--format", "json")
    done = call("check", "scores.csv", *columns, *at, *few, *limits, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    gates = {gate["metric"]: gate for gate in json.loads(done.stdout)["gates"]}
    for name, error in wanted.items():
        band = tuple(error.interval())
        assert tuple(found[name].interval) == pytest.approx(band)  # type: ignore[arg-type]
        assert plain[name]["interval"] == pytest.approx(band)
        assert plain[name]["debiased"] == pytest.approx(error.debiased, abs=1e-9)
        assert gates[name]["estimate"]["interval"] == pytest.approx(band, rel=1e-6)
        assert gates[name]["held_against"] == pytest.approx(band[1], rel=1e-6)
    if k == 3:
        card = stakes.scorecard(y, p, priors=priors).confidence_calibration_error
        assert card is not None
        assert card.interval() is not None
        wide = wanted["confidence_calibration_error"].interval()
        assert tuple(card.interval()) == pytest.approx(tuple(wide), rel=1e-9)  # type: ignore[arg-type]


@pytest.mark.parametrize(("n", "rate"), [(10, 0.3), (40, 0.05), (200, 0.5)])
def test_the_mean_distance_of_binomial_steps(n: int, rate: float) -> None:
    k = np.arange(n + 1)
    exact = 2 * (binom.pmf(k, n, rate) * np.abs(k - n * rate)).sum()
    found = Steps(np.array([[float(n)]]), np.array([[rate]]), np.array([[2.0]])).distance()
    assert found == pytest.approx(exact, rel=2e-3)
