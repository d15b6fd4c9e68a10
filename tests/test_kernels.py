"""Compiled loops give what their numpy definitions say, for any type, stride and value."""

import importlib.util
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import stakes
from stakes import InputError, scorecard
from stakes._kernels import (
    affine,
    build,
    compiled,
    keys,
    layouts,
    library,
    passes,
    tilt,
)
from stakes._kernels.definitions import order, reweighting, sample_sums, slopes
from stakes._kernels.group_sums import BlockSums, _columns, sum_by, sum_by_key
from stakes._kernels.kernel_arrays import contiguous
from stakes._kernels.kernel_records import CostColumns, Places
from stakes._kernels.score_grid import cell_grid
from stakes._kernels.threads import available_threads
from stakes._typing import FloatArray

ROOT = Path(__file__).parents[1]
SPECIAL = [0.0, 1.0, 0.5, 1 / 3, 0.2, 0.6, 5e-324, 1e-310, 2.3e-308, 1 - 2**-53, math.nan]
ENDS = [math.inf, -math.inf, 0.0, -0.0, 1e-17, 40.0, -40.0, 750.0, -750.0, 1e300, math.nan]
KINDS = ["posteriors", "log_posteriors", "logits"]


@pytest.fixture(autouse=True)
def _needs_a_compiler() -> None:
    if not compiled.startswith("compiled"):
        if os.environ.get("CI"):
            pytest.fail(compiled)
        pytest.skip(compiled)


def close(found: Any, wanted: Any, rel: float = 4e-15, floor: float = 1e-300) -> None:
    """Hold two records equal: whole numbers exactly, others but for rounding."""
    if is_dataclass(wanted) and not isinstance(wanted, type):
        for field in fields(wanted):
            close(getattr(found, field.name), getattr(wanted, field.name), rel, floor)
    elif isinstance(wanted, tuple):
        for a, b in zip(found, wanted, strict=True):
            close(a, b, rel, floor)
    else:
        a, b = np.asarray(found), np.asarray(wanted)
        assert a.shape == b.shape
        if b.dtype.kind == "i":
            np.testing.assert_array_equal(a, b)
        else:
            np.testing.assert_allclose(a, b, rtol=rel, atol=floor)


def strided(values: np.ndarray[Any, Any], form: int) -> np.ndarray[Any, Any]:
    """Lay an array out anew: as it is, in every second place, or back to front."""
    if form == 1:
        wide = np.repeat(values, 2, axis=0)
        wide[1::2] = 77
        return wide[::2]
    if form == 2:
        return np.ascontiguousarray(values[::-1])[::-1]
    if form == 3 and values.ndim == 2:
        return np.asfortranarray(values)
    if form == 4 and values.ndim == 2:
        return np.ascontiguousarray(np.repeat(values[:, ::-1], 3, axis=1))[:, ::3][:, ::-1]
    return values


