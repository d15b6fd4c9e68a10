"""The terminal report of an evaluation: one screen, the verdict first."""

import math
from collections.abc import Iterator, Mapping

from stakes._text import number, percent, plain
from stakes.cli.actions import COMMANDS
from stakes.cli.formats import Cell, Document, ends
from stakes.cli.screen import Screen, described, interval_name, priors_in_words
from stakes.costs import CostMatrix
from stakes.evaluation import ApplicationResult, Evaluation
from stakes.results import Estimate

_SHOWN = 12  # classes or slices on one screen


def evaluation_document(
    evaluation: Evaluation, source: str, read: str, commands: Mapping[str, str], *, details: bool
) -> Document:
    """Return an evaluation in every form."""
    rows: list[list[Cell]] = [["metric", "value", "low", "high", "method"]]
    rows += [[name, e.value, *ends(e), e.method] for name, e in evaluation.metrics().items()]
    return Document(
        command="evaluate",
        body=evaluation.to_dict(),
        source=source,
        read=read,
        facts=f"{evaluation.data.n} samples, seed {evaluation.seed}",
        rows=rows,
        sentences=[str(verdict) for verdict in evaluation.verdicts],
        draw=lambda screen: print_evaluation(
            screen, evaluation, source, details=details, commands=commands
        ),
        page=lambda: _page(evaluation, source, commands),
        commands=commands,
    )


def _page(evaluation: Evaluation, source: str, commands: Mapping[str, str]) -> str:
    from stakes.report import page_of  # noqa: PLC0415  where a page is asked for

    return page_of(evaluation, source=source, actions=commands).html()


def print_evaluation(
    screen: Screen,
    evaluation: Evaluation,
    source: str,
    *,
    details: bool = False,
    commands: Mapping[str, str] = COMMANDS,
) -> None:
    """Print an evaluation on one screen."""
    data, several = evaluation.data, len(evaluation.applications) > 1
    groups = "" if data.groups is None else f" in {data.groups} groups"
    facts = f"{data.n} samples{groups}, {len(data.classes)} classes, seed {evaluation.seed}"
    screen.head(source, facts)
    for application in evaluation.applications:
        if several:
            screen.put(f"{plain(application.name)}:")
        _print_problem(screen, application)
    screen.print()
    screen.verdicts(evaluation.verdicts, commands)
    _print_values(screen, evaluation)
    for line in _without_intervals(evaluation):
        screen.say(line)
    screen.say(_ranking(evaluation))
    screen.print()
    for application in evaluation.applications:
        _print_decisions(screen, application, several=several)
        if details and application.traditional:
            screen.print()
            screen.traditional(application.traditional)
    if details:
        _print_details(screen, evaluation)
    if evaluation.slices:
        _print_slices(screen, evaluation, details=details)
    screen.notes(evaluation.notes)


def _print_problem(screen: Screen, application: ApplicationResult) -> None:
    raw, costs = application.cost.raw, application.costs
    origin = "as in the data" if raw.priors_from_data else "as given"
    screen.put(f"{'priors':<8} {priors_in_words(raw, 5, 20)}, {origin}")
    if isinstance(costs, CostMatrix):
        text = described(costs)
    else:
        decisions = ", ".join(plain(d, 20) for d in costs.decisions[:5])
        text = f"from case to case; decisions {decisions}"
    screen.put(f"{'costs':<8} {text}")


def _print_values(screen: Screen, evaluation: Evaluation) -> None:
    staged = () if evaluation.calibrator is None else ("calibrated", "recovers, %")
    several = len(evaluation.applications) > 1
    losses = [
        (f"cost, {plain(a.name, 14)}" if several else "cost (NEC)", a.cost)
        for a in evaluation.applications
    ]
    losses += [(rule.raw.name, rule) for rule in evaluation.rules]
    screen.table(
        ("naive = 1", "uncalibrated", interval_name(evaluation.level), *staged),
        [
            (name, *_loss_cells(x.normalized, x.calibrated_normalized, x.relative))
            for name, x in losses
        ],
    )


def _loss_cells(
    raw: Estimate, after: Estimate | None, relative: Estimate | None
) -> tuple[str, ...]:
    band = str(raw.interval or "")
    if after is None or relative is None:
        return number(raw.value), band
    ends = relative.interval
    span = "" if ends is None else f" ({percent(ends.low)} to {percent(ends.high)})"
    known = not math.isnan(relative.value)
    recovered = f"{percent(relative.value)}{span}" if known else "undefined"
    return number(raw.value), band, number(after.value), recovered


