"""Posteriors by bin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stakes._counting import bincount
from stakes._math import log
from stakes._text import number
from stakes._typing import FloatArray, IntArray, Names
from stakes.calibration.calibrators import Calibrator
from stakes.calibration.maps import CalibrationMap
from stakes.metrics.probability_bins import check_bins
from stakes.statistics.bins import equal_mass, equal_width

__all__ = ["HistogramCalibrator"]


@dataclass(frozen=True, eq=False)
class HistogramMap(CalibrationMap):
    """Posteriors by bin, class by class against the rest, rows divided by their sum."""

    edges: FloatArray  # inner edges of the bins of each class, one row per class
    share: FloatArray  # share of the class among the samples of each bin, one row per class

    kind = "histogram"

    def text(self, names: Names) -> str:
        shares = f"shares {number(float(self.share.min()))} to {number(float(self.share.max()))}"
        return f"{self.share.shape[1]} bins for each of {len(names)} classes, {shares}"

    def __call__(self, log_p: FloatArray) -> FloatArray:
        p = np.exp(log_p)
        columns = [
            share[np.searchsorted(edges, p[:, k], side="right")]
            for k, (edges, share) in enumerate(zip(self.edges, self.share, strict=True))
        ]
        table = np.column_stack(columns)
        bare = ~table.any(axis=1)  # every class was absent from its bin: keep the posteriors
        table[bare] = p[bare]
        return log(table / table.sum(axis=1, keepdims=True))


@dataclass(eq=False)
class HistogramCalibrator(Calibrator):
    """Histogram binning: the share of each class in a bin, one class against the rest.

    A bin without samples of a class, or of others, counts as half of one in one sample more, so no
    posterior is 0.

    Parameters
    ----------
    bins : int, default 15
        Number of bins.
    equal_mass : bool, default False
        Whether bins have equal numbers of samples instead of equal widths.

    See Also
    --------
    IsotonicCalibrator : without bins.
    choose_calibrator : which one to use.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> raw, rule = data.posteriors([0.5, 0.5]), stakes.BrierLoss()
    >>> stage = stakes.HistogramCalibrator(bins=10)
    >>> found = stakes.calibration_loss(rule, data.y, raw, calibrator=stage)
    >>> found.relative > 0.3  # more than a third of the loss: calibrate
    True
    """

    bins: int = 15
    equal_mass: bool = False

    name = "histogram"
    learns = "class frequencies by bin"
    use = "only for comparison with other methods"

    def __post_init__(self) -> None:
        check_bins(self.bins)

    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> CalibrationMap:
        """Return edges and shares; an empty bin keeps its middle.

        Parameters
        ----------
        log_p : array of shape (N, K)
            Log posteriors.
        y : array of N ints
            The index of each sample's class.
        weights : array of N floats
            How much each sample counts; they sum to 1.
        """
        p = np.exp(log_p)
        edges = [
            equal_mass(column, weights, self.bins) if self.equal_mass else equal_width(self.bins)
            for column in p.T
        ]
        width = max(e.size for e in edges)  # tied scores may leave fewer bins in one class
        padded = np.array([np.append(e, np.ones(width - e.size)) for e in edges])
        hits = [(y == k).astype(float) for k in range(len(edges))]
        sample = self._event / y.size
        share = [_shares(*each, weights, sample) for each in zip(p.T, hits, padded, strict=True)]
        return HistogramMap(padded, np.array(share))


def _shares(
    p: FloatArray, hit: FloatArray, edges: FloatArray, weights: FloatArray, sample: float
) -> FloatArray:
    n = edges.size + 1
    code = np.searchsorted(edges, p, side="right")
    total = bincount(code, weights=weights, minlength=n)
    hits = bincount(code, weights=weights * hit, minlength=n)
    ends = np.concatenate([[0.0], edges, [1.0]])
    middle = (ends[:-1] + ends[1:]) / 2
    half = sample / 2 / (total + sample)
    share = np.divide(hits, total, out=middle, where=total > 0)
    share = np.where((hits == total) & (total > 0), 1 - half, share)
    return np.where((hits == 0) & (total > 0) & hits.any(), half, share)
