"""What a threshold is compared with: scores of each class, and metrics at every threshold."""

from __future__ import annotations

__all__ = [
    "ScoreDistribution",
    "SweptMetric",
    "ThresholdSweep",
    "score_distribution",
    "threshold_sweep",
]

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._check import MOST_BINS, InputError, read_count, read_priors
from stakes._foreign_calls import answered
from stakes._records import Record
from stakes._text import number, plain
from stakes._typing import Column, CostValues, FloatArray, Label, Names, NamesLike, PriorsLike
from stakes.costs import CostMatrix
from stakes.costs.matrix import as_cost_matrix, declared_classes
from stakes.costs.price_words import is_prices
from stakes.curves.points import OperatingPoint
from stakes.curves.roc import RocCurve, best_place, roc_curve
from stakes.metrics.traditional import SweepMetric
from stakes.results import Direction
from stakes.samples import read_pair
from stakes.scores import LogPosteriors, Posteriors, Scores, as_scores

Costs = CostMatrix | CostValues


@dataclass(frozen=True, eq=False)
class Detector:
    """A ROC curve of scores whose meaning is known, so that the Bayes threshold is known too.

    `scale` is what a threshold is compared with: "posterior", "log posterior", "log odds" or "log
    likelihood ratio" of the last class.
    """

    roc: RocCurve
    scale: str

    def bayes_threshold(self, costs: CostMatrix, priors: PriorsLike | None = None) -> float:
        """Return the threshold above which the last class is the cheaper decision.

        With false alarms c12 and misses c21 above the cost of right answers, it is c12 / (c12 +
        c21) on the posterior and c12 P1 / (c21 P2), logged, on the log likelihood ratio.
        """
        gap = costs.regret()
        if self.scale == "posterior":
            return gap.threshold()
        if self.scale == "log posterior":
            threshold = gap.threshold()
            return math.log(threshold) if threshold > 0 else -math.inf
        if self.scale == "log odds":
            return gap.llr_threshold([0.5, 0.5])
        given = read_priors(priors, self.roc.classes)
        return gap.llr_threshold(self.roc.priors if given is None else given)

    def points(self, costs: Costs, priors: PriorsLike | None) -> dict[str, OperatingPoint]:
        """Return where the Bayes rule stands on the curve, and where the least cost is had."""
        matrix = as_cost_matrix(costs, self.roc.classes)
        best = self.roc.minimum_cost(matrix, priors).point  # also sees that the costs fit
        return {"Bayes": self.roc.at_threshold(self.bayes_threshold(matrix, priors)), "best": best}


def detector(
    y_true: Column,
    scores: Scores | Column,
    *,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    positive: Label | None = None,
) -> Detector:
    """Return the ROC curve of posteriors or typed scores; arguments as for `roc_curve`."""
    typed = as_scores(scores)
    weights = sample_weight
    if not isinstance(scores, Scores) and typed.values.ndim == 1:  # the score of `positive`
        roc = roc_curve(y_true, scores, sample_weight=weights, classes=classes, positive=positive)
        return Detector(roc, "posterior")
    _, typed, names = read_pair(y_true, typed, classes)
    if positive is not None and len(names) == 2 and positive == names[0]:
        typed, names = typed.named(names).swapped(), names[::-1]
    roc = roc_curve(y_true, typed, sample_weight=weights, classes=names, positive=positive)
    scale = "log likelihood ratio" if typed.needs_priors else "log odds"
    if isinstance(typed, Posteriors):
        scale = "posterior"
    elif isinstance(typed, LogPosteriors) and typed.values.ndim == 1:
        scale = "log posterior"
    return Detector(roc, scale)


