"""Decisions that may abstain: cost against the price of abstaining, risk against coverage."""

from __future__ import annotations

__all__ = ["AbstentionCurve", "RiskCoverageCurve", "abstention_curve", "risk_coverage_curve"]

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from stakes._check import InputError, read_array
from stakes._foreign_calls import answered
from stakes._math import cumulative
from stakes._records import Record
from stakes._text import number, percent
from stakes._typing import Column, CostValues, FloatArray, NamesLike, PriorsLike
from stakes.costs import CostMatrix
from stakes.costs.matrix import as_cost_matrix, declared_classes
from stakes.metrics.confusion import ConfusionMatrix
from stakes.results import ExpectedLoss
from stakes.samples import Samples, read_samples
from stakes.scores import Scores
from stakes.scoring import BayesCost
from stakes.statistics import ScoreLevels

_MOST_LINES = 10


@dataclass(frozen=True, eq=False)
class AbstentionCurve(Record):
    """Cost and abstention rate of Bayes decisions at several prices of abstaining.

    Attributes
    ----------
    prices : tuple of float
        Cost of abstaining.
    costs : tuple of ExpectedLoss
        One for each price.
    abstention_rates : tuple of float

    See Also
    --------
    abstention_curve : returns it.

    Examples
    --------
    A second opinion costs 0.2 errors. How often should the system ask for one?

    >>> import stakes
    >>> y, p = [0, 0, 1, 1], [0.1, 0.4, 0.45, 0.9]
    >>> curve = stakes.abstention_curve(y, p, prices=[0.2])
    >>> curve.abstention_rates, curve.costs[0].value < stakes.bayes_cost(y, p).value
    ((0.5,), True)

    For half of the cases, which is cheaper than always deciding.
    """

    prices: tuple[float, ...]
    costs: tuple[ExpectedLoss, ...]
    abstention_rates: tuple[float, ...]

    def __str__(self) -> str:
        rows = zip(self.prices, self.costs, self.abstention_rates, strict=True)
        lines = [
            f"  {number(price):>8}  {number(cost.normalized):>8}  {percent(rate, 1)} %"
            for price, cost, rate in rows
        ]
        more = [f"  and {len(lines) - _MOST_LINES} more prices"] * (len(lines) > _MOST_LINES)
        head = "price of abstaining, normalised cost, share of abstentions"
        return "\n".join([head, *lines[:_MOST_LINES], *more])


