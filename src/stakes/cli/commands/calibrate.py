"""The options of stakes calibrate."""

from typing import Any

import click

from stakes.cli.options import (
    METHODS,
    WRITTEN,
    memory_option,
    reading_options,
    score_options,
)


@click.command(name="calibrate")
@click.argument("file")
@click.option("--label", help="Column of the true classes; needed to learn.")
@score_options
@click.option("--method", type=click.Choice(METHODS), default="affine", show_default=True)
@click.option(
    "--prior",
    help="Priors to calibrate for, by default those of the data; with --apply the priors of use, "
    "by default those of the calibrator.",
)
@click.option("--group", help="Column of groups that folds must not part.")
@click.option("--weight", help="Column of sample weights.")
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the folds."
)
@click.option("--apply", "fitted", help="A calibrator file to apply instead of learning one.")
@click.option(
    "--write",
    type=click.Choice(WRITTEN),
    help="With --apply: posteriors (the default), log odds, or log likelihood ratios, which serve "
    "any priors.",
)
@click.option("-o", "--output", required=True, help="Where to write: calibrator .json, or table.")
@click.option("--force", is_flag=True, help="Overwrite the output file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@memory_option
@reading_options
def command(file: str, **options: Any) -> None:  # noqa: ANN401
    """Learn from FILE how to turn its scores into better posteriors, or apply what was learnt.

    \b
    stakes calibrate val.csv --label y --scores p_a,p_b --scores-are posteriors -o cal.json
    stakes calibrate new.csv --apply cal.json --scores p_a,p_b --scores-are posteriors -o out.csv
    stakes calibrate new.csv --apply cal.json --scores llr --scores-are llr --write llr -o out.csv
    """  # noqa: D301
    from stakes.cli.calibrate_command import run  # noqa: PLC0415

    run(file, options)
