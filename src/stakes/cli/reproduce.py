"""stakes reproduce: the paper's tables and figures, computed again."""

import sys
from pathlib import Path

import click

from stakes._check import FileError, MissingExtraError
from stakes.cli.screen import head, json_document, print_reproduction
from stakes.paper import (
    Reproduction,
    ThresholdStudy,
    abstention_table,
    calibration_table,
    metric_tables,
    scoring_table,
    threshold_study,
    threshold_table,
)

_SEED = 0  # of the scores that `simulate` draws unless told otherwise


def run(*, output: str, no_figures: bool, as_json: bool) -> None:
    """Compute the paper's tables again, beside the printed digits, and draw its figures."""
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
    if not no_figures:
        _draw(Path(output), study)


def _draw(folder: Path, study: ThresholdStudy) -> None:
    """Write the figures, where matplotlib is installed."""
    from stakes.displays import save_figure  # noqa: PLC0415  not needed without figures
    from stakes.paper.figures import scatter_figure, threshold_figure  # noqa: PLC0415

    try:
        figures = {
            "ec_vs_other_scatter": scatter_figure(),
            "metrics_vs_thr": threshold_figure(study),
        }
    except MissingExtraError as error:
        click.echo(f"No figures: {error}", err=True)
        return
    for name, figure in figures.items():
        for path in save_figure(figure, folder / name):
            click.echo(f"wrote {path}", err=True)


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
