"""Affine calibration: a fit, and fits of five folds. Both sides must have found the optimum."""

from typing import Any

import numpy as np

import stakes
from benchmarks.inputs import Binary, Floats, Ints, Many, Shape
from benchmarks.jobs.base import Job, Side, Thunk, Values
from benchmarks.peers import load

_BIG: Shape = (1_000_000, 2)
_TENS: Shape = (100_000, 10)
_HUNDREDS: Shape = (50_000, 100)
_TWO: tuple[Shape, ...] = tuple((10**e, 2) for e in range(3, 7))
_MANY: tuple[Shape, ...] = (
    *((10**e, 10) for e in range(3, 6)),
    (10_000, 2),
    (10_000, 100),
    _HUNDREDS,
)


def _odds(data: Binary) -> Floats:
    """Return log odds."""
    return data.log_p[:, 1] - data.log_p[:, 0]


def _values(data: Binary | Many) -> Floats:
    """Return log odds of two classes, or the logits of many that the peers are given."""
    return _odds(data) if isinstance(data, Binary) else data.log_p


def _fit(data: Binary | Many) -> Thunk:
    """Return the fitted calibrator; to say what the values are checks them."""
    values = _values(data)
    return lambda: stakes.AffineCalibrator().fit(stakes.Logits(values), data.y)


def _read_fit(found: stakes.AffineCalibrator, data: Binary | Many) -> Values:
    """Return loss and slope at the solution."""
    fitted: Any = found.fitted
    return _solution(float(np.ravel(fitted.scale)[0]), fitted.bias, data.log_p, data.y)


def _solution(scale: float, bias: Floats, log_p: Floats, y: Ints) -> Values:
    """Return the mean log loss, its steepest slope in scale and biases, and the scale."""
    z = scale * log_p + bias
    z -= z.max(axis=1, keepdims=True)
    total = np.exp(z).sum(axis=1, keepdims=True)
    rows = np.arange(y.size)
    loss = float((np.log(total[:, 0]) - z[rows, y]).mean())
    gap = np.exp(z) / total
    gap[rows, y] -= 1
    slope = np.append(gap.mean(axis=0), (gap * log_p).sum() / y.size)
    return {"loss": loss, "scale": scale, "gradient": float(np.abs(slope).max())}


def _psrcal(data: Binary | Many) -> Thunk:
    """Return psrcal's model, trained as the author's wrapper trains it."""
    train = load("expected_cost.calibration").train_calibrator
    log_p = data.log_p
    return lambda: train(log_p, data.y)


def _read_psrcal(found: Any, data: Binary | Many) -> Values:  # noqa: ANN401
    """Return loss and slope at the solution."""
    bias = found.bias.detach().numpy().astype(np.float64)
    return _solution(float(found.temp), bias, data.log_p, data.y)


def _logistic(solver: str) -> Any:  # noqa: ANN401
    """Return scikit-learn's logistic regression on the log odds, without penalty."""

    def prepare(data: Binary) -> Thunk:
        regression = load("sklearn.linear_model").LogisticRegression
        column = _odds(data)[:, None]
        return lambda: regression(C=np.inf, solver=solver, max_iter=1000).fit(column, data.y)

    return prepare


def _read_logistic(found: Any, data: Binary) -> Values:  # noqa: ANN401
    """Return loss and slope at the solution."""
    bias = np.array([0.0, float(found.intercept_[0])])
    return _solution(float(found.coef_[0, 0]), bias, data.log_p, data.y)


def _netcal(data: Binary) -> Thunk:
    """Return netcal's logistic calibration, which for two classes is the same map."""
    model = load("netcal.scaling").LogisticCalibration
    return lambda: model(use_cuda=False).fit(data.p, data.y)


def _read_netcal(found: Any, data: Binary) -> Values:  # noqa: ANN401
    """Return scale and intercept as netcal keeps them."""
    bias = np.array([0.0, float(np.ravel(found.intercept)[0])])
    return _solution(float(np.ravel(found.weights)[0]), bias, data.log_p, data.y)


def _cross(data: Binary | Many) -> Thunk:
    """Return cross-fitted scores, folds included."""
    values = _values(data)
    affine = stakes.AffineCalibrator()
    return lambda: stakes.cross_calibrate(affine, data.y, stakes.Logits(values), folds=5)


def _read_cross(found: stakes.LogPosteriors, data: Binary | Many) -> Values:
    """Return the mean log loss after calibration."""
    return {"loss": stakes.cross_entropy(data.y, found).value}


def _author_cross(data: Binary | Many) -> Thunk:
    """Return the author's cross-fitted log posteriors."""
    cross = load("expected_cost.calibration").calibration_with_crossval
    log_p = data.log_p
    return lambda: cross(log_p, data.y, seed=0, nfolds=5)


def _read_author_cross(found: Floats, data: Binary | Many) -> Values:
    """Return the mean log loss after calibration."""
    return {"loss": float(-found[np.arange(data.y.size), data.y].mean())}


_LOOSE = {"scale": 1e-2, "loss": 1e-4}  # where a peer stops early
_PSRCAL = {_BIG: 50.0, _TENS: 7.0, _HUNDREDS: 18.0}
_CROSS = {_BIG: 35.0, _TENS: 6.0, _HUNDREDS: 11.0}


def _fit_job(name: str, title: str, shapes: tuple[Shape, ...], peers: tuple[Side, ...]) -> Job:
    """Return the job of one fit."""
    return Job(
        name=name,
        family="calibration",
        title=title,
        shapes=shapes,
        quick=shapes[:2],
        make=Binary.made if name.endswith("binary") else Many.made,
        unit="row" if name.endswith("binary") else "cell",
        ours=Side("stakes", _fit, _read_fit),
        peers=(
            Side(
                "psrcal, AffineCalLogLoss",
                _psrcal,
                _read_psrcal,
                "author",
                _PSRCAL,
                tolerances=_LOOSE,
            ),
            *peers,
        ),
        noted=("gradient",),
        limits={"gradient": 1e-8},
    )


def _cross_job(name: str, title: str, shapes: tuple[Shape, ...]) -> Job:
    """Return the job of five folds."""
    return Job(
        name=name,
        family="calibration",
        title=title,
        shapes=shapes,
        quick=shapes[:2],
        make=Binary.made if name.endswith("binary") else Many.made,
        unit="row" if name.endswith("binary") else "cell",
        ours=Side("stakes", _cross, _read_cross),
        peers=(
            Side(
                "expected_cost, calibration_with_crossval",
                _author_cross,
                _read_author_cross,
                "author",
                _CROSS,
                tolerances={"loss": 1e-2},  # the folds are others
            ),
        ),
    )


_SKLEARN = tuple(
    Side(
        f"scikit-learn, LogisticRegression ({solver})",
        _logistic(solver),
        _read_logistic,
        "scikit-learn",
        {_BIG: 10},
        tolerances=_LOOSE,
    )
    for solver in ("lbfgs", "newton-cholesky")
)
_NETCAL = Side("netcal, LogisticCalibration", _netcal, _read_netcal, "netcal", tolerances=_LOOSE)

JOBS = (
    _fit_job(
        "affine-binary",
        "affine fit, two classes",
        _TWO,
        (*_SKLEARN, _NETCAL),
    ),
    _fit_job("affine-many", "affine fit, K classes", _MANY, ()),
    _cross_job("crossfit-binary", "affine fits of five folds, two classes", _TWO),
    _cross_job("crossfit-many", "affine fits of five folds, K classes", _MANY),
)
