"""Everything about decisions that were made: their cost, traditional metrics, verdicts."""

from __future__ import annotations

__all__ = ["DecisionEvaluation", "evaluate_decisions"]

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from stakes._check import InputError, read_level
from stakes._counting import bincount
from stakes._foreign_calls import answered
from stakes._text import key_of, plain
from stakes._typing import CostValues, PriorsLike
from stakes.costs import CostMatrix
from stakes.evaluation.findings import Paged, Verdict
from stakes.evaluation.rates import (
    DecisionShares,
    count_errors,
    metric_estimates,
)
from stakes.evaluation.tracking import Carded, Tracked
from stakes.evaluation.verdicts.cautions import few_errors, few_kinds, small_classes
from stakes.evaluation.verdicts.suspicions import turned_costs
from stakes.evaluation.verdicts.usefulness import CostClaim, usefulness_of, with_constant
from stakes.metrics import ConfusionMatrix, Explanation, explain
from stakes.metrics.traditional import metrics_for_report
from stakes.results import Estimate, ExpectedLoss, normalized_of, value_of


@dataclass(frozen=True, eq=False)
class DecisionEvaluation(Paged, Tracked, Carded):
    """The expected cost of hard decisions, with the naive system and traditional metrics.

    Attributes
    ----------
    confusion : ConfusionMatrix
    costs : CostMatrix or None
        None if they differ from case to case.
    expected_cost : ExpectedLoss
    traditional : tuple of Explanation
    estimates : mapping from name to Estimate
        The traditional metrics, with intervals.
    level : float
        Confidence level of the intervals.

    See Also
    --------
    evaluate_decisions : returns it.

    Examples
    --------
    >>> import stakes
    >>> counts = stakes.ConfusionMatrix.from_counts([[855, 45], [5, 95]])
    >>> result = stakes.evaluate_decisions(counts, [[0, 1], [5, 0]])
    >>> result.verdicts[0].code  # so use it
    'useful'
    """

    confusion: ConfusionMatrix
    costs: CostMatrix | None  # None where they differ from case to case
    expected_cost: ExpectedLoss
    traditional: tuple[Explanation, ...]
    estimates: Mapping[str, Estimate]  # of the traditional metrics, with intervals
    level: float

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What follows from the numbers: whether the decisions are useful, and how sure that is."""
        cost, level = self.expected_cost, self.level
        claim = CostClaim(cost, normalized_of(cost, level))
        confusion = self.confusion
        said = usefulness_of([claim], level)
        doubts = () if self.costs is None else turned_costs(self.costs)
        if not confusion.whole:  # weights do not tell how many samples there were
            return (*said, *doubts)
        counts = bincount(confusion.row, confusion.weight, len(confusion.classes))
        sizes = [round(n) for n in counts.tolist()]
        made = set(confusion.column.tolist())
        if len(made) == 1:
            only = confusion.decisions[made.pop()]
            said = with_constant(said[0], claim, only, (sum(sizes), "samples"), (level, 1))
        else:
            costs = self.costs
            if costs is None and confusion.decisions == confusion.classes:
                costs = CostMatrix.zero_one(confusion.classes)
            if costs is not None:
                cells = confusion.row, confusion.column, confusion.weight
                said += few_errors(few_kinds(count_errors(costs, *cells)))
        return (*said, *small_classes(confusion.classes, sizes, scored=False), *doubts)

    @property
    def verdict(self) -> str:
        """One sentence: whether the decisions are useful at these costs and priors."""
        return self.verdicts[0].text

    def __str__(self) -> str:
        width = max(map(len, self.estimates), default=0)
        lines = [f"  {name:<{width}}  {each}" for name, each in self.estimates.items()]
        said = [f"- {verdict}" for verdict in self.verdicts]
        return "\n".join([str(self.expected_cost), *lines, *said])

    @property
    def reasons(self) -> list[str]:
        """Why metrics are undefined or not shown."""
        values = [e.value for e in self.traditional if e.value is not None]
        undefined = [value for value in values if value.undefined is not None]
        said = [f"{v.name} is undefined: {v.undefined.text}." for v in undefined if v.undefined]
        bare = [
            c for c, p in zip(self.confusion.classes, self.confusion.priors, strict=True) if p == 0
        ]
        if bare and self.traditional:
            names = ", ".join(plain(c) for c in bare[:5])
            said.append(f"No samples of class {names}: metrics that need them are left out.")
        return said

    def metrics(self) -> dict[str, Estimate]:
        """Return every number by name, such as `cost.nec` or `cost.accuracy`."""
        cost, level = self.expected_cost, self.level
        return {
            "cost.value": value_of(cost, level),
            "cost.nec": normalized_of(cost, level),
            **{f"cost.{key_of(name)}": e for name, e in self.estimates.items()},
        }

    def _references(self) -> dict[str, float]:
        naive = {e.value.name: e.value.naive for e in self.traditional if e.value is not None}
        return {
            "samples": float(self.confusion.n),
            "cost.value.naive": self.expected_cost.naive,
            **{f"cost.{key_of(name)}.naive": naive[name] for name in self.estimates},
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation as plain values, ready for JSON."""
        return {
            "confusion_matrix": self.confusion.to_dict(),
            "costs": None if self.costs is None else self.costs.to_lists(),
            "expected_cost": self.expected_cost.to_dict(self.level),
            "verdict": self.verdict,
            "verdicts": [v.to_dict() for v in self.verdicts],
            "level": self.level,
            "traditional": [
                {**e.to_dict(), "estimate": self.estimates[e.value.name].to_dict()}
                for e in self.traditional
                if e.value is not None
            ],
        }

    def _document(self) -> tuple[str, dict[str, Any]]:
        n = self.confusion.n
        return "evaluate", {"samples": int(n) if self.confusion.whole else n, **self.to_dict()}


