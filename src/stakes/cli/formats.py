"""Results in the form that was asked for: a screen, Markdown, CSV or JSON."""

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click
from rich.console import Console

from stakes._files import write_text
from stakes._text import number, plain
from stakes.cli.actions import COMMANDS, with_commands
from stakes.cli.outputs import check_output, check_resume, same_place
from stakes.cli.screen import console, json_document

Cell = str | float | None
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would run


@dataclass(frozen=True, eq=False)
class Document:
    """A result: as plain values, as rows under a heading, in sentences, and on a screen."""

    command: str
    body: Mapping[str, Any]
    rows: Sequence[Sequence[Cell]]  # the first holds the names of the columns
    sentences: Sequence[str]
    draw: Callable[[Console], None]
    title: str = ""
    page: Callable[[], str] | None = None  # the same as HTML
    commands: Mapping[str, str] = field(default_factory=lambda: COMMANDS)  # by action


def begin(options: Mapping[str, Any]) -> None:
    """Refuse an output that cannot be written, before any long work."""
    output, page = options.get("output"), options.get("html")
    if page is not None and output is not None and same_place(page, output):
        msg = f"--html and --output must be two files: both are {output!r}."
        raise click.UsageError(msg)
    for path in (output, page):
        if path is not None and not (path == output and path == "-"):
            check_output(str(path), force=bool(options.get("force")))
    check_resume(options)


def publish(document: Document, options: Mapping[str, Any]) -> None:
    """Print a result, or write it whole to a file; write its page where one is asked for."""
    _print(document, options)
    path = options.get("html")
    if path is not None and document.page is not None:
        check_output(path, force=bool(options.get("force")))
        write_text(path, document.page())
        click.echo(f"wrote {plain(path)}: open it in a browser", err=True)


def _print(document: Document, options: Mapping[str, Any]) -> None:
    """Print a result, or write it whole to a file."""
    layout = "json" if options.get("as_json") else options.get("layout", "table")
    output = None if options.get("output") == "-" else options.get("output")
    if output is None and layout == "table":
        document.draw(console())
        return
    text = _WRITERS[layout](document)
    if output is None:
        click.echo(text, nl=False)
        return
    check_output(output, force=bool(options.get("force")))
    write_text(output, text)
    click.echo(f"wrote {plain(output)}", err=True)


def _as_screen(document: Document) -> str:
    """Return what a screen of 80 columns would show."""
    stream = io.StringIO()
    document.draw(console(stream))
    return stream.getvalue()


def _as_json(document: Document) -> str:
    """Return one JSON document."""
    body = with_commands(document.body, document.commands)
    return json_document(document.command, body) + "\n"


def _as_csv(document: Document) -> str:
    """Return rows of CSV; a text that a spreadsheet would run is made harmless."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    for row in document.rows:
        writer.writerow([_csv_cell(cell) for cell in row])
    return stream.getvalue()


def _missing(cell: Cell) -> bool:
    """Whether a cell holds nothing."""
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _csv_cell(cell: Cell) -> str | float:
    """Return a cell of a CSV file."""
    if _missing(cell):
        return ""
    if isinstance(cell, str) and cell.startswith(_FORMULA):
        return f"'{cell}"
    return "" if cell is None else cell


def _as_markdown(document: Document) -> str:
    """Return a heading, the sentences and a table of Markdown."""
    lines = [f"## {_md(document.title)}", ""] if document.title else []
    lines += [f"- {_md(sentence)}" for sentence in document.sentences]
    lines += [""] if document.sentences else []
    header, *rows = document.rows
    lines.append("| " + " | ".join(_md(str(cell)) for cell in header) + " |")
    lines.append("|" + "---|" * len(header))
    lines += ["| " + " | ".join(_md(_short(cell)) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _short(cell: Cell) -> str:
    """Return a cell with a sensible count of digits."""
    if _missing(cell):
        return ""
    return cell if isinstance(cell, str) else number(cell or 0.0)


def _md(text: str) -> str:
    """Return text that Markdown takes as it is."""
    safe = "".join(f"\\{c}" if c in r"\`*_{}[]<>#|!~" else c for c in plain(text, 400))
    return safe.replace("&", "&amp;")


_WRITERS: dict[str, Callable[[Document], str]] = {
    "table": _as_screen,
    "json": _as_json,
    "csv": _as_csv,
    "md": _as_markdown,
}
