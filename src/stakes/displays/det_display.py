"""The DET curve: both errors on probit axes."""

from __future__ import annotations

__all__ = ["DetDisplay"]

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from stakes._typing import FloatArray
from stakes.curves import RocCurve, roc_curve
from stakes.displays.figures import Axes, Frame, ScoreDisplay
from stakes.displays.looks import (
    GREY,
    REFERENCE,
    class_of,
    digits,
    draw_system,
    next_look,
    shown,
    thinned,
)

_TICKS = np.array([1e-4, 1e-3, 0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 40, 60, 80, 90, 95, 99]) / 100
_BEYOND = 1e-9  # where an error rate of 0 is drawn: outside, so that the line leaves the picture


@dataclass(eq=False, repr=False)
class DetDisplay(ScoreDisplay):
    """Miss rate against false alarm rate on probit axes; normal scores give a straight line.

    A rate of 0 is infinitely far away, so the line leaves the picture there. The dashed lines are
    the rates of 30 errors: beyond them there are too few errors to trust the curve.

    Parameters
    ----------
    curve : RocCurve

    See Also
    --------
    roc_curve : the numbers.
    RocDisplay : the same on plain axes.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> display = stakes.DetDisplay.from_predictions(data.y, data.log_likelihood_ratios())
    >>> list(display.frame())
    ['threshold', 'false_alarm_rate', 'miss_rate', 'false_alarm_probit', 'miss_probit']
    """

    curve: RocCurve

    title = "DET curve: misses and false alarms on probit axes"
    ranks = True
    size: ClassVar[tuple[float, float]] = (4.2, 4.2)
    compute = roc_curve

    def frame(self) -> Frame:
        """Return every point of the curve, lowest threshold first."""
        false_alarm, miss = self.curve.det()
        return {
            "threshold": self.curve.thresholds,
            "false_alarm_rate": self.curve.false_alarm_rate,
            "miss_rate": self.curve.miss_rate,
            "false_alarm_probit": false_alarm,
            "miss_probit": miss,
        }

    def _draw(self, axes: Axes) -> None:
        from scipy.special import ndtr, ndtri  # noqa: PLC0415  slow to import

        look = next_look(axes)
        curve = self.curve
        rates = curve.false_alarm_rate, curve.miss_rate
        eer = curve.eer()
        high = 0.55 if eer < 0.35 else 0.99
        limits = [(_least(a, b, high), high) for a, b in (rates, rates[::-1])]
        if axes.get_xscale() != "function":
            scale: dict[str, Any] = {"functions": (ndtri, ndtr)}
            axes.set_xscale("function", **scale)
            axes.set_yscale("function", **scale)
        else:
            there = zip(limits, (axes.get_xlim(), axes.get_ylim()), strict=True)
            limits = [(min(a[0], b[0]), max(a[1], b[1])) for a, b in there]
        few = curve.rates_of(30)
        for rate, (low, high), line in zip(few, limits, (axes.axvline, axes.axhline), strict=True):
            if low < rate < high:
                line(rate, color=GREY, linewidth=0.7, linestyle=(0, (4, 3)), label="30 errors")
        naive = np.linspace(0.001, 0.999, 99)
        axes.plot(naive, 1 - naive, label="naive: ignores the input", **REFERENCE)
        kept = thinned(*curve.det())  # as they are drawn, where low rates take as much space
        x, y = (np.clip(rate[kept], _BEYOND, 1 - _BEYOND) for rate in rates)
        draw_system(axes, x, y, label=shown(self.name) if self.name else "system", **look.line)
        text = self._label(f"EER {digits(100 * eer)} %")
        if eer > 0:
            axes.plot(eer, eer, look.mark, color=look.colour, mfc="white", label=text, zorder=3)
        else:
            axes.plot([], [], " ", label=text)
        first, second = (class_of(c) for c in curve.classes)
        for axis, (low, high) in zip((axes.xaxis, axes.yaxis), limits, strict=True):
            inside = _TICKS[(low <= _TICKS) & (high >= _TICKS)]
            axis.set_ticks(inside, labels=[f"{100 * tick:g}" for tick in inside])
            axis.set_ticks([], minor=True)
        axes.set(
            xlabel=f"false alarm rate among {first} (%)",
            ylabel=f"miss rate for {second} (%)",
            xlim=limits[0],
            ylim=limits[1],
        )
        axes.set_aspect("equal")


def _least(rate: FloatArray, other: FloatArray, high: float) -> float:
    """Return how low to draw: below the least error seen where the other one is in the picture."""
    seen = rate[(rate > 0) & (other < high)]
    least = float(seen.min()) if seen.size else 0.01
    below = _TICKS[least >= _TICKS]
    return min(float(below[-1]) if below.size else float(_TICKS[0]), 0.05) * 0.8
