"""Losses after calibration as numbers of the law: influences, refits, middles, invariances."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.special import expit, logit

import stakes
from stakes._typing import FloatArray, IntArray
from stakes.calibration.calibrators import Calibrator
from stakes.calibration.crossfit import TrainOnTest, cross_fitted
from stakes.calibration.refits import Refit, RefittedLoss
from stakes.evaluation.calibrated_losses import calibrated_rule
from stakes.evaluation.findings import LossResult
from stakes.inference.refitted import Refitted
from stakes.metrics.expected_losses import expectation
from stakes.samples import Samples, read_samples


def drawn(n: int, k: int = 2, scale: float = 2.0, seed: int = 0) -> tuple[IntArray, FloatArray]:
    """Return labels and log posteriors of normal classes; a scale above 1 is overconfident."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    z = scale * 1.5 * (rng.normal(size=(n, k)) + np.eye(k)[y])
    return y, z - np.logaddexp.reduce(z, axis=1)[:, None]


def refit(samples: Samples, calibrator: Calibrator) -> Refit:
    fit = cross_fitted(calibrator, samples, TrainOnTest(), None, 0)
    return Refit.from_samples(samples, calibrator, fit.maps[0], fit.floor)


def samples_of(case: str) -> Samples:
    y, log_p = drawn(60, 3 if case == "three" else 2)
    priors = [0.8, 0.2] if case in ("priors", "both") else None
    weights = np.random.default_rng(1).uniform(0.2, 2, 60) if case in ("weights", "both") else None
    samples = read_samples(y, stakes.LogPosteriors(log_p), priors, weights)
    groups = np.random.default_rng(2).integers(0, 12, 60) if case in ("groups", "both") else None
    return replace(samples, groups=groups)


CASES = ["plain", "priors", "weights", "groups", "both", "three"]


@cache
def found_of(case: str, rule: str) -> RefittedLoss:
    samples = samples_of(case)
    rules = {"log": stakes.LogLoss(), "brier": stakes.BrierLoss()}
    calibrator = stakes.AffineCalibrator()
    fit = cross_fitted(calibrator, samples, TrainOnTest(), None, 0)
    losses = [expectation(rules[rule], s) for s in (samples, samples.with_scores(fit.scores))]
    return calibrated_rule(refit(samples, calibrator), rules[rule], *losses).found


@pytest.mark.parametrize("rule", ["log", "brier"])
@pytest.mark.parametrize("case", CASES)
def test_an_influence_is_the_derivative_of_the_refitted_loss(case: str, rule: str) -> None:
    problem = found_of(case, rule).problem
    statistic, weights = problem.statistic, problem.cells.observed
    rng = np.random.default_rng(3)
    at = weights + 1e-6
    if rule == "log":  # other losses have the derivatives of the fit to all samples
        at = weights * rng.uniform(0.8, 1.2, weights.size) + 1e-3
    which = np.arange(3)
    slopes = statistic.slopes(np.tile(at, (3, 1)), which)
    for direction in (rng.normal(size=at.size) * at for _ in range(3)):
        step = 1e-4 * direction
        ends = [statistic.values(np.tile(at + s * step, (3, 1)), which) for s in (1, -1)]
        expected = (ends[0] - ends[1]) / 2
        largest = np.abs(slopes * step).max()
        assert slopes @ step == pytest.approx(expected, rel=1e-3, abs=1e-3 * largest)


@pytest.mark.parametrize("case", CASES)
def test_a_refit_is_that_of_the_calibrator(case: str) -> None:
    """At weights that are not those observed."""
    samples = samples_of(case)
    own, calibrator = refit(samples, stakes.AffineCalibrator()), stakes.AffineCalibrator()
    problem = found_of(case, "log").problem
    statistic = problem.statistic
    assert isinstance(statistic, Refitted)
    assert statistic.model is not None
    at = problem.cells.observed * np.random.default_rng(4).uniform(
        0.5, 1.5, problem.cells.observed.size
    )
    share, _ = statistic.shares.factors(at[None])
    x = statistic.model.fitted(share)[0]
    log_p, used = own.log_p[: own.n], share[0, : own.n]
    learnt = calibrator.learn(log_p, own.y[: own.n], used)
    again = own.model
    assert again is not None
    assert again.log_q(x)[: own.n] == pytest.approx(learnt(log_p), abs=1e-4)


