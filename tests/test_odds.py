"""Sums over rows that count in a part of a grid of odds."""

import numpy as np
from hypothesis import given, strategies as st

from stakes.evaluation.odds import _Active


@given(st.integers(0, 2**32), st.integers(2, 7), st.integers(1, 12))
def test_sums_are_those_of_each_place_and_of_neighbours(seed: int, size: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    start = rng.integers(0, size, n)
    end = rng.integers(start, size + 1)  # some rows count nowhere
    values = rng.integers(0, 9, n).astype(float)
    there = (start[:, None] <= np.arange(size)) & (np.arange(size) < end[:, None])
    rows = _Active(start, end, size)
    np.testing.assert_array_equal(rows.sums(values), values @ there)
    np.testing.assert_array_equal(rows.pairs(values), values @ (there[:, :-1] & there[:, 1:]))
