"""What a traditional metric really asks for: the costs it implies and what else it rewards."""

from __future__ import annotations

__all__ = ["Explanation", "WordExplanation", "explain"]

import math
from dataclasses import dataclass
from textwrap import fill
from typing import Any, overload

from stakes._check import InputError
from stakes._codes import CodeExplanation, codes, no_such
from stakes._foreign_calls import answered
from stakes._foreign_words import entry_of, foreign_words
from stakes._records import Record
from stakes._text import number, plain, quoted
from stakes.costs import CostMatrix
from stakes.metrics.confusion import ConfusionMatrix
from stakes.metrics.traditional import METRICS, DecisionMetric
from stakes.results import ExpectedLoss, MetricValue, json_number


@dataclass(frozen=True, eq=False)
class Explanation(Record):
    """The costs that a metric implies; for a confusion matrix, also its value.

    `costs` are those whose expected cost the metric is tied to, `expected_cost` is that cost for
    the matrix, and `exchange_rate` is how many more false alarms change the metric as much as one
    more miss: for some metrics it depends on the evaluated system.

    Attributes
    ----------
    metric : DecisionMetric
    value : MetricValue or None
    costs : CostMatrix or None
    expected_cost : ExpectedLoss or None
    exchange_rate : float or None

    See Also
    --------
    explain : returns it.

    Examples
    --------
    >>> import stakes
    >>> cm = stakes.ConfusionMatrix.from_counts([[80, 20], [5, 5]])
    >>> round(stakes.explain("f1", cm).exchange_rate, 1)
    6.0

    F1 trades one miss for six false alarms here. If that is not your trade, use costs.
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
        }
        if self.value is not None:
            facts["here"] = str(self.value)
        if self.costs is not None and self.expected_cost is not None:
            facts |= self._in_costs(self.costs, self.expected_cost)
        lines = [f"{self.metric.name} ({self.metric.better} is better)"]
        for name, text in facts.items():
            lines.append(fill(text, 80, initial_indent=f"  {name:<13}", subsequent_indent=" " * 15))
        return "\n".join(lines)

    def _in_costs(self, costs: CostMatrix, expected: ExpectedLoss) -> dict[str, str]:
        prices = "see .costs"
        instead = "cm.expected_cost(costs) with the costs of your own application"
        if costs.shape == (2, 2):
            first, second = (plain(name) for name in costs.classes)
            miss, alarm = number(costs.values[1, 0]), number(costs.values[0, 1])
            wrong = f"deciding '{second}' when the truth is '{first}'"
            prices = f"{miss} for a missed '{second}', {alarm} for {wrong}"
            instead = f"cm.expected_cost(CostMatrix.binary(miss={miss}, false_alarm={alarm}, ...))"
        nec = f"{number(expected.normalized)} (naive 1, lower is better)"
        if expected.undefined is not None:
            nec = f"undefined: {expected.undefined.text}"
        facts, rate = {"its costs": prices, "its NEC": nec}, self.exchange_rate
        if rate is not None:
            more = f"{number(rate)} more false alarms, at these counts"
            facts["trade"] = f"one more miss harms it as much as {more}"
            if math.isnan(rate):
                facts["trade"] = "undefined at these counts"
            elif math.isinf(rate):
                facts["trade"] = "no number of false alarms harms it as much as one miss"
        return {**facts, "say instead": instead}

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, ready for JSON."""
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


@dataclass(frozen=True)
class WordExplanation(Record):
    """What stakes calls a word of another library or field, and how it is used.

    Attributes
    ----------
    word : str
    origin : str
        Whose word it is.
    ours : str
        Our names, separated by commas.
    call : str
        In Python, with labels `y`, scores `p`, `decisions`, `costs`, a fitted `model` and its
        features `X`.
    command : str
        On the command line, or the empty string.
    note : str
        What is different, or the empty string.

    See Also
    --------
    explain : returns it.

    Examples
    --------
    >>> import stakes
    >>> stakes.explain("log_loss").call
    'stakes.cross_entropy(y, p)'
    """

    word: str
    origin: str
    ours: str
    call: str
    command: str
    note: str

    def __str__(self) -> str:
        note = fill(self.note, 78, subsequent_indent=" " * 11, break_on_hyphens=False)
        said = {"here": self.ours, "Python": self.call, "command": self.command, "note": note}
        lines = [f"{self.word} ({self.origin})"]
        lines += [f"  {name:<9}{text}" for name, text in said.items() if text]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, str]:
        """Return the explanation as plain values."""
        return dict(vars(self))


@overload
def explain(metric: DecisionMetric | str, confusion: ConfusionMatrix) -> Explanation: ...


@overload
def explain(
    metric: DecisionMetric | str, confusion: None = None
) -> Explanation | CodeExplanation | WordExplanation: ...


@answered
def explain(
    metric: DecisionMetric | str, confusion: ConfusionMatrix | None = None
) -> Explanation | CodeExplanation | WordExplanation:
    """Explain a metric, a code of a verdict or error, or a word of another library or field.

    For a traditional metric that is which costs it implies and what else it rewards; for a code,
    what it means and what to do; for other words, what does the same here.

    Parameters
    ----------
    metric : traditional metric, or a word
        Such as `stakes.metrics.FScore(2)`, "f1" or "mcc"; "few_errors"; "NEC" or "log_loss".
    confusion : ConfusionMatrix, optional
        Counts to show a metric for.

    Returns
    -------
    Explanation, CodeExplanation or WordExplanation
        Print it to read it.

    See Also
    --------
    confusion_matrix : counts the decisions.
    expected_cost : with explicit costs.
    explain_code : explains codes alone.

    Examples
    --------
    Two detectors cost the same, yet F1 prefers the one with more false alarms, so compare costs:

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
    if confusion is None and isinstance(metric, str):
        return _word_explained(metric)
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


def _word_explained(word: str) -> Explanation | CodeExplanation | WordExplanation:
    """Return what a metric, a code or a foreign word means, in this order."""
    key = word.strip().lower()
    if key in codes():
        return codes()[key]
    key = key.replace("-", "_").replace(" ", "_")
    if key.partition("(")[0] in (*METRICS.choices, *METRICS.made_of_numbers):
        return Explanation(METRICS.read(key))
    found = entry_of(word)
    if found is not None:
        return WordExplanation(**found._asdict())
    known = [*METRICS.choices, *METRICS.made_of_numbers, *codes(), *foreign_words()]
    listed = quoted(METRICS.choices, most=20)
    rule = f"must be a metric ({listed}), a code or a word of another library"
    raise no_such("metric", rule, word, known)
