"""Log loss, Brier score, Bayes cost and calibration error of the same scores."""

from typing import Any

import numpy as np

import stakes
from benchmarks.inputs import Binary, Floats, Ints, Many, Shape
from benchmarks.jobs.base import Job, Side, Thunk, Values
from benchmarks.peers import load

BINS = 15
ONE_CALL = hasattr(stakes, "scorecard")
FORM = "one call" if ONE_CALL else "four calls"
_SINGLE = {  # of peers that set the edges of bins in single precision
    "calibration_error": 1e-4,
    "confidence_error": 1e-4,
}


def _ours(y: Ints, scores: Any, costs: Floats | None) -> Thunk:  # noqa: ANN401
    """Return our way: one call where there is one."""
    if ONE_CALL:
        return lambda: stakes.scorecard(y, scores, costs=costs, bins=BINS)
    return lambda: _four_calls(y, scores, costs)


def _ours_logits(data: Many) -> Thunk:
    """Return our way from logits; to say what they are checks them, so that it is in the time."""

    def call() -> Any:  # noqa: ANN401
        return _ours(data.y, stakes.Logits(data.logits), None)()

    return call


def _four_calls(y: Ints, scores: Any, costs: Floats | None) -> Values:  # noqa: ANN401
    """Return the four numbers one by one."""
    found = {
        "log_loss": stakes.cross_entropy(y, scores).value,
        "brier": stakes.brier_score(y, scores).value,
        "cost": stakes.bayes_cost(y, scores, costs=costs).value,
    }
    if np.ndim(scores) == 1:
        return {**found, "calibration_error": stakes.calibration_error(y, scores, BINS)}
    return {**found, "confidence_error": stakes.confidence_calibration_error(y, scores, BINS)}


def _read(card: Any, data: Any) -> Values:  # noqa: ANN401, ARG001
    """Read the numbers off our card, which has one calibration error or the other."""
    if isinstance(card, dict):
        return card
    found = {
        "log_loss": card.cross_entropy.value,
        "brier": card.brier_score.value,
        "cost": card.cost.value,
        "calibration_error": card.calibration_error,
        "confidence_error": card.confidence_calibration_error,
    }
    return {name: value for name, value in found.items() if value is not None}


def _same(values: Values, data: Any) -> Values:  # noqa: ANN401, ARG001
    """Return numbers that are already named."""
    return {name: float(value) for name, value in values.items()}


def _sklearn_binary(data: Binary) -> Thunk:
    """Return scikit-learn's four calls."""
    metrics, calibration = load("sklearn.metrics"), load("sklearn.calibration")

    def call() -> tuple[Any, ...]:
        return (
            metrics.log_loss(data.y, data.p),
            metrics.brier_score_loss(data.y, data.p),
            metrics.confusion_matrix(data.y, data.p > data.threshold),
            calibration.calibration_curve(data.y, data.p, n_bins=BINS),
        )

    return call


def _read_sklearn_binary(found: tuple[Any, ...], data: Binary) -> Values:
    """Price the counts, and weigh the bins by the counts that the curve does not tell."""
    log_loss, brier, counts, (frequency, probability) = found
    size = np.histogram(data.p, np.linspace(0, 1, BINS + 1))[0]
    gap = np.abs(frequency - probability) @ size[size > 0]
    return {
        "log_loss": float(log_loss),
        "brier": float(brier),
        "cost": float((counts * data.costs).sum() / data.y.size),
        "calibration_error": float(gap / data.y.size),
    }


def _author_binary(data: Binary) -> Thunk:
    """Return the author's four calls, on the log posteriors they read."""
    ec, psr = load("expected_cost.ec"), load("expected_cost.psrcal_wrappers")
    log_p, costs = data.log_p, ec.CostMatrix(data.costs)

    def call() -> Values:
        return {
            "log_loss": psr.LogLoss(log_p, data.y, norm=False),
            "brier": psr.Brier(log_p, data.y, norm=False),
            "cost": ec.average_cost_for_bayes_decisions(data.y, log_p, costs)[0],
            "calibration_error": psr.ECEbin(log_p, data.y, BINS) / 100,
        }

    return call