def test_the_middle_is_half_of_what_leaving_a_sample_out_costs() -> None:
    y, log_p = drawn(80)
    samples = read_samples(y, stakes.LogPosteriors(log_p))
    found = refit(samples, stakes.AffineCalibrator())
    rule = stakes.LogLoss()
    fit = cross_fitted(stakes.AffineCalibrator(), samples, TrainOnTest(), None, 0)
    inside = expectation(rule, samples.with_scores(fit.scores)).value
    each = cross_fitted(stakes.AffineCalibrator(), samples, np.arange(80), None, 0).scores
    left_out = expectation(rule, samples.with_scores(each)).value
    losses = [expectation(rule, s) for s in (samples, samples.with_scores(fit.scores))]
    law = calibrated_rule(found, rule, *losses).found.problem
    middle = float(law.values[0]) * losses[1].naive  # one step of Newton's for each sample
    assert middle == pytest.approx((inside + left_out) / 2, abs=0.08 * (left_out - inside))


def test_blocks_are_best_for_every_rule_so_a_loss_is_its_own_influence() -> None:
    """The derivative of the Brier score after isotonic regression, by fits to other weights."""
    y, log_p = drawn(300)
    calibrator = stakes.IsotonicCalibrator(mix=0)
    w = np.full(300, 1 / 300)
    q = np.exp(calibrator.learn(log_p, y, w)(log_p))
    own = np.square(q[:, 1] - y)
    rng = np.random.default_rng(5)
    for _ in range(5):
        step = rng.normal(size=300)
        step = 1e-5 * w * (step - step.mean())
        ends = []
        for sign in (1, -1):
            fitted = np.exp(calibrator.learn(log_p, y, w + sign * step)(log_p))[:, 1]
            ends.append((w + sign * step) @ np.square(fitted - y))
        assert (ends[0] - ends[1]) / 2 == pytest.approx(own @ step, rel=0.02, abs=1e-9)


def losses_of(y: IntArray, scores: object, **how: object) -> list[LossResult]:
    found = stakes.evaluate(y, scores, rules=[stakes.LogLoss(), stakes.BrierLoss()], **how)  # type: ignore[arg-type]
    return [*found.rules, found.main.cost]


def ends(losses: list[LossResult]) -> FloatArray:
    out = []
    for loss in losses:
        for number in (loss.calibrated_normalized, loss.calibration_loss, loss.relative):
            assert number is not None
            assert number.interval is not None
            assert number.value in number.interval
            out += [*number.interval]
    return np.array(out)


