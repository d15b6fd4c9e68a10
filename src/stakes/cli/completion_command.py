"""stakes completion: the script that completes commands and options in a shell."""

import click
from click.shell_completion import get_completion_class

from stakes.cli.messages import refuse
from stakes.cli.options import Options


def run(options: Options) -> None:
    """Print the completion script of a shell."""
    kind = get_completion_class(options.shell)
    if kind is None:  # the choice of shells allows no other
        refuse(f"no completion for {options.shell!r}.")
    root = click.get_current_context().find_root().command
    click.echo(kind(root, {}, "stakes", "_STAKES_COMPLETE").source())
