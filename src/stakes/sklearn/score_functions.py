"""What scorers compute: objects that hold costs, rules and calibrators, and take predictions.

scikit-learn's scorers hold a function of labels and predictions. It sees no class names, so that a
scorer of ours gives it scores that have names. Others call it by itself: a search for a threshold
with class labels, skore with columns of `predict_proba`, which are in the sorted order of the
classes, as everywhere in scikit-learn.
"""

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Any, ClassVar

import numpy as np

from stakes._check import (
    InputError,
    UndefinedMetricError,
    UndefinedMetricWarning,
    read_column,
    read_names,
    read_priors,
    seen_names,
)
from stakes._text import quoted
from stakes._typing import Column, FloatArray, Names, NamesLike, PriorsLike
from stakes.calibration import Calibrator
from stakes.calibration.crossfit import Folds
from stakes.calibration.loss import calibration_loss
from stakes.costs import CostMatrix, CostsByCase
from stakes.curves import auc
from stakes.evaluation.applications import DEPLOYMENT, read_training_numbers
from stakes.evaluation.model_priors import (
    PosteriorPriors,
    contradiction,
    in_order,
    lacks_model_priors,
    moved,
)
from stakes.metrics import bayes_cost, expected_cost, expected_loss
from stakes.results import ExpectedLoss
from stakes.samples import read_samples
from stakes.scores import Logits, LogPosteriors, PosteriorScores, Scores
from stakes.scores.model_scores import RESPONSES
from stakes.scoring import BayesCost, ScoringRule

_DATA = ("y_true", "y_pred")


class ScoreFunction(ABC):
    """A function of labels and predictions, whose options are its fields.

    `metadata` are the columns that it takes beside labels, predictions and weights.
    """

    greater_is_better: ClassVar[bool] = False

    __name__: str
    __signature__: Signature

    def __init__(
        self,
        name: str,
        response_method: str,
        classes: Names | None,
        priors: PriorsLike | None,
        metadata: tuple[str, ...] = (),
    ) -> None:
        self.__name__ = name
        self.response_method: str = response_method
        self.classes: Names | None = classes
        self.priors: PriorsLike | None = priors
        columns = [Parameter(each, Parameter.POSITIONAL_OR_KEYWORD) for each in _DATA]
        columns += [
            Parameter(each, Parameter.KEYWORD_ONLY, default=None)
            for each in ("sample_weight", *metadata)
        ]
        self.__signature__ = Signature(columns)

    def __call__(self, y_true: Column, y_pred: Column, **metadata: Any) -> float:
        """Return the value for predictions alone, without a model that names its classes.

        Parameters
        ----------
        y_true : column of labels
        y_pred : class labels or other decisions; or scores
            Scores of two classes as one column are those of the last class in sorted order.
        **metadata
            Such as `sample_weight`, as scikit-learn routes it.
        """
        if self._decided(y_pred):
            return self.defined(lambda: self.of_decisions(y_true, y_pred, self.classes, **metadata))
        return self.defined(
            lambda: self.of_scores(y_true, self._sorted_scores(y_true, y_pred), **metadata)
        )

    def defined(self, value: Callable[[], float]) -> float:
        """Return a value; NaN, with a warning that says why, where the samples cannot give it."""
        try:
            return value()
        except UndefinedMetricError as error:
            why = f"{self.__name__} is undefined: {error}"
            warnings.warn(why, UndefinedMetricWarning, stacklevel=2)
            return math.nan

    def of_scores(
        self,
        y_true: Column,
        scores: PosteriorScores,
        at: PosteriorPriors | None = None,
        **metadata: Any,
    ) -> float:
        """Return the value for scores whose columns have names, of a model at known priors."""
        known = aligned(scores, self.classes)
        self._refuse_sorted_priors(known)
        names = known.names or ()
        at = None if at is None else in_order(at, scores.names or (), names)
        return self._of_scores(y_true, self._in_use(y_true, known, at, metadata), **metadata)

    def _in_use(
        self,
        y_true: Column,
        scores: PosteriorScores,
        at: PosteriorPriors | None,
        metadata: Mapping[str, Any],
    ) -> PosteriorScores:
        """Return scores at the priors of use; where any scale serves, the same."""
        del y_true, at, metadata
        return scores

    @abstractmethod
    def _of_scores(self, y_true: Column, scores: Scores, **metadata: Any) -> float:
        """Return the value for scores in the order of the classes."""

    def of_decisions(
        self, y_true: Column, decisions: Column, classes: Names | None, **metadata: Any
    ) -> float:
        """Return the value for hard decisions of a model with these classes."""
        del y_true, classes, metadata
        rule = f"must be probabilities for {self.__name__}"
        first = next(iter(np.asarray(decisions).tolist()), None)
        raise InputError("y_pred", rule, f"decisions such as {first!r}")

    def _decided(self, y_pred: Column) -> bool:
        """Whether predictions are decisions, not numbers of which some lie between labels."""
        if self.response_method == "predict":
            return True
        values = np.asarray(y_pred)
        return values.ndim == 1 and values.dtype.kind != "f"

    def _sorted_scores(self, y_true: Column, values: Column) -> PosteriorScores:
        """Return scores whose columns are in the sorted order of the classes."""
        scores = RESPONSES[self.response_method](values)
        known = self.classes
        if known is None:
            known = seen_names(read_column(y_true, "y_true"))
            if set(known) <= set(range(scores.n_classes)):
                known = tuple(range(scores.n_classes))
        if len(known) != scores.n_classes:
            rule = f"must have one column per class {quoted(known)}"
            raise UndefinedMetricError("y_pred", rule, f"scores of {scores.n_classes} classes")
        return scores.named(tuple(sorted(known)))

    def _refuse_sorted_priors(self, scores: PosteriorScores) -> None:
        """Refuse priors without names where the order of the classes was never declared."""
        names = scores.names or ()
        plain = self.priors is None or isinstance(self.priors, str | Mapping)
        if plain or self.classes is not None or names == tuple(range(len(names))):
            return
        rule = f"must name the classes of the model, {quoted(names)}"
        hint = "Pass a mapping from class to prior, or classes=[...]."
        raise InputError("priors", rule, found="numbers have no names", hint=hint)


