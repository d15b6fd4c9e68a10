"""The options of stakes threshold."""

from typing import Any

import click

from stakes.cli.options import (
    LEVEL,
    Number,
    column_options,
    memory_option,
    output_options,
    problem_options,
    scores_option,
    table_options,
)


@click.command(name="threshold")
@click.argument("file")
@scores_option
@click.option(
    "--review", type=Number(0, 1),
    help="The largest share of cases that can be reviewed, such as 0.05.",
)  # fmt: skip
@click.option(
    "--level", default=0.95, show_default=True, help="Level of the intervals.",
    type=LEVEL,
)  # fmt: skip
@column_options
@problem_options
@output_options
@memory_option
@table_options
def command(**options: Any) -> None:  # noqa: ANN401
    """Tell which threshold to use for these costs, and what it does on labelled samples.

    \b
    stakes threshold scores.csv --label y --scores p_fraud --scores-are posteriors \\
        --positive fraud --cost miss=amount,false_alarm=3 --review 0.02
    """  # noqa: D301
    from stakes.cli.threshold_command import run  # noqa: PLC0415

    run(**options)
