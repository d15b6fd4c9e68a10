"""Calibration errors, for comparison with the literature; calibration loss says more."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from stakes._check import InputError, read_level, read_number
from stakes._typing import Column, FloatArray, IntArray, NamesLike, PriorsLike
from stakes.samples import Samples, read_samples
from stakes.scores import Answers, Scores
from stakes.statistics import BinSums
from stakes.statistics.bins import bin_of, equal_mass, equal_width


@dataclass(frozen=True)
class EqualWidth:
    """Bins [m/M, (m+1)/M) of the same width, the last one closed."""

    n: int = 15

    def __post_init__(self) -> None:
        check_bins(self.n)

    def edges(
        self,
        probability: FloatArray,  # noqa: ARG002
        weights: FloatArray | None,  # noqa: ARG002
    ) -> FloatArray:
        """Return the inner edges."""
        return equal_width(self.n)


@dataclass(frozen=True)
class EqualMass:
    """Bins with the same weight of samples; tied scores share a bin."""

    n: int = 15

    def __post_init__(self) -> None:
        check_bins(self.n)

    def edges(self, probability: FloatArray, weights: FloatArray | None) -> FloatArray:
        """Return the inner edges, which are scores."""
        return equal_mass(probability, weights, self.n)


def check_bins(n: object) -> None:
    """Refuse anything but a whole number of at least 1."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        msg = f"bins must be a whole number of at least 1: got {n!r}."
        raise InputError(msg)


Bins = int | EqualWidth | EqualMass


