"""Evaluation of tables on Spark: each partition is summed on its executor.

`evaluate`, `compare` and `summarize` take data frames of Spark 4, of a classic session or of Spark
Connect, or paths that its executors can read.
"""

from __future__ import annotations

__all__ = ["compare", "evaluate", "summarize"]

from stakes.engines.spark_engine import SparkEngine

_ENGINE = SparkEngine()
compare = _ENGINE.compare
evaluate = _ENGINE.evaluate
summarize = _ENGINE.summarize
