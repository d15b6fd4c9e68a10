"""Samples of two classes as a summary: their cells, and what is certain of their order."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from stakes._check import InputError
from stakes._kernels.score_grid import cell_grid, from_ordered_bits
from stakes._typing import FloatArray, IntArray, PriorsLike
from stakes.costs import CostMatrix
from stakes.curves import RocCurve
from stakes.curves.likelihood_ratios import minimum_cllr_of
from stakes.evaluation.applications import Applications
from stakes.evaluation.assembly import evaluate_samples
from stakes.evaluation.findings import Evaluation
from stakes.evaluation.least_cost import curve_of
from stakes.evaluation.slice_results import SliceDecisions
from stakes.evaluation.summaries.edges import Codes, changes
from stakes.evaluation.summaries.summary_request import Request
from stakes.metrics.probability_bins import event_of
from stakes.samples import KnownSums, Samples
from stakes.scores import Scores
from stakes.scoring import ScoringRule
from stakes.statistics import ScoreLevels
from stakes.statistics.bins import bin_of, equal_width
from stakes.summary.form import Reader, Writer
from stakes.summary.levels import (
    LOG_ODDS,
    LevelPlan,
    LevelState,
    column_of,
    domain_code,
    domain_from,
    domain_of,
    scores_at,
    shift_of,
)
from stakes.summary.members import CheckedBatch
from stakes.summary.parted_cells import PartedRows

_BINS = 15  # of the calibration errors in a report
_MOST_FOUND = 64
Bounds = dict[str, tuple[float, float]]


class TwoClasses:
    """Samples of two classes in bounded memory, for one request."""

    def __init__(self, request: Request, state: LevelState | None = None) -> None:
        self._request, self._state = request, state  # no state: no samples yet

    @property
    def counts(self) -> IntArray:
        """How many samples of each class there are."""
        return np.zeros(2, dtype=np.int64) if self._state is None else self._state.counts

    def update(self, new: CheckedBatch, scores: Scores) -> None:
        """Add samples; nothing changes if they are refused."""
        state = self._suited(domain_of(scores))
        answers = None
        if state.plan.further:
            samples = self._request.adapted(self._request.samples(new.y, scores))
            answers = samples.scores.answers(samples.priors)
        if not state.update(new, column_of(scores), answers):
            raise InputError("scores", f"must be {state.plan.domain}", "others")
        self._state = state

    def _suited(self, domain: str) -> LevelState:
        """Return the state for scores of a form, which all batches share."""
        if self._state is None:
            return LevelState(_plan(self._request, domain))
        if self._state.plan.domain != domain:
            found = f"those before were {self._state.plan.domain}, these are {domain}"
            raise InputError("scores", "must be of one form in all batches", found=found)
        return self._state

    def __add__(self, other: Self) -> Self:
        if self._state is None or other._state is None:
            only = self._state or other._state  # as a sum, so that it is not shared
            return type(self)(self._request, None if only is None else only + type(only)(only.plan))
        self._suited(other._state.plan.domain)
        return type(self)(self._request, self._state + other._state)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TwoClasses):
            return NotImplemented
        return self._state == other._state

    __hash__ = None  # type: ignore[assignment]

    def write(self, writer: Writer) -> None:
        """Write what was kept."""
        if self._state is None:
            writer.array([0])
            return
        writer.array([1 + domain_code(self._state.plan.domain)])
        self._state.write(writer)

    @classmethod
    def read(cls, reader: Reader, request: Request) -> Self:
        """Read what was kept."""
        code = reader.number(2)
        if not code:
            return cls(request)
        plan = _plan(request, domain_from(code - 1))
        return cls(request, LevelState.read(reader, plan))

    def samples(self) -> Samples:
        """Return a row for each cell and class, which stands for all of its samples."""
        state = self._suited_or_empty()
        moved = self._request.kind.needs_priors or self._request.training is not None
        sums = KnownSums(dict(state.loss_sums()), self._request.priors if moved else None)
        return replace(self._rows(state.rows()), known=sums)

    def _rows(self, rows: PartedRows) -> Samples:
        """Return rows of cells as samples."""
        ratios = self._request.kind.needs_priors
        scores = scores_at(self._suited_or_empty().plan.domain, rows.score, ratios=ratios)
        return self._request.samples(rows.y, scores, rows.weights, copies=rows.copies)

    def _suited_or_empty(self) -> LevelState:
        if self._state is None:
            msg = "a summary must hold samples to be evaluated: call update first."
            raise InputError(msg)
        return self._state

    def evaluate(self, slices: Sequence[SliceDecisions], **options: Any) -> Evaluation:  # noqa: ANN401  those of `evaluate_samples`
        """Return the evaluation of all samples."""
        request, state = self._request, self._suited_or_empty()
        rows, curve = state.rows(), None
        if state.grouped is not None:
            curve = curve_of(request.adapted(self._rows(state.finest())))
        found = evaluate_samples(
            self.samples(),
            costs=request.applications(),
            training_priors=request.training,
            rules=request.rules,
            groups=rows.part,
            slices=tuple(slices),
            curve=curve,
            **options,
        )
        return replace(found, data=replace(found.data, scores=request.kind.__name__))

    def bounds(self) -> Bounds:
        """Return between which values what depends on the order within cells lies for certain."""
        if not self.counts.all():
            return {}
        low, high = (self._ranked(levels) for levels in self._suited_or_empty().orders())
        return {name: (min(low[name], high[name]), max(low[name], high[name])) for name in low}

    def _ranked(self, levels: ScoreLevels) -> dict[str, float]:
        """Return what follows from an order of the samples."""
        request = self._request
        curve = RocCurve(levels, request.classes)
        found = {"auc": curve.auc(), "eer": curve.eer()}
        for name, use in request.uses.items():
            if isinstance(use.costs, CostMatrix) and use.costs.shape == (2, 2):
                own = use.priors if use.priors is not None else request.priors
                cost = curve.minimum_cost(use.costs, None if isinstance(own, str) else own)
                found[f"{name}.minimum_nec"] = cost.normalized
        if request.kind.needs_priors:
            found["minimum_cllr"] = minimum_cllr_of(curve)
        return found


def _plan(request: Request, domain: str) -> LevelPlan:
    """Return how samples of a request are kept."""
    edges = _edges(request, domain)
    shift = 0.0
    if request.priors is not None and request.kind.needs_priors:
        shift = shift_of(np.array([0.5, 0.5]), request.priors)
    elif request.priors is not None and request.training is not None:
        shift = shift_of(request.training, request.priors)
    told = request.rules, request.weighted, request.grouped
    return LevelPlan(domain, tuple(edges.tolist()), shift, *told)


_found: dict[tuple[str, str], FloatArray] = {}  # edges by what was told, as they take a while


def _edges(request: Request, domain: str) -> FloatArray:
    """Return where the decision of an application, or the bin of a posterior, changes."""
    key = request.fingerprint, domain
    if key not in _found:
        if len(_found) >= _MOST_FOUND:
            _found.clear()
        _found[key] = _searched_edges(request, domain)
    return _found[key]


def _searched_edges(request: Request, domain: str) -> FloatArray:
    """Search the edges of a request."""
    grid = cell_grid(log_odds=domain == LOG_ODDS)
    at = from_ordered_bits(np.sort(grid.least[grid.least != 0]))

    def samples(x: FloatArray) -> Samples:
        ratios = request.kind.needs_priors
        scores = scores_at(domain, x, ratios=ratios)
        return request.samples(np.arange(x.size) % 2, scores)

    def decide(name: str) -> Codes:
        return lambda x: request.decide(name, samples(x))

    def bins(*, confidence: bool) -> Codes:
        return lambda x: _bins(request.adapted(samples(x)), confidence=confidence)

    codes = [*map(decide, request.uses), bins(confidence=False), bins(confidence=True)]
    return np.unique(np.concatenate([changes(code, at) for code in codes]))


def _bins(samples: Samples, *, confidence: bool) -> IntArray:
    """Return the bin of each posterior, or of each confidence with the class it is about."""
    answers = samples.scores.answers(samples.priors)
    p, _ = event_of(samples.y, answers, confidence=confidence)
    code = bin_of(np.minimum(p, 1.0), equal_width(_BINS))
    return code + _BINS * answers.p.argmax(axis=1) if confidence else code


def gathered(
    samples: Samples,
    costs: Applications | None,
    training: PriorsLike | None,
    rules: Sequence[ScoringRule],
) -> Samples | None:
    """Return very many samples of two classes as cells of their scores; None where none serve.

    That is where decisions depend on priors that are not numbers, costs on the case, and where a
    loss is infinite, so that messages name the samples.
    """
    priors: PriorsLike = "data" if samples.priors_from_data else samples.priors
    try:
        request = Request.read(
            samples.classes, type(samples.scores), costs, priors, training, rules
        )
    except InputError:
        return None
    kept = TwoClasses(request)
    kept.update(CheckedBatch(samples.y), samples.scores)
    cells = kept.samples()
    lost = any(sums.infinite.any() for sums in cells.known.sums.values()) if cells.known else False
    return None if lost else cells
