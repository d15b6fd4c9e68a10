"""Metrics of hard decisions: costs first, the traditional ones with the costs they imply."""

from stakes.metrics.confusion import ConfusionMatrix
from stakes.metrics.decisions import confusion_matrix, expected_cost
from stakes.metrics.explain import Explanation, explain
from stakes.metrics.traditional import (
    Accuracy,
    BalancedAccuracy,
    BalancedErrorRate,
    DecisionMetric,
    ErrorRate,
    FScore,
    Matthews,
    NetBenefit,
    PositiveLikelihoodRatio,
    Precision,
    Recall,
    Sensitivity,
    Specificity,
)

__all__ = [
    "Accuracy",
    "BalancedAccuracy",
    "BalancedErrorRate",
    "ConfusionMatrix",
    "DecisionMetric",
    "ErrorRate",
    "Explanation",
    "FScore",
    "Matthews",
    "NetBenefit",
    "PositiveLikelihoodRatio",
    "Precision",
    "Recall",
    "Sensitivity",
    "Specificity",
    "confusion_matrix",
    "expected_cost",
    "explain",
]
