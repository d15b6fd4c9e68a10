"""What verdicts ask for, in the words of the command line: commands and options."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from stakes.evaluation import Verdict

COMMANDS = {  # by the action of a verdict
    "calibrate": "stakes calibrate FILE --label LABEL --scores SCORES --scores-are KIND"
    " --classes CLASSES -o calibrator.json",
    "adapt_priors": "stakes evaluate ... --training-prior data",
}
_ADVICE = {
    "check_classes": "Check whether columns are swapped, labels are inverted, or the class of the"
    " scores (positive, --positive) is the other one.",
}


def with_options(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Return verdicts whose advice names options."""
    return tuple(replace(v, advice=_ADVICE.get(v.action, v.advice)) for v in verdicts)


def with_commands(value: Any, commands: Mapping[str, str]) -> Any:  # noqa: ANN401  plain values
    """Return the values of a JSON document, with a command in each verdict."""
    if isinstance(value, list):
        return [with_commands(each, commands) for each in value]
    if not isinstance(value, Mapping):
        return value
    out = {name: with_commands(each, commands) for name, each in value.items()}
    if "advice" in out and "action" in out:
        out["command"] = commands.get(out["action"], "")
    return out
