"""Whether a table is read whole or in batches, and why."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stakes._check import Rounding
from stakes.cli.memory import default_memory, size_in_words
from stakes.cli.messages import note, refuse
from stakes.cli.options import Options
from stakes.cli.parsing import listed_classes
from stakes.cli.places import Unplaced, told_in_place
from stakes.cli.score_columns import say_rounding
from stakes.cli.table_request import Request, Setting, read_request
from stakes.io.batches import Ask, Part
from stakes.io.sources import find_parts
from stakes.io.streams import Limits
from stakes.io.units import size_in_memory
from stakes.samples import Samples, read_samples

if TYPE_CHECKING:
    from stakes.evaluation import Summary

WHOLE, IN_BATCHES = "whole", "in batches"
MOST_WHOLE = 100_000_000  # bytes of one column of scores and its labels: beyond, cells tell as much
MOST_PRICES = 2  # columns, by which cases are counted
_FEW_UNITS = 1e-15  # a value so little beyond 0 or 1 is taken as 0 or 1, whatever others are
_LIKELIHOODS = ("log-likelihoods", "llr", "log10-lr", "lr")


@dataclass(frozen=True)
class Choice:
    """How a table is read, and what is known of it beforehand."""

    read: str
    source: str = ""
    parts: tuple[Part, ...] = ()
    rows: int | None = None


def why_whole(request: Request, *, summed: bool = False, cells: bool = False) -> str:
    """Return what no batch can tell by itself; nothing where all can be read in batches.

    With `summed` also what cannot be added to a summary, and with `cells` what has no cells of the
    score: what is not one column for two classes.
    """
    o = request.options
    reasons: dict[str, object] = {
        "--key": o.key,
        "--id": o.sample,
        "--cost with more than two columns": len(set(request.prices)) > MOST_PRICES,
    }
    if cells:
        named = listed_classes(o.classes) if o.classes else request.known_classes
        reasons |= {
            "several columns of scores": len(request.score_columns) > 1,
            "--group": o.group,
            "costs by case": request.prices,
            "a class of interest that is not the last": (
                o.positive and named and named[-1] != o.positive
            ),
        }
    if summed:
        own = [entry.get("prior") for entry in o.applications.values()]
        without = (o.prior in (None, "data") and not o.dcf) or "data" in own
        reasons |= {
            "several systems": len(request.systems) > 1,
            "likelihoods without --prior": o.scores_are in _LIKELIHOODS and without,
            "--training-prior without --prior": o.training_prior and without,
            "--training-prior data": o.training_prior == "data",
        }
    return next((reason for reason, there in reasons.items() if there), "")


def choose(options: Options, ask: Ask, reason: str = "", most: int | None = None) -> Choice:
    """Choose how to read columns, and say so where it was asked for or is not common.

    There may be a `reason` to read them whole. `most` are the bytes that are read whole by
    default, where that is less than a quarter of the machine's memory.
    """
    memory, resume = options.memory, options.resume
    source, parts = find_parts(options.file, "csv" if options.key else options.input_format)
    limits = Limits.read(options.max_bytes, options.timeout, None)
    size = size_in_memory(parts, ask, limits)
    usual = (size for size in (default_memory(), most) if size is not None)
    limit = min(usual, default=None) if memory is None else memory
    about = f"the columns take about {size_in_words(size.n_bytes)} in memory"
    wanted = ""
    if resume or memory == 0:
        wanted = f", as {'--resume' if resume else '--memory 0'} asks"
    elif limit is not None and size.n_bytes > limit:
        wanted = f": {about}, more than {size_in_words(limit)} (--memory)"
    stream = next((part for part in parts if part.streamed), None)
    if stream is not None and (memory != 0 or resume):  # --memory 0 knows that it is read once
        reason = reason or f"'{stream.name}', which can be read only once,"
    if reason and (wanted or (memory is not None and stream is not None)):
        say_whole(reason, options)
    elif wanted:
        note(f"read in batches{wanted}.")
        return Choice(IN_BATCHES, source, tuple(parts), size.rows)
    elif memory is not None:
        note(f"read whole: {about}.")
    return Choice(WHOLE, source)


@dataclass(frozen=True, eq=False)
class Summed:
    """A table that was summed in batches."""

    setting: Setting
    summary: "Summary"
    choice: Choice
    notes: Sequence[str] = ()

    def told_in_place(self) -> AbstractContextManager[None]:
        """Say columns of the table where the library says arguments."""
        label = self.setting.request.options.label
        return told_in_place(Unplaced(self.choice.source), {"y_true": label})


def summed(request: Request, reason: str = "", *, cells: bool = False) -> Summed | None:
    """Sum a table in batches; None where it is to be read whole, for which there may be a reason.

    `cells` where only cells of the score serve: one column for two classes.
    """
    options = request.options
    reason = reason or why_whole(request, summed=True, cells=cells)
    single = len(request.score_columns) == 1 and not cells and not request.prices
    choice = choose(options, request.columns, reason, MOST_WHOLE if single else None)
    if choice.read == WHOLE:
        return None
    from stakes.cli.table_streams import ListedScoresError, Stream  # noqa: PLC0415  slow to load
    from stakes.cli.table_sums import summarize  # noqa: PLC0415

    try:
        stream = Stream(request, choice, cells=cells)
        total = summarize(stream, options.resume)
    except ListedScoresError:
        say_whole("a column of lists", options)
        return None
    except RoundedRowsError:
        if options.resume or any(part.streamed for part in choice.parts):
            say_whole("a table of rows that were rounded to digits", options, again=False)
        say_rounded()
        return None
    return Summed(stream.setting, total, choice, stream.notes())


@dataclass(frozen=True, eq=False)
class TableSamples:
    """The samples of a table: its rows, or cells of the score that stand for many."""

    samples: Samples
    groups: Any
    setting: Setting
    source: str
    read: str

    def notes(self, what: str) -> list[str]:
        """Say that something was found from cells of the score."""
        if self.read == WHOLE:
            return []
        return [f"{what} on cells of the score, of which a table read in batches keeps about 80000"]


@contextmanager
def table_samples(request: Request, reason: str = "") -> Iterator[TableSamples]:
    """Give the samples of a table; errors name its columns and lines."""
    found = summed(request, reason, cells=True)
    if found is not None:
        with found.told_in_place():
            samples = found.summary.samples()
            yield TableSamples(samples, None, found.setting, found.choice.source, found.choice.read)
        return
    problem = read_request(request)
    say_rounding(problem.scores.rounding)
    with problem.told_in_place():
        samples = read_samples(
            problem.y,
            problem.scores,
            priors=problem.priors,
            classes=problem.classes,
            sample_weight=problem.weights,
        )
        yield TableSamples(samples, problem.groups, problem, problem.table.source, WHOLE)


def say_whole(reason: str, options: Options, *, again: bool = True) -> None:
    """Say why a table is read whole; there is nothing to resume then.

    `again` where it can be read once more.
    """
    why = f"{reason} cannot be summed in batches"
    if options.resume or not again:
        name = "--resume" if options.resume else "--memory 0"
        refuse(f"{name} is for tables that are read in batches: {why}. Leave {name} out.")
    note(f"read whole: {why} yet.")


class RoundedRowsError(Exception):
    """Rows were rounded, of which a batch does not tell enough."""


def joined(
    before: Rounding | None, found: Rounding | None, *, renormalize: bool
) -> Rounding | None:
    """Return how the rows of two batches were rounded; refuse what only the whole table can tell.

    Rows that sum to 1, numbers of a binary format, and rows that are divided by their sums anyway
    are taken one by one. Rows of rounded digits are judged by all that they show together.
    """
    if found is None:
        return before
    first = before or found
    same = (first.precision, first.renormalized) == (found.precision, found.renormalized)
    by_row = renormalize or not (found.renormalized or found.mixed)
    if not (same and by_row and found.outside <= _FEW_UNITS):
        raise RoundedRowsError
    gap, outside = max(first.gap, found.gap), max(first.outside, found.outside)
    return replace(first, gap=gap, outside=outside)


def say_rounded() -> None:
    """Say that a table is read whole as its rows were rounded."""
    why = "rows were rounded, and to which digits shows in all of them together"
    note(f"read whole: {why}; with --renormalize each is divided by its sum by itself.")
