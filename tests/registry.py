"""Every metric of hard decisions, by name; a law runs over all of them unless it says why not.

They are those of the registry, at the options of their short names and at one more of each option.
"""

from collections.abc import Callable, Iterator

import stakes
from stakes import metrics
from stakes._registry import options_of
from stakes.metrics.traditional import METRICS
from stakes.metrics.traditional.decision_metric import BinaryMetric

Metric = Callable[[stakes.ConfusionMatrix], float]


def value_of(metric: metrics.DecisionMetric) -> Metric:
    """Return the bare value of a metric, NaN where it is undefined."""
    return lambda cm: metric.evaluate(cm).value


def _varied() -> Iterator[tuple[str, metrics.DecisionMetric]]:
    """Yield metrics whose options are not the default ones."""
    for name, kind in METRICS.classes.items():
        for option in options_of(kind):
            yield f"{name} at {option.name} 0.3", kind(**{option.name: 0.3})


METRIC_OBJECTS: dict[str, metrics.DecisionMetric] = {**METRICS.choices, **dict(_varied())}

# Metrics of two classes, one of interest.
BINARY_OBJECTS = {n: m for n, m in METRIC_OBJECTS.items() if isinstance(m, BinaryMetric)}

# Metrics of any number of classes whose decisions are the classes.
GENERAL_OBJECTS = {n: m for n, m in METRIC_OBJECTS.items() if n not in BINARY_OBJECTS}

GENERAL: dict[str, Metric] = {
    **{n: value_of(m) for n, m in GENERAL_OBJECTS.items()},
    "expected_cost": lambda cm: cm.expected_cost().value,
    "normalized_cost": lambda cm: cm.expected_cost().normalized,
}

BINARY: dict[str, Metric] = {**GENERAL, **{n: value_of(m) for n, m in BINARY_OBJECTS.items()}}
