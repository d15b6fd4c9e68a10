"""The options of stakes demo."""

from typing import Any

import click


@click.command(name="demo")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--no-file", is_flag=True, help="Do not write stakes-demo.json.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
def command(**options: Any) -> None:  # noqa: ANN401
    """Judge models of three real problems, at costs of our own choice.

    Is a biopsy malignant, which digit is it, and who will be severely ill in a year: data sets
    that come with scikit-learn, and predictions for samples that the models had not seen.
    """
    from stakes.cli.demo_command import run  # noqa: PLC0415

    run(**options)
