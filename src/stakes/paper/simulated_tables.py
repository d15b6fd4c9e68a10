"""The figure and the tables of the paper on simulated scores."""

from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from stakes import metrics
from stakes._counting import bincount
from stakes._math import log_softmax
from stakes._typing import FloatArray, IntArray
from stakes.calibration import AffineCalibrator, Calibrator, TemperatureCalibrator, cross_calibrate
from stakes.calibration.maps import AffineMap
from stakes.costs import CostMatrix
from stakes.curves import RocCurve, abstention_curve, roc_curve
from stakes.evaluation import compare
from stakes.evaluation.sketch import Sketch
from stakes.paper import published
from stakes.paper.reproductions import Cell, Reproduction, row_of
from stakes.scores import LogPosteriors
from stakes.simulation import CALIBRATED, MISCALIBRATED, Simulation, simulate, skewed_priors

_GRID = np.arange(-100, 301) / 100  # thresholds on the log likelihood ratio, as in the paper
_SYSTEMS = {"LR-mc1": MISCALIBRATED, "LR-cal": CALIBRATED}


@lru_cache(maxsize=2)
def simulated(n_classes: int) -> Simulation:
    """Return the simulated data, made once."""
    return simulate(n_classes)


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """One metric over thresholds: its values on the paper's grid, its best and Bayes thresholds."""

    name: str
    values: FloatArray
    best: tuple[float, float]  # threshold and value, over all thresholds
    best_on_grid: tuple[float, float]
    errors: tuple[float, float]  # misses and false alarms at the best threshold
    bayes: tuple[float, float] | None = None  # threshold and value
    bayes_on_grid: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class ThresholdStudy:
    """The figure "metrics_vs_thr": metrics of two systems as a function of the threshold."""

    thresholds: FloatArray
    systems: dict[str, tuple[ThresholdCurve, ...]]


def threshold_study() -> ThresholdStudy:
    """Return the curves of the threshold figure: three normalised costs and 1 - F1, by system."""
    data, systems = simulated(2), {}
    for system, distortion in _SYSTEMS.items():
        roc = roc_curve(data.y, data.log_likelihood_ratios(distortion))
        problems = {
            "NEC_b": (CostMatrix.zero_one(2), np.array([0.5, 0.5])),
            "NEC_b2=1": (CostMatrix.binary(miss=1, false_alarm=1), roc.priors),
            "NEC_b2=2": (CostMatrix.binary(miss=2, false_alarm=1), roc.priors),
        }
        curves = [
            _curve(name, roc, roc.normalized_costs(*problem), problem[0].llr_threshold(problem[1]))
            for name, problem in problems.items()
        ]
        systems[system] = (*curves, _curve("1-F1", roc, 1 - roc.sweep(metrics.FScore()), None))
    return ThresholdStudy(_GRID, systems)


def _curve(name: str, roc: RocCurve, values: FloatArray, bayes: float | None) -> ThresholdCurve:
    """Return one curve: on the grid, and exactly."""
    on_grid = values[np.searchsorted(roc.levels.level, _GRID, side="right")]
    best, best_on_grid = int(np.nanargmin(values)), int(np.nanargmin(on_grid))
    exact = snapped = None
    if bayes is not None:
        place = int(np.searchsorted(roc.levels.level, bayes, side="right"))
        nearest = int(np.abs(_GRID - bayes).argmin())
        exact = (bayes, float(values[place]))
        snapped = (float(_GRID[nearest]), float(on_grid[nearest]))
    return ThresholdCurve(
        name,
        on_grid,
        (float(roc.thresholds[best]), float(values[best])),
        (float(_GRID[best_on_grid]), float(on_grid[best_on_grid])),
        (roc.misses[best].item(), roc.false_alarms[best].item()),
        exact,
        snapped,
    )


