"""Sentences on a terminal: paragraphs that hang from their mark, verdicts, commands."""

from collections.abc import Mapping, Sequence
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from stakes.cli.actions import COMMANDS
from stakes.evaluation import Verdict


def print_verdicts(
    screen: Console, verdicts: Sequence[Verdict], commands: Mapping[str, str] = COMMANDS
) -> None:
    """Print what the numbers say, and what to do next."""
    for number_, verdict in enumerate(verdicts):
        style = "bold" if number_ == 0 else ""
        screen.print(hanging(screen, "- ", f"{verdict.text} {verdict.advice}".strip(), style))
    asked = dict.fromkeys(commands.get(v.action, "") for v in verdicts)
    for command in filter(None, asked):
        screen.print(Text(_continued(command, screen.width), style="dim"))
    screen.print()


def _continued(command: str, width: int) -> str:
    """Return a command over several lines that can be copied as they are."""
    lines = wrap(
        command, width - 2, initial_indent="  next: ", subsequent_indent="      ",
        break_on_hyphens=False, break_long_words=False,
    )  # fmt: skip
    return " \\\n".join(lines)


def hanging(screen: Console, mark: str, text: str, style: str = "") -> Text:
    """Return a paragraph whose lines stand under each other."""
    indent = " " * len(mark)
    lines = wrap(text, screen.width, initial_indent=mark, subsequent_indent=indent)
    return Text("\n".join(lines), style=style)
