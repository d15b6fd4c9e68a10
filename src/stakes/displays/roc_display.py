"""The ROC curve: its hull, its area, and where the costs put the threshold."""

from __future__ import annotations

__all__ = ["RocDisplay"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from stakes._check import read_level
from stakes._foreign_calls import answered
from stakes._typing import Column, CostValues, Label, NamesLike, PriorsLike
from stakes.costs import CostMatrix
from stakes.costs.matrix import declared_classes
from stakes.curves import OperatingPoint, RocCurve, auc, roc_curve
from stakes.curves.thresholds import detector
from stakes.displays.figures import Axes, Frame, ScoreDisplay
from stakes.displays.looks import (
    BAYES,
    BEST,
    BLACK,
    REFERENCE,
    class_of,
    digits,
    draw_system,
    next_look,
    with_interval,
)
from stakes.results import Estimate
from stakes.scores import Scores


@dataclass(eq=False, repr=False)
class RocDisplay(ScoreDisplay):
    """Sensitivity against false alarm rate, the convex hull, and the points for given costs.

    Parameters
    ----------
    curve : RocCurve
    auc : Estimate
        The area with its interval.
    points : mapping from name to OperatingPoint, optional
        Marked in the plot.

    See Also
    --------
    roc_curve : the numbers.
    DetDisplay : the same on probit axes.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    >>> p = data.posteriors([0.9, 0.1])
    >>> display = stakes.RocDisplay.from_predictions(data.y, p, costs=costs)
    >>> list(display.points), list(display.frame())
    (['Bayes', 'best'], ['threshold', 'false_alarm_rate', 'sensitivity', 'on_hull'])
    """

    curve: RocCurve
    auc: Estimate
    points: Mapping[str, OperatingPoint] = field(default_factory=dict)

    title = "ROC curve with its convex hull, area and operating points"
    ranks = True
    legend_at: ClassVar[Mapping[str, Any]] = {"loc": "lower right"}

    @classmethod
    @answered
    def from_predictions(  # type: ignore[override] # noqa: PLR0913
        cls,
        y_true: Column,
        scores: Scores | Column,
        *,
        costs: CostMatrix | CostValues | None = None,
        priors: PriorsLike | None = None,
        level: float = 0.95,
        sample_weight: Column | None = None,
        classes: NamesLike | None = None,
        positive: Label | None = None,
        name: str = "",
        ax: Axes | None = None,
    ) -> Self:
        """Return the display for a detector's scores.

        Parameters
        ----------
        y_true : column of N labels
            The true class of each sample.
        scores : array of posteriors, or typed scores
            As in `roc_curve`.
        costs : CostMatrix or array of shape (2, 2), optional
            If given, the points of the Bayes rule and of the least cost are marked; a plain column
            of scores must then hold posteriors.
        priors : float, array of two, mapping by class, or "data", optional
            How often each class will occur in deployment; by default as often as in the data.
        level : float, default 0.95
            Confidence level of the area's interval.
        sample_weight : column of N weights, optional
            How much each sample counts; by default all count the same.
        classes : sequence of K names, optional
            In the order of the columns of scores; the class of interest comes last.
        positive : name, optional
            The class of interest; by default the last.
        name : str, optional
            Name of the system, for the legend.
        ax : matplotlib Axes, optional
            Axes to draw on at once.
        """
        read_level(level)
        kinds: dict[str, Any] = {
            "sample_weight": sample_weight,
            "classes": declared_classes(classes, costs, positive=positive),
            "positive": positive,
        }
        if costs is None:
            curve, points = roc_curve(y_true, scores, **kinds), {}
        else:
            found = detector(y_true, scores, **kinds)
            curve = found.roc
            points = found.points(costs, priors)
        estimate = auc(y_true, scores, **kinds).estimate(level)
        return cls(curve, estimate, points, name=name)._on(ax)

    def frame(self) -> Frame:
        """Return every point of the curve, lowest threshold first."""
        curve = self.curve
        on_hull = np.zeros(curve.thresholds.size, dtype=np.bool_)
        on_hull[curve.hull_points] = True
        return {
            "threshold": curve.thresholds,
            "false_alarm_rate": curve.false_alarm_rate,
            "sensitivity": curve.sensitivity,
            "on_hull": on_hull,
        }

    def _draw(self, axes: Axes) -> None:
        look = next_look(axes)
        axes.plot([0, 1], [0, 1], label="naive: ignores the input", **REFERENCE)
        text = self._label(f"AUC {with_interval(self.auc)}")
        curve = self.curve
        draw_system(axes, curve.false_alarm_rate, curve.sensitivity, label=text, **look.line)
        hull: dict[str, Any] = {"color": look.colour, "linestyle": (0, (4, 2)), "alpha": 0.8}
        axes.plot(*curve.convex_hull(), label=self._label("convex hull"), linewidth=0.8, **hull)
        for what, point in self.points.items():
            style = {"color": BLACK, **BAYES} if what == "Bayes" else {"color": look.colour, **BEST}
            text = self._label(f"{what} threshold {digits(point.threshold)}")
            style |= {"label": text, "zorder": 3, "clip_on": False}
            axes.plot(point.false_alarm_rate, point.sensitivity, **style)
        first, second = (class_of(c) for c in curve.classes)
        axes.set(
            xlabel=f"false alarm rate among {first}",
            ylabel=f"sensitivity for {second}",
            xlim=(-0.01, 1.01),
            ylim=(-0.01, 1.01),
            aspect="equal",
        )
