"""Containers that hold values but are not columns: sets, views, generators, sparse arrays."""

from collections.abc import ItemsView, Iterator, KeysView, Mapping, Set as AbstractSet, ValuesView
from typing import Any

from stakes._errors import InputError

MOST_OF_A_RANGE = 2**27  # which takes no memory until it is read
_ONCE = {"generator": "a generator"}


def check_container(values: Any, argument: str) -> None:  # noqa: ANN401
    """Refuse what has no order, can be read only once, or leaves out most of its values."""
    if isinstance(values, AbstractSet) and not isinstance(values, KeysView | ItemsView):
        rule, got = "must be in the order of the samples", f"a {type(values).__name__}"
        hint = "A set has no order and holds a value only once. Pass a list or an array."
        raise InputError(argument, rule, got, hint=hint)
    if hasattr(values, "toarray") and hasattr(values, "nnz"):  # one of them is a mapping
        got, hint = "a sparse matrix", f"Pass {argument}.toarray()."
        raise InputError(argument, "must be dense", got, hint=hint)
    if isinstance(values, Mapping):
        got = f"a {type(values).__name__} with {len(values)} key{'s' * (len(values) != 1)}"
        hint = f"If its values are in that order, pass list({argument}.values())."
        if len(values) == 1:  # one column
            hint = f"Pass {argument}[{next(iter(values))!r}]."
        raise InputError(argument, "must be a sequence or an array", got, hint=hint)
    if isinstance(values, KeysView | ValuesView | ItemsView):
        got = f"{type(values).__name__} of a mapping"
        hint = f"If they are in the order of the samples, pass list({argument})."
        raise InputError(argument, "must be a sequence or an array", got, hint=hint)
    if isinstance(values, Iterator):
        name = type(values).__name__
        got = f"{_ONCE.get(name, f'an iterator ({name})')}, which can be read only once"
        raise InputError(argument, "must be a sequence", got, hint=f"Pass list({argument}).")
    if isinstance(values, range) and values[MOST_OF_A_RANGE:]:
        rule = f"must be at most {MOST_OF_A_RANGE} values"
        raise InputError(argument, rule, repr(values))
    check_dense(values, argument)


def check_dense(values: Any, argument: str) -> None:  # noqa: ANN401
    """Refuse columns of pandas that are sparse."""
    if not hasattr(type(values), "iloc"):  # a lazy frame is not asked for its schema
        return
    kinds: Any = values.dtypes
    listed = kinds.tolist() if hasattr(kinds, "tolist") else [kinds]
    if any(type(kind).__name__ == "SparseDtype" for kind in listed):
        got, hint = "a sparse column", f"Pass {argument}.sparse.to_dense()."
        raise InputError(argument, "must be dense", got, hint=hint)
