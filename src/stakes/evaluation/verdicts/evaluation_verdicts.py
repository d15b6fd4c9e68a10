"""The verdicts on an evaluation, the most important first."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from stakes._check import Place, PlacedText
from stakes._text import number, plain
from stakes.evaluation.calibrated_losses import CalibratedLoss, Number
from stakes.evaluation.findings import ApplicationResult, Evaluation, Verdict
from stakes.evaluation.verdicts.cautions import (
    below,
    few_errors,
    few_groups,
    few_kinds,
    few_rows,
    reversed_verdict,
    small_classes,
    wrong_ranks,
)
from stakes.evaluation.verdicts.usefulness import CostClaim, Evidence, usefulness_of, with_constant
from stakes.evaluation.verdicts.wording import (
    listed,
    p_text,
    percent,
    percent_at_most,
    with_interval,
)
from stakes.metrics.multiplicity import holm, level_among
from stakes.results import Estimate

GAIN = 0.05  # share of a loss that a calibration stage must recover to be worth naming
POOR = 0.10  # share of the cross-entropy that makes probabilities unfit to be shown

_BEFORE_USE = (
    "Calibrate the probabilities before you show them to people or use them at other costs."
)


def verdicts_of(evaluation: Evaluation, evidence: Evidence) -> tuple[Verdict, ...]:
    """Return what the numbers say, the most important first."""
    said = usefulness_of(evidence.costs, evaluation.level)
    useful = [v.code == "useful" for v in said]
    reversed_ = [] if any(useful) else list(_reversed(evaluation, evidence))
    gains: list[Verdict | None] = [None] * len(said)
    if not reversed_:  # a calibrator would turn the scores round, and hide what is wrong
        gains = _calibration_gains(evaluation, evidence, useful)
    found = [*reversed_]
    for i, (a, claim) in enumerate(zip(evaluation.applications, evidence.costs, strict=True)):
        parts = [*_decisions(evaluation, evidence, i, said[i]), gains[i]]
        parts += _disagreement(a, claim, level_among(len(said), evaluation.level))
        if "always_the_same" not in [v.code for v in parts if v]:
            parts += few_errors(few_kinds(a.errors), claim.where)
        found += [replace(v, application=a.name) for v in parts if v is not None]
    if not reversed_:
        found += confidence(evaluation.slope)
        found += _probabilities(evaluation, evidence, useful, [g is not None for g in gains])
    found += _infinite(evaluation)
    calibrated = [] if evaluation.calibrator is None else [r.raw.name for r in evaluation.rules]
    data = evaluation.data
    found += small_classes(data.classes, data.counts, evidence.groups, calibrated=calibrated)
    found += few_groups(
        evidence.groups,
        loss=evaluation.calibrator is not None,
        slope=evaluation.slope is not None and evaluation.slope.interval is not None,
        area=any(e.interval is not None for k, e in evaluation.ranking.items() if k[:3] == "auc"),
    )
    if not reversed_:
        found += few_rows(evidence.largest_part)
    found += _slices(evaluation)
    return tuple(found)


def _reversed(evaluation: Evaluation, evidence: Evidence) -> Iterator[Verdict]:
    """Say so where scores rank a class below the others: columns or classes may be swapped."""
    area = evaluation.ranking.get("auc", Estimate(math.nan))
    areas, classes = evidence.class_areas, evaluation.data.classes
    if areas or area.interval is not None:
        found = [*wrong_ranks(classes, area, areas, evaluation.level)]
    elif evaluation.slope is not None and below(evaluation.slope, 0.0):  # a fit turns them round
        slope = with_interval(evaluation.slope, evaluation.level)
        found = [f"point away from the true class (calibration slope {slope})"]
    else:
        return
    if found:
        yield reversed_verdict(found)


def _decisions(evaluation: Evaluation, evidence: Evidence, i: int, said: Verdict) -> list[Verdict]:
    """Return whether decisions are useful; where all are the same, that."""
    a, claim = evaluation.applications[i], evidence.costs[i]
    made = set(a.confusion.column.tolist())
    if len(made) > 1:
        return [said]
    units, groups = math.floor(evidence.units + 1e-9), evaluation.data.groups
    kind = "groups" if units == groups else "effective groups"
    seen = units, "samples" if groups is None else kind
    only = a.costs.decisions[made.pop()]
    return with_constant(said, claim, only, seen, (evaluation.level, len(evidence.costs)))


def _disagreement(a: ApplicationResult, claim: CostClaim, level: float) -> Iterator[Verdict]:
    """Say so where accuracy and cost are on different sides of the naive system, both surely."""
    values = (e.value for e in a.traditional if e.value is not None)
    accuracy = next((value for value in values if value.name == "accuracy"), None)
    errors, side = claim.errors_at(level), claim.side(level)
    if (
        accuracy is None
        or errors is None
        or side == 0
        or (errors.high >= 1 if side > 0 else errors.low <= 1)
    ):
        return
    good, bad = ("accuracy", "cost") if side > 0 else ("cost", "accuracy")
    yield Verdict(
        "metrics_disagree",
        f"{claim.where}Accuracy {number(accuracy.value)} (naive {number(accuracy.naive)}) and cost"
        f" disagree: by {good} it beats the best constant answer, by {bad} it is worse, both beyond"
        " chance. Accuracy treats all errors as equally bad; your costs do not.",
        "Decide by the cost.",
    )


def _calibration_gains(
    evaluation: Evaluation, evidence: Evidence, useful: Sequence[bool]
) -> list[Verdict | None]:
    """Say for each application how much of the cost a calibration stage would recover."""
    gains, many = [c.gain for c in evidence.costs], len(evidence.costs)
    p_values = holm([_recovers(g) for g in gains])
    several = f", corrected for {many} applications" if many > 1 else ""
    out: list[Verdict | None] = [None] * many
    for i, (a, c) in enumerate(zip(evaluation.applications, evidence.costs, strict=True)):
        share, after, p_value = a.cost.relative, a.cost.calibrated_normalized, p_values[i]
        gate = p_value < 1 - evaluation.level
        if not gate or share is None or not share.value >= GAIN or not _above_zero(share):
            continue
        turns = not useful[i] and _makes_useful(a, c.gain, level_among(many, evaluation.level))
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


def _recovers(gain: CalibratedLoss | None) -> float:
    """Return the p-value of a calibration that recovers nothing; 1 where it recovers less."""
    if gain is None or not gain.values[Number.RECOVERED] > 0 or math.isnan(gain.p_value):
        return 1.0
    return gain.p_value


def _above_zero(share: Estimate) -> bool:
    """Whether the interval shown, if there is one, agrees with the test."""
    return share.interval is None or share.interval.low > 0


def _makes_useful(a: ApplicationResult, found: CalibratedLoss | None, level: float) -> bool:
    """Whether the calibrated cost lies below 1, by the interval shown and that at the level."""
    shown = a.cost.calibrated_normalized
    corrected = None if found is None else found.interval(Number.CALIBRATED, level)
    if shown is None or shown.interval is None or corrected is None:
        return False
    return shown.interval.high < 1 and corrected.high < 1


def _probabilities(
    evaluation: Evaluation, evidence: Evidence, useful: Sequence[bool], gained: Sequence[bool]
) -> Iterator[Verdict]:
    """Say so where probabilities are not calibrated, and which decisions do not suffer from it."""
    gain, rule = evidence.rule_gain, evaluation.rules[0] if evaluation.rules else None
    share = None if rule is None else rule.relative
    if gain is None or rule is None or share is None or not share.value >= POOR:
        return
    p_value = _recovers(gain)
    if not (p_value < 1 - evaluation.level and _above_zero(share)):
        return
    if evaluation.slope is None or evaluation.slope.interval is None:
        return  # separable classes: a larger scale always seems better, until an error is met
    lost = f"{percent(share.value)} of their {rule.raw.name} is calibration loss"
    found = f"{lost} ({p_text(p_value)})"
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
            f"Calibration would not improve the decisions{where} (it would recover at most {most}"
            f" of the cost), but the probabilities are not calibrated: {found}.",
            _BEFORE_USE,
            "calibrate",
            fine[0][0].name if len(fine) == 1 else "",
        )
    elif not any(gained):
        text = f"The probabilities are not calibrated: {found}."
        yield Verdict("probabilities_not_calibrated", text, _BEFORE_USE, "calibrate")


def _most_recovered(a: ApplicationResult, found: CalibratedLoss | None, level: float) -> float:
    """Return the largest share of the cost that calibration may recover, by the interval."""
    band = None if found is None else found.interval(Number.RELATIVE, level)
    if band is None or not a.cost.raw.value > 0:
        return math.inf
    shown = None if a.cost.relative is None else a.cost.relative.interval
    return max(band.high, -math.inf if shown is None else shown.high)


def confidence(slope: Estimate | None) -> Iterator[Verdict]:
    """Say so where log odds are too large or too small, by the calibration slope."""
    band = None if slope is None else slope.interval
    if slope is None or band is None or 1 in band:
        return
    over, none = band.high < 1, ", 0 means no information" if band.low <= 0 else ""
    text = (
        f"{'Over' if over else 'Under'}confident: the calibration slope is {number(slope.value)}"
        f" ({100 * band.level:g} % interval {band}); 1 is calibrated{none}. The log odds are too"
        f" {'large' if over else 'small'}."
    )
    if over:
        yield Verdict("overconfident", text, _BEFORE_USE)
    else:
        yield Verdict("underconfident", text, _BEFORE_USE)


def _infinite(evaluation: Evaluation) -> Iterator[Verdict]:
    """Say so where posteriors of 0 met the true class: once for all rules that are infinite."""
    infinite = [rule.raw for rule in evaluation.rules if rule.raw.infinite_samples]
    if not infinite:
        return
    worst = max(infinite, key=lambda raw: raw.infinite_samples)
    n, rows = worst.infinite_samples, worst.infinite_rows
    more = f" and {n - 1} more" if n > 1 else ""
    names = listed([raw.name for raw in infinite])
    said = f"{n} {'sample has' if n == 1 else 'samples have'} posterior 0 for the true class"
    end = f", so the {names} {'is' if len(infinite) == 1 else 'are'} infinite"
    known = math.isfinite(worst.over_others) and len(infinite) == 1
    end += f"; over the others it is {number(worst.over_others)}." if known else "."
    text = said + end  # rows of a summary are not known
    if rows.size:
        text = PlacedText(f"{said} (", Place(row=int(rows[0])), f"{more}){end}")
    yield Verdict(
        "infinite_loss",
        text,
        "Calibrate the scores, which makes no posterior 0, or keep more digits.",
    )


def _slices(evaluation: Evaluation) -> Iterator[Verdict]:
    bad = [
        f"{plain(s.column)} {plain(s.value)} (NEC {number(s.cost.value)}, {s.cost.interval})"
        for s in evaluation.slices
        if s.cost is not None and s.verdict is not None and s.verdict.code == "worse_than_naive"
    ]
    if bad:
        many = len(evaluation.slices)
        corrected = f", corrected for {many} slices" if many > 1 else ""
        yield Verdict(
            "slice_worse_than_naive",
            f"Worse than a constant answer for {listed(bad, 3)}{corrected}.",
            "Do not use it there.",
            application=evaluation.main.name,
        )
