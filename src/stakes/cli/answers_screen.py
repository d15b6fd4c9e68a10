"""What `stakes answers` prints on a terminal: sentences first, then the numbers behind them."""

import math
from collections.abc import Mapping, Sequence

from stakes._text import interval_name, number, percent, plain
from stakes.cli.screen import Screen
from stakes.evaluation import Evaluation, Verdict
from stakes.responses import AbstentionRule, ResponseEvaluation, ResponseSlice
from stakes.responses.abstention_rules import CALIBRATED, OWN, STATED
from stakes.responses.response_evaluation import CONSTANTS
from stakes.responses.response_measures import NAMES
from stakes.responses.response_verdicts import target_name
from stakes.responses.target_curves import SHOWN_TARGETS
from stakes.results import Estimate

_SHOWN = 12  # slices on one screen
_SHARES = ("answered", "right", "answered_accuracy", "hallucination_rate")  # in percent
_MARK = "=> "
_LONGEST_ORIGIN = 240  # letters in one paragraph
_ANSWERS = {OWN: "answers", CALIBRATED: "cal. answers"}


def print_responses(
    screen: Screen,
    made: ResponseEvaluation,
    source: str,
    origin: Mapping[str, Mapping[str, str]],
    *,
    details: bool = False,
) -> None:
    """Print the responses of one model on one screen."""
    screen.head(source, f"{len(made.responses)} responses, seed {made.seed}")
    screen.put(f"{'target':<8} {_target_words(made)}")
    screen.put(f"{'data':<8} {str(made.responses).partition(': ')[2]}")
    print_origin(screen, origin)
    screen.print()
    print_verdicts(screen, made.verdicts)
    _print_numbers(screen, made)
    _print_rules(screen, made)
    _print_targets(screen, made)
    _print_confidence(screen, made)
    if made.risk_limit is not None:
        screen.say(f"Risk limit {_share(made.risk_limit.limit)}: {made.risk_limit}.")
    if details:
        _print_details(screen, made)
    if made.slices:
        _print_slices(screen, made, details=details)
    screen.notes(made.notes)


def _target_words(made: ResponseEvaluation) -> str:
    return str(made.target).removeprefix("target ")


def print_origin(screen: Screen, origin: Mapping[str, Mapping[str, str]]) -> None:
    """Print what was taken from where; of several files with the same columns once."""
    told: dict[str, list[str]] = {}
    for file, columns in origin.items():
        text = "; ".join(f"{role}: {what}" for role, what in columns.items())
        told.setdefault(text, []).append(file)
    for text, files in told.items():
        whose = "" if len(told) == 1 else f"{', '.join(plain(file) for file in files)}: "
        mark = "read     "
        for line in [text] if len(text) <= _LONGEST_ORIGIN else text.split("; "):
            screen.say(f"{whose}{line}", mark=mark)
            whose, mark = "", " " * len(mark)


