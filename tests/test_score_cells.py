"""Cells of scores: where each score lies, and that order, batches and merging change no bit."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from stakes._errors import InputError
from stakes._kernels import exact_sums, library, score_cells
from stakes._kernels.exact_sums import ExactSums
from stakes._kernels.kernel_records import Limits
from stakes._kernels.passes import binary_pass
from stakes._kernels.score_cells import ScoreCells
from stakes._kernels.score_grid import (
    CellGrid,
    base_cells,
    cell_grid,
    from_ordered_bits,
    ordered_bits,
)
from stakes._typing import FloatArray

Array = np.ndarray[Any, Any]

UNIT = [0.0, -0.0, 1.0, 0.5, 0.1, 5e-324, 1e-310, 2.3e-308, 2.0**-32, 1 - 2.0**-32, 1 - 2.0**-53]
LINE = [0.0, -0.0, math.inf, -math.inf, 32.0, -32.0, 2.0**-10, -(2.0**-10), 5e-324, -5e-324, 750.0]
LINE += [1e300, -1e300, 1e120, -750.0, 31.9990234375, -31.9990234375]
EDGES = [0.0, 0.1, 0.25, 0.5, 0.50001, 0.9, 1.0]
both = pytest.mark.parametrize("name", ["in use", "definition"])
kinds = pytest.mark.parametrize("log_odds", [False, True])


@contextmanager
def implementation(name: str) -> Iterator[None]:
    """Run the numpy definitions, or what is in use."""
    used = library.KERNELS if name == "in use" else None
    with patch.object(exact_sums, "KERNELS", used), patch.object(score_cells, "KERNELS", used):
        yield


def scores(*, log_odds: bool) -> st.SearchStrategy[float]:
    """Draw any score of a kind, often one that is next to a special one."""
    special = st.sampled_from(LINE + EDGES if log_odds else UNIT + EDGES)
    near = st.builds(math.nextafter, special, st.sampled_from([-math.inf, math.inf]))
    whole = st.integers(-33_000, 33_000).map(lambda k: k / 1024)
    any_score = st.floats(allow_nan=False) if log_odds else st.floats(0, 1)
    drawn = special | near | any_score | st.floats(-40, 40)
    if log_odds:
        return drawn | whole
    return drawn.map(lambda x: min(max(x, 0.0), 1.0))


def sample(seed: int, n: int, *, log_odds: bool) -> tuple[FloatArray, Array]:
    """Draw scores of which some are special, and labels."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 9, n) if log_odds else rng.beta(0.3, 0.3, n)
    special = np.array(LINE + EDGES if log_odds else UNIT + EDGES)
    at = rng.integers(0, n, n // 5)
    x[at] = rng.choice(special, at.size)
    return x, rng.integers(0, 2, n).astype(np.int8)


def cells_of(
    grid: CellGrid, x: Array, y: Array, shift: float = 0.0, parts: int | list[int] = 1
) -> ScoreCells:
    cells = ScoreCells(grid, shift)
    for a, b in zip(np.array_split(x, parts), np.array_split(y, parts), strict=True):
        assert grid.accepts(cells.update(a, b))
    return cells


def next_below(x: FloatArray) -> FloatArray:
    return from_ordered_bits(ordered_bits(x) - 1)


def begun(grid: CellGrid) -> tuple[Array, FloatArray]:
    """Return the cells that their least score lies in, and those scores."""
    least = from_ordered_bits(grid.least)
    used = np.flatnonzero(grid.cells(least) == np.arange(grid.n_cells))
    return used, least[used]


@kinds
@settings(max_examples=100)
@given(data=st.data())
def test_base_cells_rise_with_the_score(data: st.DataObject, *, log_odds: bool) -> None:
    drawn = data.draw(st.lists(scores(log_odds=log_odds), min_size=2, max_size=60))
    single = data.draw(st.booleans())
    with np.errstate(over="ignore"):
        x = np.sort(np.array(drawn, np.float32 if single else np.float64).astype(float))
    base = base_cells(x, log_odds=log_odds)
    assert (np.diff(base) >= 0).all()
    assert base.min() >= 0
    assert base.max() < cell_grid(log_odds=log_odds).n_cells
    ends = [-math.inf, math.inf] if log_odds else [0.0, 1.0]
    last = cell_grid(log_odds=log_odds).n_cells - 1
    np.testing.assert_array_equal(base == 0, x == ends[0])
    np.testing.assert_array_equal(base == last, x == ends[1])


def test_base_cells_are_as_wide_as_they_should_be() -> None:
    k = np.arange(-32768, 32768)
    assert np.diff(base_cells(k / 1024, log_odds=True)).tolist() == [1] * 65535
    below = next_below(k / 1024)
    assert (base_cells(below, log_odds=True) == base_cells(k / 1024, log_odds=True) - 1).all()
    far = np.ldexp(1 + np.arange(16) / 16, 9)
    for sign in (1, -1):
        assert np.unique(base_cells(sign * far, log_odds=True)).size == 16
        assert np.ptp(base_cells(sign * far * (1 + 1 / 64), log_odds=True)) == 15
    octave, part = np.divmod(np.arange(65536), 1024)
    odds = np.ldexp(1 + (part + 0.5) / 1024, octave - 32)
    found = base_cells(odds / (1 + odds), log_odds=False)
    assert (np.diff(found) == 1).all()
    small = np.ldexp(1 + np.arange(16) / 16, -900)
    assert np.diff(base_cells(small, log_odds=False)).tolist() == [1] * 15


@kinds
@pytest.mark.parametrize("edges", [[], EDGES, [-3.0, 0.3, 2.0], list(np.arange(1, 400) / 401)])
def test_least_scores_begin_their_cells(edges: list[float], *, log_odds: bool) -> None:
    plain, grid = cell_grid(log_odds=log_odds), cell_grid(edges, log_odds=log_odds)
    assert grid.n_cells == plain.n_cells + len(edges)
    low, high = (-math.inf, math.inf) if log_odds else (0.0, 1.0)
    used, least = begun(grid)
    empty = 0 if log_odds else 51  # cells near 1 that no double lies in
    assert begun(plain)[0].size == plain.n_cells - empty
    inside = [e for e in edges if low <= e <= high]
    np.testing.assert_array_equal(least, np.unique(np.append(begun(plain)[1], inside)))
    before = next_below(least[least > low])
    assert (grid.cells(before) < used[least > low]).all()
    last = np.append(next_below(least[1:]), high)
    np.testing.assert_array_equal(grid.cells(last), used)
    place = (ordered_bits(last) - grid.least[used]) >> grid.bits[used]
    assert 0 <= place.min() <= place.max() < 2**24
    assert (place[grid.bits[used] > 0] >= 2**22).all()


@both
@kinds
@settings(max_examples=30)
@given(data=st.data(), shift=st.sampled_from([0.0, 0.7, -3.0]))
def test_any_order_batches_and_parts_give_equal_cells(
    name: str, data: st.DataObject, shift: float, *, log_odds: bool
) -> None:
    n = data.draw(st.sampled_from([1, 7, 40, 700, 1500]))
    x, y = sample(data.draw(st.integers(0, 2**32)), n, log_odds=log_odds)
    order = np.random.default_rng(n).permutation(n)
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=4)))
    grid = cell_grid(EDGES, log_odds=log_odds)
    with implementation(name):
        wanted = cells_of(grid, x, y, shift)
        batched = cells_of(grid, x[order], y[order], shift, cuts)
        merged = ScoreCells(grid, shift)
        for a, b in pairwise([0, *cuts, n]):
            merged = cells_of(grid, x[order][a:b], y[order][a:b], shift) + merged
        assert wanted == batched == merged
        assert wanted.sums.integers() == merged.sums.integers()
        parts = wanted.count, wanted.place, wanted.sums, wanted.infinite, shift
        assert ScoreCells.from_parts(grid, *parts) == wanted


