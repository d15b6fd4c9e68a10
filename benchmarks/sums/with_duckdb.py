"""duckdb: two queries, each with one group-by, which is quicker than one with all groups."""

from typing import Any

import duckdb

from benchmarks.sums import BINS, LEVELS
from benchmarks.sums.groups import rolled_up

_ROWS = """
from (
    select *, -ln(hit) as log, (1 - hit) * (1 - hit) as brier, p * {levels} - level as place,
        least(cast(floor(p * {bins}) as tinyint), {bins} - 1) as bin,
        least(cast(floor(confidence * {bins}) as tinyint), {bins} - 1) as sure
    from (
        select y, p, p > 0.5 as decision, greatest(p, 1 - p) as confidence,
            case when y = 1 then p else 1 - p end as hit,
            least(cast(floor(p * {levels}) as integer), {levels} - 1) as level
        from read_parquet('{path}')
    )
)
group by all
"""


def scan(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Group by level, and by what bins and decisions there are."""
    rows = _ROWS.format(path=path, levels=LEVELS, bins=BINS)
    powers = ", ".join(
        f"sum({' * '.join([loss] * power)}) as {loss}_{power}"
        for loss in ("log", "brier")
        for power in (1, 2, 3)
    )
    levels = duckdb.sql(f"select y, level, count(*) as len, sum(place) as place {rows}")
    sums = "count(*) as len, sum(p) as p, sum(confidence) as confidence"
    bins = duckdb.sql(f"select y, bin, sure, decision, {sums}, {powers} {rows}")
    return levels.fetchnumpy(), bins.fetchnumpy()


def numbers(found: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
    """Put the groups together."""
    return rolled_up(found[1])
