"""Labels and scores of a detector, checked and gathered by level."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import numpy as np

from stakes._check import (
    InputError,
    LabelColumn,
    UndefinedMetricError,
    check_no_nan,
    check_rows,
    encode,
    read_column,
    read_names,
    read_table,
    read_weights,
    refuse_decisions,
    seen_names,
)
from stakes._text import quoted
from stakes._typing import Column, FloatArray, IntArray, Label, Names, NamesLike, NDArray
from stakes.samples import plain_arrays, plain_names, read_pair
from stakes.scores import Scores
from stakes.statistics import ScoreLevels

Found = TypeVar("Found")


def read_levels(
    y_true: Column,
    scores: Scores | Column,
    sample_weight: Column | None,
    classes: NamesLike | None,
    positive: Label | None,
) -> tuple[ScoreLevels, Names]:
    """Read a detector's labels and scores by level; samples of weight 0 are absent."""
    if sample_weight is None:
        levels = partial(ScoreLevels.from_scores, weights=None)
        return read_unweighted(y_true, scores, classes, positive, levels)
    ranks, y, weights, names = read_detector(y_true, scores, sample_weight, classes, positive)
    return ScoreLevels.from_scores(ranks, y, weights), names


def read_unweighted(
    y_true: Column,
    scores: Scores | Column,
    classes: NamesLike | None,
    positive: Label | None,
    kernel: Callable[[NDArray[Any], NDArray[Any]], Found],
) -> tuple[Found, Names]:
    """Return what a kernel makes of scores and class codes, and the names of the classes.

    Plain arrays of scores and of classes 0 and 1 go to it as they are, since it checks as it reads;
    anything else, and where it finds fault, is left to `read_detector`, which has the words.
    """
    arrays = plain_arrays(y_true, scores)
    if arrays is not None:
        with suppress(ValueError):
            names = plain_names(arrays[0]) if classes is None else read_names(classes, "classes")
            if names == (0, 1) and positive in (None, names[-1]):
                return kernel(arrays[1], arrays[0]), names
    ranks, y, _, names = read_detector(y_true, scores, None, classes, positive)
    return kernel(ranks, y), names


def read_detector(
    y_true: Column,
    scores: Scores | Column,
    sample_weight: Column | None,
    classes: NamesLike | None,
    positive: Label | None,
) -> tuple[FloatArray, IntArray, FloatArray | None, Names]:
    """Return one number per sample, class codes, weights above 0 and the names of the classes."""
    table = None if isinstance(scores, Scores) else read_table(scores)[0]
    names: Names | None = None
    if table is not None and table.ndim == 1:  # any numbers, for the class `positive`
        column, ranks = read_column(y_true, "y_true"), table
        check_rows(table.size, len(column))
        check_no_nan(table)
        refuse_decisions(scores, table)
        if classes is not None:
            names = _positive_last(read_names(classes, "classes"), positive)
    else:
        column, typed, given = read_pair(y_true, scores, classes)
        if typed.n_classes != 2:
            rule = "must be those of two classes"
            hint = "For one class against the others use class_detectors."
            raise InputError("scores", rule, f"{typed.n_classes} columns", hint=hint)
        names = _positive_last(given, positive)
        ranks = typed.ranks() if names == given else -typed.ranks()
    weights = read_weights(sample_weight, len(column))
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights)
        column, ranks, weights = column.part(kept), ranks[kept], weights[kept]
    if names is None:
        names = _seen(column, positive)
    return ranks, encode(column, names, "classes"), weights, names


def _seen(column: LabelColumn, positive: Label | None) -> Names:
    """Return the two classes that occur; one class seen as 0 or 1 has the other beside it."""
    seen = seen_names(column)
    if positive is None and isinstance(seen[0], str):  # sorted, they could be the wrong way round
        rule = "must be given for labels that are strings"
        hint = "Pass classes=[other, positive], or positive=the class of the scores."
        raise InputError("classes", rule, f"y_true with {quoted(seen)}", hint=hint)
    both: Names = (0, 1) if len(seen) == 1 and seen[0] in (0, 1) else seen
    return _positive_last(both, positive)


def _positive_last(names: Names, positive: Label | None) -> Names:
    if len(names) != 2:
        rule = "must hold two classes, binary"
        hint = "For one class against the others use class_detectors."
        raise InputError("y_true", rule, f"{len(names)} classes, {quoted(names)}", hint=hint)
    if positive is None or positive == names[-1]:
        return names
    if positive not in names:
        raise InputError("positive", f"must be one of the classes {quoted(names)}", repr(positive))
    return names[::-1]


def check_both(names: Names, totals: Sequence[float]) -> None:
    """Refuse a class without samples."""
    for name, total in zip(names, totals, strict=True):
        if total == 0:
            msg = f"a threshold needs samples of both classes: class {quoted([name])} has none."
            raise UndefinedMetricError(msg)
