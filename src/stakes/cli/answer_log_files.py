"""Logs of harnesses as tables of answers: how they are recognised, and what is taken."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from stakes._check import InputError, Place, ResourceError
from stakes._text import plain
from stakes.answer_logs import AnswerLog, read_answer_log
from stakes.cli.answer_request import AnswerRequest
from stakes.cli.answer_tables import AnswerTable
from stakes.cli.messages import refuse

_LONGEST_LINE = 2**24  # bytes of the first line of a log of lm-eval
_LM_EVAL = {"doc_id", "resps"}  # names in every line of it
_ARGUMENTS = {
    "abstain_field": "--abstained",
    "abstain_pattern": "--abstain-pattern",
    "confidence": "--confidence",
    "filter": "--filter",
    "metric": "--metric",
    "partial": "--partial",
    "scorer": "--scorer",
    "slices": "--slice",
}


def is_answer_log(path: str, request: AnswerRequest) -> bool:
    """Tell a harness's log by its ending and first bytes; what is named is a column of a table."""
    o, name = request.options, path.lower()
    if o.input_format is not None or not os.path.isfile(path):  # noqa: PTH113
        return False
    if name.endswith(".eval"):
        return True
    if o.right is not None or o.outcome is not None:
        return False
    if name.endswith(".json"):  # a table is a list
        return _start(path).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    return name.endswith(".jsonl") and _is_lm_eval(path)


def _start(path: str, most: int = 512) -> bytes:
    try:
        with Path(path).open("rb") as stream:
            return stream.read(most)
    except OSError:  # what is wrong with it is said when it is read
        return b""


def _is_lm_eval(path: str) -> bool:
    try:
        with Path(path).open("rb") as stream:
            found = json.loads(stream.readline(_LONGEST_LINE))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and set(found) >= _LM_EVAL


def read_log(path: str, request: AnswerRequest) -> AnswerTable:
    """Read the answers of a log."""
    o, shown = request.options, plain(Path(path).name)
    for flag, value in (("--right", o.right), ("--outcome", o.outcome), ("--model", o.model)):
        if value is not None:
            msg = f"{flag} names a column of a table, but {shown!r} is the log of a harness"
            refuse(f"{msg}. Leave it out; --scorer and --metric say which score counts.")
    if o.weight is not None:
        refuse(f"--weight names a column of a table, but {shown!r} is the log of a harness.")
    size = Path(path).stat().st_size
    if o.max_bytes is not None and size > o.max_bytes:
        raise ResourceError(f"'{shown}' has {size} bytes: --max-bytes allows {o.max_bytes}.")
    kept = tuple(dict.fromkeys((*o.slices, *([o.group] if o.group else []))))
    try:
        log = read_answer_log(path, slices=kept, **request.log_choices)
    except InputError as error:
        option = _ARGUMENTS.get(error.argument or "", error.argument)
        raise error.moved(argument=option) from error
    return _table(log, request)


def _table(log: AnswerLog, request: AnswerRequest) -> AnswerTable:
    o, found = request.options, log.columns()
    roles = ("question", "right", "abstained", "confidence")
    columns = {role: _array(found[role]) for role in roles if role in found}
    if o.group is not None:
        columns["group"] = _array([str(value) for value in log.slices[o.group]])
    questions, epochs = found["question"], found["epoch"]

    def place(row: int) -> Place:
        which = f"question {plain(questions[row])}, epoch {epochs[row]}"
        return Place(file=f"{plain(log.source)}, {which}")

    about = f"{log.harness}, task {plain(log.task or 'unknown')}, model {plain(log.model or '?')}"
    return AnswerTable(
        source=log.source,
        columns=columns,
        slices={name: _array(log.slices[name]) for name in o.slices},
        weights=None,
        rows=np.arange(len(log)),
        placed=place,
        origin={"log": about, **log.origin},
        notes=tuple(_notes(log)),
        model=log.model,
    )


def _array(values: list[Any]) -> Any:  # noqa: ANN401
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _notes(log: AnswerLog) -> list[str]:
    """Say what was left out of a log, and what else is to be known of it."""
    name, notes = plain(log.source), []
    for reason, count in Counter(each.reason for each in log.left_out).items():
        first = next(each for each in log.left_out if each.reason == reason)
        notes.append(f"{name}: left out {count} with {reason}; first {first}.")
    return notes + [f"{name}: {note}." for note in log.notes]
