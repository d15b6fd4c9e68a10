"""Groups of a query put together."""

from typing import Any

import numpy as np

from benchmarks.sums import BINS


def rolled_up(bins: dict[str, Any]) -> dict[str, Any]:
    """Sum groups of class, bin of the probability, bin of the confidence and decision."""
    y, decision = bins["y"].astype(int), bins["decision"].astype(int)
    place = BINS * y + bins["bin"]
    sure = BINS * (y == decision) + bins["sure"]
    losses = [f"{name}_{power}" for name in ("log", "brier") for power in (1, 2, 3)]
    return {
        "losses": [np.bincount(y, bins[name], 2) for name in losses],
        "decided": np.bincount(2 * y + decision, bins["len"], 4),
        "bins": np.bincount(place, bins["len"], 2 * BINS).reshape(2, -1),
        "bin_sums": np.bincount(place, bins["p"], 2 * BINS).reshape(2, -1),
        "confidences": np.bincount(sure, bins["len"], 2 * BINS).reshape(2, -1),
        "confidence_sums": np.bincount(sure, bins["confidence"], 2 * BINS).reshape(2, -1),
    }
