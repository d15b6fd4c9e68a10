"""Populations whose values are known: two normal classes, by quadrature; scores of few values."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import expit, logit, ndtr, ndtri

from stakes._typing import FloatArray, IntArray

DISTANCE = 2.0  # between the means of two classes of variance 1
SPECIFICITY = 0.9  # at which the sensitivity is asked for
_POINTS, _WEIGHTS = hermegauss(200)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def _mean(values: FloatArray) -> float:
    """Return the mean over a standard normal variable, from its values at the points."""
    return float(_WEIGHTS @ values)


@dataclass(frozen=True)
class Gaussians:
    """Two normal classes in some share, and log odds that are multiplied by a scale."""

    share: float
    scale: float = 1.0

    @property
    def prior_odds(self) -> float:
        """Log odds of the second class."""
        return math.log(self.share / (1 - self.share))

    @property
    def priors(self) -> FloatArray:
        """Shares of both classes."""
        return np.array([1 - self.share, self.share])

    def labels(self, n: int, rng: np.random.Generator, *, fixed: bool) -> IntArray:
        """Return class codes, their numbers fixed or random."""
        if fixed:
            return np.repeat([0, 1], [n - round(n * self.share), round(n * self.share)])
        return (rng.random(n) < self.share).astype(np.int64)

    def log_odds(self, x: FloatArray) -> FloatArray:
        """Return the system's log odds of the second class."""
        return self.scale * (DISTANCE * x - DISTANCE**2 / 2 + self.prior_odds)

    def ratios(self, x: FloatArray) -> FloatArray:
        """Return the system's log likelihood ratios."""
        return self.scale * (DISTANCE * x - DISTANCE**2 / 2)

    def calibrated(self) -> "Gaussians":
        """Return the same classes with log odds as they should be."""
        return Gaussians(self.share)

    def rates(self, threshold: float) -> tuple[float, float]:
        """Return false alarm and miss rate where the log odds exceed a threshold."""
        x = ((threshold / self.scale) - self.prior_odds + DISTANCE**2 / 2) / DISTANCE
        return float(ndtr(-x)), float(ndtr(x - DISTANCE))

    def nec(self, miss: float, alarm: float = 1.0) -> float:
        """Return the normalised cost of Bayes decisions."""
        return self.normalized(self.rates(math.log(alarm / miss)), miss, alarm)

    def normalized(self, rates: tuple[float, float], miss: float, alarm: float = 1.0) -> float:
        """Return the normalised cost of two error rates."""
        alarms, misses = (1 - self.share) * alarm, self.share * miss
        return (alarms * rates[0] + misses * rates[1]) / min(alarms, misses)

    def cross_entropy(self) -> float:
        """Return the normalised cross-entropy."""
        first, second = (self.log_odds(_POINTS + DISTANCE * k) for k in (0, 1))
        value = (1 - self.share) * _mean(np.logaddexp(0, first))
        value += self.share * _mean(np.logaddexp(0, -second))
        p = self.priors
        return value / float(-(p * np.log(p)).sum())

    def brier(self) -> float:
        """Return the normalised Brier score."""
        first, second = (1 / (1 + np.exp(-self.log_odds(_POINTS + DISTANCE * k))) for k in (0, 1))
        value = (1 - self.share) * _mean(first**2) + self.share * _mean((1 - second) ** 2)
        return value / (self.share * (1 - self.share))

    def cllr(self) -> float:
        """Return the cost of the log likelihood ratios, in bits."""
        first, second = (self.ratios(_POINTS + DISTANCE * k) for k in (0, 1))
        both = _mean(np.logaddexp(0, first)) + _mean(np.logaddexp(0, -second))
        return both / (2 * math.log(2))

    def truths(self, costs: dict[str, float]) -> dict[str, float]:
        """Return every metric of `evaluate`, for applications by what a miss costs."""
        best = self.calibrated()
        out = {
            "cross_entropy.normalized": self.cross_entropy(),
            "cross_entropy.calibrated_normalized": best.cross_entropy(),
            "cross_entropy.calibration_loss": self.cross_entropy() - best.cross_entropy(),
            "cross_entropy.relative": 1 - best.cross_entropy() / self.cross_entropy(),
            "brier_score.normalized": self.brier(),
            "brier_score.calibration_loss": self.brier() - best.brier(),
            "auc": float(ndtr(DISTANCE / math.sqrt(2))),
            "eer": float(ndtr(-DISTANCE / 2)),
            "sensitivity at fixed specificity": float(ndtr(DISTANCE - ndtri(SPECIFICITY))),
            "calibration slope": 1 / self.scale,
            "cllr": self.cllr(),
            "minimum_cllr": best.cllr(),
        }
        for name, miss in costs.items():
            out[f"{name}.nec"] = self.nec(miss)
            out[f"{name}.minimum_nec"] = best.nec(miss)
            out[f"{name}.calibrated_nec"] = best.nec(miss)
            out[f"{name}.calibration_loss"] = self.nec(miss) - best.nec(miss)
            out[f"{name}.relative"] = 1 - best.nec(miss) / self.nec(miss)
            out |= {f"{name}.{k}": v for k, v in self._decisions(miss).items()}
        return out

    def _decisions(self, miss: float) -> dict[str, float]:
        """Return the traditional metrics of Bayes decisions."""
        alarms, misses = self.rates(-math.log(miss))
        p = self.share
        tp, fn, fp, tn = p * (1 - misses), p * misses, (1 - p) * alarms, (1 - p) * (1 - alarms)
        margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        return {
            "accuracy": tp + tn,
            "balanced_accuracy": 1 - (alarms + misses) / 2,
            "sensitivity": 1 - misses,
            "specificity": 1 - alarms,
            "precision": tp / (tp + fp),
            "f1_score": 2 * tp / (2 * tp + fp + fn),
            "matthews_correlation": (tp * tn - fp * fn) / math.sqrt(margins),
        }


