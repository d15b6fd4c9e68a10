"""Metrics of hard decisions: costs first, the traditional ones with the costs they imply."""

from typing import TYPE_CHECKING

from stakes._lazy import names_of_package
from stakes.metrics.calibration_errors import (
    CalibrationError,
    calibration_error,
    confidence_calibration_error,
    smooth_calibration_error,
)
from stakes.metrics.confusion import ConfusionMatrix
from stakes.metrics.decisions import confusion_matrix, expected_cost
from stakes.metrics.explain import Explanation, explain
from stakes.metrics.reliability import EqualMass, EqualWidth, Reliability, reliability
from stakes.metrics.scores import bayes_cost, brier_score, cross_entropy, expected_loss
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

if TYPE_CHECKING:
    from stakes.metrics.card import Scorecard, scorecard
else:
    __getattr__ = names_of_package(
        __name__,
        {
            "card": ("Scorecard", "scorecard"),
        },
    )

__all__ = [
    "Accuracy",
    "BalancedAccuracy",
    "BalancedErrorRate",
    "CalibrationError",
    "ConfusionMatrix",
    "DecisionMetric",
    "EqualMass",
    "EqualWidth",
    "ErrorRate",
    "Explanation",
    "FScore",
    "Matthews",
    "NetBenefit",
    "PositiveLikelihoodRatio",
    "Precision",
    "Recall",
    "Reliability",
    "Scorecard",
    "Sensitivity",
    "Specificity",
    "bayes_cost",
    "brier_score",
    "calibration_error",
    "confidence_calibration_error",
    "confusion_matrix",
    "cross_entropy",
    "expected_cost",
    "expected_loss",
    "explain",
    "reliability",
    "scorecard",
    "smooth_calibration_error",
]
