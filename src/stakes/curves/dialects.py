"""Dialects: the axes on which each field draws the expected cost of Bayes decisions."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stakes._check import InputError, read_array
from stakes._typing import BoolArray, FloatArray
from stakes.curves.steps import Rates, logit, sigmoid
from stakes.results import Direction

MOST_LOG_ODDS = 700.0  # beyond it a probability is no longer a number of its own

PERCENT = np.arange(1, 100) / 100
LOG_ODDS = np.linspace(-7, 7, 141)
LOG10_ODDS = np.linspace(-3, 3, 121)


@dataclass(frozen=True, eq=False)
class Priors:
    """Priors of two classes, with their log odds; whether they are those of the data."""

    values: FloatArray
    from_data: bool

    @property
    def log_odds(self) -> float:
        """Log odds of the second class."""
        first, second = np.log(self.values)
        return float(second - first)


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Thresholds of the posterior: log odds, the probability, and one minus it."""

    log_odds: FloatArray
    value: FloatArray
    complement: FloatArray

    @classmethod
    def of(cls, theta: FloatArray) -> "Thresholds":
        """Return thresholds given as probabilities."""
        return cls(logit(theta), theta, 1 - theta)

    @classmethod
    def at(cls, log_odds: FloatArray) -> "Thresholds":
        """Return thresholds given by log odds."""
        return cls(log_odds, sigmoid(log_odds), sigmoid(-log_odds))


@dataclass(frozen=True, eq=False)
class Prices:
    """What decisions cost at each point: priors and cost of an error by class, and an offset.

    The expected loss is sum_k P_k (offset_k + cost_k R_k), with R_k the error rate of class k.
    """

    priors: FloatArray
    costs: FloatArray
    offsets: FloatArray
    from_data: bool

    def expected(self, rates: Rates) -> FloatArray:
        """Return the expected loss at these error rates."""
        terms = self.priors * (self.offsets + self.costs * np.column_stack(rates))
        return np.asarray(terms.sum(axis=1))

    @property
    def naive_first(self) -> BoolArray:
        """Whether always deciding the first class is the better constant answer."""
        every_miss, every_alarm = (self.priors * self.costs).T[::-1]
        return np.asarray(every_miss <= every_alarm)

    @property
    def constant(self) -> Rates:
        """Error rates of the better constant answer."""
        first = self.naive_first.astype(np.float64)
        return 1 - first, first

    @property
    def naive(self) -> FloatArray:
        """Expected loss of the better constant answer."""
        return self.expected(self.constant)


class Dialect(ABC):
    """The axes of one field: which threshold each x is, what decisions cost there, and y of it."""

    name: ClassVar[str]
    x_name: ClassVar[str]
    x_label: ClassVar[str]
    y_label: ClassVar[str]
    better: ClassVar[Direction] = "lower"
    normalized: ClassVar[bool] = False
    grid: ClassVar[FloatArray] = PERCENT

    @abstractmethod
    def thresholds(self, x: FloatArray, priors: Priors) -> Thresholds:
        """Return the threshold of the posterior that each x stands for."""

    @abstractmethod
    def prices(self, at: Thresholds, priors: Priors) -> Prices:
        """Return what decisions cost at each threshold."""

    def value(self, loss: FloatArray) -> FloatArray:
        """Return y for an expected loss, normalised or not as the dialect is."""
        return loss

    def of(self, prices: Prices, rates: Rates) -> FloatArray:
        """Return y at these error rates."""
        loss = prices.expected(rates)
        return self.value(loss / prices.naive if self.normalized else loss)

    def references(self, prices: Prices) -> dict[str, FloatArray]:
        """Return y of systems that see no input."""
        return {"naive": self.of(prices, prices.constant)}


class OverThresholds(Dialect):
    """A dialect whose x is the threshold itself; false alarms cost it, misses its complement."""

    def thresholds(self, x: FloatArray, priors: Priors) -> Thresholds:  # noqa: ARG002
        """Return the thresholds, which lie between 0 and 1."""
        return Thresholds.of(inside(x, self.x_name))

    def prices(self, at: Thresholds, priors: Priors) -> Prices:
        """Return costs that sum to 1."""
        return _priced(priors, at.value, at.complement, (0.0, 0.0))


class OverPriors(Dialect):
    """A dialect whose x is the effective prior: all errors cost 1, and the priors move.

    The effective prior holds priors and costs alike: its log odds are the prior log odds less
    the log odds of the threshold.
    """

    def prices(self, at: Thresholds, priors: Priors) -> Prices:
        """Return the effective priors, at which every error costs 1."""
        margin = at.log_odds - priors.log_odds
        effective = np.column_stack([sigmoid(margin), sigmoid(-margin)])
        return Prices(effective, np.ones_like(effective), np.zeros(2), from_data=False)


