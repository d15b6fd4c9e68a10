"""Agreement with scikit-learn where it has the metric, and the list of deliberate differences."""

import math
import warnings
from collections.abc import Callable

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from sklearn import metrics as sk

import stakes
from strategies import Decided, count, decided

SAME_METRIC: dict[str, tuple[Callable[[stakes.ConfusionMatrix], float], Callable[..., float]]] = {
    "accuracy": (lambda cm: cm.accuracy().value, sk.accuracy_score),
    "balanced_accuracy": (lambda cm: cm.balanced_accuracy().value, sk.balanced_accuracy_score),
    "matthews": (lambda cm: cm.matthews().value, sk.matthews_corrcoef),
}
SAME_BINARY_METRIC: dict[
    str, tuple[Callable[[stakes.ConfusionMatrix], float], Callable[..., float]]
] = {
    "f1": (lambda cm: cm.f_score().value, sk.f1_score),
    "f_half": (
        lambda cm: cm.f_score(0.5).value,
        lambda *a, **k: sk.fbeta_score(*a, beta=0.5, **k),
    ),
    "f2": (lambda cm: cm.f_score(2).value, lambda *a, **k: sk.fbeta_score(*a, beta=2, **k)),
    "precision": (lambda cm: cm.precision().value, sk.precision_score),
    "recall": (lambda cm: cm.recall().value, sk.recall_score),
    "specificity": (
        lambda cm: cm.specificity().value,
        lambda *a, **k: sk.recall_score(*a, pos_label=0, **k),
    ),
}


def agree(ours: float, theirs: float) -> bool:
    """Tell equal values; where ours is undefined, scikit-learn says 0 by convention."""
    if math.isnan(ours):
        return theirs == 0 or math.isnan(theirs)
    return ours == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@given(decided(square=True, weights=False))
def test_counts_and_metrics_of_any_number_of_classes(data: Decided) -> None:
    weights = 1.0 + data.y + data.d
    for w in (None, weights):
        cm = count(data.y, data.d, w, data.costs)
        labels = range(data.n_classes)
        np.testing.assert_array_equal(
            cm.counts, sk.confusion_matrix(data.y, data.d, labels=list(labels), sample_weight=w)
        )
        for name, (ours, theirs) in SAME_METRIC.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert agree(ours(cm), theirs(data.y, data.d, sample_weight=w)), name


@given(decided(square=True, weights=False, classes=2))
def test_metrics_of_two_classes(data: Decided) -> None:
    for w in (None, 1.0 + data.y + data.d):
        cm = count(data.y, data.d, w, data.costs)
        for name, (ours, theirs) in SAME_BINARY_METRIC.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert agree(ours(cm), theirs(data.y, data.d, sample_weight=w)), name
        if cm.rates[0, 1] > 0:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs_plus, _ = sk.class_likelihood_ratios(data.y, data.d, sample_weight=w)
            assert agree(cm.positive_likelihood_ratio().value, theirs_plus)


# Deliberate differences from scikit-learn 1.9. Each row: what differs, our value, theirs.
ALWAYS_NO = ([0, 1, 1], [0, 0, 0])
NO_FALSE_ALARM = ([0, 1, 1], [0, 1, 0])
TINY = [1e-200] * 5


def ours(y: list[int], d: list[int], w: list[float] | None = None) -> stakes.ConfusionMatrix:
    """Count with our own function."""
    return stakes.confusion_matrix(y, d, sample_weight=w)


