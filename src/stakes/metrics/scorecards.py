"""Costs, scoring rules, decisions and reliability of a system, in one read of its scores.

Plain arrays are read by one pass of the kernels, which checks them on its way. Whatever it does not
take, or finds at fault, it leaves to the definitions, which know the words for it.
"""

from __future__ import annotations

__all__ = ["Scorecard", "scorecard"]

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from stakes._check import (
    InputError,
    LabelColumn,
    are_decided,
    as_numpy,
    encode,
    read_column,
    read_names,
    read_priors,
    read_weights,
    slack,
)
from stakes._counting import bincount
from stakes._foreign_calls import answered
from stakes._kernels.kernel_records import Cells, LossParts, PassSums
from stakes._kernels.passes import Kind, binary_pass, rows_pass
from stakes._kernels.threads import available_threads
from stakes._math import quotient
from stakes._records import Record
from stakes._typing import Column, CostValues, FloatArray, Label, Names, NamesLike, PriorsLike
from stakes.costs import CostMatrix, SampleCosts
from stakes.costs.by_case import classes_named
from stakes.metrics.calibration_errors import CalibrationError, binned_errors, error_of_sums
from stakes.metrics.class_gaps import ClassGaps
from stakes.metrics.confusion import ConfusionMatrix
from stakes.metrics.expected_losses import (
    bayes_cost_of,
    expectation,
    from_sums,
    losses_summed,
    rows_of_sums,
    sample_losses,
)
from stakes.metrics.probability_bins import check_bins
from stakes.results import ExpectedLoss
from stakes.samples import PLAIN, Samples, read_samples
from stakes.scores import Logits, LogPosteriors, Posteriors, Scores, as_scores
from stakes.scoring import BrierLoss, LogLoss, ScoringRule
from stakes.statistics import BinSums, LossSums
from stakes.statistics.bins import equal_width

_KINDS: dict[type[Scores], Kind] = {
    Posteriors: "posteriors",
    LogPosteriors: "log_posteriors",
    Logits: "logits",
}
_MOST_COLUMNS = 32  # of costs without a pattern, above which a matrix product is quicker


@dataclass(frozen=True, eq=False)
class Scorecard(Record):
    """Cost, cross-entropy, Brier score and calibration error, from one pass over the scores.

    Attributes
    ----------
    n : int
        Number of samples.
    cost : ExpectedLoss
        Cost of the Bayes decisions.
    cross_entropy : ExpectedLoss
    brier_score : ExpectedLoss
    calibration_error : CalibrationError or None
        Only for two classes.
    confidence_calibration_error : CalibrationError or None
        Only for more than two classes.
    ignored : int
        Number of rows left out because of their label.

    See Also
    --------
    scorecard : returns it.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    >>> card = stakes.scorecard(data.y, data.posteriors([0.9, 0.1]), costs=costs)
    >>> round(card.cost.normalized, 2), card.cost.normalized_interval().high < 1
    (0.24, True)
    """

    n: int
    cost: ExpectedLoss  # of the Bayes decisions
    cross_entropy: ExpectedLoss
    brier_score: ExpectedLoss
    calibration_error: CalibrationError | None  # of P(classes[-1]); for two classes
    confidence_calibration_error: CalibrationError | None  # of the largest posterior; for more
    ignored: int = 0  # rows that were left out for their label

    def __str__(self) -> str:
        losses = (self.cost, self.cross_entropy, self.brier_score)
        said = [str(loss) for loss in losses]
        return "\n".join(
            [*said, f"rows left out          {self.ignored}"] if self.ignored else said
        )


