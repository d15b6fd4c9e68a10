"""Columns of scores as they are named on a command line."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from stakes._check import InputError, Rounding
from stakes._text import plain, quoted
from stakes.cli.parsing import listed_classes, order_classes
from stakes.cli.places import in_file
from stakes.io import Columns
from stakes.scores import SCORES, Posteriors, Scores

KINDS = {name: read for kind in SCORES.classes.values() for name, read in kind.readers().items()}


def score_columns(scores: str) -> list[str]:
    """Return the columns of scores by name."""
    columns = [name.strip() for name in scores.split(",")]
    if "" in columns or len(set(columns)) < len(columns):
        msg = f"--scores must be columns, separated by commas, each once: got {scores!r}."
        raise click.UsageError(msg)
    return columns


def typed(
    table: Columns, named: str, kind: str, names: Sequence[str], *, renormalize: bool = False
) -> Scores:
    """Return the scores of a table, of the declared kind and for these classes."""
    listed = score_columns(named)
    if renormalize and kind != "posteriors":
        msg = f"--renormalize is for posteriors: --scores-are says {kind}. Leave it out."
        raise click.UsageError(msg)
    try:
        values = table.matrix(listed)
        scores = Posteriors(values, renormalize=True) if renormalize else KINDS[kind](values)
    except InputError as error:
        columns = f"columns {', '.join(plain(c) for c in listed)}"
        place = in_file(error.place, table)
        raise error.moved(source=f"{plain(table.source)}: {columns}", place=place) from error
    if scores.n_classes != len(names):
        msg = f"{plain(table.source)}: scores {named!r} are of {scores.n_classes} classes, but"
        raise InputError(f"{msg} there are {len(names)}: {quoted(names)}.")
    return scores


def declared(table: Columns, options: Mapping[str, Any], names: Sequence[str]) -> Scores:
    """Return the scores that options declare."""
    return typed(
        table,
        options["scores"],
        options["scores_are"],
        names,
        renormalize=options["renormalize"],
    )


def say_rounding(rounding: Rounding | None) -> None:
    """Say that rows were rounded, where no record of the command can say it."""
    if rounding is not None:
        click.echo(f"Note: {rounding}", err=True)


def reading(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a table is to be read."""
    return {
        "kind": options["input_format"],
        "max_bytes": options["max_bytes"],
        "patience": options["timeout"],
    }


def refuse_stream(file: str) -> None:
    """Refuse standard input where a table is read twice: its scores, then all of it."""
    if file == "-":
        msg = "FILE must not be standard input here: it is read twice. Save it to a file first."
        raise click.UsageError(msg)


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
        click.echo(f"Note: classes taken from the names of the columns: {listed}.", err=True)
        return named
    if known is not None:
        listed = ", ".join(plain(name) for name in known)
        click.echo(f"Note: columns taken in the order of the classes {listed}.", err=True)
        return list(known)
    if labels is not None and _numbered(named) and len(set(labels)) == len(named):
        return _sorted_classes(columns, set(labels))
    msg = f"--classes must name the classes in the order of the score columns {quoted(columns)}:"
    msg = f"{msg} the labels are {quoted(sorted(set(labels)))}." if labels else f"{msg[:-1]}."
    raise click.UsageError(msg)


def _numbered(parts: Sequence[str]) -> bool:
    """Whether columns are only numbered, from 0 or from 1."""
    return any(list(parts) == [str(k + start) for k in range(len(parts))] for start in (0, 1))


def _sorted_classes(columns: Sequence[str], labels: set[str]) -> list[str]:
    """Return the labels in sorted order for columns that are only numbered, and say so."""
    names = order_classes(labels, set(), None, None)
    pairs = ", ".join(f"{plain(c)} {plain(n)}" for c, n in zip(columns, names, strict=True))
    click.echo(f"Note: columns taken in the order of the sorted labels: {pairs}.", err=True)
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
        msg = f"the classes of the score columns must be {quoted(wanted)}: got {quoted(names)}."
        raise click.UsageError(msg)
    return scores.named(tuple(names)).ordered(tuple(wanted))
