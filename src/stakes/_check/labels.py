"""Labels and decisions, from any column, as codes of declared names."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, repeat
from typing import Any

import numpy as np

from stakes._check.frames import is_masked, is_table, only_column
from stakes._check.tensors import as_one_array
from stakes._counting import bincount
from stakes._errors import InputError
from stakes._text import quoted
from stakes._typing import BoolArray, Column, IntArray, Label, Names, NamesLike

_LARGEST_WHOLE_FLOAT = 2.0**53
_FRACTIONS = {
    "y_true": "Are these scores? Labels come first, scores second.",
    "y_pred": "Are these scores? Decisions are needed here; bayes_cost takes scores.",
}
_TEXTS = "For string labels pass classes=[...], in the order of costs' rows or scores' columns."
_KINDS = "must hold integers or strings"
MOST_NAMES = 2**20  # of classes that are given by their number
_LEFT_OUT = -100  # the label of what torch's losses leave out
_RANGES = "Cut numbers into ranges first, for example with pandas.cut."


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """One label per sample: whole numbers (or truth values) as an array, or texts as a list.

    Decisions may be a list of both, such as 0, 1 and "abstain".
    """

    values: IntArray | list[Any]
    argument: str
    truth: bool = False
    row: IntArray | None = None  # where each label stood, if some were left out

    def __len__(self) -> int:
        return len(self.values)

    def part(self, kept: IntArray) -> "LabelColumn":
        """Return some of the labels, which remember where they stood."""
        row = kept if self.row is None else self.row[kept]
        if isinstance(self.values, list):
            return replace(self, values=[self.values[i] for i in kept], row=row)
        return replace(self, values=self.values[kept], row=row)

    def other_than(self, label: Label) -> BoolArray:
        """Tell which labels are others than this one, that of `ignore_index`."""
        listed = isinstance(self.values, list)
        if not isinstance(label, str if listed else int | np.integer):
            kind = "text" if listed else "whole number"
            rule = f"must be a label, a {kind} as those of {self.argument} are"
            raise InputError("ignore_index", rule, repr(label))
        if listed:
            return np.fromiter((value != label for value in self.values), bool, len(self))
        return np.asarray(self.values != label)

    def without(self, label: Label | None) -> "LabelColumn":
        """Return the labels other than that of `ignore_index`; all if it is None."""
        differs = None if label is None else self.other_than(label)
        if differs is None or differs.all():
            return self
        if not differs.any():
            rule = "must hold at least one label that is not that of ignore_index"
            raise InputError(self.argument, rule, found=f"all {len(self)} are {label!r}")
        return self.part(np.flatnonzero(differs))

    def place(self, index: int) -> int:
        """Return the row where a label stood."""
        return index if self.row is None else int(self.row[index])


def read_column(values: Column, argument: str, *, mixed: bool = False) -> LabelColumn:
    """Read labels from a list, an array, or a column of any data frame."""
    if isinstance(values, str | bytes) or np.isscalar(values) or values is None:
        raise InputError(argument, "must be 1-D, one label per sample", repr(values))
    array = _as_array(values, argument)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        rule = "must be 1-D, one label per sample"
        hint = _for_columns(array, argument)
        raise InputError(argument, rule, f"{array.ndim}-D {array.shape}", hint=hint)
    if array.size == 0:
        raise InputError(argument, "must hold at least one label", "an empty column")
    if mixed and array.dtype.kind == "O":
        listed = array.tolist()
        if {isinstance(v, str) for v in listed} == {True, False}:
            return _numbers_and_texts(listed, argument)
    return _from_array(array, argument)


def _for_columns(array: np.ndarray[Any, Any], argument: str) -> str:
    """Say what to do with labels in several columns: one-hot rows, or several labels a row."""
    one_hot = f"For one-hot rows pass {argument}.argmax(axis=1)."
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        return one_hot if array.ndim == 2 else ""
    if not np.isin(array, (0, 1)).all() or (array.sum(axis=1) == 1).all():
        return one_hot
    return (
        f"Rows with several labels, or none, are {array.shape[1]} problems of two classes: evaluate"
        f" each by itself, such as evaluate({argument}[:, 0], scores[:, 0])."
    )


def _numbers_and_texts(values: list[Any], argument: str) -> LabelColumn:
    at = [i for i, value in enumerate(values) if not isinstance(value, str)]
    numbers = np.empty(len(at), dtype=object)
    numbers[:] = [values[i] for i in at]
    for row, number in zip(at, numbers, strict=True):
        if is_missing(number):
            raise _missing(argument, row)
    whole = np.asarray(_from_objects(numbers, argument).values).tolist()
    for i, number in zip(at, whole, strict=True):
        values[i] = values[i] if isinstance(values[i], bool) else number
    return LabelColumn(values, argument)


def _as_array(values: Column, argument: str) -> np.ndarray[Any, Any]:
    """Return the column as an array that shows its kind of labels; nulls stay visible."""
    if is_masked(values):
        rule = "must not be a masked array"
        hint = f"Pass {argument}.compressed() with the other arrays masked in the same way."
        raise InputError(argument, rule, found="its mask would be lost", hint=hint)
    values = as_one_array(values, argument, ndim=1)
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, list | tuple):
        return _from_sequence(values)
    return _from_frame(values, argument)


def _from_sequence(values: Sequence[Any]) -> np.ndarray[Any, Any]:
    """Return a list as an array; texts and mixed kinds stay objects, so nothing is converted."""
    kinds = set(map(type, values))
    if kinds <= {int, bool, float, np.int64, np.bool_, np.float64}:
        return np.asarray(values)
    if kinds & {list, tuple, np.ndarray}:
        try:
            return np.asarray(values)
        except ValueError as error:
            rule = "must be 1-D, one per sample"
            raise InputError("labels", rule, f"rows of several lengths ({error})") from error
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _from_frame(values: Column, argument: str) -> np.ndarray[Any, Any]:
    import narwhals.stable.v2 as nw  # noqa: PLC0415  only where a data frame's column comes in

    if is_table(values):
        values = only_column(values)
    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return np.asarray(values)
    if series.is_null().any():
        raise _missing(argument, int(series.is_null().to_numpy().argmax()))
    if series.dtype in {nw.String, nw.Categorical, nw.Enum, nw.Object}:
        return _from_sequence(series.to_list())
    if series.dtype.is_temporal():
        raise InputError(argument, _KINDS, f"{series.dtype} (a timestamp)")
    return series.to_numpy()


def _from_array(array: np.ndarray[Any, Any], argument: str) -> LabelColumn:
    kind = array.dtype.kind
    if kind == "b":
        return LabelColumn(array.astype(np.int64), argument, truth=True)
    if kind in "iu":
        if int(array.max()) >= 2**63:
            raise _too_large(argument, int(array.max()))
        return LabelColumn(array.astype(np.int64, copy=False), argument)
    if kind == "f":
        return LabelColumn(_whole(array, argument), argument)
    if kind in "UT":
        return LabelColumn(array.tolist(), argument)
    if kind == "O":
        return _from_objects(array, argument)
    what = "bytes (decode them)" if kind == "S" else f"{array.dtype}"
    raise InputError(argument, _KINDS, what)


def _whole(array: np.ndarray[Any, Any], argument: str) -> IntArray:
    """Return floats that are whole numbers as such; anything else is no label."""
    array = array.astype(np.float64, copy=False)
    missing = np.isnan(array)
    if missing.any():
        raise _missing(argument, int(missing.argmax()))
    with np.errstate(invalid="ignore"):
        odd = (np.trunc(array) != array) | (np.abs(array) > _LARGEST_WHOLE_FLOAT)
    if odd.any():
        row = int(odd.argmax())
        hint = _FRACTIONS.get(argument, _RANGES)
        raise InputError(argument, _KINDS, array[row], row=row, hint=hint)
    return array.astype(np.int64)


def _from_objects(array: np.ndarray[Any, Any], argument: str) -> LabelColumn:
    values = array.tolist()
    kinds = set(map(type, values))
    if kinds == {str}:
        return LabelColumn(values, argument)
    for row, value in enumerate(values):
        if is_missing(value):
            raise _missing(argument, row)
    if all(issubclass(k, int | np.integer | np.bool_) for k in kinds):
        if max(map(abs, values)) >= 2**63:
            raise _too_large(argument, max(values, key=abs))
        return LabelColumn(np.array([int(v) for v in values], dtype=np.int64), argument)
    if all(issubclass(k, int | float | np.integer | np.floating) for k in kinds):
        return LabelColumn(_whole(np.array(values, dtype=float), argument), argument)
    if all(issubclass(k, str) for k in kinds):
        return LabelColumn([str(v) for v in values], argument)
    names = ", ".join(sorted(k.__name__ for k in kinds))
    raise InputError(argument, f"{_KINDS}, all of one kind", names)


def _too_large(argument: str, value: int) -> InputError:
    return InputError(argument, "must hold whole numbers below 2**63", value)


def is_missing(value: object) -> bool:
    """Tell None, NaN, NaT and NA."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float | np.floating) and value != value  # noqa: PLR0124  NaN


