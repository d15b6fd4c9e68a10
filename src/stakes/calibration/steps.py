"""Calibrators that are step functions: isotonic, histogram, and a tuned threshold."""

__all__ = ["HistogramCalibrator", "IsotonicCalibrator", "ThresholdCalibrator"]

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from stakes._check import InputError, read_names, read_number, read_priors
from stakes._kernels.kernel_records import Blocks
from stakes._kernels.keys import score_blocks
from stakes._typing import Column, FloatArray, IntArray, NamesLike, PriorsLike
from stakes.calibration.base import Calibrator
from stakes.calibration.fitted import FittedMap
from stakes.calibration.maps import CalibrationMap, HistogramMap, ShiftMap, StepMap, log_odds
from stakes.costs import CostMatrix
from stakes.samples import Samples, plain_arrays, plain_names
from stakes.scores import Logits, Posteriors, Scores
from stakes.statistics import ScoreLevels
from stakes.statistics.bins import equal_mass, equal_width

_FARTHEST = 1e6  # log odds; beyond it a threshold may lie anywhere


def _require_two(log_p: FloatArray, name: str) -> None:
    """Refuse more than two classes."""
    if log_p.shape[1] != 2:
        raise InputError(name, "needs two classes", log_p.shape[1])


@dataclass(eq=False)
class IsotonicCalibrator(Calibrator):
    """The best rising map of two classes' scores, by pool-adjacent-violators.

    On the data it is fitted on it is the best of all rising maps for every scoring rule at once;
    on other data it may be too sure. `mix` adds that many samples of the priors to each block, so
    that no posterior of 0 or 1 arises.
    """

    mix: float = 0.0

    name = "isotonic"

    def __post_init__(self) -> None:
        self.mix = read_number(self.mix, "mix", 0, math.inf, closed=(True, False))

    def fit_samples(self, samples: Samples) -> Self:
        """Learn from samples that were checked."""
        if samples.copies is None or not self.mix:
            return super().fit_samples(samples)
        scaled = self.fresh()
        scaled.mix *= len(samples) / samples.n  # what is learnt counts rows as samples
        return self._fitted_on(samples, Calibrator.fit_samples(scaled, samples).fitted)

    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> CalibrationMap:
        """Return the blocks and their class weights."""
        _require_two(log_p, type(self).__name__)
        each = class_weights(y, weights)
        levels = ScoreLevels.from_scores(
            log_odds(log_p), y, weights * y.size if each is None else None
        )
        starts = levels.blocks()  # a weight for each class changes none of them
        scale = (1.0, 1.0) if each is None else each * y.size
        first, second = (
            np.add.reduceat(part, starts[:-1]).astype(np.float64) * factor
            for part, factor in zip((levels.first, levels.second), scale, strict=True)
        )
        low, high = levels.level[starts[:-1]], levels.level[starts[1:] - 1]
        return self._steps(low, high, first, second)

    def learn_plain(
        self,
        scores: Scores | Column,
        y_true: Column,
        priors: PriorsLike | None,
        classes: NamesLike | None,
    ) -> FittedMap | None:
        """Return the fit to one column of posteriors or log odds.

        The scores are pooled as they are, since log odds rise with them; None where rounding makes
        the log odds of two blocks the same, or where the kernel finds fault.
        """
        kind = type(scores) if isinstance(scores, Scores) else Posteriors
        arrays = plain_arrays(y_true, scores.values if isinstance(scores, Scores) else scores)
        if arrays is None or kind not in (Posteriors, Logits):
            return None
        y, values = arrays
        try:
            blocks = score_blocks(values, y)
            names = plain_names(y) if classes is None else read_names(classes, "classes")
            given = read_priors(priors, names)
        except ValueError:
            return None
        inside = isinstance(scores, Scores) or 0 <= blocks.limits[0] <= blocks.limits[1] <= 1
        if names != (0, 1) or not inside:
            return None
        totals = np.array([blocks.first.sum(), blocks.second.sum()], dtype=np.float64)
        used = totals / totals.sum() if given is None else given
        fitted = self._of_blocks(blocks, totals, kind, used)
        return None if fitted is None else FittedMap(fitted, names, kind.meaning, used)

    def _of_blocks(
        self, blocks: Blocks, totals: FloatArray, kind: type[Scores], priors: FloatArray
    ) -> CalibrationMap | None:
        """Return the map of blocks of scores, where their log odds are apart and classes two."""
        low, high = (
            log_odds(kind.trusted(end).answers(None).log_p) for end in (blocks.low, blocks.high)
        )
        if not totals.all() or not (high[:-1] < low[1:]).all():
            return None
        n = totals.sum()
        each = priors / totals
        first, second = blocks.first * (each[0] * n), blocks.second * (each[1] * n)
        return self._steps(low, high, first, second)

    def _steps(
        self, low: FloatArray, high: FloatArray, first: FloatArray, second: FloatArray
    ) -> StepMap:
        """Return the map of blocks and their class weights, with samples of the priors mixed in."""
        if self.mix:
            prior = second.sum() / (first.sum() + second.sum())
            first, second = first + self.mix * (1 - prior), second + self.mix * prior
        return StepMap(low, high, first, second)


