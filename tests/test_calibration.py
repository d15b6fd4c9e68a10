"""Calibrators, cross-fitting and calibration loss."""

import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold

import stakes
from stakes.calibration.linear import LinearCalibrator
from stakes.calibration.registry import calibrator_class, calibrator_names
from stakes.simulation import MISCALIBRATED, simulate, skewed_priors
from strategies import Scored, scored

COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1)
VARIANTS: list[Callable[[], stakes.Calibrator]] = [
    lambda: stakes.IsotonicCalibrator(mix=2.0),
    lambda: stakes.HistogramCalibrator(5, equal_mass=True),
    lambda: stakes.ThresholdCalibrator(COSTS),
    lambda: stakes.AffineCalibrator(stakes.BrierLoss()),
    lambda: stakes.MatrixCalibrator(penalty=20.0),
]
BY_DEFAULT = [calibrator_class(name) for name in calibrator_names() if name != "threshold"]
BINARY: list[Callable[[], stakes.Calibrator]] = [*BY_DEFAULT, *VARIANTS]
MANY: list[Callable[[], stakes.Calibrator]] = [c for c in BY_DEFAULT if not c.two_classes]


def overlapping(n: int = 400, k: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and log posteriors that are not calibrated and not separable."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    z = 2.5 * (rng.normal(0, 1, (n, k)) + 1.2 * np.eye(k)[y]) + np.arange(k)
    return y, z - np.log(np.exp(z).sum(axis=1, keepdims=True))


# The optimum of the affine fit on the paper's data, trained on test: one value for all six sets.
@pytest.mark.parametrize(
    ("k", "optimum", "scale"), [(2, 0.3762361630, 1.01087156), (10, 0.1292826164, 1.00689131)]
)
def test_the_affine_fit_reaches_the_optimum_whatever_the_distortion(
    k: int, optimum: float, scale: float
) -> None:
    data = simulate(k)
    kinds = {1: {}, 2: {"distortion": MISCALIBRATED}, 5: {"flattening": 0.2}}
    for at, (ratio, kind) in product((0, -1), kinds.items()):
        raw = data.posteriors(skewed_priors(k, at=at), **kind)
        calibrator = stakes.AffineCalibrator().fit(raw, data.y)
        loss = stakes.cross_entropy(data.y, calibrator.transform(raw))
        assert loss.normalized == pytest.approx(optimum, abs=1e-9)
        assert calibrator.fitted.scale[0] == pytest.approx(ratio * scale, rel=1e-7)


@given(st.floats(0.2, 4), st.lists(st.floats(-3, 3), min_size=3, max_size=3), st.integers(0, 5))
def test_affine_calibration_undoes_affine_distortion(
    scale: float, bias: list[float], seed: int
) -> None:
    y, log_p = overlapping(200, 3, seed)
    distorted = stakes.Logits(scale * log_p + np.array(bias))
    plain, other = (
        stakes.AffineCalibrator().fit(s, y).transform(s).values
        for s in (stakes.Logits(log_p), distorted)
    )
    np.testing.assert_allclose(np.exp(other), np.exp(plain), atol=1e-6)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "calibrator",
    [
        stakes.VectorCalibrator(),
        stakes.AffineCalibrator(),
        stakes.TemperatureCalibrator(),
        stakes.BiasCalibrator(),
    ],
    ids=lambda c: c.name,
)
def test_gradient_and_hessian_are_those_of_the_loss(k: int, calibrator: LinearCalibrator) -> None:
    y, log_p = overlapping(60, k)
    weights = np.random.default_rng(0).dirichlet(np.ones(60))
    problem = calibrator.problem(log_p, y, weights)
    x, step = np.linspace(0.7, -0.2, problem.start.size), 1e-6
    here = problem.slopes(x, hessian=True)
    table = calibrator.table_problem(log_p, y, weights)
    same = table.slopes(table.parameters(problem.affine_map(x)), hessian=True)
    assert here.loss == pytest.approx(same.loss, rel=1e-13)
    assert here.worst == pytest.approx(same.worst, rel=1e-13)
    for i in range(x.size):
        move = step * np.eye(x.size)[i]
        up, down = (problem.slopes(at, hessian=True) for at in (x + move, x - move))
        assert (up.loss - down.loss) / (2 * step) == pytest.approx(here.gradient[i], abs=1e-8)
        np.testing.assert_allclose(
            (up.gradient - down.gradient) / (2 * step), here.hessian[i], atol=1e-8
        )


