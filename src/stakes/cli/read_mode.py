"""Whether a table is read whole or in batches, and why."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from stakes.cli.memory import default_memory, size_in_words
from stakes.cli.parsing import listed_classes
from stakes.cli.places import Unplaced, told_in_place
from stakes.cli.table_request import Paths, Request, Setting, known_classes
from stakes.io.batches import Ask, Part
from stakes.io.sources import find_parts
from stakes.io.streams import Limits
from stakes.io.units import size_in_memory

if TYPE_CHECKING:
    from stakes.evaluation import Summary

WHOLE, IN_BATCHES = "whole", "in batches"
MOST_WHOLE = 100_000_000  # bytes of one column of scores and its labels: beyond, cells tell as much
MOST_PRICES = 2  # columns, by which cases are counted
_LIKELIHOODS = ("log-likelihoods", "llr", "log10-lr", "lr")


@dataclass(frozen=True)
class Choice:
    """How a table is read, and what is known of it beforehand."""

    read: str
    source: str = ""
    parts: tuple[Part, ...] = ()
    rows: int | None = None


def why_whole(request: Request) -> str:
    """Return what no batch can tell by itself; nothing where all can be read in batches."""
    asked = request.asked
    reasons = {
        "--key": asked.key,
        "--id": asked.sample,
        "--cost with more than two columns": len(set(request.prices)) > MOST_PRICES,
    }
    return _first(reasons)


def why_not_summed(request: Request) -> str:
    """Return what cannot be summed in batches yet; nothing where all can."""
    asked = request.asked
    own = [entry.get("prior") for entry in asked.applications.values()]
    without = (asked.prior in (None, "data") and not asked.dcf) or "data" in own
    reasons = {
        "several systems": len(asked.systems) > 1,
        "likelihoods without --prior": asked.scores_are in _LIKELIHOODS and without,
        "--training-prior without --prior": asked.training_prior and without,
        "--training-prior data": asked.training_prior == "data",
    }
    return why_whole(request) or _first(reasons)


def why_no_cells(request: Request) -> str:
    """Return what has no cells of the score; nothing where it is one column for two classes."""
    asked = request.asked
    named = listed_classes(asked.classes) if asked.classes else known_classes(request)
    reasons = {
        "several columns of scores": len(request.score_columns) > 1,
        "--group": asked.group,
        "costs by case": request.prices,
        "a class of interest that is not the last": (
            asked.positive and named and named[-1] != asked.positive
        ),
    }
    return why_whole(request) or _first(reasons) or why_not_summed(request)


def _first(reasons: Mapping[str, object]) -> str:
    """Return the first reason that is there."""
    return next((reason for reason, there in reasons.items() if there), "")


def choose(
    request: Request, options: Mapping[str, Any], reason: str, most: int | None = None
) -> Choice:
    """Choose how to read what a request asks for; there may be a reason to read it whole."""
    asked = request.asked
    kind = "csv" if asked.key else asked.input_format
    return choose_table(asked.file, kind, request.columns, options, reason, most)


def choose_table(
    file: Paths,
    kind: str | None,
    ask: Ask,
    options: Mapping[str, Any],
    reason: str = "",
    most: int | None = None,
) -> Choice:
    """Choose how to read columns, and say so where it was asked for or is not common.

    `most` are the bytes that are read whole by default, where that is less than a quarter of the
    machine's memory.
    """
    memory, resume = options["memory"], options.get("resume")
    source, parts = find_parts(file, kind)
    limits = Limits.of(options["max_bytes"], options["timeout"], None)
    size = size_in_memory(parts, ask, limits)
    limit = _default(most) if memory is None else memory
    about = f"the columns take about {size_in_words(size.n_bytes)} in memory"
    wanted = ""
    if resume or memory == 0:
        wanted = f", as {'--resume' if resume else '--memory 0'} asks"
    elif limit is not None and size.n_bytes > limit:
        wanted = f": {about}, more than {size_in_words(limit)} (--memory)"
    reason = reason or _read_once(parts, options)
    if reason and (wanted or (memory is not None and any(part.streamed for part in parts))):
        say_whole(reason, options)
    elif wanted:
        say(f"read in batches{wanted}.")
        return Choice(IN_BATCHES, source, tuple(parts), size.rows)
    elif memory is not None:
        say(f"read whole: {about}.")
    return Choice(WHOLE, source)


def _default(most: int | None) -> int | None:
    """Return the bytes that are read whole by default."""
    known = [size for size in (default_memory(), most) if size is not None]
    return min(known) if known else None


@dataclass(frozen=True, eq=False)
class Summed:
    """A table that was summed in batches."""

    setting: Setting
    summary: "Summary"
    choice: Choice
    notes: Sequence[str] = ()

    def told_in_place(self) -> AbstractContextManager[None]:
        """Say columns of the table where the library says arguments."""
        return told_in_place(Unplaced(self.choice.source), {"y_true": self.setting.asked.label})


def summed(
    request: Request, options: Mapping[str, Any], reason: str, *, cells: bool = False
) -> Summed | None:
    """Sum a table in batches; None where it is to be read whole.

    `cells` where only cells of the score serve: one column for two classes.
    """
    single = len(request.score_columns) == 1 and not cells and not request.prices
    choice = choose(request, options, reason, MOST_WHOLE if single else None)
    if choice.read == WHOLE:
        return None
    from stakes.cli.rounding import RoundedRowsError, say_rounded  # noqa: PLC0415  slow to load
    from stakes.cli.table_streams import CellStream, ListedScoresError, Stream  # noqa: PLC0415
    from stakes.cli.table_sums import summarize  # noqa: PLC0415

    try:
        stream = (CellStream if cells else Stream)(request, choice)
        total = summarize(stream, options.get("resume"))
    except ListedScoresError:
        say_whole("a column of lists", options)
        return None
    except RoundedRowsError:
        if options.get("resume") or any(part.streamed for part in choice.parts):
            say_whole("a table of rows that were rounded to digits", options, again=False)
        say_rounded()
        return None
    return Summed(stream.setting, total, choice, stream.notes())


def cells_note(what: str) -> str:
    """Say that something was found from cells of the score."""
    return f"{what} on cells of the score, of which a table read in batches keeps about 80000."


def _read_once(parts: Sequence[Part], options: Mapping[str, Any]) -> str:
    """Return which part is read whole as it can be read only once; that is known to --memory 0."""
    stream = next((part for part in parts if part.streamed), None)
    if stream is None or (options["memory"] == 0 and not options.get("resume")):
        return ""
    return f"'{stream.name}', which can be read only once,"


def choose_for_decisions(options: dict[str, Any]) -> None:
    """Say that decisions are read whole, where something else was asked for."""
    if options["resume"] or options["memory"] is not None:
        say_whole("--decision", options)


def say_whole(reason: str, options: Mapping[str, Any], *, again: bool = True) -> None:
    """Say why a table is read whole; there is nothing to resume then.

    `again` where it can be read once more.
    """
    why = f"{reason} cannot be summed in batches"
    if options.get("resume") or not again:
        name = "--resume" if options.get("resume") else "--memory 0"
        msg = f"{name} is for tables that are read in batches: {why}. Leave {name} out."
        raise click.UsageError(msg)
    say(f"read whole: {why} yet.")


def say(text: str) -> None:
    """Say what was chosen."""
    click.echo(f"Note: {text}", err=True)
