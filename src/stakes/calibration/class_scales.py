"""Fits in which classes have scales of their own: softmax(W log s + b), W diagonal or full."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from stakes._kernels.kernel_records import Slopes
from stakes._math import log_softmax
from stakes._typing import BoolArray, FloatArray, IntArray
from stakes.calibration.maps import AffineMap
from stakes.calibration.solver import Descent, solve

_WORK = 50_000  # per block: small enough for the cache, and for BLAS to stay in one thread


@dataclass(frozen=True, eq=False)
class ClassScales:
    """The loss as a function of x: some cells of a K x (K + 1) table of scales and biases.

    The rest is 0, but for what the scale of each class to itself is held at. Several cells may move
    as one (`owner`), and squares of x may be penalised. `brier` puts the Brier score in the place
    of the cross-entropy, and is content with a diagonal that is right in size.
    """

    log_p: FloatArray  # finite: 0 where a posterior is 0
    possible: BoolArray | None  # where a class has a posterior above 0; None if it has everywhere
    y: IntArray
    weights: FloatArray  # which sum to 1
    cells: IntArray
    owner: IntArray | None = None  # the parameter that each cell follows; None: one each
    held_scale: float = 0.0
    penalty: FloatArray | float = 0.0  # times half the square of each parameter
    unit: float = 1.0  # what log posteriors were divided by
    dense: bool = True
    brier: bool = False

    @classmethod
    def from_arrays(
        cls,
        log_p: FloatArray,
        y: IntArray,
        weights: FloatArray,
        cells: IntArray,
        owner: IntArray | None = None,
        held_scale: float = 0.0,
    ) -> Self:
        """Return the problem of log posteriors: of any size, which are brought to size 1."""
        finite = np.isfinite(log_p)
        possible = None if finite.all() else finite
        log_p = log_p if possible is None else np.where(possible, log_p, 0.0)
        unit = float(np.abs(log_p).max(initial=0.0)) or 1.0
        return cls(log_p / unit, possible, y, weights, cells, owner, held_scale * unit, unit=unit)

    @property
    def shape(self) -> tuple[int, int]:
        """How many samples and classes there are."""
        n, k = self.log_p.shape
        return n, k

    @cached_property
    def _places(self) -> tuple[IntArray, IntArray]:
        row, column = np.divmod(self.cells, self.shape[1] + 1)
        return row, column

    @property
    def units(self) -> FloatArray:
        """How many of the user's units each parameter counts in, at least 1."""
        scales = self._places[1] < self.shape[1]
        return self._parameters(np.where(scales, max(self.unit, 1.0), 1.0))

    def _parameters(self, values: FloatArray) -> FloatArray:
        """Return one value for each parameter from those of the cells that it moves."""
        if self.owner is None:
            return values
        return values[np.unique(self.owner, return_index=True)[1]]

    def parameters(self, near: AffineMap) -> FloatArray:
        """Return the parameters of a map without scales between classes."""
        k = self.shape[1]
        table = np.zeros((k, k + 1))
        table[np.arange(k), np.arange(k)] = near.scale * self.unit - self.held_scale
        table[:, k] = near.bias - near.bias[0]
        return self._parameters(table.ravel()[self.cells])

    def affine_map(self, x: FloatArray, *, separable: bool = False) -> AffineMap:
        """Return the map without scales between classes, whose biases sum to 0."""
        table = self.table(x)
        bias = table[:, -1] - table[:, -1].mean()
        return AffineMap(np.diagonal(table) / self.unit, bias, separable)

    @property
    def start(self) -> FloatArray:
        """The parameters that leave scores as they are, or nearly."""
        k = self.shape[1]
        return self.parameters(AffineMap(np.ones(k), np.zeros(k)))

    def solved(self) -> Descent:
        """Return the fit."""
        return solve(self, self.start)

    def table(self, x: FloatArray) -> FloatArray:
        """Return scales and biases, the biases in the last column."""
        k = self.shape[1]
        table = np.hstack([self.held_scale * np.eye(k), np.zeros((k, 1))])
        table.flat[self.cells] += x if self.owner is None else x[self.owner]
        return table

    @cached_property
    def _diagonal(self) -> bool:
        """Whether no class has an effect on another."""
        row, column = self._places
        return bool(((row == column) | (column == self.shape[1])).all())

    def _log_posteriors(self, table: FloatArray, part: slice) -> FloatArray:
        lp = self.log_p[part]
        logits = lp * np.diagonal(table) if self._diagonal else lp @ table[:, :-1].T
        logits = logits + table[:, -1]
        return log_softmax(
            logits if self.possible is None else np.where(self.possible[part], logits, -np.inf)
        )

    def _blocks(self) -> Iterator[slice]:
        size = min(8192, max(256, _WORK // self.shape[1] ** 2))
        for start in range(0, self.y.size, size):
            yield slice(start, start + size)

    def slopes(self, x: FloatArray, *, hessian: bool) -> Slopes:
        """Return loss, gradient and Hessian, or without it its diagonal."""
        (row, column), table = self._places, self.table(x)
        same = np.nonzero(row[:, None] == row)
        losses, worst = [], 0.0
        gradient, second = np.zeros(row.size), np.zeros((row.size,) * (1 + hessian))
        for part in self._blocks():
            log_q = self._log_posteriors(table, part)
            y, w = self.y[part], self.weights[part]
            q, at = np.exp(log_q), (np.arange(y.size), y)
            features = np.column_stack([self.log_p[part], np.ones(y.size)])
            true = -log_q[at]
            worst = max(worst, float(true.max()))
            excess = q.copy()
            excess[at] -= 1
            loss = np.where(w > 0, true, 0.0)  # weight 0 may meet posterior 0
            if self.brier:
                k = self.shape[1]
                loss = np.square(excess).sum(axis=1) / k
                excess = 2 / k * q * (excess - (excess * q).sum(axis=1, keepdims=True))
            losses.append(float(w @ loss))
            gradient += ((excess * w[:, None]).T @ features)[row, column]
            if hessian:
                features = features[:, column]
                both = q[:, row] * features
                weighted = both * w[:, None]
                second -= both.T @ weighted
                second[same] += np.einsum("nc,nc->c", weighted[:, same[0]], features[:, same[1]])
            else:
                spread = (q * (1 - q) * w[:, None]).T @ np.square(features)
                second += spread[row, column]
        if self.owner is not None:  # several cells move as one
            moves = np.eye(self.owner.max() + 1)[self.owner]
            gradient = moves.T @ gradient
            second = moves.T @ second @ moves if hessian else moves.T @ second
        push = self.penalty * x
        loss_sum = math.fsum([*losses, 0.5 * float(push @ x)])
        diagonal = second.ravel()[:: x.size + 1] if hessian else second
        diagonal += self.penalty
        return Slopes(loss_sum, gradient + push, second, worst)

    def reach(self, direction: FloatArray) -> float:
        """Return how far at most a step moves the log odds of any two classes of any sample."""
        moved = replace(self, held_scale=0.0).table(direction)
        most = np.abs(moved[:, :-1]).sum(axis=1).max()  # log posteriors are of size 1 at most
        return 2 * float(most) + float(np.ptp(moved[:, -1]))

    def thinned(self, step: int) -> Self:
        """Return the loss of every n-th sample."""
        possible = None if self.possible is None else self.possible[::step]
        log_p, y, w = self.log_p[::step], self.y[::step], self.weights[::step]
        return replace(self, log_p=log_p, possible=possible, y=y, weights=w / w.sum())
