"""Tables on Dask: each partition is summed where it lies, and only sums travel.

`stakes.dask.evaluate` and `compare` take data frames, arrays and delayed batches of Dask, or paths
that its workers can read. They use the `distributed.Client` that is running, if there is one.
"""

from __future__ import annotations

__all__ = ["compare", "evaluate", "summarize"]

from stakes.engines.dask_engine import DaskEngine

_ENGINE = DaskEngine()
compare = _ENGINE.compare
evaluate = _ENGINE.evaluate
summarize = _ENGINE.summarize