def _missing(argument: str, row: int) -> InputError:
    rule = "must hold a label for every sample"
    hint = "Label it, or drop the row from every argument."
    got = "a missing value (null)"
    return InputError(argument, rule, got, row=row, hint=hint, code="missing_label")


def read_names(names: NamesLike, argument: str, *, mixed: bool = False) -> Names:
    """Read the names of classes or decisions, or how many of them: n means 0, ..., n-1."""
    if isinstance(names, int | np.integer) and not isinstance(names, bool):
        if not 1 <= names <= MOST_NAMES:
            rule = "must be at least 1" if names < 1 else f"must be at most {MOST_NAMES}"
            raise InputError(argument, rule, names)
        return tuple(range(int(names)))
    if isinstance(names, str | bytes):
        raise InputError(argument, "must be a sequence of names", f"the text {names!r}")
    if isinstance(names, range) and names[MOST_NAMES:]:
        raise InputError(argument, f"must be at most {MOST_NAMES} names", repr(names))
    listed_names: Any = names if not isinstance(names, range) else list(names)
    column = read_column(listed_names, argument, mixed=mixed)
    listed = tuple(column.values if isinstance(column.values, list) else column.values.tolist())
    if "" in listed:
        rule = "must be names that can be shown"
        raise InputError(argument, rule, f"an empty class name at {listed}")
    if len(set(listed)) < len(listed):
        twice = Counter(listed).most_common(1)[0][0]
        raise InputError(argument, "must be distinct", f"a duplicate {twice!r} in {quoted(listed)}")
    for name in listed:
        if isinstance(name, str) and any("\ud800" <= c <= "\udfff" for c in name):
            raise InputError(argument, "must be names that can be written as UTF-8", repr(name))
    return tuple(bool(v) for v in listed) if column.truth else listed


