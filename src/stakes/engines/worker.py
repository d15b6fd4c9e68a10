"""What workers run: each function is called by its name, with plain values and bytes."""

import pickle
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from stakes._check import InputError, Place
from stakes._text import plain
from stakes.engines.partials import Job, Partial, join_partials, sum_pieces
from stakes.engines.remote import is_unfit
from stakes.io.arrow_library import pa
from stakes.io.batches import Ask, Part
from stakes.io.relations import pieces_of
from stakes.io.streams import Limits
from stakes.io.units import ROWS, Piece, units_of

FEW = 1000  # rows that show what a table holds


def ready() -> None:
    """Do nothing: a worker that gets here fits."""


def sum_table(job: bytes, number: int, table: Any) -> Partial:  # noqa: ANN401
    """Return the sum of a partition: anything with an Arrow stream, or arrays by name."""
    told = load_job(job)
    return sum_pieces(told, number, _pieces(table, told.ask, number))


def sum_files(job: bytes, number: int, files: bytes) -> Partial:
    """Return the sum of parts of files, which every worker can read."""
    told, (shown, parts, limits) = load_job(job), pickle.loads(files)  # noqa: S301
    return sum_pieces(told, number, pieces_of_parts(shown, parts, told.ask, limits))


def pieces_of_parts(shown: str, parts: Sequence[Part], ask: Ask, limits: Limits) -> Iterator[Piece]:
    """Go through the rows of parts of files."""
    return (unit.read() for unit in units_of(shown, parts, ask, limits, ROWS))


def join(*partials: Any) -> Any:  # noqa: ANN401
    """Return the sum of several partitions; a worker that did not fit comes first."""
    unfit = next((each for each in partials if is_unfit(each)), None)
    return join_partials(partials) if unfit is None else unfit


def first_rows(ask: Ask, number: int, table: Any) -> Any:  # noqa: ANN401
    """Return some rows of a partition as a table; None where it has none."""
    piece = next(_pieces(table, ask, number), None)
    return None if piece is None else piece.cut(0, FEW).batch.table


def partition(number: int) -> Part:
    """Return a partition as a part of a table, by its number."""
    return Part(path="", name=f"partition {number}", kind=None)


def load_job(data: bytes) -> Job:
    """Return a job that was pickled by whoever sent it."""
    found: Job = pickle.loads(data)  # noqa: S301
    return found


def _pieces(table: Any, ask: Ask, number: int) -> Iterator[Piece]:  # noqa: ANN401
    """Go through the rows of a partition; arrays by name become columns, matrices lists."""
    place = partition(number)
    if isinstance(table, dict):
        lengths = {name: len(values) for name, values in table.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(
                "arrays",
                "must have as many rows",
                plain(lengths, 200),
                place=Place(file=place.name),
            )
        table = pa.table({name: _column(values) for name, values in table.items()})
    yield from pieces_of(table, ask, place)


def _column(values: Any) -> "pa.Array":  # noqa: ANN401
    if values.ndim == 1:
        return pa.array(values)
    flat = pa.array(values.reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, values.shape[1])


def pickled_sum(job: bytes, number: int, batches: "Iterable[pa.RecordBatch]") -> bytes | None:
    """Return the sum of a partition that comes in Arrow batches; None where it has no rows.

    Columns are in the order in which the job asks for them.
    """
    names = list(load_job(job).ask.names)
    every = (batch.rename_columns(names) for batch in batches)
    first = next(every, None)
    if first is None:
        return None
    found = sum_table(
        job, number, pa.RecordBatchReader.from_batches(first.schema, _led(first, every))
    )
    for _ in every:  # after a fault: who sends batches waits until they are taken
        pass
    return _pickled(found)


def pickled_file_sum(job: bytes, number: int, files: bytes) -> bytes | None:
    """Return the sum of parts of files; None where they have no rows."""
    return _pickled(sum_files(job, number, files))


def pickled_join(partials: Iterable[bytes]) -> bytes:
    """Return the sum of several partitions."""
    return pickle.dumps(join(*(pickle.loads(data) for data in partials)))  # noqa: S301


def _pickled(found: Partial) -> bytes | None:
    return pickle.dumps(found) if found.rows or found.fault else None


def _led(first: "pa.RecordBatch", others: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
    yield first
    yield from others
