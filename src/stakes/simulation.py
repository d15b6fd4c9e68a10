"""The paper's simulated data: one Gaussian feature, true likelihoods, and distortions of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stakes._check import InputError, read_array, read_number, read_priors
from stakes._math import log, log_softmax
from stakes._typing import ArrayLike, FloatArray, IntArray
from stakes.scores import LogLikelihoodRatios, LogLikelihoods, LogPosteriors


@dataclass(frozen=True)
class Distortion:
    """An affine change of log likelihoods: scale times them, plus a shift for each class."""

    scale: float = 1.0
    shift: tuple[float, ...] = ()

    def distorted(self, log_likelihoods: FloatArray) -> FloatArray:
        """Return distorted log likelihoods."""
        shift = np.zeros(log_likelihoods.shape[1])
        if len(self.shift) > shift.size:
            raise InputError("shift", "must have at most one number per class", len(self.shift))
        shift[: len(self.shift)] = self.shift
        return self.scale * log_likelihoods + shift


CALIBRATED = Distortion()
MISCALIBRATED = Distortion(scale=0.5, shift=(0.5,))  # the paper's mc1


@dataclass(frozen=True, eq=False)
class Simulation:
    """Labels, feature, and the likelihoods that generated them."""

    y: IntArray
    x: FloatArray
    n_classes: int
    variance: float

    def log_likelihoods(self, distortion: Distortion = CALIBRATED) -> LogLikelihoods:
        """Return log p(x|H_i), true or distorted."""
        distance = self.x[:, None] - np.arange(self.n_classes)
        values = -np.square(distance) / (2 * self.variance)
        values = values - 0.5 * np.log(2 * np.pi * self.variance)
        return LogLikelihoods(distortion.distorted(values))

    def log_likelihood_ratios(self, distortion: Distortion = CALIBRATED) -> LogLikelihoodRatios:
        """Return log p(x|H_2) - log p(x|H_1), for two classes."""
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
        """Return posteriors at some priors; `flattening` scales their logs (0.2 for mc2)."""
        p = _priors(priors, self.n_classes)
        log_p = log_softmax(self.log_likelihoods(distortion).values + log(p))
        if flattening != 1:
            log_p = log_softmax(flattening * log_p)
        return LogPosteriors(log_p)


def skewed_priors(n_classes: int, *, largest: float = 0.9, at: int = 0) -> FloatArray:
    """Return one large prior and the rest shared evenly: the paper's, and its mismatched ones."""
    if n_classes < 2:
        raise InputError("n_classes", "must be at least 2", n_classes)
    read_number(largest, "largest", 0, 1)
    priors = np.full(n_classes, (1 - largest) / (n_classes - 1))
    priors[at] = largest
    return priors


def simulate(
    n_classes: int = 2,
    *,
    n: int = 100_000,
    priors: Sequence[float] | FloatArray | None = None,
    variance: float = 0.15,
    rng: int = 0,
) -> Simulation:
    """Make the paper's data: class i has a Gaussian feature of mean i.

    The same numbers, to the bit, as the published tables were made from: class sizes are n times
    the prior, cut to whole numbers, so n=100000 gives 99999 samples; the text calls 0.15 the
    standard deviation, but it is the variance.

    Parameters
    ----------
    n_classes : int
    n : int
        Number of samples, before class sizes are cut.
    priors : sequence of K, optional
        By default 0.9 for the first class and the rest shared evenly.
    variance : float
    rng : int
        Seed of the legacy generator that the paper used.

    Examples
    --------
    >>> from stakes.simulation import simulate
    >>> data = simulate(2, n=1000)
    >>> data.y.size, data.posteriors([0.9, 0.1]).n_classes
    (999, 2)
    """
    if not isinstance(n_classes, int) or not isinstance(n, int) or n < 1:
        rule = "must be whole numbers above 0"
        raise InputError("n_classes and n", rule, f"{n_classes!r} and {n!r}")
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
