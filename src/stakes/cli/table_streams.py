"""Tables larger than memory: classes found first, then batches summed by several threads."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from operator import itemgetter
from threading import Event, Lock, Thread
from typing import Any

import click

import stakes
from stakes._check import InputError, Rounding, joined_rounding
from stakes._files import write_bytes
from stakes._kernels.threads import available_threads
from stakes._text import plain, quoted
from stakes.cli.messages import note, refuse, row_progress
from stakes.cli.parsing import score_columns
from stakes.cli.places import told_in_place
from stakes.cli.read_mode import Choice
from stakes.cli.resume_file import Bookmark, part_state, read_bookmark, refused
from stakes.cli.table_request import Request, Setting, read_setting
from stakes.evaluation import Summary
from stakes.evaluation.summaries.batch import Batch as SummaryBatch
from stakes.evaluation.summaries.compared_rows import ComparedRows, ScoreForm
from stakes.evaluation.summaries.slice_sums import CodedColumn
from stakes.io import Columns
from stakes.io.batches import Ask, Part
from stakes.io.columns import no_rows
from stakes.io.streams import Limits
from stakes.io.units import ROWS, Piece, Unit, checked_columns, units_of
from stakes.summary.members import Members

WAIT = 0.1  # seconds between two looks at how far the threads are
EVERY = 10.0  # seconds between two times that the file of --resume is written


class ListedScoresError(Exception):
    """The column of scores holds lists, which are not summed in batches."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows that are ready to be added, and where they came from."""

    columns: Columns
    rows: SummaryBatch


@dataclass(frozen=True, eq=False)
class TableRows:
    """How rows of a table are read and added, in any thread or on any worker of an engine.

    One system is added to a summary; of several, rows are kept.
    """

    setting: Setting
    forms: Mapping[str, ScoreForm]  # of each system

    @property
    def ask(self) -> Ask:
        """The columns that are needed."""
        return self.setting.request.columns

    @property
    def renormalize(self) -> bool:
        """Whether rows of scores are divided by their sums."""
        return self.setting.request.options.renormalize

    def fresh(self) -> Any:  # noqa: ANN401
        """Return what batches are added to, without any."""
        setting, request = self.setting, self.setting.request
        o, prices = request.options, tuple(dict.fromkeys(request.prices))
        weighted, grouped = o.weight is not None, o.group is not None
        if len(self.forms) > 1:
            members = Members(weighted, grouped, prices)
            return ComparedRows(setting.classes, self.forms, members=members)
        return Summary(
            classes=setting.classes,
            scores=next(iter(self.forms.values())).kind,
            **setting.arguments,
            weighted=weighted,
            grouped=grouped,
            slices=o.slices,
        )

    def ready(self, piece: Piece) -> Batch | None:
        """Return rows that were checked; None where there are none."""
        return piece.checked(self._batch) if len(piece) else None

    def add(self, total: Any, piece: Piece) -> Mapping[str, Rounding | None]:  # noqa: ANN401
        """Add rows, and tell how the scores of each system were rounded."""
        batch = self.ready(piece)
        return {} if batch is None else self.keep(total, batch)

    def keep(self, total: Any, batch: Batch) -> Mapping[str, Rounding | None]:  # noqa: ANN401
        """Add rows that were checked, and tell how the scores of each system were rounded."""
        with told_in_place(batch.columns, self.setting.request.argument_columns):
            total.add_batch(batch.rows)
        return {name: scores.rounding for name, scores in batch.rows.systems.items()}

    def _batch(self, piece: Piece) -> Batch:
        setting, columns = self.setting, piece.columns()
        o, request = setting.request.options, setting.request
        codes = columns.codes(str(o.label), setting.classes)
        systems = setting.turned(request.scores(columns, setting.columns))
        rows = SummaryBatch(
            codes,
            next(iter(systems.values())),
            None if o.weight is None else columns.numbers(o.weight),
            None if o.group is None else CodedColumn(*columns.coded(o.group)),
            {name: CodedColumn(*columns.coded(name)) for name in dict.fromkeys(o.slices)},
            {name: columns.numbers(name) for name in request.prices},
            systems,
        )
        return Batch(columns, rows)


def table_rows(request: Request, labels: list[str], first: Columns) -> TableRows:
    """Return how rows of a table are added, of which the first rows and the labels are known."""
    setting, systems = read_setting(request, labels, first, by_name=True)
    return TableRows(setting, {n: ScoreForm.from_scores(s) for n, s in systems.items()})


