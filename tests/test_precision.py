"""Rows of probabilities are taken with the precision they show, and with no less than that."""

import csv
import io
import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import special

import stakes
from stakes._typing import FloatArray


def simplex(n: int, k: int, seed: int, spread: float = 2.0) -> FloatArray:
    """Return rows of probabilities that sum to 1 to double precision."""
    return special.softmax(np.random.default_rng(seed).normal(0, spread, (n, k)), axis=1)


def labels(p: FloatArray) -> np.ndarray:
    """Return labels that the rows may have produced."""
    return np.array([row.argmax() if i % 3 else i % p.shape[1] for i, row in enumerate(p)])


def single_softmax(logits: FloatArray) -> np.ndarray:
    """Return a softmax computed in single precision."""
    z = logits.astype(np.float32)
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def written(p: np.ndarray, form: str) -> FloatArray:
    """Return numbers as they are read again from a text."""
    return np.array([[float(format(float(v), form)) for v in row] for row in p])


SHAPES = st.tuples(st.integers(1, 40), st.integers(2, 12), st.integers(0, 2**31))


@settings(max_examples=60, deadline=None)
@given(shape=SHAPES, digits=st.integers(4, 12), kind=st.sampled_from("fg"))
def test_rows_rounded_to_digits_are_taken(
    shape: tuple[int, int, int], digits: int, kind: str
) -> None:
    p = simplex(*shape)
    rounded = stakes.Posteriors(written(p, f".{digits}{kind}"))
    half = 0.5 * 10.0**-digits if kind == "f" else 0.5 * 10.0 ** (1 - digits)
    assert np.abs(rounded.values - p).max() <= (p.shape[1] + 1) * half + 1e-15
    assert np.abs(rounded.values.sum(axis=1) - 1).max() <= 1e-11


@settings(max_examples=40, deadline=None)
@given(shape=SHAPES, spread=st.floats(0.1, 30))
def test_single_precision_is_taken_in_any_form(shape: tuple[int, int, int], spread: float) -> None:
    n, k, seed = shape
    logits = np.random.default_rng(seed).normal(0, spread, (n, k))
    p = single_softmax(logits)
    exact = special.softmax(logits.astype(np.float32).astype(float), axis=1)
    forms = [p, p.astype(float), p.tolist(), pd.DataFrame(p), pd.DataFrame(p.astype(float))]
    for form in forms:
        taken = stakes.Posteriors(form).values
        assert taken.tobytes() == p.astype(float).tobytes()
        assert np.abs(taken - exact).max() < 1e-5


@pytest.mark.parametrize("k", [2, 3, 10, 1000])
@pytest.mark.parametrize("form", ["shortest", *(f".{d}f" for d in range(4, 12)), ".9g", ".17g"])
def test_single_precision_is_taken_from_text(k: int, form: str) -> None:
    p = single_softmax(np.random.default_rng(k).normal(0, 3, (200 if k < 100 else 20, k)))
    if form == "shortest":
        stream = io.StringIO()
        pd.DataFrame(p).to_csv(stream, index=False)
        rows = list(csv.reader(io.StringIO(stream.getvalue())))[1:]
        read = np.array(rows, dtype=float)
    else:
        read = written(p, form)
    taken = stakes.Posteriors(read)
    half = 0.5 * 10.0 ** -int(form[1:-1]) if form.endswith("f") else 0.5 * 2.0**-24
    assert np.abs(taken.values - p).max() <= (k + 1) * half + (k / 2 + 2) * 2.0**-23
    if form != ".17g":  # which has all digits of the numbers themselves
        assert np.abs(taken.values.sum(axis=1) - 1).max() <= 1e-11


@pytest.mark.parametrize("k", [2, 3, 10, 1000])
def test_half_precisions_are_taken(k: int) -> None:
    p = simplex(50, k, 9)
    half = p.astype(np.float16)
    bits = p.astype(np.float32).view(np.uint32)
    brain = (bits + 0x8000 & np.uint32(0xFFFF0000)).view(np.float32)
    for table in (half, half.astype(float), half.tolist(), brain, brain.astype(float)):
        taken = stakes.Posteriors(table)
        assert np.array_equal(taken.values, np.asarray(table, dtype=float))
        assert taken.rounding is not None
        assert taken.rounding.precision in {"float16", "bfloat16"}
        off = np.asarray(table, dtype=float)
        off[7] *= 2.0**-7 if k < 3 else 127 / 128  # still of few bits
        with pytest.raises(stakes.InputError, match="row 7"):
            stakes.Posteriors(off)


