"""Quantiles of the normal and of Student's distribution, and what intervals make of them."""

import math
from functools import lru_cache
from statistics import NormalDist

_MANY = 1000  # degrees of freedom from which the expansion is right to ten digits
_NORMAL = NormalDist()
_RARE = 3.5  # events, up to which a score interval ends too early


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


def wilson(share: float, n: float, quantile: float) -> tuple[float, float]:
    """Return Wilson's interval of a proportion seen in n samples.

    Near 0 and 1 it covers too seldom; with up to three samples on one side its end there is moved
    to that of a Poisson mean, after Brown, Cai and DasGupta.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(1.0, 4, normal(0.95))]
    [0.5101, 1.0]
    >>> [round(end, 4) for end in wilson(0.25, 4, normal(0.95))]
    [0.0099, 0.7974]
    """
    square = quantile * quantile
    centre = (share + square / (2 * n)) / (1 + square / n)
    inner = share * (1 - share) / n + square / (4 * n * n)
    half = quantile * math.sqrt(max(inner, 0.0)) / (1 + square / n)
    low = min(centre - half, _rare(share * n, quantile) / n)
    high = max(centre + half, 1 - _rare((1 - share) * n, quantile) / n)
    return max(low, 0.0), min(high, 1.0)


def _rare(count: float, quantile: float) -> float:
    """Return the lower end of the mean of rare events, after Wilson and Hilferty; of few only."""
    if count > _RARE:
        return math.inf
    if count <= 0:
        return 0.0
    one_sided = _NORMAL.inv_cdf(2 * _NORMAL.cdf(quantile) - 1)
    return count * max(1 - 1 / (9 * count) - one_sided / (3 * math.sqrt(count)), 0.0) ** 3


def skewed_ends(quantile: float, skewness: float) -> tuple[float, float]:
    """Return how far a mean of skewed values lies below and above its truth, in standard errors.

    Hall's cubic transformation of the t statistic removes its skewness: the statistic T of a mean
    with this skewness is as far out as the quantile where T + s T^2/3 + s^2 T^3/27 + s/6 is.

    Examples
    --------
    >>> skewed_ends(1.96, 0.0)
    (-1.96, 1.96)
    >>> [round(end, 3) for end in skewed_ends(1.96, 0.3)]
    [-2.65, 1.63]
    """
    if abs(skewness) < 1e-6:
        return -quantile, quantile
    cubes = (1 + skewness * (end - skewness / 6) for end in (-quantile, quantile))
    roots = (math.copysign(abs(cube) ** (1 / 3), cube) for cube in cubes)
    low, high = (3 / skewness * (root - 1) for root in roots)
    return low, high