@answered
def abstention_curve(
    y_true: Column,
    scores: Scores | Column,
    prices: Sequence[float] | None = None,
    *,
    costs: CostMatrix | CostValues | None = None,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> AbstentionCurve:
    """Return cost and abstention rate of Bayes decisions for each price of abstaining.

    Lower cost is better; the naive system always gives the same answer, or abstains. The abstention
    rate is that of the data at the given priors. `prices` go by default in 40 steps from nearly 0
    to (K - 1)/K of the largest cost, the least price at which no 0-1 decision is an abstention.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `expected_loss`.
    prices : sequence of float, optional
        Cost of abstaining.
    costs : CostMatrix or array, optional
        Costs of the other decisions; by default an error costs 1.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
        Posteriors are used as delivered.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.

    Returns
    -------
    AbstentionCurve
        With `prices`, `costs` and `abstention_rates`.

    See Also
    --------
    AbstentionDisplay : draws it.
    risk_coverage_curve : errors among the most confident answers, without a price.

    Examples
    --------
    >>> import stakes
    >>> curve = stakes.abstention_curve([0, 0, 1, 1], [0.1, 0.4, 0.45, 0.9], [0.2, 0.6])
    >>> [c.value for c in curve.costs], curve.abstention_rates
    ([0.1, 0.25], (0.5, 0.0))

    At a price of 0.2 it pays to abstain on half of the samples, at 0.6 on none.
    """
    named = declared_classes(classes, costs)
    samples = read_samples(y_true, scores, priors, sample_weight, named)
    given = samples.given_priors
    base = as_cost_matrix(costs, samples.classes)
    BayesCost(base).check(samples.classes)
    if prices is None:
        k = len(samples.classes)
        prices = np.linspace(0, (k - 1) / k * float(base.ranges()[1].max()), 41)[1:].tolist()
    listed = read_array(list(prices) if isinstance(prices, Iterable) else prices, "prices")
    if listed.ndim != 1 or not listed.size:
        raise InputError("prices", "must be a list of numbers", repr(prices))
    records, rates = [], []
    for price in listed.tolist():
        matrix = base.with_abstention(price)
        counts = bayes_counts(samples, matrix)
        records.append(counts.expected_cost(matrix, given))
        in_use = counts if given is None else counts.at_priors(given)
        rates.append(float(in_use.decision_rates[-1]))
    return AbstentionCurve(tuple(listed.tolist()), tuple(records), tuple(rates))


def bayes_counts(samples: Samples, costs: CostMatrix) -> ConfusionMatrix:
    """Return how often each class gets each Bayes decision."""
    y, weights, names = samples.y, samples.weights, (costs.classes, costs.decisions)
    decided = np.empty(len(samples), dtype=np.int64)
    for part, _, answers in samples.blocks():
        decided[part] = costs.least_expected(answers.p)
    return ConfusionMatrix.from_codes(y, decided, weights, *names)


@dataclass(frozen=True, eq=False)
class RiskCoverageCurve(Record):
    """Error rate among the most confident answers, for every number of answers.

    `coverage` is the share answered; `risk` is the share of wrong answers among these; `joint_risk`
    is the share of all samples that are answered wrongly (the generalised risk). Answers of equal
    confidence are given together.

    Attributes
    ----------
    coverage : array
        Share of samples answered.
    joint_risk : array
        Share of samples answered wrongly.

    See Also
    --------
    risk_coverage_curve : returns it.

    Examples
    --------
    >>> import stakes
    >>> p = stakes.Posteriors([0.1, 0.4, 0.45, 0.9])
    >>> curve = stakes.risk_coverage_curve([0, 0, 1, 1], p)
    >>> float(curve.coverage[curve.risk == 0].max())  # answer this share without an error
    0.75
    """

    coverage: FloatArray
    joint_risk: FloatArray

    def __str__(self) -> str:
        risk, area = number(float(self.risk[-1])), number(self.generalized_area())
        size = self.coverage.size
        return f"RiskCoverageCurve({size} points, risk {risk} at full coverage, AUGRC {area})"

    @property
    def risk(self) -> FloatArray:
        """Wrong answers divided by answers; at coverage 0, that of the most confident samples."""
        positive = self.coverage > 0
        risk = np.empty_like(self.coverage)
        risk[positive] = self.joint_risk[positive] / self.coverage[positive]
        risk[~positive] = risk[positive][0]
        return risk

    def generalized_area(self) -> float:
        """Return the area under the generalised risk-coverage curve (AUGRC); lower is better.

        It is the mean over thresholds of the probability of a wrong answer.
        """
        return float(np.trapezoid(self.joint_risk, self.coverage))

    def area(self) -> float:
        """Return the area under the risk-coverage curve (AURC), by linear interpolation."""
        return float(np.trapezoid(self.risk, self.coverage))


@answered
def risk_coverage_curve(
    y_true: Column,
    scores: Scores | Column,
    *,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> RiskCoverageCurve:
    """Return risk against coverage if the least confident answers are withheld.

    The answer is the most probable class (on a tie the first), and its posterior is the confidence.
    A plain column raises an error, since it is ambiguous: use `Posteriors(p)` for the posterior of
    the last of two classes, or `response_risk_coverage(Responses(right, confidence))` for the
    confidence of answers that are right or wrong.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `expected_loss`.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
        Posteriors are used as delivered.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.

    Returns
    -------
    RiskCoverageCurve
        With `coverage`, `risk`, `joint_risk` and two areas.

    See Also
    --------
    abstention_curve : if the price of abstaining is known.
    RiskCoverageDisplay : draws it.

    Examples
    --------
    Answer the three most confident of four, and none is wrong:

    >>> import stakes
    >>> p = stakes.Posteriors([0.1, 0.4, 0.45, 0.9])
    >>> curve = stakes.risk_coverage_curve([0, 0, 1, 1], p)
    >>> curve.coverage.tolist(), curve.risk.tolist()
    ([0.0, 0.5, 0.75, 1.0], [0.0, 0.0, 0.0, 0.25])
    """
    samples = read_samples(y_true, scores, priors, sample_weight, classes)
    if not isinstance(scores, Scores) and samples.scores.values.ndim == 1:
        rule = "must be a kind of score, or a column for each class"
        hint = (
            "For the posterior of the last of two classes pass Posteriors(p); for answers that are"
            " right or wrong use response_risk_coverage(Responses(right, confidence))."
        )
        raise InputError("scores", rule, "a plain column", hint=hint)
    sure, wrong = np.empty(len(samples)), np.empty(len(samples), dtype=np.int64)
    for part, y, answers in samples.blocks():
        p = answers.p
        choice = p.argmax(axis=1)
        sure[part] = p[np.arange(y.size), choice]
        wrong[part] = choice != y
    weights = samples.weights if samples.priors_from_data else samples.balanced_weights()
    return risk_coverage(ScoreLevels.from_scores(sure, wrong, weights))


def risk_coverage(levels: ScoreLevels) -> RiskCoverageCurve:
    """Return the curve for levels of confidence of right (first) and wrong (second) answers."""
    right, wrong = levels.on_one_scale()
    answered = cumulative((right + wrong)[::-1])
    failed = cumulative(wrong[::-1])
    return RiskCoverageCurve(answered / answered[-1], failed / answered[-1])