class LossFunction(ScoreFunction):
    """An expected loss, normalised by that of the naive system or not."""

    _adapts: ClassVar[str] = "training_priors"

    def __init__(
        self,
        name: str,
        response_method: str,
        classes: Names | None,
        priors: PriorsLike | None,
        metadata: tuple[str, ...] = (),
        *,
        normalized: bool,
        training: PriorsLike | None = None,
    ) -> None:
        self.normalized: bool = normalized
        self.training: PriorsLike | None = training
        shown = f"normalized_{name}" if normalized else name
        super().__init__(shown, response_method, classes, priors, metadata)

    def _in_use(
        self,
        y_true: Column,
        scores: PosteriorScores,
        at: PosteriorPriors | None,
        metadata: Mapping[str, Any],
    ) -> PosteriorScores:
        """Return posteriors at the priors of use, by what is told or known of the model."""
        names, training = scores.names or (), self.training
        new = read_priors(self.priors, names)
        if training is None:
            if at is None:
                return scores
            if new is None:
                self._notice(at)
                return scores
            if at.values is None:
                raise lacks_model_priors("of the model", at)
            return moved(scores, at.values, new)
        if isinstance(training, str) and training == DEPLOYMENT:
            return scores
        weights = metadata.get("sample_weight")
        shares = read_samples(y_true, scores, None, weights, names).data_priors()
        old = read_training_numbers(training, names)
        if new is None:
            new = shares
        text = (
            "" if at is None else contradiction(at, shares if old is None else old, names, shares)
        )
        if text:
            warnings.warn(f"{self.__name__}: {text}.", UserWarning, stacklevel=2)
        if old is None:  # a class without samples has prior 0 in `new`, or the value is undefined
            some = np.where(shares > 0, shares, 1.0)
            old = shares if np.array_equal(shares, new) else some / some.sum()
        return moved(scores, old, new)

    def _notice(self, at: PosteriorPriors) -> None:
        """Say once that a model weights classes, so that its posteriors are not those of data."""
        if at.weighting:
            msg = f"{self.__name__}: the model does not give posteriors at the priors of its data"
            hint = f"stakes.sklearn.BayesClassifier adapts them, and so does {self._adapts}"
            warnings.warn(f"{msg}: {at.weighting}. {hint}.", UserWarning, stacklevel=2)

    def _value(self, loss: ExpectedLoss) -> float:
        if not self.normalized:
            return loss.value
        if loss.undefined is not None:
            raise UndefinedMetricError(loss.undefined.text)
        return loss.normalized


