"""Dialects: the axes on which each field draws the expected cost of Bayes decisions."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

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
    def from_probabilities(cls, theta: FloatArray) -> "Thresholds":
        """Return thresholds given as probabilities."""
        return cls(logit(theta), theta, 1 - theta)

    @classmethod
    def from_log_odds(cls, log_odds: FloatArray) -> "Thresholds":
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


def _at_use(
    priors: Priors, alarm: FloatArray, miss: FloatArray, offsets: tuple[float, float] = (0.0, 0.0)
) -> Prices:
    costs = np.column_stack([alarm, miss])
    return Prices(
        np.broadcast_to(priors.values, costs.shape), costs, np.array(offsets), priors.from_data
    )


def _plain_prices(at: Thresholds, priors: Priors) -> Prices:
    """Return costs that sum to 1: a false alarm costs the threshold, a miss its complement."""
    return _at_use(priors, at.value, at.complement)


def _effective_prices(at: Thresholds, priors: Priors) -> Prices:
    """Return the effective priors, at which every error costs 1.

    They hold priors and costs alike: their log odds are the prior log odds less the log odds of
    the threshold.
    """
    margin = at.log_odds - priors.log_odds
    effective = np.column_stack([sigmoid(margin), sigmoid(-margin)])
    return Prices(effective, np.ones_like(effective), np.zeros(2), from_data=False)


def _benefit_prices(at: Thresholds, priors: Priors) -> Prices:
    """Return costs in units of a true positive, which is what the second class can earn."""
    return _at_use(priors, at.value / at.complement, np.ones(at.value.size), (0.0, -1.0))


def _avoided_prices(at: Thresholds, priors: Priors) -> Prices:
    """Return costs in units of one intervention among a hundred people."""
    misses = 100 * at.complement / at.value
    return _at_use(priors, np.full(at.value.size, 100.0), misses, (-100.0, 0.0))


@dataclass(frozen=True, eq=False)
class Dialect:
    """The axes of one field: which threshold each x is, what decisions cost there, and y of it.

    `x_is` says what x stands for: the threshold itself, an effective prior, or its log odds.
    `turn` makes y of the loss, normalised or not as the dialect is.
    """

    name: str
    x_name: str
    x_label: str
    y_label: str
    prices: Callable[[Thresholds, Priors], Prices] = _plain_prices
    x_is: Literal["threshold", "prior", "log odds"] = "threshold"
    better: Direction = "lower"
    normalized: bool = False
    grid: FloatArray = field(default_factory=lambda: PERCENT)
    turn: Callable[[FloatArray], FloatArray] = lambda loss: loss
    treats: bool = False  # beside treating everyone and no one, not the naive system

    def thresholds(self, x: FloatArray, priors: Priors) -> Thresholds:
        """Return the threshold of the posterior that each x stands for."""
        if self.x_is == "threshold":
            return Thresholds.from_probabilities(inside(x, self.x_name))
        odds = logit(inside(x, self.x_name)) if self.x_is == "prior" else finite_odds(x)
        return Thresholds.from_log_odds(priors.log_odds - odds)

    def y(self, prices: Prices, rates: Rates) -> FloatArray:
        """Return y at these error rates."""
        loss = prices.expected(rates)
        return self.turn(loss / prices.naive if self.normalized else loss)

    def references(self, prices: Prices) -> dict[str, FloatArray]:
        """Return y of systems that see no input."""
        if not self.treats:
            return {"naive": self.y(prices, prices.constant)}
        none, every = np.zeros(len(prices.costs)), np.ones(len(prices.costs))
        return {
            "treat_all": self.y(prices, (every, none)),
            "treat_none": self.y(prices, (none, every)),
        }


# Expected cost over the threshold: the mean elementary score of weather forecasts.
MURPHY = Dialect(
    "Murphy diagram",
    "threshold",
    "threshold t (cost of a false alarm t, of a miss 1 − t)",
    "expected cost",
)
NORMALIZED_MURPHY = replace(
    MURPHY, name="normalised expected cost", y_label="normalised expected cost", normalized=True
)
# One minus the normalised expected cost.
RELATIVE_VALUE = Dialect(
    "relative economic value",
    "cost_loss_ratio",
    "cost/loss ratio",
    "relative economic value",
    better="higher",
    normalized=True,
    turn=lambda loss: 1 - loss,
)
# Net benefit: P_2 R_22 less odds times P_1 R_12.
DECISION_CURVE = Dialect(
    "decision curve",
    "threshold",
    "threshold probability",
    "net benefit",
    _benefit_prices,
    better="higher",
    turn=lambda loss: 0 - loss,  # and not -loss, which makes a 0 negative
    treats=True,
)
# Interventions avoided against treating everyone, net of missed cases.
INTERVENTIONS_AVOIDED = replace(
    DECISION_CURVE,
    name="net interventions avoided",
    y_label="net interventions avoided per 100",
    prices=_avoided_prices,
)
APPLIED_ERROR_RATE = Dialect(
    "applied probability of error",
    "prior_log_odds",
    "log odds of the effective prior",
    "error rate",
    _effective_prices,
    "log odds",
    grid=LOG_ODDS,
)
NORMALIZED_BAYES_ERROR = replace(
    APPLIED_ERROR_RATE,
    name="normalised Bayes error",
    y_label="normalised expected cost",
    normalized=True,
)
# Normalised expected cost of Drummond and Holte.
COST_CURVE = Dialect(
    "cost curve",
    "effective_prior",
    "effective prior, PC(+)",
    "error rate at the effective prior",
    _effective_prices,
    "prior",
)


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
