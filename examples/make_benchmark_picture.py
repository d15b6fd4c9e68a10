"""Draws docs/images/benchmarks.png: how many times as long other libraries take for a job.

Numbers are those of benchmarks/results.json, which `make bench` writes.
"""

import json
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")
from matplotlib import pyplot as plt

ROOT = Path(__file__).parents[1]
SHOWN = {  # job, samples, classes, beginning of the peer's name: what to call it
    (
        "scorecard-binary",
        1_000_000,
        2,
        "scikit-learn",
    ): "cost, log loss, Brier, ECE\nscikit-learn, four calls",
    ("auc", 1_000_000, 2, "scikit-learn"): "exact AUC\nscikit-learn",
    ("isotonic", 1_000_000, 2, "scikit-learn"): "isotonic fit\nscikit-learn",
    ("affine-binary", 1_000_000, 2, "scikit-learn"): "affine calibration\nscikit-learn",
    (
        "interval-log-loss",
        100_000,
        2,
        "confidence-intervals",
    ): "interval of the log loss\nconfidence-intervals",
    (
        "interval-auc",
        100_000,
        2,
        "confidence-intervals",
    ): "interval of the AUC\nconfidence-intervals",
}


def main() -> None:
    """Draw the ratios of CPU time, on a log scale."""
    rows = json.loads((ROOT / "benchmarks" / "results.json").read_text())["jobs"]
    bars = []
    for (job, n, k, peer), name in SHOWN.items():
        same = [row for row in rows if (row["job"], row["n"], row["k"]) == (job, n, k)]
        ours = next(row for row in same if not row["peer"])
        theirs = next(row for row in same if row["peer"].startswith(peer))
        bars.append((theirs["cpu"] / ours["cpu"], f"{name}\n{n:,} samples".replace("\n", ", ", 1)))
    bars.sort()
    figure, axes = plt.subplots(figsize=(7.2, 3.2), layout="constrained")
    drawn = axes.barh([name for _, name in bars], [ratio for ratio, _ in bars], color="#3b6ea5")
    axes.bar_label(drawn, [f"{ratio:.0f} times" for ratio, _ in bars], padding=3, fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(1, 1000)
    axes.set_xlabel("CPU time of the other library, over that of stakes")
    axes.tick_params(axis="y", labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(ROOT / "docs" / "images" / "benchmarks.png", dpi=130)


if __name__ == "__main__":
    main()
