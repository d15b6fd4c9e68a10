"""The scoring-rule table with its calibrated rows, and the table of calibration loss."""

from functools import lru_cache, partial

import numpy as np

from stakes._math import log_softmax
from stakes._typing import FloatArray, IntArray
from stakes.calibration import AffineCalibrator, Calibrator, TemperatureCalibrator, cross_calibrate
from stakes.calibration.maps import AffineMap
from stakes.costs import CostMatrix
from stakes.metrics import bayes_cost, brier_score, confidence_calibration_error, cross_entropy
from stakes.paper import published
from stakes.paper.reproductions import Reproduction, row_of
from stakes.paper.threshold_tables import posterior_sets, simulated
from stakes.scores import LogPosteriors


class TemperatureAsPublished(TemperatureCalibrator):
    """The temperature as the author fitted it: L-BFGS-B from 1, stopped where SciPy stops it.

    That is two parts in 100,000 above the optimum, and one printed digit hangs on it.
    """

    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> AffineMap:
        """Return the scale at which the descent came to rest."""
        from scipy.optimize import minimize  # noqa: PLC0415  slow to import

        of_truth = np.arange(y.size), y

        def value_and_slope(scale: FloatArray) -> tuple[float, FloatArray]:
            log_q = log_softmax(scale * log_p)
            slope = weights @ ((np.exp(log_q) * log_p).sum(axis=1) - log_p[of_truth])
            return -float(weights @ log_q[of_truth]), np.atleast_1d(slope)

        found = minimize(value_and_slope, np.ones(1), jac=True, method="L-BFGS-B")
        k = log_p.shape[1]
        return AffineMap(np.full(k, found.x[0]), np.zeros(k))


_STAGES: dict[str, Calibrator | None] = {
    "": None,
    "-temcal": TemperatureAsPublished(),
    "-affcal": AffineCalibrator(),
}


@lru_cache(maxsize=1)
def calibrated_sets() -> dict[str, tuple[LogPosteriors, ...]]:
    """Return the 18 sets of posteriors: as they are, and after two calibrations by five folds."""
    y = simulated(10).y
    return {
        f"{name}{suffix}": tuple(
            s if stage is None else cross_calibrate(stage, y, s) for s in systems
        )
        for name, systems in posterior_sets().items()
        for suffix, stage in _STAGES.items()
    }


def scoring_table() -> Reproduction:
    """Return the table "ec_multiclass": four scoring rules of 18 sets of posteriors."""
    y = simulated(10).y
    abstain = CostMatrix.zero_one(10, abstain=0.1)
    rows = []
    for name, systems in calibrated_sets().items():
        metrics = bayes_cost, partial(bayes_cost, costs=abstain), cross_entropy, brier_score
        values = [metric(y, s).normalized for metric in metrics for s in systems]
        rows.append(row_of((name,), values, published.SCORING[name]))
    title = "Normalised expected scoring rules, K = 10, as is and calibrated"
    columns = published.SCORING_COLUMNS
    return Reproduction("ec_multiclass", title, ("posteriors",), columns, tuple(rows))


def calibration_table() -> Reproduction:
    """Return the table "ec_multiclass_calloss": loss relative to affine calibration, in percent."""
    y = simulated(10).y
    sets = calibrated_sets()
    solved = tuple(
        cross_calibrate(TemperatureCalibrator(), y, s) for s in posterior_sets()["Mismp"]
    )
    rows = []
    for name, systems in {**sets, "Mismp-temcal, solved": solved}.items():
        best = sets[f"{name.partition('-')[0]}-affcal"]
        values = [
            100 * (1 - metric(y, after).value / metric(y, before).value)
            for metric in (cross_entropy, brier_score)
            for before, after in zip(systems, best, strict=True)
        ]
        values += [100 * confidence_calibration_error(y, s) for s in systems]
        rows.append(row_of((name,), values, published.CALIBRATION.get(name, "")))
    title = "Relative calibration loss and confidence calibration error, in percent"
    columns = published.CALIBRATION_COLUMNS
    return Reproduction("ec_multiclass_calloss", title, ("posteriors",), columns, tuple(rows))
