"""Counts by code are the same where the integers of the machine have 32 bits, as in a browser."""

import re
from pathlib import Path

import numpy as np
import pytest

from stakes import _counting

SOURCE = Path(_counting.__file__).parent


@pytest.fixture(params=["int64", "int32"])
def machine(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> type[np.signedinteger]:
    """Take the integers of the machine to be these, and let numpy refuse others as places."""
    own = np.dtype(request.param).type
    count, again = np.bincount, np.repeat

    def places(codes: np.ndarray) -> np.ndarray:
        if not np.can_cast(codes.dtype, own, "safe"):
            msg = f"Cannot cast array data from {codes.dtype} to {own} according to the rule 'safe'"
            raise TypeError(msg)
        return codes.astype(np.int64)

    def narrow_count(codes: np.ndarray, weights: np.ndarray | None, minlength: int) -> np.ndarray:
        found = count(places(codes), weights, minlength)
        return found if weights is not None else found.astype(own)

    monkeypatch.setattr(np, "intp", own)
    monkeypatch.setattr(np, "bincount", narrow_count)
    monkeypatch.setattr(np, "repeat", lambda x, n: again(x, places(n)))
    return own


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("kind", ["int64", "int32", "uint8", "bool"])
def test_counts_have_64_bits_whatever_the_codes_have(kind: str) -> None:
    codes = np.array([1, 0, 1], dtype=kind)
    found = _counting.bincount(codes, minlength=3)
    assert found.dtype == np.int64
    assert found.tolist() == [1, 2, 0]
    assert _counting.bincount(codes, np.array([0.5, 2, 0.25])).tolist() == [2, 0.75]


@pytest.mark.usefixtures("machine")
def test_values_are_repeated_by_64_bit_numbers() -> None:
    assert _counting.repeat(np.arange(3), np.array([2, 0, 1], np.int64)).tolist() == [0, 0, 2]


@pytest.mark.parametrize("codes", [np.array([0.0, 1.0]), np.array([-1, 0])])
def test_what_is_not_a_code_is_refused(codes: np.ndarray) -> None:
    with pytest.raises((TypeError, ValueError)):
        _counting.bincount(codes)


def test_no_module_counts_in_the_integers_of_the_machine() -> None:
    found = [
        path.name
        for path in SOURCE.rglob("*.py")
        if re.search(r"np\.bincount\(", path.read_text(encoding="utf-8"))
    ]
    assert found == ["_counting.py"]
