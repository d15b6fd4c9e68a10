"""Calibrators: objects that learn a map of posteriors from labelled scores."""

from __future__ import annotations

__all__ = ["Calibrator", "calibrator_from_dict"]

from abc import abstractmethod
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from stakes._check import InputError, UndefinedMetricError, read_array
from stakes._counting import bincount
from stakes._foreign_calls import answered
from stakes._math import log
from stakes._records import Record, shown_field
from stakes._text import number, plain, quoted
from stakes._typing import Column, FloatArray, IntArray, Names, NamesLike, PriorsLike
from stakes.calibration.class_scales import ClassScales
from stakes.calibration.floor import Floor
from stakes.calibration.maps import CalibrationMap, FittedMap
from stakes.samples import Samples, read_samples
from stakes.scores import (
    LogLikelihoodRatios,
    LogLikelihoods,
    LogPosteriors,
    ScoreMeaning,
    Scores,
    as_scores,
)


@dataclass(frozen=True, eq=False)
class CrossFit:
    """Calibrated scores, the maps behind them, one for each fold, and their common floor."""

    scores: LogPosteriors
    maps: tuple[CalibrationMap, ...]
    floor: Floor = field(default_factory=Floor)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the fits, once."""
        said = dict.fromkeys(note for fitted in self.maps for note in fitted.notes)
        return (*self.floor.notes, *said)


class Calibrator(Record):
    """Base class of calibrators, which learn to turn scores into better posteriors.

    `fit` learns from labelled scores, `transform` applies what was learnt to any scores of the
    same classes. Fit on data that the classifier was not trained on, and evaluate on data that
    the calibrator was not fitted on: `cross_calibrate` does that for you.

    Posteriors of 0 and 1, as forests give them, count as half or twice the most extreme odds that
    other scores show; if all answers are certain, 0 of n counts as half an event in n + 1. Labels
    have no effect on this, and scores without them are not changed. No calibrated posterior is 0
    or 1, but for classes of prior 0 and `IsotonicCalibrator(mix=0)`.

    See Also
    --------
    AffineCalibrator : the usual one.
    choose_calibrator : which one to use.
    cross_calibrate : calibrates each sample by a fit that did not see it.
    calibrator_from_dict : reads a fitted one.

    Examples
    --------
    Every calibrator has the same methods, so they are easy to compare:

    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=1000)
    >>> raw = data.posteriors([0.5, 0.5])
    >>> for calibrator in (stakes.TemperatureCalibrator(), stakes.BiasCalibrator()):
    ...     better = calibrator.fit(raw, data.y).transform(raw)
    ...     print(stakes.cross_entropy(data.y, better).normalized < 0.5)
    False
    True

    The priors were wrong, so use the bias.
    """

    name: ClassVar[str]
    learns: ClassVar[str] = ""  # what, and when to use it: for the table in docs/calibration.md
    use: ClassVar[str] = ""
    two_classes: ClassVar[bool] = False  # whether it serves two classes alone
    fixes_priors: ClassVar[bool] = True  # whether what it gives is at the priors of its data
    counted: ClassVar[str] = ""  # the option that is a number of samples, if there is one
    _event: float = 1.0  # what one sample weighs, where the weights of all rows sum to their number
    _fit: FittedMap | None = None
    _line: Any = None  # slope and intercept with their errors, of two classes

    @abstractmethod
    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> CalibrationMap:
        """Return the map fitted to log posteriors, class indices and weights.

        Parameters
        ----------
        log_p : array of shape (N, K)
            Log posteriors.
        y : array of N ints
            The index of each sample's class.
        weights : array of N floats
            How much each sample counts; they sum to 1.
        """

    @answered
    def fit(
        self,
        scores: Scores | Column,
        y_true: Column,
        *,
        sample_weight: Column | None = None,
        priors: PriorsLike | None = None,
        classes: NamesLike | None = None,
    ) -> Self:
        """Learn from labelled scores, and return the calibrator itself.

        Scores come first here, as X does in scikit-learn; swapped arguments raise an error.

        Parameters
        ----------
        scores : array of posteriors, or typed scores
            Likelihoods are turned into posteriors at the given priors.
        y_true : column of N labels
        sample_weight : column of N weights, optional
        priors : float, array of K, mapping by class, or "data", optional
            The priors to calibrate for; by default those of the data. They are kept, and
            `transform` can move calibrated posteriors to other priors.
        classes : sequence of K names, optional
        """
        if isinstance(y_true, Scores):
            raise _swapped(type(y_true).__name__)
        if sample_weight is None:
            quick = self.learn_plain(scores, y_true, priors, classes)
            if quick is not None:
                self._fit = quick
                return self
        try:
            samples = read_samples(y_true, scores, priors, sample_weight, classes)
        except InputError as error:
            value = _score_among(y_true)
            raise (error if value is None else _swapped(value)) from None
        fitted = self.fit_samples(samples)
        return fitted._with_errors(fitted._fit_or_refuse().floor.samples(samples))

    def _with_errors(self, samples: Samples) -> Self:  # noqa: ARG002
        """Find the standard errors of what was learnt, where they have a closed form."""
        return self

    def learn_plain(self, *data: Any, **settings: Any) -> FittedMap | None:  # noqa: ANN401, ARG002
        """Return the fit to unchecked scores and labels; None if that is not possible."""
        return None

    def fit_samples(self, samples: Samples) -> Self:
        """Learn from checked samples.

        Parameters
        ----------
        samples : Samples
            Labels and scores that are already checked.
        """
        floor = Floor.from_samples(samples)
        fitted = self._fit_inside(floor.samples(samples))._fit_or_refuse()
        self._fit = replace(fitted, floor=floor)
        return self

    def _fit_inside(self, samples: Samples) -> Self:
        """Learn from samples whose scores are within the floor."""
        require_every_class(samples)
        if self.two_classes and len(samples.classes) != 2:
            raise InputError(type(self).__name__, "needs two classes", len(samples.classes))
        if samples.weights is None and samples.copies is None:
            priors = samples.given_priors
            quick = self.learn_plain(samples.scores, samples.y, priors, None)
            if quick is not None:
                return self._fitted_on(samples, quick.map)
        weights = samples.balanced_mass()
        log_p = samples.scores.answers(samples.priors).log_p
        learner = self
        if samples.copies is not None:  # what is learnt counts rows as samples
            learner, often = self.fresh(), samples.n / len(samples)
            learner._event = 1 / often
            if self.counted and (number := getattr(self, self.counted)):
                setattr(learner, self.counted, number / often)
        found = learner.learn(log_p, samples.y, weights)
        return self._fitted_on(samples, found)

    def _fitted_on(self, samples: Samples, found: CalibrationMap) -> Self:
        self._fit = FittedMap(found, samples.classes, samples.scores.meaning, samples.priors)
        return self

    def smooth(
        self,
        fitted: CalibrationMap,  # noqa: ARG002
        log_p: FloatArray,  # noqa: ARG002
        y: IntArray,  # noqa: ARG002
        weights: FloatArray,  # noqa: ARG002
        n: int,  # noqa: ARG002
    ) -> tuple[ClassScales, FloatArray] | None:
        """Return the loss that a map is the least of, and its parameters; None if it has steps.

        Parameters
        ----------
        fitted : CalibrationMap
            What was learnt.
        log_p : array of shape (N, K)
            Finite log posteriors.
        y : array of N ints
            The index of each sample's class.
        weights : array of N floats
            How much each sample counts; they sum to 1.
        n : int
            How many samples the map was learnt from.
        """
        return None

    def fit_folds(self, samples: Samples, fold: IntArray, n_folds: int) -> CrossFit | None:  # noqa: ARG002
        """Return the fit of each fold to all other folds at once; None if there is no way to do so.

        Parameters
        ----------
        samples : Samples
            Labels and scores that are already checked.
        fold : array of N ints
            The fold of each sample.
        n_folds : int
            Number of folds.
        """
        return None

    @answered
    def transform(self, scores: Scores | Column, priors: PriorsLike | None = None) -> LogPosteriors:
        """Return calibrated posteriors for scores of the kind it was fitted on.

        They are at the priors of the fit. If other priors are given, Bayes' rule moves them there;
        calibrated likelihood ratios are the same at all priors.

        Parameters
        ----------
        scores : array of posteriors, or typed scores
            Scores of the kind that it was fitted on.
        priors : float, array of K, or mapping by class, optional
            The priors to move the posteriors to; by default those of the fit.

        Examples
        --------
        Fitted where one in five is positive, used where one in a hundred is:

        >>> import stakes
        >>> data = stakes.simulation.simulate(2, n=2000, priors=[0.8, 0.2])
        >>> ratios = data.log_likelihood_ratios()
        >>> calibrator = stakes.AffineCalibrator().fit(ratios, data.y, priors="data")
        >>> here = calibrator.transform(ratios)
        >>> there = calibrator.transform(ratios, [0.99, 0.01])
        >>> by_hand = here.at_priors(calibrator.training_priors, [0.99, 0.01])
        >>> bool(abs(there.values - by_hand.values).max() < 1e-12)
        True
        """
        return self._fit_or_refuse().posteriors(as_scores(scores), priors)

    def log_likelihoods(self, scores: Scores | Column) -> LogLikelihoods:
        """Return calibrated log likelihoods, one column per class, which are valid at any priors.

        Parameters
        ----------
        scores : array of posteriors, or typed scores
            Scores of the kind that it was fitted on.
        """
        fit = self._fit_or_refuse()
        found = fit.posteriors(as_scores(scores))
        return LogLikelihoods.trusted(found.values - log(fit.known_priors()), found.names)

    def log_likelihood_ratios(self, scores: Scores | Column) -> LogLikelihoodRatios:
        """Return calibrated log likelihood ratios of two classes, which are valid at any priors.

        Parameters
        ----------
        scores : array of posteriors, or typed scores
            Scores of the kind that it was fitted on.
        """
        if len(self.classes) != 2:
            msg = f"log likelihood ratios need two classes: got {len(self.classes)}."
            raise InputError(f"{msg} Use log_likelihoods, one column per class.")
        return LogLikelihoodRatios.trusted(self.log_likelihoods(scores).ranks())

    @property
    def classes(self) -> Names:
        """The classes it was fitted for."""
        return self._fit_or_refuse().classes

    @property
    def training_priors(self) -> FloatArray | None:
        """The priors it was fitted at; None if read from a file without them."""
        return self._fit_or_refuse().priors

    @property
    def training_priors_text(self) -> str:
        """The priors it was fitted at, by class, as text."""
        if self.training_priors is None:
            return "unknown"
        pairs = zip(self.classes, self.training_priors.tolist(), strict=True)
        return ", ".join(f"{plain(name)} {number(p)}" for name, p in pairs)

    @property
    def score_meaning(self) -> ScoreMeaning | None:
        """The type of scores it was fitted on; None if read from a file without it."""
        return self._fit_or_refuse().meaning

    @property
    def fitted(self) -> CalibrationMap:
        """What was learnt."""
        return self._fit_or_refuse().map

    def _fit_or_refuse(self) -> FittedMap:
        if self._fit is None:
            msg = f"{type(self).__name__} must be fitted before it is used: call fit first."
            raise InputError(msg)
        return self._fit

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know about the fit."""
        return (*self._fit_or_refuse().floor.notes, *self.fitted.notes)

    def __str__(self) -> str:
        """Return the settings and, once it is fitted, what was learnt."""
        known: tuple[Field[Any], ...] = fields(self) if is_dataclass(self) else ()
        chosen = [
            f"{f.name}={shown_field(value)}"
            for f in known
            if (value := getattr(self, f.name)) != _default(f)
        ]
        head = f"{type(self).__name__}({', '.join(chosen)})"
        return head if self._fit is None else f"{head}: {self._learnt()}"

    def _learnt(self) -> str:
        """Return in a line or two what was learnt."""
        return "; ".join([self.fitted.text(self.classes), *self._fit_or_refuse().floor.notes])

    def fresh(self) -> Self:
        """Return an unfitted calibrator of the same kind and settings."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._fit = other._line = None
        return other

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted calibrator as plain values with a checksum, ready for JSON."""
        return self._fit_or_refuse().to_dict(self.name)

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Calibrator:
        """Return a fitted calibrator of any kind, read from plain values.

        Parameters
        ----------
        data : dict
            What `to_dict` returned.
        """
        return calibrator_from_dict(data)


