"""The traditional metrics of hard decisions, each with the costs it implies.

A metric is a small object: from counts it gives its value, the value of the best constant answer,
the expected cost it is tied to, and the identity between the two. Each metric of a module here is
registered in `METRICS`.
"""

from stakes._registry import Registry
from stakes.costs import CostMatrix, SampleCosts
from stakes.metrics.traditional.decision_metric import (
    EXACT,
    DecisionMetric,
    FourCounts,
    SweepMetric,
    require_square,
)
from stakes.statistics import ConfusionCounts

METRICS: Registry[DecisionMetric] = Registry(__name__, DecisionMetric, "metric")  # type: ignore[type-abstract]


def metrics_for_report(
    counts: ConfusionCounts, costs: CostMatrix | SampleCosts | None
) -> tuple[DecisionMetric, ...]:
    """Return the metrics that exist for these classes, decisions, counts and costs."""
    if counts.decisions != counts.classes:
        return ()
    fixed = costs if isinstance(costs, CostMatrix) else None
    found = (kind.for_report(counts, fixed) for kind in METRICS.classes.values())
    return tuple(metric for metric in found if metric is not None)
