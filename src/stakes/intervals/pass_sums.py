"""Losses of other answers, summed within each class in one pass where the kernels can."""

from collections.abc import Sequence

import numpy as np

from stakes._kernels.kernel_records import LossParts
from stakes._kernels.passes import binary_pass, rows_pass
from stakes._typing import FloatArray, IntArray
from stakes.costs import CostMatrix
from stakes.metrics.one_pass import MOST_COLUMNS, between
from stakes.scores import Answers, LogProbabilities
from stakes.scores.answers import LogOdds
from stakes.scoring import BayesCost, BrierLoss, LogLoss, ScoringRule


def passable(rule: ScoringRule | None, n_classes: int) -> bool:
    """Whether one pass of the kernels gives the losses of a rule."""
    if type(rule) in (LogLoss, BrierLoss):
        return True
    if type(rule) is not BayesCost or not isinstance(rule.costs, CostMatrix):
        return False
    if n_classes == 2:
        return rule.costs.shape[1] <= MOST_COLUMNS
    columns = rule.costs.columns()
    return columns.error is not None or columns.n_decisions <= MOST_COLUMNS


def pass_sums(
    rules: Sequence[ScoringRule], y: IntArray, answers: Answers, weights: FloatArray
) -> FloatArray | None:
    """Return classes x (rules and last the weight); None where a loss is infinite.

    The rules must be `passable`.
    """
    priced = [rule.costs for rule in rules if isinstance(rule, BayesCost)]
    if isinstance(answers, LogOdds):
        made = [costs.posterior_intervals() for costs in priced]
        ends = [end for _, some in made for end in some]
        found = binary_pass(answers.log_odds, y, ends, weights, 1, log_odds=True)
        above = np.split(found.above, np.cumsum([len(some) for _, some in made]))
        costs = [
            (between(found.weight, part, order, c.shape[1]) * c.values).sum(axis=1)
            for (order, _), part, c in zip(made, above, priced, strict=False)
        ]
        return _side_by_side(rules, found.weight, (found.log, found.brier), costs)
    if isinstance(answers, LogProbabilities):
        columns = [costs.columns() for costs in priced]
        rows = rows_pass(answers.log_p, y, "log_posteriors", columns, weights, 1)
        costs = [
            np.bincount(cells.row, cells.weight * c.at(cells.row, cells.column), rows.weight.size)
            for cells, c in zip(rows.decided, priced, strict=True)
        ]
        return _side_by_side(rules, rows.weight, (rows.log, rows.brier), costs)
    return None


def _side_by_side(
    rules: Sequence[ScoringRule],
    weight: FloatArray,
    losses: tuple[LossParts, LossParts],
    costs: list[FloatArray],
) -> FloatArray | None:
    """Return the sums in the order of the rules."""
    log, brier = losses
    if log.infinite.any():
        return None
    left = iter(costs)
    columns = [
        next(left) if isinstance(r, BayesCost) else (log if isinstance(r, LogLoss) else brier).loss
        for r in rules
    ]
    return np.column_stack([*columns, weight])
