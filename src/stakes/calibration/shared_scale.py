"""The affine fit where one scale serves all classes: softmax(scale * log s + bias).

Samples are read where they lie, in parts. Weights are a factor for each class, so that no column of
them is made. A fit to all parts but one starts where that to all of them came near its end, with
the very sums found there.
"""

from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np

from stakes._counting import bincount
from stakes._kernels.affine import affine_answers, affine_pass
from stakes._kernels.kernel_records import Slopes
from stakes._kernels.threads import available_threads
from stakes._math import rows_by_code
from stakes._typing import FloatArray, IntArray, NDArray
from stakes.calibration.calibrators import CrossFit
from stakes.calibration.maps import AffineMap, log_odds
from stakes.calibration.solver import Descent, descend, short_step, solve
from stakes.samples import Samples
from stakes.scores import Logits, LogPosteriors

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
        return affine_pass(
            self.values, self.y, self.weights, scale, shift,
            class_weights=each, rows=self.rows, hessian=hessian, threads=available_threads(),
        )  # fmt: skip

    def totals(self, k: int) -> FloatArray:
        """Return the weight of each class."""
        if self.weights is None and k == 2:
            second = int(self.y.sum())
            return np.array([self.y.size - second, second], dtype=np.float64)
        return bincount(self.y, self.weights, k).astype(np.float64)


@dataclass(frozen=True)
class Moves:
    """What is learnt: the scale, the biases of all classes but the first, or both."""

    scale: bool
    biases: bool

    def places(self, k: int) -> IntArray:
        """Return where what moves stands in the derivatives of a pass.

        Those are of the scale and K shifts, or of two classes the second's alone.
        """
        shifts = [1] if k == 2 else range(2, k + 1)
        return np.array([*[0] * self.scale, *(shifts if self.biases else [])])


