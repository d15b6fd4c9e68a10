"""Affine fits of many samples: thinned starts, bounds instead of looks back, folds that share."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import stakes
from stakes._kernels.kernel_records import Slopes
from stakes._typing import FloatArray, IntArray
from stakes.calibration import solver
from stakes.calibration.crossfit import _one_by_one, deal
from stakes.calibration.linear import LinearCalibrator
from stakes.calibration.maps import AffineMap, CalibrationMap
from stakes.calibration.shared_scale import SharedScale
from stakes.calibration.solver import descend, gradient_bound, newton_step, solve
from stakes.samples import Samples, read_samples

ONE_SCALE = [stakes.AffineCalibrator(), stakes.TemperatureCalibrator(), stakes.BiasCalibrator()]


def scored(n: int, k: int, seed: int = 0) -> tuple[Any, Any]:
    """Return labels and log posteriors that are not calibrated and not separable."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    z = 1.7 * (rng.normal(0, 1, (n, k)) + 1.2 * np.eye(k)[y]) + np.linspace(0, 1, k)
    return y, z - np.log(np.exp(z).sum(axis=1, keepdims=True))


def settings_of(n: int, k: int, how: str) -> dict[str, Any]:
    """Return weights and priors of one kind."""
    rng = np.random.default_rng(1)
    known: dict[str, dict[str, Any]] = {
        "plain": {},
        "priors": {"priors": rng.dirichlet(np.full(k, 9.0))},
        "weights": {"sample_weight": rng.exponential(size=n) + 0.01},
        "both": {
            "priors": rng.dirichlet(np.full(k, 9.0)),
            "sample_weight": rng.exponential(size=n) + 0.01,
        },
    }
    return known[how]


def gradient(samples: Samples, fitted: CalibrationMap, calibrator: LinearCalibrator) -> float:
    """Return the steepest slope of the weighted loss along what the calibrator may move."""
    log_p = samples.scores.answers(samples.priors).log_p
    q = np.exp(fitted(log_p))
    q[np.arange(len(samples)), samples.y] -= 1
    excess = q * samples.balanced_weights()[:, None]
    slopes = [(excess * log_p).sum()] * calibrator.moves.scale
    slopes += list(excess.sum(axis=0)[1:]) * calibrator.moves.biases
    return float(np.abs(slopes).max())


@pytest.mark.parametrize("how", ["plain", "priors", "weights", "both"])
@pytest.mark.parametrize(
    ("n", "k"), [(300, 2), (30_000, 2), (12_000, 3), (11_000, 40), (11_000, 160)]
)
@pytest.mark.parametrize("calibrator", ONE_SCALE, ids=lambda c: c.name)
def test_a_fit_is_at_the_optimum(calibrator: LinearCalibrator, n: int, k: int, how: str) -> None:
    y, log_p = scored(n, k)
    samples = read_samples(y, stakes.LogPosteriors(log_p), **settings_of(n, k, how))
    fitted = calibrator.fresh().fit_samples(samples).fitted
    assert gradient(samples, fitted, calibrator) < 1e-8
    if k < 100:
        other: Any = calibrator.learn(log_p, y, samples.balanced_weights())
        np.testing.assert_allclose(fitted(log_p), other(log_p), atol=1e-7)


@pytest.mark.parametrize(
    ("calibrator", "n", "k", "how"),
    [  # each calibrator and size with two of the settings
        pytest.param(calibrator, n, k, how, id=f"{calibrator.name}-{n}-{k}-{how}")
        for i, calibrator in enumerate(ONE_SCALE)
        for j, (n, k) in enumerate([(25_000, 2), (9000, 4), (3000, 40), (4000, 155)])
        for m, how in enumerate(["plain", "both", "priors", "weights"])
        if (i + j + m) % 2 == 0
    ],
)
def test_folds_that_share_find_what_each_finds_alone(
    calibrator: LinearCalibrator, n: int, k: int, how: str
) -> None:
    y, log_p = scored(n, k)
    samples = read_samples(y, stakes.LogPosteriors(log_p), **settings_of(n, k, how))
    dealt = deal(samples, 5, None, 0)
    assert dealt.number is not None
    shared = calibrator.fit_folds(samples, dealt.number, 5)
    alone = _one_by_one(calibrator, samples, dealt.pairs).scores.values
    assert shared is not None
    np.testing.assert_allclose(shared.scores.values, alone, atol=3e-7 if k < 150 else 1e-4)
    for fitted, (train, test) in zip(shared.maps, dealt.pairs, strict=True):
        assert gradient(samples.part(train), fitted, calibrator) < 1e-8
        np.testing.assert_allclose(fitted(log_p[test]), shared.scores.values[test], atol=1e-12)


