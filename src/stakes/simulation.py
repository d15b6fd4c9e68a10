"""Simulated data of the paper: one Gaussian feature, with true or distorted likelihoods."""

from __future__ import annotations

__all__ = [
    "CALIBRATED",
    "MISCALIBRATED",
    "Distortion",
    "Simulation",
    "simulate",
    "skewed_priors",
]

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stakes._check import InputError, read_array, read_count, read_number, read_priors
from stakes._foreign_calls import answered
from stakes._math import log, log_softmax
from stakes._typing import ArrayLike, FloatArray, IntArray
from stakes.scores import LogLikelihoodRatios, LogLikelihoods, LogPosteriors

_MOST_CLASSES = 10**5
_MOST_SAMPLES = 10**8


@dataclass(frozen=True)
class Distortion:
    """An affine change of log likelihoods: multiplied by a scale, plus a shift for each class.

    Parameters
    ----------
    scale : float, default 1.0
        Above 1, the system becomes overconfident; below 1, underconfident.
    shift : tuple of float, optional
        One for each class; by default 0.

    See Also
    --------
    simulate : makes the data.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=1000)
    >>> raw = data.posteriors([0.9, 0.1], stakes.simulation.Distortion(scale=2))
    >>> stakes.calibration_loss(stakes.LogLoss(), data.y, raw).relative > 0.1  # calibrate
    True
    """

    scale: float = 1.0
    shift: tuple[float, ...] = ()

    def distorted(self, log_likelihoods: FloatArray) -> FloatArray:
        """Return distorted log likelihoods.

        Parameters
        ----------
        log_likelihoods : array of shape (N, K)
            The true ones.
        """
        shift = np.zeros(log_likelihoods.shape[1])
        if len(self.shift) > shift.size:
            raise InputError("shift", "must have at most one number per class", len(self.shift))
        shift[: len(self.shift)] = self.shift
        return self.scale * log_likelihoods + shift


CALIBRATED = Distortion()
MISCALIBRATED = Distortion(scale=0.5, shift=(0.5,))  # the paper's mc1


@dataclass(frozen=True, eq=False)
class Simulation:
    """Labels, the feature, and the likelihoods that generated them.

    Attributes
    ----------
    y : array of N ints
        The class of each sample.
    x : array of N floats
        The feature of each sample.
    n_classes : int
        Number of classes.
    variance : float
        Variance of the feature within each class.

    See Also
    --------
    simulate : returns it.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=1000)
    >>> scores = data.posteriors([0.9, 0.1])
    >>> stakes.bayes_cost(data.y, scores).normalized < 1  # useful
    True
    """

    y: IntArray
    x: FloatArray
    n_classes: int
    variance: float

    def log_likelihoods(self, distortion: Distortion = CALIBRATED) -> LogLikelihoods:
        """Return log p(x|H_i), true or distorted.

        Parameters
        ----------
        distortion : Distortion, default CALIBRATED
            How the likelihoods are distorted.
        """
        distance = self.x[:, None] - np.arange(self.n_classes)
        values = -np.square(distance) / (2 * self.variance)
        values = values - 0.5 * np.log(2 * np.pi * self.variance)
        return LogLikelihoods(distortion.distorted(values))

    def log_likelihood_ratios(self, distortion: Distortion = CALIBRATED) -> LogLikelihoodRatios:
        """Return log p(x|H_2) - log p(x|H_1), for two classes.

        Parameters
        ----------
        distortion : Distortion, default CALIBRATED
            How the likelihoods are distorted.
        """
        if self.n_classes != 2:
            found = f"this simulation has {self.n_classes}"
            raise InputError("log_likelihood_ratios", "need two classes", found=found)
        values = self.log_likelihoods(distortion).values
        return LogLikelihoodRatios(values[:, 1] - values[:, 0])

    def posteriors(
        self,
        priors: ArrayLike,
        distortion: Distortion = CALIBRATED,
        *,
        flattening: float = 1.0,
    ) -> LogPosteriors:
        """Return posteriors at given priors, true or distorted.

        Parameters
        ----------
        priors : float, array of K
            How often each class occurs.
        distortion : Distortion, default CALIBRATED
            How the likelihoods are distorted.
        flattening : float, default 1.0
            Factor of the log posteriors; 0.2 for the paper's mc2.
        """
        p = _priors(priors, self.n_classes)
        log_p = log_softmax(self.log_likelihoods(distortion).values + log(p))
        if flattening != 1:
            log_p = log_softmax(flattening * log_p)
        return LogPosteriors(log_p)