@dataclass(frozen=True, eq=False)
class Reliability:
    """How often the event happened in each bin of its probability."""

    sums: BinSums
    code: IntArray  # the bin of each sample

    @property
    def probability(self) -> FloatArray:
        """Mean probability of each bin; NaN where it is empty."""
        with np.errstate(invalid="ignore"):
            return self.sums.probability / self.sums.weight

    @property
    def frequency(self) -> FloatArray:
        """Share of events in each bin; NaN where it is empty."""
        with np.errstate(invalid="ignore"):
            return self.sums.hits / self.sums.weight

    @property
    def share(self) -> FloatArray:
        """Share of the samples in each bin."""
        return self.sums.weight / math.fsum(self.sums.weight)

    def interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Return Wilson's interval of the share of events in each bin; NaN where it is empty.

        With weights a bin counts as many equal samples as would be as precise.
        """
        z = NormalDist().inv_cdf((1 + read_level(level)) / 2)
        with np.errstate(invalid="ignore", divide="ignore"):
            n = np.square(self.sums.weight) / self.sums.square
            rate = np.clip(self.frequency, 0.0, 1.0)  # rounding alone could pass them
            centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
            half = z * np.sqrt(rate * (1 - rate) / n + np.square(z / (2 * n))) / (1 + z * z / n)
        return np.minimum(centre - half, rate), np.maximum(centre + half, rate)

    @property
    def of_samples(self) -> FloatArray:
        """Gap between frequency and probability in the bin of each sample."""
        return (self.frequency - self.probability)[self.code]

    def error(self, norm: float = 1) -> float:
        """Return the mean gap over bins (norm 1), root mean square (2), or largest (inf)."""
        order = read_number(norm, "norm", 1, math.inf)
        gap = np.abs(self.sums.hits - self.sums.probability)
        if order == 1:
            return math.fsum(gap) / math.fsum(self.sums.weight)
        filled = self.sums.weight > 0
        gap = gap[filled] / self.sums.weight[filled]
        if math.isinf(order):
            return float(gap.max())
        return math.fsum(self.share[filled] * gap**order) ** (1 / order)

    def debiased_error(self) -> float:
        """Return the root mean square gap less what chance alone makes of it; at least 0."""
        size = np.divide(
            np.square(self.sums.weight),
            self.sums.square,
            out=np.zeros_like(self.sums.weight),
            where=self.sums.square > 0,
        )
        use = size > 1
        rate = self.frequency[use]
        chance = rate * (1 - rate) / (size[use] - 1)
        square = np.square(rate - self.probability[use]) - chance
        return math.sqrt(max(math.fsum(self.share[use] * square), 0.0))


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
    """Return how often P(classes[-1]), or the chosen class (`confidence`), came true, by bin."""
    samples = read_samples(
        y_true, scores, priors=priors, sample_weight=sample_weight, classes=classes
    )
    return reliability_of(samples, bins, confidence=confidence)


def reliability_of(samples: Samples, bins: Bins, *, confidence: bool = False) -> Reliability:
    """Return the reliability of checked samples."""
    return _binned(samples, *(_confidence if confidence else _second)(samples), bins)


def calibration_error(
    y_true: Column,
    scores: Scores | Column,
    bins: Bins = 15,
    *,
    norm: float = 1,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> float:
    """Return the expected calibration error of P(classes[-1]), as a fraction (the paper's ECE).

    Mean over bins of the gap between mean posterior and share of the class. Lower is better, but
    answering the priors always scores 0: it says nothing of how much is known.

    Parameters
    ----------
    bins : int, EqualWidth(n) or EqualMass(n)
    norm : 1, 2 or infinity
        Mean gap, root mean square gap, or largest gap.
    priors : array of K, mapping by class, or "data", optional
        Needed to turn likelihoods into posteriors; they do not weigh the samples here.
    y_true, scores, sample_weight, classes
        As for `expected_loss`.
    """
    samples = read_samples(
        y_true, scores, priors=priors, sample_weight=sample_weight, classes=classes
    )
    return _error(samples, bins, norm, confidence=False)


def confidence_calibration_error(
    y_true: Column,
    scores: Scores | Column,
    bins: Bins = 15,
    *,
    norm: float = 1,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> float:
    """Return the calibration error of the largest posterior, as a fraction (the paper's ECEmc).

    It looks at the confidence of the chosen class alone, so it misses what happens to all others.
    """
    samples = read_samples(
        y_true, scores, priors=priors, sample_weight=sample_weight, classes=classes
    )
    return _error(samples, bins, norm, confidence=True)


def binned_errors(samples: Samples, bins: int = 15) -> dict[str, float]:
    """Return the calibration errors of checked samples by name."""
    edges = equal_width(bins)
    sums: dict[str, BinSums] = {}
    for part, y, answers in samples.blocks():
        p, w = answers.p, None if samples.weights is None else samples.weights[part]
        choice = p.argmax(axis=1)
        cases = {
            "confidence_calibration_error": (p[np.arange(y.size), choice], choice == y),
        }
        if len(samples.classes) == 2:
            cases["calibration_error"] = (p[:, 1], y == 1)
        for name, (probability, hit) in cases.items():
            more = BinSums.of(np.minimum(probability, 1.0), hit.astype(np.int64), w, edges)
            sums[name] = sums[name] + more if name in sums else more
    return {name: Reliability(s, np.empty(0, dtype=np.int64)).error() for name, s in sums.items()}


def smooth_calibration_error(
    y_true: Column,
    scores: Scores | Column,
    *,
    confidence: bool = False,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> float:
    """Return the smooth calibration error: no bins, a kernel whose width is the error itself.

    After Blasiok and Nakkiran: the residuals are smoothed by a reflected Gaussian; the width at
    which the summed residual equals the width is the error, to a thousandth.
    """
    from scipy.ndimage import gaussian_filter1d  # noqa: PLC0415  slow to import

    samples = read_samples(
        y_true, scores, priors=priors, sample_weight=sample_weight, classes=classes
    )
    p, hit = (_confidence if confidence else _second)(samples)
    sums = BinSums.of(p, hit, samples.weights, equal_width(_GRID))
    residual = (sums.hits - sums.probability) / math.fsum(sums.weight)
    low, high = 1 / _GRID, 1.0
    while high - low > 1e-4:
        width = (low + high) / 2
        smoothed = gaussian_filter1d(residual, width * _GRID, mode="reflect", truncate=6)
        low, high = (width, high) if np.abs(smoothed).sum() > width else (low, width)
    return (low + high) / 2


_GRID = 1000


def _error(samples: Samples, bins: Bins, norm: float, *, confidence: bool) -> float:
    """Return a calibration error; of very many samples without a column of each in memory."""
    chosen = _read_bins(bins)
    if not samples.many or not isinstance(chosen, EqualWidth):
        return reliability_of(samples, chosen, confidence=confidence).error(norm)
    if not confidence:
        _check_two(samples)

    def blocks() -> Iterator[tuple[FloatArray, IntArray]]:
        for _, y, answers in samples.blocks():
            probability, hit = _event(y, answers, confidence=confidence)
            yield np.minimum(probability, 1.0), hit

    sums = BinSums.over(blocks, equal_width(chosen.n))
    return Reliability(sums, np.empty(0, dtype=np.int64)).error(norm)


def _event(y: IntArray, answers: Answers, *, confidence: bool) -> tuple[FloatArray, IntArray]:
    """Return P(classes[-1]), or the largest posterior, and whether it came true."""
    p = answers.p
    if not confidence:
        return p[:, 1], y
    choice = p.argmax(axis=1)
    return p[np.arange(choice.size), choice], (choice == y).astype(np.int64)


def _second(samples: Samples) -> tuple[FloatArray, IntArray]:
    """Return P(classes[-1]) and whether it came true, for two classes."""
    _check_two(samples)
    return _event(samples.y, samples.scores.answers(samples.priors), confidence=False)


def _check_two(samples: Samples) -> None:
    """Refuse anything but two classes."""
    if len(samples.classes) != 2:
        msg = f"calibration_error needs two classes: got {len(samples.classes)}."
        raise InputError(f"{msg} Use confidence_calibration_error.")


def _confidence(samples: Samples) -> tuple[FloatArray, IntArray]:
    """Return the largest posterior and whether its class was the true one."""
    return _event(samples.y, samples.scores.answers(samples.priors), confidence=True)


def _read_bins(bins: Bins) -> EqualWidth | EqualMass:
    """Return how bins are cut: a number of them is one of the same width."""
    return bins if isinstance(bins, EqualWidth | EqualMass) else EqualWidth(bins)


def _binned(samples: Samples, probability: FloatArray, hit: IntArray, bins: Bins) -> Reliability:
    """Return the samples by bin."""
    p = np.minimum(probability, 1.0)
    edges = _read_bins(bins).edges(p, samples.weights)
    return Reliability(BinSums.of(p, hit, samples.weights, edges), bin_of(p, edges))
