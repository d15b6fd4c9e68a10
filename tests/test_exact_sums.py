"""Exact sums are those of fractions, in any order, any batches and any parts."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, strategies as st

from stakes._kernels import exact_sums, library
from stakes._kernels.exact_sums import ExactSums, carried

Rows = list[tuple[int, float, int]]  # class, value, copies

ODD = [0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1e-310, 1.7976931348623157e308]
ODD += [-1.7976931348623157e308, 1e308, 1.0, -1.0, 2.0**-32, 2.0**31, 2.0**32 - 1, 2.0**53 - 1]
NUMBERS = st.sampled_from(ODD) | st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.lists(st.tuples(st.integers(0, 2), NUMBERS, st.integers(0, 2**44 - 1)), max_size=40)


@contextmanager
def implementation(name: str) -> Iterator[None]:
    """Run the numpy definitions, or what is in use."""
    with patch.object(exact_sums, "KERNELS", library.KERNELS if name == "in use" else None):
        yield


def sums_of(rows: Rows, *, copies: bool = False) -> ExactSums:
    sums = ExactSums(3)
    code, values, times = (np.array([row[i] for row in rows]) for i in range(3))
    sums.add(code.astype(int), values.astype(float), times.astype(int) if copies else None)
    return sums


def fractions_of(rows: Rows, *, copies: bool = False) -> list[int]:
    out = [Fraction(0)] * 3
    for code, value, times in rows:
        out[code] += Fraction(value) * (times if copies else 1)
    return [int(x * 2**1074) for x in out]


both = pytest.mark.parametrize("name", ["in use", "definition"])


@both
@given(rows=ROWS, copies=st.booleans())
def test_exact_sums_are_those_of_fractions(name: str, rows: Rows, *, copies: bool) -> None:
    with implementation(name):
        assert sums_of(rows, copies=copies).integers() == fractions_of(rows, copies=copies)


@both
@given(rows=ROWS, cuts=st.lists(st.integers(0, 40), max_size=4), seed=st.integers(0, 99))
def test_exact_sums_of_any_order_and_parts(
    name: str, rows: Rows, cuts: list[int], seed: int
) -> None:
    with implementation(name):
        wanted = sums_of(rows)
        mixed = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
        ends = [0, *sorted(cuts), 40]
        parts = [mixed[a:b] for a, b in pairwise(ends)]
        batched, merged = ExactSums(3), ExactSums(3)
        for part in parts:
            batched.add(np.array([r[0] for r in part], int), np.array([r[1] for r in part], float))
            merged = sums_of(part) + merged
        assert wanted == batched == merged
        assert wanted.integers() == batched.integers() == merged.integers()
        assert ExactSums.from_integers(wanted.integers()) == wanted


@given(rows=ROWS)
def test_an_exact_total_is_rounded_once(rows: Rows) -> None:
    for found, units in zip(sums_of(rows).total(), fractions_of(rows), strict=True):
        try:
            assert found == float(Fraction(units, 2**1074))
        except OverflowError:
            assert found == (math.inf if units > 0 else -math.inf)


@both
def test_many_values_of_any_type_and_stride(name: str) -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=3001) * 10.0 ** rng.integers(-300, 300, 3001)
    y = rng.integers(0, 3, 3001)
    with implementation(name), np.errstate(over="ignore"):
        for codes in (y.astype(np.uint8), y.astype(np.int16), y[::-1]):
            for values in (x[::-1], np.clip(x, -1e30, 1e30).astype(np.float32)):
                sums = ExactSums(3)
                sums.add(codes, values)
                rows = list(zip(codes.tolist(), values.tolist(), codes.tolist(), strict=True))
                assert sums.integers() == fractions_of(rows)


@both
def test_carries_keep_limbs_within_their_numbers(name: str) -> None:
    y, x = np.zeros(1000, int), np.full(1000, -1.7976931348623157e308)
    with implementation(name), patch.object(exact_sums, "_MOST_ADDITIONS", 20_000):
        sums = ExactSums(1)
        for _ in range(40):
            sums.add(y, x, np.full(1000, 2**44 - 1))
            assert np.abs(sums._limbs[:, :-1]).max() <= 2**32 + 20_000 * 2**33
    assert sums.integers() == [40_000 * (2**44 - 1) * int(Fraction(float(x[0])) * 2**1074)]
    assert sums.total()[0] == -math.inf


def test_batches_beyond_a_slice_are_whole() -> None:
    y, x = np.arange(10) % 3, np.linspace(-1, 1, 10)
    with patch.object(exact_sums, "_SLICE", 3):
        sums = sums_of([(0, 0.25, 1)])
        sums.add(y, x)
        x[9] = math.nan
        with pytest.raises(ValueError, match="values must be finite"):
            sums.add(y, x)
    x[9] = 1.0
    rows = [(0, 0.25, 1), *zip(y.tolist(), x.tolist(), y.tolist(), strict=True)]
    assert sums.integers() == fractions_of(rows)


@both
@pytest.mark.parametrize(
    ("code", "values", "copies", "words"),
    [
        ([0, 3], [1.0, 2.0], None, "class codes"),
        ([0, -1], [1.0, 2.0], None, "class codes"),
        ([0, 1], [1.0, math.nan], None, "values must be finite"),
        ([0, 1], [1.0, -math.inf], None, "values must be finite"),
        ([0, 1], [1.0, 2.0], [1, -1], r"copies must be in 0\.\.2\*\*44-1: got -1 to 1"),
        ([0, 1], [1.0, 2.0], [1, 2**44], "copies must be"),
        ([0, 1], [1.0, 2.0], [1], "copies must be a column of 2 samples"),
        ([0], [1.0, 2.0], None, "code must be a column of 2 samples"),
    ],
)
def test_what_cannot_be_added_changes_nothing(
    name: str, code: list[int], values: list[float], copies: list[int] | None, words: str
) -> None:
    sums = sums_of([(1, 0.1, 1)])
    with implementation(name), pytest.raises(ValueError, match=words):
        sums.add(np.array(code), np.array(values), None if copies is None else np.array(copies))
    assert sums == sums_of([(1, 0.1, 1)])


def test_sums_of_other_classes_or_other_things() -> None:
    with pytest.raises(ValueError, match="sums must have as many classes: got 2 and 3"):
        ExactSums(2) + ExactSums(3)
    with pytest.raises(ValueError, match="at most 2175 bits: got one of 2177"):
        ExactSums.from_integers([2**2176])
    assert ExactSums(2) != ExactSums(3)
    assert ExactSums(2) != "sums"
    assert len(ExactSums(2)) == 2


@given(st.lists(st.integers(-(2**62), 2**62), min_size=68, max_size=68))
def test_carried_limbs_have_the_same_sum(limbs: list[int]) -> None:
    found = carried(np.array([limbs])).tolist()[0]
    assert sum(x << 32 * i for i, x in enumerate(found)) == sum(
        x << 32 * i for i, x in enumerate(limbs)
    )
    assert all(0 <= x < 2**32 for x in found[:-1])


def test_sums_of_a_few_numbers() -> None:
    sums = ExactSums(2)
    sums.add(np.array([0, 1, 0, 0]), np.array([1e300, 0.1, 2.5, -1e300]))
    assert sums.total().tolist() == [2.5, 0.1]
    assert (sums + sums).total().tolist() == [5.0, 0.2]
