"""What a traditional metric really asks for: the costs it implies and what else it rewards."""

__all__ = ["Explanation", "explain"]

import math
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from stakes._check import InputError
from stakes._text import number, plain
from stakes.costs import CostMatrix
from stakes.metrics.confusion import ConfusionMatrix
from stakes.metrics.traditional import METRICS, DecisionMetric
from stakes.results import ExpectedLoss, MetricValue, json_number


@dataclass(frozen=True, eq=False)
class Explanation:
    """What a metric implies; with a confusion matrix, also what it does there.

    `costs` are those whose expected cost the metric is tied to, `expected_cost` is their cost
    here, and `exchange_rate` tells how many more false alarms harm the metric as much as one more
    miss: for some metrics it depends on the very system that is judged.
    """

    metric: DecisionMetric
    value: MetricValue | None = None
    costs: CostMatrix | None = None
    expected_cost: ExpectedLoss | None = None
    exchange_rate: float | None = None

    def __str__(self) -> str:
        facts = {
            "definition": self.metric.formula,
            "identity": self.metric.relation,
            "rewards": self.metric.rewards,
            **self._here(),
        }
        head = f"{self.metric.name} ({self.metric.better} is better)"
        return "\n".join([head, *(_paragraph(name, text) for name, text in facts.items())])

    def _here(self) -> dict[str, str]:
        """Say what the metric does on the data at hand."""
        if self.value is None:
            return {}
        if self.costs is None or self.expected_cost is None:
            return {"here": str(self.value)}
        facts = {"here": str(self.value), "its costs": self._prices()}
        if self.expected_cost.undefined is None:
            nec = number(self.expected_cost.normalized)
            facts["its NEC"] = f"{nec} (naive 1, lower is better)"
        else:
            facts["its NEC"] = f"undefined: {self.expected_cost.undefined.text}"
        if self.exchange_rate is not None:
            facts["trade"] = self._trade()
        return {**facts, "say instead": self._instead()}

    def _prices(self) -> str:
        """Return the costs of the errors in words."""
        if self.costs is None or self.costs.shape != (2, 2):
            return "see .costs"
        values, (first, second) = self.costs.values, self.costs.classes
        miss, alarm = number(values[1, 0]), number(values[0, 1])
        wrong = f"deciding '{plain(second)}' when the truth is '{plain(first)}'"
        return f"{miss} for a missed '{plain(second)}', {alarm} for {wrong}"

    def _trade(self) -> str:
        """Return the exchange rate in words."""
        rate = self.exchange_rate or 0.0
        if math.isnan(rate):
            return "undefined at these counts"
        if math.isinf(rate):
            return "no number of false alarms harms it as much as one miss"
        return (
            f"one more miss harms it as much as {number(rate)} more false alarms, at these counts"
        )

    def _instead(self) -> str:
        """Return the call that asks for the same thing in the open."""
        if self.costs is not None and self.costs.shape == (2, 2):
            values = self.costs.values
            miss, alarm = number(values[1, 0]), number(values[0, 1])
            return f"cm.expected_cost(CostMatrix.binary(miss={miss}, false_alarm={alarm}, ...))"
        return "cm.expected_cost(costs) with the costs of your own application"

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, fit for JSON."""
        nec = self.expected_cost
        return {
            "metric": self.metric.name,
            "better": self.metric.better,
            "formula": self.metric.formula,
            "identity": self.metric.relation,
            "rewards": self.metric.rewards,
            "value": None if self.value is None else self.value.to_dict(),
            "costs": None if self.costs is None else self.costs.to_lists(),
            "normalized_expected_cost": (
                None if nec is None or nec.undefined is not None else nec.normalized
            ),
            "exchange_rate": (
                None if self.exchange_rate is None else json_number(self.exchange_rate)
            ),
        }


def _paragraph(name: str, text: str) -> str:
    """Return a fact with its name, folded to 80 columns."""
    return fill(text, 80, initial_indent=f"  {name:<13}", subsequent_indent=" " * 15)


def explain(metric: DecisionMetric | str, confusion: ConfusionMatrix | None = None) -> Explanation:
    """Tell which costs a traditional metric implies and what else it rewards.

    Parameters
    ----------
    metric : a metric of `stakes.metrics`, or its short name
        Such as `stakes.metrics.FScore(2)` or "f1", "mcc", "accuracy", "lr+".
    confusion : ConfusionMatrix, optional
        Data on which to show it.

    Examples
    --------
    Two detectors cost the same, yet F1 prefers the one that cries wolf:

    >>> import stakes
    >>> calm = stakes.ConfusionMatrix.from_counts([[850, 50], [50, 50]])
    >>> loud = stakes.ConfusionMatrix.from_counts([[800, 100], [0, 100]])
    >>> calm.error_rate().value, loud.error_rate().value
    (0.1, 0.1)
    >>> print(stakes.explain("f1", loud))
    F1 score (higher is better)
      definition   (1+b^2) N_22 / ((1+b^2) N_22 + b^2 N_21 + N_12)
      identity     1 - F = min(b^2 P_2, P_1) * NEC / (b^2 P_2 + R_*2), with costs
                   b^2 for a miss, 1 for a false alarm
      rewards      Saying yes: of two systems with the same cost, the one that
                   decides for the class of interest more often scores higher,
                   whether those decisions are right or wrong.
      here         F1 score 0.6667 (for class 1; naive 0.1818, higher is better)
      its costs    1 for a missed '1', 1 for deciding '1' when the truth is '0'
      its NEC      1 (naive 1, lower is better)
      trade        one more miss harms it as much as 2 more false alarms, at these
                   counts
      say instead  cm.expected_cost(CostMatrix.binary(miss=1, false_alarm=1, ...))
    """
    chosen = METRICS.read(metric)
    if confusion is None:
        return Explanation(chosen)
    if not isinstance(confusion, ConfusionMatrix):
        rule = "must be a ConfusionMatrix"
        hint = "Use confusion_matrix(...) or ConfusionMatrix.from_counts(...)."
        raise InputError("confusion", rule, type(confusion).__name__, hint=hint)
    value = chosen.evaluate(confusion)
    if not confusion.class_weight.all():
        return Explanation(chosen, value)  # without samples of a class no costs can be told
    costs = chosen.costs(confusion)
    binary = len(confusion.classes) == 2
    return Explanation(
        chosen,
        value,
        costs,
        confusion.expected_cost(costs),
        chosen.exchange_rate(confusion) if binary else None,
    )
