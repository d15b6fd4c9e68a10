"""Formulas of counts at every threshold, in numpy's own words.

A formula is a function of two columns: how many samples of either class have a score below each
threshold. It is called once with columns that note the steps, which the kernel then takes block by
block, so that no step fills the memory; or with plain arrays, where there is no kernel.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from stakes._kernels.kernel_arrays import contiguous
from stakes._kernels.library import KERNELS, kernel
from stakes._typing import FloatArray, IntArray

_STEPS = {u: k for k, u in enumerate((np.add, np.subtract, np.multiply, np.divide, np.sqrt))}
_FEW = 2**8  # thresholds, for which plain arrays are quicker
_MOST = 2.0**52
_MOST_REGISTERS = 96

_formula = kernel("formula", "aaiaiaia")


def _operator(ufunc: Any, *, right: bool = False) -> Callable[..., Any]:  # noqa: ANN401
    """Return what a column does as the left or the right side of an operator."""
    return lambda self, other: ufunc(other, self) if right else ufunc(self, other)


class Column:
    """Numbers that are computed later: a register, and the steps that lead to it.

    Registers from -1 down are constants; 0 and 1 are the counts, the next ones results of steps.
    """

    __slots__ = ("constants", "register", "steps")

    def __init__(self, register: int, steps: list[int], constants: list[float]) -> None:
        self.register, self.steps, self.constants = register, steps, constants

    def _register(self, value: Any) -> int:  # noqa: ANN401  a column or a number
        if type(value) is Column:
            return value.register
        self.constants.append(float(value))
        return -len(self.constants)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:  # noqa: ANN401  numpy's protocol
        if method != "__call__" or ufunc not in _STEPS or options:
            return NotImplemented
        one, two = inputs[0], inputs[-1]
        if ufunc in (np.multiply, np.divide) and type(two) is float and two == 1:
            return one  # as costs and factors often are
        self.steps += (_STEPS[ufunc], self._register(one), self._register(two))
        return Column(len(self.steps) // 3 + 1, self.steps, self.constants)

    __add__, __radd__ = _operator(np.add), _operator(np.add, right=True)
    __sub__, __rsub__ = _operator(np.subtract), _operator(np.subtract, right=True)
    __mul__ = __rmul__ = _operator(np.multiply)
    __truediv__ = _operator(np.divide)


def at_thresholds(
    first: IntArray,
    second: IntArray,
    total: float,
    formula: Callable[[Any, Any], Any],
    *,
    lasting: bool,
) -> FloatArray:
    """Return a formula of the counts below each threshold: below all scores, then each of them.

    `first` and `second` are the samples of either class at each score, `total` all samples. The
    steps of a `lasting` formula, whose equals take the same ones, are kept for the next call.
    """
    if KERNELS is not None and first.size > _FEW and total < _MOST:
        steps = (_kept_steps if lasting else _noted_steps)(formula)
        if steps is not None:
            return _run(first, second, *steps)
    below = (np.concatenate([[0], np.cumsum(c)]).astype(np.float64) for c in (first, second))
    return np.asarray(formula(*below), dtype=np.float64)


def _noted_steps(formula: Callable[[Any, Any], Any]) -> tuple[IntArray, FloatArray] | None:
    """Return the steps of a formula and its constants; None where the kernel cannot take them."""
    steps: list[int] = []
    constants: list[float] = []
    try:
        found = formula(*(Column(k, steps, constants) for k in (0, 1)))
    except TypeError:  # it takes other steps
        return None
    last, few = len(steps) // 3 + 1, len(steps) // 3 + len(constants) + 2 <= _MOST_REGISTERS
    if isinstance(found, Column) and found.register == last and few:
        return np.array(steps, dtype=np.int64), np.array(constants, dtype=np.float64)
    return None


_kept_steps = lru_cache(maxsize=64)(_noted_steps)


def _run(first: IntArray, second: IntArray, steps: IntArray, constants: FloatArray) -> FloatArray:
    """Take the steps."""
    a, b = (contiguous(part, np.int64) for part in (first, second))
    out = np.empty(a.size + 1)
    _formula(a, b, a.size, constants, constants.size, steps, steps.size // 3, out)
    return out