def _torch_binary(data: Binary) -> Thunk:
    """Return torchmetrics' calls, and torch's own losses."""
    torch, tm = load("torch"), load("torchmetrics.functional.classification")
    p, y = torch.from_numpy(data.p), torch.from_numpy(data.y)
    losses = torch.nn.functional

    def call() -> dict[str, Any]:
        truth = y.to(p.dtype)
        return {
            "log_loss": losses.binary_cross_entropy(p, truth),
            "brier": losses.mse_loss(p, truth),
            "counts": tm.binary_confusion_matrix(p, y, threshold=data.threshold),
            "calibration_error": tm.binary_calibration_error(p, y, n_bins=BINS),
        }

    return call


def _read_torch(found: dict[str, Any], data: Any) -> Values:  # noqa: ANN401
    """Price the counts."""
    counts = found.pop("counts").numpy()
    costs = getattr(data, "costs", 1 - np.eye(len(counts)))
    found["cost"] = (counts * costs).sum() / data.y.size
    return _same(found, data)


def _netcal(data: Any) -> Thunk:  # noqa: ANN401
    """Return the calibration error alone."""
    measure = load("netcal.metrics").ECE(BINS)
    name = "calibration_error" if data.p.ndim == 1 else "confidence_error"
    return lambda: {name: measure.measure(data.p, data.y)}


def _sklearn_log_loss(data: Many) -> Thunk:
    """Return the log loss alone."""
    log_loss, classes = load("sklearn.metrics").log_loss, np.arange(data.p.shape[1])
    return lambda: {"log_loss": log_loss(data.y, data.p, labels=classes)}


def _sklearn_many(data: Many) -> Thunk:
    """Return log loss, Brier score and counts; there is no calibration error for many classes."""
    metrics = load("sklearn.metrics")
    k = data.p.shape[1]
    classes = np.arange(k)

    def call() -> Values:
        counts = metrics.confusion_matrix(data.y, data.p.argmax(axis=1), labels=classes)
        return {
            "log_loss": metrics.log_loss(data.y, data.p, labels=classes),
            "brier": metrics.brier_score_loss(data.y, data.p, labels=classes) / _halved(k),
            "cost": 1 - counts.trace() / data.y.size,
        }

    return call


def _halved(k: int) -> float:
    """Return what scikit-learn's Brier score is divided by to be ours, which has 1/K."""
    return k if k > 2 else 1.0


def _author_many(data: Many) -> Thunk:
    """Return the author's four calls."""
    ec, psr = load("expected_cost.ec"), load("expected_cost.psrcal_wrappers")
    log_p = data.log_p
    costs = ec.CostMatrix.zero_one_costs(log_p.shape[1])

    def call() -> Values:
        return {
            "log_loss": psr.LogLoss(log_p, data.y, norm=False),
            "brier": psr.Brier(log_p, data.y, norm=False),
            "cost": ec.average_cost_for_bayes_decisions(data.y, log_p, costs)[0],
            "confidence_error": psr.ECE(log_p, data.y, BINS) / 100,
        }

    return call


def _torch_many(data: Many) -> Thunk:
    """Return torchmetrics' calls, and torch's own log loss."""
    torch, tm = load("torch"), load("torchmetrics.functional.classification")
    p, y = torch.from_numpy(data.p), torch.from_numpy(data.y)
    k = p.shape[1]

    def call() -> dict[str, Any]:
        return {
            "log_loss": torch.nn.functional.nll_loss(torch.log(p), y),
            "counts": tm.multiclass_confusion_matrix(p, y, k),
            "confidence_error": tm.multiclass_calibration_error(p, y, k, n_bins=BINS),
        }

    return call