@pytest.mark.parametrize("groups", [False, True])
def test_intervals_do_not_depend_on_units_order_or_how_rows_are_counted(groups: bool) -> None:  # noqa: FBT001
    """Train on the test set, so that values do not depend on folds."""
    y, log_p = drawn(120)
    scores, rng = stakes.LogPosteriors(log_p), np.random.default_rng(6)
    w, g = rng.uniform(0.5, 2, 120), rng.integers(0, 20, 120)
    unit = g if groups else None
    plain = ends(losses_of(y, scores, sample_weight=w, groups=unit, folds=stakes.TrainOnTest()))
    order = rng.permutation(120)
    turned = stakes.LogPosteriors(log_p[order])
    how = {"sample_weight": 1e3 * w[order], "groups": g[order] if groups else None}
    moved = ends(losses_of(y[order], turned, folds=stakes.TrainOnTest(), **how))
    assert moved == pytest.approx(plain, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("priors", [None, [0.6, 0.4]])
def test_a_p_value_agrees_with_the_interval(priors: list[float] | None) -> None:
    for seed, scale in ((0, 1.2), (1, 1.4), (2, 1.6)):
        y, log_p = drawn(150, scale=scale, seed=seed)
        samples = read_samples(y, stakes.LogPosteriors(log_p), priors)
        own = refit(samples, stakes.AffineCalibrator())
        fit = cross_fitted(stakes.AffineCalibrator(), samples, TrainOnTest(), None, 0)
        losses = [
            expectation(stakes.LogLoss(), s) for s in (samples, samples.with_scores(fit.scores))
        ]
        problem = calibrated_rule(own, stakes.LogLoss(), *losses).found.problem
        p = problem.p_value(1)
        assert 1e-9 < p < 1
        low, high = problem.intervals(1 - p)[1]
        assert min(abs(low), abs(high)) < 0.01 * (high - low)


@pytest.mark.parametrize(
    "calibrator",
    [
        stakes.TemperatureCalibrator(),
        stakes.BiasCalibrator(),
        stakes.VectorCalibrator(),
        stakes.MatrixCalibrator(),
        stakes.BetaCalibrator(),
        stakes.IsotonicCalibrator(),
        stakes.HistogramCalibrator(),
        stakes.AffineCalibrator(stakes.BrierLoss()),
    ],
    ids=lambda c: f"{c.name}",
)
def test_every_calibrator_has_intervals_at_given_priors_with_weights(
    calibrator: Calibrator,
) -> None:
    y, log_p = drawn(200)
    w = np.random.default_rng(7).uniform(0.5, 2, 200)
    how = {"priors": [0.7, 0.3], "training_priors": "deployment", "sample_weight": w}
    found = ends(losses_of(y, stakes.LogPosteriors(log_p), calibrator=calibrator, **how))
    assert np.isfinite(found).all()


@pytest.mark.parametrize("kept", [False, True])
def test_a_map_fitted_to_other_samples_is_taken_as_it_is(kept: bool) -> None:  # noqa: FBT001
    y, log_p = drawn(200)
    past, other = drawn(200, seed=9)
    folds = stakes.HeldOut(past, stakes.LogPosteriors(other)) if kept else 5
    method = losses_of(y, stakes.LogPosteriors(log_p), folds=folds)[0].calibration_loss
    assert method is not None
    assert ("taken as fixed" in method.method) == kept


@pytest.mark.parametrize("k", [2, 3])
def test_many_rows_have_one_influence_each(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their ends are near those of refits, nearer with more rows."""
    y, log_p = drawn(1300, k)
    scores = stakes.LogPosteriors(log_p)
    monkeypatch.setattr("stakes.calibration.refits.MOST_DERIVATIVES", 2**13)
    exact = ends(losses_of(y, scores))
    monkeypatch.setattr("stakes.calibration.refits.MOST_DERIVATIVES", 100)
    near = ends(losses_of(y, scores))
    width = np.repeat((exact[1::2] - exact[::2]), 2)
    far = np.abs(near - exact) / width
    assert far[:12].max() < 0.1
    assert far[12:].max() < 0.5  # of costs, which have steps


def test_one_sample_with_much_of_the_curvature_is_named() -> None:
    rng = np.random.default_rng(8)
    y = (rng.random(150) < 0.3).astype(int)
    z = 2 * rng.normal(2 * y - 1, 1) + logit(0.3)
    codes = [v.code for v in stakes.evaluate(y, expit(z)).verdicts]
    assert "few_rows" not in codes
    w = np.ones(150)
    w[3] = 40
    codes = [v.code for v in stakes.evaluate(y, expit(z), sample_weight=w).verdicts]
    assert "few_rows" in codes


def test_intervals_cover_with_a_few_wrong_labels() -> None:
    """Of 60 draws 1.5 are expected on either side; more than 6 have a probability below 0.2 %.

    The best affine map of the population is that of many samples.
    """

    def contaminated(n: int, seed: int) -> tuple[IntArray, FloatArray]:
        rng = np.random.default_rng(seed)
        y = (rng.random(n) < 0.3).astype(int)
        z = 2 * rng.normal(2 * y - 1, 1) + logit(0.3)
        return np.where(rng.random(n) < 0.03, 1 - y, y), z

    y, z = contaminated(100_000, 1)
    best = losses_of(y, stakes.Logits(z), folds=stakes.TrainOnTest())
    truth = best[0].calibration_loss, best[1].calibrated_normalized
    sides = np.zeros((2, 2), dtype=int)
    for seed in range(60):
        y, z = contaminated(200, 100 + seed)
        found = losses_of(y, stakes.Logits(z))
        for i, number in enumerate([found[0].calibration_loss, found[1].calibrated_normalized]):
            assert number is not None
            assert number.interval is not None
            value = truth[i]
            assert value is not None
            sides[i] += (number.interval.high < value, number.interval.low > value)
    assert (sides <= 6).all()
