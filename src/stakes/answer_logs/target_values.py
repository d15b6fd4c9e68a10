"""What answers are worth at a confidence target, as harnesses ask for it: one number each."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from stakes.costs.confidence_target import ConfidenceTarget
from stakes.responses.response_measures import ResponseMeasures, own_measures
from stakes.responses.response_samples import Responses

_LEVEL = 0.95  # of intervals, which nobody asks for here


def utility(right: bool | None, abstained: bool, target: ConfidenceTarget) -> float:  # noqa: FBT001
    """Return the points of one answer."""
    if abstained:
        return 0.0
    return 1.0 if right else -target.penalty


@dataclass(frozen=True)
class TargetValues:
    """The numbers of some answers; NaN where they are undefined, also without any answers."""

    right: Sequence[bool | None]
    abstained: Sequence[bool]

    def utility(self, target: ConfidenceTarget) -> float:
        """Return the mean points."""
        measures = self._measures()
        return math.nan if measures is None else measures.utility(target).value

    def normalized_cost(self, target: ConfidenceTarget) -> float:
        """Return the cost over the better one of always and never answering."""
        measures = self._measures()
        return math.nan if measures is None else measures.normalized(target)[1].value

    def answered(self) -> float:
        """Return which share of the questions is answered."""
        measures = self._measures()
        return math.nan if measures is None else measures.answered().value

    def answered_accuracy(self) -> float:
        """Return which share of the answers is right; NaN where there is none."""
        measures = self._measures()
        return math.nan if measures is None else measures.answered_accuracy().value

    def hallucination_rate(self) -> float:
        """Return how often the answer is wrong where it is not right; NaN where all are right."""
        measures = self._measures()
        return math.nan if measures is None else measures.hallucination_rate().value

    def points(self, target: ConfidenceTarget) -> list[float]:
        """Return the points of each answer."""
        pairs = zip(self.right, self.abstained, strict=True)
        return [utility(right, abstained, target) for right, abstained in pairs]

    def _measures(self) -> ResponseMeasures | None:
        if not self.right:
            return None
        return own_measures(Responses(self.right, abstained=self.abstained), _LEVEL)


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
