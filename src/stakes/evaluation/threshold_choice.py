"""Which threshold: by the Bayes rule, the best on the data, and under a cap on reviews."""

__all__ = ["ThresholdChoice", "ThresholdResult", "choose_threshold"]

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._check import InputError, read_level, read_number
from stakes._text import number, percent, quoted
from stakes._typing import Column, FloatArray, IntArray, Label, NamesLike, PriorsLike
from stakes.costs import CostMatrix, SampleCosts
from stakes.costs.cost_tables import expected_column
from stakes.evaluation.applications import (
    ApplicationSamples,
    CostsLike,
    classes_of,
    read_applications,
)
from stakes.evaluation.findings import Verdict
from stakes.evaluation.least_cost import curve_of, least_cost
from stakes.evaluation.ranking_results import best_threshold_estimate, least_on_part
from stakes.evaluation.systems import ApplicationDecisions, price_decisions
from stakes.evaluation.verdicts import reversed_systems
from stakes.results import Estimate, json_number
from stakes.samples import Samples, read_samples
from stakes.scores import Scores

_BEST = "best on the data"


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
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()

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
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = [f"decide {self.second} where {self.of} is above"]
        lines += [
            f"{number(r.threshold)} ({r.rule}): {percent(r.reviewed, 1)} % of cases,"
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
        expected saving go first, and none that costs more than it saves. Cases of the same score
        are taken together or not at all, so the cap is never exceeded, and not reached where many
        cases tie.
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
    named = classes if classes is not None else classes_of(costs)
    samples = read_samples(
        y_true, scores, priors=priors, sample_weight=sample_weight, classes=named
    )
    return choose_threshold_samples(
        samples, costs=costs, training_priors=training_priors, review=review, level=level
    )


def choose_threshold_samples(
    samples: Samples,
    *,
    costs: CostsLike | None,
    training_priors: PriorsLike | None,
    review: float | None,
    level: float,
) -> ThresholdChoice:
    """Choose a threshold for checked samples, whose rows may stand for several."""
    read_level(level)
    use = read_applications(costs, samples, training_priors)[0]
    if len(samples.classes) != 2 or len(use.costs.decisions) != 2:
        msg = f"a threshold needs two classes and two decisions: got {len(samples.classes)} and"
        raise InputError(f"{msg} {len(use.costs.decisions)}.")
    value, of, bayes = _compared(use)
    share = use.samples.balanced_mass()
    cuts = {"Bayes rule": bayes, _BEST: _best_on_data(use, value)}
    if review is not None:
        cap = read_number(review, "review", 0, 1)
        cuts[f"cap of {100 * cap:g} %"] = max(bayes, capped_threshold(value, share, cap))
    results = tuple(_result(use, name, value, cut, level) for name, cut in cuts.items())
    naive = price_decisions(use, np.zeros(len(samples), dtype=np.int64)).cost
    found = tuple(reversed_systems({"": samples}, level))
    return ThresholdChoice(
        of,
        use.costs.decisions[1],
        naive.naive,
        naive.naive_answer,
        samples.n,
        level,
        results,
        found,
        tuple(map(str, found)),
    )


def _compared(use: ApplicationSamples) -> tuple[FloatArray, str, float]:
    """Return what is compared with a threshold, its name, and the threshold of the Bayes rule."""
    if isinstance(use.costs, CostMatrix):
        _refuse_useless(use.costs)
    p = use.samples.scores.answers(use.samples.priors).p
    value, bayes = review_order(use.costs, p)
    if isinstance(use.costs, SampleCosts):
        return value, "the expected saving", bayes
    return value, f"the posterior of {use.samples.classes[-1]}", bayes


def review_order(
    costs: CostMatrix | SampleCosts, posteriors: FloatArray
) -> tuple[FloatArray, float]:
    """Return a number for each case, and that above which the second of two decisions costs less.

    The larger the number, the more the second decision saves. It is the posterior of the second
    class where costs are the same for all cases and each decision is right for its own class, else
    the expected saving.
    """
    if isinstance(costs, CostMatrix) and len(costs.classes) == 2:
        rise, fall = _price_gaps(costs)
        if rise >= 0 and fall >= 0 and rise + fall > 0:
            return posteriors[:, 1], float(rise / (rise + fall))
    if isinstance(costs, SampleCosts):
        first, second = (costs.expected(posteriors, j) for j in (0, 1))
    else:
        first, second = (expected_column(posteriors, costs.column(j)) for j in (0, 1))
    return first - second, 0.0


def capped_threshold(value: FloatArray, share: FloatArray, cap: float) -> float:
    """Return the least threshold that takes no more than a share of the cases.

    Cases of the same value are taken together or not at all, as a threshold does: a cap is never
    exceeded, and where many cases tie at the threshold it may not be reached.
    """
    level, code = np.unique(value, return_inverse=True)
    weight = np.bincount(code, share, level.size)
    if weight.sum() <= cap + 1e-12:
        return float("-inf")  # the cap takes all cases
    above = np.concatenate([np.cumsum(weight[::-1])[::-1][1:], [0.0]])
    return float(level[int(np.argmax(above <= cap + 1e-12))])


def _price_gaps(costs: CostMatrix) -> tuple[float, float]:
    """Return what the second decision costs more in the first class, and less in the second."""
    c = costs.values
    return float(c[0, 1] - c[0, 0]), float(c[1, 0] - c[1, 1])


def _refuse_useless(costs: CostMatrix) -> None:
    """Refuse costs for which no threshold on the posterior of the second class is right."""
    rise, fall = _price_gaps(costs)
    if rise >= 0 and fall >= 0 and rise + fall > 0:
        return
    (one, other), (first, second) = costs.classes, costs.decisions
    head = "costs must make the first decision right for the first class, and the second for the"
    head = f"{head} second:"
    if rise < 0 and fall < 0:
        msg = f"{head} here {quoted([first])} costs less than {quoted([second])} for class"
        msg = f"{msg} {quoted([other])}, and more for {quoted([one])}. List the decisions, or the"
        raise InputError(f"{msg} classes, in the other order.")
    if rise == 0 and fall == 0:
        msg = f"{head} here both decisions cost the same for each class, so there is nothing"
        raise InputError(f"{msg} to decide.")
    never = first if rise < 0 else second
    msg = f"{head} here {quoted([never])} never costs less than the other decision, so no"
    raise InputError(f"{msg} threshold is needed: leave it out.")


def _best_on_data(use: ApplicationSamples, value: FloatArray) -> float:
    """Return the threshold of least cost on the samples; by the ROC curve if costs allow."""
    least = None
    if use.binary_costs is not None and np.bincount(use.samples.y, minlength=2).all():
        least = least_cost(use, curve_of(use.samples))
    if least is None:
        return _best(use, value)
    below = value[use.samples.scores.ranks() <= least.point.threshold]
    return float(below.max()) if below.size else float("-inf")


def _best(use: ApplicationSamples, value: FloatArray) -> float:
    """Return the threshold of least cost on the samples, just below a distinct value."""
    w = use.samples.balanced_mass()
    first, second = use.constant(0), use.constant(1)
    level, code = np.unique(value, return_inverse=True)
    saved = np.bincount(code, w * (first - second), level.size)
    above = np.concatenate([np.cumsum(saved[::-1])[::-1], [0.0]])  # if all from here on are taken
    best = int(above.argmax())
    return float("-inf") if best == 0 else float(level[best - 1])


def _best_on_part(use: ApplicationSamples, value: FloatArray, kept: IntArray) -> float:
    """Return the threshold of least cost on some of the samples."""
    return _best(use.part(kept), value[kept])


def _result(
    use: ApplicationSamples, name: str, value: FloatArray, cut: float, level: float
) -> ThresholdResult:
    """Return what a threshold does."""
    decided: IntArray = (value > cut).astype(np.int64)
    decisions = price_decisions(use, decided)
    y, share = use.samples.y, use.samples.balanced_mass()
    rates = []
    for k in (0, 1):
        mine = share * (y == k)
        total = float(mine.sum())
        rates.append(float(mine @ (decided == k)) / total if total else float("nan"))
    cost = decisions.cost
    return ThresholdResult(
        rule=name,
        threshold=cut,
        reviewed=float(share @ decided),
        sensitivity=rates[1],
        specificity=rates[0],
        normalized=_normalized(use, name, value, decisions, level),
        value=cost.value,
    )


def _normalized(
    use: ApplicationSamples,
    name: str,
    value: FloatArray,
    decisions: ApplicationDecisions,
    level: float,
) -> Estimate:
    """Return a normalised cost with its interval, which allows for a threshold that was chosen."""
    if name != _BEST or not np.bincount(use.samples.y, minlength=2).all():
        band = decisions.cost.normalized_interval(level)
        return Estimate(decisions.cost.normalized, band, "closed form")
    if use.binary_costs is None:
        return best_threshold_estimate(use, value, decisions.indices, _best_on_part, level)
    scores = use.samples.scores.ranks()
    return best_threshold_estimate(use, scores, decisions.indices, least_on_part, level)
