"""Costs of two classes by word: {"miss": 5, "false_alarm": 1}, as on the command line."""

import math
from collections.abc import Mapping
from typing import Any, TypeGuard, TypeVar

import numpy as np

from stakes._check import InputError, read_names, read_number
from stakes._text import key_of, quoted
from stakes._typing import Names, NamesLike, Prices

MISS, FALSE_ALARM, ABSTAIN = "miss", "false_alarm", "abstain"
_NEEDED = (MISS, FALSE_ALARM)
# Words of others, which are understood; ours are the ones that are written.
_SYNONYMS = {
    **dict.fromkeys(("misses", "fn", "false_negative", "false_negatives"), MISS),
    **dict.fromkeys(("c_miss", "cmiss", "c_fn", "cost_fn", "fn_cost", "cost_miss"), MISS),
    **dict.fromkeys(("false_alarms", "fp", "false_positive", "false_positives"), FALSE_ALARM),
    **dict.fromkeys(("fa", "c_fa", "cfa", "c_fp", "cost_fp", "fp_cost", "cost_fa"), FALSE_ALARM),
    **dict.fromkeys(("abstention", "reject", "defer"), ABSTAIN),
}
_Price = TypeVar("_Price")


def is_prices(costs: object) -> TypeGuard[Prices]:
    """Whether costs are prices by word; a mapping without a price names applications."""
    return isinstance(costs, Mapping) and any(_is_price(*item) for item in costs.items())


def in_our_words(prices: Mapping[str, _Price], *, argument: str = "costs") -> Mapping[str, _Price]:
    """Return prices by the words for the errors of two classes and for abstaining.

    Words of others for these are understood, such as fn and fp; other words are refused.
    """
    listed = [_our_word(word) for word in prices]
    if set(_NEEDED) <= set(listed) <= {*_NEEDED, ABSTAIN} and len(set(listed)) == len(listed):
        return dict(zip(listed, prices.values(), strict=True))
    if len(set(listed)) < len(listed):
        raise InputError(argument, "must give each price once", quoted(prices))
    odd = [word for word in prices if _our_word(word) not in (*_NEEDED, ABSTAIN)]
    lacking = [word for word in _NEEDED if word not in listed]
    found = [f"got {quoted(odd)}"] * bool(odd) + [f"no {quoted(lacking)}"] * bool(lacking)
    rule = f"must give {MISS} and {FALSE_ALARM}, and may give {ABSTAIN}"
    hint = f"{MISS} is the cost of a false negative, {FALSE_ALARM} that of a false positive."
    if odd:
        hint = f"{hint} Costs of right decisions are given in a matrix."
    raise InputError(argument, rule, found=", ".join(found), hint=hint)


def price_entries(
    prices: Prices, classes: NamesLike | None, decisions: NamesLike | None
) -> tuple[list[list[Any]], Names, NamesLike]:
    """Return a matrix of prices, which may be columns or their names, its classes and decisions."""
    prices = in_our_words(prices)
    rows = read_names(2 if classes is None else classes, "classes")
    if len(rows) != 2:
        rule = f"are for two classes where they are given as {MISS} and {FALSE_ALARM}"
        hint = "Pass a matrix, with a row for each class: stakes.CostMatrix(values, classes=[...])."
        raise InputError("costs", rule, found=f"there are {len(rows)}, {quoted(rows)}", hint=hint)
    miss, alarm, *rest = (
        _price(word, prices[word]) for word in (MISS, FALSE_ALARM, ABSTAIN) if word in prices
    )
    columns: NamesLike = decisions if decisions is not None else [*rows, *[ABSTAIN] * len(rest)]
    return [[0.0, alarm, *rest], [miss, 0.0, *rest]], rows, columns


def named_columns(prices: Prices) -> tuple[str, ...]:
    """Return the columns that prices name, each once."""
    return tuple(dict.fromkeys(price for price in prices.values() if isinstance(price, str)))


def with_price_columns(prices: Prices, columns: Any) -> dict[str, Any]:  # noqa: ANN401  any table
    """Return prices with columns in place of their names."""
    return {
        word: columns[price] if isinstance(price, str) else price for word, price in prices.items()
    }


def is_column(price: object) -> bool:
    """Whether a price is a column, one number for each sample."""
    if isinstance(price, list | tuple):
        return bool(price) and all(_is_number(each) for each in price)
    return getattr(price, "ndim", 1 if hasattr(price, "__arrow_c_stream__") else None) == 1


def _price(word: str, price: Any) -> Any:  # noqa: ANN401
    if isinstance(price, str) or is_column(price):
        return price
    return read_number(price, f"costs[{word!r}]", 0, math.inf, closed=(True, False))


def _is_price(word: object, price: object) -> bool:
    known = _our_word(word) in (*_NEEDED, ABSTAIN)
    return _is_number(price) or isinstance(price, str) or (known and is_column(price))


def _our_word(word: Any) -> Any:  # noqa: ANN401  keys of any mapping
    return _SYNONYMS.get(key_of(word), word) if isinstance(word, str) else word


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
