"""Losses after a calibration stage, with the intervals and tests of one refit to all samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np

from stakes._typing import FloatArray
from stakes.calibration.refits import Prices, Refit, RefittedLoss
from stakes.costs import SampleCosts
from stakes.evaluation.application_decisions import ApplicationDecisions
from stakes.inference.law import FEWEST_GROUPS
from stakes.metrics.expected_losses import sample_losses
from stakes.results import FEWEST_OF_CLASS, Estimate, ExpectedLoss, Interval
from stakes.scores import LogPosteriors
from stakes.scoring import LogLoss, ScoringRule

_ENDS = (0.0, math.inf), (-math.inf, math.inf), (-math.inf, 1.0)  # where they can be


class Number(IntEnum):
    """The numbers of a calibrated loss: itself, what calibration recovers, and its share."""

    CALIBRATED = 0
    RECOVERED = 1
    RELATIVE = 2


@dataclass(frozen=True, eq=False)
class CalibratedLoss:
    """A loss before and after calibration: the values shown, and the law behind their intervals.

    The values are those of the stage as it was fitted. Intervals are those of the calibrator fitted
    to all samples, which differs; each includes the value.
    """

    raw: ExpectedLoss  # of the rows that calibrators are fitted to
    after: ExpectedLoss
    found: RefittedLoss
    why_none: str = ""

    @property
    def values(self) -> tuple[float, float, float]:
        """The calibrated loss, what calibration recovers, and this as a share of the raw loss."""
        with np.errstate(invalid="ignore"):
            gap = self.raw.value - self.after.value
        if not math.isfinite(gap):
            return self.after.normalized, gap, math.nan
        gain = gap / self.raw.naive if self.raw.naive > 0 else math.nan
        return self.after.normalized, gain, gap / self.raw.value if self.raw.value > 0 else math.nan

    def why(self, number: Number) -> str:
        """Return why a number has no interval; empty where it has one."""
        if self.why_none or number == Number.CALIBRATED:
            return self.why_none
        return "" if math.isfinite(self.raw.value) else "a loss is infinite"

    def interval(self, number: Number, level: float) -> Interval | None:
        """Return the interval of a number at a level, where it has one."""
        if self.why(number):
            return None
        low, high = self._ends(level)[number]
        if not math.isfinite(low + high):
            return None
        least, most = _ENDS[number]
        value = self.values[number]
        if self.found.best and number != Number.CALIBRATED:
            high = max(high, 0.0)
        low, high = min(max(low, least), value), max(min(high, most), value)
        return Interval(float(low), float(high), level)

    def estimate(self, number: Number, level: float) -> Estimate:
        """Return a number with its interval."""
        band, value = self.interval(number, level), self.values[number]
        if band is None:
            return Estimate(value, None, self.why(number) or "the loss is undefined")
        return Estimate(value, band, self.found.method)

    @property
    def influence(self) -> FloatArray:
        """What each sample adds to the loss after calibration, itself and through the fit."""
        return self.found.influence

    @property
    def largest_part(self) -> float:
        """The largest part of the fit's curvature that one sample has."""
        return self.found.largest_part

    def _ends(self, level: float) -> FloatArray:
        if level not in self._known:
            self._known[level] = self.found.problem.intervals(level)
        return self._known[level]

    @cached_property
    def _known(self) -> dict[float, FloatArray]:
        return {}

    @cached_property
    def p_value(self) -> float:
        """The two-sided p-value of a calibration that recovers nothing; NaN where there is none."""
        return (
            math.nan if self.why(Number.RECOVERED) else self.found.problem.p_value(Number.RECOVERED)
        )


def calibrated_rule(
    refit: Refit, rule: ScoringRule, raw: ExpectedLoss, after: ExpectedLoss
) -> CalibratedLoss:
    """Return a scoring rule before and after calibration."""
    samples = refit.samples
    before = sample_losses(rule, samples)
    seen = raw.priors > 0
    mean = float(raw.priors[seen] @ raw.naive_losses[seen])
    scale = raw.naive / mean if mean > 0 else 1.0  # so that the mean is the naive loss
    naive = (np.where(seen, raw.naive_losses, 0.0) * scale)[samples.y]

    def losses(log_q: FloatArray) -> FloatArray:
        return rule.losses(refit.y, LogPosteriors.trusted(log_q).answers(None))

    finite = np.where(np.isfinite(before), before, 0.0)
    own = isinstance(rule, LogLoss)
    found = refit.loss(finite, naive, losses, own=own, folds=after.value)
    return CalibratedLoss(raw, after, found, _why_none(refit, after))


def calibrated_cost(
    refit: Refit, before: ApplicationDecisions, after: ExpectedLoss
) -> CalibratedLoss:
    """Return the cost of decisions before and after calibration."""
    costs = before.use.costs
    if isinstance(costs, SampleCosts):
        costs = costs.part(refit.order)

    def losses(log_q: FloatArray) -> FloatArray:
        return costs.at(refit.y, costs.least_expected(np.exp(log_q)))

    prices = Prices(*before.bounds(), before.naive())
    found = refit.loss(before.losses(), before.naive(), losses, prices=prices, folds=after.value)
    return CalibratedLoss(before.cost, after, found, _why_none(refit, after))


def _why_none(refit: Refit, after: ExpectedLoss) -> str:
    """Return why no number of a calibrated loss has an interval."""
    samples = refit.samples
    least = int(samples.counts[samples.counts > 0].min())
    if least < FEWEST_OF_CLASS:
        return f"a calibrator needs {FEWEST_OF_CLASS} samples of each class: got {least}"
    if samples.groups is not None and (n := np.unique(samples.groups).size) < FEWEST_GROUPS:
        return f"needs {FEWEST_GROUPS} groups: got {n}"
    if after.undefined is not None:
        return after.undefined.text
    return "" if math.isfinite(after.value) else "a loss is infinite"