def seen_names(*columns: LabelColumn) -> Names:
    """Return the sorted names that occur in the columns; truth values are both declared."""
    kinds = {isinstance(c.values, list) for c in columns}
    if len(kinds) > 1:
        text = next(c for c in columns if isinstance(c.values, list))
        other = next(c for c in columns if not isinstance(c.values, list))
        both, got = f"{text.argument} and {other.argument}", f"str ({text.values[0]!r}) and int"
        rule, got = "must hold the same kind of label", f"{got} ({other.values[0]})"
        raise InputError(both, rule, got, code="labels_of_two_kinds")
    if all(c.truth for c in columns):
        return (False, True)
    found: set[Label] = set()
    for column in columns:
        found |= set(column.values) if isinstance(column.values, list) else _distinct(column.values)
    if "" in found:
        column = next(c for c in columns if isinstance(c.values, list) and "" in c.values)
        row = column.place(column.values.index(""))  # type: ignore[union-attr]
        rule = "must hold a label for every sample"
        raise InputError(column.argument, rule, "an empty text", row=row, code="missing_label")
    return tuple(sorted(found))


def _distinct(values: IntArray) -> set[int]:
    """Return the distinct whole numbers, without a sort where their range is small."""
    low, high = int(values.min()), int(values.max())
    if low >= 0 and high <= 4 * values.size + 1024:
        return set(np.flatnonzero(bincount(values)).tolist())
    if high - low <= 4 * values.size + 1024:
        return set((np.flatnonzero(bincount(values - low)) + low).tolist())
    return set(np.unique(values).tolist())


