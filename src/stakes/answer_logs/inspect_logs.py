"""Logs of inspect: `.eval`, a zip with one member for each sample, and `.json`, one object."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from stakes._check import InputError, Place
from stakes._text import plain, quoted
from stakes.answer_logs.answer_log import AnswerLog, LeftOut
from stakes.answer_logs.json_items import object_items, parse_json
from stakes.answer_logs.log_fields import MISSING, field_at
from stakes.answer_logs.reading_choices import AnswerRows, LogChoices, is_unscored
from stakes.answer_logs.zip_members import Archive, open_archive
from stakes.io.batches import Part
from stakes.io.streams import Limits, open_stream

HARNESS = "inspect_ai"
_SAMPLES, _HEADER, _START = "samples/", "header.json", "_journal/start.json"


@dataclass
class _Samples:
    """The samples of a log, and what it says of all of them, known when the last was read."""

    name: str
    header: dict[str, Any] = field(default_factory=dict)

    def of_archive(self, path: str) -> Iterator[tuple[str, Any]]:
        """Yield each sample with its place; the header is known before."""
        with open_archive(path, self.name) as archive:
            head = next((name for name in (_HEADER, _START) if name in archive.members), None)
            if head is None:
                rule = "must be a log of inspect: it has neither header.json nor a journal"
                raise InputError(f"'{self.name}' {rule}.")
            self.header = _loaded(archive, head)
            for member in archive.members:
                if member.startswith(_SAMPLES) and member.endswith(".json"):
                    yield archive.place(member), _loaded(archive, member)

    def of_json(self, path: str) -> Iterator[tuple[str, Any]]:
        """Yield each sample with its place; the header may follow."""
        with open_stream(Part(path, self.name, None), Limits()) as stream:
            count = 0
            for name, value in object_items(stream, "samples"):
                if name != "samples":
                    if name in {"eval", "status", "version"}:
                        self.header[name] = value
                elif value is not None:
                    yield f"'{self.name}', sample {count}", _object(value, f"sample {count}")
                    count += 1
        if "eval" not in self.header:
            raise InputError(f"'{self.name}' must be a log of inspect: it has no 'eval'.")


def _loaded(archive: Archive, member: str) -> dict[str, Any]:
    place = archive.place(member)
    return _object(parse_json(archive.read(member), place), place)


def _object(value: Any, place: str) -> dict[str, Any]:  # noqa: ANN401
    if isinstance(value, dict):
        return value
    raise InputError(f"{place} must be an object of JSON: got {plain(repr(value))}.")


def read_inspect_log(path: str, name: str, choices: LogChoices, *, packed: bool) -> AnswerLog:
    """Read a log of inspect; samples are read one by one."""
    samples = _Samples(name)
    each = samples.of_archive(path) if packed else samples.of_json(path)
    reading = _Reading(choices)
    for place, sample in each:
        reading.add(sample, place)
    return reading.log(name, samples.header)


@dataclass
class _Reading:
    """Rows of a log of inspect while it is read."""

    choices: LogChoices
    scorer: str | None = None
    rows: AnswerRows | None = None
    left_out: list[LeftOut] = field(default_factory=list)
    seen: set[tuple[Any, Any]] = field(default_factory=set)
    scored_errors: int = 0

    def add(self, sample: dict[str, Any], place: str) -> None:
        """Add one sample, or note why it is left out."""
        question, epoch = sample.get("id"), sample.get("epoch", 1)
        if not isinstance(question, str | int) or not isinstance(epoch, int):
            raise InputError(f"{place} must have an id and an epoch: got {plain(repr(question))}.")
        if (question, epoch) in self.seen:
            raise InputError(f"{place}: question {plain(question)}, epoch {epoch} occurs twice.")
        self.seen.add((question, epoch))
        scores = sample.get("scores") or {}
        error = sample.get("error")
        if isinstance(error, Mapping):
            self.scored_errors += bool(scores)
            self._leave_out(question, epoch, "an error", str(error.get("message", "")))
            return
        if not scores:
            self._leave_out(question, epoch, "no score", "")
            return
        self._add_scored(sample, scores, place)

    def _leave_out(self, question: str | int, epoch: int, reason: str, text: str) -> None:
        self.left_out.append(LeftOut(question, epoch, reason, text))

    def _add_scored(self, sample: dict[str, Any], scores: Mapping[str, Any], place: str) -> None:
        question, epoch = sample["id"], sample.get("epoch", 1)
        if self.scorer is None:
            self.scorer = _one_scorer(scores, self.choices.scorer)
            home = f"scores.{self.scorer}.metadata"
            self.rows = AnswerRows(self.choices, (home, "metadata", "store"))
        score = scores.get(self.scorer)
        if score is None:
            self._leave_out(question, epoch, f"no score of {self.scorer!r}", "")
            return
        value = self._value(score, place)
        if is_unscored(value):
            self._leave_out(question, epoch, "unscored", str(score.get("reason") or ""))
            return
        assert self.rows is not None  # noqa: S101  with the scorer
        text = field_at(sample, "output.completion")
        what = f"scores.{self.scorer}.value"
        spoken = text if isinstance(text, str) else ""
        self.rows.add(sample, question, epoch, value, spoken, Place(file=place), what=what)

    def _value(self, score: Any, place: str) -> Any:  # noqa: ANN401
        """Return the value of a score; of several, the one that is named."""
        value = field_at(score, "value")
        if value is MISSING:
            raise InputError(f"{place}: the score of {self.scorer!r} must have a value.")
        if not isinstance(value, Mapping):
            return value
        if self.choices.metric is None or self.choices.metric not in value:
            rule = f"must name one value of the score {self.scorer!r}"
            got = repr(self.choices.metric)
            raise InputError("metric", rule, got, hint=f"It has {quoted(value)}.")
        return value[self.choices.metric]

    def log(self, name: str, header: Mapping[str, Any]) -> AnswerLog:
        """Return the record of the log."""
        if self.rows is None:
            reasons = "; ".join(str(each) for each in self.left_out[:1])
            found = f"{len(self.left_out)} samples without a score" if reasons else "no samples"
            first = f": {reasons}" if reasons else ""
            raise InputError(f"'{name}' must have scored samples: it has {found}{first}.")
        self.rows.left_out = self.left_out
        key = f".{self.choices.metric}" if self.choices.metric else ""
        origin = {
            "question": "'id' of each sample",
            "epoch": "'epoch' of each sample",
            "right": f"scores.{self.scorer}.value{key} ('C' or 1 right, 'I' or 0 wrong)",
        }
        about = (field_at(header, "eval.task"), field_at(header, "eval.model"))
        task, model = (text if isinstance(text, str) else None for text in about)
        return self.rows.log(name, HARNESS, (task, model), origin, self._notes(header))

    def _notes(self, header: Mapping[str, Any]) -> list[str]:
        notes = []
        status = header.get("status", "started")
        if status != "success":
            notes.append(f"the run did not succeed: its status is {plain(repr(status))}")
        if n := self.scored_errors:
            said = "1 sample" if n == 1 else f"{n} samples"
            have = "has a score" if n == 1 else "have scores"
            notes.append(f"{said} that ended with an error {have}, which inspect counts")
        questions = field_at(header, "eval.dataset.sample_ids")
        epochs = field_at(header, "eval.config.epochs")
        if isinstance(questions, list):
            expected = len(questions) * (epochs if isinstance(epochs, int) else 1)
            if len(self.seen) < expected:
                notes.append(f"the log has {len(self.seen)} of {expected} samples of its dataset")
        return notes


def _one_scorer(scores: Mapping[str, Any], named: str | None) -> str:
    """Return the scorer that is asked for, or the only one."""
    if named is None and len(scores) == 1:
        return next(iter(scores))
    if named is None or named not in scores:
        rule = "must name one scorer of the log"
        raise InputError("scorer", rule, repr(named), hint=f"It has {quoted(scores)}.")
    return named