@answered
def evaluate_decisions(
    confusion: ConfusionMatrix,
    costs: CostMatrix | CostValues | None = None,
    priors: PriorsLike | None = None,
    level: float = 0.95,
    priced: ExpectedLoss | None = None,
) -> DecisionEvaluation:
    """Evaluate hard decisions, given as counts, at given costs and priors.

    All metrics are at the same priors. If costs differ from case to case, counts do not determine
    the cost: pass it as `priced`.

    Parameters
    ----------
    confusion : ConfusionMatrix
        The decisions, counted: `confusion_matrix(y_true, y_pred)`.
    costs : CostMatrix or array, optional
        By default 1 for each error.
    priors : float, array of K, or mapping by class, optional
        How often each class will occur in deployment; by default as in the data.
    level : float, default 0.95
        Confidence level of the intervals.
    priced : ExpectedLoss, optional
        The cost, from `expected_cost`, if costs differ from case to case.

    Returns
    -------
    DecisionEvaluation
        With `expected_cost`, `traditional` metrics, `verdicts`, `metrics()`, `to_dict()`.

    See Also
    --------
    evaluate : for scores.
    expected_cost : only the cost.

    Examples
    --------
    >>> import stakes
    >>> counts = stakes.ConfusionMatrix.from_counts([[855, 45], [5, 95]])
    >>> costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    >>> result = stakes.evaluate_decisions(counts, costs, priors=[0.98, 0.02])
    >>> round(result.expected_cost.normalized, 2), result.verdicts[0].code
    (0.54, 'useful')
    """
    if not isinstance(confusion, ConfusionMatrix):
        hint = "Pass evaluate_decisions(confusion_matrix(y_true, y_pred), costs)."
        raise InputError(
            "confusion", "must be a ConfusionMatrix", type(confusion).__name__, hint=hint
        )
    read_level(level)
    cost = confusion.expected_cost(costs, priors) if priced is None else priced
    chosen = None
    if costs is not None or priced is None:
        chosen = confusion.read_costs(costs)
    in_use = confusion if priors is None else confusion.at_priors(priors)
    explained = [(m, explain(m, in_use)) for m in metrics_for_report(in_use, chosen)]
    given = None if priors is None else cost.priors
    shares = DecisionShares(confusion, given, level)
    return DecisionEvaluation(
        confusion=confusion,
        costs=chosen,
        expected_cost=cost,
        traditional=tuple(explanation for _, explanation in explained),
        estimates=metric_estimates(shares, explained),
        level=level,
    )
