"""Intervals for metrics of your own: any function of the sums of columns."""

from __future__ import annotations

__all__ = ["estimate"]

from collections.abc import Callable
from typing import Any

import numpy as np

from stakes._check import (
    InputError,
    group_codes_of,
    read_array,
    read_column,
    read_level,
    read_weights,
)
from stakes._counting import bincount
from stakes._foreign_calls import answered
from stakes._typing import ArrayLike, Column, FloatArray, NDArray
from stakes.evaluation.rates import likelihood_intervals
from stakes.inference.cells import Cells, Unseen, effective_number
from stakes.inference.law import Problem
from stakes.inference.totals import Totals
from stakes.results import Estimate

_STEP = 1e-5  # of a total, which a formula that cannot be differentiated is told by
_CLOSE = 1e-3  # of the slope


@answered
def estimate(
    formula: Callable[[NDArray[Any]], Any],
    columns: ArrayLike,
    *,
    strata: Column | None = None,
    groups: Column | None = None,
    sample_weight: Column | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return a metric of your own with its interval: a function of the sums of columns.

    The interval is the range of the metric over all reweightings of the rows, together with half
    an unseen row where it would do most harm, that are likely enough: that of every number of
    `evaluate`. Rows that may occur are taken to be like those seen, so that nothing is promised for
    columns without bounds of which few rows are known.

    Parameters
    ----------
    formula : callable
        From an array of totals, one for each column, to a number. It consists of arithmetic, square
        roots and logarithms of numpy, so that its slopes can be computed.
    columns : array of N x C
        What is summed: a row for each sample.
    strata : column of N names, optional
        What had a fixed number of samples by design, such as classes at given priors.
    groups : column of N names, optional
        What varies as a whole: patients, speakers, merchants. Strata have no effect with them.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    level : float, default 0.95
        Confidence level of the interval.

    Returns
    -------
    Estimate
        The value and its interval.

    See Also
    --------
    evaluate : every number of a classifier.

    Examples
    --------
    The share of the money at risk that a detector saves, after its reviews are paid:

    >>> import numpy as np
    >>> import stakes
    >>> amount = np.array([20.0, 55.0, 5.0, 80.0, 10.0] * 40)
    >>> caught = np.array([1, 1, 0, 1, 0] * 40)
    >>> columns = np.column_stack([caught * (amount - 2), amount])
    >>> saved = stakes.estimate(lambda total: total[0] / total[1], columns)
    >>> round(saved, 2), saved.interval.low > 0.5  # more than half: keep it
    (0.88, True)
    """
    if not callable(formula):
        rule = "must be a function of an array of totals, such as lambda total: total[0] / total[1]"
        raise InputError("formula", rule, repr(formula))
    table = read_array(columns, "columns")
    if table.ndim != 2 or not table.size:
        raise InputError("columns", "must be a table of rows and columns", f"shape {table.shape}")
    _check_finite(table)
    n = len(table)
    weights = read_weights(sample_weight, n)
    if weights is not None:
        table = table * (weights / weights.max())[:, None]
    stratum = np.zeros(n, dtype=np.int64)
    if strata is not None:
        labels = read_column(strata, "strata").values
        if len(labels) != n:
            raise InputError("strata", "must hold one name per row", f"{len(labels)} for {n}")
        stratum = np.unique(np.asarray(labels), return_inverse=True)[1]
    sizes: tuple[float, float] | None = None
    if (code := group_codes_of(groups, n)) is not None:
        heavy = np.ones(n) if weights is None else weights
        sums: list[FloatArray] = [bincount(code, column) for column in (heavy, *table.T)]  # type: ignore[misc]
        table = np.column_stack(sums[1:])
        sizes = float(len(table)), effective_number(sums[0])
        stratum = np.zeros(len(table), dtype=np.int64)
    kinds = np.unique(np.column_stack([stratum, table]), axis=0)
    unseen = Unseen.candidates(kinds[:, 1:], kinds[:, 0].astype(np.int64))
    cells = Cells.from_rows(table, unseen, stratum, groups=sizes)

    def of_totals(totals: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(formula(np.moveaxis(totals, -1, 0)))

    problem = Problem.single(cells, Totals(cells.all_columns, [of_totals]))
    _check_formula(of_totals, cells.counts @ cells.columns)
    (found,) = likelihood_intervals(problem, read_level(level))
    return found


def _check_finite(table: FloatArray) -> None:
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0].tolist()
        found = f"{table[row, column]} in row {row}, column {column}"
        raise InputError("columns", "must hold finite numbers", found)


def _check_formula(formula: Callable[[NDArray[Any]], NDArray[Any]], totals: FloatArray) -> None:
    """Refuse a formula that does not give a number, or whose slopes are not its derivatives."""
    rule = "must return a number from an array of totals"
    with np.errstate(all="ignore"):
        value = formula(totals)
        if value.shape != () or not np.isfinite(value):
            raise InputError("formula", rule, f"{value} for the totals {totals}")
        step = _STEP * (np.abs(totals) + 1e-300) * np.eye(totals.size)
        plain = (formula(totals + step) - formula(totals - step)) / 2
        slopes = formula(totals + 1j * step).imag
    if not np.allclose(slopes, plain, rtol=_CLOSE, atol=_CLOSE * np.abs(plain).max(initial=0.0)):
        hint = "Use arithmetic, numpy.sqrt and numpy.log alone: no abs, max, where, round or int."
        raise InputError(
            "formula", "must have slopes along the imaginary axis", f"{slopes}", hint=hint
        )
