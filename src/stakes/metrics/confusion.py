"""The confusion matrix: counts that answer what the decisions cost."""

from __future__ import annotations

__all__ = ["ConfusionMatrix"]

import math
from dataclasses import replace
from typing import Any, Self

import numpy as np

from stakes._check import InputError, check_seen, read_priors
from stakes._foreign_calls import answered
from stakes._math import expectation, sum_by
from stakes._records import Record
from stakes._text import MOST_SHOWN, html_table, matrix_rows, matrix_text, number, quoted
from stakes._typing import CostValues, FloatArray, Label, Names, PriorsLike
from stakes.costs import CostMatrix
from stakes.loss_rows import LossRows
from stakes.metrics.traditional import accuracies, detection, require_square
from stakes.results import ExpectedLoss, MetricValue, json_number
from stakes.statistics import ConfusionCounts


class ConfusionMatrix(Record, ConfusionCounts):
    """The number of samples of each class with each decision, and metrics of these counts.

    Use `confusion_matrix` for samples and `ConfusionMatrix.from_counts` for a table. Two of them
    add up with `+`, so parts of the data can be counted separately. Metrics of two classes are for
    the last class, the class of interest; `positive=` names another, and compares one class with
    all others if there are more than two.

    See Also
    --------
    confusion_matrix : counts samples.
    evaluate_decisions : everything about the decisions at once.
    explain : which costs a metric implies.

    Examples
    --------
    >>> cm = ConfusionMatrix.from_counts([[855, 45], [5, 95]], classes=["healthy", "tumour"])
    >>> cm
    truth in rows, decision in columns
             healthy  tumour  samples
    healthy      855      45      900
    tumour         5      95      100
    >>> print(cm.f_score())
    F1 score 0.7917 (for class tumour; naive 0.1818, higher is better)
    """

    @answered
    def expected_cost(
        self, costs: CostMatrix | CostValues | None = None, priors: PriorsLike | None = None
    ) -> ExpectedLoss:
        """Return the expected cost EC = sum_ij c_ij P_i R_ij, with its naive reference (eq:ec).

        Lower is better; the naive system scores `naive`, and `normalized` is the NEC.

        Parameters
        ----------
        costs : CostMatrix or array of shape (K, M), optional
            By default 1 for each error and 0 for each right answer.
        priors : float, array of K, mapping by class, or "data", optional
            How often each class will occur in deployment; by default as often as in the data.

        Examples
        --------
        A missed tumour costs five times as much as a needless operation, and in deployment one
        patient in fifty has one. Is the test worth using? Yes, it costs about half of the naive
        cost:

        >>> cm = ConfusionMatrix.from_counts([[855, 45], [5, 95]], classes=["healthy", "tumour"])
        >>> costs = CostMatrix.binary(miss=5, false_alarm=1, classes=["healthy", "tumour"])
        >>> print(cm.expected_cost(costs, priors={"healthy": 0.98, "tumour": 0.02}))
        expected cost          0.0540  (95 % interval 0.0406 to 0.0704)
          naive system         0.1000  (always answers healthy)
          normalised           0.5400  (95 % interval 0.4062 to 0.7043)
        """
        matrix = self.read_costs(costs)
        p, given = self._priors(priors)
        cost = matrix.at(self.row, self.column)
        losses = self._losses(matrix, cost)
        best, naive = matrix.naive_at(p)
        if not given:  # the mean over the data (eq:ec_orig)
            weight = self.weight if self.whole else self.aligned
            total = int(weight.sum()) if self.whole else math.fsum(weight.tolist())
            value = math.fsum((weight * cost).tolist()) / total
        else:
            value = expectation(p, losses.mean)
        return ExpectedLoss(
            name="expected cost",
            value=value,
            naive=naive,
            naive_answer=matrix.decisions[best],
            classes=self.classes,
            priors=p,
            priors_from_data=not given,
            losses=losses,
            naive_losses=np.asarray(matrix.column(best), dtype=np.float64),
            rivals=() if given else matrix.rival_columns(p),
        )

    def cell_costs(
        self, costs: CostMatrix | CostValues | None = None, priors: PriorsLike | None = None
    ) -> FloatArray:
        """Return what each cell adds to the expected cost: the table c_ij P_i R_ij.

        Arguments as in `expected_cost`. A class of prior 0 adds nothing.

        Parameters
        ----------
        costs : CostMatrix or array of shape (K, M), optional
            By default 1 for each error.
        priors : float, array of K, mapping by class, or "data", optional
            How often each class will occur in deployment; by default as often as in the data.
        """
        matrix, (p, _) = self.read_costs(costs), self._priors(priors)
        rates = np.where(p[:, None] > 0, self.rates, 0.0)
        return matrix.values * p[:, None] * rates

    def error_rate(self) -> MetricValue:
        """Return the share of samples decided wrongly (ER)."""
        return accuracies.ErrorRate().evaluate(self)

    def accuracy(self) -> MetricValue:
        """Return the share of samples decided rightly."""
        return accuracies.Accuracy().evaluate(self)

    def balanced_error_rate(self) -> MetricValue:
        """Return the mean of the error rates of the classes (BalER)."""
        return accuracies.BalancedErrorRate().evaluate(self)

    def balanced_accuracy(self) -> MetricValue:
        """Return the mean of the recalls of the classes."""
        return accuracies.BalancedAccuracy().evaluate(self)

    def matthews(self) -> MetricValue:
        """Return the Matthews correlation (MCC), after Gorodkin for more than two classes."""
        return accuracies.Matthews().evaluate(self)

    @answered
    def net_benefit(self, threshold: float, *, positive: Label | None = None) -> MetricValue:
        """Return the net benefit at a threshold probability (NB).

        Parameters
        ----------
        threshold : float
            The threshold probability, from 0 to below 1.
        positive : name, optional
            The class of interest; by default the last.
        """
        return detection.NetBenefit(threshold).evaluate(self.detector(positive))

    @answered
    def f_score(self, beta: float = 1.0, *, positive: Label | None = None) -> MetricValue:
        """Return the F-beta score; beta 0 gives the precision, infinity the recall.

        Parameters
        ----------
        beta : float, default 1.0
            How many times as much recall counts as precision.
        positive : name, optional
            The class of interest; by default the last.
        """
        return detection.FScore(beta).evaluate(self.detector(positive))

    @answered
    def positive_likelihood_ratio(self, *, positive: Label | None = None) -> MetricValue:
        """Return LR+, sensitivity over one minus specificity.

        Parameters
        ----------
        positive : name, optional
            The class of interest; by default the last.
        """
        return detection.PositiveLikelihoodRatio().evaluate(self.detector(positive))

    @answered
    def precision(self, *, positive: Label | None = None) -> MetricValue:
        """Return the share of the alarms that are right.

        Parameters
        ----------
        positive : name, optional
            The class of interest; by default the last.
        """
        return detection.Precision().evaluate(self.detector(positive))

    @answered
    def recall(self, *, positive: Label | None = None) -> MetricValue:
        """Return the share of the class of interest that is found.

        Parameters
        ----------
        positive : name, optional
            The class of interest; by default the last.
        """
        return detection.Recall().evaluate(self.detector(positive))

    @answered
    def sensitivity(self, *, positive: Label | None = None) -> MetricValue:
        """Return the share of the class of interest that is found: recall, in medicine.

        Parameters
        ----------
        positive : name, optional
            The class of interest; by default the last.
        """
        return detection.Sensitivity().evaluate(self.detector(positive))

    @answered
    def specificity(self, *, positive: Label | None = None) -> MetricValue:
        """Return the share of the other class that raises no alarm.

        Parameters
        ----------
        positive : name, optional
            The class of interest; by default the last.
        """
        return detection.Specificity().evaluate(self.detector(positive))

    def at_priors(self, priors: PriorsLike) -> Self:
        """Return the matrix that these rates would give at other priors.

        Its metrics are those at these priors: `cm.at_priors([0.98, 0.02]).precision()`.

        Parameters
        ----------
        priors : float, array of K, or mapping by class
            How often each class occurs.
        """
        p, given = self._priors(priors)
        if not given:
            return self
        kept = p[self.row] > 0
        row = self.row[kept]
        scale = p[row] / self.class_weight[row]
        return replace(
            self,
            row=row,
            column=self.column[kept],
            weight=self.weight[kept] * scale,
            square=self.square[kept] * np.square(scale),
            exponent=np.zeros_like(self.exponent),
        )

    def detector(self, positive: Label | None = None) -> Self:
        """Return the matrix of one class, which comes last, against all others.

        With two classes and no name, it is the matrix itself.

        Parameters
        ----------
        positive : name, optional
            The class of interest; by default the last.
        """
        if positive is None or (len(self.classes) == 2 and positive == self.classes[-1]):
            return self
        if len(self.classes) < 2:
            msg = f"a detector needs two classes: got {quoted(self.classes)}. Pass classes=[...]."
            raise InputError(msg)
        if positive not in self.classes:
            rule = f"must be one of the classes {quoted(self.classes)}"
            raise InputError("positive", rule, repr(positive))
        require_square(self, "a detector")
        i = self.classes.index(positive)
        other: Label = self.classes[0] if i else self.classes[-1]
        two: Names = (other, positive)
        if len(self.classes) > 2:
            two = (f"not {positive}", f"{positive}")
        row, column = ((each == i).astype(np.int64) for each in (self.row, self.column))
        exponent = self.exponent[self.row]
        return self._gathered(two, two, row, column, self.weight, self.square, exponent)

    def _priors(self, priors: PriorsLike | None) -> tuple[FloatArray, bool]:
        """Return the priors, of classes that were seen, and whether they are not the data's."""
        given = read_priors(priors, self.classes)
        p = self.priors if given is None else given
        check_seen(p, self.class_weight, self.classes)
        return p, given is not None

    def read_costs(self, costs: CostMatrix | CostValues | None) -> CostMatrix:
        """Return costs of these classes and decisions; by default 1 for each error.

        Parameters
        ----------
        costs : CostMatrix, array or None
            None for a cost of 1 for each error.
        """
        if costs is None:
            require_square(self, "expected_cost without costs")
            return CostMatrix.zero_one(self.classes)
        if not isinstance(costs, CostMatrix):
            return CostMatrix(costs, classes=self.classes, decisions=self.decisions)
        for what in ("classes", "decisions"):
            ours, theirs = getattr(self, what), getattr(costs, what)
            if ours != theirs:
                rule = f"must have the {what} of the confusion matrix, {quoted(ours)}"
                raise InputError("costs", rule, quoted(theirs))
        return costs

    def _losses(self, costs: CostMatrix, cost: FloatArray) -> LossRows:
        total = np.where(self.class_weight > 0, self.class_weight, np.nan)
        mean = sum_by(self.row, self.weight * cost, len(self.classes)) / total
        rows = LossRows(mean, self.row, cost, *self.alike())
        return rows.between(*costs.ranges(self.column))

    def _rows(self) -> list[list[str]]:
        k, m = (min(len(names), MOST_SHOWN) for names in (self.classes, self.decisions))
        counts = np.zeros((k, m))
        kept = (self.row < k) & (self.column < m)
        cells = self.cells
        counts[self.row[kept], self.column[kept]] = cells[kept]
        totals = sum_by(self.row, cells.astype(np.float64), len(self.classes))
        last = "samples" if self.whole else "weight"
        return matrix_rows(self.classes, [*self.decisions[:m], last], [*counts.T, totals])

    def _in_a_line(self) -> str:
        size = f"{number(float(self.n))} samples" if self.whole else f"weight {number(self.n)}"
        return f"{size}, {len(self.classes)} classes, {len(self.decisions)} decisions"

    def __str__(self) -> str:
        return matrix_text(self._rows(), (len(self.classes), len(self.decisions)))

    def _repr_html_(self) -> str:
        return html_table(self._rows(), "Samples: truth in rows, decision in columns")

    def to_dict(self) -> dict[str, Any]:
        """Return the matrix as plain values: names, and [class, decision, count] of each cell."""
        return {
            "classes": list(self.classes),
            "decisions": list(self.decisions),
            "cells": [
                [int(i), int(j), json_number(float(n))]
                for i, j, n in zip(self.row, self.column, self.cells, strict=True)
            ],
        }
