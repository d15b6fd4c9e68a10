"""How the rows of batches were rounded, where that can be told batch by batch."""

from dataclasses import replace

from stakes._check import Rounding
from stakes.cli.read_mode import say

_FEW_UNITS = 1e-15  # a value so little beyond 0 or 1 is taken as 0 or 1, whatever others are


class RoundedRowsError(Exception):
    """Rows were rounded, of which a batch does not tell enough."""


def joined(
    before: Rounding | None, found: Rounding | None, *, renormalize: bool
) -> Rounding | None:
    """Return how the rows of two batches were rounded; refuse what only the whole table can tell.

    Rows that sum to 1, numbers of a binary format, and rows that are divided by their sums anyway
    are taken one by one. Rows of rounded digits are judged by all that they show together.
    """
    if found is None:
        return before
    first = before or found
    same = (first.precision, first.renormalized) == (found.precision, found.renormalized)
    by_row = renormalize or not (found.renormalized or found.mixed)
    if not (same and by_row and found.outside <= _FEW_UNITS):
        raise RoundedRowsError
    gap, outside = max(first.gap, found.gap), max(first.outside, found.outside)
    return replace(first, gap=gap, outside=outside)


def say_rounded() -> None:
    """Say that a table is read whole as its rows were rounded."""
    why = "rows were rounded, and to which digits shows in all of them together"
    say(f"read whole: {why}; with --renormalize each is divided by its sum by itself.")
