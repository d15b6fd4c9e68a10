"""The affine fit where one scale serves all classes: samples in parts, read where they lie.

Weights are a factor for each class, so that no column of them is made. A fit to some of the parts
starts where that to all of them came near its end, with the very sums found there.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from stakes._kernels.affine import affine_binary_pass, affine_pass
from stakes._kernels.folds import grouped_rows
from stakes._kernels.kernel_records import Slopes
from stakes._kernels.threads import available_threads
from stakes._typing import FloatArray, IntArray, NDArray
from stakes.calibration.newton import Descent, along, chosen, descend, stepped, thin_sizes, units_of
from stakes.samples import Samples
from stakes.scores import Logits

_UNITS = 1e-100, 1e100  # sizes of scores whose squares are neither 0 nor infinite
_FAR = 4.0  # times their range: how far off values may lie
_SMALL = 64.0  # of logits, about as far as log posteriors reach
_EVEN = 1e-12  # least over largest weight that sums of weights can tell


@dataclass(frozen=True, eq=False)
class Part:
    """Log odds of two classes, or log posteriors of more, with labels and weights if any."""

    values: FloatArray
    y: NDArray[Any]  # codes
    weights: FloatArray | None
    rows: IntArray | None = None  # where the samples stand among the log posteriors

    def thinned(self, step: int) -> "Part":
        """Return every n-th sample."""
        thin = slice(None, None, step)
        weights = None if self.weights is None else self.weights[thin]
        if self.rows is None:
            return Part(self.values[thin], self.y[thin], weights)
        return Part(self.values, self.y[thin], weights, self.rows[thin])

    def slopes(
        self, scale: float, shift: FloatArray, each: FloatArray | None, *, hessian: bool
    ) -> Slopes:
        """Return loss, gradient and Hessian in scale and shifts (two classes: in the one shift)."""
        threads = available_threads()
        if self.values.ndim == 1:
            odds = float(shift[1] - shift[0])
            return affine_binary_pass(
                self.values, self.y, self.weights, scale, odds, class_weights=each, threads=threads
            )
        return affine_pass(
            self.values,
            self.y,
            self.weights,
            scale,
            shift,
            class_weights=each,
            rows=self.rows,
            hessian=hessian,
            threads=threads,
        )


@dataclass(eq=False)
class Pooled:
    """The loss of all parts, as a function of x where scales and biases are basis @ x.

    Scales count in units of the largest value, so that scores of any size give slopes of size 1.
    """

    values: FloatArray  # of all samples in the order given
    parts: tuple[Part, ...]
    each: FloatArray  # the weight of the samples of each class
    fold_weights: tuple[FloatArray, ...] | None  # the same without each part, where it can be
    basis: FloatArray
    held_scale: float
    ends: tuple[float, float]  # the least and the largest value
    centre: float = 0.0  # what was taken from all values
    last: tuple[FloatArray, list[Slopes]] | None = field(default=None, repr=False)

    @property
    def unit(self) -> float:
        """The largest distance of a value from 0."""
        return max(-self.ends[0], self.ends[1]) or 1.0

    @property
    def units(self) -> FloatArray:
        """How many of the user's units each parameter counts in, at least 1."""
        return units_of(self.basis, self.unit)

    @property
    def constant(self) -> bool:
        """Whether all values are the same, so that any scale will do."""
        return self.ends[0] == self.ends[1]

    def bias(self, scale: float, bias: FloatArray) -> FloatArray:
        """Return the biases for values as they were given, from those for values less the centre.

        What all classes of a sample have in common has no part in its posteriors, so that this
        matters for log odds alone.
        """
        if self.values.ndim > 1 or self.centre == 0:
            return bias
        return bias + np.array([0.5, -0.5]) * scale * self.centre

    def slopes(self, x: FloatArray, *, hessian: bool = True) -> Slopes:
        """Return loss, gradient and Hessian."""
        k = self.each.size
        theta = self.basis @ x
        scale = self.held_scale + float(theta[0]) / self.unit
        even = self._even
        each = None if even else self.each
        found = [part.slopes(scale, theta[k:], each, hessian=hessian) for part in self.parts]
        if hessian:
            self.last = x, found
        return self._joined(found, float(self.each[0]) if even else 1.0)

    @property
    def _even(self) -> bool:
        """Whether the samples of all classes weigh the same."""
        return bool((self.each == self.each[0]).all())

    @cached_property
    def _moved(self) -> tuple[FloatArray, IntArray | None]:
        """The basis of the scale and the shifts that a pass knows, and what it chooses of them."""
        k, b = self.each.size, self.basis
        moved = np.vstack([b[0], b[3] - b[2]]) if k == 2 else np.vstack([b[0], b[k:]])
        return moved, chosen(moved)

    def _joined(self, found: list[Slopes], factor: float) -> Slopes:
        """Return the sums of parts along the basis, times a factor."""
        gradient = np.sum([s.gradient for s in found], axis=0)
        hessian = np.sum([s.hessian for s in found], axis=0)
        size = np.full(len(gradient), 1.0)
        size[0] /= self.unit
        hessian *= factor * (np.multiply.outer(size, size) if hessian.ndim > 1 else size * size)
        gradient, hessian = along(*self._moved, gradient * (factor * size), hessian)
        loss = factor * sum(s.loss for s in found)
        return Slopes(loss, gradient, hessian, max(s.worst for s in found))

    def reach(self, direction: FloatArray) -> float:
        """Return how far at most a step moves the log odds of any two classes of any sample."""
        k = self.each.size
        moved = self.basis @ direction
        slope, low, high = float(moved[0]) / self.unit, *self.ends
        if k == 2:
            shift = float(moved[3] - moved[2])
            return max(abs(slope * low + shift), abs(slope * high + shift))
        return abs(slope) * (high - low) + float(np.ptp(moved[k:]))

    def thinner(self) -> Iterator[tuple[int, "Pooled"]]:
        """Yield the losses of some of the samples and how many, few samples first."""
        n = sum(part.y.size for part in self.parts)
        for size in thin_sizes(n, self.each.size):
            step = n // size
            parts = tuple(part.thinned(step) for part in self.parts)
            yield size, replace(self, parts=parts, each=self.each * step, last=None)

    def less(self, part: int, each: FloatArray) -> "Pooled":
        """Return the loss of all other parts, with other weights of the classes."""
        others = tuple(p for i, p in enumerate(self.parts) if i != part)
        return replace(self, parts=others, each=each, last=None)

    def without(self, part: int, each: FloatArray) -> Descent:
        """Return the fit to all other parts, which begins where that to all came near its end."""
        if self.last is None:
            msg = "the fit to all parts comes first."
            raise ValueError(msg)
        less, (x, found) = self.less(part, each), self.last
        others = [slopes for i, slopes in enumerate(found) if i != part]
        heavy = self.each > 0
        ratio = each[heavy] if self._even else each[heavy] / self.each[heavy]
        here = less._joined(others, float(ratio.mean()))
        if np.ptp(ratio) > 1e-14 * ratio.max():  # near enough for a first step alone
            x = stepped(less, x, here)
            here = less.slopes(x)
        return descend(less, x, here)


