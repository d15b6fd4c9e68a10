"""Scores of samples by models that did not see them, and what to calibrate those scores on."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import Parameter, signature
from itertools import combinations
from typing import Any

import numpy as np

import stakes.sklearn.sklearn_library  # noqa: F401  before scikit-learn, to say what to install

# isort: split
from sklearn import get_config
from sklearn.base import clone
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed

from stakes._check import InputError, UndefinedMetricError, read_progress
from stakes._counting import bincount
from stakes._errors import told_of
from stakes._text import quoted
from stakes._typing import FloatArray, IntArray, Names, Progress
from stakes.calibration.crossfit import ModelFolds
from stakes.evaluation.model_priors import (
    ClassCounts,
    PosteriorPriors,
    class_counts,
    in_order,
    model_priors,
    moved,
)
from stakes.scores import LogPosteriors, PosteriorScores
from stakes.scores.model_scores import model_values, named_scores
from stakes.sklearn.score_functions import aligned

Piece = tuple[IntArray, "Answer"]  # rows, and what a model that did not see them says
Job = Callable[[], "Answer"]


@dataclass(frozen=True, eq=False)
class Answer:
    """What a fitted model says of some rows: its values, its classes, the priors they are at."""

    values: "np.ndarray[Any, Any]"
    classes: Names
    priors: PosteriorPriors

    def part(self, rows: slice) -> "Answer":
        """Return the answer for some of the rows."""
        return replace(self, values=self.values[rows])

    def scores(self, method: str, target: FloatArray | None, data: "FitData") -> PosteriorScores:
        """Return scores in the order of the declared classes, moved to priors if given."""
        scores = named_scores(self.values, self.classes, method, argument="model")
        if target is not None and self.priors.values is not None:
            new = data.in_order(target, self.classes)
            scores = moved(scores, self.priors.values, new / new.sum())
        return aligned(scores, data.classes)


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Scores of a model on samples it was not fitted on, and folds to calibrate on.

    Each is moved from the priors that its own model gives posteriors at, where that is asked for.
    """

    pieces: Sequence[Piece]
    nested: Sequence[Piece]
    splits: "Splits"
    method: str
    data: "FitData"
    which: str = ""  # of several models, for errors

    def known(self, classes: Names) -> tuple[PosteriorPriors, ...]:
        """Return the priors of the posteriors of each fit, in the order of some classes."""
        every = (answer for _, answer in (*self.pieces, *self.nested))
        return tuple(in_order(each.priors, each.classes, classes) for each in every)

    def scores(self, target: FloatArray | None) -> PosteriorScores:
        """Return the scores of all samples, moved to priors if these are given."""
        with told_of(self.which):
            return _joined(self.pieces, self.method, self.data, target)

    def folds(self, target: FloatArray | None) -> ModelFolds | None:
        """Return for each fold the scores of all others by models that saw neither."""
        if not self.nested:
            return None
        n = len(self.splits.test)
        by_fold = [list(self.pieces) for _ in range(n)]  # of the fold itself too, which no fit uses
        for (j, k), (rows, answer) in zip(combinations(range(n), 2), self.nested, strict=True):
            size = self.splits.test[j].size
            by_fold[k][j] = rows[:size], answer.part(slice(size))
            by_fold[j][k] = rows[size:], answer.part(slice(size, None))
        with told_of(self.which):
            joined = [_joined(part, self.method, self.data, target) for part in by_fold]
        return ModelFolds(self.splits.number, tuple(joined))


@dataclass(frozen=True, eq=False)
class FitData:
    """What models are fitted on: samples, labels as given and as codes, groups and weights."""

    X: Any
    y: Any
    codes: IntArray
    classes: Names
    groups: IntArray | None = None
    weights: FloatArray | None = None

    def part(self, rows: IntArray) -> tuple[Any, Any]:
        """Return samples and labels of some rows."""
        return _safe_indexing(self.X, rows), _safe_indexing(self.y, rows)

    def counts(self, rows: IntArray, classes: Names) -> ClassCounts | None:
        """Return the counts of the classes of a model among rows that it was fitted on."""
        if not set(classes) <= set(self.classes):
            return None
        weights = None if self.weights is None else self.weights[rows]
        every = class_counts(self.codes[rows], len(self.classes), weights)
        return ClassCounts(*(self.in_order(part, classes) for part in (every.n, every.weight)))

    def in_order(self, values: FloatArray, classes: Names) -> FloatArray:
        """Return a number of each class in the order of a model's classes."""
        return values[[self.classes.index(name) for name in classes]]


