"""Arrays of other libraries (torch, JAX, CuPy, the array API) as arrays of numpy.

None of these libraries is imported: tensors are known by their methods, others by DLPack.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stakes._check.containers import check_container
from stakes._errors import InputError

_BITS = {  # significant bits of floats that numpy does not have, and of those that it has
    "bfloat16": 8,
    "float16": 11,
    "float32": 24,
    "float8_e3m4": 5,
    "float8_e4m3": 4,
    "float8_e4m3b11fnuz": 4,
    "float8_e4m3fn": 4,
    "float8_e4m3fnuz": 4,
    "float8_e5m2": 3,
    "float8_e5m2fnuz": 3,
    "half": 11,
}
_NUMPY = {"float16", "half", "float32"}
_UNREADABLE = (TypeError, ValueError, RuntimeError, BufferError, NotImplementedError)
_HOST = {1, 3, 11, 13}  # devices of DLPack whose memory the processor reads: its own, and pinned


def rounding_unit(values: Any) -> float | None:  # noqa: ANN401
    """Return the distance of 1 to the next number of the dtype of floats; None for others."""
    bits = _BITS.get(str(getattr(values, "dtype", "")).rpartition(".")[2])
    return None if bits is None else 2.0 ** (1 - bits)


def is_small_float(dtype: Any) -> bool:  # noqa: ANN401
    """Whether a dtype is of floats that numpy does not have itself, such as bfloat16 of JAX."""
    name = str(dtype).rpartition(".")[2]
    return name in _BITS and name not in _NUMPY


def as_numpy(values: Any, argument: str) -> Any:  # noqa: ANN401
    """Return a tensor, or a list of tensors, as numpy reads it; anything else as it is.

    What is on this host already is shared, not copied. Tensors are detached from their graph;
    floats that numpy does not have become float32, which has all of their numbers.
    """
    if isinstance(values, list | tuple):
        return [as_numpy(each, argument) for each in values] if _holds(values) else values
    if _is_tensor(type(values)):
        return _from_tensor(values, argument)
    if not isinstance(values, np.ndarray):
        check_container(values, argument)
    found = _from_dlpack(values, argument) if _is_foreign(type(values)) else values
    small = isinstance(found, np.ndarray) and is_small_float(found.dtype)  # of ml_dtypes
    return found.astype(np.float32) if small else found


def as_one_array(values: Any, argument: str, ndim: int) -> Any:  # noqa: ANN401
    """Return values as numpy reads them; those of several batches in a list as one array.

    A batch has as many dimensions as all values together, so that a list of them has one more.
    """
    found = as_numpy(values, argument)
    if not isinstance(found, list | tuple) or not found:
        return found
    arrays = all(isinstance(part, np.ndarray) and part.ndim == ndim for part in found)
    fit = arrays and len({part.shape[1:] for part in found}) == 1
    return np.concatenate(found) if fit else found


def _is_tensor(kind: type) -> bool:
    return all(hasattr(kind, name) for name in ("detach", "cpu", "float"))


def _is_foreign(kind: type) -> bool:
    """Whether arrays are of another library; those of Arrow have nulls, which others look at."""
    if _is_tensor(kind):
        return True
    own = issubclass(kind, np.ndarray | np.generic) or hasattr(kind, "__arrow_c_array__")
    return hasattr(kind, "__dlpack__") and not own


def _holds(values: Sequence[Any]) -> bool:
    """Whether a list, or a list in it, holds arrays of another library."""
    kinds = set(map(type, values))
    if any(map(_is_foreign, kinds)):
        return True
    lists = kinds & {list, tuple}
    return bool(lists) and any(_holds(each) for each in values if type(each) in lists)


def _from_tensor(tensor: Any, argument: str) -> Any:  # noqa: ANN401
    device, layout = (str(getattr(tensor, name, "")) for name in ("device", "layout"))
    if device.startswith("meta"):
        hint = "Pass the tensor that was computed, on any device."
        shown = "a tensor on the meta device, which holds no numbers"
        raise InputError(argument, "must hold numbers", shown, hint=hint)
    if getattr(tensor, "is_nested", False):
        hint = f"Pass torch.cat(list({argument}.unbind()))."
        raise InputError(argument, "must be a regular array", "a nested tensor", hint=hint)
    if layout not in {"", "torch.strided"}:
        rule, hint = "must be dense", f"Pass {argument}.to_dense()."
        raise InputError(argument, rule, f"a tensor of layout {layout}", hint=hint)
    host = tensor.detach().cpu()
    for name in ("resolve_conj", "resolve_neg"):  # of views that are conjugate or negative
        host = getattr(host, name)() if hasattr(host, name) else host
    try:
        return np.asarray(host.float() if is_small_float(host.dtype) else host)
    except _UNREADABLE as error:
        shown = f"a tensor of {host.dtype} ({error})"
        raise InputError(argument, "must hold numbers that numpy can read", shown) from error


def _from_dlpack(values: Any, argument: str) -> Any:  # noqa: ANN401
    """Return an array of another library, from any device."""
    try:
        return np.asarray(values) if hasattr(type(values), "__array__") else np.from_dlpack(values)
    except _UNREADABLE as error:
        problem = error
    try:
        if values.__dlpack_device__()[0] in _HOST:
            return np.from_dlpack(values)
        if hasattr(type(values), "get"):  # of CuPy, which copies to the host only if told
            return values.get()
        return np.from_dlpack(values, device="cpu")
    except _UNREADABLE:
        shown = f"{type(values).__name__} ({problem})"
        rule, hint = "must be an array that this host can read", "Pass it as an array of numpy."
        raise InputError(argument, rule, shown, hint=hint) from problem
