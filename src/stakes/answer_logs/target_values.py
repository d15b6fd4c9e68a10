"""What answers are worth at a confidence target, as harnesses ask for it: one number each."""

import math
from collections.abc import Hashable, Sequence

from stakes._check import InputError, read_number

Truth = bool | None


def read_target(t: float) -> float:
    """Return a confidence target, at least 0 and below 1."""
    found = read_number(t, "t", 0, 1)
    if found == 1:
        raise InputError("t", "must be below 1", t, hint="At 1 no answer is sure enough.")
    return found


def utility(right: Truth, abstained: bool, t: float) -> float:  # noqa: FBT001
    """Return the points of an answer: 1 right, −t/(1 − t) wrong, 0 for none."""
    if abstained:
        return 0.0
    return 1.0 if right else -t / (1 - t)


def mean_utility(right: Sequence[Truth], abstained: Sequence[bool], t: float) -> float:
    """Return the mean points."""
    points = [utility(r, a, t) for r, a in zip(right, abstained, strict=True)]
    return math.fsum(points) / len(points) if points else math.nan


def answered_share(abstained: Sequence[bool]) -> float:
    """Return which share of the questions is answered."""
    return _share(len(abstained) - sum(abstained), len(abstained))


def answered_accuracy(right: Sequence[Truth], abstained: Sequence[bool]) -> float:
    """Return which share of the answers is right; NaN where there is none."""
    wrong, hits = _counts(right, abstained)
    return _share(hits, hits + wrong)


def hallucination_rate(right: Sequence[Truth], abstained: Sequence[bool]) -> float:
    """Return how often the answer is wrong where it is not right; NaN where all are right."""
    wrong, hits = _counts(right, abstained)
    return _share(wrong, len(right) - hits)


def normalized_cost(right: Sequence[Truth], abstained: Sequence[bool], t: float) -> float:
    """Return the cost over the better one of always and never answering.

    Right costs 0, wrong 1, no answer 1 − t. Answers that were held back are taken to be right, so
    that always answering costs least, and this is the largest that the ratio can be.
    """
    wrong, _ = _counts(right, abstained)
    n = len(right)
    cost = wrong + (1 - t) * sum(abstained)
    return _share(cost, min(n * (1 - t), wrong))


def clustered_stderr(points: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """Return the standard error of a mean whose parts vary together within clusters.

    That of inspect: the sums of deviations by cluster, with C/(C − 1) for few clusters. NaN
    where there is one cluster, which shows no variation.
    """
    mean = math.fsum(points) / len(points) if points else math.nan
    sums: dict[Hashable, list[float]] = {}
    for value, cluster in zip(points, clusters, strict=True):
        sums.setdefault(cluster, []).append(value - mean)
    if len(sums) < 2:
        return math.nan
    total = math.fsum(math.fsum(part) ** 2 for part in sums.values())
    return math.sqrt(total * len(sums) / (len(sums) - 1)) / len(points)


def _counts(right: Sequence[Truth], abstained: Sequence[bool]) -> tuple[int, int]:
    """Return how many answers are wrong and how many right."""
    given = [bool(r) for r, a in zip(right, abstained, strict=True) if not a]
    return given.count(False), given.count(True)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan
