"""Laws of structured matrix scaling."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import stakes
from stakes._math import log_softmax
from stakes._typing import FloatArray, IntArray
from stakes.calibration.matrix_calibrator import MatrixMap
from stakes.calibration.solver import solve


def confusable(n: int = 400, k: int = 3, seed: int = 0) -> tuple[IntArray, FloatArray]:
    """Return labels and log posteriors of classes that are mixed with each other."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    x = rng.normal(size=(n, k)) + 1.5 * np.eye(k)[y]
    return y, log_softmax(2 * x @ (np.eye(k) + 0.4 * rng.normal(size=(k, k))))


def fitted(log_p: FloatArray, y: IntArray, penalty: float = 1.0, **given: object) -> MatrixMap:
    scores = stakes.LogPosteriors(log_p)
    found = stakes.MatrixCalibrator(penalty).fit(scores, y, **given).fitted  # type: ignore[arg-type]
    assert isinstance(found, MatrixMap)
    return found


def published(log_p: FloatArray, y: IntArray, found: MatrixMap, penalty: float) -> float:
    """Return the published criterion: log loss after temperature scaling, and ridge penalties."""
    n, k = log_p.shape
    log_q = log_softmax(found.scale * log_p)
    loss = -log_softmax(log_q @ found.matrix.T + found.bias)[np.arange(n), y].mean()
    off = found.matrix - np.diag(np.diagonal(found.matrix))
    near = np.square(np.diagonal(found.matrix) - 1).sum() + np.square(found.bias).sum()
    return float(loss + penalty / n * (k * near + k * (k - 1) * np.square(off).sum()))


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from([2, 3, 5]), st.sampled_from([0.01, 1.0, 30.0]))
def test_it_is_at_the_least_of_the_published_criterion(seed: int, k: int, penalty: float) -> None:
    y, log_p = confusable(150, k, seed)
    found = fitted(log_p, y, penalty)
    least, rng = published(log_p, y, found, penalty), np.random.default_rng(seed)
    for _ in range(20):
        step = 1e-3 * rng.normal(size=(k, k + 1))
        other = MatrixMap(found.scale, found.matrix + step[:, :k], found.bias + step[:, k])
        assert published(log_p, y, other, penalty) > least


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from([2, 3, 16]))
def test_it_is_never_worse_than_temperature_on_its_samples(seed: int, k: int) -> None:
    y, log_p = confusable(200, k, seed)
    raw = stakes.LogPosteriors(log_p)
    losses = [
        stakes.cross_entropy(y, calibrator.fit(raw, y).transform(raw)).value
        for calibrator in (stakes.MatrixCalibrator(), stakes.TemperatureCalibrator())
    ]
    assert losses[0] <= losses[1] + 1e-12


def test_an_endless_penalty_leaves_temperature_scaling_and_none_any_matrix() -> None:
    y, log_p = confusable(3000)
    raw = stakes.LogPosteriors(log_p)
    stiff = fitted(log_p, y, 1e12)
    np.testing.assert_allclose(stiff.matrix, np.eye(3), atol=1e-6)
    temperature = stakes.TemperatureCalibrator().fit(raw, y).fitted
    np.testing.assert_allclose(stiff(log_p), temperature(log_p), atol=1e-5)
    free = fitted(log_p, y, 0.0)
    q = np.exp(free(log_p))
    q[np.arange(y.size), y] -= 1
    log_q = log_softmax(free.scale * log_p)
    assert np.abs(q.T @ log_q).max() / y.size < 1e-6  # no matrix is better


@pytest.mark.parametrize("k", [3, 20])
@pytest.mark.parametrize("dense", [True, False])
def test_slopes_are_those_of_the_loss(k: int, *, dense: bool) -> None:
    y, log_p = confusable(80, k)
    loss = stakes.MatrixCalibrator().problem(log_p, y, np.full(80, 1 / 80))
    rng = np.random.default_rng(1)
    x = 0.1 * rng.normal(size=loss.cells.size)
    here, step = loss.slopes(x, hessian=dense), 1e-6
    for i in rng.integers(0, x.size, 8):
        move = step * np.eye(x.size)[i]
        up, down = (loss.slopes(at, hessian=False) for at in (x + move, x - move))
        assert (up.loss - down.loss) / (2 * step) == pytest.approx(here.gradient[i], abs=1e-7)
        second = (up.gradient - down.gradient) / (2 * step)
        np.testing.assert_allclose(second if dense else second[i], here.hessian[i], atol=1e-7)


@pytest.mark.parametrize("scale", [0.3, 4.0])
def test_the_scale_of_the_scores_has_no_effect(scale: float) -> None:
    y, log_p = confusable()
    scaled = log_softmax(scale * log_p)
    np.testing.assert_allclose(fitted(scaled, y)(scaled), fitted(log_p, y)(log_p), atol=1e-6)


def test_the_order_of_the_classes_has_no_effect() -> None:
    y, log_p = confusable(k=4)
    order = np.array([2, 0, 3, 1])
    turned = fitted(log_p[:, order], np.argsort(order)[y])(log_p[:, order])
    np.testing.assert_allclose(turned, fitted(log_p, y)(log_p)[:, order], atol=1e-7)


def test_many_parameters_find_what_few_would() -> None:
    """Without a Hessian, and with one."""
    y, log_p = confusable(1500, 16)
    loss = stakes.MatrixCalibrator().problem(log_p, y, np.full(y.size, 1 / y.size))
    assert not loss.dense
    start = np.zeros(loss.cells.size)
    few, many = (solve(replace(loss, dense=dense), start).x for dense in (True, False))
    np.testing.assert_allclose(many, few, atol=1e-5)


def test_a_class_of_prior_0_does_not_count() -> None:
    y, log_p = confusable(600)
    found = fitted(log_p, y, priors=[0.0, 0.5, 0.5])
    other = log_p.copy()
    other[y == 0] = log_softmax(-log_p[y == 0])
    again = fitted(other, y, priors=[0.0, 0.5, 0.5])
    np.testing.assert_allclose(again.matrix, found.matrix, atol=1e-7)
    np.testing.assert_allclose(again.bias, found.bias, atol=1e-7)


def test_separable_classes_are_said() -> None:
    y = np.arange(60) % 3
    log_p = np.log(np.where(np.eye(3)[y] > 0, 0.8, 0.1))
    calibrator = stakes.MatrixCalibrator().fit(stakes.LogPosteriors(log_p), y)
    assert any("separable" in note for note in calibrator.notes)
    assert np.isfinite(calibrator.transform(stakes.LogPosteriors(log_p)).values).all()


def test_an_impossible_class_stays_so_and_has_no_effect() -> None:
    y, log_p = confusable()
    log_p[5, (y[5] + 1) % 3] = -np.inf
    log_p = log_softmax(log_p)
    found = fitted(log_p, y)(log_p)
    assert np.isneginf(found[5, (y[5] + 1) % 3])
    assert np.isneginf(found).sum() == 1
    np.testing.assert_allclose(np.exp(found).sum(axis=1), 1)
