"""The command line: parse, call, print. One file per command, imported when it is run."""

import atexit
import contextlib
import errno
import gc
import io
import os
import sys
import threading
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click
from click.exceptions import NoArgsIsHelpError

from stakes._errors import AddressError, FileError, ResourceError, StakesError
from stakes._files import discard_temporary_files
from stakes._signals import (
    EXIT_INTERRUPTED,
    EXIT_TERMINATED,
    Ended,
    end_asked_for,
    ignore_signals,
    raise_on_signals,
)
from stakes._text import plain
from stakes.cli.commands import HELP, command
from stakes.cli.memory import memory_message, short_of_memory
from stakes.cli.messages import refuse
from stakes.cli.places import said

# 1 is left to gates: a check that was asked for and failed.
EXIT_USAGE, EXIT_DATA, EXIT_FILE, EXIT_RESOURCE = 2, 3, 4, 5
_CODES = {AddressError: EXIT_USAGE, FileError: EXIT_FILE, ResourceError: EXIT_RESOURCE}
_LONGEST_MESSAGE = 2000
_SELDOM = (200_000, 10, 10)  # how often cycles are collected: importing makes none worth a look
_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")


class _Commands(click.Group):
    """Commands by name; what they do is imported when they run."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands."""
        return sorted(HELP)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command."""
        return command(cmd_name) if cmd_name in HELP else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that was typed; say which is meant where there is none."""
        if args and args[0] not in HELP and not args[0].startswith("-"):
            hint = _similar(args[0], sorted(HELP))
            hint = f": those are {', '.join(sorted(HELP))}." if hint == "." else hint
            refuse(f"there is no command {args[0]!r}{hint} See 'stakes --help'.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands with the first line of their help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, HELP[name].strip().split("\n")[0]) for name in sorted(HELP)])


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001, FBT001
    """Print the version and stop."""
    if not value or ctx.resilient_parsing:
        return
    import stakes  # noqa: PLC0415
    from stakes._kernels import compiled  # noqa: PLC0415

    click.echo(f"stakes {stakes.__version__}")
    click.echo(f"kernels: {compiled}")
    ctx.exit()


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 fine, 1 a gate failed, 2 usage, 3 bad data, 4 cannot read or write, "
    "5 a limit, 130 interrupted, 143 terminated. --debug shows the traceback of an error.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
    help="Show the version, and whether kernels are compiled.",
)  # fmt: skip
def group() -> None:
    """Evaluate classifiers by what their decisions cost.

    \b
    stakes demo
    stakes evaluate scores.csv --label y --scores p_healthy,p_tumour \\
        --scores-are posteriors --cost miss=5,false_alarm=1 --prior 0.02
    stakes reproduce
    """  # noqa: D301  click's mark for lines to keep


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code."""
    alone = arguments is None  # a process of its own, which ends before there is much to collect
    if alone:
        gc.set_threshold(*_SELDOM)
        _keep_blas_to_one_thread()
    code = _run(arguments)
    if alone:
        gc.freeze()  # so that the end need not look through all that was loaded
    if code in (EXIT_INTERRUPTED, EXIT_TERMINATED) and threading.active_count() > 1:
        os._exit(code)  # threads in the midst of work are not waited for; outputs are whole
    if alone and "pyarrow" in sys.modules:
        _leave_at_once(code)
    sys.exit(code)


def _keep_blas_to_one_thread() -> None:
    """Let OpenBLAS start no threads, unless the environment says how many.

    Between products its threads wait in a loop, which takes more processor time than the command
    itself; and how many there are, one for each core, changes the last digits of products.
    """
    if not any(name in os.environ for name in _BLAS_THREADS):
        os.environ[_BLAS_THREADS[0]] = "1"  # read when numpy is loaded, which is later


def _leave_at_once(code: int) -> NoReturn:
    """End without taking libraries down: Arrow's idle threads can then abort a process."""
    atexit._run_exitfuncs()  # what others asked to be called at the end
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
    os._exit(code)


def _run(arguments: list[str] | None) -> int:
    """Run a command; every failure becomes one message and one code."""
    given = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in given
    raise_on_signals()
    if sys.stdout is None:
        return _say("cannot write standard output (stdout): it is closed.", EXIT_FILE)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal of another encoding is no error
    try:
        code = group.main([a for a in given if a != "--debug"], "stakes", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit:  # the end of a completion
        raise
    except BaseException as error:  # noqa: BLE001  one place turns any end into a code
        if debug:
            traceback.print_exc()
        return _ended(error)
    return code if isinstance(code, int) else 0


def _ended(error: BaseException) -> int:
    """Say why a command ended, and return its code."""
    interrupted = isinstance(error, click.Abort | KeyboardInterrupt)
    end = Ended() if interrupted else end_asked_for()
    if end is not None:  # leave nothing behind that was half written
        ignore_signals()
        discard_temporary_files()
        return _say(end.message, end.code)
    if isinstance(error, NoArgsIsHelpError):
        error.show()
        return error.exit_code
    if isinstance(error, click.ClickException):
        return _say(_with_way_out(error), error.exit_code)
    if isinstance(error, StakesError) and not short_of_memory(error.__cause__):
        code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), EXIT_DATA)
        return _say(said(error), code)
    if isinstance(error, OSError) and error.errno != errno.ENOMEM:
        return _no_output(error)
    if short_of_memory(error):
        return _say(memory_message(error), EXIT_RESOURCE)
    raise error


def _no_output(error: OSError) -> int:
    """Say that standard output takes no more; a reader that has gone away is no failure."""
    sys.stdout = None  # leave without a second error
    if isinstance(error, BrokenPipeError):
        return 0
    return _say(f"cannot write standard output: {error.strerror or error}.", EXIT_FILE)


def _with_way_out(error: click.ClickException) -> str:
    """Return the message of a usage error, with where to read more."""
    message = error.format_message()
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return message
    if isinstance(error, click.NoSuchOption):
        known = [name for p in context.command.get_params(context) for name in p.opts]
        message = f"there is no option {error.option_name!r}{_similar(error.option_name, known)}"
        return f"{message} See '{context.command_path} --help'."
    app = context.meta.get("stakes.app")
    by_file = app and type(error) is click.BadParameter
    also = f" (--app {app!r} gives options too)" if by_file else ""
    return f"{message.rstrip('.')}{also}. See '{context.command_path} --help'."


def _similar(name: str, known: Sequence[str]) -> str:
    """Return the known name that was probably meant, as the end of a sentence."""
    from difflib import get_close_matches  # noqa: PLC0415  only for a slip

    found = get_close_matches(name, known, n=1, cutoff=0.75)
    return f": did you mean {found[0]!r}?" if found else "."


def _say(message: str, code: int) -> int:
    """Print why the command failed, in one line that no name in it can break."""
    click.echo(f"stakes: {plain(message, _LONGEST_MESSAGE)}", err=True)
    return code