@dataclass(frozen=True)
class FewValues:
    """Calibrated log odds of few values around those of the prior, each as likely as the others."""

    share: float
    values: int = 5

    @property
    def log_odds(self) -> FloatArray:
        """The values."""
        return np.linspace(-2.5, 2.5, self.values) + logit(self.share)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
        """Return class codes, their numbers random, and log odds."""
        scores = rng.choice(self.log_odds, n)
        return (rng.random(n) < expit(scores)).astype(np.int64), scores

    def truths(self) -> dict[str, float]:
        """Return the metrics that follow from the order of scores, by sums over the values."""
        second = expit(self.log_odds)
        first, second = (1 - second) / (1 - second).sum(), second / second.sum()
        alarms = 1 - np.concatenate([[0.0], np.cumsum(first)])
        misses = np.concatenate([[0.0], np.cumsum(second)])
        after = int(np.argmax(misses >= alarms))  # the curve of calibrated scores is its own hull
        (a, m), (b, n) = ((alarms[i], misses[i]) for i in (after - 1, after))
        return {
            "auc": float(second @ (np.cumsum(first) - first / 2)),
            "eer": float((a * n - m * b) / (a - m + n - b)),
            "sensitivity at fixed specificity": float(1 - misses[alarms <= 1 - SPECIFICITY].min()),
        }


