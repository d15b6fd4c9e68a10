"""Decisions in one application and what they cost; the best that any threshold could do."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.costs import SampleCosts
from stakes.curves import MinimumCost, RocCurve
from stakes.evaluation.applications import ApplicationSamples
from stakes.metrics import ConfusionMatrix, DecisionMetric
from stakes.metrics.decision_tables import DecisionTable
from stakes.metrics.expected_losses import (
    expected_sample_cost,
    from_sums,
    losses_summed,
)
from stakes.metrics.traditional import metrics_for_report
from stakes.results import ExpectedLoss
from stakes.samples import Samples
from stakes.scoring import BayesCost
from stakes.statistics import ScoreLevels


@dataclass(frozen=True, eq=False)
class ApplicationDecisions:
    """The Bayes decisions of a system in one application, and what they cost."""

    use: ApplicationSamples
    indices: IntArray  # of the decisions among all that there are

    @property
    def samples(self) -> Samples:
        """The samples, at the priors of the application."""
        return self.use.samples

    @cached_property
    def confusion(self) -> ConfusionMatrix:
        """How many samples of each class got each decision."""
        s, costs = self.samples, self.use.costs
        return ConfusionMatrix.from_codes(
            s.y, self.indices, s.weights, costs.classes, costs.decisions, s.copies
        )

    @cached_property
    def table(self) -> DecisionTable:
        """The rows by class and decision, at the priors of the application; alike ones as one."""
        s = self.samples
        if s.weights is None and s.groups is None:
            return DecisionTable.from_counts(self.confusion, s.given_priors)
        return self.rows

    @cached_property
    def rows(self) -> DecisionTable:
        """The same in the order of the samples."""
        s, shape = self.samples, (len(self.use.costs.classes), len(self.use.costs.decisions))
        one = np.ones(len(s))
        number = one if s.copies is None else s.copies.astype(np.float64)
        weight = one if s.weights is None else s.weights / s.weights.max()
        return DecisionTable(s.y, self.indices, number, weight, shape, s.given_priors, s.groups)

    @cached_property
    def in_use(self) -> ConfusionMatrix:
        """The same at the priors of the application."""
        s = self.samples
        return self.confusion if s.priors_from_data else self.confusion.at_priors(s.priors)

    @cached_property
    def metrics(self) -> Sequence[DecisionMetric]:
        """The traditional metrics that a report shows."""
        return metrics_for_report(self.in_use, self.use.costs)

    @cached_property
    def cost(self) -> ExpectedLoss:
        """What the decisions cost."""
        samples, costs = self.samples, self.use.costs
        if isinstance(costs, SampleCosts):
            costs = costs.constant() or costs
        if isinstance(costs, SampleCosts):
            how = samples.weights, samples.given_priors, samples.copies, samples.groups
            cost = expected_sample_cost(costs, samples.y, self.indices, *how)
            return replace(cost, name="Bayes expected cost")
        sums = losses_summed(costs.at(samples.y, self.indices), samples)
        table, empty = self.table, np.empty(0, dtype=np.int64)
        rows = table.losses(costs.at(table.y, table.decided), sums.mean)
        rows = rows.between(*costs.ranges())
        return from_sums(BayesCost(costs), sums, samples, rows, empty)

    def losses(self) -> FloatArray:
        """Return the cost of each sample."""
        return self.use.costs.at(self.samples.y, self.indices)

    def naive(self) -> FloatArray:
        """Return what the naive decision costs each sample."""
        return self.use.constant(self.use.costs.decisions.index(self.cost.naive_answer))

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return the least and the largest cost that a decision can have for each sample."""
        costs = self.use.costs
        if not isinstance(costs, SampleCosts):
            low, high = (np.asarray(end, dtype=np.float64) for end in costs.ranges())
            return low[self.samples.y], high[self.samples.y]
        optimal, prices = costs.optimal(), self.use.constants()
        high = np.where(optimal, prices, -np.inf).max(axis=1)
        return np.where(optimal, prices, np.inf).min(axis=1), high

    def largest_difference(self) -> FloatArray:
        """Return the largest possible difference of what two decisions cost each sample."""
        low, high = self.bounds()
        return high - low


def curve_of(samples: Samples) -> RocCurve | None:
    """Return the ROC curve of two classes that both occur."""
    if len(samples.classes) != 2:
        return None
    ranks = samples.scores.ranks()
    levels = ScoreLevels.from_scores(ranks, samples.y, samples.weights, samples.copies)
    return RocCurve(levels, samples.classes) if all(levels.totals) else None


def least_cost(use: ApplicationSamples, curve: RocCurve | None) -> MinimumCost | None:
    """Return the least cost of any threshold, for two classes and two decisions."""
    costs = use.binary_costs
    if curve is None or costs is None:
        return None
    return curve.minimum_cost(costs, use.samples.given_priors)


def bayes_decisions(use: ApplicationSamples) -> ApplicationDecisions:
    """Decide and price the samples of an application."""
    return ApplicationDecisions(use, use.decide())
