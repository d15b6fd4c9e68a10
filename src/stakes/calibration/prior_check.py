"""Whether priors that were estimated from scores can be trusted, by labelled samples."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._check import UndefinedMetricError
from stakes._counting import bincount
from stakes._math import log
from stakes._text import number, plain
from stakes._typing import FloatArray, IntArray, Names
from stakes.calibration.affine_calibrator import AffineCalibrator
from stakes.calibration.mixture import information_errors, most_likely_priors, priors_by_rates
from stakes.samples import Samples
from stakes.scores import LogLikelihoods

DOUBT = 0.025  # of each of two tests; see the table in docs/calibration.md
_REACH = 1.96  # standard errors within which another estimate makes no difference


@dataclass(frozen=True, eq=False)
class PriorCheck:
    """Estimates of the same priors in other ways, and whether they differ by more than noise.

    `by_decisions` follows from decisions and their rates on labelled samples, which needs no
    calibrated scores; `p_value` is that of no difference. `after_calibration` is the estimate from
    scores that were calibrated on the labelled samples, where these show that they need it
    (`calibration_p_value`) and it lies outside the interval; None elsewhere, NaN where the fit did
    not come to its end.
    """

    by_decisions: FloatArray
    p_value: float
    calibration_p_value: float
    after_calibration: FloatArray | None

    @property
    def disagrees(self) -> bool:
        """Whether another estimate differs by more than noise."""
        return self.p_value < DOUBT or self.after_calibration is not None


def disagreement(names: Names, priors: FloatArray, check: PriorCheck) -> str:
    """Say what it means that estimates disagree, and what to do."""
    after = check.after_calibration
    after = None if after is None or np.isnan(after).any() else after
    other = check.by_decisions if after is None else after
    gap = np.abs(priors - other)
    widest = int(np.flatnonzero(gap >= gap.max() - 1e-9)[-1])  # of two classes that of interest
    ways = [f"{number(check.by_decisions[widest])} from decisions"]
    if after is not None:
        ways.append(f"{number(after[widest])} from scores calibrated on the labelled samples")
    p = min(check.p_value, check.calibration_p_value)
    sure = "p < 0.001" if p < 0.001 else f"p = {number(p)}"
    return (
        f"the estimate from scores, {number(priors[widest])} for class {plain(names[widest])},"
        f" disagrees with {' and '.join(ways)} ({sure}). The scores are not calibrated for these"
        " data: they are over- or underconfident, or more than the priors has changed. The estimate"
        " from scores and its interval cannot be trusted. Calibrate the scores on labelled samples"
        " and estimate again; if the estimates still disagree, label some of the new samples."
    )


@dataclass(frozen=True, eq=False)
class UnlabelledScores:
    """Likelihood ratios of new samples, and the priors that were estimated from them."""

    ratio: FloatArray  # posterior over training prior, one row per sample
    priors: FloatArray

    @cached_property
    def influence(self) -> FloatArray:
        """How much each sample moves the estimate, times the number of samples.

        Classes whose estimate is 0 do not move.
        """
        free = np.flatnonzero(self.priors > 0)
        moves = np.zeros_like(self.ratio)
        if free.size < 2:
            return moves
        relative = self.ratio[:, free] / (self.ratio @ self.priors)[:, None]
        slopes = relative[:, 1:] - relative[:, :1]
        moved = slopes @ np.linalg.pinv(slopes.T @ slopes / len(slopes))
        moves[:, free[1:]] = moved
        moves[:, free[0]] = -moved.sum(axis=1)
        return moves


@dataclass(frozen=True, eq=False)
class LabelledScores:
    """Labelled samples of the same system, and their likelihood ratios."""

    samples: Samples
    ratio: FloatArray

    @cached_property
    def weights(self) -> FloatArray:
        """The weight of each sample."""
        w = self.samples.weights
        return np.ones(len(self.samples)) if w is None else np.asarray(w / w.mean())

    def rates(self, decided: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return how often each class gets each decision, and of how many samples that is known."""
        k, y, w = self.ratio.shape[1], self.samples.y, self.weights
        table: FloatArray = bincount(y * k + decided, w, k * k).reshape(k, k)  # type: ignore[assignment]
        total = table.sum(axis=1)
        return table / total[:, None], np.square(total) / bincount(y, np.square(w), k)

    def calibration_p_value(self) -> float:
        """Return the p-value of calibrated scores, by the score test of one scale and K biases.

        The ratios are taken at the priors of the labelled samples. Those are estimated from the
        same labels, which makes the test conservative.
        """
        q = self.ratio * self.samples.data_priors()
        q = q / q.sum(axis=1, keepdims=True)
        y = self.samples.y
        if not q[np.arange(y.size), y].all():
            return 0.0  # a true class was impossible
        return _chi_square(*calibration_score(q, y, self.weights))

    def after_calibration(self, new: UnlabelledScores) -> FloatArray:
        """Return the estimate for scores that are calibrated on the labelled samples."""
        known = LogLikelihoods.trusted(log(self.ratio))
        samples = self.samples
        priors = samples.data_priors()
        at = Samples(
            samples.y, known, samples.weights, samples.classes, None, priors,
            priors_from_data=True, n_given=len(samples),
        )  # fmt: skip
        try:
            calibrator = AffineCalibrator().fit_samples(at)
        except UndefinedMetricError:
            return np.full(new.priors.size, np.nan)
        better = calibrator.log_likelihoods(LogLikelihoods.trusted(log(new.ratio))).values
        return most_likely_priors(np.exp(better - better.max(axis=1, keepdims=True)), priors)


