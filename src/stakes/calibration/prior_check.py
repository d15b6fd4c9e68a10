"""Whether priors that were estimated from scores can be trusted, by labelled samples."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._counting import bincount
from stakes._text import number, plain
from stakes._typing import FloatArray, IntArray, Names
from stakes.calibration.mixture import priors_by_rates
from stakes.calibration.prior_intervals import Calibrated
from stakes.samples import Samples

DOUBT = 0.025  # of each of two tests; see the table in docs/calibration.md


@dataclass(frozen=True, eq=False)
class PriorCheck:
    """The same priors estimated in another way, and whether the two differ by more than noise.

    `by_decisions` follows from decisions and their rates on labelled samples; `p_value` is that of
    no difference.
    """

    by_decisions: FloatArray
    p_value: float

    @property
    def disagrees(self) -> bool:
        """Whether the other estimate differs by more than noise."""
        return self.p_value < DOUBT


def disagreement(names: Names, priors: FloatArray, check: PriorCheck) -> str:
    """Say what it means that estimates disagree, and what to do."""
    other = check.by_decisions
    gap = np.abs(priors - other)
    widest = int(np.flatnonzero(gap >= gap.max() - 1e-9)[-1])  # of two classes that of interest
    sure = "p < 0.001" if check.p_value < 0.001 else f"p = {number(check.p_value)}"
    return (
        f"the estimate from scores, {number(priors[widest])} for class {plain(names[widest])},"
        f" disagrees with {number(other[widest])} from decisions ({sure}). More than the priors has"
        " changed, or a scale and biases do not calibrate the scores. The estimate and its interval"
        " cannot be trusted: label some of the new samples."
    )


@dataclass(frozen=True, eq=False)
class UnlabelledScores:
    """Likelihood ratios of new samples, and the priors that were estimated from them."""

    ratio: FloatArray  # posterior over training prior, one row per sample
    priors: FloatArray
    fit: Calibrated | None = None

    @cached_property
    def influence(self) -> FloatArray:
        """How much each sample moves the estimate, times the number of samples."""
        return self._whole(self._slopes @ self._inverse)

    def labelled_influence(self, n: int) -> FloatArray:
        """Return how much each of n labelled samples moves the estimate, which they calibrate."""
        if self.fit is None:
            return np.zeros((n, self.priors.size))
        first, *free = self._free
        each = self.ratio / (self.ratio @ self.priors)[:, None]
        moved = np.zeros((n, len(free)))
        for place, k in enumerate(free):
            move = np.zeros(self.priors.size)
            move[[k, first]] = 1.0, -1.0
            by = each * (move - self.priors * self._slopes[:, [place]])
            moved[:, place] = self.fit.moves(by, self.fit.counts)
        return self._whole(moved @ self._inverse / len(self.ratio))

    @cached_property
    def _free(self) -> IntArray:
        """The classes whose estimate is above 0; others do not move."""
        return np.flatnonzero(self.priors > 0)

    @cached_property
    def _slopes(self) -> FloatArray:
        relative = self.ratio[:, self._free] / (self.ratio @ self.priors)[:, None]
        return np.asarray(relative[:, 1:] - relative[:, :1])

    @cached_property
    def _inverse(self) -> FloatArray:
        return np.asarray(np.linalg.pinv(self._slopes.T @ self._slopes / len(self._slopes)))

    def _whole(self, moved: FloatArray) -> FloatArray:
        """Return moves of all classes, from those of all free ones but the first."""
        moves = np.zeros((len(moved), self.priors.size))
        moves[:, self._free[1:]] = moved
        moves[:, self._free[0]] = -moved.sum(axis=1)
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


def check_priors(
    ratio: FloatArray,
    priors: FloatArray,
    samples: Samples,
    labelled_ratio: FloatArray,
    fit: Calibrated | None,
) -> PriorCheck:
    """Compare estimated priors with decisions.

    If the priors are right, the new samples get each decision as often as sum_i P_i R_ij, with the
    rates R_ij of labelled samples. Two kinds of decision are looked at, by the largest likelihood
    and by the largest posterior at the estimated priors; the p-value is corrected for that. `fit`
    is what the labelled samples moved the estimate with.
    """
    new, labelled = UnlabelledScores(ratio, priors, fit), LabelledScores(samples, labelled_ratio)
    n, k = ratio.shape
    scales = np.ones(k), np.maximum(new.priors, 1 / n)
    found = [_by_decisions(new, labelled, scale) for scale in scales]
    return PriorCheck(found[0][0], min(1.0, len(found) * min(p for _, p in found)))


def _by_decisions(
    new: UnlabelledScores, labelled: LabelledScores, scale: FloatArray
) -> tuple[FloatArray, float]:
    """Return the priors that follow from decisions, and the p-value of the estimated ones."""
    k, n = new.ratio.shape[1], new.ratio.shape[0]
    decided = (new.ratio * scale).argmax(axis=1)
    known = (labelled.ratio * scale).argmax(axis=1)
    rates, sizes = labelled.rates(known)
    share = bincount(decided, minlength=k) / n
    moves = np.eye(k)[decided] - share - new.influence @ rates
    spread = moves.T @ moves / n**2
    y, w = labelled.samples.y, labelled.weights
    own = new.labelled_influence(y.size) @ rates
    own += (new.priors / bincount(y, w, k))[y, None] * w[:, None] * (np.eye(k)[known] - rates[y])
    spread += own.T @ own
    for p, row, size in zip(new.priors, rates, sizes, strict=True):
        smooth = (row * size + 0.5) / (size + 0.5 * k)  # half a sample more of each decision
        spread += p**2 * (_of_shares(smooth) - _of_shares(row)) / size
    return priors_by_rates(rates, share), _chi_square(share - new.priors @ rates, spread)


def _of_shares(shares: FloatArray) -> FloatArray:
    """Return the covariance of one draw."""
    return np.asarray(np.diag(shares) - np.outer(shares, shares))


def _chi_square(gap: FloatArray, spread: FloatArray) -> float:
    """Return the p-value of a gap with mean 0 and some covariance, which may be singular."""
    from scipy.special import chdtrc  # noqa: PLC0415  slow to import

    size, direction = np.linalg.eigh(spread)
    kept = size > 1e-12 * max(size[-1], 1e-300)
    if not kept.any() or size[-1] <= 0:
        return 1.0
    along = direction[:, kept].T @ gap
    return float(chdtrc(int(kept.sum()), (np.square(along) / size[kept]).sum()))
