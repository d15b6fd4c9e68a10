"""Verdicts: plain sentences drawn from the numbers by the rules in docs/verdicts.md."""

import math
from collections.abc import Iterator

import numpy as np

from stakes._text import number, plain
from stakes._typing import FloatArray
from stakes.evaluation.records import ApplicationResult, Evaluation, LossResult, Verdict
from stakes.evaluation.verdicts.small_samples import few_errors, few_groups, small_classes
from stakes.results import Estimate

GAIN = 0.05  # share of a loss that a calibration stage must give back to be worth naming
POOR = 0.10  # share of the cross-entropy that makes probabilities not fit to be shown
NEAR = 0.02  # distance of a normalised cost from 1 within which it disagrees with nothing
SHIFT = 1.5  # ratio of odds between data and use from which priors count as different

_CALIBRATE = (
    "stakes calibrate FILE --label LABEL --scores SCORES --scores-are KIND --classes CLASSES"
    " -o calibrator.json"
)


def verdicts_of(evaluation: Evaluation) -> tuple[Verdict, ...]:
    """Return what the numbers say, the most important first."""
    found: list[Verdict] = []
    for application in evaluation.applications:
        found += _of_application(application, evaluation)
    found += _probabilities(evaluation)
    found += _priors(evaluation)
    found += _infinite(evaluation)
    found += small_classes(evaluation.data.classes, evaluation.data.counts)
    found += few_groups(evaluation.data.groups)
    found += _slices(evaluation)
    return tuple(found)


def _of_application(a: ApplicationResult, evaluation: Evaluation) -> Iterator[Verdict]:
    """Say whether decisions are any use, and whether they rest on enough errors."""
    where = _where(a, evaluation)
    same = _constant(a, where)
    yield same or usefulness(a.cost, where)
    yield from _calibration_gain(a, where)
    yield from _disagreement(a, where)
    if same is None:
        yield from few_errors(a.errors, where)


def _where(a: ApplicationResult, evaluation: Evaluation) -> str:
    """Return the name of an application, where there are several."""
    return f"{plain(a.name)}: " if len(evaluation.applications) > 1 else ""


def _constant(a: ApplicationResult, where: str) -> Verdict | None:
    """Say so where every case gets the same decision: then the system decides nothing."""
    made = set(a.confusion.column.tolist())
    if len(made) > 1 or a.cost.raw.undefined is not None:
        return None
    answer = plain(a.costs.decisions[made.pop()])
    nec = a.cost.normalized.value
    much = "" if nec <= 1 else f", which costs {_percent(nec)} of the best constant answer"
    return Verdict(
        "always_the_same",
        f"{where}It decides nothing: every case gets {answer}{much}.",
        "More data will not change that; calibrate the scores, or look at the costs again.",
        _CALIBRATE,
    )


def usefulness(cost: LossResult, where: str = "") -> Verdict:
    """Say whether a system beats the best constant answer."""
    answer = plain(cost.raw.naive_answer)
    if cost.raw.undefined is not None:
        return Verdict("no_verdict", f"{where}No verdict: {cost.raw.undefined.text}.")
    share = _percent(cost.normalized.value)
    band = cost.normalized.interval
    if band is None or math.isnan(band.low):
        return Verdict(
            "no_interval", f"{where}It costs {share} of always answering {answer}; no interval."
        )
    if band.high < 1:
        return Verdict(
            "useful", f"{where}Useful: it costs {share} of what always answering {answer} would."
        )
    if band.low > 1:
        return Verdict(
            "worse_than_naive",
            f"{where}Worse than no system: always answering {answer} would cost less"
            f" (this one costs {share} of it).",
            "Do not use it as it is; see whether calibration mends it.",
        )
    return Verdict(
        "not_told_apart",
        f"{where}Not told apart from always answering {answer}: it costs {share} of that, but the"
        f" interval {band} holds 1.",
        "Gather more labelled data before you decide.",
    )


def _calibration_gain(a: ApplicationResult, where: str) -> Iterator[Verdict]:
    """Say how much a calibration stage would give back at these costs."""
    relative, after = a.cost.relative, a.cost.calibrated_normalized
    if relative is None or after is None or not math.isfinite(relative.value):
        return
    if relative.value >= GAIN and _surely_above_zero(relative):
        mends = a.cost.normalized.value >= 1 > after.value
        turn = ", which makes it useful" if mends else ""
        yield Verdict(
            "calibration_would_help",
            f"{where}A calibration stage would give back {_percent(relative.value)} of the cost:"
            f" from {number(a.cost.normalized.value)} to {number(after.value)} of the naive"
            f" cost{turn}.",
            "Fit one on held-out data and apply it before deciding.",
            _CALIBRATE,
        )


