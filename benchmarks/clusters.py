"""Engines on this machine: the same summary by stakes alone, on Dask and on Spark, beside theirs.

`python -m benchmarks.clusters` writes a Parquet file of 1e7 rows (`--rows 100000000` for others)
and runs each job in a process of its own, with two workers. Engines are started before the clock;
each job is run once to warm up on few rows, then timed. All summaries must have the same bytes.

Dask's own way is a log loss, a confusion matrix and a histogram of 2^16 levels by class; Spark's
are its evaluators: area under the curve (with 1000 bins, its default), log loss and accuracy, and a
confusion matrix. Spark's evaluators are run on `--peer-rows` rows at most, as they take long.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.large import write_rows

COSTS = {"miss": 5, "false_alarm": 1}
_WARM = 4_000_000  # several parts, so that every worker has loaded what it needs


def timed(work: Any, path: Path, warm: Path) -> dict[str, Any]:  # noqa: ANN401
    """Run work on few rows, then on all; return its seconds and what it found."""
    work(warm)
    start = time.perf_counter()
    found = work(path)
    return {"seconds": time.perf_counter() - start, "found": found}


def digest(summary: Any) -> str:  # noqa: ANN401
    """Return a short name of the bytes of a summary."""
    return hashlib.sha256(summary.to_bytes()).hexdigest()[:16]


def told() -> dict[str, Any]:
    """Return what summaries are told."""
    import stakes  # noqa: PLC0415

    return {"label": "y", "costs": stakes.CostMatrix.binary(**COSTS)}


def alone(path: Path, warm: Path, _: str) -> dict[str, Any]:
    """Sum a file in the threads of one process, as the command line does."""
    from stakes.engines.files import FileParts  # noqa: PLC0415
    from stakes.engines.partials import Partial, join_partials, sum_pieces  # noqa: PLC0415
    from stakes.engines.table_job import TableJob  # noqa: PLC0415
    from stakes.engines.worker import pieces_of_parts  # noqa: PLC0415
    from stakes.io import Relation, Roles  # noqa: PLC0415
    from stakes.scores import Posteriors  # noqa: PLC0415

    def work(file: Path) -> str:
        relation = Relation(Roles("y", {"": "p"}), Posteriors)
        job = TableJob(relation, {"classes": [0, 1], "costs": told()["costs"]})
        files = FileParts.find(file)

        def run(share: int) -> Partial:
            parts = files.parts[share::2]
            pieces = pieces_of_parts(files.shown, parts, job.ask, files.limits)
            return sum_pieces(job, share, pieces)

        with ThreadPoolExecutor(2) as pool:
            return digest(join_partials(pool.map(run, range(2))).total)

    return timed(work, path, warm)


def on_dask(path: Path, warm: Path, way: str) -> dict[str, Any]:
    """Sum on two worker processes of Dask."""
    import dask.dataframe as dd  # noqa: PLC0415
    from distributed import Client, LocalCluster  # noqa: PLC0415

    import stakes  # noqa: PLC0415

    def files(file: Path) -> str:
        return digest(stakes.dask.summarize(str(file), "p", **told()))

    def frame(file: Path) -> str:
        table = dd.read_parquet(file, split_row_groups=True)
        return digest(stakes.dask.summarize(table, "p", **told()))

    def plain(file: Path) -> str:
        table = dd.read_parquet(file, columns=["y", "p"], split_row_groups=True)
        parts = table.map_partitions(_dask_sums, meta=(None, object)).compute()
        return str(sum(s[0] for s in parts) / sum(s[1] for s in parts))

    quiet = {"dashboard_address": None, "silence_logs": 50}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **quiet) as cluster,
        Client(cluster),
    ):
        return timed({"files": files, "frame": frame, "own": plain}[way], path, warm)


def _dask_sums(part: Any) -> Any:  # noqa: ANN401
    import numpy as np  # noqa: PLC0415
    import pandas as pd  # noqa: PLC0415

    y, p = part["y"].to_numpy(), part["p"].to_numpy()
    loss = -np.log(np.where(y == 1, p, 1 - p)).sum()
    level = (p * 65536).astype(np.int64) + 65536 * y.astype(np.int64)
    table = np.bincount(2 * y.astype(np.int64) + (p > 1 / 6), minlength=4)
    sums = (loss, len(y), np.bincount(level, minlength=2 * 65536), table)
    return pd.Series([sums], dtype=object)


def on_spark(path: Path, warm: Path, way: str) -> dict[str, Any]:
    """Sum with two threads of Spark."""
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    from pyspark.sql import SparkSession  # noqa: PLC0415

    import stakes  # noqa: PLC0415

    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "6g")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()

    def files(file: Path) -> str:
        return digest(stakes.spark.summarize(str(file), "p", **told()))

    def frame(file: Path) -> str:
        return digest(stakes.spark.summarize(spark.read.parquet(str(file)), "p", **told()))

    def evaluators(file: Path) -> str:
        return _spark_evaluators(spark.read.parquet(str(file)))

    try:
        return timed({"files": files, "frame": frame, "own": evaluators}[way], path, warm)
    finally:
        spark.stop()


def _spark_evaluators(frame: Any) -> str:  # noqa: ANN401
    import pyspark.sql.functions as f  # noqa: PLC0415
    from pyspark.ml.evaluation import (  # noqa: PLC0415
        BinaryClassificationEvaluator,
        MulticlassClassificationEvaluator,
    )
    from pyspark.ml.functions import array_to_vector  # noqa: PLC0415

    both = array_to_vector(f.array(1 - f.col("p"), f.col("p")))
    ready = frame.select(
        f.col("y").cast("double").alias("label"),
        both.alias("probability"),
        both.alias("rawPrediction"),
        (f.col("p") > 1 / 6).cast("double").alias("prediction"),
    )
    auc = BinaryClassificationEvaluator(metricName="areaUnderROC").evaluate(ready)
    many = MulticlassClassificationEvaluator()
    loss = many.evaluate(ready, {many.metricName: "logLoss"})
    right = many.evaluate(ready, {many.metricName: "accuracy"})
    table = ready.groupBy("label", "prediction").count().collect()
    return f"{auc:.6f} {loss:.9f} {right:.6f} {len(table)}"


JOBS = {
    "stakes, two threads": (alone, "files"),
    "stakes.dask, files": (on_dask, "files"),
    "stakes.dask, data frame": (on_dask, "frame"),
    "Dask, its own sums": (on_dask, "own"),
    "stakes.spark, files": (on_spark, "files"),
    "stakes.spark, data frame": (on_spark, "frame"),
    "Spark, its evaluators": (on_spark, "own"),
}


def run_job(name: str, path: Path, warm: Path) -> dict[str, Any]:
    """Run a job in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.clusters", "--job", name, str(path), str(warm)]
    done = subprocess.run(command, stdout=-1, stderr=-1, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Time all jobs, and check that summaries agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--peer-rows", type=int, default=1_000_000)
    parser.add_argument("--job", nargs=3, metavar=("NAME", "PATH", "WARM"))
    options = parser.parse_args()
    if options.job:
        name, path, warm = options.job
        work, way = JOBS[name]
        print(json.dumps(work(Path(path), Path(warm), way)))
        return
    with tempfile.TemporaryDirectory() as folder:
        for rows in sorted({min(options.peer_rows, options.rows), options.rows}):
            path, warm = Path(folder, f"{rows}.parquet"), Path(folder, "warm.parquet")
            write_rows(path, rows)
            write_rows(warm, _WARM)
            print("| job | rows | seconds | rows a second |\n|---|---|---|---|")
            found = set()
            for name in JOBS:
                if "evaluators" in name and rows > options.peer_rows:
                    continue
                result = run_job(name, path, warm)
                seconds = result["seconds"]
                print(f"| {name} | {rows:,} | {seconds:.2f} | {rows / seconds:,.0f} |", flush=True)
                if "own" not in name and "evaluators" not in name:
                    found.add(result["found"])
            if len(found) != 1:
                sys.exit(f"summaries differ: {found}")
            path.unlink()


if __name__ == "__main__":
    main()
