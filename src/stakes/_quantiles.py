"""Quantiles and tails of the normal, Student's and the binomial distribution."""

import math
from functools import lru_cache
from statistics import NormalDist

_MANY = 1000  # degrees of freedom from which the expansion is right to ten digits
_NORMAL = NormalDist()


def normal(level: float) -> float:
    """Return how many standard errors a normal interval of this level reaches to either side."""
    return _NORMAL.inv_cdf((1 + level) / 2)


@lru_cache(maxsize=1024)
def student(level: float, degrees: float) -> float:
    """Return the same for Student's t; many degrees need no more than their expansion.

    Examples
    --------
    >>> round(student(0.95, 4), 6), round(student(0.95, math.inf), 6)
    (2.776445, 1.959964)
    """
    z = normal(level)
    if degrees >= _MANY:
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        )
        return z + math.fsum(term / degrees**k for k, term in enumerate(terms, 1))
    t, low, high = z, 0.0, math.inf
    for _ in range(200):
        gap = outside(t, degrees) - (1 - level)
        low, high = (t, high) if gap > 0 else (low, t)
        new = t + gap / (2 * _density(t, degrees))
        if not low < new < high:
            new = 2 * t if math.isinf(high) else (low + high) / 2
        if abs(new - t) <= 1e-13 * t:
            return new
        t = new
    return t


def _density(t: float, degrees: float) -> float:
    log = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)
    log -= (degrees + 1) / 2 * math.log1p(t * t / degrees)
    return math.exp(log) / math.sqrt(degrees * math.pi)


def outside(t: float, degrees: float) -> float:
    """Return the probability that Student's t lies beyond -t or t.

    Examples
    --------
    >>> round(outside(2.776445, 4), 6), round(outside(1.959964, math.inf), 6)
    (0.05, 0.05)
    """
    if math.isinf(degrees):
        return math.erfc(t / math.sqrt(2))
    x = degrees / (degrees + t * t)
    if x == 1:  # so near to 0 that the density is flat
        return 1 - 2 * t * _density(0, degrees)
    return _beta_share(x, degrees / 2, 0.5)


def binomial_below(k: int, n: int, p: float) -> float:
    """Return the probability of at most k events in n trials of probability p.

    Examples
    --------
    >>> round(binomial_below(0, 10, 0.1), 6), binomial_below(10, 10, 0.1)
    (0.348678, 1.0)
    """
    if k >= n:
        return 1.0
    if k < 0 or 1 - p in (0.0, 1.0):
        return float(k >= 0 and p < 0.5)
    return _beta_share(1 - p, n - k, k + 1)


def _beta_share(x: float, a: float, b: float) -> float:
    """Return the incomplete beta function as a share of the whole, for x above 0 and below 1."""
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function, after Lentz."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    total = d
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        before = total
        for term in (even, odd):
            d = 1 / _away(1 + term * d)
            c = _away(1 + term / c)
            total *= c * d
        if abs(total - before) <= 1e-16 * abs(total):
            break
    return total


def _away(x: float) -> float:
    """Return a number that can be divided by."""
    return x if abs(x) > 1e-300 else 1e-300
