"""The options of stakes decide."""

from typing import Any

import click

from stakes.cli.options import memory_option, reading_options, score_options


@click.command(name="decide")
@click.argument("file")
@score_options
@click.option("--cost", required=True, help="What errors cost, as for evaluate.")
@click.option("--abstain", help="Price of not deciding, or its column.")
@click.option("--prior", help="Priors of use; needed for likelihoods without a calibrator.")
@click.option(
    "--training-prior",
    help="Priors that posteriors were fitted with: they are adapted to --prior. A calibrator "
    "keeps its own.",
)
@click.option(
    "--review",
    type=click.FloatRange(0, 1),
    help="The largest share of cases that can get the second of two decisions: the largest "
    "expected savings go first, and equal cases are decided alike.",
)
@click.option("--prefix", default="", help="Put before the names of the new columns.")
@click.option("--calibrator", "fitted", help="A calibrator file to apply first.")
@click.option("-o", "--output", required=True, help="Table to write.")
@click.option("--force", is_flag=True, help="Overwrite the output file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@memory_option
@reading_options
def command(file: str, **options: Any) -> None:  # noqa: ANN401
    """Append posteriors, the Bayes decision and its expected cost to the rows of FILE.

    \b
    stakes decide new.csv --scores p_healthy,p_tumour --scores-are posteriors \\
        --cost miss=5,false_alarm=1 -o decided.csv
    """  # noqa: D301
    from stakes.cli.decide_command import run  # noqa: PLC0415

    run(file, options)
