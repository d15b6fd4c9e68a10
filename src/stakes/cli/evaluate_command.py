"""stakes evaluate: what a system costs, whether it is any use, how good its probabilities are."""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stakes._amounts import Unit, amount, decimals_of, read_unit
from stakes._text import interval_name, number, percent, plain
from stakes.calibration.registry import calibrator_class
from stakes.cli.github import verdict_annotations
from stakes.cli.options import Options
from stakes.cli.outputs import Cell, Document, check_outputs, ends, forget, page_text, publish
from stakes.cli.parsing import parse_priors
from stakes.cli.places import COMMANDS, text_in_file, verdicts_in_file
from stakes.cli.read_mode import SummedTable, read_table, say_whole
from stakes.cli.screen import Screen, described, priors_in_words
from stakes.cli.table_request import LabelledTable, WholeTable, prepare
from stakes.costs import CostMatrix
from stakes.evaluation import ApplicationResult, Evaluation, SliceResult
from stakes.io.sources import is_address

_SHOWN = 12  # classes or slices on one screen


def run(options: Options) -> None:
    """Tell what a system costs: Bayes decisions, naive reference, calibration, intervals."""
    check_outputs(options)
    if options.decision is not None:
        from stakes.cli.decision_column import decision_document  # noqa: PLC0415  another way

        if options.resume or options.memory is not None:
            say_whole("--decision", options)
        document = decision_document(options)
    else:
        table = read_table(prepare(options))
        evaluation = evaluated(table)
        commands = {**COMMANDS, "calibrate": calibrate_command(table, evaluation)}
        document = _document(evaluation, table, commands)
    publish(document, options)
    forget(options)


def evaluated(table: WholeTable | SummedTable) -> Evaluation:
    """Evaluate the first system of a table, in words of options and with lines for rows."""
    with table.told_in_place():
        made = table.evaluate(**stage_arguments(table.request.options))
    verdicts = verdicts_in_file(made.verdicts, table.table)
    notes = tuple(text_in_file(note, table.table) for note in made.notes)
    return replace(made, verdicts=verdicts, notes=notes)


def stage_arguments(options: Options) -> dict[str, Any]:
    """Return how calibration and intervals are to be computed."""
    return {
        "calibrator": None if options.method == "none" else calibrator_class(options.method)(),
        "folds": options.folds,
        "level": options.level,
        "rng": options.seed,
    }


def calibrate_command(setting: LabelledTable, evaluation: Evaluation) -> str:
    """Return the command that fits the calibrator whose gain was told; none for trials."""
    o = setting.request.options
    named = isinstance(o.file, str) and not is_address(o.file)
    if o.key is not None or evaluation.calibrator is None or not named:
        return ""
    file = Path(str(o.file))
    prior = o.prior or (None if not o.dcf else o.dcf[0].rpartition(":")[2])
    if prior is not None and setting.columns != setting.classes:
        priors = parse_priors(prior, setting.classes)  # by names, which mean the same in any order
        prior = prior if priors is None else ",".join(f"{n}={p:.12g}" for n, p in priors.items())
    own = {
        "--label": o.label,
        "--scores": next(iter(setting.request.systems.values())),
        "--scores-are": o.scores_are,
        "--classes": ",".join(setting.columns),
        "--method": None if evaluation.calibrator == "affine" else evaluation.calibrator,
        "--prior": prior,
        "--weight": o.weight,
        "--group": o.group,
    }
    words = [file.name if file.is_absolute() else str(file)]
    words += [word for option, text in own.items() if text for word in (option, text)]
    quoted = " ".join(shlex.quote(plain(word, 10**6)) for word in words)
    return f"stakes calibrate {quoted} -o calibrator.json"


