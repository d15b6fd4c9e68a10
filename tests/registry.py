"""Every metric of hard decisions, by name; a law runs over all of them unless it says why not."""

from collections.abc import Callable

import stakes
from stakes import metrics

Metric = Callable[[stakes.ConfusionMatrix], float]


def value_of(metric: metrics.DecisionMetric) -> Metric:
    """Return the bare value of a metric, NaN where it is undefined."""
    return lambda cm: metric.of(cm).value


# Metrics of any number of classes whose decisions are the classes.
GENERAL: dict[str, Metric] = {
    "error_rate": value_of(metrics.ErrorRate()),
    "accuracy": value_of(metrics.Accuracy()),
    "balanced_error_rate": value_of(metrics.BalancedErrorRate()),
    "balanced_accuracy": value_of(metrics.BalancedAccuracy()),
    "matthews": value_of(metrics.Matthews()),
    "expected_cost": lambda cm: cm.expected_cost().value,
    "normalized_cost": lambda cm: cm.expected_cost().normalized,
}

# Metrics of two classes, one of interest.
BINARY_OBJECTS: dict[str, metrics.DecisionMetric] = {
    "net_benefit": metrics.NetBenefit(0.3),
    "f1": metrics.FScore(),
    "f2": metrics.FScore(2),
    "precision": metrics.Precision(),
    "recall": metrics.Recall(),
    "sensitivity": metrics.Sensitivity(),
    "specificity": metrics.Specificity(),
    "likelihood_ratio": metrics.PositiveLikelihoodRatio(),
}

BINARY: dict[str, Metric] = {**GENERAL, **{n: value_of(m) for n, m in BINARY_OBJECTS.items()}}
