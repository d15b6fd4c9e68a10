"""Samples of two classes as a summary: their cells, and what is certain of their order."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Self

import numpy as np

from stakes._check import InputError
from stakes._kernels.score_grid import cell_grid, from_ordered_bits, ordered_bits
from stakes._math import log
from stakes._typing import FloatArray, IntArray, PriorsLike
from stakes.costs import CostMatrix
from stakes.curves import RocCurve
from stakes.curves.likelihood_ratios import minimum_cllr_of
from stakes.evaluation.application_decisions import curve_of
from stakes.evaluation.applications import Applications
from stakes.evaluation.entry import evaluate_samples
from stakes.evaluation.findings import Evaluation
from stakes.evaluation.summaries.summary_request import Request
from stakes.evaluation.systems import Settings
from stakes.metrics.probability_bins import event_of
from stakes.samples import KnownSums, Samples
from stakes.scores import Logits, LogLikelihoodRatios, LogPosteriors, Posteriors, Scores
from stakes.scoring import ScoringRule
from stakes.statistics import LossSums, ScoreLevels
from stakes.statistics.bins import bin_of, equal_width
from stakes.summary.decision_sums import LossPowers
from stakes.summary.form import Part, Reader, damaged
from stakes.summary.members import AlikeRows, CheckedBatch
from stakes.summary.parted_cells import PartedCells, PlainCells, ranked_orders

_PROBABILITIES, _LOG_ODDS = 1, 2  # what cells are of, as a summary is written
_FORMS = {_PROBABILITIES: "probabilities", _LOG_ODDS: "log odds"}
_BINS = 15  # of the calibration errors in a report
_MOST_FOUND = 64
Bounds = dict[str, tuple[float, float]]
Codes = Callable[[FloatArray], IntArray]  # of scores, such as decisions


class TwoClasses(Part):
    """Samples of two classes in bounded memory, for one request.

    They are counted in cells, which hold weights where samples have any; where samples come in
    groups, they are counted once more in cells that are parted by these.
    """

    pieces = ("cells", "grouped", "powers")

    def __init__(self, request: Request, form: int) -> None:
        self._request, self.form = request, form
        edges, log_odds = _edges(request, form), form == _LOG_ODDS
        weights, both = (replace(request.members, grouped=grouped) for grouped in (False, True))
        self.cells: PlainCells | PartedCells = (
            PartedCells(edges, weights, log_odds=log_odds)
            if weights.weighted
            else PlainCells(edges, log_odds=log_odds, shift=_shift(request))
        )
        grouped = request.members.grouped
        self.grouped = PartedCells(edges, both, log_odds=log_odds) if grouped else None
        passed = () if weights.weighted else PlainCells.RULES
        self._further = tuple(rule for rule in request.rules if rule not in passed)
        self.powers = [LossPowers(2, weighted=weights.weighted) for _ in self._further]

    @staticmethod
    def form_of(scores: Scores, request: Request) -> int:  # noqa: ARG004  as of several classes
        """Return what the cells of scores are of: one column of probabilities, or log odds."""
        single = isinstance(scores, Posteriors) and scores.values.ndim == 1
        return _PROBABILITIES if single else _LOG_ODDS

    def check_form(self, form: int) -> None:
        """Refuse scores of another form."""
        if form != self.form:
            found = f"those before were {_FORMS[self.form]}, these are {_FORMS[form]}"
            raise InputError("scores", "must be of one form in all batches", found=found)

    @property
    def counts(self) -> IntArray:
        """How many samples of each class there are."""
        return self.cells.counts

    def update(self, new: CheckedBatch, scores: Scores) -> None:
        """Add samples; nothing changes if they are refused."""
        losses = []
        if self._further:
            samples = self._request.adapted(self._request.samples(new.y, scores))
            answers = samples.scores.answers(samples.priors)
            losses = [rule.losses(new.y, answers) for rule in self._further]
        column = _column_of(scores)
        if not self.cells.update(new, column):
            raise InputError("scores", f"must be {_FORMS[self.form]}", "others")
        if self.grouped is not None:
            self.grouped.update(new, column)
        for powers, loss in zip(self.powers, losses, strict=True):
            powers.add(new.y, loss, new.weights)

    @classmethod
    def from_bytes(cls, reader: Reader, request: Request) -> Self | None:
        """Read what was kept; None where there are no samples yet."""
        form = reader.number(len(_FORMS))
        return cls(request, form).read(reader) if form else None

    def check(self) -> None:
        """Refuse groups of other samples."""
        if self.grouped is not None and (self.grouped.counts != self.counts).any():
            raise damaged("groups of other samples")

    def samples(self) -> Samples:
        """Return a row for each cell and class, which stands for all of its samples."""
        request = self._request
        moved = request.kind.needs_priors or request.training is not None
        sums = KnownSums(self.loss_sums(), request.priors if moved else None)
        return replace(self._samples(self._rows()), known=sums)

    def _rows(self) -> AlikeRows:
        """Return score and number of the samples that share a cell, class, group and weight."""
        return (self.grouped or self.cells).rows()

    def _samples(self, rows: AlikeRows) -> Samples:
        scores = _scores_at(self._request, self.form, rows.value)
        return self._request.samples(rows.y, scores, rows.weights, copies=rows.copies)

    def loss_sums(self) -> dict[ScoringRule, LossSums]:
        """Return the exact sums of each rule, as metrics take them."""
        found = self.cells.loss_sums() if isinstance(self.cells, PlainCells) else {}
        further = zip(self._further, self.powers, strict=True)
        found |= {rule: powers.loss_sums(self.counts) for rule, powers in further}
        return {rule: found[rule] for rule in self._request.rules}

    def evaluate(self, settings: Settings) -> Evaluation:
        """Return the evaluation of all samples."""
        request, rows, curve = self._request, self._rows(), None
        if self.grouped is not None:  # without groups cells are finer
            curve = curve_of(request.adapted(self._samples(self.cells.rows())))
        told = replace(settings, costs=request.applications(rows.amounts), groups=rows.part)
        found = evaluate_samples(self.samples(), told, curve=curve)
        return replace(found, data=replace(found.data, scores=request.kind.__name__))

    def bounds(self) -> Bounds:
        """Return between which values what depends on the order within cells lies for certain."""
        if not self.counts.all():
            return {}
        low, high = (self._ranked(levels) for levels in ranked_orders(self.cells.by_cell()))
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


def _column_of(scores: Scores) -> FloatArray:
    """Return one number for each sample of two classes, of which cells are."""
    if scores.values.ndim == 1 and not isinstance(scores, LogPosteriors):
        return scores.values
    if isinstance(scores, Posteriors | LogPosteriors):
        log_p = scores.answers(None).log_p
        return np.asarray(log_p[:, 1] - log_p[:, 0], dtype=np.float64)
    return scores.ranks()


def _scores_at(request: Request, form: int, levels: FloatArray) -> Scores:
    """Return levels as scores; log odds are likelihood ratios, or logits."""
    if form == _PROBABILITIES:
        return Posteriors.trusted(levels)
    return (LogLikelihoodRatios if request.kind.needs_priors else Logits).trusted(levels)


def _shift(request: Request) -> float:
    """Return what moves log odds to the priors of use, for losses alone."""
    old = np.array([0.5, 0.5]) if request.kind.needs_priors else request.training
    if request.priors is None or old is None:
        return 0.0
    (a, b), (c, d) = log(old), log(request.priors)
    return float((d - c) - (b - a))


_found: dict[tuple[str, int], FloatArray] = {}  # edges by what was told, as they take a while


def _edges(request: Request, form: int) -> FloatArray:
    """Return where the decision of an application, or the bin of a posterior, changes."""
    key = request.fingerprint, form
    if key in _found:
        return _found[key]
    if len(_found) >= _MOST_FOUND:
        _found.clear()
    grid = cell_grid(log_odds=form == _LOG_ODDS)
    at = from_ordered_bits(np.sort(grid.least[grid.least != 0]))

    def samples(x: FloatArray) -> Samples:
        return request.samples(np.arange(x.size) % 2, _scores_at(request, form, x))

    def decide(name: str) -> Codes:
        return lambda x: request.samples_in_use(name, samples(x)).decide()

    def bins(*, confidence: bool) -> Codes:
        return lambda x: _bins(request.adapted(samples(x)), confidence=confidence)

    codes = [*map(decide, request.uses), bins(confidence=False), bins(confidence=True)]
    _found[key] = np.unique(np.concatenate([change_points(code, at) for code in codes]))
    return _found[key]


def change_points(codes: Codes, at: FloatArray) -> FloatArray:
    """Return each least score, between the first and the last of `at`, with another code.

    `at` are rising scores so near to each other that codes change once between neighbours, or
    change again beyond the first change only; each change is then found to the last bit.
    """
    found = [np.empty(0, dtype=np.int64)]
    code, bits = codes(at), ordered_bits(at)
    low, high = bits[:-1][code[1:] != code[:-1]], bits[1:][code[1:] != code[:-1]]
    while low.size:
        start, edge = codes(from_ordered_bits(low)), high
        while (edge - low > 1).any():
            middle = low + (edge - low) // 2
            same = codes(from_ordered_bits(middle)) == start
            low, edge = np.where(same, middle, low), np.where(same, edge, middle)
        found.append(edge)
        again = codes(from_ordered_bits(edge)) != codes(from_ordered_bits(high))
        low, high = edge[again], high[again]
    return from_ordered_bits(np.unique(np.concatenate(found)))


def _bins(samples: Samples, *, confidence: bool) -> IntArray:
    """Return the bin of each posterior, or of each confidence with the class it is about."""
    answers = samples.scores.answers(samples.priors)
    p, _ = event_of(samples.y, answers, confidence=confidence)
    code = bin_of(np.minimum(p, 1.0), equal_width(_BINS))
    return code + _BINS * answers.p.argmax(axis=1) if confidence else code


def samples_in_cells(
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
    kept = TwoClasses(request, TwoClasses.form_of(samples.scores, request))
    kept.update(CheckedBatch(samples.y), samples.scores)
    cells = kept.samples()
    lost = any(sums.infinite.any() for sums in cells.known.sums.values()) if cells.known else False
    return None if lost else cells
