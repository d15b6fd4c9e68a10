"""Outputs of commands: a screen, Markdown, CSV, JSON or GitHub, never over what is read."""

import csv
import io
import math
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from stakes._amounts import read_unit
from stakes._check import FileError, StakesError
from stakes._files import Target, refuse_taken, write_text
from stakes._markdown import escaped, table_lines
from stakes._text import number, plain
from stakes.cli.github import (
    MOST_BYTES,
    SUMMARY,
    Annotation,
    annotation_lines,
    append_summary,
    folded,
    with_fixes,
    within,
)
from stakes.cli.messages import note, refuse, wrote
from stakes.cli.options import Options, files_read, files_written
from stakes.cli.places import COMMANDS
from stakes.cli.screen import Screen, head, reader_may_leave
from stakes.evaluation import Comparison, DecisionEvaluation, Evaluation
from stakes.evaluation.documents import json_document
from stakes.io.sources import find_parts
from stakes.results import Estimate

Cell = str | float | None
_LONGEST = 2000  # letters of a sentence with its fix
_MOST_OPEN = 20  # rows of a summary that are shown at once
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would run


@dataclass(frozen=True, eq=False)
class Document:
    """A result: as plain values, as rows under a heading, in sentences, and on a screen."""

    command: str
    body: Mapping[str, Any]
    source: str = ""  # the table, where there is one
    read: str = ""  # whole or in batches
    facts: str = ""  # how many samples, with which seed
    rows: Sequence[Sequence[Cell]] = ()  # the first holds the names of the columns
    sentences: Sequence[str] = ()
    notes: Sequence[str] = ()  # below the rows
    draw: Callable[[Screen], None] | None = None  # on a screen; by default the sentences
    page: Callable[[], str] | None = None  # the same as HTML
    commands: Mapping[str, str] = field(default_factory=lambda: COMMANDS)  # by action
    annotations: Sequence[Annotation] | None = None  # by default the sentences as notices

    def remarks(self) -> Sequence[Annotation]:
        """Return what GitHub is to show beside a run."""
        if self.annotations is not None:
            return self.annotations
        return [Annotation("notice", f"stakes {self.command}", each) for each in self.sentences]

    def json(self) -> str:
        """Return one JSON document that says what made it."""
        table = {"source": Path(self.source).name, "read": self.read} if self.source else {}
        return json_document(self.command, self.body, table, self.commands)


def ends(estimate: Estimate) -> tuple[Cell, Cell]:
    """Return the ends of an interval as cells."""
    band = estimate.interval
    return (None, None) if band is None else (band.low, band.high)


def publish(document: Document, options: Options) -> None:
    """Print a result, or write it whole to a file; write its page where one is asked for."""
    output = options.output
    if output in (None, "-"):
        show(document, options)
    else:
        layout = _layout(options)
        _write(str(output), _WRITERS[layout](document), options)
        if layout == "github":
            _annotate(document)
    if options.html is not None and document.page is not None:
        _write(options.html, document.page(), options, ": open it in a browser")


def page_text(
    record: Evaluation | Comparison | DecisionEvaluation,
    options: Options,
    source: str,
    system: str = "",
    actions: Mapping[str, str] | None = None,
) -> str:
    """Return the page of a result, headed as the options say."""
    from stakes.report import Heading, page_of  # noqa: PLC0415  slow to load

    heading = Heading(options.title, source, system, options.date, read_unit(options.unit))
    return page_of(record, heading, actions).html()


def show(document: Document, options: Options) -> None:
    """Print a result."""
    layout = _layout(options)
    with reader_may_leave():
        if layout == "table":
            _draw(document, Screen())
        elif layout == "github":
            _show_on_github(document)
        else:
            click.echo(_WRITERS[layout](document), nl=False)


def _layout(options: Options) -> str:
    return "json" if options.as_json else options.layout


def _write(path: str, text: str, options: Options, what: str = "") -> None:
    check_output(path, options)
    write_text(path, text)
    wrote(path, what)


def _draw(document: Document, screen: Screen) -> None:
    if document.draw is not None:
        document.draw(screen)
        return
    for line in document.sentences:
        screen.print(Text(line), soft_wrap=True)


def _as_screen(document: Document) -> str:
    """Return what a screen of 80 columns would show."""
    stream = io.StringIO()
    _draw(document, Screen(stream))
    return stream.getvalue()


def _as_csv(document: Document) -> str:
    """Return rows of CSV; a text that a spreadsheet would run is made harmless."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    for row in document.rows:
        risky = [isinstance(cell, str) and cell.startswith(_FORMULA) for cell in row]
        cells = ["" if _missing(cell) else cell for cell in row]
        writer.writerow([f"'{c}" if r else c for c, r in zip(cells, risky, strict=True)])
    return stream.getvalue()


def _missing(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _markdown_lines(document: Document, *, fixes: bool = False) -> list[str]:
    lines = [f"## {escaped(head(document.source, document.facts))}", ""] if document.source else []
    said = document.sentences
    if fixes:
        said = with_fixes(said, document.remarks())
    lines += [f"- {escaped(sentence, _LONGEST if fixes else 400)}" for sentence in said]
    lines += [""] if said else []
    header, *rows = document.rows
    table = table_lines(header, [[_short(cell) for cell in row] for row in rows])
    long = fixes and len(rows) > _MOST_OPEN
    lines += folded(table, f"{len(rows)} numbers") if long else table
    notes = [f"- Note: {escaped(note, _LONGEST)}" for note in document.notes]
    return [*lines, "", *notes] if notes else lines


def _as_markdown(document: Document) -> str:
    return "\n".join(_markdown_lines(document)) + "\n"


def _short(cell: Cell) -> str:
    if _missing(cell):
        return ""
    return cell if isinstance(cell, str) else number(cell or 0.0)


def _as_summary(document: Document) -> str:
    """Return the Markdown of a step's summary, as long as GitHub shows it."""
    return within(_markdown_lines(document, fixes=True), MOST_BYTES)


