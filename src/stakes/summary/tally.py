"""Whole numbers by key, which add: how many samples share some values, and sums over them.

A key is made of fields: the class, a decision or a cell of the score, a group, a size of weight.
While keys are few each field is kept as finely as it came; where they become too many, fields are
coarsened step by step. How far follows from the samples alone, so that no order of samples, batches
or sums changes a key.

Amounts, which are numbers of at least 0 such as weights, are fields by their size. A double is a
whole number of 53 bits times a power of two. Numbers of one power are summed as whole numbers, in
two parts, so that no order changes a sum. Within a size, which is a power of two and some bits
more, numbers differ so little that their mean stands for each.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from stakes._check import InputError
from stakes._kernels.group_sums import sum_by_key
from stakes._typing import FloatArray, IntArray, NDArray
from stakes.summary.form import Part, Reader, Writer, damaged

MOST_KEYS = 2**18  # beyond, fields are coarsened if they can be
_AT_ONCE = 2**17  # rows, so that little memory is taken beside them
_FEWEST_JOINED = 4096  # rows that wait before they are joined to those kept
_MOST = 2**61  # of a sum
_LARGEST_KEY = 2**62
_BITS, _LOW = 53, 27  # of an amount, and of the lower of its two parts
_OFFSET = 1075  # so that the least double has an exponent of at least 1
_OCTAVES = _OFFSET + 1025  # exponents that there are


class Field(NamedTuple):
    """A part of a key: values from 0 to size - 1, which lose some of their low bits at each step.

    One tuple of bits for each field of a layout, all as long; none of them ever falls. The field of
    an amount is its size; beside it the amounts themselves are summed.
    """

    size: int
    drops: tuple[int, ...] = ()
    bits: int | None = None  # of an amount, whose sizes are 2^bits in an octave

    @classmethod
    def amount(cls, bits: int, drops: Sequence[int]) -> Self:
        """Return the field of an amount; sizes lose no more bits than they have."""
        return cls(_OCTAVES << bits, tuple(min(drop, bits) for drop in drops), bits)

    def drop(self, step: int) -> int:
        """Return how many low bits are lost at a step."""
        return self.drops[step] if self.drops else 0

    def radix(self, step: int) -> int:
        """Return how many values there are at a step."""
        return ((self.size - 1) >> self.drop(step)) + 1


@dataclass(frozen=True)
class Layout:
    """The fields of a key, and what is summed for each.

    That is first how many samples there are, then `before` numbers, two whole numbers for each
    field that is an amount, and `after` numbers.
    """

    fields: tuple[Field, ...]
    before: int = 0
    after: int = 0

    def __post_init__(self) -> None:
        if self.n_keys(self.last) > _LARGEST_KEY:
            rule = "must name fewer columns, or classes be fewer, for a summary"
            raise InputError("costs", rule, found="all their combinations cannot be numbered")

    @property
    def width(self) -> int:
        """How many numbers are summed for each key."""
        amounts = sum(field.bits is not None for field in self.fields)
        return 1 + self.before + 2 * amounts + self.after

    @property
    def first(self) -> int:
        """The finest step whose keys can be numbered."""
        return next(s for s in range(self.last + 1) if self.n_keys(s) <= _LARGEST_KEY)

    @property
    def last(self) -> int:
        """The coarsest step."""
        return max(max(len(field.drops) for field in self.fields) - 1, 0)

    def n_keys(self, step: int) -> int:
        """Return how many keys there can be at a step."""
        return math.prod(field.radix(step) for field in self.fields)

    def keys(self, values: Sequence[IntArray], step: int, old: int | None = None) -> IntArray:
        """Return the key of each row at a step, from values as they came, or as at a step `old`."""
        key = np.zeros(values[0].size, dtype=np.int64)
        for field, value in zip(self.fields, values, strict=True):
            drop = field.drop(step) - (0 if old is None else field.drop(old))
            key *= field.radix(step)
            key += value >> drop if drop else value
        return key

    def values(self, keys: IntArray, step: int) -> list[IntArray]:
        """Return the values of the fields of keys, as coarse as they are at a step."""
        out, rest = [], keys
        for field in reversed(self.fields):
            rest, value = np.divmod(rest, field.radix(step))
            out.append(value)
        return out[::-1]

    def coarser(self, keys: IntArray, old: int, new: int) -> IntArray:
        """Return keys of one step as those of a later one."""
        return self.keys(self.values(keys, old), new, old)


class Tally(Part):
    """Sums of whole numbers by key."""

    layout: Layout
    step: int

    def __init__(self, layout: Layout, most: int = MOST_KEYS) -> None:
        self.layout, self.step, self._most = layout, layout.first, most
        self.keys: IntArray = np.empty(0, dtype=np.int64)
        self.sums: IntArray = np.empty((layout.width, 0), dtype=np.int64)
        self._waiting: list[tuple[IntArray, IntArray]] = []  # to be joined together
        self._n_waiting = 0

    def add(
        self,
        values: Sequence[NDArray[Any]],
        before: Sequence[IntArray] = (),
        after: Sequence[IntArray] = (),
    ) -> None:
        """Add samples: the values of their fields, and further numbers that are summed."""
        n = values[0].size
        for start in range(0, n, _AT_ONCE):
            rows = slice(start, min(start + _AT_ONCE, n))
            coded, amounts = [], []
            for field, value in zip(self.layout.fields, values, strict=True):
                code = value[rows]
                if field.bits is not None:  # its size stands for an amount, which is summed
                    code, *parts = split(code, field.bits)
                    amounts += parts
                coded.append(code)
            ones = np.ones(rows.stop - start, dtype=np.int64)
            some = [ones, *(x[rows] for x in before), *amounts, *(x[rows] for x in after)]
            self._waiting.append((self.layout.keys(coded, self.step), np.stack(some)))
            self._n_waiting += ones.size
            if self._n_waiting > max(_FEWEST_JOINED, 2 * self.keys.size):
                self.settled()

    def settled(self) -> Self:
        """Return the sums after what waits was joined to them."""
        if self._waiting:
            keys = np.concatenate([self.keys, *(k for k, _ in self._waiting)])
            sums = np.concatenate([self.sums, *(n for _, n in self._waiting)], axis=1)
            self._waiting, self._n_waiting = [], 0
            self._set(keys, sums)
        return self

    def _set(self, keys: IntArray, sums: IntArray) -> None:
        """Keep sums by key, coarsened as little as their number asks for."""
        self.keys, self.sums = _joined(keys, sums)
        if self.keys.size <= self._most or self.step == self.layout.last:
            return
        # The first later step at which keys are few enough: their number never rises.
        low, high = self.step + 1, self.layout.last
        none = np.empty((0, self.keys.size), dtype=np.int64)
        while low < high:
            middle = (low + high) // 2
            coarse = self.layout.coarser(self.keys, self.step, middle)
            few = sum_by_key(coarse, none)[0].size <= self._most
            low, high = (low, middle) if few else (middle + 1, high)
        self.keys, self.sums = _joined(self.layout.coarser(self.keys, self.step, low), self.sums)
        self.step = low

    def __add__(self, other: Self) -> Self:
        out = type(self)(self.layout, self._most)
        out.step = max(self.settled().step, other.settled().step)
        keys = [self.layout.coarser(t.keys, t.step, out.step) for t in (self, other)]
        out._set(np.concatenate(keys), np.concatenate([self.sums, other.sums], axis=1))
        return out

    def values(self) -> list[IntArray]:
        """Return the values of the fields of each key, as coarse as they are now."""
        return self.layout.values(self.settled().keys, self.step)

    def amounts(self) -> list[FloatArray]:
        """Return the sum of each field that is an amount."""
        at = 1 + self.layout.before
        out: list[FloatArray] = []
        for field, value in zip(self.layout.fields, self.values(), strict=True):
            if field.bits is not None:
                bits = field.bits - field.drop(self.step)
                out.append(total(value, bits, *self.sums[at + 2 * len(out) :][:2]))
        return out

    def write(self, writer: Writer) -> None:
        """Write keys and sums."""
        self.settled()
        writer.array([self.step])
        writer.listed(np.diff(self.keys, prepend=0))
        for row in self.sums:  # of any sign, as numbers of at least 0, small ones as small ones
            writer.array((row << 1) ^ (row >> 63))

    def read(self, reader: Reader) -> Self:
        """Read keys and sums."""
        layout = self.layout
        self.step = reader.number(layout.last)
        if self.step < layout.first:
            raise damaged("keys that cannot be numbered")
        size = layout.n_keys(self.step)
        self.keys = np.cumsum(reader.listed(size))
        if self.keys.size and (self.keys[-1] >= size or (np.diff(self.keys) < 1).any()):
            raise damaged("keys that there are not")
        rows = [reader.array(self.keys.size) for _ in range(layout.width)]
        signed = [(row >> 1) ^ -(row & 1) for row in rows]
        self.sums = np.array(signed, dtype=np.int64).reshape(layout.width, self.keys.size)
        if self.keys.size > self._most and self.step < layout.last:
            raise damaged("more keys than it may")
        return self


def split(amount: FloatArray, bits: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return the size of each amount, 2^bits in an octave, and two numbers, summed within it."""
    fraction, exponent = np.frexp(amount)
    whole = (fraction * 2.0**_BITS).astype(np.int64)
    size = (exponent.astype(np.int64) + _OFFSET) << bits
    size += (whole >> (_BITS - 1 - bits)) & ((1 << bits) - 1)
    return np.where(amount > 0, size, 0), whole >> _LOW, whole & ((1 << _LOW) - 1)


def total(size: IntArray, bits: int, high: IntArray, low: IntArray) -> FloatArray:
    """Return the sums of amounts of some sizes, which have `bits` left in an octave."""
    found = total_of_units(size, bits, high.astype(np.float64) * 2.0**_LOW + low, _BITS)
    return np.where(size > 0, found, 0.0)


def total_of_units(size: IntArray, bits: int, units: FloatArray, below: int = 0) -> FloatArray:
    """Return sums of parts of the power of two of their size, or of one that is so much less."""
    return np.ldexp(units, ((size >> bits) - _OFFSET - below).astype(np.int32))


def _joined(keys: IntArray, sums: IntArray) -> tuple[IntArray, IntArray]:
    """Return each key once, in their order, with its sums."""
    found, together = sum_by_key(keys, sums)
    if np.abs(together).max(initial=0) > _MOST:
        raise InputError("a summary must hold fewer samples: sums of so many cannot be kept.")
    return found, together