def _disagreement(a: ApplicationResult, where: str) -> Iterator[Verdict]:
    """Say so where accuracy and cost point to different conclusions."""
    accuracy = next(
        (e.value for e in a.traditional if e.value and e.value.name == "accuracy"), None
    )
    nec = a.cost.normalized.value
    if accuracy is None or not math.isfinite(nec) or abs(nec - 1) < NEAR:
        return
    if accuracy.beats_naive != (nec < 1):
        good, bad = ("accuracy", "cost") if accuracy.beats_naive else ("cost", "accuracy")
        yield Verdict(
            "metrics_disagree",
            f"{where}Accuracy {number(accuracy.value)} (naive {number(accuracy.naive)}) and cost"
            f" disagree: by {good} it beats the naive system, by {bad} it does not. Accuracy takes"
            " all errors as equally bad; your costs do not.",
            "Go by the cost.",
        )


def _probabilities(evaluation: Evaluation) -> Iterator[Verdict]:
    """Say so where probabilities are poor, though no cost gives that away."""
    entropy = evaluation.rules[0] if evaluation.rules else None
    cost = evaluation.main.cost
    if entropy is None or entropy.relative is None or cost.relative is None:
        return
    poor = entropy.relative.value >= POOR and _surely_above_zero(entropy.relative)
    told = cost.relative.value >= GAIN and _surely_above_zero(cost.relative)
    if not poor or told:
        return
    share = f"{_percent(entropy.relative.value)} of their {entropy.raw.name} is calibration loss."
    advice = "Do not show them to people or reuse them at other costs before calibrating."
    if cost.normalized.value < 1:
        text = f"The decisions are fine at these costs, the probabilities are not: {share}"
        yield Verdict("decisions_fine_probabilities_not", text, advice, _CALIBRATE)
    else:
        text = f"The probabilities are not fit to decide with: {share}"
        yield Verdict("probabilities_not_calibrated", text, advice, _CALIBRATE)


def _priors(evaluation: Evaluation) -> Iterator[Verdict]:
    """Warn where posteriors carry other priors than those of use."""
    data = evaluation.data
    if data.adapted or data.scores in ("LogLikelihoods", "LogLikelihoodRatios"):
        return
    for a in evaluation.applications:
        gap = None if a.cost.raw.priors_from_data else _shift(a.priors, data.priors)
        if gap is None:
            continue
        name, where = plain(data.classes[gap]), _where(a, evaluation)
        yield Verdict(
            "priors_differ",
            f"{where}The priors of use differ from those of the data"
            f" ({name}: {number(a.priors[gap])} against {number(data.priors[gap])}), and"
            " posteriors carry the priors they were trained with.",
            "If they were trained on data like these, say so, and they are adapted.",
            "stakes evaluate ... --training-prior data",
        )


def _shift(used: FloatArray, data: FloatArray) -> int | None:
    """Return the class whose odds differ most, if by enough to tell."""
    both = (used > 0) & (data > 0) & (used < 1) & (data < 1)
    ratio = np.ones(used.size)
    ratio[both] = used[both] / (1 - used[both]) / (data[both] / (1 - data[both]))
    worst = int(np.argmax(np.abs(np.log(ratio))))
    return worst if max(ratio[worst], 1 / ratio[worst]) >= SHIFT else None


def _infinite(evaluation: Evaluation) -> Iterator[Verdict]:
    """Say so where posteriors of 0 met the true class."""
    for rule in evaluation.rules:
        count = int(rule.raw.infinite_rows.size)
        if count:
            more = f" and {count - 1} more" if count > 1 else ""
            rows = f"{rule.raw.infinite_rows[0]}{more}"
            yield Verdict(
                "infinite_loss",
                f"{count} {'sample has' if count == 1 else 'samples have'} posterior 0 for the true"
                f" class (row {rows}), so the"
                f" {rule.raw.name} is infinite.",
                "Keep more digits, use log odds, or calibrate with a method that never says never.",
            )


def _slices(evaluation: Evaluation) -> Iterator[Verdict]:
    """Name the slices where the system is worse than naive, although it is useful over all."""
    if not evaluation.main.cost.normalized.value < 1:
        return
    bad = [
        f"{plain(s.column)} {plain(s.value)} ({number(s.cost.value)})"
        for s in evaluation.slices
        if s.cost is not None and s.cost.interval is not None and s.cost.interval.low > 1
    ]
    if bad:
        yield Verdict(
            "slice_worse_than_naive",
            f"Useful over all, but worse than a constant answer for {', '.join(bad[:3])}.",
            "Do not use it there.",
        )


def _surely_above_zero(estimate: Estimate) -> bool:
    """Whether the interval lies above 0; without one the value has to do."""
    return estimate.interval is None or estimate.interval.low > 0


def _percent(share: float) -> str:
    """Return a share in percent."""
    return f"{100 * share:.0f} %"
