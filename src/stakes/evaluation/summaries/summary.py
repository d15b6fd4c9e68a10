"""A summary of samples: told once what is to be judged, filled batch by batch, added, evaluated."""

from __future__ import annotations

__all__ = ["Summary"]

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, ClassVar, Self

import numpy as np

from stakes._check import (
    FEWEST_UNLABELLED,
    InputError,
    encode,
    read_column,
    slice_columns,
    words_may_be_decisions,
)
from stakes._foreign_calls import answered
from stakes._records import Record
from stakes._text import number
from stakes._typing import Column, Label, NamesLike, PriorsLike
from stakes.calibration import AffineCalibrator, Calibrator
from stakes.evaluation.applications import Applications, classes_of, columns_of_costs
from stakes.evaluation.entry import RULES, ignored_note
from stakes.evaluation.findings import Evaluation
from stakes.evaluation.summaries.batch import Batch
from stakes.evaluation.summaries.slice_sums import SliceSums
from stakes.evaluation.summaries.summary_request import Request, stated_training
from stakes.evaluation.summaries.summed_rows import SummedRows
from stakes.evaluation.summaries.two_classes import Bounds, TwoClasses
from stakes.evaluation.systems import Settings
from stakes.samples import Samples, paired
from stakes.scores import Posteriors, Scores, read_kind
from stakes.scoring import ScoringRule
from stakes.summary.form import Reader, Writer, damaged
from stakes.summary.members import GroupCount

_NEARLY_ALL = 0.95  # parts for each group, of which few share their hash: not worth a note
_DIGITS = 1e-4  # bounds that are nearer to each other are not told: four digits are shown


