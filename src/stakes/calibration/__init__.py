"""Calibration: better posteriors from scores, and how much they recover."""

from typing import TYPE_CHECKING

from stakes._lazy import names_of_package

if TYPE_CHECKING:
    from stakes.calibration.affine import (
        AffineCalibrator,
        BetaCalibrator,
        BiasCalibrator,
        TemperatureCalibrator,
        VectorCalibrator,
    )
    from stakes.calibration.base import Calibrator, calibrator_from_dict
    from stakes.calibration.choice import CalibratorChoice, choose_calibrator
    from stakes.calibration.crossfit import HeldOut, TrainOnTest, cross_calibrate
    from stakes.calibration.loss import (
        CalibrationLoss,
        ScoreDecomposition,
        calibration_loss,
        decompose,
    )
    from stakes.calibration.risk import risk_curve
    from stakes.calibration.shift import (
        PriorEstimate,
        estimate_priors,
        estimate_priors_from_decisions,
    )
    from stakes.calibration.steps import (
        HistogramCalibrator,
        IsotonicCalibrator,
        ThresholdCalibrator,
    )
else:
    __getattr__ = names_of_package(
        __name__,
        {
            "affine": (
                "AffineCalibrator",
                "BetaCalibrator",
                "BiasCalibrator",
                "TemperatureCalibrator",
                "VectorCalibrator",
            ),
            "base": ("Calibrator", "calibrator_from_dict"),
            "choice": ("CalibratorChoice", "choose_calibrator"),
            "crossfit": ("HeldOut", "TrainOnTest", "cross_calibrate"),
            "loss": (
                "CalibrationLoss",
                "ScoreDecomposition",
                "calibration_loss",
                "decompose",
            ),
            "risk": ("risk_curve",),
            "shift": ("PriorEstimate", "estimate_priors", "estimate_priors_from_decisions"),
            "steps": ("HistogramCalibrator", "IsotonicCalibrator", "ThresholdCalibrator"),
        },
    )

__all__ = [
    "AffineCalibrator",
    "BetaCalibrator",
    "BiasCalibrator",
    "CalibrationLoss",
    "Calibrator",
    "CalibratorChoice",
    "HeldOut",
    "HistogramCalibrator",
    "IsotonicCalibrator",
    "PriorEstimate",
    "ScoreDecomposition",
    "TemperatureCalibrator",
    "ThresholdCalibrator",
    "TrainOnTest",
    "VectorCalibrator",
    "calibration_loss",
    "calibrator_from_dict",
    "choose_calibrator",
    "cross_calibrate",
    "decompose",
    "estimate_priors",
    "estimate_priors_from_decisions",
    "risk_curve",
]
