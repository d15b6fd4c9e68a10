"""Columns of scores as they are named on a command line."""

from collections.abc import Sequence

from stakes._check import InputError
from stakes._text import plain, quoted
from stakes.cli.messages import note, refuse
from stakes.cli.options import Options
from stakes.cli.parsing import listed_classes, listed_names, order_classes
from stakes.cli.places import in_file
from stakes.io import Columns
from stakes.scores import SCORES, Posteriors, Scores

KINDS = {name: read for kind in SCORES.classes.values() for name, read in kind.readers().items()}


def score_columns(scores: str) -> list[str]:
    """Return the columns of scores by name."""
    return listed_names(scores, "--scores", "columns")


def system_scores(table: Columns, named: str, options: Options, names: list[str]) -> Scores:
    """Return the scores of a system in the order of the classes, by the names of its columns."""
    kind, listed = str(options.scores_are), score_columns(named)
    own, spoken = class_part(listed), named.strip().removeprefix("p_")
    if len(own) == 1 and spoken in names[:-1]:
        msg = f"--scores {named!r} seems to be the score of class {spoken!r}, but a single column"
        msg = f"{msg} is the score of {names[-1]!r} here:"
        way_out = "name it last in --classes" if options.classes else f"give --positive {spoken!r}"
        refuse(f"{msg} {way_out}.")
    if options.renormalize and kind != "posteriors":
        refuse(f"--renormalize is for posteriors: --scores-are says {kind}. Leave it out.")
    try:
        values = table.matrix(listed)
        by_sum = options.renormalize
        scores = Posteriors(values, renormalize=True) if by_sum else KINDS[kind](values)
    except InputError as error:
        columns = f"columns {', '.join(plain(c) for c in listed)}"
        place = in_file(error.place, table)
        raise error.moved(source=f"{plain(table.source)}: {columns}", place=place) from error
    if scores.n_classes != len(names):
        msg = f"{plain(table.source)}: scores {named!r} are of {scores.n_classes} classes, but"
        raise InputError(f"{msg} there are {len(names)}: {quoted(names)}.")
    if len(own) > 1 and set(own) == set(names) and own != names:
        return scores.named(tuple(own)).ordered(tuple(names))
    return scores


def class_names(
    classes: str | None, scores: str, labels: Sequence[str] | None, known: Sequence[str] | None
) -> list[str]:
    """Return the classes in the order of the columns: declared, or named by the columns.

    Columns named p_healthy, p_tumour name their classes; what was taken from them is said. Other
    columns are taken in the order of classes that are known, from a calibrator or a cost file.
    """
    if classes is not None:
        return listed_classes(classes)
    columns = score_columns(scores)
    named = class_part(columns)
    fits = set(named) == set(known) if known is not None else set(labels or named) <= set(named)
    if len(columns) > 1 and fits:
        listed = ", ".join(plain(name) for name in named)
        note(f"classes taken from the names of the columns: {listed}.")
        return named
    if known is not None:
        listed = ", ".join(plain(name) for name in known)
        note(f"columns taken in the order of the classes {listed}.")
        return list(known)
    numbered = any(named == [str(k + start) for k in range(len(named))] for start in (0, 1))
    if labels is None or not numbered or len(set(labels)) != len(named):
        msg = f"--classes must name the classes in the order of the score columns {quoted(columns)}"
        refuse(f"{msg}: the labels are {quoted(sorted(set(labels)))}." if labels else f"{msg}.")
    names = order_classes(set(labels), set(), None, None)
    pairs = ", ".join(f"{plain(c)} {plain(n)}" for c, n in zip(columns, names, strict=True))
    note(f"columns taken in the order of the sorted labels: {pairs}.")
    return names


def class_part(columns: Sequence[str]) -> list[str]:
    """Return what columns have to themselves: a, b for p_a, p_b, and 0, 1 for p0, p1."""
    if len(columns) > 1 and all(column.startswith("p_") for column in columns):
        return [column.removeprefix("p_") for column in columns]
    shared = columns[0]
    while not all(column.startswith(shared) for column in columns):
        shared = shared[:-1]
    return [column.removeprefix(shared) or column for column in columns]


def in_order(scores: Scores, names: Sequence[str], wanted: Sequence[str]) -> Scores:
    """Return scores whose columns are in the order of a calibrator or a cost file."""
    if list(names) == list(wanted):
        return scores
    if scores.values.ndim == 1 or sorted(names) != sorted(wanted):
        refuse(f"the classes of the score columns must be {quoted(wanted)}: got {quoted(names)}.")
    return scores.named(tuple(names)).ordered(tuple(wanted))
