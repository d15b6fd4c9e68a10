"""A table summed by several threads, each for itself, and saved every so often."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from operator import itemgetter
from threading import Event, Lock, Thread
from typing import Any

import stakes
from stakes._check import InputError
from stakes._files import write_bytes
from stakes._kernels.threads import available_threads
from stakes._text import plain
from stakes.cli.messages import note
from stakes.cli.progress import row_progress
from stakes.cli.resume_file import Bookmark, part_state, read_bookmark, refused
from stakes.cli.table_streams import Stream
from stakes.evaluation import Summary
from stakes.io.columns import no_rows
from stakes.io.units import ROWS, Unit

WAIT = 0.1  # seconds between two looks at how far the threads are
EVERY = 10.0  # seconds between two times that the file of --resume is written


def summarize(stream: Stream, resume: str | None = None) -> Any:  # noqa: ANN401
    """Return the sum of all rows of a table."""
    saved = _Saved(stream, resume)
    units = (unit for unit in stream.units if unit.number not in saved.done[unit.part])
    threads = UnitThreads(units, stream.fresh, stream.ready, stream.add, available_threads())
    with row_progress(stream.choice.rows, saved.total.n) as show:

        def look() -> None:
            show(threads.rows)
            if resume is not None and time.monotonic() - saved.when >= EVERY:
                saved.take(*threads.collect())

        threads.run(look)
    saved.take(*threads.collect())
    source = stream.choice.source
    if not saved.total.n and threads.rows:
        found, weight = (
            f"all {threads.rows} weights are 0",
            f"column {stream.request.options.weight!r}",
        )
        error = InputError(weight, "must be above 0 for some sample", found=found)
        raise error.moved(source=plain(source))
    if not saved.total.n:
        raise no_rows(source)
    return saved.total


class _Saved:
    """What was summed so far and which units that was, also in a file."""

    def __init__(self, stream: Stream, path: str | None) -> None:
        self.total = stream.fresh()
        self._path = path
        self.done: list[set[int]] = [set() for _ in stream.choice.parts]
        self.when = time.monotonic()
        if path is None:
            return
        self._mark = _bookmark(stream, self.total)
        found = read_bookmark(path, self._mark)
        if found is not None:
            try:
                self.total, self.done = Summary.from_bytes(found.summary), list(found.done)
            except InputError as error:
                raise refused(path, f"its summary cannot be read ({plain(error, 200)})") from error
            note(f"{self.total.n} rows were read before, see '{plain(path, 1000)}'.")

    def take(self, part: Any, units: list[Unit]) -> None:  # noqa: ANN401
        self.total = self.total + part
        for unit in units:
            self.done[unit.part].add(unit.number)
        if self._path is not None:
            data = self.total.to_bytes()
            mark = replace(self._mark, done=self.done, summary=data)
            write_bytes(self._path, mark.to_bytes())
            self.when = time.monotonic()


def _bookmark(stream: Stream, fresh: Summary) -> Bookmark:
    """Return what a file of --resume must agree with."""
    o = stream.request.options
    options = {
        "version": stakes.__version__,
        "--label": str(o.label),
        "--scores": next(iter(stream.request.systems.values())),
        "--scores-are": str(o.scores_are),
        "--input-format": str(o.input_format),
        "--weight": str(o.weight),
        "--group": str(o.group),
        "classes": json.dumps(stream.setting.classes),
        "rows of a unit": str(ROWS),
        "costs and priors": fresh.fingerprint,
    }
    return Bookmark(options, [part_state(part) for part in stream.choice.parts])


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