@kinds
@pytest.mark.parametrize("shift", [0.0, 1.5])
def test_the_loss_of_a_sample_does_not_depend_on_its_place(shift: float, *, log_odds: bool) -> None:
    x, y = sample(3, 600, log_odds=log_odds)
    grid = cell_grid(EDGES, log_odds=log_odds)
    alone = ScoreCells(grid, shift)
    for i in range(x.size):
        alone.update(x[i : i + 1], y[i : i + 1])
    assert alone == cells_of(grid, x, y, shift)
    shown = [cells_of(grid, np.full(13, v), np.ones(13, int), shift) for v in x[:40]]
    once = [cells_of(grid, np.array([v]), np.ones(1, int), shift) for v in x[:40]]
    for many, one in zip(shown, once, strict=True):
        assert many.sums.integers() == [13 * s for s in one.sums.integers()]
        log, brier = one.losses()[[0, 3], 1].tolist()
        powers = [log, log * log, log * log * log, brier, brier * brier, brier * brier * brier]
        exactly = ExactSums(6)
        finite = np.append(one.infinite[:, 1] == 0, [True] * 3)
        exactly.add(np.flatnonzero(finite), np.array(powers)[finite])
        assert one.sums.integers()[1::2] == exactly.integers()


@kinds
@settings(max_examples=60)
@given(data=st.data(), shift=st.sampled_from([0.0, -1.25]), single=st.booleans())
def test_cells_are_those_of_the_definition(
    data: st.DataObject, shift: float, *, single: bool, log_odds: bool
) -> None:
    x, y = sample(data.draw(st.integers(0, 2**32)), 900, log_odds=log_odds)
    with np.errstate(over="ignore"):
        x = x.astype(np.float32) if single else x
    form = data.draw(st.sampled_from([np.uint8, np.int8, np.int16, np.int32, np.int64, np.bool_]))
    codes: Array = y.astype(form)[::-1]
    grid = cell_grid(data.draw(st.sampled_from([[], EDGES, [0.5]])), log_odds=log_odds)
    found = cells_of(grid, x[::-1], codes, shift)
    with implementation("definition"):
        wanted = cells_of(grid, x[::-1], codes, shift)
    np.testing.assert_array_equal(found.count, wanted.count)
    np.testing.assert_array_equal(found.place, wanted.place)
    np.testing.assert_array_equal(found.infinite, wanted.infinite)
    np.testing.assert_allclose(found.losses(), wanted.losses(), rtol=1e-12, atol=1e-300)