class CostFunction(LossFunction):
    """The expected cost of Bayes decisions made with scores, or of decisions as they are."""

    def __init__(
        self,
        costs: CostMatrix | CostsByCase | None,
        response_method: str,
        classes: Names | None,
        priors: PriorsLike | None,
        *,
        normalized: bool,
        training: PriorsLike | None = None,
    ) -> None:
        self.costs: CostMatrix | CostsByCase | None = costs
        columns = costs.columns if isinstance(costs, CostsByCase) else ()
        known = "cost", response_method, classes, priors, columns
        super().__init__(*known, normalized=normalized, training=training)

    def _decided(self, y_pred: Column) -> bool:
        """Whether predictions are decisions: labels that came as whole floats are, too."""
        values = np.asarray(y_pred)
        whole = values.ndim == 1 and values.dtype.kind == "f" and (values == np.trunc(values)).all()
        return bool(whole) or super()._decided(y_pred)

    def _of_scores(self, y_true: Column, scores: Scores, **metadata: Any) -> float:
        weights = metadata.pop("sample_weight", None)
        told = {"priors": self.priors, "sample_weight": weights, "classes": scores.names}
        return self._value(bayes_cost(y_true, scores, costs=self._priced(metadata), **told))

    def of_decisions(
        self, y_true: Column, decisions: Column, classes: Names | None, **metadata: Any
    ) -> float:
        """Return what decisions cost; they need not be classes."""
        weights = metadata.pop("sample_weight", None)
        costs = self._priced(metadata)
        if costs is None and classes is not None:
            costs = CostMatrix.zero_one(classes)
        told = {"priors": self.priors, "sample_weight": weights}
        return self._value(expected_cost(y_true, decisions, costs=costs, **told))

    def _priced(self, amounts: Mapping[str, Any]) -> Any:
        """Return the costs, those by case at the amounts of the samples."""
        if not isinstance(self.costs, CostsByCase):
            return self.costs
        given = {name: values for name, values in amounts.items() if values is not None}
        lacking = [name for name in self.costs.columns if name not in given]
        if lacking:
            request = ", ".join(f"{name}=True" for name in lacking)
            rule = f"must come with the columns that costs name, {quoted(self.costs.columns)}"
            hint = f"Request them with set_score_request({request}) and pass them as metadata"
            hint = f"{hint}, or as columns of X."
            found = f"there is no {quoted(lacking)}"
            raise InputError("metadata", rule, found=found, hint=hint)
        return self.costs.with_columns(given)


class RuleFunction(LossFunction):
    """The expected value of a proper scoring rule."""

    def __init__(
        self,
        rule: ScoringRule,
        response_method: str,
        classes: Names | None,
        priors: PriorsLike | None,
        *,
        normalized: bool,
        training: PriorsLike | None = None,
    ) -> None:
        self.rule: ScoringRule = rule
        named = rule.name.replace(" ", "_").replace("-", "_").lower()
        known = named, response_method, classes, priors
        super().__init__(*known, normalized=normalized, training=training)

    def _of_scores(self, y_true: Column, scores: Scores, **metadata: Any) -> float:
        told = {"priors": self.priors, "classes": scores.names, **metadata}
        return self._value(expected_loss(self.rule, y_true, scores, **told))


