"""Numbers as people read them: the same digits on the terminal and on the live page."""

from decimal import ROUND_HALF_UP, Decimal

from hypothesis import given, strategies as st

from stakes._text import fixed, number, percent


@given(st.integers(-(10**6), 10**6), st.integers(0, 12), st.integers(0, 6))
def test_ties_are_rounded_away_from_0(numerator: int, power: int, decimals: int) -> None:
    value = numerator / 2**power  # exact, so that many are ties
    unit = Decimal(1).scaleb(-decimals)
    wanted = str(Decimal(value).quantize(unit, ROUND_HALF_UP))
    assert fixed(value, decimals) == (wanted if float(wanted) else wanted.removeprefix("-"))


@given(st.floats(-1e9, 1e9), st.integers(0, 6))
def test_other_numbers_are_rounded_to_the_nearest(value: float, decimals: int) -> None:
    found = Decimal(fixed(value, decimals))
    assert abs(found - Decimal(value)) <= Decimal(1).scaleb(-decimals) / 2


def test_shares_and_numbers_use_the_same_rounding() -> None:
    assert (number(0.15625), percent(0.125), percent(0.0625, 1)) == ("0.1563", "13", "6.3")
    assert (percent(-0.004), percent(float("inf"))) == ("0", "inf")
