"""Numbers as people read them: the same digits on the terminal and on the live page."""

from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given, strategies as st

from stakes._amounts import amount
from stakes._text import fixed, number, percent, spelled_errors


@given(st.integers(-(10**6), 10**6), st.integers(0, 12), st.integers(0, 6))
def test_ties_are_rounded_away_from_0(numerator: int, power: int, decimals: int) -> None:
    value = numerator / 2**power  # exact, so that many are ties
    unit = Decimal(1).scaleb(-decimals)
    wanted = str(Decimal(value).quantize(unit, ROUND_HALF_UP))
    wanted = wanted if float(wanted) else wanted.removeprefix("-")
    assert fixed(value, decimals) == wanted.replace("-", "−")


@given(st.floats(-1e9, 1e9), st.integers(0, 6))
def test_other_numbers_are_rounded_to_the_nearest(value: float, decimals: int) -> None:
    found = Decimal(fixed(value, decimals).replace("−", "-"))
    assert abs(found - Decimal(value)) <= Decimal(1).scaleb(-decimals) / 2


def test_shares_and_numbers_use_the_same_rounding() -> None:
    assert (number(0.15625), percent(0.125), percent(0.0625, 1)) == ("0.1563", "13", "6.3")
    assert (percent(-0.004), percent(float("inf"))) == ("0", "∞")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-0.0, "0"),
        (-0.25, "−0.2500"),
        (-3, "−3"),
        (float("inf"), "∞"),
        (float("-inf"), "−∞"),
        (1.125e15, "1.13e+15"),
        (-1.125e15, "−1.13e+15"),
        (-2.5e-7, "−2.50e-07"),
    ],
)
def test_signs_are_those_of_print(value: float, text: str) -> None:
    assert number(value) == text


def test_a_terminal_that_lacks_signs_gets_others() -> None:
    assert "−5 to ∞…".encode("ascii", spelled_errors()) == b"-5 to inf..."
    assert "−5 é".encode("cp1252", spelled_errors()) == b"-5 \xe9"


@pytest.mark.parametrize("decimals", [1, 2, 3, 4])
def test_a_cost_reads_the_same_per_case_and_per_1000(decimals: int) -> None:
    for k in range(1, 10**decimals, 7 ** (decimals - 1)):
        tie = (k + 0.5) / 10**decimals
        one, many = amount(tie, decimals), amount(1000 * tie, decimals - 3)
        assert float(many.replace(",", "")) == pytest.approx(1000 * float(one), rel=1e-12)
        assert one == f"{(k + 1) / 10**decimals:.{decimals}f}"
