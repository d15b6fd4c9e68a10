"""Run one library on a file: seconds and processor seconds of its pass, and what it found."""

import json
import os
import resource
import sys
import time
from importlib import import_module

import numpy as np


def processor() -> float:
    """Return the seconds that all threads of this process have used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Time the pass alone: libraries are loaded before it."""
    library, path = sys.argv[1:]
    os.environ.pop("OMP_NUM_THREADS", None)  # other benchmarks have one thread, this one all
    module = import_module(f"benchmarks.sums.with_{library}")
    seconds, cpu = time.perf_counter(), processor()
    found = module.scan(path)
    seconds, cpu = time.perf_counter() - seconds, processor() - cpu
    numbers = {name: np.asarray(part).tolist() for name, part in module.numbers(found).items()}
    print(json.dumps({"seconds": seconds, "cpu": cpu, "numbers": numbers}))


if __name__ == "__main__":
    main()
