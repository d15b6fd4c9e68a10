"""Decisions and losses of all samples, which a summary counted and summed, as records."""

from dataclasses import replace
from functools import partial

import numpy as np

from stakes._typing import IntArray
from stakes.costs import CostsByCase
from stakes.evaluation.applications import read_applications
from stakes.evaluation.summaries.summary_request import Request
from stakes.evaluation.systems import ApplicationDecisions, Grouping, price_decisions
from stakes.intervals import by_groups
from stakes.metrics.expected_losses import from_sums
from stakes.results import ExpectedLoss
from stakes.samples import Samples
from stakes.scoring import ScoringRule
from stakes.summary.decision_sums import DecisionPlan, DecisionSums


def plan_of(
    request: Request, names: tuple[str, ...], rules: tuple[ScoringRule, ...]
) -> DecisionPlan:
    """Return what is counted and summed of some applications and rules of a request."""
    costs = [request.uses[name].costs for name in names]
    return DecisionPlan(
        len(request.classes),
        tuple(each.shape[1] for each in costs),
        tuple(each.columns if isinstance(each, CostsByCase) else () for each in costs),
        rules,
        replace(request.members, columns=()),
    )


def summed_decisions(
    request: Request, name: str, i: int, sums: DecisionSums
) -> ApplicationDecisions:
    """Return the decisions of an application on all samples; those alike are one row."""
    rows, k = sums.rows(i), len(request.classes)
    none = request.kind.trusted(np.broadcast_to(np.zeros(k), (rows.y.size, k)))  # says nothing
    cells = request.samples(rows.y, none, rows.members.weights, copies=rows.copies)
    if rows.members.part is not None:
        cells = replace(cells, groups=_coded(rows.members.part))
    use = read_applications(request.applications(rows.members.amounts, name), cells)[0]
    return price_decisions(use, rows.decision)


def loss_records(
    sums: DecisionSums, every: Samples
) -> tuple[dict[ScoringRule, ExpectedLoss], dict[ScoringRule, Grouping]]:
    """Return the expected loss of each rule, with groups where there are any, and their means."""
    none = np.empty(0, dtype=np.int64)
    losses = {rule: from_sums(rule, s, every, none) for rule, s in sums.loss_sums().items()}
    rows = sums.group_rows()
    if rows is None:
        return losses, {}
    k = len(every.classes)
    own = {"copies": rows.copies, "groups": _coded(rows.part)}
    even = np.full(k, 1 / k)
    at = Samples.from_codes(rows.y, every.scores, rows.weights, every.classes, even, **own)
    means: dict[ScoringRule, Grouping] = {
        rule: partial(by_groups, samples=at, losses=loss, means=True)
        for rule, loss in zip(sums.plan.rules, rows.losses, strict=True)
    }
    known = {rule: record for rule, record in losses.items() if np.isfinite(record.value)}
    return losses | {rule: means[rule](record) for rule, record in known.items()}, means


def _coded(part: IntArray) -> IntArray:
    return np.unique(part, return_inverse=True)[1]