class Stream:
    """A table that is read unit by unit, with its classes, costs and priors.

    `cells` where only cells of the score serve: one column of numbers for two classes.
    """

    def __init__(self, request: Request, choice: Choice, *, cells: bool = False) -> None:
        self.request, self.choice = request, choice
        self.units, first = self._begun(cells=cells)
        self.rows = table_rows(request, self._labels(first), first)
        self._roundings: dict[str, Rounding | None] = dict.fromkeys(self.rows.forms)
        self._lock = Lock()

    def ready(self, unit: Unit) -> Batch | None:
        """Read a unit and check it; None where it has no rows."""
        return self.rows.ready(unit.read())

    def add(self, total: Any, batch: Batch | None) -> int:  # noqa: ANN401
        """Add a batch, and return how many rows it had."""
        if batch is None:
            return 0
        by_sum, known = self.rows.renormalize, self._roundings
        for name, found in self.rows.keep(total, batch).items():
            with self._lock:
                known[name] = joined_rounding(known[name], found, renormalize=by_sum)
        return len(batch.columns)

    def notes(self) -> list[str]:
        """Say which rows were rounded."""
        return rounding_notes(self._roundings)

    def _begun(self, *, cells: bool) -> tuple[Iterator[Unit], Columns]:
        """Return all units, and the columns of the first that has rows; it is read only once."""
        units = self._all_units(self.request.columns)
        begun: list[Unit] = []
        for unit in units:
            begun.append(replace(unit, read=cache(unit.read)))
            piece = begun[-1].read()
            if len(piece):
                columns = piece.checked(Piece.columns)
                if cells and columns.matrix(self.request.score_columns).ndim > 1:
                    if not any(part.streamed for part in self.choice.parts):
                        raise ListedScoresError
                    msg = "--memory 0 is for one number per row: the scores are lists."
                    raise click.UsageError(f"{msg} Leave it out.")  # it was read, so it is lost
                return chain(begun, units), columns
        raise no_rows(self.choice.source)

    def _all_units(self, ask: Ask) -> Iterator[Unit]:
        o, choice = self.request.options, self.choice
        limits = Limits.read(o.max_bytes, o.timeout, None)
        return units_of(choice.source, choice.parts, ask, limits, ROWS)

    def _labels(self, first: Columns) -> list[str]:
        """Return the labels that tell the classes: of the first batch, or of the whole column."""
        request = self.request
        label = str(request.options.label)
        seen = set(first.coded(label)[0])
        named = score_columns(next(iter(request.systems.values())))
        n_classes = max((2, *first.matrix(named).shape[1:]))
        known = request.options.classes or request.known_classes
        if len(seen) >= n_classes or known is not None:
            return sorted(seen)
        if any(part.streamed for part in self.choice.parts):
            msg = f"--classes must name all classes: the first batch shows only {quoted(seen)},"
            refuse(f"{msg} and this input can be read only once.")
        for columns in checked_columns(self._all_units(Ask(texts=(label,)))):
            seen |= set(columns.coded(label)[0])
            if len(seen) >= n_classes:
                break
        return sorted(seen)


def rounding_notes(found: Mapping[str, Rounding | None]) -> list[str]:
    """Say which rows were rounded, of which system if there are several."""
    texts = {name: str(r) for name, r in found.items() if r is not None}
    return [text if len(found) == 1 else f"{name}: {text}" for name, text in texts.items()]


def summarize(stream: Stream, resume: str | None = None) -> Any:  # noqa: ANN401
    """Return the sum of all rows of a table."""
    saved = Saved(stream.rows, stream.choice.parts, resume)
    units = (unit for unit in stream.units if unit.number not in saved.done[unit.part])
    threads = UnitThreads(units, stream.rows.fresh, stream.ready, stream.add, available_threads())
    with row_progress(stream.choice.rows, saved.total.n) as show:

        def look() -> None:
            show(threads.rows)
            if resume is not None and time.monotonic() - saved.when >= EVERY:
                saved.take(*threads.collect())

        threads.run(look)
    saved.take(*threads.collect())
    return saved.checked(stream.choice.source, threads.rows)


