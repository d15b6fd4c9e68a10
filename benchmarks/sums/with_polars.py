"""polars: one lazy scan and one group-by in the streaming engine; two take longer."""

from typing import Any

import polars as pl

from benchmarks.sums import BINS, LEVELS
from benchmarks.sums.groups import rolled_up


def scan(path: str) -> pl.DataFrame:
    """Group by level, bins and decision."""
    y, p = pl.col("y"), pl.col("p")
    right, log, brier = pl.col("right"), pl.col("log"), pl.col("brier")
    rows = (
        pl.scan_parquet(path)
        .with_columns(
            right=pl.when(y == 1).then(p).otherwise(1 - p),
            confidence=pl.max_horizontal(p, 1 - p),
            level=(p * LEVELS).cast(pl.Int32).clip(0, LEVELS - 1),
            decision=p > 0.5,
        )
        .with_columns(
            log=-right.log(),
            brier=(1 - right) * (1 - right),
            place=p * LEVELS - pl.col("level"),
            bin=(p * BINS).cast(pl.Int8).clip(0, BINS - 1),
            sure=(pl.col("confidence") * BINS).cast(pl.Int8).clip(0, BINS - 1),
        )
    )
    powers = {
        f"{name}_{power}": value.sum()
        for name, loss in (("log", log), ("brier", brier))
        for power, value in enumerate((loss, loss * loss, loss * loss * loss), start=1)
    }
    groups = rows.group_by("y", "level", "bin", "sure", "decision")
    sums = [pl.len(), pl.col("p").sum(), pl.col("confidence").sum(), pl.col("place").sum()]
    return groups.agg(*sums, **powers).collect(engine="streaming")


def numbers(found: pl.DataFrame) -> dict[str, Any]:
    """Put the groups together."""
    return rolled_up({name: found[name].to_numpy() for name in found.columns})
