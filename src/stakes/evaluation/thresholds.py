"""Which threshold: by the Bayes rule, the best on the data, and under a cap on reviews."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._check import InputError, read_level, read_number
from stakes._text import number
from stakes._typing import Column, FloatArray, IntArray, Label, NamesLike, PriorsLike
from stakes.costs import CostMatrix, SampleCosts
from stakes.evaluation.applications import CostsLike, Task, classes_of, read_tasks
from stakes.evaluation.systems import judge_decisions
from stakes.results import Estimate, json_number
from stakes.samples import read_samples
from stakes.scores import Scores


@dataclass(frozen=True, eq=False)
class ThresholdResult:
    """A threshold and what it does on labelled samples."""

    rule: str
    threshold: float
    reviewed: float  # share of cases that get the second decision, at the priors of use
    sensitivity: float
    specificity: float
    normalized: Estimate
    value: float

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        return {
            "rule": self.rule,
            "threshold": json_number(self.threshold),
            "reviewed": self.reviewed,
            "sensitivity": json_number(self.sensitivity),
            "specificity": json_number(self.specificity),
            "expected_cost": json_number(self.value),
            "normalized_cost": self.normalized.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class ThresholdChoice:
    """Thresholds for some costs; `of` says what is compared with them."""

    of: str
    second: Label
    naive: float
    naive_answer: Label
    n: int
    level: float
    results: tuple[ThresholdResult, ...]

    @property
    def chosen(self) -> ThresholdResult:
        """The threshold to use: under the cap if there is one, else that of the Bayes rule."""
        return self.results[-1] if len(self.results) > 2 else self.results[0]

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        return {
            "compared": self.of,
            "second_decision": str(self.second),
            "samples": self.n,
            "level": self.level,
            "naive": json_number(self.naive),
            "naive_answer": str(self.naive_answer),
            "results": [r.to_dict() for r in self.results],
            "chosen": self.chosen.rule,
        }

    def __str__(self) -> str:
        lines = [f"decide {self.second} where {self.of} is above"]
        lines += [
            f"{number(r.threshold)} ({r.rule}): {100 * r.reviewed:.1f} % of cases,"
            f" normalised cost {r.normalized}"
            for r in self.results
        ]
        return "\n".join(lines)


def choose_threshold(  # noqa: PLR0913  the data, the costs, the cap
    y_true: Column,
    scores: Scores | Column,
    *,
    costs: CostsLike | None = None,
    priors: PriorsLike | None = None,
    training_priors: PriorsLike | None = None,
    review: float | None = None,
    level: float = 0.95,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> ThresholdChoice:
    """Return which threshold to use for some costs, and what it does on labelled samples.

    Parameters
    ----------
    review : float, optional
        The largest share of cases that can get the second decision: those with the largest
        expected saving go first, and none that costs more than it saves.
    y_true, scores, costs, priors, training_priors, sample_weight, classes
        As for `evaluate`, for two classes and two decisions. Where costs differ from case to case
        the threshold is one on the expected saving, else on the posterior of the last class.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    >>> p = data.posteriors([0.9, 0.1])
    >>> choice = stakes.choose_threshold(data.y, p, costs=costs, review=0.08)
    >>> round(choice.results[0].threshold, 4), round(choice.chosen.reviewed, 3)
    (0.1667, 0.08)
    """
    read_level(level)
    named = classes if classes is not None else classes_of(costs)
    samples = read_samples(
        y_true, scores, priors=priors, sample_weight=sample_weight, classes=named
    )
    task = read_tasks(costs, samples, training_priors)[0]
    if len(samples.classes) != 2 or len(task.costs.decisions) != 2:
        msg = f"a threshold needs two classes and two decisions: got {len(samples.classes)} and"
        raise InputError(f"{msg} {len(task.costs.decisions)}.")
    value, of, bayes = _compared(task)
    share = task.samples.balanced_weights()
    cuts = {"Bayes rule": bayes, "best on the data": _best(task, value)}
    if review is not None:
        cap = read_number(review, "review", 0, 1)
        cuts[f"cap of {100 * cap:g} %"] = max(bayes, _capped(value, share, cap))
    results = tuple(_result(task, name, value, cut, level) for name, cut in cuts.items())
    naive = judge_decisions(task, np.zeros(len(samples), dtype=np.int64)).cost
    return ThresholdChoice(
        of, task.costs.decisions[1], naive.naive, naive.naive_answer, len(samples), level, results
    )


def _compared(task: Task) -> tuple[FloatArray, str, float]:
    """Return what is compared with a threshold, its name, and the threshold of the Bayes rule."""
    p = task.samples.scores.answers(task.samples.priors).p
    if isinstance(task.costs, SampleCosts):
        first, second = (task.costs.expected(p, j) for j in (0, 1))
        return first - second, "the expected saving", 0.0
    name = f"the posterior of {task.samples.classes[-1]}"
    return p[:, 1], name, _bayes_threshold(task.costs)


def _bayes_threshold(costs: CostMatrix) -> float:
    """Return the posterior above which the second decision costs less."""
    c = costs.values
    rise, fall = c[0, 1] - c[0, 0], c[1, 0] - c[1, 1]
    if rise < 0 or fall < 0 or rise + fall == 0:
        msg = "costs must make each decision right for its class: one decision is never worse."
        raise InputError(msg)
    return float(rise / (rise + fall))


def _best(task: Task, value: FloatArray) -> float:
    """Return the threshold of least cost on the samples, just below a distinct value."""
    y, w = task.samples.y, task.samples.balanced_weights()
    first, second = (task.costs.at(y, np.full(y.size, j)) for j in (0, 1))
    level, code = np.unique(value, return_inverse=True)
    saved = np.bincount(code, w * (first - second), level.size)
    above = np.concatenate([np.cumsum(saved[::-1])[::-1], [0.0]])  # if all from here on are taken
    best = int(above.argmax())
    return float("-inf") if best == 0 else float(level[best - 1])


def _capped(value: FloatArray, share: FloatArray, cap: float) -> float:
    """Return the least threshold that takes no more than a share of the cases."""
    level, code = np.unique(value, return_inverse=True)
    weight = np.bincount(code, share, level.size)
    above = np.concatenate([np.cumsum(weight[::-1])[::-1][1:], [0.0]])
    return float(level[int(np.argmax(above <= cap + 1e-12))])


def _result(task: Task, name: str, value: FloatArray, cut: float, level: float) -> ThresholdResult:
    """Return what a threshold does."""
    decided: IntArray = (value > cut).astype(np.int64)
    judged = judge_decisions(task, decided)
    y, share = task.samples.y, task.samples.balanced_weights()
    rates = []
    for k in (0, 1):
        mine = share * (y == k)
        total = float(mine.sum())
        rates.append(float(mine @ (decided == k)) / total if total else float("nan"))
    cost = judged.cost
    return ThresholdResult(
        rule=name,
        threshold=cut,
        reviewed=float(share @ decided),
        sensitivity=rates[1],
        specificity=rates[0],
        normalized=Estimate(cost.normalized, cost.normalized_interval(level), "closed form"),
        value=cost.value,
    )