def _document(
    evaluation: Evaluation, table: LabelledTable, commands: Mapping[str, str]
) -> Document:
    """Return an evaluation in every form."""
    source, options = table.source, table.request.options
    details = options.details
    rows: list[list[Cell]] = [["metric", "value", "low", "high", "method"]]
    rows += [[name, e.value, *ends(e), e.method] for name, e in evaluation.metrics().items()]

    system = next(iter(table.request.systems.values()))
    return Document(
        command="evaluate",
        body=evaluation.to_dict(),
        source=source,
        read=table.read,
        facts=f"{evaluation.data.n} samples, seed {evaluation.seed}",
        rows=rows,
        sentences=[str(verdict) for verdict in evaluation.verdicts],
        notes=evaluation.notes,
        draw=lambda screen: print_evaluation(
            screen,
            evaluation,
            source,
            details=details,
            commands=commands,
            unit=read_unit(options.unit),
        ),
        page=lambda: page_text(evaluation, options, source, system, commands),
        commands=commands,
        annotations=verdict_annotations("evaluate", evaluation.verdicts),
    )


def print_evaluation(
    screen: Screen,
    evaluation: Evaluation,
    source: str,
    *,
    details: bool = False,
    commands: Mapping[str, str] = COMMANDS,
    unit: Unit = Unit(),  # noqa: B008  frozen
) -> None:
    """Print an evaluation on one screen."""
    data, several = evaluation.data, len(evaluation.applications) > 1
    groups = "" if data.groups is None else f" in {data.groups} groups"
    facts = f"{data.n} samples{groups}, {len(data.classes)} classes, seed {evaluation.seed}"
    screen.head(source, facts)
    for application in evaluation.applications:
        if several:
            screen.put(f"{plain(application.name)}:")
        raw, costs = application.cost.raw, application.costs
        origin = "as in the data" if raw.priors_from_data else "as given"
        screen.put(f"{'priors':<8} {priors_in_words(raw, 5, 20)}, {origin}")
        decisions = ", ".join(plain(d, 20) for d in costs.decisions[:5])
        by_case = f"from case to case; decisions {decisions}"
        text = described(costs) if isinstance(costs, CostMatrix) else by_case
        screen.put(f"{'costs':<8} {text}")
    screen.print()
    screen.verdicts(evaluation.verdicts, commands)
    _print_values(screen, evaluation)
    screen.say(_ranking(evaluation))
    screen.print()
    for application in evaluation.applications:
        _print_decisions(screen, application, unit, several=several)
        if details and application.traditional:
            screen.print()
            screen.traditional(application.traditional)
    if details:
        _print_details(screen, evaluation)
    if evaluation.slices:
        _print_slices(screen, evaluation, details=details)
    screen.notes(evaluation.notes)


def _print_values(screen: Screen, evaluation: Evaluation) -> None:
    staged = () if evaluation.calibrator is None else ("calibrated", "recovers, %")
    several = len(evaluation.applications) > 1
    losses = [
        (f"cost, {plain(a.name, 14)}" if several else "cost (NEC)", a.cost)
        for a in evaluation.applications
    ]
    losses += [(rule.raw.name, rule) for rule in evaluation.rules]
    rows = []
    for name, x in losses:
        cells = [name, number(x.normalized.value), str(x.normalized.interval or "")]
        if x.calibrated_normalized is not None and x.relative is not None:
            band, known = x.relative.interval, not math.isnan(x.relative.value)
            span = "" if band is None else f" ({percent(band.low)} to {percent(band.high)})"
            recovered = f"{percent(x.relative.value)}{span}" if known else "undefined"
            cells += [number(x.calibrated_normalized.value), recovered]
        rows.append(cells)
    screen.table(("naive = 1", "uncalibrated", interval_name(evaluation.level), *staged), rows)
    reasons: dict[str, list[str]] = {}  # metrics with the same reason share a sentence
    for x in (*evaluation.rules, *(a.cost for a in evaluation.applications)):
        if x.normalized.interval is None and not x.raw.undefined and math.isfinite(x.raw.value):
            reasons.setdefault(x.normalized.method, []).append(x.raw.name)
    for why, names in reasons.items():
        screen.say(f"No interval of the {', '.join(dict.fromkeys(names))}: {plain(why, 200)}.")


