"""One class against all others, for each class, and averages over them."""

from __future__ import annotations

__all__ = ["ClassDetectors", "class_detectors"]

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stakes._check import UndefinedMetricError
from stakes._foreign_calls import answered
from stakes._math import log
from stakes._records import Record
from stakes._text import number, plain_list, quoted
from stakes._typing import Column, Label, Names, NamesLike, PriorsLike
from stakes.curves.roc import RocCurve
from stakes.samples import Samples, read_samples
from stakes.scores import Scores
from stakes.statistics import ScoreLevels


@dataclass(frozen=True, eq=False)
class ClassDetectors(Record):
    """The ROC curve of each class against all others.

    An average over them measures a different task from classification: K separate yes-or-no
    questions, of which none, one or several may be answered yes. It need not agree with the cost of
    choosing one class; for that use `bayes_cost` or a proper scoring rule.

    Attributes
    ----------
    curves : dict from class to RocCurve

    See Also
    --------
    class_detectors : returns it.

    Examples
    --------
    >>> import stakes
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.6, 0.3], [0.3, 0.1, 0.6]]
    >>> found = stakes.class_detectors([0, 1, 2, 2], p)
    >>> min(found.curves, key=lambda name: found.curves[name].auc())  # work on this class first
    1
    """

    curves: dict[Label, RocCurve]

    def __str__(self) -> str:
        areas = [f"{name} {number(curve.auc())}" for name, curve in self.curves.items()]
        return f"AUC of each class against the others: {plain_list(areas, 8)}"

    def macro(self, metric: Callable[[RocCurve], float] = RocCurve.auc) -> float:
        """Return the unweighted mean of a metric over the classes; by default of the AUC.

        Parameters
        ----------
        metric : callable, default RocCurve.auc
            Takes a `RocCurve` and returns a number.
        """
        return float(np.mean([float(metric(curve)) for curve in self.curves.values()]))

    def prior_weighted(self, metric: Callable[[RocCurve], float] = RocCurve.auc) -> float:
        """Return the mean of a metric over the classes, weighted by their shares in the data.

        Parameters
        ----------
        metric : callable, default RocCurve.auc
            Takes a `RocCurve` and returns a number.
        """
        values = [float(metric(curve)) for curve in self.curves.values()]
        shares = [float(curve.priors[1]) for curve in self.curves.values()]
        return float(np.dot(values, shares) / sum(shares))


@answered
def class_detectors(
    y_true: Column,
    scores: Scores | Column,
    *,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> ClassDetectors:
    """Return the ROC curve of each class against all others, by its log odds.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `expected_loss`.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.

    Returns
    -------
    ClassDetectors
        With `curves` by class, `macro()` and `prior_weighted()`.

    See Also
    --------
    roc_curve : two classes.
    bayes_cost : what choosing one class costs.

    Examples
    --------
    >>> import stakes
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.6, 0.3], [0.3, 0.1, 0.6]]
    >>> round(stakes.class_detectors([0, 1, 2, 2], p).macro(), 4)
    0.8472
    """
    samples = read_samples(y_true, scores, priors, sample_weight, classes)
    curves = detectors_of(samples)
    if not curves:
        found = f"only one of {quoted(samples.classes)} occurs"
        raise UndefinedMetricError("y_true", "must hold at least two classes", found=found)
    return ClassDetectors(curves)


def detectors_of(samples: Samples) -> dict[Label, RocCurve]:
    """Return the detector of each class that some, but not all, of checked samples have."""
    answers = samples.scores.answers(samples.priors)
    log_p = answers.log_p
    curves: dict[Label, RocCurve] = {}
    for k, name in enumerate(samples.classes):
        y = (samples.y == k).astype(np.int64)
        if 0 < y.sum() < y.size:
            names: Names = (f"not {name}", f"{name}")
            odds = log_p[:, k] - log(answers.complement(np.full(y.size, k)))
            curves[name] = RocCurve(
                ScoreLevels.from_scores(odds, y, samples.weights, samples.copies), names
            )
    return curves
