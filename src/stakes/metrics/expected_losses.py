"""Expected values of proper scoring rules, and of costs that differ from sample to sample."""

from __future__ import annotations

__all__ = ["bayes_cost", "brier_score", "cross_entropy", "expected_loss"]

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from stakes._check import InputError, check_seen
from stakes._counting import bincount
from stakes._foreign_calls import answered
from stakes._math import expectation as mean_over_classes, quotient, shares
from stakes._text import quoted
from stakes._typing import Column, CostValues, FloatArray, IntArray, NamesLike, PriorsLike
from stakes.costs import CostMatrix, SampleCosts
from stakes.costs.by_case import as_costs, check_samples, classes_named, numbers_of
from stakes.costs.matrix import as_cost_matrix
from stakes.costs.price_words import is_prices
from stakes.loss_rows import LossRows, rows_of_moments
from stakes.results import ExpectedLoss
from stakes.samples import Samples, read_samples
from stakes.scores import Scores
from stakes.scoring import BayesCost, BrierLoss, LogLoss, ScoringRule
from stakes.statistics import LossSums


@answered
def expected_loss(
    rule: ScoringRule,
    y_true: Column,
    scores: Scores | Column,
    *,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> ExpectedLoss:
    """Return the expected value of a proper scoring rule: sum_i P_i mean of C*(H_i, s) (EPSR).

    Lower is better. The naive system always returns the priors; `normalized` is below 1 for
    posteriors that are better than that.

    Parameters
    ----------
    rule : ScoringRule
        Such as `LogLoss()`, `BrierLoss()`, `BayesCost(costs)`.
    y_true : column of N labels
    scores : array of posteriors of shape (N, K), P(classes[-1]) of shape (N,), or typed scores
        `Logits(z)`, `LogPosteriors(lp)`, `LogLikelihoods(ll)`, `LogLikelihoodRatios(llr)`.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
        Likelihoods are turned into posteriors at these priors; posteriors are used as delivered.
    sample_weight : column of N weights, optional
    classes : sequence of K names, optional
        In the order of the columns. By default the names of a data frame's columns, or 0..K-1.

    Returns
    -------
    ExpectedLoss
        A float, with `naive`, `normalized` and their intervals.

    See Also
    --------
    cross_entropy, brier_score, bayes_cost : the usual rules.
    calibration_loss : the part that calibration recovers.

    Examples
    --------
    >>> import stakes
    >>> y, p = ["ham", "ham", "spam"], [0.1, 0.4, 0.8]
    >>> loss = stakes.expected_loss(stakes.LogLoss(), y, p, classes=["ham", "spam"])
    >>> round(loss.value, 4), round(loss.normalized, 4)
    (0.2798, 0.4395)

    Less than half the cross-entropy of answering the priors: the scores are informative.
    """
    return expectation(rule, read_samples(y_true, scores, priors, sample_weight, classes))


def sample_losses(rule: ScoringRule, samples: Samples) -> FloatArray:
    """Return the loss of each sample."""
    losses = np.empty(len(samples))
    for part, y, answers in samples.blocks():
        losses[part] = rule.losses(y, answers)
    return losses


def expectation(rule: ScoringRule, samples: Samples) -> ExpectedLoss:
    """Return the expected loss of checked samples."""
    if not isinstance(rule, ScoringRule):
        raise InputError("rule", "must be a scoring rule, such as LogLoss()", repr(rule))
    rule.check(samples.classes)
    if samples.many and samples.groups is None:
        return _expectation_in_blocks(rule, samples)
    losses = sample_losses(rule, samples)
    known, infinite = None, np.flatnonzero(np.isinf(losses))
    if samples.known is not None:  # rows are those of a summary, not those that were given
        known, infinite = samples.known.loss_sums(rule, samples.priors), infinite[:0]
    sums = losses_summed(losses, samples) if known is None else known
    rows = rows_of_losses(losses, samples, sums).between(*_range(rule, samples, losses))
    return from_sums(rule, sums, samples, rows, samples.rows(infinite))


def losses_summed(losses: FloatArray, samples: Samples) -> LossSums:
    """Return the sums of losses of checked samples."""
    return LossSums.from_losses(
        samples.y, losses, samples.weights, len(samples.classes), samples.copies
    )


def rows_of_losses(losses: FloatArray, samples: Samples, sums: LossSums) -> LossRows:
    """Return the rows of an expected loss: checked samples with what they lose."""
    copies = samples.copies
    number = np.ones(len(samples)) if copies is None else copies.astype(np.float64)
    return LossRows(
        sums.mean, samples.y, losses, samples.scaled_weights(), number, unit=samples.groups
    )


def _range(
    rule: ScoringRule, samples: Samples, losses: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest loss that an unseen sample of each class may have.

    Where a rule has no bound, that is the farthest seen or, if that is farther, what samples of
    other classes, each at its prior, would lose on average if they were of this one, to single
    precision, so that no order of samples changes it. Infinite losses are left out.
    """
    low, high = rule.bounds(len(samples.classes))
    open_ = np.isinf(low) | np.isinf(high)
    if not open_.any():
        return low, high
    finite, (least, most) = np.isfinite(losses), np.full((2, open_.size), [[np.inf], [-np.inf]])
    np.minimum.at(least, samples.y[finite], losses[finite])
    np.maximum.at(most, samples.y[finite], losses[finite])
    sums, mass = np.zeros((2, open_.size)), samples.balanced_mass()
    for part, y, answers in samples.blocks():
        for k in np.flatnonzero(open_):
            lost = rule.losses(np.full(y.size, k), answers)
            other = (y != k) & np.isfinite(lost)
            own = mass[part][other]
            sums[:, k] += own @ lost[other], own.sum()
    if_others = quotient(sums[0], sums[1], np.nan).astype(np.float32)
    ends = np.fmin(least, if_others), np.fmax(most, if_others)
    return np.where(np.isinf(low), ends[0], low), np.where(np.isinf(high), ends[1], high)


def _expectation_in_blocks(rule: ScoringRule, samples: Samples) -> ExpectedLoss:
    """Return the expected loss of very many samples without a loss of each in memory."""

    def blocks() -> Iterator[tuple[IntArray, FloatArray]]:
        for _, y, answers in samples.blocks():
            yield y, np.asarray(rule.losses(y, answers), dtype=np.float64)

    sums = LossSums.from_blocks(blocks, len(samples.classes))
    infinite = np.empty(0, dtype=np.int64)
    if sums.infinite.any():
        infinite = np.flatnonzero(np.concatenate([np.isinf(losses) for _, losses in blocks()]))
    return from_sums(rule, sums, samples, rows_of_sums(rule, sums), samples.rows(infinite))


def rows_of_sums(rule: ScoringRule, sums: LossSums) -> LossRows:
    """Return rows that stand for very many samples, of which only sums are known."""
    weight = np.ldexp(sums.weight, sums.exponent - sums.exponent.max())
    rows = rows_of_moments(sums.size, weight, sums.mean, sums.moments())
    low, high = rule.bounds(sums.weight.size)
    seen = np.zeros_like(high)
    np.maximum.at(seen, rows.y, rows.loss)
    return rows.between(low, np.where(np.isinf(high), seen, high))


def from_sums(
    rule: ScoringRule, sums: LossSums, samples: Samples, rows: LossRows, infinite_rows: IntArray
) -> ExpectedLoss:
    """Return the expected loss of summed losses at the priors of the samples."""
    p = samples.priors
    check_seen(p, sums.weight, samples.classes)
    unseeing = rule.naive_losses(p)
    return ExpectedLoss(
        name=rule.name,
        value=mean_over_classes(p, sums.mean),
        naive=mean_over_classes(p, unseeing),
        naive_answer=rule.naive_answer(p),
        classes=samples.classes,
        priors=p,
        priors_from_data=samples.priors_from_data,
        losses=rows,
        naive_losses=unseeing,
        rivals=rule.rivals(p) if samples.priors_from_data else (),
        naive_at=rule.naive_losses if samples.priors_from_data else None,
        infinite_rows=infinite_rows,
        infinite_samples=int(sums.infinite.sum()),
        over_others=_over_others(sums, samples) if sums.infinite.any() else math.nan,
    )


def _over_others(sums: LossSums, samples: Samples) -> float:
    """Return the expected loss over samples whose loss is finite; NaN where it is not known."""
    if sums.lost is None:
        return math.nan
    left = np.maximum(sums.weight - sums.lost, 0)
    p = shares(left, sums.exponent) if samples.priors_from_data and left.any() else samples.priors
    if not left[p > 0].all():
        return math.nan
    return mean_over_classes(p, quotient(sums.loss, left))


@answered
def bayes_cost(
    y_true: Column,
    scores: Scores | Column,
    *,
    costs: CostMatrix | SampleCosts | CostValues | None = None,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> ExpectedLoss:
    """Return the expected cost of the Bayes decisions made with the scores (Bayes EC).

    Lower is better; the naive system makes the best constant decision.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `expected_loss`.
    costs : CostMatrix, SampleCosts, array or dict, optional
        By default 1 for each error. For two classes also {"miss": 5, "false_alarm": 1}.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
        Posteriors are used as delivered.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.

    Returns
    -------
    ExpectedLoss
        A float, with `naive`, `normalized` and their intervals.

    See Also
    --------
    expected_cost : for given decisions.
    decide : the decisions.
    risk_curve : for all thresholds.

    Examples
    --------
    >>> import stakes
    >>> costs = {"miss": 5, "false_alarm": 1}
    >>> cost = stakes.bayes_cost([0, 0, 0, 1], [0.1, 0.3, 0.1, 0.3], costs=costs)
    >>> cost.value, round(cost.normalized, 3)
    (0.25, 0.333)

    A third of the naive cost: use it.
    """
    classes = classes_named(costs) if classes is None else classes
    return bayes_cost_of(read_samples(y_true, scores, priors, sample_weight, classes), costs)


def bayes_cost_of(
    samples: Samples, costs: CostMatrix | SampleCosts | CostValues | None
) -> ExpectedLoss:
    """Return the expected cost of Bayes decisions of checked samples."""
    if is_prices(costs):
        costs = numbers_of(as_costs(costs, samples.classes))
    if not isinstance(costs, SampleCosts):
        return expectation(BayesCost(as_cost_matrix(costs, samples.classes)), samples)
    if costs.classes != samples.classes:
        rule = f"must have the classes of the scores, {quoted(samples.classes)}, in their order"
        raise InputError("costs", rule, quoted(costs.classes))
    check_samples(costs, samples.n_given)
    kept = costs if samples.row is None else costs.part(samples.row)
    same = kept.constant()
    if same is not None:
        return expectation(BayesCost(same), samples)
    decided = kept.least_expected(samples.scores.answers(samples.priors).p)
    how = samples.weights, samples.given_priors, samples.copies, samples.groups
    return replace(expected_sample_cost(kept, samples.y, decided, *how), name="Bayes expected cost")


@answered
def cross_entropy(
    y_true: Column,
    scores: Scores | Column,
    *,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> ExpectedLoss:
    """Return the cross-entropy XE, the expected logarithmic loss (eq:crossent).

    Lower is better, 0 is perfect; the naive value is the entropy of the priors. A posterior of 0
    for the true class makes it infinite; `infinite_rows` lists these samples.

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
    ExpectedLoss
        In nats; a float, with `naive`, `normalized` and their intervals.

    See Also
    --------
    brier_score : bounded, so no single error has infinite weight.
    calibration_loss : the part that calibration recovers.
    expected_loss : any scoring rule.

    Examples
    --------
    Below 1: better than always answering the class frequencies.

    >>> import stakes
    >>> round(stakes.cross_entropy([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).normalized, 3)
    0.681
    """
    return expectation(LogLoss(), read_samples(y_true, scores, priors, sample_weight, classes))


@answered
def brier_score(
    y_true: Column,
    scores: Scores | Column,
    *,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> ExpectedLoss:
    """Return the Brier score BR with the paper's 1/K: the expected Brier loss (eq:brier).

    Lower is better, from 0 to 2/K; the naive value is 1/K sum_i P_i (1 - P_i).

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
    ExpectedLoss
        A float, with `naive`, `normalized` and their intervals.

    See Also
    --------
    cross_entropy : also sensitive to small probabilities.
    expected_loss : any scoring rule.

    Examples
    --------
    Below 1: better than always answering the class frequencies.

    >>> import stakes
    >>> round(stakes.brier_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).normalized, 3)
    0.633
    """
    return expectation(BrierLoss(), read_samples(y_true, scores, priors, sample_weight, classes))


def expected_sample_cost(
    costs: SampleCosts,
    y: IntArray,
    d: IntArray,
    weights: FloatArray | None,
    priors: FloatArray | None,
    copies: IntArray | None = None,
    unit: IntArray | None = None,
) -> ExpectedLoss:
    """Return the expected cost, normalised by the best constant decision on the same samples."""
    k, m = costs.shape[1:]

    def summed(loss: FloatArray) -> LossSums:
        return LossSums.from_losses(y, loss, weights, k, copies)

    paid = costs.at(y, d)
    sums = summed(paid)
    p = shares(sums.weight, sums.exponent) if priors is None else priors
    check_seen(p, sums.weight, costs.classes)
    constants = [costs.at(y, np.full(y.size, j)) for j in range(m)]
    apart = [summed(cost).mean for cost in constants]
    values = [mean_over_classes(p, one) for one in apart]
    best, optimal = int(np.argmin(values)), costs.optimal()
    rivals = [j for j in range(m) if j != best and values[j] > 0 and optimal[:, j].any()]
    kept = [best, *rivals]
    number = np.ones(y.size) if copies is None else copies.astype(np.float64)
    weight = np.ones(y.size) if weights is None else weights / weights.max()
    bases = np.column_stack([constants[j] for j in kept])
    rows = LossRows(sums.mean, y, paid, weight, number, bases=bases, unit=unit)
    return ExpectedLoss(
        name="expected cost",
        value=mean_over_classes(p, sums.mean),
        naive=values[best],
        naive_answer=costs.decisions[best],
        classes=costs.classes,
        priors=p,
        priors_from_data=priors is None,
        losses=replace(rows, possible=_expensive_cases(costs, d, rows, priors, kept)),
        naive_losses=apart[best],
        rivals=tuple(apart[j] for j in rivals),
    )


def _expensive_cases(
    costs: SampleCosts, d: IntArray, rows: LossRows, priors: FloatArray | None, kept: list[int]
) -> LossRows:
    """Return for each class the case that may occur, with the cheapest and the worst decision.

    Its prices are means over the cases of all classes, each counted by its weight and by what the
    worst decision would cost it if it were of the class: sums of amounts grow with the large ones.
    At given priors only ratios of weights within a class matter.
    """
    n, k, m = costs.shape
    optimal = costs.optimal()
    optimal[np.arange(n), d] = True
    typical = rows.class_weights(priors)
    relative = rows.weight / typical[rows.y]
    mass, found = rows.number * relative, []
    for i in np.flatnonzero(bincount(rows.y, minlength=k)):
        prices = np.column_stack([np.broadcast_to(costs.prices(int(i), j), n) for j in range(m)])
        worst = np.where(optimal, prices, -np.inf).max(axis=1)
        least = np.where(optimal, prices, np.inf).min(axis=1)
        by_size = mass * (worst - least if (worst > least).any() else np.ones(n))
        weight, heavy = typical[i] * rows.usual(by_size, relative), by_size * relative
        mean = [rows.usual(heavy, x) for x in (least, worst, *prices[:, kept].T)]
        found += [(i, mean[0], weight, *mean[2:]), (i, mean[1], weight, *mean[2:])]
    table = np.array(found)
    one = np.ones(len(table))
    y = table[:, 0].astype(np.int64)
    return LossRows(rows.mean, y, table[:, 1], table[:, 2], one, bases=table[:, 3:])