DAMAGED: list[tuple[str, Callable[[FloatArray], np.ndarray]]] = [
    ("doubles", lambda p: p),
    ("single", lambda p: p.astype(np.float32)),
    ("single as doubles", lambda p: p.astype(np.float32).astype(float)),
    ("4 decimals", lambda p: np.round(p, 4)),
    ("6 decimals", lambda p: np.round(p, 6)),
    ("8 digits", lambda p: written(p, ".8g")),
]


@pytest.mark.parametrize("form", [pytest.param(f, id=n) for n, f in DAMAGED])
@pytest.mark.parametrize("k", [2, 3, 10])
def test_one_per_cent_off_is_refused_with_the_row(
    k: int, form: Callable[[FloatArray], np.ndarray]
) -> None:
    for seed in range(10):
        p = simplex(60, k, seed)
        p[17] *= 0.99
        table = form(p)
        with pytest.raises(stakes.InputError) as refused:
            stakes.Posteriors(table)
        message = str(refused.value)
        assert re.search(r"row 17 with sum 0\.9(8|9|90)", message), message
        assert "renormalize=True" in message
        assert len(message) < 400
        taken = stakes.Posteriors(table, renormalize=True)
        assert np.abs(taken.values - simplex(60, k, seed)).max() <= (k + 1) * 0.5e-4 / 0.98


@pytest.mark.parametrize(
    "rows",
    [
        [[0.9, 0.100001], [0.2, 0.8]],
        [[0.9, 0.1000001], [0.2, 0.8]],
        [[0.5, 0.3, 0.17]],
        [[0.33, 0.33, 0.31]],
        [[0.51, 0.5]],
        [[0.3333, 0.3333, 0.3332]],
        [[0.123456, 0.876542], [0.2, 0.8]],
        [[0.12345678, 0.87654329], [0.2, 0.8]],
        [[0.33325, 0.667]],  # by chance near numbers of float16, but not their text
    ],
)
def test_what_rounding_does_not_explain_is_refused(rows: list[list[float]]) -> None:
    with pytest.raises(stakes.InputError, match="sum to 1"):
        stakes.Posteriors(rows)


def test_no_digits_cross_0_or_1() -> None:
    for bad in ([[1.0000001, 0.0]], [[1.00001, -0.00001]], [[1.0001, 0.0], [0.1234, 0.8766]]):
        with pytest.raises(stakes.InputError, match="outside"):
            stakes.Posteriors(bad)
    assert stakes.Posteriors([[1.0000001, 0.0]], renormalize=True).values.tolist() == [[1.0, 0.0]]


def test_exact_rows_keep_their_bits_and_have_nothing_to_say() -> None:
    p = simplex(100, 5, 1)
    scores = stakes.Posteriors(p)
    assert scores.values.tobytes() == p.tobytes()
    assert scores.rounding is None


@settings(max_examples=30, deadline=None)
@given(shape=SHAPES, digits=st.integers(3, 10))
def test_log_posteriors_are_taken_with_their_digits(
    shape: tuple[int, int, int], digits: int
) -> None:
    log_p = np.log(simplex(*shape))
    taken = stakes.LogPosteriors(written(log_p, f".{digits}f"))
    assert np.abs(taken.values - log_p).max() <= 10.0**-digits * (1 + 1e-6)
    with pytest.raises(stakes.InputError, match="Logits"):
        stakes.LogPosteriors(written(log_p, f".{digits}f") - 0.0101)


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("form", [pytest.param(f, id=n) for n, f in DAMAGED])
def test_one_pass_gives_what_the_kind_gives(
    k: int, form: Callable[[FloatArray], np.ndarray]
) -> None:
    p = simplex(400, k, 3)
    table, y = form(p), labels(p)
    quick, typed = stakes.scorecard(y, table), stakes.scorecard(y, stakes.Posteriors(table))
    assert quick.cross_entropy.value == typed.cross_entropy.value
    assert quick.brier_score.value == typed.brier_score.value
    assert quick.cost.value == typed.cost.value
    slow = stakes.cross_entropy(y, table)
    assert quick.cross_entropy.value == pytest.approx(slow.value, rel=1e-13)
    exact = stakes.brier_score(y, p).value
    assert quick.brier_score.value == pytest.approx(exact, abs=1e-4 * (k + 1))