@st.composite
def columns(
    draw: st.DrawFn, odd: list[float], k: int, usual: Callable[[Any, int], FloatArray]
) -> tuple[Any, Any, Any]:
    """Draw scores, labels and weights of any type and stride."""
    n = draw(st.sampled_from([0, 1, 2, 7, 130, 513, 1025]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = usual(rng, n)
    if n and draw(st.booleans()):
        bad = draw(st.lists(st.sampled_from(odd), min_size=1, max_size=12))
        values.flat[rng.integers(0, values.size, len(bad))] = bad
    with np.errstate(over="ignore"):
        values = values.astype(draw(st.sampled_from([np.float64, np.float32])))
    seen = draw(st.sampled_from([k, k, 1]))  # at times one class alone
    y = rng.integers(k - seen, k, n).astype(draw(st.sampled_from([np.uint8, np.int32, np.int64])))
    weights = rng.exponential(size=n) if draw(st.booleans()) else None
    forms = [draw(st.integers(0, 4)) for _ in range(3)]
    weights = None if weights is None else strided(weights, forms[2])
    return strided(values, forms[0]), strided(y, forms[1]), weights


def probabilities(rng: np.random.Generator, n: int) -> FloatArray:
    return rng.beta(0.4, 0.4, n)


def log_odds(rng: np.random.Generator, n: int) -> FloatArray:
    return rng.normal(0, 6, n)


@given(columns(SPECIAL, 2, probabilities), st.sampled_from([1, 2, 7, 15]))
def test_binary_pass_of_probabilities(data: tuple[Any, Any, Any], bins: int) -> None:
    p, y, w = data
    cuts = np.array([0.0, 0.2, 0.5, 1.0])
    found = passes.binary_pass(p, y, cuts, w, bins)
    close(found, sample_sums.binary_pass(p, y, cuts, w, bins, log_odds=False))


@given(columns(ENDS, 2, log_odds), st.sampled_from([1, 2, 7, 15]))
def test_binary_pass_of_log_odds(data: tuple[Any, Any, Any], bins: int) -> None:
    z, y, w = data
    cuts = np.array([0.0, 0.5, 0.9])
    found = passes.binary_pass(z, y, cuts, w, bins, log_odds=True)
    close(found, sample_sums.binary_pass(z, y, cuts, w, bins, log_odds=True))


@pytest.mark.parametrize("z", [-700.0, -709.0, -720.0, -740.0, -745.0])
def test_a_subnormal_posterior_is_not_zero(z: float) -> None:
    found = passes.binary_pass(np.array([z]), np.array([0]), log_odds=True)
    assert (
        found.log.loss[0] == found.bins.probability[0, 0] == pytest.approx(math.exp(z), abs=5e-324)
    )
    rows = passes.rows_pass(np.array([[0.0, z]]), np.array([0]), "logits")
    assert rows.log.loss[0] == pytest.approx(math.exp(z), abs=5e-324)
    tiny = math.exp(z)
    assert passes.binary_pass(np.array([tiny]), np.array([1])).log.loss[1] == -math.log(tiny)


def posteriors(rng: np.random.Generator, n: int, k: int) -> FloatArray:
    return rng.dirichlet(np.full(k, 0.3), n)


def cost_tables(rng: np.random.Generator, k: int) -> list[CostColumns]:
    """Zero-one, class-weighted, with abstention, with further columns, and dense."""
    tie, none = 8 * 2**-52 * 5, np.empty((k, 0))
    dense = rng.uniform(0, 5, (k, 3))
    dense[0, 1] = 0
    dense[:, 2] = 1.0
    return [
        CostColumns(np.ones(k), none, tie),
        CostColumns(rng.uniform(0, 5, k), none, tie),
        CostColumns(np.ones(k), np.full((k, 1), 0.3), tie),
        CostColumns(rng.uniform(1, 5, k), np.hstack([dense, np.full((k, 1), 0.4)]), tie),
        CostColumns(None, dense, tie),
    ]


@st.composite
def tables(draw: st.DrawFn, kind: str) -> tuple[Any, Any, Any, list[CostColumns]]:
    """Draw rows of scores of one kind."""
    k = draw(st.sampled_from([2, 3, 10, 31, 32, 33, 40, 90]))

    def usual(rng: np.random.Generator, n: int) -> FloatArray:
        if kind == "logits":
            return rng.normal(0, 4, (n, k))
        p = posteriors(rng, n, k)
        with np.errstate(divide="ignore"):
            return p if kind == "posteriors" else np.log(p)

    odd = SPECIAL if kind == "posteriors" else [e for e in ENDS if kind == "logits" or e <= 0]
    data = draw(columns(odd, k, usual))
    return *data, cost_tables(np.random.default_rng(draw(st.integers(0, 99))), k)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_rows_pass(kind: Any, data: st.DataObject) -> None:
    x, y, w, costs = data.draw(tables(kind))
    factors = data.draw(st.sampled_from([None, 0.5 + np.arange(x.shape[1])]))
    found = passes.rows_pass(x, y, kind, costs, w, factors=factors)
    wanted = sample_sums.rows_pass(x, y, kind, costs, w, 15, factors)
    for name in ("count", "weight", "square", "log", "brier", "decided"):
        close(getattr(found, name), getattr(wanted, name), 1e-14)
    close(found.bins, wanted.bins, 1e-14)
    assert found.limits[:3] == wanted.limits[:3]
    assert found.limits.gap == pytest.approx(wanted.limits.gap, rel=1e-12, abs=1e-14)
    if wanted.limits.gap > 1e-6:
        assert found.limits.gap_row == wanted.limits.gap_row


def test_equal_posteriors_go_to_the_first() -> None:
    for k in (2, 3, 4, 33, 64):
        y = np.arange(k)
        for kind, x in (("posteriors", np.full((k, k), 1 / k)), ("logits", np.zeros((k, k)))):
            same = CostColumns(np.ones(k), np.full((k, 1), 1 - 1 / k), 1e-15)
            cells = passes.rows_pass(x, y, kind, [same]).decided[0]  # type: ignore[arg-type]
            assert cells.column.tolist() == [0] * k
            assert cells.row.tolist() == list(range(k))


def test_a_table_too_large_to_count_is_given_by_its_cells() -> None:
    rng = np.random.default_rng(5)
    k, n = 200, 5000
    p, y, w = posteriors(rng, n, k), rng.integers(0, k, n), rng.exponential(size=n)
    costs = [*cost_tables(rng, k)[:3], CostColumns(None, rng.uniform(0, 1, (k, 2)), 1e-15)]
    for weights in (None, w):
        found = passes.rows_pass(p, y, "posteriors", costs, weights)
        close(found.decided, sample_sums.rows_pass(p, y, "posteriors", costs, weights, 15).decided)


@given(
    st.integers(1, 60), st.integers(1, 15), st.floats(0, 1), st.sampled_from([np.float32, float])
)
def test_probabilities_at_the_edge_of_a_bin(m: int, bins: int, off: float, kind: Any) -> None:
    edges = np.arange(bins + 1) / bins
    near = np.concatenate([edges, np.nextafter(edges, 2), np.nextafter(edges, -1), [off, m / 60]])
    p = np.clip(near, 0, 1).astype(kind)
    for some in (p, np.tile(p[(p > 0.01) & (p < 1)], 4)):  # without the ends no loss is infinite
        y = np.ones(some.size, dtype=np.int64)
        found = passes.binary_pass(some, y, bins=bins).bins
        wanted = sample_sums.binary_pass(some, y, np.empty(0), None, bins, log_odds=False).bins
        close(found, wanted)


def test_a_million_rows_keep_their_digits() -> None:
    rng = np.random.default_rng(0)
    n = 10**6
    p, y, w = rng.beta(0.5, 0.8, n), rng.integers(0, 2, n), rng.exponential(size=n)
    for weights in (None, w):
        for odds, x in ((False, p), (True, rng.normal(0, 3, n))):
            a = passes.binary_pass(x, y, [0.3], weights, log_odds=odds)
            b = sample_sums.binary_pass(x, y, np.array([0.3]), weights, 15, log_odds=odds)
            close(a, b, 2e-15)
    z = rng.normal(0, 3, n)
    a, b = (
        package.affine_pass(z, y, None, 0.8, np.array([-0.3])).loss for package in (affine, slopes)
    )
    assert a == pytest.approx(b, rel=2e-15)
    for k in (5, 10, 50):
        y = rng.integers(0, k, n // k)
        scores = (
            ("logits", rng.normal(0, 2, (n // k, k))),
            ("posteriors", posteriors(rng, n // k, k)),
        )
        for kind, x in scores:
            found = passes.rows_pass(x, y, kind)  # type: ignore[arg-type]
            wanted = sample_sums.rows_pass(x, y, kind, (), None, 15)
            for name in ("count", "log", "brier", "bins"):
                close(getattr(found, name), getattr(wanted, name), 2e-15)


def test_near_certain_answers_keep_their_digits() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 5000)
    for far in (1e-3, 1e-9, 1e-15):
        p = np.where(y == 1, 1 - far * rng.random(y.size), far * rng.random(y.size))
        found = passes.binary_pass(p, y)
        close(found, sample_sums.binary_pass(p, y, np.empty(0), None, 15, log_odds=False), 2e-15)


@given(columns([0.0, 1.0, 0.5, 1e-310], 2, probabilities), st.sampled_from([1, 2, 15]))
def test_every_path_of_a_pass_gives_the_same_sums(data: tuple[Any, Any, Any], bins: int) -> None:
    """Quick blocks, blocks for any scores (those with weights, and rows), and the definition."""
    p, y, _ = data
    cuts, ones = np.array([0.2, 0.5]), np.ones(p.size)
    wanted = sample_sums.binary_pass(p, y, cuts, None, bins, log_odds=False)
    close(passes.binary_pass(p, y, cuts, None, bins), wanted)
    close(passes.binary_pass(p, y, cuts, ones, bins), wanted)
    for k in (2, 5, 40):  # a sample at a time, samples in a vector, and classes in a vector
        rows = np.zeros((p.size, k))
        rows[:, 0], rows[:, 1] = 1 - p.astype(float), p
        for table in (rows, np.asfortranarray(rows)):
            found = passes.rows_pass(table, y, weights=ones)
            close(found.log.loss[:2], wanted.log.loss, 1e-14, 1e-15 * p.size)
            np.testing.assert_allclose(found.brier.loss[:2] * k / 2, wanted.brier.loss, atol=1e-13)
            close(passes.rows_pass(table, y).log, found.log, 1e-14)


@pytest.mark.parametrize("label", [-1, 2, 2**33, -(2**63)])
@pytest.mark.parametrize("row", [0, 5, 700, 1000])
def test_a_wrong_label_among_many_is_found(label: int, row: int) -> None:
    y = np.zeros(1001, dtype=np.int64)
    y[row] = label
    with pytest.raises(ValueError, match="class codes"):
        passes.binary_pass(np.full(1001, 0.3), y)


@pytest.mark.parametrize("kind", ["posteriors", "logits"])
def test_logits_far_apart_and_unknown_rows_among_many(kind: Any) -> None:
    rng = np.random.default_rng(3)
    for k in (4, 10, 40):
        x, y = posteriors(rng, 512, k), rng.integers(0, k, 512)
        x[200, 1], x[201] = np.nan, np.nan
        if kind == "logits":
            x[400, 2], x[300, 0], x[301] = 800.0, -np.inf, 5.0
        for single in (np.float64, np.float32):
            found = passes.rows_pass(x.astype(single), y, kind)
            wanted = sample_sums.rows_pass(x.astype(single), y, kind, (), None, 15)
            close(found.log, wanted.log)
            close(found.bins, wanted.bins)
            assert found.limits[:3] == wanted.limits[:3]


@pytest.mark.parametrize("weighted", [False, True])
def test_threads_change_no_bit(*, weighted: bool) -> None:
    rng = np.random.default_rng(1)
    n = 600_001
    z, y = rng.normal(0, 3, n), rng.integers(0, 2, n).astype(np.uint8)
    w = rng.exponential(size=n) if weighted else None
    x, codes = rng.normal(size=(n // 8, 8)), rng.integers(0, 8, n // 8)
    heavy = None if w is None else w[: n // 8]
    p, many, wide = rng.random(n), posteriors(rng, 90_000, 60), rng.integers(0, 60, 90_000)
    costs = cost_tables(rng, 8)
    runs: list[Callable[[int], Any]] = [
        lambda t: passes.binary_pass(z, y, [0.5], w, log_odds=True, threads=t),
        lambda t: passes.binary_pass(p, y, [0.2, 0.5], w, threads=t),
        lambda t: passes.rows_pass(many, wide, "posteriors", costs[:0], None, threads=t),
        lambda t: passes.rows_pass(x, codes, "logits", costs, heavy, threads=t),
        lambda t: affine.affine_pass(z, y, w, 0.7, np.array([0.1]), threads=t),
        lambda t: affine.affine_pass(x, codes, heavy, 0.7, np.arange(8.0), threads=t),
        lambda t: affine.affine_answers(x, codes, np.ones(8), np.eye(8), threads=t),
    ]
    for run in runs:
        close(run(2), run(1), 0, 0)
        close(run(3), run(1), 0, 0)


@given(data=st.data(), whole=st.booleans())
def test_pool_adjacent_violators(data: st.DataObject, *, whole: bool) -> None:
    n = data.draw(st.integers(0, 60))
    number = st.integers(0, 3) | st.integers(2**40, 2**41) if whole else st.floats(0, 10)
    first, second = (
        np.array(
            data.draw(st.lists(number, min_size=n, max_size=n)), dtype=np.int64 if whole else float
        )
        for _ in range(2)
    )
    second[(first == 0) & (second == 0)] = 1
    np.testing.assert_array_equal(keys.pav_blocks(first, second), order.pav_blocks(first, second))


def test_blocks_that_doubles_cannot_tell_apart() -> None:
    big = 2**60 + 1
    starts = keys.pav_blocks(np.array([big, big - 1]), np.array([big - 2, big - 3]))
    assert starts.tolist() == [0]  # the second share is smaller by 1e-36
    starts = keys.pav_blocks(np.array([big - 1, big]), np.array([big - 3, big - 2]))
    assert starts.tolist() == [0, 1]


@given(columns(ENDS[2:-2], 2, log_odds), st.floats(-3, 3), st.floats(-3, 3))
def test_slopes_of_two_classes(data: tuple[Any, Any, Any], scale: float, shift: float) -> None:
    z, y, w = data
    close(
        affine.affine_pass(z, y, w, scale, np.array([shift])),
        slopes.affine_pass(z, y, w, scale, np.array([shift])),
        1e-13,
        1e-13 * (1 + float(np.square(z.astype(float)).sum())) * (1 if w is None else 9),
    )


def test_certain_answers_add_nothing_where_they_are_right() -> None:
    z = np.array([-math.inf, math.inf, 1.0])
    found = affine.affine_pass(z, np.array([0, 1, 1]), None, 2.0, np.zeros(1))
    alone = affine.affine_pass(z[2:], np.array([1]), None, 2.0, np.zeros(1))
    close(found, alone)
    wrong = affine.affine_pass(z, np.array([1, 1, 1]), None, 2.0, np.zeros(1))
    assert wrong.loss == math.inf
    assert wrong.worst == math.inf


@st.composite
def log_posterior_tables(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    k = draw(st.sampled_from([2, 3, 5, 12, 37]))
    return draw(
        columns([-math.inf, -0.0, -700.0], k, lambda r, n: np.log(posteriors(r, n, k) + 1e-9))
    )


@given(
    data=log_posterior_tables(),
    scale=st.sampled_from([0.0, 0.8, 1.0, -0.5]),
    hessian=st.booleans(),
)
def test_slopes_of_many_classes(data: tuple[Any, Any, Any], scale: float, *, hessian: bool) -> None:
    log_p, y, w = data
    k = log_p.shape[1]
    shift = np.linspace(-1, 1, k)
    with np.errstate(invalid="ignore"):
        size = float(np.square(np.where(np.isinf(log_p), 0, log_p.astype(float))).sum())
    close(
        affine.affine_pass(log_p, y, w, scale, shift, hessian=hessian),
        slopes.affine_pass(log_p, y, w, scale, shift, hessian=hessian),
        1e-12,
        1e-13 * (1 + size) * (1 if w is None else 9),
    )


@given(data=st.data(), hessian=st.booleans(), weighted=st.booleans())
def test_slopes_of_chosen_rows_and_weighted_classes(
    data: st.DataObject, *, hessian: bool, weighted: bool
) -> None:
    k = data.draw(st.sampled_from([2, 7, 33, 50]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    form = data.draw(st.integers(0, 4))
    table = strided(np.log(posteriors(rng, 300, k) + 1e-9), form)
    if data.draw(st.booleans()):
        table[rng.integers(0, 300, 20), rng.integers(0, k, 20)] = -math.inf
    rows = rng.integers(0, 300, data.draw(st.sampled_from([0, 1, 9, 130, 257])))
    y = rng.integers(0, k, rows.size)
    w, each = rng.exponential(size=rows.size) if weighted else None, rng.exponential(size=k)
    call = (table, y, w, 0.8, np.linspace(-1, 1, k))
    found, wanted = (
        package.affine_pass(*call, class_weights=each, rows=rows, hessian=hessian)
        for package in (affine, slopes)
    )
    close(found, wanted, 1e-12, 1e-11 * (1 + rows.size))
    plain = each[y] * (1.0 if w is None else w)
    close(
        found,
        affine.affine_pass(table[rows], y, plain, 0.8, call[4], hessian=hessian),
        1e-12,
        1e-11 * (1 + rows.size),
    )
    if k == 2:
        z = table[:, 1][rows]
        one, other = (
            package.affine_pass(z, y, w, 0.8, np.array([0.1]), class_weights=each)
            for package in (affine, slopes)
        )
        close(one, other, 1e-12, 1e-11 * (1 + rows.size))


def test_slopes_of_far_values() -> None:
    z = np.concatenate([np.linspace(-800, 800, 1001), np.linspace(-3, 3, 1000)])
    y = (np.arange(z.size) % 3 == 0).astype(np.int64)
    for labels in (y, (z > 0).astype(np.int64)):  # some far and wrong, then all of them right
        close(
            affine.affine_pass(z, labels, None, 1.0, np.zeros(1)),
            slopes.affine_pass(z, labels, None, 1.0, np.zeros(1)),
            2e-15,
            1e-13,
        )
    far = np.array([-705.0, -715.0, -744.0])  # one normal, two subnormal
    alone = affine.affine_pass(far, np.zeros(3, np.int64), None, 1.0, np.zeros(1))
    close(alone, slopes.affine_pass(far, np.zeros(3, np.int64), None, 1.0, np.zeros(1)), 1e-12)


def test_rows_that_are_not_there_are_refused() -> None:
    table, y = np.zeros((3, 4)), np.zeros(2, np.int64)
    for rows in ([0, 3], [-1, 0]):
        with pytest.raises(ValueError, match="rows must lie between 0 and 2"):
            affine.affine_pass(table, y, None, 1.0, np.zeros(4), rows=np.array(rows))
    with pytest.raises(ValueError, match="class codes"):
        affine.affine_pass(np.zeros(2), np.array([0, 2]), None, 1.0, np.zeros(1))
    with pytest.raises(ValueError, match="shift must be of shape"):
        affine.affine_answers(np.zeros(2), y, np.ones(2), np.zeros(3))


@given(data=st.data(), form=st.integers(0, 4))
def test_affine_answers(data: st.DataObject, form: int) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    n, k = data.draw(st.sampled_from([1, 5, 600])), data.draw(st.sampled_from([1, 2, 3, 40]))
    groups = rng.integers(0, 4, n)
    scale = np.array([1.0, 0.3, -0.5, 0.0])
    table = np.log(posteriors(rng, n, max(k, 2)) + 1e-9)
    table[rng.integers(0, n, n // 9), 0] = -math.inf if k > 1 else -750.0
    values = strided(table[:, 0] if k == 1 else table, form)
    shift = rng.normal(size=4) if k == 1 else rng.normal(size=(4, k))
    close(
        affine.affine_answers(values, groups, scale, shift),
        slopes.affine_answers(values, groups, scale, shift),
        4e-15,
        1e-15,
    )


def test_slopes_are_those_of_the_loss() -> None:
    rng = np.random.default_rng(3)
    log_p, y = np.log(posteriors(rng, 500, 4) + 1e-6), rng.integers(0, 4, 500)
    w, at, step = rng.exponential(size=500), np.array([0.8, 0.3, 0.0, -0.2, 0.1]), 1e-5
    here = affine.affine_pass(log_p, y, w, at[0], at[1:])
    for j in range(5):
        up, down = at.copy(), at.copy()
        up[j], down[j] = at[j] + step, at[j] - step
        high, low = (affine.affine_pass(log_p, y, w, v[0], v[1:]) for v in (up, down))
        assert (high.loss - low.loss) / (2 * step) == pytest.approx(here.gradient[j], rel=1e-6)
        np.testing.assert_allclose(
            (high.gradient - low.gradient) / (2 * step), here.hessian[j], rtol=1e-6, atol=1e-5
        )


@given(seed=st.integers(0, 2**32), strata=st.integers(1, 20), far=st.booleans())
def test_tilted_weights(seed: int, strata: int, *, far: bool) -> None:
    rng = np.random.default_rng(seed)
    rows, n = strata + int(rng.integers(0, 60)), 6
    stratum = rng.permutation(
        np.concatenate([np.arange(strata), rng.integers(0, strata, rows - strata)])
    )
    counts = 10.0 ** rng.uniform(-2, 4, (n, rows))
    wanted = rng.normal(size=(n, rows)) * 10.0 ** rng.uniform(-6, 6 * far - 6, (n, rows))
    wanted[rng.random((n, rows)) < 0.1] = 0
    wanted[0], wanted[1, 0] = 1.0, rng.choice([1.0, np.nan, np.inf, -np.inf])
    radius = rng.choice([0.0, 0.1, 1.96, 5.0], n)
    near = 0.3 * (reweighting.depth_of(wanted, stratum) * counts).sum(axis=1)
    for goal, of_radius in ((radius, True), (near, False)):
        said = (strided(wanted, 3), counts, stratum, goal)
        found = tilt.tilted(*said, of_radius=of_radius)
        close(found, reweighting.tilted(*said, of_radius=of_radius), rel=1e-10)
        assert (found[0] == counts[0]).all()


def test_tilts_that_do_not_fit_are_refused() -> None:
    two, one = np.ones((2, 3)), np.ones(2)
    with pytest.raises(ValueError, match="class codes"):
        tilt.tilted(two, two, np.array([0, -1, 0]), one, of_radius=True)
    with pytest.raises(ValueError, match="counts must"):
        tilt.tilted(two, two[:1], np.zeros(3, int), one, of_radius=True)
    for stratum, goal in ((np.zeros(2, int), one), (np.zeros(3, int), one[:1])):
        with pytest.raises(ValueError, match="stratum and goal must"):
            tilt.tilted(two, two, stratum, goal, of_radius=True)


def test_labels_that_are_no_classes_are_refused() -> None:
    p = np.full(3, 0.5)
    for y in ([0, 1, 2], [0, -1, 1], [2**40, 0, 0]):
        with pytest.raises(ValueError, match="class codes"):
            passes.binary_pass(p, np.array(y))
        with pytest.raises(ValueError, match="class codes"):
            passes.rows_pass(np.full((3, 2), 0.5), np.array(y))
    with pytest.raises(ValueError, match="column of 3 samples"):
        passes.binary_pass(p, np.array([0, 1]))
    with pytest.raises(TypeError, match="whole numbers"):
        passes.binary_pass(p, np.array([0.0, 1.0, 0.0]))


def asked(code: str, **environment: str) -> str:
    """Run a line of Python in a process of its own."""
    inherited = {"PATH", "PYTHONPATH", "HOME"} & os.environ.keys()
    env = {name: os.environ[name] for name in inherited} | environment
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_the_definitions_can_be_asked_for() -> None:
    code = (
        "import numpy as np, stakes._kernels as k, stakes._kernels.passes as p; print(k.compiled);"
        "print(p.binary_pass(np.array([0.5, 0.25]), np.array([1, 0])).log.loss.sum())"
    )
    said, value = asked(code, STAKES_KERNELS="numpy").splitlines()
    assert said.startswith("numpy definitions: STAKES_KERNELS")
    assert float(value) == pytest.approx(math.log(8 / 3))
    assert asked(code).startswith("compiled (")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a copy of the sources."""
    for path in build.FOLDER.glob("*.[ch]"):
        shutil.copy(path, tmp_path)
    return tmp_path


def test_a_library_of_other_sources_is_refused(folder: Path) -> None:
    shutil.copy(build.FOLDER / build.LIBRARY, folder)
    assert library.load(folder)[0] is not None
    with (folder / "kernels.c").open("a") as file:
        file.write("/* changed */\n")
    found, why = library.load(folder)
    assert found is None
    assert "stale" in why


def test_a_broken_or_missing_library_is_refused(folder: Path) -> None:
    assert "not compiled" in library.load(folder)[1]
    (folder / build.LIBRARY).write_bytes(b"not a library")
    found, why = library.load(folder)
    assert found is None
    assert "does not load" in why


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda text: text.replace("binary_job 144 bins i 120\n", ""), "binary_job.sums lies at"),
        (lambda text: text.replace("limits p 136", "limits p 144"), "binary_job.limits lies at"),
        (lambda text: text.replace("column 24 type i 16\n", ""), "column has 24 bytes"),
        (lambda text: text.replace("cells_job 144", "cells_job 160"), "cells_job has 160 bytes"),
    ],
)
def test_a_library_with_other_records_is_refused(
    wrong: Callable[[str], str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(text: str) -> Any:
        assert wrong(text) != text
        return layouts.read_layouts(wrong(text))

    monkeypatch.setattr(library, "read_layouts", read)
    found, why = library.load()
    assert found is None
    assert why.startswith(f"numpy definitions: {build.LIBRARY} has other records ({said}")


def test_records_are_laid_out_as_the_compiler_did() -> None:
    assert library.KERNELS is not None
    records = library.KERNELS.records
    fields = cell_grid().base.dtype.fields
    assert fields is not None
    for name, described in fields.items():
        assert getattr(records["base_cell"], name).offset == described[1]
    with pytest.raises(KeyError, match="no_field"):
        records["binary_job"](no_field=1)
    with pytest.raises(ValueError, match="in one piece"):
        records["binary_job"](edges=np.zeros((4, 4))[:, 0])


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Load the build hook on a stand-in for the build tool, which need not be installed."""
    interface = ModuleType("hatchling.builders.hooks.plugin.interface")
    interface.BuildHookInterface = object  # type: ignore[attr-defined]
    names = interface.__name__.split(".")
    for depth in range(1, len(names)):
        monkeypatch.setitem(sys.modules, ".".join(names[:depth]), ModuleType(names[depth - 1]))
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def hooked(
    hook: ModuleType, root: Path, version: str = "standard"
) -> tuple[dict[str, Any], list[str]]:
    """Run the build hook on a copy of the sources; return what it asks for, and its warnings."""
    target = root / "src" / "stakes" / "_kernels"
    target.mkdir(parents=True, exist_ok=True)
    for path in build.FOLDER.glob("*.[ch]"):
        shutil.copy2(path, target)
    script = (build.FOLDER / "build.py").read_text().replace('"-O3"', '"-O0"')  # sooner done
    (target / "build.py").write_text(script)
    shutil.copystat(build.FOLDER / "build.py", target / "build.py")
    made, warnings = hook.KernelsHook(), list[str]()
    made.target_name, made.root = "wheel", str(root)
    made.app = SimpleNamespace(display_warning=warnings.append)
    data: dict[str, Any] = {"artifacts": []}
    made.initialize(version, data)
    return data, warnings


def test_a_wheel_without_a_compiler_is_pure(
    hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "src" / "stakes" / "_kernels"
    folder.mkdir(parents=True)
    (folder / build.LIBRARY).write_bytes(b"of an earlier build")
    monkeypatch.setenv("CC", "false")
    data, warnings = hooked(hook, tmp_path)
    assert data == {"artifacts": []}
    assert "without compiled kernels" in warnings[0]
    assert not (folder / build.LIBRARY).exists()


def test_a_wheel_with_a_compiler_has_a_platform(
    hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.environ.get("CC") == "no-compiler":  # as where wheels are tried
        monkeypatch.delenv("CC")
        if shutil.which("cc") is None:
            pytest.skip("there is no compiler")
    data, warnings = hooked(hook, tmp_path)
    assert not warnings
    assert not data["pure_python"]
    assert data["tag"].startswith("py3-none-")
    assert data["tag"] != "py3-none-any"
    found, said = library.load(tmp_path / "src" / "stakes" / "_kernels")
    assert found is not None
    assert said.startswith("compiled (")


@pytest.mark.parametrize(("version", "kept"), [("editable", 1), ("standard", 0)])
def test_only_an_editable_install_keeps_a_library(
    hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, kept: int
) -> None:
    made = tmp_path / "src" / "stakes" / "_kernels" / build.LIBRARY
    made.parent.mkdir(parents=True)
    made.write_bytes(b"of an earlier build")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(shutil, "which", lambda _: None)  # nothing can be compiled
    data, warnings = hooked(hook, tmp_path, version)
    assert made.exists() == kept
    assert bool(warnings) == (not kept)
    assert ("tag" in data) == kept


def test_a_library_is_up_to_date_if_it_is_newer_than_what_it_is_built_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CC", raising=False)
    sources = [tmp_path / name for name in ("a.c", "b.h", "build.py")]
    for path in sources:
        path.touch()
        os.utime(path, (1000, 1000))
    assert not build.is_up_to_date(tmp_path)
    (tmp_path / build.LIBRARY).touch()
    os.utime(tmp_path / build.LIBRARY, (2000, 2000))
    assert build.is_up_to_date(tmp_path)
    for path in sources:
        os.utime(path, (3000, 3000))
        assert not build.is_up_to_date(tmp_path)
        os.utime(path, (1000, 1000))
    monkeypatch.setenv("CC", "clang")
    assert not build.is_up_to_date(tmp_path)


def test_a_compiler_that_fails_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in ("false", "no-such-compiler"):
        monkeypatch.setenv("CC", command)
        with pytest.raises(build.BuildError, match=command):
            build.build(folder)
    assert not (folder / build.LIBRARY).exists()
    monkeypatch.delenv("CC")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(build.BuildError, match="no C compiler"):
        build.build(folder)


@pytest.mark.parametrize("labels", [[0, 1, 2], [0, -1, 1]])
def test_labels_that_are_no_classes_are_refused_on_both_roads(labels: list[int]) -> None:
    y, p = np.array(labels), np.full((3, 2), 0.5)
    runs: list[Callable[[], object]] = [
        lambda: passes.binary_pass(p[:, 1], y),
        lambda: passes.rows_pass(p, y),
        lambda: sample_sums.binary_pass(p[:, 1], y, np.empty(0), None, 15, log_odds=False),
        lambda: sample_sums.rows_pass(p, y, "posteriors", (), None, 15),
    ]
    for run in runs:
        with pytest.raises(ValueError, match="class codes"):
            run()


@pytest.mark.parametrize(
    ("own", "others", "found"),
    [("3", "2", 3), ("", "2", 2), ("", "4,2", 4), ("", "many", None), ("", "", None), ("1", "", 1)],
)
def test_threads_are_as_many_as_allowed(
    own: str, others: str, found: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAKES_THREADS", own)
    monkeypatch.setenv("OMP_NUM_THREADS", others)
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert available_threads() == (found or allowed)


@pytest.mark.parametrize("told", ["0", "-1", "two", "1.5"])
def test_a_number_of_threads_that_is_none_is_refused(
    told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAKES_THREADS", told)
    with pytest.raises(InputError, match="STAKES_THREADS must be a whole number of at least 1"):
        scorecard(np.array([0, 1]), np.array([0.5, 0.5]))


def test_flags_that_a_compiler_does_not_know_are_left_out(tmp_path: Path) -> None:
    picky = tmp_path / "cc"
    picky.write_text('#!/bin/sh\ncase "$*" in *-fno-thread-jumps*) exit 1;; esac\n')
    picky.chmod(0o755)
    assert not build._known("-fno-thread-jumps", [str(picky)])
    assert build._known("-O2", [str(picky)])


def unaligned(values: np.ndarray) -> np.ndarray:
    """Return a copy that begins at an odd address."""
    memory = np.empty(values.nbytes + 1, dtype=np.uint8)
    shifted = np.frombuffer(memory.data, values.dtype, values.size, 1)
    shifted[...] = values
    return shifted


def test_no_kernel_reads_at_a_place_that_the_type_forbids() -> None:
    rng = np.random.default_rng(8)
    x, y = rng.random(1000), rng.integers(0, 2, 1000)
    odd_x, odd_y = unaligned(x), unaligned(y)
    assert not odd_x.flags.aligned
    assert not odd_y.flags.aligned
    for made in (contiguous(odd_x, np.float64), contiguous(odd_y, np.int64)):
        assert made.flags.aligned
    assert contiguous(x, np.float64) is x
    for part in _columns(odd_y, odd_x):
        assert part.flags.aligned
    assert sum_by(odd_y, odd_x, 2).tobytes() == sum_by(y, x, 2).tobytes()
    weighted = stakes.cross_entropy(odd_y, odd_x, sample_weight=odd_x)
    assert weighted.value == stakes.cross_entropy(y, x, sample_weight=x).value
    assert float(stakes.auc(odd_y, odd_x)) == float(stakes.auc(y, x))


def test_small_cases_by_hand() -> None:
    two = np.array([0, 1])
    odds = affine.affine_pass(np.array([-2.0, 2.0]), two, None, 0.0, np.zeros(1))
    assert odds.loss == pytest.approx(2 * math.log(2))
    assert odds.gradient.tolist() == [-2, 0]
    log_p = np.log([[0.5, 0.25, 0.25], [0.2, 0.2, 0.6]])
    many = affine.affine_pass(log_p, np.array([0, 2]), None, 1.0, np.zeros(3))
    assert many.loss == pytest.approx(-math.log(0.5 * 0.6))
    assert many.gradient.shape == (4,)
    assert many.hessian.shape == (4, 4)
    answers = affine.affine_answers(np.zeros(2), two, np.ones(2), np.array([0.0, 1.0]))
    assert answers.round(2).tolist() == [[-0.69, -0.69], [-1.31, -0.31]]
    losses = passes.binary_pass(np.array([0.25, 0.5, 1.0]), np.array([0, 1, 0]), [0.5])
    assert losses.log.loss.round(4).tolist() == [0.2877, 0.6931]
    assert losses.log.infinite.tolist() == [1, 0]
    assert losses.above.tolist() == [[1, 0]]
    halves = np.array([[0.0, 1.0]]), np.ones((1, 2)), np.zeros(2, dtype=np.int64)
    tilted = tilt.tilted(*halves, np.array([0.5]), of_radius=False)
    assert tilted.tolist() == [[pytest.approx(0.5), pytest.approx(1.5)]]
    total = sum_by(np.array([0, 1, 0]), np.array([1e16, 2.5, 1.0]), 2)
    assert (total - [1e16, 0]).tolist() == [0, 2.5]
    found, by_key = sum_by_key(np.array([7, 3, 7]), np.array([[1, 2, 4], [0, 1, 0]]))
    assert (found.tolist(), by_key.tolist()) == ([3, 7], [[2, 5], [1, 0]])


def test_small_cases_of_orders_and_cells() -> None:
    scores, y = np.array([0.1, 0.5, 0.5, 0.9]), np.array([0, 0, 1, 1])
    pairs, places = keys.score_places(scores, y, 2)
    assert pairs == (7, 2, 2)
    assert isinstance(places, Places)
    assert (places.y.tolist(), places.number.tolist()) == ([0, 0, 1, 1], [1, 1, 1, 1])
    assert (places.below.tolist(), places.ends) == ([0.5, 0, 2, 1.5], (0, 0))
    assert keys.score_precision(scores, y).mean == (1 + 2 / 3) / 2
    levels = keys.score_levels(scores, y)
    assert levels.level.tolist() == [0.1, 0.5, 0.9]
    assert (levels.first.tolist(), levels.second.tolist()) == ([1, 1, 0], [0, 1, 1])
    assert keys.pav_blocks(np.array([2, 1, 1, 0]), np.array([1, 0, 1, 3])).tolist() == [0, 2, 3]
    blocks = keys.score_blocks(np.array([0.1, 0.2, 0.3, 0.4]), np.array([0, 1, 0, 1]))
    assert (blocks.low.tolist(), blocks.high.tolist()) == ([0.1, 0.2, 0.4], [0.1, 0.3, 0.4])
    assert (blocks.first.tolist(), blocks.second.tolist()) == ([1, 1, 0], [0, 1, 1])
    p, classes = np.array([[0.6, 0.4], [0.5, 0.5], [0.1, 0.9]]), np.array([0, 1, 1])
    miss = CostColumns(np.array([1.0, 5.0]), np.empty((2, 0)), 0.0)
    cells = passes.rows_pass(p, classes, costs=[miss]).decided[0]
    assert (cells.row.tolist(), cells.column.tolist()) == ([0, 1], [1, 1])
    assert cells.weight.tolist() == [1, 2]
    inside = cell_grid([0.5001]).cells(np.array([0.5, 0.50009, 0.5001]))
    assert np.diff(inside).tolist() == [0, 1]
    blockwise = BlockSums(2)
    parts = [(np.array([0, 1]), np.array([1e16, 2.5])), (np.array([0]), np.array([1.0]))]
    for group, values in parts:
        blockwise.look(group, values)
    for group, values in parts:
        blockwise.add(group, values)
    assert (blockwise.total() - [1e16, 0]).tolist() == [0, 2.5]