@dataclass(frozen=True)
class Payments:
    """Frauds among payments of log-normal amounts: a review costs 3, a missed fraud its amount."""

    classes: Gaussians
    spread: float  # standard deviation of the log amount
    mean: float = 50.0
    review: float = 3.0

    def amounts(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return amounts."""
        return self._amounts(rng.standard_normal(n))

    def _amounts(self, z: FloatArray) -> FloatArray:
        return np.asarray(self.mean * np.exp(self.spread * z - self.spread**2 / 2))

    def nec(self) -> float:
        """Return the normalised cost of Bayes decisions."""
        amounts, p = self._amounts(_POINTS), self.classes.share
        both = np.array([self.classes.rates(math.log(self.review / a)) for a in amounts])
        cost = (1 - p) * self.review * both[:, 0] + p * amounts * both[:, 1]
        return _mean(cost) / min(p * self.mean, (1 - p) * self.review)


@dataclass(frozen=True)
class Ranking:
    """Two normal classes that a system ranks; ties, weights, groups or labels as a design says.

    `levels` are the scores between which no threshold lies. Of `labelled` samples all those above
    2 have a label, and this share of the others, with weights. In groups, sizes are Pareto's or
    equal, half of the variance is by group, and groups may be of one class.
    """

    n: int  # samples, or groups
    share: float
    distance: float
    levels: tuple[float, ...] = ()
    fixed: bool = False
    weights: str = ""  # "log-normal" or "Pareto"
    labelled: float = 1.0
    groups: str = ""  # "Pareto", "equal", or "Pareto, of one class"

    def draw(
        self, rng: np.random.Generator
    ) -> tuple[IntArray, FloatArray, FloatArray | None, IntArray | None]:
        """Return class codes, scores, weights and groups."""
        if self.groups:
            return self._grouped(rng)
        n, share = self.n, self.share
        second = round(n * share)
        y = np.repeat([0, 1], [n - second, second]) if self.fixed else rng.random(n) < share
        x = rng.standard_normal(n) + self.distance * y
        weights = None
        if self.weights:
            draws = {"log-normal": rng.lognormal(0, 1, n), "Pareto": rng.pareto(1.5, n) + 1}
            weights = draws[self.weights]
        if self.labelled < 1:
            alarm = x > 2
            seen = alarm | (rng.random(n) < self.labelled)
            y, x, weights = y[seen], x[seen], np.where(alarm, 1.0, 1 / self.labelled)[seen]
        scores = np.searchsorted(self.levels, x).astype(np.float64) if self.levels else x
        return y.astype(np.int64), scores, weights, None

    def _grouped(
        self, rng: np.random.Generator
    ) -> tuple[IntArray, FloatArray, FloatArray | None, IntArray | None]:
        n = self.n
        sizes = np.full(n, 20)
        if self.groups != "equal":
            sizes = np.ceil(5 * (rng.pareto(1.5, n) + 1)).astype(np.int64).clip(max=400)
        unit = np.repeat(np.arange(n), sizes)
        one = "one class" in self.groups
        chance = rng.random(n)[unit] if one else rng.random(unit.size)
        y = (chance < self.share).astype(np.int64)
        noise = rng.standard_normal(n)[unit] + rng.standard_normal(unit.size)
        return y, math.sqrt(0.5) * noise + self.distance * y, None, unit

    def auc(self) -> float:
        """Return the area of the population."""
        if not self.levels:
            return float(ndtr(self.distance / math.sqrt(2)))
        below = ndtr(np.subtract.outer([0.0, self.distance], self.levels) * -1)
        first, second = np.diff(below, axis=1, prepend=0, append=1)
        return float(second @ (np.cumsum(first) - first / 2))


RANKINGS = {
    "2 scores, 10 % alarms": Ranking(100, 0.1, 1.0, (1.5,)),
    "2 scores that know nothing": Ranking(100, 0.1, 0.0, (1.28,)),
    "2 scores, good": Ranking(100, 0.1, 2.0, (1.0,)),
    "3 scores": Ranking(100, 0.1, 1.0, (1.0, 2.0)),
    "5 scores": Ranking(100, 0.1, 1.0, (-1.0, 0.0, 1.0, 2.0)),
    "2 scores, 90 and 10 samples": Ranking(100, 0.1, 1.0, (1.5,), fixed=True),
    "40 samples, 50 %": Ranking(40, 0.5, 1.5),
    "100 samples, 30 %": Ranking(100, 0.3, 1.5),
    "1000 samples, 10 %": Ranking(1000, 0.1, 1.5),
    "1 of 200": Ranking(200, 0.005, 1.5, fixed=True),
    "3 of 200": Ranking(200, 0.015, 1.5, fixed=True),
    "10 of 200": Ranking(200, 0.05, 1.5, fixed=True),
    "30 of 200, nearly perfect": Ranking(200, 0.15, 4.0, fixed=True),
    "500 of 1000, nearly perfect": Ranking(1000, 0.5, 4.0, fixed=True),
    "12 groups": Ranking(12, 0.3, 1.5, groups="equal"),
    "12 Pareto groups": Ranking(12, 0.3, 1.5, groups="Pareto"),
    "40 Pareto groups": Ranking(40, 0.3, 1.5, groups="Pareto"),
    "40 Pareto groups, 5 %": Ranking(40, 0.05, 1.5, groups="Pareto"),
    "40 Pareto groups of one class": Ranking(40, 0.3, 1.5, groups="Pareto, of one class"),
    "all alarms and 5 % of the rest": Ranking(10_000, 0.02, 2.0, labelled=0.05),
    "all alarms and 2 % of the rest": Ranking(10_000, 0.02, 2.0, labelled=0.02),
    "all alarms and 1 % of the rest": Ranking(10_000, 0.02, 2.0, labelled=0.01),
    "log-normal weights": Ranking(200, 0.3, 1.5, weights="log-normal"),
    "log-normal weights, 10 %": Ranking(200, 0.1, 1.5, weights="log-normal"),
    "Pareto weights": Ranking(200, 0.3, 1.5, weights="Pareto"),
}
