"""The isotonic reliability diagram: what happened against what was said, without bins."""

from __future__ import annotations

__all__ = ["IsotonicReliabilityDisplay"]

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from stakes._foreign_calls import answered
from stakes._typing import Column, NamesLike, PriorsLike
from stakes.calibration import ScoreDecomposition, decompose
from stakes.curves import ReliabilityCurve, reliability_curve
from stakes.displays.figures import Axes, Frame, ScoreDisplay
from stakes.displays.looks import GREY, class_of, digits, draw_system, next_look
from stakes.displays.reliability_display import ABOVE, FINE, draw_background, draw_foot
from stakes.metrics.probability_bins import Reliability, reliability_of
from stakes.samples import read_samples
from stakes.scores import Scores
from stakes.scoring import BrierLoss


@dataclass(eq=False, repr=False)
class IsotonicReliabilityDisplay(ScoreDisplay):
    """The isotonic reliability curve (CORP): no bins to choose.

    The grey band is where the curve of a calibrated system would lie, point by point. The loss in
    the legend is the Brier score as miscalibration - discrimination + uncertainty.

    Parameters
    ----------
    curve : ReliabilityCurve
    histogram : Reliability
        How often each probability was predicted.
    decomposition : ScoreDecomposition
        Of the Brier score.

    See Also
    --------
    reliability_curve : the numbers.
    ReliabilityDisplay : by bins.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> p = data.posteriors([0.9, 0.1])
    >>> display = stakes.IsotonicReliabilityDisplay.from_predictions(data.y, p)
    >>> list(display.frame())
    ['low', 'high', 'frequency']
    """

    curve: ReliabilityCurve
    histogram: Reliability
    decomposition: ScoreDecomposition

    title = "isotonic reliability diagram, with a consistency band"
    size: ClassVar[tuple[float, float]] = (3.8, 4.7)
    legend_at: ClassVar[Mapping[str, Any]] = ABOVE

    @classmethod
    @answered
    def from_predictions(  # type: ignore[override] # noqa: PLR0913
        cls,
        y_true: Column,
        scores: Scores | Column,
        *,
        level: float = 0.9,
        resamples: int = 200,
        priors: PriorsLike | None = None,
        sample_weight: Column | None = None,
        classes: NamesLike | None = None,
        rng: int | np.random.Generator = 0,
        name: str = "",
        ax: Axes | None = None,
    ) -> Self:
        """Return the display for P(classes[-1]).

        Parameters
        ----------
        y_true : column of N labels
            The true class of each sample.
        scores : array of posteriors, or typed scores
            As in `reliability_curve`.
        level : float, default 0.9
            Level of the consistency band.
        resamples : int, default 200
            How often labels are drawn for the band.
        priors : float, array of K, mapping by class, or "data", optional
            How often each class will occur in deployment; by default as often as in the data.
        sample_weight : column of N weights, optional
            How much each sample counts; by default all count the same.
        classes : sequence of K names, optional
            In the order of the columns of scores; the class of interest comes last.
        rng : int or Generator, default 0
            Seed of the resamples.
        name : str, optional
            Name of the system, for the legend.
        ax : matplotlib Axes, optional
            Axes to draw on at once.
        """
        kinds: dict[str, Any] = {
            "priors": priors,
            "sample_weight": sample_weight,
            "classes": classes,
        }
        samples = read_samples(y_true, scores, **kinds)
        curve = reliability_curve(
            y_true, scores, level=level, resamples=resamples, rng=rng, **kinds
        )
        parts = decompose(BrierLoss(), y_true, scores, **kinds)
        return cls(curve, reliability_of(samples, FINE), parts, name=name)._on(ax)

    def frame(self) -> Frame:
        """Return the blocks: least and largest posterior, and the share of the class."""
        return {"low": self.curve.low, "high": self.curve.high, "frequency": self.curve.frequency}

    def band(self) -> Frame:
        """Return the consistency band: posterior, low, high."""
        curve = self.curve
        return {"probability": curve.band_at, "low": curve.band_low, "high": curve.band_high}

    def _draw(self, axes: Axes) -> None:
        look = next_look(axes)
        curve = self.curve
        draw_background(axes, curve.prior)
        text = f"{100 * curve.level:g} % band if calibrated"
        band = curve.band_at, curve.band_low, curve.band_high
        axes.fill_between(*band, color=GREY, alpha=0.22, linewidth=0, label=text)
        parts = self.decomposition
        text = self._label(f"miscalibration {digits(parts.miscalibration)}")
        x, y = np.column_stack([curve.low, curve.high]).ravel(), np.repeat(curve.frequency, 2)
        draw_system(axes, x, y, label=text, **{**look.line, "linewidth": 1.0})
        blocks = axes.hlines(curve.frequency, curve.low, curve.high, color=look.colour)
        blocks.set_linewidth(2.6)
        discrimination = f"discrimination {digits(parts.discrimination)}"
        axes.plot([], [], " ", label=self._label(discrimination))
        axes.plot([], [], " ", label=f"uncertainty {digits(parts.uncertainty)}")
        draw_foot(axes, self.histogram, look.colour, class_of(curve.classes[-1]))
