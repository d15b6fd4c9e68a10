"""How sure an answer says that it is, and whether it is none, from its text."""

from __future__ import annotations

__all__ = ["StatedIn"]

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stakes._check import InputError, read_number
from stakes._foreign_calls import Answering
from stakes._records import Record
from stakes._text import plain
from stakes.answer_logs.reading_choices import read_pattern

_PROBABILITY = r"(?i)\bconfidence\b\s*[:=]?\s*([01](?:\.\d+)?|\.\d+)(?![\d.]|\s*%)"
_PERCENT = r"(?i)\bconfidence\b\s*[:=]?\s*(\d+(?:\.\d+)?)\s*%?"
_WORDS = r"(?i)\bconfidence\b\s*[:=]?\s*({words})\b"


@dataclass(frozen=True)
class Stated(Record):
    """What the text of an answer says of itself."""

    confidence: float | None
    text: str | None  # the confidence as it was written
    abstained: bool
    problem: str = ""  # why there is no confidence


class StatedIn(metaclass=Answering):
    r"""Reads the stated confidence, or an abstention, from what a model wrote.

    Parameters
    ----------
    kind : {"probability", "percent", "words"}, default "probability"
        How confidence is stated: a number from 0 to 1, a number from 0 to 100, or words.
    words : mapping from word to probability, optional
        For `kind="words"`: what each word means. Case does not matter.
    pattern : str or compiled pattern, optional
        A regular expression whose first group is the confidence; by default a line such as
        `Confidence: 0.8`, `Confidence: 80 %` or `Confidence: likely`. If there are several
        matches, the last counts.
    abstention : str, compiled pattern, or list of them, optional
        An answer that matches one of these regular expressions is an abstention. Without them,
        nothing is.

    See Also
    --------
    Responses : takes confidences and abstentions.

    Examples
    --------
    >>> from stakes.answer_logs import StatedIn
    >>> stated = StatedIn("percent", abstention=r"(?i)^i don't know")
    >>> stated("Paris.\nConfidence: 80%").confidence, stated("I don't know.").abstained
    (0.8, True)

    A number out of range is not clipped:

    >>> stated("Paris.\nConfidence: 120%")
    Stated
      confidence  none
      text        120
      abstained   no
      problem     a percentage must be from 0 to 100: got 120
    """

    def __init__(
        self,
        kind: str = "probability",
        *,
        words: Mapping[str, float] | None = None,
        pattern: str | re.Pattern[str] | None = None,
        abstention: str | re.Pattern[str] | Sequence[str | re.Pattern[str]] = (),
    ) -> None:
        if kind not in ("probability", "percent", "words"):
            rule = "must be 'probability', 'percent' or 'words'"
            raise InputError("kind", rule, repr(kind))
        if (kind == "words") != bool(words):
            rule = "must give the probability of each word if kind is 'words', and only then"
            raise InputError("words", rule, repr(words))
        self.kind = kind
        self._words = {
            word.lower(): read_number(p, f"words {word!r}", 0, 1)
            for word, p in (words or {}).items()
        }
        longest_first = sorted(self._words, key=len, reverse=True)
        defaults = {
            "probability": _PROBABILITY,
            "percent": _PERCENT,
            "words": _WORDS.format(words="|".join(map(re.escape, longest_first))),
        }
        self._pattern = read_pattern(pattern or defaults[kind], "pattern")
        assert self._pattern is not None  # noqa: S101  there is a default
        if self._pattern.groups < 1:
            rule = "must have a group, which is the confidence"
            raise InputError("pattern", rule, repr(self._pattern.pattern))
        several = [abstention] if isinstance(abstention, str | re.Pattern) else list(abstention)
        self._abstention = [read_pattern(each, "abstention") for each in several]

    def __call__(self, text: str) -> Stated:
        """Return what a text states."""
        abstained = any(each is not None and each.search(text) for each in self._abstention)
        assert self._pattern is not None  # noqa: S101  as above
        matches = [found for found in self._pattern.finditer(text) if found[1] is not None]
        if not matches:
            return Stated(None, None, abstained, "no confidence is stated")
        written = matches[-1][1].strip()
        value, problem = self._value(written)
        return Stated(value, written, abstained, problem)

    def _value(self, written: str) -> tuple[float | None, str]:
        if self.kind == "words":
            p = self._words.get(written.lower())
            return p, "" if p is not None else f"no probability was declared for {plain(written)!r}"
        top = 1 if self.kind == "probability" else 100
        what = "probability" if top == 1 else "percentage"
        try:
            number = float(written.removesuffix("%") if top == 100 else written)
        except ValueError:
            return None, f"a {what} must be a number: got {plain(written)!r}"
        if not 0 <= number <= top:
            return None, f"a {what} must be from 0 to {top}: got {plain(written)}"
        return number / top, ""
