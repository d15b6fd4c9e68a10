"""Columns of scores that name the classes: any frame, any order, any kind of label."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

import stakes

RNG = np.random.default_rng(11)
X = RNG.normal(size=(300, 3))
QUICK: dict[str, Any] = {"calibrator": None}
KINDS: dict[str, list[Any]] = {
    "texts": ["well", "ill"],
    "numbers": [0, 1],
    "other numbers": [-3, 7],
    "truth values": [False, True],
    "three texts": ["b", "a", "c"],
    "three numbers": [2, 5, 19],
    "texts of numbers": ["0", "1"],
}
FRAMES: dict[str, Callable[[np.ndarray, list[Any]], Any]] = {
    "pandas": lambda p, names: pd.DataFrame(p, columns=names),
    "pandas, of Arrow": lambda p, names: pd.DataFrame(p, columns=names).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "polars": lambda p, names: pl.DataFrame({str(n): p[:, i] for i, n in enumerate(names)}),
    "polars, lazy": lambda p, names: pl.LazyFrame({str(n): p[:, i] for i, n in enumerate(names)}),
    "pyarrow": lambda p, names: pa.table({str(n): p[:, i] for i, n in enumerate(names)}),
}


def fitted(kind: str) -> tuple[np.ndarray, np.ndarray, list[Any]]:
    """Return labels, probabilities of a model, and its classes."""
    names = KINDS[kind]
    score = X[:, 0] + 0.5 * RNG.normal(size=len(X))
    cut = np.digitize(score, np.quantile(score, np.linspace(0, 1, len(names) + 1)[1:-1]))
    y = np.array(names)[cut]
    model = LogisticRegression().fit(X, y)
    return y, model.predict_proba(X), model.classes_.tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FRAMES)
def test_columns_are_matched_by_name(kind: str, form: str) -> None:
    y, p, classes = fitted(kind)
    order = list(range(len(classes)))[::-1]
    turned = FRAMES[form](p[:, order], [classes[k] for k in order])
    straight = FRAMES[form](p, classes)
    want = stakes.evaluate(y, p, classes=classes, **QUICK)
    for scores in (straight, turned):
        told = stakes.evaluate(y, scores, classes=classes, **QUICK)
        assert told.data.classes == tuple(classes)
        for name, value in told.metrics().items():
            assert value.value == pytest.approx(want.metrics()[name].value, rel=1e-12), name
        found = stakes.evaluate(y, scores, **QUICK)
        assert set(found.data.classes) == set(classes)
        assert found.rules[0].raw.value == pytest.approx(want.rules[0].raw.value, rel=1e-12)
        assert found.main.cost.raw.value == pytest.approx(want.main.cost.raw.value, rel=1e-12)
        assert stakes.cross_entropy(y, scores).value == pytest.approx(want.rules[0].raw.value)
        costs = stakes.CostMatrix.zero_one(classes)
        assert stakes.bayes_cost(y, scores, costs=costs).value == want.main.cost.raw.value
        made = stakes.compare(y, {"one": scores, "two": p}, classes=classes, **QUICK)
        assert {d.difference.value for d in made.differences if d.metric == "cost.nec"} == {0.0}
        fit = stakes.AffineCalibrator().fit(scores, y, classes=classes)
        plain = stakes.AffineCalibrator().fit(p, y, classes=classes)
        np.testing.assert_allclose(
            fit.transform(scores).values, plain.transform(p).values, rtol=1e-9
        )


WRONG: dict[str, tuple[list[Any], list[Any], str]] = {
    "other texts": ([0, 1], ["p0", "p1"], r"labels of the classes 'p0', 'p1': .*rename them, or pass"),
    "a prefix": (["a", "b"], ["p_a", "p_b"], r"labels of the classes .*'p_a', 'p_b'.*rename them"),
    "leading zeros": ([0, 1], ["00", "01"], r"labels of the classes '00', '01'.*rename them"),
    "other numbers": ([0, 1], [1, 2], r"got label 0 at row 0.*rename them"),
    "truth said as numbers": ([False, True], ["no", "yes"], r"'no', 'yes'.*rename them"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("form", FRAMES)
def test_other_names_are_refused_with_the_fix(case: str, form: str) -> None:
    labels, names, message = WRONG[case]
    p = np.column_stack([np.full(40, 0.4), np.full(40, 0.6)])
    with pytest.raises(stakes.InputError, match=message):
        stakes.evaluate(labels * 20, FRAMES[form](p, names), **QUICK)
    renamed = FRAMES[form](p, labels)  # the fix
    stakes.evaluate(labels * 20, renamed, **QUICK)


def test_declared_classes_say_which_columns_they_are() -> None:
    p = np.array([[0.9, 0.1], [0.2, 0.8]])
    with pytest.raises(stakes.InputError, match=r"columns of scores must be the classes 0, 1: got 'p0', 'p1'"):  # fmt: skip
        stakes.cross_entropy([0, 1], pl.DataFrame({"p0": p[:, 0], "p1": p[:, 1]}), classes=[0, 1])