@answered
def scorecard(  # noqa: PLR0913  the data, the costs, the bins
    y_true: Column,
    scores: Scores | Column,
    *,
    costs: CostMatrix | SampleCosts | CostValues | None = None,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    ignore_index: Label | None = None,
    bins: int = 15,
) -> Scorecard:
    """Return cost, cross-entropy, Brier score and calibration error in one pass.

    This is the fast way to track a system from epoch to epoch: arrays of float32 or float64 are not
    copied, and are checked in the same pass. The values are those of `bayes_cost`, `cross_entropy`,
    `brier_score` and `calibration_error`.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `expected_loss`.
    costs : CostMatrix, SampleCosts, array or dict, optional
        By default 1 for each error. For two classes also {"miss": 5, "false_alarm": 1}.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
        Posteriors are used as delivered.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.
    ignore_index : label, optional
        Rows with this label are left out, and counted as `ignored`.
    bins : int, default 15
        Number of bins of equal width, for the calibration error.

    Returns
    -------
    Scorecard
        With `cost`, `cross_entropy`, `brier_score` and a calibration error.

    See Also
    --------
    evaluate : with intervals, calibration loss and verdicts.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> card = stakes.scorecard(data.y, data.posteriors([0.9, 0.1]))
    >>> card.cost.normalized < 1, card.cross_entropy.normalized < 1
    (True, True)
    """
    check_bins(bins)
    y_true, scores = as_numpy(y_true, "y_true"), as_numpy(scores, "scores")
    named = classes_named(costs) if classes is None else classes
    y, used, ignored = _without(ignore_index, y_true, scores, sample_weight)
    if not isinstance(costs, SampleCosts):
        for form in _forms(used):
            data = read_plain_inputs(y, form, sample_weight, named)
            if data is None:
                continue
            card = _in_one_pass(data, costs, priors, bins, checked=isinstance(form, Scores))
            if card is not None:
                return replace(card, ignored=ignored)
    read = y_true, scores, priors, sample_weight, named
    samples = read_samples(*read, ignore_index=ignore_index)
    errors = binned_errors(samples, bins)
    two = len(samples.classes) == 2
    return Scorecard(
        n=len(samples),
        cost=_in_sums(bayes_cost_of(samples, costs), samples),
        cross_entropy=_in_sums(expectation(LogLoss(), samples), samples),
        brier_score=_in_sums(expectation(BrierLoss(), samples), samples),
        calibration_error=errors.get("calibration_error"),
        confidence_calibration_error=None if two else errors["confidence_calibration_error"],
        ignored=samples.ignored,
    )


def _in_sums(record: ExpectedLoss, samples: Samples) -> ExpectedLoss:
    """Return a loss with the interval that one pass gives, which knows sums of losses only."""
    rows = record.losses
    if samples.many or rows.bases is not None:
        return record
    known = rows_of_sums(LogLoss(), losses_summed(rows.loss, samples))
    bounded = record.name != LogLoss.name
    return replace(record, losses=replace(known, ends=rows.ends) if bounded else known)


def _without(
    label: Label | None,
    y_true: Any,  # noqa: ANN401  any column
    scores: Any,  # noqa: ANN401
    sample_weight: Column | None,
) -> tuple[Any, Any, int]:
    """Return plain labels and scores without the rows of a label, and how many these are.

    Labels and scores that are not plain are None: they are left to the definitions.
    """
    if label is None:
        return y_true, scores, 0
    plain = type(y_true) is np.ndarray and y_true.ndim == 1 and y_true.dtype.kind in "iu"
    known = isinstance(scores, Scores) or type(scores) is np.ndarray
    if not (plain and known and sample_weight is None and len(scores) == len(y_true)):
        return None, None, 0
    kept = np.flatnonzero(LabelColumn(y_true, "y_true").other_than(label))
    some = scores.part(kept) if isinstance(scores, Scores) else scores[kept]
    return y_true[kept], some, len(y_true) - kept.size


def _forms(scores: Scores | Column) -> Iterator[Scores | Column]:
    """Yield scores as they came, then as they are once rounding is allowed for."""
    yield scores
    if type(scores) is np.ndarray and scores.ndim in {1, 2}:
        with suppress(InputError):  # the definitions say what is wrong
            yield as_scores(scores)


