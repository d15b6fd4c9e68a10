"""Decisions of least expected cost for scores, under a cap or by a threshold."""

from __future__ import annotations

__all__ = ["Decisions", "decide"]

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._check import InputError, read_number, read_priors
from stakes._counting import bincount
from stakes._foreign_calls import answered
from stakes._records import Record
from stakes._text import number, percent, plain, quoted
from stakes._typing import Column, FloatArray, IntArray, Names, NamesLike, NDArray, PriorsLike
from stakes.costs import CostMatrix, SampleCosts
from stakes.costs.by_case import as_costs, check_samples, classes_named, numbers_of
from stakes.evaluation.applications import (
    DEPLOYMENT,
    CostsLike,
    lacks_training,
    numbers_needed,
    read_training_numbers,
)
from stakes.evaluation.threshold_choice import capped_threshold, review_order
from stakes.scores import PosteriorScores, Scores, as_scores, class_names


@dataclass(frozen=True, eq=False)
class Decisions(Record):
    """The decision for each sample, and its expected cost.

    `names` are the decisions; `indices` are their positions in `decisions`.

    Attributes
    ----------
    classes : tuple of names
    costs : CostMatrix or SampleCosts
    posteriors : array of shape (N, K)
    indices : array of N
        Position of each sample's decision in `decisions`.

    See Also
    --------
    decide : returns it.

    Examples
    --------
    >>> import stakes
    >>> found = stakes.decide([0.05, 0.3], {"miss": 5, "false_alarm": 1})
    >>> found.names.tolist(), found.expected.round(2).tolist()
    ([0, 1], [0.25, 0.7])

    Raise an alarm for the second case only.
    """

    classes: Names
    costs: CostMatrix | SampleCosts
    posteriors: FloatArray
    indices: IntArray

    @property
    def decisions(self) -> Names:
        """The names of all possible decisions."""
        return self.costs.decisions

    @property
    def names(self) -> NDArray[Any]:
        """The decision for each sample by name."""
        return self.costs.named(self.indices)

    @property
    def expected(self) -> FloatArray:
        """The expected cost of the decision for each sample."""
        n = self.indices.size
        expected = np.zeros(n)
        for k in range(self.posteriors.shape[1]):
            at = self.costs.at(np.full(n, k), self.indices)
            expected += self.posteriors[:, k] * at
        return expected

    @property
    def counts(self) -> dict[Any, int]:
        """How often each decision is made."""
        found = bincount(self.indices, minlength=len(self.decisions)).tolist()
        return dict(zip(self.decisions, found, strict=True))

    @property
    def saving_order(self) -> FloatArray:
        """A number for each sample; the larger, the more the second of two decisions saves."""
        if len(self.decisions) != 2:
            msg = f"a cap needs two decisions: there are {len(self.decisions)}."
            raise InputError(msg)
        return review_order(self.costs, self.posteriors)[0]

    def above(self, cut: float) -> Decisions:
        """Return the decisions with the second one only where it saves more than a cut.

        Parameters
        ----------
        cut : float
            A value of `saving_order`.
        """
        kept = self.indices * (self.saving_order > cut)
        return replace(self, indices=np.asarray(kept, dtype=np.int64))

    def __str__(self) -> str:
        n = max(self.indices.size, 1)
        lines = [
            f"{plain(name)}  {count} of {self.indices.size} ({percent(count / n, 1)} %)"
            for name, count in self.counts.items()
        ]
        mean = float(self.expected.mean()) if self.indices.size else 0.0
        return "\n".join([*lines, f"mean expected cost  {number(mean)}"])


