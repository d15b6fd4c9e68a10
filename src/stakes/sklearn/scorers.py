"""Scorers for scikit-learn: expected costs, scoring rules, calibrated losses and the AUC."""

from __future__ import annotations

__all__ = ["auc_scorer", "calibrated_loss_scorer", "cost_scorer", "loss_scorer"]

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import stakes.sklearn.sklearn_library  # noqa: F401  before scikit-learn, to say what to install

# isort: split
from sklearn.metrics._scorer import _Scorer

from stakes._check import InputError
from stakes._foreign_calls import answered
from stakes._text import quoted
from stakes._typing import NamesLike, PriorsLike
from stakes.calibration import AffineCalibrator, Calibrator
from stakes.calibration.crossfit import Folds
from stakes.calibration.registry import read_calibrator
from stakes.costs import CostMatrix, CostsByCase, SampleCosts
from stakes.costs.by_case import as_costs
from stakes.evaluation.model_priors import model_priors
from stakes.scores import model_classes, model_scores
from stakes.scores.model_scores import RESPONSES
from stakes.scoring import LogLoss, ScoringRule
from stakes.sklearn.score_functions import (
    AreaFunction,
    CalibratedFunction,
    CostFunction,
    RuleFunction,
    ScoreFunction,
    declared,
)

_OURS = "stakes"  # before a method's name, in the cache of scorers that score together
_RANKING = ("decision_function", "predict_proba")


T = TypeVar("T")


class ModelScorer(Protocol):
    """What scikit-learn takes as `scoring`: a score of a fitted model, greater is better."""

    def __call__(self, estimator: Any, X: Any, y_true: Any, **metadata: Any) -> float:
        """Return the score of a fitted model."""

    def set_score_request(self, **requests: Any) -> ModelScorer:
        """Say which metadata scikit-learn should route to the scorer, and return it."""


class NamedScorer(_Scorer):  # type: ignore[misc]  # of a library without types
    """A scorer as `make_scorer` gives, whose function gets scores with the names of `classes_`.

    scikit-learn hands a function one column of two classes, or columns without names, and caches
    them by method alone, whatever class each scorer takes for the positive one. This scorer asks
    the model itself, and keeps the answer for other scorers of its kind.
    """

    _score_func: ScoreFunction

    def __init__(self, function: ScoreFunction, response_method: str | tuple[str, ...]) -> None:
        sign = 1 if function.greater_is_better else -1
        super().__init__(function, sign, {}, response_method)

    def _score(
        self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **metadata: Any
    ) -> float:
        """Return the score of a fitted model; greater is better."""
        function, method = self._score_func, _method(estimator, self._response_method)
        metadata = _with_columns(function, X, metadata)

        def value() -> float:
            if method != "predict":
                told = {"response_method": method, "argument": "estimator"}
                scores = _kept(method_caller, method, lambda: model_scores(estimator, X, **told))
                at = model_priors(estimator, None, method)
                return function.of_scores(y_true, scores, at, **metadata)
            decisions = _kept(method_caller, method, lambda: estimator.predict(X))
            classes = model_classes(estimator) if function.classes is None else function.classes
            return function.of_decisions(y_true, decisions, classes, **metadata)

        return self._sign * function.defined(value)


def _method(estimator: Any, wanted: str | tuple[str, ...]) -> str:
    """Return the first of the methods that a model has; if it has none, the last of them."""
    methods = (wanted,) if isinstance(wanted, str) else wanted
    return next((name for name in methods if hasattr(estimator, name)), methods[-1])


def _kept(method_caller: Any, method: str, make: Callable[[], T]) -> T:
    """Return what a model said, once for all scorers that score it together."""
    cache = next(iter(getattr(method_caller, "args", ())), None)
    if not isinstance(cache, dict):
        return make()
    key = _OURS, method
    if key not in cache:
        cache[key] = make()
    return cache[key]