def test_affine_of_two_classes_is_logistic_regression_on_log_odds() -> None:
    y, log_p = overlapping()
    odds = log_p[:, 1] - log_p[:, 0]
    theirs = LogisticRegression(C=np.inf, tol=1e-10).fit(odds[:, None], y)
    ours = stakes.AffineCalibrator().fit(stakes.LogPosteriors(log_p), y).fitted
    assert ours.scale[0] == pytest.approx(theirs.coef_[0, 0], rel=1e-5)
    assert ours.bias[1] - ours.bias[0] == pytest.approx(theirs.intercept_[0], rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("make", BINARY)
def test_a_fit_does_not_raise_the_loss_it_minimises(make: Callable[[], stakes.Calibrator]) -> None:
    y, log_p = overlapping()
    raw = stakes.LogPosteriors(log_p)
    calibrator = make()
    rules: list[stakes.ScoringRule] = [stakes.LogLoss()]
    if isinstance(calibrator, stakes.ThresholdCalibrator):
        rules = [stakes.BayesCost(COSTS)]
    elif (
        getattr(calibrator, "mix", 0)
        or isinstance(calibrator, stakes.HistogramCalibrator)
        or isinstance(getattr(calibrator, "rule", None), stakes.BrierLoss)
    ):
        rules = [stakes.BrierLoss()]
    after = calibrator.fit(raw, y).transform(raw)
    for rule in rules:
        before = stakes.expected_loss(rule, y, raw).value
        assert stakes.expected_loss(rule, y, after).value <= before + 1e-12


@pytest.mark.parametrize("make", BINARY)
def test_json_keeps_what_was_learnt(make: Callable[[], stakes.Calibrator]) -> None:
    y, log_p = overlapping()
    calibrator = make().fit(stakes.LogPosteriors(log_p), y)
    text = json.dumps(calibrator.to_dict(), allow_nan=False)
    again = stakes.calibrator_from_dict(json.loads(text))
    held_out = stakes.LogPosteriors(overlapping(seed=1)[1])
    assert (again.transform(held_out).values == calibrator.transform(held_out).values).all()
    assert again.to_dict() == calibrator.to_dict()
    with pytest.raises(stakes.InputError, match="cannot be fitted again"):
        again.fit(held_out, y)


def test_a_changed_file_is_refused() -> None:
    y, log_p = overlapping()
    data = stakes.AffineCalibrator().fit(stakes.LogPosteriors(log_p), y).to_dict()
    for change in ({"version": 4}, {"format": "x"}, {"map": {**data["map"], "bias": [1, 2]}}):
        with pytest.raises(stakes.InputError, match=r"version|format|checksum"):
            stakes.calibrator_from_dict({**data, **change})
    with pytest.raises(stakes.InputError, match="format"):
        stakes.calibrator_from_dict([])


@pytest.mark.parametrize("make", MANY)
def test_calibrators_of_many_classes_keep_rows_that_sum_to_one(
    make: Callable[[], stakes.Calibrator],
) -> None:
    y, log_p = overlapping(300, 4)
    after = make().fit(stakes.LogPosteriors(log_p), y).transform(stakes.LogPosteriors(log_p))
    np.testing.assert_allclose(np.exp(after.values).sum(axis=1), 1, rtol=1e-12)
    stakes.cross_entropy(y, after)


@given(scored(classes=2, weights=False))
def test_a_positive_scale_keeps_the_ranking(data: Scored) -> None:
    p = 0.01 + 0.98 * data.p
    calibrator = stakes.AffineCalibrator().fit(p, data.y)
    if calibrator.fitted.scale[0] > 1e-6:
        before, after = (
            stakes.roc_curve(data.y, s).auc() for s in (p[:, 1], calibrator.transform(p))
        )
        assert after == pytest.approx(before, abs=1e-9) or calibrator.fitted.separable


@given(scored(classes=2, weights=False))
def test_isotonic_is_the_best_rising_map_for_every_rule(data: Scored) -> None:
    pooled = stakes.IsotonicCalibrator(mix=0).fit(data.p, data.y).transform(data.p)
    theirs = IsotonicRegression().fit_transform(data.p[:, 1], data.y)
    np.testing.assert_allclose(np.exp(pooled.values[:, 1]), theirs, atol=1e-12)
    rules = [stakes.LogLoss(), stakes.BrierLoss(), stakes.BayesCost(COSTS)]
    for rule, power in product(rules, (0.5, 1.0, 3.0)):
        mapped = data.p[:, 1] ** power
        best = stakes.expected_loss(rule, data.y, pooled).value
        assert best <= stakes.expected_loss(rule, data.y, mapped).value + 1e-12
    again = stakes.IsotonicCalibrator(mix=0).fit(pooled, data.y).transform(pooled)
    np.testing.assert_allclose(np.exp(again.values), np.exp(pooled.values), atol=1e-12)


@given(scored(classes=2, weights=False), st.sampled_from([0.31, 1.7, 4.3]))
def test_the_cost_of_isotonic_posteriors_is_the_minimum_cost(data: Scored, miss: float) -> None:
    costs = stakes.CostMatrix.binary(miss=miss, false_alarm=1)
    loss = stakes.calibration_loss(
        stakes.BayesCost(costs),
        data.y,
        data.p,
        calibrator=stakes.IsotonicCalibrator(mix=0),
        folds=stakes.TrainOnTest(),
    )
    least = stakes.roc_curve(data.y, data.p[:, 1]).minimum_cost(costs).value
    assert loss.calibrated.value == pytest.approx(least, abs=1e-12)


def test_a_mixed_isotonic_map_never_says_never() -> None:
    y, log_p = overlapping()
    raw = stakes.LogPosteriors(log_p)
    plain, mixed = (
        np.exp(stakes.IsotonicCalibrator(m).fit(raw, y).transform(raw).values) for m in (0.0, 1.0)
    )
    assert plain.min() == 0
    assert mixed.min() > 0


def test_a_tuned_threshold_is_what_bayes_decisions_then_use() -> None:
    y, log_p = overlapping()
    raw = stakes.LogPosteriors(log_p)
    tuned = stakes.ThresholdCalibrator(COSTS).fit(raw, y).transform(raw)
    least = stakes.roc_curve(y, raw).minimum_cost(COSTS).value
    assert stakes.bayes_cost(y, tuned, costs=COSTS).value == pytest.approx(least)


def test_fits_can_aim_at_other_priors() -> None:
    data = simulate(2, n=20_000, priors=[0.5, 0.5])
    raw = data.log_likelihoods(MISCALIBRATED)
    target = [0.98, 0.02]
    calibrator = stakes.AffineCalibrator().fit(raw, data.y, priors=target)
    after = calibrator.transform(raw, target)
    ideal = data.posteriors(target)
    ours, best = (stakes.cross_entropy(data.y, s, priors=target).value for s in (after, ideal))
    assert ours == pytest.approx(best, rel=0.02)


def test_separable_negative_and_impossible_scores_are_fitted() -> None:
    separable = stakes.AffineCalibrator().fit([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])
    assert any("separable" in note for note in separable.notes)
    assert np.isfinite(separable.fitted.scale).all()
    y, log_p = overlapping()
    turned = stakes.AffineCalibrator().fit(stakes.LogPosteriors(log_p[:, ::-1]), y)
    assert any("negative" in note for note in turned.notes)
    certain = [[1, 0], [0, 1], [0.5, 0.5], [0.4, 0.6], [0.6, 0.4], [0.5, 0.5]]
    fitted = stakes.AffineCalibrator().fit(certain, [0, 1, 0, 0, 1, 1]).fitted
    assert np.isfinite(fitted.scale).all()
    wrong = stakes.AffineCalibrator().fit(certain, [1, 1, 0, 0, 1, 1])
    assert np.isfinite(wrong.transform(certain).values).all()
    assert "odds of 3 to 1" in str(wrong)  # half of 2 to 3
    constant = stakes.AffineCalibrator().fit([0.3] * 6, [0, 0, 0, 0, 1, 1])
    assert np.exp(constant.transform([0.3]).values[0, 1]) == pytest.approx(1 / 3)


MESSAGES: list[tuple[Callable[[], object], list[str]]] = [
    (lambda: stakes.cross_calibrate(stakes.AffineCalibrator(), [0] * 10, [[0.9, 0.1]] * 10), ["class 1", "0 samples"]),
    (lambda: stakes.AffineCalibrator().fit([[0.9, 0.1]] * 3, [0, 0, 0]), ["class 1", "0 samples"]),
    (lambda: stakes.cross_calibrate(stakes.AffineCalibrator(), [0] * 10 + [1] * 3, [[0.9, 0.1]] * 13), ["class 1", "3", "5 folds"]),
    (lambda: stakes.cross_calibrate(stakes.AffineCalibrator(), [0, 1] * 9, [0.5] * 18, groups=["a", "b"] * 9), ["groups", "5 folds"]),
    (lambda: stakes.cross_calibrate(stakes.AffineCalibrator(), [0, 1] * 9, [0.5] * 18, folds=1), ["folds", "TrainOnTest"]),
    (lambda: stakes.cross_calibrate(stakes.AffineCalibrator(), [0, 1] * 9, [0.5] * 18, folds=[1, 2]), ["folds", "one fold per sample"]),
    (lambda: stakes.cross_calibrate(stakes.AffineCalibrator(), [0, 1] * 9, [0.5] * 18, groups=[1]), ["groups", "1 for 18"]),
    (lambda: stakes.AffineCalibrator().transform([0.5]), ["fitted", "fit first"]),
    (lambda: stakes.AffineCalibrator(stakes.SphericalLoss()), ["rule", "LogLoss"]),
    (lambda: stakes.IsotonicCalibrator().fit([[0.2, 0.3, 0.5]] * 3, [0, 1, 2]), ["two classes", "3"]),
    (lambda: stakes.BetaCalibrator().fit([[0.2, 0.3, 0.5]] * 3, [0, 1, 2]), ["two classes", "3"]),
    (lambda: stakes.HistogramCalibrator(0), ["bins", "0"]),
    (lambda: stakes.IsotonicCalibrator(-1), ["mix", "-1"]),
    (lambda: stakes.ThresholdCalibrator(stakes.CostMatrix.zero_one(3)), ["two", "(3, 3)"]),
    (lambda: stakes.decompose(stakes.LogLoss(), [0, 1, 2], [[0.2, 0.3, 0.5]] * 3), ["two classes"]),
]  # fmt: skip


@pytest.mark.parametrize(("call", "words"), MESSAGES)
def test_message(call: Callable[[], object], words: list[str]) -> None:
    with pytest.raises(stakes.InputError) as caught:
        call()
    assert [w for w in words if w not in str(caught.value)] == [], str(caught.value)


def test_no_sample_is_calibrated_by_a_fit_that_saw_it() -> None:
    y, log_p = overlapping(100)
    raw = stakes.LogPosteriors(log_p)
    folds = np.arange(100) % 5
    plain = stakes.cross_calibrate(stakes.AffineCalibrator(), y, raw, folds=folds).values
    for row in (0, 7, 42):
        flipped = y.copy()
        flipped[row] = 1 - flipped[row]
        other = stakes.cross_calibrate(stakes.AffineCalibrator(), flipped, raw, folds=folds).values
        own = folds == folds[row]
        assert (other[own] == plain[own]).all()
        assert (other[~own] != plain[~own]).any()


def test_folds_are_stratified_grouped_seeded_or_those_of_a_splitter() -> None:
    y, log_p = overlapping(200)
    raw = stakes.LogPosteriors(log_p)
    affine = stakes.AffineCalibrator()
    one, same, other = (
        stakes.cross_calibrate(affine, y, raw, rng=seed).values for seed in (0, 0, 1)
    )
    assert (one == same).all()
    assert (one != other).any()
    splitter = KFold(4, shuffle=True, random_state=0)
    by_splitter = stakes.cross_calibrate(affine, y, raw, folds=splitter).values
    number = np.empty(200)
    for i, (_, test) in enumerate(splitter.split(y)):
        number[test] = i
    assert (by_splitter == stakes.cross_calibrate(affine, y, raw, folds=number).values).all()
    groups = np.repeat(np.arange(40), 5)
    assert stakes.cross_calibrate(affine, y, raw, groups=groups).values.shape == (200, 2)
    grouped = GroupKFold(4)
    stakes.cross_calibrate(affine, y, raw, folds=grouped, groups=groups)


def test_groups_are_never_parted() -> None:
    from stakes.calibration.crossfit import deal  # noqa: PLC0415
    from stakes.samples import read_samples  # noqa: PLC0415

    y, log_p = overlapping(300)
    samples = read_samples(y, stakes.LogPosteriors(log_p))
    groups = np.random.default_rng(0).integers(0, 50, 300)
    seen = np.zeros(300, dtype=int)
    pairs = deal(samples, 5, groups, 0).pairs
    assert len(pairs) == 5
    for train, test in pairs:
        assert not set(groups[train]) & set(groups[test])
        seen[test] += 1
        assert 0.3 < y[test].mean() < 0.7
    assert (seen == 1).all()


def test_noise_is_not_calibrated_into_knowledge() -> None:
    rng = np.random.default_rng(0)
    fair, greedy = [], []
    for _ in range(60):
        y = rng.integers(0, 2, 200)
        p = rng.uniform(0.05, 0.95, 200)
        arguments = {"rule": stakes.LogLoss(), "y_true": y, "scores": p}
        fair.append(stakes.calibration_loss(**arguments).calibrated.normalized)
        greedy.append(
            stakes.calibration_loss(**arguments, folds=stakes.TrainOnTest()).calibrated.normalized
        )
    assert np.mean(fair) >= 1
    assert max(greedy) <= 1


@given(scored(classes=2, weights=False))
def test_raw_is_calibrated_plus_loss(data: Scored) -> None:
    p = 0.01 + 0.98 * data.p
    for rule in (stakes.LogLoss(), stakes.BrierLoss(), stakes.BayesCost(COSTS)):
        loss = stakes.calibration_loss(rule, data.y, p, folds=stakes.TrainOnTest())
        assert loss.raw.value == pytest.approx(loss.calibrated.value + loss.value, abs=1e-15)
        assert loss.raw.value == pytest.approx(
            loss.divergence + loss.refinement + loss.gap, abs=1e-12
        )
        by_class = sum(p * x for p, x in zip(loss.raw.priors, loss.by_class.values(), strict=True))
        assert by_class == pytest.approx(loss.value, abs=1e-12)
        parts = stakes.decompose(rule, data.y, p)
        assert parts.value == pytest.approx(loss.raw.value, abs=1e-12)
        assert parts.miscalibration >= -1e-12
        assert parts.discrimination >= -1e-12


def test_the_record_says_what_was_done() -> None:
    data = simulate(2, n=3000)
    raw = data.posteriors([0.1, 0.9])
    loss = stakes.calibration_loss(stakes.LogLoss(), data.y, raw)
    assert loss.calibrator == "affine"
    assert "5 folds" in loss.data
    assert loss.relative == pytest.approx(loss.value / loss.raw.value)
    assert abs(loss.gap) < 0.02 * loss.raw.value
    assert "affine calibrator, cross-fitted on 5 folds" in str(loss)
    assert json.dumps(loss.to_dict(), allow_nan=False)
    assert math.isnan(
        stakes.calibration_loss(stakes.BayesCost(COSTS), [0, 1] * 9, [0.01, 0.99] * 9).relative
    )


def test_the_best_calibrator_is_found_by_cross_fitted_loss() -> None:
    data = simulate(2, n=4000)
    raw = data.posteriors([0.1, 0.9])
    choice = stakes.choose_calibrator(
        stakes.LogLoss(),
        data.y,
        raw,
        [stakes.TemperatureCalibrator(), stakes.AffineCalibrator(), stakes.BiasCalibrator()],
    )
    assert choice.names[0] in {"affine", "bias"}
    assert choice.names[-1] in {"uncalibrated", "temperature"}
    assert choice.best is not None
    values = [loss.value for loss in choice.losses]
    assert values == sorted(values)
    assert "affine" in str(choice)


@given(scored(classes=2), st.sampled_from([1, 2, 5]))
def test_finer_bins_never_lower_the_calibration_error(data: Scored, bins: int) -> None:
    coarse, fine = (
        stakes.calibration_error(data.y, data.p, bins=m, sample_weight=data.weights)
        for m in (bins, 2 * bins)
    )
    assert fine >= coarse - 1e-12


def test_kinds_of_calibration_error() -> None:
    # published by MetricsReloaded, torchmetrics and netcal for equal-width bins
    p = [0.22, 0.48, 0.49, 0.96, 0.55, 0.64, 0.78, 0.82, 0.34, 0.87]
    y = [0, 1, 0, 0, 1, 1, 1, 1, 1, 0]
    for bins, value in {2: 0.109, 5: 0.315, 10: 0.359, 15: 0.395}.items():
        assert stakes.calibration_error(y, p, bins) == pytest.approx(value)
    for bins, value in {2: 0.1175, 5: 0.55, 10: 0.96}.items():
        assert stakes.calibration_error(y, p, bins, norm=math.inf) == pytest.approx(value)
    for bins, value in {2: 0.109, 5: 0.221, 10: 0.281, 15: 0.323}.items():
        assert stakes.confidence_calibration_error(y, p, bins) == pytest.approx(value)
    heavy = stakes.reliability(y, p, stakes.EqualMass(4), sample_weight=[91.0] + [1.0] * 9)
    assert heavy.share.max() > 0.9  # the heavy sample has a bin of its own
    assert (np.sort(heavy.share)[:-1] < 0.1).all()
    one, two, most = (
        stakes.calibration_error(y, p, stakes.EqualMass(3), norm=n) for n in (1, 2, math.inf)
    )
    assert one <= two <= most
    assert stakes.calibration_error([0, 1, 1], [0.3] * 3, stakes.EqualMass(10)) == pytest.approx(
        0.36666666666666664
    )
    with pytest.raises(stakes.InputError, match="norm"):
        stakes.calibration_error(y, p, norm=0.5)


def test_reliability_by_bin_and_by_sample() -> None:
    edge = stakes.reliability([0, 1], [0.5, 1.0], bins=2)
    assert edge.sums.weight.tolist() == [0, 2]  # an edge belongs to the bin above it
    table = stakes.reliability([0, 1, 1, 1], [0.1, 0.2, 0.8, 0.9], bins=2)
    assert table.probability.tolist() == pytest.approx([0.15, 0.85])
    assert table.frequency.tolist() == [0.5, 1.0]
    assert table.share.tolist() == [0.5, 0.5]
    assert table.error() == pytest.approx(0.25)


def test_calibrated_scores_have_no_debiased_or_smooth_error_and_others_have() -> None:
    rng = np.random.default_rng(0)
    p = rng.uniform(0, 1, 5000)
    y = (rng.uniform(0, 1, 5000) < p).astype(int)
    plain = stakes.calibration_error(y, p, stakes.EqualMass(20))
    assert plain.debiased < plain
    assert plain.debiased < 0.012
    assert stakes.smooth_calibration_error(y, p) < 0.02
    bad = p**2
    assert stakes.smooth_calibration_error(y, bad) == pytest.approx(1 / 6, abs=0.02)
    assert stakes.calibration_error(y, bad, 20).debiased > 0.15
    assert stakes.smooth_calibration_error(y, bad, confidence=True) > 0.02


def test_priors_of_use_are_estimated_from_scores_without_labels() -> None:
    hits = 0
    for seed in range(12):
        data = simulate(3, n=1500, priors=[0.6, 0.3, 0.1], rng=seed)
        found = stakes.estimate_priors(data.posteriors([0.2, 0.3, 0.5]), [0.2, 0.3, 0.5])
        assert found.priors.sum() == pytest.approx(1)
        hits += all(p in found.interval(k) for k, p in enumerate([0.6, 0.3, 0.1]))
    assert hits >= 9
    stale = data.posteriors([0.2, 0.3, 0.5])
    moved = stale.at_priors([0.2, 0.3, 0.5], found.priors)
    assert stakes.cross_entropy(data.y, moved).value < stakes.cross_entropy(data.y, stale).value
    assert "95 % interval" in str(found)


def test_priors_of_use_are_estimated_from_decisions() -> None:
    rng = np.random.default_rng(0)
    confusion = stakes.ConfusionMatrix.from_counts([[900, 100], [50, 450]])
    y = rng.uniform(0, 1, 3000) < 0.2
    d = np.where(y, rng.uniform(0, 1, 3000) < 0.9, rng.uniform(0, 1, 3000) < 0.1).astype(int)
    found = stakes.estimate_priors_from_decisions(confusion, d)
    assert 0.2 in found.interval(1)
    assert found.interval(1).high - found.interval(1).low < 0.15
    assert found.priors[1] == pytest.approx((d.mean() - 0.1) / 0.8, rel=1e-6)
    bare = stakes.confusion_matrix([0, 0], [0, 1])
    with pytest.raises(stakes.UndefinedMetricError, match="class 1"):
        stakes.estimate_priors_from_decisions(bare, [0, 1])
    with pytest.raises(stakes.InputError, match="training_priors"):
        stakes.estimate_priors([0.5], [1, 0])


def test_held_out_data_are_fitted_on_and_not_judged() -> None:
    y, log_p = overlapping(400)
    train, test = slice(200), slice(200, None)
    held = stakes.HeldOut(y[train], stakes.LogPosteriors(log_p[train]))
    loss = stakes.calibration_loss(
        stakes.LogLoss(), y[test], stakes.LogPosteriors(log_p[test]), folds=held
    )
    calibrator = stakes.AffineCalibrator().fit(held.scores, held.y_true)
    by_hand = calibrator.transform(stakes.LogPosteriors(log_p[test]))
    assert loss.calibrated.value == stakes.cross_entropy(y[test], by_hand).value
    assert "held-out" in loss.data


class SameBothSides:
    """A splitter that tests on what it trains on."""

    def split(self, X: np.ndarray, y: np.ndarray, groups: object) -> list[object]:  # noqa: ARG002, N803
        return [(X, X)]


ODD: list[tuple[Callable[[], object], str]] = [
    (lambda: stakes.cross_calibrate(stakes.AffineCalibrator(), [0, 1] * 9, [0.4, 0.6] * 9, folds=SameBothSides()), "one side"),
    (lambda: stakes.cross_calibrate(stakes.AffineCalibrator(), [0, 1] * 9, [0.4, 0.6] * 9, folds=np.arange(18) % 3, groups=np.arange(18) // 3), "group on one side"),
    (lambda: stakes.cross_calibrate(stakes.AffineCalibrator(), [0, 1] * 9, [0.4, 0.6] * 9, folds=np.zeros(18)), "folds"),
    (lambda: stakes.cross_calibrate(stakes.AffineCalibrator(), [0, 1] * 9, [0.4, 0.6] * 9, folds=np.full(18, 0.5)), "folds"),
    (lambda: stakes.cross_calibrate(stakes.AffineCalibrator(), [0, 1] * 9, [0.4, 0.6] * 9, rng=-1), "rng"),
    (lambda: stakes.cross_calibrate("magic", [0, 1], [0.4, 0.6]), "calibrator"),
    (lambda: stakes.calibration_loss(None, [0, 1] * 9, [0.4, 0.6] * 9), "rule"),
    (lambda: stakes.ThresholdCalibrator([[0, 0], [1, 0]]), "costs nothing"),
    (lambda: stakes.ThresholdCalibrator([[0, 1], [0, 0]]), "costs nothing"),
    (lambda: stakes.estimate_priors_from_decisions(stakes.ConfusionMatrix.from_counts([[5, 0], [5, 0]]), [0, 0]), "tell the classes apart"),
    (lambda: stakes.estimate_priors_from_decisions(stakes.ConfusionMatrix.from_counts([[5, 1, 0], [1, 5, 0]], classes=2, decisions=3), [0, 2]), "decided as 2"),
    (lambda: stakes.estimate_priors([0.2, 0.8], [0.5, 0.5]).interval("zz"), "zz"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "words"), ODD)
def test_odd_arguments_end_in_words(call: Callable[[], object], words: str) -> None:
    with pytest.raises(stakes.InputError, match=words):
        call()


def test_certain_answers_count_as_large_odds_and_leak_no_warnings() -> None:
    odds = np.array([-np.inf, 0.5, np.inf, 0.2, -0.3, 0.1])
    y = [0, 0, 1, 1, 0, 1]
    raw = stakes.LogLikelihoodRatios(odds)
    for calibrator in (
        stakes.BetaCalibrator(),
        stakes.ThresholdCalibrator(COSTS),
        stakes.IsotonicCalibrator(),
        stakes.AffineCalibrator(),
    ):
        after = calibrator.fit(raw, y, priors=[0.5, 0.5]).transform(raw)  # priors are remembered
        p = np.exp(after.values[:, 1])
        assert 0 < p[0] == p.min()
        assert 1 > p[2] == p.max()
        again = stakes.calibrator_from_dict(json.loads(json.dumps(calibrator.to_dict())))
        assert (again.transform(raw).values == after.values).all()


def test_isotonic_keeps_far_log_odds_apart() -> None:
    odds = [1100.0, 1200.0, 1300.0, 1400.0, -1100.0, -1200.0]
    y = [0, 1, 0, 1, 1, 0]
    fitted = stakes.IsotonicCalibrator(mix=0).fit(stakes.Logits(odds), y)
    p = np.exp(fitted.transform(stakes.Logits(odds)).values[:, 1])
    np.testing.assert_allclose(p, IsotonicRegression().fit_transform(odds, y))
    between = np.exp(fitted.transform(stakes.Logits([1350.0, 2000.0, -5000.0])).values[:, 1])
    assert between.tolist() == pytest.approx([0.75, 1.0, 0.0])


def test_scores_of_any_size_are_fitted() -> None:
    y, log_p = overlapping(300, 3)
    plain = stakes.AffineCalibrator().fit(stakes.Logits(log_p), y)
    for size in (1e-6, 1e6, 1e200):
        other = stakes.AffineCalibrator().fit(stakes.Logits(size * log_p), y)
        np.testing.assert_allclose(other.fitted.scale * size, plain.fitted.scale, rtol=1e-4)


def test_candidates_share_their_folds() -> None:
    y, log_p = overlapping(200)
    choice = stakes.choose_calibrator(
        stakes.LogLoss(),
        y,
        stakes.LogPosteriors(log_p),
        [stakes.AffineCalibrator(), stakes.AffineCalibrator()],
        rng=np.random.default_rng(0),
    )
    affine = [
        loss.value
        for name, loss in zip(choice.names, choice.losses, strict=True)
        if name == "affine"
    ]
    assert affine[0] == affine[1]


def test_weights_of_zero_go_with_groups_and_folds() -> None:
    y, log_p = overlapping(100)
    raw, weights = stakes.LogPosteriors(log_p), np.ones(100)
    weights[3] = 0
    groups = np.arange(100) // 4
    loss = stakes.calibration_loss(stakes.LogLoss(), y, raw, sample_weight=weights, groups=groups)
    assert np.isfinite(loss.value)
    stakes.calibration_loss(stakes.LogLoss(), y, raw, sample_weight=weights, folds=groups % 5)


def test_hostile_calibrator_files_are_refused_in_words() -> None:
    from stakes.calibration.maps import checksum  # noqa: PLC0415

    y, log_p = overlapping()
    good = stakes.AffineCalibrator().fit(stakes.LogPosteriors(log_p), y).to_dict()
    assert stakes.AffineCalibrator.from_dict(good).classes == (0, 1)
    bad_maps: list[object] = [{}, None, {"scale": [None, None]}, {**good["map"], "scale": ["a", 1]}]
    bad_maps += [{**good["map"], "scale": [1, 2, 3]}, {**good["map"], "bias": [1, 2, 3]}]
    for bad in bad_maps:
        body = {k: v for k, v in good.items() if k != "sha256"} | {"map": bad}
        with pytest.raises(stakes.InputError):
            stakes.calibrator_from_dict({**body, "sha256": checksum(body)})
    empty = {k: v for k, v in good.items() if k != "sha256"} | {
        "kind": "isotonic",
        "map": {"low": [0], "high": [0], "first": [0], "second": [0]},
    }
    with pytest.raises(stakes.InputError, match="posteriors"):
        stakes.calibrator_from_dict({**empty, "sha256": checksum(empty)})


def test_an_infinite_raw_loss_is_told_as_such() -> None:
    p = [[1.0, 0.0]] * 5 + [[0.3, 0.7]] * 15 + [[0.6, 0.4]] * 10
    y = [1] + [0] * 4 + [1] * 10 + [0] * 5 + [0, 1] * 5
    loss = stakes.calibration_loss(
        stakes.LogLoss(), y, p, calibrator=stakes.IsotonicCalibrator(mix=1.0)
    )
    assert loss.raw.value == math.inf
    assert "undefined" in str(loss)
    assert json.dumps(loss.to_dict(), allow_nan=False)


def test_uninformative_scores_leave_the_priors_open() -> None:
    for p in (np.full(100, 0.5), 0.5 + 1e-4 * np.sin(np.arange(500))):
        found = stakes.estimate_priors(p, [0.5, 0.5])
        assert tuple(found.interval(0)) == (0, 1)
        assert "too little" in str(found)


def test_a_bin_without_samples_answers_its_middle() -> None:
    y, p = [0, 1, 0, 1, 1], [0.05, 0.15, 0.1, 0.95, 0.9]
    found = stakes.HistogramCalibrator(5).fit(p, y).transform([0.1, 0.3, 0.5, 0.75, 0.99])
    assert np.exp(found.log_posteriors([0.5, 0.5]))[:, 1] == pytest.approx(
        [1 / 3, 0.3, 0.5, 0.7, (5 / 6) / (5 / 6 + 1 / 6)]  # 0 of 2: half a sample of 3
    )


def test_a_map_of_no_known_kind_is_refused_with_those_that_are() -> None:
    code = "from stakes.calibration.maps import map_class; map_class('spline')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "InputError: data must be of a known kind" in done.stderr
    for name in ("'spline'", "affine", "histogram", "isotonic"):  # though none was loaded
        assert name in done.stderr


@pytest.mark.parametrize(("groups", "word"), [(None, "sample"), (np.arange(40) // 2, "group")])
def test_splits_that_train_on_what_they_test_are_refused(
    groups: np.ndarray | None, word: str
) -> None:
    class Overlapping:
        def split(self, rows: np.ndarray, *_: object) -> Iterator[tuple[np.ndarray, np.ndarray]]:
            yield rows[: 21 + (word == "sample")], rows[21:]
            yield rows[20:], rows[:20]

    y = np.arange(40) % 2
    with pytest.raises(stakes.InputError, match=f"keep each {word} on one side"):
        stakes.calibration_loss(
            stakes.LogLoss(), y, np.linspace(0.1, 0.9, 40), groups=groups, folds=Overlapping()
        )


def test_a_threshold_below_all_scores_lies_half_a_unit_below() -> None:
    costs = stakes.CostMatrix.binary(miss=50, false_alarm=1)
    fitted = stakes.ThresholdCalibrator(costs).fit(
        stakes.Logits([-1.0, 0.0, 0.5, 2.0]), [1, 0, 0, 1]
    )
    log_p = fitted.transform(stakes.Logits([-1.5])).values[0]
    assert log_p[1] - log_p[0] == pytest.approx(math.log(1 / 50))


@pytest.mark.parametrize("odd", [np.nan, 0.5, np.inf])
def test_folds_that_are_no_whole_numbers_are_refused(odd: float) -> None:
    folds = np.array([0.0, 1.0, 0.0, 1.0, odd, 1.0])
    with pytest.raises(stakes.InputError, match="one fold per sample"):
        stakes.calibration_loss(
            stakes.LogLoss(), [0, 1, 0, 1, 0, 1], np.linspace(0.2, 0.8, 6), folds=folds
        )
