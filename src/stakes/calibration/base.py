"""Calibrators: objects that learn a map of posteriors from labelled scores."""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from stakes._check import InputError, UndefinedMetricError, read_names, read_priors
from stakes._text import quoted
from stakes._typing import Column, FloatArray, IntArray, Names, NamesLike, PriorsLike
from stakes.calibration.maps import MAPS, CalibrationMap
from stakes.samples import Samples, read_samples
from stakes.scores import LogPosteriors, Scores, as_scores

FORMAT, VERSION = "stakes-calibrator", 1


class ImpossibleTruthError(UndefinedMetricError):
    """Some samples have posterior 0 for their true class, which no scale or shift can mend."""

    def __init__(self, rows: IntArray) -> None:
        self.rows = rows
        many = f"{rows.size} samples have" if rows.size > 1 else "1 sample has"
        more = f" and {rows.size - 1} more" if rows.size > 1 else ""
        msg = (
            f"{many} posterior 0 for the true class, row {rows[0]}{more}: no scale or shift of log"
        )
        msg = f"{msg} posteriors can mend that. Use an isotonic or a histogram calibrator, or"
        super().__init__(f"{msg} scores that never say never.")


@dataclass(frozen=True, eq=False)
class FoldFits:
    """The map of each fold, and log posteriors of all samples by the maps of their folds."""

    maps: tuple[CalibrationMap, ...]
    log_p: FloatArray


