"""Rows of scores that were rounded, judged batch by batch where that is possible."""

from dataclasses import replace

from stakes._check.precision import Rounding
from stakes._errors import InputError

_FEW_UNITS = 1e-15  # a value so little beyond 0 or 1 is taken as 0 or 1, whatever others are


class RoundedRowsError(InputError):
    """Rows were rounded to digits, of which one batch does not tell enough."""


def joined_rounding(
    before: Rounding | None, found: Rounding | None, *, renormalize: bool = False
) -> Rounding | None:
    """Return how the rows of two batches were rounded; refuse what only the whole table can tell.

    Rows that sum to 1, numbers of a binary format, and rows that are divided by their sums anyway
    are taken one by one. Rows of rounded digits are judged by all that they show together.
    """
    if before is None or found is None:
        both = [each for each in (before, found) if each is not None]
        if both and not _by_row(both[0], renormalize=renormalize):
            raise _refused(both[0])
        return both[0] if both else None
    same = (before.precision, before.renormalized) == (found.precision, found.renormalized)
    for each in (before, found):
        if not (same and _by_row(each, renormalize=renormalize)):
            raise _refused(each)
    gap, outside = max(before.gap, found.gap), max(before.outside, found.outside)
    return replace(before, gap=gap, outside=outside)


def _by_row(found: Rounding, *, renormalize: bool) -> bool:
    """Whether each row tells by itself how it is read."""
    plain = renormalize or not (found.renormalized or found.mixed)
    return plain and found.outside <= _FEW_UNITS


def _refused(found: Rounding) -> RoundedRowsError:
    rule = "must sum to 1 in each row to be summed part by part"
    shown = (
        f"they were rounded ({found.precision or 'to digits'}), which shows in all rows together"
    )
    return RoundedRowsError("scores", rule, found=shown, hint="Divide each row by its sum before.")
