"""What a user says about a log: which score, which confidence, what marks an abstention."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from stakes._check import Action, InputError, Place, read_number
from stakes._text import plain, quoted
from stakes.answer_logs.answer_log import AnswerLog, LeftOut, LoggedOptions
from stakes.answer_logs.log_fields import MISSING, field_at, names_at, place_of

_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}  # as inspect reads them
_Pattern = str | re.Pattern[str] | None
_NO_FIELD = "Where some samples lack it, name the field in full."


@dataclass(frozen=True)
class LogChoices:
    """What to take from a log; None where the log itself must leave no doubt."""

    scorer: str | None = None
    metric: str | None = None
    filter: str | None = None
    confidence: str | Literal[False] | None = None
    abstain_values: tuple[str, ...] = ()
    abstain_field: str | None = None
    abstain_pattern: "re.Pattern[str] | None" = None
    partial: Literal["right", "wrong"] | float | None = None
    slices: tuple[str, ...] = ()

    @classmethod
    def read(cls, given: dict[str, Any]) -> "LogChoices":
        """Return checked choices."""
        given = dict(given)
        for name in ("abstain_values", "slices"):
            texts = given[name]
            given[name] = (texts,) if isinstance(texts, str) else tuple(texts or ())
        given["abstain_pattern"] = read_pattern(given["abstain_pattern"], "abstain_pattern")
        partial = given["partial"]
        if isinstance(partial, str) and partial not in ("right", "wrong"):
            rule = "must be 'right', 'wrong', or the lowest value that is right"
            raise InputError("partial", rule, repr(partial))
        if partial is not None and not isinstance(partial, str):
            given["partial"] = read_number(partial, "partial", 0, 1)
        return cls(**given)


def read_pattern(pattern: _Pattern, argument: str) -> "re.Pattern[str] | None":
    """Return a regular expression, or say what is wrong with it."""
    try:
        return None if pattern is None else re.compile(pattern)
    except (re.error, TypeError) as error:
        rule = "must be a regular expression"
        raise InputError(argument, rule, repr(pattern), more=f" ({plain(error, 100)})") from error


def truth_of(value: Any, partial: str | float | None, place: Place, what: str) -> bool:  # noqa: ANN401
    """Return whether a score means right; partial credit only as the user says."""
    credit = _credit(value)
    if credit is None:
        rule = "must say right or wrong ('C', 'I', 1, 0, true, false)"
        hint = "Name another scorer or metric, or what marks an abstention."
        raise InputError(what, rule, plain(repr(value)), place=place, hint=hint)
    if credit in (0.0, 1.0) and not isinstance(partial, float):
        return credit == 1.0
    if partial is None:
        rule = "must be right or wrong unless you say how partial credit counts"
        way_out = Action("say_partial")
        raise InputError(what, rule, plain(repr(value)), place=place, hint=way_out)
    return credit >= partial if isinstance(partial, float) else partial == "right"


def _credit(value: Any) -> float | None:  # noqa: ANN401
    """Return a score as a number from 0 to 1, None where it is not one."""
    if isinstance(value, str):
        grades = {"C": 1.0, "I": 0.0, "P": 0.5}
        if value in grades or value.lower() in _WORDS:
            return grades.get(value, _WORDS.get(value.lower()))
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool | int | float) and 0 <= value <= 1:  # NaN is not
        return float(value)
    return None


def is_unscored(value: Any) -> bool:  # noqa: ANN401
    """Tell whether a score says that there is none: NaN, or nothing."""
    return value is None or (isinstance(value, float) and math.isnan(value))


@dataclass
class AnswerRows:
    """Rows of a log while it is read."""

    choices: LogChoices
    homes: tuple[str, ...]  # where fields may be that are named without a path
    question: list[str | int] = field(default_factory=list)
    epoch: list[int] = field(default_factory=list)
    right: list[bool | None] = field(default_factory=list)
    abstained: list[bool] = field(default_factory=list)
    confidence: list[float | str | None] = field(default_factory=list)
    slices: dict[str, list[Any]] = field(default_factory=dict)
    options: list[LoggedOptions] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    marks: Counter[str] = field(default_factory=Counter)  # of abstentions, by what marks them
    at: Counter[str] = field(default_factory=Counter)  # of confidences, by their path
    held_right: int = 0  # abstentions that the scorer calls right
    example: Any = None  # a sample, for messages

    def add(
        self,
        sample: Any,  # noqa: ANN401
        question: str | int,
        epoch: int,
        value: Any,  # noqa: ANN401
        text: str,
        place: Place,
        *,
        what: str,
    ) -> None:
        """Add one answer."""
        self.example = sample
        mark = self._mark(sample, value, text, place)
        truth: bool | None = None
        if mark is None:
            truth = truth_of(value, self.choices.partial, place, what)
        elif _credit(value) == 1.0:
            self.held_right += 1
        self.marks[mark or ""] += 1
        self.question.append(question)
        self.epoch.append(epoch)
        self.right.append(truth)
        self.abstained.append(mark is not None)
        self.confidence.append(self._confidence(sample, place))
        for name in self.choices.slices:
            found = place_of(sample, name, self.homes, "slices")
            kept = None if found is None else field_at(sample, found)
            self.slices.setdefault(name, []).append(kept)

    def _mark(self, sample: Any, value: Any, text: str, place: Place) -> str | None:  # noqa: ANN401
        """Return what marks the answer as an abstention, None where nothing does."""
        choices = self.choices
        if value == "N":
            return "score 'N'"
        if choices.abstain_field is None:
            if isinstance(value, str) and value in choices.abstain_values:
                return f"score {value!r}"
        elif self._field_marks(sample, choices.abstain_field, place):
            return f"field {choices.abstain_field!r}"
        if choices.abstain_pattern is not None and choices.abstain_pattern.search(text):
            return f"pattern {choices.abstain_pattern.pattern!r} in the answer's text"
        return None

    def _field_marks(self, sample: Any, name: str, place: Place) -> bool:  # noqa: ANN401
        found = place_of(sample, name, self.homes, "abstain_field")
        value = None if found is None else field_at(sample, found)
        if value is None:
            return False
        if self.choices.abstain_values:
            return str(value) in self.choices.abstain_values
        if isinstance(value, bool | int | float) and value in (0, 1):
            return bool(value)
        rule = f"must be true or false in the field {name!r}"
        hint = Action("say_abstentions")
        raise InputError("abstain_field", rule, plain(repr(value)), place=place, hint=hint)

    def _confidence(self, sample: Any, place: Place) -> float | str | None:  # noqa: ANN401
        name = self.choices.confidence
        if name is False:
            return None
        found: str | None = f"{self.homes[0]}.confidence"
        if name is not None:
            found = place_of(sample, name, self.homes, "confidence")
        value = MISSING if found is None else field_at(sample, found)
        if found is None or value is MISSING:
            return None
        if value is not None:
            self.at[found] += 1
        if value is None or (isinstance(value, str | int | float) and not isinstance(value, bool)):
            return value
        rule = f"must be a number or a text in the field {found!r}"
        raise InputError("confidence", rule, plain(repr(value)), place=place)

    def log(
        self,
        source: str,
        harness: str,
        about: tuple[str | None, str | None],
        origin: dict[str, str],
        notes: Sequence[str],
    ) -> AnswerLog:
        """Return the record of all rows; a field that no sample has is an error."""
        self._refuse_absent()
        stated = bool(self.at)
        said = {**origin, "abstained": self._said_of_marks()}
        said["confidence"] = self._said_of_confidence()
        said |= {name: f"field {name!r} of each sample" for name in self.choices.slices}
        return AnswerLog(
            source=source,
            harness=harness,
            task=about[0],
            model=about[1],
            question=self.question,
            epoch=self.epoch,
            right=self.right,
            abstained=self.abstained,
            confidence=self.confidence if stated else None,
            slices=self.slices,
            options=self.options or None,
            origin=said,
            left_out=tuple(self.left_out),
            notes=(*notes, *self._own_notes(stated=stated)),
        )

    def _refuse_absent(self) -> None:
        """Refuse names of fields that no sample has."""
        wanted = {"confidence": self.choices.confidence if not self.at else None}
        wanted["abstain_field"] = self.choices.abstain_field
        names = [(argument, name) for argument, name in wanted.items() if name]
        names += [
            ("slices", name)
            for name, values in self.slices.items()
            if all(value is None for value in values)
        ]
        for argument, name in names:
            if argument == "abstain_field" and self._anywhere(str(name)):
                continue
            there = quoted(names_at(self.example, self.homes))
            hint = f"The last one has {there}." if there else _NO_FIELD
            rule = "must name a field that samples of the log have"
            raise InputError(argument, rule, repr(name), hint=hint)

    def _anywhere(self, name: str) -> bool:
        marked = any(mark.startswith("field ") for mark in self.marks)
        return marked or place_of(self.example, name, self.homes, "abstain_field") is not None

    def _said_of_marks(self) -> str:
        found = [f"{mark} ({_rows(count)})" for mark, count in self.marks.items() if mark]
        return ", ".join(found) or "nowhere: nothing in the log marks an abstention"

    def _said_of_confidence(self) -> str:
        if self.at:
            return ", ".join(f"field {path!r} ({_rows(count)})" for path, count in self.at.items())
        if self.choices.confidence is False:
            return "not used, as requested"
        there = quoted(names_at(self.example, self.homes))
        return f"none; fields that could be named: {there}" if there else "none in the log"

    def _own_notes(self, *, stated: bool) -> list[str]:
        notes = []
        pairs = zip(self.confidence, self.abstained, strict=True)
        if stated and (lacking := sum(c is None and not a for c, a in pairs)):
            notes.append(f"no confidence in {_rows(lacking)} with an answer")
        if self.held_right:
            scored = f"the score means right in {_rows(self.held_right)} marked as abstentions"
            notes.append(f"{scored}; they count as abstentions")
        return notes


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
