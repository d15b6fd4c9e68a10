"""What users write, for type checkers: `make lint` runs mypy, `make types` pyright over it."""

# pyright: basic, reportUnnecessaryTypeIgnoreComment=true

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

import stakes


class Bits(stakes.ScoringRule):
    """A rule of one's own."""

    name = "cross-entropy in bits"

    def losses(self, y: NDArray[np.int64], answers: stakes.Answers) -> NDArray[np.float64]:
        return stakes.LogLoss().losses(y, answers) / np.log(2)


def right() -> None:
    """Take columns of all libraries."""
    frame = pl.DataFrame({"a": [0.5, 0.5], "b": [0.5, 0.5]})
    for y in ([0, 1], (0, 1), np.array([0, 1]), pd.Series([0, 1]), pl.Series([0, 1])):
        stakes.evaluate(y, [0.2, 0.7], rules=[Bits()])
        stakes.evaluate(y, [0.2, 0.7], priors=0.05, training_priors=np.float64(0.5))
        stakes.bayes_cost(y, frame)
        stakes.bayes_cost(y, frame.lazy())
    for column in (pa.array([0, 1]), pa.chunked_array([[0, 1]])):
        stakes.auc(column, stakes.Logits(column))


def wrong() -> None:
    """Misspelt names and things that are not columns are errors."""
    stakes.evaluate(3, [0.2])  # type: ignore[arg-type]
    stakes.evalute  # type: ignore[attr-defined]  # noqa: B018
