"""Options that would have no effect beside others are refused, not ignored."""

import click

from stakes.cli.messages import refuse
from stakes.cli.options import DECLARED, Options, flags_of, typed

# What has an effect beside an option that asks for something else; all other options are refused.
_EFFECTIVE = {
    "decision": "label classes positive weight cost prior level details html title"
    " date unit layout as_json output force memory resume input_format max_bytes timeout decision",
    "apply": "scores scores_are renormalize classes prior write as_json output force memory"
    " input_format max_bytes timeout apply",
    "answers": "answers right abstained outcome right_is wrong_is abstained_is confidence"
    " confidence_is words agreement_samples target question model scorer metric log_filter partial"
    " abstain_pattern weight group method folds level seed min_utility max_hallucination_rate most"
    " least confident layout as_json output force input_format max_bytes timeout html title date"
    " no_file",
}
_OF_ANSWERS = {"min_utility", "max_hallucination_rate"} | {
    declared.name for declared in DECLARED if declared.metadata["on"] == ["answers", "check"]
}


def refuse_without_effect(options: Options) -> None:
    """Refuse options that change nothing beside others.

    What has a default may stand in an application file that serves other commands, too.
    """
    for other, effective in _EFFECTIVE.items():
        odd = [
            flags_of(d)[-1]
            for d in DECLARED
            if getattr(options, other) not in (None, False) and d.name not in effective.split()
            if typed(d.name) or (not d.default and getattr(options, d.name))
        ]
        _refuse_some(odd, f"with --{other}")
    if click.get_current_context().command.name == "check" and not options.answers:
        odd = [flags_of(d)[-1] for d in DECLARED if d.name in _OF_ANSWERS and typed(d.name)]
        _refuse_some(odd, "without --answers")


def _refuse_some(odd: list[str], where: str) -> None:
    """Refuse options that have no effect; none is no fault."""
    if odd:
        verb, them = ("has", "it") if len(odd) == 1 else ("have", "them")
        refuse(f"{', '.join(odd)} {verb} no effect {where}; remove {them}.")
