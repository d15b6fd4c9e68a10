"""Samples that lm-eval logged: `samples_TASK_DATE.jsonl`, a line for each document and filter."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stakes._check import InputError, Place
from stakes._files import read_text
from stakes._text import plain, quoted
from stakes.answer_logs.answer_log import AnswerLog, LoggedOptions
from stakes.answer_logs.json_items import parse_json
from stakes.answer_logs.log_fields import field_at
from stakes.answer_logs.logged_options import OptionReader
from stakes.answer_logs.reading_choices import AnswerRows, LogChoices, is_unscored
from stakes.io.batches import Part
from stakes.io.streams import Limits, open_stream
from stakes.io.text_rows import text_lines

HARNESS = "lm_eval"
RESPONSE = ("right", "abstained", "confidence")  # fields of what stakes.lm_eval logs
_OWN = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
}
_FILE = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d{2}-\d{2}T[\d.-]+)\.jsonl")


@dataclass(frozen=True)
class RunDescription:
    """What the results file next to the samples says: model, task, and what precedes options."""

    task: str | None = None
    model: str | None = None
    delimiter: str | None = None

    @classmethod
    def of_results(cls, results: Any, task: str) -> "RunDescription":  # noqa: ANN401
        """Return what results say of one of their tasks."""
        paths = ("model_name", "config.model", f"configs.{task}.target_delimiter")
        found = [field_at(results, path) for path in paths]
        name, model, delimiter = (text if isinstance(text, str) else None for text in found)
        return cls(task, name or model, delimiter)


def read_lm_eval_log(path: str, name: str, choices: LogChoices) -> AnswerLog:
    """Read the samples of one task."""
    return log_of_rows(_lines(path, name), name, choices, _description(path))


def log_of_rows(
    rows: Iterable[tuple[str, Any]], name: str, choices: LogChoices, about: RunDescription
) -> AnswerLog:
    """Return the log of samples, each with its place."""
    reading = _Reading(choices, OptionReader(about.delimiter))
    for place, row in rows:
        reading.add(row, place)
    return reading.log(name, about)


def _lines(path: str, name: str) -> Iterator[tuple[str, Any]]:
    with open_stream(Part(path, name, None), Limits()) as stream:
        for line, text in text_lines(stream):
            if text.strip():
                place = f"'{name}', line {line}"
                yield place, parse_json(text, place)


def results_beside(path: str) -> Path | None:
    """Return where the file of results of the same run would lie; None for other names."""
    found = _FILE.fullmatch(Path(path).name)
    return None if found is None else Path(path).with_name(f"results_{found['date']}.json")


def _description(path: str) -> RunDescription:
    """Read the file of results of the same run, where it lies beside."""
    found, beside = _FILE.fullmatch(Path(path).name), results_beside(path)
    if found is None or beside is None:
        return RunDescription()
    task = found["task"]
    if not beside.is_file():
        return RunDescription(task)
    results = parse_json(read_text(beside), f"'{plain(beside.name, 200)}'")
    return RunDescription.of_results(results, task)


@dataclass
class _Reading:
    """Rows of a log of lm-eval while it is read."""

    choices: LogChoices
    options: OptionReader
    metric: str | None = None
    filters: dict[str, None] = field(default_factory=dict)
    rows: AnswerRows | None = None
    seen: set[Any] = field(default_factory=set)

    def add(self, row: Any, place: str) -> None:  # noqa: ANN401
        """Add one line, if it is of the filter that is asked for."""
        if not isinstance(row, Mapping) or "doc_id" not in row or "arguments" not in row:
            rule = "must be a sample of lm-eval, an object with doc_id and arguments"
            raise InputError(f"{place} {rule}: got {plain(repr(row))}.")
        used = row.get("filter", "none")
        self.filters[used] = None
        if used != (self.choices.filter or next(iter(self.filters))):
            return
        if row["doc_id"] in self.seen:
            raise InputError(f"{place}: doc_id {plain(row['doc_id'])} occurs twice.")
        self.seen.add(row["doc_id"])
        if self.rows is None:
            self.metric = _one_metric(row, self.choices.metric)
            self.rows = AnswerRows(self.choices, (self.metric, "doc"))
        self._add_answer(self.rows, row, place)

    def _add_answer(self, rows: AnswerRows, row: Mapping[str, Any], place: str) -> None:
        metric = str(self.metric)
        if metric not in row:
            raise InputError(f"{place} must have the metric {metric!r}, as lines before it do.")
        value = row[metric]
        options = self.options.read(row, place)
        text = _text_of(row, None if options is None else self.options.bare(options), metric)
        if _is_response(value):
            value = "N" if value["abstained"] else value["right"]
        if is_unscored(value):
            raise InputError(f"{place} must have a value of the metric {metric!r}: it has none.")
        rows.add(row, row["doc_id"], 1, value, text, Place(file=place), what=metric)
        if options is not None:
            rows.options.append(options)

    def log(self, name: str, about: RunDescription) -> AnswerLog:
        """Return the record of the log."""
        if len(self.filters) > 1 and self.choices.filter is None:
            rule = "must name one filter of the log"
            raise InputError("filter", rule, None, hint=f"It has {quoted(self.filters)}.")
        if self.rows is None:
            if self.filters:
                rule, got = "must name a filter of the log", repr(self.choices.filter)
                raise InputError("filter", rule, got, hint=f"It has {quoted(self.filters)}.")
            raise InputError(f"'{name}' must have samples: it is empty.")
        rows = self.rows
        if rows.options:
            rows.options = self.options.settle(rows.options)
        used = self.choices.filter or next(iter(self.filters))
        origin = {
            "question": "'doc_id' of each line",
            "epoch": "1: lm-eval scores each document once",
            "right": f"metric {self.metric!r} (1 right, 0 wrong), filter {used!r}",
        }
        if rows.options:
            origin["options"] = self.options.said()
        origin["model"] = (
            "results file next to the samples"
            if about.model
            else "not in the file; a results_DATE.json next to it would say"
        )
        return rows.log(name, HARNESS, (about.task, about.model), origin, self.options.notes)


def _is_response(value: Any) -> bool:  # noqa: ANN401
    """Tell whether a value is what `stakes.lm_eval` logs for each answer."""
    return isinstance(value, Mapping) and set(value) == set(RESPONSE)


def _one_metric(row: Mapping[str, Any], named: str | None) -> str:
    """Return the metric that is asked for, or the only one."""
    metrics = row.get("metrics") or [name for name in row if name not in _OWN]
    ours = [name for name in metrics if _is_response(row.get(name))]
    if named is None and (len(metrics) == 1 or ours):
        return str((ours or metrics)[0])
    if named is None or named not in metrics:
        rule = "must name one metric of the log"
        raise InputError("metric", rule, repr(named), hint=f"It has {quoted(metrics)}.")
    return named


def _text_of(row: Mapping[str, Any], options: LoggedOptions | None, metric: str) -> str:
    """Return what the model said: its text, or that of the option that it was scored for."""
    if options is not None:
        return "" if options.texts is None else options.texts[options.chosen(metric)]
    first: Any = row.get("resps")
    while isinstance(first, list | tuple) and first:
        first = first[0]
    return first if isinstance(first, str) else ""
