"""stakes demo --answers: two simulated models, of which the more accurate one is worth less."""

from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from stakes._files import write_text
from stakes.cli import answers_command
from stakes.cli.messages import wrote
from stakes.cli.options import Options

_FILE = "answers.csv"
_COLUMNS = ("right", "confidence", "abstained", "model", "question")  # each called as it is
_SLICE, _TARGET = "topic", "75%"


def run(options: Options) -> None:
    """Write the answers of two models, and judge them as `stakes answers` does."""
    source = files("stakes") / "data" / _FILE
    path = str(source)
    if not options.no_file:
        path = _FILE
        if not Path(_FILE).exists():
            write_text(_FILE, source.read_text(encoding="ascii"))
            wrote(_FILE, ": simulated answers of two models to 500 questions")
    named = " ".join(f"--{column} {column}" for column in _COLUMNS)
    if not options.as_json:
        click.echo(f"$ stakes answers {_FILE} {named} --slice {_SLICE} --target {_TARGET}\n")
    columns: dict[str, Any] = {column: column for column in _COLUMNS}
    asked = replace(options, file=path, slices=(_SLICE,), target=_TARGET, **columns)
    answers_command.run(asked)
