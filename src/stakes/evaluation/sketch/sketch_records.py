"""What a sketch holds."""

import math
from dataclasses import dataclass

import numpy as np

from stakes._typing import FloatArray, IntArray, Names
from stakes.costs import CostMatrix


@dataclass(frozen=True)
class LeastCost:
    """The least expected cost of any threshold, and that threshold on the levels of a sketch."""

    value: float
    log_odds: float  # the second decision is taken above it


@dataclass(frozen=True, eq=False)
class SketchedApplication:
    """An application that was judged, and what each system costs in it."""

    name: str
    costs: CostMatrix
    priors: FloatArray
    priors_from_data: bool
    normalized: tuple[float, ...]
    least: tuple[LeastCost | None, ...]  # None: not two classes and two decisions


@dataclass(frozen=True, eq=False)
class LevelSketch:
    """The weight of either class at each level of the log odds of the second."""

    name: str
    reference: FloatArray | None  # priors that the log odds hold at and move with; None: they stay
    level: FloatArray
    first: FloatArray
    second: FloatArray
    exact: bool  # each level is one of the scores
    auc: float = math.nan  # of all scores; NaN where a class does not occur


@dataclass(frozen=True, eq=False)
class RowSketch:
    """Posteriors of some samples, each as a code; see `posteriors_of`."""

    name: str
    reference: FloatArray | None
    codes: np.ndarray


@dataclass(frozen=True, eq=False)
class Sketch:
    """Systems on the same samples, in memory that does not grow with the number of samples."""

    classes: Names
    counts: IntArray
    priors: FloatArray  # shares in the data, by weight
    used: FloatArray  # priors of use, apart from those that an application has of its own
    weighted: bool
    grouped: bool
    scores: str  # "posteriors", "adapted" or "likelihoods": whether they follow the priors
    applications: tuple[SketchedApplication, ...]
    total: int  # samples
    systems: tuple[LevelSketch, ...] | tuple[RowSketch, ...] = ()
    y: IntArray | None = None  # of the rows
    weights: FloatArray | None = None  # of the rows
    scale: float = 0.0  # of the codes
    error: float = 0.0  # of rows: the largest of a normalised cost, against all samples
    why_not: str = ""  # there is nothing to judge with
