"""Priors, classes and columns of scores as they are typed on a command line."""

import json
from collections.abc import Sequence

from stakes._check import InputError, read_priors
from stakes._text import key_of, plain, plain_list, quoted
from stakes.cli.messages import note, refuse
from stakes.cli.options import Options
from stakes.cli.places import in_file, said
from stakes.evaluation.applications import DEPLOYMENT
from stakes.io import Columns
from stakes.scores import SCORES, Posteriors, PosteriorScores, Scores

_POSITIVE = {"1", "yes", "y", "true", "t", "positive", "pos", "case", "event", "present", "target"}
KINDS = {name: read for kind in SCORES.classes.values() for name, read in kind.readers().items()}
POSTERIORS = {  # kinds that have priors
    name
    for kind in SCORES.classes.values()
    if issubclass(kind, PosteriorScores)
    for name in kind.readers()
}


def parse_priors(
    text: str, classes: Sequence[str], option: str = "--prior"
) -> dict[str, float] | None:
    """Read `data`, the prior of the class of interest, or `healthy=0.98,tumour=0.02`."""
    typed = _typed_priors(text.strip(), option)
    try:
        priors = read_priors(typed, tuple(classes))
    except InputError as error:
        refuse(said(error.moved(argument=option)))
    return None if priors is None else dict(zip(classes, priors.tolist(), strict=True))


def training_priors(text: str, classes: Sequence[str]) -> dict[str, float] | str:
    """Read `data`, `deployment`, or priors as those of `--prior`."""
    if text.strip() == DEPLOYMENT:
        return DEPLOYMENT
    return parse_priors(text, classes, "--training-prior") or "data"


def _typed_priors(text: str, option: str) -> str | float | list[float] | dict[str, float]:
    """Return what was typed as Python would have it: a number, a list, a mapping, or `data`."""
    if text == "data":
        return text
    if text.startswith("{"):
        try:  # names may hold commas
            return {str(name): float(value) for name, value in json.loads(text).items()}
        except (ValueError, TypeError, AttributeError, RecursionError):
            refuse(f"{option} must be numbers by name: got {text!r}.")
    if "=" in text:
        return parse_pairs(text, option)
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        rule = f"{option} must be a number, name=number pairs or data"
        refuse(f"{rule}: got {text!r}.{_as_share(text)}")
    return values[0] if len(values) == 1 else values


def _as_share(text: str) -> str:
    """Return how a percentage is written; nothing for other texts."""
    try:
        share = float(text.removesuffix("%")) / 100
    except ValueError:
        return ""
    return f" Write {share:g}."


def parse_pairs(text: str, option: str) -> dict[str, float]:
    """Read name=number pairs, separated by commas."""
    pairs: dict[str, float] = {}
    for item in text.split(","):
        name, sign, value = (part.strip() for part in item.rpartition("="))
        try:
            number = float(value)
        except ValueError:
            refuse(f"{option} must hold name=number pairs: got {item!r}.")
        if not sign or name in pairs:
            fault = f"{name!r} twice" if name in pairs else repr(item)
            refuse(f"{option} must hold name=number pairs, each name once: got {fault}.")
        pairs[name] = number
    return pairs


def listed_names(text: str, option: str = "--classes", what: str = "names") -> list[str]:
    """Read names, separated by commas."""
    names = [name.strip() for name in text.split(",")]
    if "" in names or len(set(names)) < len(names):
        refuse(f"{option} must be {what}, separated by commas, each once: got {text!r}.")
    return names


def order_classes(
    found: set[str], classes: str | None = None, positive: str | None = None
) -> list[str]:
    """Return the classes in order: as typed, or sorted, with the class of interest last."""
    if classes is not None:
        return positive_last(listed_names(classes), positive)
    numbers = all(map(_is_number, found))
    names = sorted(found, key=lambda name: (int(name), name)) if numbers else sorted(found)
    return positive_last(names, positive)


def positive_last(names: list[str], positive: str | None) -> list[str]:
    """Return classes with that of interest last."""
    if positive is None:
        return names
    if positive not in names:
        refuse(f"--positive must be one of the classes {quoted(names)}: got {positive!r}.")
    return [*(n for n in names if n != positive), positive]


def _is_number(text: str) -> bool:
    """Tell a whole number of common size, with or without leading zeros."""
    return text.removeprefix("-").isdecimal() and text.isascii() and len(text) < 19


def score_columns(scores: str) -> list[str]:
    """Return the columns of scores by name."""
    return listed_names(scores, "--scores", "columns")


