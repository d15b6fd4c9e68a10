"""Samples as sums over all of them, and some rows of each class: several classes, costs by case.

Costs, losses and calibration errors are those of all samples. What needs single samples (the
calibrator, areas, the page) rests on the rows that were kept, which the notes say.
"""

from dataclasses import replace
from typing import Self

import numpy as np

from stakes._check import InputError
from stakes._counting import bincount
from stakes._typing import FloatArray, IntArray
from stakes.evaluation.entry import evaluate_samples
from stakes.evaluation.findings import Evaluation
from stakes.evaluation.summaries.summary_request import Request, renumbered
from stakes.evaluation.systems import Settings, SumsOfAll
from stakes.loss_rows import LossRows
from stakes.metrics.calibration_errors import CalibrationError, error_of_sums
from stakes.metrics.expected_losses import from_sums, rows_of_sums
from stakes.results import ExpectedLoss
from stakes.samples import KnownSums, Samples
from stakes.scores import LogPosteriors, Posteriors, Scores
from stakes.scoring import ScoringRule
from stakes.statistics import BinSums
from stakes.statistics.bins import equal_width
from stakes.summary.decision_sums import BINS, ConfidenceBins, DecisionSums
from stakes.summary.form import Part, Reader, damaged
from stakes.summary.kept_rows import KeptRows
from stakes.summary.members import CheckedBatch

_MOST_ROWS, _MOST_OF_TWO = 20_000, 100_000  # that are kept, of several classes and of two
_MOST_NUMBERS = 2**23  # of all rows kept
_MOST_SAMPLES = 2**33  # of a class: their confidences sum to less than 2^61 units
_NO_GAPS = "at given priors it needs every sample, of which a summary keeps some"


