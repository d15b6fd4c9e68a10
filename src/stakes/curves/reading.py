"""Labels and scores of a detector, checked and gathered by level."""

import numpy as np

from stakes._check import (
    InputError,
    check_no_nan,
    check_rows,
    encode,
    read_column,
    read_names,
    read_table,
    read_weights,
    seen_names,
)
from stakes._text import quoted
from stakes._typing import Column, FloatArray, Label, Names, NamesLike
from stakes.scores import Posteriors, Scores
from stakes.statistics import ScoreLevels


def read_levels(
    y_true: Column,
    scores: Scores | Column,
    sample_weight: Column | None,
    classes: NamesLike | None,
    positive: Label | None,
) -> tuple[ScoreLevels, Names]:
    """Read a detector's labels and scores; samples of weight 0 are absent."""
    column = read_column(y_true, "y_true")
    ranks, named = _ranks(scores)
    check_rows(ranks.size, len(column))
    weights = read_weights(sample_weight, len(column))
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights)
        column, ranks, weights = column.part(kept), ranks[kept], weights[kept]
    if classes is not None:
        names = read_names(classes, "classes")
    else:
        names = named if named is not None else _default_names(seen_names(column))
    names = _with_positive_last(names, positive)
    y = encode(column, names, "classes")
    return ScoreLevels.of(ranks, y, weights), names


def _ranks(scores: Scores | Column) -> tuple[FloatArray, Names | None]:
    """Return one number per sample; a plain column may hold any numbers but NaN."""
    if not isinstance(scores, Scores):
        table, names, _ = read_table(scores)
        if table.ndim == 1:
            check_no_nan(table)
            return table, names
        scores = Posteriors(scores)
    if scores.n_classes != 2:
        msg = f"scores must be those of two classes: got {scores.n_classes} columns."
        raise InputError(f"{msg} For one class against the others use class_detectors.")
    return scores.ranks(), scores.names


def _default_names(seen: Names) -> Names:
    """Return the two classes; one class seen as 0 or 1 has the other beside it."""
    return (0, 1) if len(seen) == 1 and seen[0] in (0, 1) else seen


def _with_positive_last(names: Names, positive: Label | None) -> Names:
    """Return two names, the class of interest last."""
    if len(names) != 2:
        msg = f"y_true must hold two classes, binary: got {len(names)} classes, {quoted(names)}."
        raise InputError(f"{msg} For one class against the others use class_detectors.")
    if positive is None or positive == names[-1]:
        return names
    if positive not in names:
        msg = f"positive must be one of the classes {quoted(names)}: got {positive!r}."
        raise InputError(msg)
    return names[::-1]
