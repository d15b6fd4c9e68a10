"""stakes compare: several systems on the same samples."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from stakes._text import number, plain
from stakes.cli.actions import with_options
from stakes.cli.evaluate_command import asked_for, shared_arguments, stage_arguments
from stakes.cli.formats import Cell, Document, begin, publish
from stakes.cli.paragraphs import hanging
from stakes.cli.progress import progress_bar
from stakes.cli.read_mode import IN_BATCHES, WHOLE, choose, why_whole
from stakes.cli.rounding import RoundedRowsError, say_rounded
from stakes.cli.screen import head, sheet
from stakes.cli.table_request import Request, prepare, read_request
from stakes.evaluation import Comparison, compare
from stakes.evaluation.comparison_verdicts import NONE_BEST, p_note
from stakes.evaluation.entry import RULES
from stakes.evaluation.verdicts.wording import p_number

_MAIN = ("nec", "normalized", "auc", "accuracy", "calibrated_nec", "calibrated_normalized")


def run(
    *,
    file: str,
    systems: tuple[str, ...],
    reference: str | None,
    margin: float | None,
    details: bool,
    **options: Any,  # noqa: ANN401
) -> None:
    """Compare systems on the same rows: paired differences, and who is best at which odds."""
    begin(options)
    named = _systems(systems)
    if reference is not None and reference not in named:
        msg = f"--reference must be one of {', '.join(named)}: got {reference!r}."
        raise click.UsageError(msg)
    request = prepare(asked_for(file, {**options, "systems": named}))
    tests = {"reference": reference, "margin": margin}
    result, source, read = _compared(request, tests, options)
    publish(comparison_document(result, source, details=details, read=read), options)


def _compared(
    request: Request, tests: dict[str, Any], options: dict[str, Any]
) -> tuple[Comparison, str, str]:
    """Compare systems in batches where the table is larger than memory, else whole."""
    choice = choose(request, options, why_whole(request))
    if choice.read == IN_BATCHES:
        from stakes.cli.compared_batches import compare_in_batches  # noqa: PLC0415  slow to load

        try:
            told = {**tests, **stage_arguments(options), "rules": RULES}
            found, notes = compare_in_batches(request, choice, told)
            return replace(found, notes=(*notes, *found.notes)), choice.source, choice.read
        except RoundedRowsError:
            say_rounded()
    problem = read_request(request)
    with problem.told_in_place(), progress_bar("resampling") as progress:
        result = compare(
            problem.y,
            problem.systems,
            progress=progress,
            **tests,
            **shared_arguments(problem, options),
        )
    return result, problem.table.source, WHOLE


def _systems(texts: tuple[str, ...]) -> dict[str, str]:
    """Read NAME=COLUMNS pairs."""
    named: dict[str, str] = {}
    for text in texts:
        name, sign, columns = (part.strip() for part in text.partition("="))
        if not (sign and name and columns) or name in named:
            msg = f"--system must be NAME=COLUMNS, each name once: got {text!r}."
            raise click.UsageError(msg)
        named[name] = columns
    if len(named) < 2:
        msg = "--system must be given at least twice: there is nothing to compare with."
        raise click.UsageError(msg)
    return named


def comparison_document(result: Comparison, source: str, *, details: bool, read: str) -> Document:
    """Return a comparison in every form."""
    result = replace(result, verdicts=with_options(result.verdicts))
    rows: list[list[Cell]] = [
        [
            "system", "metric", "value", "reference", "difference", "low", "high",
            "p_value", "adjusted_p_value",
        ]
    ]  # fmt: skip
    for d in result.differences:
        band = d.difference.interval
        ends = (None, None) if band is None else (band.low, band.high)
        tests = (None if math.isnan(p) else p for p in (d.p_value, d.adjusted_p_value))
        rows.append([d.system, d.metric, d.value, d.reference, d.difference.value, *ends, *tests])
    return Document(
        command="compare",
        body={"source": Path(source).name, "read": read, **result.to_dict()},
        rows=rows,
        sentences=[str(verdict) for verdict in result.verdicts],
        draw=lambda screen: _print(screen, result, source, details=details),
        title=head(source, f"{result.n} samples, seed {result.seed}"),
        page=lambda: result.to_html(source=source),
    )


def _print(screen: Console, result: Comparison, source: str, *, details: bool) -> None:
    """Print a comparison on one screen."""
    facts = f"{result.n} samples, {len(result.systems)} systems, seed {result.seed}"
    screen.print(Text(head(source, facts), style="bold"))
    screen.print(Text(f"reference: {plain(result.reference)}"))
    screen.print()
    for verdict in result.verdicts:
        screen.print(hanging(screen, "- ", verdict.text, "bold"))
        if verdict.advice:
            screen.print(hanging(screen, "  ", verdict.advice))
    screen.print()
    level = f"{100 * result.level:g} % interval"
    for system in result.systems[1:]:
        name, other = plain(system, 14), plain(result.reference, 14)
        table = sheet(f"{name} less {other}", name, other, "difference", level, "p")
        for d in result.differences:
            shown = details or d.metric.rpartition(".")[2] in _MAIN
            if d.system == system and shown:
                table.add_row(
                    _short(d.metric), number(d.value), number(d.reference),
                    number(d.difference.value), str(d.difference.interval or ""),
                    p_number(d.adjusted_p_value),
                )  # fmt: skip
        screen.print(table)
    screen.print(hanging(screen, "", p_note(result.systems, result.costs)))
    _print_odds(screen, result)
    for note in result.notes:
        screen.print(hanging(screen, "", f"Note: {plain(note, 400)}"))


def _short(metric: str) -> str:
    """Return a metric in few letters, so that a line holds all its numbers."""
    head_, _, part = metric.rpartition(".")
    names = {
        "nec": "",
        "normalized": "",
        "calibrated_nec": ", cal.",
        "calibrated_normalized": ", cal.",
    }
    if part not in names:
        return plain(metric.replace("cost.", ""), 28)
    name = head_.replace("_", " ") if part.endswith("normalized") else f"NEC {head_}"
    return plain(f"{name.replace('NEC cost', 'NEC')}{names[part]}", 28)


def _print_odds(screen: Console, result: Comparison) -> None:
    """Print which system costs least at which odds."""
    if not result.odds:
        return
    screen.print()
    table = sheet("odds c12 P1 / (c21 P2)", "costs least")
    for r in result.odds[:12]:
        span = f"{number(r.low)} to {number(r.high)}"
        table.add_row(span, NONE_BEST if r.system is None else plain(r.system, 20))
    screen.print(table)
    if len(result.odds) > 12:
        screen.print(f"(the first 12 of {len(result.odds)} ranges; all are in --json)")
