"""Decisions that may abstain: what the price of abstaining does."""

from __future__ import annotations

__all__ = ["AbstentionDisplay"]

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from stakes.curves import AbstentionCurve, abstention_curve
from stakes.displays.figures import Axes, Frame, ScoreDisplay
from stakes.displays.looks import REFERENCE, draw_system, next_look, note

_DOTS = (0, (1, 1.2))


@dataclass(eq=False, repr=False)
class AbstentionDisplay(ScoreDisplay):
    """Normalised cost and abstention rate of Bayes decisions against the price of abstaining.

    Both are fractions: at 1 the cost is that of the naive system, which may also abstain.

    Parameters
    ----------
    curve : AbstentionCurve
    level : float, default 0.95
        Confidence level of the intervals.

    See Also
    --------
    abstention_curve : the numbers.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> p = data.posteriors([0.9, 0.1])
    >>> display = stakes.AbstentionDisplay.from_predictions(data.y, p, prices=[0.05, 0.1, 0.2])
    >>> list(display.frame())
    ['price', 'cost', 'normalized', 'low', 'high', 'abstention_rate']
    """

    curve: AbstentionCurve
    level: float = 0.95

    title = "cost and abstention rate by price of abstaining"
    needs = "scores"
    size: ClassVar[tuple[float, float]] = (4.6, 3.4)
    compute = abstention_curve

    def frame(self) -> Frame:
        """Return cost, normalised cost with its interval, and share of abstentions by price."""
        costs = self.curve.costs
        ends = [cost.normalized_interval(self.level) for cost in costs]
        return {
            "price": np.array(self.curve.prices),
            "cost": np.array([cost.value for cost in costs]),
            "normalized": np.array([cost.normalized for cost in costs]),
            "low": np.array([end.low for end in ends]),
            "high": np.array([end.high for end in ends]),
            "abstention_rate": np.array(self.curve.abstention_rates),
        }

    def _draw(self, axes: Axes) -> None:
        rows = self.frame()
        order = np.argsort(rows["price"], kind="stable")
        price, value, low, high, rate = (
            rows[c][order] for c in ("price", "normalized", "low", "high", "abstention_rate")
        )
        look = next_look(axes)
        share: dict[str, Any] = {"color": look.colour, "linewidth": 1.1, "linestyle": _DOTS}
        axes.axhline(1, label="naive", **REFERENCE)
        axes.fill_between(price, low, high, color=look.colour, alpha=0.15, linewidth=0)
        draw_system(axes, price, value, label=self._label("normalised cost"), **look.line)
        axes.plot(price, rate, label=self._label("abstention rate"), **share)
        top = max(1.05, 1.05 * float(np.nanmax(np.append(value, 0.0))))
        axes.set(
            xlabel="price of abstaining",
            ylabel="normalised cost, abstention rate",
            xlim=(0, float(price[-1])),
            ylim=(0, top),
        )
        note(axes, ["no normalised cost where abstaining is free"] if np.isnan(value).any() else [])
