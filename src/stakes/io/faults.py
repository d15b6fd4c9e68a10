"""Errors that name a row and a column of a table."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from stakes._check import InputError
from stakes._text import plain
from stakes.io.batches import Places


@dataclass(frozen=True)
class Faults:
    """Errors of the values of a column, of which a batch begins at some row of the table."""

    name: str
    places: Places
    first: int
    finite: bool = False  # whether numbers have to be

    @property
    def column(self) -> str:
        """The column, as messages name it."""
        return f"column {plain(self.name)!r}"

    def at(self, row: int, got: str) -> InputError:
        """Return the error for something else than a number in a row of the batch."""
        rule = f"must hold {'finite ' if self.finite else ''}numbers"
        hint = "Leave such rows out, or fill them." if got in {"NaN", "null"} else ""
        place = self.places.place(self.first + row, self.name)
        code = "missing_score" if got in {"NaN", "null"} else "not_a_number"
        return InputError(None, rule, got, place=place, hint=hint, code=code)

    def unlabelled(self, row: int, what: str) -> InputError:
        """Return the error for a row of the batch without a label."""
        rule, place = (
            "must hold a label in every row",
            self.places.place(self.first + row, self.name),
        )
        found, hint = f"this one is {what}", "Label it, or leave the row out."
        return InputError(None, rule, found=found, place=place, hint=hint, code="missing_label")

    def of_type(self, got: str) -> InputError:
        """Return the error for a column of another type than numbers."""
        place = self.places.column(self.name)
        return InputError(None, "must hold numbers", got, place=place, code="not_a_number")

    def out_of_range(self, found: str) -> InputError:
        """Return the error for whole numbers that no double is exactly."""
        rule, place = "must hold numbers in the range of a double", self.places.column(self.name)
        return InputError(None, rule, found=found, place=place)

    def width(self, lengths: Sequence[int], first: int = 0) -> int:
        """Return the length of lists, which all must share; the first is that of a row."""
        width = int(lengths[0]) if len(lengths) else 0
        odd = np.asarray(lengths) != width
        if odd.any():
            row = int(np.argmax(odd))
            raise self.at(first + row, f"{lengths[row]} of them where others have {width}")
        return width

    @contextmanager
    def placed(self) -> Iterator[None]:
        """Say the column where an error names an argument."""
        try:
            yield
        except InputError as error:
            place = self.places.column(self.name)
            raise error.moved(argument=None, place=place) from error
