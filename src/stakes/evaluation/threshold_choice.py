"""Which threshold: by the Bayes rule, the best on the data, and under a cap on reviews."""

from __future__ import annotations

__all__ = ["ThresholdChoice", "ThresholdResult", "choose_threshold"]

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._check import InputError, read_level, read_number
from stakes._counting import bincount
from stakes._foreign_calls import answered
from stakes._records import Record
from stakes._text import number, percent, plain, quoted
from stakes._typing import Column, FloatArray, IntArray, Label, NamesLike, PriorsLike
from stakes.costs import CostMatrix, SampleCosts
from stakes.costs.cost_tables import expected_column
from stakes.evaluation.application_decisions import ApplicationDecisions, curve_of, least_cost
from stakes.evaluation.applications import (
    ApplicationSamples,
    CostsLike,
    classes_of,
    read_adapted,
)
from stakes.evaluation.findings import Verdict, plain_values
from stakes.evaluation.ranking_results import best_on_part, best_threshold_estimate
from stakes.evaluation.score_thresholds import ScoreThreshold, score_threshold
from stakes.evaluation.verdicts.cautions import reversed_systems
from stakes.evaluation.verdicts.suspicions import odd_scores, out_of_step, uneven_weights
from stakes.results import Estimate, normalized_of
from stakes.samples import Samples, read_samples
from stakes.scores import Scores

_BEST = "best on the data"


@dataclass(frozen=True, eq=False)
class ThresholdResult(Record):
    """A threshold and its error rates and cost on labelled samples.

    Attributes
    ----------
    rule : str
        How it was chosen: Bayes, best on these data, cap.
    threshold : float
    reviewed : float
        Share of cases above it, at the deployment priors.
    sensitivity : float
    specificity : float
    normalized : Estimate
        Cost divided by that of the best constant answer.
    value : float
        The expected cost.
    score_threshold : ScoreThreshold or None
        The same threshold on the scores as they were delivered: before posteriors are adapted,
        as log odds, as log likelihood ratios. None where it is on the expected saving.

    See Also
    --------
    choose_threshold : returns it.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=500)
    >>> good = data.posteriors([0.9, 0.1])
    >>> choice = stakes.choose_threshold(data.y, good, costs={"miss": 5, "false_alarm": 1})
    >>> choice.chosen.normalized.interval.high < 1  # useful at this threshold
    True
    """

    rule: str
    threshold: float
    reviewed: float  # share of cases that get the second decision, at the priors of use
    sensitivity: float
    specificity: float
    normalized: Estimate
    value: float
    score_threshold: ScoreThreshold | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        return plain_values(self, normalized="normalized_cost", value="expected_cost")

    def __str__(self) -> str:
        rates = f"sensitivity {number(self.sensitivity)}, specificity {number(self.specificity)}"
        share = f"{percent(self.reviewed, 1)} % of cases"
        where = f"{self.rule}: threshold {number(self.threshold)}"
        return f"{where}, {share}, {rates}, normalised cost {self.normalized}"


@dataclass(frozen=True, eq=False)
class ThresholdChoice(Record):
    """Thresholds for given costs, and which one to use.

    Attributes
    ----------
    of : str
        What is compared with the threshold.
    second : label
        The decision above the threshold.
    naive : float
        Cost of the best constant answer.
    naive_answer : label
        The best constant answer.
    n : int
        Number of samples.
    level : float
        Confidence level of the intervals.
    results : tuple of ThresholdResult
    verdicts : tuple of Verdict
    notes : tuple of str

    See Also
    --------
    choose_threshold : returns it.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=500)
    >>> good = data.posteriors([0.9, 0.1])
    >>> choice = stakes.choose_threshold(data.y, good, costs={"miss": 5, "false_alarm": 1})
    >>> round(choice.chosen.threshold, 3)  # raise an alarm above this posterior
    0.167
    """

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
        """The threshold to use: under the cap if there is one, else the Bayes threshold."""
        return self.results[-1] if len(self.results) > 2 else self.results[0]

    @property
    def on_scores(self) -> str:
        """Say where to put the threshold on the scores as they were delivered, if elsewhere."""
        found = self.chosen.score_threshold
        if found is None or found.scale == "posterior":
            return ""
        return f"Threshold on your scores: {found}."

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        values = plain_values(self, of="compared", second="second_decision", n="samples")
        texts = {name: str(values[name]) for name in ("second_decision", "naive_answer")}
        del values["verdicts"]
        return values | texts | {"chosen": self.chosen.rule}

    def __str__(self) -> str:
        lines = [f"decide {plain(self.second)} where {plain(self.of, 120)} is above"]
        lines += [
            f"{number(r.threshold)} ({r.rule}): {percent(r.reviewed, 1)} % of cases,"
            f" normalised cost {r.normalized}"
            for r in self.results
        ]
        return "\n".join([*lines, *filter(None, [self.on_scores])])


