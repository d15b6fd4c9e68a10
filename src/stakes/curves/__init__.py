"""Curves: what every threshold does."""

from typing import TYPE_CHECKING

from stakes._lazy import names_of_package

if TYPE_CHECKING:
    from stakes.curves.area import RankingValue
    from stakes.curves.detectors import ClassDetectors, class_detectors
    from stakes.curves.distributions import ScoreDistribution, score_distribution
    from stakes.curves.likelihood_ratios import (
        DetectionCost,
        TippettCurve,
        cllr,
        detection_cost,
        minimum_cllr,
        tippett_curve,
    )
    from stakes.curves.points import MinimumCost, OperatingPoint, TargetOdds
    from stakes.curves.precision_recall import (
        PrecisionRecallCurve,
        average_precision,
        precision_recall_curve,
    )
    from stakes.curves.reliability import ReliabilityCurve, reliability_curve
    from stakes.curves.risk import RiskCurve
    from stakes.curves.roc import RocCurve, auc, roc_curve
    from stakes.curves.selective import (
        AbstentionCurve,
        RiskCoverageCurve,
        abstention_curve,
        risk_coverage_curve,
    )
    from stakes.curves.thresholds import (
        Detector,
        SweptMetric,
        ThresholdSweep,
        detector,
        threshold_sweep,
    )
    from stakes.curves.views import CalibrationLossView, CurveArea, CurveView, WorstApplication
else:
    __getattr__ = names_of_package(
        __name__,
        {
            "area": ("RankingValue",),
            "detectors": ("ClassDetectors", "class_detectors"),
            "distributions": ("ScoreDistribution", "score_distribution"),
            "likelihood_ratios": (
                "DetectionCost",
                "TippettCurve",
                "cllr",
                "detection_cost",
                "minimum_cllr",
                "tippett_curve",
            ),
            "points": ("MinimumCost", "OperatingPoint", "TargetOdds"),
            "precision_recall": (
                "PrecisionRecallCurve",
                "average_precision",
                "precision_recall_curve",
            ),
            "reliability": ("ReliabilityCurve", "reliability_curve"),
            "risk": ("RiskCurve",),
            "roc": ("RocCurve", "auc", "roc_curve"),
            "selective": (
                "AbstentionCurve",
                "RiskCoverageCurve",
                "abstention_curve",
                "risk_coverage_curve",
            ),
            "thresholds": (
                "Detector",
                "SweptMetric",
                "ThresholdSweep",
                "detector",
                "threshold_sweep",
            ),
            "views": ("CalibrationLossView", "CurveArea", "CurveView", "WorstApplication"),
        },
    )

__all__ = [
    "AbstentionCurve",
    "CalibrationLossView",
    "ClassDetectors",
    "CurveArea",
    "CurveView",
    "DetectionCost",
    "Detector",
    "MinimumCost",
    "OperatingPoint",
    "PrecisionRecallCurve",
    "RankingValue",
    "ReliabilityCurve",
    "RiskCoverageCurve",
    "RiskCurve",
    "RocCurve",
    "ScoreDistribution",
    "SweptMetric",
    "TargetOdds",
    "ThresholdSweep",
    "TippettCurve",
    "WorstApplication",
    "abstention_curve",
    "auc",
    "average_precision",
    "class_detectors",
    "cllr",
    "detection_cost",
    "detector",
    "minimum_cllr",
    "precision_recall_curve",
    "reliability_curve",
    "risk_coverage_curve",
    "roc_curve",
    "score_distribution",
    "threshold_sweep",
    "tippett_curve",
]
