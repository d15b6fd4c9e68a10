"""Batches of validation loops as rows: scores of any number of dimensions beside their labels."""

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from stakes._check import InputError, as_numpy
from stakes._text import quoted
from stakes._typing import Label, Names
from stakes.torch.torch_library import Tensor, torch

_IGNORED = "\x00ignored"  # a label that no class can be shown to have


def as_rows(preds: Any, target: Any, class_dim: int) -> tuple[Tensor, Tensor]:
    """Return scores with one row, or one number, for each label; and the labels in one dimension.

    Scores of the shape of the labels are one number for each. Else they have one more dimension,
    that of the classes.
    """
    scores, labels = (
        x.detach() if isinstance(x, Tensor) else torch.as_tensor(x) for x in (preds, target)
    )
    if scores.shape == labels.shape:
        return scores.reshape(-1), labels.reshape(-1)
    if not 0 < scores.ndim == labels.ndim + 1 or not -scores.ndim <= class_dim < scores.ndim:
        raise _other_shape(scores, labels, class_dim)
    table = scores.movedim(class_dim, -1)
    if table.shape[:-1] != labels.shape:
        raise _other_shape(scores, labels, class_dim)
    rows = table.reshape(-1, table.shape[-1])
    return rows[:, 0] if rows.shape[1] == 1 else rows, labels.reshape(-1)


def _other_shape(scores: Tensor, labels: Tensor, class_dim: int) -> InputError:
    shown = f"{tuple(scores.shape)} for {tuple(labels.shape)} with class_dim={class_dim}"
    hint = ""
    if scores.ndim == labels.ndim + 1:
        places = (i for i in range(scores.ndim) if _without(scores, i) == tuple(labels.shape))
        place = next(places, None)
        last = scores.ndim - 1
        hint = "" if place is None else f"Pass class_dim={-1 if place == last else place}."
    rule = "must have the shape of target, with or without a dimension of the classes"
    return InputError("preds", rule, shown, hint=hint)


def _without(scores: Tensor, dim: int) -> tuple[int, ...]:
    return tuple(size for i, size in enumerate(scores.shape) if i != dim)


def named_labels(
    labels: Tensor, names: Names, ignore_index: Label | None
) -> tuple[Any, Label | None]:
    """Return labels, and the one to be left out, as a summary of these classes knows them.

    Tensors hold no texts: where classes have texts for names, labels are their positions.
    """
    if not all(isinstance(name, str) for name in names):
        return labels, ignore_index
    place = np.asarray(as_numpy(labels, "target"))
    ignored = np.zeros(place.shape, dtype=bool) if ignore_index is None else place == ignore_index
    bad = ~ignored & ~((place >= 0) & (place < len(names)) & (place == np.trunc(place)))
    if bad.any():
        row = int(bad.argmax())
        rule = f"must hold positions of the classes {quoted(names)}, from 0"
        raise InputError("target", rule, place[row], row=row)
    texts = np.array([*names, _IGNORED], dtype=object)
    return texts[np.where(ignored, len(names), place).astype(np.int64)], _IGNORED


def for_each_label(values: Any, shape: tuple[int, ...], argument: str) -> Any:
    """Return what belongs to labels as one column; one value per sample is that of all its labels.

    So the image is the group of all its pixels, and the weight of a sentence that of its tokens.
    """
    if values is None or len(shape) <= 1:
        return values.reshape(-1) if isinstance(values, Tensor) else values
    array = np.asarray(as_numpy(values, argument))
    if array.shape == shape:
        return array.reshape(-1)
    if array.shape == shape[:1]:
        return np.repeat(array, prod(shape[1:]))
    rule = f"must have the shape of target, {shape}, or one value per sample"
    raise InputError(argument, rule, f"shape {array.shape}")


def columns_for_each_label(
    columns: Mapping[str, Any] | None, shape: tuple[int, ...], argument: str
) -> dict[str, Any]:
    """Return named columns in the same way."""
    named = columns or {}
    if not isinstance(named, Mapping):
        raise InputError(argument, "must be a mapping from names to columns", type(named).__name__)
    return {
        name: for_each_label(column, shape, f"{argument} {name!r}")
        for name, column in named.items()
    }