def threshold_table(study: ThresholdStudy) -> Reproduction:
    """Return the best and Bayes thresholds; the text prints two of the values."""
    rows = []
    for system, curves in study.systems.items():
        for curve in curves:
            text = system == "LR-mc1" and curve.name == "NEC_b2=2"
            printed = published.THRESHOLD_TEXT if text else {"best": "", "bayes": ""}
            none = (np.nan, np.nan)
            bayes, on_grid = curve.bayes or none, curve.bayes_on_grid or none
            best = *map(Cell, curve.best), Cell(curve.best_on_grid[1], printed["best"])
            cells = *best, *map(Cell, bayes), Cell(on_grid[1], printed["bayes"])
            rows.append(((system, curve.name), cells))
    columns = ("best at", "value", "on grid", "Bayes at", "value", "on grid")
    title = "Best and Bayes thresholds, exact and on the paper's grid of 0.01"
    return Reproduction("metrics_vs_thr", title, ("scores", "metric"), columns, tuple(rows))


def abstention_table(n_classes: int = 2) -> Reproduction:
    """Return the table "ec_with_abstention"; the paper prints it for two classes."""
    data = simulated(n_classes)
    priors = skewed_priors(n_classes)
    prices = [price for price, _ in published.ABSTENTION]
    curves = [
        abstention_curve(data.y, data.posteriors(priors, distortion), prices)
        for distortion in _SYSTEMS.values()
    ]
    rows = []
    for i, (price, digits) in enumerate(published.ABSTENTION):
        found = [(curve.costs[i], 100 * curve.abstention_rates[i]) for curve in curves]
        values = [x for cost, rate in found for x in (cost.value, cost.normalized, rate)]
        rows.append(row_of((f"{price:g}",), values, digits if n_classes == 2 else ""))
    note = "" if n_classes == 2 else "; not in the paper"
    title = f"Cost and percent of abstentions by the price alpha, K = {n_classes}{note}"
    columns = published.ABSTENTION_COLUMNS
    return Reproduction("ec_with_abstention", title, ("alpha",), columns, tuple(rows))


def posterior_sets(n_classes: int = 10) -> dict[str, tuple[LogPosteriors, ...]]:
    """Return the posteriors of the scoring-rule table: cal, mc1, mc2 with each set of priors."""
    data = simulated(n_classes)
    named = {"Datap": skewed_priors(n_classes), "Mismp": skewed_priors(n_classes, at=-1)}
    return {
        name: (
            data.posteriors(priors),
            data.posteriors(priors, MISCALIBRATED),
            data.posteriors(priors, flattening=0.2),
        )
        for name, priors in named.items()
    }


def paper_sketch() -> Sketch:
    """Return the two systems of the threshold figure, to be tried at other costs and priors."""
    data = simulated(2)
    p = bincount(data.y) / data.y.size
    costs = {
        "each error costs 1": CostMatrix.zero_one(2),
        "NEC_b: both classes count alike": CostMatrix([[0, 1 / p[0]], [1 / p[1], 0]]),
        "beta² = 2: a miss costs 2": CostMatrix.binary(miss=2, false_alarm=1),
        "abstaining costs 0.1": CostMatrix.zero_one(2, abstain=0.1),
    }
    systems = {name: data.log_likelihood_ratios(d) for name, d in _SYSTEMS.items()}
    sketch = compare(data.y, systems, costs=costs, priors="data", rules=[]).sketch
    if sketch is None:
        raise TypeError(sketch)
    return sketch


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
    with_abstention = partial(metrics.bayes_cost, costs=CostMatrix.zero_one(10, abstain=0.1))
    rules = metrics.bayes_cost, with_abstention, metrics.cross_entropy, metrics.brier_score
    rows = []
    for name, systems in calibrated_sets().items():
        values = [metric(y, s).normalized for metric in rules for s in systems]
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
            for metric in (metrics.cross_entropy, metrics.brier_score)
            for before, after in zip(systems, best, strict=True)
        ]
        values += [100 * metrics.confidence_calibration_error(y, s) for s in systems]
        rows.append(row_of((name,), values, published.CALIBRATION.get(name, "")))
    title = "Relative calibration loss and confidence calibration error, in percent"
    columns = published.CALIBRATION_COLUMNS
    return Reproduction("ec_multiclass_calloss", title, ("posteriors",), columns, tuple(rows))
