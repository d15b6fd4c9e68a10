"""The least cost of any threshold, chosen on the samples themselves."""

from stakes.curves import MinimumCost, RocCurve
from stakes.evaluation.applications import ApplicationSamples
from stakes.samples import Samples
from stakes.statistics import ScoreLevels


def curve_of(samples: Samples) -> RocCurve | None:
    """Return the ROC curve of two classes that both occur."""
    if len(samples.classes) != 2:
        return None
    ranks = samples.scores.ranks()
    levels = ScoreLevels.from_scores(ranks, samples.y, samples.weights, samples.copies)
    return RocCurve(levels, samples.classes) if all(levels.totals) else None


def least_cost(use: ApplicationSamples, curve: RocCurve | None) -> MinimumCost | None:
    """Return the least cost of any threshold, for two classes and two decisions."""
    costs = use.binary_costs
    if curve is None or costs is None:
        return None
    return curve.minimum_cost(costs, use.samples.given_priors)