@dataclass(frozen=True, eq=False)
class Splits:
    """The rows that each fold trains and tests on; each sample is tested once."""

    train: tuple[IntArray, ...]
    test: tuple[IntArray, ...]

    @property
    def number(self) -> IntArray:
        """The fold that tests each sample."""
        number = np.empty(sum(rows.size for rows in self.test), dtype=np.int64)
        for fold, rows in enumerate(self.test):
            number[rows] = fold
        return number

    def couples(self) -> list[tuple[IntArray, IntArray]]:
        """Return what to train on to see neither of two folds, and the rows of both."""
        return [
            (
                np.intersect1d(self.train[j], self.train[k]),
                np.concatenate([self.test[j], self.test[k]]),
            )
            for j, k in combinations(range(len(self.test)), 2)
        ]


def split(cv: Any, data: FitData, seed: int) -> Splits:
    """Deal samples to folds: stratified by class where `cv` is a number, groups kept whole."""
    whole = isinstance(cv, int | np.integer) and not isinstance(cv, bool)
    with warnings.catch_warnings():  # a splitter may ignore groups; whether it parts any is checked
        warnings.filterwarnings("ignore", "The groups parameter is ignored", UserWarning)
        pairs = _dealt(int(cv), data, seed) if whole else _given(cv, data)
        both = [(np.asarray(train), np.asarray(test)) for train, test in pairs]
    _check_splits(both, data)
    return Splits(tuple(train for train, _ in both), tuple(test for _, test in both))


def _dealt(n_folds: int, data: FitData, seed: int) -> Any:
    _check_enough(n_folds, data)
    kind = StratifiedKFold if data.groups is None else StratifiedGroupKFold
    splitter = kind(n_folds, shuffle=True, random_state=seed % 2**32)
    return splitter.split(data.codes, data.codes, data.groups)


def _given(cv: Any, data: FitData) -> Any:
    try:
        splitter = check_cv(cv, data.codes, classifier=True)
    except ValueError as error:
        rule = "must be a number of folds, a splitter or pairs of rows to train and test on"
        raise InputError("cv", rule, repr(cv)) from error
    return splitter.split(data.X, data.y, data.groups)


def _check_enough(n_folds: int, data: FitData) -> None:
    if n_folds < 2:
        raise InputError("cv", "must be at least 2", n_folds)
    for code, name in enumerate(data.classes):
        rows = data.codes == code
        size = int(rows.sum()) if data.groups is None else np.unique(data.groups[rows]).size
        if size < n_folds:
            what = "samples" if data.groups is None else "groups"
            msg = f"class {quoted([name])} has {size} {what}, too few for {n_folds} folds."
            raise UndefinedMetricError(f"{msg} Use fewer folds, or more data of it.")


def _check_splits(pairs: Sequence[tuple[IntArray, IntArray]], data: FitData) -> None:
    n = data.codes.size
    tested = bincount(np.concatenate([test for _, test in pairs]), minlength=n)
    if (tested != 1).any():
        row = int((tested != 1).argmax())
        more = f" is tested {tested[row]} times"
        raise InputError("cv", "must test every sample once", found="", row=row, more=more)
    unit = np.arange(n) if data.groups is None else data.groups
    for train, test in pairs:
        if np.intersect1d(unit[train], unit[test]).size:
            rule = f"must keep each {'sample' if data.groups is None else 'group'} on one side"
            raise InputError("cv", rule, found="one is trained on and tested on")


