"""Sums and differences that keep their digits."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from stakes._kernels import group_sums
from stakes._math import difference_of_products, log_softmax, row_sums, rows_by_code, sum_by

PATHS = pytest.mark.parametrize("sum_by", [sum_by, group_sums.sum_by])


@PATHS
def test_sums_have_the_same_bits_in_any_order_and_are_exact_to_rounding(
    sum_by: Callable[..., Any],
) -> None:
    rng = np.random.default_rng(0)
    values = rng.lognormal(0, 3, 20_000) * rng.choice([1.0, -1e-9], 20_000)
    group = rng.integers(0, 3, 20_000)
    sums = sum_by(group, values, 4)
    for _ in range(20):
        order = rng.permutation(20_000)
        assert (sum_by(group[order], values[order], 4) == sums).all()
    for g in range(3):
        assert sums[g] == pytest.approx(math.fsum(values[group == g]), rel=2e-16, abs=0)
    assert sums[3] == 0


def test_each_group_keeps_its_own_scale() -> None:
    sums = sum_by(np.array([0, 0, 1, 1]), np.array([1e-300, 2e-300, 1e300, 2e300]), 2)
    np.testing.assert_allclose(sums, [3e-300, 3e300], rtol=2e-16)


@pytest.mark.parametrize("n_groups", [2, 300])
@pytest.mark.parametrize("odd", [0.0, 5e-324, -1e-310, 1e306, math.inf, -math.inf, math.nan])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_compiled_sums_have_the_bits_of_the_definition(odd: float, n_groups: int) -> None:
    rng = np.random.default_rng(1)
    values = rng.lognormal(0, 30, 1000) * rng.choice([1.0, -1e-9], 1000)
    values[rng.integers(0, 1000, 20)] = odd
    group = rng.integers(0, n_groups, 1000)
    wanted = sum_by(group, values, n_groups)
    np.testing.assert_array_equal(group_sums.sum_by(group, values, n_groups), wanted)
    codes: Any = group.astype(np.int32)[::-1]
    turned = group_sums.sum_by(codes, values[::-1], n_groups)
    np.testing.assert_array_equal(turned, wanted)


def test_groups_that_are_none_are_refused_by_both() -> None:
    for code in (-1, 2):
        for add in (sum_by, group_sums.sum_by):
            with pytest.raises((ValueError, IndexError)):
                add(np.full(1000, code), np.ones(1000), 2)


@given(st.lists(st.floats(-1e9, 1e9), max_size=16))
def test_a_handful_is_rounded_once(values: list[float]) -> None:
    group = np.arange(len(values)) % 2
    sums = sum_by(group, np.array(values), 3)
    assert sums.tolist() == [math.fsum(values[::2]), math.fsum(values[1::2]), 0.0]


@pytest.mark.parametrize("n_groups", [2, 40])
def test_the_sums_of_nothing_are_zeros(n_groups: int) -> None:
    sums = sum_by(np.empty(0, dtype=np.int64), np.empty(0), n_groups)
    assert sums.dtype == np.float64
    assert sums.tolist() == [0.0] * n_groups


@pytest.mark.parametrize("largest", [10.0, 2.0**53, 2.0**60])
def test_whole_numbers_add_up_exactly_while_they_can(largest: float) -> None:
    values = np.array([largest, *[1.0] * 20])
    for order in (slice(None), slice(None, None, -1)):
        sums = sum_by(np.zeros(21, dtype=np.int64), values[order], 17)
        assert sums[0] == float(int(largest) + 20)


def test_a_handful_beyond_the_range_of_a_double_is_infinite() -> None:
    with np.errstate(over="ignore"):
        assert sum_by(np.zeros(2, dtype=np.int64), np.full(2, 1.7e308), 1)[0] == np.inf


def test_plain_summation_would_not_keep_the_bits() -> None:
    rng = np.random.default_rng(0)
    values = rng.lognormal(0, 3, 20_000)
    group = np.zeros(20_000, dtype=np.int64)
    order = rng.permutation(20_000)
    assert np.bincount(group, values)[0] != np.bincount(group, values[order])[0]


whole = st.integers(0, 2**53).map(float)


@given(whole, whole, whole, whole)
def test_a_difference_of_products_keeps_its_digits(a: float, b: float, c: float, d: float) -> None:
    exact = Fraction(a) * Fraction(b) - Fraction(c) * Fraction(d)
    ours = float(difference_of_products(a, b, c, d))
    assert abs(Fraction(ours) - exact) <= 2 * Fraction(math.ulp(float(exact)))


def test_products_that_differ_in_the_last_of_106_bits() -> None:
    n = 2.0**53 - 2
    assert difference_of_products(n + 1, n - 1, n, n) == -1


@given(whole, whole)
def test_equal_products_cancel_to_nothing_but_neighbours_do_not(a: float, b: float) -> None:
    assert difference_of_products(a, b, b, a) == 0
    assert difference_of_products(a + 1, 3.0, a, 3.0) == Fraction(a + 1) * 3 - Fraction(a) * 3


def test_columns_of_two_have_the_bits_of_rows_of_any_length() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(0, 10, (1000, 2))
    x[:8] = np.array([[0, 0], [-np.inf, 0], [3, -np.inf], [1e308, -1e308], [800, 0], [np.inf, 0], [0, 1e-300], [-0.0, 0]])  # fmt: skip
    with np.errstate(invalid="ignore"):
        impossible = np.column_stack([x, np.full(1000, -np.inf)])
        np.testing.assert_array_equal(log_softmax(x), log_softmax(impossible)[:, :2])
    p = np.square(x[8:])
    np.testing.assert_array_equal(row_sums(p), p.sum(axis=1))
    np.testing.assert_array_equal(row_sums(impossible[8:]), np.full(992, -np.inf))


@pytest.mark.parametrize("n_codes", [7, 300])
@given(
    codes=st.lists(st.integers(0, 6), max_size=1200),
    kind=st.sampled_from([np.uint8, np.int32, np.int64]),
)
def test_rows_by_code(codes: list[int], kind: type[np.integer[Any]], n_codes: int) -> None:
    found = rows_by_code(np.array(codes, dtype=kind), n_codes)
    assert [rows.tolist() for rows in found] == [
        [row for row, code in enumerate(codes) if code == wanted] for wanted in range(n_codes)
    ]