@both
@kinds
def test_sums_are_those_of_the_pass(name: str, *, log_odds: bool) -> None:
    x, y = sample(5, 4000, log_odds=log_odds)
    x[np.abs(x) > 1e100] = 3.0  # the pass has no place for losses whose cube is infinite
    grid = cell_grid(log_odds=log_odds)
    with implementation(name):
        cells = cells_of(grid, x, y)
    wanted = binary_pass(x, y, log_odds=log_odds)
    log, brier = wanted.log, wanted.brier
    rows = [log.loss, log.square_square, log.square_cube, brier.loss, brier.square_square]
    np.testing.assert_allclose(cells.losses()[:5], rows, rtol=1e-12)
    np.testing.assert_array_equal(cells.infinite, [log.infinite] * 3)
    np.testing.assert_array_equal(cells.count.sum(axis=1), wanted.count)


@both
def test_a_shift_is_that_of_the_log_odds(name: str) -> None:
    z, y = sample(6, 2000, log_odds=True)
    z[np.abs(z) > 1e100] = 3.0
    p = np.random.default_rng(1).beta(0.5, 0.5, 2000)
    p[:3] = 0.0, 1.0, 1e-310
    with np.errstate(divide="ignore"):
        odds = np.log(p) - np.log1p(-p)
    with implementation(name):
        cells = cells_of(cell_grid(log_odds=True), z, y, 0.75)
        moved = cells_of(cell_grid(log_odds=True), z + 0.75, y)
        np.testing.assert_allclose(cells.losses(), moved.losses(), rtol=1e-12)
        still = cells_of(cell_grid(log_odds=True), z, y)
        np.testing.assert_array_equal(cells.count, still.count)
        found = cells_of(cell_grid(), p, y, -0.5)
        wanted = cells_of(cell_grid(log_odds=True), odds - 0.5, y)
    np.testing.assert_allclose(found.losses(), wanted.losses(), rtol=1e-12)
    np.testing.assert_array_equal(found.infinite, wanted.infinite)
    np.testing.assert_array_equal(found.place, cells_of(cell_grid(), p, y).place)


@both
def test_losses_whose_powers_are_infinite_are_counted_apart(name: str) -> None:
    z, y = np.array([1e100, 1e120, 1e200, math.inf, -math.inf]), np.array([0, 0, 0, 0, 1])
    with implementation(name):
        cells = cells_of(cell_grid(log_odds=True), z, y)
    assert cells.infinite.tolist() == [[1, 1], [2, 1], [3, 1]]
    sums = [1e100 + 1e120 + 1e200, 1e100**2 + 1e120**2, 1e100 * 1e100 * 1e100, 4.0, 4.0, 4.0]
    assert cells.losses()[:, 0].tolist() == sums
    assert cells.losses()[:, 1].tolist() == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]


@both
@kinds
@given(data=st.data())
def test_levels_lie_in_their_cells(name: str, data: st.DataObject, *, log_odds: bool) -> None:
    drawn = data.draw(st.lists(scores(log_odds=log_odds), min_size=1, max_size=50))
    edges = sorted(set(data.draw(st.lists(scores(log_odds=log_odds), max_size=9))))
    x = np.array(drawn)
    y = np.array([i % 2 for i in range(x.size)])
    grid = cell_grid(edges, log_odds=log_odds)
    with implementation(name):
        cells = cells_of(grid, x, y)
    levels = cells.levels()
    used = np.flatnonzero(cells.count.sum(axis=0))
    np.testing.assert_array_equal(grid.cells(levels.level), used)
    np.testing.assert_array_equal(np.unique(grid.cells(x)), used)
    assert (np.diff(levels.level) > 0).all()
    for edge in edges:
        below = levels.level < edge
        assert levels.first[below].sum() == (x[y == 0] < edge).sum()
        assert levels.second[below].sum() == (x[y == 1] < edge).sum()
    one = cells_of(grid, x[:1], y[:1]).levels().level[0]
    width = 2.0 ** int(grid.bits[grid.cells(x[:1])[0]])
    assert 0 <= ordered_bits(x[:1])[0] - ordered_bits(np.array([one]))[0] < width


