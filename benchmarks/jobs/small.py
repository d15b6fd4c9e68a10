"""Single metrics of a thousand samples, where the cost of a call counts."""

from collections.abc import Callable
from typing import Any

import stakes
from benchmarks.inputs import Binary, Many, Shape
from benchmarks.jobs.base import Job, Side, Thunk, Values
from benchmarks.peers import load

_SIZE: Shape = (1_000, 2)
_TENS: Shape = (1_000, 10)
_WANTED = 1.0

Call = Callable[[Any], Any]
Prepare = Callable[[Any], Thunk]


def _ours(call: Call) -> Prepare:
    """Return a call of ours."""
    return lambda data: lambda: call(data)


def _value(found: Any, data: Any) -> Values:  # noqa: ANN401, ARG001
    """Name the number, where it is one; curves and counts are not compared."""
    try:
        return {"value": float(found)}
    except TypeError:
        return {}


def _sk(name: str, *columns: str) -> Prepare:
    """Return a call of scikit-learn on some columns of the input."""

    def prepare(data: Any) -> Thunk:  # noqa: ANN401
        function = getattr(load("sklearn.metrics"), name)
        given = [getattr(data, column) for column in columns]
        return lambda: function(*given)

    return prepare


def _sk_reliability(data: Binary) -> Thunk:
    """Return scikit-learn's bins."""
    curve = load("sklearn.calibration").calibration_curve
    return lambda: curve(data.y, data.p, n_bins=15)


def _counted(name: str, *arguments: float) -> Call:
    """Return a call of ours on counts."""

    def call(data: Binary) -> Any:  # noqa: ANN401
        return getattr(stakes.confusion_matrix(data.y, data.decided), name)(*arguments)

    return call


def _curve(data: Binary) -> tuple[Any, Any]:
    """Return all rates of our ROC curve."""
    curve = stakes.roc_curve(data.y, data.p)
    return curve.false_alarm_rate, curve.sensitivity


_DECIDED = ("y", "decided")
_SCORED = ("y", "p")
_PAIRS: tuple[tuple[str, Call, str, Prepare], ...] = (
    ("log-loss", lambda d: stakes.cross_entropy(d.y, d.p), "log_loss", _sk("log_loss", *_SCORED)),
    (
        "brier",
        lambda d: stakes.brier_score(d.y, d.p),
        "brier_score_loss",
        _sk("brier_score_loss", *_SCORED),
    ),
    (
        "confusion",
        lambda d: stakes.confusion_matrix(d.y, d.decided),
        "confusion_matrix",
        _sk("confusion_matrix", *_DECIDED),
    ),
    ("accuracy", _counted("accuracy"), "accuracy_score", _sk("accuracy_score", *_DECIDED)),
    (
        "balanced-accuracy",
        _counted("balanced_accuracy"),
        "balanced_accuracy_score",
        _sk("balanced_accuracy_score", *_DECIDED),
    ),
    ("matthews", _counted("matthews"), "matthews_corrcoef", _sk("matthews_corrcoef", *_DECIDED)),
    ("f-score", _counted("f_score"), "f1_score", _sk("f1_score", *_DECIDED)),
    ("precision", _counted("precision"), "precision_score", _sk("precision_score", *_DECIDED)),
    ("recall", _counted("recall"), "recall_score", _sk("recall_score", *_DECIDED)),
    (
        "auc",
        lambda d: stakes.auc(d.y, d.p),
        "roc_auc_score",
        _sk("roc_auc_score", *_SCORED),
    ),
    ("roc", _curve, "roc_curve", _sk("roc_curve", *_SCORED)),
    (
        "average-precision",
        lambda d: stakes.average_precision(d.y, d.p),
        "average_precision_score",
        _sk("average_precision_score", *_SCORED),
    ),
    (
        "reliability",
        lambda d: stakes.reliability(d.y, d.p, 15),
        "calibration_curve",
        _sk_reliability,
    ),
    (
        "calibration-error",
        lambda d: stakes.calibration_error(d.y, d.p, 15),
        "calibration_curve, for our error",
        _sk_reliability,
    ),
)
_MANY: tuple[tuple[str, Call, str, Prepare], ...] = (
    (
        "log-loss-10",
        lambda d: stakes.cross_entropy(d.y, d.p),
        "log_loss",
        _sk("log_loss", *_SCORED),
    ),
    (
        "brier-10",
        lambda d: stakes.brier_score(d.y, d.p).value * 10,
        "brier_score_loss",
        _sk("brier_score_loss", *_SCORED),
    ),
)


def _job(name: str, ours: Call, theirs: str, call: Prepare, shape: Shape) -> Job:
    """Return the job of one metric."""
    return Job(
        name=f"small-{name}",
        family="small",
        title=theirs,
        shapes=(shape,),
        quick=(shape,),
        make=Binary.made if shape == _SIZE else Many.made,
        ours=Side("stakes", _ours(ours), _value),
        peers=(Side(f"scikit-learn, {theirs}", call, _value, "scikit-learn", {shape: _WANTED}),),
    )


JOBS = (
    *(_job(*pair, _SIZE) for pair in _PAIRS),
    *(_job(*pair, _TENS) for pair in _MANY),
)
