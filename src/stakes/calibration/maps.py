"""What a calibrator has learnt: maps of log posteriors, and what they were fitted on, as JSON."""

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self, get_type_hints

import numpy as np

from stakes._check import InputError, read_names, read_number, read_priors
from stakes._math import log_softmax
from stakes._text import number, plain, plain_list, quoted
from stakes._typing import FloatArray, Names, PriorsLike
from stakes.calibration.floor import Floor
from stakes.calibration.registry import calibrator_class, calibrator_names
from stakes.scores import LogPosteriors, ScoreMeaning, Scores

FORMAT, VERSION = "stakes-calibrator", 3
MOST_NAMES = 8  # of classes, in a text
_EARLIER = 1  # kept priors for likelihoods only, and never the kind of scores
_UNFLOORED = 2  # kept no floor


class CalibrationMap(ABC):
    """A function from log posteriors to log posteriors.

    A dataclass of arrays, numbers and truths, which its JSON form holds by their names. `kind` is
    the name of the calibrator in whose module it stands.
    """

    kind: ClassVar[str]
    _kinds: ClassVar[dict[str, "type[CalibrationMap]"]] = {}

    def __init_subclass__(cls) -> None:
        cls._kinds[cls.kind] = cls

    @abstractmethod
    def __call__(self, log_p: FloatArray) -> FloatArray:
        """Return calibrated log posteriors, one row per sample."""

    def to_dict(self) -> dict[str, Any]:
        """Return what was learnt as plain values."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}  # type: ignore[arg-type]

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what was learnt."""
        types = get_type_hints(cls)
        return cls(*(_READERS[types[f.name]](data[f.name]) for f in fields(cls)))  # type: ignore[arg-type]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of this fit."""
        return ()

    def text(self, names: Names) -> str:
        """Return what was learnt for classes of these names, in a line."""
        return f"fitted for {plain_list(names, MOST_NAMES)}"


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Return a value that JSON can hold: infinite numbers as texts."""
    if isinstance(value, bool | int):
        return value
    if np.isfinite(value).all():
        return np.asarray(value).tolist()
    return [_plain(v) for v in value] if np.ndim(value) else str(float(value))


_READERS: dict[Any, Callable[[Any], Any]] = {
    FloatArray: lambda value: np.array(value, dtype=np.float64),
    float: float,
    bool: bool,
}


def map_class(kind: object) -> type[CalibrationMap]:
    """Return a kind of map by its name; the modules of others are not loaded."""
    known = CalibrationMap._kinds
    if kind not in known and f"{kind}" in calibrator_names():
        calibrator_class(f"{kind}")
    if kind not in known:
        for name in calibrator_names():
            calibrator_class(name)
        rule = f"must be of a known kind, one of {quoted(sorted(known))}"
        raise InputError("data", rule, repr(kind))
    return known[str(kind)]


@dataclass(frozen=True, eq=False)
class AffineMap(CalibrationMap):
    """softmax(scale * log s + bias), with a scale for all classes or one for each (eq:affcal)."""

    scale: FloatArray
    bias: FloatArray
    separable: bool = False

    kind = "affine"

    def __call__(self, log_p: FloatArray) -> FloatArray:
        return log_softmax(scaled(log_p, self.scale) + self.bias)

    def text(self, names: Names) -> str:
        if self.shared is None:
            return f"scale {by_class(names, self.scale)}; bias {by_class(names, self.bias)}"
        if not self.bias.any():
            return f"T {number(self.temperature)} (scale {number(self.shared)})"
        return f"scale {number(self.shared)}; bias {by_class(names, self.bias)}"

    @property
    def shared(self) -> float | None:
        """The scale of all classes; None where each has its own."""
        return float(self.scale[0]) if (self.scale == self.scale[0]).all() else None

    @property
    def temperature(self) -> float:
        """One over the scale of all classes."""
        return 1 / float(self.scale[0]) if self.scale[0] else math.inf

    @property
    def notes(self) -> tuple[str, ...]:
        said = []
        if (self.scale < 0).any():
            said.append(
                "the fitted scale is negative, so that calibration turns the order of the scores"
                " round; whether that is more than chance: see the calibration slope"
            )
        if self.separable:
            said.append(
                "the classes are separable: the scale would grow without bound, it was stopped"
            )
        return tuple(said)


def by_class(names: Names, values: FloatArray) -> str:
    """Return a number for each class, cut where there are many."""
    pairs = zip(names, values.tolist(), strict=True)
    return plain_list([f"{name} {number(value)}" for name, value in pairs], MOST_NAMES)


def scaled(log_p: FloatArray, scale: FloatArray) -> FloatArray:
    """Return scale times log posteriors; a posterior of 0 stays 0, whatever the scale."""
    finite = np.isfinite(log_p)
    if finite.all():
        return log_p * scale
    return np.where(finite, np.where(finite, log_p, 0.0) * scale, -np.inf)


def log_odds(log_p: FloatArray) -> FloatArray:
    """Return the log odds of the second of two classes."""
    first, second = log_p.T
    return second - first


@dataclass(frozen=True, eq=False)
class FittedMap:
    """A map of log posteriors, and the scores and priors that it was fitted on.

    It gives calibrated posteriors at its own priors. Posteriors at other priors follow from these
    by Bayes' rule, never by feeding the map with scores at other priors: the calibrated likelihood
    ratios are the same at all priors.
    """

    map: CalibrationMap
    classes: Names
    meaning: ScoreMeaning | None  # None: an earlier file that did not keep it
    priors: FloatArray | None  # None: an earlier file of posteriors or logits
    floor: Floor = field(default_factory=Floor)

    def posteriors(self, scores: Scores, priors: PriorsLike | None = None) -> LogPosteriors:
        """Return calibrated posteriors at the priors of the fit, or moved to others."""
        typed = scores.ordered(self.classes)
        if typed.n_classes != len(self.classes):
            rule = f"must have one column per class {quoted(self.classes)}"
            raise InputError("scores", rule, f"{typed.n_classes} columns")
        same = not typed.needs_priors if self.meaning is None else typed.meaning == self.meaning
        if not same:
            fitted = self.meaning or "posteriors or logits"
            rule = f"must be of the kind the calibrator was fitted on, {fitted}"
            hint = f"Pass {fitted} of the same system, or fit a calibrator on {typed.meaning}."
            raise InputError(
                "scores", rule, f"{type(typed).__name__}, which are {typed.meaning}", hint=hint
            )
        log_p = self.floor(typed, self.priors).answers(self.priors).log_p
        output = LogPosteriors.trusted(self.map(log_p), typed.names)
        if priors is None:
            return output
        target = read_priors(priors, self.classes)
        if target is None:
            rule = "must be numbers, there are no labels to take priors from"
            hint = "Give the priors in deployment, one per class."
            raise InputError("priors", rule, repr(priors), hint=hint)
        if self.priors is not None and (target == self.priors).all():
            return output
        return output.at_priors(self.known_priors(), target)

    def known_priors(self) -> FloatArray:
        """Return the priors of the fit, all above 0, or refuse."""
        if self.priors is None:
            msg = "the calibrator was written by an earlier version, which did not keep the priors"
            msg = f"{msg} it was fitted at: its posteriors cannot be moved to other priors."
            raise InputError(f"{msg} Fit it again, or use it without priors.")
        if not self.priors.all():
            name = plain(self.classes[int(self.priors.argmin())])
            msg = f"the calibrator was fitted at prior 0 for class {name}: its posteriors cannot"
            raise InputError(f"{msg} be moved to other priors. Fit it with priors above 0.")
        return self.priors

    def to_dict(self, name: str) -> dict[str, Any]:
        """Return the fit as plain values with a checksum, fit for JSON."""
        body = {
            "format": FORMAT,
            "version": VERSION,
            "name": name,
            "kind": self.map.kind,
            "classes": list(self.classes),
            "scores": self.meaning,
            "priors": None if self.priors is None else self.priors.tolist(),
            "floor": self.floor.most,
            "map": self.map.to_dict(),
        }
        return {**body, "sha256": checksum(body)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "FittedMap":
        """Read a fit; a changed or cut file is refused by its checksum."""
        version = _version(data)
        kind = map_class(data.get("kind"))
        names = read_names(data.get("classes", []), "classes")
        try:
            fitted = kind.from_dict(data["map"])
            priors = None if data["priors"] is None else read_priors(data["priors"], names)
            if version > _EARLIER:
                meaning = None if data["scores"] is None else ScoreMeaning(str(data["scores"]))
            else:  # which kept priors for likelihoods alone
                meaning = None if priors is None else ScoreMeaning.LIKELIHOODS
            floor = Floor()
            if version > _UNFLOORED:
                most = read_number(data["floor"], "floor", 0, math.inf, closed=(False, False))
                floor = Floor(most)
            with np.errstate(all="ignore"):
                probe = np.exp(fitted(np.log(np.full((1, len(names)), 1 / len(names)))))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            rule = f"must hold a whole {data.get('kind')} map"
            raise InputError("data", rule, found=repr(error)) from error
        if probe.shape != (1, len(names)) or not abs(probe.sum() - 1) < 1e-9:
            rule = f"must hold a {data.get('kind')} map that gives posteriors"
            raise InputError("data", rule, found=f"it gives {probe}")
        return cls(fitted, names, meaning, priors, floor)


def _version(data: dict[str, Any]) -> int:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError("data", f"must be a calibrator's dictionary, with format {FORMAT!r}")
    version = data.get("version")
    if type(version) is not int or not _EARLIER <= version <= VERSION:
        raise InputError("data", f"must be of version {_EARLIER} to {VERSION}", repr(version))
    body = {key: value for key, value in data.items() if key != "sha256"}
    try:
        whole = data.get("sha256") == checksum(body)
    except (TypeError, ValueError):
        whole = False
    if not whole:
        raise InputError("data", "must be as it was written", found="its checksum does not fit")
    return version


def checksum(body: dict[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of a calibrator."""
    import hashlib  # noqa: PLC0415  only for files

    text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