@dataclass(eq=False)
class SharedScale:
    """The loss of all parts as a function of x: the scale and the biases, as far as they move.

    Scales count in units of the largest value, so that scores of any size give slopes of size 1.
    """

    values: FloatArray  # of all samples in the order given
    parts: tuple[Part, ...]
    each: FloatArray  # the weight of the samples of each class
    free: IntArray  # which of what a pass knows moves: the scale (0), all shifts but the first
    ends: tuple[float, float]  # the least and the largest finite value
    centre: float = 0.0  # what was taken from all values
    divisor: float = 1.0  # what all values were divided by before
    most_dense: int = 150  # classes up to which a Hessian is worth its time in the kernel
    last: tuple[FloatArray, list[Slopes]] | None = field(default=None, repr=False)

    @classmethod
    def from_arrays(cls, log_p: FloatArray, y: IntArray, weights: FloatArray, moves: Moves) -> Self:
        """Return the problem of log posteriors; where the truth is impossible it has no optimum.

        Of two classes, samples that are certain and right are left out: they add nothing. Of more,
        an impossible class has no effect.
        """
        k, values = log_p.shape[1], log_p
        if k == 2:
            with np.errstate(invalid="ignore"):
                values = log_odds(log_p)
            kept = np.isfinite(values)
            if not kept.all():
                values, y, weights = values[kept], y[kept], weights[kept]
        values, ends, centre, divisor = _normal(values, moves)
        part, free = Part(values, y, weights), moves.places(k)
        return cls(values, (part,), np.ones(k), free, ends, centre, divisor)

    @classmethod
    def from_samples(
        cls, samples: Samples, moves: Moves, fold: IntArray | None = None, n_folds: int = 1
    ) -> Self | None:
        """Return the problem of samples that are plain enough: finite scores, even weights."""
        values, mass = _plain_values(samples, folded=fold is not None), samples.mass
        if values is None or not (-np.inf < values.min() and values.max() < np.inf):
            return None
        weights = None if mass is None else mass / mass.max()
        if weights is not None and weights.min() < _EVEN:
            return None
        values, ends, centre, divisor = _normal(values, moves)
        k, y = samples.priors.size, samples.y
        parts: tuple[Part, ...] = (Part(values, y, weights),)
        if fold is not None:
            parts = _parted(values, y, weights, fold, n_folds)
        whole: FloatArray | None = np.full(k, 1 / len(samples))
        if fold is not None or weights is not None or not samples.priors_from_data:
            whole = _each(np.sum([part.totals(k) for part in parts], axis=0), samples)
        if whole is None:
            return None
        return cls(values, parts, whole, moves.places(k), ends, centre, divisor)

    @property
    def shape(self) -> tuple[int, int]:
        """How many samples and classes there are."""
        return sum(part.y.size for part in self.parts), self.each.size

    @property
    def unit(self) -> float:
        """The largest distance of a value from 0."""
        return max(-self.ends[0], self.ends[1]) or 1.0

    @property
    def dense(self) -> bool:
        """Whether a whole Hessian is worth its time."""
        return self.each.size <= self.most_dense

    @property
    def held_scale(self) -> float:
        """The scale of the values to which what is learnt is added."""
        return self.divisor if self.free[:1] != 0 else 0.0

    @property
    def units(self) -> FloatArray:
        """How many of the user's units each parameter counts in, at least 1."""
        return np.where(self.free == 0, max(self.unit * self.divisor, 1.0), 1.0)

    @property
    def start(self) -> FloatArray:
        """The parameters that leave scores as they are, or nearly."""
        return np.where(self.free == 0, self.unit * self.divisor, 0.0)

    def parameters(self, near: AffineMap) -> FloatArray:
        """Return the parameters of a map."""
        scale = float(near.scale[0]) * self.divisor
        bias = near.bias - near.bias[0]
        shift = bias[1:] + scale * self.centre if bias.size == 2 else bias
        moved = (scale - self.held_scale) * self.unit
        return np.concatenate([[moved], shift])[self.free]

    def _theta(self, x: FloatArray) -> FloatArray:
        """Return by how much the scale, in units of the values, and the shifts are moved."""
        theta = np.zeros(2 if self.each.size == 2 else 1 + self.each.size)
        theta[self.free] = x
        return theta

    def _scale(self, theta: FloatArray) -> float:
        return self.held_scale + float(theta[0]) / self.unit

    def affine_map(self, x: FloatArray, *, separable: bool = False) -> AffineMap:
        """Return the map of scores as they were given, whose biases sum to 0.

        What all classes of a sample have in common has no effect on its posteriors, so that the
        centre matters for log odds alone. Any scale serves scores that are all the same.
        """
        theta = self._theta(x)
        scale, bias = self._scale(theta), theta[1:]
        if self.values.ndim == 1:
            bias = np.array([-0.5, 0.5]) * (bias - scale * self.centre)
        held = separable and self.ends[0] != self.ends[1]
        return AffineMap(np.full(self.each.size, scale / self.divisor), bias - bias.mean(), held)

    def slopes(self, x: FloatArray, *, hessian: bool) -> Slopes:
        """Return loss, gradient and Hessian."""
        theta = self._theta(x)
        each, factor = (None, float(self.each[0])) if self._even else (self.each, 1.0)
        scale = self._scale(theta)
        found = [part.slopes(scale, theta[1:], each, hessian=hessian) for part in self.parts]
        if hessian:
            self.last = x, found
        return self._joined(found, factor)

    @property
    def _even(self) -> bool:
        return bool(self.each.min() == self.each.max())

    def _joined(self, found: list[Slopes], factor: float) -> Slopes:
        """Return the sums of parts as far as they move, times a factor."""
        free = self.free
        size = np.where(free == 0, 1 / self.unit, 1.0)
        loss, gradient, hessian = (
            reduce(add, (getattr(s, name) for s in found))
            for name in ("loss", "gradient", "hessian")
        )
        if hessian.ndim > 1:
            second = hessian[free[:, None], free] * (factor * np.multiply.outer(size, size))
        else:
            second = hessian[free] * (factor * size * size)
        worst = max(s.worst for s in found)
        return Slopes(factor * loss, gradient[free] * (factor * size), second, worst)

    def reach(self, direction: FloatArray) -> float:
        """Return how far at most a step moves the log odds of any two classes of any sample."""
        moved = self._theta(direction)
        slope, low, high = float(moved[0]) / self.unit, *self.ends
        if moved.size == 2:
            return max(abs(slope * low + moved[1]), abs(slope * high + moved[1]))
        return abs(slope) * (high - low) + float(np.ptp(moved[1:]))

    def thinned(self, step: int) -> Self:
        """Return the loss of every n-th sample."""
        parts = tuple(part.thinned(step) for part in self.parts)
        return replace(self, parts=parts, each=self.each * step, last=None)

    def solved(self) -> Descent:
        """Return the fit; where one without Hessians does not settle, they are worth their time."""
        found = solve(self, self.start)
        if not found.settled and not self.dense:
            found = solve(replace(self, most_dense=self.each.size), self.start)
        return found

    def fold_fits(self, samples: Samples, fold: IntArray) -> CrossFit | None:
        """Return the fit without each part; None where one does not settle or has no optimum.

        Without an optimum, as of separable classes, a common start would tell of the test fold.
        """
        totals = np.stack([part.totals(self.each.size) for part in self.parts])
        others = (np.delete(totals, i, axis=0).sum(axis=0) for i in range(len(totals)))
        less = [_each(total, samples) for total in others]
        if any(each is None for each in less):
            return None
        first = solve(self, self.start)
        found = [self._without(i, each, first.x) for i, each in enumerate(less) if each is not None]
        if not all(f.settled and not f.separable for f in (first, *found)):
            return None
        thetas = [self._theta(f.x) for f in found]
        scale, shift = np.array([*map(self._scale, thetas)]), np.stack([t[1:] for t in thetas])
        shift = shift[:, 0] if self.values.ndim == 1 else shift
        log_p = affine_answers(self.values, fold, scale, shift, threads=available_threads())
        scores = LogPosteriors.trusted(log_p, samples.scores.names)
        return CrossFit(scores, tuple(self.affine_map(f.x) for f in found))

    def _without(self, part: int, each: FloatArray, x: FloatArray) -> Descent:
        """Return the fit to all other parts, which begins where that to all came near its end."""
        others = tuple(p for i, p in enumerate(self.parts) if i != part)
        less = replace(self, parts=others, each=each, last=None)
        if not self.dense or self.last is None:
            return descend(less, x, less.slopes(x, hessian=self.dense))
        x, found = self.last
        heavy = self.each > 0
        ratio = each[heavy] if self._even else each[heavy] / self.each[heavy]
        rest = [slopes for i, slopes in enumerate(found) if i != part]
        here = less._joined(rest, float(ratio.mean()))
        if np.ptp(ratio) > 1e-14 * ratio.max():  # near enough for a first step alone
            x = short_step(less, x, here)
            here = less.slopes(x, hessian=True)
        return descend(less, x, here)


