"""Intervals of single metrics, all from the same resamples."""

from __future__ import annotations

__all__ = ["AreaUnderRoc", "Bootstrap", "EqualErrorRate", "bootstrap"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._check import InputError, read_level
from stakes._foreign_calls import answered
from stakes._records import Record
from stakes._text import key_of, number
from stakes._typing import Column, FloatArray, NamesLike, PriorsLike
from stakes.evaluation.findings import plain_values
from stakes.evaluation.systems import System, with_groups
from stakes.intervals import Progress, check_progress, check_resamples, replicate, seed_of
from stakes.results import Estimate
from stakes.samples import read_samples
from stakes.scores import Scores
from stakes.scoring import ScoringRule


@dataclass(frozen=True)
class AreaUnderRoc:
    """Area under the ROC curve, as a metric for `bootstrap`.

    Higher is better; uninformative scores have 0.5. Ties count half.

    See Also
    --------
    auc : the value with a closed-form interval.
    bootstrap : takes it.

    Examples
    --------
    >>> import stakes
    >>> stakes.bootstrap([0, 0, 1, 1] * 9, [0.1, 0.4, 0.3, 0.9] * 9, AreaUnderRoc())["auc"].value
    0.75
    """

    name = "auc"


@dataclass(frozen=True)
class EqualErrorRate:
    """Equal error rate on the hull of the ROC curve, as a metric for `bootstrap`.

    Lower is better; uninformative scores have 0.5.

    See Also
    --------
    RocCurve.eer : the value without an interval.
    bootstrap : takes it.

    Examples
    --------
    >>> import stakes
    >>> stakes.bootstrap([0, 0, 1, 1] * 9, [0.1, 0.4, 0.3, 0.9] * 9, EqualErrorRate())["eer"].value
    0.25
    """

    name = "eer"


Drawable = ScoringRule | AreaUnderRoc | EqualErrorRate


@dataclass(frozen=True, eq=False)
class Bootstrap(Record):
    """Metrics with intervals, and their values over the same resamples.

    Items are estimates by name: `found["auc"].interval`.

    Attributes
    ----------
    estimates : mapping from name to Estimate
    drawn : mapping from name to array
        Values of each metric over the resamples.
    n : int
        Number of samples.
    level : float
        Confidence level of the intervals.
    resamples : int
        Number of resamples.
    seed : int

    See Also
    --------
    bootstrap : returns it.

    Examples
    --------
    >>> import stakes
    >>> y, p = [0, 0, 1, 1] * 20, [0.1, 0.4, 0.35, 0.8] * 20
    >>> found = stakes.bootstrap(y, p, stakes.AreaUnderRoc(), resamples=100)
    >>> found["auc"].interval.low > 0.5  # better than uninformative scores
    True
    """

    estimates: Mapping[str, Estimate]
    drawn: Mapping[str, FloatArray]
    n: int
    level: float
    resamples: int
    seed: int

    def __getitem__(self, name: str) -> Estimate:
        if name not in self.estimates:
            raise InputError("name", f"must be one of {', '.join(self.estimates)}", repr(name))
        return self.estimates[name]

    def __str__(self) -> str:
        wide = max(map(len, self.estimates))
        lines = [f"{name:<{wide}}  {estimate}" for name, estimate in self.estimates.items()]
        lines.append(f"{number(self.resamples)} resamples of {number(self.n)} samples")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON."""
        values = plain_values(self)
        del values["drawn"]
        return values


@answered
def bootstrap(  # noqa: PLR0913  the data, the metrics, the intervals
    y_true: Column,
    scores: Scores | Column,
    metrics: Drawable | Sequence[Drawable],
    *,
    priors: PriorsLike | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    groups: Column | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    rng: int | np.random.Generator = 0,
    progress: Progress | None = None,
) -> Bootstrap:
    """Return metrics with intervals from bootstrap resamples.

    `evaluate` gives these and much more; here only the requested metrics are resampled. Every
    resample draws exactly N of the N samples with replacement; class sizes are kept if priors are
    given, and groups are drawn whole. Expected losses get BCa intervals, ranking metrics percentile
    intervals.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `expected_loss`.
    metrics : scoring rule, AreaUnderRoc, EqualErrorRate, or several
        A rule gives `<rule>.value` and `<rule>.normalized`; the others need two classes.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
        Posteriors are used as delivered.
    level : float, default 0.95
        Confidence level of the intervals.
    resamples : int, default 1000
        Number of bootstrap resamples.
    groups : column of N names, optional
        Groups are drawn whole: patients, speakers, merchants.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.
    rng : int or Generator, default 0
        Seed of the resamples.
    progress : callable, optional
        Called with the number of resamples done and the total.

    Returns
    -------
    Bootstrap
        Estimates by name, and the values over the resamples.

    See Also
    --------
    evaluate : closed-form intervals if there are any, and verdicts.
    auc : with a closed-form interval.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> raw, metrics = data.posteriors([0.1, 0.9]), [stakes.LogLoss(), stakes.AreaUnderRoc()]
    >>> found = stakes.bootstrap(data.y, raw, metrics, resamples=200)
    >>> sorted(found.estimates)
    ['auc', 'cross_entropy.normalized', 'cross_entropy.value']
    >>> found["auc"].interval.low < found["auc"].value < found["auc"].interval.high
    True
    >>> found.drawn["auc"].shape
    (200,)
    """
    asked = _read_metrics(metrics)
    samples = read_samples(y_true, scores, priors, sample_weight, classes)
    read_level(level)
    check_resamples(resamples, none=False)
    check_progress(progress)
    seed = seed_of(rng)
    rules = tuple(metric for metric in asked if isinstance(metric, ScoringRule))
    system = System(with_groups(samples, groups), (), rules)
    statistics = system.loss_statistics() if rules else []
    if len(rules) < len(asked):
        occurs, classes_ = np.count_nonzero(samples.counts), len(samples.classes)
        if classes_ != 2 or occurs != 2:
            rule = "must be scoring rules unless two classes occur"
            raise InputError("metrics", rule, f"{occurs} of {classes_} classes in y_true")
        equal_error = any(isinstance(metric, EqualErrorRate) for metric in asked)
        statistics.append(replace(system.ranking(), equal_error=equal_error))
    found = replicate(statistics, system.resampling(seed), resamples, progress)
    losses = iter(system.expected_losses)
    named: dict[str, Estimate] = {}
    for metric in asked:
        if not isinstance(metric, ScoringRule):
            named[metric.name] = found.estimate(metric.name, level)
            continue
        loss, key = next(losses), key_of(metric.name)
        for name, value in ((f"{key}.value", loss.value), (f"{key}.normalized", loss.normalized)):
            known = name in found.names
            bare = Estimate(value, None, "infinite")
            named[name] = found.estimate(name, level, value) if known else bare
    drawn = {name: found.drawn[:, found.column(name)] for name in named if name in found.names}
    return Bootstrap(named, drawn, len(samples), level, resamples, seed)


def _read_metrics(metrics: Drawable | Sequence[Drawable]) -> tuple[Drawable, ...]:
    asked = (metrics,) if isinstance(metrics, Drawable) else tuple(metrics)
    for metric in asked:
        if not isinstance(metric, Drawable):
            rule = "must be scoring rules, AreaUnderRoc() or EqualErrorRate()"
            raise InputError("metrics", rule, repr(metric))
    if not asked:
        raise InputError("metrics", "must name at least one metric, such as [LogLoss()]", "none")
    names = [key_of(metric.name) for metric in asked]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        rule = "must have names of their own"
        raise InputError("metrics", rule, found=f"{', '.join(twice)} stands for several")
    return asked
