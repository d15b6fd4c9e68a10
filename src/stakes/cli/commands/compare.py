"""The options of stakes compare."""

from typing import Any

import click

from stakes.cli.options import (
    Number,
    calibration_options,
    column_options,
    interval_options,
    memory_option,
    output_options,
    page_option,
    problem_options,
    table_options,
)


@click.command(name="compare")
@click.argument("file")
@click.option(
    "--system", "systems", multiple=True, required=True, metavar="NAME=COLUMNS",
    help="A system and its columns of scores, such as A=p_a or B=q_0,q_1. Give two or more.",
)  # fmt: skip
@click.option("--reference", help="The system to compare with; by default the first.")
@click.option(
    "--margin", type=Number(0, min_open=True),
    help="Share of the reference's cost that a system may cost more, such as 0.02: says which "
    "systems cost at most that much more, and which cost the same for practical purposes; "
    "two one-sided tests (TOST).",
)  # fmt: skip
@column_options
@problem_options
@calibration_options
@interval_options
@click.option("--details", is_flag=True, help="Print the differences of all metrics.")
@page_option
@output_options
@memory_option
@table_options
def command(**options: Any) -> None:  # noqa: ANN401
    """Compare systems on the same rows: paired differences, and who is best at which odds.

    \b
    stakes compare scores.csv --label y --system old=p_old --system new=p_new \\
        --scores-are posteriors --positive tumour --cost miss=5,false_alarm=1
    """  # noqa: D301
    from stakes.cli.compare_command import run  # noqa: PLC0415

    run(**options)
