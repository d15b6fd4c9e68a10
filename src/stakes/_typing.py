"""Names for the arrays and labels that travel through the library."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
else:  # numpy.typing takes long to load
    ArrayLike, NDArray = Any, np.ndarray

__all__ = [
    "ArrayLike",
    "BoolArray",
    "Column",
    "Counts",
    "FloatArray",
    "Floats",
    "IntArray",
    "Label",
    "NDArray",
    "Names",
    "NamesLike",
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

# What users may hand over: arrays, sequences, or a column of any data frame.
Column = Any
PriorsLike = ArrayLike | Mapping[Any, float] | str
NamesLike = int | Sequence[Label]
