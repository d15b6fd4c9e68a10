"""Records that are the number they are about."""

from typing import Any, Self


class NumberRecord(float):
    """A float with fields: for functions whose value is used in sums, comparisons and formats.

    The first field of a subclass, which is a frozen dataclass with `eq=False`, is its value. What
    is calculated from it is a plain float.
    """

    def __new__(cls, value: float, *_: Any, **__: Any) -> Self:  # noqa: ANN401
        return super().__new__(cls, value)
