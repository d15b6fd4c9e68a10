"""The precision-recall curve."""

from __future__ import annotations

__all__ = ["PrecisionRecallCurve", "average_precision", "precision_recall_curve"]

from dataclasses import dataclass

import numpy as np

from stakes._foreign_calls import answered
from stakes._kernels.definitions.order import level_precision
from stakes._kernels.keys import score_precision
from stakes._records import Record
from stakes._text import number
from stakes._typing import Column, FloatArray, Label, NamesLike
from stakes.curves.area import RankingValue
from stakes.curves.reading import check_both, read_unweighted
from stakes.curves.roc import RocCurve, roc_curve
from stakes.metrics.traditional.detection import Precision, Recall
from stakes.scores import Scores


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve(Record):
    """Precision and recall at every threshold, lowest first; naive precision is P_2.

    Its area depends on the prior of the class of interest: do not compare it between data sets.

    Attributes
    ----------
    roc : RocCurve
        The ROC curve it is computed from.

    See Also
    --------
    precision_recall_curve : returns it.

    Examples
    --------
    >>> import stakes
    >>> curve = stakes.precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> float(curve.thresholds[curve.precision == 1][0])  # above this score, every alarm is right
    0.4
    """

    roc: RocCurve

    @property
    def thresholds(self) -> FloatArray:
        """One threshold per point."""
        return self.roc.thresholds

    @property
    def precision(self) -> FloatArray:
        """Share of the alarms that are right; NaN if there is no alarm."""
        return self.roc.sweep(Precision())

    @property
    def recall(self) -> FloatArray:
        """Share of the class of interest that is found, falling from 1 to 0."""
        return self.roc.sweep(Recall())

    def average_precision(self) -> float:
        """Return the sum of precision times the step in recall, without interpolation."""
        levels = self.roc.levels
        if levels.whole:
            return level_precision(levels.first, levels.second).mean  # type: ignore[arg-type]
        steps, precision = -np.diff(self.recall), self.precision[:-1]
        counts = steps > 0
        return float((steps[counts] * precision[counts]).sum())

    def __str__(self) -> str:
        size, area = self.roc.levels.level.size, number(self.average_precision())
        return f"PrecisionRecallCurve({size} distinct scores, average precision {area})"


@answered
def average_precision(
    y_true: Column,
    scores: Scores | Column,
    *,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    positive: Label | None = None,
) -> RankingValue:
    """Return the average precision over the recall; the naive value is P_2.

    This is `precision_recall_curve(...).average_precision()` without the curve: the sum of
    precision times the step in recall. Higher is better. It depends on the prior of the class of
    interest, so do not compare it between data sets.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of shape (N,), posteriors of shape (N, 2), or typed scores
        As in `roc_curve`: higher for the class of interest.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        The class of interest comes last; by default sorted.
    positive : name, optional
        The class of interest; by default the last.

    Returns
    -------
    RankingValue
        A float, with the value of a naive system.

    See Also
    --------
    precision_recall_curve : the whole curve.
    auc : does not depend on how often the class occurs.

    Examples
    --------
    >>> import stakes
    >>> found = stakes.average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(found, 4), found.naive, found.beats_naive
    (0.8333, 0.5, True)
    """
    if sample_weight is None:
        found, names = read_unweighted(y_true, scores, classes, positive, score_precision)
        check_both(names, (found.first, found.second))
        value, naive = found.mean, found.second / (found.first + found.second)
    else:
        curve = precision_recall_curve(
            y_true, scores, sample_weight=sample_weight, classes=classes, positive=positive
        )
        value, naive = curve.average_precision(), float(curve.roc.priors[1])
        names = curve.roc.classes
    why = "no interval in closed form is known to cover"
    return RankingValue(value, "average precision", naive, "higher", names, why_no_interval=why)


@answered
def precision_recall_curve(
    y_true: Column,
    scores: Scores | Column,
    *,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    positive: Label | None = None,
) -> PrecisionRecallCurve:
    """Return precision and recall at every threshold.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of shape (N,), posteriors of shape (N, 2), or typed scores
        As in `roc_curve`: higher for the class of interest.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        The class of interest comes last; by default sorted.
    positive : name, optional
        The class of interest; by default the last.

    Returns
    -------
    PrecisionRecallCurve
        With `thresholds`, `precision`, `recall` and `average_precision()`.

    See Also
    --------
    PrecisionRecallDisplay : draws it.
    roc_curve : does not depend on how often the class occurs.

    Examples
    --------
    >>> import stakes
    >>> curve = stakes.precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(curve.average_precision(), 4)
    0.8333
    """
    roc = roc_curve(y_true, scores, sample_weight=sample_weight, classes=classes, positive=positive)
    return PrecisionRecallCurve(roc)
