"""Which calibrator, if any: one replaces uncalibrated scores where it is better beyond noise."""

from __future__ import annotations

__all__ = ["CalibratorChoice", "choose_calibrator"]

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stakes._check import InputError, UndefinedMetricError, read_level
from stakes._foreign_calls import answered
from stakes._records import Record
from stakes._text import number
from stakes._typing import Column, IntArray, NamesLike, PriorsLike
from stakes.calibration.calibrators import Calibrator
from stakes.calibration.crossfit import (
    DealtFolds,
    Folds,
    HeldOut,
    TrainOnTest,
    cross_fitted,
    deal,
    group_codes,
)
from stakes.calibration.floor import Floor
from stakes.calibration.registry import read_calibrator
from stakes.metrics.expected_losses import expectation, sample_losses
from stakes.metrics.multiplicity import holm
from stakes.metrics.paired import PairedDifference, paired_losses
from stakes.results import ExpectedLoss
from stakes.samples import Samples, read_samples
from stakes.scores import LogPosteriors, Scores
from stakes.scoring import BayesCost, ScoringRule

UNCALIBRATED = "uncalibrated"


@dataclass(frozen=True, eq=False)
class Candidate:
    """A calibrator, or none, with its cross-fitted loss beside that of uncalibrated scores.

    `difference` is its loss less the uncalibrated one on the same samples, over the naive loss.
    `p_value` is that of being no better, adjusted for the number of candidates.
    """

    name: str
    calibrator: Calibrator | None
    loss: ExpectedLoss
    difference: PairedDifference | None
    p_value: float

    def __str__(self) -> str:
        line = f"{number(self.loss.normalized)}  ({self.loss.normalized_interval()})"
        if self.difference is None:
            return line
        gap = self.difference.estimate()
        p = "p < 0.001" if self.p_value < 0.001 else f"p = {number(self.p_value)}"
        return f"{line}  difference {gap}, {p}"


