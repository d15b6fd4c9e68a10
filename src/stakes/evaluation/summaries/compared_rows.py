"""Systems on the same samples, of any number: compared on rows of each class that were kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from stakes._check import InputError, read_names, read_priors
from stakes._counting import bincount
from stakes._kernels.exact_sums import ExactSums
from stakes._typing import FloatArray, IntArray, NamesLike, PriorsLike
from stakes.costs.price_words import is_prices
from stakes.evaluation.applications import (
    Application,
    Applications,
    read_applications,
    read_training,
    with_columns,
)
from stakes.evaluation.summaries.batch import Batch
from stakes.evaluation.summaries.summary_request import stated_training
from stakes.evaluation.system_comparison import Comparison, compare_samples, system_names
from stakes.evaluation.systems import Settings
from stakes.samples import Samples
from stakes.scores import PosteriorScores, Scores
from stakes.summary.form import Part
from stakes.summary.kept_rows import KeptRows
from stakes.summary.members import CheckedBatch, MemberRows, Members

_MOST_ROWS = 200_000  # of a class
_MOST_NUMBERS = 2**23  # of all rows kept


@dataclass(frozen=True)
class ScoreForm:
    """What the scores of a system are, and how many columns they have; 0 for a plain column."""

    kind: type[Scores]
    columns: int

    @classmethod
    def from_scores(cls, scores: Scores) -> Self:
        """Return the form of scores."""
        return cls(type(scores), sum(scores.values.shape[1:]))

    @property
    def width(self) -> int:
        """How many numbers a row has."""
        return max(self.columns, 1)

    def scores(self, values: FloatArray) -> Scores:
        """Return numbers as scores of this form."""
        return self.kind.trusted(np.ascontiguousarray(values) if self.columns else values[:, 0])


class ComparedRows(Part):
    """Labels and scores of several systems, of which at most `quota` rows of each class are kept.

    Which rows are kept depends on the rows alone, so that no order of rows, batches or sums
    changes the comparison. How many samples of each class there are is counted exactly.
    """

    pieces = ("rows", "counts", "weights")

    def __init__(
        self,
        classes: NamesLike,
        forms: Mapping[str, ScoreForm],
        quota: int | None = None,
        members: Members | None = None,
    ) -> None:
        self.classes = read_names(classes, "classes")
        self._forms, self._members = dict(forms), members or Members()
        n, self._ends = len(self.classes), np.cumsum([form.width for form in forms.values()])
        width = int(self._ends[-1]) + self._members.width
        fitting = max(min(_MOST_ROWS, _MOST_NUMBERS // (n * width)), 1)
        self.rows = KeptRows(n, width, fitting if quota is None else quota)
        self.counts: IntArray = np.zeros(n, dtype=np.int64)
        self.weights = ExactSums(n)

    @property
    def n(self) -> int:
        """How many samples there are."""
        return int(self.counts.sum())

    def add_batch(self, batch: Batch) -> None:
        """Add a batch, of whose samples those of weight above 0 count."""
        new, _, rows = batch.read(self._members)
        some = batch.systems
        if rows is not None:
            some = {name: scores.part(rows) for name, scores in some.items()}
        self.update(new, some)

    def update(self, new: CheckedBatch, systems: Mapping[str, Scores]) -> None:
        """Add samples: labels, weights, groups and prices, and the scores of each system."""
        for name, form in self._forms.items():
            if (got := ScoreForm.from_scores(systems[name])) != form:
                before = f"{form.kind.__name__} in {form.width} columns"
                found = f"those before were {before}, got {got}"
                rule = "must be of one form in all batches"
                raise InputError(f"scores of {name!r}", rule, found=found)
        y, own = np.asarray(new.y, dtype=np.int64), self._members.as_columns(new)
        self.counts = self.counts + bincount(y, minlength=len(self.classes))
        if new.weights is not None:
            self.weights.add(y, new.weights)
        self.rows.add(y, np.column_stack([*(systems[name].values for name in self._forms), *own]))

    def compare(
        self,
        *,
        reference: str | None,
        margin: float | None,
        costs: Applications | None,
        priors: PriorsLike | None,
        training_priors: PriorsLike | None,
        **options: Any,  # noqa: ANN401  further settings
    ) -> Comparison:
        """Return what `stakes.compare` says of the rows kept, at the priors of all samples."""
        if not self.n:
            msg = "samples must be added before systems are compared: call update first."
            raise InputError(msg)
        complete = self.rows.all_there
        *columns, own = np.split(self.rows.settled().values, self._ends, axis=1)
        kept = self._members.from_columns(own)
        bound = with_columns(costs, kept.amounts)
        names = system_names(self._forms, reference)
        systems = self._samples(columns, kept, names, priors)
        if not complete:
            training_priors = self._training(systems, bound, priors, training_priors)
        settings = Settings(
            costs=bound if complete else self._at_shares(bound),
            training_priors=training_priors,
            groups=kept.part,
            slices=None,
            **options,
        )
        found = compare_samples(systems, settings, margin)
        if complete:
            return found
        most = f"{self.rows.quota} different ones of a class at most"
        note = f"The comparison rests on {found.n} of {self.n} samples, {most}."
        return replace(found, notes=(*found.notes, note))

    def _training(
        self,
        systems: Mapping[str, Samples],
        costs: Applications | None,
        priors: PriorsLike | None,
        training: PriorsLike | None,
    ) -> PriorsLike | None:
        """Return training priors for applications whose priors are all numbers."""
        every = iter(systems.values())
        one = next((s for s in every if isinstance(s.scores, PosteriorScores)), None)
        if one is None:
            return training
        if isinstance(training, str) and training == "data":
            training = self._shares
        probe = replace(one, priors_from_data=read_priors(priors, self.classes) is None)
        old = read_training(probe, read_applications(costs, probe), training)
        return stated_training(type(one.scores), old)

    @property
    def _shares(self) -> FloatArray:
        if not self._members.weighted:
            return np.asarray(self.counts / self.n, dtype=np.float64)
        weights = self.weights.total()
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    def _samples(
        self,
        columns: Sequence[FloatArray],
        kept: MemberRows,
        names: list[str],
        priors: PriorsLike | None,
    ) -> dict[str, Samples]:
        """Return the rows of each system; equal rows are one row with copies."""
        rows, parts = self.rows, dict(zip(self._forms, columns, strict=True))
        given = read_priors(priors, self.classes)
        used, from_data = (self._shares, rows.all_there) if given is None else (given, False)
        copies = None if (rows.copies == 1).all() else rows.copies
        out = {}
        for name in names:
            scores = self._forms[name].scores(parts[name])
            if priors is None and scores.needs_priors:
                raise scores.lacks_priors()
            n = rows.y.size
            out[name] = Samples(
                rows.y, scores, kept.weights, self.classes, None, used, from_data, n, copies=copies
            )
        return out

    def _at_shares(self, costs: Applications | None) -> Applications | None:
        """Return applications whose priors from the data are those of all samples."""
        if not isinstance(costs, Mapping) or is_prices(costs):
            return costs
        return {
            name: replace(entry, priors=self._shares)
            if isinstance(entry, Application) and isinstance(entry.priors, str)
            else entry
            for name, entry in costs.items()
        }
