"""dask: a function of numpy for each row group, on threads, and the sum of what they return."""

from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd

from benchmarks.sums import BINS, LEVELS


def scan(path: str) -> list[Any]:
    """Sum each partition, then all of them."""
    frame = dd.read_parquet(path, columns=["y", "p"], split_row_groups=True)
    parts = frame.map_partitions(_sums, meta=(None, object)).compute(scheduler="threads")
    return [sum(part) for part in zip(*parts, strict=True)]


def _sums(part: pd.DataFrame) -> pd.Series:
    """Return the sums of a partition."""
    y, p = part["y"].to_numpy().astype(np.int64), part["p"].to_numpy()
    hit = np.where(y == 1, p, 1 - p)
    log, brier = -np.log(hit), (1 - hit) ** 2
    scaled = p * LEVELS
    level = np.minimum(scaled.astype(np.int64), LEVELS - 1)
    decision, confidence = p > 0.5, np.maximum(p, 1 - p)
    place = np.minimum((p * BINS).astype(np.int64), BINS - 1) + BINS * y
    sure = np.minimum((confidence * BINS).astype(np.int64), BINS - 1) + BINS * (decision == y)
    powers = [v for loss in (log, brier) for v in (loss, loss * loss, loss * loss * loss)]
    truth = y.astype(np.float64)
    second = np.array([v @ truth for v in powers])
    found = (
        np.column_stack([[v.sum() for v in powers] - second, second]),
        np.bincount(2 * y + decision, minlength=4),
        np.bincount(place, minlength=2 * BINS),
        np.bincount(place, p, 2 * BINS),
        np.bincount(sure, minlength=2 * BINS),
        np.bincount(sure, confidence, 2 * BINS),
        np.bincount(level + LEVELS * y, minlength=2 * LEVELS),
        np.bincount(level + LEVELS * y, scaled - level, 2 * LEVELS),
    )
    return pd.Series([found], dtype=object)


def numbers(found: list[Any]) -> dict[str, Any]:
    """Name the sums."""
    losses, decided, *bins = found[:6]
    names = ("bins", "bin_sums", "confidences", "confidence_sums")
    named = {name: part.reshape(2, -1) for name, part in zip(names, bins, strict=True)}
    return {"losses": losses, "decided": decided, **named}
