"""Files larger than memory: time and peak memory of `stakes evaluate`, beside other libraries.

`python -m benchmarks.large` writes Parquet files of 1e6 and 1e7 rows (with `--full` of 1e8 too),
an int8 label and a float64 score in row groups of 1e6, and runs each job in a process of its own.
polars, duckdb and dask compute log loss and a histogram of 2^16 levels by class of the same
columns; a library that is not installed is left out with a line.

`--sums` compares the pass alone instead: all sums that a summary keeps, by our code and by each
library (benchmarks/sums), which must agree. The time of the pass is that after loading.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

_GROUP = 1_000_000
_LEVELS = 2**16
_STAKES = (
    "-m", "stakes", "evaluate", "{path}", "--label", "y", "--scores", "p",
    "--scores-are", "posteriors", "--positive", "1", "--json",
)  # fmt: skip
_PEERS = {
    "polars": """
import polars as pl
frame = pl.scan_parquet({path!r})
y, p = pl.col("y"), pl.col("p")
loss = pl.when(y == 1).then(-p.log()).otherwise(-(1 - p).log())
both = pl.collect_all([
    frame.select(loss.mean()),
    frame.group_by(y, (p * {levels}).cast(pl.Int32).alias("level")).agg(pl.len()),
], engine="streaming")
print(both[0].item(), both[1].height)
""",
    "duckdb": """
import duckdb
loss = "avg(case when y = 1 then -ln(p) else -ln(1 - p) end)"
table = "read_parquet('{path}')"
print(duckdb.sql(f"select {{loss}} from {{table}}").fetchall()[0][0])
level = "cast(floor(p * {levels}) as integer)"
counts = duckdb.sql(f"select y, {{level}} as level, count(*) from {{table}} group by all")
print(len(counts.fetchall()))
""",
    "dask": """
import dask, numpy as np
import dask.dataframe as dd
frame = dd.read_parquet({path!r}, columns=["y", "p"], split_row_groups=True)
def sums(part):
    import pandas as pd
    y, p = part["y"].to_numpy(), part["p"].to_numpy()
    loss = -np.log(np.where(y == 1, p, 1 - p)).sum()
    level = (p * {levels}).astype(np.int64) + {levels} * y.astype(np.int64)
    return pd.Series([(loss, len(y), np.bincount(level, minlength=2 * {levels}))], dtype=object)
