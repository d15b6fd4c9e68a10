"""Time every job beside every peer that is installed; see docs/performance.md.

python -m benchmarks.run                        all jobs, written to benchmarks/results.json
python -m benchmarks.run --quick --job auc      one job at small sizes, printed
python -m benchmarks.run --wanted --quick       few rounds of the sizes with a wanted ratio
python -m benchmarks.run --profile --job auc    what our side spends its time on
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.inputs import Shape
from benchmarks.jobs import calibration, cold_start, memory, ranking, resampling, scorecard, small
from benchmarks.jobs.base import Job, Side, Thunk, Values
from benchmarks.peers import PEERS, presence
from benchmarks.profiles import profile, told
from benchmarks.timing import SLOW, SLOW_BESIDE, Times, interleaved

JOBS: tuple[Job, ...] = (
    *scorecard.JOBS,
    *ranking.JOBS,
    *calibration.JOBS,
    *resampling.JOBS,
    *small.JOBS,
)
HERE = Path(__file__).parent
_FULL, _QUICK = (2.0, 7), (0.5, 3)  # seconds for each side of a job at one size, and rounds


def say(text: str) -> None:
    """Tell how far it is."""
    print(text, file=sys.stderr, flush=True)


def compact(found: dict[str, Any]) -> str:
    """Return results as JSON with a line for each row, so that a change shows as few lines."""
    parts = []
    for name, value in found.items():
        if isinstance(value, list):
            rows = ",\n".join(json.dumps(row, allow_nan=False, default=float) for row in value)
            parts.append(f"{json.dumps(name)}: [\n{rows}\n]")
        else:
            parts.append(f"{json.dumps(name)}: {json.dumps(value, allow_nan=False, default=float)}")
    return "{\n" + ",\n".join(parts) + "\n}"


def main() -> None:
    """Run what was asked for."""
    options = _options()
    jobs = [job for job in JOBS if job.name.startswith(options.job)]
    if options.profile:
        _profiles(jobs, options)
        return
    warnings.simplefilter("ignore")  # of peers
    began = time.time()
    found: dict[str, Any] = {"machine": machine(), "quick": options.quick, "peers": _peers()}
    found["jobs"] = [
        row
        for job in jobs
        for row in timed(job, _shapes(job, options), *(_QUICK if options.quick else _FULL))
    ]
    if "memory".startswith(options.job):
        found["memory"] = list(_memory(quick=options.quick))
    if "cold-start".startswith(options.job):
        found["cold_start"] = list(_cold_start(quick=options.quick))
    found["minutes"] = (time.time() - began) / 60
    path = options.json or (None if options.job else HERE / "results.json")
    text = compact(found)
    if path is None:
        print(text)
    else:
        path.write_text(text + "\n", encoding="utf-8")
        say(f"written to {path}")


def _options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--job", default="", help="the jobs whose name starts so")
    parser.add_argument("--quick", action="store_true", help="small sizes, few rounds")
    parser.add_argument("--wanted", action="store_true", help="only sizes with a wanted ratio")
    parser.add_argument("--json", type=Path, help="where to write the results")
    parser.add_argument("--profile", action="store_true", help="profile our side instead")
    options = parser.parse_args()
    names = [*(job.name for job in JOBS), "memory", "cold-start"]
    if not any(name.startswith(options.job) for name in names):
        parser.error(f"--job must start one of {', '.join(names)}: got {options.job!r}.")
    return options


def _profiles(jobs: list[Job], options: argparse.Namespace) -> None:
    """Say where our time goes: at sizes with a wanted ratio, or at the largest."""
    for job in jobs:
        largest = (job.quick[-1] if options.quick else _largest(job),)
        for shape in _shapes(job, options) if options.wanted else largest:
            steps = profile(job.ours.prepare(job.make(shape)))
            say(f"{job.name}, {shape[0]:,} x {shape[1]}: {told(steps)}")


def machine() -> dict[str, Any]:
    """Return where this was measured."""
    info = Path("/proc/cpuinfo")
    names = info.read_text().splitlines() if info.exists() else []
    model = next((n.split(":")[1].strip() for n in names if n.startswith("model name")), "")
    return {
        "processor": model or platform.processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "system": platform.system(),
        "stakes": _version(),
    }


def _version() -> str:
    """Return what `stakes --version` says, which tells whether kernels are compiled."""
    command = [*cold_start.stakes_command(), "--version"]
    return subprocess.run(  # noqa: S603
        command, check=True, capture_output=True, text=True
    ).stdout.strip()


def _peers() -> dict[str, Any]:
    """Return which peers are here, and why others are not."""
    found = {}
    for name in PEERS:
        here = presence(name)
        found[name] = {"versions": here.versions, "fixed": here.fixed, "missing": here.missing}
        if here.missing:
            say(f"{name} is left out: {here.missing}")
    return found


def _shapes(job: Job, options: argparse.Namespace) -> tuple[Shape, ...]:
    """Return the sizes that were asked for."""
    if options.wanted:
        return tuple(s for s in job.shapes if any(s in side.wanted for side in job.peers))
    return job.quick if options.quick else job.shapes


def timed(
    job: Job, shapes: tuple[Shape, ...], budget: float, rounds: int
) -> Iterator[dict[str, Any]]:
    """Yield a row for each side of a job at each size."""
    for shape in shapes:
        say(f"{job.name}, {shape[0]:,} x {shape[1]}")
        data = job.make(shape)
        tried = [_try(side, data, shape) for side in job.sides]
        ready = [t for t in tried if isinstance(t, Ready)]
        calls, once = [r.call for r in ready], [r.once for r in ready]
        slow = SLOW if any(shape in side.wanted for side in job.peers) else SLOW_BESIDE
        times = interleaved(calls, once, budget, rounds, slow)
        of = {r.side.name: t for r, t in zip(ready, times, strict=True)}
        steps = profile(ready[0].call) if _missed(ready, of, shape) else None
        for side, result in zip(job.sides, tried, strict=True):
            row: dict[str, Any] = {
                "job": job.name,
                "family": job.family,
                "title": job.title,
                "unit": job.unit,
            }
            row |= {"n": shape[0], "k": shape[1], "side": side.name, "peer": side.peer}
            if isinstance(result, str):
                say(f"  {side.name}: {result}")
                yield {**row, "failed": result}
                continue
            row |= _numbers(side, of[side.name], of[job.ours.name], shape)
            row |= _compared(job, side, result.values, ready[0].values)
            if steps and not side.peer:
                row["profile"] = steps
            _tell(row)
            yield row


def _missed(ready: list["Ready"], of: dict[str, Times], shape: Shape) -> bool:
    """Whether a wanted ratio was not reached: then it is told where our time goes."""
    ours = of[ready[0].side.name].medians[0]
    return any(
        of[r.side.name].medians[0] * r.side.scale < r.side.wanted.get(shape, 0.0) * ours
        for r in ready
    )


class Ready:
    """A side that ran once, and what it found."""

    def __init__(self, side: Side, call: Thunk, once: float, values: Values) -> None:
        self.side, self.call, self.once, self.values = side, call, once, values


def _try(side: Side, data: Any, shape: Shape) -> Ready | str:  # noqa: ANN401
    """Run a side once, or tell why it cannot be."""
    if side.shapes is not None and shape not in side.shapes:
        return "not for this size"
    if side.peer and presence(side.peer).missing:
        return presence(side.peer).missing
    try:
        call = side.prepare(data)
        for _ in range(2):  # what is loaded or compiled with the first call is not counted
            start = time.perf_counter()
            found = call()
            once = time.perf_counter() - start
            if once > SLOW_BESIDE:  # of which that is a small part
                break
        return Ready(side, call, once, side.read(found, data))
    except Exception as error:
        if not side.peer:
            raise
        return f"{type(error).__name__}: {error}"[:300]


def _numbers(side: Side, times: Times, ours: Times, shape: Shape) -> dict[str, Any]:
    """Return times and ratios of a side."""
    cpu, user, wall = (t * side.scale for t in times.medians)
    our_cpu, our_user, our_wall = ours.medians
    row: dict[str, Any] = {"cpu": cpu, "user": user, "wall": wall, "rounds": len(times.cpu)}
    row["scaled_from"] = side.scaled_from or None
    if side.peer:
        wanted = side.wanted.get(shape)
        ratio = cpu / our_cpu
        row |= {"ratio": ratio, "wall_ratio": wall / our_wall, "wanted": wanted}
        row["user_ratio"] = user / our_user if our_user else None
        row["met"] = None if wanted is None else ratio >= wanted
    return row


def _compared(job: Job, side: Side, values: Values, ours: Values) -> dict[str, Any]:
    """Return how far a side's numbers are from ours, and whether that is near enough."""
    gaps = {}
    for name in values.keys() & ours.keys() - set(job.noted):
        gaps[name] = abs(values[name] - ours[name]) / max(abs(ours[name]), 1e-300)
    far = {name: gap for name, gap in gaps.items() if not gap <= side.within(name)}
    kept = {name: values[name] <= most for name, most in job.limits.items() if not side.peer}
    return {
        "values": values,
        "agrees": not far,
        "far": far,
        "limits_kept": all(kept.values()),
        "noted": {name: values[name] for name in job.noted if name in values},
    }


