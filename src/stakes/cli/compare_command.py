"""stakes compare: several systems on the same samples."""

import math
from dataclasses import replace

from stakes._text import interval_name, number, plain
from stakes.cli.evaluate_command import stage_arguments
from stakes.cli.github import verdict_annotations
from stakes.cli.messages import refuse
from stakes.cli.options import Options
from stakes.cli.outputs import Cell, Document, check_outputs, ends, page_text, publish
from stakes.cli.places import with_options
from stakes.cli.read_mode import read_table
from stakes.cli.screen import Screen
from stakes.cli.table_request import prepare
from stakes.evaluation import Comparison
from stakes.evaluation.comparison_verdicts import NONE_BEST, ODDS_NOTE, p_note
from stakes.evaluation.verdicts.wording import p_number

_NAMES = {"auc": "AUC", "brier_score": "Brier score", "cross_entropy": "cross-entropy"}
_MAIN = ("nec", "normalized", "auc", "accuracy", "calibrated_nec", "calibrated_normalized")


def run(options: Options) -> None:
    """Compare systems on the same rows: paired differences, and who is best at which odds."""
    check_outputs(options)
    named: dict[str, str] = {}
    for text in options.systems:
        name, sign, columns = (part.strip() for part in text.partition("="))
        if not (sign and name and columns) or name in named:
            refuse(f"--system must be NAME=COLUMNS, each name once: got {text!r}. Try new=p_new.")
        named[name] = columns
    if len(named) < 2:
        refuse("--system must be given at least twice: one system cannot be compared.")
    if options.reference is not None and options.reference not in named:
        refuse(f"--reference must be one of {', '.join(named)}: got {options.reference!r}.")
    table = read_table(prepare(options, named), compared=True)
    with table.told_in_place():
        tests = {"reference": options.reference, "margin": options.margin}
        result = table.compare(**tests, **stage_arguments(options))
    publish(_document(result, table.source, table.read, options), options)


def _document(result: Comparison, source: str, read: str, options: Options) -> Document:
    result = replace(result, verdicts=with_options(result.verdicts))
    rows: list[list[Cell]] = [
        ["system", "metric", "value", "reference", "difference", "low", "high", "p_value",
         "adjusted_p_value", "method"]
    ]  # fmt: skip
    for d in result.differences:
        tests = (None if math.isnan(p) else p for p in (d.p_value, d.adjusted_p_value))
        values = (d.value, d.reference, d.difference.value)
        rows.append([d.system, d.metric, *values, *ends(d.difference), *tests, d.difference.method])
    return Document(
        command="compare",
        body=result.to_dict(),
        source=source,
        read=read,
        facts=f"{result.n} samples, seed {result.seed}",
        rows=rows,
        sentences=[str(verdict) for verdict in result.verdicts],
        notes=result.notes,
        draw=lambda screen: _print(screen, result, source, details=options.details),
        page=lambda: page_text(result, options, source),
        annotations=verdict_annotations("compare", result.verdicts),
    )


def _print(screen: Screen, result: Comparison, source: str, *, details: bool) -> None:
    facts = f"{result.n} samples, {len(result.systems)} systems, seed {result.seed}"
    screen.head(source, facts)
    screen.put(f"reference: {plain(result.reference)}")
    screen.print()
    for verdict in result.verdicts:
        screen.say(verdict.text, "bold", "- ")
        if verdict.advice:
            screen.say(verdict.advice, mark="  ")
    screen.explained(result.verdicts)
    screen.print()
    for system in result.systems[1:]:
        name, other = plain(system, 14), plain(result.reference, 14)
        screen.table(
            (f"{name} − {other}", name, other, "difference", interval_name(result.level), "p"),
            [
                (_short(d.metric), number(d.value), number(d.reference),
                 number(d.difference.value), str(d.difference.interval or ""),
                 p_number(d.adjusted_p_value))
                for d in result.differences
                if d.system == system and (details or d.metric.rpartition(".")[2] in _MAIN)
            ],
        )  # fmt: skip
    screen.say(p_note(result.systems, result.costs))
    if result.odds:
        some = result.odds[:12]
        spans = (f"{number(r.low)} to {number(r.high)}" for r in some)
        best = (NONE_BEST if r.system is None else plain(r.system, 20) for r in some)
        screen.print()
        screen.table(("odds c12 P1 / (c21 P2)", "costs least"), zip(spans, best, strict=True))
        if len(result.odds) > 12:
            screen.print(f"(the first 12 of {len(result.odds)} ranges; --json has all)")
        screen.say(ODDS_NOTE)
    screen.notes(result.notes)


def _short(metric: str) -> str:
    """Return a metric in few letters, so that a line holds all its numbers."""
    head_, _, part = metric.rpartition(".")
    kind = part.removeprefix("calibrated_")
    if kind not in ("nec", "normalized"):
        return _NAMES.get(metric, plain(metric.replace("cost.", ""), 28))
    name = _NAMES.get(head_, head_.replace("_", " ")) if kind == "normalized" else f"NEC {head_}"
    return plain(f"{name.replace('NEC cost', 'NEC')}{'' if kind == part else ', cal.'}", 28)
