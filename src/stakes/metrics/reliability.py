"""Calibration errors, for comparison with the literature; calibration loss says more."""

import math

import numpy as np

from stakes._check import InputError
from stakes._typing import Column, FloatArray, IntArray, NamesLike, PriorsLike
from stakes.samples import Samples, read_samples
from stakes.scores import Scores
from stakes.statistics import BinSums


def calibration_error(
    y_true: Column,
    scores: Scores | Column,
    bins: int = 15,
    *,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> float:
    """Return the expected calibration error of P(classes[-1]), as a fraction (the paper's ECE).

    Mean over equal-width bins of the gap between mean posterior and share of the class. Lower is
    better, but answering the priors always scores 0: it says nothing of how much is known.
    """
    samples = read_samples(
        y_true, scores, priors=priors, sample_weight=sample_weight, classes=classes
    )
    if len(samples.classes) != 2:
        msg = f"calibration_error needs two classes: got {len(samples.classes)}."
        raise InputError(f"{msg} Use confidence_calibration_error.")
    return _error(samples, samples.scores.answers(samples.priors).p[:, 1], samples.y, bins)


def confidence_calibration_error(
    y_true: Column,
    scores: Scores | Column,
    bins: int = 15,
    *,
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
    p = samples.scores.answers(samples.priors).p
    choice = p.argmax(axis=1)
    return _error(
        samples, p[np.arange(choice.size), choice], (choice == samples.y).astype(int), bins
    )


def _error(samples: Samples, probability: FloatArray, hit: IntArray, bins: int) -> float:
    """Return the mean gap over bins, by their weight."""
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 1:
        msg = f"bins must be a whole number of at least 1: got {bins!r}."
        raise InputError(msg)
    sums = BinSums.of(np.minimum(probability, 1.0), hit, samples.weights, int(bins))
    return math.fsum(np.abs(sums.hits - sums.probability)) / math.fsum(sums.weight)
