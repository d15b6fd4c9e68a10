"""Sentences on what a judge does to a result, each gated by a test."""

import math

from stakes._amounts import decimals_of
from stakes._text import fixed
from stakes.evaluation.findings import Verdict
from stakes.evaluation.verdicts.wording import percent
from stakes.responses.judge import CorrectedEstimate, JudgedMean
from stakes.responses.judge_errors import JudgeErrors
from stakes.results import Interval

_USE = "Report the corrected number."


def judge_verdicts(
    utility: CorrectedEstimate, answers: JudgedMean, errors: JudgeErrors, level: float
) -> tuple[Verdict, ...]:
    """Return the sentences, that on the judge first."""
    found = []
    if answers.interval is not None and utility.interval is not None:
        found.append(_on_the_judge(utility, utility.interval, answers, errors, level))
    if answers.caution:
        text = f"{answers.caution[:1].upper()}{answers.caution[1:]}."
        found.append(Verdict("human_rows_differ", text))
    return tuple(found)


def judge_side(answers: JudgedMean, errors: JudgeErrors, level: float) -> int:
    """Return 1 for a judge that passes more than people do, -1 for one that passes less, else 0."""
    band = answers.bias.interval
    if band is None or not errors.p_value < 1 - level:
        return 0
    return int(band.low > 0) - int(band.high < 0)


def _on_the_judge(
    utility: CorrectedEstimate,
    band: Interval,
    answers: JudgedMean,
    errors: JudgeErrors,
    level: float,
) -> Verdict:
    places = max(decimals_of(utility.value, (band.low, band.high)), 0)
    alone, value, low, high = (
        fixed(x, places) for x in (utility.judge_only, utility.value, band.low, band.high)
    )
    start = f"The judge alone gives a utility of {alone}; corrected {value} ({low} to {high})"
    side = judge_side(answers, errors, level)
    if side > 0 and not math.isnan(errors.specificity.value):
        share = percent(1 - errors.specificity.value)
        return Verdict("judge_generous", f"{start}: it passes {share} of wrong answers.", _USE)
    if side < 0 and not math.isnan(errors.sensitivity.value):
        share = percent(1 - errors.sensitivity.value)
        return Verdict("judge_strict", f"{start}: it fails {share} of right answers.", _USE)
    seen = answers.human_rows
    text = f"{start}: {seen} human labels do not show a bias of the judge."
    return Verdict("judge_bias_unclear", text, _USE)