def _tell(row: dict[str, Any]) -> None:
    """Print one row."""
    ratio = f"{row['ratio']:9.1f} x" if "ratio" in row else ""
    wanted = f" (wanted {row['wanted']:g})" if row.get("wanted") else ""
    doubt = "" if row["agrees"] else f"  DIFFERS: {row['far']}"
    noted = "".join(f"  {name} {value:.1e}" for name, value in row["noted"].items())
    say(f"  {row['side']:52s} {1000 * row['cpu']:12.3f} ms{ratio}{wanted}{noted}{doubt}")


def _memory(*, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield the peak memory of all sides."""
    for job in memory.MEMORY:
        say(f"memory of {job.job.name}")
        for row in memory.measured(job, quick=quick):
            said = row.get("failed") or f"{row['extra_bytes'] / 1e6:.0f} MB, {row['share']:.2f}"
            say(f"  {row['side']:52s} {said}")
            yield row


def _cold_start(*, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield the times of whole commands."""
    for row in cold_start.measured(quick=quick):
        said = row.get("failed") or f"{row['cpu']:.3f} s"
        say(f"  {row['command']:52s} {said}")
        yield row


def _largest(job: Job) -> Shape:
    """Return the size of a job with most cells."""
    return max(job.shapes, key=lambda shape: shape[0] * shape[1])


if __name__ == "__main__":
    main()
