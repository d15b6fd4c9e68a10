"""The command line: parse, call, print. One file per command, imported when it is run."""

import atexit
import contextlib
import gc
import io
import os
import sys
import threading
import traceback
from typing import NoReturn

import click

from stakes._signals import EXIT_INTERRUPTED, EXIT_TERMINATED, raise_on_signals
from stakes._text import spelled_errors
from stakes.cli.commands import HELP, SECTIONS, command

_SELDOM = (200_000, 10, 10)  # how often cycles are collected: importing makes none worth a look
_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")


class _Commands(click.Group):
    """Commands by name; what they do is imported when they run."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(HELP)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        return command(cmd_name) if cmd_name in HELP else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in HELP and not args[0].startswith("-"):
            from stakes.cli.endings import refuse_command  # noqa: PLC0415  only for a slip

            refuse_command(args[0], sorted(HELP))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        for heading, names in SECTIONS.items():
            with formatter.section(heading):
                rows = [(name.ljust(10), HELP[name].strip().split("\n")[0]) for name in names]
                formatter.write_dl(rows)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001, FBT001
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
    epilog="'stakes COMMAND --help' shows the options of a command. Exit codes: 0 success, 1 a "
    "limit of 'check' not met, 2 wrong usage, 3 invalid data, 4 cannot read or write, 5 too large, "
    "130 interrupted, 143 terminated. Add --debug for the traceback of an error.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
    help="Show the version, and whether compiled kernels are in use.",
)  # fmt: skip
def group() -> None:
    """Evaluate classifiers by what their decisions cost.

    \b
    Examples:
      stakes demo
      stakes evaluate scores.csv --label y --scores p_healthy,p_tumour \\
          --scores-are posteriors --cost miss=5,false_alarm=1 \\
          --prior 0.02 --training-prior data
      stakes compare scores.csv --label y --system old=p_old \\
          --system new=p_new --scores-are posteriors --positive tumour \\
          --cost miss=5,false_alarm=1
    """  # noqa: D301  click's mark for lines to keep


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code."""
    alone = arguments is None  # a process of its own, which ends before there is much to collect
    if alone:
        gc.set_threshold(*_SELDOM)
        # Between products OpenBLAS's threads wait in a loop, which takes more processor time than
        # the command itself; and how many there are, one for each core, changes the last digits.
        if not any(name in os.environ for name in _BLAS_THREADS):
            os.environ[_BLAS_THREADS[0]] = "1"  # read when numpy is loaded, which is later
    code = _run(arguments)
    if alone:
        gc.freeze()  # so that the end need not look through all that was loaded
    if code in (EXIT_INTERRUPTED, EXIT_TERMINATED) and threading.active_count() > 1:
        os._exit(code)  # threads in the midst of work are not waited for; outputs are whole
    if alone and "pyarrow" in sys.modules:  # its idle threads can abort a process that unloads it
        atexit._run_exitfuncs()  # what others asked to be called at the end
        for stream in filter(None, (sys.stdout, sys.stderr)):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    sys.exit(code)


def _run(arguments: list[str] | None) -> int:
    """Run a command; every failure becomes one message and one code."""
    given = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in given
    raise_on_signals()
    if sys.stdout is None:
        from stakes.cli.endings import EXIT_FILE, say_end  # noqa: PLC0415

        return say_end("cannot write standard output (stdout): it is closed.", code=EXIT_FILE)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=spelled_errors())
    try:
        code = group.main([a for a in given if a != "--debug"], "stakes", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit:  # the end of a completion
        raise
    except BaseException as error:  # noqa: BLE001  one place turns any end into a code
        if debug:
            traceback.print_exc()
        from stakes.cli.endings import ended  # noqa: PLC0415  most commands succeed

        return ended(error)
    return code if isinstance(code, int) else 0
