"""How the scores of each class are spread."""

__all__ = ["ScoreDistribution", "score_distribution"]

from dataclasses import dataclass

import numpy as np

from stakes._check import InputError
from stakes._typing import Column, FloatArray, Label, Names, NamesLike
from stakes.curves.thresholds import Detector, detector
from stakes.scores import Scores


@dataclass(frozen=True, eq=False)
class ScoreDistribution:
    """Shares of each class by bin of the score; rows are classes.

    `below` and `above` are the shares with scores of minus and plus infinity, which no bin holds.
    """

    detector: Detector
    edges: FloatArray
    shares: FloatArray
    below: FloatArray
    above: FloatArray

    @property
    def classes(self) -> Names:
        """Names of the two classes."""
        return self.detector.roc.classes


def score_distribution(
    y_true: Column,
    scores: Scores | Column,
    bins: int = 40,
    *,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    positive: Label | None = None,
) -> ScoreDistribution:
    """Return the share of each class by bin of the score; arguments as for `roc_curve`.

    Posteriors are binned from 0 to 1, other scores from the least to the largest finite one. Bins
    are closed below, the last one above too.

    Examples
    --------
    >>> import stakes
    >>> stakes.score_distribution([0, 0, 1, 1], [0.1, 0.4, 0.6, 1.0], bins=2).shares
    array([[1., 0.],
           [0., 1.]])
    """
    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 1:
        raise InputError("bins", "must be a whole number of at least 1", repr(bins))
    found = detector(
        y_true, scores, sample_weight=sample_weight, classes=classes, positive=positive
    )
    level = found.roc.levels.level
    weights = np.stack([found.roc.levels.first, found.roc.levels.second]).astype(np.float64)
    weights /= np.array(found.roc.levels.totals)[:, None]
    finite = np.isfinite(level)
    inner = level[finite]
    low, high = 0.0, 1.0
    if found.scale != "posterior" and inner.size:
        low, high = float(inner[0]), float(inner[-1])
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, bins + 1)
    shares = np.stack([np.histogram(inner, edges, weights=w[finite])[0] for w in weights])
    below, above = (weights[:, level == end].sum(axis=1) for end in (-np.inf, np.inf))
    return ScoreDistribution(found, edges, shares, below, above)
