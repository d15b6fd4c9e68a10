"""Samples as sums over all of them, and some rows of each class: several classes, costs by case.

Costs, losses and calibration errors are those of all samples. What needs single samples (the
calibrator, areas, the page) rests on the rows that were kept, which the notes say.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from stakes._check import InputError
from stakes._typing import FloatArray, IntArray
from stakes.evaluation.assembly import evaluate_samples
from stakes.evaluation.findings import Evaluation
from stakes.evaluation.slice_results import SliceDecisions
from stakes.evaluation.summaries.summary_request import Amounts, Request
from stakes.evaluation.summaries.totals import judgement, loss_records, plan_of
from stakes.evaluation.systems import SumsOfAll
from stakes.metrics.calibration_errors import CalibrationError, error_of_sums
from stakes.samples import KnownSums, Samples
from stakes.scores import Answers, LogPosteriors, Posteriors, Scores
from stakes.statistics import BinSums
from stakes.statistics.bins import equal_width
from stakes.summary.form import Reader, Writer, damaged
from stakes.summary.members import CheckedBatch
from stakes.summary.rows import BINS, RowPlan, RowState

_NO_GAPS = "at given priors it needs every sample, of which a summary keeps some"


class SummedRows:
    """Samples in bounded memory, for one request."""

    def __init__(self, request: Request, state: RowState | None = None) -> None:
        self._request, self._state = request, state  # no state: no samples yet
        _plan(request, len(request.classes))  # refuses what cannot be kept

    @property
    def counts(self) -> IntArray:
        """How many samples of each class there are."""
        n = len(self._request.classes)
        return np.zeros(n, dtype=np.int64) if self._state is None else self._state.counts

    def update(self, new: CheckedBatch, scores: Scores) -> None:
        """Add samples; nothing changes if they are refused."""
        request, kind = self._request, self._request.kind
        if type(scores) is not kind:  # rows are kept as they came
            rule = f"must be {kind.__name__}, as the summary was told"
            raise InputError("scores", rule, type(scores).__name__)
        state = self._suited(new, scores)
        given = request.samples(new.y, scores)
        samples = request.adapted(given)
        answers = samples.scores.answers(samples.priors)
        decided = [self._decided(name, new.amounts, given, answers) for name in request.uses]
        losses = [rule.losses(new.y, answers) for rule in request.rules]
        state.update(new, scores.values, answers.p, decided, losses)
        self._state = state

    def _suited(self, new: CheckedBatch, scores: Scores) -> RowState:
        """Return the state for scores of a form, which all batches share."""
        k, shape = len(self._request.classes), scores.values.shape
        single = k == 2 and len(shape) == 1
        if shape[0] != new.y.size or (shape[1:] != (k,) and not single):
            rule = "must have one row per label and one column per class"
            raise InputError("scores", rule, f"shape {shape} for {new.y.size} labels")
        width = 1 if single else k
        if self._state is None:
            return RowState(_plan(self._request, width))
        if self._state.plan.width != width:
            found = f"those before had {self._state.plan.width} columns, these have {width}"
            raise InputError("scores", "must be of one form in all batches", found=found)
        return self._state

    def _decided(self, name: str, amounts: Amounts, given: Samples, answers: Answers) -> IntArray:
        """Return the decisions of an application on samples."""
        application = self._request.application(name, amounts)
        if application.priors is not None:
            return self._request.decide(name, given, amounts)
        return application.costs.least_expected(answers.p)  # type: ignore[union-attr]

    def __add__(self, other: Self) -> Self:
        if self._state is None or other._state is None:
            only = self._state or other._state  # as a sum, so that it is not shared
            return type(self)(self._request, None if only is None else only + type(only)(only.plan))
        if self._state.plan != other._state.plan:
            got = f"rows of {self._state.plan.width} and {other._state.plan.width} columns"
            raise InputError("summaries", "must be of scores of one form to be added", got)
        return type(self)(self._request, self._state + other._state)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SummedRows):
            return NotImplemented
        return self._state == other._state

    __hash__ = None  # type: ignore[assignment]

    def write(self, writer: Writer) -> None:
        """Write what was kept."""
        writer.array([0 if self._state is None else self._state.plan.width])
        if self._state is not None:
            self._state.write(writer)

    @classmethod
    def read(cls, reader: Reader, request: Request) -> Self:
        """Read what was kept."""
        width = reader.number(len(request.classes))
        if not width:
            return cls(request)
        if width not in (1, len(request.classes)) or (width == 1 and len(request.classes) > 2):
            raise damaged("scores of no known form")
        state = RowState.read(reader, _plan(request, width))
        _check_scores(state.kept()[0], request.kind)
        return cls(request, state)

    def samples(self) -> Samples:
        """Refuse: rows stand for some of the samples only."""
        k = len(self._request.classes)
        if k == 2:
            raise InputError("costs", "must be one matrix for cells of the score", "costs by case")
        raise InputError("classes", "must be two for cells of the score", k)

    def bounds(self) -> dict[str, tuple[float, float]]:
        """Return nothing: areas rest on rows, not on cells."""
        return {}

    def evaluate(self, slices: Sequence[SliceDecisions], **options: Any) -> Evaluation:  # noqa: ANN401  those of `evaluate_samples`
        """Return the evaluation of all samples."""
        if self._state is None:
            msg = "a summary must hold samples to be evaluated: call update first."
            raise InputError(msg)
        request, rows = self._request, self._state.rows.settled()
        values, kept = self._state.kept()
        told = {
            "costs": request.applications(kept.amounts),
            "training_priors": request.training,
            "rules": request.rules,
            "groups": kept.part,
            "slices": tuple(slices),
            **options,
        }
        scores = request.kind.trusted(values if values.shape[1] > 1 else values[:, 0].copy())
        unplaced = KnownSums({}, None)
        given = request.samples(rows.y, scores, kept.weights, copies=rows.copies, known=unplaced)
        if rows.all_there:
            return evaluate_samples(given, **told)
        of_all = self._sums(self._state)
        found = evaluate_samples(_weighed(given, of_all.samples), of_all=of_all, **told)
        note = (
            f"Calibration, areas and the page rest on {given.n} of {self.counts.sum()} samples,"
            f" {self._state.plan.quota} different ones of a class at most."
        )
        return replace(found, notes=(*found.notes, note))

    def _sums(self, state: RowState) -> SumsOfAll:
        """Return what is known of all samples."""
        request = self._request
        judgements = tuple(
            judgement(request, name, i, state.sums) for i, name in enumerate(request.uses)
        )
        base = judgements[0].use.samples
        every = request.samples(base.y, base.scores, base.weights, copies=base.copies)
        losses, groups = loss_records(state.sums, every)
        errors = {"confidence_calibration_error": _error(state, every)}
        return SumsOfAll(every, judgements, losses, errors, groups)


def _weighed(given: Samples, every: Samples) -> Samples:
    """Return rows of each class with the weight that the class has among all samples.

    As many rows are kept of a rare class as of a frequent one.
    """
    kept, whole = (_class_mass(samples) for samples in (given, every))
    factor = np.divide(whole, kept, out=np.zeros_like(kept), where=kept > 0)
    weights = factor[given.y] if given.weights is None else factor[given.y] * given.weights
    priors = every.data_priors() if given.priors_from_data else given.priors
    return replace(given, weights=weights / weights.max(), priors=priors, priors_from_data=False)


def _class_mass(samples: Samples) -> FloatArray:
    """Return the weight of each class."""
    found = np.bincount(samples.y, samples.mass, len(samples.classes))
    return np.asarray(found, dtype=np.float64)


def _error(state: RowState, every: Samples) -> CalibrationError:
    """Return the calibration error of the confidence of all samples, at the priors of use."""
    factors = every.class_factors()
    times = np.ones(len(every.classes)) if factors is None else factors
    powers = times, times**2, times
    weight, square, chance = (
        np.einsum("okb,k->ob", table, power)
        for table, power in zip(state.confidences(), powers, strict=True)
    )
    sums = BinSums(equal_width(BINS), weight, square, chance)
    error = error_of_sums(sums, every.classes, factors, confidence=True)
    return error if factors is None else error.without_interval(_NO_GAPS)


def _check_scores(values: FloatArray, kind: type[Scores]) -> None:
    """Refuse rows of numbers that scores of a kind cannot be."""
    least = 0.0 if kind is Posteriors else -np.inf
    most = {Posteriors: 1.0, LogPosteriors: 0.0}.get(kind, np.finfo(np.float64).max)
    lost = values.shape[1] > 1 and (values.max(axis=1) == -np.inf).any()
    if not ((values >= least) & (values <= most)).all() or lost:
        raise damaged(f"numbers that are not {kind.__name__}")


def _plan(request: Request, width: int) -> RowPlan:
    """Return how samples of a request are kept."""
    sums = plan_of(request, tuple(request.uses), request.rules)
    return RowPlan(sums, width, request.columns)