def test_labels_of_a_fold_are_not_felt_in_its_answers() -> None:
    y, log_p = scored(30_000, 2)
    folds = np.arange(30_000) % 5
    flipped = np.where((folds == 2) & (np.arange(30_000) % 7 == 0), 1 - y, y)
    one, other = (
        stakes.cross_calibrate(
            stakes.AffineCalibrator(), labels, stakes.LogPosteriors(log_p), folds=folds
        ).values
        for labels in (y, flipped)
    )
    np.testing.assert_allclose(one[folds == 2], other[folds == 2], atol=1e-7)
    assert np.abs(one[folds != 2] - other[folds != 2]).max() > 1e-3


def test_folds_of_a_seed_are_dealt_as_ever() -> None:
    y, log_p = scored(1000, 7)
    y[y == 4] = 3
    rng, wanted, start = np.random.default_rng(5), np.empty(1000, np.int64), 0
    for k in (0, 1, 2, 3, 5, 6):
        rows = rng.permutation(np.flatnonzero(y == k))
        wanted[rows] = (start + np.arange(rows.size)) % 3
        start += rows.size
    kept = np.delete(log_p, 4, axis=1)
    kept -= np.log(np.exp(kept).sum(axis=1, keepdims=True))
    samples = read_samples(y, stakes.LogPosteriors(kept), classes=[0, 1, 2, 3, 5, 6])
    dealt = deal(samples, 3, None, 5)
    assert dealt.number is not None
    np.testing.assert_array_equal(dealt.number, wanted)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from([2, 3, 6]), st.floats(1e-4, 0.05))
def test_a_step_leaves_no_more_than_its_bound(seed: int, k: int, size: float) -> None:
    y, log_p = scored(60, k, seed)
    weights = np.random.default_rng(seed).dirichlet(np.ones(60))
    calibrator = [stakes.AffineCalibrator(), stakes.VectorCalibrator()][seed % 2]
    objective = calibrator.problem(log_p, y, weights)
    best = solve(objective, np.zeros_like(objective.start)).x
    noise = np.random.default_rng(seed).normal(size=best.size)
    far, near = best + size * noise, best + 1e-3 * size * noise
    for x, known in ((far, far), (far, near), (near, far)):
        here, other = (objective.slopes(at, hessian=True) for at in (x, known))
        here = replace(here, hessian=other.hessian)
        direction = newton_step(here)
        reach, away = objective.reach(direction), objective.reach(x - known)
        bound = gradient_bound(reach, away, here, direction, objective.units)
        after = objective.slopes(x + direction, hessian=True)
        left = np.abs(after.gradient * objective.units).max()
        assert left <= bound + 1e-13


def test_scores_in_any_unit_give_the_same_answers() -> None:
    y, log_p = scored(25_000, 2)
    odds = log_p[:, 1] - log_p[:, 0]
    plain = stakes.cross_calibrate(stakes.AffineCalibrator(), y, stakes.Logits(odds)).values
    for unit in (1e-90, 1e-12, 1e9, 1e90):
        scores = stakes.Logits(odds * unit)
        other = stakes.cross_calibrate(stakes.AffineCalibrator(), y, scores).values
        np.testing.assert_allclose(other, plain, atol=1e-6)


def test_samples_that_repeat_in_step_with_the_start_do_no_harm() -> None:
    y, log_p = scored(50_000, 2)
    odd = np.arange(50_000) % 5 == 0  # the very samples that a start looks at: separable
    log_p[odd] = np.log(np.where(np.eye(2)[y[odd]] > 0, 0.9, 0.1))
    fitted: Any = stakes.AffineCalibrator().fit(stakes.LogPosteriors(log_p), y).fitted
    assert not fitted.separable
    samples = read_samples(y, stakes.LogPosteriors(log_p))
    assert gradient(samples, fitted, stakes.AffineCalibrator()) < 1e-8


