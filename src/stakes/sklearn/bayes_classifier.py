"""A classifier that decides at the least expected cost, as a scikit-learn estimator."""

from __future__ import annotations

__all__ = ["BayesClassifier"]

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from stakes._check import InputError, UndefinedMetricWarning, read_number
from stakes._counting import bincount
from stakes._foreign_calls import answered
from stakes._text import quoted
from stakes._typing import Column, FloatArray, NDArray, PriorsLike
from stakes.calibration import Calibrator
from stakes.costs import CostMatrix, CostsByCase
from stakes.evaluation import Decisions, decide
from stakes.metrics import expected_cost
from stakes.scores import LogPosteriors, Posteriors, model_classes
from stakes.sklearn.calibrated_classifier import CalibratedClassifier
from stakes.sklearn.decision_costs import (
    Abstention,
    are_codes,
    costs_of_cases,
    decision_labels,
    read_decision_costs,
    read_named_priors,
)
from stakes.sklearn.inner_models import TrainingData
from stakes.sklearn.wrapping_classifiers import WrappingClassifier

# isort: split
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

# Parameters of models that move their posteriors away from the priors of the data, unless so.
_MOVING = {
    "class_prior": (None,),
    "class_weight": (None,),
    "fit_prior": (True,),
    "is_unbalance": (None, False),
    "priors": (None,),
    "scale_pos_weight": (None, 1),
}
_CALIBRATED = (CalibratedClassifier, CalibratedClassifierCV)  # at the priors of the data


