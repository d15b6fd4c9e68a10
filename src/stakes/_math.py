"""Sums and products that keep their digits: pure functions, no checks."""

import math
from collections.abc import Iterator

import numpy as np

from stakes._counting import bincount
from stakes._typing import Counts, FloatArray, Floats, IntArray

_LIMB = 26  # bits; a sum of 2**27 such whole numbers is still exact in a double
_FEW = 16  # values, and groups
_EXACT = 2.0**53  # below it every whole number is a double
_SPLIT = float(2**27 + 1)
_MOST_WHOLE = 2.0**62  # beyond it, sums of 64-bit whole numbers could wrap
_SAFE_EXPONENT = 400  # squares and sums of numbers within 2**±400 stay finite and normal


def log(x: Floats) -> FloatArray:
    """Return the natural log; minus infinity for 0, without a warning."""
    with np.errstate(divide="ignore"):
        return np.log(x)


def softplus(x: FloatArray) -> FloatArray:
    """Return log(1 + exp(x)) without overflow and to full precision where it is near 0."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def log_softmax(x: FloatArray) -> FloatArray:
    """Return x less the log of the summed exponentials of its row.

    The largest term is taken out of the sum, so that a near-certain answer keeps the digits of
    its distance from certainty.
    """
    if x.shape[1] == 2:  # the same bits column by column: numpy is slow along rows of two
        top = np.maximum(*x.T)
        with np.errstate(over="ignore"):
            less = [part - top for part in x.T]
        rest = np.log1p(np.exp(np.fmin(*less)))
        return np.column_stack([part - rest for part in less])
    top = x.argmax(axis=1)
    rows = np.arange(top.size)
    with np.errstate(over="ignore"):  # minus infinity is right for what lies so far below
        shifted = x - x[rows, top][:, None]
    others = np.exp(shifted)
    others[rows, top] = 0
    return shifted - np.log1p(others.sum(axis=1))[:, None]


def quotient(above: Floats | Counts, below: Floats | Counts, empty: Floats = 0.0) -> FloatArray:
    """Return above / below, and `empty` where there is nothing below."""
    out = np.full(np.broadcast(above, below).shape, empty, dtype=np.float64)
    return np.divide(above, below, out=out, where=np.greater(below, 0))


def row_sums(x: FloatArray) -> FloatArray:
    """Return the sum of each row; numpy is slow along rows of two."""
    return x[:, 0] + x[:, 1] if x.shape[1] == 2 else x.sum(axis=1)


def sum_by(group: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Sum finite values within each group; the same bits in any order of the samples.

    Each value is cut into three whole-number limbs on the scale of its group's largest value.
    Sums of whole numbers are exact, so no order can change them; what is cut off lies 78 bits
    below that largest value. A handful of values is summed one by one, rounded once.
    """
    if values.size <= _FEW and n_groups <= _FEW:
        few = _sum_few(group, values, n_groups)
        if few is not None:
            return few
    some = values[:16], values  # most that are not whole show it at once
    whole = all((part == np.trunc(part)).all() for part in some)
    if whole and np.abs(values).sum() < _EXACT:  # then sums are exact in any order
        total = bincount(group, values, n_groups)
        if total.size > n_groups:
            msg = f"group must hold numbers below {n_groups}: got {int(group.max())}."
            raise IndexError(msg)
        return total.astype(np.float64, copy=False)  # of none at all numpy makes integers
    peak = np.zeros(n_groups)
    np.maximum.at(peak, group, np.abs(values))
    exponent = np.frexp(peak)[1]
    cut = limbs(np.ldexp(values, -exponent[group]))
    parts: list[FloatArray] = [bincount(group, limb, n_groups) for limb in cut]  # type: ignore[misc]
    return np.ldexp(joined(parts), exponent)


def _sum_few(group: IntArray, values: FloatArray, n_groups: int) -> FloatArray | None:
    """Sum a handful of values by group; None where a sum leaves the range of a double."""
    parts: list[list[float]] = [[] for _ in range(n_groups)]
    for place, value in zip(group.tolist(), values.tolist(), strict=True):
        parts[place].append(value)
    try:
        return np.array([math.fsum(part) for part in parts])
    except OverflowError:
        return None


def limbs(values: FloatArray, number: int = 3) -> Iterator[FloatArray]:
    """Cut values between -1 and 1 into whole numbers of 26 bits, the highest first."""
    rest = values
    for _ in range(number):
        rest = rest * 2.0**_LIMB  # exact, and faster than `ldexp`
        limb = np.trunc(rest)
        rest -= limb
        yield limb