def _show_on_github(document: Document) -> None:
    """Add a result to the summary of the step, or print it where there is none; annotate it."""
    path = os.environ.get(SUMMARY)
    if not path:
        click.echo(_as_summary(document), nl=False)
    elif not append_summary(path, _markdown_lines(document, fixes=True)):
        note(f"the summary of this step is full: {SUMMARY} has 1 MiB, the most that is shown.")
    _annotate(document)


def _annotate(document: Document) -> None:
    for line in annotation_lines(document.remarks()):
        click.echo(line)


_WRITERS: dict[str, Callable[[Document], str]] = {
    "table": _as_screen,
    "json": Document.json,
    "csv": _as_csv,
    "md": _as_markdown,
    "github": _as_summary,
}


def check_output(path: str, options: Options) -> None:
    """Refuse an output that cannot be written, or that is a file being read, also with --force."""
    _refuse_input(path, options)
    refuse_taken(path, force=True)
    streams = {1: "standard output", 2: "standard error"}
    for descriptor, name in streams.items():
        if Target.from_path(path).plain and _is_open(path, descriptor):
            msg = f"cannot write '{plain(path, 1000)}': {name} goes there. Name another output."
            raise FileError(msg)
    refuse_taken(path, force=options.force)


def _refuse_input(path: str, options: Options) -> None:
    """Refuse what is read, whatever its name and links: it would be lost."""
    same = (source for source in _inputs(options) if _same_file(path, source))
    shown = ["" if source == path else f" (as '{plain(source, 1000)}')" for source in same]
    if options.file == "-" and _is_open(path, 0):
        shown = [" as standard input"]
    if shown:
        msg = f"cannot write '{plain(path, 1000)}': it is read{shown[0]} and would be lost."
        raise FileError(f"{msg} Name another output; --force does not change that.")


def _inputs(options: Options) -> Iterator[str]:
    """Yield the files that a command reads."""
    file = options.file
    paths = [p for p in ((file,) if isinstance(file, str) else file) if p not in ("", "-")]
    yield from paths
    if paths:
        with suppress(StakesError):  # what is wrong with it is said when it is read
            _, parts = find_parts(file, options.input_format)
            yield from (part.path for part in parts)
    for path in paths:
        if Path(path).name.startswith("samples_"):
            from stakes.answer_logs.lm_eval_logs import results_beside  # noqa: PLC0415  seldom

            yield str(results_beside(path))
    context = click.get_current_context(silent=True)
    named = [*files_read(options), None if context is None else context.meta.get("stakes.app")]
    named += [entry.get("cost") for entry in options.applications.values()]
    yield from (name for name in named if isinstance(name, str))


def _is_open(path: str, descriptor: int) -> bool:
    """Whether a path leads to the plain file that a descriptor of this process is open on."""
    try:
        there = os.fstat(descriptor)
        return stat.S_ISREG(there.st_mode) and os.path.samestat(Path(path).stat(), there)
    except (OSError, ValueError):
        return False


def same_place(path: str, other: str) -> bool:
    """Whether two outputs would be written to one place, which need not exist yet."""
    try:
        if Path(path).exists():
            return _same_file(path, other)
        return os.path.realpath(path) == os.path.realpath(other)
    except (OSError, ValueError):
        return False


def _same_file(path: str, other: str) -> bool:
    """Whether two paths lead to one file, by whatever names and links.

    A device such as /dev/null or a terminal loses nothing that is written to it.
    """
    try:
        found = Path(path).stat()
        return not stat.S_ISCHR(found.st_mode) and os.path.samestat(found, Path(other).stat())
    except (OSError, ValueError):
        return False


def _outputs(options: Options) -> dict[str, str]:
    """Return the files to write, by option, and the summary of a step where it is added to."""
    found, summary = files_written(options), os.environ.get(SUMMARY)
    if summary and _layout(options) == "github" and options.output in (None, "-"):
        found[SUMMARY] = summary
    return found


def check_outputs(options: Options) -> None:
    """Refuse outputs that cannot be written, and two at one place, before any long work."""
    output, page, resume = options.output, options.html, options.resume
    for name in ("title", "date"):
        if getattr(options, name) and page is None:
            refuse(f"--{name} has no effect without --html; remove it, or name a page.")
    outputs = _outputs(options)
    for (name, path), (flag, other) in combinations(outputs.items(), 2):
        if same_place(path, other):
            refuse(f"{name} and {flag} must be two files: both are {path!r}.")
    for each in (output, page):
        if each is not None and not (each == output and each == "-"):
            check_output(each, options)
    if SUMMARY in outputs:
        _refuse_input(outputs[SUMMARY], options)
    if resume is not None:
        _refuse_input(resume, options)
        refuse_taken(resume, force=True)
        if not Target.from_path(resume).plain:
            rule = "--resume needs a plain file, which is read again"
            raise FileError(f"cannot write '{plain(resume, 1000)}': {rule}.")


def forget(options: Options) -> None:
    """Remove the file of --resume: the run has come to its end."""
    if options.resume is not None:
        with suppress(OSError):
            Path(options.resume).resolve().unlink(missing_ok=True)
