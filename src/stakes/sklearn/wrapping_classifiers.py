"""What the classifiers of this package share: an inner model, perhaps calibrated."""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any, ClassVar

import numpy as np

from stakes._check import InputError
from stakes._text import quoted
from stakes._typing import Column, FloatArray, NDArray
from stakes.calibration import Calibrator
from stakes.calibration.registry import read_calibrator
from stakes.evaluation.model_priors import (
    ClassCounts,
    PosteriorPriors,
    at_temperature,
    class_counts,
    model_priors,
)
from stakes.scores import LogPosteriors, Posteriors, PosteriorScores
from stakes.scores.model_scores import check_response
from stakes.sklearn import sklearn_library  # noqa: F401  first, as it says how to install
from stakes.sklearn.inner_models import (
    TrainingData,
    calibrated_by,
    fit_weights,
    response_of,
    scores_of,
    unseen_scores,
)
from stakes.sklearn.out_of_fold import weight_argument

# isort: split
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
)

# What is not rounded to 0 or 1 where the model is sure comes first.
_TO_CALIBRATE = ("decision_function", "predict_log_proba", "predict_proba")
_UNCALIBRATED = ("predict_proba",)


class WrappingClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that takes posteriors from an inner model, which it may calibrate."""

    # Groups that reach `fit` are kept whole in the folds of the calibrator.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"groups": True}

    estimator: Any
    calibrator: Calibrator | None
    response_method: str
    cv: Any
    n_jobs: int | None
    estimator_: Any
    calibrator_: Calibrator | None
    classes_: NDArray[Any]
    _known: PosteriorPriors  # those of posteriors before they are moved

    def _inner(self) -> Any:
        """Return the inner model as given, or the default one."""
        return self.estimator

    def _stage(self) -> Calibrator | None:
        """Return the calibrator to fit, if there is one."""
        return read_calibrator(self.calibrator)

    def _fit_model(
        self,
        X: Any,
        y: Any,
        weights: Column | None,
        groups: Column | None,
        fit_params: dict[str, Any],
    ) -> TrainingData:
        """Fit the inner model on all data, and the calibrator on scores of unseen data."""
        stage, inner = self._stage(), clone(self._inner())
        data = self._read(X, y, weights, groups, fit_params)
        _refuse_many_classes(data.y, stage)
        self.estimator_ = inner.fit(data.X, data.y, **data.fit_params)
        self.classes_ = _classes_of(inner, data.y)
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)  # of an earlier fit
            if hasattr(inner, name):
                setattr(self, name, getattr(inner, name))
        choices = _UNCALIBRATED if stage is None else _TO_CALIBRATE
        self._response = response_of(inner, self.response_method, choices)
        check_response(inner, self._response, "estimator")
        self.calibrator_ = None
        if isinstance(inner, FrozenEstimator) and stage is not None:
            self.calibrator_ = calibrated_by(stage, self._inner_scores(data.X), data, None)
        elif stage is not None:
            scores, rows = unseen_scores(inner, data, self.cv, self._response, self.n_jobs)
            self.calibrator_ = calibrated_by(stage, scores, data, rows)
        self._known = self._known_priors(data)
        return data

    def _known_priors(self, data: TrainingData) -> PosteriorPriors:
        """Return the priors that posteriors are at, where these are known."""
        stage, counts = self.calibrator_, self._counts(data, data.weights)
        if stage is not None and stage.fixes_priors:
            return PosteriorPriors(counts.shares)
        fitted = self._counts(data, fit_weights(self.estimator_, data))
        found = model_priors(self.estimator_, fitted, self._response)
        return found if stage is None else at_temperature(found, counts)

    def _counts(self, data: TrainingData, weights: FloatArray | None) -> ClassCounts:
        """Return the counts of classes in the data by some weights."""
        codes = np.searchsorted(np.sort(self.classes_), data.y)
        return class_counts(np.argsort(self.classes_)[codes], len(self.classes_), weights)

    def _read(
        self,
        X: Any,
        y: Any,
        weights: Column | None,
        groups: Column | None,
        fit_params: dict[str, Any],
    ) -> TrainingData:
        """Check what the inner model does not, and give each part its parameters."""
        if y is None:
            msg = f"{type(self).__name__} requires y to be passed, but the target y is None"
            raise InputError(f"{msg}.")
        X, y, groups = indexable(X, y, groups)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        checked = None
        if weights is not None:
            checked = _check_sample_weight(weights, X, ensure_non_negative=True)
        units = None if groups is None else column_or_1d(groups)
        params, splits = self._routed(checked, units, fit_params)
        return TrainingData(X, y, checked, units, params, splits)

    def _routed(
        self,
        weights: FloatArray | None,
        groups: Any,
        fit_params: dict[str, Any],
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what the inner model and the splitter are given."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(
                self, "fit", sample_weight=weights, groups=groups, **fit_params
            )
            return dict(routed.estimator.fit), dict(routed.splitter.split)
        params, inner = dict(fit_params), self._inner()
        if weights is not None and not isinstance(inner, FrozenEstimator):
            try:
                params.setdefault(weight_argument(inner), weights)
            except InputError:
                msg = f"{type(inner).__name__} does not take sample_weight: it is fitted without"
                warnings.warn(f"{msg} weights, which serve all else.", UserWarning, stacklevel=5)
        return params, {} if groups is None else {"groups": groups}

    def _inner_scores(self, X: Any) -> PosteriorScores:
        """Return the scores of the inner model."""
        return scores_of(self.estimator_, X, self._response)

    def _posteriors(self, X: Any) -> Posteriors | LogPosteriors:
        """Return posteriors at the priors of training, one column per class."""
        check_is_fitted(self, "estimator_")
        scores = self._inner_scores(X)
        if self.calibrator_ is not None:
            return self.calibrator_.transform(scores)
        if isinstance(scores, Posteriors) and scores.values.ndim == 2:
            return scores
        return LogPosteriors.trusted(scores.answers(None).log_p, scores.names)

    def get_metadata_routing(self) -> Any:
        """Return where metadata go: to the inner model's `fit`, to the splitter, to itself."""
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        fit, split = (MethodMapping().add(caller="fit", callee=to) for to in ("fit", "split"))
        return router.add(estimator=self._inner(), method_mapping=fit).add(
            splitter=self.cv, method_mapping=split
        )

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self._inner())
        tags.input_tags = copy(inner.input_tags)
        tags.non_deterministic = inner.non_deterministic
        if inner.classifier_tags is not None:
            tags.classifier_tags = copy(inner.classifier_tags)
            tags.classifier_tags.multi_label = False
        if getattr(self.calibrator, "two_classes", False):
            tags.classifier_tags.multi_class = False
        return tags


def _classes_of(inner: Any, y: NDArray[Any]) -> NDArray[Any]:
    """Return the classes of a fitted model, among which all labels must be."""
    seen = np.unique(y)
    classes = np.asarray(getattr(inner, "classes_", seen))
    unknown = np.setdiff1d(seen, classes)
    if unknown.size:
        rule = f"must hold classes of the estimator, {quoted(classes.tolist())}"
        raise InputError("y", rule, quoted(unknown.tolist()))
    if len(classes) < 2:
        found = f"one class, {quoted(classes.tolist())}"
        raise InputError("y", "must hold two classes or more", found)
    return classes


def _refuse_many_classes(y: NDArray[Any], stage: Calibrator | None) -> None:
    """Refuse more than two classes for a calibrator of two, in the words that scikit-learn uses."""
    kind = type_of_target(y, input_name="y")
    if stage is not None and stage.two_classes and kind != "binary":
        msg = f"Only binary classification is supported. The type of the target is {kind}."
        raise InputError(f"{msg} {type(stage).__name__} is for two classes.")
