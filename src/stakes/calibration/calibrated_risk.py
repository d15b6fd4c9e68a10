"""The risk curve of a system, with the line that a calibration stage would give it."""

__all__ = ["risk_curve"]

import numpy as np

from stakes._typing import Column, NamesLike, PriorsLike
from stakes.calibration.calibrators import Calibrator
from stakes.calibration.crossfit import Folds, cross_fitted
from stakes.curves.risk_curves import RiskCurve, check_two
from stakes.samples import read_samples
from stakes.scores import Scores


def risk_curve(  # noqa: PLR0913  the data, and how a calibrator is fitted
    y_true: Column,
    scores: Scores | Column,
    *,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    calibrator: Calibrator | None = None,
    folds: Folds = 5,
    groups: Column | None = None,
    rng: "int | np.random.Generator" = 0,
) -> RiskCurve:
    """Return the expected cost of Bayes decisions at every threshold, for two classes.

    EC(t) = P_1 t R_12(t) + P_2 (1 - t) R_21(t): H_2 is decided where its posterior is above t,
    a false alarm costs t and a miss 1 - t. Lower is better. The record holds the actual cost, the
    minimum and the naive cost, and shows them on the axes of each field.

    Parameters
    ----------
    y_true : column of N labels of two classes
    scores : array of P(classes[-1]) of shape (N,), posteriors of shape (N, 2), or typed scores
    priors : array of 2, mapping by class, or "data", optional
        How often each class will occur in use, both above 0; by default as often as in the data.
        Likelihood ratios are turned into posteriors at these priors; posteriors stay what they
        are, and priors only weigh the classes.
    sample_weight : column of N weights, optional
    classes : sequence of 2 names, optional
        The class of interest comes last.
    calibrator : Calibrator, optional
        Adds the line of cross-fitted scores: what calibration can recover on samples it did
        not see, where the minimum is optimistic. `AffineCalibrator()` is a good choice: two
        numbers hardly overfit, and its answers are never certain, as those of a fitted step
        function are, which makes a cross-entropy infinite.
    folds, groups, rng
        As for `cross_calibrate`.

    Examples
    --------
    A clinic treats at a risk of 20 % or more. Is the score worth using there?

    >>> import stakes
    >>> y = [0, 0, 0, 0, 0, 0, 1, 1]
    >>> p = [0.02, 0.05, 0.1, 0.1, 0.15, 0.4, 0.3, 0.7]
    >>> curve = stakes.risk_curve(y, p)
    >>> view = curve.decision_curve([0.1, 0.2, 0.5], level=None)
    >>> view.actual.round(3), view.references["treat_all"].round(3)
    (array([0.222, 0.219, 0.125]), array([ 0.167,  0.062, -0.5  ]))
    >>> round(curve.at(0.2).normalized, 3)
    0.167

    Yes: at 20 % it beats treating all and treating none, at a sixth of the naive cost.
    """
    samples = read_samples(y_true, scores, priors, sample_weight, classes)
    if calibrator is None:
        return RiskCurve.from_samples(samples)
    check_two(samples)
    fit = cross_fitted(calibrator, samples, folds, groups, rng)
    return RiskCurve.from_samples(samples, samples.with_scores(fit.scores), fit.notes)
