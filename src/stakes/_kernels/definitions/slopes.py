"""Log loss of scaled and shifted scores, with its gradient and Hessian."""

from typing import Any

import numpy as np

from stakes._kernels.kernel_arrays import summed
from stakes._kernels.kernel_records import Slopes
from stakes._math import log_softmax, softplus
from stakes._typing import FloatArray, IntArray, NDArray

_BLOCK = 65536  # samples times classes


def affine_pass(  # noqa: PLR0913  the data, the point, and what is asked
    values: NDArray[Any],
    y: IntArray,
    weights: FloatArray | None,
    scale: float,
    shift: FloatArray,
    *,
    class_weights: FloatArray | None = None,
    rows: IntArray | None = None,
    hessian: bool = True,
) -> Slopes:
    """Return loss and slopes of softmax(scale * values + shift) in the scale and shifts."""
    odds = values.ndim == 1
    k, block = (1, _binary_block) if odds else (values.shape[1], _block)
    size = max(1, _BLOCK // k)
    parts, worst = [], 0.0
    for start in range(0, max(y.size, 1), size):
        part = slice(start, start + size)
        x = values[part if rows is None else rows[part]].astype(np.float64)
        w = np.ones(y[part].size) if weights is None else weights[part].astype(np.float64)
        w = w if class_weights is None else w * class_weights[y[part]]
        with np.errstate(invalid="ignore", over="ignore"):
            found, loss = block(x, y[part], w, scale, shift)
        parts.append(found)
        worst = float(np.fmax.reduce(loss, initial=worst))
    total = summed(np.array(parts))
    loss, gradient, whole = total[0], total[1 : k + 2], total[k + 2 :].reshape(k + 1, k + 1)
    return Slopes(float(loss), gradient, whole if hessian or odds else np.diagonal(whole), worst)


def _binary_block(
    x: FloatArray, y: IntArray, w: FloatArray, scale: float, shift: FloatArray
) -> tuple[FloatArray, FloatArray]:
    m = scale * x + shift
    against = np.where(y == 0, m, -m)
    small = np.exp(-np.abs(m))
    loss = np.maximum(against, 0) + np.log1p(small)
    wrong = np.where(against > 0, 1, small) / (1 + small)
    g = w * np.where(y == 0, wrong, -wrong)
    h = w * small / np.square(1 + small)
    hx = _product(h, x)
    terms = (_product(w, loss), _product(g, x), g, _product(hx, x), hx, hx, h)
    return np.array([term.sum() for term in terms]), loss


def _block(
    log_p: FloatArray, y: IntArray, w: FloatArray, scale: float, shift: FloatArray
) -> tuple[FloatArray, FloatArray]:
    k, at = log_p.shape[1], np.arange(y.size)
    impossible = np.isneginf(log_p)
    m = np.where(impossible, -np.inf, scale * log_p + shift)
    top = np.where(np.isnan(m), -np.inf, m).argmax(axis=1)
    shifted = m - m[at, top][:, None]
    e = np.exp(shifted)
    others = e.copy()
    others[at, top] = 0
    rest = others.sum(axis=1)
    loss = np.log1p(rest) - shifted[at, y]
    q = e / (1 + rest)[:, None]
    lp = np.where(impossible, 0.0, log_p)
    away = lp - (q * lp).sum(axis=1, keepdims=True)
    weighted = q * w[:, None]
    excess = weighted.copy()
    excess[at, y] -= w
    matrix = np.empty((k + 1, k + 1))
    matrix[0, 0] = w @ (q * np.square(away)).sum(axis=1)
    matrix[0, 1:] = matrix[1:, 0] = (weighted * away).sum(axis=0)
    matrix[1:, 1:] = np.diag(weighted.sum(axis=0)) - weighted.T @ q
    first = [_product(w, loss).sum(), (excess * lp).sum()]
    return np.concatenate([first, excess.sum(axis=0), matrix.ravel()]), loss


def _product(factor: FloatArray, x: FloatArray) -> FloatArray:
    """Return the product; 0 where the factor is, even at infinity."""
    return np.where(factor == 0, 0.0, factor * x)


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
