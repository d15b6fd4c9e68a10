"""The threshold figure, the abstention table and the scoring-rule table of the paper."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from stakes._typing import FloatArray
from stakes.costs import CostMatrix
from stakes.curves import RocCurve, abstention_curve, roc_curve
from stakes.evaluation import compare
from stakes.evaluation.sketch import Sketch
from stakes.metrics import FScore
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
        systems[system] = (*curves, _curve("1-F1", roc, 1 - roc.sweep(FScore()), None))
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
    p = np.bincount(data.y) / data.y.size
    costs = {
        "each error costs 1": CostMatrix.zero_one(2),
        "NEC_b: both classes count alike": CostMatrix([[0, 1 / p[0]], [1 / p[1], 0]]),
        "beta² = 2: a miss costs 2": CostMatrix.binary(miss=2, false_alarm=1),
        "abstaining costs 0.1": CostMatrix.zero_one(2, abstain=0.1),
    }
    systems = {name: data.log_likelihood_ratios(d) for name, d in _SYSTEMS.items()}
    sketch = compare(data.y, systems, costs=costs, priors="data", resamples=0, rules=[]).sketch
    if sketch is None:
        raise TypeError(sketch)
    return sketch