@both
@kinds
def test_a_bad_batch_changes_nothing(name: str, *, log_odds: bool) -> None:
    x, y = sample(8, 1300, log_odds=log_odds)
    grid = cell_grid(EDGES, log_odds=log_odds)
    with implementation(name):
        cells, kept = cells_of(grid, x, y), cells_of(grid, x, y)
        for value in [math.nan] if log_odds else [math.nan, -1e-9, 1.0000001, math.inf, -math.inf]:
            bad = x.copy()
            bad[1200] = value
            limits = cells.update(bad, y)
            assert not grid.accepts(limits)
            assert limits == binary_pass(bad, y, log_odds=log_odds).limits
            assert cells == kept
        for label in (2, -1):
            wrong = y.copy()
            wrong[1250] = label
            with pytest.raises(ValueError, match="class codes"):
                cells.update(x, wrong)
            with pytest.raises(ValueError, match="class codes"):
                cells.update(x, wrong.astype(np.int64))
        with pytest.raises(ValueError, match="y must be a column of 1300 samples"):
            cells.update(x, y[1:])
        assert cells.update(x[:0], y[:0]) == Limits(math.inf, -math.inf, 0)
        assert cells == kept


def test_a_cell_that_is_full_takes_no_more() -> None:
    x, y = np.array([0.3, 0.8]), np.array([0, 1])
    cells = ScoreCells(cell_grid())
    with patch.object(score_cells, "_MOST", 4):
        for _ in range(4):
            cells.update(x, y)  # no cell has more than four
        kept = cells + ScoreCells(cell_grid())
        with pytest.raises(InputError, match=r"at most 2\*\*38 samples: got 5"):
            cells.update(x, y)
        assert cells == kept
        with pytest.raises(InputError):
            _ = cells + cells
        cells.update(np.array([0.1]), y[:1])
        assert cells.count.sum() == 9
    count = np.zeros((2, cells.grid.n_cells), dtype=np.int64)
    count[0, 5] = 2**38 + 1
    with pytest.raises(InputError):
        ScoreCells.from_parts(cells.grid, count, count[1], ExactSums(12), np.zeros((3, 2), int))


def test_many_samples_are_added_in_slices() -> None:
    x, y = sample(9, 1000, log_odds=False)
    with patch.object(score_cells, "_SLICE", 130):
        assert cells_of(cell_grid(), x, y) == cells_of(cell_grid(), x, y, parts=3)
    assert cells_of(cell_grid(), x, y).count.sum() == 1000


def test_grids_are_kept_and_compared_by_their_edges() -> None:
    assert cell_grid([0.1, 0.2]) is cell_grid(np.array([0.1, 0.2]))
    assert cell_grid([0.1]) != cell_grid([0.2])
    assert cell_grid() != cell_grid(log_odds=True)
    assert cell_grid() != "grid"
    x, y = np.array([0.5]), np.array([1])
    assert cells_of(cell_grid(), x, y) != cells_of(cell_grid(), x, y, 1.0)
    assert cells_of(cell_grid(), x, y) != "cells"
    with pytest.raises(ValueError, match="one grid and one shift"):
        _ = ScoreCells(cell_grid()) + ScoreCells(cell_grid(), 1.0)
    with pytest.raises(ValueError, match="shift must be finite: got inf"):
        ScoreCells(cell_grid(), math.inf)
    for edges in ([0.2, 0.1], [0.1, 0.1], [math.nan], [0.0, -0.0]):
        with pytest.raises(ValueError, match="edges must be increasing numbers: got"):
            cell_grid(edges)


def test_cells_of_a_few_scores() -> None:
    cells = ScoreCells(cell_grid([0.5]))
    assert cells.update(np.array([0.25, 0.75, 1.0]), np.array([0, 1, 0])) == (0.25, 1.0, 0, 0.0, -1)
    levels = cells.levels()
    assert levels.level.round(9).tolist() == [0.25, 0.75, 1.0]
    assert (levels.first.tolist(), levels.second.tolist()) == ([1, 0, 1], [0, 1, 0])
    assert cells.losses()[0].round(4).tolist() == [0.2877, 0.2877]
    assert cells.infinite[0].tolist() == [1, 0]
