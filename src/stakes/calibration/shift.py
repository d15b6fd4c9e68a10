"""Priors of use, estimated from scores or decisions without labels."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from stakes._check import (
    InputError,
    UndefinedMetricError,
    encode,
    read_column,
    read_level,
    read_priors,
)
from stakes._text import number, plain, quoted
from stakes._typing import Column, FloatArray, Label, Names, NamesLike, PriorsLike
from stakes.metrics import ConfusionMatrix
from stakes.results import Interval
from stakes.scores import Scores, as_scores, class_names

_STEPS = 10_000


@dataclass(frozen=True, eq=False)
class PriorEstimate:
    """Estimated priors with their standard errors."""

    classes: Names
    priors: FloatArray
    standard_errors: FloatArray
    method: str

    def interval(self, name: Label, level: float = 0.95) -> Interval:
        """Return the interval of one class's prior, within 0 and 1."""
        z = NormalDist().inv_cdf((1 + read_level(level)) / 2)
        if name not in self.classes:
            msg = f"name must be one of the classes {quoted(self.classes)}: got {name!r}."
            raise InputError(msg)
        i = self.classes.index(name)
        p, half = float(self.priors[i]), z * float(self.standard_errors[i])
        return Interval(max(p - half, 0.0), min(p + half, 1.0), level)

    def __str__(self) -> str:
        return "\n".join(
            f"{plain(c)}  {number(p)}  (95 % interval {self.interval(c)})"
            for c, p in zip(self.classes, self.priors, strict=True)
        )


def estimate_priors(
    scores: Scores | Column,
    training_priors: PriorsLike,
    *,
    classes: NamesLike | None = None,
) -> PriorEstimate:
    """Estimate the priors of unlabelled data from posteriors, by EM (after Saerens).

    The posteriors must be calibrated for the training priors, and only the priors may have
    changed. Then `scores.at_priors(training_priors, estimate.priors)` adapts them.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=4000, priors=[0.8, 0.2])
    >>> stale = data.posteriors([0.5, 0.5])
    >>> found = stakes.estimate_priors(stale, [0.5, 0.5])
    >>> 0.2 in found.interval(1), round(float(found.priors[1]), 1)
    (True, 0.2)
    """
    typed = as_scores(scores)
    names = class_names(typed, classes) or tuple(range(typed.n_classes))
    trained = read_priors(training_priors, names)
    if trained is None or not trained.all():
        msg = f"training_priors must be numbers above 0: got {training_priors!r}."
        raise InputError(msg)
    ratio = typed.ordered(names).answers(trained).p / trained
    p = trained.copy()
    for _ in range(_STEPS):
        posterior = ratio * p
        posterior /= posterior.sum(axis=1, keepdims=True)
        new = posterior.mean(axis=0)
        if np.abs(new - p).max() < 1e-10:
            break
        p = new
    else:
        msg = f"scores tell too little of the classes to estimate priors: after {_STEPS} steps"
        raise UndefinedMetricError(f"{msg} the estimate still moves.")
    return PriorEstimate(names, p, _information_errors(ratio, p), "EM on posteriors")


def _information_errors(ratio: FloatArray, priors: FloatArray) -> FloatArray:
    """Return standard errors from the curvature of the likelihood of the priors."""
    relative = ratio / (ratio @ priors)[:, None]
    free = relative[:, 1:] - relative[:, :1]
    size, direction = np.linalg.eigh(free.T @ free)
    if size[0] <= 1e-9 * ratio.shape[0]:
        return np.full(priors.size, math.inf)  # some priors cannot be told apart by these scores
    covariance = (direction / size) @ direction.T
    variance = np.concatenate([[covariance.sum()], np.diag(covariance)])
    return np.sqrt(np.maximum(variance, 0))


def estimate_priors_from_decisions(
    confusion: ConfusionMatrix,
    y_pred: Column,
    *,
    resamples: int = 500,
    rng: "int | np.random.Generator" = 0,
) -> PriorEstimate:
    """Estimate the priors of unlabelled data from decisions and their known rates.

    `confusion` counts labelled data; the rates R_ij are taken to hold, so that the decision rates
    of the new data are sum_i P_i R_ij. Errors are those of resampling both sets of counts.
    """
    from scipy.optimize import nnls  # noqa: PLC0415  slow to import

    rates = confusion.rates
    if np.isnan(rates).any():
        bare = quoted([confusion.classes[int(np.isnan(rates).any(axis=1).argmax())]])
        msg = f"confusion must hold samples of every class: class {bare} has none."
        raise UndefinedMetricError(msg)
    decided = encode(read_column(y_pred, "y_pred"), confusion.decisions, "decisions")
    counts = np.bincount(decided, minlength=len(confusion.decisions))
    if resamples < 2:
        msg = f"resamples must be at least 2: got {resamples}."
        raise InputError(msg)
    if np.linalg.matrix_rank(rates) < rates.shape[0]:
        msg = "confusion must tell the classes apart: two of them get the same decisions."
        raise UndefinedMetricError(msg)
    unknown = (counts > 0) & ~rates.any(axis=0)
    if unknown.any():
        name = quoted([confusion.decisions[int(unknown.argmax())]])
        msg = (
            f"y_pred must hold decisions that confusion shows: it has no sample decided as {name}."
        )
        raise UndefinedMetricError(msg)

    def solve(r: FloatArray, share: FloatArray) -> FloatArray:
        found, _ = nnls(r.T, share)
        return found / found.sum() if found.sum() > 0 else np.full(found.size, math.nan)

    draw = np.random.default_rng(rng)
    sizes = np.maximum(np.round(confusion.size), 1).astype(int)
    again = []
    for _ in range(resamples):
        r = np.array([draw.multinomial(n, row) / n for n, row in zip(sizes, rates, strict=True)])
        share = draw.multinomial(decided.size, counts / decided.size) / decided.size
        again.append(solve(r, share))
    errors = np.nanstd(again, axis=0)
    return PriorEstimate(
        confusion.classes, solve(rates, counts / decided.size), errors, "decision rates"
    )
