"""How many threads work on the chunks of a pass; no number of them changes a bit."""

import os
import sys
from collections.abc import Callable
from itertools import pairwise

from stakes._errors import InputError

_WORTH_A_THREAD = 1e6  # nanoseconds


def available_threads() -> int:
    """Return how many threads may be used.

    What STAKES_THREADS says, or else OMP_NUM_THREADS, which is how other libraries are told; by
    default as many as this process may have processors. In a browser no thread can start.
    """
    if sys.platform in ("emscripten", "wasi"):
        return 1
    own = os.environ.get("STAKES_THREADS", "")
    if own and not (own.isdecimal() and int(own)):
        raise InputError("STAKES_THREADS", "must be a whole number of at least 1", repr(own))
    told = own or os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if told.isdecimal() and int(told):
        return int(told)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def over_chunks(
    run: Callable[..., object], job: object, n_chunks: int, threads: int, nanoseconds: float
) -> None:
    """Run chunks of a job in as many threads; a kernel lets go of the interpreter.

    Work of less than about a millisecond gets one, which is what threads cost.
    """
    threads = max(1, min(threads if nanoseconds > _WORTH_A_THREAD else 1, n_chunks))
    if threads == 1:
        run(job, 0, n_chunks)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  slow to load

    cuts = [n_chunks * i // threads for i in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(run, job, a, b) for a, b in pairwise(cuts)]:
            done.result()