def _without_intervals(evaluation: Evaluation) -> Iterator[str]:
    """Say why losses have no interval; metrics with the same reason share a sentence."""
    losses = [(rule.raw, rule.normalized) for rule in evaluation.rules]
    losses += [(a.cost.raw, a.cost.normalized) for a in evaluation.applications]
    reasons: dict[str, list[str]] = {}
    for raw, normalized in losses:
        if normalized.interval is None and raw.undefined is None and math.isfinite(raw.value):
            reasons.setdefault(normalized.method, []).append(raw.name)
    for why, names in reasons.items():
        yield f"No interval of the {', '.join(dict.fromkeys(names))}: {plain(why, 200)}."


def _ranking(evaluation: Evaluation) -> str:
    parts = []
    area = evaluation.ranking.get("auc")
    if area is not None:
        mean = " (mean of classes)" if len(evaluation.data.classes) > 2 else ""
        parts.append(f"AUC{mean} {area}, naive 0.5")
    rate = evaluation.ranking.get("eer")
    if rate is not None:
        parts.append(f"EER {rate}")
    ratio = evaluation.ranking.get("cllr")
    if ratio is not None:
        least = evaluation.ranking["minimum_cllr"]
        parts.append(f"Cllr {ratio}, minimum {least}")
    parts.append(_calibration_error(evaluation))
    if evaluation.slope is not None and evaluation.slope.interval is not None:
        parts.append(f"calibration slope {evaluation.slope}, calibrated 1")
    return "; ".join(parts) + "."


def _calibration_error(evaluation: Evaluation) -> str:
    """Return a calibration error beside what chance alone would make of it."""
    errors = evaluation.calibration_errors
    error = errors.get("calibration_error", errors["confidence_calibration_error"])
    expected = error.expected_if_calibrated
    beside = "" if math.isnan(expected) else f", {number(expected)} expected if calibrated"
    return f"{error.name} {error.estimate(evaluation.level)}{beside}"


def _print_decisions(screen: Screen, a: ApplicationResult, *, several: bool) -> None:
    raw, band = a.cost.raw, a.cost.value.interval
    name = f"{plain(a.name)}, cost" if several else "Cost"
    span = "" if band is None else f" ({band})"
    cost = f"{name} per case: {number(raw.value)}{span};"
    naive = f"always answering '{plain(raw.naive_answer)}': {number(raw.naive)}."
    screen.say(f"{cost} {naive}", "bold")
    for line in _decision_lines(a):
        screen.say(line)
    screen.counts(a.confusion, a.costs if isinstance(a.costs, CostMatrix) else None)


def _decision_lines(a: ApplicationResult) -> Iterator[str]:
    """Say at which threshold is decided, what the best would cost, and how often none is made."""
    if a.threshold is not None:
        last, decided = plain(a.cost.raw.classes[-1]), plain(a.costs.decisions[-1])
        whose = "its posterior" if last == decided else f"the posterior of {last}"
        best = ""
        if a.minimum is not None:
            best = f"; the best threshold on these data would cost {a.minimum} of naive"
        yield f"Decides {decided} where {whose} is above {number(a.threshold)}{best}."
    if a.abstention is not None:
        band = a.abstention.interval
        span = "" if band is None else f" ({percent(band.low, 1)} to {percent(band.high, 1)})"
        yield f"Abstains in {percent(a.abstention.value, 1)} % of cases{span}."


def _print_details(screen: Screen, evaluation: Evaluation) -> None:
    screen.table(
        ("metric", "value", interval_name(evaluation.level), "interval by"),
        [
            (plain(name), number(e.value), str(e.interval or ""), e.method)
            for name, e in evaluation.metrics().items()
        ],
    )
    screen.table(
        ("class", "samples", "prior", "recall", "mean cost", "cross-entropy"),
        [
            (plain(c.name, 18), str(c.samples), number(c.prior), str(c.recall or ""),
             number(c.cost.value), number(c.cross_entropy.value))
            for c in evaluation.by_class
        ],
    )  # fmt: skip


def _print_slices(screen: Screen, evaluation: Evaluation, *, details: bool) -> None:
    slices, level = evaluation.slices, interval_name(evaluation.level)
    rows = []
    for s in slices if details else slices[:_SHOWN]:
        values = ("undefined", "", "", "")
        if s.cost is not None and s.cross_entropy is not None:
            cost, entropy = number(s.cost.value), number(s.cross_entropy.value)
            values = (cost, str(s.cost.interval or ""), entropy, s.standing)
        rows.append((f"{plain(s.column, 10)} {plain(s.value, 12)}", str(s.samples), *values))
    screen.print()
    screen.table(("slice", "samples", "NEC", level, "cross-entropy", "verdict"), rows)
    if len(slices) > _SHOWN and not details:
        screen.print(f"({_SHOWN} of {len(slices)} slices; --details shows all)")
    if len(slices) > 1:
        many = f"verdict: against the best constant answer, corrected for {len(slices)} slices;"
        screen.say(f"{many} unclear: not distinguishable from it.")
    for s in slices:
        if s.why:
            screen.say(f"{plain(s.column)} {plain(s.value)}: {plain(s.why, 200)}")
