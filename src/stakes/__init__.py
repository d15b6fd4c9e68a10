"""Evaluate classifiers by what their decisions cost.

Names are imported when first used, so that `import stakes` stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stakes import metrics, simulation
    from stakes._check import (
        FileError,
        InputError,
        MissingExtraError,
        StakesError,
        UndefinedMetricError,
        UndefinedMetricWarning,
    )
    from stakes.calibration import (
        AffineCalibrator,
        BetaCalibrator,
        BiasCalibrator,
        CalibrationLoss,
        Calibrator,
        CalibratorChoice,
        HistogramCalibrator,
        IsotonicCalibrator,
        ScoreDecomposition,
        TemperatureCalibrator,
        ThresholdCalibrator,
        TrainOnTest,
        VectorCalibrator,
        calibration_loss,
        calibrator_from_dict,
        choose_calibrator,
        cross_calibrate,
        decompose,
    )
    from stakes.costs import (
        CostMatrix,
        SampleCosts,
    )
    from stakes.curves import (
        AbstentionCurve,
        ClassDetectors,
        DetectionCost,
        MinimumCost,
        OperatingPoint,
        PrecisionRecallCurve,
        RiskCoverageCurve,
        RocCurve,
        TargetOdds,
        abstention_curve,
        class_detectors,
        cllr,
        detection_cost,
        minimum_cllr,
        precision_recall_curve,
        risk_coverage_curve,
        roc_curve,
    )
    from stakes.metrics import (
        ConfusionMatrix,
        Explanation,
        bayes_cost,
        brier_score,
        calibration_error,
        confidence_calibration_error,
        confusion_matrix,
        cross_entropy,
        expected_cost,
        expected_loss,
        explain,
    )
    from stakes.results import (
        ExpectedLoss,
        Interval,
        MetricValue,
        Undefined,
    )
    from stakes.scores import (
        Logits,
        LogLikelihoodRatios,
        LogLikelihoods,
        LogPosteriors,
        Posteriors,
        Scores,
    )
    from stakes.scoring import (
        BayesCost,
        BrierLoss,
        LogLoss,
        ScoringRule,
        SphericalLoss,
        ThresholdRange,
    )

    __version__: str

_ROOMS = {
    "AbstentionCurve": "stakes.curves",
    "AffineCalibrator": "stakes.calibration",
    "BayesCost": "stakes.scoring",
    "BetaCalibrator": "stakes.calibration",
    "BiasCalibrator": "stakes.calibration",
    "BrierLoss": "stakes.scoring",
    "CalibrationLoss": "stakes.calibration",
    "Calibrator": "stakes.calibration",
    "CalibratorChoice": "stakes.calibration",
    "ClassDetectors": "stakes.curves",
    "ConfusionMatrix": "stakes.metrics",
    "CostMatrix": "stakes.costs",
    "DetectionCost": "stakes.curves",
    "ExpectedLoss": "stakes.results",
    "Explanation": "stakes.metrics",
    "FileError": "stakes._check",
    "HistogramCalibrator": "stakes.calibration",
    "InputError": "stakes._check",
    "Interval": "stakes.results",
    "IsotonicCalibrator": "stakes.calibration",
    "LogLikelihoodRatios": "stakes.scores",
    "LogLikelihoods": "stakes.scores",
    "LogLoss": "stakes.scoring",
    "LogPosteriors": "stakes.scores",
    "Logits": "stakes.scores",
    "MetricValue": "stakes.results",
    "MinimumCost": "stakes.curves",
    "MissingExtraError": "stakes._check",
    "OperatingPoint": "stakes.curves",
    "Posteriors": "stakes.scores",
    "PrecisionRecallCurve": "stakes.curves",
    "RiskCoverageCurve": "stakes.curves",
    "RocCurve": "stakes.curves",
    "SampleCosts": "stakes.costs",
    "ScoreDecomposition": "stakes.calibration",
    "Scores": "stakes.scores",
    "ScoringRule": "stakes.scoring",
    "SphericalLoss": "stakes.scoring",
    "StakesError": "stakes._check",
    "TargetOdds": "stakes.curves",
    "TemperatureCalibrator": "stakes.calibration",
    "ThresholdCalibrator": "stakes.calibration",
    "ThresholdRange": "stakes.scoring",
    "TrainOnTest": "stakes.calibration",
    "Undefined": "stakes.results",
    "UndefinedMetricError": "stakes._check",
    "UndefinedMetricWarning": "stakes._check",
    "VectorCalibrator": "stakes.calibration",
    "abstention_curve": "stakes.curves",
    "bayes_cost": "stakes.metrics",
    "brier_score": "stakes.metrics",
    "calibration_error": "stakes.metrics",
    "calibration_loss": "stakes.calibration",
    "calibrator_from_dict": "stakes.calibration",
    "choose_calibrator": "stakes.calibration",
    "class_detectors": "stakes.curves",
    "cllr": "stakes.curves",
    "confidence_calibration_error": "stakes.metrics",
    "confusion_matrix": "stakes.metrics",
    "cross_calibrate": "stakes.calibration",
    "cross_entropy": "stakes.metrics",
    "decompose": "stakes.calibration",
    "detection_cost": "stakes.curves",
    "expected_cost": "stakes.metrics",
    "expected_loss": "stakes.metrics",
    "explain": "stakes.metrics",
    "minimum_cllr": "stakes.curves",
    "precision_recall_curve": "stakes.curves",
    "risk_coverage_curve": "stakes.curves",
    "roc_curve": "stakes.curves",
}
_MODULES = ("metrics", "simulation")

__all__ = [
    "AbstentionCurve",
    "AffineCalibrator",
    "BayesCost",
    "BetaCalibrator",
    "BiasCalibrator",
    "BrierLoss",
    "CalibrationLoss",
    "Calibrator",
    "CalibratorChoice",
    "ClassDetectors",
    "ConfusionMatrix",
    "CostMatrix",
    "DetectionCost",
    "ExpectedLoss",
    "Explanation",
    "FileError",
    "HistogramCalibrator",
    "InputError",
    "Interval",
    "IsotonicCalibrator",
    "LogLikelihoodRatios",
    "LogLikelihoods",
    "LogLoss",
    "LogPosteriors",
    "Logits",
    "MetricValue",
    "MinimumCost",
    "MissingExtraError",
    "OperatingPoint",
    "Posteriors",
    "PrecisionRecallCurve",
    "RiskCoverageCurve",
    "RocCurve",
    "SampleCosts",
    "ScoreDecomposition",
    "Scores",
    "ScoringRule",
    "SphericalLoss",
    "StakesError",
    "TargetOdds",
    "TemperatureCalibrator",
    "ThresholdCalibrator",
    "ThresholdRange",
    "TrainOnTest",
    "Undefined",
    "UndefinedMetricError",
    "UndefinedMetricWarning",
    "VectorCalibrator",
    "__version__",
    "abstention_curve",
    "bayes_cost",
    "brier_score",
    "calibration_error",
    "calibration_loss",
    "calibrator_from_dict",
    "choose_calibrator",
    "class_detectors",
    "cllr",
    "confidence_calibration_error",
    "confusion_matrix",
    "cross_calibrate",
    "cross_entropy",
    "decompose",
    "detection_cost",
    "expected_cost",
    "expected_loss",
    "explain",
    "metrics",
    "minimum_cllr",
    "precision_recall_curve",
    "risk_coverage_curve",
    "roc_curve",
    "simulation",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Import a public name from its room the first time it is asked for."""
    if name == "__version__":
        value: Any = import_module("importlib.metadata").version("stakes")
    elif name in _MODULES:
        return import_module(f"stakes.{name}")
    elif name in _ROOMS:
        value = getattr(import_module(_ROOMS[name]), name)
    else:
        msg = f"module 'stakes' has no attribute {name!r}"
        raise AttributeError(msg)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