def class_weights(y: IntArray, weights: FloatArray) -> FloatArray | None:
    """Return the weight of the samples of either class, where they are alike within a class."""
    each = np.array([weights[int((y == k).argmax())] for k in (0, 1)])
    return each if bool((weights == each[y]).all()) else None


@dataclass(eq=False)
class HistogramCalibrator(Calibrator):
    """The share of each class among the samples of a bin, class by class against the rest."""

    bins: int = 15
    equal_mass: bool = False

    name = "histogram"

    def __post_init__(self) -> None:
        whole = isinstance(self.bins, int | np.integer) and not isinstance(self.bins, bool)
        if not whole or self.bins < 1:
            raise InputError("bins", "must be a whole number of at least 1", repr(self.bins))

    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> CalibrationMap:
        """Return edges and shares; an empty bin keeps its middle."""
        p = np.exp(log_p)
        edges = [self._edges(p[:, k], weights) for k in range(p.shape[1])]
        width = max(e.size for e in edges)  # tied scores may leave fewer bins in one class
        padded = np.array([np.append(e, np.ones(width - e.size)) for e in edges])
        share = np.array(
            [
                _shares(p[:, k], (y == k).astype(float), weights, padded[k])
                for k in range(p.shape[1])
            ]
        )
        return HistogramMap(padded, share)

    def _edges(self, p: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the inner edges of the bins."""
        return equal_mass(p, weights, self.bins) if self.equal_mass else equal_width(self.bins)


def _shares(p: FloatArray, hit: FloatArray, weights: FloatArray, edges: FloatArray) -> FloatArray:
    """Return the share of hits in each bin."""
    n = edges.size + 1
    code = np.searchsorted(edges, p, side="right")
    total = np.bincount(code, weights=weights, minlength=n)
    hits = np.bincount(code, weights=weights * hit, minlength=n)
    ends = np.concatenate([[0.0], edges, [1.0]])
    middle = (ends[:-1] + ends[1:]) / 2
    return np.where(total > 0, np.divide(hits, total, out=np.zeros(n), where=total > 0), middle)


@dataclass(eq=False)
class ThresholdCalibrator(Calibrator):
    """Moves the log odds of two classes so that Bayes decisions use the best threshold.

    For one cost matrix, and nothing else: it tunes the threshold, not the probabilities.
    """

    costs: CostMatrix

    name = "threshold"

    def __post_init__(self) -> None:
        if not isinstance(self.costs, CostMatrix):
            self.costs = CostMatrix(self.costs)
        threshold = self.costs.threshold()  # says what is wrong with other cost matrices
        if not 0 < threshold < 1:
            msg = "ThresholdCalibrator needs two errors that cost something: one costs nothing."
            raise InputError(msg)

    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> CalibrationMap:
        """Return the shift; the threshold lies midway between the two scores it parts."""
        _require_two(log_p, type(self).__name__)
        levels = ScoreLevels.from_scores(log_odds(log_p), y, weights * y.size)
        false_alarm, miss = self.costs.values[0, 1], self.costs.values[1, 0]
        scale = np.ldexp(1.0, levels.exponent - levels.exponent.max())
        below = np.concatenate([[0.0], np.cumsum(levels.second)]) * miss * scale[1]
        above = (
            np.concatenate([np.cumsum(levels.first[::-1])[::-1], [0.0]]) * false_alarm * scale[0]
        )
        best = int((below + above).argmin())
        level = levels.level
        inner = np.clip(level, -_FARTHEST, _FARTHEST)  # so that certain answers have a middle too
        ends = np.concatenate([[inner[0] - 1], inner, [inner[-1] + 1]])
        threshold = float((ends[best] + ends[best + 1]) / 2)
        bayes = math.log(self.costs.threshold() / (1 - self.costs.threshold()))
        return ShiftMap(bayes - threshold)
