"""Rows of several lengths from users: numbers by question and option, and the right options."""

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from stakes._check.frames import is_table
from stakes._check.labels import LabelColumn, read_column
from stakes._check.numbers import read_array
from stakes._check.score_tables import read_table
from stakes._check.tensors import as_numpy
from stakes._counting import bincount, repeat
from stakes._errors import InputError
from stakes._typing import BoolArray, Column, FloatArray, IntArray

_LISTS = ("to_pylist", "to_list", "tolist")  # of columns whose values are lists
_FROM_ZERO = "Options count from 0."


@dataclass(frozen=True, eq=False)
class RaggedRows:
    """Numbers of all rows one after another; row i starts at `starts[i]`."""

    values: FloatArray
    starts: IntArray  # one more than there are rows

    def __len__(self) -> int:
        return self.starts.size - 1

    @property
    def sizes(self) -> IntArray:
        """How many values each row has."""
        return np.diff(self.starts)

    @property
    def row(self) -> IntArray:
        """The row of each value."""
        return repeat(np.arange(len(self)), self.sizes)

    def place(self, at: int) -> tuple[int, int]:
        """Return row and option of a value."""
        row = int(np.searchsorted(self.starts, at, side="right")) - 1
        return row, at - int(self.starts[row])

    def refuse(self, bad: BoolArray, argument: str, rule: str, hint: str = "") -> None:
        """Refuse values, with the place of the first one."""
        if bad.any():
            at = int(bad.argmax())
            shown = "NaN" if np.isnan(self.values[at]) else f"{self.values[at]}"
            raise self.error(at, argument, rule, shown, hint)

    def error(self, at: int, argument: str, rule: str, shown: object, hint: Any = "") -> InputError:  # noqa: ANN401
        """Return the error for a value, which names its row and its option."""
        row, option = self.place(at)
        return InputError(argument, rule, shown, row=row, more=f", option {option}", hint=hint)