def _priced(
    priors: Priors, alarm: FloatArray, miss: FloatArray, offsets: tuple[float, float]
) -> Prices:
    """Return prices at the priors of use."""
    costs = np.column_stack([np.broadcast_to(alarm, miss.shape), miss])
    return Prices(
        np.broadcast_to(priors.values, costs.shape), costs, np.array(offsets), priors.from_data
    )


class Murphy(OverThresholds):
    """Expected cost over the threshold: the mean elementary score of weather forecasts."""

    name = "Murphy diagram"
    x_name = "threshold"
    x_label = "threshold (false alarm costs it, miss one minus it)"
    y_label = "expected cost"


class NormalizedMurphy(Murphy):
    """Normalised expected cost over the threshold."""

    name = "normalised expected cost"
    y_label = "normalised expected cost"
    normalized = True


class RelativeValue(OverThresholds):
    """One minus the normalised expected cost, over the cost/loss ratio."""

    name = "relative economic value"
    x_name = "cost_loss_ratio"
    x_label = "cost/loss ratio"
    y_label = "relative economic value"
    better = "higher"
    normalized = True

    def value(self, loss: FloatArray) -> FloatArray:
        """Return one minus the normalised cost."""
        return 1 - loss


class DecisionCurve(OverThresholds):
    """Net benefit over the threshold probability: P_2 R_22 less odds times P_1 R_12."""

    name = "decision curve"
    x_name = "threshold"
    x_label = "threshold probability"
    y_label = "net benefit"
    better = "higher"

    def prices(self, at: Thresholds, priors: Priors) -> Prices:
        """Return costs in units of a true positive, which is what the second class can earn."""
        return _priced(priors, at.value / at.complement, np.ones(at.value.size), (0.0, -1.0))

    def value(self, loss: FloatArray) -> FloatArray:
        """Return the benefit."""
        return 0 - loss  # and not -loss, which makes a 0 negative

    def references(self, prices: Prices) -> dict[str, FloatArray]:
        """Return treating everyone and treating no one."""
        none, every = np.zeros(len(prices.costs)), np.ones(len(prices.costs))
        return {
            "treat_all": self.of(prices, (every, none)),
            "treat_none": self.of(prices, (none, every)),
        }


class InterventionsAvoided(DecisionCurve):
    """Interventions avoided against treating everyone, net of missed cases, per 100 people."""

    name = "net interventions avoided"
    y_label = "net interventions avoided per 100"

    def prices(self, at: Thresholds, priors: Priors) -> Prices:
        """Return costs in units of one intervention among a hundred people."""
        misses = 100 * at.complement / at.value
        return _priced(priors, np.full(at.value.size, 100.0), misses, (-100.0, 0.0))


class AppliedErrorRate(OverPriors):
    """Error rate over the log odds of the effective prior: applied probability of error."""

    name = "applied probability of error"
    x_name = "prior_log_odds"
    x_label = "log odds of the effective prior"
    y_label = "error rate"
    grid = LOG_ODDS

    def thresholds(self, x: FloatArray, priors: Priors) -> Thresholds:
        """Return thresholds whose log odds lie this far below the prior's."""
        return Thresholds.at(priors.log_odds - finite_odds(x))


class NormalizedBayesError(AppliedErrorRate):
    """Normalised expected cost over the log odds of the effective prior."""

    name = "normalised Bayes error"
    y_label = "normalised expected cost"
    normalized = True


class CostCurve(OverPriors):
    """Normalised expected cost of Drummond and Holte: the error rate over the effective prior."""

    name = "cost curve"
    x_name = "effective_prior"
    x_label = "effective prior, PC(+)"
    y_label = "error rate at the effective prior"

    def thresholds(self, x: FloatArray, priors: Priors) -> Thresholds:
        """Return the thresholds of effective priors between 0 and 1."""
        return Thresholds.at(priors.log_odds - logit(inside(x, self.x_name)))


def read_grid(grid: object, default: FloatArray) -> FloatArray:
    """Read points of an axis, in rising order."""
    if grid is None:
        return default
    x = np.atleast_1d(read_array(grid, "grid"))
    if x.ndim != 1 or not x.size or not (np.diff(x) > 0).all():
        raise InputError("grid", "must be a list of rising numbers", repr(grid))
    return x


def inside(x: FloatArray, name: str) -> FloatArray:
    """Refuse probabilities that are not between 0 and 1, or are either."""
    bad = ~((x > 0) & (x < 1))
    if bad.any():
        rule = "must lie between 0 and 1, and be neither"
        raise InputError(name, rule, f"{np.asarray(x)[bad][0]:g}")
    return x


def finite_odds(x: FloatArray) -> FloatArray:
    """Refuse log odds so large that one of the two probabilities is lost."""
    bad = ~(np.abs(x) <= MOST_LOG_ODDS)
    if bad.any():
        rule = f"must hold log odds between -{MOST_LOG_ODDS:g} and {MOST_LOG_ODDS:g}"
        raise InputError("grid", rule, f"{x[bad][0]:g}")
    return x
