"""Kill workers of Dask and executors of Spark at random moments, and hold results to one process.

`python -m benchmarks.cluster_kills` kills 30 workers and 30 executors; `--kills 5` fewer,
`--seed 1` at other moments, `--engines dask` only one. Each run must give the bytes of one process,
or an `EngineError`. With `PYTHONPATH=tests`, as in `make cluster`.
"""

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import stakes
from engine_cases import CASES, TABLE, local, parts, write_files

_PARTS = (500,) * 12
_CASES = ("binary", "ten classes", "weights", "groups", "prices")


def outcome(work: Any, case: str) -> str:  # noqa: ANN401
    """Return what a run gave: the right bytes, a clear error, or something wrong."""
    try:
        data = work().to_bytes()
    except stakes.EngineError as error:
        return f"error: {str(error)[:60]}"
    return "right bytes" if data == local(case) else "WRONG BYTES"


def slow(part: Any) -> Any:  # noqa: ANN401
    """Hand on a partition after a while."""
    time.sleep(0.2)
    return part


def kill_a_worker(client: Any, wait: float, rng: random.Random, killed: list[int]) -> None:  # noqa: ANN401
    """Kill one of the workers that run, after some seconds."""
    time.sleep(wait)
    pids = sorted(client.run(os.getpid, on_error="ignore").values())
    if pids:
        os.kill(rng.choice(pids), signal.SIGKILL)
        killed.append(1)


def dask_kills(kills: int, seed: int) -> Counter[str]:
    """Kill workers, each in the midst of a run."""
    warnings.filterwarnings("ignore", module="distributed")  # rows of a test go with the graph
    import dask  # noqa: PLC0415
    from distributed import Client, LocalCluster  # noqa: PLC0415

    found: Counter[str] = Counter()
    rng, killed = random.Random(seed), list[int]()  # noqa: S311
    quiet = {"dashboard_address": None, "silence_logs": 50}
    while len(killed) < kills:
        case = rng.choice(_CASES)
        batches = [dask.delayed(slow)(part) for part in parts(TABLE, _PARTS)]
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **quiet) as cluster,
            Client(cluster) as client,
        ):
            arguments = client, rng.uniform(0, 1.8), rng, killed
            killer = threading.Thread(target=kill_a_worker, args=arguments)
            killer.start()
            told = CASES[case]
            found[outcome(lambda b=batches, t=told: stakes.dask.summarize(b, **t), case)] += 1
            killer.join()
    found["kills"] = len(killed)
    return found


def spark_kills(kills: int, seed: int) -> Counter[str]:
    """Kill executors, each in the midst of a run, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder))
        checks = Path(__file__).parents[1] / "tests" / "spark_checks.py"
        command = [sys.executable, str(checks), "kills", folder, str(kills), str(seed)]
        done = subprocess.run(command, stdout=-1, stderr=-1, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise RuntimeError(done.stderr[-3000:])
    right = hashlib.sha256(local("binary")).hexdigest()
    told = json.loads(done.stdout.splitlines()[-1])
    found = Counter("right bytes" if each == right else each[:60] for each in told["found"])
    found["kills"] = told["killed"]
    return found


def main() -> None:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engines", nargs="+", default=["dask", "spark"])
    options = parser.parse_args()
    work = {"dask": dask_kills, "spark": spark_kills}
    bad = 0
    for name in options.engines:
        found = work[name](options.kills, options.seed)
        bad += found["WRONG BYTES"]
        print(name, dict(found), flush=True)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
