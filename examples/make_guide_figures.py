"""Draw the pictures of docs/how-to/clinician.md from breast.csv.

Run it from the top of the project: python examples/make_guide_figures.py
"""

from importlib.resources import files
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from pyarrow import csv

import stakes

TARGET = Path(__file__).parents[1] / "docs" / "images"
KINDS = ["benign", "malignant"]
COSTS = stakes.CostMatrix.binary(miss=20, false_alarm=1, classes=KINDS)
BLUE, RED, GREY = "#0072B2", "#D55E00", "#6B6B6B"
STYLE = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 9.0,
    "grid.alpha": 0.25,
    "legend.frameon": False,
}


def main() -> None:
    """Write both pictures."""
    table = csv.read_csv(str(files("stakes") / "data" / "breast.csv"))
    y = table["diagnosis"].to_numpy(zero_copy_only=False)
    raw = stakes.Logits(table["log_odds"].to_numpy())
    calibrated = stakes.cross_calibrate(stakes.AffineCalibrator(), y, raw, classes=KINDS)
    systems = {"as the model gives it": raw, "calibrated": calibrated}
    with mpl.rc_context(STYLE):
        _save(_threshold_cost(y, systems), "threshold-cost")
        _save(_reliability(y, systems), "reliability")


def _threshold_cost(y: NDArray[np.object_], systems: dict[str, stakes.Scores]) -> Figure:
    """Draw the normalised cost against the threshold at the priors of the data."""
    figure = Figure(figsize=(5.6, 3.2), layout="constrained")
    axes = figure.subplots()
    grid = np.geomspace(1e-4, 0.9, 600)
    for (name, scores), colour in zip(systems.items(), (RED, BLUE), strict=True):
        p = np.exp(scores.log_posteriors())[:, 1]
        cost = [
            stakes.expected_cost(y, np.where(p > t, "malignant", "benign"), costs=COSTS).normalized
            for t in grid
        ]
        axes.plot(grid, cost, color=colour, label=name)
    axes.axhline(1, color=GREY, linewidth=0.8, linestyle=":")
    axes.text(1.1e-4, 1.02, "everybody sent on", va="bottom", color=GREY)
    axes.axvline(COSTS.threshold(), color=GREY, linewidth=0.8, linestyle="--")
    axes.text(0.052, 0.06, "threshold by the prices", color=GREY)
    axes.set(
        xscale="log",
        ylim=(0, 2.5),
        xlabel="decide malignant above this probability",
        ylabel="normalised expected cost",
    )
    axes.legend(loc="upper left")
    return figure


def _reliability(y: NDArray[np.object_], systems: dict[str, stakes.Scores]) -> Figure:
    """Draw how often patients are malignant against the stated probability."""
    figure = Figure(figsize=(4.2, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":")
    marks = ((RED, "o"), (BLUE, "s"))
    for (name, scores), (colour, mark) in zip(systems.items(), marks, strict=True):
        bins = stakes.reliability(y, scores, stakes.EqualMass(12), classes=KINDS)
        axes.plot(bins.probability, bins.frequency, color=colour, marker=mark, ms=4, label=name)
    axes.set(xlabel="probability of malignant, mean of a bin", ylabel="share malignant in the bin")
    axes.legend(loc="upper left")
    return figure


def _save(figure: Figure, name: str) -> None:
    """Write a picture without a date, so that the same numbers give the same bytes."""
    path = TARGET / f"{name}.png"
    figure.savefig(path, dpi=110, metadata={"Software": None})
    print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
