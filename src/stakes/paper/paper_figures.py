"""The paper's two figures, as panels of displays."""

import numpy as np

from stakes.curves import SweptMetric, ThresholdSweep
from stakes.displays import MetricScatterDisplay, ThresholdSweepDisplay, panels
from stakes.displays.figures import Drawing
from stakes.paper.hard_decisions import metric_scatter
from stakes.paper.simulated_tables import ThresholdStudy

_PAIRS = (("NEC_b", "MCC"), ("NEC_b2=1", "F1"), ("NEC_b2=2", "F1"))
_NAMES = {
    "NEC_b": r"$\mathrm{NEC}_b$",
    "NEC_b2=1": r"$\mathrm{NEC}_{\beta^2=1}$",
    "NEC_b2=2": r"$\mathrm{NEC}_{\beta^2=2}$",
    "F1": r"$F_{\beta=1}$",
    "1-F1": r"$1 - F_{\beta=1}$",
    "MCC": "MCC",
}


def scatter_displays() -> dict[str, list[MetricScatterDisplay]]:
    """Return the panels of the figure "ec_vs_other_scatter" by data set, one per pair."""
    return {
        name: [
            MetricScatterDisplay(np.array(columns[x]), np.array(columns[y]), _NAMES[x], _NAMES[y])
            for x, y in _PAIRS
        ]
        for name, columns in metric_scatter().items()
    }


def scatter_figure() -> Drawing:
    """Draw the figure "ec_vs_other_scatter"."""
    rows = scatter_displays()
    titles = [[f"${name}$"] * len(_PAIRS) for name in rows]
    return panels(list(rows.values()), titles, size=(9.0, 6.0))


def threshold_displays(study: ThresholdStudy) -> dict[str, ThresholdSweepDisplay]:
    """Return the panels of the figure "metrics_vs_thr" by system, on the paper's grid."""
    displays = {}
    for name, curves in study.systems.items():
        swept = [
            SweptMetric(c.name, c.values, "lower", c.best_on_grid, c.bayes_on_grid, c.bayes and 1.0)
            for c in curves
        ]
        sweep = ThresholdSweep(study.thresholds, tuple(swept), "log likelihood ratio", (1, 2))
        displays[name] = ThresholdSweepDisplay(sweep, _NAMES)
    return displays


def threshold_figure(study: ThresholdStudy) -> Drawing:
    """Draw the figure "metrics_vs_thr"."""
    displays = threshold_displays(study)
    return panels([list(displays.values())], [list(displays)], size=(9.0, 4.0))
