"""What people see of records, and records that are the number they are about."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import Field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

from stakes._errors import UndefinedMetricWarning
from stakes._foreign_calls import Answering
from stakes._foreign_words import missing
from stakes._text import number, plain, plain_list, quoted

_Answer = TypeVar("_Answer")
_MOST_NAMES = 8
_MOST_NAMED = 30  # attributes that an error lists
_LONGEST = 100  # of a field


class Record(metaclass=Answering):
    """A record that shows itself as its text: in a shell, in a list, and in a notebook.

    A subclass says its text in `__str__`; one that does not gets a line for each field. Arrays
    are shown by their size, long lists of names are cut.
    """

    __slots__ = ()

    def __init_subclass__(cls, **more: Any) -> None:  # noqa: ANN401
        super().__init_subclass__(**more)
        if "__repr__" not in vars(cls):
            cls.__repr__ = Record.__repr__  # type: ignore[method-assign]  # a dataclass keeps it

    if not TYPE_CHECKING:  # which would take every attribute for there

        def __getattr__(self, name: str) -> NoReturn:
            if hasattr(type(self), name):  # a property that failed, which says why
                return object.__getattribute__(self, name)
            kind = type(self).__name__
            raise missing(f"{kind!r} object has no attribute {name!r}", name, type(self))

    if not TYPE_CHECKING:  # a record is no sequence, and unpacking one ends here too

        def __getitem__(self, key: object) -> NoReturn:
            kind, names = type(self), [name for name in dir(self) if not name.startswith("_")]
            text = f"{kind.__name__!r} object has no items. "
            if "metrics" in names:
                asked = f"[{key!r}]" if isinstance(key, str) else ""
                raise TypeError(f"{text}Its numbers by name are .metrics(){asked}.")
            own = [name for name in names if name not in dir(float)]
            raise TypeError(f"{text}Its attributes are {quoted(own, most=_MOST_NAMED)}.")

    def __str__(self) -> str:
        shown: list[Field[Any]] = [f for f in fields(self) if f.repr] if is_dataclass(self) else []
        width = max((len(f.name) for f in shown), default=0)
        lines = [f"  {f.name:<{width}}  {shown_field(getattr(self, f.name))}" for f in shown]
        return "\n".join([type(self).__name__, *lines])

    def __repr__(self) -> str:
        return str(self)

    def _in_a_line(self) -> str:
        """Return the record as a field of another."""
        return str(self).partition("\n")[0]

    def _repr_html_(self) -> str:
        import html  # noqa: PLC0415  for notebooks

        text = html.escape(str(self))  # exports of notebooks show a bare pre in another font
        return f'<pre style="font-family: monospace">{text}</pre>'


def shown_field(value: Any) -> str:  # noqa: ANN401  anything that a record holds
    """Return a value of a record in one line: short texts, and sizes in place of long contents."""
    text = value._in_a_line() if isinstance(value, Record) else ""
    if value is None or isinstance(value, bool):
        text = {None: "none", True: "yes", False: "no"}[value]
    elif isinstance(value, float) and not isinstance(value, Record):
        text = number(value)
    elif hasattr(value, "tolist") and hasattr(value, "shape"):
        text = _shown_array(value)
    elif isinstance(value, Mapping):
        text = _shown_mapping(value)
    elif isinstance(value, tuple | list):
        text = _shown_list(value)
    return plain((text or str(value)).partition("\n")[0], _LONGEST)


def _shown_array(value: Any) -> str:  # noqa: ANN401
    if len(value.shape) == 1 and value.size <= _MOST_NAMES:
        return _shown_list(value.tolist())
    if len(value.shape) == 1:
        return f"{value.size} numbers"
    return f"{' x '.join(map(str, value.shape))} numbers"


def _shown_list(values: Any) -> str:  # noqa: ANN401
    if values and isinstance(values[0], Record | tuple | list):
        return f"{len(values)} of {type(values[0]).__name__}"
    return plain_list([shown_field(each) for each in values], _MOST_NAMES) if values else "none"


def _shown_mapping(values: Mapping[Any, Any]) -> str:
    if not values:
        return "none"
    inside = next(iter(values.values()))
    if isinstance(inside, int | float) and not isinstance(inside, Record):
        return plain_list([f"{name} {number(x)}" for name, x in values.items()], _MOST_NAMES)
    return plain_list(values, _MOST_NAMES)


class NumberRecord(Record, float):
    """A float with fields: for records whose value is used in sums, comparisons and formats.

    Subclasses are frozen dataclasses with `eq=False`: records are equal, and ordered, as their
    numbers are, and `to_dict` tells records of the same number apart. What is calculated from
    one is a plain float. A NaN cannot carry its reason, so that calculating with an undefined
    record, or ordering it, warns with the reason.
    """

    def __new__(cls, *values: Any, **named: Any) -> Self:  # noqa: ANN401
        if len(values) == 1 and not named and type(values[0]).__name__ == "Fraction":
            return float(values[0])  # type: ignore[return-value]  # how statistics.mean answers
        names = getattr(cls, "__dataclass_fields__", {})
        given = dict(zip(names, values, strict=False)) | named
        try:
            value = cls._number(given)
        except KeyError:  # a field is missing: the dataclass says which
            value = 0.0
        return super().__new__(cls, value)

    @classmethod
    def _number(cls, fields: Mapping[str, Any]) -> float:
        """Return the number that the fields are about."""
        number: float = fields["value"]
        return number

    @property
    def _why_undefined(self) -> str:
        """Why the number is NaN, where that is known; else empty."""
        return ""

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), float.__float__(self), vars(self))


def _restored(cls: type[NumberRecord], value: float, fields: dict[str, Any]) -> NumberRecord:
    record = float.__new__(cls, value)
    vars(record).update(fields)
    return record


def _warning_of_undefined(name: str, method: Callable[..., _Answer]) -> Callable[..., _Answer]:
    """Return a method of floats that warns where it takes an undefined record."""

    def calculate(*operands: object) -> _Answer:
        for each in operands:
            if isinstance(each, NumberRecord) and (why := each._why_undefined):
                warnings.warn(f"undefined: {why}", UndefinedMetricWarning, stacklevel=2)
        return method(*operands)

    calculate.__name__, calculate.__qualname__ = name, f"NumberRecord.{name}"
    calculate.__doc__ = method.__doc__
    return calculate


for _name in (
    *("float", "int", "trunc", "floor", "ceil", "round", "neg", "pos", "abs"),
    *("lt", "le", "gt", "ge"),
    *(f"{side}{name}" for side in ("", "r") for name in ("add", "sub", "mul", "truediv")),
    *(f"{side}{name}" for side in ("", "r") for name in ("floordiv", "mod", "divmod", "pow")),
):
    _method = getattr(float, f"__{_name}__")
    setattr(NumberRecord, f"__{_name}__", _warning_of_undefined(f"__{_name}__", _method))
