"""Calibration errors, for comparison with the literature; calibration loss says more."""

from __future__ import annotations

__all__ = [
    "CalibrationError",
    "calibration_error",
    "confidence_calibration_error",
    "smooth_calibration_error",
]

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np

from stakes._check import read_level, read_number
from stakes._foreign_calls import answered
from stakes._records import NumberRecord
from stakes._text import number
from stakes._typing import Column, FloatArray, IntArray, Label, Names, NamesLike, PriorsLike
from stakes.metrics.binned_error import GapModel, root
from stakes.metrics.class_gaps import FEWEST, ClassGaps
from stakes.metrics.probability_bins import (
    Bins,
    EqualMass,
    EqualWidth,
    Reliability,
    check_two,
    event_of,
    read_bins,
    reliability_of,
)
from stakes.metrics.smooth_error import GRID, SmoothModel, smooth_error
from stakes.results import Estimate, Interval, json_number
from stakes.samples import Samples, read_samples
from stakes.scores import Scores
from stakes.statistics import BinSums
from stakes.statistics.bins import equal_width


@dataclass(frozen=True, eq=False)
class CalibrationError(NumberRecord):
    """A calibration error: lower is better, and it is biased upward.

    A perfectly calibrated system has `expected_if_calibrated` on average, by chance alone, for as
    many samples with the same posteriors; a value near it is not evidence of miscalibration.
    `debiased` and `interval` are without that bias. A system that answers the priors scores 0.

    Attributes
    ----------
    value : float
    name : str
    classes : tuple of names
    factors : array or None
        How many times samples of each class count; None if all count once.
    model : GapModel, SmoothModel or None
        What the interval is computed from.
    why_no_interval : str
        Empty if there is an interval.

    See Also
    --------
    calibration_error, confidence_calibration_error, smooth_calibration_error : return it.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> for priors in ([0.9, 0.1], [0.5, 0.5]):  # the right priors, then wrong ones
    ...     error = stakes.calibration_error(data.y, data.posteriors(priors))
    ...     print(error.interval().low > 0)
    False
    True

    Calibrate the second system; the error of the first may be due to chance.
    """

    value: float
    name: str
    classes: Names
    factors: FloatArray | None = field(repr=False)  # None: all 1
    model: GapModel | SmoothModel | None = field(default=None, repr=False)
    why_no_interval: str = ""

    @property
    def class_weights(self) -> dict[Label, float]:
        """How many times a sample of each class counts, to match the priors."""
        factors = np.ones(len(self.classes)) if self.factors is None else self.factors
        return dict(zip(self.classes, factors.tolist(), strict=True))

    @cached_property
    def expected_if_calibrated(self) -> float:
        """The mean value for a perfectly calibrated system of that size; NaN if unknown."""
        return math.nan if self.model is None else self.model.expected

    @cached_property
    def debiased(self) -> float:
        """The value minus what chance adds on average; NaN if unknown."""
        model = self.model
        if model is None:
            return math.nan
        size = np.abs(model.gap)
        return model.value * root(lambda s: model.moments(s * size)[0] - model.value)

    @property
    def method(self) -> str:
        """How the interval is computed, or why there is none."""
        if self.model is None:
            return self.why_no_interval
        if self.model.lacking:
            return f"fewer than {FEWEST} samples of {self.model.lacking} at these priors"
        return self.model.method

    def interval(self, level: float = 0.95) -> Interval | None:
        """Return a confidence interval of the population's error; None if there is none.

        It starts at 0 if the value may be due to chance alone. If it is None, `method` says why.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        z, model = NormalDist().inv_cdf((1 + read_level(level)) / 2), self.model
        if model is None or model.lacking:
            return None
        size = np.abs(model.gap)
        spread = np.sqrt(size * size + model.variance)

        def too_large(scale: float) -> float:  # gaps are scaled down until the error would be
            mean, deviation, skew = model.moments(scale * size)
            return mean + (z + skew * (z * z - 1) / 6) * deviation - model.value

        def too_small(scale: float) -> float:  # those within noise of 0 are scaled up too
            _, deviation, _ = model.moments(scale * spread)
            return model.least_mean(scale * spread) - z * deviation - model.value

        low, high = model.value * root(too_large), math.fsum(spread) * root(too_small)
        return Interval(min(low, model.value), max(high, model.value), level)

    def estimate(self, level: float = 0.95) -> Estimate:
        """Return the value, its interval, and how that was computed.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        return Estimate(self.value, self.interval(level), self.method)

    def without_interval(self, why: str) -> CalibrationError:
        """Return the value without an interval, and the reason.

        Parameters
        ----------
        why : str
            Why there is no interval.
        """
        return CalibrationError(self.value, self.name, self.classes, self.factors, None, why)

    def __str__(self) -> str:
        band = self.interval()
        text = f"{self.name} {number(self.value)}"
        if band is not None:
            text += f" (95 % interval {band})"
        if math.isnan(self.expected_if_calibrated):
            return text
        return f"{text}; {number(self.expected_if_calibrated)} expected if calibrated"

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        return {
            **self.estimate(level).to_dict(),
            "debiased": json_number(self.debiased),
            "expected_if_calibrated": json_number(self.expected_if_calibrated),
        }


