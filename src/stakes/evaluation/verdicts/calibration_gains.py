"""What is said of calibration: what it would recover, which probabilities need it."""

import math
from collections.abc import Iterator, Sequence

from stakes._text import number, plain
from stakes.evaluation.findings import ApplicationResult, Evaluation, Verdict
from stakes.evaluation.verdicts.evidence import Evidence
from stakes.evaluation.verdicts.usefulness import level_among
from stakes.evaluation.verdicts.wording import listed, p_text, percent, percent_at_most
from stakes.metrics.multiplicity import holm
from stakes.metrics.paired import PairedDifference
from stakes.results import Estimate

GAIN = 0.05  # share of a loss that a calibration stage must recover to be worth naming
POOR = 0.10  # share of the cross-entropy that makes probabilities unfit to be shown

_BEFORE_USE = (
    "Calibrate the probabilities before you show them to people or use them at other costs."
)


def calibration_gains(
    evaluation: Evaluation, evidence: Evidence, useful: Sequence[bool]
) -> list[Verdict | None]:
    """Say for each application how much of the cost a calibration stage would recover."""
    known = [(c, c.gain) for c in evidence.costs if c.gain is not None]
    found = [g.p_value if g.value > 0 and g.p_value <= 1 else 1.0 for _, g in known]
    p_values = {id(c): p for (c, _), p in zip(known, holm(found), strict=True)}
    many = len(evidence.costs)
    several = f", corrected for {many} applications" if many > 1 else ""
    out: list[Verdict | None] = [None] * many
    for i, (a, c) in enumerate(zip(evaluation.applications, evidence.costs, strict=True)):
        share, after = a.cost.relative, a.cost.calibrated_normalized
        p_value = p_values.get(id(c), 1.0)
        gate = p_value < 1 - evaluation.level
        if not gate or share is None or not share.value >= GAIN or not _above_zero(share):
            continue
        turns = not useful[i] and _makes_useful(a, many, evaluation.level)
        out[i] = Verdict(
            "calibration_would_help",
            f"{c.where}A calibration stage would recover {percent(share.value)} of"
            f" the cost: from {number(a.cost.normalized.value)} to {after} of the naive"
            f" cost{', which makes it useful' if turns else ''} ({p_text(p_value)}{several}).",
            "Fit one on held-out data and apply it before deciding.",
            "calibrate",
            a.name,
        )
    return out


def _above_zero(share: Estimate) -> bool:
    """Whether the interval shown, if there is one, agrees with the test."""
    return share.interval is None or share.interval.low > 0


def _makes_useful(a: ApplicationResult, claims: int, level: float) -> bool:
    """Whether the calibrated cost lies below 1, by the interval shown and that corrected."""
    after, record = a.cost.calibrated_normalized, a.cost.calibrated
    if after is None or record is None or after.interval is None:
        return False
    corrected = record.normalized_interval(level_among(claims, level))
    return after.interval.high < 1 and corrected.high < 1


def probabilities(
    evaluation: Evaluation, evidence: Evidence, useful: Sequence[bool], gained: Sequence[bool]
) -> Iterator[Verdict]:
    """Say so where probabilities are not calibrated, and which decisions do not suffer from it."""
    gain, rule = evidence.rule_gain, evaluation.rules[0] if evaluation.rules else None
    share = None if rule is None else rule.relative
    if gain is None or rule is None or share is None or not share.value >= POOR:
        return
    if not (gain.value > 0 and gain.p_value < 1 - evaluation.level and _above_zero(share)):
        return
    if evaluation.slope is None or evaluation.slope.interval is None:
        return  # separable classes: a larger scale always seems better, until an error is met
    lost = f"{percent(share.value)} of their {rule.raw.name} is calibration loss"
    found = f"{lost} ({p_text(gain.p_value)})"
    level = level_among(len(evidence.costs), evaluation.level)
    every = zip(evaluation.applications, evidence.costs, useful, gained, strict=True)
    kept = [(a, _most_recovered(a, c.gain, level)) for a, c, good, helped in every if good > helped]
    fine = [(a, most) for a, most in kept if most <= GAIN]
    if fine:
        most = percent_at_most(max(most for _, most in fine))
        named = listed([plain(a.name) for a, _ in fine])
        where = f" for {named}" if len(evidence.costs) > 1 else ""
        yield Verdict(
            "decisions_fine_probabilities_not",
            f"The decisions{where} would not be better calibrated (at most {most} of the cost would"
            f" be recovered), but the probabilities are not calibrated: {found}.",
            _BEFORE_USE,
            "calibrate",
            fine[0][0].name if len(fine) == 1 else "",
        )
    elif not any(gained):
        text = f"The probabilities are not calibrated: {found}."
        yield Verdict("probabilities_not_calibrated", text, _BEFORE_USE, "calibrate")


def _most_recovered(a: ApplicationResult, gain: PairedDifference | None, level: float) -> float:
    """Return the largest share of the cost that calibration may recover, by the interval."""
    band = None if gain is None else gain.interval(level)
    if band is None or not a.cost.raw.value > 0:
        return math.inf
    shown = None if a.cost.relative is None else a.cost.relative.interval
    return max(band.high / a.cost.raw.value, -math.inf if shown is None else shown.high)


def confidence(slope: Estimate | None) -> Iterator[Verdict]:
    """Say so where log odds are too large or too small, by the calibration slope."""
    band = None if slope is None else slope.interval
    if slope is None or band is None or 1 in band:
        return
    over, none = band.high < 1, ", 0 is no information" if band.low <= 0 else ""
    text = (
        f"{'Over' if over else 'Under'}confident: the calibration slope is {number(slope.value)}"
        f" ({100 * band.level:g} % interval {band}); 1 is calibrated{none}. Its log odds are too"
        f" {'large' if over else 'small'}."
    )
    if over:
        yield Verdict("overconfident", text, _BEFORE_USE)
    else:
        yield Verdict("underconfident", text, _BEFORE_USE)
