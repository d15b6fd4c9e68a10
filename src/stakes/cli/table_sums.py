"""A table summed by several threads, saved every so often, and judged at the end."""

import json
import time
from dataclasses import replace
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
from stakes.cli.unit_threads import UnitThreads
from stakes.evaluation import Summary
from stakes.io.columns import no_rows
from stakes.io.units import ROWS, Unit

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
    if not saved.total.n:
        raise no_rows(stream.choice.source)
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
