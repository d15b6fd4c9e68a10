"""Whether priors that were estimated from scores agree with those that follow from decisions."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stakes._text import number, plain
from stakes._typing import FloatArray, IntArray, Names
from stakes.samples import Samples

DOUBT = 0.025  # p-value below which two estimates disagree; see the table in docs/calibration.md


@dataclass(frozen=True, eq=False)
class PriorCheck:
    """Two estimates of the same priors, and whether they differ by more than noise.

    `by_decisions` are the priors that follow from decisions and their rates on labelled samples,
    which needs no calibrated scores. `p_value` is that of no difference.
    """

    by_decisions: FloatArray
    p_value: float

    @property
    def disagrees(self) -> bool:
        """Whether the estimates differ by more than noise."""
        return self.p_value < DOUBT


def disagreement(names: Names, priors: FloatArray, check: PriorCheck) -> str:
    """Say what it means that two estimates disagree, and what to do."""
    widest = int(np.abs(priors - check.by_decisions).argmax())
    p = "p < 0.001" if check.p_value < 0.001 else f"p = {number(check.p_value)}"
    return (
        f"the estimate from scores disagrees with that from decisions: {number(priors[widest])} and"
        f" {number(check.by_decisions[widest])} for class {plain(names[widest])} ({p}). The scores"
        " are not calibrated for these data: they are over- or underconfident, or more than the"
        " priors has changed. The estimate from scores and its interval cannot be trusted."
        " Calibrate the scores on labelled samples and estimate again; if the estimates still"
        " disagree, label some of the new samples."
    )


@dataclass(frozen=True, eq=False)
class UnlabelledScores:
    """Likelihood ratios of new samples, and the priors that were estimated from them."""

    ratio: FloatArray  # posterior over training prior, one row per sample
    priors: FloatArray

    def influence(self) -> FloatArray:
        """Return how much each sample moves the estimate, times the number of samples.

        Classes whose estimate is 0 do not move.
        """
        free = np.flatnonzero(self.priors > 0)
        moves = np.zeros_like(self.ratio)
        if free.size < 2:
            return moves
        relative = self.ratio[:, free] / (self.ratio @ self.priors)[:, None]
        slopes = relative[:, 1:] - relative[:, :1]
        inverse = np.linalg.pinv(slopes.T @ slopes / len(slopes))
        moved = slopes @ inverse
        moves[:, free[1:]] = moved
        moves[:, free[0]] = -moved.sum(axis=1)
        return moves


def check_priors(new: UnlabelledScores, labelled: Samples, ratio: FloatArray) -> PriorCheck:
    """Compare estimated priors with the decisions that were made on new samples.

    If the priors are right, the new samples get each decision as often as sum_i P_i R_ij, with the
    rates R_ij of labelled samples. Two kinds of decision are looked at, by the largest likelihood
    and by the largest posterior at the estimated priors; the p-value is corrected for that.
    """
    k = new.priors.size
    n = new.ratio.shape[0]
    at = np.maximum(new.priors, 1 / n)
    found = [
        _compared(new, labelled, (new.ratio * scale).argmax(axis=1), (ratio * scale).argmax(axis=1))
        for scale in (np.ones(k), at)
    ]
    return PriorCheck(found[0][0], min(1.0, len(found) * min(p for _, p in found)))


def _compared(
    new: UnlabelledScores, labelled: Samples, decided: IntArray, known: IntArray
) -> tuple[FloatArray, float]:
    """Return the priors that follow from decisions, and the p-value of the estimated ones."""
    from scipy.optimize import nnls  # noqa: PLC0415  slow to import
    from scipy.special import chdtrc  # noqa: PLC0415

    k, n = new.priors.size, decided.size
    rates, sizes = _rates(labelled, known, k)
    share = np.bincount(decided, minlength=k) / n
    priors = nnls(rates.T, share)[0]
    priors = priors / priors.sum() if priors.any() else np.full(k, np.nan)
    gap = share - new.priors @ rates
    chosen = np.eye(k)[decided]
    moves = chosen - share - new.influence() @ rates
    spread = moves.T @ moves / n**2
    for p, variance in zip(new.priors, _rate_variances(rates, sizes), strict=True):
        spread += p**2 * variance
    size, direction = np.linalg.eigh(spread)
    kept = size > 1e-12
    if not kept.any():
        return priors, 1.0
    along = direction[:, kept].T @ gap
    return priors, float(chdtrc(int(kept.sum()), (along**2 / size[kept]).sum()))


def _rates(labelled: Samples, known: IntArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Return how often each class gets each decision, and of how many samples that is known."""
    w = np.ones(len(labelled)) if labelled.weights is None else labelled.weights
    table: FloatArray = np.bincount(labelled.y * k + known, w, k * k).reshape(k, k)  # type: ignore[assignment]
    squares = np.bincount(labelled.y, np.square(w), k)
    total = table.sum(axis=1)
    return table / total[:, None], np.square(total) / squares


def _rate_variances(rates: FloatArray, sizes: FloatArray) -> Iterator[FloatArray]:
    """Yield the covariance of the rates of each class; half a sample more of each decision."""
    k = rates.shape[1]
    for row, n in zip(rates, sizes, strict=True):
        smooth = (row * n + 0.5) / (n + 0.5 * k)
        yield (np.diag(smooth) - np.outer(smooth, smooth)) / n