def plain_origin(origin: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """Return where columns were taken from, by file, fit for JSON."""
    return {file: dict(columns) for file, columns in origin.items()}


def print_verdicts(screen: Screen, verdicts: Sequence[Verdict]) -> None:
    """Print what the numbers say, and what to do."""
    for place, verdict in enumerate(verdicts):
        style = "" if place else "bold"
        screen.say(f"{verdict.text} {verdict.advice}".strip(), style, _MARK)
    screen.explained(verdicts)
    screen.print()


def _print_numbers(screen: Screen, made: ResponseEvaluation) -> None:
    rows = [
        (_named(name), *_value(name, found), _reference(name, made))
        for name, found in made.numbers.items()
    ]
    screen.table(("own responses", "value", interval_name(made.level), "reference"), rows)
    _say_reasons(screen, made.numbers)


def _named(name: str) -> str:
    text = NAMES[name].partition(" (")[0].removeprefix("questions ")
    return f"{text}, %" if name in _SHARES else text


def _value(name: str, found: Estimate) -> tuple[str, str]:
    band = found.interval
    if name in _SHARES and not math.isnan(found.value):
        ends = "" if band is None else f"{percent(band.low, 1)} to {percent(band.high, 1)}"
        return percent(found.value, 1), ends
    return number(found.value), str(band or "")


def _reference(name: str, made: ResponseEvaluation) -> str:
    """Return what answering never or always gives."""
    if name == "cost.nec":
        return f"{CONSTANTS[made.naive[0]]} 1"
    if name != "utility":
        return ""
    never, always = (f"{rule} {number(points)}" for rule, points in made.constants.items())
    return f"never {never.removeprefix('abstain ')}, always {always.removeprefix('answer ')}"


def _say_reasons(screen: Screen, numbers: Mapping[str, Estimate]) -> None:
    """Say why a number is undefined or has no interval."""
    for name, found in numbers.items():
        if found.interval is None and found.method:
            what = "is undefined" if math.isnan(found.value) else "has no interval"
            screen.say(f"The {NAMES.get(name, name)} {what}: {plain(found.method, 200)}.")


def _print_rules(screen: Screen, made: ResponseEvaluation) -> None:
    """Print what other rules on the confidence would give."""
    if len(made.rules) < 2:
        return
    screen.print()
    screen.table(
        ("when to answer", "answers", "utility", interval_name(made.level), "threshold"),
        [
            (_rule_name(rule, made), _share(rule.answered.value), number(rule.utility.value),
             str(rule.utility.interval or ""), _threshold(rule))
            for rule in made.rules
        ],
    )  # fmt: skip


def _rule_name(rule: AbstentionRule, made: ResponseEvaluation) -> str:
    least = target_name(made.target)
    return {
        OWN: "its own abstentions",
        STATED: f"stated confidence >= {least}",
        CALIBRATED: f"calibrated confidence >= {least}",
    }[rule.name]


def _threshold(rule: AbstentionRule) -> str:
    if rule.threshold is None:
        return ""
    return "none" if math.isinf(rule.threshold) else number(rule.threshold)


def _share(share: float) -> str:
    return "undefined" if math.isnan(share) else f"{percent(share, 1).removesuffix('.0')} %"


def _print_targets(screen: Screen, made: ResponseEvaluation) -> None:
    """Print utility at some targets, and at that of the report."""
    curve, shown = made.curve, {*SHOWN_TARGETS, made.target.t}
    heads = ["utility at", *curve.utility, *(_ANSWERS[name] for name in _asked(made))]
    rows = []
    for k, t in enumerate(curve.targets.tolist()):
        if t in shown:
            values = [number(float(each[k])) for each in curve.utility.values()]
            answers = [_share(float(curve.answered[name][k])) for name in _asked(made)]
            rows.append([_share(t), *values, *answers])
    screen.print()
    screen.table(heads, rows)
    if "best" in curve.utility:
        said = "best: the best threshold on the stated confidence, chosen in hindsight on these"
        screen.say(f"{said} answers; calibrators may order them in another way.", "dim")


def _asked(made: ResponseEvaluation) -> list[str]:
    return [name for name in (OWN, CALIBRATED) if name in made.curve.answered]


def _print_confidence(screen: Screen, made: ResponseEvaluation) -> None:
    """Print how far stated confidence can be trusted."""
    screen.print()
    if made.confidence is None:
        screen.say(f"Confidence is not evaluated: {plain(made.why_no_confidence, 200)}.")
        return
    level = interval_name(made.level)
    rows = [*_scores(made.confidence), *_calibration(made.confidence, made.level)]
    if made.overconfidence is not None:
        gap = made.overconfidence
        rows.append(("confidence − accuracy", number(gap.value), str(gap.interval or ""), "0"))
    for name, found in made.areas.items():
        rows.append((name.upper(), number(found.value), str(found.interval or ""), "best 0"))
    screen.table(("confidence of answers", "value", level, "reference"), rows)
    for rule in made.confidence.rules:
        if math.isinf(rule.raw.value):
            lost = rule.raw.infinite_samples
            what = "answer was stated" if lost == 1 else "answers were stated"
            screen.say(f"The log loss is infinite: {lost} {what} as certain, and wrongly so.")


def _scores(found: Evaluation) -> list[tuple[str, str, str, str]]:
    return [
        (
            "log loss" if rule.raw.name == "cross-entropy" else rule.raw.name,
            number(rule.value.value),
            str(rule.value.interval or ""),
            f"naive {number(rule.raw.naive)}",
        )
        for rule in found.rules
    ]


def _calibration(found: Evaluation, level: float) -> list[tuple[str, str, str, str]]:
    error = found.calibration_errors["calibration_error"]
    estimate = error.estimate(level)
    chance = error.expected_if_calibrated
    beside = "" if math.isnan(chance) else f"by chance {number(chance)}"
    rows = [(error.name, number(estimate.value), str(estimate.interval or ""), beside)]
    slope = found.slope
    if slope is not None and slope.interval is not None:
        rows.append(("calibration slope", number(slope.value), str(slope.interval), "calibrated 1"))
    return rows


def _print_details(screen: Screen, made: ResponseEvaluation) -> None:
    screen.print()
    screen.table(
        ("metric", "value", interval_name(made.level), "interval by"),
        [
            (plain(name), number(e.value), str(e.interval or ""), e.method)
            for name, e in made.metrics().items()
        ],
    )


def _print_slices(screen: Screen, made: ResponseEvaluation, *, details: bool) -> None:
    slices = made.slices
    screen.print()
    screen.table(
        ("slice", "responses", "utility", interval_name(made.level), "answers", "verdict"),
        [_slice_row(part) for part in (slices if details else slices[:_SHOWN])],
    )
    if len(slices) > _SHOWN and not details:
        screen.print(f"({_SHOWN} of {len(slices)} slices; --details shows all)")
    if len(slices) > 1:
        screen.say(
            f"verdict: against never or always answering, corrected for {len(slices)} slices;"
            " unclear: not distinguishable from it."
        )


_STANDING = {"useful": "useful", "worse_than_naive": "worse", "not_distinguishable": "unclear"}


def _slice_row(part: ResponseSlice) -> tuple[str, ...]:
    utility = part.numbers["utility"]
    return (
        f"{plain(part.column, 10)} {plain(part.value, 14)}",
        str(part.responses),
        number(utility.value),
        str(utility.interval or ""),
        _share(part.numbers["answered"].value),
        _STANDING.get(part.verdict.code, "undefined"),
    )
