"""Ordinary probabilities are taken in every form they come in; a row that is off is named."""

import csv
import io
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings, strategies as st

import stakes
from stakes._typing import FloatArray
from test_precision import labels, simplex, written

Form = Callable[[FloatArray], np.ndarray]


def dirichlet(n: int, k: int, seed: int) -> FloatArray:
    """Return rows of probabilities, more or less even."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, rng.choice([0.3, 1.0, 5.0])), size=n)
    return p / p.sum(axis=1, keepdims=True)


def as_text(p: np.ndarray) -> FloatArray:
    """Return the numbers that pandas writes for an array, read again as doubles."""
    stream = io.StringIO()
    pd.DataFrame(p).to_csv(stream, index=False)
    return np.array(list(csv.reader(io.StringIO(stream.getvalue())))[1:], dtype=float)


def brain(p: FloatArray) -> np.ndarray:
    """Return the nearest numbers of bfloat16, as float32."""
    bits = p.astype(np.float32).view(np.uint32)
    return (bits + 0x8000 & np.uint32(0xFFFF0000)).view(np.float32)


BINARY: list[tuple[str, Form, float]] = [  # and how far a value moves, as a part of itself
    ("float16", lambda p: p.astype(np.float16), 2.0**-11),
    ("float16 as float32", lambda p: p.astype(np.float16).astype(np.float32), 2.0**-11),
    ("bfloat16", brain, 2.0**-8),
    ("float32", lambda p: p.astype(np.float32), 2.0**-24),
]
CASTS: list[tuple[str, Form]] = [
    ("array", lambda t: t),
    ("doubles", lambda t: t.astype(float)),
    ("list", lambda t: t.tolist()),
    ("text", as_text),
]


@settings(max_examples=120, deadline=None)
@given(
    form=st.sampled_from(BINARY),
    cast=st.sampled_from(CASTS),
    n=st.integers(1, 40),
    k=st.integers(2, 50),
    seed=st.integers(0, 2**31),
)
def test_binary_formats_are_taken_in_any_form(
    form: tuple[str, Form, float], cast: tuple[str, Form], n: int, k: int, seed: int
) -> None:
    p = dirichlet(n, k, seed)
    table = cast[1](form[1](p))
    taken = stakes.Posteriors(table)
    moved = 3 * form[2] * p + 1e-7 + p * np.abs(np.asarray(table, dtype=float).sum(1) - 1)[:, None]
    assert (np.abs(taken.values - p) <= moved).all()
    if taken.rounding is not None:
        assert taken.rounding.precision in {"float16", "bfloat16", "float32"} or (
            "digits" in taken.rounding.precision or "decimals" in taken.rounding.precision
        )
    if cast[0] == "text" and form[0] == "float16" and taken.rounding is not None:
        assert np.abs(taken.values.sum(axis=1) - 1).max() <= 2.0**-10


def percent(p: FloatArray, digits: int) -> FloatArray:
    """Return percentages with so many digits less two, over 100."""
    return np.round(100 * p, digits - 2) / 100


DECIMAL: list[tuple[str, Callable[[FloatArray, int], np.ndarray], range]] = [
    ("decimals", lambda p, d: written(p, f".{d}f"), range(3, 11)),
    ("rounded", np.round, range(3, 11)),
    ("significant digits", lambda p, d: written(p, f".{d}g"), range(3, 9)),
    ("percent", percent, range(3, 9)),
    ("percent by a product", lambda p, d: np.round(100 * p, d - 2) * 0.01, range(3, 9)),
    ("single", lambda p, d: np.round(p, d).astype(np.float32), range(3, 6)),
    ("percent in single", lambda p, d: percent(p.astype(np.float32), d), range(3, 6)),
]


@settings(max_examples=150, deadline=None)
@given(
    form=st.sampled_from(DECIMAL),
    data=st.data(),
    n=st.integers(1, 40),
    k=st.integers(2, 50),
    seed=st.integers(0, 2**31),
)
def test_decimal_digits_are_taken_in_any_form(
    form: tuple[str, Callable[[FloatArray, int], np.ndarray], range],
    data: st.DataObject,
    n: int,
    k: int,
    seed: int,
) -> None:
    digits = data.draw(st.sampled_from(form[2]))
    p = dirichlet(n, k, seed)
    table = form[1](p, digits)
    gap = np.abs(np.asarray(table, dtype=float).sum(axis=1) - 1)
    assume(gap.max() < 0.0099)  # more is refused, however few digits there are
    for cast in (table, table.astype(float), table.tolist(), as_text(table)):
        taken = stakes.Posteriors(cast)
        half = 0.5 * 10.0 ** (-digits if "significant" not in form[0] else 1 - digits)
        assert np.abs(taken.values - p).max() <= 1.02 * (half + gap.max()) + 4e-7
        if gap.max() > 1e-5:
            assert taken.rounding is not None
            assert "decimal" in str(taken.rounding) or "digit" in str(taken.rounding)


EVERY: list[tuple[str, Form]] = [
    *((name, make) for name, make, _ in BINARY),
    ("float16 as text", lambda p: as_text(p.astype(np.float16))),
    ("float16 as float32 as text", lambda p: as_text(p.astype(np.float16).astype(np.float32))),
    ("float16 to 6 decimals", lambda p: written(p.astype(np.float16), ".6f")),
    ("bfloat16 as text", lambda p: as_text(brain(p))),
    ("4 decimals", lambda p: np.round(p, 4)),
    ("6 digits", lambda p: written(p, ".6g")),
    ("percent", lambda p: percent(p, 4)),
    ("doubles", lambda p: p),
    ("mixed", lambda p: np.vstack([np.round(p[:30], 4), np.round(p[30:40], 6), p[40:]])),
]


@pytest.mark.parametrize("form", [pytest.param(f, id=n) for n, f in EVERY])
@pytest.mark.parametrize("k", [2, 3, 10, 50])
def test_every_form_is_taken_but_not_with_a_row_that_is_off(k: int, form: Form) -> None:
    for seed in range(5):
        p = dirichlet(60, k, seed)
        stakes.Posteriors(form(p))
        p[17] *= 0.985
        with pytest.raises(stakes.InputError, match=r"row 17 with sum 0\.98") as refused:
            stakes.Posteriors(form(p))
        assert "renormalize=True" in str(refused.value)


def stacked(first: Form, second: Form) -> Form:
    """Return a form of which half of the rows have one, and half another."""
    return lambda p: np.vstack([first(p[:50]), second(p[50:])])


def four(p: FloatArray) -> FloatArray:
    """Return four decimals."""
    return np.round(p, 4)


def single(p: FloatArray) -> FloatArray:
    """Return the nearest numbers of float32, as doubles."""
    return p.astype(np.float32).astype(np.float64)


STACKED: list[tuple[str, Form]] = [
    ("4 and 6 decimals", stacked(four, lambda p: np.round(p, 6))),
    ("4 decimals and doubles", stacked(four, np.copy)),
    ("doubles and 4 decimals", stacked(np.copy, four)),
    ("percent and 5 digits", stacked(lambda p: percent(p, 4), lambda p: written(p, ".5g"))),
    ("5 digits and doubles", stacked(lambda p: written(p, ".5g"), np.copy)),
    ("float32 and 4 decimals", stacked(single, four)),
    ("float32 and doubles", stacked(single, np.copy)),
    ("float32 as text and doubles", stacked(lambda p: as_text(p.astype("f4")), np.copy)),
    ("float32 to 8 decimals and doubles", stacked(lambda p: written(single(p), ".8f"), np.copy)),
    ("float16 and 4 decimals", stacked(lambda p: p.astype("f2"), four)),
    ("float16 as text and doubles", stacked(lambda p: as_text(p.astype("f2")), np.copy)),
]


@pytest.mark.parametrize("form", [pytest.param(f, id=n) for n, f in STACKED])
@pytest.mark.parametrize("k", [2, 3, 10])
def test_each_row_has_the_precision_that_it_shows(k: int, form: Form) -> None:
    p = dirichlet(100, k, k)
    table = form(p)
    taken = stakes.Posteriors(table)
    assert np.abs(taken.values - p).max() <= (k + 1) * 0.5e-4 + 2.0**-10
    # What sums to 1 keeps its bits, and rows that were rounded are divided by their sums.
    exact = np.abs(table.sum(axis=1) - 1) < 1e-13
    np.testing.assert_array_equal(taken.values[exact], table[exact])
    if k == 10:
        assert " rows" in str(taken.rounding)
    y = labels(p)
    quick, slow = stakes.scorecard(y, table), stakes.cross_entropy(y, table)
    assert quick.cross_entropy.value == pytest.approx(slow.value, rel=1e-13)


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("gap", [1e-4, -1e-4, 3e-6, 1e-9])
def test_a_row_of_all_digits_does_not_hide_among_rounded_rows(k: int, gap: float) -> None:
    p = dirichlet(300, k, 5)
    table = np.round(p, 4)
    table[123] = p[123] * (1 + gap)
    with pytest.raises(stakes.InputError, match="got row 123 with sum"):
        stakes.Posteriors(table)
    table = np.vstack([np.round(p[:100], 4), np.round(p[100:200], 6), p[200:]])
    table[150] = np.round(p[150] * (1 + 20 * k * gap), 6)
    if abs(gap) > 1e-6:
        with pytest.raises(stakes.InputError, match=r"got row 150 with sum.*[56] decimals"):
            stakes.Posteriors(table)


BY_CHANCE: list[tuple[str, int, list[float], str]] = [
    ("a last digit of 0", 6, [0.012344, 0.98766], "1.000004"),
    ("single to 8 decimals", 8, [0.12345679, 0.87654322], "1.00000001"),
    ("float16 as text", 4, [0.3335, 0.667], "1.0005"),
    ("a number of bfloat16", 3, [0.5, 0.494], "0.994"),
]


@pytest.mark.parametrize(
    ("digits", "row", "total"), [pytest.param(*r, id=n) for n, *r in BY_CHANCE]
)
def test_a_row_does_not_hide_by_chance(digits: int, row: list[float], total: str) -> None:
    table = np.round(dirichlet(200, 2, 3), digits)
    table[77] = row
    with pytest.raises(stakes.InputError, match=f"got row 77 with sum {total}"):
        stakes.Posteriors(table)


def test_shortest_digits_of_float16_are_those_of_numpy() -> None:
    half = np.arange(1, 0x3C00, dtype=np.uint16).view(np.float16)
    both = np.column_stack([half, (1 - half.astype(float)).astype(np.float16)])
    assert str(stakes.Posteriors(as_text(both)).rounding).count("float16") == 1
    for row in both[::97]:
        stakes.Posteriors([[float(str(v)) for v in row]])


def test_a_table_of_mixed_precision_says_how_many_rows_show_what() -> None:
    p = dirichlet(200, 10, 1)
    table = np.vstack([np.round(p[:120], 4), np.round(p[120:180], 6), p[180:]])
    off = np.abs(table.sum(axis=1) - 1) > 1e-12
    note = str(stakes.Posteriors(table).rounding)
    assert f"4 decimals in {off[:120].sum()} rows" in note
    assert f"6 decimals in {off[120:180].sum()} rows" in note
    assert note.endswith("rows rounded to digits were divided by their sums.")


FEW: list[tuple[str, object, list[list[float]], str]] = [
    ("an ulp above 1", [[1.0000000000000002, 0.0], [0.2, 0.8]], [[1, 0], [0.2, 0.8]], "2.2e-16"),
    ("a little below 0", [[0.7, 0.3, -1e-17]], [[0.7, 0.3, 0]], "1e-17"),
    ("both", [[1 + 2.0**-52, -(2.0**-52)]], [[1, 0]], "2.2e-16"),
    ("single", np.array([[1.0000001, 0]], dtype=np.float32), [[1, 0]], "1.2e-07"),
    ("single, both", np.array([[1.0000001, -1.2e-7]], dtype=np.float32), [[1, 0]], "1.2e-07"),
    ("single as doubles", [[1 + 2.0**-23, 0], [0.25, 0.75]], [[1, 0], [0.25, 0.75]], "1.2e-07"),
    ("rounded beside", [[0.3333, 0.3333, 0.3333], [1, 0, -1e-17]], [[1 / 3] * 3, [1, 0, 0]], "4 decimals"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "right", "said"), [pytest.param(*r, id=n) for n, *r in FEW])
def test_a_few_units_beyond_0_or_1_are_rounding(
    table: list[list[float]], right: list[list[float]], said: str
) -> None:
    taken = stakes.Posteriors(table)
    np.testing.assert_allclose(taken.values, right, rtol=1e-15, atol=0)
    assert said in str(taken.rounding)
    assert "taken as 0 or 1" in str(taken.rounding)
    y = [0] * (len(right) - 1) + [1]
    card = stakes.scorecard(np.array(y), np.asarray(table), classes=range(len(right[0])))
    assert card.brier_score.value == pytest.approx(
        stakes.brier_score(y, right, classes=range(len(right[0]))).value
    )


def test_single_written_as_text_may_be_a_unit_beyond_1() -> None:
    p = dirichlet(40, 3, 2).astype(np.float32)
    p[5] = [1.0000001, 0, 0]
    taken = stakes.Posteriors(as_text(p))
    assert taken.values[5].tolist() == [1, 0, 0]
    q = as_text(dirichlet(40, 3, 2))
    q[5] = [1.0000001, 0, 0]
    with pytest.raises(stakes.InputError, match=r"1\.0000001 at row 5, outside"):
        stakes.Posteriors(q)


@pytest.mark.parametrize(
    ("column", "right"),
    [
        ([0.3, 1.0000000000000002, 0.4], [0.3, 1.0, 0.4]),
        ([0.3, -1e-17, 0.4], [0.3, 0.0, 0.4]),
        (np.array([0.25, 1.0000001, -1e-8], dtype=np.float32), [0.25, 1.0, 0.0]),
    ],
)
def test_one_column_is_moved_to_0_or_1_within_rounding(
    column: list[float], right: list[float]
) -> None:
    taken = stakes.Posteriors(column)
    assert taken.values.tolist() == right
    assert "taken as 0 or 1" in str(taken.rounding)
    y = np.array([0, 1, 0])
    assert stakes.scorecard(y, np.asarray(column)).brier_score.value == pytest.approx(
        stakes.brier_score(y, right).value, rel=1e-15
    )
    result = stakes.evaluate(np.tile(y, 20), np.tile(np.asarray(column), 20))
    assert any("taken as 0 or 1" in note for note in result.notes)


@pytest.mark.parametrize(
    "bad",
    [
        [0.3, 1.000000000001],
        [0.3, -1e-12],
        [0.3, 1.0000001],
        np.array([0.3, 1.00001], dtype=np.float32),
        np.array([0.3, -1e-5], dtype=np.float32),
        np.array([0.3, 1.002], dtype=np.float16),
        [[1.0000001, 0.0]],
        [[1.00001, -0.00001]],
        [[1.0001, 0.0], [0.1234, 0.8766]],
        [[0.5, 0.5, -1e-9]],
        [[0.5, 0.5 + 2.0**-52, -1e-3]],
    ],
)
def test_more_beyond_0_or_1_is_refused(bad: list[list[float]]) -> None:
    with pytest.raises(stakes.InputError, match="outside"):
        stakes.Posteriors(bad)


def test_the_row_far_outside_is_named_not_the_one_within_rounding() -> None:
    with pytest.raises(stakes.InputError, match=r"1\.5 at row 1, outside"):
        stakes.Posteriors([[0.7, 0.3, -1e-17], [1.5, -0.5, 0.0]])


def test_renormalize_takes_what_rounding_left_below_0() -> None:
    taken = stakes.Posteriors([[0.7, 0.2, -1e-17]], renormalize=True)
    np.testing.assert_allclose(taken.values, [[7 / 9, 2 / 9, 0]])
    assert "taken as 0 or 1" in str(taken.rounding)
    with pytest.raises(stakes.InputError, match="at least 0"):
        stakes.Posteriors([[0.7, 0.2, -1e-9]], renormalize=True)


def test_logs_of_rows_have_each_its_precision() -> None:
    log_p = np.log(simplex(90, 3, 2))
    table = np.vstack([np.round(log_p[:30], 4), np.round(log_p[30:60], 6), log_p[60:]])
    taken = stakes.LogPosteriors(table)
    assert np.abs(np.exp(taken.values).sum(axis=1) - 1).max() < 1e-12
    assert "4 decimals in" in str(taken.rounding)
    table[70] += 1e-4
    with pytest.raises(stakes.InputError, match="row 70"):
        stakes.LogPosteriors(table)
