"""Trials of speaker recognition: scores and their key, joined by model and segment."""

__all__ = ["join_keys"]

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from stakes._check import InputError
from stakes._text import plain
from stakes.io.batches import Batch, Lines, Places
from stakes.io.columns import Columns
from stakes.io.gather import Numbers, Texts
from stakes.io.rows import cut_rows
from stakes.io.sources import Source, find_parts
from stakes.io.streams import Limits, Progress, decode, open_stream
from stakes.io.text import NUMBER, SPECIAL

_LABELS = ("nontarget", "target")
_Line = tuple[str, int, str, str, str]  # file, line, model, segment, value


def join_keys(
    scores_source: Source,
    key_source: Source,
    *,
    max_bytes: int | None = None,
    patience: float = 60.0,
    progress: Progress | None = None,
) -> Columns:
    """Join lines `model segment score` with lines `model segment target` or `nontarget`."""
    limits = Limits.of(max_bytes, patience, progress)
    key = _read_key(key_source, limits)
    shown, _ = find_parts(scores_source, "csv")
    places: list[tuple[str, int]] = []
    scores: list[float] = []
    labels: list[tuple[str, str, str]] = []
    for file, line, model, segment, value in _trials(scores_source, limits):
        place, trial = f"{file}, line {line}", (model, segment)
        if not (NUMBER.fullmatch(value) or SPECIAL.fullmatch(value)):
            msg = f"{place}: the score must be a number: got '{plain(value)}'."
            raise InputError(msg)
        if trial not in key:
            msg = f"{place}: the trial '{plain(f'{model} {segment}')}' is not in the key."
            raise InputError(msg)
        label, known = key[trial]
        if known is None:
            msg = f"{place}: the trial '{plain(f'{model} {segment}')}' is scored twice."
            raise InputError(msg)
        key[trial] = (label, None)
        places.append((file, line))
        scores.append(float(value))
        labels.append((label, model, segment))
    _refuse_left_over(key, shown)
    return _joined(shown, places, labels, scores)


def _read_key(source: Source, limits: Limits) -> dict[tuple[str, str], tuple[str, str | None]]:
    """Read what each trial is, and where the key says so."""
    key: dict[tuple[str, str], tuple[str, str | None]] = {}
    for file, line, model, segment, value in _trials(source, limits):
        place = f"{file}, line {line}"
        if value not in _LABELS:
            msg = f"{place}: the key must say target or nontarget: got '{plain(value)}'."
            raise InputError(msg)
        if (model, segment) in key:
            msg = f"{place}: the trial '{plain(f'{model} {segment}')}' is in the key twice."
            raise InputError(msg)
        key[model, segment] = (_LABELS[_LABELS.index(value)], place)
    return key


def _refuse_left_over(key: dict[tuple[str, str], tuple[str, str | None]], shown: str) -> None:
    """Refuse trials of the key that have no score."""
    left = [(trial, place) for trial, (_, place) in key.items() if place is not None]
    if left:
        (model, segment), place = left[0]
        more = f", like {len(left) - 1} more" if len(left) > 1 else ""
        msg = f"{place}: the trial '{plain(f'{model} {segment}')}' has no score in '{shown}'{more}."
        raise InputError(msg)


def _trials(source: Source, limits: Limits) -> Iterator[_Line]:
    """Go through the lines of a file of trials, whatever its ending."""
    _, parts = find_parts(source, "csv")
    for part in parts:
        with open_stream(part, limits) as stream:
            for chunk in cut_rows(stream, quotes=False):
                text = decode(chunk.data, part.name, chunk.line).replace("\r\n", "\n")
                for line, each in enumerate(text.replace("\r", "\n").split("\n"), chunk.line):
                    fields = each.split()
                    if fields and len(fields) != 3:
                        msg = f"{part.name}, line {line} must have 3 fields, model, segment and"
                        raise InputError(f"{msg} value: got {len(fields)} fields.")
                    if fields:
                        yield part.name, line, fields[0], fields[1], fields[2]


def _joined(
    shown: str,
    lines: list[tuple[str, int]],
    labels: list[tuple[str, str, str]],
    scores: list[float],
) -> Columns:
    """Return joined trials as columns, in the order of the scores."""
    import pyarrow as pa  # noqa: PLC0415

    if not lines:
        msg = f"'{shown}' must hold trials: it has no rows."
        raise InputError(msg)
    places = Places()
    texts = {name: Texts(name, places) for name in ("label", "model", "segment")}
    score = Numbers("score", places, finite=False)
    names = [file for file, _ in lines]
    starts = [0, *(i for i in range(1, len(names)) if names[i] != names[i - 1]), len(names)]
    for start, stop in pairwise(starts):
        columns = zip(texts, zip(*labels[start:stop], strict=True), strict=True)
        table = pa.table({**dict(columns), "score": scores[start:stop]})
        listed = np.array([line for _, line in lines[start:stop]], dtype=np.int64)
        places.begin(names[start])
        places.add(Batch(table, Lines(int(listed[0]), listed)))
        for name, text in texts.items():
            text.add(table.column(name), start, names[start])
        score.add(table.column("score"), start, names[start])
    return Columns(shown, places, texts, {"score": score.values()})
