"""Decisions in the library: least expected cost, caps, thresholds, costs by case."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import stakes

BINARY = stakes.CostMatrix.binary(miss=5, false_alarm=1)


def posteriors(n: int, k: int, seed: int = 0) -> Any:
    p = np.random.default_rng(seed).dirichlet(np.ones(k), size=n)
    return p[:, 1] if k == 2 else p


@pytest.mark.parametrize("k", [2, 4])
def test_no_other_decision_is_expected_to_cost_less(k: int) -> None:
    p = posteriors(300, k)
    costs = stakes.CostMatrix(
        np.random.default_rng(1).uniform(0, 5, (k, k + 1)), classes=k, decisions=k + 1
    )
    found = stakes.decide(p, costs)
    table = np.column_stack([1 - p, p]) if k == 2 else p
    every = table @ costs.values
    assert found.expected == pytest.approx(every.min(axis=1), rel=1e-12)
    assert found.expected == pytest.approx(every[np.arange(300), found.indices], rel=1e-12)
    assert sum(found.counts.values()) == 300


def test_by_default_the_likeliest_class_is_named() -> None:
    p = posteriors(100, 3)
    found = stakes.decide(p, classes=["a", "b", "c"])
    assert found.names.tolist() == [("a", "b", "c")[k] for k in p.argmax(axis=1)]
    assert found.expected == pytest.approx(1 - p.max(axis=1))
    assert str(found).startswith("a  ")
    assert "mean expected cost" in str(found)


@given(seed=st.integers(0, 10**6), cap=st.floats(0, 1), ties=st.booleans(), by_case=st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_cap_takes_the_cases_that_save_most(seed: Any, cap: Any, ties: Any, by_case: Any) -> None:
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(40), 1) if ties else rng.random(40)
    costs: Any = BINARY
    if by_case:
        amount = np.round(rng.exponential(20, 40), 0 if ties else 3)
        costs = stakes.CostsByCase([[0, 3], ["a", 0]], classes=[0, 1]).with_columns({"a": amount})
    free, found = stakes.decide(p, costs), stakes.decide(p, costs, cap=cap)
    assert found.indices.sum() <= cap * 40 * (1 + 1e-12)
    assert (found.indices <= free.indices).all()
    taken, left = found.indices == 1, (found.indices == 0) & (free.indices == 1)
    if taken.any() and left.any():
        assert found.saving_order[taken].min() > found.saving_order[left].max()
    if left.any():
        best = found.saving_order[left].max()
        tied = (found.saving_order[left] == best).sum()
        assert taken.sum() + tied > cap * 40 * (1 - 1e-12)


def test_a_threshold_is_on_the_posterior_of_the_second_class() -> None:
    p = np.array([0.2, 0.3, 0.30001, 0.9])
    assert stakes.decide(p, BINARY, threshold=0.3).indices.tolist() == [0, 0, 1, 1]
    assert stakes.decide(p, BINARY, threshold=0.0, cap=0.25).indices.tolist() == [0, 0, 0, 1]


def test_priors_move_likelihoods_and_posteriors() -> None:
    llr = np.array([-1.0, 0.0, 1.0, 3.0])
    ratios = stakes.decide(stakes.LogLikelihoodRatios(llr), BINARY, priors=[0.9, 0.1])
    even = stakes.decide(stakes.Logits(llr), BINARY, priors=[0.9, 0.1], training_priors=[0.5, 0.5])
    assert ratios.posteriors == pytest.approx(even.posteriors, rel=1e-12)
    assert ratios.indices.tolist() == even.indices.tolist()
    odds = np.exp(llr) / 9
    assert ratios.posteriors[:, 1] == pytest.approx(odds / (1 + odds), rel=1e-12)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "priors alone": ({"priors": [0.9, 0.1]}, "training_priors must be given where posteriors"),
    "priors of data": (
        {"priors": [0.9, 0.1], "training_priors": "data"},
        'must be numbers or "deployment" where there are no labels',
    ),
    "training priors alone": ({"training_priors": [0.9, 0.1]}, "pass both priors"),
    "cap above 1": ({"cap": 1.5}, "cap"),
    "cap that is no number": ({"cap": float("nan")}, "cap"),
    "threshold above 1": ({"threshold": 2}, "threshold"),
    "cap of three decisions": ({"costs": BINARY.with_abstention(0.4), "cap": 0.5}, "two decisions"),
    "threshold of three decisions": (
        {"costs": BINARY.with_abstention(0.4), "threshold": 0.5}, "two classes and two decisions",
    ),
    "other classes": ({"costs": stakes.CostMatrix.zero_one(["a", "b"]), "classes": [0, 1]}, "classes of the scores"),
    "costs of other samples": (
        {"costs": stakes.SampleCosts(np.ones((3, 2, 2)), classes=[0, 1])}, "same samples: got 3 for 2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_decided_is_refused(name: str) -> None:
    more, words = REFUSED[name]
    with pytest.raises(stakes.InputError, match=words):
        stakes.decide([0.2, 0.7], **more)


def test_likelihoods_need_priors() -> None:
    with pytest.raises(stakes.InputError, match="priors"):
        stakes.decide(stakes.LogLikelihoodRatios([0.1, 0.2]), BINARY)
