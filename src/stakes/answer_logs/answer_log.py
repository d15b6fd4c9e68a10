"""The answers of one log as columns, with where each column was taken from."""

from __future__ import annotations

__all__ = ["AnswerLog", "LeftOut", "LoggedOptions"]

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from stakes._check import InputError
from stakes._records import Record
from stakes._text import plain, quoted
from stakes._typing import Column
from stakes.responses.confidence_kinds import Confidence
from stakes.responses.option_scores import OptionScores
from stakes.responses.response_samples import Responses
from stakes.scores import LogLikelihoods


@dataclass(frozen=True)
class LeftOut(Record):
    """A logged sample that was left out of the columns, and why.

    Attributes
    ----------
    question : str or int
        The question's id.
    epoch : int
        Which repetition of the question.
    reason : str
        A code for programs.
    text : str
        The reason as text.

    See Also
    --------
    read_answer_log : returns it in its log.

    Examples
    --------
    Look at what was left out before you trust a log:

    >>> import stakes
    >>> left_out = [stakes.LeftOut("q7", epoch=1, reason="error", text="timeout")]
    >>> [each.question for each in left_out if each.reason == "error"]  # run these again
    ['q7']
    """

    question: str | int
    epoch: int
    reason: str  # "error", "unscored" or "no score"
    text: str = ""

    def __str__(self) -> str:
        more = f" ({plain(self.text, 120)})" if self.text else ""
        return f"question {plain(self.question)}, epoch {self.epoch}: {self.reason}{more}"


@dataclass(frozen=True)
class LoggedOptions(Record):
    """The options of one multiple-choice question, with the model's log likelihood of each.

    `texts` is None if the log does not show them, `gold` is None if it does not say which options
    are right.

    Attributes
    ----------
    log_likelihoods : tuple of float
    texts : tuple of str, or None
    gold : tuple of int, or None
        Indices of the right options.

    See Also
    --------
    read_answer_log : returns it in its log.
    OptionScores : evaluates the options.

    Examples
    --------
    >>> import stakes
    >>> options = stakes.LoggedOptions((-3.0, -4.0), ("no", "certainly"), gold=(1,))
    >>> options.right("acc"), options.right("acc_norm")
    (False, True)

    The right answer is the longer one: report the metric that allows for length.
    """

    log_likelihoods: tuple[float, ...]
    texts: tuple[str, ...] | None
    gold: tuple[int, ...] | None

    @property
    def characters(self) -> tuple[int, ...] | None:
        """The lengths that `acc_norm` of lm-eval divides by: characters."""
        return None if self.texts is None else tuple(map(len, self.texts))

    @property
    def bytes(self) -> tuple[int, ...] | None:
        """The lengths that `acc_bytes` of lm-eval divides by: bytes of UTF-8."""
        return None if self.texts is None else tuple(len(t.encode()) for t in self.texts)

    def chosen(self, metric: str = "acc") -> int:
        """Return the option that `acc`, `acc_norm` or `acc_bytes` takes as the answer.

        Parameters
        ----------
        metric : {"acc", "acc_norm", "acc_bytes"}, default "acc"
            The metric of lm-eval.
        """
        lengths = {"acc_norm": self.characters, "acc_bytes": self.bytes}.get(metric)
        scores = self.log_likelihoods
        if lengths is not None:
            pairs = zip(scores, lengths, strict=True)
            scores = tuple(score / n if n else -math.inf for score, n in pairs)
        return max(range(len(scores)), key=scores.__getitem__)

    def right(self, metric: str = "acc") -> bool | None:
        """Return whether that option is right; None if the log does not say.

        Parameters
        ----------
        metric : {"acc", "acc_norm", "acc_bytes"}, default "acc"
            The metric of lm-eval.
        """
        return None if self.gold is None else self.chosen(metric) in self.gold