def _ranking(evaluation: Evaluation) -> str:
    parts, ranking = [], evaluation.ranking
    if "auc" in ranking:
        mean = " (mean of classes)" if len(evaluation.data.classes) > 2 else ""
        parts.append(f"AUC{mean} {ranking['auc']}, naive 0.5")
    if "eer" in ranking:
        parts.append(f"EER {ranking['eer']}")
    if "cllr" in ranking:
        parts.append(f"Cllr {ranking['cllr']}, minimum {ranking['minimum_cllr']}")
    errors = evaluation.calibration_errors
    error = errors.get("calibration_error", errors["confidence_calibration_error"])
    chance = error.expected_if_calibrated
    beside = "" if math.isnan(chance) else f", {number(chance)} expected if calibrated"
    parts.append(f"{error.name} {error.estimate(evaluation.level)}{beside}")
    if evaluation.slope is not None and evaluation.slope.interval is not None:
        parts.append(f"calibration slope {evaluation.slope}, calibrated 1")
    return "; ".join(parts) + "."


def _print_decisions(screen: Screen, a: ApplicationResult, unit: Unit, *, several: bool) -> None:
    raw, band = a.cost.raw, a.cost.value.interval
    name = f"{plain(a.name)}, cost" if several else "Cost"
    span = "" if band is None else f" ({band})"
    cost = f"{name} per case: {number(raw.value)}{span};"
    naive = f"always answering '{plain(raw.naive_answer)}': {number(raw.naive)}."
    screen.say(f"{cost} {naive}", "bold")
    if unit.name and raw.undefined is None:
        screen.say(_in_unit(a, unit))
    if a.threshold is not None:
        last, decided = plain(a.cost.raw.classes[-1]), plain(a.costs.decisions[-1])
        whose = "its posterior" if last == decided else f"the posterior of '{last}'"
        best = ""
        if a.minimum is not None:
            best = f" The best threshold on these data would cost {a.minimum} of the naive cost."
        screen.say(f"Decides '{decided}' if {whose} is above {number(a.threshold)}.{best}")
        if a.score_threshold is not None:
            screen.say(f"Threshold on your scores: {a.score_threshold}.")
    if a.abstention is not None:
        band = a.abstention.interval
        span = "" if band is None else f" ({percent(band.low, 1)} to {percent(band.high, 1)})"
        screen.say(f"Abstains in {percent(a.abstention.value, 1)} % of cases{span}.")
    screen.counts(a.confusion, a.costs if isinstance(a.costs, CostMatrix) else None)


def _in_unit(a: ApplicationResult, unit: Unit) -> str:
    """Say what a case costs in the unit of the user."""
    raw, band = a.cost.raw, a.cost.value.interval
    ends = None if band is None else (unit.scale * band.low, unit.scale * band.high)
    decimals = decimals_of(unit.scale * raw.value, ends)
    value, naive = (amount(unit.scale * x, decimals) for x in (raw.value, raw.naive))
    span = "" if ends is None else " ({} to {})".format(*(amount(x, decimals) for x in ends))
    return f"In {unit.name}: {value} per case{span}, compared with {naive}."


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
        rows.append((_slice_name(s), str(s.samples), *values))
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
    if details:
        _print_slice_measures(screen, [s for s in slices if s.cost is not None])


def _print_slice_measures(screen: Screen, slices: Sequence[SliceResult]) -> None:
    """Print how slices rank, whether their scores can be taken as rates, and their metrics."""
    measured = [s for s in slices if s.calibration_gap is not None]
    if measured:
        heads = ("slice", "AUC", "mean score", "rate", "score − rate", "interval")
        screen.print()
        screen.table(
            heads,
            [
                (_slice_name(s), "undefined" if s.auc is None else number(s.auc.value),
                 number(s.mean_score or 0), number(s.rate or 0), number(gap.value),
                 str(gap.interval or gap.method))
                for s in measured if (gap := s.calibration_gap) is not None
            ],
        )  # fmt: skip
    rows = [
        (_slice_name(s), name, number(e.value), str(e.interval or e.method))
        for s in slices
        for name, e in s.traditional.items()
    ]
    if rows:
        screen.print()
        screen.table(("slice", "metric", "value", "interval"), rows)


def _slice_name(s: SliceResult) -> str:
    return f"{plain(s.column, 10)} {plain(s.value, 12)}"
