"""The risk curve on the axes of any field."""

from __future__ import annotations

__all__ = ["RiskDisplay"]

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from stakes._foreign_calls import answered
from stakes._typing import ArrayLike, Column, FloatArray
from stakes.calibration import risk_curve
from stakes.curves import CalibrationLossView, CurveView, RiskCurve
from stakes.displays.figures import Axes, Frame, ScoreDisplay
from stakes.displays.looks import BLACK, GREEN, GREY, digits, draw_system, next_look, note
from stakes.scores import Scores

_REFERENCES = {
    "naive": (GREY, (0, (1, 1.5))),
    "treat_all": (GREY, (0, (1, 1.5))),
    "treat_none": (BLACK, (0, (4, 2, 1, 2))),
}


@dataclass(eq=False, repr=False)
class RiskDisplay(ScoreDisplay):
    """Any view of a risk curve: decision curve, Murphy diagram, normalised Bayes error, ...

    The solid line is the uncalibrated system, with a pointwise band; the dashed line is the
    minimum, at the best threshold on the same data; the dash-dotted line, if a calibrator was
    given, is after calibration. Systems that see no input are grey.

    Parameters
    ----------
    view : CurveView

    See Also
    --------
    risk_curve : the numbers.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> p = data.posteriors([0.5, 0.5])
    >>> curve = stakes.risk_curve(data.y, p)
    >>> list(stakes.RiskDisplay(curve.decision_curve([0.05, 0.1, 0.2])).frame())
    ['threshold', 'actual', 'low', 'high', 'minimum', 'treat_all', 'treat_none']
    >>> stakes.RiskDisplay.from_predictions(data.y, p, stakes.RiskCurve.murphy).view.name
    'Murphy diagram'
    """

    view: CurveView

    title = "any view of a risk curve: decision curve, Murphy diagram, ..."
    size: ClassVar[tuple[float, float]] = (4.6, 3.4)

    @classmethod
    @answered
    def from_predictions(
        cls,
        y_true: Column,
        scores: Scores | Column,
        view: Callable[..., CurveView] = RiskCurve.normalized_bayes_error,
        *,
        grid: ArrayLike | None = None,
        name: str = "",
        ax: Axes | None = None,
        **options: Any,  # noqa: ANN401
    ) -> Self:
        """Return the display for the scores of two classes.

        Parameters
        ----------
        y_true : column of N labels
            The true class of each sample.
        scores : array of posteriors, or typed scores
            As in `risk_curve`.
        view : method of RiskCurve that returns a view, default RiskCurve.normalized_bayes_error
            `RiskCurve.decision_curve`, `RiskCurve.murphy`, `RiskCurve.ape`, ...
        grid : array, optional
            Points of the x axis.
        name : str, optional
            Name of the system, for the legend.
        ax : matplotlib Axes, optional
            Axes to draw on at once.
        **options
            As in `risk_curve`.
        """
        found = view(risk_curve(y_true, scores, **options), grid)
        return cls(found, name=name)._on(ax)

    def frame(self) -> Frame:
        """Return the lines of the view."""
        return dict(self.view.frame())

    def _draw(self, axes: Axes) -> None:
        look = next_look(axes)
        view = self.view
        for name, line in view.references.items():
            colour, dashes = _REFERENCES.get(name, (GREY, ":"))
            text = name.replace("_", " ")
            axes.plot(view.x, line, color=colour, linestyle=dashes, linewidth=1.0, label=text)
        if view.low is not None and view.high is not None:
            band = view.x, view.low, view.high
            axes.fill_between(*band, color=look.colour, alpha=0.15, linewidth=0)
        loss = isinstance(view, CalibrationLossView)
        more: dict[str, Any] = {"linewidth": 1.1, "color": look.colour, "linestyle": (0, (5, 2))}
        if view.minimum is not None:
            axes.plot(view.x, view.minimum, label=self._label("minimum"), **more)
        if view.cross_fitted is not None:
            more |= {"color": GREEN, "linestyle": (0, (4, 1, 1, 1))}
            text = "loss vs cross-fitted" if loss else "cross-fitted"
            axes.plot(view.x, view.cross_fitted, label=self._label(text), **more)
        text = "loss vs minimum" if loss else "actual"
        draw_system(axes, view.x, view.actual, label=self._label(text), color=look.colour)
        if isinstance(view, CalibrationLossView):
            _mark_worst(axes, view)
        axes.set(xlabel=view.x_label, ylabel=view.y_label, xlim=(view.x[0], view.x[-1]))
        axes.set_ylim(*_limits(view))
        lines = {"actual": view.actual, "minimum": view.minimum, "cross-fitted": view.cross_fitted}
        infinite = [n for n, line in lines.items() if line is not None and np.isinf(line).any()]
        note(axes, [f"{name} is infinite: a certain answer was wrong" for name in infinite])


def _mark_worst(axes: Axes, view: CalibrationLossView) -> None:
    """Mark where calibration loses most, if the picture holds it."""
    worst = view.worst
    text = f"worst at {digits(worst.threshold)}: {digits(worst.value)}"
    if np.isfinite(worst.value) and view.x[0] <= worst.threshold <= view.x[-1]:
        axes.plot(worst.threshold, worst.value, "v", color=BLACK, ls="none", ms=6, label=text)
    else:
        note(axes, [text])
    axes.axhline(0, color=GREY, linewidth=0.8, label="naive: no loss")


def _limits(view: CurveView) -> tuple[float, float]:
    """Return the range of y: all of what helps, and of what harms enough to see that it does."""
    lines = [view.actual, view.minimum, view.cross_fitted]
    own = _finite([line for line in lines if line is not None])
    others = _finite(list(view.references.values()))
    if view.better == "higher":
        top = max(own.max(initial=0.0), 1e-9)
        return max(own.min(initial=0.0), -0.3 * top) - 0.06 * top, 1.1 * top
    if isinstance(view, CalibrationLossView):
        low, high = own.min(initial=0.0), max(own.max(initial=0.0), 1e-9)
        return low - 0.05 * high, 1.15 * high
    naive = others.max(initial=0.0)
    top = min(own.max(initial=0.0), 1.5 * naive) if naive > 0 else own.max(initial=0.0)
    return 0.0, 1.12 * max(top, naive, 1e-9)


def _finite(lines: list[FloatArray]) -> FloatArray:
    values = np.concatenate([*lines, np.empty(0)])
    return values[np.isfinite(values)]
