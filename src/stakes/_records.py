"""Records that are the number they are about."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Self, TypeVar

from stakes._errors import UndefinedMetricWarning

_Answer = TypeVar("_Answer")


class NumberRecord(float):
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