def system_scores(table: Columns, named: str, options: Options, names: list[str]) -> Scores:
    """Return the scores of a system in the order of the classes, by the names of its columns."""
    kind, listed = str(options.scores_are), score_columns(named)
    own, spoken = class_part(listed), named.strip().removeprefix("p_")
    if len(own) == 1 and spoken in names[:-1]:
        msg = f"--scores {named!r} seems to be the score of class {spoken!r}, but a single column"
        msg = f"{msg} must be the score of the last class, {names[-1]!r}:"
        way_out = "name it last in --classes" if options.classes else f"give --positive {spoken!r}"
        refuse(f"{msg} {way_out}.")
    if options.renormalize and kind != "posteriors":
        refuse(f"--renormalize is for posteriors: --scores-are says {kind}. Leave it out.")
    try:
        values = table.matrix(listed)
        by_sum = options.renormalize
        scores = Posteriors(values, renormalize=True) if by_sum else KINDS[kind](values)
    except InputError as error:
        source = f"{plain(table.source)}: columns {plain_list(listed)}"
        raise error.moved(source=source, place=in_file(error.place, table)) from error
    if scores.n_classes != len(names):
        msg = (
            f"{plain(table.source)}: scores {named!r} are for {scores.n_classes} classes, but there"
        )
        count = (
            f"is 1, {quoted(names)}" if len(names) == 1 else f"are {len(names)}, {quoted(names)}"
        )
        raise InputError(f"{msg} {count}. Name all classes with --classes.")
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
        return listed_names(classes)
    columns = score_columns(scores)
    named = class_part(columns)
    fits = set(named) == set(known) if known is not None else set(labels or named) <= set(named)
    if len(columns) > 1 and fits:
        note(f"classes are taken from the column names: {plain_list(named)}.")
        return named
    if known is not None:
        note(f"columns are read in the order of the classes {plain_list(known)}.")
        return list(known)
    numbered = any(named == [str(k + start) for k in range(len(named))] for start in (0, 1))
    if labels is None or not numbered or len(set(labels)) != len(named):
        msg = f"--classes must name the classes in the order of the score columns {quoted(columns)}"
        one = " A single column is the score of the last class, as in --classes no,yes."
        one = one if len(columns) == 1 else _compared(columns, sorted(set(labels or ())))
        shown = f": the labels are {quoted(sorted(set(labels)))}" if labels else ""
        refuse(f"{msg}{shown}.{one}")
    names = order_classes(set(labels))
    pairs = ", ".join(f"{plain(c)} {plain(n)}" for c, n in zip(columns, names, strict=True))
    note(f"columns are read in the order of the sorted labels: {pairs}.")
    return names


def likely_positive(column: str, labels: Sequence[str]) -> str | None:
    """Return which of two labels is probably that of interest, if the names say so.

    That is the label in the name of the column of scores, else one such as 1, yes or positive.
    """
    parts = key_of(column).split("_")
    keys = {label: key_of(label).split("_") for label in labels}
    held = {name: key for name, key in keys.items() if _holds(parts, key)}
    in_name = [  # not "severe" where "very severe" is there
        name
        for name, key in held.items()
        if not any(_holds(k, key) for k in held.values() if k != key)
    ]
    usual = [name for name in labels if name.strip().lower() in _POSITIVE]
    return next((found[0] for found in (in_name, usual) if len(found) == 1), None)


def _holds(parts: list[str], key: list[str]) -> bool:
    """Whether a name, in words, has the words of another."""
    ends = range(len(parts) - len(key) + 1)
    return any(key) and any(parts[at : at + len(key)] == key for at in ends)


def _compared(columns: Sequence[str], labels: Sequence[str]) -> str:
    """Return how columns are compared that may be scores of one class by several models."""
    if len(labels) != 2:
        return ""
    own = class_part([column.removeprefix("p_") for column in columns])
    likely = {likely_positive(column, labels) for column in columns}
    positive = likely.pop() if len(likely) == 1 else None
    systems = " ".join(f"--system {n}={c}" for n, c in zip(own, columns, strict=True))
    which = plain(positive) if positive else "CLASS"
    what = f"class {positive!r}" if positive else "one class"
    return (
        f" If they are scores of {what} by several models: stakes compare FILE --label LABEL"
        f" {systems} --positive {which}."
    )


def class_part(columns: Sequence[str]) -> list[str]:
    """Return what columns have to themselves: a, b for p_a, p_b, and 0, 1 for p0, p1."""
    if len(columns) > 1 and all(column.startswith("p_") for column in columns):
        return [column.removeprefix("p_") for column in columns]
    shared = columns[0]
    while not all(column.startswith(shared) for column in columns):
        shared = shared[:-1]
    return [column.removeprefix(shared) or column for column in columns]
