"""Log loss of scaled and shifted scores, with its gradient and Hessian, in one pass."""

from typing import Any

import numpy as np

from stakes._kernels.definitions import slopes
from stakes._kernels.kernel_arrays import (
    as_codes,
    as_numbers,
    check_lengths,
    chunks,
    contiguous,
    summed,
)
from stakes._kernels.kernel_records import Slopes
from stakes._kernels.library import KERNELS, kernel, record
from stakes._kernels.threads import over_chunks
from stakes._typing import FloatArray, IntArray, NDArray

_BINARY_SUMS = 7
_binary, _many = kernel("affine_binary", "rii"), kernel("affine", "rii")
_answers = kernel("affine_answers", "rii")
_AffineJob, _AnswersJob = record("affine_job"), record("answers_job")


def affine_binary_pass(
    z: NDArray[Any],
    y: NDArray[Any],
    weights: FloatArray | None,
    scale: float,
    shift: float,
    *,
    class_weights: FloatArray | None = None,
    threads: int = 1,
) -> Slopes:
    """Return the log loss of sigmoid(scale * z + shift), and its slopes in scale and shift.

    A sample that is certain and right adds nothing, even where its log odds are infinite. The
    weights of each class are multiplied by `class_weights`.

    Examples
    --------
    >>> import numpy as np
    >>> found = affine_binary_pass(np.array([-2.0, 2.0]), np.array([0, 1]), None, 0.0, 0.0)
    >>> round(found.loss, 4), found.gradient
    (1.3863, array([-2.,  0.]))
    """
    x, codes, w = as_numbers(z), as_codes(y), None if weights is None else as_numbers(weights)
    check_lengths(x.size, z=x, y=codes, weights=w)
    check_lengths(2, class_weights=class_weights)
    if KERNELS is None:
        return slopes.affine_binary_pass(x, codes, w, scale, shift, class_weights=class_weights)
    job = _AffineJob(values=x[:, None], y=codes, weights=w, n=x.size, k=1, hessian=True)
    sums = _prepared(job, class_weights, scale, np.array([shift]), _BINARY_SUMS)
    over_chunks(_binary, job, len(sums), threads, 3 * x.size)
    loss, g1, g0, h2, h1, h0 = summed(sums)[1:].tolist()
    hessian = np.array([[h2, h1], [h1, h0]])
    return Slopes(loss, np.array([g1, g0]), hessian, float(sums[:, 0].max()))


def affine_pass(  # noqa: PLR0913  the data, the point, and what is asked
    log_p: NDArray[Any],
    y: NDArray[Any],
    weights: FloatArray | None,
    scale: float,
    shift: FloatArray,
    *,
    class_weights: FloatArray | None = None,
    rows: IntArray | None = None,
    hessian: bool = True,
    threads: int = 1,
) -> Slopes:
    """Return the log loss of softmax(scale * log_p + shift), and its slopes in scale and shifts.

    The gradient holds the scale first, then the K shifts. A class of log posterior minus infinity
    stays impossible, and has no say. Without `hessian` only its diagonal is computed, which for
    hundreds of classes is most of the time saved. `rows` says which row of `log_p` belongs to each
    label; the weights of each class are multiplied by `class_weights`.

    Examples
    --------
    >>> import numpy as np
    >>> log_p = np.log([[0.5, 0.25, 0.25], [0.2, 0.2, 0.6]])
    >>> found = affine_pass(log_p, np.array([0, 2]), None, 1.0, np.zeros(3))
    >>> round(found.loss, 4), found.gradient.shape, found.hessian.shape
    (1.204, (4,), (4, 4))
    """
    x, codes, w = as_numbers(log_p), as_codes(y), None if weights is None else as_numbers(weights)
    k = x.shape[1]
    index = None if rows is None else contiguous(rows, np.int64)
    n = x.shape[0] if index is None else index.size
    check_lengths(n, y=codes, weights=w, rows=index)
    check_lengths(k, shift=np.asarray(shift), class_weights=class_weights)
    if index is not None and index.size and not 0 <= index.min() <= index.max() < len(x):
        msg = f"rows must lie between 0 and {len(x) - 1}: got {index.min()} to {index.max()}."
        raise ValueError(msg)
    if KERNELS is None:
        return slopes.affine_pass(
            x, codes, w, scale, shift, class_weights=class_weights, rows=index, hessian=hessian
        )
    width = k + 3 + (k + 1) ** (2 if hessian else 1)
    job = _AffineJob(values=x, y=codes, weights=w, rows=index, n=n, k=k, hessian=hessian)
    sums = _prepared(job, class_weights, scale, shift, width)
    over_chunks(_many, job, len(sums), threads, n * k * (3 + k / 16 * hessian))
    total = summed(sums[:, 1:])
    second = total[k + 2 :].reshape(k + 1, k + 1) if hessian else total[k + 2 :]
    return Slopes(float(total[0]), total[1 : k + 2], second, float(sums[:, 0].max()))


def _prepared(
    job: Any,  # noqa: ANN401  a record of the library
    class_weights: FloatArray | None,
    scale: float,
    shift: FloatArray,
    width: int,
) -> FloatArray:
    """Return space for the sums of each chunk, and tell the job all but its data."""
    chunk, n_chunks = chunks(job.n, job.k)
    sums = np.zeros((n_chunks, width))
    each = None if class_weights is None else contiguous(class_weights, np.float64)
    job.tell(each=each, chunk=chunk, scale=scale, shift=contiguous(shift, np.float64))
    job.tell(width=width, sums=sums)
    return sums


def affine_answers(
    values: NDArray[Any],
    groups: NDArray[Any],
    scale: FloatArray,
    shift: FloatArray,
    *,
    threads: int = 1,
) -> FloatArray:
    """Return log posteriors log softmax(scale * values + shift), by the map of each row's group.

    `values` are log posteriors with K shifts for each group, or the log odds of two classes with
    one. A class of log posterior minus infinity stays impossible.

    Examples
    --------
    >>> import numpy as np
    >>> found = affine_answers(np.zeros(2), np.array([0, 1]), np.ones(2), np.array([0.0, 1.0]))
    >>> found.round(2).tolist()
    [[-0.69, -0.69], [-1.31, -0.31]]
    """
    x, group = as_numbers(values), as_codes(groups)
    slope, moved = (contiguous(a, np.float64) for a in (scale, shift))
    check_lengths(x.shape[0], groups=group)
    wanted = (slope.size,) if x.ndim == 1 else (slope.size, x.shape[1])
    if moved.shape != wanted:
        msg = f"shift must be of shape {wanted}: got {moved.shape}."
        raise ValueError(msg)
    if KERNELS is None:
        return slopes.affine_answers(x, group, slope, moved)
    flat = x[:, None] if x.ndim == 1 else x
    n, k = flat.shape
    out, (chunk, n_chunks) = np.empty((n, max(k, 2))), chunks(n, k)
    job = _AnswersJob(values=flat, group=group, n=n, k=k, groups=slope.size, chunk=chunk)
    job.tell(scale=slope, shift=moved, out=out)
    over_chunks(_answers, job, n_chunks, threads, 3 * n * k)
    return out
