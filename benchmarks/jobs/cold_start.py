"""Processor time of whole commands, from the start of the interpreter."""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from benchmarks.inputs import Binary
from benchmarks.peers import presence
from benchmarks.profiles import Shares, start_profile

_ROWS = 100_000
_ROUNDS, _FEW_ROUNDS = 7, 3  # of ours, and of what stands beside it


@dataclass(frozen=True)
class Command:
    """A command, and the seconds of processor time it may take."""

    name: str
    arguments: tuple[str, ...]
    most: float | None = None
    peer: str = ""


def stakes_command() -> tuple[str, ...]:
    """Return the installed script, or the same call where only the source is on the path."""
    script = Path(sys.executable).with_name("stakes")
    if script.exists():
        return (str(script),)
    return (sys.executable, "-c", "import sys; from stakes.cli import main; sys.exit(main())")


def commands(folder: Path) -> tuple[Command, ...]:
    """Return the commands, ours first."""
    data = Binary.made((_ROWS, 2))
    path = folder / "scores.parquet"
    parquet.write_table(pa.table({"y": data.y, "p": data.p}), path)
    evaluate = ["evaluate", str(path), "--label", "y", "--scores", "p"]
    evaluate += ["--scores-are", "posteriors", "--classes", "0,1"]
    evaluate += []
    ours = stakes_command()
    python = (sys.executable, "-c")
    return (
        Command("stakes --help", (*ours, "--help"), 0.15),
        Command("stakes evaluate, 1e5 rows of Parquet, no intervals", (*ours, *evaluate), 0.6),
        Command("the same without a calibration stage", (*ours, *evaluate, "--calibrator", "none")),
        Command("import stakes", (*python, "import stakes")),
        Command("python, nothing else", (*python, "pass")),
        Command("import numpy", (*python, "import numpy")),
        Command(
            "import sklearn.metrics", (*python, "import sklearn.metrics"), None, "scikit-learn"
        ),
        Command("import torchmetrics", (*python, "import torchmetrics"), None, "torchmetrics"),
        Command("import netcal.metrics", (*python, "import netcal.metrics"), None, "netcal"),
        Command("import psrcal.losses", (*python, "import psrcal.losses"), None, "author"),
    )


def measured(*, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield the median times of each command, in turn."""
    folder = Path(tempfile.mkdtemp())
    try:
        every = commands(folder)
        here = [c for c in every if not c.peer or not presence(c.peer).missing]
        times: dict[str, list[tuple[float, float]]] = {c.name: [] for c in here}
        for command in here:
            _run(command)  # so that modules are compiled
        for turn in range(_FEW_ROUNDS if quick else _ROUNDS):
            for command in here:
                if turn < _FEW_ROUNDS or not command.peer:
                    times[command.name].append(_run(command))
        for command in every:
            if command not in here:
                yield {"command": command.name, "failed": presence(command.peer).missing}
                continue
            cpu, wall = (statistics.median(t) for t in zip(*times[command.name], strict=True))
            yield {
                "command": command.name,
                "cpu": cpu,
                "wall": wall,
                "most": command.most,
                "profile": _profile(command, cpu),
            }
    finally:
        shutil.rmtree(folder)


def _profile(command: Command, cpu: float) -> Shares | None:
    """Return where the time of a command of ours goes, if it took too long."""
    if command.most is None or cpu <= command.most:
        return None
    return start_profile(command.arguments[len(stakes_command()) :])


def _run(command: Command) -> tuple[float, float]:
    """Return processor and wall time of one run."""
    shell = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before, start = _children(), time.perf_counter()
    done = subprocess.run(  # noqa: S603
        command.arguments, env=shell, check=False, capture_output=True, text=True
    )
    wall, cpu = time.perf_counter() - start, _children() - before
    if done.returncode:
        msg = f"{command.name} failed: {done.stderr.strip()[-300:]}"
        raise RuntimeError(msg)
    return cpu, wall


def _children() -> float:
    """Return the processor time of all children so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