@dataclass(frozen=True, eq=False)
class CalibratorChoice(Record):
    """Candidates ranked by their cross-fitted loss, and the one to use.

    Scores stay uncalibrated unless a candidate is significantly better: its paired difference is
    below 0 by a one-sided test at 1 - level, with Holm's correction for the number of candidates.
    The lowest of several cross-fitted losses is optimistic, because it was selected on the samples
    it is evaluated on. `honest` is the loss of the whole procedure: in each fold, the choice is
    made and the calibrator fitted without the samples that are evaluated.

    Attributes
    ----------
    candidates : tuple of Candidate
        Least loss first.
    chosen : Candidate
        The one to use; it may be to leave the scores uncalibrated.
    honest : ExpectedLoss or None
        The loss of the whole procedure, choice included.
    level : float
        One minus the significance level of the test that a candidate must pass.

    See Also
    --------
    choose_calibrator : returns it.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=400)
    >>> rule, candidates = stakes.LogLoss(), [stakes.BiasCalibrator()]
    >>> choice = stakes.choose_calibrator(rule, data.y, data.posteriors([0.5, 0.5]), candidates)
    >>> choice.best
    BiasCalibrator()
    """

    candidates: tuple[Candidate, ...]  # least loss first
    chosen: Candidate
    honest: ExpectedLoss | None  # None where it cannot be cross-fitted once more
    level: float

    @property
    def best(self) -> Calibrator | None:
        """The calibrator to use, not fitted; None to leave the scores uncalibrated."""
        return self.chosen.calibrator

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the candidates, least loss first."""
        return tuple(c.name for c in self.candidates)

    @property
    def losses(self) -> tuple[ExpectedLoss, ...]:
        """The cross-fitted losses of the candidates, least first."""
        return tuple(c.loss for c in self.candidates)

    def __str__(self) -> str:
        width = max(map(len, self.names))
        lines = [f"{c.name:<{width}}  {c}" for c in self.candidates]
        why = "no calibrator is better beyond noise"
        if self.chosen.calibrator is not None:
            why = "better than uncalibrated beyond noise"
        text = f"use {self.chosen.name}: {why}"
        if self.honest is None:
            text += "; its loss is optimistic, as it was selected on these samples"
        else:
            loss, band = number(self.honest.normalized), self.honest.normalized_interval()
            text += f"; loss of this choice on new data {loss} ({band})"
            if self.honest.infinite_samples:
                text += ", as some training parts left scores with posteriors of 0 uncalibrated"
        return "\n".join([*lines, text])


@answered
def choose_calibrator(  # noqa: PLR0913
    rule: ScoringRule,
    y_true: Column,
    scores: Scores | Column,
    candidates: Sequence[Calibrator],
    *,
    folds: Folds = 5,
    groups: Column | None = None,
    rng: int | np.random.Generator = 0,
    level: float = 0.95,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> CalibratorChoice:
    """Choose the calibrator with the least cross-fitted loss, or none.

    Scores stay uncalibrated unless a candidate is significantly better. All candidates use the
    same folds.

    Parameters
    ----------
    rule : ScoringRule
        `LogLoss()`, `BrierLoss()`, or `BayesCost(costs)` at your own costs.
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `expected_loss`.
    candidates : list of Calibrator
        The calibrators to choose from, not fitted.
    folds : int, splitter, array of N fold numbers, HeldOut or TrainOnTest, default 5
        As in `cross_calibrate`.
    groups : column of N names, optional
        Samples of one group stay together: patients, speakers, merchants.
    rng : int or Generator, default 0
        Seed of the folds.
    level : float, default 0.95
        One minus the probability of replacing scores that need no calibration.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.

    Returns
    -------
    CalibratorChoice
        With `best`, the calibrator to use, or None to leave the scores uncalibrated.

    See Also
    --------
    cross_calibrate : calibrates each sample by a fit that did not see it.
    calibration_loss : what one calibrator recovers.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> some = [stakes.TemperatureCalibrator(), stakes.AffineCalibrator()]
    >>> for priors in ([0.9, 0.1], [0.1, 0.9]):  # the right priors, then wrong ones
    ...     scores = data.posteriors(priors)
    ...     print(stakes.choose_calibrator(stakes.LogLoss(), data.y, scores, some).chosen.name)
    uncalibrated
    affine
    """
    read_level(level)
    if isinstance(candidates, Calibrator | str) or not candidates:
        wanted = "must be a list of calibrators, such as [AffineCalibrator()]"
        raise InputError("candidates", wanted, repr(candidates))
    samples = read_samples(y_true, scores, priors, sample_weight, classes)
    unit = None if groups is None else group_codes(groups, samples)
    if not isinstance(folds, TrainOnTest | HeldOut):
        folds = deal(samples, folds, groups, rng)
    read = (read_calibrator(each) for each in candidates)
    selection = Selection(rule, tuple(each for each in read if each is not None), folds, level)
    table = selection.rank(samples, unit)
    chosen = selection.choose(table)
    return CalibratorChoice(table, chosen, selection.honest(samples, unit), level)


@dataclass(frozen=True, eq=False)
class Selection:
    """How one of several calibrators is chosen."""

    rule: ScoringRule
    calibrators: tuple[Calibrator, ...]
    folds: DealtFolds | TrainOnTest | HeldOut
    level: float

    def rank(self, samples: Samples, unit: IntArray | None) -> tuple[Candidate, ...]:
        """Return the candidates, least loss first, each beside uncalibrated scores."""
        own, before = expectation(self.rule, samples), sample_losses(self.rule, samples)
        y, k, largest = samples.y, len(samples.classes), None
        if isinstance(self.rule, BayesCost):
            low, high = self.rule.bounds(k)
            largest = (high - low)[y]
        found = []
        for calibrator in self.calibrators:
            scores = cross_fitted(calibrator, samples, self.folds, None, 0).scores
            better = samples.with_scores(scores)
            after, naive = sample_losses(self.rule, better), self.rule.naive_losses(samples.priors)
            grouped = replace(samples, groups=unit)
            gap = paired_losses(grouped, after, before, naive=naive[y], largest=largest)
            loss = expectation(self.rule, better)
            p = _no_better(gap, own, loss)
            found.append(Candidate(calibrator.name, calibrator, loss, gap, p))
        adjusted = holm([c.p_value for c in found])
        rows = [replace(c, p_value=p) for c, p in zip(found, adjusted, strict=True)]
        rows.append(Candidate(UNCALIBRATED, None, own, None, 1.0))
        return tuple(sorted(rows, key=lambda c: c.loss.value))

    def choose(self, table: Sequence[Candidate]) -> Candidate:
        """Return the least loss of those that are better beyond noise, else uncalibrated."""
        better = [c for c in table if c.p_value < 1 - self.level]
        return better[0] if better else next(c for c in table if c.calibrator is None)

    def honest(self, samples: Samples, unit: IntArray | None) -> ExpectedLoss | None:
        """Return the loss of the whole procedure; None where samples do not allow for it."""
        if isinstance(self.folds, TrainOnTest | HeldOut):
            return None
        try:
            scores = self._nested(samples, unit, self.folds)
        except UndefinedMetricError:  # a training part has too few samples of a class
            return None
        return expectation(self.rule, samples.with_scores(scores))

    def _nested(self, samples: Samples, unit: IntArray | None, folds: DealtFolds) -> LogPosteriors:
        """Return the scores of the procedure: chosen and fitted without the fold they are in."""
        output = samples.scores.answers(samples.priors).log_p.copy()
        inside = Floor.from_samples(samples).samples(samples)
        for train, test in folds.pairs:
            seen = samples.part(train)
            groups = None if unit is None else unit[train]
            units = np.arange(len(seen)) if groups is None else groups
            fewest = min(np.unique(units[seen.y == k]).size for k in range(len(seen.classes)))
            alone, most = replace(seen, row=None, n_given=len(seen)), len(folds.pairs)
            inner = replace(self, folds=deal(alone, max(2, min(most, fewest)), groups, 0))
            chosen = inner.choose(inner.rank(seen, groups)).calibrator
            if chosen is not None:
                fitted = chosen.fresh().fit_samples(inside.part(train)).fitted
                output[test] = fitted(inside.scores.part(test).answers(seen.priors).log_p)
        return LogPosteriors.trusted(output, samples.scores.names)


def _no_better(gap: PairedDifference, before: ExpectedLoss, after: ExpectedLoss) -> float:
    """Return the p-value of a calibrator that is no better, one-sided.

    An infinite loss is no noise: a finite one is better, and nothing is better with one.
    """
    if np.isinf(before.value) or np.isinf(after.value):
        return 0.0 if after.value < before.value else 1.0
    if np.isnan(gap.p_value) or gap.value >= 0:
        return 1.0
    return gap.p_value / 2
