"""stakes completion: the script that completes commands and options in a shell."""

import click
from click.shell_completion import get_completion_class


@click.command(name="completion")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def command(*, shell: str) -> None:
    """Print the completion script of a shell.

    \b
    stakes completion bash >> ~/.bashrc
    stakes completion zsh >> ~/.zshrc
    stakes completion fish > ~/.config/fish/completions/stakes.fish
    """  # noqa: D301
    kind = get_completion_class(shell)
    if kind is None:  # the choice above allows no other
        msg = f"no completion for {shell!r}."
        raise click.UsageError(msg)
    root = click.get_current_context().find_root().command
    click.echo(kind(root, {}, "stakes", "_STAKES_COMPLETE").source())
