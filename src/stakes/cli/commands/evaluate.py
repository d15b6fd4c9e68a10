"""The options of stakes evaluate."""

from typing import Any

import click

from stakes.cli.options import (
    calibration_options,
    column_options,
    interval_options,
    output_options,
    page_option,
    paths_argument,
    problem_options,
    scores_option,
    stream_options,
    table_options,
)


@click.command(name="evaluate")
@paths_argument
@scores_option
@click.option("--decision", help="Column of decisions, where there are no scores.")
@click.option("--slice", "slices", multiple=True, help="Column to break results down by.")
@click.option("--key", help="Key file, for scores in lines `model segment score`.")
@column_options
@problem_options
@calibration_options
@interval_options
@click.option("--details", is_flag=True, help="Print all metrics and classes.")
@page_option
@output_options
@stream_options
@table_options
def command(**options: Any) -> None:  # noqa: ANN401
    """Tell what a system costs: Bayes decisions, naive reference, calibration, intervals.

    \b
    stakes evaluate scores.csv --label y --scores p_healthy,p_tumour \\
        --scores-are posteriors --cost miss=5,false_alarm=1 --prior 0.02
    stakes evaluate decided.csv --label y --decision d --cost miss=5,false_alarm=1
    stakes evaluate trials.txt --key key.txt --scores-are llr --dcf 10:1:0.01
    stakes evaluate 'parts/*.parquet' --app screening.toml --memory 2GB --resume run.part
    stakes evaluate - --input-format csv --app screening.toml < scores.csv
    """  # noqa: D301
    from stakes.cli.evaluate_command import run  # noqa: PLC0415

    run(**options)