def encode(column: LabelColumn, names: Names, what: str, why: str = "", hint: str = "") -> IntArray:
    """Return the index of each label among the names.

    For the message, `what` tells classes from decisions, `why` where the names come from, and
    `hint` what to do where a guess at the slip would mislead.
    """
    kinds = {isinstance(name, str) for name in names}
    listed = isinstance(column.values, list)
    if kinds not in ({True, False}, {listed}):
        raise _other_kind(column, names, what, hint)
    if listed:
        index = {name: i for i, name in enumerate(names)}
        codes = np.fromiter(map(index.get, column.values, repeat(-1)), np.int64, len(column))
    else:
        codes = _encode_numbers(column, names)
    if codes.size and codes.min() < 0:
        raise _unknown(column, names, int((codes < 0).argmax()), f"{what}{why}", hint)
    return codes


def _encode_numbers(column: LabelColumn, names: Names) -> IntArray:
    """Find whole numbers among the names; -1 where a number is no name."""
    values = np.asarray(column.values)
    places = all(isinstance(name, str) or name == i for i, name in enumerate(names))
    listed = np.array(
        [  # a text among 0, 1, ... is its place, else it is no number
            int(name) if not isinstance(name, str) else i if places else np.iinfo(np.int64).min
            for i, name in enumerate(names)
        ]
    )
    if (listed == np.arange(listed.size)).all():
        if values.min() >= 0 and values.max() < listed.size:
            return values
        return np.where((values >= 0) & (values < listed.size), values, -1)
    order = np.argsort(listed)
    place = np.minimum(np.searchsorted(listed, values, sorter=order), listed.size - 1)
    found = order[place]
    return np.where(listed[found] == values, found, -1)


def _other_kind(column: LabelColumn, names: Names, what: str, hint: str) -> InputError:
    """Return the error for texts where numbers are declared, or the reverse."""
    first = column.values[0]
    shown, kind = (repr(first), "str") if isinstance(first, str) else (str(first), "int")
    other = "str" if kind == "int" else "int"
    numbered = what == "classes" and names == tuple(range(len(names)))
    hint = hint or (_TEXTS if numbered else "Convert one of the two.")
    rule, more = f"must hold labels of the {what} {quoted(names)}", f"where {what} are {other}"
    more, code = f", which is {kind} {more}", "labels_of_two_kinds"
    return InputError(column.argument, rule, shown, row=0, more=more, hint=hint, code=code)


def _unknown(column: LabelColumn, names: Names, row: int, what: str, hint: str = "") -> InputError:
    """Return the error for a label that is not declared, with a guess at the slip."""
    label = column.values[row]
    if isinstance(label, str):
        shown, guess = f"{label!r}", _text_hint(label, names)
    else:
        shown, guess = f"label {label}", _number_hint(np.asarray(column.values), names)
    consecutive = names == tuple(range(len(names))) and len(names) > 1
    rule = f"must hold labels of the {what} "
    rule += f"0..{len(names) - 1}" if consecutive else quoted(names)
    place, hint, code = column.place(row), hint or guess, "unknown_label"
    return InputError(column.argument, rule, shown, row=place, hint=hint, code=code)


def _text_hint(label: str, names: Names) -> str:
    """Say which declared name the text nearly is, and how it differs."""
    texts = [n for n in names if isinstance(n, str)]
    tests: list[tuple[str, Callable[[str], str]]] = [
        ("surrounding whitespace", str.strip),
        ("upper and lower case", str.casefold),
        ("Unicode normalisation (they look the same)", lambda s: unicodedata.normalize("NFC", s)),
    ]
    for difference, simplify in tests:
        for name in texts:
            if simplify(name) == simplify(label):
                return f"It differs from {name!r} in {difference} only."
    return "Declare it, or fix the label."


def _number_hint(values: IntArray, names: Names) -> str:
    """Say so where labels seem to count from one."""
    if names == tuple(range(len(names))) and values.min() >= 1 and values.max() == len(names):
        listed = ", ".join(str(n + 1) for n in islice(range(len(names)), 6))
        return f"Labels seem 1-based: pass classes=[{listed}{', ...' if len(names) > 6 else ''}]."
    if _LEFT_OUT in values:
        return f"To leave these rows out pass ignore_index={_LEFT_OUT}, if the function takes it."
    return "Declare it, or fix the label."