def _plain_values(samples: Samples, *, folded: bool) -> FloatArray | None:
    """Return log odds of two classes or log posteriors; None where they differ from fold to fold.

    Where a posterior is 0 some of them are infinite or NaN. Logits of more than two classes serve
    as log posteriors would, if they are small: what is the same for all classes of a sample has no
    effect on a posterior, but if it were large it would set the scale of the whole fit.
    """
    scores = samples.scores
    if folded and scores.needs_priors and samples.priors_from_data:
        return None
    if isinstance(scores, Logits):
        logits = scores.values
        several = logits.ndim == 2 and logits.shape[1] > 2
        if logits.ndim == 1 or (several and logits.min() >= -_SMALL and logits.max() <= _SMALL):
            return logits
    log_p = scores.answers(samples.priors).log_p
    if log_p.shape[1] > 2:
        return log_p
    with np.errstate(invalid="ignore"):
        return np.asarray(log_odds(log_p), dtype=np.float64)


def _normal(
    values: FloatArray, moves: Moves
) -> tuple[FloatArray, tuple[float, float], float, float]:
    """Return values, their ends, and what was taken from all of them and divided by before.

    Values that differ by little beside their size would leave no digits for the scale. A bias takes
    the centre back; for log odds there must be one that moves.
    """
    low, high = _ends(values)
    size, divisor = max(-low, high) or 1.0, 1.0
    if not _UNITS[0] < size < _UNITS[1]:
        values, low, high, divisor = values / size, low / size, high / size, size
    far = max(abs(low), abs(high)) > _FAR * (high - low) > 0
    if not far or not (values.ndim > 1 or moves.biases):
        return values, (low, high), 0.0, divisor
    centre = low + (high - low) / 2
    near = values - centre
    return near, _ends(near), centre, divisor


def _ends(values: FloatArray) -> tuple[float, float]:
    """Return the least and the largest finite value; 0 and 0 of none."""
    low, high = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
    if low == -np.inf:
        low = float(values[np.isfinite(values)].min(initial=np.inf))
    return (low, high) if low <= high else (0.0, 0.0)


def _parted(
    values: FloatArray, y: IntArray, weights: FloatArray | None, fold: IntArray, n_folds: int
) -> tuple[Part, ...]:
    """Return the samples of each fold: log odds side by side, rows of more classes in place."""
    labels = y.astype(np.min_scalar_type(int(y.max())))
    parts = []
    for rows in rows_by_code(fold, n_folds):
        mine, place = (values[rows], None) if values.ndim == 1 else (values, rows)
        parts.append(Part(mine, labels[rows], None if weights is None else weights[rows], place))
    return tuple(parts)


def _each(totals: FloatArray, samples: Samples) -> FloatArray | None:
    """Return the weight of a sample of each class; None if a class that counts has none."""
    if samples.priors_from_data:
        return np.full(totals.size, 1 / totals.sum()) if totals.all() else None
    if not totals[samples.priors > 0].all():
        return None
    return np.divide(samples.priors, totals, out=np.zeros(totals.size), where=totals > 0)