def pooled(
    samples: Samples, basis: FloatArray, held_scale: float, fold: IntArray | None, n_folds: int
) -> Pooled | None:
    """Return the problem of samples that are plain enough: finite scores, weights not far apart."""
    values, weights = _values(samples, folded=fold is not None), samples.mass
    if values is None:
        return None
    values, ends, centre = _centred(values, basis)
    if not _UNITS[0] < (max(-ends[0], ends[1]) or 1.0) < _UNITS[1]:
        return None
    if weights is not None:
        weights = weights / weights.max()
        if weights.min() < _EVEN:
            return None
    parts: tuple[Part, ...] = (Part(values, samples.y, weights),)
    if fold is not None:
        parts = _parted(values, samples.y, weights, fold, n_folds)
    even = samples.priors_from_data and weights is None
    if fold is None and even:
        each = np.full(samples.priors.size, 1 / len(samples))
        return Pooled(values, parts, each, None, basis, held_scale, ends, centre)
    totals = np.stack([_totals(part, samples.priors.size) for part in parts])
    whole = _each(totals.sum(axis=0), samples)
    if whole is None:
        return None
    less = [_each(np.delete(totals, i, axis=0).sum(axis=0), samples) for i in range(len(parts))]
    known = tuple(each for each in less if each is not None)
    folds = known if len(known) == n_folds else None
    return Pooled(values, parts, whole, folds, basis, held_scale, ends, centre)


