"""Threads that read units of a table and sum them, each for itself."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from threading import Event, Lock, Thread
from typing import Any

from stakes.io.units import Unit

WAIT = 0.1  # seconds between two looks at how far the threads are


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