def read_plain_inputs(
    y_true: Column,
    scores: Any,  # noqa: ANN401
    sample_weight: Column | None,
    classes: NamesLike | None,
) -> Samples | None:
    """Return arrays that the kernels can read where they lie, at no priors yet, or None."""
    values = scores.values if isinstance(scores, Scores) else scores
    kind = type(scores) if isinstance(scores, Scores) else Posteriors
    if kind not in _KINDS or (isinstance(scores, Scores) and scores.names is not None):
        return None
    if type(values) is not np.ndarray or values.dtype not in (np.float32, np.float64):
        return None
    column = values.ndim == 1 and kind is not LogPosteriors
    decided = values is scores and values.ndim == 1 and are_decided(values)
    if decided or len(values) == 0 or not (column or (values.ndim == 2 and values.shape[1] > 1)):
        return None
    labels = _codes(y_true, 2 if column else values.shape[1], classes)
    if labels is None or labels[0].shape != values.shape[:1]:
        return None
    weights = read_weights(sample_weight, len(values))
    if weights is not None and not PLAIN[0] < weights.min() <= weights.max() < PLAIN[1]:
        return None
    trusted, none = kind.trusted(values), np.empty(0)  # the pass checks what was not
    return Samples(labels[0], trusted, weights, labels[1], None, none, True, len(values))


def _codes(
    y_true: Any,  # noqa: ANN401  plain arrays, or any column
    k: int,
    classes: NamesLike | None,
) -> tuple[np.ndarray, Names] | None:
    """Return class codes, which the kernels check, and the names of the classes."""
    plain = type(y_true) is np.ndarray and y_true.ndim == 1 and y_true.dtype.kind in "iub"
    if classes is None:
        truth = plain and y_true.dtype.kind == "b" and k == 2
        return (y_true, (False, True) if truth else tuple(range(k))) if plain else None
    names = read_names(classes, "classes")
    if plain and names == tuple(range(k)):
        return y_true, names
    if len(names) != k:
        return None
    return encode(read_column(y_true, "y_true"), names, "classes"), names


def _in_one_pass(
    data: Samples,
    costs: CostMatrix | CostValues | None,
    priors: PriorsLike | None,
    bins: int,
    *,
    checked: bool,
) -> Scorecard | None:
    """Return what one pass finds; None where it must be left to the definitions.

    Scores that were not checked before are checked by the limits that the pass finds.
    """
    matrix = _matrix(costs, data.classes)
    if matrix.classes != data.classes:
        return None
    given = read_priors(priors, data.classes)
    if not passable(matrix, column=data.scores.values.ndim == 1):
        return None
    threads = available_threads()  # whose fault is not one of labels
    try:
        found, cells = _run(data, matrix, given, bins, threads)
    except ValueError:  # labels that are no classes
        return None
    if cells is None or not (checked or _fine(found, data.scores.values)):
        return None
    k, weight, square = len(data.classes), cells.weight, cells.square
    if data.weights is None:
        weight = square = weight.astype(np.int64)
    none, names = np.zeros(k, dtype=np.int64), (data.classes, matrix.decisions)
    confusion = ConfusionMatrix(*names, cells.row, cells.column, weight, square, none)
    used = confusion.priors if given is None else given
    samples = replace(data, priors=used, priors_from_data=given is None)
    factors = None if given is None else quotient(given, confusion.priors)
    error = _calibration_error(samples, found, bins, factors)
    return Scorecard(
        n=len(samples),
        cost=replace(confusion.expected_cost(matrix, given), name="Bayes expected cost"),
        cross_entropy=_loss(LogLoss(), samples, found, found.log),
        brier_score=_loss(BrierLoss(), samples, found, found.brier),
        calibration_error=error if k == 2 else None,
        confidence_calibration_error=None if k == 2 else error,
    )


def _run(
    data: Samples, costs: CostMatrix, priors: FloatArray | None, bins: int, threads: int
) -> tuple[PassSums, Cells | None]:
    """Go over one column of two classes, where decisions change at thresholds, or a table."""
    values, kind = data.scores.values, _KINDS[type(data.scores)]
    if values.ndim == 1:
        order, ends = costs.posterior_intervals()
        read = values, data.y, ends, data.weights, bins
        found = binary_pass(*read, log_odds=kind == "logits", threads=threads)
        return found, _cells(found, order, costs.shape[1], weighted=data.weights is not None)
    factors = _label_factors(data, priors)
    table = values, data.y, kind, [costs.columns()], data.weights, bins
    found = rows_pass(*table, factors=factors, threads=threads)
    return found, found.decided[0]


