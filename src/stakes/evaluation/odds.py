"""Which system is best at which odds: where the ranking of two-class systems flips."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.results import json_number
from stakes.samples import Samples

_REACH, _STEPS = 7.0, 1401  # log odds from -7 to 7, in steps of a hundredth
_ROUNDING = 1e-9  # normalised costs that differ by less are equal


@dataclass(frozen=True, eq=False)
class OddsRange:
    """Odds c12 P1 / (c21 P2) over which one system costs least, with Bayes decisions."""

    low: float
    high: float
    system: str
    told_apart: bool  # from the second best, at the middle of the range

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        low, high = json_number(self.low), json_number(self.high)
        return {"low": low, "high": high, "system": self.system, "told_apart": self.told_apart}


def best_by_odds(
    systems: Mapping[str, Samples], level: float, unit: IntArray | None = None
) -> tuple[OddsRange, ...]:
    """Return which system costs least at which odds; empty for other than two classes.

    The odds say how much dearer false alarms are in sum than misses. Posteriors are taken to be at
    the priors of the samples, so that the log odds to decide at are those of the likelihood ratio.
    """
    samples = list(systems.values())
    counts = [np.bincount(s.y, minlength=2) for s in samples]
    if len(samples[0].classes) != 2 or not all(c.all() and c.size == 2 for c in counts):
        return ()
    if any((s.priors == 0).any() for s in samples):
        return ()
    grid = np.linspace(-_REACH, _REACH, _STEPS)
    costs = np.stack([_normalised_costs(s, grid) for s in samples])
    best = (costs <= costs.min(axis=0) + _ROUNDING).argmax(axis=0)  # of equals the first
    names = list(systems)
    edges = np.flatnonzero(best[1:] != best[:-1]) + 1
    starts, ends = np.concatenate([[0], edges]), np.concatenate([edges, [grid.size]])
    out = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        low = 0.0 if start == 0 else math.exp((grid[start - 1] + grid[start]) / 2)
        high = math.inf if end == grid.size else math.exp((grid[end - 1] + grid[end]) / 2)
        winner = int(best[start])
        middle = grid[(start + end - 1) // 2]
        out.append(OddsRange(low, high, names[winner], _sure(samples, winner, middle, level, unit)))
    return tuple(out)


def _log_ratio(samples: Samples) -> FloatArray:
    """Return the log likelihood ratio that the posteriors amount to."""
    p = samples.priors
    log_p = samples.scores.answers(p).log_p
    with np.errstate(invalid="ignore"):
        return log_p[:, 1] - log_p[:, 0] - math.log(p[1] / p[0])


def _weights(samples: Samples, k: int) -> FloatArray:
    """Return the weights of a class, which sum to 1."""
    mine = samples.y == k
    w = np.ones(int(mine.sum())) if samples.weights is None else samples.weights[mine]
    return np.asarray(w / w.sum(), dtype=np.float64)


def _normalised_costs(samples: Samples, grid: FloatArray) -> FloatArray:
    """Return the normalised cost of Bayes decisions at some log odds."""
    ratio = _log_ratio(samples)
    rates = []
    for k in (0, 1):
        order = np.argsort(ratio[samples.y == k])
        below = np.concatenate([[0.0], np.cumsum(_weights(samples, k)[order])])
        at = np.searchsorted(ratio[samples.y == k][order], grid, side="right")
        rates.append(below[at])
    alarm, miss = 1 - rates[0], rates[1]
    odds = np.exp(grid)
    return np.asarray((odds * alarm + miss) / np.minimum(odds, 1), dtype=np.float64)


def _sure(
    samples: list[Samples], winner: int, log_odds: float, level: float, unit: IntArray | None
) -> bool:
    """Whether the best system is told apart from each other one at some odds."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    lost = [_losses(s, log_odds) for s in samples]
    for i, other in enumerate(lost):
        if i == winner:
            continue
        value, part = 0.0, np.zeros(other.size)
        for k in (0, 1):
            mine = samples[0].y == k
            gap, w = (other - lost[winner])[mine], _weights(samples[0], k)
            mean = float(w @ gap)
            value += mean
            part[mine] = w * (gap - mean)
        shared = part if unit is None else np.bincount(unit, part)  # groups vary as one
        if not value > z * math.sqrt(float(shared @ shared)):
            return False
    return True


def _losses(samples: Samples, log_odds: float) -> FloatArray:
    """Return what each sample costs: the odds for a false alarm, 1 for a miss."""
    decided = _log_ratio(samples) > log_odds
    alarm = (samples.y == 0) & decided
    miss = (samples.y == 1) & ~decided
    return alarm * math.exp(log_odds) + miss * 1.0
