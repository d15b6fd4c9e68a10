"""stakes reproduce: the paper's tables and figures, computed again."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from stakes import paper
from stakes._check import FileError, MissingExtraError
from stakes._files import refuse_taken, write_text
from stakes.cli.messages import refuse, wrote
from stakes.cli.options import Options
from stakes.cli.outputs import Document, check_output, same_place, show
from stakes.cli.screen import Screen, head
from stakes.displays import Drawing, png, save_figure
from stakes.displays.figures import FIGURE_ENDINGS
from stakes.paper.paper_figures import scatter_figure, threshold_figure
from stakes.report import Picture, reproduction_page
from stakes.results import json_number

_CAPTIONS = {  # and what there is to see
    "ec_vs_other_scatter": (
        "Traditional metrics against the normalised expected cost each is tied to",
        (
            "Scatter plots: MCC and F1 of many systems over three normalised costs, for balanced"
            " and for imbalanced data. Systems with the same metric differ in cost, and some that"
            " are no better than the naive system have a good F1."
        ),
    ),
    "metrics_vs_thr": (
        "Metrics over the decision threshold, of a miscalibrated and a calibrated system",
        (
            "Curves of three normalised costs and of 1 - F1 over the threshold. For the calibrated"
            " system the Bayes thresholds are the best ones; for the other they are not."
        ),
    ),
}
_COLUMNS = 5  # of a table side by side in 80 columns
_SEED = 0  # of the scores that `simulate` draws unless told otherwise


def run(options: Options) -> None:
    """Compute the paper's tables again, beside the printed digits, and draw its figures."""
    folder, html = Path(str(options.output)), options.html
    if html is not None:
        check_output(html, options)
        figures_too = [] if options.no_figures else _figure_paths(folder)
        if any(same_place(html, str(path)) for path in figures_too):
            refuse(f"--html must be another file than a figure: got {html!r}.")
    if not options.no_figures:
        try:  # before any long work
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            msg = f"cannot create the directory {str(folder)!r}: {error.strerror}."
            raise FileError(msg) from error
        for path in _figure_paths(folder):
            refuse_taken(path, force=True)
    if sys.stderr.isatty():
        click.echo("Computing. The calibrated rows take about a minute ...", err=True)
    study = paper.threshold_study()
    tables = (
        *paper.metric_tables(),
        paper.threshold_table(study),
        paper.abstention_table(2),
        paper.abstention_table(10),
        paper.scoring_table(),
        paper.calibration_table(),
    )
    show(Document("reproduce", _body(tables), draw=lambda screen: _print(screen, tables)), options)
    figures = {} if options.no_figures else _figures(study)
    for name, figure in figures.items():
        for path in save_figure(figure, folder / name):
            click.echo(f"wrote {path}", err=True)
    if html is not None:
        pictures = [Picture(*_CAPTIONS[name], png(figure)) for name, figure in figures.items()]
        write_text(html, reproduction_page(tables, pictures, paper.paper_sketch()).html())
        wrote(html, ": open it in a browser")


def _figure_paths(folder: Path) -> list[Path]:
    return [folder / f"{name}{ending}" for name in _CAPTIONS for ending in FIGURE_ENDINGS]


def _print(screen: Screen, tables: Sequence[paper.Reproduction]) -> None:
    for table in tables:
        screen.put(f"{table.label}: {table.title}", "bold")
        for start in range(0, len(table.columns), _COLUMNS):
            kept = slice(start, start + _COLUMNS)
            rows = [(*names, *(cell.text for cell in cells[kept])) for names, cells in table.rows]
            screen.table((*table.row_names, *table.columns[kept]), rows, gap=1)
        if count := len(table.printed_cells):
            screen.print(f"{table.agreeing} of {count} printed cells agree.")
        screen.print()
    printed = [cell for table in tables for cell in table.printed_cells]
    agreeing = sum(cell.agrees for cell in printed)
    screen.print(f"In total, {agreeing} of {len(printed)} printed numbers agree.")
    screen.print(head("the paper", f"simulated scores, seed {_SEED}"))


def _figures(study: paper.ThresholdStudy) -> dict[str, Drawing]:
    try:
        return {
            "ec_vs_other_scatter": scatter_figure(),
            "metrics_vs_thr": threshold_figure(study),
        }
    except MissingExtraError as error:
        click.echo(f"No figures: {error}", err=True)
        return {}


def _body(tables: Sequence[paper.Reproduction]) -> dict[str, object]:
    listed = [
        {
            "label": table.label,
            "title": table.title,
            "columns": [*table.row_names, *table.columns],
            "rows": [
                {
                    "names": list(names),
                    "values": [json_number(cell.value) for cell in cells],
                    "printed": [cell.printed or None for cell in cells],
                    "agrees": [cell.agrees if cell.printed else None for cell in cells],
                }
                for names, cells in table.rows
            ],
            "agreeing": table.agreeing,
            "printed_cells": len(table.printed_cells),
        }
        for table in tables
    ]
    return {"seed": _SEED, "tables": listed}