class BayesClassifier(WrappingClassifier):
    """A classifier whose `predict` returns the decision of least expected cost.

    It takes posteriors from an inner model, calibrates them if requested, moves them to the
    deployment priors, and decides by `stakes.decide`. Decisions have names and need not be classes.

    Parameters
    ----------
    estimator : classifier
        With `predict_proba`, or with `decision_function` if there is a calibrator. Pass a fitted
        model as `FrozenEstimator(model)`; it is not refitted.
    costs : CostMatrix, CostsByCase, data frame, array or dict, optional
        The cost of each decision for each class, matched by name to the classes of the data; by
        default 1 for each error. An array without names, and {"miss": 5, "false_alarm": 1}, are for
        the classes 0 to K - 1. Columns that `CostsByCase` names are taken from the data frame X, or
        from the argument `costs` of `predict`.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as in training. An array is for
        the classes 0 to K - 1.
    training_priors : float, array of K, mapping by class, or "data", optional
        The priors that the inner model's posteriors are at; by default those of the data given to
        `fit`, with their weights. They are required for a frozen model and for one that
        weights classes, unless there is a calibrator, whose posteriors are at the priors of the
        data.
    calibrator : Calibrator, optional
        Calibrates the model as `CalibratedClassifier` does; by default the model is not calibrated.
    abstain : float, or mapping from name to price, optional
        The cost of one more decision, called "abstain" or as in the mapping, the same for every
        class.
    cap : float from 0 to 1, optional
        The largest share of the cases in one call that may get the second of two decisions: those
        where it saves most, as in `stakes.decide`.
    response_method : str, default "auto"
        As in `CalibratedClassifier`.
    cv : int, splitter or iterable of splits, default 5
        Folds of the calibrator, as in `CalibratedClassifier`.
    n_jobs : int, optional
        Number of folds fitted at the same time.

    Attributes
    ----------
    estimator_ : classifier
        The model fitted on all data, or the frozen one.
    calibrator_ : Calibrator or None
        The fitted calibrator.
    classes_ : array of K labels
        In the order of the columns of `predict_proba`.
    decisions_ : array of M names
        The decisions that `predict` can return.
    costs_ : CostMatrix or CostsByCase
        The costs, with the decision to abstain.
    priors_ : array of K, or None
        Deployment priors; None for those of training.
    training_priors_ : array of K, or None
        Training priors; None if they are not known.
    n_features_in_, feature_names_in_ : int, array
        Those of the model, if it has them.

    See Also
    --------
    CalibratedClassifier : only calibrated posteriors.
    cost_scorer : evaluates any classifier by cost.
    decide : the same for given scores.

    Examples
    --------
    A missed tumour costs 20 times as much as a needless biopsy, and a second doctor may be asked
    for the cost of half a biopsy. `score` is the share of the naive cost that the decisions save:

    >>> import numpy as np
    >>> import stakes
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> data = load_breast_cancer()
    >>> y = np.where(data.target == 0, "malignant", "benign")
    >>> costs = stakes.CostMatrix([[0, 1], [20, 0]], classes=["benign", "malignant"])
    >>> model = make_pipeline(StandardScaler(), LogisticRegression())
    >>> bayes = stakes.sklearn.BayesClassifier(model, costs=costs, abstain={"ask": 0.5})
    >>> bayes.fit(data.data, y).decisions_.tolist()
    ['benign', 'malignant', 'ask']
    >>> plain = stakes.sklearn.BayesClassifier(model, costs=costs)
    >>> for each in (plain, bayes):
    ...     print(cross_val_score(each, data.data, y).mean().round(2))
    0.73
    0.78

    So let the classifier ask.
    """

    # Costs of cases that reach these methods are meant for them.
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"costs": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"costs": True}

    @answered
    def __init__(  # noqa: PLR0913  what is decided, and how posteriors are come by
        self,
        estimator: Any,
        *,
        costs: Any = None,
        priors: PriorsLike | None = None,
        training_priors: PriorsLike | None = None,
        calibrator: Calibrator | None = None,
        abstain: Abstention = None,
        cap: float | None = None,
        response_method: str = "auto",
        cv: Any = 5,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.priors = priors
        self.training_priors = training_priors
        self.calibrator = calibrator
        self.abstain = abstain
        self.cap = cap
        self.response_method = response_method
        self.cv = cv
        self.n_jobs = n_jobs

    costs_: CostMatrix | CostsByCase
    decisions_: NDArray[Any]
    priors_: FloatArray | None
    training_priors_: FloatArray | None

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Column | None = None,
        groups: Column | None = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the model and its calibrator, and match costs and priors to the classes.

        Parameters
        ----------
        X : features of N samples
            As the inner model takes them.
        y : column of N labels
            The true classes.
        sample_weight : column of N weights, optional
            For the model, if it takes them, for the calibrator and for the training priors.
        groups : column of N names, optional
            Samples of one group are never split by the folds of the calibrator.
        **fit_params
            Passed to the inner model's `fit`; with metadata routing also to the splitter.
        """
        data = self._fit_model(X, y, sample_weight, groups, fit_params)
        self._fit_costs()
        self._fit_priors(data)
        return self

    def _fit_costs(self) -> None:
        """Match costs to the classes.

        Where labels are codes of the classes that costs name, posteriors can be given and
        decisions cannot: that is how `cross_val_predict` asks for posteriors.
        """
        names = model_classes(self.estimator_, "estimator")
        self._mismatch: InputError | None = None
        try:
            self.costs_ = read_decision_costs(self.costs, names, self.abstain)
        except InputError as error:
            if not are_codes(names, getattr(self.costs, "classes", ())):
                raise
            self._mismatch = error
            return
        self.decisions_ = decision_labels(self.costs_.decisions, self.classes_, names)
        if self.cap is not None:
            read_number(self.cap, "cap", 0, 1)
            if len(self.decisions_) != 2:
                found = f"there are {len(self.decisions_)}, {quoted(self.costs_.decisions)}"
                raise InputError("cap", "needs two decisions", found=found)

    def _fit_priors(self, data: TrainingData) -> None:
        """Read the priors of use and those of training, where they are known."""
        names = model_classes(self.estimator_, "estimator")
        shares = _shares(data, self.classes_.tolist())
        given = read_named_priors(self.training_priors, names, "training_priors")
        self.training_priors_ = shares if given is None else given
        if self.calibrator is None and self.training_priors is None:
            why = next(_moving(self.estimator_), "")
            self.training_priors_ = None if why else shares
            if why and self.priors is not None:
                rule = f"must be given where {why}"
                hint = "Pass those its posteriors are at, or a calibrator."
                found = "its posteriors need not be at the priors of the data"
                raise InputError("training_priors", rule, found=found, hint=hint)
        self.priors_ = read_named_priors(self.priors, names, "priors")
        if isinstance(self.priors, str):
            self.priors_ = shares

    def _posteriors_in_use(self, X: Any) -> Posteriors | LogPosteriors:
        """Return posteriors at the priors of use."""
        found = self._posteriors(X)
        if self.priors_ is None or self.training_priors_ is None:
            return found
        return found.at_priors(self.training_priors_, self.priors_)

    def decide(self, X: Any, costs: Any = None) -> Decisions:
        """Return the decisions with their expected costs, as `stakes.Decisions`.

        Parameters
        ----------
        X : features of N cases
            As the inner model takes them.
        costs : data frame, mapping, array or SampleCosts, optional
            Costs that differ from case to case: the columns that `CostsByCase` names (one column of
            N numbers, if it names one), or costs of shape (N, K, M) instead of the given ones.
        """
        posteriors = self._posteriors_in_use(X)
        if self._mismatch is not None:
            raise self._mismatch
        table = costs_of_cases(self.costs_, X, costs, self.abstain)
        return decide(posteriors, table, cap=self.cap)

    def predict(self, X: Any, costs: Any = None) -> NDArray[Any]:
        """Return the decision of least expected cost for each case, by name.

        With metadata routing, `costs` are requested by default.

        Parameters
        ----------
        X : features of N samples
            As the inner model takes them.
        costs : data frame, mapping, array or SampleCosts, optional
            As in `decide`.
        """
        found = self.decide(X, costs)
        return self.decisions_[found.indices]

    def predict_proba(self, X: Any) -> FloatArray:
        """Return posteriors at the deployment priors, one column per class.

        Parameters
        ----------
        X : features of N samples
            As the inner model takes them.
        """
        return self._posteriors_in_use(X).answers(None).p

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the natural logs of posteriors at the deployment priors.

        Parameters
        ----------
        X : features of N samples
            As the inner model takes them.
        """
        return self._posteriors_in_use(X).answers(None).log_p

    def score(
        self,
        X: Any,
        y: Column,
        sample_weight: Column | None = None,
        costs: Any = None,
    ) -> float:
        """Return the share of the naive cost that the decisions save: 1 - NEC.

        1 is a system without costs, 0 is as good as the best constant decision, and a system below
        0 should be turned off. With 0-1 costs it ranks models as accuracy does. Expected costs are
        at the deployment priors, or at those of the labels if none are given.

        Parameters
        ----------
        X : features of N cases
            As the inner model takes them.
        y : column of N labels
            The true classes.
        sample_weight : column of N weights, optional
        costs : data frame, mapping, array or SampleCosts, optional
            As in `decide`.
        """
        found = self.decide(X, costs)
        names, priors = model_classes(self.estimator_, "estimator"), None
        if self.priors_ is not None:
            priors = dict(zip(names, self.priors_.tolist(), strict=True))
        loss = expected_cost(
            y, found.names, costs=found.costs, priors=priors, sample_weight=sample_weight
        )
        if loss.undefined is not None:
            warnings.warn(f"undefined: {loss.undefined.text}", UndefinedMetricWarning, stacklevel=2)
        return 1.0 - loss.normalized


def _shares(data: TrainingData, classes: list[Any]) -> FloatArray:
    """Return the share of each class in the weight of the data."""
    seen, code = np.unique(data.y, return_inverse=True)
    place = np.array([classes.index(label) for label in seen.tolist()])
    counts = bincount(place[code], data.weights, len(classes))
    return counts / counts.sum()


def _moving(model: Any) -> Iterator[str]:
    """Say why a model's posteriors may not be at the priors of the data."""
    if isinstance(model, FrozenEstimator):
        yield "the model is frozen"
    if isinstance(model, _CALIBRATED):
        return
    params = model.get_params() if hasattr(model, "get_params") else {}
    inside = tuple(f"{name}__" for name, v in params.items() if isinstance(v, _CALIBRATED))
    for name, value in params.items():
        harmless = _MOVING.get(name.rpartition("__")[2])
        plain = value is None or isinstance(value, bool | int | float)
        if harmless is None or name.startswith(inside) or (plain and value in harmless):
            continue
        yield f"the model has {name}={value!r}"
