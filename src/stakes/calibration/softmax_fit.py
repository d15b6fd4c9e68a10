"""A smooth fit and its derivatives, row by row: softmax(fixed + design x)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from stakes._math import log_softmax
from stakes._typing import FloatArray, IntArray
from stakes.calibration.class_scales import ClassScales
from stakes.inference.refitted import solved

_MOST_AT_ONCE = 2**21  # numbers of derivatives of problems solved together
_STEPS, _HALVINGS = 60, 20
_SETTLED = 1e-10  # of the loss: a step of Newton's that gains less is the last


@dataclass(frozen=True, eq=False)
class SoftmaxFit:
    """The cross-entropy of softmax(fixed + design x), relative to the first class.

    A row that does not take part in the fit has 0 for `takes_part`.
    """

    fixed: FloatArray  # rows x (K - 1)
    design: FloatArray  # rows x (K - 1) x p
    y: IntArray
    takes_part: FloatArray
    start: FloatArray
    penalty: FloatArray | float = 0.0

    @classmethod
    def from_problem(cls, problem: ClassScales, start: FloatArray, takes_part: FloatArray) -> Self:
        """Return the same loss as that of a table of scales and biases."""
        n, k = problem.shape
        row, column = problem._places
        owner = np.arange(row.size) if problem.owner is None else problem.owner
        features = np.column_stack([problem.log_p, np.ones(n)])
        design = np.zeros((n, k, start.size))
        for r, c, o in zip(row, column, owner, strict=True):
            design[:, r, o] += features[:, c]
        fixed = problem.held_scale * problem.log_p
        design, fixed = design[:, 1:] - design[:, :1], fixed[:, 1:] - fixed[:, :1]
        return cls(fixed, design, problem.y, takes_part, start, problem.penalty)

    @cached_property
    def _flat(self) -> FloatArray:
        return self.design.reshape(-1, self.start.size)

    @cached_property
    def _truth(self) -> FloatArray:
        """Whether a row is of each class but the first."""
        return np.equal.outer(self.y, np.arange(1, self.fixed.shape[1] + 1)).astype(np.float64)

    def logits(self, x: FloatArray) -> FloatArray:
        """Return logits of all classes but the first, for parameters of all rows or of each."""
        if x.ndim == 1:
            return self.fixed + (self._flat @ x).reshape(self.fixed.shape)
        return np.asarray(self.fixed + np.einsum("rkp,rp->rk", self.design, x))

    def log_q(self, x: FloatArray) -> FloatArray:
        """Return log posteriors."""
        logits = self.logits(x)
        return log_softmax(np.column_stack([np.zeros(len(logits)), logits]))

    def losses(self, x: FloatArray) -> FloatArray:
        """Return the loss of each row."""
        return -self.log_q(x)[np.arange(self.y.size), self.y]

    def posteriors(self, x: FloatArray) -> FloatArray:
        """Return posteriors of all classes but the first."""
        return np.exp(self.log_q(x)[:, 1:])

    def scores(self, at: FloatArray) -> FloatArray:
        """Return the slopes of each row's loss."""
        excess = (self.posteriors(at) - self._truth) * self.takes_part[:, None]
        return np.asarray(np.einsum("rk,rkp->rp", excess, self.design))

    def curvature(self, share: FloatArray, at: FloatArray) -> FloatArray:
        """Return the second derivatives of the loss."""
        return self._curvature(share * self.takes_part, self.posteriors(at))

    def _curvature(self, share: FloatArray, q: FloatArray) -> FloatArray:
        p = self.start.size
        if q.shape[1] == 1:
            second = ((share * q[:, 0] * (1 - q[:, 0])) @ self._squares).reshape(p, p)
        else:
            mean = np.einsum("rk,rkp->rp", q, self.design)
            second = (self._flat * (share[:, None] * q).ravel()[:, None]).T @ self._flat
            second -= (mean * share[:, None]).T @ mean
        return np.asarray(second + self._penalties)

    @cached_property
    def _squares(self) -> FloatArray:
        return (self._flat[:, :, None] * self._flat[:, None, :]).reshape(len(self._flat), -1)

    @cached_property
    def _penalties(self) -> FloatArray:
        return np.eye(self.start.size) * self.penalty

    def curvatures(self, at: FloatArray, n: int) -> FloatArray:
        """Return the second derivatives of each of the first n rows (n x p x p)."""
        q, design = self.posteriors(at)[:n], self.design[:n]
        mean = np.einsum("rk,rkp->rp", q, design)
        each = np.einsum("rk,rkp,rkq->rpq", q, design, design)
        return np.asarray(each - mean[:, :, None] * mean[:, None, :])

    def fitted(self, share: FloatArray) -> FloatArray:
        """Return the parameters of least loss for each problem's shares of rows."""
        size = max(1, _MOST_AT_ONCE // self.design.size)
        found = [self._solved(share[i : i + size]) for i in range(0, len(share), size)]
        return np.concatenate(found)

    def _solved(self, share: FloatArray) -> FloatArray:
        """Take Newton steps from the fit to all rows, halved until the loss falls."""
        share = share * self.takes_part
        x = np.tile(self.start, (len(share), 1))
        loss, gradient, second = self._slopes(share, x)
        left = np.arange(len(share))
        for _ in range(_STEPS):
            step = solved(second[left], gradient[left][..., None])[..., 0]
            gain = (step * gradient[left]).sum(axis=1)
            some = gain > _SETTLED
            x[left[~some]] -= step[~some]  # what is left after it is the square of that before
            left, step, gain = left[some], step[some], gain[some]
            if not left.size:
                break
            size, rest = np.ones(left.size), np.arange(left.size)
            for _ in range(_HALVINGS):
                at = left[rest]
                trial = x[at] - size[rest, None] * step[rest]
                found = self._slopes(share[at], trial)
                good = found[0] <= loss[at] - 1e-4 * size[rest] * gain[rest] + 1e-15
                done = at[good]
                x[done] = trial[good]
                for mine, theirs in zip((loss, gradient, second), found, strict=True):
                    mine[done] = theirs[good]
                size[rest] /= 2
                rest = rest[~good]
                if not rest.size:
                    break
            left = np.delete(left, rest)  # rounding is all that is left
        return x

    @np.errstate(over="ignore", invalid="ignore")  # of steps that are too long
    def _slopes(
        self, share: FloatArray, x: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return loss, gradient and second derivatives of each problem."""
        logits = self.fixed + (x @ self._flat.T).reshape(len(x), *self.fixed.shape)
        top = np.maximum(logits.max(axis=2), 0.0)
        raised = np.exp(logits - top[..., None])
        total = raised.sum(axis=2) + np.exp(-top)
        q = raised / total[..., None]
        losses = np.log(total) + top - (logits * self._truth).sum(axis=2)
        push = self.penalty * x
        loss = (share * losses).sum(axis=1) + (push * x).sum(axis=1) / 2
        excess = share[..., None] * (q - self._truth)
        gradient = excess.reshape(len(x), -1) @ self._flat + push
        p = x.shape[1]
        if q.shape[2] == 1:
            curved = (share * q[..., 0] * (1 - q[..., 0])) @ self._squares
            return loss, gradient, curved.reshape(-1, p, p) + self._penalties
        second = np.stack([self._curvature(s, each) for s, each in zip(share, q, strict=True)])
        return loss, gradient, second