def quiet(call: Callable[[], float]) -> float:
    """Call scikit-learn without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(call())


@pytest.mark.parametrize(
    ("difference", "our_value", "their_value", "right"),
    [
        (
            "precision of a system that never says yes: undefined, not 0",
            ours(*ALWAYS_NO).precision().value,
            quiet(lambda: sk.precision_score(*ALWAYS_NO)),
            math.nan,
        ),
        (
            "F of a system that never says yes where nothing is to be found: undefined, not 0",
            stakes.confusion_matrix([0, 0], [0, 0], classes=2).f_score().value,
            quiet(lambda: sk.f1_score([0, 0], [0, 0])),
            math.nan,
        ),
        (
            "Matthews correlation of constant decisions: undefined, not 0",
            ours(*ALWAYS_NO).matthews().value,
            quiet(lambda: sk.matthews_corrcoef(*ALWAYS_NO)),
            math.nan,
        ),
        (
            "LR+ without false alarms: infinite, not NaN",
            ours(*NO_FALSE_ALARM).positive_likelihood_ratio().value,
            quiet(lambda: sk.class_likelihood_ratios(*NO_FALSE_ALARM)[0]),
            math.inf,
        ),
        (
            "Matthews correlation with tiny weights: 1/6, not 0",
            ours([0, 1, 0, 1, 0], [0, 1, 1, 0, 0], TINY).matthews().value,
            quiet(
                lambda: sk.matthews_corrcoef([0, 1, 0, 1, 0], [0, 1, 1, 0, 0], sample_weight=TINY)
            ),
            1 / 6,
        ),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_deliberate_difference(
    difference: str, our_value: float, their_value: float, right: float
) -> None:
    assert our_value == pytest.approx(right, nan_ok=True), difference
    assert their_value != pytest.approx(right, nan_ok=True)


def test_an_undeclared_label_is_an_error_where_scikit_learn_drops_it() -> None:
    with pytest.raises(stakes.InputError, match="label 2 at row 2"):
        stakes.confusion_matrix([0, 1, 2], [0, 1, 1], classes=[0, 1])
    assert sk.confusion_matrix([0, 1, 2], [0, 1, 1], labels=[0, 1]).sum() == 2


def test_the_class_of_interest_is_the_last_declared_one() -> None:
    cm = stakes.confusion_matrix(["b", "a", "a"], ["b", "a", "b"], classes=["b", "a"])
    assert cm.recall().value == 0.5
    assert sk.recall_score(["b", "a", "a"], ["b", "a", "b"], pos_label="a") == 0.5


def test_balanced_accuracy_needs_every_declared_class_where_scikit_learn_drops_it() -> None:
    cm = stakes.confusion_matrix([1, 1], [1, 2], classes=[1, 2])
    with pytest.raises(stakes.UndefinedMetricError, match="class 2"):
        cm.balanced_accuracy()
    assert quiet(lambda: sk.balanced_accuracy_score([1, 1], [1, 2])) == 0.5


def test_the_best_decision_by_brute_force_is_the_naive_one() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        costs = stakes.CostMatrix(rng.integers(0, 9, (3, 4)))
        priors = rng.dirichlet(np.ones(3))
        best, value = costs.naive(priors)
        expected = (priors[:, None] * costs.values).sum(axis=0)
        assert value == pytest.approx(expected.min())
        assert best == int(np.argmin(np.round(expected, 12)))


@pytest.mark.parametrize(
    "lean",
    [
        stakes.CostMatrix.zero_one(2),
        stakes.CostMatrix.zero_one(30),
        stakes.CostMatrix.zero_one(5, abstain=0.2),
        stakes.CostMatrix.zero_one(30, abstain=0.05),
        stakes.CostMatrix.balanced(3, [0.7, 0.2, 0.1]),
    ],
    ids=lambda costs: f"{costs.shape}",
)
def test_error_costs_are_the_same_table_as_dense_costs(lean: stakes.CostMatrix) -> None:
    k = lean.shape[0]
    rng = np.random.default_rng(k)
    dense = stakes.CostMatrix(lean.values, decisions=lean.decisions)
    y = rng.integers(0, k, 200)
    d = rng.integers(0, lean.shape[1], 200)
    assert (lean.at(y, d) == dense.at(y, d)).all()
    for j in range(lean.shape[1]):
        assert (lean.column(j) == dense.column(j)).all()
    for _ in range(50):
        priors = rng.dirichlet(np.ones(k))
        assert lean.naive(priors) == dense.naive(priors)
    assert [end.tolist() for end in lean.ranges()] == [end.tolist() for end in dense.ranges()]
    assert lean == dense
    assert hash(lean) == hash(dense)


def test_lazy_tables_and_data_sets_are_gathered() -> None:
    """A lazy frame stands for DuckDB's relations too; a data set gives its table when asked."""

    class DataSet:
        """As Hugging Face has it: columns by name, and all rows as an Arrow table."""

        def __init__(self, table: pa.Table) -> None:
            self.table = table

        @property
        def column_names(self) -> list[str]:
            return list(self.table.column_names)

        def with_format(self, kind: str) -> "DataSet":
            assert kind == "arrow"
            return self

        def __getitem__(self, rows: slice) -> pa.Table:
            return self.table[rows]

    labels, table = {"y": ["a", "b", "a"]}, {"a": [0.8, 0.4, 0.6], "b": [0.2, 0.6, 0.4]}
    wanted = stakes.cross_entropy(labels["y"], table["b"], classes=["a", "b"]).value
    lazy = stakes.cross_entropy(pl.LazyFrame(labels), pl.LazyFrame(table))
    given = stakes.cross_entropy(DataSet(pa.table(labels)), DataSet(pa.table(table)))
    assert lazy.value == given.value == wanted
    assert lazy.classes == ("a", "b")
