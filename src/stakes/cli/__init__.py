"""The command line: parse, call, print. One file per command, imported when it is run."""

import io
import sys
from importlib import import_module
from typing import NoReturn

import click

# 1 is left to gates: a check that was asked for and failed.
EXIT_USAGE, EXIT_DATA, EXIT_FILE, EXIT_RESOURCE, EXIT_INTERRUPTED = 2, 3, 4, 5, 130

_COMMANDS = {
    "calibrate": "Learn how to turn the scores in a file into better ones, or apply it.",
    "decide": "Append Bayes decisions and their expected cost to a file of scores.",
    "demo": "Show what stakes does, on data that ship with it.",
    "evaluate": "Tell what the decisions in a file cost.",
    "reproduce": "Compute the paper's tables and figures again, beside the printed digits.",
}


class _Commands(click.Group):
    """Commands by name; none is imported before it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands."""
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return a command."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"stakes.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands with their one-line help, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(_COMMANDS.items()))


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001, FBT001
    """Print the version and stop."""
    if not value or ctx.resilient_parsing:
        return
    import stakes  # noqa: PLC0415

    click.echo(f"stakes {stakes.__version__}")
    ctx.exit()


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 fine, 1 a gate failed, 2 usage, 3 bad data, 4 cannot read or write, "
    "5 a limit, 130 interrupted.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
    help="Show the version.",
)  # fmt: skip
def group() -> None:
    """Evaluate classifiers by what their decisions cost.

    \b
    stakes demo
    stakes evaluate scores.csv --label y --decision d --cost miss=5,false_alarm=1
    stakes reproduce
    """  # noqa: D301  click's mark for lines to keep


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code."""
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    """Run a command; every failure becomes one message and one code."""
    from stakes._errors import StakesError  # noqa: PLC0415

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal of another encoding is no error
    try:
        group.main(arguments, prog_name="stakes", standalone_mode=False)
        sys.stdout.flush()
    except click.Abort:
        return _say("interrupted.", EXIT_INTERRUPTED)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except BrokenPipeError:
        sys.stdout = None  # nobody reads on: leave without a second error
        return 0
    except StakesError as error:
        return _say(str(error), _code(error))
    except OSError as error:  # the disk behind standard output is full, or it is closed
        sys.stdout = None
        return _say(f"cannot write standard output: {error.strerror or error}.", EXIT_FILE)
    return 0


def _code(error: Exception) -> int:
    """Return the exit code of an error by its kind."""
    from stakes._errors import AddressError, FileError, ResourceError  # noqa: PLC0415

    codes = {AddressError: EXIT_USAGE, FileError: EXIT_FILE, ResourceError: EXIT_RESOURCE}
    return next((code for kind, code in codes.items() if isinstance(error, kind)), EXIT_DATA)


def _say(message: str, code: int) -> int:
    """Print why the command failed."""
    click.echo(f"stakes: {message}", err=True)
    return code