class Summary(Record):
    """A summary of any number of samples for an evaluation, in bounded memory.

    State once what to evaluate; then add batches in any order, add other summaries, write it as
    bytes, and evaluate it. The order of samples, batches and sums does not change the result.

    Parameters
    ----------
    classes : sequence of names, optional
        In the order of the columns of scores, the class of interest last; may be left out if
        `costs` name them.
    scores : type of scores, default Posteriors
        `Posteriors`, `Logits`, `LogPosteriors`, `LogLikelihoods` or `LogLikelihoodRatios`.
    costs : CostMatrix, CostsByCase, array, or mapping from name to these or Application, optional
        As in `evaluate`, but not `SampleCosts`.
    priors : float, array of K, mapping by class, or "data", optional
        As in `evaluate`. Likelihoods, and posteriors that are adapted, need priors in numbers,
        since those of the data are known only at the end.
    training_priors : float, array of K, mapping by class, or "deployment", optional
        The priors that the posteriors are at, required where posteriors meet `priors`:
        "deployment" if they already are for these, or numbers, from which they are adapted.
    rules : sequence of ScoringRule, optional
        By default `LogLoss()` and `BrierLoss()`.
    weighted, grouped : bool, default False
        Whether samples have weights or come in groups.
    slices : list of str, optional
        Names of columns for whose values to give results.

    See Also
    --------
    evaluate : for samples in memory.

    Examples
    --------
    >>> import stakes
    >>> costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    >>> total = stakes.Summary(classes=[0, 1], costs=costs)
    >>> for seed in range(3):  # three batches; they could come from anywhere
    ...     batch = stakes.simulation.simulate(2, n=2000, rng=seed)
    ...     total.update(batch.y, batch.posteriors([0.9, 0.1]))
    >>> result = total.evaluate()
    >>> result.data.n, result.verdicts[0].code
    (5997, 'useful')
    """

    @answered
    def __init__(  # noqa: PLR0913  what is to be judged
        self,
        *,
        classes: NamesLike | None = None,
        scores: type[Scores] = Posteriors,
        costs: Applications | None = None,
        priors: PriorsLike | None = None,
        training_priors: PriorsLike | None = None,
        rules: Sequence[ScoringRule] = RULES,
        weighted: bool = False,
        grouped: bool = False,
        slices: Sequence[str] = (),
    ) -> None:
        told = classes, scores, costs, priors, training_priors, rules
        self._set(Request.read(*told, weighted=weighted, grouped=grouped, slices=slices))

    def _set(self, request: Request) -> Self:
        self._request, self._slices, self._groups = request, SliceSums(request), GroupCount()
        self._kept: TwoClasses | SummedRows | None = None  # no samples yet
        self._ignored = 0
        return self

    @property
    def _keeper(self) -> type[TwoClasses | SummedRows]:
        return TwoClasses if self._request.by_cells else SummedRows

    @classmethod
    @answered
    def of(  # noqa: PLR0913  the table and its columns, and what the summary is told
        cls,
        table: Any,  # noqa: ANN401  anything with an Arrow stream
        *,
        label: str,
        scores: str | Sequence[str],
        classes: NamesLike | None = None,
        kind: type[Scores] = Posteriors,
        costs: Applications | None = None,
        priors: PriorsLike | None = None,
        training_priors: PriorsLike | None = None,
        rules: Sequence[ScoringRule] = RULES,
        weight: str | None = None,
        group: str | None = None,
        slices: Sequence[str] = (),
    ) -> Self:
        """Return the summary of a table that is read batch by batch.

        Parameters
        ----------
        table : anything with an Arrow stream
            A table, reader or data set of pyarrow, a frame of polars or pandas, a relation of
            DuckDB.
        label : str
            The column of the true classes: integers, strings or booleans.
        scores : str, or list of str
            One column, or one for each class; a column may hold lists of numbers.
        classes : sequence of names, optional
            May be left out if the costs name them, if labels are whole numbers from 0 or truth
            values, or if they are categories with an order.
        kind : type of scores, default Posteriors
            What the scores are.
        costs : CostMatrix, CostsByCase, array, or mapping from name to these, optional
            As in `Summary`; the columns that `CostsByCase` names are read from the table.
        priors : float, array of K, mapping by class, or "data", optional
            As in `Summary`.
        training_priors : float, array of K, mapping by class, or "deployment", optional
            The priors that the posteriors are at, required where posteriors meet `priors`:
            "deployment" if they already are for these, or numbers, from which they are adapted.
        rules : sequence of ScoringRule, optional
            By default `LogLoss()` and `BrierLoss()`.
        weight, group : str, optional
            The column of weights, or of groups: patients, speakers, merchants.
        slices : list of str, optional
            Columns for whose values to give results.

        Examples
        --------
        >>> import pyarrow as pa
        >>> table = pa.table({"y": [0, 1, 1, 0], "p": [0.1, 0.7, 0.4, 0.2]})
        >>> Summary.of(table, label="y", scores="p")
        Summary(4 samples, 2 classes)
        """
        named = classes if classes is not None else classes_of(costs)
        amounts = columns_of_costs(costs)
        io = import_module("stakes.io")  # no import goes up
        if isinstance(slices, str):
            slices = (slices,)
        kind = read_kind(kind)
        roles = io.Roles(label, {"": scores}, weight, group, tuple(slices), amounts)
        relation = io.Relation(roles, kind)
        with words_may_be_decisions(roles.scores):
            first, pieces = relation.begun(table)
            out = cls(
                classes=relation.classes(first) if named is None else named,
                scores=kind,
                costs=costs,
                priors=priors,
                training_priors=training_priors,
                rules=rules,
                weighted=weight is not None,
                grouped=group is not None,
                slices=slices,
            )
            for piece in pieces:
                relation.add(out, piece)
        return out

    @property
    def classes(self) -> tuple[Label, ...]:
        """The names of the classes."""
        return self._request.classes

    @property
    def n(self) -> int:
        """Number of samples."""
        return 0 if self._kept is None else int(self._kept.counts.sum())

    @property
    def ignored(self) -> int:
        """Number of rows left out because of their label (`ignore_index`)."""
        return self._ignored

    @property
    def fingerprint(self) -> str:
        """A hash of the summary's settings; only summaries with the same settings can be added."""
        return self._request.fingerprint

    @answered
    def update(
        self,
        y_true: Column,
        scores: Scores | Column,
        *,
        sample_weight: Column | None = None,
        groups: Column | None = None,
        slices: Mapping[str, Column] | Column | None = None,
        columns: Mapping[str, Column] | None = None,
        ignore_index: Label | None = None,
    ) -> None:
        """Add a batch; a batch that raises an error changes nothing.

        Parameters
        ----------
        y_true : column of N labels
            The true class of each sample.
        scores : array of posteriors, or typed scores
            As in `evaluate`; a plain array is of the kind that the summary was made for.
        sample_weight : column of N weights, optional
            Needed if the summary was made with `weighted=True`.
        groups : column of N names, optional
            Needed if the summary was made with `grouped=True`.
        slices : mapping from name to column, or a data frame, optional
            The columns that the summary was given as `slices`, as in `evaluate`.
        columns : mapping from name to numbers, optional
            The columns that `CostsByCase` names.
        ignore_index : label, optional
            Rows with this label are left out, and counted as `ignored`.
        """
        every, told = read_column(y_true, "y_true"), self._request
        if ignore_index is not None and not every.other_than(ignore_index).any():
            self._ignored += len(every)
            return
        kind = None if isinstance(scores, Scores) else told.kind  # any kind of that meaning
        column, typed, names = paired(
            every, scores, told.classes, ignore_index, kind, FEWEST_UNLABELLED
        )
        codes, rows = encode(column, names, "classes"), column.row
        parts = slice_columns(slices)
        new = Batch(codes, typed, sample_weight, groups, parts, columns or {})
        self.add_batch(new if rows is None else replace(new, rows=rows, n_given=len(every)))
        self._ignored += len(every) - len(column)

    def add_batch(self, batch: Batch) -> None:
        """Add a batch with class indices as labels and checked scores.

        Parameters
        ----------
        batch : Batch
            The rows.
        """
        kind = self._request.kind
        if batch.scores.meaning != kind.meaning:
            rule = f"must be {kind.__name__}, as given to the summary"
            raise InputError("scores", rule, type(batch.scores).__name__)
        new, slices, rows = batch.read(self._request.members, self._request.slices)
        scores = batch.scores if rows is None else batch.scores.part(rows)
        if not new.y.size:
            return
        self._slices.check_values(slices)
        form = self._keeper.form_of(scores, self._request)
        kept = self._kept or self._keeper(self._request, form)
        kept.check_form(form)
        kept.update(new, scores)
        self._kept = kept
        self._slices.update(new, scores, slices)
        if new.groups is not None:
            self._groups.add(new.groups)

    def __add__(self, other: Summary) -> Summary:
        if not isinstance(other, Summary):
            return NotImplemented
        self._request.check_same(other._request)
        out = type(self).__new__(type(self))._set(self._request)
        some = self._kept or other._kept
        if some is not None:  # nothing is shared with a sum, be it with none
            one, two = (s._kept or type(some)(s._request, some.form) for s in (self, other))
            one.check_form(two.form)
            out._kept = one + two  # type: ignore[operator]
        out._slices, out._groups = self._slices + other._slices, self._groups + other._groups
        out._ignored = self._ignored + other._ignored
        return out

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Summary):
            return NotImplemented
        return self.to_bytes() == other.to_bytes()

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return f"Summary({self.n} samples, {len(self.classes)} classes)"

    def to_bytes(self) -> bytes:
        """Return the summary as bytes: equal summaries have equal bytes."""
        writer = Writer(self._request.description)
        writer.array([0 if self._kept is None else self._kept.form])
        for part in (self._kept, self._slices, self._groups):
            if part is not None:
                part.write(writer)
        if self._ignored:
            writer.array([self._ignored])
        return writer.bytes()

    @classmethod
    def from_bytes(cls, data: bytes, *, rules: Sequence[ScoringRule] = ()) -> Self:
        """Return the summary that was written as bytes.

        Parameters
        ----------
        data : bytes
            What `to_bytes` returned.
        rules : sequence of ScoringRule, optional
            Scoring rules of your own that the summary was made with.
        """
        reader = Reader(data)
        out = cls.__new__(cls)._set(Request.restored(reader.head, rules))
        out._kept = out._keeper.from_bytes(reader, out._request)
        out._slices.read(reader)
        out._groups.read(reader)
        out._ignored = 0 if reader.at_end else int(reader.array(1)[0])
        reader.end()
        if out.to_bytes() != data:  # numbers with more digits than they need, cells without samples
            raise damaged("what no summary writes")
        return out

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the bytes, which are a fraction of what is in memory."""
        return _restored, (type(self), self.to_bytes(), self._request.own_rules)

    @answered
    def evaluate(
        self,
        *,
        calibrator: Calibrator | None = AffineCalibrator(),  # noqa: B008  never fitted itself
        folds: int = 5,
        level: float = 0.95,
        rng: int | np.random.Generator = 0,
    ) -> Evaluation:
        """Return what `stakes.evaluate` returns for all samples.

        Costs and counts of decisions and the losses of scoring rules are those of all samples.
        Values that depend on the order of scores lie within `bounds`; notes give these if they
        differ within four digits. Calibrators are fitted to the cells of the scores.

        Parameters
        ----------
        calibrator : Calibrator or None, default AffineCalibrator()
            Calibrator used to measure calibration loss; None leaves it out.
        folds : int, default 5
            Number of folds of the calibrator.
        level : float, default 0.95
            Confidence level of the intervals.
        rng : int or Generator, default 0
            Seed of the folds.
        """
        training = stated_training(self._request.kind, self._request.training)
        slices = tuple(self._slices.decisions())
        stage, rules = (calibrator, folds, level), self._request.rules
        settings = Settings(None, training, *stage, None, slices, rules, rng)
        found = self._filled().evaluate(settings)  # at the costs and groups of what was kept
        notes = [
            f"{name} lies between {number(low)} and {number(high)}: scores were kept in cells."
            for name, (low, high) in self.bounds().items()
            if high - low > _DIGITS
        ]
        if self._ignored:
            notes.insert(0, ignored_note(self._ignored))
        parts, groups = found.data.groups, self._groups.number
        if parts is None:
            return replace(found, notes=(*found.notes, *notes))
        if parts <= _NEARLY_ALL * groups:
            about = "" if self._groups.exact else "about "
            notes.append(f"Intervals take {about}{groups} groups in {parts} parts of whole groups.")
        data = replace(found.data, groups=groups)
        return replace(found, data=data, notes=(*found.notes, *notes))

    def samples(self) -> Samples:
        """Return one row for each cell of the score and class, which stands for all its samples.

        They are for functions that take samples; with more than two classes there are none.
        """
        if not self._request.by_cells:
            if (k := len(self.classes)) != 2:
                raise InputError("classes", "must be two for cells of the score", k)
            raise InputError("costs", "must be one matrix for cells of the score", "costs by case")
        return self._filled().samples()  # type: ignore[union-attr]

    def _filled(self) -> TwoClasses | SummedRows:
        if self._kept is None:
            msg = "a summary must hold samples to be evaluated: call update first."
            raise InputError(msg)
        return self._kept

    def bounds(self) -> Bounds:
        """Return the least and largest possible value of each metric that depends on the order.

        Scores are kept in cells, and the order of samples within a cell is not known.
        """
        return {} if self._kept is None else self._kept.bounds()


def _restored(kind: type[Summary], data: bytes, rules: Sequence[ScoringRule]) -> Summary:
    return kind.from_bytes(data, rules=rules)
