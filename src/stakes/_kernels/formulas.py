"""Formulas of counts at every threshold, in numpy's own words.

A formula is a function of two columns: how many samples of either class have a score below each
threshold. It is called once with columns that note the steps, which the kernel then takes block by
block, so that no step fills the memory; or with plain arrays, where there is no kernel.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from stakes._kernels.kernel_arrays import contiguous
from stakes._kernels.library import KERNELS, kernel
from stakes._typing import FloatArray, IntArray

_STEPS = {u: k for k, u in enumerate((np.add, np.subtract, np.multiply, np.divide, np.sqrt))}
_FEW = 2**11  # thresholds, for which plain arrays are quicker
_MOST = 2.0**52
_MOST_REGISTERS = 96

_formula = kernel("formula", "aaiaiaia")


class Column:
    """Numbers that are computed later: a register, and the steps that lead to it.

    Registers from -1 down are constants; 0 and 1 are the counts, the next ones results of steps.
    """

    __slots__ = ("constants", "register", "steps")

    def __init__(self, register: int, steps: list[int], constants: list[float]) -> None:
        self.register, self.steps, self.constants = register, steps, constants

    def _step(self, kind: int, one: Any, two: Any) -> "Column":  # noqa: ANN401  columns or numbers
        """Note a step; return its result."""
        self.steps += (kind, self._register(one), self._register(two))
        return Column(len(self.steps) // 3 + 1, self.steps, self.constants)

    def _register(self, value: Any) -> int:  # noqa: ANN401  a column or a number
        if type(value) is Column:
            return value.register
        self.constants.append(float(value))
        return -len(self.constants)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:  # noqa: ANN401  numpy's protocol
        if method != "__call__" or ufunc not in _STEPS or options:
            return NotImplemented
        return self._step(_STEPS[ufunc], inputs[0], inputs[-1])

    def __add__(self, other: Any) -> "Column":  # noqa: ANN401
        return self._step(0, self, other)

    def __radd__(self, other: Any) -> "Column":  # noqa: ANN401
        return self._step(0, other, self)

    def __sub__(self, other: Any) -> "Column":  # noqa: ANN401
        return self._step(1, self, other)

    def __rsub__(self, other: Any) -> "Column":  # noqa: ANN401
        return self._step(1, other, self)

    def __mul__(self, other: Any) -> "Column":  # noqa: ANN401
        return self._step(2, self, other)

    def __rmul__(self, other: Any) -> "Column":  # noqa: ANN401
        return self._step(2, other, self)

    def __truediv__(self, other: Any) -> "Column":  # noqa: ANN401
        return self._step(3, self, other)


def at_thresholds(
    first: IntArray, second: IntArray, total: float, formula: Callable[[Any, Any], Any]
) -> FloatArray:
    """Return a formula of the counts below each threshold: below all scores, then each of them.

    `first` and `second` are the samples of either class at each score, `total` all samples.
    """
    if KERNELS is not None and first.size > _FEW and total < _MOST:
        steps: list[int] = []
        constants: list[float] = []
        try:
            found = formula(*(Column(k, steps, constants) for k in (0, 1)))
        except TypeError:  # it takes other steps
            found = None
        last, few = len(steps) // 3 + 1, len(steps) // 3 + len(constants) + 2 <= _MOST_REGISTERS
        if isinstance(found, Column) and found.register == last and few:
            return _run(first, second, steps, constants)
    below = (np.concatenate([[0], np.cumsum(c)]).astype(np.float64) for c in (first, second))
    return np.asarray(formula(*below), dtype=np.float64)


def _run(first: IntArray, second: IntArray, steps: list[int], constants: list[float]) -> FloatArray:
    """Take the steps; registers are counts, constants, results."""
    a, b = (contiguous(part, np.int64) for part in (first, second))
    kinds = np.array(steps, dtype=np.int64).reshape(-1, 3)
    own = kinds[:, 1:]
    own[...] = np.where(own < 0, 1 - own, np.where(own > 1, own + len(constants), own))
    values, out = np.array(constants, dtype=np.float64), np.empty(a.size + 1)
    _formula(a, b, a.size, values, values.size, kinds, len(kinds), out)
    return out