def skewed_priors(n_classes: int, *, largest: float = 0.9, at: int = 0) -> FloatArray:
    """Return one large prior with the rest shared evenly, as in the paper.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    largest : float, default 0.9
        The large prior.
    at : int, default 0
        Index of its class.

    Returns
    -------
    array of K

    See Also
    --------
    simulate : uses them by default.

    Examples
    --------
    Posteriors at the wrong priors cost more than a constant answer, so estimate the priors first:

    >>> import stakes
    >>> from stakes.simulation import simulate, skewed_priors
    >>> data = simulate(2, n=1000)
    >>> wrong = data.posteriors(skewed_priors(2, at=1))
    >>> stakes.bayes_cost(data.y, wrong).normalized > 1
    True
    """
    read_count(n_classes, "n_classes", 2, _MOST_CLASSES)
    read_number(largest, "largest", 0, 1)
    priors = np.full(n_classes, (1 - largest) / (n_classes - 1))
    priors[at] = largest
    return priors


@answered
def simulate(
    n_classes: int = 2,
    *,
    n: int = 100_000,
    priors: float | Sequence[float] | FloatArray | None = None,
    variance: float = 0.15,
    rng: int = 0,
) -> Simulation:
    """Return the paper's data: class i has a Gaussian feature of mean i.

    The numbers are exactly those of the published tables: class sizes are n times the prior,
    rounded down, so n=100000 gives 99999 samples. The paper calls 0.15 the standard deviation, but
    it is the variance.

    Parameters
    ----------
    n_classes : int, default 2
        Number of classes.
    n : int, default 100000
        Number of samples, before class sizes are rounded down.
    priors : float or sequence of K, optional
        By default 0.9 for the first class with the rest shared evenly.
    variance : float, default 0.15
        Variance of the feature within each class.
    rng : int, default 0
        Seed of the legacy generator that the paper used.

    Returns
    -------
    Simulation
        With `y`, `posteriors(priors)` and `log_likelihood_ratios()`.

    See Also
    --------
    evaluate : takes labels and posteriors.
    Distortion : makes a system miscalibrated.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=1000)
    >>> scores = data.posteriors([0.9, 0.1])
    >>> data.y.size, stakes.bayes_cost(data.y, scores).normalized < 1  # useful
    (999, True)
    """
    read_count(n_classes, "n_classes", 1, _MOST_CLASSES)
    read_count(n, "n", 1, _MOST_SAMPLES)
    if not isinstance(rng, int) or not 0 <= rng < 2**32:
        rule = "must be a seed from 0 to 2**32 - 1 for the paper's generator"
        raise InputError("rng", rule, repr(rng))
    p = skewed_priors(n_classes) if priors is None else _priors(priors, n_classes)
    width = read_number(variance, "variance", 0, np.inf, closed=(False, False))
    sizes = [int(share * n) for share in p]
    y = np.repeat(np.arange(n_classes), sizes)
    noise = np.random.RandomState(rng).standard_normal(y.size)
    return Simulation(y, y + np.sqrt(width) * noise, n_classes, width)


def _priors(priors: ArrayLike, n_classes: int) -> FloatArray:
    p = read_priors(read_array(priors, "priors"), tuple(range(n_classes)))
    if p is None:
        raise InputError("priors", "must be numbers")
    return p
