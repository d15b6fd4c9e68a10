"""A table summed by several threads, saved every so often, and judged at the end."""

import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import stakes
from stakes._check import InputError
from stakes._kernels.threads import available_threads
from stakes._text import plain
from stakes.cli.progress import row_progress
from stakes.cli.read_mode import say
from stakes.cli.resume_file import Bookmark, PartState, read_bookmark, refused, write_bookmark
from stakes.cli.table_streams import Stream
from stakes.cli.unit_threads import Crew
from stakes.io.columns import no_rows
from stakes.io.units import ROWS, Unit

if TYPE_CHECKING:
    from stakes.evaluation import Summary

EVERY = 10.0  # seconds between two times that the file of --resume is written


def summarize(stream: Stream, resume: str | None) -> "Summary":
    """Return the summary of all rows of a table."""
    saved = _Saved(stream, resume)
    units = (unit for unit in stream.units if not saved.has(unit))
    crew = Crew(units, stream.fresh, stream.ready, stream.add, available_threads())
    with row_progress(stream.choice.rows, saved.total.n) as show:

        def look() -> None:
            show(crew.rows)
            if saved.due():
                saved.take(*crew.collect())

        crew.run(look)
    saved.take(*crew.collect())
    if not saved.total.n:
        raise no_rows(stream.choice.source)
    return saved.total


class _Saved:
    """What was summed so far and which units that was, also in a file."""

    def __init__(self, stream: Stream, path: str | None) -> None:
        self.total = stream.fresh()
        self._path = path
        self._done: list[set[int]] = [set() for _ in stream.choice.parts]
        self._when = time.monotonic()
        if path is None:
            return
        self._mark = _bookmark(stream, self.total)
        found = read_bookmark(path, self._mark)
        if found is not None:
            self.total, self._done = _summary_of(found, path), list(found.done)
            say(f"{self.total.n} rows were read before, see '{plain(path, 1000)}'.")

    def has(self, unit: Unit) -> bool:
        """Whether a unit was read before."""
        return unit.number in self._done[unit.part]

    def due(self) -> bool:
        """Whether it is time to write the file."""
        return self._path is not None and time.monotonic() - self._when >= EVERY

    def take(self, part: "Summary", units: list[Unit]) -> None:
        """Add what was summed, and write the file."""
        self.total = self.total + part
        for unit in units:
            self._done[unit.part].add(unit.number)
        if self._path is not None:
            data = self.total.to_bytes()
            write_bookmark(self._path, replace(self._mark, done=self._done, summary=data))
            self._when = time.monotonic()


def _bookmark(stream: Stream, fresh: "Summary") -> Bookmark:
    """Return what a file of --resume must agree with."""
    asked = stream.request.asked
    options = {
        "version": stakes.__version__,
        "--label": str(asked.label),
        "--scores": stream.score_column,
        "--scores-are": str(asked.scores_are),
        "--input-format": str(asked.input_format),
        "--weight": str(asked.weight),
        "--group": str(asked.group),
        "classes": json.dumps(stream.setting.classes),
        "rows of a unit": str(ROWS),
        "costs and priors": fresh.fingerprint,
    }
    return Bookmark(options, [PartState.of(part) for part in stream.choice.parts])


def _summary_of(found: Bookmark, path: str) -> "Summary":
    """Return the summary that a file of --resume holds."""
    from stakes.evaluation import Summary  # noqa: PLC0415  loaded where data are streamed

    try:
        return Summary.from_bytes(found.summary)
    except InputError as error:
        raise refused(path, f"its summary cannot be read ({plain(error, 200)})") from error