def check_priors(
    ratio: FloatArray, priors: FloatArray, samples: Samples, labelled_ratio: FloatArray
) -> PriorCheck:
    """Compare estimated priors with decisions, and with the estimate from calibrated scores.

    If the priors are right, the new samples get each decision as often as sum_i P_i R_ij, with the
    rates R_ij of labelled samples. Two kinds of decision are looked at, by the largest likelihood
    and by the largest posterior at the estimated priors; the p-value is corrected for that.
    """
    new, labelled = UnlabelledScores(ratio, priors), LabelledScores(samples, labelled_ratio)
    n, k = ratio.shape
    scales = np.ones(k), np.maximum(new.priors, 1 / n)
    found = [_by_decisions(new, labelled, scale) for scale in scales]
    p_value = min(1.0, len(found) * min(p for _, p in found))
    needs = labelled.calibration_p_value()
    after = labelled.after_calibration(new) if needs < DOUBT else None
    if after is not None:
        error = information_errors(new.ratio, new.priors)
        after = None if (np.abs(after - new.priors) <= _REACH * error).all() else after
    return PriorCheck(found[0][0], p_value, needs, after)


def calibration_score(
    q: FloatArray, y: IntArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the slope of the log likelihood in one scale and K biases, and its covariance.

    Both at posteriors as they are; if these are right, the slope has mean 0 and this covariance.
    """
    log_q = np.log(q, out=np.zeros_like(q), where=q > 0)
    mean = (q * log_q).sum(axis=1)
    truth = np.eye(q.shape[1])[y]
    slope = np.concatenate(
        [[weights @ ((truth * log_q).sum(axis=1) - mean)], weights @ (truth - q)]
    )
    return slope, _affine_curvature(q, log_q - mean[:, None], np.square(weights))


def _affine_curvature(q: FloatArray, z: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the second derivatives of the weighted log loss in the scale and K biases.

    Those of one sample are diag(q) - q q' in the biases, q z in bias and scale, and the sum of
    q z^2 in the scale, where z are log posteriors less their mean by q.
    """
    k, weighted = q.shape[1], weights[:, None] * q
    out = np.empty((k + 1, k + 1))
    out[0, 0] = np.einsum("nk,nk,nk->", weighted, z, z)
    out[0, 1:] = out[1:, 0] = np.einsum("nk,nk->k", weighted, z)
    out[1:, 1:] = np.diag(weighted.sum(axis=0)) - weighted.T @ q
    return out


def _by_decisions(
    new: UnlabelledScores, labelled: LabelledScores, scale: FloatArray
) -> tuple[FloatArray, float]:
    """Return the priors that follow from decisions, and the p-value of the estimated ones."""
    k, n = new.ratio.shape[1], new.ratio.shape[0]
    decided = (new.ratio * scale).argmax(axis=1)
    rates, sizes = labelled.rates((labelled.ratio * scale).argmax(axis=1))
    share = bincount(decided, minlength=k) / n
    moves = np.eye(k)[decided] - share - new.influence @ rates
    spread = moves.T @ moves / n**2
    for p, row, size in zip(new.priors, rates, sizes, strict=True):
        smooth = (row * size + 0.5) / (size + 0.5 * k)  # half a sample more of each decision
        variance = (np.diag(smooth) - np.outer(smooth, smooth)) / size
        spread += p**2 * variance
    return priors_by_rates(rates, share), _chi_square(share - new.priors @ rates, spread)


def _chi_square(gap: FloatArray, spread: FloatArray) -> float:
    """Return the p-value of a gap with mean 0 and some covariance, which may be singular."""
    from scipy.special import chdtrc  # noqa: PLC0415  slow to import

    size, direction = np.linalg.eigh(spread)
    kept = size > 1e-12 * max(size[-1], 1e-300)
    if not kept.any() or size[-1] <= 0:
        return 1.0
    along = direction[:, kept].T @ gap
    return float(chdtrc(int(kept.sum()), (np.square(along) / size[kept]).sum()))
