"""What to do where a gate of stakes check fails."""

from collections.abc import Mapping
from typing import Any

from stakes._text import number, plain
from stakes.evaluation import Evaluation

SHORT = {
    "max_nec": ("nec", "max"),
    "max_cross_entropy": ("cross_entropy.normalized", "max"),
    "max_brier": ("brier_score.normalized", "max"),
    "max_calibration_loss": ("cross_entropy.relative", "max"),
    "min_auc": ("auc", "min"),
}
_CALIBRATED = {"nec": "calibrated_nec", "normalized": "calibrated_normalized"}


def advice_on_limit(gate: Mapping[str, Any], evaluation: Evaluation, calibrate: str) -> str:
    """Return how a limit on a metric could be met; `calibrate` is the command that calibrates."""
    value, kind, limit = gate["estimate"]["value"], gate["kind"], gate["limit"]
    if value is None:
        return "It is undefined on these data, so it meets no limit: see stakes evaluate --details."
    if gate["confident"] and gate["estimate"]["interval"] is None:
        return "Choose a metric that has an interval, or leave out --confident."
    if gate["confident"] and meets(value, kind, limit):
        return "The value alone would pass. More samples narrow the interval."
    after = _calibrated(gate["metric"], evaluation)
    if after is not None and meets(after, kind, limit):
        how = f": {calibrate}" if calibrate else "."
        return f"After calibration it is {number(after)}, which would pass{how}"
    return f"Use better scores, or change the limit: {_flag(gate['metric'], kind)}."


def advice_on_margin(gate: Mapping[str, Any], other: str) -> str:
    """Return what to do where a system costs too much more than another."""
    value, limit = gate["estimate"]["value"], gate["limit"]
    if value is not None and meets(value, "max", limit):
        return "The ratio alone would pass. More samples narrow its interval."
    name = plain(other)
    return f"Keep the system {name}, or allow more: --max-loss-against {name}=SHARE."


def meets(value: float | str, kind: str, limit: float) -> bool:
    """Tell whether a value of a document is within its limit."""
    found = float(value)  # infinity is a text in a document
    return found <= limit if kind == "max" else found >= limit


def _calibrated(metric: str, evaluation: Evaluation) -> float | None:
    name, _, part = metric.rpartition(".")
    found = evaluation.metrics().get(f"{name}.{_CALIBRATED.get(part, '')}")
    return None if found is None else found.value


def _flag(metric: str, kind: str) -> str:
    part = metric.rpartition(".")[2]
    for option, short in SHORT.items():
        if short in ((metric, kind), (part, kind)):
            return f"--{option.replace('_', '-')}"
    return f"--{kind} {plain(metric)}=NUMBER"