class FittedCalibrator(Calibrator):
    """A calibrator that was read from a file: it can transform, and has nothing to learn with."""

    def __init__(self, name: str, fit: FittedMap) -> None:
        self.name, self._fit = name, fit  # type: ignore[misc]  # of the kind that it was

    def __str__(self) -> str:
        return f"{plain(self.name)} calibrator, read: {self._learnt()}"

    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> CalibrationMap:  # noqa: ARG002
        """Refuse: what was fitted elsewhere stays as it is."""
        msg = "a calibrator that was read cannot be fitted again: make a new one."
        raise InputError(msg)


@answered
def calibrator_from_dict(data: dict[str, Any]) -> Calibrator:
    """Read a fitted calibrator; a checksum detects data that were changed or cut.

    Parameters
    ----------
    data : dict
        What `Calibrator.to_dict` returned, as read from JSON.

    Returns
    -------
    Calibrator
        Fitted, of the kind that was written.

    Raises
    ------
    InputError
        If the values do not match their checksum, or are of an unknown kind.

    See Also
    --------
    Calibrator : `fit`, `transform` and `to_dict`.

    Examples
    --------
    >>> import json
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> p = data.posteriors([0.9, 0.1])
    >>> text = json.dumps(stakes.TemperatureCalibrator().fit(p, data.y).to_dict())
    >>> stakes.calibrator_from_dict(json.loads(text)).transform(p).n_classes
    2
    """
    fit = FittedMap.from_dict(data)
    return FittedCalibrator(str(data.get("name")), fit)


