"""Verdicts on responses at a confidence target, each gated by a test or an interval."""

import math
from collections.abc import Iterator, Mapping, Sequence

from stakes._text import number, percent, plain
from stakes.costs.confidence_target import CHOICES, ConfidenceTarget
from stakes.evaluation.findings import Verdict
from stakes.evaluation.verdicts.wording import counted, p_text
from stakes.responses.abstention_rules import CALIBRATED, OWN, AbstentionRule
from stakes.responses.constant_rules import BesideConstants
from stakes.results import Estimate

FEW = 10  # wrong answers, below which a cost rests on little


def target_name(target: ConfidenceTarget) -> str:
    """Return a target in words, such as "75 %"."""
    return f"{percent(target.t, 1).removesuffix('.0')} %"


def worth_verdict(
    target: ConfidenceTarget,
    utility: Estimate,
    normalized: Estimate,
    naive: tuple[str, float],
    constants: BesideConstants,
    level: float,
) -> Verdict:
    """Say whether the responses are worth more than always and than never answering.

    The interval of the normalised cost must leave out 1, and the paired test must agree. Where it
    is not shown, or not known, that abstentions are worth anything, answers may be worth more
    than none.
    """
    at = f"At a target of {target_name(target)}"
    answer, points = naive
    found = f"utility {utility_text(utility, level)}"
    reference = f"{_constant(answer)} scores {number(points)}"
    band, known = normalized.interval, constants.better < 1 - level
    if band is not None and band.high < 1 and known:
        return Verdict("useful", f"{at} its responses are worth having: {found}; {reference}.")
    if band is not None and band.low > 1 and known:
        text = f"{at} its responses are worse than {_constant(answer)}: {found}; {reference}."
        return Verdict("worse_than_naive", text, "Do not use its answers unfiltered.")
    if utility.interval is not None and utility.interval.low > 0 and constants.never < 1 - level:
        text = f"{at} its answers are worth more than never answering: {found};"
        text = f"{text} {_why_not_more(constants)}."
        return Verdict("better_than_never", text)
    if band is None or math.isnan(constants.better):
        why = normalized.method or "there is no test"
        return Verdict("no_verdict", f"{at} there is no verdict: {why}.")
    if constants.unknown or not constants.abstains:  # always answering is unknown, or is its own
        answer, reference = CHOICES[1], "never answering scores 0"
    return Verdict(
        "not_distinguishable",
        f"{at} its responses are not distinguishable from {_constant(answer)}: {found};"
        f" {reference}.",
        "Gather more questions before you decide.",
    )


def _why_not_more(constants: BesideConstants) -> str:
    if not constants.abstains:
        return "it never abstains"
    if constants.unknown:
        return (
            "whether always answering would be worth more is unknown, because the truth of"
            f" {counted(constants.unknown, 'abstentions')} is missing"
        )
    return "its abstentions are not shown to be worth more than always answering"


def _constant(answer: str) -> str:
    return "never answering" if answer == CHOICES[1] else "always answering"


def utility_text(utility: Estimate, level: float) -> str:
    """Return a utility with its interval."""
    band = "no interval" if utility.interval is None else utility.interval
    return f"{number(utility.value)} ({100 * level:.4g} % interval {band})"


def rule_verdict(
    target: ConfidenceTarget, rules: Mapping[str, AbstentionRule], level: float
) -> Iterator[Verdict]:
    """Say whether another rule on the confidence would do better than the system's own."""
    own, other = rules[OWN], rules.get(CALIBRATED)
    if other is None or other.gain is None or other.gain.interval is None:
        return
    gain = f"gain {number(other.gain.value)}, {100 * level:g} % interval {other.gain.interval}"
    shares = [f"{percent(rule.answered.value)} %" for rule in (other, own)]
    if not (other.gain.value > 0 and other.gain.interval.low > 0 and other.p_value < 1 - level):
        yield Verdict(
            "own_abstentions",
            "No threshold on its confidence is shown to do better than its own abstentions"
            f" ({gain}).",
        )
        return
    more = other.answered.value > own.answered.value
    text = (
        f"At a target of {target_name(target)} this model should answer {shares[0]} of the"
        f" questions; it answers {shares[1]}, and so scores {number(own.utility.value)} where"
        f" {_rule_words(other)} would give {number(other.utility.value)}"
        f" ({gain}, {p_text(other.p_value)})."
    )
    yield Verdict("answer_more" if more else "abstain_more", text, _rule_advice(other))


def _rule_words(rule: AbstentionRule) -> str:
    if rule.threshold is not None and math.isinf(rule.threshold):
        return "never answering"
    return f"abstaining below {number(rule.threshold or 0.0)}"


def _rule_advice(rule: AbstentionRule) -> str:
    if rule.threshold is not None and math.isinf(rule.threshold):
        return "No stated confidence reaches the target: let it abstain, or recalibrate it."
    return f"Let it abstain below a stated confidence of {number(rule.threshold or 0.0)}."


def confidence_verdict(
    gap: Estimate | None, stated: float, accuracy: float, level: float
) -> Iterator[Verdict]:
    """Say whether confidences are too high or too low on the whole."""
    if gap is None or gap.interval is None or 0 in gap.interval:
        return
    code, word = (
        ("overconfident", "Overconfident")
        if gap.value > 0
        else ("underconfident", "Underconfident")
    )
    yield Verdict(
        code,
        f"{word}: it states {percent(stated, 1)} % on average and is right in"
        f" {percent(accuracy, 1)} % of these answers (gap {number(gap.value)},"
        f" {100 * level:g} % interval {gap.interval}).",
        "Calibrate its confidence before you set thresholds on it.",
    )


def response_cautions(wrong: int, unknown: int, *, bounded: bool) -> Iterator[Verdict]:
    """Warn where numbers rest on few errors, or on truths that nobody knows."""
    if wrong < FEW:
        yield Verdict(
            "few_errors",
            f"The cost rests on {counted(wrong, 'wrong answers')}.",
            "Gather more questions before you rely on it.",
        )
    if unknown and bounded:
        yield Verdict(
            "unknown_abstentions",
            f"For {counted(unknown, 'abstentions')} it is unknown whether the withheld answer is"
            " right, so the normalised cost is the largest possible.",
            "Have the model answer these questions separately to learn what abstaining is worth.",
        )


def slice_verdicts_of(said: Sequence[Verdict], names: Sequence[str]) -> Iterator[Verdict]:
    """Return what is said of slices whose responses are worse than a constant."""
    for verdict, name in zip(said, names, strict=True):
        if verdict.code == "worse_than_naive":
            yield Verdict(
                "slice_worse_than_naive", f"{plain(name)}: {verdict.text}", verdict.advice
            )
