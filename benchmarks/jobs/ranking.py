"""What depends on the order of scores alone: AUC, all thresholds, isotonic regression."""

from typing import Any

import numpy as np

import stakes
from benchmarks.inputs import Binary, Shape
from benchmarks.jobs.base import Job, Side, Thunk, Values
from benchmarks.peers import load

_BIG: Shape = (1_000_000, 2)
_HUGE: Shape = (10_000_000, 2)
_ALL: tuple[Shape, ...] = tuple((10**e, 2) for e in range(3, 8))
_QUICK: tuple[Shape, ...] = ((1_000, 2), (100_000, 2))


def _auc(data: Binary) -> Thunk:
    """Return the exact area under the ROC curve."""
    if hasattr(stakes, "auc"):
        return lambda: stakes.auc(data.y, data.p)
    return lambda: stakes.roc_curve(data.y, data.p).auc()


def _sklearn_auc(data: Binary) -> Thunk:
    """Return scikit-learn's area."""
    area = load("sklearn.metrics").roc_auc_score
    return lambda: area(data.y, data.p)


def _torch_auc(data: Binary) -> Thunk:
    """Return torchmetrics' exact area."""
    torch, tm = load("torch"), load("torchmetrics.functional.classification")
    p, y = torch.from_numpy(data.p), torch.from_numpy(data.y)
    return lambda: tm.binary_auroc(p, y)


def _area(found: Any, data: Binary) -> Values:  # noqa: ANN401, ARG001
    """Name the area."""
    return {"auc": float(found)}


def _sweep(data: Binary) -> Thunk:
    """Return expected cost, normalised cost, F-score, MCC and net benefit at every threshold."""
    metrics = stakes.metrics
    swept = metrics.FScore(1), metrics.Matthews(), metrics.NetBenefit(data.threshold)

    def call() -> tuple[Any, ...]:
        curve = stakes.roc_curve(data.y, data.p)
        costs = curve.expected_costs(data.costs), curve.normalized_costs(data.costs)
        return (*costs, *(curve.sweep(metric) for metric in swept))

    return call


def _read_sweep(found: tuple[Any, ...], data: Binary) -> Values:  # noqa: ARG001
    """Return the best of each curve."""
    costs, _, f_score, matthews, benefit = found
    return {
        "least_cost": float(costs.min()),
        "f_score": float(np.nanmax(f_score)),
        "matthews": float(np.nanmax(matthews)),
        "net_benefit": float(np.nanmax(benefit)),
    }


def _sklearn_counts(data: Binary) -> Thunk:
    """Return counts at every threshold, and no metric of them."""
    counts = load("sklearn.metrics").confusion_matrix_at_thresholds
    return lambda: counts(data.y, data.p)


def _read_counts(found: tuple[Any, ...], data: Binary) -> Values:
    """Work out the metrics of the counts."""
    tn, fp, fn, tp = (np.asarray(part, dtype=np.float64) for part in found[:4])
    n = data.y.size
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        matthews = (tp * tn - fp * fn) / spread
    odds = data.threshold / (1 - data.threshold)
    return {
        "least_cost": float((data.costs[0, 1] * fp + data.costs[1, 0] * fn).min() / n),
        "f_score": float((2 * tp / (2 * tp + fp + fn)).max()),
        "matthews": float(np.nanmax(matthews)),
        "net_benefit": float(((tp - odds * fp) / n).max()),
    }


def _isotonic(data: Binary) -> Thunk:
    """Return the fitted calibrator."""
    return lambda: stakes.IsotonicCalibrator().fit(data.p, data.y)


def _read_isotonic(found: stakes.IsotonicCalibrator, data: Binary) -> Values:
    """Return what the fit makes of the first samples."""
    return {"mean": float(np.exp(found.transform(data.p[:1000]).values[:, 1]).mean())}


def _sklearn_isotonic(data: Binary) -> Thunk:
    """Return scikit-learn's fit."""
    regression = load("sklearn.isotonic").IsotonicRegression
    return lambda: regression(out_of_bounds="clip").fit(data.p, data.y)


def _read_sklearn_isotonic(found: Any, data: Binary) -> Values:  # noqa: ANN401
    """Return what the fit makes of the first samples."""
    return {"mean": float(found.predict(data.p[:1000]).mean())}


def _netcal_isotonic(data: Binary) -> Thunk:
    """Return netcal's fit."""
    regression = load("netcal.binning").IsotonicRegression
    return lambda: regression().fit(data.p, data.y)


def _read_netcal_isotonic(found: Any, data: Binary) -> Values:  # noqa: ANN401
    """Return what the fit makes of the first samples."""
    return {"mean": float(found.transform(data.p[:1000]).mean())}


JOBS = (
    Job(
        name="auc",
        family="ranking",
        title="exact AUC",
        shapes=_ALL,
        quick=_QUICK,
        make=Binary.made,
        ours=Side("stakes", _auc, _area),
        peers=(
            Side(
                "scikit-learn, roc_auc_score",
                _sklearn_auc,
                _area,
                "scikit-learn",
                {_BIG: 12, _HUGE: 18},
            ),
            Side("torchmetrics, binary_auroc", _torch_auc, _area, "torchmetrics", tolerance=1e-5),
        ),
    ),
    Job(
        name="sweep",
        family="ranking",
        title="five metrics at every threshold",
        shapes=_ALL,
        quick=_QUICK,
        make=Binary.made,
        ours=Side("stakes", _sweep, _read_sweep),
        peers=(
            Side(
                "scikit-learn, confusion_matrix_at_thresholds alone",
                _sklearn_counts,
                _read_counts,
                "scikit-learn",
                {_BIG: 3},
            ),
        ),
    ),
    Job(
        name="isotonic",
        family="ranking",
        title="isotonic fit",
        shapes=_ALL,
        quick=_QUICK,
        make=Binary.made,
        ours=Side("stakes", _isotonic, _read_isotonic),
        peers=(
            Side(
                "scikit-learn, IsotonicRegression",
                _sklearn_isotonic,
                _read_sklearn_isotonic,
                "scikit-learn",
                {_BIG: 8},
                tolerance=1e-6,
            ),
            Side(
                "netcal, IsotonicRegression",
                _netcal_isotonic,
                _read_netcal_isotonic,
                "netcal",
                tolerance=1e-6,
            ),
        ),
    ),
)
