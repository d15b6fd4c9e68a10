"""Expected cost where costs differ from sample to sample."""

import numpy as np

from stakes._check import check_seen
from stakes._math import expectation, shares
from stakes._typing import FloatArray, IntArray
from stakes.class_losses import ClassLosses, Constant, NaivePrices
from stakes.costs import SampleCosts
from stakes.results import ExpectedLoss
from stakes.statistics import LossSums

_FEW = 50  # samples of a class, below which other cases show too how large its prices can be
_MANY = 200  # from which on the most expensive one is no longer taken for a common one
_COSTLY = 0.95  # share of all cases that the costly one is at least as expensive as


def expected_sample_cost(
    costs: SampleCosts,
    y: IntArray,
    d: IntArray,
    weights: FloatArray | None,
    priors: FloatArray | None,
    copies: IntArray | None = None,
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
    apart = [summed(cost) for cost in constants]
    values = [expectation(p, one.mean) for one in apart]
    best = int(np.argmin(values))
    number = np.ones(y.size, dtype=np.int64) if copies is None else copies
    low, high, naive = _costly_prices(costs, y, d, best, number)
    optimal, others = costs.optimal(), []
    for j in range(m) if priors is None else ():
        if j != best and values[j] > 0 and optimal[:, j].any():
            padding = _costly_prices(costs, y, d, j, number)[2]
            prices = _naive_prices(apart[j], summed(constants[j] + paid), sums, padding)
            others.append(Constant(j, values[j], apart[j].mean, prices))
    return ExpectedLoss(
        name="expected cost",
        value=expectation(p, sums.mean),
        naive=values[best],
        naive_answer=costs.decisions[best],
        classes=costs.classes,
        priors=p,
        priors_from_data=priors is None,
        losses=ClassLosses(sums.size, sums.mean, *sums.moments()[:2], low, high),
        naive_losses=apart[best].mean,
        prices=_naive_prices(apart[best], summed(constants[best] + paid), sums, naive),
        rivals=tuple(others),
    )


def _costly_prices(
    costs: SampleCosts, y: IntArray, d: IntArray, naive: int, number: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the least and the largest price of a costly case of each class, and its naive price.

    It is the most expensive case of the class; where a class has few, at least the case that is
    more expensive than most cases would be if they were of this class. Where a class has many, it
    is the case that the mean price falls to if each case counts by its price. `number` is that of
    cases in each row.
    """
    n, k, m = costs.shape
    optimal = costs.optimal()
    optimal[np.arange(n), d] = True
    found = np.zeros((3, k))
    for i in range(k):
        prices = np.column_stack([np.broadcast_to(costs.prices(i, j), n) for j in range(m)])
        largest = np.where(optimal, prices, -np.inf).max(axis=1)
        mine = np.flatnonzero(y == i)
        candidates = [_costly_case(mine, largest[mine], number[mine])] if mine.size else []
        if number[mine].sum() < _FEW:
            candidates.append(_more_than_most(largest, number))
        case = max(candidates, key=lambda c, top=largest: top[c])  # type: ignore[misc]
        low = np.where(optimal[case], prices[case], np.inf).min()
        found[:, i] = low, largest[case], prices[case, naive]
    return found[0], found[1], found[2]


def _more_than_most(largest: FloatArray, number: IntArray) -> int:
    n = int(number.sum())
    place = min(int(_COSTLY * n), n - 1)
    if n == largest.size:
        return int(np.argpartition(largest, place)[place])
    order = np.argsort(largest, kind="stable")
    return int(order[np.searchsorted(np.cumsum(number[order]), place, side="right")])


def _costly_case(mine: IntArray, largest: FloatArray, number: IntArray) -> int:
    every = largest * number
    total = float(every.sum())
    if number.sum() < _MANY or total <= 0:
        return int(mine[largest.argmax()])
    typical = min(float(every @ largest) / total, float(largest.max()))
    return int(mine[np.where(largest >= typical, largest, np.inf).argmin()])


def _naive_prices(
    naive: LossSums, both: LossSums, ours: LossSums, padding: FloatArray
) -> NaivePrices:
    """Return how what the naive decision costs varies, alone and with what was paid."""
    (drift, variance, _), (_, joint, _), (_, own, _) = (x.moments() for x in (naive, both, ours))
    return NaivePrices(naive.mean, drift, variance, (joint - variance - own) / 2, padding)