@dataclass(frozen=True, eq=False)
class ScoreDistribution(Record):
    """Share of each class in each bin of the score; rows are classes.

    `below` and `above` are the shares with scores of minus and plus infinity, which are in no bin.

    Attributes
    ----------
    detector : Detector
        The scores.
    edges : array
        Edges of the bins, one more than there are bins.
    shares : array, classes in rows
    below, above : array of two

    See Also
    --------
    score_distribution : returns it.

    Examples
    --------
    >>> import stakes
    >>> found = stakes.score_distribution([0, 0, 1, 1], [0.1, 0.4, 0.6, 1.0], bins=2)
    >>> found.edges[1], found.shares.tolist()  # a threshold of 0.5 separates the classes
    (np.float64(0.5), [[1.0, 0.0], [0.0, 1.0]])
    """

    detector: Detector
    edges: FloatArray
    shares: FloatArray
    below: FloatArray
    above: FloatArray

    @property
    def classes(self) -> Names:
        """Names of the two classes."""
        return self.detector.roc.classes

    def __str__(self) -> str:
        first, second = (plain(name) for name in self.classes)
        bins = f"{self.edges.size - 1} bins of the {self.detector.scale} of {second}"
        ends = f"{number(self.edges[0])} to {number(self.edges[-1])}"
        return f"ScoreDistribution({bins} from {ends}, for {first} and {second})"


@answered
def score_distribution(
    y_true: Column,
    scores: Scores | Column,
    bins: int = 40,
    *,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    positive: Label | None = None,
) -> ScoreDistribution:
    """Return the share of each class in each bin of the score.

    Posteriors are binned from 0 to 1, other scores from the least to the largest finite one. Bins
    include their lower edge, the last bin also its upper edge.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of shape (N,), posteriors of shape (N, 2), or typed scores
        As in `roc_curve`: higher for the class of interest.
    bins : int, default 40
        Number of bins.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        The class of interest comes last; by default sorted.
    positive : name, optional
        The class of interest; by default the last.

    Returns
    -------
    ScoreDistribution
        With `edges` and `shares`.

    See Also
    --------
    ScoreDistributionDisplay : draws it.

    Examples
    --------
    >>> import stakes
    >>> stakes.score_distribution([0, 0, 1, 1], [0.1, 0.4, 0.6, 1.0], bins=2).shares
    array([[1., 0.],
           [0., 1.]])
    """
    read_count(bins, "bins", 1, MOST_BINS)
    found = detector(
        y_true, scores, sample_weight=sample_weight, classes=classes, positive=positive
    )
    level = found.roc.levels.level
    weights = np.stack([found.roc.levels.first, found.roc.levels.second]).astype(np.float64)
    weights /= np.array(found.roc.levels.totals)[:, None]
    finite = np.isfinite(level)
    inner = level[finite]
    low, high = 0.0, 1.0
    if found.scale != "posterior" and inner.size:
        low, high = float(inner[0]), float(inner[-1])
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, bins + 1)
    shares = np.stack([np.histogram(inner, edges, weights=w[finite])[0] for w in weights])
    below, above = (weights[:, level == end].sum(axis=1) for end in (-np.inf, np.inf))
    return ScoreDistribution(found, edges, shares, below, above)


@dataclass(frozen=True, eq=False)
class SweptMetric(Record):
    """A metric at every threshold, with its best threshold and its Bayes threshold.

    Attributes
    ----------
    name : str
    values : array
        One for each threshold.
    better : {"higher", "lower"}
    best : tuple of two floats
        The best threshold and the value there.
    bayes : tuple of two floats, or None
        The Bayes threshold and the value there, for metrics that are a cost.
    naive : float or None
        The value of the naive system.

    See Also
    --------
    threshold_sweep : returns it.

    Examples
    --------
    >>> import stakes
    >>> y, p = [0, 0, 0, 1, 1], [0.1, 0.3, 0.4, 0.35, 0.8]
    >>> (cost,) = stakes.threshold_sweep(y, p, costs={"miss": 5, "false_alarm": 1}).metrics
    >>> round(cost.bayes[1] - cost.best[1], 2)  # what a better threshold would save: calibrate
    0.33
    """

    name: str
    values: FloatArray
    better: Direction
    best: tuple[float, float]
    bayes: tuple[float, float] | None = None  # for metrics that are a cost
    naive: float | None = None

    def __str__(self) -> str:
        places = {"best": self.best} | ({} if self.bayes is None else {"Bayes rule": self.bayes})
        parts = [f"{number(v)} at {number(t)} ({name})" for name, (t, v) in places.items()]
        return f"{plain(self.name)}: {', '.join(parts)}, {self.better} is better"


