"""stakes explain: what the code of a verdict, an undefined value or an error means."""

from difflib import get_close_matches
from itertools import groupby
from textwrap import fill

import click

from stakes._codes import CodeExplanation, codes
from stakes._text import quoted
from stakes.cli.messages import refuse
from stakes.cli.options import Options
from stakes.evaluation.documents import json_document

_WIDTH = 80


def run(options: Options) -> None:
    """Print the entries of some codes, or a list of all."""
    if options.list_codes and options.codes:
        refuse("--list has no effect with codes; remove one of the two.")
    found = [_entry(code) for code in dict.fromkeys(options.codes)]
    if options.as_json:
        entries = [each.to_dict() for each in found or codes().values()]
        click.echo(json_document("explain", {"codes": entries}, {}, {}), nl=False)
    elif found:
        click.echo("\n\n".join(map(str, found)))
    else:
        _print_all()


def _entry(code: str) -> CodeExplanation:
    found = codes().get(code)
    if found is None:
        near = get_close_matches(code, codes(), n=3, cutoff=0.8)
        meant = f", but there is {quoted(near)}" if near else "; stakes explain lists all"
        refuse(f"there is no code {code!r}{meant}.")
    return found


def _print_all() -> None:
    for kind, entries in groupby(codes().values(), key=lambda each: each.kind):
        click.echo(f"{kind[0].upper()}{kind[1:]}")
        for each in entries:
            line = f"  {each.code}: {each.meaning}"
            click.echo(fill(line, _WIDTH, subsequent_indent="      "))
        click.echo()
    click.echo("stakes explain CODE says what a code means, when it is used, and what to do.")
