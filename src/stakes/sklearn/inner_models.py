"""Scores of an inner model for samples that it did not see, and a calibrator that learns from them.

Clones of the model are fitted fold by fold; what they say of the samples of the other folds is what
a calibrator may learn from.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._check import InputError
from stakes._text import quoted
from stakes._typing import FloatArray, IntArray, Names, NDArray
from stakes.calibration import Calibrator
from stakes.scores import PosteriorScores, model_scores
from stakes.sklearn import sklearn_library  # noqa: F401  first, as it says how to install
from stakes.sklearn.out_of_fold import weight_argument

# isort: split
from sklearn.base import clone
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params

Split = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class TrainingData:
    """What a classifier is fitted on: features, labels, weights, groups, and more for the model."""

    X: Any
    y: NDArray[Any]
    weights: FloatArray | None
    groups: NDArray[Any] | None
    fit_params: Mapping[str, Any]  # of the inner model, among them its weights
    split_params: Mapping[str, Any]  # of the splitter


def fit_weights(model: Any, data: TrainingData) -> FloatArray | None:
    """Return the weights of samples that the model itself was fitted with, not a step before it."""
    try:
        name = weight_argument(model)
    except InputError:  # as of a frozen model, or one with parameters of any name
        name = "sample_weight"
    found = data.fit_params.get(name)
    return None if found is None else np.asarray(found, dtype=np.float64)


def response_of(model: Any, asked: str, choices: tuple[str, ...]) -> str:
    """Return the method of a model to take scores from; "auto": the first of some that it has."""
    if asked != "auto":
        return asked
    return next((name for name in choices if hasattr(model, name)), choices[-1])


def scores_of(model: Any, X: Any, response: str) -> PosteriorScores:
    """Return the scores of a fitted model by one of its methods."""
    with np.errstate(divide="ignore"):  # the log of a forest's 0
        return model_scores(model, X, response_method=response, argument="estimator")


def calibrated_by(
    calibrator: Calibrator, scores: PosteriorScores, data: TrainingData, rows: IntArray | None
) -> Calibrator:
    """Return a calibrator of the same settings, fitted on the scores of some rows, or of all."""
    y, weights = data.y, data.weights
    if rows is not None:
        y, weights = y[rows], None if weights is None else weights[rows]
    return calibrator.fresh().fit(scores, y, sample_weight=weights, classes=scores.names)


def unseen_scores(
    inner: Any,
    data: TrainingData,
    cv: Any,
    response: str,
    n_jobs: int | None,
) -> tuple[PosteriorScores, IntArray]:
    """Return scores by clones that did not see their samples, and the row of each score.

    Rows are in order. A splitter that tests a sample several times gives it several scores, and
    one that leaves samples out gives them none.
    """
    splits = list(_splits(data, cv))
    work = (delayed(_fold_scores)(inner, data, split, response) for split in splits)
    parts: list[PosteriorScores] = Parallel(n_jobs=n_jobs)(work)
    rows = np.concatenate([test for _, test in splits])
    order = np.argsort(rows, kind="stable")
    values = np.concatenate([part.values for part in parts])[order]
    names: Names | None = parts[0].names
    return type(parts[0]).trusted(values, names), rows[order]


def _fold_scores(
    inner: Any,
    data: TrainingData,
    split: Split,
    response: str,
) -> PosteriorScores:
    train, test = split
    model = clone(inner)
    features, labels = _safe_split(model, data.X, data.y, train)
    unseen, _ = _safe_split(model, data.X, data.y, test, train)
    model.fit(features, labels, **_check_method_params(data.X, data.fit_params, train))
    return scores_of(model, unseen, response)


def _splits(data: TrainingData, cv: Any) -> Iterator[Split]:
    """Yield rows to train on and to test on; no sample and no group is on both sides."""
    splitter, params = check_cv(cv, data.y, classifier=True), dict(data.split_params)
    units: NDArray[Any] = np.arange(data.y.size)
    if data.groups is not None:
        units = data.groups
        if cv is None or isinstance(cv, int | np.integer):
            splitter, params = StratifiedGroupKFold(splitter.n_splits), {"groups": units}
    classes = np.unique(data.y)
    for train, test in splitter.split(data.X, data.y, **params):
        if np.isin(units[test], units[train]).any():
            what = "sample" if data.groups is None else "group"
            rule, found = f"must keep each {what} on one side", "one is trained on and tested on"
            raise InputError("cv", rule, found=found)
        lacking = np.setdiff1d(classes, data.y[train])
        if lacking.size:
            rule = "must leave every class in each training part"
            hint = "Use fewer folds, or more data of it."
            found = f"one has no sample of class {quoted(lacking[:1].tolist())}"
            raise InputError("cv", rule, found=found, hint=hint)
        yield train, test
