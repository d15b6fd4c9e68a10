"""Expected cost where costs differ from sample to sample."""

import math

import numpy as np

from stakes._check import check_seen
from stakes._math import expectation, shares
from stakes._typing import FloatArray, IntArray
from stakes.costs import SampleCosts
from stakes.results import ClassLosses, ExpectedLoss
from stakes.statistics import LossSums


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
    value, naive = expectation(p, sums.mean), values[best]
    ratio = value / naive if naive > 0 else math.nan
    residuals = LossSums.of(y, paid - ratio * constants[best], weights, k)
    return ExpectedLoss(
        name="expected cost",
        value=value,
        naive=naive,
        naive_answer=costs.decisions[best],
        classes=costs.classes,
        priors=p,
        priors_from_data=priors is None,
        losses=_class_losses(sums),
        naive_losses=means[best],
        residuals=_class_losses(residuals) if naive > 0 else None,
    )


def _class_losses(sums: LossSums) -> ClassLosses:
    """Return the losses of the classes; amounts have no known bound."""
    n = sums.weight.size
    return ClassLosses(sums.size, sums.mean, *sums.moments(), np.zeros(n), np.full(n, np.inf))
