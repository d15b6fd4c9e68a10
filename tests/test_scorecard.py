"""The scorecard: one pass that tells what the single functions tell."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import stakes
from stakes.metrics.scorecards import read_plain_inputs

COSTS: dict[int, list[Any]] = {
    2: [None, [[0, 1], [5, 0]], [[0.5, 1], [3, 0.1]], [[0, 1, 0.2], [4, 0, 0.2]], [[0, 0], [1, 0]]],
    4: [None, 1 - np.eye(4), np.arange(12).reshape(4, 3) % 5],
}


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    k = draw(st.sampled_from([2, 4]))
    n = draw(st.integers(2 * k, 300))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    z = np.round(rng.normal(size=(n, k)) * draw(st.sampled_from([1, 8])), 2)
    kind = draw(st.sampled_from(["one", "table", "logits", "logit", "float32", "strided"]))
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    scores: Any = p
    if kind in {"one", "logit"} and k == 2:
        scores = p[:, 1].copy() if kind == "one" else stakes.Logits(z[:, 1])
    elif kind == "logits":
        scores = stakes.Logits(z)
    elif kind == "float32":
        scores = p.astype(np.float32)
    elif kind == "strided":
        scores = np.repeat(p, 2, axis=0)[::2]
    weights = draw(st.sampled_from([None, "random", "zero"]))
    weight = None if weights is None else rng.random(n) + 0.1
    if weights == "zero":
        weight[-1:] = 0  # type: ignore[index]
    priors = draw(st.sampled_from([None, "uneven"]))
    return {
        "y_true": y.astype(draw(st.sampled_from([np.int64, np.uint8, np.int32]))),
        "scores": scores,
        "costs": draw(st.sampled_from(COSTS[k])),
        "sample_weight": weight,
        "priors": None if priors is None else np.arange(1, k + 1) / sum(range(1, k + 1)),
    }


@settings(max_examples=300, deadline=None)
@given(cases())
def test_it_tells_what_the_single_functions_tell(case: dict[str, Any]) -> None:
    card = stakes.scorecard(**case)
    costs = case.pop("costs")
    wanted = {
        "cost": stakes.bayes_cost(**case, costs=costs),
        "cross_entropy": stakes.cross_entropy(**case),
        "brier_score": stakes.brier_score(**case),
    }
    single = np.asarray(getattr(case["scores"], "values", case["scores"])).dtype == np.float32
    near = 1e-7 if single else 1e-13
    for name, loss in wanted.items():
        found = getattr(card, name)
        assert found.name == loss.name
        assert found.value == pytest.approx(loss.value, rel=near, abs=1e-15)
        assert found.naive == pytest.approx(loss.naive, rel=near)
        assert found.priors_from_data == loss.priors_from_data
        np.testing.assert_allclose(found.priors, loss.priors, rtol=near)
        assert found.standard_error == pytest.approx(
            loss.standard_error, rel=1e-6, abs=1e-9, nan_ok=True
        )
        np.testing.assert_array_equal(found.infinite_rows, loss.infinite_rows)
    two = card.calibration_error is not None
    error = stakes.calibration_error if two else stakes.confidence_calibration_error
    found_error = card.calibration_error if two else card.confidence_calibration_error
    assert found_error == pytest.approx(error(**case), rel=1e-6, abs=1e-7 if single else 1e-13)
    assert two == (len(card.cost.classes) == 2)


@pytest.mark.parametrize("weighted", [False, True])
def test_its_intervals_are_those_of_moments(weighted: bool) -> None:  # noqa: FBT001
    """It keeps sums of losses up to their cubes, but not the largest, which may occur again."""
    data = stakes.simulation.simulate(3, n=3000)
    p = data.posteriors([0.5, 0.3, 0.2])
    weight = np.random.default_rng(2).random(data.y.size) + 0.1 if weighted else None
    card = stakes.scorecard(data.y, p, sample_weight=weight)
    for found, loss in (
        (card.cost, stakes.bayes_cost(data.y, p, sample_weight=weight)),
        (card.cross_entropy, stakes.cross_entropy(data.y, p, sample_weight=weight)),
        (card.brier_score, stakes.brier_score(data.y, p, sample_weight=weight)),
    ):
        alike = replace(loss, losses=replace(loss.losses, ends=found.losses.ends))
        for mine, theirs in (
            (found.interval(), alike.interval()),
            (found.normalized_interval(), alike.normalized_interval()),
        ):
            slack = 0.03 * (theirs.high - theirs.low)
            assert tuple(mine) == pytest.approx(tuple(theirs), abs=slack)


def test_a_zero_posterior_makes_it_infinite_and_says_where() -> None:
    p = np.full(300, 0.5)
    p[[7, 20]] = 0, 1
    card = stakes.scorecard(np.tile([0, 1], 150), p)
    assert card.cross_entropy.value == np.inf
    assert card.cross_entropy.infinite_rows.tolist() == [7, 20]


@pytest.mark.parametrize(
    ("y", "scores", "word"),
    [
        ([0, 1, 2] * 100, np.full(300, 0.5), "y_true"),
        ([0, -1, 1] * 100, np.full((300, 2), 0.5), "y_true"),
        ([0, 1, 1] * 100, np.array([0.1, np.nan, 0.2] * 100), "NaN"),
        ([0, 1, 1] * 100, np.array([0.1, 1.5, 0.2] * 100), "outside"),
        ([0, 1, 1] * 100, np.full((300, 2), 0.4), "sum to 1"),
        ([0, 1, 1] * 99, np.full((300, 2), 0.5), "300 rows for 297"),
        ([0, 1, 1] * 100, np.full((300, 3), 0.25), "sum to 1"),
    ],
)
def test_bad_input_gets_the_words_of_the_definitions(
    y: list[int], scores: np.ndarray, word: str
) -> None:
    with pytest.raises(stakes.InputError, match=word) as quick:
        stakes.scorecard(np.array(y), scores)
    with pytest.raises(stakes.InputError) as slow:
        stakes.cross_entropy(np.array(y), scores)
    assert str(quick.value) == str(slow.value)


def test_plain_arrays_are_read_where_they_lie() -> None:
    p, y = np.full((10, 3), 1 / 3, dtype=np.float32), np.zeros(10, dtype=np.uint8)
    data = read_plain_inputs(y, p, None, None)
    assert data is not None
    assert data.scores.values is p
    assert np.shares_memory(data.y, y)


def test_texts_and_names_work_too() -> None:
    y = np.array(["no", "yes", "yes", "no"] * 60)
    p = np.linspace(0.01, 0.99, 240)
    costs = stakes.CostMatrix.binary(miss=3, false_alarm=1, classes=["no", "yes"])
    card = stakes.scorecard(y, p, costs=costs)
    assert card.cost.classes == ("no", "yes")
    assert card.cost.value == stakes.bayes_cost(y, p, costs=costs).value
    turned = stakes.scorecard(y.tolist(), p.tolist(), costs=costs)
    assert turned.cost.value == card.cost.value


def test_costs_of_other_classes_get_the_words_of_the_definitions() -> None:
    y, p = np.array(["a", "b"] * 150), np.linspace(0.01, 0.99, 300)
    turned = stakes.CostMatrix.binary(miss=3, false_alarm=1, classes=["b", "a"])
    messages = []
    for function in (stakes.scorecard, stakes.bayes_cost):
        with pytest.raises(stakes.InputError, match="classes of the scores") as refused:
            function(y, p, costs=turned, classes=["a", "b"])
        messages.append(str(refused.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("label", [-1, 3])
def test_labels_beyond_the_classes_are_refused_at_given_priors(label: int) -> None:
    p = np.full((4, 3), 1 / 3)
    with pytest.raises(stakes.InputError, match=str(label)):
        stakes.scorecard(np.array([0, 1, 2, label]), p, priors=[0.2, 0.3, 0.5])
