"""How the nets write a result: values apart from verdicts, without intervals, to 12 digits."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

DIGITS = 12
CLOSE, NOTHING = 1e-11, 1e-12  # numbers that another instruction set may give for the same
DROPPED = {  # what is only there for intervals and tests; so are keys that say interval
    "p_value", "adjusted_p_value", "p_value_if_alike", "more_right", "standard_error", "seed",
    "band", "bands", "quantile",
}  # fmt: skip
SAID_ELSEWHERE = {"formula", "identity", "rewards", "schema", "version", "sha256"}
CONCLUSIONS = {  # what intervals and tests decide
    "verdict", "verdicts", "distinguishable", "may_be_best", "odds",
    "risk_limit", "reasons", "standing", "labels_gained", "caution", "sure", "bestCalibrated",
    "codes",
}  # fmt: skip
LABELS = ("column", "system", "metric", "name", "rule", "class", "code", "target")
_NUMBER = r"[−-]?(?:\d[\d,.]*\d|\d)(?:e[-+]?\d+)?|[−-]?∞"
_ENDS = rf"(?:{_NUMBER}) to (?:{_NUMBER})"
_HIDDEN = [
    (re.compile(rf" \({_ENDS}(?: %)?\)"), ""),
    (re.compile(rf"(?<!from )(?<!odds of )(?<![\w.,−-]){_ENDS}"), "… to …"),
    (re.compile(rf"\bp (?:\\?[=<>]|&lt;) (?:{_NUMBER})"), "p …"),
]


@dataclass
class Parts:
    """A result in two parts, each with a key for every thing it says."""

    values: dict[str, Any] = field(default_factory=dict)
    verdicts: dict[str, Any] = field(default_factory=dict)

    def add(self, place: str, value: Any) -> None:
        """Add a value or all that it holds."""
        _add(self.values, self.verdicts, place, value)


def sentence(text: str) -> str:
    """Return a text without the numbers of its intervals and tests.

    >>> sentence("NEC 0.52 (0.41 to 0.76), 95 % interval 0.3 to 2 (p = 0.03)")
    'NEC 0.52, 95 % interval … to … (p …)'
    >>> sentence("from 1.033 to 0.2667 (0.1 to 0.4) of the naive cost (p < 0.001)")
    'from 1.033 to 0.2667 of the naive cost (p …)'
    """
    for pattern, instead in _HIDDEN:
        text = pattern.sub(instead, text)
    return text


def rounded(value: Any) -> Any:
    """Return plain values with 12 significant digits."""
    found: Any
    if isinstance(value, np.ndarray | np.generic):
        found = rounded(value.tolist())
    elif isinstance(value, float):
        found = _number(value)
    elif isinstance(value, str):
        found = sentence(value)
    elif isinstance(value, Mapping):
        found = {str(key): rounded(part) for key, part in value.items()}
    elif isinstance(value, Iterable):
        found = [rounded(part) for part in value]
    else:
        found = value if value is None or isinstance(value, int) else str(value)
    return found


def _number(value: float) -> float | int | str | None:
    """Return a number as JSON can hold it; rounding errors of 0 are 0."""
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if abs(value) < 1e-15:
        return 0
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def is_of_interval(name: str) -> bool:
    """Whether a number with a dotted name is only there for an interval or a test."""
    return "interval" in name.lower() or not DROPPED.isdisjoint(name.split("."))


def _add(values: dict[str, Any], verdicts: dict[str, Any], place: str, value: Any) -> None:
    """Add a value under its place to the part that it belongs to."""
    if isinstance(value, Mapping):
        _add_mapping(values, verdicts, place, value)
    elif (
        isinstance(value, list | tuple)
        and value
        and any(isinstance(each, Mapping) for each in value)
    ):
        labels = _labels(value)
        for label, each in zip(labels, value, strict=True):
            said = {key: part for key, part in each.items() if not _is_label(key, part)}
            _add(values, verdicts, f"{place}[{label}]", said if "text" not in each else each)
    else:
        values[place] = rounded(value)


def _add_mapping(
    values: dict[str, Any], verdicts: dict[str, Any], place: str, value: Mapping[str, Any]
) -> None:
    """Add the entries of a mapping; an estimate is its value, or why there is none."""
    if {"code", "text"} <= value.keys():  # a verdict: one line
        values[place] = rounded(value)
        return
    left_out = SAID_ELSEWHERE | ({"name", "better"} if "naive" in value else set())
    if not value.keys().isdisjoint({"value", "utility", "difference"}):
        left_out |= {"low", "high"}
    if "interval" in value and "value" in value:
        values[place] = rounded(value["value"])
        if value["value"] is None:
            values[f"{place}.reason"] = rounded(value.get("method"))
        left_out |= {"value", "method"}
    for key, each in value.items():
        if key in left_out or is_of_interval(str(key)) or (key == "undefined" and each is None):
            continue
        inner = f"{place}.{key}" if place else str(key)
        _add(verdicts if key in CONCLUSIONS else values, verdicts, inner, each)


def _is_label(key: str, part: Any) -> bool:
    return key in LABELS and isinstance(part, str)


def _labels(listed: Iterable[Any]) -> list[str]:
    """Return what each record of a list is called; its number where it has no name."""
    found: list[str] = []
    for number, each in enumerate(listed):
        own = [str(each[key]) for key in LABELS if _is_label(key, each.get(key))]
        own += [str(each["value"])] if "column" in each else []
        label = " ".join(own) or str(number)
        found.append(label if label not in found else f"{label} #{number}")
    return found


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same but for the last digits of numbers."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=CLOSE, abs_tol=NOTHING)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return the keys at which two parts differ, or that only one of them has."""
    absent = object()
    keys = sorted(one.keys() | other.keys())
    return [key for key in keys if not same(one.get(key, absent), other.get(key, absent))]


def changes(frozen: Any, found: Any, place: str = "") -> list[str]:
    """Return a line for each difference between what is frozen and what was found."""
    if isinstance(frozen, dict) and isinstance(found, dict):
        lines = []
        for key in differing(frozen, found):
            inner = f"{place}.{key}" if place else key
            lines += changes(frozen.get(key, "(absent)"), found.get(key, "(absent)"), inner)
        return lines
    if isinstance(frozen, list) and isinstance(found, list) and len(frozen) == len(found):
        pairs = enumerate(zip(frozen, found, strict=True))
        unequal = [(i, pair) for i, pair in pairs if not same(*pair)]
        return [f"{place}[{i}]: {old!r} was frozen, {new!r} found" for i, (old, new) in unequal]
    return [f"{place}: {frozen!r} was frozen, {found!r} found"]


def as_text(document: Mapping[str, Mapping[str, Any]]) -> str:
    """Return JSON with one line for each key of each part."""

    def line(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True)

    parts = []
    for part, entries in document.items():
        inner = ",\n".join(f"  {line(key)}: {line(entries[key])}" for key in sorted(entries))
        parts.append(f" {line(part)}: {{\n{inner}\n }}" if entries else f" {line(part)}: {{}}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def read(text: str) -> Any:
    """Return what `as_text` wrote."""
    return json.loads(text)