@answered
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
    """Return which threshold to use for given costs, and its error rates on labelled samples.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `evaluate`, of two classes.
    costs : CostMatrix, SampleCosts, array, or dict of "miss" and "false_alarm", optional
        Of two classes and two decisions; by default 1 for each error. For costs that differ from
        case to case, the threshold is one on the expected saving, else on the posterior of the last
        class.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
    training_priors : float, array of K, mapping by class, "data" or "deployment", optional
        The priors that the posteriors are at, required where posteriors meet `priors`: "data" if
        they come from a model trained on data like these, and are to be adapted; "deployment" if
        they already are for `priors`; or numbers.
    review : float, optional
        The largest share of cases that can get the second decision: those with the largest
        expected saving go first, and none that costs more than it saves. Cases with the same score
        are taken together or not at all, so the cap is never exceeded, and not reached if many
        cases tie.
    level : float, default 0.95
        Confidence level of the intervals.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.

    Returns
    -------
    ThresholdChoice
        With `chosen`, the threshold to use, `results` and `verdicts`.

    See Also
    --------
    decide : the decisions themselves.
    threshold_sweep : every threshold.

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
    _, (use, *_), old = read_adapted(costs, samples, training_priors)
    if len(samples.classes) != 2 or len(use.costs.decisions) != 2:
        msg = f"a threshold needs two classes and two decisions: got {len(samples.classes)} and"
        raise InputError(f"{msg} {len(use.costs.decisions)}.")
    if isinstance(use.costs, CostMatrix):
        _refuse_useless(use.costs)
    posteriors = use.samples.scores.answers(use.samples.priors).p
    value, bayes = review_order(use.costs, posteriors)
    cuts = {"Bayes rule": bayes, _BEST: _best_on_data(use, value)}
    if review is not None:
        cap, share = read_number(review, "review", 0, 1), use.samples.balanced_mass()
        cuts[f"cap of {100 * cap:g} %"] = max(bayes, capped_threshold(value, share, cap))
    naive = ApplicationDecisions(use, np.zeros(len(samples), dtype=np.int64)).cost
    found = (
        *reversed_systems({"": samples}, level),
        *odd_scores(samples, curve_of(samples)),
        *uneven_weights(samples),
        *out_of_step(samples),
    )
    by_case = isinstance(use.costs, SampleCosts)
    return ThresholdChoice(
        "the expected saving" if by_case else f"the posterior of {samples.classes[-1]}",
        use.costs.decisions[1],
        naive.naive,
        naive.naive_answer,
        samples.n,
        level,
        tuple(
            replace(
                _result(use, name, value, cut, level),
                score_threshold=None
                if by_case
                else _delivered(samples, use, old, value, cut, bayes),
            )
            for name, cut in cuts.items()
        ),
        found,
        tuple(map(str, found)),
    )


def _delivered(
    samples: Samples,
    use: ApplicationSamples,
    training: FloatArray | None,
    value: FloatArray,
    cut: float,
    bayes: float,
) -> ScoreThreshold | None:
    """Return a threshold on posteriors in use as one on the scores as they were delivered.

    One that is the value of a sample is moved halfway to the next, so that rounding takes none.
    """
    found = score_threshold(cut, samples.scores, use.samples.priors, training)
    if found is None or cut == bayes or found.scale == "posterior":
        return found
    middle = (cut + float(value.min(initial=1.0, where=value > cut))) / 2
    return score_threshold(middle, samples.scores, use.samples.priors, training)


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
    """Return the least threshold that takes no more than a share of the cases, ties together."""
    level, code = np.unique(value, return_inverse=True)
    weight = bincount(code, share, level.size)
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
    (one, other), (first, second) = (
        [quoted([name]) for name in names] for names in (costs.classes, costs.decisions)
    )
    hint = ""
    if rise < 0 and fall < 0:
        found = f"here {first} costs less than {second} for class {other}, and more for {one}"
        hint = "List the decisions, or the classes, in the other order."
    elif rise == 0 and fall == 0:
        found = "here both decisions cost the same for each class, so there is nothing to decide"
    else:
        never = first if rise < 0 else second
        found = f"here {never} never costs less than the other decision, so no threshold is needed"
        found += ": leave it out"
    rule = "must make the first decision right for the first class, and the second for the second"
    raise InputError("costs", rule, found=found, hint=hint)


def _best_on_data(use: ApplicationSamples, value: FloatArray) -> float:
    """Return the threshold of least cost on the samples; by the ROC curve if costs allow."""
    least = least_cost(use, curve_of(use.samples))
    if least is None:
        return best_on_part(use, value, np.arange(len(use.samples)))
    below = value[use.samples.scores.ranks() <= least.point.threshold]
    return float(below.max()) if below.size else float("-inf")


def _result(
    use: ApplicationSamples, name: str, value: FloatArray, cut: float, level: float
) -> ThresholdResult:
    """Return what a threshold does; the interval allows for one that was chosen on the samples."""
    indices: IntArray = (value > cut).astype(np.int64)
    cost, samples = ApplicationDecisions(use, indices).cost, use.samples
    share = samples.balanced_mass()
    rates = []
    for k in (0, 1):
        mine = share * (samples.y == k)
        total = float(mine.sum())
        rates.append(float(mine @ (indices == k)) / total if total else float("nan"))
    if name != _BEST or not samples.counts.all():
        normalized = normalized_of(cost, level)
    else:
        scores = value if use.binary_costs is None else samples.scores.ranks()
        normalized = best_threshold_estimate(use, scores, indices, level)
    return ThresholdResult(
        rule=name,
        threshold=cut,
        reviewed=float(share @ indices),
        sensitivity=rates[1],
        specificity=rates[0],
        normalized=normalized,
        value=cost.value,
    )
