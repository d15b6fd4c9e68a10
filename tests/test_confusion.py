"""The confusion matrix: columns of any kind, tables, intervals."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import stakes
from stakes import ConfusionMatrix, CostMatrix

TEXTS = ["cat", "dog", "dog", "cat", "owl"]
DECIDED = ["cat", "cat", "dog", "cat", "dog"]
COUNTS = [[2, 0, 0], [1, 1, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    "column",
    [
        list,
        tuple,
        np.array,
        lambda v: np.array(v, dtype=object),
        lambda v: np.array(v, dtype=np.dtypes.StringDType()),
        pd.Series,
        lambda v: pd.Series(v, dtype="category"),
        lambda v: pd.Series(v, index=range(10, 15)),
        pd.Index,
        pd.array,
        pl.Series,
        lambda v: pl.Series(v, dtype=pl.Categorical),
        pa.array,
        lambda v: pa.chunked_array([v[:2], v[2:]]),
        lambda v: pa.array(v).dictionary_encode(),
    ],
)
def test_texts_from_any_column(column: Callable[[list[str]], Any]) -> None:
    cm = stakes.confusion_matrix(column(TEXTS), column(DECIDED))
    assert cm.classes == ("cat", "dog", "owl")
    assert cm.counts.tolist() == COUNTS


@pytest.mark.parametrize(
    "column",
    [
        list,
        np.array,
        lambda v: np.array(v, dtype=np.int8),
        lambda v: np.array(v, dtype=">i4"),
        lambda v: np.array(v, dtype=np.float32),
        lambda v: np.array(v + v)[: len(v)],
        lambda v: np.repeat(v, 2)[::2],
        lambda v: np.array(v, dtype=object),
        pd.Series,
        lambda v: pd.Series(v, dtype="Int64"),
        pl.Series,
        pa.array,
    ],
)
def test_whole_numbers_from_any_column(column: Callable[[list[int]], Any]) -> None:
    cm = stakes.confusion_matrix(column([0, 1, 1, 0, 2]), column([0, 0, 1, 0, 1]))
    assert cm.classes == (0, 1, 2)
    assert cm.counts.tolist() == COUNTS


def test_truth_values_declare_both_classes() -> None:
    cm = stakes.confusion_matrix(pl.Series([True, True]), np.array([True, False]))
    assert cm.classes == (False, True)
    assert cm.counts.tolist() == [[0, 0], [1, 1]]


def test_order_is_declared_or_sorted() -> None:
    assert stakes.confusion_matrix([10, 2], [2, 2]).classes == (2, 10)
    backwards = stakes.confusion_matrix([10, 2, 5], [2, 2, 10], classes=[10, 2, 5])
    assert backwards.counts.tolist() == [[0, 1, 0], [0, 1, 0], [1, 0, 0]]
    assert stakes.confusion_matrix(
        TEXTS, DECIDED, classes=["owl", "dog", "cat"]
    ).counts.tolist() == [
        [0, 1, 0],
        [0, 1, 1],
        [0, 0, 2],
    ]


def test_decisions_need_not_be_the_classes() -> None:
    cm = stakes.confusion_matrix(
        ["healthy", "tumour", "tumour"],
        ["home", "operate", "tests"],
        decisions=["home", "operate", "tests"],
    )
    assert cm.counts.tolist() == [[1, 0, 0], [0, 1, 1]]
    assert cm.decision_rates.tolist() == [1 / 3, 1 / 3, 1 / 3]
    costs = CostMatrix(
        [[0, 1, 0.2], [5, 0, 0.3]],
        classes=["healthy", "tumour"],
        decisions=["home", "operate", "tests"],
    )
    assert cm.expected_cost(costs).value == pytest.approx(0.1)


def test_rates_and_priors() -> None:
    cm = stakes.confusion_matrix([0, 0, 0, 1], [0, 0, 1, 1], classes=3)
    assert cm.priors.tolist() == [0.75, 0.25, 0]
    assert cm.rates[:2].tolist() == [[2 / 3, 1 / 3, 0], [0, 1, 0]]
    assert np.isnan(cm.rates[2]).all()
    assert cm.n == 4
    assert math.isnan(cm.expected_cost().by_class[2])


def test_table_in_terminal_and_notebook() -> None:
    cm = ConfusionMatrix.from_counts([[5, 1], [0, 2.5]], classes=["a<b>", "c"])
    assert repr(cm).splitlines()[0] == "truth in rows, decision in columns"
    assert "2.5" in repr(cm)
    assert "a&lt;b&gt;" in cm._repr_html_()
    assert cm.to_dict()["cells"] == [[0, 0, 5], [0, 1, 1], [1, 1, 2.5]]


def test_one_class_against_the_others_keeps_the_samples() -> None:
    cm = stakes.confusion_matrix(TEXTS, DECIDED)
    owl = cm.detector("owl")
    assert owl.classes == ("not owl", "owl")
    assert owl.counts.tolist() == [[4, 0], [1, 0]]
    weighted = stakes.confusion_matrix(TEXTS, DECIDED, sample_weight=[1, 2, 3, 4, 5.5])
    assert weighted.detector("dog").counts.tolist() == [[5, 5.5], [2, 3]]
    flipped = stakes.confusion_matrix([0, 0, 1], [0, 1, 1]).detector(0)
    assert flipped.classes == (1, 0)
    assert flipped.counts.tolist() == [[1, 0], [1, 1]]


def test_precision_at_the_prevalence_of_use() -> None:
    cm = ConfusionMatrix.from_counts([[90, 10], [20, 80]])
    assert cm.at_priors([0.98, 0.02]).precision().value == pytest.approx(0.016 / (0.016 + 0.098))
    assert cm.at_priors("data") is cm
    assert cm.at_priors([1, 0]).counts.tolist() == [[0.9, 0.1], [0, 0]]


def test_standard_errors_in_closed_form() -> None:
    counts = np.array([[90, 10], [4, 16]])
    cm = ConfusionMatrix.from_counts(counts)
    costs = np.array([[0, 1], [5, 0]])
    per_sample = np.repeat(costs.ravel(), counts.ravel())
    cost = cm.expected_cost(costs)
    assert cost.standard_error == pytest.approx(per_sample.std() / math.sqrt(120))
    fixed = cm.expected_cost(costs, [0.5, 0.5])
    by_hand = math.sqrt(0.25 * 0.1 * 0.9 / 100 + 0.25 * 25 * 0.2 * 0.8 / 20)
    assert fixed.standard_error == pytest.approx(by_hand)
    assert fixed.normalized_standard_error == pytest.approx(by_hand / 0.5)


def test_standard_errors_agree_with_resampling() -> None:
    rng = np.random.default_rng(1)
    counts = np.array([[900, 50], [20, 80]])
    costs = CostMatrix([[0, 1], [5, 0]])
    cost = ConfusionMatrix.from_counts(counts).expected_cost(costs)
    draws = rng.multinomial(counts.sum(), counts.ravel() / counts.sum(), size=4000)
    resampled = [ConfusionMatrix.from_counts(d.reshape(2, 2)).expected_cost(costs) for d in draws]
    assert np.std([r.value for r in resampled]) == pytest.approx(cost.standard_error, rel=0.05)
    assert np.std([r.normalized for r in resampled]) == pytest.approx(
        cost.normalized_standard_error, rel=0.05
    )


def test_weights_tell_how_much_a_sample_counts_not_how_often_it_was_seen() -> None:
    y, d = [0, 0, 1, 1], [0, 1, 1, 0]
    one = stakes.confusion_matrix(y, d).expected_cost()
    many = stakes.confusion_matrix(y, d, sample_weight=[1000.0] * 4).expected_cost()
    assert one.standard_error == many.standard_error
    uneven = stakes.confusion_matrix(y, d, sample_weight=[1.0, 1.0, 1.0, 7.0]).expected_cost()
    residuals = np.array([1, 1, 1, 7]) * (np.array([0, 1, 0, 1]) - 0.8)
    assert uneven.standard_error == pytest.approx(math.sqrt((residuals**2).sum()) / 10)


@pytest.mark.parametrize(
    ("rates", "costs"),
    [
        ([[1, 0], [0, 1]], [[1, 3], [6, 1]]),  # perfect, yet right answers cost something
        ([[0.99, 0.01], [0.01, 0.99]], [[1, 3], [6, 1]]),
        ([[0, 1], [1, 0]], [[0, 1], [1, 0]]),  # always wrong
    ],
)
def test_normalised_intervals_know_that_the_naive_cost_varies(
    rates: list[list[float]], costs: list[list[float]]
) -> None:
    rng = np.random.default_rng(0)
    priors = np.array([0.7, 0.3])
    matrix = CostMatrix(costs)
    truth = float((priors[:, None] * np.array(rates) * matrix.values).sum())
    nec = truth / matrix.naive(priors)[1]
    cells = (priors[:, None] * np.array(rates)).ravel()
    draws = rng.multinomial(500, cells, size=400).reshape(-1, 2, 2)
    records = [ConfusionMatrix.from_counts(d).expected_cost(matrix) for d in draws]
    covered = np.mean([nec in r.normalized_interval() for r in records])
    assert covered >= 0.95 - 3.3 * math.sqrt(0.95 * 0.05 / 400)


def test_a_cost_matrix_and_priors_cannot_be_changed_from_outside() -> None:
    costs = CostMatrix.zero_one(2, abstain=0.1)
    with pytest.raises(ValueError, match="read-only"):
        costs.column(2)[0] = 9
    with pytest.raises(ValueError, match="read-only"):
        costs.values[0, 1] = 9
    assert costs.column(-1).tolist() == [0.1, 0.1]
    priors = np.array([0.98, 0.02])
    cost = ConfusionMatrix.from_counts([[855, 45], [5, 95]]).expected_cost(priors=priors)
    before = cost.interval()
    priors[:] = 0.5
    assert cost.interval() == before
    zeros = CostMatrix([[0.0, 1.0], [1.0, 0.0]]), CostMatrix([[-0.0, 1.0], [1.0, -0.0]])
    assert zeros[0] == zeros[1]
    assert hash(zeros[0]) == hash(zeros[1])


def test_matrices_are_equal_by_what_they_hold() -> None:
    one, other = (stakes.confusion_matrix([0, 1, 1], [0, 1, 0]) for _ in range(2))
    assert one == other
    assert one != stakes.confusion_matrix([0, 1, 1], [0, 1, 1])
    assert one != "matrix"
    with pytest.raises(TypeError):
        _ = one + 3  # type: ignore[operator]


@pytest.mark.parametrize("priors", [None, [0.98, 0.02]])
@pytest.mark.parametrize("miss", [1.0, 5.0, 100.0])
@pytest.mark.parametrize("size", [100, 1000])
def test_intervals_cover_the_truth(priors: list[float] | None, miss: float, size: int) -> None:
    rng = np.random.default_rng(0)
    truth, rates = np.array([0.8, 0.2]), np.array([[0.95, 0.05], [0.1, 0.9]])
    costs = CostMatrix.binary(miss=miss, false_alarm=1)
    p = truth if priors is None else np.array(priors)
    cost = float((p[:, None] * rates * costs.values).sum())
    nec = cost / costs.naive(p)[1]
    hits = np.zeros(2)
    repeats = 400
    for _ in range(repeats):
        cells = rng.multinomial(size, (truth[:, None] * rates).ravel()).reshape(2, 2)
        result = ConfusionMatrix.from_counts(cells).expected_cost(costs, priors)
        hits += [cost in result.interval(), nec in result.normalized_interval()]
    assert (hits / repeats >= 0.95 - 3.3 * math.sqrt(0.95 * 0.05 / repeats)).all()


def test_a_perfect_score_of_ten_samples_claims_no_certainty() -> None:
    cost = stakes.expected_cost([0, 1] * 5, [0, 1] * 5)
    assert cost.value == 0
    assert cost.standard_error == 0
    low, high = cost.interval()
    assert low == 0
    assert 0.1 < high < 0.5
    assert cost.interval(0.5).high < high


def test_a_record_is_a_number_and_more() -> None:
    cost = stakes.expected_cost([0, 0, 1, 1], [0, 1, 1, 1])
    assert float(cost) == 0.25
    assert cost.by_class == {0: 0.5, 1: 0.0}
    assert cost.naive_answer == 0
    assert set(cost.to_dict()) >= {"value", "naive", "normalized", "interval", "priors"}
    text = str(cost)
    assert "naive" in text
    assert "normalised" in text
    f1 = stakes.confusion_matrix([0, 0, 1, 1], [0, 1, 1, 1]).f_score()
    assert float(f1) == 0.8
    assert f1.beats_naive
    assert f1.to_dict()["value"] == 0.8
    assert (
        stakes.confusion_matrix([0, 1], [0, 1]).positive_likelihood_ratio().to_dict()["value"]
        == "inf"
    )


def test_explanations_say_what_else_is_rewarded() -> None:
    for name in ("accuracy", "balanced_accuracy", "f1", "mcc", "lr+", "precision", "net_benefit"):
        bare = stakes.explain(name)
        assert isinstance(bare, stakes.Explanation)
        assert bare.value is None
        assert "rewards" in str(bare)
    cm = ConfusionMatrix.from_counts([[800, 100], [10, 90]], classes=["ok", "fraud"])
    text = str(stakes.explain("f1", cm))
    assert "missed 'fraud'" in text
    assert "CostMatrix.binary(miss=1, false_alarm=1, ...)" in text
    assert stakes.explain("recall", cm).to_dict()["normalized_expected_cost"] is None
    assert "no number of false alarms" in str(stakes.explain("recall", cm))
    three = stakes.confusion_matrix([0, 1, 2], [0, 1, 1])
    assert stakes.explain("mcc", three).exchange_rate is None
    assert "your own application" in str(stakes.explain("mcc", three))


def test_two_systems_of_equal_cost_are_ranked_by_how_often_they_say_yes() -> None:
    calm = ConfusionMatrix.from_counts([[850, 50], [50, 50]])
    loud = ConfusionMatrix.from_counts([[800, 100], [0, 100]])
    assert calm.expected_cost().value == loud.expected_cost().value
    assert loud.f_score().value > calm.f_score().value
