"""Log loss of scaled and shifted scores, with its gradient and Hessian, in one pass."""

from typing import Any

import numpy as np

from stakes._kernels.definitions import slopes
from stakes._kernels.kernel_arrays import check_lengths, chunks, contiguous, sample_arrays, summed
from stakes._kernels.kernel_records import Slopes
from stakes._kernels.library import KERNELS, kernel, record
from stakes._kernels.threads import over_chunks
from stakes._typing import FloatArray, IntArray, NDArray

_BINARY_SUMS = 7  # worst loss, loss, gradient, and of the Hessian one half
_binary, _many = kernel("affine_binary", "rii"), kernel("affine", "rii")
_answers = kernel("affine_answers", "rii")
_AffineJob, _AnswersJob = record("affine_job"), record("answers_job")


def affine_pass(  # noqa: PLR0913  the data, the point, and what is asked
    values: NDArray[Any],
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
    """Return the log loss of softmax(scale * values + shift), and its slopes in scale and shifts.

    `values` are log posteriors with K shifts, or the log odds of two classes with one: then the
    loss is that of the sigmoid. The gradient holds the scale first, then the shifts. A class of log
    posterior minus infinity stays impossible, and has no effect; a sample that is certain and right
    adds nothing. Without `hessian` only its diagonal is computed, which for hundreds of classes is
    most of the time saved; of log odds it is always whole. `rows` says which row of log posteriors
    belongs to each label; the weights of each class are multiplied by `class_weights`.
    """
    x, codes, w = sample_arrays(values, y, weights)
    odds, table = x.ndim == 1, x[:, None] if x.ndim == 1 else x
    k = table.shape[1]
    index = None if rows is None else contiguous(rows, np.int64)
    n = len(x) if index is None else index.size
    check_lengths(n, y=codes, weights=w, rows=index)
    moved = contiguous(shift, np.float64)
    each = None if class_weights is None else contiguous(class_weights, np.float64)
    check_lengths(k, shift=moved)
    check_lengths(max(k, 2), class_weights=each)
    if index is not None and index.size and not 0 <= index.min() <= index.max() < len(x):
        msg = f"rows must lie between 0 and {len(x) - 1}: got {index.min()} to {index.max()}."
        raise ValueError(msg)
    if KERNELS is None:
        return slopes.affine_pass(
            x, codes, w, scale, moved, class_weights=each, rows=index, hessian=hessian
        )
    width = _BINARY_SUMS if odds else k + 3 + (k + 1) ** (2 if hessian else 1)
    chunk, n_chunks = chunks(n, k)
    sums = np.zeros((n_chunks, width))
    job = _AffineJob(values=table, y=codes, weights=w, rows=index, each=each, n=n, k=k)
    job.tell(chunk=chunk, hessian=hessian, scale=scale, shift=moved, width=width, sums=sums)
    work = n * k * (3 + k / 16 * hessian)
    over_chunks(_binary if odds else _many, job, n_chunks, threads, work)
    total = summed(sums[:, 1:])
    second = total[k + 2 :][[0, 1, 1, 2]] if odds else total[k + 2 :]
    if odds or hessian:
        second = second.reshape(k + 1, k + 1)
    return Slopes(float(total[0]), total[1 : k + 2], second, float(sums[:, 0].max()))


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
    """
    x, group, _ = sample_arrays(values, groups)
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
