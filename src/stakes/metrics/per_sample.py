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
) -> ExpectedLoss:
    """Return the expected cost, normalised by the best constant decision on the same samples."""
    k, m = costs.shape[1:]
    paid = costs.at(y, d)
    sums = LossSums.of(y, paid, weights, k)
    p = shares(sums.weight, sums.exponent) if priors is None else priors
    check_seen(p, sums.weight, costs.classes)
    constants = [costs.at(y, np.full(y.size, j)) for j in range(m)]
    means = [LossSums.of(y, c, weights, k).mean for c in constants]
    values = [expectation(p, mean) for mean in means]
    best = int(np.argmin(values))
    low, high, naive = _costly_prices(costs, y, d, best)
    optimal = costs.optimal()
    return ExpectedLoss(
        name="expected cost",
        value=expectation(p, sums.mean),
        naive=values[best],
        naive_answer=costs.decisions[best],
        classes=costs.classes,
        priors=p,
        priors_from_data=priors is None,
        losses=ClassLosses(sums.size, sums.mean, *sums.moments(), low, high),
        naive_losses=means[best],
        prices=_naive_prices(y, paid, constants[best], weights, naive),
        rivals=tuple(
            Constant(
                j,
                values[j],
                means[j],
                _naive_prices(y, paid, constants[j], weights, _costly_prices(costs, y, d, j)[2]),
            )
            for j in range(m)
            if j != best and priors is None and values[j] > 0 and optimal[:, j].any()
        ),
    )


def _costly_prices(
    costs: SampleCosts, y: IntArray, d: IntArray, naive: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the least and the largest price of a costly case of each class, and its naive price.

    It is the most expensive case of the class; where a class has few, at least the case that is
    more expensive than most cases would be if they were of this class. Where a class has many, it
    is the case that the mean price falls to if each case counts by its price.
    """
    n, k, m = costs.shape
    optimal = costs.optimal()
    optimal[np.arange(n), d] = True
    found = np.zeros((3, k))
    for i in range(k):
        prices = np.column_stack([np.broadcast_to(costs.prices(i, j), n) for j in range(m)])
        largest = np.where(optimal, prices, -np.inf).max(axis=1)
        mine = np.flatnonzero(y == i)
        candidates = [_costly_case(mine, largest[mine])] if mine.size else []
        if mine.size < _FEW:
            place = min(int(_COSTLY * n), n - 1)
            candidates.append(int(np.argpartition(largest, place)[place]))
        case = max(candidates, key=lambda c, top=largest: top[c])  # type: ignore[misc]
        low = np.where(optimal[case], prices[case], np.inf).min()
        found[:, i] = low, largest[case], prices[case, naive]
    return found[0], found[1], found[2]


def _costly_case(mine: IntArray, largest: FloatArray) -> int:
    """Return a case of a class whose errors are costly."""
    total = float(largest.sum())
    if mine.size < _MANY or total <= 0:
        return int(mine[largest.argmax()])
    typical = min(float(largest @ largest) / total, float(largest.max()))
    return int(mine[np.where(largest >= typical, largest, np.inf).argmin()])


def _naive_prices(
    y: IntArray,
    paid: FloatArray,
    naive: FloatArray,
    weights: FloatArray | None,
    padding: FloatArray,
) -> NaivePrices:
    """Return how what the naive decision costs varies, alone and with what was paid."""
    k = padding.size
    alone, both, ours = (LossSums.of(y, x, weights, k) for x in (naive, naive + paid, paid))
    drift, variance = alone.moments()
    covariance = (both.moments()[1] - variance - ours.moments()[1]) / 2
    return NaivePrices(alone.mean, drift, variance, covariance, padding)
