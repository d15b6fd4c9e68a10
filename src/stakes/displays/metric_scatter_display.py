"""A traditional metric against the cost it is tied to: the paper's scatter figure."""

from __future__ import annotations

__all__ = ["MetricScatterDisplay"]

from dataclasses import dataclass

import numpy as np

from stakes._typing import FloatArray
from stakes.displays.figures import Axes, Display, Frame
from stakes.displays.looks import BLUE, GREY, RED

_ROUNDING = 1e-12  # normalised costs nearer to 1 than this are that of the naive system


@dataclass(eq=False, repr=False)
class MetricScatterDisplay(Display):
    """Systems as points: a normalised expected cost on x, a traditional metric on y.

    Systems that do not beat the naive one are crosses.

    Parameters
    ----------
    costs : array
        Normalised cost of each system.
    values : array
        The metric of each system.
    cost_name : str, default "normalised cost"
        Label of the axis.
    metric_name : str, default "metric"
        For the axes.

    See Also
    --------
    explain : which costs a metric is tied to.

    Examples
    --------
    >>> import numpy as np
    >>> import stakes
    >>> display = stakes.MetricScatterDisplay(np.array([0.2, 1.4]), np.array([0.9, 0.6]))
    >>> list(display.frame())
    ['normalized_cost', 'metric']
    """

    costs: FloatArray
    values: FloatArray
    cost_name: str = "normalised cost"
    metric_name: str = "metric"

    title = "a metric against the normalised cost, one point per system"
    needs = "costs and values of systems"

    def frame(self) -> Frame:
        """Return the points, one per system."""
        return {"normalized_cost": self.costs, "metric": self.values}

    def _draw(self, axes: Axes) -> None:
        useful = self.costs < 1 - _ROUNDING
        kinds = (
            (useful, BLUE, "o", "better than the naive system"),
            (~useful, RED, "x", "not better"),
        )
        for kept, colour, mark, text in kinds:
            if kept.any():
                x, y = self.costs[kept], self.values[kept]
                axes.scatter(x, y, s=9, c=colour, marker=mark, lw=0.7, label=self._label(text))
        axes.axvline(1, color=GREY, lw=1, ls="--", label="naive system")
        right = 2.0 if np.nanmax(self.costs, initial=0.0) > 1 else 1.1
        axes.set(xlabel=self.cost_name, ylabel=self.metric_name, xlim=(-0.05, right))
