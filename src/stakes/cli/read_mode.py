"""Whether a table is read whole or in batches, and why."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stakes._check import RoundedRowsError, words_may_be_decisions
from stakes.cli.memory import default_memory, size_in_words
from stakes.cli.messages import note, refuse
from stakes.cli.options import Options
from stakes.cli.parsing import listed_names
from stakes.cli.table_request import WHOLE, LabelledTable, Request, WholeTable, read_request
from stakes.io import Columns
from stakes.io.batches import Ask, Part, Places
from stakes.io.sources import find_parts
from stakes.io.streams import Limits
from stakes.io.units import size_in_memory
from stakes.samples import Samples

if TYPE_CHECKING:
    from stakes.evaluation import Comparison, Evaluation

IN_BATCHES = "in batches"
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
        named = listed_names(o.classes) if o.classes else request.known_classes
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
    size, rows = size_in_memory(parts, ask, limits)
    usual = (known for known in (default_memory(), most) if known is not None)
    limit = min(usual, default=None) if memory is None else memory
    about = f"the columns take about {size_in_words(size)} in memory"
    wanted = ""
    if resume or memory == 0:
        wanted = f", because of {'--resume' if resume else '--memory 0'}"
    elif limit is not None and size > limit:
        wanted = f": {about}, more than {size_in_words(limit)} (--memory)"
    stream = next((part for part in parts if part.streamed), None)
    if stream is not None and (memory != 0 or resume):  # --memory 0 knows that it is read once
        reason = reason or f"'{stream.name}', which can be read only once,"
    if reason and (wanted or (memory is not None and stream is not None)):
        say_whole(reason, options)
    elif wanted:
        note(f"read in batches{wanted}.")
        return Choice(IN_BATCHES, source, tuple(parts), rows)
    elif memory is not None:
        note(f"read whole: {about}.")
    return Choice(WHOLE, source)


@dataclass(frozen=True, eq=False, kw_only=True)
class SummedTable(LabelledTable):
    """A table that was summed in batches; of several systems rows were kept."""

    read: str = IN_BATCHES
    total: Any  # a summary, or rows of several systems
    rounding: Sequence[str]  # notes on it

    def evaluate(self, **told: Any) -> "Evaluation":  # noqa: ANN401
        """Evaluate the one system."""
        found: Evaluation = self.total.evaluate(**told)
        return replace(found, notes=(*self.rounding, *found.notes))

    def compare(self, **told: Any) -> "Comparison":  # noqa: ANN401
        """Compare all systems."""
        found: Comparison = self.total.compare(**self.arguments, **told)
        return replace(found, notes=(*self.rounding, *found.notes))

    def samples(self) -> Samples:
        """Return cells of the score as samples, which stand for many rows."""
        found: Samples = self.total.samples()
        return found


def read_table(
    request: Request, reason: str = "", *, cells: bool = False, compared: bool = False
) -> WholeTable | SummedTable:
    """Read a table: in batches where that is asked for or it is large, else whole.

    There may be a `reason` to read it whole. `cells` where only cells of the score serve: one
    column for two classes. `compared` where rows are kept of several systems.
    """
    with words_may_be_decisions(request.score_columns):
        return _read_table(request, reason, cells=cells, compared=compared)


def _read_table(
    request: Request, reason: str, *, cells: bool, compared: bool
) -> WholeTable | SummedTable:
    options = request.options
    if options.engine or options.scheduler or options.master or options.remote:
        from stakes.cli.engine_tables import check_engine, read_on_engine  # noqa: PLC0415  slow to load

        check_engine(options)
        return read_on_engine(request, reason or why_whole(request, summed=not compared))
    reason = reason or why_whole(request, summed=not compared, cells=cells)
    single = len(request.score_columns) == 1 and not cells and not request.prices
    choice = choose(options, request.columns, reason, MOST_WHOLE if single else None)
    if choice.read == WHOLE:
        return read_request(request)
    from stakes.cli import table_streams as streams  # noqa: PLC0415  slow to load

    try:
        stream = streams.Stream(request, choice, cells=cells)
        total = streams.summarize(stream, options.resume)
    except streams.ListedScoresError:
        say_whole("a column of lists", options)
        return read_request(request)
    except RoundedRowsError:
        if options.resume or any(part.streamed for part in choice.parts):
            say_whole("a table of rows that were rounded to digits", options, again=False)
        say_rounded()
        return read_request(request)
    table, told = Columns(choice.source, Places(), {}, {}), vars(stream.rows.setting)
    return SummedTable(**told, table=table, n=total.n, total=total, rounding=stream.notes())


def say_whole(reason: str, options: Options, *, again: bool = True) -> None:
    """Say why a table is read whole; there is nothing to resume then.

    `again` where it can be read once more.
    """
    why = f"{reason} cannot be summed in batches"
    if options.resume or not again:
        name = "--resume" if options.resume else "--memory 0"
        refuse(f"{name} is for tables that are read in batches: {why}. Leave {name} out.")
    note(f"read whole: {why} yet.")


def say_rounded() -> None:
    """Say that a table is read whole as its rows were rounded."""
    why = "rows were rounded, and only all of them together show to how many digits"
    note(f"read whole: {why}. With --renormalize each row is divided by its own sum.")
