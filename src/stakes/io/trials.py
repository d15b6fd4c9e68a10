"""Trials of speaker recognition: scores and their key, joined by model and segment."""

from __future__ import annotations

__all__ = ["join_keys"]

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from stakes._check import InputError
from stakes._text import plain
from stakes.io.arrow_library import pa
from stakes.io.batches import Ask, Batch, Part
from stakes.io.columns import Columns, Gathering
from stakes.io.readers.delimited import NUMBER, SPECIAL
from stakes.io.sources import Source, find_parts
from stakes.io.streams import Limits, Progress, open_stream
from stakes.io.text_rows import text_lines

_LABELS = ("nontarget", "target")
_ASK = Ask(texts=("label", "model", "segment"), numbers=("score",))


class _Trial(NamedTuple):
    """A line of a file of trials."""

    part: Part
    line: int
    model: str
    segment: str
    value: str

    @property
    def called(self) -> tuple[str, str]:
        return self.model, self.segment

    def wrong(self, fault: str) -> InputError:
        return InputError(f"{self.part.name}, line {self.line}: {fault}.")

    def itself(self, fault: str) -> InputError:
        return self.wrong(f"the trial '{plain(f'{self.model} {self.segment}')}' {fault}")


def join_keys(
    scores_source: Source,
    key_source: Source,
    *,
    max_bytes: int | None = None,
    patience: float = 60.0,
    progress: Progress | None = None,
) -> Columns:
    r"""Join lines `model segment score` with lines `model segment target` or `nontarget`.

    Parameters
    ----------
    scores_source, key_source : path
        The file of scores and the key file; every score must have its key.
    max_bytes : int, optional
        As in `read_columns`.
    patience : float, default 60.0
        As in `read_columns`.
    progress : callable, optional
        As in `read_columns`.

    Returns
    -------
    Columns
        With the columns `model`, `segment`, `score` and `label`.

    See Also
    --------
    read_columns : tables with a header.
    cllr : how good the scores are.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from stakes.io import join_keys
    >>> with TemporaryDirectory() as folder:
    ...     scores, key = Path(folder, "scores"), Path(folder, "key")
    ...     _ = scores.write_text("anna a.wav 2.5\nanna b.wav -3.0\n")
    ...     _ = key.write_text("anna a.wav target\nanna b.wav nontarget\n")
    ...     joined = join_keys(scores, key)
    >>> joined.numbers("score").tolist()
    [2.5, -3.0]
    """
    limits = Limits.read(max_bytes, patience, progress)
    key: dict[tuple[str, str], _Trial] = {}
    for trial in _trials(key_source, limits):
        if trial.value not in _LABELS:
            raise trial.wrong(f"the key must say target or nontarget: got '{plain(trial.value)}'")
        if trial.called in key:
            raise trial.itself("is in the key twice")
        key[trial.called] = trial
    shown, _ = find_parts(scores_source, "csv")
    scored: dict[tuple[str, str], _Trial] = {}
    for trial in _trials(scores_source, limits):
        if not (NUMBER.fullmatch(trial.value) or SPECIAL.fullmatch(trial.value)):
            raise trial.wrong(f"the score must be a number: got '{plain(trial.value)}'")
        if trial.called not in key:
            raise trial.itself("is not in the key")
        if trial.called in scored:
            raise trial.itself("is scored twice")
        scored[trial.called] = trial
    left = [trial for called, trial in key.items() if called not in scored]
    if left:
        more = f", like {len(left) - 1} more" if len(left) > 1 else ""
        raise left[0].itself(f"has no score in '{shown}'{more}")
    if not scored:
        raise InputError(f"'{shown}' must hold trials: it has no rows.")
    return _joined(shown, list(scored.values()), key)


def _trials(source: Source, limits: Limits) -> Iterator[_Trial]:
    """Go through the lines of a file of trials, whatever its ending."""
    _, parts = find_parts(source, "csv")
    for part in parts:
        with open_stream(part, limits) as stream:
            for line, text in text_lines(stream):
                fields = text.split()
                if fields and len(fields) != 3:
                    msg = f"{part.name}, line {line} must have 3 fields, model, segment and"
                    raise InputError(f"{msg} value: got {len(fields)} fields.")
                if fields:
                    yield _Trial(part, line, *fields)


def _joined(shown: str, scored: list[_Trial], key: dict[tuple[str, str], _Trial]) -> Columns:
    """Return joined trials as columns, in the order of the scores."""
    gathered = Gathering(_ASK)
    for part, some in groupby(scored, lambda trial: trial.part):
        trials = list(some)
        rows = [(key[t.called].value, *t.called, float(t.value)) for t in trials]
        table = pa.table(dict(zip(_ASK.names, map(list, zip(*rows, strict=True)), strict=True)))
        gathered.begin(part)
        gathered.add(Batch(table, [trial.line for trial in trials]))
    return gathered.columns(shown)