def _numpy_logits(data: Many) -> Thunk:
    """Return the same from logits, as one would write it in numpy."""

    def call() -> Values:
        n, k = data.logits.shape
        shifted = data.logits - data.logits.max(axis=1, keepdims=True)
        log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        p = np.exp(log_p)
        chosen = p.argmax(axis=1)
        counts = np.zeros((k, k))
        np.add.at(counts, (data.y, chosen), 1)
        confidence, hit = p.max(axis=1), chosen == data.y
        place = np.digitize(confidence, np.linspace(0, 1, BINS + 1)[1:-1])
        gap = np.bincount(place, hit, BINS) - np.bincount(place, confidence, BINS)
        return {
            "log_loss": -log_p[np.arange(n), data.y].mean(),
            "brier": np.square(p - np.eye(k)[data.y]).sum(axis=1).mean() / k,
            "cost": 1 - counts.trace() / n,
            "confidence_error": np.abs(gap).sum() / n,
        }

    return call


TWO: tuple[Shape, ...] = tuple((10**e, 2) for e in range(3, 8))
MANY: tuple[Shape, ...] = (
    *((10**e, 10) for e in range(3, 7)),
    *((10_000, k) for k in (2, 100, 1000)),
    (100_000, 100),
)
_BIG: Shape = (1_000_000, 2)
_TENS: Shape = (1_000_000, 10)

JOBS = (
    Job(
        name="scorecard-binary",
        family="scorecard",
        title=f"scorecard from P(H_2), {FORM}",
        shapes=TWO,
        quick=((1_000, 2), _BIG),
        make=Binary.made,
        ours=Side("stakes", lambda d: _ours(d.y, d.p, d.costs), _read),
        peers=(
            Side(
                "scikit-learn, four calls",
                _sklearn_binary,
                _read_sklearn_binary,
                "scikit-learn",
                {_BIG: 100},
            ),
            Side("expected_cost, psrcal, four calls", _author_binary, _same, "author", {_BIG: 100}),
            Side(
                "torchmetrics and torch, four calls",
                _torch_binary,
                _read_torch,
                "torchmetrics",
                {_BIG: 30},
                tolerances=_SINGLE,
            ),
            Side("netcal, calibration error alone", _netcal, _same, "netcal", tolerances=_SINGLE),
        ),
    ),
    Job(
        name="scorecard-posteriors",
        family="scorecard",
        title=f"scorecard from posteriors, {FORM}",
        shapes=MANY,
        quick=((1_000, 10), (100_000, 10), (10_000, 1000)),
        make=Many.made,
        unit="cell",
        ours=Side("stakes", lambda d: _ours(d.y, d.p, None), _read),
        peers=(
            Side(
                "scikit-learn, log loss alone",
                _sklearn_log_loss,
                _same,
                "scikit-learn",
                {_TENS: 18, (100_000, 100): 60, (10_000, 1000): 80},
            ),
            Side("scikit-learn, three calls", _sklearn_many, _same, "scikit-learn"),
            Side("expected_cost, psrcal, four calls", _author_many, _same, "author"),
            Side(
                "torchmetrics and torch, three calls",
                _torch_many,
                _read_torch,
                "torchmetrics",
                tolerances=_SINGLE,
            ),
            Side("netcal, calibration error alone", _netcal, _same, "netcal", tolerances=_SINGLE),
        ),
    ),
    Job(
        name="scorecard-logits",
        family="scorecard",
        title=f"scorecard from logits, {FORM}",
        shapes=(*((10**e, 10) for e in range(3, 7)), *((10_000, k) for k in (2, 100, 1000))),
        quick=((1_000, 10), (100_000, 10)),
        make=Many.made,
        unit="cell",
        ours=Side("stakes", _ours_logits, _read),
        peers=(Side("numpy, plainly written", _numpy_logits, _same, "numpy", {_TENS: 15}),),
    ),
)
