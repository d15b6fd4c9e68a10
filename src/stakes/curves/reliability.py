"""The isotonic reliability curve, with the band that chance alone would fill."""

from __future__ import annotations

__all__ = ["ReliabilityCurve", "reliability_curve"]

from dataclasses import dataclass

import numpy as np

from stakes._check import MOST_RESAMPLES, InputError, read_count, read_level
from stakes._counting import bincount
from stakes._foreign_calls import answered
from stakes._records import Record
from stakes._text import plain
from stakes._typing import Column, FloatArray, NamesLike, PriorsLike
from stakes.samples import Samples, read_samples
from stakes.scores import Scores
from stakes.statistics import ScoreLevels

_MOST_LEVELS = 1000  # for the band; more are taken together, some neighbours at a time


@dataclass(frozen=True, eq=False)
class ReliabilityCurve(Record):
    """The frequency of the last class as a monotone function of its posterior.

    Blocks come from pool-adjacent-violators: block i has the posteriors from `low` to `high`, in
    which the class has the share `frequency`. If the posteriors are calibrated, the curve lies
    between `band_low` and `band_high` at each of `band_at` with probability `level`. `values`,
    `first` and `second` are the distinct posteriors and the weight of each class there.

    Attributes
    ----------
    low, high : array
        The least and largest posterior of each block.
    frequency : array
        Share of the class in each block.
    band_at, band_low, band_high : array
        The band of a calibrated system.
    level : float
        Level of the band.
    values, first, second : array
        Distinct posteriors, and the weight of each class there.
    prior : float
        Prior of the last class.
    classes : tuple of names

    See Also
    --------
    reliability_curve : returns it.

    Examples
    --------
    >>> import stakes
    >>> y, p = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9]
    >>> curve = stakes.reliability_curve(y, p, resamples=20)
    >>> curve.frequency.tolist()  # it rises with the posterior, so the scores are informative
    [0.0, 0.5, 1.0]
    """

    low: FloatArray
    high: FloatArray
    frequency: FloatArray
    band_at: FloatArray
    band_low: FloatArray
    band_high: FloatArray
    level: float
    values: FloatArray
    first: FloatArray
    second: FloatArray
    prior: float  # of the last class: where a system stands that answers the priors
    classes: tuple[int | str, ...]

    def __str__(self) -> str:
        levels = f"{self.values.size} distinct posteriors of {plain(self.classes[-1])}"
        return f"ReliabilityCurve({levels}, {self.low.size} steps)"


@answered
def reliability_curve(  # noqa: PLR0913  the data, and how the band is drawn
    y_true: Column,
    scores: Scores | Column,
    *,
    level: float = 0.9,
    resamples: int = 200,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    rng: int | np.random.Generator = 0,
) -> ReliabilityCurve:
    """Return the isotonic reliability curve of P(classes[-1]): no bins to choose (CORP).

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `reliability`.
    level : float, default 0.9
        Level of the pointwise consistency band, computed by drawing labels from the posteriors
        themselves. With more than a thousand distinct posteriors, neighbours are merged for it.
    resamples : int, default 200
        How often labels are drawn.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
        Posteriors are used as delivered.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.
    rng : int or Generator, default 0
        Seed of the resamples.

    Returns
    -------
    ReliabilityCurve
        Blocks, and the band in which the curve of a calibrated system lies.

    See Also
    --------
    IsotonicReliabilityDisplay : draws it.
    reliability : by bins.
    decompose : the corresponding decomposition of the loss.

    Examples
    --------
    >>> import stakes
    >>> curve = stakes.reliability_curve([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> curve.low.tolist(), curve.high.tolist(), curve.frequency.tolist()
    ([0.1, 0.3, 0.7], [0.2, 0.6, 0.9], [0.0, 0.5, 1.0])
    """
    read_level(level)
    read_count(resamples, "resamples", 1, MOST_RESAMPLES)
    samples = read_samples(y_true, scores, priors, sample_weight, classes)
    if len(samples.classes) != 2:
        hint = "Use reliability with confidence=True."
        raise InputError("reliability_curve", "needs two classes", len(samples.classes), hint=hint)
    p = np.minimum(samples.scores.answers(samples.priors).p[:, 1], 1.0)
    levels = ScoreLevels.from_scores(p, samples.y, samples.weights)
    factors = samples.class_factors()
    f1, f2 = (1.0, 1.0) if factors is None else factors.tolist()
    first, second = levels.on_one_scale()
    first, second = f1 * first, f2 * second
    starts = levels.blocks()
    one, two = (np.add.reduceat(part, starts[:-1]) for part in (first, second))
    drawing = level, resamples, np.random.default_rng(rng)
    at, low, high = _band(samples, p, (f1, f2), *drawing)
    return ReliabilityCurve(
        low=levels.level[starts[:-1]],
        high=levels.level[starts[1:] - 1],
        frequency=np.divide(two, one + two, out=np.full(two.size, np.nan), where=one + two > 0),
        band_at=at,
        band_low=low,
        band_high=high,
        level=level,
        values=levels.level,
        first=first,
        second=second,
        prior=float(samples.priors[1]),
        classes=samples.classes,
    )


def _band(
    samples: Samples,
    p: FloatArray,
    factors: tuple[float, float],
    level: float,
    resamples: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return posteriors, and what range the curve has there for labels drawn from them.

    A level of n equal samples has a binomial number of events; with weights, n is the number of
    equal samples that would be as precise. Labels are drawn as the file has them, from posteriors
    moved to its priors; the fit is moved back.
    """
    from scipy.optimize import isotonic_regression  # noqa: PLC0415  slow to import

    weights = np.ones(p.size) if samples.weights is None else samples.weights
    weights = weights / weights.max()
    level_p, code = np.unique(p, return_inverse=True)
    size = bincount(code, weights)
    square = bincount(code, np.square(weights))
    if level_p.size > _MOST_LEVELS:
        share = (np.cumsum(size) - size / 2) / size.sum()
        group = np.minimum(share * _MOST_LEVELS, _MOST_LEVELS - 1).astype(np.int64)
        group = np.unique(group, return_inverse=True)[1]
        total = bincount(group, size)
        level_p = bincount(group, size * level_p) / total
        size, square = total, bincount(group, square)
    n = np.maximum(np.rint(size * size / square), 1).astype(np.int64)
    f1, f2 = factors
    in_file = np.minimum(_moved(level_p, f2, f1), 1.0)
    drawn = rng.binomial(n, in_file, (resamples, level_p.size)) / n
    fits = np.stack([isotonic_regression(row, weights=size).x for row in drawn])
    fits = _moved(fits, f1, f2)
    low, high = np.quantile(fits, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return level_p, low, high


def _moved(rate: FloatArray, first: float, second: float) -> FloatArray:
    """Return a share of the second class with each class that many times as heavy."""
    if first == second:
        return rate
    total = second * rate + first * (1 - rate)
    return np.divide(second * rate, total, out=rate.copy(), where=total > 0)