NAMES = {False: "calibration error", True: "confidence calibration error"}


@answered
def calibration_error(
    y_true: Column,
    scores: Scores | Column,
    bins: Bins = 15,
    *,
    norm: float = 1,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> CalibrationError:
    """Return the expected calibration error of P(classes[-1]), as a fraction (the paper's ECE).

    It is the mean over bins of the gap between mean posterior and share of the class. Lower is
    better, but a system that answers the priors scores 0: the error does not measure information.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `expected_loss`.
    bins : int, EqualWidth(n) or EqualMass(n), default 15
        An int is a number of bins of equal width.
    norm : {1, 2, inf}, default 1
        Mean gap, root mean square gap, or largest gap. Only the mean gap has an interval.
    priors : float, array of K, mapping by class, or "data", optional
        Deployment priors, at which the posteriors are and the frequencies are computed: a sample of
        class k counts as many times as its prior exceeds its share in the data.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.

    Returns
    -------
    CalibrationError
        A float, with `debiased`, `expected_if_calibrated` and `interval()`.

    See Also
    --------
    calibration_loss : what miscalibration costs, which a calibration error does not measure.
    smooth_calibration_error : without bins.
    reliability : the bins.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> error = stakes.calibration_error(data.y, data.posteriors([0.9, 0.1]))
    >>> round(error, 3), round(error.expected_if_calibrated, 3), error.interval().low
    (0.008, 0.013, 0.0)

    Below what chance alone would give: no sign of miscalibration.
    """
    samples = read_samples(y_true, scores, priors, sample_weight, classes)
    return _error(samples, bins, norm, confidence=False)


@answered
def confidence_calibration_error(
    y_true: Column,
    scores: Scores | Column,
    bins: Bins = 15,
    *,
    norm: float = 1,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> CalibrationError:
    """Return the calibration error of the largest posterior, as a fraction (the paper's ECEmc).

    It measures only the confidence of the chosen class, not the posteriors of the others.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `calibration_error`.
    bins : int, EqualWidth(n) or EqualMass(n), default 15
        An int is a number of bins of equal width.
    norm : {1, 2, inf}, default 1
        Mean gap, root mean square gap, or largest gap.
    priors : float, array of K, mapping by class, or "data", optional
        Deployment priors, as in `calibration_error`.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.

    Returns
    -------
    CalibrationError
        A float, with `debiased`, `expected_if_calibrated` and `interval()`.

    See Also
    --------
    calibration_error : of the last of two classes.
    calibration_loss : what miscalibration costs, which a calibration error does not measure.

    Examples
    --------
    Is the error larger than chance would give a calibrated system? No:

    >>> import stakes
    >>> data = stakes.simulation.simulate(3, n=2000)
    >>> error = stakes.confidence_calibration_error(data.y, data.posteriors([0.8, 0.1, 0.1]))
    >>> error.value > 2 * error.expected_if_calibrated
    False
    """
    samples = read_samples(y_true, scores, priors, sample_weight, classes)
    return _error(samples, bins, norm, confidence=True)


def binned_errors(samples: Samples, bins: int = 15) -> dict[str, CalibrationError]:
    """Return the binned calibration errors of checked samples by name."""
    found = {"confidence_calibration_error": _error(samples, bins, 1, confidence=True)}
    if len(samples.classes) == 2:
        found["calibration_error"] = _error(samples, bins, 1, confidence=False)
    return found


@answered
def smooth_calibration_error(
    y_true: Column,
    scores: Scores | Column,
    *,
    confidence: bool = False,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> CalibrationError:
    """Return the smooth calibration error: no bins, a kernel whose width is the error itself.

    After Blasiok and Nakkiran: the residuals are smoothed by a reflected Gaussian; the error is the
    width at which the summed residual equals the width, to a thousandth.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `calibration_error`.
    confidence : bool, default False
        Whether to use the largest posterior instead of that of the last class.
    priors : float, array of K, mapping by class, or "data", optional
        Deployment priors, as in `calibration_error`.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.

    Returns
    -------
    CalibrationError
        A float, with `expected_if_calibrated` and `interval()`.

    See Also
    --------
    calibration_error : with bins.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> good, stale = data.posteriors([0.9, 0.1]), data.posteriors([0.5, 0.5])
    >>> errors = [stakes.smooth_calibration_error(data.y, p) for p in (good, stale)]
    >>> errors[0].value < errors[1].value
    True
    """
    samples = read_samples(y_true, scores, priors, sample_weight, classes)
    sums, gaps = _sums(samples, EqualWidth(GRID), confidence=confidence)
    factors = samples.class_factors()
    cells = GapModel(sums, factors is not None, gaps)
    model = SmoothModel(cells, smooth_error(cells.gap))
    name = f"smooth {NAMES[confidence]}"
    return CalibrationError(model.value, name, samples.classes, factors, model)


def error_of_sums(
    sums: BinSums,
    classes: Names,
    factors: FloatArray | None,
    *,
    confidence: bool,
    norm: float = 1,
    gaps: ClassGaps | None = None,
) -> CalibrationError:
    """Return the error of sums at the priors of use; confidences at given ones need `gaps`."""
    value, model = Reliability(sums).error(norm), GapModel(sums, factors is not None, gaps)
    found = CalibrationError(value, NAMES[confidence], classes, factors, model)
    return found if norm == 1 else found.without_interval("given for norm 1 only")


def _error(samples: Samples, bins: Bins, norm: float, *, confidence: bool) -> CalibrationError:
    chosen, order = read_bins(bins), read_number(norm, "norm", 1, math.inf)
    sums, gaps = _sums(samples, chosen, confidence=confidence, chance=order == 1)
    factors = samples.class_factors()
    return error_of_sums(
        sums, samples.classes, factors, confidence=confidence, norm=order, gaps=gaps
    )


def _sums(
    samples: Samples, bins: EqualWidth | EqualMass, *, confidence: bool, chance: bool = True
) -> tuple[BinSums, ClassGaps | None]:
    """Return sums by outcome and, of confidences at given priors, by class."""
    factors = samples.class_factors()
    if samples.large and isinstance(bins, EqualWidth):
        sums = _sums_in_blocks(samples, bins, factors, confidence=confidence)
    else:
        sums = reliability_of(samples, bins, confidence=confidence).sums
    by_class = chance and confidence and factors is not None
    return sums, ClassGaps.from_samples(samples, sums.edges) if by_class else None


def _sums_in_blocks(
    samples: Samples, bins: EqualWidth, factors: FloatArray | None, *, confidence: bool
) -> BinSums:
    """Sum very many samples; of two classes the factors enter at the end."""
    if not confidence:
        check_two(samples)
    late = samples.weights is None and not confidence
    weights = None if late else samples.weights_at_priors()

    def blocks() -> Iterator[tuple[FloatArray, IntArray, FloatArray | None]]:
        for part, y, answers in samples.blocks():
            some = None if weights is None else weights[part]
            yield *event_of(y, answers, confidence=confidence), some

    sums = BinSums.from_blocks(blocks, equal_width(bins.n))
    return sums.scaled(factors) if late and factors is not None else sums