class Calibrator(ABC):
    """Learns how to turn scores into better posteriors.

    `fit` learns from labelled scores, `transform` applies what was learnt to any scores of the
    same classes. Fit on data that the classifier was not trained on, and judge on data that the
    calibrator was not fitted on: `cross_calibrate` does that for you.
    """

    name: ClassVar[str]
    _map: CalibrationMap | None = None
    _classes: Names | None = None
    _priors: FloatArray | None = None  # those that likelihoods were turned into posteriors with

    @abstractmethod
    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> CalibrationMap:
        """Return the map for log posteriors, coded labels and weights that sum to 1."""

    def fit(
        self,
        scores: Scores | Column,
        y_true: Column,
        *,
        sample_weight: Column | None = None,
        priors: PriorsLike | None = None,
        classes: NamesLike | None = None,
    ) -> Self:
        """Learn from labelled scores; returns the calibrator itself.

        Parameters
        ----------
        scores : array of posteriors, or typed scores
            Likelihoods are turned into posteriors at the given priors.
        y_true : column of N labels
        sample_weight : column of N weights, optional
        priors : array of K, mapping by class, or "data", optional
            The priors to calibrate for; by default those of the data.
        classes : sequence of K names, optional
        """
        if isinstance(y_true, Scores):
            msg = f"y_true must be labels: got {type(y_true).__name__}. Call fit(scores, y_true)."
            raise InputError(msg)
        if sample_weight is None:
            quick = self.learn_plain(scores, y_true, priors, classes)
            if quick is not None:
                (self._map, self._classes), self._priors = quick, None
                return self
        samples = read_samples(
            y_true, scores, priors=priors, sample_weight=sample_weight, classes=classes
        )
        return self.fit_samples(samples)

    def learn_plain(
        self,
        scores: Scores | Column,  # noqa: ARG002
        y_true: Column,  # noqa: ARG002
        priors: PriorsLike | None,  # noqa: ARG002
        classes: NamesLike | None,  # noqa: ARG002
    ) -> tuple[CalibrationMap, Names] | None:
        """Return map and classes where they can be had of arrays as they are; by default not."""
        return None

    def fit_samples(self, samples: Samples) -> Self:
        """Learn from samples that were checked."""
        require_every_class(samples)
        if samples.weights is None:
            priors = None if samples.priors_from_data else samples.priors
            quick = self.learn_plain(samples.scores, samples.y, priors, None)
            if quick is not None:
                self._map, self._classes, self._priors = quick[0], samples.classes, None
                return self
        weights = samples.balanced_weights()
        log_p = samples.scores.answers(samples.priors).log_p
        try:
            self._map = self.learn(log_p, samples.y, weights)
        except ImpossibleTruthError as error:  # told in rows of the arguments, not of a fold
            raise ImpossibleTruthError(samples.rows(error.rows)) from None
        return self._fitted_for(samples)

    def _fitted_for(self, samples: Samples) -> Self:
        """Note what was learnt from."""
        self._classes = samples.classes
        self._priors = samples.priors if samples.scores.needs_priors else None
        return self

    def fit_folds(self, samples: Samples, fold: IntArray, n_folds: int) -> "FoldFits | None":  # noqa: ARG002
        """Learn for each fold from all the others, if there is a way to do that all at once."""
        return None

    def transform(self, scores: Scores | Column, priors: PriorsLike | None = None) -> LogPosteriors:
        """Return calibrated posteriors.

        Likelihoods are taken at the priors they were fitted with, unless others are given.
        """
        fitted, names = self.fitted, self.classes
        typed = as_scores(scores).ordered(names)
        if typed.n_classes != len(names):
            msg = f"scores must have one column per class {quoted(names)}: got"
            raise InputError(f"{msg} {typed.n_classes} columns.")
        p = self._priors if priors is None else read_priors(priors, names)
        if p is None and typed.needs_priors:
            raise typed.lacks_priors()
        return LogPosteriors.trusted(fitted(typed.answers(p).log_p), typed.names)

    @property
    def classes(self) -> Names:
        """The classes it was fitted for."""
        _ = self.fitted
        return self._classes or ()

    @property
    def fitted(self) -> CalibrationMap:
        """What was learnt."""
        if self._map is None:
            msg = f"{type(self).__name__} must be fitted before it is used: call fit first."
            raise InputError(msg)
        return self._map

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the fit."""
        return self.fitted.notes

    def fresh(self) -> Self:
        """Return a calibrator of the same kind and settings that has learnt nothing."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._map = other._classes = None
        return other

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted calibrator as plain values with a checksum, fit for JSON."""
        body = {
            "format": FORMAT,
            "version": VERSION,
            "name": self.name,
            "kind": self.fitted.kind,
            "classes": list(self.classes),
            "priors": None if self._priors is None else self._priors.tolist(),
            "map": self.fitted.to_dict(),
        }
        return {**body, "sha256": _checksum(body)}

    @staticmethod
    def from_dict(data: dict[str, Any]) -> "Calibrator":
        """Read a fitted calibrator of any kind."""
        return calibrator_from_dict(data)


class FittedCalibrator(Calibrator):
    """A calibrator that was read from a file: it can transform, and has nothing to learn with."""

    def __init__(
        self, name: str, fitted: CalibrationMap, classes: Names, priors: FloatArray | None
    ) -> None:
        self._title = name
        self._map, self._classes, self._priors = fitted, classes, priors

    @property
    def name(self) -> str:  # type: ignore[override]
        """What kind of calibrator it was."""
        return self._title

    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> CalibrationMap:  # noqa: ARG002
        """Refuse: what was fitted elsewhere stays as it is."""
        msg = "a calibrator that was read cannot be fitted again: make a new one."
        raise InputError(msg)


def calibrator_from_dict(data: dict[str, Any]) -> Calibrator:
    """Read a fitted calibrator; a changed or cut file is refused by its checksum."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        msg = f"data must be a calibrator's dictionary, with format {FORMAT!r}."
        raise InputError(msg)
    if data.get("version") != VERSION:
        msg = f"data must be of version {VERSION}: got {data.get('version')!r}."
        raise InputError(msg)
    body = {key: value for key, value in data.items() if key != "sha256"}
    try:
        whole = data.get("sha256") == _checksum(body)
    except (TypeError, ValueError):
        whole = False
    if not whole:
        msg = "data must be as it was written: its checksum does not fit."
        raise InputError(msg)
    kind = MAPS.get(str(data.get("kind")))
    if kind is None:
        msg = f"data must be of a known kind, one of {quoted(MAPS)}: got {data.get('kind')!r}."
        raise InputError(msg)
    names = read_names(data.get("classes", []), "classes")
    try:
        fitted = kind.from_dict(data["map"])
        priors = None if data["priors"] is None else read_priors(data["priors"], names)
        with np.errstate(all="ignore"):
            probe = np.exp(fitted(np.log(np.full((1, len(names)), 1 / len(names)))))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        msg = f"data must hold a whole {data.get('kind')} map: {error!r}."
        raise InputError(msg) from error
    if probe.shape != (1, len(names)) or not abs(probe.sum() - 1) < 1e-9:
        msg = f"data must hold a {data.get('kind')} map that gives posteriors: it gives {probe}."
        raise InputError(msg)
    return FittedCalibrator(str(data.get("name")), fitted, names, priors)


def _checksum(body: dict[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of a calibrator."""
    import hashlib  # noqa: PLC0415  only for files

    text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def require_every_class(samples: Samples) -> None:
    """Refuse to calibrate for a class that no sample shows."""
    if samples.priors_from_data and samples.weights is None and samples.priors.all():
        return
    seen = np.bincount(samples.y, minlength=len(samples.classes))
    bare = (seen == 0) & ((samples.priors > 0) | samples.priors_from_data)
    if bare.any():
        name = quoted([samples.classes[int(bare.argmax())]])
        msg = f"class {name} has 0 samples to calibrate on. Add samples of it, or leave its column"
        raise UndefinedMetricError(f"{msg} out of scores and classes.")