def _values(samples: Samples, *, folded: bool) -> FloatArray | None:
    """Return log odds of two classes or log posteriors; None where they differ from fold to fold.

    Where a posterior is 0 some of them are infinite or NaN.
    """
    scores = samples.scores
    if folded and scores.needs_priors and samples.priors_from_data:
        return None
    if isinstance(scores, Logits) and (scores.values.ndim == 1 or _small(scores.values)):
        return scores.values
    log_p = scores.answers(samples.priors).log_p
    if log_p.shape[1] > 2:
        return log_p
    with np.errstate(invalid="ignore"):
        return np.asarray(log_p[:, 1] - log_p[:, 0], dtype=np.float64)


def _centred(
    values: FloatArray, basis: FloatArray
) -> tuple[FloatArray, tuple[float, float], float]:
    """Return values, their ends, and what was taken from all of them: 0 unless they lie far off.

    Values that differ by little beside their size would leave no digits for the scale. A bias takes
    the centre back; for log odds there must be one that is free.
    """
    low, high = float(values.min()), float(values.max())
    far = max(abs(low), abs(high)) > _FAR * (high - low) > 0
    free = values.ndim > 1 or bool(((basis[0] == 0) & (basis[2] != basis[3])).any())
    if not far or not free:
        return values, (low, high), 0.0
    centre = low + (high - low) / 2
    near = values - centre
    return near, (float(near.min()), float(near.max())), centre


def _small(logits: FloatArray) -> bool:
    """Whether logits of more than two classes serve as log posteriors would.

    What is the same for all classes of a sample has no part in a posterior, but if it were large it
    would set the scale of the whole fit.
    """
    several = logits.ndim == 2 and logits.shape[1] > 2
    return several and logits.min() >= -_SMALL and logits.max() <= _SMALL


def _parted(
    values: FloatArray, y: IntArray, weights: FloatArray | None, fold: IntArray, n_folds: int
) -> tuple[Part, ...]:
    """Return the samples of each fold: log odds side by side, rows of more classes in place."""
    order, bounds = grouped_rows(fold, n_folds)
    labels = y.astype(np.min_scalar_type(int(y.max())))[order]
    heavy = None if weights is None else weights[order]
    near = values[order] if values.ndim == 1 else values
    parts = []
    for start, stop in pairwise(bounds.tolist()):
        some = slice(start, stop)
        w = None if heavy is None else heavy[some]
        if values.ndim == 1:
            parts.append(Part(near[some], labels[some], w))
        else:
            parts.append(Part(near, labels[some], w, order[some]))
    return tuple(parts)


def _totals(part: Part, k: int) -> FloatArray:
    """Return the weight of each class."""
    if part.weights is None and k == 2:
        second = int(part.y.sum())
        return np.array([part.y.size - second, second], dtype=np.float64)
    return np.bincount(part.y, part.weights, k).astype(np.float64)


def _each(totals: FloatArray, samples: Samples) -> FloatArray | None:
    """Return the weight of a sample of each class; None if a class that counts has none."""
    if samples.priors_from_data:
        return np.full(totals.size, 1 / totals.sum()) if totals.all() else None
    if not totals[samples.priors > 0].all():
        return None
    return np.divide(samples.priors, totals, out=np.zeros(totals.size), where=totals > 0)
