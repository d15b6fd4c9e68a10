"""Fitted maps of log posteriors: what a calibrator has learnt, and can write down."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

from stakes._check import InputError
from stakes._math import log_softmax
from stakes._text import quoted
from stakes._typing import FloatArray
from stakes.calibration.registry import calibrator_class, calibrator_names
from stakes.scores import LogProbabilities


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
        return cls(*(_READERS[f.type](data[f.name]) for f in fields(cls)))  # type: ignore[arg-type]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of this fit."""
        return ()


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


def scaled(log_p: FloatArray, scale: FloatArray) -> FloatArray:
    """Return scale times log posteriors; a posterior of 0 stays 0, whatever the scale."""
    finite = np.isfinite(log_p)
    if finite.all():
        return log_p * scale
    return np.where(finite, np.where(finite, log_p, 0.0) * scale, -np.inf)


def from_log_odds(odds: FloatArray) -> FloatArray:
    """Return the log posteriors of two classes."""
    return LogProbabilities.from_log_odds(odds).log_p


def log_odds(log_p: FloatArray) -> FloatArray:
    """Return the log odds of the second of two classes."""
    first, second = log_p.T
    return second - first
