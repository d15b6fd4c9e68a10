"""stakes explain: what a code, a metric, or a word of another library means."""

from collections.abc import Iterable
from itertools import groupby
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from stakes._codes import CodeExplanation, codes
from stakes._errors import InputError
from stakes.cli.messages import refuse
from stakes.cli.options import Options
from stakes.cli.places import said
from stakes.evaluation.documents import json_document

if TYPE_CHECKING:
    from stakes.metrics import Explanation, WordExplanation

    Entry = CodeExplanation | Explanation | WordExplanation

_WIDTH = 80


def run(options: Options) -> None:
    """Print the entries of some words, or a list of all codes."""
    if options.list_codes and options.codes:
        refuse("--list has no effect with codes; remove one of the two.")
    found = [_entry(word) for word in dict.fromkeys(options.codes)]
    if options.as_json:
        click.echo(json_document("explain", _lists(found or codes().values()), {}, {}), nl=False)
    elif found:
        click.echo("\n\n".join(map(str, found)))
    else:
        _print_all()


def _entry(word: str) -> "Entry":
    if (found := codes().get(word.lower())) is not None:
        return found  # without loading what metrics need
    from stakes.metrics import explain  # noqa: PLC0415  not for codes

    try:
        return explain(word)
    except InputError as error:
        refuse(said(error.moved(argument="WORD")))


def _lists(found: "Iterable[Entry]") -> dict[str, list[dict[str, Any]]]:
    """Return entries as plain values: codes, metrics and words of others each in a list."""
    names = {"CodeExplanation": "codes", "Explanation": "metrics", "WordExplanation": "words"}
    lists: dict[str, list[dict[str, Any]]] = {name: [] for name in names.values()}
    for each in found:
        lists[names[type(each).__name__]].append(each.to_dict())
    return lists


def _print_all() -> None:
    for kind, entries in groupby(codes().values(), key=lambda each: each.kind):
        click.echo(f"{kind[0].upper()}{kind[1:]}")
        for each in entries:
            line = f"  {each.code}: {each.meaning}"
            click.echo(fill(line, _WIDTH, subsequent_indent="      "))
        click.echo()
    click.echo("stakes explain CODE says what a code means, when it is used, and what to do.")
    click.echo("stakes explain WORD says what a metric rewards, or what another word is here.")
