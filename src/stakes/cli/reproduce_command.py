"""stakes reproduce: the paper's tables and figures, computed again."""

import sys
from pathlib import Path

import click

from stakes._check import FileError, MissingExtraError
from stakes._files import write_text
from stakes._text import plain
from stakes.cli.outputs import check_output
from stakes.cli.screen import head, json_document, print_reproduction
from stakes.displays import Drawing, png, save_figure
from stakes.paper import (
    Reproduction,
    ThresholdStudy,
    abstention_table,
    calibration_table,
    metric_tables,
    paper_sketch,
    scoring_table,
    threshold_study,
    threshold_table,
)
from stakes.paper.paper_figures import scatter_figure, threshold_figure
from stakes.report import Picture, reproduction_page

_SCATTER = (
    "Scatter plots: MCC and F1 of many systems over three normalised costs, for balanced and for"
    " imbalanced data. Systems with the same metric differ in cost, and some that are no better"
    " than the naive system have a good F1."
)
_THRESHOLDS = (
    "Curves of three normalised costs and of 1 - F1 over the threshold. For the calibrated system"
    " the Bayes thresholds are the best ones; for the other they are not."
)
_CAPTIONS = {
    "ec_vs_other_scatter": (
        "Traditional metrics against the normalised expected cost each is tied to",
        _SCATTER,
    ),
    "metrics_vs_thr": (
        "Metrics over the decision threshold, of a miscalibrated and a calibrated system",
        _THRESHOLDS,
    ),
}
_SEED = 0  # of the scores that `simulate` draws unless told otherwise


def run(*, output: str, no_figures: bool, as_json: bool, html: str | None, force: bool) -> None:
    """Compute the paper's tables again, beside the printed digits, and draw its figures."""
    if html is not None:
        check_output(html, force=force)
    if not no_figures:
        _make_folder(Path(output))
    if sys.stderr.isatty():
        click.echo("Computing: the calibrated rows take about a minute ...", err=True)
    study = threshold_study()
    tables = (
        *metric_tables(),
        threshold_table(study),
        abstention_table(2),
        abstention_table(10),
        scoring_table(),
        calibration_table(),
    )
    if as_json:
        click.echo(json_document("reproduce", _document(tables)))
    else:
        for table in tables:
            print_reproduction(table)
        printed = [cell for table in tables for cell in table.printed_cells]
        agreeing = sum(cell.agrees for cell in printed)
        click.echo(f"In all, {agreeing} of {len(printed)} printed numbers agree.")
        click.echo(head("the paper", f"simulated scores, seed {_SEED}"))
    figures = {} if no_figures else _figures(study)
    for name, figure in figures.items():
        for path in save_figure(figure, Path(output) / name):
            click.echo(f"wrote {path}", err=True)
    if html is not None:
        pictures = [Picture(*_CAPTIONS[name], png(figure)) for name, figure in figures.items()]
        write_text(html, reproduction_page(tables, pictures, paper_sketch()).html())
        click.echo(f"wrote {plain(html)}: open it in a browser", err=True)


def _figures(study: ThresholdStudy) -> dict[str, Drawing]:
    """Return the figures, where matplotlib is installed."""
    try:
        return {
            "ec_vs_other_scatter": scatter_figure(),
            "metrics_vs_thr": threshold_figure(study),
        }
    except MissingExtraError as error:
        click.echo(f"No figures: {error}", err=True)
        return {}


def _make_folder(folder: Path) -> None:
    """Make the directory for the figures, before any long work."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"cannot make the directory {str(folder)!r}: {error.strerror}."
        raise FileError(msg) from error


def _document(tables: tuple[Reproduction, ...]) -> dict[str, object]:
    """Return the tables as plain values."""
    return {
        "seed": _SEED,
        "tables": [
            {
                "label": table.label,
                "title": table.title,
                "columns": [*table.row_names, *table.columns],
                "rows": [
                    {
                        "names": list(names),
                        "values": [
                            None if cell.value != cell.value else cell.value for cell in cells
                        ],
                        "printed": [cell.printed or None for cell in cells],
                        "agrees": [cell.agrees if cell.printed else None for cell in cells],
                    }
                    for names, cells in table.rows
                ],
                "agreeing": table.agreeing,
                "printed_cells": len(table.printed_cells),
            }
            for table in tables
        ],
    }
