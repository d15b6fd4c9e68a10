"""stakes threshold: which threshold for these costs, also under a cap on reviews."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from stakes._text import number, percent, plain
from stakes.cli.actions import with_options
from stakes.cli.evaluate_command import asked_for
from stakes.cli.formats import Cell, Document, begin, publish
from stakes.cli.paragraphs import hanging
from stakes.cli.read_mode import WHOLE, cells_note, summed, why_no_cells
from stakes.cli.score_columns import say_rounding
from stakes.cli.screen import head, sheet
from stakes.cli.table_request import Request, prepare, read_request
from stakes.evaluation import ThresholdChoice, choose_threshold
from stakes.evaluation.threshold_choice import choose_threshold_samples


def run(*, file: str, review: float | None, level: float, **options: Any) -> None:  # noqa: ANN401
    """Tell which threshold to use for these costs, and what it does on labelled samples."""
    begin(options)
    _refuse_groups(options["group"])
    options["group"] = None
    request = prepare(asked_for(file, options))
    if len(request.costs) > 1:
        msg = "a threshold needs one application: --app or --dcf gives several."
        raise click.UsageError(msg)
    told = {"review": review, "level": level}
    choice, source, read = _in_batches(request, told, options) or _whole(request, told)
    warned = map(str, with_options(choice.verdicts))
    choice = replace(choice, notes=(*warned, *choice.notes[len(choice.verdicts) :]))
    publish(_document(choice, source, level, read), options)


def _in_batches(
    request: Request, told: dict[str, Any], options: dict[str, Any]
) -> tuple[ThresholdChoice, str, str] | None:
    """Choose on the cells of a table that is larger than memory; None if it is read whole."""
    found = summed(request, options, why_no_cells(request), cells=True)
    if found is None:
        return None
    setting = found.setting
    with found.told_in_place():
        choice = choose_threshold_samples(
            found.summary.samples(),
            costs=setting.costs,
            training_priors=setting.training_priors,
            **told,
        )
    notes = (*choice.notes, cells_note("Thresholds lie"))
    return replace(choice, notes=notes), found.choice.source, found.choice.read


def _whole(request: Request, told: dict[str, Any]) -> tuple[ThresholdChoice, str, str]:
    """Choose on all rows of a table."""
    problem = read_request(request)
    say_rounding(problem.scores.rounding)
    with problem.told_in_place():
        choice = choose_threshold(
            problem.y,
            problem.scores,
            costs=problem.costs,
            priors=problem.priors,
            training_priors=problem.training_priors,
            sample_weight=problem.weights,
            classes=problem.classes,
            **told,
        )
    return choice, problem.table.source, WHOLE


def _refuse_groups(group: str | None) -> None:
    """Refuse groups that were typed; those of an application file are for other commands."""
    if group is None:
        return
    context = click.get_current_context()
    reason = "its intervals take cases one by one"
    if context.get_parameter_source("group") is click.core.ParameterSource.COMMANDLINE:
        msg = f"--group has no effect on a threshold: {reason}. Remove it."
        raise click.UsageError(msg)
    click.echo(f"Note: group has no effect on a threshold: {reason}.", err=True)


def _document(choice: ThresholdChoice, source: str, level: float, read: str) -> Document:
    """Return thresholds in every form."""
    rows: list[list[Cell]] = [
        [
            "rule",
            "threshold",
            "reviewed",
            "sensitivity",
            "specificity",
            "cost",
            "nec",
            "low",
            "high",
        ]
    ]
    for r in choice.results:
        band = r.normalized.interval
        ends = (None, None) if band is None else (band.low, band.high)
        rows.append(
            [r.rule, r.threshold, r.reviewed, r.sensitivity, r.specificity, r.value,
             r.normalized.value, *ends]
        )  # fmt: skip
    return Document(
        command="threshold",
        body={
            "source": Path(source).name,
            "read": read,
            "level": level,
            "seed": None,
            **choice.to_dict(),
        },
        rows=rows,
        sentences=[*choice.notes, _sentence(choice)],
        draw=lambda screen: _print(screen, choice, source),
        title=head(source, f"{choice.n} samples"),
    )


def _sentence(choice: ThresholdChoice) -> str:
    """Say what to do."""
    r = choice.chosen
    return (
        f"Decide {plain(choice.second)} where {choice.of} is above {number(r.threshold)}"
        f" ({r.rule}): {percent(r.reviewed, 1)} % of cases, {percent(r.normalized.value)} % of the"
        f" cost of always answering {plain(choice.naive_answer)}."
    )


def _print(screen: Console, choice: ThresholdChoice, source: str) -> None:
    """Print thresholds on one screen."""
    screen.print(Text(head(source, f"{choice.n} samples"), style="bold"))
    screen.print()
    for note in choice.notes:
        screen.print(hanging(screen, "", note, "bold"))
    screen.print(hanging(screen, "", _sentence(choice), "bold"))
    screen.print()
    level = f"{100 * choice.level:g} % interval"
    table = sheet("", "threshold", "reviewed", "found", "spared", "NEC", level)
    for r in choice.results:
        table.add_row(
            r.rule, number(r.threshold), f"{percent(r.reviewed, 1)} %", number(r.sensitivity),
            number(r.specificity), number(r.normalized.value), str(r.normalized.interval),
        )  # fmt: skip
    screen.print(table)
    screen.print(
        hanging(
            screen, "",
            f"Found: share of the class of interest that is decided {plain(choice.second)}. Spared:"
            " share of the other class that is not. The best threshold was chosen on the data it"
            " is judged on, so its cost is optimistic; its interval allows for that.",
            "dim",
        )
    )  # fmt: skip
