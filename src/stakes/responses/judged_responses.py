"""Answers that a judge labelled: corrected utility and cost, and what the judge's errors do."""

from __future__ import annotations

__all__ = ["JudgedResponses", "judge_report"]

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from stakes._check import read_level
from stakes._check.partial_columns import check_within, check_zero_one, read_flags, read_partial
from stakes._foreign_calls import answered
from stakes._records import Record
from stakes._typing import Column
from stakes.costs.confidence_target import ConfidenceTarget, as_target
from stakes.evaluation.findings import Verdict
from stakes.inference.law import FEWEST_GROUPS
from stakes.responses.judge import CorrectedEstimate, JudgedMean, mean_of_rows, unknown_mean
from stakes.responses.judge_errors import judge_errors
from stakes.responses.judge_verdicts import judge_verdicts
from stakes.responses.judged_rows import JudgedRows, read_rows
from stakes.responses.judged_totals import JudgedTotals, Means, Of
from stakes.results import Estimate, Interval, json_number

NOTHING_ANSWERED = "no row was answered"


@dataclass(frozen=True, eq=False)
class JudgedResponses(Record):
    """The value of answers from a judge and some human labels, and the judge's errors.

    `utility` and `cost` are at the confidence target `t`: a right answer has utility 1, a wrong one
    -t/(1-t), an abstention 0; as costs a wrong answer is 1 and an abstention 1-t. `accuracy` is the
    share of answers that are right, `hallucination_rate` that of wrong answers among what is not
    right. `sensitivity` is the share of right answers that the judge passes, `specificity` the
    share of wrong answers that it fails, on rows with both labels; a probability of 1/2 or more
    passes.

    Attributes
    ----------
    t : float
        The confidence target.
    rows : int
    answered : Estimate
    utility : CorrectedEstimate
    cost : CorrectedEstimate
    accuracy : CorrectedEstimate
    hallucination_rate : CorrectedEstimate
    sensitivity, specificity : Estimate
        Error rates of the judge.
    answers : JudgedMean
    p_value : float
    verdicts : tuple of Verdict
    level : float
        Confidence level of the intervals.

    See Also
    --------
    judge_report : returns it.

    Examples
    --------
    >>> import stakes
    >>> human = [1] * 22 + [0] * 18 + [None] * 160
    >>> judge = [1] * 21 + [0] + [1] * 8 + [0] * 10 + [1] * 118 + [0] * 42
    >>> found = stakes.judge_report(human, judge, target=0.5)
    >>> found.utility.interval.low > 0  # not shown to beat never answering: label more rows
    False
    """

    t: float
    rows: int
    answered: Estimate
    utility: CorrectedEstimate
    cost: CorrectedEstimate
    accuracy: CorrectedEstimate
    hallucination_rate: CorrectedEstimate
    sensitivity: Estimate
    specificity: Estimate
    answers: JudgedMean  # the accuracy, with its power tuning and the labels gained
    p_value: float  # that the judge passes as many answers as people do
    verdicts: tuple[Verdict, ...]
    level: float

    def __str__(self) -> str:
        seen = f"{self.answers.human_rows} of {self.answers.rows} answers with human labels"
        rows = [
            ("answered", f"{self.answered}, {seen}"),
            (f"utility at {self.t:g}", f"{self.utility}"),
            ("cost", f"{self.cost}"),
            ("accuracy of answers", f"{self.accuracy}"),
            ("hallucination rate", f"{self.hallucination_rate}"),
            ("right answers it passes", f"{self.sensitivity}"),
            ("wrong answers it fails", f"{self.specificity}"),
        ]
        width = max(len(name) for name, _ in rows)
        lines = [f"{name:<{width}}  {text}" for name, text in rows]
        return "\n".join([*lines, *(str(verdict) for verdict in self.verdicts)])

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON."""
        numbers = ("answered", "utility", "cost", "accuracy", "hallucination_rate")
        parts = (*numbers, "sensitivity", "specificity", "answers")
        return {
            "t": self.t,
            "level": self.level,
            "rows": self.rows,
            **{name: getattr(self, name).to_dict() for name in parts},
            "p_value": json_number(self.p_value),
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
        }


@answered
def judge_report(  # noqa: PLR0913  three columns, and how rows become means
    human: Column,
    judge: Column,
    abstained: Column | None = None,
    *,
    target: ConfidenceTarget | float,
    groups: Column | None = None,
    sample_weight: Column | None = None,
    inclusion: Column | None = None,
    level: float = 0.95,
) -> JudgedResponses:
    """Return the value of answers that a judge labelled in full and people in part.

    Every number is prediction-powered (`judged_mean`): human labels correct the judge. That is
    valid for any judge, provided that the rows given to people are a random sample of the answered
    rows, or were chosen with the probabilities in `inclusion`; the report warns if the judge's
    labels show that they are not. Abstentions need neither label.

    Parameters
    ----------
    human : column of N truth values
        1 for right, 0 for wrong, missing if nobody looked.
    judge : column of N numbers
        The same from the judge for every answered row, or its probability of right.
    abstained : column of N truth values, optional
        Whether the row was not answered; by default every row was.
    target : ConfidenceTarget or float
        The confidence target t in [0, 1): answering pays if the probability of being right is at
        least t. A wrong answer has utility -t/(1-t).
    groups : column of N names, optional
        As in `judged_mean`.
    sample_weight : column of N weights, optional
        How much each row counts.
    inclusion : column of N probabilities, optional
        The probability with which each row was given to people, if not the same for all.
    level : float, default 0.95
        Confidence level of the intervals.

    Returns
    -------
    JudgedResponses
        Corrected utility, cost, accuracy and hallucination rate, each with that of the judge alone;
        the judge's errors; and verdicts, each false in at most 1 - level of reports.

    See Also
    --------
    judged_mean : for any mean.
    evaluate_responses : if the truth is known.

    Examples
    --------
    People looked at 40 of 200 answers. The judge is generous:

    >>> import stakes
    >>> human = [1] * 22 + [0] * 18 + [None] * 160 + [None] * 50
    >>> judge = [1] * 21 + [0] + [1] * 8 + [0] * 10 + [1] * 118 + [0] * 42 + [None] * 50
    >>> abstained = [False] * 200 + [True] * 50
    >>> found = stakes.judge_report(human, judge, abstained, target=0.5)
    >>> found.answered, found.specificity
    (0.8000 (0.7458 to 0.8467), 0.5556 (0.3194 to 0.7734))
    >>> found.utility
    0.0903 (−0.1453 to 0.3116); judge only 0.3760, bias 0.2857 (0.0653 to 0.5248)
    >>> print(found.verdicts[0].text.partition(": ")[2])
    it passes 44 % of wrong answers.

    Never answering has utility 0. By the judge alone the model seems useful; the corrected number
    does not show that:

    >>> found.utility.interval.low > 0
    False
    """
    t = as_target(target).t
    y = read_partial(human, "human")
    f = read_partial(judge, "judge", y.size)
    skipped = read_flags(abstained, "abstained", y.size)
    check_zero_one(np.where(skipped, np.nan, y), "human")
    check_within(np.where(skipped, np.nan, f), "judge", 0, 1, "Pass 0, 1 or a probability.")
    rows = read_rows(
        y, f, ~skipped, groups=groups, sample_weight=sample_weight, inclusion=inclusion
    )
    return _report(rows, t, read_level(level))


def _report(rows: JudgedRows, t: float, level: float) -> JudgedResponses:
    answers = rows.part(~np.isnan(rows.judge))
    share = answered_share(rows, level)
    mean = unknown_mean(NOTHING_ANSWERED)
    if answers.n:
        mean = mean_of_rows(answers, (0.0, 1.0), None, level)
    errors = judge_errors(answers, level)
    numbers = _numbers(rows, share.value, mean, t, level)
    return JudgedResponses(
        t=t,
        rows=rows.n,
        answered=share,
        **numbers,
        sensitivity=errors.sensitivity,
        specificity=errors.specificity,
        answers=mean,
        p_value=errors.p_value,
        verdicts=judge_verdicts(numbers["utility"], mean, errors, level),
        level=level,
    )


Formula = Callable[[Any, Any], Any]  # of the share answered and the accuracy of answers


def _formulas(t: float) -> dict[str, Formula]:
    """Return each number by the share answered and the accuracy of answers."""
    return {
        "utility": lambda a, q: a * (q - t) / (1 - t),
        "cost": lambda a, q: a * (1 - q) + (1 - a) * (1 - t),
        "accuracy": lambda _, q: q,
        "hallucination_rate": lambda a, q: a * (1 - q) / (a * (1 - q) + (1 - a)),
    }


def _at(formula: Formula, a: float, q: float) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(formula(np.float64(a), np.float64(q)))


def answered_share(rows: JudgedRows, level: float) -> Estimate:
    """Return the share of answered rows."""
    answered = (~np.isnan(rows.judge)).astype(np.float64)
    shown = JudgedRows(answered, answered, rows.weights, None, rows.unit)  # a value of all rows
    groups = FEWEST_GROUPS if rows.unit is None else np.unique(rows.unit).size
    why = f"needs {FEWEST_GROUPS} groups: got {groups}" if groups < FEWEST_GROUPS else ""
    return JudgedTotals(shown, (0.0, 1.0)).estimates({"it": lambda m: m.human}, level, why)["it"]


def _numbers(
    rows: JudgedRows, a: float, mean: JudgedMean, t: float, level: float
) -> dict[str, CorrectedEstimate]:
    """Return numbers with what the judge alone makes of them."""
    formulas = _formulas(t)
    if math.isnan(mean.value):
        return {name: _undefined(formula, a, mean) for name, formula in formulas.items()}
    asked: dict[str, Of] = {}
    for name, formula in formulas.items():
        asked[name] = partial(_corrected, formula)
        asked[f"{name}, bias"] = partial(_bias, formula)
    why = "" if mean.interval is not None else mean.method
    tuning = None if mean.tuning > 0 else 0.0
    found = JudgedTotals(rows, (0.0, 1.0), tuning).estimates(asked, level, why)
    return {
        name: _number(formula, a, mean, found[name], found[f"{name}, bias"])
        for name, formula in formulas.items()
    }


def _corrected(formula: Formula, means: Means) -> Any:  # noqa: ANN401
    return formula(means.answered, means.powered)


def _bias(formula: Formula, means: Means) -> Any:  # noqa: ANN401
    return formula(means.answered, means.judge) - formula(means.answered, means.powered)


def _number(
    formula: Formula, a: float, mean: JudgedMean, found: Estimate, bias: Estimate
) -> CorrectedEstimate:
    """Return a number whose accuracy lies between 0 and 1."""
    value, alone, method = (
        _at(formula, a, mean.value),
        _at(formula, a, mean.judge_only),
        mean.method,
    )
    if math.isnan(value):
        method = "every answer is right and none was withheld, so nothing is not right"
        return CorrectedEstimate(value, None, alone, Estimate(math.nan, None, method), method)
    band = found.interval
    if band is not None:
        known = [_at(formula, x, y) for x in (0.0, 1.0) for y in (0.0, 1.0)]
        low, high = np.clip(tuple(band), np.nanmin(known), np.nanmax(known)).tolist()
        band = Interval(min(low, value), max(high, value), band.level)
    moved, reach = alone - value, bias.interval
    if reach is not None:
        reach = Interval(min(reach.low, moved), max(reach.high, moved), reach.level)
    return CorrectedEstimate(value, band, alone, Estimate(moved, reach, method), method)


def _undefined(formula: Formula, a: float, mean: JudgedMean) -> CorrectedEstimate:
    """Return a number without any human label; without an answer some are known nevertheless."""
    why = mean.method
    none = Estimate(math.nan, None, why)
    if a > 0:
        return CorrectedEstimate(math.nan, None, _at(formula, a, mean.judge_only), none, why)
    value, other = _at(formula, 0.0, 0.0), _at(formula, 0.0, 1.0)
    value = value if value == other else math.nan
    return CorrectedEstimate(value, None, value, none, why)