def test_an_evaluation_says_what_it_did() -> None:
    p = np.round(simplex(300, 3, 8), 4)
    y = labels(p)
    result = stakes.evaluate(y, p)
    assert any("4 decimals" in note and "divided by its sum" in note for note in result.notes)
    assert result.to_dict()["notes"] == list(result.notes)
    both = stakes.compare(y, {"a": p, "b": simplex(300, 3, 4)})
    assert [note for note in both.notes if note.startswith("a: rows of scores")]
    assert not [note for note in both.notes if note.startswith("b: ")]
    part = stakes.Posteriors(p).part(slice(0, 5)).ordered((0, 1, 2))
    assert part.rounding is not None


def test_an_empty_table_has_no_rounding() -> None:
    assert stakes.Posteriors(np.zeros((0, 3))).rounding is None
    assert stakes.Posteriors([0.3, 0.4]).rounding is None
    with pytest.raises(stakes.InputError, match="renormalize"):
        stakes.Posteriors([0.3, 0.4], renormalize=True)


class Tensor:
    """What numpy sees of a torch tensor: it refuses one with a gradient, and bfloat16."""

    def __init__(self, values: np.ndarray, dtype: str, *, gradient: bool = False) -> None:
        self._values, self.dtype, self._gradient = values, f"torch.{dtype}", gradient

    def detach(self) -> "Tensor":
        return Tensor(self._values, self.dtype.removeprefix("torch."))

    def cpu(self) -> "Tensor":
        return self

    def float(self) -> "Tensor":
        return Tensor(self._values, "float32")

    def __len__(self) -> int:
        return len(self._values)

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        if self._gradient:
            msg = "Can't call numpy() on Tensor that requires grad."
            raise RuntimeError(msg)
        if self.dtype.endswith("bfloat16"):
            msg = "Got unsupported ScalarType BFloat16"
            raise TypeError(msg)
        return self._values


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_tensors_are_read(dtype: str) -> None:
    p = single_softmax(np.random.default_rng(0).normal(0, 2, (30, 3)))
    if dtype == "bfloat16":
        p = (p.view(np.uint32) + 0x8000 & np.uint32(0xFFFF0000)).view(np.float32)
    y = labels(p)
    expected = stakes.cross_entropy(y, p).value
    tensor = Tensor(p, dtype, gradient=True)
    assert stakes.cross_entropy(Tensor(y, "int64"), tensor).value == expected
    assert stakes.scorecard(y, tensor).cross_entropy.value == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("renormalize", [False, True])
def test_a_row_of_zeros_has_no_posterior_and_is_not_divided(renormalize: bool) -> None:  # noqa: FBT001
    table = np.array([[0.2, 0.3, 0.5], [0, 0, 0], [1, 0, 0]])
    with pytest.raises(stakes.InputError, match="All classes have posterior 0 there") as caught:
        stakes.Posteriors(table, renormalize=renormalize)
    assert "row 1" in str(caught.value)
    assert "renormalize=True" not in str(caught.value)


@pytest.mark.parametrize(("votes", "k"), [(3, 3), (7, 3), (30, 3), (15, 6), (9, 10)])
def test_shares_of_votes_rounded_to_two_decimals_are_read(votes: int, k: int) -> None:
    """Three shares of a third sum to 0.99; one digit fewer is not enough to tell rounding."""
    shares = np.random.default_rng(votes).multinomial(votes, np.full(k, 1 / k), size=200) / votes
    table = np.round(shares, 2)
    found = stakes.Posteriors(table)
    assert found.rounding is not None
    assert found.rounding.renormalized
    assert np.abs(found.values - shares).max() < 0.5e-2 * (1 + k)
    with pytest.raises(stakes.InputError, match="1 decimal"):
        stakes.Posteriors(np.round(shares[[0]] * 0 + 1 / 3, 1) if k == 3 else np.full((1, k), 0.2))
