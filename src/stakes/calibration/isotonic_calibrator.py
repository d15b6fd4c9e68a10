"""The best rising map of two classes' scores, a step function."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stakes._check import read_names, read_number, read_priors
from stakes._kernels.keys import score_blocks
from stakes._math import log
from stakes._text import number, plain
from stakes._typing import Column, FloatArray, IntArray, Names, NamesLike, PriorsLike
from stakes.calibration.calibrators import Calibrator
from stakes.calibration.floor import Floor
from stakes.calibration.maps import CalibrationMap, FittedMap, log_odds
from stakes.samples import plain_arrays, plain_names
from stakes.scores import Logits, Posteriors, Scores
from stakes.statistics import ScoreLevels

__all__ = ["IsotonicCalibrator"]


@dataclass(frozen=True, eq=False)
class StepMap(CalibrationMap):
    """Posteriors of the second class on blocks of log odds, straight lines between blocks."""

    low: FloatArray  # log odds where each block begins
    high: FloatArray  # and ends
    first: FloatArray  # weight of the first class in each block
    second: FloatArray

    kind = "isotonic"

    def text(self, names: Names) -> str:
        share = self.second / (self.first + self.second)
        ends = f"{number(float(share[0]))} to {number(float(share[-1]))}"
        return f"{share.size} steps of the posterior of {plain(names[-1])}, {ends}"

    def __call__(self, log_p: FloatArray) -> FloatArray:
        odds = log_odds(log_p)
        last = self.low.size - 1
        block = np.clip(np.searchsorted(self.low, odds, side="right") - 1, 0, last)
        after = np.minimum(block + 1, last)
        with np.errstate(invalid="ignore", divide="ignore"):
            way = (odds - self.high[block]) / (self.low[after] - self.high[block])
        between = (odds > self.high[block]) & (after > block) & np.isfinite(way)
        way = np.where(between, way, 0.0)
        total = self.first + self.second
        one, two = self.first / total, self.second / total
        columns = [(1 - way) * part[block] + way * part[after] for part in (one, two)]
        return log(np.column_stack(columns))


@dataclass(eq=False)
class IsotonicCalibrator(Calibrator):
    """Isotonic regression of two classes' scores, by pool-adjacent-violators.

    A block without an event counts as half an event in one sample more, so no posterior is 0 or 1.
    With `mix=0` it is the isotonic regression itself: on the data it is fitted on, the best
    monotone map for every scoring rule at once; on other data its cross-entropy may be infinite.

    Parameters
    ----------
    mix : float, optional
        Number of samples at the priors that are added to each block instead, at least 0.

    See Also
    --------
    AffineCalibrator : needs fewer samples.
    decompose : what it recovers on the data it is fitted on.
    choose_calibrator : which one to use.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> raw, rule = data.posteriors([0.5, 0.5]), stakes.BrierLoss()
    >>> stage = stakes.IsotonicCalibrator(mix=1)
    >>> found = stakes.calibration_loss(rule, data.y, raw, calibrator=stage)
    >>> found.relative > 0.3  # more than a third of the loss: calibrate
    True
    """

    mix: float | None = None

    name = "isotonic"
    learns = "the best monotone map"
    use = "there are thousands of samples"
    two_classes = True
    counted = "mix"

    def __post_init__(self) -> None:
        if self.mix is not None:
            self.mix = read_number(self.mix, "mix", 0, math.inf, closed=(True, False))

    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> CalibrationMap:
        """Return the blocks and their class weights.

        Parameters
        ----------
        log_p : array of shape (N, K)
            Log posteriors.
        y : array of N ints
            The index of each sample's class.
        weights : array of N floats
            How much each sample counts; they sum to 1.
        """
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

        The scores are pooled as they are, since log odds rise with them. None if rounding makes the
        log odds of two blocks equal, or if the kernel reports an error.

        Parameters
        ----------
        scores : scores or column
            One column of posteriors or log odds.
        y_true : column of N labels
            The true class of each sample.
        priors : float, array, mapping by class, "data" or None
            As in `fit`.
        classes : sequence of names, or None
            As in `fit`.
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
        low, high = (
            log_odds(kind.trusted(end).answers(None).log_p) for end in (blocks.low, blocks.high)
        )
        if not totals.all() or not (high[:-1] < low[1:]).all():
            return None
        floor = Floor.from_scores(kind.trusted(np.array(blocks.limits)))
        if floor.active or np.isinf([low[0], high[-1]]).any():
            return None
        n = totals.sum()
        each = used / totals
        first, second = blocks.first * (each[0] * n), blocks.second * (each[1] * n)
        fitted = self._steps(low, high, first, second)
        return FittedMap(fitted, names, kind.meaning, used, floor)

    def _steps(
        self, low: FloatArray, high: FloatArray, first: FloatArray, second: FloatArray
    ) -> StepMap:
        """Return the map of blocks and their class weights, with samples of the priors mixed in."""
        if self.mix is None:
            first, second = _with_halves(first, second, self._event)
            second, first = (x[::-1] for x in _with_halves(second[::-1], first[::-1], self._event))
        elif self.mix:
            prior = second.sum() / (first.sum() + second.sum())
            first, second = first + self.mix * (1 - prior), second + self.mix * prior
        return StepMap(low, high, first, second)


def _with_halves(
    first: FloatArray, second: FloatArray, event: float
) -> tuple[FloatArray, FloatArray]:
    """Return class weights of blocks, with half an event in a first block that has none.

    Its share is at most that of the next block, so the map still rises.
    """
    if second[0] > 0 or not second.any():
        return first, second
    first, second = first.copy(), second.copy()
    total = first[0] + event
    share = event / 2 / total
    if second.size > 1:
        share = min(share, second[1] / (first[1] + second[1]))
    first[0], second[0] = total * (1 - share), total * share
    return first, second


def class_weights(y: IntArray, weights: FloatArray) -> FloatArray | None:
    """Return the weight of the samples of either class, where they are alike within a class."""
    each = np.array([weights[int((y == k).argmax())] for k in (0, 1)])
    return each if bool((weights == each[y]).all()) else None