@dataclass(frozen=True, eq=False)
class ThresholdSweep(Record):
    """Metrics at every threshold of a detector.

    `thresholds` are those of the ROC curve: minus infinity, then each distinct score.

    Attributes
    ----------
    thresholds : array
    metrics : tuple of SweptMetric
    scale : str
        What the thresholds are compared with.
    classes : tuple of names

    See Also
    --------
    threshold_sweep : returns it.

    Examples
    --------
    >>> import stakes
    >>> y, p = [0, 0, 0, 1, 1], [0.1, 0.3, 0.4, 0.35, 0.8]
    >>> costs = {"miss": 1, "false_alarm": 5}
    >>> sweep = stakes.threshold_sweep(y, p, [stakes.metrics.FScore()], costs=costs)
    >>> {metric.name: metric.best[0] for metric in sweep.metrics}
    {'normalised cost': 0.4, 'F1 score': 0.3}

    The best threshold depends on the metric, so choose it by cost.
    """

    thresholds: FloatArray
    metrics: tuple[SweptMetric, ...]
    scale: str
    classes: Names

    def __str__(self) -> str:
        head = f"{self.thresholds.size} thresholds of the {self.scale} of {plain(self.classes[-1])}"
        return "\n".join([head, *(f"  {metric}" for metric in self.metrics)])


@answered
def threshold_sweep(  # noqa: PLR0913  the data, the metrics, the costs
    y_true: Column,
    scores: Scores | Column,
    metrics: Sequence[SweepMetric] = (),
    *,
    costs: Costs | Mapping[str, Costs] | None = None,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    positive: Label | None = None,
) -> ThresholdSweep:
    """Return normalised costs and other metrics at every threshold.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of P(classes[-1]), posteriors of shape (N, 2), or typed scores
        As in `roc_curve`; one plain column holds posteriors.
    metrics : sequence of traditional metrics, optional
        Such as `stakes.metrics.FScore()`. They are computed at the priors of the data; they have a
        best threshold and no Bayes threshold.
    costs : CostMatrix, or mapping from names to several, optional
        One normalised cost each; by default that of 0-1 costs. {"miss": 5, "false_alarm": 1} is
        one matrix.
    priors : float, array of two, mapping by class, or "data", optional
        Priors for the expected costs; for likelihood ratios, also for the decisions.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        The class of interest comes last; by default sorted.
    positive : name, optional
        The class of interest; by default the last.

    Returns
    -------
    ThresholdSweep
        With `thresholds` and, for each metric, its values and where it is best.

    See Also
    --------
    choose_threshold : the one to use.
    ThresholdSweepDisplay : draws it.

    Examples
    --------
    >>> import stakes
    >>> y, p = [0, 0, 0, 1, 1], [0.1, 0.3, 0.4, 0.35, 0.8]
    >>> costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    >>> (swept,) = stakes.threshold_sweep(y, p, costs=costs).metrics
    >>> [round(x, 4) for x in (*swept.bayes, *swept.best)]
    [0.1667, 0.6667, 0.3, 0.3333]
    """
    named: Mapping[str, Any] = {"normalised cost": costs}
    if isinstance(costs, Mapping) and not is_prices(costs):
        named = costs
    declared = declared_classes(classes, *named.values(), positive=positive)
    found = detector(
        y_true, scores, sample_weight=sample_weight, classes=declared, positive=positive
    )
    if not named and not metrics:
        rule = "must hold at least one cost matrix where there are no metrics"
        raise InputError("costs", rule, "none")
    roc, swept = found.roc, []
    for name, given in named.items():
        matrix = as_cost_matrix(given, roc.classes)
        values, least = roc.normalized_costs(matrix, priors), roc.minimum_cost(matrix, priors)
        bayes = found.bayes_threshold(matrix, priors)
        place = int(np.searchsorted(roc.levels.level, bayes, side="right"))
        best = least.point.threshold, least.normalized
        swept.append(SweptMetric(name, values, "lower", best, (bayes, float(values[place])), 1.0))
    for metric in metrics:
        values = roc.sweep(metric)
        place = best_place(metric, values)
        best = float(roc.thresholds[place]), float(values[place])
        swept.append(SweptMetric(metric.name, values, metric.better, best))
    return ThresholdSweep(roc.thresholds, tuple(swept), found.scale, roc.classes)
