"""What is checked on a real Spark, as a process of its own: one has one session, of one kind.

`python tests/spark_checks.py MODE FOLDER` prints a JSON object of findings. MODE is a master such
as local[2], or connect for a Connect server that is started for it. `kills FOLDER COUNT SEED`
kills executors at random moments.
"""

import hashlib
import io
import json
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import stakes
from engine_cases import BINARY, CASES, COMMAND, TABLE, parts
from stakes.cli import main as cli_main

warnings.filterwarnings("ignore")
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def session(mode: str) -> Any:
    from pyspark.sql import SparkSession  # noqa: PLC0415

    builder = SparkSession.builder
    if mode == "connect":
        return builder.remote("local[2]").getOrCreate()
    for name in ("ui.enabled", "ui.showConsoleProgress"):
        builder = builder.config(f"spark.{name}", "false")
    return builder.config("spark.task.maxFailures", "8").master(mode).getOrCreate()


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def said(work: Callable[[], object]) -> str:
    """Return the kind of an error and what it says."""
    try:
        work()
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {error}"
    return "no error"


def equal_bytes(spark: Any, folder: Path, cases: Any) -> dict[str, str]:
    """Return the digest of each case, from files that Spark reads."""
    frame = spark.read.parquet(str(folder))
    found = {case: stakes.spark.summarize(frame, **CASES[case]) for case in cases}
    return {case: digest(summary.to_bytes()) for case, summary in found.items()}


def forms(spark: Any, folder: Path) -> dict[str, str]:
    """Return the digest of one case from all forms of a table."""
    frame = spark.read.parquet(str(folder))
    found = {
        "one partition": frame.coalesce(1),
        "partitions without rows": frame.repartition(23, "y"),
        "rows of the driver": spark.createDataFrame(TABLE.select(["y", "p"])),
        "files that executors read": str(folder),
    }
    return {
        name: digest(stakes.spark.summarize(table, **CASES["binary"]).to_bytes())
        for name, table in found.items()
    }


def faults(spark: Any, folder: Path) -> dict[str, str]:
    """Return what is said of tables that are wrong."""
    import pyspark.sql.functions as f  # noqa: PLC0415

    frame = spark.read.parquet(str(folder)).coalesce(1)
    amount = f.col("amount")
    bad = frame.withColumn("p", f.when(amount == f.lit(odd_amount()), 1.5).otherwise(f.col("p")))
    null = frame.withColumn("p", f.when(amount != f.lit(odd_amount()), f.col("p")))
    told = CASES["binary"]
    return {
        "beyond": said(lambda: stakes.spark.summarize(bad, **told)),
        "null": said(lambda: stakes.spark.summarize(null, **told)),
        "texts": said(lambda: stakes.spark.summarize(frame, label="name", scores="p")),
        "column": said(lambda: stakes.spark.summarize(frame, label="y", scores="nope")),
        "empty": said(lambda: stakes.spark.summarize(frame.where("y > 5"), **told)),
        "kind": said(lambda: stakes.spark.summarize(3, **told)),
        "fails": said(lambda: stakes.spark.summarize(frame.select("y", f.raise_error(f.lit("no such host")).alias("p")), **told)),
    }  # fmt: skip


def odd_amount() -> float:
    """Return an amount that one row has."""
    amounts = TABLE.column("amount").to_pylist()
    return next(amount for amount in amounts if amounts.count(amount) == 1)


def plan(spark: Any, folder: Path) -> str:
    """Return what Spark would read."""
    from stakes.engines.spark_engine import SparkFrame  # noqa: PLC0415
    from stakes.io.batches import Ask  # noqa: PLC0415

    frame = SparkFrame(spark.read.parquet(str(folder))).columns(Ask(("y",), ("p",)))
    return str(frame._jdf.queryExecution().executedPlan().toString())


def compared(spark: Any, folder: Path) -> dict[str, Any]:
    frame = spark.read.parquet(str(folder))
    told: dict[str, Any] = {"label": "y", "costs": BINARY, "sample_weight": "w"}
    found = stakes.spark.compare(frame, {"old": "q", "new": "p"}, **told)
    result: dict[str, Any] = found.to_dict()
    return result