parts = frame.map_partitions(sums, meta=(None, object)).compute(scheduler="threads")
print(sum(s[0] for s in parts) / sum(s[1] for s in parts), sum(s[2] for s in parts).size)
""",
}


_MEMBERS = {
    "--weight": ["--weight", "w"],
    "--group": ["--group", "g"],
    "--slice": ["--slice", "s"],
    "costs by case": ["--cost", "miss=v,false_alarm=3"],
    "all of these": [
        "--weight", "w", "--group", "g", "--slice", "s", "--cost", "miss=v,false_alarm=3",
    ],
}  # fmt: skip


def write_members(path: Path, rows: int, seed: int = 0) -> None:
    """Write rows with weights, groups of about 20 rows, slices and amounts."""
    plain = path.with_suffix(".plain")
    write_rows(plain, rows, seed)
    rng = np.random.default_rng(seed + 1)
    source = parquet.ParquetFile(plain)
    members = [("w", pa.float64()), ("g", pa.int64()), ("s", pa.int8()), ("v", pa.float64())]
    schema = pa.schema([*source.schema_arrow, *members])
    with parquet.ParquetWriter(path, schema) as writer:
        for number in range(source.num_row_groups):
            table = source.read_row_group(number)
            n = table.num_rows
            columns = (
                rng.uniform(0.2, 3, n),
                rng.integers(max(rows // 20, 2), size=n),
                rng.integers(5, size=n).astype(np.int8),
                np.round(np.exp(rng.normal(3, 1, n)), 2),
            )
            for (name, kind), values in zip(members, columns, strict=True):
                table = table.append_column(name, pa.array(values, kind))
            writer.write_table(table, row_group_size=_GROUP)
    plain.unlink()


def measure_members(path: Path, rows: int) -> None:
    """Measure the whole evaluation with what else may belong to rows."""
    plain = [word.format(path=path) for word in _STAKES]
    for name, more in {"nothing": [], **_MEMBERS}.items():
        seconds, cpu, peak, _ = measured([*plain, *more, "--memory", "0"])
        print(f"{name:<16} {rows:>12,} {seconds:>8.2f} {cpu:>8.2f} {peak:>8.0f}", flush=True)


def write_rows(path: Path, rows: int, seed: int = 0) -> None:
    """Write labels and scores, one row group at a time."""
    rng = np.random.default_rng(seed)
    schema = pa.schema([("y", pa.int8()), ("p", pa.float64())])
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, _GROUP):
            y = (rng.random(min(_GROUP, rows - start)) < 0.1).astype(np.int8)
            log_odds = np.log(0.1 / 0.9) + 3.0 * y - 1.0 + 1.5 * rng.normal(size=y.size)
            p = 1 / (1 + np.exp(-log_odds))
            writer.write_table(pa.table({"y": y, "p": p}, schema=schema), row_group_size=_GROUP)


def measured(arguments: list[str]) -> tuple[float, float, float, str]:
    """Run python in a process of its own; return seconds, CPU seconds, peak MB and its output."""
    start = time.perf_counter()
    free = {name: v for name, v in os.environ.items() if not name.endswith("_THREADS")}
    with tempfile.TemporaryFile("w+") as told, tempfile.TemporaryFile("w+") as error:
        command = [sys.executable, *arguments]
        with subprocess.Popen(command, stdout=told, stderr=error, env=free) as run:  # noqa: S603
            _, status, used = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        told.seek(0)
        error.seek(0)
        if run.returncode:
            raise RuntimeError(error.read()[-2000:])
        return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, told.read()


def jobs(path: Path) -> dict[str, list[str]]:
    """Return what is run on a file, by name."""
    found = {"stakes evaluate": [word.format(path=path) for word in _STAKES]}
    for name in installed():
        found[name] = ["-c", _PEERS[name].format(path=str(path), levels=_LEVELS)]
    return found


def installed() -> list[str]:
    """Return the other libraries that are there."""
    there = [name for name in _PEERS if importlib.util.find_spec(name) is not None]
    for name in _PEERS.keys() - set(there):
        print(f"{name} is not installed: left out")
    return there


def compare_evaluation(path: Path, rows: int, more: list[str]) -> None:
    """Measure the whole evaluation, and a part of its sums by other libraries."""
    for name, arguments in jobs(path).items():
        own = more if name == "stakes evaluate" else []
        seconds, cpu, peak, _ = measured([*arguments, *own])
        print(f"{name:<16} {rows:>12,} {seconds:>8.2f} {cpu:>8.2f} {peak:>8.0f}")


def compare_sums(path: Path, rows: int, rounds: int = 3) -> None:
    """Measure the same sums by every library, in turn; of several rounds the quickest counts."""
    names = ["stakes", *installed()]
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            _, cpu, peak, told = measured(["-m", "benchmarks.sums", name, str(path)])
            found[name].append({**json.loads(told), "process": cpu, "peak": peak})
            check_same(found["stakes"][0]["numbers"], found[name][-1]["numbers"], name)
    ours = min(run["cpu"] for run in found["stakes"])
    for name, runs in found.items():
        best = min(runs, key=lambda run: float(run["cpu"]))
        times = f"{best['seconds']:>8.2f} {best['cpu']:>8.2f} {best['peak']:>8.0f}"
        print(f"{name:<16} {rows:>12,} {times} {best['cpu'] / ours:>6.1f} x", flush=True)


def check_same(ours: dict[str, Any], theirs: dict[str, Any], name: str) -> None:
    """Refuse sums that differ: counts must be equal, sums of cells may differ by their width."""
    limits = {"losses": 1e-9, "bin_sums": 1e-4, "confidence_sums": 1e-4}
    for key, wanted in ours.items():
        np.testing.assert_allclose(
            theirs[key], wanted, rtol=limits.get(key, 0), atol=0, err_msg=f"{name}: {key}"
        )


def main() -> None:
    """Measure each job on files of several sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="also 1e8 rows, which take 1 GB")
    parser.add_argument("--rows", type=int, nargs="*", help="these numbers of rows instead")
    parser.add_argument("--memory", help="give this to stakes evaluate, such as 0")
    parser.add_argument("--sums", action="store_true", help="compare the pass alone")
    parser.add_argument("--members", action="store_true", help="weights, groups, slices, amounts")
    options = parser.parse_args()
    sizes = options.rows or [10**6, 10**7, *([10**8] if options.full else [])]
    more = [] if options.memory is None else ["--memory", options.memory]
    with tempfile.TemporaryDirectory() as folder:
        print(f"{'job':<16} {'rows':>12} {'seconds':>8} {'CPU':>8} {'peak MB':>8}")
        for rows in sizes:
            path = Path(folder) / f"{rows}.parquet"
            if options.members:
                write_members(path, rows)
                measure_members(path, rows)
                path.unlink()
                continue
            write_rows(path, rows)
            if options.sums:
                compare_sums(path, rows)
            else:
                compare_evaluation(path, rows, more)
            path.unlink()


if __name__ == "__main__":
    main()
