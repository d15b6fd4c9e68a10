"""Intervals, beside others from 1000 resamples."""

from typing import Any

import numpy as np

import stakes
from benchmarks.inputs import Binary, Floats, Ints, Shape
from benchmarks.jobs.base import Job, Side, Thunk, Values
from benchmarks.peers import load
from stakes import evaluate_decisions

RESAMPLES = 1000
FEW = 20  # that the slow loops are timed with; their time is linear in them
_WIDE: Shape = (100_000, 2)
_ALL: tuple[Shape, ...] = tuple((10**e, 2) for e in range(3, 6))
_QUICK: tuple[Shape, ...] = ((1_000, 2), (10_000, 2))
_NOISE = {"width": 0.5}  # of an interval from few resamples


def _band(value: float, low: float, high: float) -> Values:
    """Name a value and the width of its interval."""
    return {"value": value, "width": high - low}


def _decisions(data: Binary) -> Thunk:
    """Return the normalised cost of given decisions with its interval, beside other metrics."""

    def call() -> tuple[float, Any]:
        counts = stakes.confusion_matrix(data.y, data.decided)
        costs = stakes.CostMatrix(data.costs, classes=counts.classes)
        found = evaluate_decisions(counts, costs)
        cost = found.expected_cost
        return cost.normalized, cost.normalized_interval(0.95)

    return call


def _log_loss(data: Binary) -> Thunk:
    """Return the log loss with its interval."""

    def call() -> tuple[float, Any]:
        found = stakes.cross_entropy(data.y, data.p)
        return found.value, found.interval(0.95)

    return call


def _area(data: Binary) -> Thunk:
    """Return the area under the ROC curve with its interval."""

    def call() -> tuple[float, Any]:
        found = stakes.auc(data.y, data.p)
        return float(found), found.interval(0.95)

    return call


def _read_band(found: tuple[float, Any], data: Binary) -> Values:  # noqa: ARG001
    """Return value and width."""
    return _band(found[0], *found[1])


def _read_pair(found: tuple[float, tuple[float, float]], data: Binary) -> Values:  # noqa: ARG001
    """Return value and width."""
    return _band(float(found[0]), *(float(end) for end in found[1]))


def _naive_loop(data: Binary, metric: Any, column: Floats | Ints) -> Thunk:  # noqa: ANN401
    """Return the resamples of confidence-intervals; the value itself is not in the time."""
    bootstrap = load("confidence_intervals.confidence_intervals").Bootstrap
    value = metric(data.y, column)
    return lambda: (value, bootstrap(FEW, metric).get_conf_int(column, data.y))


def _loop_cost(data: Binary) -> Thunk:
    """Return the normalised cost by the author's two packages."""
    ec = load("expected_cost.ec")
    costs = ec.CostMatrix(data.costs)
    return _naive_loop(data, lambda y, d: ec.average_cost(y, d, costs, adjusted=True), data.decided)


def _loop_log_loss(data: Binary) -> Thunk:
    """Return the log loss of scikit-learn in the loop."""
    return _naive_loop(data, load("sklearn.metrics").log_loss, data.p)


def _loop_auc(data: Binary) -> Thunk:
    """Return the area of scikit-learn in the loop."""
    return _naive_loop(data, load("sklearn.metrics").roc_auc_score, data.p)


def _scipy_mean(data: Binary) -> Thunk:
    """Return scipy's vectorised bootstrap of the mean of losses that are already worked out."""
    bootstrap = load("scipy.stats").bootstrap
    losses = -data.log_p[np.arange(data.y.size), data.y]

    def call() -> tuple[float, Any]:
        found = bootstrap(
            (losses,),
            np.mean,
            vectorized=True,
            n_resamples=RESAMPLES,
            batch=50,
            method="percentile",
            rng=np.random.default_rng(0),
        )
        return losses.mean(), found.confidence_interval

    return call


def _loop(name: str, prepare: Any, wanted: float) -> Side:  # noqa: ANN401
    """Return a side of confidence-intervals."""
    return Side(
        name,
        prepare,
        _read_pair,
        "confidence-intervals",
        {_WIDE: wanted},
        tolerances=_NOISE,
        scaled_from=FEW,
        scaled_to=RESAMPLES,
    )


def _job(name: str, title: str, ours: Side, peers: tuple[Side, ...]) -> Job:
    """Return the job of one interval."""
    return Job(
        name=name,
        family="resampling",
        title=title,
        shapes=_ALL,
        quick=_QUICK,
        make=Binary.made,
        ours=ours,
        peers=peers,
    )


JOBS = (
    _job(
        "interval-nec",
        "interval of the normalised cost, given decisions",
        Side("stakes", _decisions, _read_band),
        (_loop("confidence-intervals and expected_cost", _loop_cost, 1000),),
    ),
    _job(
        "interval-log-loss",
        "interval of the log loss",
        Side("stakes", _log_loss, _read_band),
        (
            _loop("confidence-intervals and scikit-learn's log_loss", _loop_log_loss, 100),
            Side(
                "scipy.stats.bootstrap, mean of given losses",
                _scipy_mean,
                _read_pair,
                "scipy",
                {_WIDE: 5},
                tolerances={"width": 0.2},
            ),
        ),
    ),
    _job(
        "interval-auc",
        "interval of the AUC",
        Side("stakes", _area, _read_band),
        (_loop("confidence-intervals and scikit-learn's roc_auc_score", _loop_auc, 80),),
    ),
)
