"""A classifier whose probabilities are calibrated, as a scikit-learn estimator."""

from __future__ import annotations

__all__ = ["CalibratedClassifier"]

from typing import Any, Self

import numpy as np

from stakes._foreign_calls import answered
from stakes._typing import Column, FloatArray, NDArray
from stakes.calibration import AffineCalibrator, Calibrator
from stakes.evaluation.model_priors import PosteriorPriors
from stakes.sklearn.wrapping_classifiers import WrappingClassifier

# isort: split
from sklearn.linear_model import LogisticRegression


class CalibratedClassifier(WrappingClassifier):
    """A classifier that calibrates the posteriors of an inner model.

    The calibrator learns from scores of samples that the model did not see: clones of the model
    are fitted fold by fold and score the fold they were not fitted on. All these scores together
    train one calibrator, and the final model is fitted on all data. Pass a fitted model as
    `FrozenEstimator(model)`: it is not refitted, and the calibrator learns from its scores on the
    data given to `fit`, which the model should not have seen.

    Parameters
    ----------
    estimator : classifier, optional
        With `decision_function` or `predict_proba`; by default `LogisticRegression()`.
    calibrator : Calibrator, optional
        Any calibrator of stakes; by default `AffineCalibrator()`. It is not changed: `calibrator_`
        is the fitted one.
    response_method : str, default "auto"
        The source of the scores: "decision_function", "predict_log_proba" or "predict_proba".
        "auto" takes the first of these that the model has; the first two are not rounded to 0 or 1
        if the model is certain. A decision function is read as logits: one column as the log odds
        of the second class, several as log posteriors up to a constant per sample. Its scale does
        not matter: the calibrator learns scale and bias.
    cv : int, splitter or iterable of splits, default 5
        The folds; a number of folds is stratified by class. The scores of all test parts train the
        calibrator: a splitter with a single split holds those samples out.
    n_jobs : int, optional
        Number of folds fitted at the same time.

    Attributes
    ----------
    estimator_ : classifier
        The model fitted on all data, or the frozen one.
    calibrator_ : Calibrator
        The fitted calibrator.
    classes_ : array of K labels
        In the order of the columns of `predict_proba`.
    n_features_in_, feature_names_in_ : int, array
        Those of the model, if it has them.

    See Also
    --------
    BayesClassifier : decides by cost.
    cross_calibrate : the same for given scores.

    Examples
    --------
    Naive Bayes is overconfident if features are redundant. Its normalised cross-entropy is above 1,
    that of answering the class frequencies, until it is calibrated:

    >>> import stakes
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> for model in (GaussianNB(), stakes.sklearn.CalibratedClassifier(GaussianNB())):
    ...     p = cross_val_predict(model, X, y, method="predict_proba")
    ...     print(round(stakes.cross_entropy(y, p).normalized, 2))
    1.09
    0.25
    """

    calibrator_: Calibrator

    @answered
    def __init__(
        self,
        estimator: Any = None,
        *,
        calibrator: Calibrator | None = None,
        response_method: str = "auto",
        cv: Any = 5,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.calibrator = calibrator
        self.response_method = response_method
        self.cv = cv
        self.n_jobs = n_jobs

    def _inner(self) -> Any:
        return LogisticRegression() if self.estimator is None else self.estimator

    def _stage(self) -> Calibrator:
        return super()._stage() or AffineCalibrator()

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Column | None = None,
        groups: Column | None = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the model and its calibrator.

        Parameters
        ----------
        X : features of N samples
            As the inner model takes them.
        y : column of N labels
            The true classes.
        sample_weight : column of N weights, optional
            For the model, if it takes them, and for the calibrator.
        groups : column of N names, optional
            Samples of one group are never split: patients, speakers, merchants.
        **fit_params
            Passed to the inner model's `fit`; with metadata routing also to the splitter.
        """
        self._fit_model(X, y, sample_weight, groups, fit_params)
        return self

    def _posterior_priors(self) -> PosteriorPriors:
        """Return the priors that `predict_proba` gives posteriors at."""
        return self._known

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most likely class of each sample.

        Parameters
        ----------
        X : features of N samples
            As the inner model takes them.
        """
        likely = np.argmax(self.predict_log_proba(X), axis=1)
        return self.classes_[likely]

    def predict_proba(self, X: Any) -> FloatArray:
        """Return calibrated posteriors, one column per class.

        Parameters
        ----------
        X : features of N samples
            As the inner model takes them.
        """
        return self._posteriors(X).answers(None).p

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the natural logs of calibrated posteriors, exact where these are near 0 or 1.

        Parameters
        ----------
        X : features of N samples
            As the inner model takes them.
        """
        return self._posteriors(X).answers(None).log_p