def _calibration_error(
    samples: Samples, found: PassSums, bins: int, factors: FloatArray | None
) -> CalibrationError:
    """Return the error of P(classes[-1]) of two classes, else of the largest posterior."""
    b, values, two = found.bins, samples.scores.values, len(samples.classes) == 2
    if values.ndim == 2 and two:  # bins are those of the second column
        log_odds = not isinstance(samples.scores, Posteriors)
        second = values[:, 1] - values[:, 0] if log_odds else values[:, 1]
        b = binary_pass(second, samples.y, (), samples.weights, bins, log_odds=log_odds).bins
    sums = BinSums(equal_width(b.weight.shape[1]), b.weight, b.square, b.probability)
    gaps = None
    if factors is not None:  # of more classes the pass has seen to the weights of bins
        sums = sums.scaled(factors) if two else sums
        gaps = None if two else ClassGaps.from_samples(_coded(samples), sums.edges)
    return error_of_sums(sums, samples.classes, factors, confidence=not two, gaps=gaps)


def _loss(rule: ScoringRule, samples: Samples, found: PassSums, parts: LossParts) -> ExpectedLoss:
    """Return an expected loss; where it is infinite, find the samples that make it so."""
    rest = parts.square_square, parts.square_cube, parts.infinite
    if samples.weights is None:
        sums = LossSums.unweighted(found.weight, parts.loss, *rest)
    else:
        none = np.zeros(found.weight.size, dtype=np.int64)
        sums = LossSums(found.weight, parts.loss, found.square, parts.square_loss, *rest, none)
    rows = np.empty(0, dtype=np.int64)
    if parts.infinite.any():
        rows = np.flatnonzero(np.isinf(sample_losses(rule, _coded(samples))))
    return from_sums(rule, sums, samples, rows_of_sums(rule, sums), rows)


def _coded(samples: Samples) -> Samples:
    """Return samples whose labels are the class codes of the definitions."""
    return replace(samples, y=samples.y.astype(np.int64, copy=False))


def _matrix(costs: CostMatrix | CostValues | None, classes: Names) -> CostMatrix:
    """Return costs as a matrix; classes that are plain numbers from 0 have no names."""
    if isinstance(costs, CostMatrix):
        return costs
    unnamed = type(classes[0]) is int and classes == tuple(range(len(classes)))
    if costs is None:
        return CostMatrix.zero_one(len(classes) if unnamed else classes)
    return CostMatrix(costs, classes=None if unnamed else classes)


def passable(costs: CostMatrix, *, column: bool) -> bool:
    """Whether one pass finds the decisions of least cost, from one column or one per class."""
    columns = costs.columns()
    patterned = columns.error is not None and not column
    return patterned or columns.n_decisions <= _MOST_COLUMNS


def _label_factors(data: Samples, priors: FloatArray | None) -> FloatArray | None:
    """Return the factors of more than two classes, which the pass over the scores needs."""
    k = len(data.classes)
    if priors is None or k == 2:
        return None
    labels = np.asarray(data.y, dtype=np.int64)
    if labels.min() < 0 or labels.max() >= k:
        return None  # the pass will refuse them
    weight = bincount(labels, data.weights, k).astype(np.float64)
    return quotient(priors, weight / weight.sum())


def _fine(found: PassSums, values: np.ndarray) -> bool:
    limits = found.limits
    inside = limits.least >= 0 and limits.largest <= 1 and not limits.unknown
    if values.ndim == 1 or not inside:
        return inside
    return limits.gap <= slack(float(np.finfo(values.dtype).eps), values.shape[1])


def _cells(
    found: PassSums, order: tuple[int, ...], n_decisions: int, *, weighted: bool
) -> Cells | None:
    """Return the cells of two classes; decisions change at thresholds."""
    weight = between(found.weight, found.above, order, n_decisions)
    made = weight[:, list(order)]
    if weighted and (made < 1e-9 * made.max()).any():
        return None  # a difference of rounded sums is no empty cell
    square = between(found.square, found.above_square, order, n_decisions)
    row, column = np.nonzero(weight)
    return Cells(row, column, weight[row, column], square[row, column])


def between(
    total: FloatArray, above: FloatArray, order: tuple[int, ...], n_decisions: int
) -> FloatArray:
    """Return classes x decisions from sums above the thresholds where decisions change."""
    table = np.zeros((total.size, n_decisions))
    for decision, (start, end) in zip(order, pairwise([total, *above, 0.0]), strict=True):
        table[:, decision] = start - end
    return table
