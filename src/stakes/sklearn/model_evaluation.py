"""Models evaluated and compared in one call, fitted or with cross-validation."""

from __future__ import annotations

__all__ = ["compare_models", "evaluate_model"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from stakes._check import (
    InputError,
    encode,
    read_column,
    read_names,
    read_seed,
    read_weights,
    seen_names,
)
from stakes._errors import kind_of, told_of
from stakes._foreign_calls import answered
from stakes._text import plain, quoted
from stakes._typing import Column, Names, NamesLike, PriorsLike, Progress
from stakes.calibration import AffineCalibrator, Calibrator
from stakes.calibration.crossfit import Folds
from stakes.calibration.registry import read_calibrator
from stakes.costs.named_costs import NamedCosts, is_frame
from stakes.costs.price_words import is_prices
from stakes.evaluation import Application, Comparison, Evaluation, Verdict, compare, evaluate
from stakes.evaluation.applications import Applications, classes_of, columns_of_costs, with_columns
from stakes.evaluation.entry import RULES
from stakes.evaluation.model_priors import model_priors
from stakes.samples import Samples, read_samples
from stakes.scores import PosteriorScores, model_scores
from stakes.scores.model_scores import FIT_FIRST
from stakes.scoring import ScoringRule
from stakes.sklearn.models_at_priors import (
    FittedModel,
    Placed,
    ScoredModel,
    placed,
    weighted_classes,
)
from stakes.sklearn.score_functions import aligned

_Result = TypeVar("_Result", Evaluation, Comparison)


@answered
def evaluate_model(  # noqa: PLR0913  the model, the data, how it is fitted; options of evaluate
    model: Any,
    X: Any,
    y: Column,
    *,
    cv: Any = None,
    response_method: str = "predict_proba",
    weighted_fit: bool = True,
    n_jobs: int | None = None,
    costs: Applications | None = None,
    priors: PriorsLike | None = None,
    training_priors: PriorsLike | None = None,
    calibrator: Calibrator | None = AffineCalibrator(),  # noqa: B008  never fitted itself
    folds: Folds | None = None,
    level: float = 0.95,
    groups: Column | str | None = None,
    slices: Mapping[str, Column] | Column | Sequence[str] | None = None,
    sample_weight: Column | str | None = None,
    classes: NamesLike | None = None,
    rules: Sequence[ScoringRule] = RULES,
    rng: int | np.random.Generator = 0,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate a scikit-learn classifier, fitted or with cross-validation.

    A fitted model needs data that it has not seen. With `cv`, copies of the model are fitted, and
    each sample is scored by one that did not see it. Calibration uses the same folds: scores of a
    fold are calibrated on those of other folds, by models that saw neither, so no label leaks into
    the score it is compared with. K folds take K (K + 1) / 2 fits, and K without a calibrator.

    Parameters
    ----------
    model : classifier
        With `predict_proba` and `classes_`, as in scikit-learn. Fitted, or with `cv` an estimator,
        which is not changed.
    X : features of N samples
        As the model takes them. Columns of a data frame may be named as `groups`, `slices` and
        `sample_weight`, and by `CostsByCase`; the model gets all of X.
    y : column of N labels
        The true classes.
    cv : int, splitter or pairs of rows, optional
        Number of folds, stratified by class and with groups kept whole; or as in scikit-learn. Each
        sample must be tested once. By default the model is already fitted.
    response_method : str, default "predict_proba"
        "predict_proba", "predict_log_proba" or "decision_function". Values of a decision function
        are read as logits, which a calibrator turns into probabilities.
    weighted_fit : bool, default True
        Whether `sample_weight` is also passed to `fit`.
    n_jobs : int, optional
        Number of processes that fit models.
    costs : CostMatrix, SampleCosts, array, or mapping from name to these or Application, optional
        As in `evaluate`.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
    training_priors : float, array of K, mapping by class, "data" or "deployment", optional
        The priors that the posteriors are at, as in `evaluate`. By default they are known from the
        model: its training data, weights of classes and samples, and priors. They are required
        with `priors` where a model does not show them.
    calibrator : Calibrator or None, default AffineCalibrator()
        Calibrator used to measure calibration loss; None leaves it out.
    folds : int, splitter, array of N fold numbers, HeldOut or TrainOnTest, optional
        As in `evaluate`, for a fitted model; with `cv` its folds are used.
    level : float, default 0.95
        Confidence level of the intervals.
    groups : column of N names, or name of a column, optional
        As in `evaluate`.
    slices : data frame, mapping from name to column, one column, or names of columns, optional
        As in `evaluate`.
    sample_weight : column of N weights, or name of a column, optional
        As in `evaluate`.
    classes : sequence of K names, optional
        By default those of the model; they are matched by name with the costs.
    rules : sequence of ScoringRule, optional
        By default `LogLoss()` and `BrierLoss()`.
    rng : int or Generator, default 0
        Seed of the folds.
    progress : callable, optional
        Called with the number of fits done and the total.

    Returns
    -------
    Evaluation
        As from `evaluate`.

    See Also
    --------
    compare_models : for several models.
    evaluate : for given scores.

    Examples
    --------
    A missed tumour costs as much as ten needless biopsies. Is the model worth using?

    >>> import stakes
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> data = load_breast_cancer(as_frame=True)
    >>> y = data.target_names[data.target]
    >>> costs = stakes.CostMatrix.binary(miss=10, false_alarm=1, classes=["benign", "malignant"])
    >>> result = stakes.evaluate_model(GaussianNB(), data.data, y, cv=5, costs=costs)
    >>> cost = result.main.cost
    >>> round(cost.normalized.value, 2), round(cost.calibrated_normalized.value, 2)
    (0.63, 0.24)

    Yes, and calibration makes it much cheaper: naive Bayes is overconfident.
    """
    read = _Data.read(X, y, costs, classes, groups, sample_weight)
    calibrator = read_calibrator(calibrator)
    made: Mapping[str, ScoredModel]
    if cv is None:
        made = {"model": _fitted(model, X, response_method, "model")}
    else:
        _refuse_folds(folds)
        rng, methods = read_seed(rng), {"model": response_method}
        fit = cv, rng, calibrator, n_jobs, progress
        made = read.out_of_fold({"model": model}, methods, *fit, weighted=weighted_fit)
    systems = read.systems(made, priors, training_priors)
    inner = systems.folds.get("model", folds)
    evaluation = evaluate(
        y,
        systems.scores["model"],
        costs=read.costs,
        slices=_slices(X, slices),
        classes=read.names,
        groups=read.groups,
        sample_weight=read.weights,
        folds=5 if inner is None else inner,
        priors=priors,
        training_priors=systems.placed.training,
        calibrator=calibrator,
        level=level,
        rules=rules,
        rng=rng,
    )
    return systems.said(evaluation, out_of_fold=cv is not None)


@answered
def compare_models(  # noqa: PLR0913  the models, the data, how they are fitted; options of compare
    models: Mapping[str, Any],
    X: Any,
    y: Column,
    *,
    cv: Any = None,
    response_method: str | Mapping[str, str] = "predict_proba",
    weighted_fit: bool = True,
    n_jobs: int | None = None,
    reference: str | None = None,
    margin: float | None = None,
    costs: Applications | None = None,
    priors: PriorsLike | None = None,
    training_priors: PriorsLike | None = None,
    calibrator: Calibrator | None = None,
    folds: Folds | None = None,
    level: float = 0.95,
    groups: Column | str | None = None,
    sample_weight: Column | str | None = None,
    classes: NamesLike | None = None,
    rules: Sequence[ScoringRule] = RULES,
    rng: int | np.random.Generator = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Compare scikit-learn classifiers on the same samples, fitted or with cross-validation.

    With `cv`, all models are fitted on the same folds.

    Parameters
    ----------
    models : mapping from name to classifier
        All fitted, or with `cv` estimators.
    X : features of N samples
        As in `evaluate_model`.
    y : column of N labels
        The true classes.
    cv : int, splitter or pairs of rows, optional
        As in `evaluate_model`.
    response_method : str, or mapping from model to str, default "predict_proba"
        As in `evaluate_model`.
    weighted_fit : bool, default True
        Whether `sample_weight` is also passed to `fit`.
    n_jobs : int, optional
        Number of processes that fit models.
    reference : str, optional
        The model that the others are compared with; by default the first.
    margin : float, optional
        As in `compare`.
    costs : CostMatrix, SampleCosts, array, or mapping from name to these or Application, optional
        As in `evaluate`.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
    training_priors : float, array of K, mapping by class, "data" or "deployment", optional
        The priors that the posteriors are at, as in `evaluate`. By default they are known from the
        model: its training data, weights of classes and samples, and priors. They are required
        with `priors` where a model does not show them.
    calibrator : Calibrator, optional
        Calibrator used to compare calibrated losses too.
    folds : int, splitter, array of N fold numbers, HeldOut or TrainOnTest, optional
        As in `evaluate`, for fitted models; with `cv` its folds are used.
    level : float, default 0.95
        Confidence level of the intervals.
    groups : column of N names, or name of a column, optional
        As in `evaluate`.
    sample_weight : column of N weights, or name of a column, optional
        As in `evaluate`.
    classes : sequence of K names, optional
        As in `evaluate_model`.
    rules : sequence of ScoringRule, optional
        By default `LogLoss()` and `BrierLoss()`.
    rng : int or Generator, default 0
        Seed of the folds.
    progress : callable, optional
        Called with the number of fits done and the total.

    Returns
    -------
    Comparison
        As from `compare`.

    See Also
    --------
    evaluate_model : for one model.
    compare : for given scores.

    Examples
    --------
    Is a logistic regression cheaper than naive Bayes, or was it only lucky?

    >>> import stakes
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> costs = stakes.CostMatrix.binary(miss=10, false_alarm=1, classes=[1, 0])
    >>> logistic = make_pipeline(StandardScaler(), LogisticRegression())
    >>> models = {"naive Bayes": GaussianNB(), "logistic": logistic}
    >>> result = stakes.compare_models(models, X, y, cv=5, costs=costs)
    >>> difference = result.of("logistic", "cost.nec")
    >>> round(difference.difference.value, 2), difference.distinguishable
    (-0.45, True)

    It is cheaper, by 45 % of the naive cost.
    """
    if not isinstance(models, Mapping) or not models:
        hint = "Call compare_models({'old': model, 'new': other}, X, y)."
        raise InputError("models", "must map names to classifiers", kind_of(models), hint=hint)
    if isinstance(response_method, Mapping) and set(response_method) != set(models):
        rule = f"must name the method of each model, {quoted(models)}"
        raise InputError("response_method", rule, quoted(response_method))
    methods = {
        name: response_method if isinstance(response_method, str) else response_method[name]
        for name in models
    }
    read = _Data.read(X, y, costs, classes, groups, sample_weight)
    calibrator = read_calibrator(calibrator)
    made: Mapping[str, ScoredModel]
    if cv is None:
        made = {name: _fitted(m, X, methods[name], _argument(name)) for name, m in models.items()}
    else:
        _refuse_folds(folds)
        rng = read_seed(rng)
        fit = cv, rng, calibrator, n_jobs, progress
        made = read.out_of_fold(models, methods, *fit, weighted=weighted_fit)
    systems = read.systems(made, priors, training_priors)
    inner: Any = systems.folds or (5 if folds is None else folds)
    comparison = compare(
        y,
        systems.scores,
        reference=reference,
        margin=margin,
        costs=read.costs,
        classes=read.names,
        groups=read.groups,
        sample_weight=read.weights,
        folds=inner,
        priors=priors,
        training_priors=systems.placed.training,
        calibrator=calibrator,
        level=level,
        rules=rules,
        rng=rng,
    )
    return systems.said(comparison, out_of_fold=cv is not None)


_NOTE = "Scores are out-of-fold: each sample was scored by a model that was not fitted on it."


@dataclass(frozen=True, eq=False)
class _Data:
    """Samples and labels, with costs, groups and weights that may be columns of X."""

    X: Any
    y: Any
    costs: Applications | None
    names: Names | None  # of the classes, where they were declared
    groups: Any
    weights: Any

    @classmethod
    def read(cls, X: Any, y: Any, costs: Any, classes: Any, groups: Any, weights: Any) -> _Data:
        """Read what does not depend on a model; names of columns become columns."""
        shapes: list[tuple[int, ...]] = [getattr(each, "shape", ()) for each in (X, y)]
        if [len(shape) for shape in shapes] == [1, 2] and shapes[1][1] > 1:
            hint = "X comes before y: evaluate_model(model, X, y)."
            found = f"a table of {shapes[1][0]} x {shapes[1][1]}"
            raise InputError("y", "must be labels, one for each row of X", found, hint=hint)
        if columns_of_costs(costs):
            costs = with_columns(costs, X)
        names = read_names(classes, "classes") if classes is not None else classes_of(costs)
        groups, weights = _column(X, groups, "groups"), _column(X, weights, "sample_weight")
        return cls(X, y, costs, names, groups, weights)

    def ordered(self, scores: PosteriorScores) -> PosteriorScores:
        """Return scores of a model in the order of the declared classes."""
        if self.names is None:
            _refuse_unnamed(self.costs, scores.names or ())
        return aligned(scores, self.names)

    def all_ordered(self, systems: Mapping[str, PosteriorScores]) -> dict[str, PosteriorScores]:
        """Return scores of several models, which must have the same classes."""
        first = next(iter(systems.values())).names or ()
        for name, scores in systems.items():
            if self.names is None and set(scores.names or ()) != set(first):
                rule = f"must have the classes of the first, {quoted(first)}"
                raise InputError(_argument(name), rule, quoted(scores.names or ()))
        found = {name: self.ordered(scores) for name, scores in systems.items()}
        return {name: scores.ordered(self.names or first) for name, scores in found.items()}

    def out_of_fold(  # noqa: PLR0913  how models are fitted
        self,
        models: Mapping[str, Any],
        methods: Mapping[str, str],
        cv: Any,
        seed: int,
        calibrator: Calibrator | None,
        n_jobs: int | None,
        progress: Progress | None,
        *,
        weighted: bool,
    ) -> Mapping[str, ScoredModel]:
        """Return scores of models on samples they were not fitted on, and folds to calibrate on."""
        fitting = import_module("stakes.sklearn.out_of_fold")  # needs scikit-learn
        for name, model in models.items():
            _check_estimator(model, methods[name], "model" if len(models) == 1 else _argument(name))
        labels = read_column(self.y, "y")
        classes = self.names or seen_names(labels)
        codes = encode(labels, classes, "classes")
        groups = None if self.groups is None else read_column(self.groups, "groups")
        if groups is not None and len(groups) != codes.size:
            rule, got = "must hold one name per sample", f"{len(groups)} for {codes.size} samples"
            raise InputError("groups", rule, got)
        weights = read_weights(self.weights, codes.size)
        data = fitting.FitData(
            self.X,
            self.y,
            codes,
            classes,
            None if groups is None else np.unique(groups.values, return_inverse=True)[1],
            weights if weighted else None,
        )
        splits = fitting.split(cv, data, seed)
        run, nested = partial(fitting.run_jobs, n_jobs, progress), calibrator is not None
        found: Mapping[str, ScoredModel] = fitting.out_of_fold(
            models, methods, data, splits, run, nested=nested
        )
        return found

    def systems(
        self,
        made: Mapping[str, ScoredModel],
        priors: PriorsLike | None,
        training: PriorsLike | None,
    ) -> _Systems:
        """Return the scores of models, at the priors that are known of each where any are given."""
        delivered = self.all_ordered({name: model.scores(None) for name, model in made.items()})
        first = next(iter(delivered.values()))
        names = self.names or first.names or ()
        samples = self._read(next(iter(made)), first, made)
        made = {
            name: replace(m, declared=names) if isinstance(m, FittedModel) else m
            for name, m in made.items()
        }
        by_argument = {_argument(name) if len(made) > 1 else name: m for name, m in made.items()}
        told = self.costs, priors, training
        place = placed(by_argument, names, samples.data_priors(), *told)
        scores = delivered
        if place.target is not None:
            scores = self.all_ordered({n: m.scores(place.target) for n, m in made.items()})
        folds = {name: model.folds(place.target) for name, model in made.items()}
        verdicts: tuple[Verdict, ...] = ()
        if training is None and place.target is None:
            found = (
                weighted_classes(
                    plain(name),
                    model,
                    self._read(name, delivered[name], made),
                    self.costs,
                    several=len(made) > 1,
                )
                for name, model in made.items()
            )
            verdicts = tuple(verdict for verdict in found if verdict is not None)
        folds = {name: each for name, each in folds.items() if each is not None}
        return _Systems(scores, folds, place, verdicts)

    def _read(self, name: str, scores: PosteriorScores, models: Mapping[str, Any]) -> Samples:
        """Return checked samples of a model; an error names it if there are several."""
        with told_of(f"model {name!r}" if len(models) > 1 else ""):
            return read_samples(self.y, scores, None, self.weights, self.names)


@dataclass(frozen=True, eq=False)
class _Systems:
    """Models ready to be evaluated, and what is to be said of them."""

    scores: dict[str, PosteriorScores]
    folds: dict[str, Any]
    placed: Placed
    verdicts: tuple[Verdict, ...]

    def said(self, result: _Result, *, out_of_fold: bool) -> _Result:
        """Return a result with what is known of the models."""
        notes = (*result.notes, *self.placed.notes, *([_NOTE] if out_of_fold else ()))
        return replace(result, notes=notes, verdicts=(*self.verdicts, *result.verdicts))


def _fitted(model: Any, X: Any, method: str, argument: str) -> FittedModel:
    """Return the scores of a fitted model; where it is not fitted, say that cv would do that."""
    try:
        with told_of("" if argument == "model" else argument):
            scores = model_scores(model, X, response_method=method, argument=argument)
        return FittedModel(scores, model_priors(model, None, method))
    except InputError as error:
        if error.hint != FIT_FIRST:
            raise
        raise error.moved(hint="Fit it first, or pass cv=5 to have copies of it fitted.") from None


def _argument(name: str) -> str:
    return f"model {name!r}"


def _check_estimator(model: Any, method: str, argument: str) -> None:
    """Refuse what cannot be fitted, and what is not a classifier, before any work."""
    if isinstance(model, type):
        hint = f"Pass {model.__name__}(...)."
        raise InputError(argument, "must be a model", f"the class {model.__name__}", hint=hint)
    name = type(model).__name__
    if not all(hasattr(model, needed) for needed in ("fit", "get_params")):
        rule = "must be an estimator of scikit-learn for cross-validation"
        raise InputError(argument, rule, name, hint="Leave cv out where it is fitted.")
    if import_module("sklearn.base").is_classifier(model):
        return
    if not hasattr(model, method):
        raise InputError(argument, "must be a classifier", name)


def _refuse_folds(folds: Any) -> None:
    if folds is not None:
        rule = "must be left out with cv"
        raise InputError("folds", rule, found="scores are calibrated on the folds of cv")


def _column(X: Any, named: Any, argument: str) -> Any:
    """Return a column of a data frame where its name was given."""
    if not isinstance(named, str):
        return named
    there = list(getattr(X, "columns", ()))
    if named not in there:
        rule = "must be a column, or the name of one of X"
        got = f"{named!r}, where X has {quoted(there)}" if there else f"{named!r}, where X has none"
        raise InputError(argument, rule, got)
    return X[named]


def _slices(X: Any, slices: Any) -> Any:
    """Return slices that are names of columns of X as those columns."""
    names = [slices] if isinstance(slices, str) else slices
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        return slices
    there = list(getattr(X, "columns", ()))
    if names and not isinstance(slices, str) and not set(names) & set(there):
        return slices  # one text for each sample
    return {name: _column(X, name, "slices") for name in names}


def _refuse_unnamed(costs: Any, names: Names) -> None:
    """Refuse costs without names for classes whose order nobody declared."""
    if names == tuple(range(len(names))):
        return
    entries = [costs]
    if isinstance(costs, Mapping) and not is_prices(costs):
        entries = list(costs.values())
    for entry in entries:
        own = entry.costs if isinstance(entry, Application) else entry
        if own is not None and not isinstance(own, NamedCosts) and not is_frame(own):
            rule = f"must name the classes of the model, {quoted(names)}"
            hint = "Pass CostMatrix(costs, classes=[...]), or classes=[...] in the order of costs."
            raise InputError("costs", rule, found="rows and columns have no names", hint=hint)
