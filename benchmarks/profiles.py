"""Where our time goes: the share of each step, by what it does itself."""

import cProfile
import pstats
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from unittest import mock

from benchmarks.jobs.base import Thunk

_MOST = 6  # steps that are told
_LONG_ENOUGH = 0.2  # seconds of calls that are looked at together
_MOST_CALLS = 200
_LEAST = 0.03  # of the time
_PROBE = 'import sys; sys.argv[0] = "stakes"; from stakes.cli import main; main()'

Shares = list[dict[str, Any]]


def profile(call: Thunk) -> Shares:
    """Return the steps of a call that take most time themselves; no other thread works.

    A compiled loop counts for the function that calls it.
    """
    call()
    watch = cProfile.Profile(time.process_time)  # a busy machine must not count
    end = time.perf_counter() + _LONG_ENOUGH
    with mock.patch.object(ThreadPoolExecutor, "submit", _at_once):
        for _ in range(_MOST_CALLS):
            watch.runcall(call)
            if time.perf_counter() > end:
                break
    found: Any = pstats.Stats(watch)
    steps: Counter[str] = Counter()
    for place, (_, _, own, _, _) in found.stats.items():
        steps[_named(place)] += own
    return _largest(steps, sum(steps.values()))


def start_profile(arguments: Sequence[str]) -> Shares:
    """Return what a command of ours takes for loading packages, and for its own work."""
    command = (sys.executable, "-X", "importtime", "-c", _PROBE, *arguments)
    began = time.perf_counter()
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603
    total = time.perf_counter() - began
    steps: Counter[str] = Counter()
    for line in done.stderr.splitlines():
        found = re.match(r"import time:\s+(\d+) \|\s+\d+ \|\s+([\w.]+)", line)
        if found:
            package = found[2].partition(".")[0]
            standard = package in sys.stdlib_module_names
            steps["loading " + ("Python's own modules" if standard else package)] += int(found[1])
    seconds = Counter({step: micro / 1e6 for step, micro in steps.items()})
    seconds["all else: the work, the start and the end"] = total - sum(seconds.values())
    return _largest(seconds, total)


def _largest(steps: Counter[str], total: float) -> Shares:
    """Return the largest shares."""
    return [
        {"step": step, "share": own / total}
        for step, own in steps.most_common(_MOST)
        if own >= _LEAST * total
    ]


def told(shares: Iterable[dict[str, Any]]) -> str:
    """Say shares in one line."""
    return ", ".join(f"`{part['step']}` {100 * part['share']:.0f} %" for part in shares)


def _at_once(pool: object, work: Any, *given: Any) -> Future[Any]:  # noqa: ANN401, ARG001
    """Do the work of a thread here, where the profiler sees it."""
    done: Future[Any] = Future()
    done.set_result(work(*given))
    return done


def _named(place: tuple[str, int, str]) -> str:
    """Return a step's name: module and function, or the method of a built-in type."""
    file, _, function = place
    if file == "~":
        method = re.match(r"\Wmethod '(\w+)' of '([\w.]+)' objects", function)
        plain = re.match(r"\W(?:built-in method )?([\w.]+)", function)
        return f"{method[2]}.{method[1]}" if method else plain[1] if plain else function
    function = function.replace("<lambda>", "compiled loop")  # which is how kernels are called
    parts = re.split(r"[\\/]", file.removesuffix(".py"))
    for package in ("stakes", "benchmarks"):
        if package in parts:
            at = len(parts) - 1 - parts[::-1].index(package)
            return ".".join([*parts[at + (package == "stakes") :], function])
    return ".".join([*parts[-2:], function])
