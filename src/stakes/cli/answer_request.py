"""What a command line asks of answers to questions: columns, confidence, target."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from stakes._check import InputError
from stakes._files import read_text
from stakes._text import plain
from stakes.calibration import Calibrator, IsotonicCalibrator
from stakes.calibration.registry import calibrator_class
from stakes.cli.messages import refuse
from stakes.cli.options import Options, flag_of, is_default, typed
from stakes.cli.parsing import parse_pairs
from stakes.costs.confidence_target import ConfidenceTarget
from stakes.responses import (
    Agreement,
    AnswerLogProbability,
    Confidence,
    StatedPercent,
    StatedProbability,
    VerbalConfidence,
)

_OUTCOMES = ("right_is", "wrong_is", "abstained_is")
_LOGS = {  # options by argument
    "scorer": "scorer",
    "metric": "metric",
    "filter": "log_filter",
    "partial": "partial",
    "abstain_pattern": "abstain_pattern",
}
_SAID = {  # what a column of confidence holds
    "probability": "a probability",
    "percent": "percent",
    "words": "words",
    "logprob": "a log probability",
    "agreement": "samples that agree",
}


@dataclass(frozen=True, eq=False)
class AnswerRequest:
    """Options about answers, read and checked before any file is opened."""

    options: Options
    target: ConfidenceTarget
    risk: float | None
    words: Mapping[str, float] | None

    @property
    def columns(self) -> dict[str, str]:
        """The columns that are named, by what they say."""
        o = self.options
        found = {
            "right": o.right,
            "outcome": o.outcome,
            "abstained": o.abstained,
            "confidence": o.confidence,
            "question": o.question,
            "model": o.model,
            "group": o.group,
        }
        return {role: name for role, name in found.items() if name is not None}

    @property
    def origin(self) -> dict[str, str]:
        """Where each column of a table is taken from."""
        weight = {} if self.options.weight is None else {"weight": self.options.weight}
        named = (self.columns | weight).items()
        said = {role: f"column {plain(name)!r}" for role, name in named}
        if "confidence" in said:
            said["confidence"] += f" ({_SAID[self.options.confidence_is]})"
        return said

    @property
    def argument_columns(self) -> dict[str, str | None]:
        """The columns that stand for arguments of the library."""
        o = self.options
        return {
            "right": o.right,
            "outcomes": o.outcome,
            "abstained": o.abstained,
            "confidence": o.confidence,
            "groups": o.group or o.question,
            "sample_weight": o.weight,
        }

    def confidence(self, values: Any) -> Confidence:  # noqa: ANN401  a column
        """Return a column of confidences as what it was declared to be."""
        kind = self.options.confidence_is
        if kind == "words":
            return VerbalConfidence(values, dict(self.words or {}))
        if kind == "agreement":
            return Agreement(values, samples=self.options.agreement_samples or 1)
        kinds = {"percent": StatedPercent, "logprob": AnswerLogProbability}
        return kinds.get(kind, StatedProbability)(values)

    @property
    def log_choices(self) -> dict[str, Any]:
        """What to take from the log of a harness, by argument of `read_answer_log`."""
        o = self.options
        found: dict[str, Any] = {name: getattr(o, option) for name, option in _LOGS.items()}
        if o.partial not in (None, "right", "wrong"):
            found["partial"] = read_share(str(o.partial), "--partial", most=True)
        marks = None if is_default("abstained_is") else o.abstained_is
        return found | {
            "confidence": o.confidence,
            "abstain_field": o.abstained,
            "abstain_values": marks,
        }

    def refuse_for_table(self) -> None:
        """Refuse options that have no effect on a table of columns."""
        o = self.options
        odd = [flag_of(name) for name in _OUTCOMES if typed(name)]
        if o.outcome is None and odd:
            refuse(f"{', '.join(odd)} must be given with --outcome, which names the column.")
        if o.confidence is None and typed("confidence_is"):
            refuse("--confidence-is must be given with --confidence, which names the column.")
        if o.confidence is None and o.risk is not None:
            refuse("--risk must be given with --confidence, on which the threshold is set.")
        odd = [flag_of(name) for name in _LOGS.values() if typed(name)]
        if odd:
            refuse(f"{', '.join(odd)} must be given with the log of a harness: this is a table.")

    @cached_property
    def stage(self) -> dict[str, Any]:
        """How confidence is calibrated, and the intervals."""
        o = self.options
        return {
            "calibrator": self._calibrator(),
            "folds": o.folds,
            "level": o.level,
            "rng": o.seed,
        }

    def _calibrator(self) -> Calibrator | None:
        method = self.options.method
        if is_default("method"):  # of `check` another one
            method = IsotonicCalibrator.name
        if method == "none":
            return None
        if method == IsotonicCalibrator.name:
            return IsotonicCalibrator(mix=1.0)  # as in Python
        return calibrator_class(method)()


def answer_request(options: Options) -> AnswerRequest:
    """Read what is asked of answers."""
    o = options
    if o.outcome is not None and (o.right or o.abstained):
        refuse("--outcome replaces --right and --abstained: give either it or them.")
    for value, flag, kind in (
        (o.words, "--words", "words"),
        (o.agreement_samples, "--samples", "agreement"),
    ):
        if (value is None) == (o.confidence_is == kind):
            refuse(f"{flag} and --confidence-is {kind} must be given together.")
    if o.risk is not None and o.weight is not None:
        refuse("--risk and --weight exclude each other: the guarantee needs unweighted samples.")
    named = [name for name in (o.right, o.outcome, o.abstained, o.confidence) if name is not None]
    if len(set(named)) < len(named):
        double = next(name for name in named if named.count(name) > 1)
        refuse(f"column {double!r} must have one meaning: two options name it.")
    return AnswerRequest(
        options,
        _target(o.target),
        None if o.risk is None else read_share(o.risk, "--risk"),
        None if o.words is None else read_words_option(o.words),
    )


def _target(text: str) -> ConfidenceTarget:
    return ConfidenceTarget(read_share(text, "--target", least=True))


def read_share(text: str, option: str, *, least: bool = False, most: bool = False) -> float:
    """Read a share as it is typed: 0.75, 75% or 75 %; 0 and 1 only if they are allowed."""
    bare = text.strip()
    try:
        value = float(bare.removesuffix("%")) / (100 if bare.endswith("%") else 1)
    except ValueError:
        refuse(f"{option} must be a share such as 0.75 or 75%: got {text!r}.")
    low, high = least or most, most  # whether the ends are allowed
    if not (0 < value < 1 or (low and value == 0) or (high and value == 1)):
        rule = f"{'at least' if low else 'above'} 0 and {'at most' if high else 'below'} 1"
        more = f" For percent write {bare}%." if 1 < value < 100 else ""
        refuse(f"{option} must be {rule}: got {text!r}.{more}")
    return value


def read_words_option(text: str) -> dict[str, float]:
    """Read WORD=NUMBER pairs, or a TOML or JSON file of them."""
    if text.lower().endswith((".toml", ".json")) and "=" not in text:
        words = _words_of_file(text)
    elif text.startswith("{"):
        try:  # as an application file with odd names gives them
            words = json.loads(text)
        except (ValueError, RecursionError):
            refuse(f"--words must be WORD=NUMBER pairs: got {text!r}.")
    else:
        words = parse_pairs(text, "--words")
    where = f"--words {plain(text)!r}" if text.lower().endswith((".toml", ".json")) else "--words"
    if not isinstance(words, dict) or not words:
        refuse(f"{where} must give a probability for each word, such as likely = 0.8.")
    seen: dict[str, str] = {}
    for word, p in words.items():
        number = isinstance(p, int | float) and not isinstance(p, bool)
        if not number or not 0 <= p <= 1:
            refuse(f"{where} must give a number from 0 to 1: got {p!r} for {plain(word)!r}.")
        other = seen.setdefault(word.strip().casefold(), word)
        if other != word:
            refuse(f"{where} must name each word once: {other!r} and {word!r} are the same.")
    return {word: float(p) for word, p in words.items()}


def _words_of_file(path: str) -> Any:  # noqa: ANN401  whatever it holds
    import tomllib  # noqa: PLC0415  seldom asked for

    try:
        text = read_text(path)
        return (json.loads if path.lower().endswith(".json") else tomllib.loads)(text)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        refuse(f"--words {plain(path)!r} must be a TOML or JSON file: {plain(error, 200)}.")
