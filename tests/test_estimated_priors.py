"""Priors of use estimated without labels, also at the boundary, and whether they can be trusted."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import minimize_scalar

import stakes
from stakes.calibration.mixture import most_likely_priors
from stakes.simulation import simulate

TRAINED = np.array([0.8, 0.2])


def log_odds(
    n: int, positives: float, factor: float, rng: np.random.Generator
) -> tuple[np.ndarray, stakes.Logits]:
    """Return labels, and log odds for priors 0.8 and 0.2 that are right but for a factor."""
    y = (rng.random(n) < positives).astype(int)
    return y, stakes.Logits(factor * (2 * rng.normal(2 * y - 1, 1.0) + np.log(0.2 / 0.8)))


def estimate(
    n: int, positives: float, factor: float, rng: np.random.Generator
) -> stakes.PriorEstimate:
    """Estimate the priors of new samples, checked against as many labelled ones."""
    labelled = stakes.HeldOut(*log_odds(n, 0.2, factor, rng))
    _, scores = log_odds(n, positives, factor, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return stakes.estimate_priors(scores, TRAINED, labelled=labelled)


@given(
    st.integers(0, 200), st.sampled_from([0.0, 0.001, 0.5, 1.0]), st.sampled_from([0.1, 1.0, 8.0])
)
def test_the_estimate_has_the_largest_likelihood(
    seed: int, positives: float, factor: float
) -> None:
    rng = np.random.default_rng(seed)
    p = np.exp(log_odds(60, positives, factor, rng)[1].log_posteriors())
    ratio = p / TRAINED
    found = most_likely_priors(ratio, TRAINED)
    best = minimize_scalar(
        lambda t: -np.log(ratio @ [1 - t, t]).mean(), bounds=(0, 1), method="bounded",
        options={"xatol": 1e-10},
    )  # fmt: skip
    assert np.log(ratio @ found).mean() >= -best.fun - 1e-12
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("k", [3, 8])
def test_no_class_would_raise_the_likelihood_of_many_priors(k: int) -> None:
    priors = np.r_[np.zeros(k - 2), 0.3, 0.7]
    data = simulate(k, n=400, priors=priors, rng=4)
    even = np.full(k, 1 / k)
    ratio = np.exp(data.posteriors(even).values) / even
    found = most_likely_priors(ratio, even)
    slope = (ratio / (ratio @ found)[:, None]).mean(axis=0)
    assert slope.max() <= 1 + 1e-9
    np.testing.assert_allclose(slope[found > 1e-9], 1, atol=1e-6)


def test_a_class_that_is_absent_gets_an_estimate_near_zero_and_no_error() -> None:
    rng = np.random.default_rng(30)
    zero = 0
    for _ in range(60):
        found = stakes.estimate_priors(log_odds(300, 0.0, 1.0, rng)[1], TRAINED)
        assert 0.0 in found.interval(1)
        assert found.priors[1] < 0.1
        assert found.notes == ()
        zero += found.priors[1] == 0
    assert 15 <= zero <= 45  # half of the estimates lie at the boundary itself


def test_calibrated_scores_are_seldom_doubted_and_covered() -> None:
    rng = np.random.default_rng(31)
    doubted = covered = 0
    for positives in (0.0, 0.05, 0.3):
        for _ in range(60):
            found = estimate(400, positives, 1.0, rng)
            assert found.check is not None
            doubted += found.check.disagrees
            covered += positives in found.interval(1)
    assert doubted <= 9
    assert covered >= 0.9 * 180


@pytest.mark.parametrize(("factor", "positives"), [(2.0, 0.6), (0.5, 0.02), (0.5, 0.5)])
def test_scores_that_are_not_calibrated_are_doubted(factor: float, positives: float) -> None:
    rng = np.random.default_rng(32)
    for _ in range(10):
        found = estimate(2000, positives, factor, rng)
        assert positives not in found.interval(1)
        assert found.check is not None
        assert found.check.disagrees
        assert found.check.by_decisions[1] == pytest.approx(positives, abs=0.08)
        assert "not calibrated" in str(found)


def test_the_check_is_that_of_many_classes_too() -> None:
    doubted = 0
    for seed in range(30):
        before = simulate(4, n=1500, priors=[0.25] * 4, rng=seed)
        after = simulate(4, n=1000, priors=[0.6, 0.3, 0.1, 0.0], rng=100 + seed)
        even = [0.25] * 4
        labelled = stakes.HeldOut(before.y, before.posteriors(even))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = stakes.estimate_priors(after.posteriors(even), "data", labelled=labelled)
        assert found.check is not None
        doubted += found.check.disagrees
    assert doubted <= 4


def test_a_disagreement_warns_and_says_what_to_do() -> None:
    rng = np.random.default_rng(33)
    labelled = stakes.HeldOut(*log_odds(2000, 0.2, 0.4, rng))
    _, scores = log_odds(2000, 0.02, 0.4, rng)
    with pytest.warns(UserWarning, match="not calibrated for these data") as caught:
        found = stakes.estimate_priors(scores, TRAINED, labelled=labelled)
    assert "Calibrate the scores" in str(caught[0].message)
    assert str(caught[0].message) == found.notes[0]
    calibrator = stakes.AffineCalibrator().fit(labelled.scores, labelled.y_true)
    better = stakes.HeldOut(labelled.y_true, calibrator.transform(labelled.scores))
    again = stakes.estimate_priors(calibrator.transform(scores), "data", labelled=better)
    assert again.check is not None
    assert not again.check.disagrees
    assert 0.02 in again.interval(1)
    assert found.check is not None
    assert found.check.after_calibration == pytest.approx(again.priors, rel=1e-5)
    assert f"{again.priors[1]:.4f} from scores calibrated on the labelled" in found.notes[0]


def test_labelled_samples_that_do_not_fit_are_refused() -> None:
    rng = np.random.default_rng(34)
    y, scores = log_odds(50, 0.2, 1.0, rng)
    p = 1 / (1 + np.exp(-scores.values))
    with pytest.raises(stakes.InputError, match="same kind, posteriors: got Logits"):
        stakes.estimate_priors(p, TRAINED, labelled=stakes.HeldOut(y, scores))
    with pytest.raises(stakes.InputError, match="training_priors"):
        stakes.estimate_priors(p, "data")
    with pytest.raises(stakes.UndefinedMetricError, match="class 1"):
        stakes.estimate_priors(p, TRAINED, labelled=stakes.HeldOut([0] * 50, p))


def test_the_test_of_calibration_is_that_of_right_and_wrong_scores() -> None:
    from stakes.calibration.prior_check import LabelledScores  # noqa: PLC0415
    from stakes.samples import read_samples  # noqa: PLC0415

    def p_values(k: int, factor: float, shift: float) -> np.ndarray:
        found = []
        for seed in range(120):
            data = simulate(k, n=200, priors=[1 / k] * k, rng=1000 + seed)
            likelihoods = factor * data.log_likelihoods().values
            likelihoods[:, 0] += shift
            samples = read_samples(data.y, stakes.LogLikelihoods(likelihoods), priors="data")
            ratio = np.exp(likelihoods - likelihoods.max(axis=1, keepdims=True))
            found.append(LabelledScores(samples, ratio).calibration_p_value())
        return np.array(found)

    for k in (2, 4):
        right = p_values(k, 1.0, 0.0)
        assert np.mean(right < 0.05) <= 0.09
        assert np.mean(right < 0.5) >= 0.25
        assert np.mean(p_values(k, 2.0, 0.0) < 0.05) > 0.9
        assert np.mean(p_values(k, 1.0, 2.0) < 0.05) > 0.9


def test_true_classes_that_were_impossible_are_doubted() -> None:
    rng = np.random.default_rng(35)
    y, scores = log_odds(200, 0.2, 1.0, rng)
    p = 1 / (1 + np.exp(-scores.values))
    p[np.flatnonzero(y == 1)[:20]] = 0.0
    with pytest.warns(UserWarning, match="cannot be trusted") as caught:
        found = stakes.estimate_priors(p, TRAINED, labelled=stakes.HeldOut(y, p))
    assert "nan" not in str(caught[0].message)
    assert found.check is not None
    assert found.check.calibration_p_value == 0


@pytest.mark.parametrize("k", [2, 3])
def test_the_slope_of_right_scores_has_the_covariance_that_is_used(k: int) -> None:
    from stakes.calibration.prior_check import calibration_score  # noqa: PLC0415

    rng = np.random.default_rng(36)
    q = rng.dirichlet(np.full(k, 0.7), 40)
    weights = rng.uniform(0.5, 2, 40)
    drawn = (rng.random((4000, 40, 1)) > q.cumsum(axis=1)[:, :-1]).sum(axis=2)
    slopes = np.array([calibration_score(q, y, weights)[0] for y in drawn])
    spread = calibration_score(q, drawn[0], weights)[1]
    size = np.sqrt(np.diag(spread))
    assert (np.abs(slopes.mean(axis=0)) < 4 * size / np.sqrt(4000)).all()
    np.testing.assert_allclose(
        np.cov(slopes.T) / np.outer(size, size), spread / np.outer(size, size), atol=0.08
    )


def test_p_values_of_right_priors_are_spread_evenly() -> None:
    from stakes.calibration.prior_check import (  # noqa: PLC0415
        LabelledScores,
        UnlabelledScores,
        _by_decisions,
    )
    from stakes.samples import read_samples  # noqa: PLC0415

    rng = np.random.default_rng(37)
    p_values = []
    y, scores = log_odds(40_000, 0.2, 1.0, rng)
    known = LabelledScores(read_samples(y, scores), np.exp(scores.log_posteriors()) / TRAINED)
    for _ in range(300):
        ratio = np.exp(log_odds(300, 0.4, 1.0, rng)[1].log_posteriors()) / TRAINED
        new = UnlabelledScores(ratio, most_likely_priors(ratio, TRAINED))
        p_values.append(_by_decisions(new, known, np.ones(2))[1])
    for level in (0.1, 0.3, 0.5, 0.8):
        share = float(np.mean(np.array(p_values) < level))
        assert abs(share - level) < 3.5 * np.sqrt(level * (1 - level) / 300)


def test_the_p_value_of_few_labelled_samples_is_that_of_the_formula() -> None:
    rng = np.random.default_rng(8)
    y, known = log_odds(9, 0.5, 1.0, rng)
    _, new = log_odds(40, 0.4, 1.0, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = stakes.estimate_priors(new, TRAINED, labelled=stakes.HeldOut(y, known))
    assert found.check is not None
    prior = found.priors[1]
    ratio, of_labelled = (np.exp(s.values) * 4 for s in (new, known))  # of the second class
    slope = (ratio - 1) / (1 - prior + prior * ratio)
    moved = slope / np.mean(slope**2)
    p_values = []
    for threshold in (1.0, (1 - prior) / prior):  # by likelihood, and at the estimated priors
        decided = ratio > threshold
        first, second = (np.mean(of_labelled[y == k] > threshold) for k in (0, 1))
        each = decided - decided.mean() - moved * (second - first)
        variance = np.sum(each**2) / 40**2
        for p, rate, n in ((1 - prior, first, (y == 0).sum()), (prior, second, (y == 1).sum())):
            smooth = (rate * n + 0.5) / (n + 1)
            variance += p**2 * smooth * (1 - smooth) / n
        gap = decided.mean() - (1 - prior) * first - prior * second
        p_values.append(math.erfc(abs(gap) / math.sqrt(2 * variance)))
    assert found.check.p_value == pytest.approx(min(1.0, 2 * min(p_values)), rel=1e-9)
