"""Samples in the order of their groups, and answers by an affine map for each group."""

from typing import Any

import numpy as np

from stakes._math import log_softmax, softplus
from stakes._typing import FloatArray, IntArray, NDArray


def grouped_rows(codes: IntArray, n_groups: int) -> tuple[IntArray, IntArray]:
    """Return all rows, those of group 0 first, and where each group begins and the last ends."""
    if codes.size and not (codes.min() >= 0 and codes.max() < n_groups):
        msg = "y must hold class codes from 0 up to the number of classes."
        raise ValueError(msg)
    bounds = np.zeros(n_groups + 1, np.int64)
    np.cumsum(np.bincount(codes, minlength=n_groups), out=bounds[1:])
    return np.argsort(codes, kind="stable"), bounds


def affine_answers(
    values: NDArray[Any], groups: IntArray, scale: FloatArray, shift: FloatArray
) -> FloatArray:
    """Return log posteriors by the map of each row's group."""
    with np.errstate(invalid="ignore"):
        if values.ndim == 1:
            m = scale[groups] * values.astype(np.float64) + shift[groups]
            return np.column_stack([-softplus(m), -softplus(-m)])
        m = scale[groups, None] * values.astype(np.float64) + shift[groups]
        return log_softmax(np.where(np.isneginf(values), -np.inf, m))
