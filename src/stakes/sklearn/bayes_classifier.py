"""A classifier that decides at the least expected cost, as a scikit-learn estimator."""

from __future__ import annotations

__all__ = ["BayesClassifier"]

import warnings
from typing import Any, ClassVar, Self

import numpy as np

from stakes._check import InputError, UndefinedMetricWarning, read_number
from stakes._foreign_calls import answered
from stakes._text import quoted
from stakes._typing import Column, FloatArray, Names, NDArray, PriorsLike
from stakes.calibration import Calibrator
from stakes.costs import CostMatrix, CostsByCase
from stakes.evaluation import Decisions, decide
from stakes.evaluation.applications import DEPLOYMENT
from stakes.evaluation.model_priors import (
    ClassCounts,
    PosteriorPriors,
    contradiction,
    lacks_model_priors,
    priors_text,
)
from stakes.metrics import expected_cost
from stakes.scores import LogPosteriors, Posteriors, model_classes
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
        How often each class will occur in deployment; by default as in the data given to `fit`,
        also if the model weights classes. An array is for the classes 0 to K - 1.
    training_priors : float, array of K, mapping by class, "data" or "deployment", optional
        The priors that the inner model's posteriors are at; by default as known from the model: its
        training data, its weights of classes and samples, its own priors. They are required with
        `priors` where they are unknown, as for a frozen model, unless there is a calibrator,
        whose posteriors are at the priors of the data; a temperature does not move priors.
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
        Deployment priors; None for those of the data.
    training_priors_ : array of K, or None
        The priors of the inner model's posteriors; None if they are not known.
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
    _target: FloatArray | None  # that posteriors are moved to

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
        """Read the priors of use and those that the posteriors are at, where they are known."""
        names = model_classes(self.estimator_, "estimator")
        counts = self._counts(data, data.weights)
        shares, known = counts.shares, self._known
        self.priors_ = read_named_priors(self.priors, names, "priors")
        if isinstance(self.priors, str):
            self.priors_ = shares
        given = self._given_training(names, shares)
        self.training_priors_ = known.values if given is None else given
        self._target = self.priors_
        if given is not None:
            self._target = shares if self.priors_ is None else self.priors_
            text = contradiction(known, given, names, shares)
            if text:
                warnings.warn(f"{text}.", UserWarning, stacklevel=3)
        elif self._stated and known.values is None:
            raise lacks_model_priors("of the estimator", known)
        elif self.priors_ is None:
            self._notice(names, counts)

    @property
    def _stated(self) -> bool:
        """Whether priors are given as numbers, and nothing says what posteriors are at."""
        return not (self.priors is None or isinstance(self.priors, str) or self._deployed)

    @property
    def _deployed(self) -> bool:
        """Whether the model's posteriors are said to be at the priors of use."""
        return isinstance(self.training_priors, str) and self.training_priors == DEPLOYMENT

    def _given_training(self, names: Names, shares: FloatArray) -> FloatArray | None:
        """Return the training priors that were given as numbers."""
        if self._deployed:
            return self.priors_
        given = read_named_priors(self.training_priors, names, "training_priors")
        return shares if given is None and self.training_priors is not None else given

    def _notice(self, names: Names, counts: ClassCounts) -> None:
        """Move posteriors of a model that weights classes back to its data, and say so."""
        known, shares = self._known, counts.shares
        why = f": {known.weighting}" if known.weighting else ""
        start = f"the model does not give posteriors at the priors of its data{why}"
        say = 'Pass priors="data", or those of deployment, to say so.'
        text = ""
        if known.weighting and known.values is None:
            end = f"where they are is unknown ({known.why}), so they are used as delivered"
            text = f"{start}, and {end}. Pass calibrator=stakes.AffineCalibrator()."
        elif known.differ(shares) and not known.stated:
            self._target = shares
            end = f"they are adapted from {known.text(names)} to {priors_text(names, shares)}"
            text = f"{start}; {end}. {say}"
        elif not counts.evenly:
            text = (
                f"sample_weight moves the shares of the classes to {priors_text(names, shares)},"
                f" and decisions are for these. {say}"
            )
        if text:
            warnings.warn(text, UserWarning, stacklevel=4)

    def _posterior_priors(self) -> PosteriorPriors:
        """Return the priors that `predict_proba` gives posteriors at."""
        if self._target is None or self.training_priors_ is None:
            return self._known
        return PosteriorPriors(self._target, stated=self.priors_ is not None)

    def _posteriors_in_use(self, X: Any) -> Posteriors | LogPosteriors:
        """Return posteriors at the priors of use."""
        found, old = self._posteriors(X), self.training_priors_
        if self._target is None or old is None or np.array_equal(old, self._target):
            return found
        return found.at_priors(old, self._target)

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