def out_of_fold(
    models: Mapping[str, Any],
    methods: Mapping[str, str],
    data: FitData,
    splits: Splits,
    run: "Callable[[Sequence[Job]], list[Answer]]",
    *,
    nested: bool,
) -> dict[str, OutOfFold]:
    """Return scores of each model on samples it was not fitted on, and folds to calibrate on.

    Nested, each pair of folds is also scored by a model that saw neither, so that the scores of a
    fold can be calibrated on scores that owe nothing to its labels.
    """
    folds = len(splits.test)
    if nested and folds < 3:
        rule = "must have three folds or more where scores are calibrated"
        hint = "With two, no samples are left to fit on: pass calibrator="
        raise InputError("cv", rule, folds, hint=f"{hint}None, or more folds.")
    tasks = [*zip(splits.train, splits.test, strict=True), *(splits.couples() if nested else ())]

    def which(name: str) -> str:
        return f"model {name!r}" if len(models) > 1 else ""

    answers = iter(
        run(
            [
                partial(_answer, model, data, train, test, methods[name], which(name))
                for name, model in models.items()
                for train, test in tasks
            ]
        )
    )
    found: dict[str, OutOfFold] = {}
    for name, method in methods.items():
        pieces = [(test, next(answers)) for _, test in tasks]
        found[name] = OutOfFold(pieces[:folds], pieces[folds:], splits, method, data, which(name))
    return found


def run_jobs(n_jobs: int | None, progress: Progress | None, jobs: Sequence[Job]) -> list[Answer]:
    """Return what fitted models say, in one process or several."""
    read_progress(progress)
    if n_jobs not in (None, 1):
        found = list(Parallel(n_jobs=n_jobs)(delayed(job)() for job in jobs))
        if progress is not None:
            progress(len(jobs), len(jobs))
        return found
    found = []
    for job in jobs:
        found.append(job())
        if progress is not None:
            progress(len(found), len(jobs))
    return found


def _answer(
    model: Any, data: FitData, train: IntArray, test: IntArray, method: str, which: str
) -> Answer:
    """Return what a copy of a model says of some rows, fitted on others."""
    X, y = data.part(train)
    with told_of(which):
        weights = {} if data.weights is None else {weight_argument(model): data.weights[train]}
        fitted = clone(model).fit(X, y, **weights)
        values, classes = model_values(fitted, data.part(test)[0], method)
    return Answer(values, classes, model_priors(fitted, data.counts(train, classes), method))


def weight_argument(model: Any) -> str:
    """Return the name under which `fit` of a model takes weights of samples."""
    if get_config()["enable_metadata_routing"]:
        return "sample_weight"
    if hasattr(model, "steps"):  # a pipeline gives them to its last step
        name, last = model.steps[-1]
        return f"{name}__{weight_argument(last)}"
    parameters = signature(model.fit).parameters
    if "sample_weight" in parameters:
        return "sample_weight"
    inner = getattr(model, "estimator", None)
    if inner is not None and any(p.kind is Parameter.VAR_KEYWORD for p in parameters.values()):
        return weight_argument(inner)  # a search hands on what it is given
    rule = "must be taken by fit of the model"
    hint = "Pass weighted_fit=False to fit without them."
    found = f"{type(model).__name__}.fit takes none"
    raise InputError("sample_weight", rule, found=found, hint=hint)


def _joined(
    pieces: Sequence[Piece], method: str, data: FitData, target: FloatArray | None
) -> PosteriorScores:
    """Return the scores of all samples, in the order of the declared classes."""
    first = pieces[0][1]
    if target is None and all(answer.classes == first.classes for _, answer in pieces):
        table = np.empty((data.codes.size, *first.values.shape[1:]), first.values.dtype)
        for rows, answer in pieces:
            table[rows] = answer.values
        return aligned(named_scores(table, first.classes, method, argument="model"), data.classes)
    wide = np.empty((data.codes.size, len(data.classes)))
    for rows, answer in pieces:
        wide[rows] = answer.scores(method, target, data).log_posteriors()
    return LogPosteriors.trusted(wide, data.classes)
