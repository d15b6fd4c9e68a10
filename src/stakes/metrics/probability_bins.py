"""How often what was predicted happened, by bins of its probability."""

from __future__ import annotations

__all__ = ["EqualMass", "EqualWidth", "Reliability", "reliability"]

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from stakes._check import MOST_BINS, InputError, read_count, read_level, read_number
from stakes._foreign_calls import Answering, answered
from stakes._records import Record
from stakes._text import number
from stakes._typing import Column, FloatArray, IntArray, NamesLike, PriorsLike
from stakes.samples import Samples, read_samples
from stakes.scores import Answers, Scores
from stakes.statistics import BinSums
from stakes.statistics.bins import equal_mass, equal_width


@dataclass(frozen=True)
class EqualWidth(metaclass=Answering):
    """Bins [m/M, (m+1)/M) of equal width; the last one includes 1.

    Parameters
    ----------
    n : int, default 15
        Number of bins.

    See Also
    --------
    EqualMass : bins with the same weight of samples.
    reliability, calibration_error : take it as `bins`.

    Examples
    --------
    >>> import stakes
    >>> y, p = [0, 0, 0, 1], [0.01, 0.02, 0.03, 0.9]
    >>> stakes.reliability(y, p, stakes.EqualWidth(2)).share.tolist()
    [0.75, 0.25]

    Most samples are in the first bin: use `EqualMass` to look closer.
    """

    n: int = 15

    def __post_init__(self) -> None:
        check_bins(self.n)

    def edges(self, probability: FloatArray, weights: FloatArray | None) -> FloatArray:  # noqa: ARG002
        """Return the inner edges.

        Parameters
        ----------
        probability : array of N floats
            The probabilities to be binned.
        weights : array of N floats, or None
            Weights; None if all count the same.
        """
        return equal_width(self.n)


@dataclass(frozen=True)
class EqualMass(metaclass=Answering):
    """Bins with equal weight of samples; tied scores share a bin.

    Parameters
    ----------
    n : int, default 15
        Number of bins.

    See Also
    --------
    EqualWidth : bins of the same width.
    reliability, calibration_error : take it as `bins`.

    Examples
    --------
    >>> import stakes
    >>> y, p = [0, 0, 0, 1], [0.01, 0.02, 0.03, 0.9]
    >>> stakes.reliability(y, p, stakes.EqualMass(2)).share.tolist()  # no bin is empty
    [0.5, 0.5]
    """

    n: int = 15

    def __post_init__(self) -> None:
        check_bins(self.n)

    def edges(self, probability: FloatArray, weights: FloatArray | None) -> FloatArray:
        """Return the inner edges, which are values of the probability.

        Parameters
        ----------
        probability : array of N floats
            The probabilities to be binned.
        weights : array of N floats, or None
            Weights; None if all count the same.
        """
        return equal_mass(probability, weights, self.n)


def check_bins(n: int) -> None:
    """Refuse anything but a whole number of bins."""
    read_count(n, "bins", 1, MOST_BINS)


Bins = int | EqualWidth | EqualMass


