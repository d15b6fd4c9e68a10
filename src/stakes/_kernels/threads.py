"""How many threads work on the chunks of a pass; no number of them changes a bit."""

import os
from collections.abc import Callable
from itertools import pairwise

from stakes._errors import InputError

_WORTH_A_THREAD = 1e6  # nanoseconds


def available_threads() -> int:
    """Return how many threads may be used.

    What STAKES_THREADS says, or else OMP_NUM_THREADS, which is how other libraries are told; by
    default as many as this process may have processors.
    """
    own = os.environ.get("STAKES_THREADS", "")
    if own and not (own.isdecimal() and int(own)):
        raise InputError("STAKES_THREADS", "must be a whole number of at least 1", repr(own))
    told = own or os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if told.isdecimal() and int(told):
        return int(told)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def useful_threads(threads: int, nanoseconds: float) -> int:
    """Return one thread for less than about a millisecond of work, which is what they cost."""
    return threads if nanoseconds > _WORTH_A_THREAD else 1


def over_chunks(run: Callable[[int, int], None], n_chunks: int, threads: int) -> None:
    """Run chunks first..last-1 in as many threads; a kernel lets go of the interpreter."""
    threads = max(1, min(threads, n_chunks))
    if threads == 1:
        run(0, n_chunks)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  slow to load

    cuts = [n_chunks * i // threads for i in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(run, a, b) for a, b in pairwise(cuts)]:
            done.result()
