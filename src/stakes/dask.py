"""Evaluation of tables on Dask: each partition is summed where it is stored.

`evaluate`, `compare` and `summarize` take data frames, arrays and delayed batches of Dask, or paths
that its workers can read. They use the running `distributed.Client`, if there is one.
"""

from __future__ import annotations

__all__ = ["compare", "evaluate", "summarize"]

from stakes.engines.dask_engine import DaskEngine

_ENGINE = DaskEngine()
compare = _ENGINE.compare
evaluate = _ENGINE.evaluate
summarize = _ENGINE.summarize