def read_ragged(values: Column, argument: str) -> RaggedRows:
    """Read one row of at least two numbers for each question."""
    found = values if is_table(values) else as_numpy(values, argument)
    if is_table(values) or (isinstance(found, np.ndarray) and found.ndim != 1):
        table, _, _ = read_table(found, argument)
        listed: Any = table
        flat, sizes = table.ravel(), np.full(len(table), table.size // max(len(table), 1))
    else:
        listed = _listed(found, argument)
        sizes = np.fromiter((_size(row) for row in listed), np.int64, len(listed))
        flat = np.empty(0)
    if not len(listed):
        raise InputError(argument, "must hold at least one question", "none")
    if sizes.min() < 2:
        row = int((sizes < 2).argmax())
        shown = repr(listed[row]) if sizes[row] < 0 else int(sizes[row])
        rule = "must hold a row of at least two options for each question"
        raise InputError(argument, rule, shown, row=row)
    rows = RaggedRows(flat, np.concatenate([[0], np.cumsum(sizes)]))
    return rows if flat.size else RaggedRows(_joined(listed, rows, argument), rows.starts)


def _listed(values: Any, argument: str) -> list[Any] | tuple[Any, ...]:  # noqa: ANN401
    """Return the rows of a list, or of a column whose values are lists."""
    for name in _LISTS if not isinstance(values, list | tuple) else ():
        if hasattr(values, name):
            values = getattr(values, name)()
            break
    if not isinstance(values, list | tuple):
        rule = "must be a table, or a list of rows, one for each question"
        raise InputError(argument, rule, repr(values))
    return values


def _size(row: object) -> int:
    """Return how many values a row has; -1 where it is not a row."""
    single = isinstance(row, str | bytes | dict) or getattr(row, "ndim", 1) != 1
    return -1 if single or not hasattr(row, "__len__") else len(row)


def _joined(listed: Any, rows: RaggedRows, argument: str) -> FloatArray:  # noqa: ANN401
    if all(isinstance(row, np.ndarray) and row.dtype.kind in "biuf" for row in listed):
        return np.concatenate(listed).astype(np.float64, copy=False)
    values = list(chain.from_iterable(listed))
    if set(map(type, values)) <= {float, int}:
        return np.array(values, dtype=np.float64)
    flat = np.empty(len(values), dtype=object)
    flat[:] = values
    try:
        return read_array(flat, argument)
    except InputError as error:
        if error.place is None or error.place.row is None:
            raise
        raise rows.error(error.place.row, argument, error.rule, error.value) from None


def read_like(values: Column, rows: RaggedRows, argument: str) -> FloatArray:
    """Read one number for each option of rows that were read."""
    found = read_ragged(values, argument)
    check_same_rows(len(found), len(rows), argument)
    differ = found.sizes != rows.sizes
    if differ.any():
        row = int(differ.argmax())
        rule, more = "must have one number per option", f", which has {rows.sizes[row]} options"
        raise InputError(argument, rule, int(found.sizes[row]), row=row, more=more)
    found.refuse(~np.isfinite(found.values), argument, "must be finite")
    return found.values


def read_lengths(values: Column, rows: RaggedRows) -> FloatArray:
    """Read the length of each option, above 0."""
    lengths = read_like(values, rows, "lengths")
    hint = "An option without text has no score per length."
    each = RaggedRows(lengths, rows.starts)
    each.refuse(lengths <= 0, "lengths", "must be above 0", hint)
    return lengths


def read_right_options(values: Column, rows: RaggedRows) -> BoolArray:
    """Read which options are right: an index for each question, or a list of several."""
    many = isinstance(values, list | tuple) and any(_size(each) >= 0 for each in values)
    question, option = _pairs(values) if many else _indices(values)  # type: ignore[arg-type]
    if (n := int(question[-1]) + 1 if question.size else 0) != len(rows):
        rule = "must name the right option of each question"
        raise InputError("right", rule, f"{n} for {len(rows)} questions")
    sizes = rows.sizes[question]
    bad = (option < 0) | (option >= sizes)
    if bad.any():
        at = int(bad.argmax())
        rule, more = "must be the index of an option", f", which has {sizes[at]} options"
        hint = _FROM_ZERO if option.min() > 0 else ""
        raise InputError(
            "right", rule, int(option[at]), row=int(question[at]), more=more, hint=hint
        )
    flags = np.zeros(rows.values.size, dtype=bool)
    flags[rows.starts[question] + option] = True
    check_right_flags(flags, rows)
    return flags


def check_right_flags(flags: BoolArray, rows: RaggedRows) -> None:
    """Refuse questions without a right option, or without a wrong one."""
    number = np.add.reduceat(flags.astype(np.int64), rows.starts[:-1])
    for bad, shown in ((number == 0, "no right option"), (number == rows.sizes, "no wrong option")):
        if bad.any():
            rule = "must leave a right and a wrong option to each question"
            raise InputError("right", rule, shown, row=int(bad.argmax()))


def _indices(values: Column) -> tuple[IntArray, IntArray]:
    column: LabelColumn = read_column(values, "right")
    if column.truth or isinstance(column.values, list):
        rule = "must hold the index of the right option of each question"
        shown = "truth values" if column.truth else repr(column.values[0])
        raise InputError("right", rule, shown, hint=_FROM_ZERO)
    return np.arange(len(column)), np.asarray(column.values)


def _pairs(values: list[Any]) -> tuple[IntArray, IntArray]:
    """Return question and option of each right one, where some questions have several."""
    listed = [each if _size(each) >= 0 else [each] for each in values]
    for row, options in enumerate(listed):
        if not len(options):
            rule = "must name the right option of each question"
            raise InputError("right", rule, "none", row=row)
    question = np.repeat(np.arange(len(listed)), [len(each) for each in listed])
    return question, _indices(list(chain.from_iterable(listed)))[1]


def unpadded(values: Column, argument: str, like: list[FloatArray] | None = None) -> Any:  # noqa: ANN401
    """Return the rows of a table that holds NaN after the last value of each.

    `like` are those of a table of the same shape, which say where each row ends.
    """
    table = read_array(values, argument)
    if table.ndim != 2:
        raise InputError(argument, "must be a table, one row per question", f"shape {table.shape}")
    if like is not None:
        check_same_rows(len(table), len(like), argument)
        return [row[: each.size] for row, each in zip(table, like, strict=True)]
    used = ~np.isnan(table)
    size = used.sum(axis=1)
    holes = np.argwhere(~used & (np.arange(table.shape[1]) < size[:, None]))
    if holes.size:
        row, option = holes[0].tolist()
        rule, more = "must hold NaN after the last option only", f", option {option}"
        raise InputError(argument, rule, "NaN", row=row, more=more)
    return [row[:n] for row, n in zip(table, size.tolist(), strict=True)]


@dataclass(frozen=True, eq=False)
class LongRows:
    """A table with one row per option: where the options of each question are in it."""

    order: IntArray  # of the options, by question
    starts: IntArray
    heads: IntArray  # the first option of each question

    @classmethod
    def from_questions(cls, question: Column) -> "LongRows":
        """Return that of questions by name, in the order in which they first appear."""
        names = np.asarray(read_column(question, "question").values)
        _, first, code = np.unique(names, return_index=True, return_inverse=True)
        rank = np.empty(first.size, dtype=np.int64)
        rank[np.argsort(first)] = np.arange(first.size)
        size = bincount(rank[code])
        heads = np.sort(first)
        if (size < 2).any():
            row = int(heads[(size < 2).argmax()])
            rule = "must hold at least two options of each question"
            raise InputError("question", rule, f"one of {names[row]!s}", row=row)
        starts = np.concatenate([[0], np.cumsum(size)])
        return cls(np.argsort(rank[code], kind="stable"), starts, heads)

    def numbers(self, values: Column, argument: str) -> FloatArray:
        """Read a number for each option, in the order of the table."""
        found = read_array(values, argument)
        if found.shape != self.order.shape:
            rule = "must hold one number per option"
            got = f"shape {found.shape} for {self.order.size} options"
            raise InputError(argument, rule, got)
        return found

    def rows(self, values: Column, argument: str) -> RaggedRows:
        """Read a number for each option, by question."""
        return RaggedRows(self.numbers(values, argument)[self.order], self.starts)

    def flags(self, values: Column, argument: str) -> BoolArray:
        """Read a truth value for each option, by question."""
        found = self.numbers(values, argument)
        bad = ~np.isin(found, (0, 1))
        if bad.any():
            row = int(bad.argmax())
            raise InputError(argument, "must be truth values", found[row], row=row)
        return np.asarray(found[self.order] == 1)

    def of_questions(self, values: Column, argument: str) -> list[Any]:
        """Return the value of each question, which all of its options must have."""
        column = read_column(values, argument) if argument == "groups" else None
        found = self.numbers(values, argument) if column is None else np.asarray(column.values)
        check_same_rows(found.size, self.order.size, argument)
        head = repeat(self.heads, np.diff(self.starts))
        bad = found[self.order] != found[head]
        if bad.any():
            at = int(bad.argmax())
            rule, row = "must be the same for all options of a question", int(self.order[at])
            first = int(head[at])
            more = f", where row {first} of the same question has {found[first]!s}"
            raise InputError(argument, rule, str(found[row]), row=row, more=more)
        return found[self.heads].tolist()


def check_same_rows(n: int, expected: int, argument: str) -> None:
    """Refuse another number of rows than the scores have."""
    if n != expected:
        rule = "must have as many rows as scores"
        raise InputError(argument, rule, f"{n} for {expected}")


def group_codes_of(groups: Column | None, n: int) -> IntArray | None:
    """Return whole numbers for the groups of n rows; None where none were given."""
    if groups is None:
        return None
    names = np.asarray(read_column(groups, "groups").values)
    if names.size != n:
        raise InputError("groups", "must hold one name per row", f"{names.size} for {n}")
    codes: IntArray = np.unique(names, return_inverse=True)[1]
    if codes.max() == 0:
        found = "with one group the spread between groups is unknown"
        hint = "Leave groups out if rows vary independently of each other."
        raise InputError("groups", "must hold at least two groups", found=found, hint=hint)
    return codes