def joined(parts: list[FloatArray]) -> FloatArray:
    """Put summed limbs together again, the lowest first, so that nothing is lost on the way."""
    high, middle, low = parts
    return np.ldexp(np.ldexp(np.ldexp(low, -_LIMB) + middle, -_LIMB) + high, -_LIMB)


def total_by(group: IntArray, values: Counts) -> Counts:
    """Sum the entries of each group, numbered from 0; whole numbers stay whole while they fit."""
    n = int(group.max()) + 1
    if values.dtype.kind != "i" or np.abs(values).sum(dtype=np.float64) > _MOST_WHOLE:
        return sum_by(group, values.astype(np.float64, copy=False), n)
    total = np.zeros(n, dtype=np.int64)
    np.add.at(total, group, values)
    return total


def times(values: FloatArray, copies: IntArray | None) -> FloatArray:
    """Return what each row adds to a sum over samples, from the value of one of its copies."""
    return values if copies is None else values * copies


def count_by(group: IntArray, copies: IntArray | None, n_groups: int) -> IntArray:
    """Return how many samples each group holds, numbered from 0."""
    if copies is None:
        return bincount(group, minlength=n_groups)
    return bincount(group, copies, n_groups).astype(np.int64)  # exact below 2**53


def rows_by_code(codes: IntArray, n_codes: int) -> list[IntArray]:
    """Return the rows of each code from 0 up, in their order.

    Examples
    --------
    >>> import numpy as np
    >>> [rows.tolist() for rows in rows_by_code(np.array([1, 0, 1, 0]), 2)]
    [[1, 3], [0, 2]]
    """
    if n_codes <= 8:
        return [np.flatnonzero(codes == code) for code in range(n_codes)]
    small = codes.astype(np.min_scalar_type(n_codes))  # which are sorted by their digits
    bounds = np.cumsum(bincount(codes, minlength=n_codes))
    return np.split(np.argsort(small, kind="stable"), bounds[:-1])


def turns(copies: IntArray, n_turns: int, turn: int) -> IntArray:
    """Return how many copies of each row get a turn, where samples take turns in their order."""
    last = np.cumsum(copies) + n_turns - 1 - turn
    return np.asarray(last // n_turns - (last - copies) // n_turns, dtype=np.int64)


def cumulative(values: Counts) -> Counts:
    """Return the sums of all values before each place, and of all: one more than there are.

    Whole numbers stay whole; others are summed by limbs, so that no long sum loses digits.
    """
    if values.dtype.kind == "i":
        total = np.zeros(values.size + 1, dtype=np.int64)
        np.cumsum(values, out=total[1:])
        return total
    exponent = int(np.frexp(np.max(values, initial=0.0))[1])
    parts = [np.cumsum(limb) for limb in limbs(np.ldexp(values, -exponent))]
    return np.concatenate([[0.0], np.ldexp(joined(parts), exponent)])


def weight_exponents(y: IntArray, weights: FloatArray, n_classes: int) -> IntArray:
    """Return a power of two for each class that keeps sums and squares of extreme weights finite.

    It is 0 for all classes where no weight is so large or so small.
    """
    peak = np.zeros(n_classes)
    np.maximum.at(peak, y, weights)
    exponent = np.frexp(peak)[1].astype(np.int64)
    return exponent if (np.abs(exponent) > _SAFE_EXPONENT).any() else np.zeros_like(exponent)


def shares(weight: FloatArray, exponent: IntArray) -> FloatArray:
    """Return the share of each class in a total, from weights on scales of 2**exponent."""
    if not exponent.any():
        return weight / math.fsum(weight.tolist())
    used = weight > 0
    level = np.zeros_like(weight)
    level[used] = np.ldexp(weight[used], exponent[used] - exponent[used].max())
    return level / math.fsum(level.tolist())


def expectation(priors: FloatArray, means: FloatArray) -> float:
    """Sum over classes of the prior times the mean; a class of prior 0 does not count."""
    seen = priors > 0
    return math.fsum((priors[seen] * means[seen]).tolist())


def difference_of_products(a: Floats, b: Floats, c: Floats, d: Floats) -> FloatArray:
    """Return a*b - c*d to within two units in the last place, also when the two nearly cancel."""
    high_1, low_1 = _product(a, b)
    high_2, low_2 = _product(c, d)
    return (high_1 - high_2) + (low_1 - low_2)


def _product(a: Floats, b: Floats) -> tuple[FloatArray, FloatArray]:
    """Return the product rounded, and what the rounding took away (Dekker, Veltkamp)."""
    high = np.multiply(a, b)
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    low = ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low
    return high, low


def _split(a: Floats) -> tuple[FloatArray, FloatArray]:
    """Return two halves of 26 bits each that add up to `a`."""
    scaled = np.multiply(_SPLIT, a)
    high = scaled - (scaled - a)
    return high, a - high