class SummedRows(Part):
    """Samples in bounded memory, for one request; their form is how many columns scores have."""

    pieces = ("sums", "bins", "rows")

    def __init__(self, request: Request, form: int) -> None:
        self._request, self.form = request, form
        k, width = len(request.classes), form + request.members.width
        most = _MOST_OF_TWO if k == 2 else _MOST_ROWS
        self.sums = DecisionSums(request.plan(tuple(request.uses), request.rules))
        self.bins = ConfidenceBins(k, weighted=request.members.weighted)
        self.rows = KeptRows(k, width, max(min(most, _MOST_NUMBERS // width) // k, 1))

    @staticmethod
    def form_of(scores: Scores, request: Request) -> int:
        """Return how many columns scores have, which are one or those of all classes."""
        if type(scores) is not request.kind:  # rows are kept as they came
            rule = f"must be {request.kind.__name__}, as given to the summary"
            raise InputError("scores", rule, type(scores).__name__)
        return 1 if scores.values.ndim == 1 else len(request.classes)

    def check_form(self, form: int) -> None:
        """Refuse scores of another form."""
        if form != self.form:
            found = f"those before had {self.form} columns, these have {form}"
            raise InputError("scores", "must be of one form in all batches", found=found)

    @property
    def counts(self) -> IntArray:
        """How many samples of each class there are."""
        return self.sums.counts

    def update(self, new: CheckedBatch, scores: Scores) -> None:
        """Add samples; nothing changes if they are refused."""
        request, k, shape = self._request, len(self._request.classes), scores.values.shape
        if shape[0] != new.y.size or (shape[1:] != (k,) and (k, len(shape)) != (2, 1)):
            rule = "must have one row per label and one column per class"
            raise InputError("scores", rule, f"shape {shape} for {new.y.size} labels")
        _check_number(self.counts + bincount(new.y, minlength=k))
        given = request.samples(new.y, scores)
        samples = request.adapted(given)
        answers = samples.scores.answers(samples.priors)
        decided = []
        for name, use in request.uses.items():
            if use.priors is None:
                (application,) = request.applications(new.amounts, name).values()
                decided.append(application.costs.least_expected(answers.p))
            else:
                decided.append(request.samples_in_use(name, given, new.amounts).decide())
        losses = [rule.losses(new.y, answers) for rule in request.rules]
        self.sums.update(new, decided, losses)
        self.bins.add(new, answers.p)
        self.rows.add(new.y, np.column_stack([scores.values, *request.members.as_columns(new)]))

    def __add__(self, other: Self) -> Self:
        _check_number(self.counts + other.counts)
        return super().__add__(other)

    @classmethod
    def from_bytes(cls, reader: Reader, request: Request) -> Self | None:
        """Read what was kept; None where there are no samples yet."""
        k = len(request.classes)
        form = reader.number(k)
        if not form:
            return None
        if form not in (1, k) or (form == 1 and k > 2):
            raise damaged("scores of no known form")
        return cls(request, form).read(reader)

    def check(self) -> None:
        """Refuse parts that are not of the same samples, and rows that cannot be scores."""
        _check_number(self.counts)
        if (self.bins.counts() != self.counts).any():
            raise damaged("bins of other samples")
        kept, full = self.rows.samples(), self.rows.full
        if (kept[~full] != self.counts[~full]).any() or (kept[full] >= self.counts[full]).any():
            raise damaged("rows of other samples")
        _check_scores(self.rows.values[:, : self.form], self._request.kind)

    def bounds(self) -> dict[str, tuple[float, float]]:
        """Return nothing: areas rest on rows, not on cells."""
        return {}

    def evaluate(self, settings: Settings) -> Evaluation:
        """Return the evaluation of all samples."""
        request, rows = self._request, self.rows.settled()
        values, kept = rows.values, request.members.from_columns(rows.values[:, self.form :])
        told = replace(settings, costs=request.applications(kept.amounts), groups=kept.part)
        trusted = request.kind.trusted
        scores = trusted(values[:, : self.form] if self.form > 1 else values[:, 0].copy())
        unplaced = KnownSums({}, None)
        given = request.samples(rows.y, scores, kept.weights, copies=rows.copies, known=unplaced)
        if rows.all_there:
            return evaluate_samples(given, told)
        of_all = self._sums_of_all()
        found = evaluate_samples(_weighed(given, of_all.samples), told, of_all=of_all)
        note = (
            f"Calibration, areas and the page rest on {given.n} of {self.counts.sum()} samples,"
            f" {rows.quota} different ones of a class at most."
        )
        return replace(found, notes=(*found.notes, note))

    def _sums_of_all(self) -> SumsOfAll:
        request = self._request
        every_use = enumerate(request.uses)
        decisions = tuple(request.decisions(name, i, self.sums) for i, name in every_use)
        base = decisions[0].use.samples
        every = request.samples(base.y, base.scores, base.weights, copies=base.copies)
        losses = loss_records(self.sums, every)
        errors = {"confidence_calibration_error": _error(self.bins, every)}
        return SumsOfAll(every, decisions, losses, errors)


def _check_number(counts: IntArray) -> None:
    """Refuse more samples than confidences can be summed of."""
    if counts.max(initial=0) > _MOST_SAMPLES:
        msg = "a summary of rows must hold at most 2**33 samples of each class:"
        raise InputError(f"{msg} got {counts.max()}.")


def _weighed(given: Samples, every: Samples) -> Samples:
    """Return rows with the weight of their class: rare ones keep as many rows as others."""
    kept, whole = (bincount(s.y, s.mass, len(s.classes)).astype(np.float64) for s in (given, every))
    factor = np.divide(whole, kept, out=np.zeros_like(kept), where=kept > 0)
    weights = factor[given.y] if given.weights is None else factor[given.y] * given.weights
    priors = every.data_priors() if given.priors_from_data else given.priors
    return replace(given, weights=weights / weights.max(), priors=priors, priors_from_data=False)


def _error(bins: ConfidenceBins, every: Samples) -> CalibrationError:
    """Return the calibration error of the confidence of all samples, at the priors of use."""
    factors = every.class_factors()
    times = np.ones(len(every.classes)) if factors is None else factors
    powers = times, times**2, times
    weight, square, chance = (
        np.einsum("okb,k->ob", table, power)
        for table, power in zip(bins.table(), powers, strict=True)
    )
    sums = BinSums(equal_width(BINS), weight, square, chance)
    error = error_of_sums(sums, every.classes, factors, confidence=True)
    return error if factors is None else error.without_interval(_NO_GAPS)


def _check_scores(values: FloatArray, kind: type[Scores]) -> None:
    least = 0.0 if kind is Posteriors else -np.inf
    most = {Posteriors: 1.0, LogPosteriors: 0.0}.get(kind, np.finfo(np.float64).max)
    lost = values.shape[1] > 1 and (values.max(axis=1) == -np.inf).any()
    if not ((values >= least) & (values <= most)).all() or lost:
        raise damaged(f"numbers that are not {kind.__name__}")


def loss_records(sums: DecisionSums, every: Samples) -> dict[ScoringRule, ExpectedLoss]:
    """Return the expected loss of each rule; of groups their sums vary."""
    none, out = np.empty(0, dtype=np.int64), {}
    groups = sums.group_rows()
    for i, (rule, known) in enumerate(sums.loss_sums().items()):
        rows = rows_of_sums(rule, known)
        if groups is not None and groups.part is not None:
            weight, number = np.ones(groups.y.size), groups.copies.astype(np.float64)
            if groups.weights is not None:
                weight = groups.weights / groups.weights.max()
            each = groups.value[i], weight, number
            own = LossRows(known.mean, groups.y, *each, unit=renumbered(groups.part))
            rows = replace(own, ends=rows.ends)
        out[rule] = from_sums(rule, known, every, rows, none)
    return out
