"""Reliability diagrams: what happened against what was said, by bins or by isotonic blocks."""

__all__ = ["IsotonicReliabilityDisplay", "ReliabilityDisplay"]

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from stakes._typing import Column, FloatArray, NamesLike, PriorsLike
from stakes.calibration import ScoreDecomposition, decompose
from stakes.curves import ReliabilityCurve, reliability_curve
from stakes.displays.figures import Frame, ScoreDisplay
from stakes.displays.looks import (
    GREY,
    REFERENCE,
    class_of,
    digits,
    draw_system,
    labelled,
    legend_above,
    next_look,
)
from stakes.metrics.calibration_errors import NAMES
from stakes.metrics.probability_bins import Bins, EqualWidth, Reliability, reliability_of
from stakes.samples import Samples, read_samples
from stakes.scores import Scores
from stakes.scoring import BrierLoss

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FINE = EqualWidth(50)  # bins of the histogram under the diagram
_HEIGHT, _MIDDLE, _BOTTOM = 0.1, -0.15, -0.265  # where it is drawn


@dataclass(eq=False)
class ReliabilityDisplay(ScoreDisplay):
    """How often the event happened in each bin of its probability, with Wilson intervals.

    On the diagonal the system is calibrated; the diamond is a system that answers the priors.
    Below, how often each probability was given: events up, the others down.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> display = stakes.ReliabilityDisplay.from_predictions(data.y, data.posteriors([0.9, 0.1]))
    >>> list(display.frame())
    ['probability', 'frequency', 'low', 'high', 'share']
    """

    bins: Reliability
    histogram: Reliability
    naive: float
    event: str
    level: float = 0.95
    name: str = ""
    confidence: bool = False  # of the largest posterior

    size = (3.8, 4.7)

    @classmethod
    def from_predictions(  # noqa: PLR0913
        cls,
        y_true: Column,
        scores: Scores | Column,
        *,
        bins: Bins = 15,
        level: float = 0.95,
        priors: PriorsLike | None = None,
        sample_weight: Column | None = None,
        classes: NamesLike | None = None,
        name: str = "",
    ) -> Self:
        """Return the display of P(classes[-1]) of two classes.

        Parameters
        ----------
        bins : int, EqualWidth(n) or EqualMass(n)
        level : float
            Of the interval of each bin.
        y_true, scores, priors, sample_weight, classes
            As for `reliability`.
        name : str
            Of the system, for the legend.
        """
        samples = _read(y_true, scores, priors, sample_weight, classes)
        event = class_of(samples.classes[-1])
        naive = float(samples.priors[-1])
        made = [reliability_of(samples, b) for b in (bins, _FINE)]
        return cls(made[0], made[1], naive, event, level, name)

    @classmethod
    def from_confidences(  # noqa: PLR0913
        cls,
        y_true: Column,
        scores: Scores | Column,
        *,
        bins: Bins = 15,
        level: float = 0.95,
        priors: PriorsLike | None = None,
        sample_weight: Column | None = None,
        classes: NamesLike | None = None,
        name: str = "",
    ) -> Self:
        """Return the display of the largest posterior, for any number of classes.

        It sees the chosen class alone, and misses what happens to all others.
        """
        samples = _read(y_true, scores, priors, sample_weight, classes)
        naive = float(samples.priors.max())
        made = [reliability_of(samples, b, confidence=True) for b in (bins, _FINE)]
        return cls(made[0], made[1], naive, "the chosen class", level, name, confidence=True)

    def frame(self) -> Frame:
        """Return the bins; an empty one has NaN for all but its share."""
        low, high = self.bins.interval(self.level)
        return {
            "probability": self.bins.probability,
            "frequency": self.bins.frequency,
            "low": low,
            "high": high,
            "share": self.bins.share,
        }

    def _draw(self, axes: "Axes") -> None:
        look = next_look(axes)
        _background(axes, self.naive)
        rows = self.frame()
        kept = ~np.isnan(rows["frequency"])
        p, rate, low, high = (rows[c][kept] for c in ("probability", "frequency", "low", "high"))
        axes.vlines(p, low, high, color=look.colour, linewidth=1.0, alpha=0.7)
        error = NAMES[self.confidence].replace("confidence ", "confidence\n")  # legends are narrow
        value = f"{digits(self.bins.error())}\nin {self.bins.share.size} bins"
        text = labelled(self.name, f"{error} {value}")
        draw_system(axes, p, rate, label=text, marker=look.mark, markersize=4, **look.line)
        _histogram(axes, self.histogram, look.colour)
        _frame_axes(axes, self.event)


