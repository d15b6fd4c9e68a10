"""Fitted maps of log posteriors: what a calibrator has learnt, and can write down."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from stakes._math import log, log_softmax
from stakes._typing import FloatArray
from stakes.scores import LogProbabilities


class CalibrationMap(ABC):
    """A function from log posteriors to log posteriors."""

    kind: ClassVar[str]

    @abstractmethod
    def __call__(self, log_p: FloatArray) -> FloatArray:
        """Return calibrated log posteriors, one row per sample."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return what was learnt as plain values."""

    @classmethod
    @abstractmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what was learnt."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of this fit."""
        return ()


@dataclass(frozen=True, eq=False)
class AffineMap(CalibrationMap):
    """softmax(scale * log s + bias), with a scale for all classes or one for each (eq:affcal)."""

    scale: FloatArray
    bias: FloatArray
    separable: bool = False

    kind = "affine"

    def __call__(self, log_p: FloatArray) -> FloatArray:
        return log_softmax(scaled(log_p, self.scale) + self.bias)

    def to_dict(self) -> dict[str, Any]:
        return {
            "scale": self.scale.tolist(),
            "bias": self.bias.tolist(),
            "separable": self.separable,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        return cls(np.array(data["scale"]), np.array(data["bias"]), bool(data["separable"]))

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


@dataclass(frozen=True, eq=False)
class BetaMap(CalibrationMap):
    """Log odds a * log p_2 - b * log p_1 + c: beta calibration of two classes."""

    a: float
    b: float
    c: float

    kind = "beta"

    def __call__(self, log_p: FloatArray) -> FloatArray:
        first, second = log_p.T
        with np.errstate(invalid="ignore"):
            up = np.where(self.a == 0, 0.0, self.a * second)
            down = np.where(self.b == 0, 0.0, self.b * first)
        odds = up - down + self.c
        odds = np.where(np.isneginf(first), np.inf, np.where(np.isneginf(second), -np.inf, odds))
        return from_log_odds(odds)  # a certain answer stays certain

    def to_dict(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "c": self.c}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        return cls(float(data["a"]), float(data["b"]), float(data["c"]))


@dataclass(frozen=True, eq=False)
class StepMap(CalibrationMap):
    """Posteriors of the second class on blocks of log odds, straight lines between blocks."""

    low: FloatArray  # log odds where each block begins
    high: FloatArray  # and ends
    first: FloatArray  # weight of the first class in each block
    second: FloatArray

    kind = "isotonic"

    def __call__(self, log_p: FloatArray) -> FloatArray:
        odds = log_odds(log_p)
        last = self.low.size - 1
        block = np.clip(np.searchsorted(self.low, odds, side="right") - 1, 0, last)
        after = np.minimum(block + 1, last)
        with np.errstate(invalid="ignore", divide="ignore"):
            way = (odds - self.high[block]) / (self.low[after] - self.high[block])
        between = (odds > self.high[block]) & (after > block) & np.isfinite(way)
        way = np.where(between, way, 0.0)
        total = self.first + self.second
        one, two = self.first / total, self.second / total
        columns = [(1 - way) * part[block] + way * part[after] for part in (one, two)]
        return log(np.column_stack(columns))

    def to_dict(self) -> dict[str, Any]:
        parts = ("low", "high", "first", "second")
        return {name: _finite(getattr(self, name)) for name in parts}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        parts = ("low", "high", "first", "second")
        return cls(*(np.array([float(x) for x in data[name]]) for name in parts))


def _finite(values: FloatArray) -> list[float | str]:
    """Return numbers that JSON can hold."""
    return [x if np.isfinite(x) else str(x) for x in values.tolist()]


@dataclass(frozen=True, eq=False)
class HistogramMap(CalibrationMap):
    """Posteriors by bin, class by class against the rest, rows divided by their sum."""

    edges: FloatArray  # inner edges of the bins of each class, one row per class
    share: FloatArray  # share of the class among the samples of each bin, one row per class

    kind = "histogram"

    def __call__(self, log_p: FloatArray) -> FloatArray:
        p = np.exp(log_p)
        table = np.column_stack(
            [
                share[np.searchsorted(edges, p[:, k], side="right")]
                for k, (edges, share) in enumerate(zip(self.edges, self.share, strict=True))
            ]
        )
        bare = ~table.any(axis=1)  # every class was absent from its bin: keep the posteriors
        table[bare] = p[bare]
        return log(table / table.sum(axis=1, keepdims=True))

    def to_dict(self) -> dict[str, Any]:
        return {"edges": self.edges.tolist(), "share": self.share.tolist()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        share = np.array(data["share"])
        return cls(np.array(data["edges"]).reshape(share.shape[0], -1), share)


@dataclass(frozen=True, eq=False)
class ShiftMap(CalibrationMap):
    """Log odds of two classes moved so that a tuned threshold becomes the Bayes threshold."""

    shift: float

    kind = "threshold"

    def __call__(self, log_p: FloatArray) -> FloatArray:
        return from_log_odds(log_odds(log_p) + self.shift)

    def to_dict(self) -> dict[str, Any]:
        return {"shift": self.shift}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        return cls(float(data["shift"]))


def from_log_odds(odds: FloatArray) -> FloatArray:
    """Return the log posteriors of two classes."""
    return LogProbabilities.from_log_odds(odds).log_p


def log_odds(log_p: FloatArray) -> FloatArray:
    """Return the log odds of the second of two classes."""
    first, second = log_p.T
    return second - first


MAPS: dict[str, type[CalibrationMap]] = {
    kind.kind: kind for kind in (AffineMap, BetaMap, StepMap, HistogramMap, ShiftMap)
}
