"""stakes demo --answers: two simulated models, of which the more accurate one is worth less."""

import contextlib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from stakes._files import refuse_taken, write_text
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
        _write(source.read_text(encoding="ascii"), force=options.force)
    named = " ".join(f"--{column} {column}" for column in _COLUMNS)
    if not options.as_json:
        click.echo(f"$ stakes answers {_FILE} {named} --slice {_SLICE} --target {_TARGET}\n")
    columns: dict[str, Any] = {column: column for column in _COLUMNS}
    asked = replace(options, file=path, slices=(_SLICE,), target=_TARGET, **columns)
    answers_command.run(asked)


def _write(text: str, *, force: bool) -> None:
    """Write the answers, unless they are there; a file with other contents is not theirs."""
    path = Path(_FILE)
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if path.is_file() and path.read_text(encoding="ascii") == text:
            return
    refuse_taken(_FILE, force=force)
    write_text(_FILE, text)
    wrote(_FILE, ": simulated answers of two models to 500 questions")
