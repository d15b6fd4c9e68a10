"""Priors of use estimated without labels, also at the boundary, and whether they can be trusted."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import brentq, minimize_scalar

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


def estimate_quietly(
    scores: stakes.Logits | np.ndarray, labelled: stakes.HeldOut
) -> stakes.PriorEstimate:
    """Estimate priors; a warning is in the record too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return stakes.estimate_priors(scores, TRAINED, labelled=labelled)


def estimate(
    n: int, positives: float, factor: float, rng: np.random.Generator
) -> stakes.PriorEstimate:
    """Estimate the priors of new samples, checked against as many labelled ones."""
    labelled = stakes.HeldOut(*log_odds(n, 0.2, factor, rng))
    _, scores = log_odds(n, positives, factor, rng)
    return estimate_quietly(scores, labelled)


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
    for _ in range(40):
        found = stakes.estimate_priors(log_odds(300, 0.0, 1.0, rng)[1], TRAINED)
        assert 0.0 in found.interval(1)
        assert found.priors[1] < 0.1
        assert found.notes == ()
        zero += found.priors[1] == 0
    assert 10 <= zero <= 30  # half of the estimates lie at the boundary itself


@pytest.mark.parametrize(("factor", "positives"), [(1.0, 0.05), (2.0, 0.6), (0.5, 0.02)])
def test_labelled_samples_calibrate_and_their_error_is_in_the_interval(
    factor: float, positives: float
) -> None:
    rng = np.random.default_rng(31)
    doubted = covered = alone = 0
    for _ in range(12):
        found = estimate(200, positives, factor, rng)
        assert found.check is not None
        doubted += found.check.disagrees
        covered += positives in found.interval(1)
        _, scores = log_odds(200, positives, factor, rng)
        alone += positives in stakes.estimate_priors(scores, TRAINED).interval(1)
    assert doubted <= 2
    assert covered >= 10
    assert factor == 1 or alone < covered


def test_the_ends_are_where_the_likelihood_ratio_of_empirical_weights_says() -> None:
    rng = np.random.default_rng(38)
    p = np.exp(log_odds(80, 0.3, 1.0, rng)[1].log_posteriors())
    ratio = p[:, 1] / 0.2 / (p[:, 0] / 0.8)
    for level in (0.5, 0.95):
        ends = stakes.estimate_priors(p, TRAINED).interval(1, level)
        for prior, side in zip(ends, (-1, 1), strict=True):
            slope = (ratio - 1) / (1 - prior + prior * ratio)
            weight = np.ones(80)
            weight[(side * slope).argmax()] += 0.5  # half an unseen row
            low, high = -0.999 / slope.max(), -0.999 / slope.min()
            tilt = brentq(lambda t: (weight * slope / (1 + t * slope)).sum(), low, high)  # noqa: B023
            radius = math.sqrt(2 * (weight * np.log1p(tilt * slope)).sum())
            assert math.erf(radius / math.sqrt(2)) == pytest.approx(level, abs=1e-4)


def test_scores_that_were_calibrated_on_the_labelled_samples_get_the_same_interval() -> None:
    rng = np.random.default_rng(39)
    labelled = stakes.HeldOut(*log_odds(150, 0.2, 0.5, rng))
    _, scores = log_odds(300, 0.4, 0.5, rng)
    raw = stakes.estimate_priors(scores, TRAINED, labelled=labelled)
    calibrator = stakes.AffineCalibrator().fit(labelled.scores, labelled.y_true)
    better = stakes.HeldOut(labelled.y_true, calibrator.transform(labelled.scores))
    again = stakes.estimate_priors(calibrator.transform(scores), "data", labelled=better)
    assert again.priors == pytest.approx(raw.priors, abs=1e-6)
    ends, width = raw.interval(1), raw.interval(1).high - raw.interval(1).low
    assert tuple(again.interval(1)) == pytest.approx(tuple(ends), abs=1e-3)
    shares = np.bincount(np.asarray(labelled.y_true)) / 150
    alone = stakes.estimate_priors(calibrator.transform(scores), shares).interval(1)
    assert width > 1.2 * (alone.high - alone.low)


def test_many_rows_share_cells_and_keep_their_interval() -> None:
    rng = np.random.default_rng(40)
    y, scores = log_odds(20_000, 0.3, 1.0, rng)
    labelled = stakes.HeldOut(y[:200], stakes.Logits(scores.values[:200]))
    found = stakes.estimate_priors(scores, TRAINED, labelled=labelled)
    from stakes.calibration import prior_intervals  # noqa: PLC0415

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prior_intervals, "MOST_ROWS", 10**6)
        whole = stakes.estimate_priors(scores, TRAINED, labelled=labelled)
        exact = whole.interval(1)
    width = exact.high - exact.low
    assert tuple(found.interval(1)) == pytest.approx(tuple(exact), abs=0.01 * width)


def test_separable_labelled_samples_cannot_calibrate() -> None:
    _, scores = log_odds(100, 0.3, 1.0, np.random.default_rng(41))
    labelled = stakes.HeldOut([0, 0, 0, 1, 1], stakes.Logits([-3.0, -2.0, -1.0, 1.0, 2.0]))
    found = stakes.estimate_priors(scores, TRAINED, labelled=labelled)
    assert found.priors == pytest.approx(stakes.estimate_priors(scores, TRAINED).priors)
    assert "cannot calibrate" in found.notes[0]


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
    y, before = log_odds(2000, 0.2, 1.0, rng)
    labelled = stakes.HeldOut(y, before)
    changed = stakes.Logits(3.0 * np.abs(rng.normal(size=2000)) ** 3 - 2)  # of neither class
    with pytest.warns(UserWarning, match="More than the priors has changed") as caught:
        found = stakes.estimate_priors(changed, TRAINED, labelled=labelled)
    assert "label some of the new samples" in str(caught[0].message)
    assert str(caught[0].message) == found.notes[0]
    assert found.check is not None
    assert f"{found.check.by_decisions[1]:.2g}"[:4] in found.notes[0]


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


def test_true_classes_that_were_impossible_are_calibrated() -> None:
    rng = np.random.default_rng(35)
    y, scores = log_odds(200, 0.2, 1.0, rng)
    p = 1 / (1 + np.exp(-scores.values))
    p[np.flatnonzero(y == 1)[:20]] = 0.0
    found = estimate_quietly(p, stakes.HeldOut(y, p))
    assert 0.2 in found.interval(1)


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
    from stakes.calibration.prior_check import check_priors  # noqa: PLC0415
    from stakes.samples import read_samples  # noqa: PLC0415

    rng = np.random.default_rng(8)
    y, known = log_odds(9, 0.5, 1.0, rng)
    _, new = log_odds(40, 0.4, 1.0, rng)
    ratio, of_labelled = (np.exp(s.values) * 4 for s in (new, known))  # of the second class
    tables = [np.column_stack([np.ones(r.size), r]) for r in (ratio, of_labelled)]
    priors = most_likely_priors(tables[0], TRAINED)
    check = check_priors(tables[0], priors, read_samples(y, known), tables[1], None)
    prior = priors[1]
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
    assert check.p_value == pytest.approx(min(1.0, 2 * min(p_values)), rel=1e-9)