def _with_columns(function: ScoreFunction, X: Any, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata, and those columns of a data frame that costs by case name."""
    found = {name: values for name, values in metadata.items() if values is not None}
    if isinstance(function, CostFunction) and isinstance(function.costs, CostsByCase):
        there = list(getattr(X, "columns", ()))
        named = [name for name in function.costs.columns if name not in found and name in there]
        found |= {name: X[name] for name in named}
    return found


@answered
def cost_scorer(
    costs: CostMatrix | CostsByCase | Any = None,
    *,
    priors: PriorsLike | None = None,
    training_priors: PriorsLike | None = None,
    normalized: bool = True,
    response_method: str = "predict_proba",
    classes: NamesLike | None = None,
) -> ModelScorer:
    """Return a scorer of the expected cost of a model's decisions, for scikit-learn.

    The score is minus the cost, so greater is better; minus the normalised cost is above -1 for a
    useful model. By default the decisions are those of least expected cost at the model's
    probabilities (`bayes_cost`). Classes are those of `classes_`, matched by name with the costs.

    Parameters
    ----------
    costs : CostMatrix, CostsByCase, array, data frame with names, or dict, optional
        By default 1 for each error. An array without names, and {"miss": 5, "false_alarm": 1}, are
        for classes 0 to K - 1, or for `classes`. The columns that `CostsByCase` names are taken
        from metadata (`set_score_request(amount=True)`), or from the data frame X.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the test fold.
    training_priors : float, array of K, mapping by class, "data" or "deployment", optional
        The priors that the model's posteriors are at, where the fitted model does not show them:
        "data" if it was trained on data like the test fold. Required then with `priors`.
    normalized : bool, default True
        Whether to divide by the cost of the best constant decision.
    response_method : str, default "predict_proba"
        "predict_proba", "predict", "predict_log_proba" or "decision_function". With "predict",
        decisions are those of the model and need not be classes: a classifier may abstain. Values
        of a decision function are read as logits.
    classes : sequence of K names, optional
        Names of the rows of an unnamed cost array; the class of interest is the last.

    Returns
    -------
    scorer
        Pass it as `scoring=` to scikit-learn. If a fold has no value (for example because it has
        only one class), the score is NaN, with a warning.

    See Also
    --------
    loss_scorer : evaluates probabilities.
    BayesClassifier : decides by cost.

    Examples
    --------
    A missed disease costs as much as five false alarms. Is the model better than a constant
    decision, whose score is -1?

    >>> import stakes
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=[1, 0])  # 0 is malignant
    >>> model = make_pipeline(StandardScaler(), LogisticRegression())
    >>> scores = cross_val_score(model, X, y, scoring=stakes.sklearn.cost_scorer(costs))
    >>> scores.round(2).tolist()
    [-0.14, -0.18, -0.18, -0.15, -0.08]

    Yes: in every fold it costs less than a fifth of that, so use it.
    """
    read, names = None, declared(classes)
    if costs is not None:
        read = _read_costs(costs, classes)
        if names is not None and names != read.classes:
            rule = f"must be those of costs, {quoted(read.classes)}"
            raise InputError("classes", rule, repr(classes))
        names = read.classes
    _check_method(response_method, (*RESPONSES, "predict"))
    told: dict[str, Any] = {"normalized": normalized, "training": training_priors}
    function = CostFunction(read, response_method, names, priors, **told)
    return NamedScorer(function, response_method)


@answered
def loss_scorer(
    rule: ScoringRule = LogLoss(),  # noqa: B008  never changes
    *,
    priors: PriorsLike | None = None,
    training_priors: PriorsLike | None = None,
    normalized: bool = True,
    response_method: str = "predict_proba",
    classes: NamesLike | None = None,
) -> ModelScorer:
    """Return a scorer of any proper scoring rule, for scikit-learn.

    Parameters
    ----------
    rule : ScoringRule, default LogLoss()
        Such as `LogLoss()`, `BrierLoss()`, `BayesCost(costs)`, or one of your own.
    priors : float, array of K, mapping by class, or "data", optional
        As in `cost_scorer`.
    training_priors : float, array of K, mapping by class, "data" or "deployment", optional
        As in `cost_scorer`.
    normalized : bool, default True
        Whether to divide by the loss of answering the priors.
    response_method : str, default "predict_proba"
        As in `cost_scorer`.
    classes : sequence of K names, optional
        The order of the priors; may include classes that a fold lacks.

    Returns
    -------
    scorer
        Pass it as `scoring=` to scikit-learn.

    See Also
    --------
    cost_scorer : evaluates decisions.
    calibrated_loss_scorer : the loss after calibration.

    Examples
    --------
    Minus the normalised loss is above -1 for probabilities that are better than the priors. These
    are better in every fold:

    >>> import stakes
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> scorer = stakes.sklearn.loss_scorer(stakes.BrierLoss())
    >>> cross_val_score(GaussianNB(), X, y, scoring=scorer).round(2).tolist()
    [-0.2, -0.1, -0.18, -0.12, -0.0]
    """
    _check_rule(rule)
    _check_method(response_method, RESPONSES)
    names = declared(classes, rule)
    told: dict[str, Any] = {"normalized": normalized, "training": training_priors}
    function = RuleFunction(rule, response_method, names, priors, **told)
    return NamedScorer(function, response_method)


@answered
def calibrated_loss_scorer(  # noqa: PLR0913  the rule, the calibrator, and how it is fitted
    rule: ScoringRule = LogLoss(),  # noqa: B008  never changes
    *,
    calibrator: Calibrator = AffineCalibrator(),  # noqa: B008  never fitted itself
    folds: Folds = 5,
    rng: int = 0,
    priors: PriorsLike | None = None,
    normalized: bool = True,
    response_method: str = "predict_proba",
    classes: NamesLike | None = None,
) -> ModelScorer:
    """Return a scorer of the loss after calibration, for scikit-learn.

    The calibrator is cross-fitted within the test fold, so models are evaluated as if they were
    calibrated: a model that ranks well but is overconfident does not lose to one that is merely
    calibrated.

    Parameters
    ----------
    rule : ScoringRule, default LogLoss()
        Such as `LogLoss()`, or `BayesCost(costs)` at your own costs.
    calibrator : Calibrator, default AffineCalibrator()
        The calibrator to fit.
    folds : int, splitter, array of N fold numbers, HeldOut or TrainOnTest, default 5
        As in `cross_calibrate`. Groups come as metadata (`set_score_request(groups=True)`).
    rng : int, default 0
        Seed of the folds.
    priors : float, array of K, mapping by class, or "data", optional
        As in `cost_scorer`.
    normalized : bool, default True
        Whether to divide by the loss of answering the priors.
    response_method : str, default "predict_proba"
        Name of the model's method. A decision function is enough here: the calibrator makes
        probabilities of its values.
    classes : sequence of K names, optional
        As in `loss_scorer`.

    Returns
    -------
    scorer
        Pass it as `scoring=` to scikit-learn.

    See Also
    --------
    loss_scorer : the loss without calibration.

    Examples
    --------
    A support vector machine has no probabilities. After calibration, its scores are as good as
    those of a logistic regression; read as logits, they are not. So calibrate it:

    >>> import stakes
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.svm import LinearSVC
    >>> X, y = make_classification(n_samples=2000, flip_y=0.2, random_state=0)
    >>> calibrated = stakes.sklearn.calibrated_loss_scorer(response_method="decision_function")
    >>> logits = stakes.sklearn.loss_scorer(response_method="decision_function")
    >>> for model in LinearSVC(), LogisticRegression():
    ...     scores = (cross_val_score(model, X, y, scoring=s) for s in (logits, calibrated))
    ...     print([round(float(each.mean()), 2) for each in scores])
    [-0.7, -0.56]
    [-0.55, -0.56]
    """
    _check_rule(rule)
    _check_method(response_method, RESPONSES)
    read = read_calibrator(calibrator)
    if read is None:
        raise InputError("calibrator", "must be one, such as AffineCalibrator()", calibrator)
    fit, names = (rule, read, folds, rng), declared(classes, rule)
    function = CalibratedFunction(*fit, response_method, names, priors, normalized=normalized)
    return NamedScorer(function, response_method)


@answered
def auc_scorer(
    *,
    response_method: str | tuple[str, ...] = _RANKING,
    classes: NamesLike | None = None,
) -> ModelScorer:
    """Return a scorer of the area under the ROC curve of two classes, for scikit-learn.

    If a fold has only one class, the score is NaN, with a warning.

    Parameters
    ----------
    response_method : str, or tuple of str in order of preference, optional
        By default the first method that the model has.
    classes : sequence of two names, optional
        The class of interest comes last.

    Returns
    -------
    scorer
        Pass it as `scoring=` to scikit-learn.

    See Also
    --------
    cost_scorer : evaluates decisions too.

    Examples
    --------
    >>> import stakes
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = stakes.sklearn.auc_scorer()
    >>> bool(cross_val_score(GaussianNB(), X, y, scoring=scorer).mean() > 0.95)  # it ranks well
    True
    """
    for method in (response_method,) if isinstance(response_method, str) else response_method:
        _check_method(method, RESPONSES)
    return NamedScorer(
        AreaFunction("auc", "predict_proba", declared(classes), None), response_method
    )


def _read_costs(costs: Any, classes: NamesLike | None) -> CostMatrix | CostsByCase:
    """Return costs of any samples; those without names are of these classes, or of 0 to K - 1."""
    read = as_costs(costs, classes)
    if isinstance(read, SampleCosts):
        rule = "must hold for any samples, or name columns"
        hint = "Use CostsByCase, and pass the columns as metadata."
        raise InputError("costs", rule, "SampleCosts, which are of certain samples", hint=hint)
    return read


def _check_rule(rule: Any) -> None:
    if not isinstance(rule, ScoringRule):
        raise InputError("rule", "must be a scoring rule, such as LogLoss()", repr(rule))


def _check_method(method: str, known: Any) -> None:
    if method not in known:
        raise InputError("response_method", f"must be one of {quoted(known)}", repr(method))
