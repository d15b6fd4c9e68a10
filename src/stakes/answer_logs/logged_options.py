"""The options of multiple-choice questions in samples of lm-eval."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stakes._check import InputError
from stakes._text import plain
from stakes.answer_logs.answer_log import LoggedOptions

_METRICS = ("acc", "acc_norm", "acc_bytes")
_DEFAULT_DELIMITER = " "


def request_arguments(row: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the arguments of each request, as files and as results in memory have them."""
    given = row.get("arguments")
    requests = given.values() if isinstance(given, Mapping) else given
    if not isinstance(requests, Sequence) and not isinstance(given, Mapping):
        return []
    return [tuple(r.values()) if isinstance(r, Mapping) else tuple(r) for r in requests or ()]


@dataclass
class OptionReader:
    """Reads options, and checks what it takes for their texts against the logged accuracies.

    What stands before each option in the request (`target_delimiter` of the task) is not part of
    it. The file of results names it; without that file it is a blank, as lm-eval has it, if every
    option of the log begins with one.
    """

    delimiter: str | None
    blank: bool = True  # every option so far began with one
    shared: bool = False  # one continuation for all options: they stand in the context
    unconditional: bool = False  # requests without context, for mutual information
    logged: list[dict[str, bool]] = field(default_factory=list)
    targets: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    by_text: bool = False

    def read(self, row: Mapping[str, Any], place: str) -> LoggedOptions | None:
        """Return the options of a row with their requests as texts; None where it has none."""
        requests = request_arguments(row)
        answers = row.get("filtered_resps") or []
        pairs = [_pair(answer) for answer in answers]
        if len(requests) < 2 or any(pair is None for pair in pairs):
            return None
        if len(pairs) != len(requests):
            found = f"{len(pairs)} for {len(requests)} options"
            raise InputError(
                f"{place} must have one log likelihood for each option: it has {found}."
            )
        half = len(requests) // 2
        bare = all(request[0] == "" for request in requests[half:])
        if bare and 2 * half == len(requests) and requests[0][0] != "":
            requests, pairs, self.unconditional = requests[:half], pairs[:half], True
        texts = [str(request[1]) for request in requests]
        self.blank &= all(text.startswith(_DEFAULT_DELIMITER) for text in texts)
        self.shared |= len({r[0] for r in requests}) > 1 and len(set(texts)) == 1
        self.logged.append({m: row[m] == 1 for m in _METRICS if m in row})
        self.targets.append(row.get("target"))
        return LoggedOptions(tuple(p for p in pairs if p is not None), tuple(texts), None)

    def bare(self, options: LoggedOptions) -> LoggedOptions:
        """Return options without the delimiter, as far as it is known before the last row."""
        start = _DEFAULT_DELIMITER if self.delimiter is None else self.delimiter
        texts = options.texts or ()
        if all(text.startswith(start) for text in texts):
            texts = tuple(text.removeprefix(start) for text in texts)
        return LoggedOptions(options.log_likelihoods, texts, None)

    def settle(self, options: list[LoggedOptions]) -> list[LoggedOptions]:
        """Return options without the delimiter, and with those that are right."""
        if self.shared:
            self.notes.append("the task puts options into the context: texts are not in the log")
            return [LoggedOptions(o.log_likelihoods, None, None) for o in options]
        cut = len(self._delimiter(options))
        bare = [
            LoggedOptions(o.log_likelihoods, tuple(t[cut:] for t in o.texts or ()), None)
            for o in options
        ]
        readings = [self._gold(bare, by_text=by_text) for by_text in (False, True)]
        fitting = [found for found in readings if found is not None]
        if not fitting:
            self.notes.append("which option is right does not follow from 'target' of the samples")
            return bare
        if len(fitting) == 2 and any(a.gold != b.gold for a, b in zip(*fitting, strict=True)):
            self.notes.append(
                "'target' may be the number or the text of an option; it is read as a number"
            )
        self.by_text = fitting[0] is readings[1]
        return fitting[0]

    def said(self) -> str:
        """Return where options were taken from."""
        if self.shared:
            return (
                "log likelihoods from 'filtered_resps'; the log has neither texts nor right options"
            )
        which = "text" if self.by_text else "number"
        return (
            "log likelihoods from 'filtered_resps', texts from 'arguments' without"
            f" the delimiter {(self.delimiter or '')!r}, right option from 'target', its {which}"
        )

    def _delimiter(self, options: list[LoggedOptions]) -> str:
        if self.delimiter is None:
            self.delimiter = _DEFAULT_DELIMITER if self.blank else ""
        for each in options:
            for text in each.texts or ():
                if not text.startswith(self.delimiter):
                    found = f"{plain(repr(text))} does not begin with {self.delimiter!r}"
                    self.notes.append(f"options are used whole: {found}")
                    self.delimiter = ""
                    return ""
        return self.delimiter

    def _gold(self, options: list[LoggedOptions], *, by_text: bool) -> list[LoggedOptions] | None:
        """Return options with the right ones; None where that contradicts the log."""
        found = []
        for each, target, logged in zip(options, self.targets, self.logged, strict=True):
            gold = _gold_of(target, each.texts or (), by_text=by_text)
            if gold is None:
                return None
            full = LoggedOptions(each.log_likelihoods, each.texts, gold)
            if any(full.right(metric) != right for metric, right in logged.items()):
                return None
            found.append(full)
        return found


def _pair(answer: Any) -> float | None:  # noqa: ANN401
    """Return the log likelihood of an answer that is one with whether it is the likeliest text."""
    if not isinstance(answer, list | tuple) or len(answer) != 2:
        return None
    try:
        return float(answer[0])
    except (TypeError, ValueError):
        return None


def _gold_of(target: Any, texts: Sequence[str], *, by_text: bool) -> tuple[int, ...] | None:  # noqa: ANN401
    """Return which options a target names, by number or by text; files have it as a text."""
    if isinstance(target, str) and target.startswith("["):
        try:
            target = ast.literal_eval(target)
        except (ValueError, SyntaxError):
            return None
    several = list(target) if isinstance(target, list | tuple) else [target]
    found = []
    for one in several:
        if by_text:
            if str(one) not in texts:
                return None
            found.append(texts.index(str(one)))
        elif str(one).lstrip("-").isdecimal() and 0 <= int(one) < len(texts):
            found.append(int(one))
        else:
            return None
    return tuple(found)