def test_separable_samples_of_very_many_classes_are_recognised() -> None:
    y = np.arange(640) % 160
    log_p = np.log(np.where(np.eye(160)[y] > 0, 0.5, 0.5 / 159))
    fitted: Any = stakes.AffineCalibrator().fit(stakes.LogPosteriors(log_p), y).fitted
    assert fitted.separable
    assert np.exp(fitted(log_p)[np.arange(640), y]).min() > 1 - 1e-5


def test_many_separable_samples_are_recognised() -> None:
    y = np.arange(30_000) % 2
    odds = np.where(y == 1, 1.0, -1.0) * (1 + np.arange(30_000) % 11)
    fitted: Any = stakes.AffineCalibrator().fit(stakes.Logits(odds), y).fitted
    assert fitted.separable
    found = stakes.cross_calibrate(stakes.AffineCalibrator(), y, stakes.Logits(odds)).values
    assert np.exp(found[np.arange(30_000), y]).min() > 1 - 1e-5


def test_posteriors_of_0_are_within_the_floor_and_missing_classes_are_refused() -> None:
    y, log_p = scored(15_000, 2)
    log_p[(y == 0) & (np.arange(15_000) % 9 == 0)] = [0.0, -np.inf]
    zeros = np.isneginf(log_p[:, 1])
    found = stakes.cross_calibrate(stakes.AffineCalibrator(), y, stakes.LogPosteriors(log_p))
    assert np.isfinite(found.values).all()
    assert found.values[zeros, 1].max() < np.quantile(found.values[~zeros, 1], 0.01)
    rare = np.zeros(15_000, dtype=int)
    rare[:3] = 1
    with pytest.raises(stakes.UndefinedMetricError, match="class 1 has 0 samples"):
        stakes.cross_calibrate(
            stakes.AffineCalibrator(), rare, np.full(15_000, 0.3), folds=1 - rare
        )


def test_likelihoods_at_priors_of_the_data_are_turned_in_each_fold() -> None:
    y, log_p = scored(12_000, 3)
    y[:4000] = 0
    scores = stakes.LogLikelihoods(log_p)
    affine = stakes.AffineCalibrator()
    samples = read_samples(y, scores, priors="data")
    alone = _one_by_one(affine, samples, deal(samples, 5, None, 0).pairs).scores.values
    found = stakes.cross_calibrate(affine, y, scores, priors="data").values
    np.testing.assert_array_equal(found, alone)


def test_a_calibrator_with_a_way_of_its_own_is_asked() -> None:
    class Halved(stakes.AffineCalibrator):
        def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> AffineMap:
            found: Any = super().learn(log_p, y, weights)
            return AffineMap(found.scale / 2, found.bias)

    y, log_p = scored(15_000, 2)
    raw = stakes.LogPosteriors(log_p)
    half: Any = Halved().fit(raw, y).fitted
    whole: Any = stakes.AffineCalibrator().fit(raw, y).fitted
    np.testing.assert_allclose(half.scale, whole.scale / 2, rtol=1e-6)
    one, other = (
        stakes.cross_calibrate(c, y, raw).values for c in (Halved(), stakes.AffineCalibrator())
    )
    assert np.abs(one - other).max() > 0.1


def test_a_descent_looks_at_all_samples() -> None:
    """What is promised on the way is kept at the end: the slope of all samples, not of some."""
    y, log_p = scored(40_000, 2)
    samples = read_samples(y, stakes.LogPosteriors(log_p))
    whole = SharedScale.from_samples(samples, stakes.AffineCalibrator.moves)
    assert whole is not None
    start = np.zeros(2)
    found = solve(whole, start)
    sure = descend(whole, start, whole.slopes(start, hessian=True))
    np.testing.assert_allclose(found.x, sure.x, atol=1e-7)
    left = whole.slopes(found.x, hessian=True).gradient * whole.units
    assert np.abs(left).max() <= found.gradient + 1e-13


