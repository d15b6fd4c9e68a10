"""Tables read on the workers of an engine: Dask or Spark."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from stakes._check import InputError, RoundedRowsError
from stakes._kernels.threads import available_threads
from stakes._signals import raise_on_signals
from stakes._text import plain
from stakes.cli.messages import note, refuse, row_progress
from stakes.cli.options import Options
from stakes.cli.parsing import score_columns
from stakes.cli.read_mode import SummedTable
from stakes.cli.table_request import Request
from stakes.cli.table_streams import Saved, TableRows, rounding_notes, table_rows
from stakes.engines.engine import Engine, Source
from stakes.engines.files import FileParts
from stakes.engines.partials import Partial
from stakes.io import Columns
from stakes.io.batches import Ask, Part, Places
from stakes.io.columns import no_rows
from stakes.io.sources import find_parts, is_address
from stakes.io.streams import Limits
from stakes.io.units import Piece, Unit, size_in_memory

_FEWEST, _PER_SLOT = 64, 8  # parts that are summed before progress is shown and saved
_MOST_LABELS = 10_000


def check_engine(options: Options) -> None:
    """Refuse addresses of an engine that is not asked for."""
    theirs = {"dask": ("scheduler",), "spark": ("master", "remote")}
    for engine, names in theirs.items():
        odd = [f"--{name}" for name in names if getattr(options, name) is not None]
        if odd and options.engine != engine:
            refuse(f"{odd[0]} is for --engine {engine}. Give that, or leave {odd[0]} out.")
        if len(odd) > 1:
            refuse(f"{' and '.join(odd)} cannot be given together: choose one Spark.")


def read_on_engine(request: Request, reason: str) -> SummedTable:
    """Sum a table on an engine; there may be a `reason` why it cannot be summed in batches."""
    o = request.options
    if reason:
        msg = f"--engine works only with what can be summed in batches: {reason} cannot yet"
        refuse(f"{msg}. Leave --engine out.")
    if o.memory is not None:
        refuse("--memory has no effect with --engine; remove it.")
    try:
        with _started(o) as engine:
            raise_on_signals()  # an engine may have taken them
            if is_address(o.file):
                return _at_address(engine, request)
            return _in_files(engine, request)
    except RoundedRowsError as error:
        hint = "Give --renormalize to divide each row by its sum, or leave --engine out."
        raise error.moved(hint=hint) from error


def _started(options: Options) -> AbstractContextManager[Engine]:
    """Return the engine that was asked for, and say where it is started here."""
    workers = available_threads()
    if options.engine == "dask":
        from stakes.engines.dask_engine import dask_cluster  # noqa: PLC0415  one of both is needed

        if options.scheduler is None:
            note(f"started a Dask cluster here (processes: {workers}).")
        return dask_cluster(options.scheduler, workers)
    from stakes.engines.spark_engine import spark_session  # noqa: PLC0415

    if options.master is None and options.remote is None:
        note(f"started Spark here (threads: {workers}).")
    return spark_session(options.master, options.remote, workers)


def _at_address(engine: Engine, request: Request) -> SummedTable:
    """Read what the engine itself finds at an address."""
    o = request.options
    if o.resume is not None:
        refuse("--resume is for files, not for addresses. Leave it out.")
    shown = plain(str(o.file).rstrip("/").rpartition("/")[2], 1000)
    source = engine.address(str(o.file))
    rows = _rows(source, request, shown)
    found = source.total(rows).with_samples(shown, o.weight)
    return _summed(rows, shown, found.total, found)


def _in_files(engine: Engine, request: Request) -> SummedTable:
    """Read files that the workers can read, too, some parts at a time."""
    o = request.options
    shown, parts = find_parts(o.file, o.input_format)
    files = _Files(shown, parts, Limits.read(o.max_bytes, o.timeout, None))
    todo = files.units()
    rows = _rows(engine.files(files.some(todo)), request, shown)
    saved = Saved(rows, parts, o.resume, str(o.engine))
    todo = [each for each in todo if each[0].number not in saved.done[each[0].part]]
    step = max(_FEWEST, _PER_SLOT * engine.slots())
    found = Partial()
    _, n_rows = size_in_memory(parts, request.columns, files.limits)
    with row_progress(n_rows, saved.total.n) as show:
        for start in range(0, len(todo), step):
            some = todo[start : start + step]
            new = engine.files(files.some(some)).total(rows).checked()
            found = (found + replace(new, total=None)).checked()
            saved.take(rows.fresh() if new.total is None else new.total, [u for u, _ in some])
            show(found.rows)
    return _summed(rows, shown, saved.checked(shown, found.rows), found)


@dataclass(frozen=True)
class _Files:
    """Files, each in parts that are numbered."""

    shown: str
    parts: Sequence[Part]
    limits: Limits

    def units(self) -> list[tuple[Unit, Part]]:
        """Return the parts that are read at once, by their places."""
        return [
            (Unit(at, number, read=_elsewhere), some)
            for at, part in enumerate(self.parts)
            for number, some in enumerate(FileParts.split(self.shown, [part], self.limits).parts)
        ]

    def some(self, units: Sequence[tuple[Unit, Part]]) -> FileParts:
        """Return some of the parts."""
        return FileParts(self.shown, [part for _, part in units], self.limits)


def _elsewhere() -> Piece:
    msg = "a unit of an engine is read by its workers"
    raise AssertionError(msg)


def _rows(source: Source, request: Request, shown: str) -> TableRows:
    """Return how rows are added, from the first ones and the labels of all."""
    first = source.first(request.columns)
    if first is None:
        raise no_rows(shown)
    columns = replace(first, source=shown).columns()
    return table_rows(request, _labels(source, request, columns), columns)


def _labels(source: Source, request: Request, first: Columns) -> list[str]:
    """Return the labels that tell the classes: of the first rows, or of the whole column."""
    label, named = str(request.options.label), next(iter(request.systems.values()))
    seen = set(first.coded(label)[0])
    n_classes = max((2, *first.matrix(score_columns(named)).shape[1:]))
    if len(seen) >= n_classes or request.options.classes or request.known_classes:
        return sorted(seen)
    found = source.total(LabelJob(label)).checked()
    return sorted(seen if found.total is None else found.total.labels)


@dataclass(frozen=True)
class LabelJob:
    """The distinct labels of a column, which add as sums do."""

    label: str
    renormalize = False

    @property
    def ask(self) -> Ask:
        """The one column."""
        return Ask(texts=(self.label,))

    def fresh(self) -> "Labels":
        """Return no labels."""
        return Labels(set())

    def add(self, total: "Labels", piece: Piece) -> dict[str, Any]:
        """Add the labels of some rows."""
        total.labels.update(piece.columns().coded(self.label)[0])
        if len(total.labels) > _MOST_LABELS:
            rule = f"must hold at most {_MOST_LABELS} different labels"
            raise InputError(f"column {plain(self.label)!r}", rule, len(total.labels))
        return {}


@dataclass(frozen=True)
class Labels:
    """Distinct labels."""

    labels: set[str]

    def __add__(self, other: "Labels") -> "Labels":
        return Labels(self.labels | other.labels)


def _summed(rows: TableRows, shown: str, total: Any, found: Partial) -> SummedTable:  # noqa: ANN401
    table, notes = Columns(shown, Places(), {}, {}), rounding_notes(found.roundings)
    told = vars(rows.setting)
    return SummedTable(**told, table=table, n=total.n, total=total, rounding=notes)
