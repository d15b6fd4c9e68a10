"""Outputs that commands write: never over what is read."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from stakes._check import FileError, StakesError
from stakes._files import refuse_taken
from stakes._text import plain
from stakes.cli.messages import refuse
from stakes.cli.options import Options
from stakes.io.sources import find_parts

_SINGLE = ("apply", "calibrator_file", "key", "cost")  # options that name a file, or may


def check_output(path: str, *, force: bool) -> None:
    """Refuse an output that cannot be written, or that is a file being read, also with `force`."""
    shown = [" as standard input"] if _is_standard_input(path) else []
    same = (source for source in _inputs() if _same_file(path, source))
    shown += ["" if source == path else f" (as '{plain(source, 1000)}')" for source in same]
    if shown:
        msg = f"cannot write '{plain(path, 1000)}': it is read{shown[0]} and would be lost."
        raise FileError(f"{msg} Name another output; --force does not change that.")
    refuse_taken(path, force=force)


def _inputs() -> Iterator[str]:
    context = click.get_current_context(silent=True)
    if context is None:
        return
    file = context.params.get("file")
    for path in (file,) if isinstance(file, str) else file or ():
        if path != "-":
            yield path
    if file and file != "-":
        with suppress(StakesError):  # what is wrong with it is said when it is read
            _, parts = find_parts(file, context.params.get("input_format"))
            yield from (part.path for part in parts)
    named = [context.params.get(name) for name in _SINGLE] + [context.meta.get("stakes.app")]
    named += [a.get("cost") for a in context.meta.get("stakes.applications", {}).values()]
    yield from (name for name in named if isinstance(name, str))


def _is_standard_input(path: str) -> bool:
    """Whether a path leads to the file that standard input is read from, where it is read."""
    context = click.get_current_context(silent=True)
    if context is None or context.params.get("file") != "-":
        return False
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(0))
    except (OSError, ValueError):
        return False


def same_place(path: str, other: str) -> bool:
    """Whether two outputs would be written to one place, which need not exist yet."""
    try:
        return os.path.realpath(path) == os.path.realpath(other) or _same_file(path, other)
    except (OSError, ValueError):
        return False


def _same_file(path: str, other: str) -> bool:
    """Whether two paths lead to one file, by whatever names and links."""
    try:
        return Path(path).samefile(other)
    except (OSError, ValueError):
        return False


def check_outputs(options: Options) -> None:
    """Refuse outputs that cannot be written, and two at one place, before any long work."""
    output, page, resume = options.output, options.html, options.resume
    for path, name, other, flag in (
        (page, "--html", output, "--output"),
        (resume, "--resume", output, "--output"),
        (resume, "--resume", page, "--html"),
    ):
        if path is not None and other is not None and same_place(path, other):
            refuse(f"{name} and {flag} must be two files: both are {path!r}.")
    for path in (output, page):
        if path is not None and not (path == output and path == "-"):
            check_output(path, force=options.force)
    if resume is not None:
        check_output(resume, force=True)


def forget(options: Options) -> None:
    """Remove the file of --resume: the run has come to its end."""
    if options.resume is not None:
        with suppress(OSError):
            Path(options.resume).unlink(missing_ok=True)
