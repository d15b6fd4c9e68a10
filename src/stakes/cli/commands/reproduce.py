"""The options of stakes reproduce."""

from typing import Any

import click


@click.command(name="reproduce")
@click.option(
    "--output", default="reproduction", show_default=True, help="Directory for the figures."
)
@click.option("--no-figures", is_flag=True, help="Print the tables only.")
@click.option("--html", metavar="PATH", help="Also write all of it as one live page.")
@click.option("--force", is_flag=True, help="Replace the page if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(**options: Any) -> None:  # noqa: ANN401
    """Compute the paper's tables again, beside the printed digits, and draw its figures.

    A cell shows the computed value, the printed digits, and = where they agree or ! where not.
    """
    from stakes.cli.reproduce_command import run  # noqa: PLC0415

    run(**options)