class Saved:
    """What was summed so far and which units that was, also in a file."""

    def __init__(
        self, rows: TableRows, parts: Sequence[Part], path: str | None, engine: str = "none"
    ) -> None:
        self.total = rows.fresh()
        self._path, self._weight = path, rows.setting.request.options.weight
        self.done: list[set[int]] = [set() for _ in parts]
        self.when = time.monotonic()
        if path is None:
            return
        self._mark = _bookmark(rows, parts, self.total, engine)
        found = read_bookmark(path, self._mark)
        if found is not None:
            try:
                self.total, self.done = Summary.from_bytes(found.summary), list(found.done)
            except InputError as error:
                raise refused(path, f"its summary cannot be read ({plain(error, 200)})") from error
            note(f"{self.total.n} rows were read before, see '{plain(path, 1000)}'.")

    def take(self, part: Any, units: Iterable[Unit]) -> None:  # noqa: ANN401
        """Add the sum of some units."""
        self.total = self.total + part
        for unit in units:
            self.done[unit.part].add(unit.number)
        if self._path is not None:
            data = self.total.to_bytes()
            mark = replace(self._mark, done=self.done, summary=data)
            write_bytes(self._path, mark.to_bytes())
            self.when = time.monotonic()

    def checked(self, source: str, rows: int) -> Any:  # noqa: ANN401
        """Return the sum of so many rows, which must hold samples."""
        if not self.total.n and rows:
            found, weight = f"all {rows} weights are 0", f"column {self._weight!r}"
            error = InputError(weight, "must be above 0 for some sample", found=found)
            raise error.moved(source=plain(source))
        if not self.total.n:
            raise no_rows(source)
        return self.total


def _bookmark(rows: TableRows, parts: Sequence[Part], fresh: Summary, engine: str) -> Bookmark:
    """Return what a file of --resume must agree with."""
    request = rows.setting.request
    o = request.options
    options = {
        "version": stakes.__version__,
        "--label": str(o.label),
        "--scores": next(iter(request.systems.values())),
        "--scores-are": str(o.scores_are),
        "--input-format": str(o.input_format),
        "--weight": str(o.weight),
        "--group": str(o.group),
        "--engine": engine,
        "classes": json.dumps(rows.setting.classes),
        "rows of a unit": str(ROWS),
        "costs and priors": fresh.fingerprint,
    }
    return Bookmark(options, [part_state(part) for part in parts])


@dataclass(eq=False)
class _Share:
    """The sum of one thread, and the units that are in it."""

    total: Any
    done: list[Unit] = field(default_factory=list)
    lock: Any = field(default_factory=Lock)


class UnitThreads:
    """Threads that take units in their order: each reads one, checks it and adds it to its sum.

    `ready` reads and checks a unit, `add` adds what it returned and tells how many rows it had.
    Sums, which `fresh` begins, add up in any order to the same bits. Of several errors that of the
    first unit is raised. At most one unit for each thread is in memory.
    """

    def __init__(
        self,
        units: Iterator[Unit],
        fresh: Callable[[], Any],
        ready: Callable[[Unit], Any],
        add: Callable[[Any, Any], int],
        threads: int,
    ) -> None:
        self._units, self._fresh, self._ready, self._add = units, fresh, ready, add
        self._shares = [_Share(fresh()) for _ in range(threads)]
        self._turn, self._stop = Lock(), Event()
        self._handed_out = 0
        self._errors: list[tuple[int, BaseException]] = []
        self.rows = 0

    def run(self, look: Callable[[], None]) -> None:
        """Sum all units; `look` is called now and then, in the thread of the caller."""
        threads = [Thread(target=self._work, args=(s,), daemon=True) for s in self._shares]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive():
                    thread.join(WAIT)
                    look()
        except Exception:
            self._stop.set()
            for thread in threads:
                thread.join()
            raise
        except BaseException:  # the process is asked to end: nobody waits for the threads
            self._stop.set()
            raise
        if self._errors:
            raise min(self._errors, key=itemgetter(0))[1]

    def collect(self) -> tuple[Any, list[Unit]]:
        """Return what was summed since the last time, and the units that are in it."""
        total = self._fresh()
        done: list[Unit] = []
        for share in self._shares:
            with share.lock:
                part, share.total = share.total, self._fresh()
                done += share.done
                share.done = []
            total = total + part
        return total, done

    def _work(self, share: _Share) -> None:
        while (order := self._next()) is not None:
            place, unit = order
            try:
                ready = self._ready(unit)
                with share.lock:
                    rows = self._add(share.total, ready)
                    share.done.append(unit)
                with self._turn:
                    self.rows += rows
            except BaseException as error:  # noqa: BLE001  raised by the thread of the caller
                self._fail(place, error)

    def _next(self) -> tuple[int, Unit] | None:
        """Return the next unit and its place, None where there is none or another one failed."""
        with self._turn:
            if self._stop.is_set():
                return None
            place = self._handed_out
            self._handed_out += 1
            try:
                unit = next(self._units, None)
            except BaseException as error:  # noqa: BLE001
                self._fail(place, error)
                return None
            return None if unit is None else (place, unit)

    def _fail(self, place: int, error: BaseException) -> None:
        """Note an error; units before it are still looked at, as they were handed out before."""
        self._errors.append((place, error))
        self._stop.set()
