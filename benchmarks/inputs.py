"""The inputs of the benchmarks: scores with some skill, neither calibrated nor degenerate."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Shape = tuple[int, int]
_SECOND = 0.3  # share of the second of two classes
_MISS, _FALSE_ALARM = 4.0, 1.0


@dataclass(frozen=True, eq=False)
class Binary:
    """Labels 0 and 1, and P(1) for each sample."""

    y: Ints
    p: Floats

    @classmethod
    def made(cls, shape: Shape) -> Self:
        """Make samples whose log odds are a little too bold."""
        rng = np.random.default_rng(shape[0])
        y = (rng.random(shape[0]) < _SECOND).astype(np.int64)
        y[:2] = 0, 1
        odds = 1.3 * (2.0 * y - 1.8 + 1.5 * rng.standard_normal(shape[0]))
        return cls(y, 1 / (1 + np.exp(-odds)))

    @cached_property
    def log_p(self) -> Floats:
        """Log posteriors of both classes, which the author's code reads."""
        return np.log(np.column_stack([1 - self.p, self.p]))

    @cached_property
    def both(self) -> Floats:
        """Posteriors of both classes."""
        return np.column_stack([1 - self.p, self.p])

    @property
    def costs(self) -> Floats:
        """What each decision costs for each class."""
        return np.array([[0.0, _FALSE_ALARM], [_MISS, 0.0]])

    @property
    def threshold(self) -> float:
        """Where the Bayes decision turns."""
        return _FALSE_ALARM / (_FALSE_ALARM + _MISS)

    @cached_property
    def decided(self) -> Ints:
        """The Bayes decisions."""
        return (self.p > self.threshold).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Many:
    """Labels 0..K-1, and logits of each class."""

    y: Ints
    logits: Floats

    @classmethod
    def made(cls, shape: Shape) -> Self:
        """Make samples; every class occurs."""
        n, k = shape
        rng = np.random.default_rng([n, k])
        y = rng.integers(0, k, n)
        y[:k] = np.arange(k)
        logits = rng.standard_normal((n, k))
        logits[np.arange(n), y] += 1.0 + np.log(k) / 2
        logits *= 1.3
        return cls(y, logits)

    @cached_property
    def p(self) -> Floats:
        """Posteriors."""
        return np.exp(self.log_p)

    @cached_property
    def log_p(self) -> Floats:
        """Log posteriors."""
        top = self.logits.max(axis=1, keepdims=True)
        shifted = self.logits - top
        return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


Input = Binary | Many
Maker = Callable[[Shape], Input]
