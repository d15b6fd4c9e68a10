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
    "BayesCost": "stakes.scoring",
    "BrierLoss": "stakes.scoring",
    "ClassDetectors": "stakes.curves",
    "ConfusionMatrix": "stakes.metrics",
    "CostMatrix": "stakes.costs",
    "DetectionCost": "stakes.curves",
    "ExpectedLoss": "stakes.results",
    "Explanation": "stakes.metrics",
    "FileError": "stakes._check",
    "InputError": "stakes._check",
    "Interval": "stakes.results",
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
    "Scores": "stakes.scores",
    "ScoringRule": "stakes.scoring",
    "SphericalLoss": "stakes.scoring",
    "StakesError": "stakes._check",
    "TargetOdds": "stakes.curves",
    "ThresholdRange": "stakes.scoring",
    "Undefined": "stakes.results",
    "UndefinedMetricError": "stakes._check",
    "UndefinedMetricWarning": "stakes._check",
    "abstention_curve": "stakes.curves",
    "bayes_cost": "stakes.metrics",
    "brier_score": "stakes.metrics",
    "calibration_error": "stakes.metrics",
    "class_detectors": "stakes.curves",
    "cllr": "stakes.curves",
    "confidence_calibration_error": "stakes.metrics",
    "confusion_matrix": "stakes.metrics",
    "cross_entropy": "stakes.metrics",
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
    "BayesCost",
    "BrierLoss",
    "ClassDetectors",
    "ConfusionMatrix",
    "CostMatrix",
    "DetectionCost",
    "ExpectedLoss",
    "Explanation",
    "FileError",
    "InputError",
    "Interval",
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
    "Scores",
    "ScoringRule",
    "SphericalLoss",
    "StakesError",
    "TargetOdds",
    "ThresholdRange",
    "Undefined",
    "UndefinedMetricError",
    "UndefinedMetricWarning",
    "__version__",
    "abstention_curve",
    "bayes_cost",
    "brier_score",
    "calibration_error",
    "class_detectors",
    "cllr",
    "confidence_calibration_error",
    "confusion_matrix",
    "cross_entropy",
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
