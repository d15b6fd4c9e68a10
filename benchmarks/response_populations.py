"""Responses whose population is known: a chance to be right, a stated confidence, abstentions."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr

import stakes
from stakes.curves import RiskCoverageCurve

QUESTIONS_OF_DOCUMENT = 10
RUNS = 5
_EDGES = np.linspace(-8, 8, 8001)
_MIDDLES = (_EDGES[1:] + _EDGES[:-1]) / 2
_MASS = np.diff(ndtr(_EDGES)) / (ndtr(8) - ndtr(-8))


@dataclass(frozen=True)
class System:
    """Questions of normal difficulty; the log odds of a right answer, and those that are stated.

    It abstains where it states less than `least`, or from a share of the questions at random.
    """

    mean: float
    spread: float
    scale: float = 1.0
    shift: float = 0.0
    least: float = 0.0
    at_random: float = 0.0
    noise: bool = False  # what it states has nothing to do with its answer
    digits: int | None = None  # to which it states its confidence

    def chance(self, z: np.ndarray) -> np.ndarray:
        """Return the chance to be right."""
        return expit(self.mean + (0.0 if self.noise else self.spread) * z)

    def stated(self, z: np.ndarray) -> np.ndarray:
        """Return the confidence, which rises with the chance."""
        p = expit(self.scale * (self.mean + self.spread * z) + self.shift)
        return p if self.digits is None else np.round(p, self.digits)

    @cached_property
    def levels(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The confidences, the highest first, and the shares right and wrong from there up."""
        level, place = np.unique(-self.stated(_MIDDLES), return_inverse=True)
        q = self.chance(_MIDDLES)
        right, wrong = (np.cumsum(np.bincount(place, _MASS * x)) for x in (q, 1 - q))
        return -level, right, wrong

    def above(self, threshold: float) -> tuple[float, float]:
        """Return the shares of all questions answered rightly and wrongly from a threshold up."""
        level, right, wrong = self.levels
        k = int(np.count_nonzero(level >= threshold)) - 1
        return (float(right[k]), float(wrong[k])) if k >= 0 else (0.0, 0.0)

    @property
    def own(self) -> tuple[float, float]:
        """The shares that it answers rightly and wrongly itself."""
        right, wrong = self.above(self.least)
        return right * (1 - self.at_random), wrong * (1 - self.at_random)

    def nec(self, t: float) -> float:
        """Return the normalised cost at a target."""
        right, wrong = self.own
        always = self.above(0.0)[1]
        return (wrong + (1 - t) * (1 - right - wrong)) / min(always, 1 - t)

    def truths(self, t: float, *, held_back: bool) -> dict[str, float]:
        """Return the numbers of the population; `held_back`, if truths of abstentions are known."""
        right, wrong = self.own
        level, ups, downs = self.levels
        known = np.full(level.size, True) if held_back else level >= self.least
        coverage, joint = (ups + downs)[known], downs[known]
        curve = RiskCoverageCurve(
            np.append(0.0, coverage) / coverage[-1], np.append(0.0, joint) / coverage[-1]
        )
        stated = float(np.diff(coverage, prepend=0.0) @ level[known]) / coverage[-1]
        out = {
            "utility": right - t / (1 - t) * wrong,
            "answered": right + wrong,
            "right": right,
            "answered_accuracy": right / (right + wrong),
            "hallucination_rate": wrong / (1 - right),
            "omniscience_index": 100 * (right - wrong),
            "aurc": curve.area(),
            "augrc": curve.generalized_area(),
            "overconfidence": stated - ups[known][-1] / coverage[-1],
        }
        if held_back:
            out |= {"cost.nec": self.nec(t), "stated.gain": self.gain(t, t)}
        return out

    def gain(self, t: float, threshold: float) -> float:
        """Return what a threshold on its confidence gains over its own abstentions."""
        penalty = t / (1 - t)
        (right, wrong), (own_right, own_wrong) = self.above(threshold), self.own
        return (right - own_right) - penalty * (wrong - own_wrong)


def break_even(t: float) -> float:
    """Return the mean log odds at which the chance to be right is the target."""
    return float(brentq(lambda mean: _MASS @ expit(mean + 1.5 * _MIDDLES) - t, -9, 12))


SYSTEMS: dict[str, Callable[[float], System]] = {  # by the target
    "calibrated, abstains best": lambda t: System(0.6, 2.0, least=t),
    "calibrated, answers all": lambda _: System(0.6, 2.0),
    "overconfident, answers all": lambda _: System(0.6, 2.0, scale=1.5, shift=1.0),
    "overconfident, abstains as stated": lambda t: System(0.6, 2.0, scale=1.5, shift=1.0, least=t),
    "states tenths": lambda _: System(0.6, 2.0, shift=1.0, digits=1, least=0.5),
    "rare errors": lambda _: System(5.0, 1.5),
    # always answering is worth what never answering is
    "break-even": lambda t: System(break_even(t), 1.5),
    # and so is every other rule
    "noise": lambda t: System(float(logit(t)), 1.0, noise=True, at_random=0.5),
}


def draw(one: System, n: int, kind: str, rng: np.random.Generator) -> stakes.Responses:
    """Return responses: independent, of documents, of runs, weighted, or with truths withheld."""
    unit, shared = np.arange(n), 0.0
    if kind == "documents":
        unit, shared = np.arange(n) // QUESTIONS_OF_DOCUMENT, 0.5
    elif kind == "runs":
        unit, shared = np.arange(n) // RUNS, 1.0
    z = math.sqrt(shared) * rng.normal(size=n)[unit] + math.sqrt(1 - shared) * rng.normal(size=n)
    right = (rng.random(n) < one.chance(z)).astype(float)
    stated = one.stated(z)
    silent = (stated < one.least) | (rng.random(n) < one.at_random)
    if kind == "unknown":
        right[silent] = np.nan
    return stakes.Responses(
        right,
        stated,
        silent,
        groups=unit if shared else None,
        sample_weight=rng.choice([1.0, 2.0, 4.0], n) if kind == "weights" else None,
    )