def _default(field: Field[Any]) -> Any:  # noqa: ANN401
    """Return the default of a setting."""
    return field.default if field.default_factory is MISSING else field.default_factory()


def _swapped(found: object) -> InputError:
    """Return the error for scores in the place of labels."""
    hint = "Call fit(scores, y_true): scores come first here."
    got, code = f"{found}, which looks like scores", "arguments_swapped"
    return InputError("y_true", "must be labels", got, hint=hint, code=code)


def _score_among(y_true: Column) -> str | None:
    """Return a number among labels that is not whole, as scores are, and its place."""
    try:
        values = read_array(y_true, "y_true")
    except InputError:
        return None
    broken = np.argwhere(np.isfinite(values) & (np.trunc(values) != values))
    return f"{values[tuple(broken[0])]:.4g} at row {broken[0][0]}" if len(broken) else None


def require_every_class(samples: Samples) -> None:
    """Refuse to calibrate for a class that no sample shows."""
    if samples.priors_from_data and samples.weights is None and samples.priors.all():
        return
    seen = bincount(samples.y, minlength=len(samples.classes))
    bare = (seen == 0) & ((samples.priors > 0) | samples.priors_from_data)
    if bare.any():
        name = quoted([samples.classes[int(bare.argmax())]])
        msg = f"class {name} has 0 samples to calibrate on. Add samples of it, or leave its column"
        msg = f"{msg} out of scores and classes."
        raise UndefinedMetricError(msg, code="class_without_samples")
