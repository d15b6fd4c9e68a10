"""One pass of the kernels over plain arrays, with the checks that it makes on its way.

Whatever it does not take, or finds at fault, it leaves to the definitions, which know the words
for it.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from stakes._check import encode, read_column, read_names, read_priors, read_weights, slack
from stakes._kernels.kernel_records import Bins, LossParts, PassSums
from stakes._kernels.passes import Kind, binary_pass, rows_pass
from stakes._kernels.threads import available_threads
from stakes._typing import Column, FloatArray, Names, NamesLike, PriorsLike
from stakes.costs import CostMatrix
from stakes.metrics.confusion import ConfusionMatrix
from stakes.samples import Samples
from stakes.scores import Logits, LogPosteriors, Posteriors, Scores
from stakes.statistics import BinSums, LossSums
from stakes.statistics.bins import equal_width

_KINDS: dict[type[Scores], Kind] = {
    Posteriors: "posteriors",
    LogPosteriors: "log_posteriors",
    Logits: "logits",
}
_TYPES = {name: kind for kind, name in _KINDS.items()}
_PLAIN = (1e-100, 1e100)  # weights whose squares and sums need no scale
MOST_COLUMNS = 32  # of costs without a pattern, above which a matrix product is quicker


@dataclass(frozen=True, eq=False)
class PlainInputs:
    """Labels, scores and weights as they came, of kinds that the kernels read in place."""

    y: np.ndarray
    values: np.ndarray
    kind: Kind
    checked: bool  # the scores were checked before
    weights: FloatArray | None
    classes: Names

    @property
    def unnamed(self) -> bool:
        """Whether the classes are plain numbers from 0, as they are by default."""
        return type(self.classes[0]) is int and self.classes == tuple(range(len(self.classes)))

    @property
    def two(self) -> bool:
        """Whether one column speaks of two classes."""
        return self.values.ndim == 1


@dataclass(frozen=True, eq=False)
class PassResult:
    """What one pass found, and the samples it went over."""

    found: PassSums
    samples: Samples
    costs: CostMatrix
    confusion: ConfusionMatrix
    factors: FloatArray | None  # of the classes, where priors were given
    second: Bins | None = None  # of P(classes[-1]), where a table has two columns

    def losses(self, parts: LossParts) -> LossSums:
        """Return the sums of a loss."""
        weight, loss, square = self.found.weight, parts.loss, parts.square_square
        exponent = np.zeros(weight.size, dtype=np.int64)
        cube = parts.square_cube
        if self.samples.weights is None:
            return LossSums(weight, loss, weight, loss, square, cube, parts.infinite, exponent)
        squares = self.found.square, parts.square_loss, square, cube
        return LossSums(weight, loss, *squares, parts.infinite, exponent)

    def bins(self) -> BinSums:
        """Return the sums by bins of P(classes[-1]) of two classes, else of the largest one.

        Classes are as heavy as their priors; of more than two the pass has seen to it.
        """
        b: Bins = self.found.bins if self.second is None else self.second
        sums = BinSums(equal_width(b.weight.shape[1]), b.weight, b.square, b.probability)
        two = len(self.samples.classes) == 2
        return sums if self.factors is None or not two else sums.scaled(self.factors)


def read_plain_inputs(
    y_true: Column,
    scores: Any,  # noqa: ANN401
    sample_weight: Column | None,
    classes: NamesLike | None,
) -> PlainInputs | None:
    """Return arrays that the kernels can read where they lie, or None."""
    kind: Kind = "posteriors"
    values, checked = scores, False
    if isinstance(scores, Scores):
        if type(scores) not in _KINDS or scores.names is not None:
            return None
        kind, values, checked = _KINDS[type(scores)], scores.values, True
    if type(values) is not np.ndarray or values.dtype not in (np.float32, np.float64):
        return None
    column = values.ndim == 1 and kind != "log_posteriors"
    if len(values) == 0 or not (column or (values.ndim == 2 and values.shape[1] > 1)):
        return None
    labels = _codes(y_true, 2 if column else values.shape[1], classes)
    if labels is None or labels[0].shape != values.shape[:1]:
        return None
    weights = read_weights(sample_weight, len(values))
    if weights is not None and not _PLAIN[0] < weights.min() <= weights.max() < _PLAIN[1]:
        return None
    return PlainInputs(labels[0], values, kind, checked, weights, labels[1])


def _codes(y_true: Column, k: int, classes: NamesLike | None) -> tuple[np.ndarray, Names] | None:
    """Return class codes, which the kernels check, and the names of the classes."""
    if type(y_true) is np.ndarray and y_true.ndim == 1 and y_true.dtype.kind in "iub":
        if classes is None:
            truth = y_true.dtype.kind == "b" and k == 2
            return y_true, (False, True) if truth else tuple(range(k))
        names = read_names(classes, "classes")
        if names == tuple(range(k)):
            return y_true, names
    elif classes is None:
        return None
    names = read_names(classes, "classes")
    if len(names) != k:
        return None
    return encode(read_column(y_true, "y_true"), names, "classes"), names


def pass_over(
    data: PlainInputs, costs: CostMatrix | None, priors: PriorsLike | None, bins: int
) -> PassResult | None:
    """Return what one pass finds; None where it must be left to the definitions."""
    matrix = costs
    if matrix is None:
        matrix = CostMatrix.zero_one(len(data.classes) if data.unnamed else data.classes)
    if matrix.classes != data.classes:
        return None
    given = read_priors(priors, data.classes)
    threads = available_threads()
    try:
        if data.two:
            made: Made = _two(data, matrix, bins, threads)
        else:
            made = _many(data, matrix, bins, _label_factors(data, given), threads)
    except ValueError:  # labels that are no classes
        return None
    if made is None or not _fine(data, made[0]):
        return None
    found, cells = made
    confusion = ConfusionMatrix(
        data.classes, matrix.decisions, *cells, np.zeros(len(data.classes), dtype=np.int64)
    )
    used = confusion.priors if given is None else given
    scores = _TYPES[data.kind].trusted(data.values)  # without a second check
    n = len(data.values)
    samples = Samples(data.y, scores, data.weights, data.classes, None, used, given is None, n)
    second = None
    if not data.two and len(data.classes) == 2:
        log_odds = data.kind != "posteriors"
        column = data.values[:, 1] - data.values[:, 0] if log_odds else data.values[:, 1]
        second = binary_pass(column, data.y, (), data.weights, bins, log_odds=log_odds).bins
    factors = None if given is None else _factors(given, confusion.priors)
    return PassResult(found, samples, matrix, confusion, factors, second)


def _label_factors(data: PlainInputs, priors: FloatArray | None) -> FloatArray | None:
    """Return the factors of more than two classes, which the pass over the scores needs."""
    k = len(data.classes)
    if priors is None or k == 2:
        return None
    labels = np.asarray(data.y, dtype=np.int64)
    if labels.min() < 0 or labels.max() >= k:
        return None  # the pass will refuse them
    weight = np.bincount(labels, data.weights, k).astype(np.float64)
    return _factors(priors, weight / weight.sum())


def _factors(priors: FloatArray, share: FloatArray) -> FloatArray:
    return np.divide(priors, share, out=np.zeros(share.size), where=share > 0)


def _fine(data: PlainInputs, found: PassSums) -> bool:
    if data.checked:
        return True
    limits = found.limits
    inside = limits.least >= 0 and limits.largest <= 1 and not limits.unknown
    if data.two or not inside:
        return inside
    unit = float(np.finfo(data.values.dtype).eps)
    return limits.gap <= slack(unit, data.values.shape[1])


Cells = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Made = tuple[PassSums, Cells] | None


def _two(
    data: PlainInputs, costs: CostMatrix, bins: int, threads: int
) -> tuple[PassSums, Cells] | None:
    """Go over one column of two classes; decisions change at thresholds."""
    if costs.shape[1] > MOST_COLUMNS:
        return None
    order, ends = costs.posterior_intervals()
    log_odds = data.kind == "logits"
    found = binary_pass(
        data.values, data.y, ends, data.weights, bins, log_odds=log_odds, threads=threads
    )
    table = between(found.weight, found.above, order, costs.shape[1])
    if data.weights is not None:  # a difference of rounded sums is no empty cell
        made = table[:, list(order)]
        squares = between(found.square, found.above_square, order, costs.shape[1])
        return None if (made < 1e-9 * made.max()).any() else (found, _cells(table, squares))
    counts = table.astype(np.int64)
    row, column, number, _ = _cells(counts, counts)
    return found, (row, column, number, number)


def between(
    total: FloatArray, above: FloatArray, order: tuple[int, ...], n_decisions: int
) -> FloatArray:
    """Return classes x decisions from sums above the thresholds where decisions change."""
    table = np.zeros((total.size, n_decisions))
    for decision, (start, end) in zip(order, pairwise([total, *above, 0.0]), strict=True):
        table[:, decision] = start - end
    return table


def _many(
    data: PlainInputs, costs: CostMatrix, bins: int, factors: FloatArray | None, threads: int
) -> tuple[PassSums, Cells] | None:
    """Go over a table with one column per class."""
    columns = costs.columns()
    if columns.error is None and columns.n_decisions > MOST_COLUMNS:
        return None
    read = data.values, data.y, data.kind, [columns], data.weights, bins
    found = rows_pass(*read, factors=factors, threads=threads)
    cells = found.decided[0]
    if data.weights is not None:
        return found, (cells.row, cells.column, cells.weight, cells.square)
    counts = cells.weight.astype(np.int64)
    return found, (cells.row, cells.column, counts, counts)


def _cells(table: np.ndarray, squares: np.ndarray) -> Cells:
    row, column = np.nonzero(table)
    return row, column, table[row, column], squares[row, column]
