"""Intervals of estimated priors: those at which likely reweightings of the rows find them.

A prior is the most likely one where the slopes of the log likelihood of unlabelled rows sum to 0.
What gives the likelihoods (a calibrator, rates of decisions) was fitted to labelled rows, and is
fitted again to their weights. A prior is in the interval if some reweighting of all rows that is
likely enough brings the sum to 0: the law of `inference`, tested at each prior.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from stakes._counting import bincount
from stakes._typing import FloatArray, IntArray
from stakes.calibration.mixture import most_likely_priors
from stakes.inference.cells import HALF
from stakes.inference.law import radius_of
from stakes.inference.merging import MOST_ROWS, merged
from stakes.inference.pairs import balanced

_NEAREST = 1e-6  # to priors of 0 and 1
_REACHED = 1e-6  # of the range of priors
_FAR = 1e3  # a radius that no interval has
_MOST_ROUNDS, _UNDAMPED = 40, 4
_SETTLED = 1e-3  # of the radius
_MOST_STEPS, _LONGEST, _LAST = 30, 1.0, 1e-9  # of Newton's method
_LEAST = -600.0  # log of a likelihood that is as good as 0
_NONE = np.zeros(0)


class Likelihoods(Protocol):
    """Likelihoods of unlabelled rows, and the labelled rows that they were fitted to."""

    @property
    def counts(self) -> FloatArray:
        """How many samples each labelled row stands for."""

    @property
    def stratum(self) -> IntArray:
        """The class of each labelled row."""

    def at(self, weights: FloatArray) -> FloatArray:
        """Return the likelihood of each class in each unlabelled row, for weights of labelled."""

    def moves(self, slopes: FloatArray, weights: FloatArray) -> FloatArray:
        """Return how much each labelled row moves what has these slopes by log likelihoods.

        In each class, the mean over rows by their weights is 0.
        """


@dataclass(frozen=True, eq=False)
class Known:
    """Likelihoods that are taken as they are."""

    likelihood: FloatArray
    counts: FloatArray = field(default_factory=lambda: _NONE)
    stratum: IntArray = field(default_factory=lambda: _NONE.astype(np.int64))

    def cells(self) -> tuple[Known, FloatArray]:
        """Return fewer rows, if there are many: those that are alike as one; their counts."""
        with np.errstate(divide="ignore"):
            columns, counts = _merged(np.log(self.likelihood))
        return Known(np.exp(columns)), counts

    def at(self, weights: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return the likelihood of each class in each unlabelled row."""
        return self.likelihood

    def moves(self, slopes: FloatArray, weights: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return nothing: no row is labelled."""
        return _NONE


@dataclass(eq=False)
class Calibrated:
    """Likelihoods after one scale and a bias for each class, fitted to labelled rows.

    `scores` are log likelihoods of unlabelled rows, `labelled` those of labelled ones, whose
    samples weigh `weights`; `fitted` are the scale and the biases of the fit to all.
    """

    scores: FloatArray
    labelled: FloatArray
    stratum: IntArray
    weights: FloatArray
    fitted: FloatArray

    def __post_init__(self) -> None:
        self.counts = np.ones(len(self.stratum))
        self._refit(self.counts)

    def cells(self) -> tuple[Calibrated, FloatArray]:
        """Return fewer unlabelled rows, if there are many: those that are alike as one; counts."""
        scores, counts = _merged(self.scores)
        return replace(self, scores=scores), counts

    def at(self, weights: FloatArray) -> FloatArray:
        """Return the likelihood of each class in each unlabelled row, for weights of labelled."""
        return self._likelihood(self.scores, weights)

    def of_labelled(self) -> FloatArray:
        """Return the likelihood of each class in each labelled row."""
        return self._likelihood(self.labelled, self.counts)

    def _likelihood(self, scores: FloatArray, weights: FloatArray) -> FloatArray:
        self._refit(weights)
        shares = np.log(bincount(self.stratum, weights * self.weights, scores.shape[1]))
        log = self.fitted[0] * scores + self.fitted[1:] - shares
        return np.exp(np.maximum(log - log.max(axis=1, keepdims=True), _LEAST))

    def moves(self, slopes: FloatArray, weights: FloatArray) -> FloatArray:
        """Return how much each labelled row moves what has these slopes by log likelihoods."""
        self._refit(weights)
        along = np.concatenate([[(slopes * self.scores).sum()], slopes.sum(axis=0)])
        along = self._inverse @ np.delete(along, 1)
        moved = self._gradient() @ along
        weighted = bincount(self.stratum, weights * moved) / bincount(self.stratum, weights)
        return np.asarray(moved - weighted[self.stratum])

    def _posteriors(self) -> tuple[FloatArray, FloatArray]:
        """Return posteriors of labelled rows, and log likelihoods less their mean by these."""
        log = self.fitted[0] * self.labelled + self.fitted[1:]
        q = np.exp(log - log.max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
        return q, self.labelled - (q * self.labelled).sum(axis=1, keepdims=True)

    def _gradient(self) -> FloatArray:
        """Return the slopes of each row's log likelihood in scale and all biases but the first."""
        q, z = self._posteriors()
        rows = np.arange(len(q))
        out = -q
        out[rows, self.stratum] += 1
        out[:, 0] = z[rows, self.stratum]
        return self.weights[:, None] * out

    def _refit(self, weights: FloatArray) -> None:
        """Fit to labelled rows of these weights, from the last fit on, by Newton's method."""
        if weights is getattr(self, "_at", None):
            return
        for _ in range(_MOST_STEPS):
            curvature = _affine_curvature(*self._posteriors(), weights * self.weights)
            curvature = np.delete(np.delete(curvature, 1, axis=0), 1, axis=1)
            self._inverse = np.linalg.pinv(curvature, hermitian=True)
            step = self._inverse @ (weights @ self._gradient())
            size = float(np.abs(step).max())
            self.fitted = self.fitted + np.insert(
                step * min(1.0, _LONGEST / max(size, _LAST)), 1, 0
            )
            if size <= _LAST:
                break
        self._at = weights


@dataclass(frozen=True, eq=False)
class Decided:
    """Likelihoods of decisions, which are their rates in a table of labelled samples.

    `unlabelled` and `decided` are the decisions of unlabelled and labelled rows; `stratum` is the
    class of the labelled ones, of which each stands for `counts` samples.
    """

    unlabelled: IntArray
    decided: IntArray
    stratum: IntArray
    counts: FloatArray

    def at(self, weights: FloatArray) -> FloatArray:
        """Return the likelihood of each class in each unlabelled row, for weights of labelled."""
        return np.asarray(self._rates(weights)[:, self.unlabelled].T)

    def _rates(self, weights: FloatArray) -> FloatArray:
        table = np.zeros((self.stratum.max() + 1, self.decided.max() + 1))
        np.add.at(table, (self.stratum, self.decided), weights)
        return table / table.sum(axis=1, keepdims=True)

    def moves(self, slopes: FloatArray, weights: FloatArray) -> FloatArray:
        """Return how much each labelled row moves what has these slopes by log likelihoods."""
        rates, size = self._rates(weights), bincount(self.stratum, weights)
        total = np.zeros(rates.shape)
        np.add.at(total.T, self.unlabelled, slopes)
        own = total[self.stratum, self.decided] / rates[self.stratum, self.decided]
        return np.asarray((own - total.sum(axis=1)[self.stratum]) / size[self.stratum])


def _merged(log: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return rows of log likelihoods and their counts; many rows of two classes in cells."""
    counts = np.ones(len(log))
    if len(log) <= MOST_ROWS or log.shape[1] != 2 or not np.isfinite(log).all():
        return log, counts
    found = merged(log, counts, np.zeros(len(log), dtype=np.int64), log[:, 1] - log[:, 0])
    return found[0], found[1]


@dataclass(frozen=True, eq=False)
class Mixture:
    """Unlabelled rows by the likelihood of each class, and the priors most likely for them."""

    likelihoods: Likelihoods
    counts: FloatArray
    priors: FloatArray

    def interval(self, k: int, level: float) -> tuple[float, float]:
        """Return the least and the largest prior of a class at which the rows are likely enough."""
        from scipy.optimize import brentq  # noqa: PLC0415  slow to import

        limit, ends = radius_of(level, None), []
        inner = min(max(float(self.priors[k]), _NEAREST), 1 - _NEAREST)
        for side, last in ((-1.0, _NEAREST), (1.0, 1 - _NEAREST)):

            def beyond(prior: float, side: float = side) -> float:
                return self.radius(k, prior, side) - limit

            if beyond(last) <= 0:
                ends.append(float(round(last)))
            elif beyond(inner) >= 0:
                ends.append(float(self.priors[k]))
            else:
                ends.append(float(brentq(beyond, inner, last, xtol=_REACHED)))
        return ends[0], ends[1]

    def radius(self, k: int, prior: float, side: float) -> float:
        """Return how far reweighted rows are from these for which a prior is the estimate."""
        known = self.likelihoods
        counts = np.concatenate([self.counts, known.counts])
        parts = self._parts(k, prior, known.counts)
        counts[int((side * parts).argmax())] += HALF
        if side * float(counts @ parts) >= 0:
            return 0.0
        radius, at, few = _FAR, known.counts, known.counts.size <= MOST_ROWS
        for number in range(_MOST_ROUNDS if few else 1):
            weights, found = self._balanced(parts, counts)
            before, radius = radius, min(found, _FAR)
            if abs(radius - before) <= _SETTLED * radius:
                break
            at = weights if number < _UNDAMPED else (at + weights) / 2
            parts = self._parts(k, prior, at)
        return radius

    def _balanced(self, parts: FloatArray, counts: FloatArray) -> tuple[FloatArray, float]:
        """Return the likeliest weights of labelled rows for which parts sum to 0; their radius."""
        n, known = self.counts.size, self.likelihoods.stratum + 1
        stratum = np.concatenate([np.zeros(n, dtype=np.int64), known])
        if parts.size > MOST_ROWS:
            new = merged(parts[:n, None], counts[:n], stratum[:n], parts[:n])
            rest = parts[n:, None], counts[n:], stratum[n:]
            if known.size > MOST_ROWS:
                rest = merged(*rest, parts[n:])
            columns, counts, stratum = (
                np.concatenate(both) for both in zip(new, rest, strict=True)
            )
            parts, n = columns[:, 0], len(new[1])
        weights, radius = balanced(parts[None], counts[None], stratum)
        return weights[0, n:], float(radius[0])

    def _parts(self, k: int, prior: float, weights: FloatArray) -> FloatArray:
        """Return how much each row, then each labelled one, adds to the slope of the likelihood."""
        likelihood = self.likelihoods.at(weights)
        weight, move = self._along(likelihood, k, prior)
        mixed = likelihood @ weight
        slope = likelihood @ move / mixed
        each = (self.counts / mixed)[:, None] * likelihood
        moved = self.likelihoods.moves(each * (move - weight * slope[:, None]), weights)
        return np.concatenate([slope, moved])

    def _along(self, likelihood: FloatArray, k: int, prior: float) -> tuple[FloatArray, FloatArray]:
        """Return the likeliest priors with that of one class given, and how they move with it."""
        others = np.flatnonzero(np.arange(self.priors.size) != k)
        rest = np.ones(1)
        if others.size > 1:
            start = np.maximum(self.priors[others], _NEAREST)
            given = prior * likelihood[:, [k]] + (1 - prior) * likelihood[:, others]
            rest = most_likely_priors(given, start / start.sum(), self.counts)
        weight, move = np.zeros(self.priors.size), np.zeros(self.priors.size)
        weight[k], weight[others] = prior, (1 - prior) * rest
        relative = np.sqrt(self.counts)[:, None] * likelihood / (likelihood @ weight)[:, None]
        first, *free = others[rest > 0]
        slopes = relative[:, free] - relative[:, [first]]
        moved = np.linalg.lstsq(slopes, relative[:, first] - relative[:, k], rcond=None)[0]
        move[k], move[free], move[first] = 1.0, moved, -1 - moved.sum()
        return weight, move


def _affine_curvature(q: FloatArray, z: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the second derivatives of the weighted log loss in the scale and K biases.

    Those of one sample are diag(q) - q q' in the biases, q z in bias and scale, and the sum of
    q z^2 in the scale, where z are log posteriors less their mean by q.
    """
    k, weighted = q.shape[1], weights[:, None] * q
    out = np.empty((k + 1, k + 1))
    out[0, 0] = np.einsum("nk,nk,nk->", weighted, z, z)
    out[0, 1:] = out[1:, 0] = np.einsum("nk,nk->k", weighted, z)
    out[1:, 1:] = np.diag(weighted.sum(axis=0)) - weighted.T @ q
    return out
