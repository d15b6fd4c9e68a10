"""Systems in a table larger than memory: compared on rows that are kept of all batches."""

from collections.abc import Mapping
from threading import Lock
from typing import Any

from stakes._check import Rounding
from stakes._kernels.threads import available_threads
from stakes.cli.places import Unplaced, told_in_place
from stakes.cli.progress import progress_bar, row_progress
from stakes.cli.read_mode import Choice
from stakes.cli.rounding import joined
from stakes.cli.table_request import Request
from stakes.cli.table_streams import Batch, TableStream
from stakes.cli.unit_threads import Crew
from stakes.evaluation import Comparison
from stakes.evaluation.summaries.compared import ComparedRows, ScoreForm
from stakes.io.columns import no_rows
from stakes.summary.members import Members


class SystemStream(TableStream):
    """A table of several systems, of which rows are kept."""

    def __init__(self, request: Request, choice: Choice) -> None:
        super().__init__(request, choice)
        self.roundings: dict[str, Rounding | None] = dict.fromkeys(self.first)
        self._forms = {name: ScoreForm.from_scores(scores) for name, scores in self.first.items()}
        self._lock = Lock()

    def fresh(self) -> ComparedRows:
        """Return what keeps rows, without any."""
        return ComparedRows(self.setting.classes, self._forms, members=self._members)

    @property
    def _members(self) -> Members:
        """What belongs to rows besides labels and scores."""
        asked, prices = self.request.asked, tuple(dict.fromkeys(self.request.prices))
        return Members(asked.weight is not None, asked.group is not None, prices)

    def add(self, kept: ComparedRows, batch: Batch | None) -> int:
        """Add a batch, and return how many rows it had."""
        if batch is None:
            return 0
        by_sum = self.request.asked.renormalize
        with self._lock:
            for name, scores in batch.systems.items():
                before = self.roundings[name]
                self.roundings[name] = joined(before, scores.rounding, renormalize=by_sum)
        with told_in_place(batch.columns, self.arguments):
            new, _, rows = self.with_columns(batch).read(self._members)
        some = batch.systems
        if rows is not None:
            some = {name: scores.part(rows) for name, scores in some.items()}
        kept.update(new, some)
        return len(batch.codes)

    def notes(self) -> list[str]:
        """Say which rows were rounded."""
        return [f"{name}: {r}" for name, r in self.roundings.items() if r is not None]


def compare_in_batches(
    request: Request, choice: Choice, options: Mapping[str, Any]
) -> tuple[Comparison, list[str]]:
    """Compare systems on rows that are kept of all batches, and return notes on their rounding."""
    stream = SystemStream(request, choice)
    crew = Crew(stream.units, stream.fresh, stream.ready, stream.add, available_threads())
    with row_progress(choice.rows) as show:
        crew.run(lambda: show(crew.rows))
    kept, _ = crew.collect()
    if not kept.n:
        raise no_rows(choice.source)
    setting = stream.setting
    place = told_in_place(Unplaced(choice.source), {"y_true": request.asked.label})
    with place, progress_bar("resampling") as progress:
        found = kept.compare(
            costs=setting.costs,
            priors=setting.priors,
            training_priors=setting.training_priors,
            progress=progress,
            **options,
        )
    return found, stream.notes()
