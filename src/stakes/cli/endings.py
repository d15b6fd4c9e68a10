"""How a command ends that does not succeed: one message, and one exit code."""

import errno
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches

import click
from click.exceptions import NoArgsIsHelpError

from stakes._errors import AddressError, EngineError, FileError, ResourceError, StakesError
from stakes._files import discard_temporary_files
from stakes._foreign_words import entry_of
from stakes._signals import Ended, end_asked_for, ignore_signals
from stakes._text import plain
from stakes.cli.commands import HELP
from stakes.cli.memory import memory_message, short_of_memory
from stakes.cli.messages import refuse
from stakes.cli.places import said_in_lines

# 1 is left to gates: a check that was asked for and failed.
EXIT_USAGE, EXIT_DATA, EXIT_FILE, EXIT_RESOURCE = 2, 3, 4, 5
_CODES = {
    AddressError: EXIT_USAGE,
    EngineError: EXIT_FILE,
    FileError: EXIT_FILE,
    ResourceError: EXIT_RESOURCE,
}
_LONGEST_MESSAGE = 2000


def ended(error: BaseException) -> int:
    """Say why a command ended, and return its code."""
    interrupted = isinstance(error, click.Abort | KeyboardInterrupt)
    end = Ended() if interrupted else end_asked_for()
    if end is not None:  # leave nothing behind that was half written
        ignore_signals()
        discard_temporary_files()
        return say_end(end.message, code=end.code)
    if isinstance(error, NoArgsIsHelpError):
        error.show()
        return error.exit_code
    if isinstance(error, click.ClickException):
        return say_end(_with_way_out(error), code=error.exit_code)
    if isinstance(error, StakesError) and not short_of_memory(error.__cause__):
        code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), EXIT_DATA)
        return say_end(*said_in_lines(error), code=code, explained=error.code)
    if isinstance(error, OSError) and error.errno != errno.ENOMEM:
        sys.stdout = None  # leave without a second error
        message = f"cannot write standard output: {error.strerror or error}."
        gone = isinstance(error, BrokenPipeError)  # a reader that has gone away is no failure
        return 0 if gone else say_end(message, code=EXIT_FILE)
    if short_of_memory(error):
        return say_end(memory_message(error), code=EXIT_RESOURCE)
    raise error


def _with_way_out(error: click.ClickException) -> str:
    message = error.format_message()
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return message
    see = f"See '{context.command_path} --help'."
    if isinstance(error, click.NoSuchOption):
        return f"{_no_option(error.option_name, context)} {see}"
    if isinstance(error, click.BadParameter) and error.param is not None:
        message = _about(error, error.param)
    app = context.meta.get("stakes.app")
    by_file = app and type(error) is click.BadParameter
    also = f" (--app {app!r} gives options too)" if by_file else ""
    ended = message if message.endswith("?") else f"{message.rstrip('.')}{also}."
    return f"{ended} {see}"


def _about(error: click.BadParameter, param: click.Parameter) -> str:
    """Return which rule an option breaks, with the option as it is typed."""
    option = isinstance(param, click.Option)
    name = param.opts[-1] if option else (param.metavar or str(param.name).upper()).rstrip(".")
    if not isinstance(error, click.MissingParameter):
        return f"{name} {error.message}"
    return f"{name} must be given" + (f": {name} {param.metavar}" if option else "")


def _no_option(name: str, context: click.Context) -> str:
    """Say that a command has no such option, and what was probably meant."""
    from stakes.cli.options import commands_with  # noqa: PLC0415  only for a slip

    word, command = name.removeprefix("--"), context.command
    missing = f"'{context.command_path}' has no option {name!r}"
    if command.name == "compare" and word == "scores":
        return f"{missing}: give --system NAME=COLUMNS for each system."
    if word == "positive" and command.name in ("calibrate", "decide"):
        return f"{missing}: give --classes OTHER,CLASS, the class of interest last."
    known = [opt for p in command.get_params(context) for opt in p.opts if opt.startswith("--")]
    near = get_close_matches(name, known, n=1, cutoff=0.75)
    others = commands_with(name)
    found = entry_of(word)
    mine = found is not None and found.command.startswith(f"stakes {command.name} ")
    if others and not near and not mine:
        listed = ", ".join(f"'stakes {other}'" for other in others)
        return f"{missing}: {listed} {'has' if len(others) == 1 else 'have'} it."
    if word in HELP and not near:
        return f"{missing}: see the command 'stakes {word}'."
    if found is not None and not get_close_matches(name, known, n=1, cutoff=0.9):
        return f"{missing}. {found.said(typed=True).rstrip('.')}."
    return f"{missing}{_similar(name, known)}"


def refuse_command(name: str, known: Sequence[str]) -> None:
    """Refuse a command that is not there, and say which is meant."""
    found = entry_of(name)
    if found is not None:
        refuse(f"there is no command {name!r}. {found.said(typed=True).rstrip('.')}.")
    if os.path.lexists(name):
        refuse(f"there is no command {name!r}. For a table give: stakes evaluate {name}")
    hint = _similar(name, [*known, "--help", "--version"])
    hint = f". Commands: {', '.join(known)}." if hint == "." else hint
    refuse(f"there is no command {name!r}{hint} See 'stakes --help'.")


def _similar(name: str, known: Sequence[str]) -> str:
    """Return the known name that was probably meant, as the end of a sentence."""
    found = get_close_matches(name, known, n=1, cutoff=0.75)
    return f": did you mean {found[0]!r}?" if found else "."


def say_end(message: str, *more: str, code: int, explained: str = "") -> int:
    """Print why the command failed, in one line that no name in it can break, and where to read on.

    `more` are ways to go on, a line each. `explained` is the code of an error that `stakes explain`
    knows.
    """
    click.echo(f"stakes: {plain(message, _LONGEST_MESSAGE)}", err=True)
    for line in more:
        click.echo(f"  {plain(line, _LONGEST_MESSAGE)}", err=True)
    if explained:
        click.echo(f"See: stakes explain {explained}", err=True)
    return code
