"""Samples of more than two classes as a summary: sums of all samples, and some rows of each class.

Costs, losses and calibration errors are those of all samples. What needs single samples (the
calibrator, areas, the page) rests on the rows that were kept, which the notes say.
"""

from dataclasses import replace
from typing import Any, Self

import numpy as np

from stakes._check import InputError
from stakes._typing import FloatArray, IntArray
from stakes.evaluation.applications import read_tasks
from stakes.evaluation.assembly import evaluate_samples
from stakes.evaluation.records import Evaluation
from stakes.evaluation.summaries.request import Request
from stakes.evaluation.systems import SumsOfAll, judge_decisions
from stakes.metrics.calibration_errors import CalibrationError, error_of_sums
from stakes.metrics.scores import from_sums
from stakes.samples import KnownSums, Samples
from stakes.scores import LogPosteriors, Posteriors, Scores
from stakes.statistics import BinSums
from stakes.statistics.bins import equal_width
from stakes.summary.form import Reader, Writer, damaged
from stakes.summary.rows import BINS, RowPlan, RowState

_NO_GAPS = "at given priors it needs every sample, of which a summary keeps some"


class ManyClasses:
    """Samples of several classes in bounded memory, for one request."""

    def __init__(self, request: Request, state: RowState | None = None) -> None:
        self._request = request
        self._state = RowState(_plan(request)) if state is None else state

    @property
    def counts(self) -> IntArray:
        """How many samples of each class there are."""
        return self._state.counts

    def update(self, codes: IntArray, scores: Scores) -> None:
        """Add samples; nothing changes if they are refused."""
        y = np.asarray(codes, dtype=np.int64)
        kind = self._request.kind
        if type(scores) is not kind:  # rows are kept as they came
            msg = f"scores must be {kind.__name__}, as the summary was told: got"
            raise InputError(f"{msg} {type(scores).__name__}.")
        if scores.values.shape != (y.size, len(self._request.classes)):
            msg = "scores must have one row per label and one column per class: got shape"
            raise InputError(f"{msg} {scores.values.shape} for {y.size} labels.")
        given = self._request.samples(y, scores)
        samples = self._request.adapted(given)
        answers = samples.scores.answers(samples.priors)
        decided = []
        for name, use in self._request.uses.items():
            if use.priors is None:
                decided.append(use.costs.least_expected(answers.p))
            else:
                decided.append(self._request.decide(name, given))
        self._state.update(y, scores.values, answers, decided)

    def __add__(self, other: Self) -> Self:
        return type(self)(self._request, self._state + other._state)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ManyClasses):
            return NotImplemented
        return self._state == other._state

    __hash__ = None  # type: ignore[assignment]

    def write(self, writer: Writer) -> None:
        """Write what was kept."""
        self._state.write(writer)

    @classmethod
    def read(cls, reader: Reader, request: Request) -> Self:
        """Read what was kept."""
        state = RowState.read(reader, _plan(request))
        _check_scores(state.rows.values, request.kind)
        return cls(request, state)

    def samples(self) -> Samples:
        """Refuse: rows stand for some of the samples only."""
        msg = f"classes must be two for cells of the score: got {len(self._request.classes)}."
        raise InputError(msg)

    def bounds(self) -> dict[str, tuple[float, float]]:
        """Return nothing: areas rest on rows, not on cells."""
        return {}

    def evaluate(self, **options: Any) -> Evaluation:  # noqa: ANN401  those of `evaluate_samples`
        """Return the evaluation of all samples."""
        if not self.counts.any():
            msg = "a summary must hold samples to be evaluated: call update first."
            raise InputError(msg)
        request, rows = self._request, self._state.rows.settled()
        told = {
            "costs": request.applications,
            "training_priors": request.training,
            "rules": request.rules,
            **options,
        }
        scores = request.kind.trusted(rows.values)
        unplaced = KnownSums({}, None)
        given = request.samples(rows.y, scores, copies=rows.copies, known=unplaced)
        told |= {"groups": None, "slices": None}
        if rows.all_there:
            return evaluate_samples(given, **told)
        found = evaluate_samples(self._weighed(given), of_all=self._sums(), **told)
        note = (
            f"Calibration, areas and the page rest on {given.n} of {self.counts.sum()} samples,"
            f" {self._state.plan.quota} different ones of a class at most."
        )
        return replace(found, notes=(*found.notes, note))

    def _weighed(self, given: Samples) -> Samples:
        """Return rows of each class with the weight that the class has among all samples.

        As many rows are kept of a rare class as of a frequent one.
        """
        kept = np.maximum(given.counts, 1)
        weights = (self.counts / kept)[given.y]
        priors = given.priors
        if given.priors_from_data:
            priors = self.counts / self.counts.sum()
        return replace(
            given, weights=weights / weights.max(), priors=priors, priors_from_data=False
        )

    def _sums(self) -> SumsOfAll:
        """Return what is known of all samples."""
        request, state = self._request, self._state
        judgements = []
        for (name, application), table in zip(
            request.applications.items(), state.tables, strict=True
        ):
            y, decided = np.nonzero(table)
            cells = request.samples(y, _none(request, y.size), copies=table[y, decided])
            task = read_tasks({name: application}, cells)[0]
            judgements.append(judge_decisions(task, decided))
        base = judgements[0].task.samples
        every = request.samples(base.y, base.scores, copies=base.copies)
        none = np.empty(0, dtype=np.int64)
        losses = {
            rule: from_sums(rule, sums, every, none) for rule, sums in state.loss_sums().items()
        }
        errors = {"confidence_calibration_error": self._error(every)}
        return SumsOfAll(every, tuple(judgements), losses, errors)

    def _error(self, every: Samples) -> CalibrationError:
        """Return the calibration error of the confidence of all samples, at the priors of use."""
        state, factors = self._state, every.class_factors()
        times = np.ones(len(every.classes)) if factors is None else factors
        weight = np.einsum("okb,k->ob", state.hits, times)
        square = np.einsum("okb,k->ob", state.hits, times**2)
        chance = np.einsum("okb,k->ob", state.confidence_sums(), times)
        sums = BinSums(equal_width(BINS), weight, square, chance)
        error = error_of_sums(sums, every.classes, factors, confidence=True)
        return error if factors is None else error.without_interval(_NO_GAPS)


def _check_scores(values: FloatArray, kind: type[Scores]) -> None:
    """Refuse rows of numbers that scores of a kind cannot be."""
    least = 0.0 if kind is Posteriors else -np.inf
    most = {Posteriors: 1.0, LogPosteriors: 0.0}.get(kind, np.finfo(np.float64).max)
    if not ((values >= least) & (values <= most)).all() or (values.max(axis=1) == -np.inf).any():
        raise damaged(f"numbers that are not {kind.__name__}")


def _none(request: Request, n: int) -> Scores:
    """Return scores that say nothing, for rows of which only the decision counts."""
    k = len(request.classes)
    return request.kind.trusted(np.broadcast_to(np.zeros(k), (n, k)))


def _plan(request: Request) -> RowPlan:
    """Return how samples of a request are kept."""
    decisions = tuple(use.costs.shape[1] for use in request.uses.values())
    return RowPlan(len(request.classes), request.rules, decisions)
