"""Hypothesis strategies: labelled decisions with costs, priors and weights."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import stakes
from stakes._typing import FloatArray, IntArray
from stakes.scoring import RULES


@dataclass(frozen=True, eq=False)
class Decided:
    """Samples that got a decision, and the application they are judged in."""

    y: IntArray
    d: IntArray
    weights: FloatArray | None
    costs: stakes.CostMatrix
    priors: FloatArray | None

    @property
    def n_classes(self) -> int:
        return self.costs.shape[0]

    def confusion(self) -> stakes.ConfusionMatrix:
        return count(self.y, self.d, self.weights, self.costs)

    def cost(self) -> stakes.ExpectedLoss:
        return self.confusion().expected_cost(self.costs, self.priors)


def count(
    y: IntArray, d: IntArray, weights: FloatArray | None, costs: stakes.CostMatrix
) -> stakes.ConfusionMatrix:
    """Count samples with the names of a cost matrix."""
    return stakes.confusion_matrix(
        y, d, classes=costs.classes, decisions=costs.decisions, sample_weight=weights
    )


def weight_arrays(n: int, *, whole: bool = False) -> st.SearchStrategy[FloatArray]:
    """Weights of at least one positive entry: whole numbers, or any size of double."""
    numbers = (
        st.integers(0, 9).map(float)
        if whole
        else st.one_of(st.just(0.0), st.floats(1e-6, 1e6), st.floats(1e-300, 1e-290))
    )
    lists = st.lists(numbers, min_size=n, max_size=n).filter(lambda w: max(w) > 0)
    return lists.map(np.array)


def prior_arrays(k: int) -> st.SearchStrategy[FloatArray]:
    """Priors above 0 that sum to 1."""
    shares = st.lists(st.integers(1, 50), min_size=k, max_size=k)
    return shares.map(lambda s: np.array(s) / sum(s))


@st.composite
def cost_matrices(draw: st.DrawFn, k: int, *, square: bool = False) -> stakes.CostMatrix:
    """Cost matrices in which something costs something whatever is decided."""
    m = k if square else draw(st.integers(1, 4))
    cell = st.one_of(st.integers(0, 20).map(float), st.floats(0.01, 100))
    rows = st.lists(st.lists(cell, min_size=m, max_size=m), min_size=k, max_size=k)
    values = np.array(draw(rows))
    values[0] += 0.5
    return stakes.CostMatrix(values)


@st.composite
def decided(
    draw: st.DrawFn, *, weights: bool = True, square: bool = False, classes: int | None = None
) -> Decided:
    """Samples of every class, decisions, costs, and perhaps weights and priors."""
    k = draw(st.integers(2, 4)) if classes is None else classes
    costs = draw(cost_matrices(k, square=square))
    n = draw(st.integers(k, 25))
    y = np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    y[:k] = np.arange(k)
    d = np.array(draw(st.lists(st.integers(0, costs.shape[1] - 1), min_size=n, max_size=n)))
    w = None
    if weights and draw(st.booleans()):
        w = draw(weight_arrays(n))
        w[:k] = np.maximum(w[:k], 1e-295)
    priors = draw(prior_arrays(k)) if draw(st.booleans()) else None
    return Decided(y, d, w, costs, priors)


@dataclass(frozen=True, eq=False)
class Scored:
    """Samples with posteriors, and perhaps weights and priors."""

    y: IntArray
    p: FloatArray
    weights: FloatArray | None
    priors: FloatArray | None

    @property
    def n_classes(self) -> int:
        return self.p.shape[1]

    def loss(self, rule: stakes.ScoringRule) -> stakes.ExpectedLoss:
        return stakes.expected_loss(
            rule, self.y, self.p, priors=self.priors, sample_weight=self.weights
        )


@st.composite
def scored(draw: st.DrawFn, *, classes: int | None = None, weights: bool = True) -> Scored:
    """Samples of every class with posteriors, some of them certain, many of them tied."""
    k = draw(st.integers(2, 4)) if classes is None else classes
    n = draw(st.integers(k, 20))
    y = np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    y[:k] = np.arange(k)
    share = st.lists(st.integers(0, 20), min_size=k, max_size=k).filter(any)
    rows = draw(st.lists(share, min_size=n, max_size=n))
    p = np.array([np.array(row) / sum(row) for row in rows])
    p /= p.sum(axis=1, keepdims=True)
    w = None
    if weights and draw(st.booleans()):
        w = draw(weight_arrays(n))
        w[:k] = np.maximum(w[:k], 1e-295)
    priors = draw(prior_arrays(k)) if draw(st.booleans()) else None
    return Scored(y, np.minimum(p, 1.0), w, priors)


def _squared_distance(h: int, d: FloatArray) -> float:
    """Cost of a soft decision whose Bayes decision is the posterior itself."""
    return float(((d - (np.arange(d.size) == h)) ** 2).sum())


def rules(k: int) -> list[stakes.ScoringRule]:
    """Every scoring rule, for k classes: those of the registry, and some with other options."""
    costs = np.arange(1.0, 3 * k + 1).reshape(k, 3)
    every: list[stakes.ScoringRule] = [
        *RULES.choices.values(),
        stakes.BayesCost(stakes.CostMatrix.zero_one(k)),
        stakes.BayesCost(stakes.CostMatrix.zero_one(k, abstain=0.1)),
        stakes.BayesCost(stakes.CostMatrix(costs % 5, decisions=3)),
        stakes.ScoringRule.from_cost(lambda h, d: abs(h - d), [0, 0.5, 1, 1.5]),
        stakes.ScoringRule.from_cost(_squared_distance, lambda s: s),
        stakes.ThresholdRange(0.1, 0.4),
    ]
    return [rule for rule in every if _suits(rule, k)]


def _suits(rule: stakes.ScoringRule, k: int) -> bool:
    """Whether a rule is for k classes."""
    try:
        rule.check(tuple(range(k)))
    except stakes.InputError:
        return False
    return True


def plain_rules() -> list[stakes.ScoringRule]:
    """The scoring rules of any number of classes, which treat all of them alike."""
    return [rule for rule in RULES.choices.values() if _suits(rule, 3)]


@st.composite
def responses_columns(
    draw: st.DrawFn, *, largest: int = 30, known: bool = True
) -> "dict[str, FloatArray]":
    """Right (NaN where it is not known), confidence and abstentions of the same questions."""
    n = draw(st.integers(1, largest))
    right = draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=n, max_size=n))
    silent = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    levels = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.floats(1e-9, 1))
    sure = draw(st.lists(levels, min_size=n, max_size=n))
    columns = {
        "right": np.array(right), "confidence": np.array(sure),
        "abstained": np.array(silent, dtype=np.float64),
    }  # fmt: skip
    if not known:
        columns["right"][np.array(silent)] = np.nan
    return columns


def confidence_targets() -> st.SearchStrategy[float]:
    """Targets from 0 to almost 1."""
    return st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.75, 0.9, 0.999]), st.floats(0, 0.99))