@dataclass(eq=False)
class IsotonicReliabilityDisplay(ScoreDisplay):
    """The isotonic reliability curve (CORP): no bins to choose.

    The grey band is where the curve of a calibrated system would lie, point by point. The loss in
    the legend is the Brier score as miscalibration - discrimination + uncertainty.

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
    name: str = ""

    size = (3.8, 4.7)

    @classmethod
    def from_predictions(  # noqa: PLR0913
        cls,
        y_true: Column,
        scores: Scores | Column,
        *,
        level: float = 0.9,
        resamples: int = 200,
        priors: PriorsLike | None = None,
        sample_weight: Column | None = None,
        classes: NamesLike | None = None,
        rng: "int | np.random.Generator" = 0,
        name: str = "",
    ) -> Self:
        """Return the display of P(classes[-1]); arguments as for `reliability_curve`."""
        samples = _read(y_true, scores, priors, sample_weight, classes)
        kinds: dict[str, Any] = {
            "priors": priors,
            "sample_weight": sample_weight,
            "classes": classes,
        }
        curve = reliability_curve(
            y_true, scores, level=level, resamples=resamples, rng=rng, **kinds
        )
        parts = decompose(BrierLoss(), y_true, scores, **kinds)
        return cls(curve, reliability_of(samples, _FINE), parts, name)

    def frame(self) -> Frame:
        """Return the blocks: from which posterior to which, and the share of the class there."""
        return {
            "low": self.curve.low,
            "high": self.curve.high,
            "frequency": self.curve.frequency,
        }

    def band(self) -> Frame:
        """Return the consistency band: posterior, low, high."""
        curve = self.curve
        return {"probability": curve.band_at, "low": curve.band_low, "high": curve.band_high}

    def _draw(self, axes: "Axes") -> None:
        look = next_look(axes)
        curve = self.curve
        _background(axes, curve.prior)
        text = f"if calibrated, {100 * curve.level:g} %"
        band = curve.band_at, curve.band_low, curve.band_high
        axes.fill_between(*band, color=GREY, alpha=0.22, linewidth=0, label=text)
        parts = self.decomposition
        text = labelled(self.name, f"miscalibration {digits(parts.miscalibration)}")
        x, y = _joined(curve.low, curve.high, curve.frequency)
        draw_system(axes, x, y, label=text, **{**look.line, "linewidth": 1.0})
        blocks = axes.hlines(curve.frequency, curve.low, curve.high, color=look.colour)
        blocks.set_linewidth(2.6)
        discrimination = f"discrimination {digits(parts.discrimination)}"
        axes.plot([], [], " ", label=labelled(self.name, discrimination))
        axes.plot([], [], " ", label=f"uncertainty {digits(parts.uncertainty)}")
        _histogram(axes, self.histogram, look.colour)
        _frame_axes(axes, class_of(curve.classes[-1]))


def _read(
    y_true: Column,
    scores: Scores | Column,
    priors: PriorsLike | None,
    sample_weight: Column | None,
    classes: NamesLike | None,
) -> Samples:
    """Check labels and scores."""
    return read_samples(y_true, scores, priors=priors, sample_weight=sample_weight, classes=classes)


def _joined(
    low: FloatArray, high: FloatArray, frequency: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of all blocks as one line."""
    return np.column_stack([low, high]).ravel(), np.repeat(frequency, 2)


def _background(axes: "Axes", naive: float) -> None:
    """Draw the diagonal, and where a system stands that answers the priors."""
    axes.plot([0, 1], [0, 1], label="calibrated", **REFERENCE)
    axes.plot(
        naive,
        naive,
        "D",
        color=GREY,
        ms=5,
        mfc="white",
        ls="none",
        label="naive: the priors",
        zorder=2,
    )


def _histogram(axes: "Axes", fine: Reliability, colour: str) -> None:
    """Draw how often each probability was given, events up and others down."""
    edges = np.concatenate([[0.0], fine.sums.edges, [1.0]])
    middle, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    down, up = fine.sums.weight_by
    unit = _HEIGHT / max(float(up.max()), float(down.max()))
    for heights, alpha in ((up * unit, 0.9), (-down * unit, 0.45)):
        axes.bar(middle, heights, width, bottom=_MIDDLE, color=colour, alpha=alpha, linewidth=0)
    axes.axhline(_MIDDLE, color=GREY, linewidth=0.5)


def _frame_axes(axes: "Axes", event: str) -> None:
    """Name the axes; the scale on the left ends where the histogram begins."""
    axes.set(
        xlabel=f"posterior of {event}\n(bars: {event} up, others down)",
        ylabel=f"share of {event}",
        xlim=(-0.01, 1.01),
        ylim=(_BOTTOM, 1.02),
        yticks=np.linspace(0, 1, 6),
        aspect="equal",
    )
    axes.spines["left"].set_bounds(0, 1)
    legend_above(axes)
