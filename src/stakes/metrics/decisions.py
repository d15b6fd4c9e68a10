"""Functions of labels and decisions, in the manner of scikit-learn."""

from __future__ import annotations

__all__ = ["confusion_matrix", "expected_cost"]

import numpy as np

from stakes._check import (
    InputError,
    LabelColumn,
    encode,
    read_column,
    read_names,
    read_priors,
    read_weights,
    seen_names,
)
from stakes._foreign_calls import answered
from stakes._typing import Column, CostValues, FloatArray, Names, NamesLike, PriorsLike
from stakes.costs import CostMatrix, SampleCosts
from stakes.costs.by_case import as_costs, check_samples, numbers_of
from stakes.costs.price_words import is_prices
from stakes.metrics.confusion import ConfusionMatrix
from stakes.metrics.expected_losses import expected_sample_cost
from stakes.results import ExpectedLoss


@answered
def confusion_matrix(
    y_true: Column,
    y_pred: Column,
    *,
    classes: NamesLike | None = None,
    decisions: NamesLike | None = None,
    sample_weight: Column | None = None,
) -> ConfusionMatrix:
    """Count the samples of each class that got each decision: N_ij (eq:conf_matrix).

    Parameters
    ----------
    y_true : column of N labels
        Integers, strings or booleans, as a list, an array or a column of a data frame.
    y_pred : column of N decisions
        The decision for each sample.
    classes : sequence of names, optional
        In any order; the class of interest comes last. By default the sorted labels of
        both columns.
    decisions : sequence of names, optional
        By default the classes.
    sample_weight : column of N weights, optional
        How much each sample counts, for rates and priors alike.

    Returns
    -------
    ConfusionMatrix
        With `counts`, `rates`, `priors`, `expected_cost()` and the traditional metrics.

    See Also
    --------
    expected_cost : what the decisions cost.
    evaluate_decisions : everything about them at once.
    explain : which costs a metric implies.

    Examples
    --------
    >>> import stakes
    >>> cm = stakes.confusion_matrix(["ham", "ham", "spam"], ["ham", "spam", "spam"])
    >>> cm.counts
    array([[1, 1],
           [0, 1]])
    >>> float(cm.precision())
    0.5
    """
    y, d, weights = _read(y_true, y_pred, sample_weight, named=decisions is not None)
    if classes is not None:
        rows = read_names(classes, "classes")
    else:
        rows = seen_names(y, d) if decisions is None else seen_names(y)
    columns = rows if decisions is None else read_names(decisions, "decisions", mixed=True)
    return _counted(y, d, weights, rows, columns)


@answered
def expected_cost(
    y_true: Column,
    y_pred: Column,
    *,
    costs: CostMatrix | SampleCosts | CostValues | None = None,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    decisions: NamesLike | None = None,
) -> ExpectedLoss:
    """Return the expected cost of decisions: EC = sum_ij c_ij P_i R_ij (eq:ec).

    Lower is better. The best system that sees no input scores `naive`; `normalized`, the NEC, is
    below 1 for a useful system.

    Parameters
    ----------
    y_true : column of N labels
    y_pred : column of N decisions
    costs : CostMatrix, SampleCosts, array, data frame with names, or dict, optional
        By default 1 for each error: then the expected cost is the error rate. For two classes
        also {"miss": 5, "false_alarm": 1}.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
    sample_weight : column of N weights, optional
    classes, decisions : sequences of names, optional
        Names of the rows and columns of an unnamed cost array.

    Returns
    -------
    ExpectedLoss
        With `value`, `naive`, `normalized`, `standard_error` and `interval(level)`.

    See Also
    --------
    bayes_cost : for scores.
    evaluate_decisions : with verdicts and traditional metrics.

    Examples
    --------
    >>> import stakes
    >>> costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    >>> cost = stakes.expected_cost([0, 0, 0, 1], [0, 1, 0, 0], costs=costs)
    >>> cost.value, cost.naive, cost.normalized
    (1.5, 0.75, 2.0)

    It costs twice as much as always answering 1: do not use it.
    """
    if costs is None:
        counts = confusion_matrix(
            y_true, y_pred, classes=classes, decisions=decisions, sample_weight=sample_weight
        )
        return counts.expected_cost(priors=priors)
    y, d, weights = _read(y_true, y_pred, sample_weight, named=True)
    if is_prices(costs):
        costs = numbers_of(as_costs(costs, classes, decisions))
    if isinstance(costs, SampleCosts):
        return _per_sample(y, d, weights, costs, priors)
    if not isinstance(costs, CostMatrix):
        matrix = CostMatrix(costs, classes=classes, decisions=decisions)
    elif classes is not None and read_names(classes, "classes") != costs.classes:
        raise InputError("classes", f"must be those of costs, {costs.classes}", repr(classes))
    else:
        matrix = costs
    _refuse_transposed(matrix, y, d)
    counts = _counted(y, d, weights, matrix.classes, matrix.decisions)
    return counts.expected_cost(matrix, priors)


def _read(
    y_true: Column, y_pred: Column, sample_weight: Column | None, *, named: bool
) -> tuple[LabelColumn, LabelColumn, FloatArray | None]:
    """Read labels, decisions and weights of the same samples; those of weight 0 are absent.

    Decisions that are named elsewhere may be numbers and strings, such as 0, 1 and "abstain".
    """
    y, d = read_column(y_true, "y_true"), read_column(y_pred, "y_pred", mixed=named)
    if len(y) != len(d):
        rule = "must have the same length"
        got = f"{len(y)} and {len(d)} samples"
        raise InputError("y_true and y_pred", rule, got, code="lengths_differ")
    weights = read_weights(sample_weight, len(y))
    if weights is None or weights.all():
        return y, d, weights
    kept = np.flatnonzero(weights)
    return y.part(kept), d.part(kept), weights[kept]


def _counted(
    y: LabelColumn, d: LabelColumn, weights: FloatArray | None, rows: Names, columns: Names
) -> ConfusionMatrix:
    codes, decided = encode(y, rows, "classes"), encode(d, columns, "decisions")
    return ConfusionMatrix.from_codes(codes, decided, weights, rows, columns)


def _per_sample(
    y: LabelColumn,
    d: LabelColumn,
    weights: FloatArray | None,
    costs: SampleCosts,
    priors: PriorsLike | None,
) -> ExpectedLoss:
    if y.row is not None and y.row.max() < costs.shape[0]:
        costs = costs.part(y.row)
    check_samples(costs, len(y))
    codes, decided = encode(y, costs.classes, "classes"), encode(d, costs.decisions, "decisions")
    given, same = read_priors(priors, costs.classes), costs.constant()
    if same is not None:
        counts = ConfusionMatrix.from_codes(codes, decided, weights, same.classes, same.decisions)
        return counts.expected_cost(same, given)
    return expected_sample_cost(costs, codes, decided, weights, given)


def _refuse_transposed(costs: CostMatrix, y: LabelColumn, d: LabelColumn) -> None:
    k, m = costs.shape
    if k <= m or isinstance(y.values, list) or isinstance(d.values, list):
        return
    if y.values.max() < m <= d.values.max() < k:
        rule = "must have classes in rows, and its columns are decisions"
        got = f"{k} rows and {m} columns where y_true shows {m} classes and y_pred {k} decisions"
        raise InputError("costs", rule, got, hint="Pass the transposed costs.")