@dataclass(frozen=True, eq=False)
class Reliability(Record):
    """How often the event happened in each bin of its predicted probability.

    Attributes
    ----------
    sums : BinSums
        Weights, probabilities and events of each bin.

    See Also
    --------
    reliability : returns it.

    Examples
    --------
    >>> import stakes
    >>> found = stakes.reliability([0, 0, 0, 1] * 10, [0.6, 0.6, 0.6, 0.6] * 10, bins=1)
    >>> low, high = found.interval()
    >>> bool(high[0] < found.probability[0])  # it happens less often than predicted: calibrate
    True
    """

    sums: BinSums

    @property
    def probability(self) -> FloatArray:
        """Mean probability of each bin; NaN if it is empty."""
        with np.errstate(invalid="ignore"):
            return self.sums.probability / self.sums.weight

    @property
    def frequency(self) -> FloatArray:
        """Share of events in each bin; NaN if it is empty."""
        with np.errstate(invalid="ignore"):
            return self.sums.hits / self.sums.weight

    @property
    def share(self) -> FloatArray:
        """Share of the samples in each bin."""
        return self.sums.weight / math.fsum(self.sums.weight)

    def interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Return Wilson's interval of the share of events in each bin; NaN if it is empty.

        With weights, each outcome counts as the number of equal samples that would be as precise.
        The interval is that of the unweighted samples, with its odds moved to the weights.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        z = NormalDist().inv_cdf((1 + read_level(level)) / 2)
        units, size = self.sums.units, self.sums.sizes
        with np.errstate(invalid="ignore", divide="ignore"):
            n = size.sum(axis=0)
            rate = size[1] / n
            centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
            half = z * np.sqrt(rate * (1 - rate) / n + np.square(z / (2 * n))) / (1 + z * z / n)
            ends = np.clip([centre - half, centre + half], 0.0, 1.0)
            low, high = units[1] * ends / (units[1] * ends + units[0] * (1 - ends))
        return np.minimum(low, self.frequency), np.maximum(high, self.frequency)

    def __str__(self) -> str:
        used = int((self.sums.weight > 0).sum())
        return f"Reliability({used} bins with samples, mean gap {number(self.error())})"

    def error(self, norm: float = 1) -> float:
        """Return the mean gap over bins (norm 1), root mean square (2), or largest (inf).

        Parameters
        ----------
        norm : {1, 2, inf}, default 1
            Mean gap, root mean square gap, or largest gap.
        """
        order = read_number(norm, "norm", 1, math.inf)
        weight = self.sums.weight
        gap = np.abs(self.sums.hits - self.sums.probability)
        if order == 1:
            return math.fsum(gap) / math.fsum(weight)
        filled = weight > 0
        gap = gap[filled] / weight[filled]
        if math.isinf(order):
            return float(gap.max())
        return math.fsum(self.share[filled] * gap**order) ** (1 / order)


@answered
def reliability(
    y_true: Column,
    scores: Scores | Column,
    bins: Bins = 15,
    *,
    confidence: bool = False,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> Reliability:
    """Return how often the last class, or the chosen class, was the true one, by bin.

    If priors are given, posteriors and frequencies are both at these priors.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `expected_loss`.
    bins : EqualWidth, EqualMass, or int, default 15
        An int is a number of bins of equal width.
    confidence : bool, default False
        Whether to use the largest posterior instead of that of the last class.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
        Posteriors are used as delivered.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.

    Returns
    -------
    Reliability
        With `probability`, `frequency`, `share` and `interval()` of each bin.

    See Also
    --------
    calibration_error : the mean gap.
    reliability_curve : without bins.
    ReliabilityDisplay : draws it.

    Examples
    --------
    A third of the cases below one half happened, and all of those above:

    >>> import stakes
    >>> found = stakes.reliability([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], bins=2)
    >>> found.frequency.round(3).tolist()
    [0.333, 1.0]
    """
    samples = read_samples(y_true, scores, priors, sample_weight, classes)
    return reliability_of(samples, bins, confidence=confidence)


def reliability_of(samples: Samples, bins: Bins, *, confidence: bool = False) -> Reliability:
    """Return the reliability of checked samples."""
    if not confidence:
        check_two(samples)
    answers = samples.scores.answers(samples.priors)
    p, hit = event_of(samples.y, answers, confidence=confidence)
    weights = samples.weights_at_priors()
    edges = read_bins(bins).edges(p, weights)
    return Reliability(BinSums.from_probabilities(p, hit, weights, edges, samples.copies))


def event_of(y: IntArray, answers: Answers, *, confidence: bool) -> tuple[FloatArray, IntArray]:
    """Return P(classes[-1]), or the largest posterior, 1 at most, and whether it came true."""
    p = answers.p
    if not confidence:
        return np.minimum(p[:, 1], 1.0), y
    choice = p.argmax(axis=1)
    top = p[np.arange(choice.size), choice]
    return np.minimum(top, 1.0), (choice == y).astype(np.int64)


def check_two(samples: Samples) -> None:
    """Refuse anything but two classes."""
    if len(samples.classes) != 2:
        hint = "Use confidence_calibration_error."
        raise InputError("calibration_error", "needs two classes", len(samples.classes), hint=hint)


def read_bins(bins: Bins) -> EqualWidth | EqualMass:
    """Return how bins are cut: a number of them is one of the same width."""
    return bins if isinstance(bins, EqualWidth | EqualMass) else EqualWidth(bins)
