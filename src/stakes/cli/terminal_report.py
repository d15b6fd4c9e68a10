"""The terminal report of an evaluation: one screen, the verdict first."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from stakes._text import number, percent, plain
from stakes.cli.actions import COMMANDS
from stakes.cli.formats import Cell, Document
from stakes.cli.paragraphs import hanging, print_verdicts
from stakes.cli.screen import described, head, print_counts, print_traditional, sheet
from stakes.costs import CostMatrix
from stakes.evaluation import ApplicationResult, Evaluation
from stakes.results import Estimate

_SHOWN = 12  # classes or slices on one screen


def evaluation_document(
    command: str,
    evaluation: Evaluation,
    source: str,
    *,
    details: bool = False,
    read: str,
    commands: Mapping[str, str] = COMMANDS,
) -> Document:
    """Return an evaluation in every form."""
    rows: list[list[Cell]] = [["metric", "value", "low", "high", "method"]]
    for name, estimate in evaluation.metrics().items():
        band = estimate.interval
        ends = (None, None) if band is None else (band.low, band.high)
        rows.append([name, estimate.value, *ends, estimate.method])
    return Document(
        command=command,
        body={"source": Path(source).name, "read": read, **evaluation.to_dict()},
        rows=rows,
        sentences=[str(verdict) for verdict in evaluation.verdicts],
        draw=lambda screen: print_evaluation(
            screen, evaluation, source, details=details, commands=commands
        ),
        title=head(source, f"{evaluation.data.n} samples, seed {evaluation.seed}"),
        page=lambda: _page(evaluation, source, commands),
        commands=commands,
    )


def _page(evaluation: Evaluation, source: str, commands: Mapping[str, str]) -> str:
    """Return the page of an evaluation, with the commands that its verdicts ask for."""
    from stakes.report import page_of  # noqa: PLC0415  where a page is asked for

    return page_of(evaluation, source=source, actions=commands).html()


def print_evaluation(
    screen: Console,
    evaluation: Evaluation,
    source: str,
    *,
    details: bool = False,
    commands: Mapping[str, str] = COMMANDS,
) -> None:
    """Print an evaluation on one screen."""
    data = evaluation.data
    groups = "" if data.groups is None else f" in {data.groups} groups"
    facts = f"{data.n} samples{groups}, {len(data.classes)} classes, seed {evaluation.seed}"
    screen.print(Text(head(source, facts), style="bold"))
    for application in evaluation.applications:
        if len(evaluation.applications) > 1:
            screen.print(Text(f"{plain(application.name)}:"))
        screen.print(Text(_priors(application)))
        screen.print(Text(_costs(application)))
    screen.print()
    print_verdicts(screen, evaluation.verdicts, commands)
    screen.print(_values(evaluation))
    for line in _without_intervals(evaluation):
        screen.print(hanging(screen, "", line))
    screen.print(hanging(screen, "", _ranking(evaluation)))
    screen.print()
    for application in evaluation.applications:
        _print_decisions(screen, application, several=len(evaluation.applications) > 1)
        if details and application.traditional:
            screen.print()
            print_traditional(screen, application.traditional)
    if details:
        screen.print(_metrics(evaluation))
        screen.print(_classes(evaluation))
    if evaluation.slices:
        _print_slices(screen, evaluation, details=details)
    for note in evaluation.notes:
        screen.print(hanging(screen, "", f"Note: {plain(note, 400)}"))


def _priors(application: ApplicationResult) -> str:
    """Return the priors of an application in words."""
    raw = application.cost.raw
    origin = "as in the data" if raw.priors_from_data else "as given"
    pairs = list(zip(raw.classes, raw.priors, strict=True))
    listed = ", ".join(f"{plain(c, 20)} {number(p)}" for c, p in pairs[:5])
    more = f" and {len(pairs) - 5} more" if len(pairs) > 5 else ""
    return f"{'priors':<8} {listed}{more}, {origin}"


def _costs(application: ApplicationResult) -> str:
    """Return the costs of an application in words."""
    costs = application.costs
    if isinstance(costs, CostMatrix):
        return f"{'costs':<8} {described(costs)}"
    decisions = ", ".join(plain(d, 20) for d in costs.decisions[:5])
    return f"{'costs':<8} from case to case; decisions {decisions}"


def _values(evaluation: Evaluation) -> Table:
    """Return costs and scoring rules: uncalibrated, calibrated, and what calibration recovers."""
    level = f"{100 * evaluation.level:g} % interval"
    staged = () if evaluation.calibrator is None else ("calibrated", "recovers, %")
    table = sheet("naive = 1", "uncalibrated", level, *staged)
    for a in evaluation.applications:
        several = len(evaluation.applications) > 1
        name = f"cost, {plain(a.name, 14)}" if several else "cost (NEC)"
        table.add_row(
            name, *_loss_cells(a.cost.normalized, a.cost.calibrated_normalized, a.cost.relative)
        )
    for rule in evaluation.rules:
        table.add_row(
            rule.raw.name, *_loss_cells(rule.normalized, rule.calibrated_normalized, rule.relative)
        )
    return table


def _loss_cells(
    raw: Estimate, after: Estimate | None, relative: Estimate | None
) -> tuple[str, ...]:
    """Return a loss with its interval, calibrated, and the share that is recovered."""
    band = "" if raw.interval is None else str(raw.interval)
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
    """Return ranking and calibration errors in a line."""
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


def _print_decisions(screen: Console, a: ApplicationResult, *, several: bool) -> None:
    """Print the decisions of an application, with their cost and threshold."""
    raw = a.cost.raw
    name = f"{plain(a.name)}, cost" if several else "Cost"
    band = a.cost.value.interval
    span = "" if band is None else f" ({band})"
    cost = f"{name} per case: {number(raw.value)}{span};"
    naive = f"always answering '{plain(raw.naive_answer)}': {number(raw.naive)}."
    screen.print(hanging(screen, "", f"{cost} {naive}", "bold"))
    for line in _decision_lines(a):
        screen.print(hanging(screen, "", line))
    costs = a.costs if isinstance(a.costs, CostMatrix) else None
    print_counts(screen, a.confusion, costs)


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


def _metrics(evaluation: Evaluation) -> Table:
    """Return every number with its interval."""
    table = sheet("metric", "value", f"{100 * evaluation.level:g} % interval", "interval by")
    for name, e in evaluation.metrics().items():
        band = "" if e.interval is None else str(e.interval)
        table.add_row(plain(name), number(e.value), band, e.method)
    return table


def _classes(evaluation: Evaluation) -> Table:
    """Return what is lost on each class."""
    table = sheet("class", "samples", "prior", "recall", "mean cost", "cross-entropy")
    for c in evaluation.by_class:
        recall = "" if c.recall is None else str(c.recall)
        table.add_row(
            plain(c.name, 18), str(c.samples), number(c.prior), recall,
            number(c.cost.value), number(c.cross_entropy.value),
        )  # fmt: skip
    return table


def _print_slices(screen: Console, evaluation: Evaluation, *, details: bool) -> None:
    """Print the slices, and why some have no value."""
    screen.print()
    screen.print(_slices(evaluation, details=details))
    if len(evaluation.slices) > _SHOWN and not details:
        screen.print(f"({_SHOWN} of {len(evaluation.slices)} slices; --details shows all)")
    if len(evaluation.slices) > 1:
        many = f"verdict: against the best constant answer, corrected for {len(evaluation.slices)}"
        screen.print(hanging(screen, "", f"{many} slices; unclear: not distinguishable from it."))
    for s in evaluation.slices:
        if s.why:
            why = f"{plain(s.column)} {plain(s.value)}: {plain(s.why, 200)}"
            screen.print(hanging(screen, "", why))


def _slices(evaluation: Evaluation, *, details: bool) -> Table:
    """Return the normalised cost of each slice."""
    level = f"{100 * evaluation.level:g} % interval"
    table = sheet("slice", "samples", "NEC", level, "cross-entropy", "verdict")
    for s in evaluation.slices if details else evaluation.slices[:_SHOWN]:
        name = f"{plain(s.column, 10)} {plain(s.value, 12)}"
        if s.cost is None or s.cross_entropy is None:
            table.add_row(name, str(s.samples), "undefined", "", "", "")
            continue
        band = str(s.cost.interval or "")
        cost, entropy = number(s.cost.value), number(s.cross_entropy.value)
        table.add_row(name, str(s.samples), cost, band, entropy, s.standing)
    return table
