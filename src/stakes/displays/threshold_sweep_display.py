"""Metrics as a function of the decision threshold: the paper's figure, for any metrics."""

from __future__ import annotations

__all__ = ["ThresholdSweepDisplay"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from stakes.curves import ThresholdSweep, threshold_sweep
from stakes.displays.figures import Axes, Frame, ScoreDisplay
from stakes.displays.looks import (
    BAYES,
    BEST,
    BLACK,
    REFERENCE,
    SYSTEM,
    class_of,
    digits,
    next_look,
    note,
    shown,
    thinned,
)

_HIGHEST = 2.5  # marked values above it are told, not drawn: all others would be flat


@dataclass(eq=False, repr=False)
class ThresholdSweepDisplay(ScoreDisplay):
    """Metrics over thresholds, with dots at the best and triangles at the Bayes thresholds.

    Parameters
    ----------
    sweep : ThresholdSweep
    labels : mapping from name to str, optional
        Labels to show instead of the names of metrics.

    See Also
    --------
    threshold_sweep : the numbers.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> display = stakes.ThresholdSweepDisplay.from_predictions(
    ...     data.y,
    ...     data.posteriors([0.9, 0.1]),
    ...     metrics=[stakes.metrics.FScore()],
    ...     costs=stakes.CostMatrix.binary(miss=5, false_alarm=1),
    ... )
    >>> list(display.frame())
    ['threshold', 'normalised cost', 'F1 score']
    """

    sweep: ThresholdSweep
    labels: Mapping[str, str] = field(default_factory=dict)

    title = "metrics at every threshold, with the best and the Bayes threshold"
    size: ClassVar[tuple[float, float]] = (4.6, 3.4)
    compute = threshold_sweep  # thresholds are of the kind the scores are

    def frame(self) -> Frame:
        """Return each metric at every threshold."""
        swept = {metric.name: metric.values for metric in self.sweep.metrics}
        return {"threshold": self.sweep.thresholds, **swept}

    def _draw(self, axes: Axes) -> None:
        left, right = self._range()
        for metric in self.sweep.metrics:
            x, look = np.clip(self.sweep.thresholds, left, right), next_look(axes)
            kept = thinned(x, metric.values)
            line = {**look.line, "drawstyle": "steps-post", "linewidth": 1.6}  # up to the next
            label = self._label(self.labels.get(metric.name, shown(metric.name)))
            axes.plot(x[kept], metric.values[kept], label=label, gid=SYSTEM, **line)
            for point, marks in ((metric.best, BEST), (metric.bayes, BAYES)):
                if point is not None:
                    axes.plot(*point, color=look.colour, zorder=3, **marks)
        if any(metric.naive is not None for metric in self.sweep.metrics):
            axes.axhline(1, label="naive cost", **REFERENCE)
        axes.plot([], [], color=BLACK, label="best threshold", **BEST)
        if any(metric.bayes is not None for metric in self.sweep.metrics):
            axes.plot([], [], color=BLACK, label="Bayes threshold", **BAYES)
        scale, last = self.sweep.scale, class_of(self.sweep.classes[-1])
        ways = {metric.better for metric in self.sweep.metrics}
        axes.set(
            xlabel=f"threshold on the {scale} of {last}",
            ylabel=f"metric ({ways.pop()} is better)" if len(ways) == 1 else "metric",
            xlim=(left, right),
            ylim=(0, self._top()),
        )
        outside = [
            f"{what}: {'below' if x < left else 'above'} all scores"
            for what, (x, _) in self._marked()
            if not left <= x <= right
        ]
        above = [
            f"{what}: {digits(y)}, above the picture"
            for what, (_, y) in self._marked()
            if y > self._top()
        ]
        note(axes, [*outside, *above])

    def _range(self) -> tuple[float, float]:
        """Return the thresholds to show: where most scores are, with the marked ones."""
        if self.sweep.scale == "posterior":
            return 0.0, 1.0
        thresholds = self.sweep.thresholds
        finite = np.isfinite(thresholds)
        if not finite.any():
            return -1.0, 1.0
        if finite.all():  # a grid, chosen to be seen
            return float(thresholds[0]), float(thresholds[-1])
        held = np.any([m.values <= self._top() for m in self.sweep.metrics], axis=0) & finite
        inside = thresholds[held if held.any() else finite]
        marked = [point[0] for _, point in self._marked() if np.isfinite(point[0])]
        ends = np.append(np.quantile(inside, [0.005, 0.995], method="nearest"), marked)
        low, high = float(ends.min()), float(ends.max())
        return low, high + 0.04 * (high - low or 1.0)

    def _top(self) -> float:
        """Return how far up to draw: costs may rise far above the naive one."""
        marked = [point[1] for _, point in self._marked()]
        return max([1.05, *(1.1 * value for value in marked if value <= _HIGHEST)])

    def _marked(self) -> list[tuple[str, tuple[float, float]]]:
        """Return the marked points of all metrics, and what to call them."""
        return [
            (f"{what} threshold of {shown(metric.name)}", point)
            for metric in self.sweep.metrics
            for what, point in (("best", metric.best), ("Bayes", metric.bayes))
            if point is not None
        ]
