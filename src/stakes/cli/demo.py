"""stakes demo: the main job, on data that ship with the package."""

from importlib.resources import as_file, files

import click

from stakes.cli.evaluate import as_document, evaluate_file
from stakes.cli.screen import print_decisions


@click.command(name="demo")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, as_json: bool) -> None:
    """Evaluate a breast cancer detector, at costs and a prevalence of our own choice.

    A naive Bayes model judged 569 biopsies it had not seen. In the data 37 % are malignant; in a
    screening programme it would be far fewer, say 5 %, and a missed cancer is far worse than a
    needless second look, say 20 times.
    """
    with as_file(files("stakes") / "data" / "breast.csv") as path:
        evaluation = evaluate_file(
            str(path),
            label="diagnosis",
            decision="decision",
            cost="miss=20,false_alarm=1",
            prior="0.05",
        )
    if as_json:
        click.echo(as_document(evaluation, "demo"))
        return
    click.echo(
        "569 biopsies judged by a model that had not seen them. In use 5 % will be\n"
        "malignant, and a missed cancer is taken to cost 20 times a needless second look.\n"
    )
    print_decisions(evaluation, "breast.csv")
    click.echo(
        "\nNext: stakes evaluate YOUR.csv --label LABEL --decision DECISION \\\n"
        "          --cost miss=20,false_alarm=1"
    )
