"""Answers of one model or of several, whose rows are paired by question."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stakes._check import InputError
from stakes._counting import bincount
from stakes._text import plain, plain_list, quoted
from stakes._typing import BoolArray, NDArray
from stakes.cli.answer_request import AnswerRequest
from stakes.cli.answer_tables import (
    AnswerTable,
    check_alike,
    read_table_of_answers,
    responses_of,
)
from stakes.cli.messages import refuse
from stakes.evaluation.verdicts.wording import counted
from stakes.responses import Responses

_COMMON = "Give --common to keep those that all have."


@dataclass(frozen=True, eq=False)
class Models:
    """The responses of each model, by its name; rows of several are paired."""

    source: str
    tables: Mapping[str, AnswerTable]
    responses: Mapping[str, Responses]
    origin: Mapping[str, Mapping[str, str]]  # by file, where each column was taken from
    notes: tuple[str, ...]

    @property
    def slices(self) -> Mapping[str, NDArray[Any]]:
        """The columns of slices, those of the first model: the others have the same."""
        return next(iter(self.tables.values())).slices


def read_models(request: AnswerRequest, *, paired: bool = True) -> Models:
    """Read all files and pair the rows of models, where they are to be compared."""
    o = request.options
    files = (o.file,) if isinstance(o.file, str) else o.file
    if o.model is not None and len(files) > 1:
        refuse("--model is for one table: with several files each is a model. Leave it out.")
    twice = next((path for path in files if files.count(path) > 1), None)
    if twice is not None:
        refuse(f"each file must be named once: {twice!r} is named twice.")
    if o.common and o.model is None and len(files) == 1:
        refuse("--common is for several models: name several files, or give --model.")
    read = [_read(path, request) for path in files]
    tables = read[0].by_model() if o.model is not None else _by_file(files, read, o.model_names)
    notes = [note for table in read for note in table.notes]
    group = "group" if o.group is not None else _repeated(tables)
    for table in tables.values():  # rows are named as they stand in the file
        responses_of(table, request, group)
    if paired and len(tables) > 1:
        tables, more = _paired(tables, request)
        notes += more
        group = "group" if o.group is not None else _repeated(tables)
        check_alike(tables, _shared(request))
    if group == "question":
        notes.append("Some questions occur several times for a model: each is treated as a group.")
    return Models(
        source=read[0].source if len(read) == 1 else _joined([table.source for table in read]),
        tables=tables,
        responses={name: responses_of(each, request, group) for name, each in tables.items()},
        origin={table.source: table.origin for table in read},
        notes=tuple(notes),
    )


def _read(path: str, request: AnswerRequest) -> AnswerTable:
    """Read a table, or the log of a harness."""
    from stakes.cli.answer_log_files import is_answer_log, read_log  # noqa: PLC0415  seldom needed

    return (read_log if is_answer_log(path, request) else read_table_of_answers)(path, request)


def _joined(names: list[str]) -> str:
    return f"{names[0]} and {len(names) - 1} more"


def _shared(request: AnswerRequest) -> dict[str, str]:
    """Return the columns that belong to the question, not to the answer."""
    o = request.options
    named = {"group": o.group, "weight": o.weight} | {name: name for name in o.slices}
    return {role: name for role, name in named.items() if name is not None}


def _by_file(
    files: tuple[str, ...], read: list[AnswerTable], given: Mapping[str, str]
) -> dict[str, AnswerTable]:
    """Name each table by what was typed or the log says, else by its file without its ending."""
    logged = [table.model for table in read]
    names = [
        given.get(path) or (model if model and logged.count(model) == 1 else _stem(path))
        for path, model in zip(files, logged, strict=True)
    ]
    double = next((name for name in names if names.count(name) > 1), None)
    if double is not None:
        refuse(f"two files are the model {double!r}: name them, as in a={files[0]} b={files[1]}.")
    return dict(zip(names, read, strict=True))


def _stem(path: str) -> str:
    name = Path(path).name
    return Path(name.removesuffix(".gz")).stem or name


def _repeated(tables: Mapping[str, AnswerTable]) -> str | None:
    """Return that questions are groups, where a model has one several times."""
    for table in tables.values():
        asked = table.columns.get("question")
        if asked is not None and len(set(asked.tolist())) < len(asked):
            return "question"
    return None


def _paired(
    tables: Mapping[str, AnswerTable], request: AnswerRequest
) -> tuple[dict[str, AnswerTable], list[str]]:
    """Return tables whose rows are about the same questions, in an order of their own."""
    if all("question" in table.columns for table in tables.values()):
        return _by_question(tables, common=request.options.common)
    if request.options.model is not None:
        refuse("--question must name the column that pairs the rows of models.")
    sizes = {name: len(table) for name, table in tables.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{plain(name)} {n}" for name, n in sizes.items())
        msg = (
            f"the files must have the same number of rows to be paired by their order: got {listed}"
        )
        raise InputError(f"{msg}. Name the column that pairs them with --question.")
    if request.options.common:
        refuse("--common needs --question, which names the column that pairs the rows.")
    order = np.lexsort([key for table in tables.values() for key in reversed(table.keys())])
    note = "Rows of the files are paired by their order, since --question is not given."
    return {name: table.some(order) for name, table in tables.items()}, [note]


def _by_question(
    tables: Mapping[str, AnswerTable], *, common: bool
) -> tuple[dict[str, AnswerTable], list[str]]:
    asked = {name: table.columns["question"].astype(str) for name, table in tables.items()}
    questions, codes = np.unique(np.concatenate(list(asked.values())), return_inverse=True)
    ends = np.cumsum([len(table) for table in tables.values()])[:-1]
    by_model = dict(zip(tables, np.split(codes, ends), strict=True))
    counts = {name: bincount(of, minlength=questions.size) for name, of in by_model.items()}
    everywhere = np.all([count > 0 for count in counts.values()], axis=0)
    if not everywhere.all() and not common:
        raise _missing(questions, everywhere, counts, tables, by_model)
    if not everywhere.any():
        raise InputError(f"no question occurs for all of the models {quoted(tables)}.")
    _refuse_unequal(questions, everywhere, counts)
    out, notes = {}, []
    for name, table in tables.items():
        order = np.lexsort([*reversed(table.keys()), by_model[name]])
        out[name] = table.some(order[everywhere[by_model[name][order]]])
    if not everywhere.all():
        kept = counted(int(everywhere.sum()), "questions")
        notes.append(f"{kept} of {questions.size} are kept: those that all models have.")
    return out, notes


def _missing(
    questions: NDArray[Any],
    everywhere: BoolArray,
    counts: Mapping[str, NDArray[Any]],
    tables: Mapping[str, AnswerTable],
    by_model: Mapping[str, NDArray[Any]],
) -> InputError:
    """Return the error for questions that only some models have: it names the first."""
    first = int(np.flatnonzero(~everywhere)[0])
    without = [name for name, count in counts.items() if not count[first]]
    there = next(name for name, count in counts.items() if count[first])
    row = int(np.flatnonzero(by_model[there] == first)[0])
    number = int((~everywhere).sum())
    who = f"{plain(there)!r} has it at {tables[there].place(row)}, {plain_list(without)} has not"
    more = f" ({number} of {questions.size} questions are like this)" if number > 1 else ""
    msg = f"question {plain(questions[first])!r} must occur for every model: {who}{more}."
    return InputError(msg, hint=_COMMON)


def _refuse_unequal(
    questions: NDArray[Any], everywhere: BoolArray, counts: Mapping[str, NDArray[Any]]
) -> None:
    """Refuse a question that models have a different number of times."""
    stacked = np.stack(list(counts.values()))
    odd = np.flatnonzero(everywhere & (stacked != stacked[0]).any(axis=0))
    if odd.size:
        first = int(odd[0])
        listed = ", ".join(f"{plain(name)} {count[first]}" for name, count in counts.items())
        msg = f"question {plain(questions[first])!r} must occur equally often for every model"
        raise InputError(f"{msg}: got {listed}. Leave out runs that only some have.")