def test_matrices_are_worked_on_by_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    controls = pytest.importorskip("threadpoolctl")
    seen: list[set[int]] = []

    def looking(hessian: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        blas = [i for i in controls.threadpool_info() if i["user_api"] == "blas"]
        seen.append({i["num_threads"] for i in blas if "numpy" in i["filepath"]})
        return direct(hessian)

    direct = np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", looking)
    with controls.threadpool_limits(2, user_api="blas"):
        for rows in (40, 3):
            newton_step(Slopes(0.0, np.ones(rows), np.eye(rows), 0.0))
    assert seen[0] <= {1}
    assert seen[1] <= {1, 2}


def test_without_what_limits_threads_fits_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    solver._controller.cache_clear()
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    with solver.one_thread(100) as held:
        assert held is None
    solver._controller.cache_clear()


@pytest.mark.parametrize("n", [1000, 12_000])
def test_no_label_of_a_test_fold_is_felt_where_the_others_are_separable(n: int) -> None:
    rng = np.random.default_rng(0)
    z = rng.normal(size=n) * 2
    y = (z > 0).astype(np.int64)
    fold, z[0] = np.arange(n) % 5, 3.0
    answers = []
    for label in (0, 1):  # of a sample in fold 0
        y[0] = label
        scores = stakes.Logits(z)
        found = stakes.cross_calibrate(stakes.AffineCalibrator(), y, scores, folds=fold)
        answers.append(found.values[fold == 0])
    np.testing.assert_array_equal(*answers)


@pytest.mark.parametrize("n", [300, 30_000])
@pytest.mark.parametrize(("size", "offset"), [(1.0, 1e4), (1.0, 1e6), (1e-8, 1.0), (1e-8, -3.0)])
def test_scores_that_lie_far_off_are_centred(n: int, size: float, offset: float) -> None:
    rng = np.random.default_rng(1)
    y = (rng.random(n) < 0.3).astype(np.int64)
    z = rng.normal(size=n) + 1.5 * y
    plain = stakes.AffineCalibrator().fit(stakes.Logits(z), y).fitted
    moved = stakes.AffineCalibrator().fit(stakes.Logits(size * z + offset), y).fitted
    assert isinstance(plain, AffineMap)
    assert isinstance(moved, AffineMap)
    assert moved.scale[0] * size == pytest.approx(plain.scale[0], rel=1e-5)
    assert not moved.separable
    wanted = plain.bias[1] - plain.bias[0] - offset * moved.scale[0]
    assert moved.bias[1] - moved.bias[0] == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize(("n", "k"), [(60, 3), (30_000, 5), (5000, 40)])
def test_small_logits_of_several_classes_settle(n: int, k: int) -> None:
    rng = np.random.default_rng(2)
    y = np.arange(n) % k
    x = rng.normal(size=(n, k))
    x[np.arange(n), y] += 1
    plain, small = (
        stakes.AffineCalibrator().fit(stakes.Logits(size * x), y).fitted for size in (1.0, 1e-8)
    )
    assert isinstance(plain, AffineMap)
    assert isinstance(small, AffineMap)
    assert small.scale[0] * 1e-8 == pytest.approx(plain.scale[0], rel=1e-4)
    assert not small.separable


def test_constant_scores_are_not_called_separable() -> None:
    y = np.arange(3000) % 3
    fitted = stakes.AffineCalibrator().fit(stakes.Logits(np.zeros((3000, 3))), y).fitted
    assert isinstance(fitted, AffineMap)
    assert not fitted.separable


@pytest.mark.filterwarnings("error")
def test_folds_with_a_class_of_prior_0_go_without_a_warning() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(30_000, 3)), rng.integers(0, 3, 30_000)
    affine, scores = stakes.AffineCalibrator(), stakes.Logits(x)
    found = stakes.cross_calibrate(affine, y, scores, priors=[0, 0.4, 0.6])
    p = np.exp(found.values)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    assert p[:, 0].max() < 1e-3  # of the class that will not occur


@pytest.mark.parametrize("k", [2, 12])
def test_threads_change_no_bit_of_a_fit(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, k, 200_000)
    x = rng.normal(size=(y.size, k))
    x[np.arange(y.size), y] += 1
    scores = stakes.Logits(x[:, 1] - x[:, 0]) if k == 2 else stakes.Logits(x)
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("STAKES_THREADS", threads)
        found.append(stakes.cross_calibrate(stakes.AffineCalibrator(), y, scores).values)
    np.testing.assert_array_equal(found[0], found[1])