def vectors(spark: Any, folder: Path) -> str:
    """Return the digest of ten classes whose scores are a vector of Spark's ML."""
    from pyspark.ml.functions import array_to_vector  # noqa: PLC0415

    frame = spark.read.parquet(str(folder))
    frame = frame.withColumn("list", array_to_vector("list")).withColumnRenamed("list", "a.`b")
    found = stakes.spark.summarize(frame, label="digit", scores="a.`b")
    return digest(found.to_bytes())


def odd_workers(spark: Any, folder: Path) -> dict[str, str]:
    """Return what is said of executors with another version."""
    from stakes.engines import spark_engine  # noqa: PLC0415

    frame = spark.read.parquet(str(folder))
    with mock.patch.object(spark_engine, "__version__", "9.9.9"):  # then theirs is the other one
        return {"version": said(lambda: stakes.spark.summarize(frame, **CASES["binary"]))}


def executors() -> list[int]:
    """Return the process numbers of executors."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"CoarseGrainedExecutorBackend" in file.read_bytes():
                found.append(int(file.parent.name))
        except OSError:
            continue
    return found


KILLED: list[int] = []


def kill_one(wait: float, seed: int) -> None:
    while not (pids := executors()):  # the first ones start with the first job
        time.sleep(0.1)
    time.sleep(wait)
    if pids := executors():
        KILLED.append(1)
        os.kill(random.Random(seed).choice(pids), signal.SIGKILL)  # noqa: S311


def kills(spark: Any, folder: Path, moments: Any = (0.8,)) -> list[str]:
    """Return what a slow run gives while executors are killed."""

    def slow(batches: Any) -> Any:
        time.sleep(0.4)
        yield from batches

    frame = spark.read.parquet(str(folder)).select("y", "p").repartition(6)
    frame = frame.mapInArrow(slow, frame.schema)
    found = []
    for seed, wait in enumerate(moments):
        killer = threading.Thread(target=kill_one, args=(wait, seed))
        killer.start()
        try:
            data = stakes.spark.summarize(frame, **CASES["binary"]).to_bytes()
            found.append(digest(data))
        except stakes.EngineError as error:
            found.append(f"EngineError: {error}")
        finally:
            killer.join()
    return found


CASES_OF: dict[str, Any] = {
    "local[2]": ("binary", "ten classes", "weights", "groups", "prices", "everything"),
    "connect": ("binary", "ten classes", "weights", "groups", "prices"),
    "local-cluster[2,1,1024]": (),  # kills give the bytes
}
CHECKS: dict[str, list[Callable[[Any, Path], Any]]] = {
    "local[2]": [forms, faults, plan, compared, vectors, odd_workers],
    "connect": [faults],
    "local-cluster[2,1,1024]": [kills],
}


def command(folder: Path) -> Any:
    """Return what the command line prints."""
    printed = io.StringIO()
    with redirect_stdout(printed), suppress(SystemExit):
        cli_main(["evaluate", str(folder), *COMMAND, "--engine", "spark"])
    return json.loads(printed.getvalue())


def campaign(folder: Path, count: int, seed: int) -> None:
    """Kill executors at random moments, so many times."""
    rng, found = random.Random(seed), []  # noqa: S311
    with redirect_stdout(sys.stderr):
        spark = session("local-cluster[2,1,1024]")
        try:
            while len(KILLED) < count:
                found += kills(spark, folder, (rng.uniform(0.1, 2.5),))
        finally:
            spark.stop()
    print(json.dumps({"found": found, "killed": len(KILLED)}))  # noqa: T201


def main(mode: str, folder: Path) -> None:
    with redirect_stdout(sys.stderr):
        spark = session(mode)
        try:
            cases = CASES_OF[mode]
            found: dict[str, Any] = {"bytes": equal_bytes(spark, folder, cases)}
            found |= {check.__name__: check(spark, folder) for check in CHECKS[mode]}
            found["killed"] = len(KILLED)
        finally:
            spark.stop()
        if mode == "local[2]":  # the command starts a session of its own, in the same Java
            found["command"] = command(folder)
    print(json.dumps(found))  # noqa: T201


if __name__ == "__main__":
    assert len(parts(TABLE)) == 5
    if sys.argv[1] == "kills":
        campaign(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    else:
        main(sys.argv[1], Path(sys.argv[2]))