class CalibratedFunction(LossFunction):
    """The expected loss that is left after calibration, cross-fitted within the samples."""

    _adapts = "a calibrator with biases, such as stakes.AffineCalibrator()"

    def __init__(  # noqa: PLR0913  the rule, the calibrator, and how it is fitted
        self,
        rule: ScoringRule,
        calibrator: Calibrator,
        folds: Folds,
        rng: int,
        response_method: str,
        classes: Names | None,
        priors: PriorsLike | None,
        *,
        normalized: bool,
    ) -> None:
        self.rule: ScoringRule = rule
        self.calibrator: Calibrator = calibrator
        self.folds: Folds = folds
        self.rng: int = rng
        named = "calibrated_" + rule.name.replace(" ", "_").replace("-", "_").lower()
        known = named, response_method, classes, priors, ("groups",)
        super().__init__(*known, normalized=normalized)

    def _in_use(
        self,
        y_true: Column,
        scores: PosteriorScores,
        at: PosteriorPriors | None,
        metadata: Mapping[str, Any],
    ) -> PosteriorScores:
        """Return the same scores where the calibrator is fitted at the priors of use."""
        if self.calibrator.fixes_priors:
            return scores
        try:
            return super()._in_use(y_true, scores, at, metadata)
        except InputError as error:
            if error.code != "training_priors_needed":
                raise
            raise error.moved(hint=f"Pass {self._adapts}.") from None

    def _of_scores(self, y_true: Column, scores: Scores, **metadata: Any) -> float:
        told = {"priors": self.priors, "classes": scores.names, **metadata}
        fit: Any = {"calibrator": self.calibrator, "folds": self.folds, "rng": self.rng}
        return self._value(calibration_loss(self.rule, y_true, scores, **fit, **told).calibrated)


class AreaFunction(ScoreFunction):
    """The area under the ROC curve."""

    greater_is_better = True

    def _decided(self, y_pred: Column) -> bool:
        """Whether predictions are texts: any numbers rank."""
        return np.asarray(y_pred).dtype.kind not in "fiub"

    def _sorted_scores(self, y_true: Column, values: Column) -> PosteriorScores:
        """Return any numbers as logits, which rank as they do."""
        table = np.asarray(values, dtype=np.float64)
        column: FloatArray = table if table.ndim == 1 else table[:, 1] - table[:, 0]
        if table.ndim == 2 and table.shape[1] != 2:
            raise InputError("y_pred", "must be scores of two classes", f"{table.shape[1]} columns")
        names = self.classes or seen_names(read_column(y_true, "y_true"))
        names = (0, 1) if set(names) <= {0, 1} else tuple(sorted(names))
        if len(names) != 2:
            msg = f"a threshold needs samples of both classes: got {quoted(names)} alone."
            raise UndefinedMetricError(msg)
        return Logits(column).named(names)

    def _of_scores(self, y_true: Column, scores: Scores, **metadata: Any) -> float:
        return float(auc(y_true, scores, classes=scores.names, **metadata))


def aligned(scores: PosteriorScores, classes: Names | None) -> PosteriorScores:
    """Return scores of a model in the order of the declared classes, matched by name.

    A class that the model never saw has probability 0, which is said; a class of the model that
    is not declared is an error.
    """
    own = scores.names or ()
    if classes is None or own == classes:
        return scores
    if not set(own) <= set(classes):
        rule = f"must be among those that were declared, {quoted(classes)}"
        hint = "Name the classes of costs as the labels are: CostMatrix(..., classes=[...])."
        raise InputError("classes of the model", rule, quoted(own), hint=hint)
    if len(own) == len(classes):
        return scores.ordered(classes)
    missing = [name for name in classes if name not in own]
    warnings.warn(
        f"the model was fitted without samples of {quoted(missing)}: their probability is 0.",
        UserWarning,
        stacklevel=2,
    )
    log_p = scores.log_posteriors()
    wide = np.full((len(scores), len(classes)), -np.inf)
    wide[:, [classes.index(name) for name in own]] = log_p
    return LogPosteriors.trusted(wide, classes)


def declared(classes: NamesLike | None, rule: ScoringRule | None = None) -> Names | None:
    """Return the classes that were declared, by name or by the costs of a rule."""
    if isinstance(rule, BayesCost):
        own = rule.costs.classes
        if classes is not None and read_names(classes, "classes") != own:
            raise InputError("classes", f"must be those of costs, {quoted(own)}", repr(classes))
        return own
    return None if classes is None else read_names(classes, "classes")
