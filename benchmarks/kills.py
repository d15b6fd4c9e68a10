"""Kill a resumable run at random moments, and hold its result against an uninterrupted one.

`python -m benchmarks.kills` kills 60 times; `--kills 5` fewer, `--seed 1` at other moments, and
`--members` runs with weights, groups, slices and costs by case. Row
groups are small and the file of --resume is written after nearly each, so that kills hit writes.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

_GROUPS, _ROWS = 300, 500
_RUN = f"""
import sys
from stakes.cli import main, table_streams
table_streams.WAIT, table_streams.EVERY = 0.002, 0.0
table_streams.ROWS = {_ROWS}
main(sys.argv[1:])
"""
_OPTIONS = (
    "--label", "y", "--scores", "p", "--scores-are", "posteriors", "--positive", "1",
    "--calibrator", "none", "--memory", "0", "--json",
)  # fmt: skip
MEMBERS = (
    "--weight", "w", "--group", "g", "--slice", "s", "--cost", "miss=v,false_alarm=2",
)  # fmt: skip


def write_groups(path: Path, groups: int = _GROUPS) -> None:
    """Write a Parquet file of many small row groups."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, groups * _ROWS).astype(np.int8)
    p = 1 / (1 + np.exp(-(2 * y - 1) - rng.normal(size=y.size)))
    members = {
        "w": rng.uniform(0.2, 3, y.size),
        "v": np.exp(rng.normal(size=y.size)),
        "g": rng.integers(3000, size=y.size),
        "s": rng.integers(4, size=y.size),
    }
    parquet.write_table(pa.table({"y": y, "p": p, **members}), path, row_group_size=_ROWS)


def begin(
    file: Path, resume: Path | None, members: tuple[str, ...] = ()
) -> "subprocess.Popen[bytes]":
    """Start a run as a process of its own."""
    more = members if resume is None else (*members, "--resume", str(resume))
    command = [sys.executable, "-c", _RUN, "evaluate", str(file), *_OPTIONS, *more]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "STAKES_THREADS": "2"}
    return subprocess.Popen(  # noqa: S603
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )


def finished(run: "subprocess.Popen[bytes]") -> bytes:
    """Return what a run printed; it must have gone well."""
    out, err = run.communicate()
    if run.returncode:
        raise RuntimeError(err.decode())
    return out


def kill_at_random(
    folder: Path, kills: int, seed: int = 0, groups: int = _GROUPS, members: tuple[str, ...] = ()
) -> tuple[list[int], int]:
    """Kill runs so many times; return after how many kills each had its result.

    And how many of the kills came when something had been saved.

    A run is killed, and resumed, until it comes to its end. Its output must be the bytes of an
    uninterrupted run, and its file of --resume must be gone.
    """
    file, resume = folder / "groups.parquet", folder / "run.part"
    write_groups(file, groups)
    start = time.monotonic()
    wanted = finished(begin(file, None, members))
    longest = time.monotonic() - start
    rng = random.Random(seed)  # noqa: S311
    done: list[int] = []
    left, own, saved = kills, 0, 0
    while left or own:
        run = begin(file, resume, members)
        if left:
            try:
                run.wait(longest * rng.uniform(0.3, 1.3))
            except subprocess.TimeoutExpired:
                run.send_signal(signal.SIGKILL)
        out, err = run.communicate()
        if run.returncode == -signal.SIGKILL:
            left, own, saved = left - 1, own + 1, saved + resume.exists()
            continue
        if run.returncode or out != wanted or resume.exists():
            msg = f"after {own} kills: exit code {run.returncode}, {err.decode()}"
            raise RuntimeError(f"{msg}; {'the same' if out == wanted else 'other'} bytes")
        done.append(own)
        own = 0
    return done, saved


def main() -> None:
    """Kill, and print what became of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--members", action="store_true", help="also weights, groups, slices")
    options = parser.parse_args()
    more = MEMBERS if options.members else ()
    with tempfile.TemporaryDirectory() as folder:
        done, saved = kill_at_random(Path(folder), options.kills, options.seed, members=more)
    print(f"{options.kills} kills, {saved} of them when something had been saved")
    print(f"{len(done)} results, all of the same bytes, after {', '.join(map(str, done))} kills")


if __name__ == "__main__":
    main()