@answered
def decide(
    scores: Scores | Column,
    costs: CostsLike | None = None,
    *,
    priors: PriorsLike | None = None,
    training_priors: PriorsLike | None = None,
    cap: float | None = None,
    threshold: float | None = None,
    classes: NamesLike | None = None,
) -> Decisions:
    """Return the decision of least expected cost for each sample; no labels are needed.

    Parameters
    ----------
    scores : posteriors, or typed scores
        As in `evaluate`.
    costs : CostMatrix, SampleCosts, array or dict, optional
        By default 1 for each error. For two classes also {"miss": 5, "false_alarm": 1}.
    priors : float, array of K, or mapping by class, optional
        Deployment priors, which likelihoods need; posteriors are moved to them from
        `training_priors`.
    training_priors : float, array of K, mapping by class, or "deployment", optional
        The priors that the posteriors are at; "deployment" if they already are for `priors`.
        Required where posteriors meet priors.
    cap : float from 0 to 1, optional
        The largest share of samples that may get the second of two decisions: those where it saves
        most. Tied samples get it together or not at all, so the cap is never exceeded.
    threshold : float, optional
        Decide the second class if its posterior is above this threshold, regardless of the costs.
    classes : sequence of K names, optional

    Returns
    -------
    Decisions
        With `names`, the decision for each sample, and `expected`, its expected cost.

    See Also
    --------
    choose_threshold : the error rates of these decisions on labelled samples.
    BayesClassifier : the same as scikit-learn's `predict`.

    Examples
    --------
    Two payments may be reviewed; a missed fraud costs its amount, a review costs 3:

    >>> import stakes
    >>> amounts = {"amount": [10.0, 900.0, 40.0, 300.0]}
    >>> template = stakes.CostsByCase([[0, 3], ["amount", 0]], classes=["fine", "fraud"])
    >>> costs = template.with_columns(amounts)
    >>> found = stakes.decide([0.2, 0.05, 0.5, 0.1], costs, cap=0.5)
    >>> found.names.tolist()
    ['fine', 'fraud', 'fine', 'fraud']
    >>> found.expected.round(2).tolist()
    [2.0, 2.85, 20.0, 2.7]
    """
    typed = as_scores(scores)
    named = classes_named(costs) if classes is None else classes
    names = class_names(typed, named) or tuple(range(typed.n_classes))
    table = _costs(costs, names, len(typed))
    p = _posteriors(typed.ordered(names), names, priors, training_priors)
    found = Decisions(names, table, p, table.least_expected(p))
    if threshold is not None:
        cut = read_number(threshold, "threshold", 0, 1)
        if len(names) != 2 or len(found.decisions) != 2:
            numbers = f"there are {len(names)} and {len(found.decisions)}"
            raise InputError("threshold", "is for two classes and two decisions", found=numbers)
        found = replace(found, indices=(p[:, 1] > cut).astype(np.int64))
    if cap is None:
        return found
    share, levels = read_number(cap, "cap", 0, 1), ReviewLevels()
    levels.add(found.saving_order, found.indices)
    return found.above(levels.cut(share))


def _costs(costs: CostsLike | None, names: Names, n: int) -> CostMatrix | SampleCosts:
    if costs is None:
        return CostMatrix.zero_one(names)
    table = numbers_of(as_costs(costs, names))
    if table.classes != names:
        rule = f"must have the classes of the scores, {quoted(names)}, in their order"
        raise InputError("costs", rule, quoted(table.classes))
    if isinstance(table, SampleCosts):
        check_samples(table, n)
    return table


def _posteriors(
    scores: Scores, names: Names, priors: PriorsLike | None, training: PriorsLike | None
) -> FloatArray:
    given = None if priors is None else read_priors(priors, names)
    if given is None and scores.needs_priors:
        raise scores.lacks_priors()
    if training is None and given is not None and isinstance(scores, PosteriorScores):
        with numbers_needed():
            raise lacks_training()
    if training is None:
        return scores.answers(given).p
    if given is None or not isinstance(scores, PosteriorScores):
        rule = "are for posteriors, which are adapted to priors"
        raise InputError("training_priors", rule, found="pass both priors")
    if isinstance(training, str) and training == DEPLOYMENT:
        return scores.answers(None).p
    old = read_training_numbers(training, names)
    if old is None:
        rule = f'must be numbers or "{DEPLOYMENT}" where there are no labels'
        raise InputError("training_priors", rule, repr(training))
    return np.exp(scores.at_priors(old, given).values)


class ReviewLevels:
    """How often each value occurs among the cases that are to get the second decision."""

    def __init__(self) -> None:
        self.n = 0  # cases, whatever is decided
        self._level: FloatArray = np.empty(0)
        self._count: IntArray = np.empty(0, dtype=np.int64)
        self._waiting: list[FloatArray] = []
        self._n_waiting = 0

    def add(self, value: FloatArray, chosen: IntArray) -> None:
        """Add cases: the value that they are ordered by, and 1 for the second decision."""
        self.n += chosen.size
        self._waiting.append(value[chosen == 1])
        self._n_waiting += self._waiting[-1].size
        if self._n_waiting > max(self._level.size, 2**20):
            self._settle()

    def _settle(self) -> None:
        level, count = np.unique(np.concatenate([*self._waiting, []]), return_counts=True)
        self._waiting, self._n_waiting = [], 0
        both, code = np.unique(np.concatenate([self._level, level]), return_inverse=True)
        counts = np.zeros(both.size, dtype=np.int64)
        np.add.at(counts, code, np.concatenate([self._count, count]))
        self._level, self._count = both, counts

    def cut(self, cap: float) -> float:
        """Return the value above which cases get the second decision, a share `cap` at most."""
        self._settle()
        return capped_threshold(self._level, self._count / max(self.n, 1), cap)

    def tied(self, cut: float) -> int:
        """Return how many cases lie at a value."""
        return int(self._count[self._level == cut].sum())
