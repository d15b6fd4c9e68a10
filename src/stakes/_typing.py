"""Names for the arrays and labels that travel through the library."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
else:  # numpy.typing takes long to load
    ArrayLike, NDArray = Any, np.ndarray

__all__ = [
    "ArrayColumn",
    "ArrayLike",
    "ArrowColumn",
    "BoolArray",
    "Column",
    "CostValues",
    "Counts",
    "ExchangedArray",
    "FloatArray",
    "Floats",
    "IntArray",
    "Label",
    "LazyTable",
    "NDArray",
    "Names",
    "NamesLike",
    "Prices",
    "PriorsLike",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Counts = FloatArray | IntArray
Floats = FloatArray | float

# A class or a decision goes by a whole number or by a text.
Label = int | str
Names = tuple[Label, ...]


class ArrayColumn(Protocol):
    """What numpy can read: an array, a column or table of pandas, polars or pyarrow."""

    def __array__(self) -> np.ndarray[Any, Any]:
        """Return the values as an array."""


class ExchangedArray(Protocol):
    """An array of any library, on any device, that is exchanged by DLPack."""

    def __dlpack__(self) -> Any:  # noqa: ANN401  a capsule
        """Return the memory of the array."""


class ArrowColumn(Protocol):
    """What pyarrow can read: a column or table of polars, pyarrow or duckdb."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the values as an Arrow stream."""


class LazyTable(Protocol):
    """A table that is still to be computed, of polars."""

    def collect(self) -> Any:  # noqa: ANN401  any data frame
        """Return the table."""


# What users may hand over: arrays, sequences, or a column or table of any data frame.
Column = Sequence[Any] | ArrayColumn | ExchangedArray | ArrowColumn | LazyTable
PriorsLike = ArrayLike | Mapping[Any, float] | str
Prices = Mapping[str, Any]  # of a miss and a false alarm: numbers, columns or their names
CostValues = ArrayLike | Prices  # costs without names
NamesLike = int | Sequence[Label]
Progress = Callable[[int, int], None]  # called with how much is done, and the total