@dataclass(frozen=True, eq=False)
class AnswerLog(Record):
    """The answers of one log, one row each, and the origin of each column.

    `right` is None if the model abstained. `confidence` is as it was logged: a number, a text, or
    None. Samples that ended with an error or were not scored are in `left_out`, with the reason,
    and in no column. `origin` names the field of the log that each column was taken from.

    Attributes
    ----------
    source : str
        The file or run.
    harness : str
    task : str or None
    model : str or None
    question : list of str or int
    epoch : list of int
    right : list of bool or None
        None if it is not known.
    abstained : list of bool
    confidence : list or None
    slices : mapping from name to list
    options : list of LoggedOptions, or None
    origin : mapping from column to str
        The field of the log that each column was taken from.
    left_out : tuple of LeftOut
    notes : tuple of str
        What else a user should know.

    See Also
    --------
    read_answer_log : returns it.

    Examples
    --------
    >>> import json, pathlib, tempfile, stakes
    >>> line = {"doc_id": 0, "doc": {"q": "2 + 2?"}, "target": "4", "filter": "none"}
    >>> line |= {"arguments": {"gen_args_0": {"arg_0": "2 + 2?", "arg_1": {}}}}
    >>> line |= {"resps": [["5"]], "filtered_resps": ["5"], "metrics": ["exact_match"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "samples_sums.jsonl")
    ...     _ = file.write_text(json.dumps({**line, "exact_match": 0.0}))
    ...     log = stakes.read_answer_log(file)
    >>> log.right, len(log.left_out)  # every sample counts, so evaluate `log.responses()`
    ([False], 0)
    """

    source: str
    harness: str
    task: str | None
    model: str | None
    question: list[str | int] = field(repr=False)
    epoch: list[int] = field(repr=False)
    right: list[bool | None] = field(repr=False)
    abstained: list[bool] = field(repr=False)
    confidence: list[float | str | None] | None = field(repr=False)
    slices: Mapping[str, list[Any]] = field(repr=False)
    options: list[LoggedOptions] | None = field(repr=False)
    origin: Mapping[str, str] = field(repr=False)
    left_out: tuple[LeftOut, ...] = field(repr=False)
    notes: tuple[str, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.right)

    def __str__(self) -> str:
        right, wrong = (
            sum(r is truth for r, a in zip(self.right, self.abstained, strict=True) if not a)
            for truth in (True, False)
        )
        counts = f"{right} right, {wrong} wrong, {sum(self.abstained)} abstained"
        about = f"{plain(self.task or 'a task')} by {plain(self.model or 'a model')}"
        lines = [f"{len(self)} answers of {about} ({self.harness}): {counts}"]
        lines += [f"  {column}: {text}" for column, text in self.origin.items()]
        reasons = Counter(each.reason for each in self.left_out)
        for reason, count in reasons.items():
            first = next(each for each in self.left_out if each.reason == reason)
            lines.append(f"  left out: {count} with {reason}; first {first}")
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])

    def responses(
        self,
        kind: Callable[[Column], Confidence] | None = None,
        *,
        groups: str | Literal[False] | None = None,
    ) -> Responses:
        """Return the answers as responses, which `evaluate_responses` takes.

        Parameters
        ----------
        kind : kind of confidence, optional
            What the logged confidences are: a kind such as `StatedPercent`, or a function that
            makes one from the column. By default plain numbers are probabilities.
        groups : str or False, optional
            The column whose rows vary together: a slice, or `question`. By default the question,
            if some questions were asked several times; False for no groups.
        """
        known = self.columns()
        if groups is None:
            groups = "question" if len(set(self.question)) < len(self) else False
        if groups is not False and groups not in known:
            rule = "must name a column of the log"
            raise InputError("groups", rule, repr(groups), hint=f"It has {quoted(known)}.")
        sure: Any = self.confidence
        if sure is not None and kind is not None:
            sure = kind(sure)
        return Responses(
            self.right, sure, self.abstained, groups=None if groups is False else known[groups]
        )

    def option_scores(self, lengths: Literal["characters", "bytes"] = "characters") -> OptionScores:
        """Return the options of multiple-choice questions with their log likelihoods.

        Their `accuracy()` is lm-eval's `acc`; that of `per_length()` is `acc_norm` if lengths are
        characters, and `acc_bytes` if they are bytes.

        Parameters
        ----------
        lengths : {"characters", "bytes"}, default "characters"
            What the lengths of options are counted in.
        """
        if lengths not in ("characters", "bytes"):
            raise InputError("lengths", "must be 'characters' or 'bytes'", repr(lengths))
        options = self.options or []
        gold = [each.gold for each in options]
        if not options or None in gold:
            rule = "must have the log likelihoods of options, and say which are right"
            raise InputError(f"'{plain(self.source, 200)}' {rule}: it does not.")
        sizes = [getattr(each, lengths) for each in options]
        groups = self.question if len(set(self.question)) < len(self) else None
        return OptionScores(
            [each.log_likelihoods for each in options],
            gold,
            kind=LogLikelihoods,
            lengths=sizes if all(n is not None and min(n) > 0 for n in sizes) else None,
            groups=groups,
        )

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns by name, slices included, ready for a data frame."""
        named: dict[str, list[Any]] = {
            "question": self.question,
            "epoch": self.epoch,
            "right": self.right,
            "abstained": self.abstained,
        }
        if self.confidence is not None:
            named["confidence"] = self.confidence
        return named | dict(self.slices)
