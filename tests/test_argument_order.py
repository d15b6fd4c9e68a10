"""One order of arguments, (y_true, scores, ...); `fit` has scikit-learn's and says so."""

import inspect
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stakes

LABELS = {"y_true"}
JUDGED = {"scores", "y_pred", "llr", "posteriors", "systems"}
OTHER_ORDER = {"fit", "learn_plain"}  # scores first, as scikit-learn has X before y


def orders() -> dict[str, list[str]]:
    """Return the arguments of every public function and method that takes labels and scores."""
    out = {}
    for name in dir(stakes):
        thing = getattr(stakes, name)
        members = inspect.getmembers(thing, callable) if inspect.isclass(thing) else []
        named = {f"{name}.{m}": f for m, f in members if not m.startswith("_")}
        for path, each in ({name: thing} | named if callable(thing) else named).items():
            try:
                arguments = list(inspect.signature(each).parameters)
            except (TypeError, ValueError):
                continue
            if LABELS & set(arguments) and JUDGED & set(arguments):
                out[path] = arguments
    return out


def test_labels_come_before_scores() -> None:
    found = orders()
    assert len(found) > 40
    for path, arguments in found.items():
        first = min(arguments.index(name) for name in JUDGED & set(arguments))
        labels_first = arguments.index("y_true") < first
        assert labels_first != (path.rpartition(".")[2] in OTHER_ORDER), path


RNG = np.random.default_rng(0)
Y = (RNG.random(60) < 0.4).astype(int)
P = RNG.uniform(0.05, 0.95, 60)
TABLE = np.column_stack([1 - P, P])
TEXTS = np.array(["a", "b"])[Y]
SWAPPED: dict[str, tuple[Any, Any]] = {
    "arrays": (Y, P),
    "lists": (Y.tolist(), P.tolist()),
    "truths": (Y == 1, P),
    "two columns": (Y, TABLE),
    "lists of rows": (Y.tolist(), TABLE.tolist()),
    "texts": (TEXTS, P),
    "texts and two columns": (TEXTS.tolist(), TABLE),
    "series": (pd.Series(Y), pd.Series(P)),
    "a frame": (pd.Series(TEXTS), pd.DataFrame(TABLE, columns=["a", "b"])),
    "polars": (pl.Series(Y), pl.Series(P)),
    "a frame of polars": (pl.Series(TEXTS), pl.DataFrame(TABLE, schema=["a", "b"])),
    "logits": (Y, stakes.Logits(np.log(P / (1 - P)))),
}


@pytest.mark.parametrize("calibrator", [stakes.AffineCalibrator(), stakes.IsotonicCalibrator()])
@pytest.mark.parametrize("name", SWAPPED)
def test_a_swapped_fit_says_so(name: str, calibrator: stakes.Calibrator) -> None:
    labels, scores = SWAPPED[name]
    with pytest.raises(stakes.InputError, match=r"Call fit\(scores, y_true\)"):
        calibrator.fit(labels, scores)
    right = calibrator.fit(scores, labels, classes=["a", "b"] if "a" in list(labels) else None)
    assert len(right.classes) == 2


def test_what_could_be_meant_is_not_called_swapped() -> None:
    certain = [0, 1, 1, 0, 1, 0]
    stakes.IsotonicCalibrator().fit(stakes.Posteriors([0, 1, 0, 0, 1, 1]), certain)
    with pytest.raises(stakes.InputError) as caught:
        stakes.AffineCalibrator().fit([0.2, 0.4, 1.4], [0, 1, 1])
    assert "Call fit" not in str(caught.value)
