"""One pass of the kernels over plain arrays, with the checks that it makes on its way.

Whatever it does not take, or finds at fault, it leaves to the definitions, which know the words
for it.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from stakes._check import encode, read_column, read_names, read_priors, read_weights, slack
from stakes._kernels.kernel_records import Cells, LossParts, PassSums
from stakes._kernels.passes import Kind, binary_pass, rows_pass
from stakes._kernels.threads import available_threads
from stakes._math import quotient
from stakes._typing import ArrayLike, Column, FloatArray, Names, NamesLike, PriorsLike
from stakes.costs import CostMatrix
from stakes.metrics.confusion import ConfusionMatrix
from stakes.results import ExpectedLoss
from stakes.samples import PLAIN, Samples
from stakes.scores import Logits, LogPosteriors, Posteriors, Scores
from stakes.statistics import BinSums, LossSums
from stakes.statistics.bins import equal_width

_KINDS: dict[type[Scores], Kind] = {
    Posteriors: "posteriors",
    LogPosteriors: "log_posteriors",
    Logits: "logits",
}
_MOST_COLUMNS = 32  # of costs without a pattern, above which a matrix product is quicker


@dataclass(frozen=True, eq=False)
class ScorecardSums:
    """What one pass found: costs, sums of losses and bins, and the samples it went over."""

    samples: Samples
    cost: ExpectedLoss
    log: LossSums
    brier: LossSums
    bins: BinSums  # of P(classes[-1]) of two classes, else of the largest one, at the priors
    factors: FloatArray | None  # of the classes, where priors were given


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
    if len(values) == 0 or not (column or (values.ndim == 2 and values.shape[1] > 1)):
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


def pass_over(
    data: Samples,
    costs: CostMatrix | ArrayLike | None,
    priors: PriorsLike | None,
    bins: int,
    *,
    checked: bool,
) -> ScorecardSums | None:
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
    used, factors, sums = confusion.priors, None, _bin_sums(data, found, bins)
    if given is not None:
        used, factors = given, quotient(given, confusion.priors)
        sums = sums.scaled(factors) if k == 2 else sums  # of more classes the pass has seen to it
    samples = replace(data, priors=used, priors_from_data=given is None)
    log, brier = (_loss_sums(samples, found, parts) for parts in (found.log, found.brier))
    cost = replace(confusion.expected_cost(matrix, given), name="Bayes expected cost")
    return ScorecardSums(samples, cost, log, brier, sums, factors)


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


def _bin_sums(data: Samples, found: PassSums, bins: int) -> BinSums:
    """Return the sums by bins; of a table of two columns those of the second."""
    b, values = found.bins, data.scores.values
    if values.ndim == 2 and len(data.classes) == 2:
        log_odds = not isinstance(data.scores, Posteriors)
        second = values[:, 1] - values[:, 0] if log_odds else values[:, 1]
        b = binary_pass(second, data.y, (), data.weights, bins, log_odds=log_odds).bins
    return BinSums(equal_width(b.weight.shape[1]), b.weight, b.square, b.probability)


def _matrix(costs: CostMatrix | ArrayLike | None, classes: Names) -> CostMatrix:
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
    weight = np.bincount(labels, data.weights, k).astype(np.float64)
    return quotient(priors, weight / weight.sum())


def _loss_sums(samples: Samples, found: PassSums, parts: LossParts) -> LossSums:
    rest = parts.square_square, parts.square_cube, parts.infinite
    if samples.weights is None:
        return LossSums.unweighted(found.weight, parts.loss, *rest)
    exponent = np.zeros(found.weight.size, dtype=np.int64)
    return LossSums(found.weight, parts.loss, found.square, parts.square_loss, *rest, exponent)


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
