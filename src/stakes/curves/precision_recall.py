"""The precision-recall curve."""

from dataclasses import dataclass

import numpy as np

from stakes._typing import Column, FloatArray, Label, NamesLike
from stakes.curves.roc import RocCurve, roc_curve
from stakes.metrics.traditional import Precision, Recall
from stakes.scores import Scores


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve:
    """Precision and recall at every threshold, lowest first; naive precision is P_2.

    Its area depends on the prior of the class of interest: do not compare it between data sets.
    """

    roc: RocCurve

    @property
    def thresholds(self) -> FloatArray:
        """One threshold per point."""
        return self.roc.thresholds

    @property
    def precision(self) -> FloatArray:
        """Share of the alarms that are right; NaN where there is no alarm."""
        return self.roc.sweep(Precision())

    @property
    def recall(self) -> FloatArray:
        """Share of the class of interest that is found, falling from 1 to 0."""
        return self.roc.sweep(Recall())

    def average_precision(self) -> float:
        """Return the sum of precision times the step in recall, without interpolation."""
        steps, precision = -np.diff(self.recall), self.precision[:-1]
        counts = steps > 0
        return float((steps[counts] * precision[counts]).sum())


def precision_recall_curve(
    y_true: Column,
    scores: Scores | Column,
    *,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    positive: Label | None = None,
) -> PrecisionRecallCurve:
    """Return precision and recall at every threshold; arguments as for `roc_curve`.

    Examples
    --------
    >>> import stakes
    >>> curve = stakes.precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(curve.average_precision(), 4)
    0.8333
    """
    roc = roc_curve(y_true, scores, sample_weight=sample_weight, classes=classes, positive=positive)
    return PrecisionRecallCurve(roc)
