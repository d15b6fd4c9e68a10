"""What commands say on standard error, beside the errors of the library."""

from typing import NoReturn

import click

from stakes._text import plain


def refuse(text: str) -> NoReturn:
    """Refuse what was typed."""
    raise click.UsageError(text)


def note(text: object) -> None:
    """Say what was chosen, or taken for granted; None is nothing to say."""
    if text is not None:
        click.echo(f"Note: {text}", err=True)


def wrote(path: str, what: str = "") -> None:
    """Say what was written."""
    click.echo(f"wrote {plain(path)}{what}", err=True)
