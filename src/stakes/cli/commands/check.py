"""The options of stakes check."""

from typing import Any

import click

from stakes.cli.options import (
    Number,
    calibration_options,
    column_options,
    interval_options,
    output_options,
    paths_argument,
    problem_options,
    scores_option,
    stream_options,
    table_options,
)


@click.command(name="check")
@paths_argument
@scores_option
@click.option(
    "--max-nec", type=Number(), help="Largest normalised expected cost, in every application."
)
@click.option("--max-cross-entropy", type=Number(), help="Largest normalised cross-entropy.")
@click.option("--max-brier", type=Number(), help="Largest normalised Brier score.")
@click.option(
    "--max-calibration-loss",
    type=Number(),
    help="Largest share of the cross-entropy that calibration would recover.",
)
@click.option("--min-auc", type=Number(), help="Smallest area under the ROC curve.")
@click.option(
    "--max",
    "most",
    multiple=True,
    metavar="METRIC=NUMBER",
    help="Largest value of any metric that evaluate --format csv lists.",
)
@click.option("--min", "least", multiple=True, metavar="METRIC=NUMBER", help="Smallest value.")
@click.option(
    "--max-loss-against",
    multiple=True,
    metavar="COLUMNS=SHARE",
    help="Largest share by which the scores may cost more than those in other columns, such as "
    "p_old=0.02, in every application; the upper end of the ratio's interval (90 % at --level "
    "0.95) must be within it, with or without --confident.",
)
@click.option(
    "--confident", is_flag=True, help="The whole interval must pass, not the value alone."
)
@click.option("--key", help="Key file, for scores in lines `model segment score`.")
@column_options
@problem_options
@calibration_options
@interval_options
@output_options
@stream_options
@table_options
def command(**options: Any) -> None:  # noqa: ANN401
    """Pass (exit code 0) or fail (1) by limits on metrics.

    \b
    stakes check scores.csv --app screening.toml --max-nec 0.5 --min-auc 0.9
    stakes check scores.csv --app screening.toml --max cost.relative=0.1 --confident
    stakes check scores.csv --app screening.toml --max-loss-against p_old=0.02
    """  # noqa: D301
    from stakes.cli.check_command import run  # noqa: PLC0415

    run(**options)
