"""Curves: what every threshold does."""

from stakes.curves.detectors import ClassDetectors, class_detectors
from stakes.curves.likelihood_ratios import DetectionCost, cllr, detection_cost, minimum_cllr
from stakes.curves.points import MinimumCost, OperatingPoint, TargetOdds
from stakes.curves.precision_recall import PrecisionRecallCurve, precision_recall_curve
from stakes.curves.risk import RiskCurve
from stakes.curves.roc import RocCurve, roc_curve
from stakes.curves.selective import (
    AbstentionCurve,
    RiskCoverageCurve,
    abstention_curve,
    risk_coverage_curve,
)
from stakes.curves.views import CalibrationLossView, CurveArea, CurveView, WorstApplication

__all__ = [
    "AbstentionCurve",
    "CalibrationLossView",
    "ClassDetectors",
    "CurveArea",
    "CurveView",
    "DetectionCost",
    "MinimumCost",
    "OperatingPoint",
    "PrecisionRecallCurve",
    "RiskCoverageCurve",
    "RiskCurve",
    "RocCurve",
    "TargetOdds",
    "WorstApplication",
    "abstention_curve",
    "class_detectors",
    "cllr",
    "detection_cost",
    "minimum_cllr",
    "precision_recall_curve",
    "risk_coverage_curve",
    "roc_curve",
]
