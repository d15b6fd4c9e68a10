"""One class against all others, for each class, and averages over them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stakes._typing import Column, Label, Names, NamesLike
from stakes.curves.roc import RocCurve
from stakes.samples import read_samples
from stakes.scores import Scores
from stakes.statistics import ScoreLevels


@dataclass(frozen=True, eq=False)
class ClassDetectors:
    """The ROC curve of each class against all others.

    An average over them scores another task than classification: K separate yes-or-no questions,
    of which none, one or several may be answered yes. It need not go with the cost of choosing
    one class; for that use `bayes_cost` or a proper scoring rule.
    """

    curves: dict[Label, RocCurve]

    def macro(self, metric: Callable[[RocCurve], float] = RocCurve.auc) -> float:
        """Return the plain mean of a metric over the classes; by default of the AUC."""
        return float(np.mean([metric(curve) for curve in self.curves.values()]))

    def prior_weighted(self, metric: Callable[[RocCurve], float] = RocCurve.auc) -> float:
        """Return the mean of a metric over the classes, each by its share of the data."""
        values = [metric(curve) for curve in self.curves.values()]
        shares = [float(curve.priors[1]) for curve in self.curves.values()]
        return float(np.dot(values, shares) / sum(shares))


def class_detectors(
    y_true: Column,
    scores: Scores | Column,
    *,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> ClassDetectors:
    """Return the detector of each class that occurs, by its log odds against all others.

    Examples
    --------
    >>> import stakes
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.6, 0.3], [0.3, 0.1, 0.6]]
    >>> round(stakes.class_detectors([0, 1, 2, 2], p).macro(), 4)
    0.8472
    """
    samples = read_samples(
        y_true, scores, priors="data", sample_weight=sample_weight, classes=classes
    )
    p = samples.scores.answers(samples.priors).p
    curves: dict[Label, RocCurve] = {}
    for k, name in enumerate(samples.classes):
        y = (samples.y == k).astype(np.int64)
        if 0 < y.sum() < y.size:
            names: Names = (f"not {name}", f"{name}")
            curves[name] = RocCurve(ScoreLevels.of(p[:, k], y, samples.weights), names)
    return ClassDetectors(curves)
