"""Peak memory above the loaded input, each side in a process of its own."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.inputs import Binary, Input, Many, Shape
from benchmarks.jobs import ranking, scorecard, small
from benchmarks.jobs.base import Job, Side
from benchmarks.peers import presence

_WARM: dict[type, Shape] = {Binary: (1000, 2), Many: (1000, 10)}


@dataclass(frozen=True)
class MemoryJob:
    """A job whose peak is told, and what it may be at most, in parts of the input."""

    job: Job
    shape: Shape
    quick: Shape
    most: float | None


def _job(name: str) -> Job:
    """Return a job by its name."""
    return next(j for j in (*scorecard.JOBS, *ranking.JOBS, *small.JOBS) if j.name == name)


_TWO, _TENS, _HUNDREDS = (10_000_000, 2), (1_000_000, 10), (100_000, 100)
_FEW, _FEW_TENS, _FEW_HUNDREDS = (1_000_000, 2), (100_000, 10), (10_000, 100)
_LITTLE, _AGAIN = 0.1, 1.0  # of the input: for one pass, and for what sorts

MEMORY = (
    MemoryJob(_job("scorecard-binary"), _TWO, _FEW, _LITTLE),
    MemoryJob(_job("scorecard-posteriors"), _TENS, _FEW_TENS, _LITTLE),
    MemoryJob(_job("scorecard-posteriors"), _HUNDREDS, _FEW_HUNDREDS, _LITTLE),
    MemoryJob(_job("scorecard-logits"), _TENS, _FEW_TENS, _LITTLE),
    *(
        MemoryJob(_job(f"small-{name}"), _TWO, _FEW, _LITTLE)
        for name in ("log-loss", "brier", "confusion", "calibration-error")
    ),
    *(
        MemoryJob(_job(f"small-{name}"), _TENS, _FEW_TENS, _LITTLE)
        for name in ("log-loss-10", "brier-10")
    ),
    MemoryJob(_job("auc"), _TWO, _FEW, _AGAIN),
    MemoryJob(_job("small-average-precision"), _TWO, _FEW, _AGAIN),
    MemoryJob(_job("sweep"), _TWO, _FEW, None),  # five curves are returned
    MemoryJob(_job("isotonic"), _TWO, _FEW, _AGAIN),
)


def measured(memory: MemoryJob, *, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield the peak of each side."""
    shape = memory.quick if quick else memory.shape
    with tempfile.TemporaryDirectory() as folder:
        _child("make", memory.job.name, shape, folder)
        for index, side in enumerate(memory.job.sides):
            row: dict[str, Any] = {
                "job": memory.job.name,
                "title": memory.job.title,
                "n": shape[0],
                "k": shape[1],
                "side": side.name,
                "most": memory.most if index == 0 else None,
            }
            missing = presence(side.peer).missing if side.peer else ""
            yield row | ({"failed": missing} if missing else _peaks(index, memory, shape, folder))


def _peaks(index: int, memory: MemoryJob, shape: Shape, folder: str) -> dict[str, Any]:
    """Return the bytes of the input and of the peak above it, or why there are none."""
    try:
        text = _child(str(index), memory.job.name, shape, folder)
    except subprocess.CalledProcessError as error:
        return {"failed": error.stderr.strip().splitlines()[-1]}
    given, peak = (int(part) for part in text.split())
    return {"input_bytes": given, "extra_bytes": peak, "share": peak / given}


def _child(task: str, name: str, shape: Shape, folder: str) -> str:
    """Run one part in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.jobs.memory", task, name]
    command += [str(shape[0]), str(shape[1]), folder]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    return done.stdout


def _reset() -> int:
    """Return the memory of this process in bytes, and forget its peak where that can be done.

    Linux hands ru_maxrss of the parent on to a process that it starts, and a peak while the input
    was made would hide that of the call: so its own marks are used where there are some.
    """
    forget = Path("/proc/self/clear_refs")
    if not forget.exists():
        return _peak()
    forget.write_text("5")
    return _mark("VmRSS")


def _peak() -> int:
    """Return the largest memory of this process since then, in bytes."""
    if Path("/proc/self/status").exists():
        return _mark("VmHWM")
    import resource  # noqa: PLC0415  not on every system

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _mark(name: str) -> int:
    """Return one of the marks that Linux keeps of this process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1]) * 1024


def _make(job: Job, shape: Shape, folder: Path) -> None:
    """Write the arrays of the input."""
    data = job.make(shape)
    for name in ("y", *_needed(job)):
        np.save(folder / f"{name}.npy", getattr(data, name))


def _needed(job: Job) -> tuple[str, ...]:
    """Return the array that our side reads."""
    if job.make == Binary.made:
        return ("p",)
    return ("logits",) if job.name.endswith("logits") else ("p",)


def _loaded(job: Job, folder: Path) -> tuple[Input, int]:
    """Return the input as read from files, and how many bytes our side is given."""
    y = np.load(folder / "y.npy")
    name = _needed(job)[0]
    values = np.load(folder / f"{name}.npy")
    given = y.nbytes + values.nbytes
    if job.make == Binary.made:
        return Binary(y, values), given
    data = Many(y, values)
    if name == "p":
        data.__dict__["p"] = values  # never worked out from logits
    return data, given


def _measure(job: Job, side: Side, folder: Path) -> str:
    """Return the bytes of the input and those that one call took above it."""
    small = job.make(_WARM[Binary if job.make == Binary.made else Many])
    side.prepare(small)()  # what is loaded with the first call is not counted
    data, given = _loaded(job, folder)
    if side.peer == "author":
        data.__dict__["log_p"] = np.log(data.both if isinstance(data, Binary) else data.p)
    if isinstance(data, Binary):
        _ = data.decided  # an input of some
    call = side.prepare(data)
    before = _reset()
    found = call()
    after = _peak()
    del found
    return f"{given} {max(after - before, 0)}"


def main() -> None:
    """Run one part: `make`, or the side of a number."""
    task, name, n, k, folder = sys.argv[1:]
    job = _job(name)
    if task == "make":
        _make(job, (int(n), int(k)), Path(folder))
        return
    side = job.sides[int(task)]
    if side.peer:
        presence(side.peer)
    print(_measure(job, side, Path(folder)))


if __name__ == "__main__":
    main()
