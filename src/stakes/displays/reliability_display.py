"""Reliability diagrams by bins: what happened against what was said."""

from __future__ import annotations

__all__ = ["ReliabilityDisplay"]

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from stakes._check import InputError
from stakes._foreign_calls import answered
from stakes._typing import Column, NamesLike, PriorsLike
from stakes.costs.confidence_target import TRUTHS
from stakes.displays.figures import Axes, Frame, ScoreDisplay
from stakes.displays.looks import GREY, REFERENCE, class_of, digits, draw_system, next_look
from stakes.metrics.calibration_errors import NAMES
from stakes.metrics.probability_bins import Bins, EqualWidth, Reliability, reliability_of
from stakes.responses import ResponseEvaluation, Responses
from stakes.responses.abstention_rules import open_samples
from stakes.samples import read_samples
from stakes.scores import Scores

ABOVE: Mapping[str, Any] = {
    "loc": "lower left",
    "bbox_to_anchor": (-0.02, 1.0),
    "ncols": 2,
    "columnspacing": 1.2,
}
FINE = EqualWidth(50)  # bins of the histogram under the diagram
_HEIGHT, _MIDDLE, _BOTTOM = 0.1, -0.15, -0.265  # where it is drawn


@dataclass(eq=False, repr=False)
class ReliabilityDisplay(ScoreDisplay):
    """Reliability diagram: how often the event happened in each bin, with Wilson intervals.

    On the diagonal the system is calibrated; the diamond is a system that answers the priors. The
    histogram below shows how often each probability was predicted: events up, the others down.

    Parameters
    ----------
    bins : Reliability
    histogram : Reliability
        How often each probability was predicted, in finer bins.
    naive : float
        The prior.
    event : str
        What is predicted, for the axes.
    level : float, default 0.95
        Confidence level of the intervals.
    confidence : bool, default False
        Whether the probability is the largest posterior.

    See Also
    --------
    reliability : the numbers.
    IsotonicReliabilityDisplay : without bins.

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
    confidence: bool = False  # of the largest posterior

    title = "reliability diagram by bins"
    size: ClassVar[tuple[float, float]] = (3.8, 4.7)
    legend_at: ClassVar[Mapping[str, Any]] = ABOVE

    @classmethod
    @answered
    def from_predictions(  # type: ignore[override] # noqa: PLR0913
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
        ax: Axes | None = None,
        confidence: bool = False,
    ) -> Self:
        """Return the display for P(classes[-1]) of two classes.

        Parameters
        ----------
        y_true : column of N labels
            The true class of each sample.
        scores : array of posteriors, or typed scores
            As in `reliability`.
        bins : int, EqualWidth(n) or EqualMass(n), default 15
        level : float, default 0.95
            Confidence level of the interval of each bin.
        priors : float, array of K, mapping by class, or "data", optional
            How often each class will occur in deployment; by default as often as in the data.
        sample_weight : column of N weights, optional
            How much each sample counts; by default all count the same.
        classes : sequence of K names, optional
            In the order of the columns of scores; the class of interest comes last.
        name : str, optional
            Name of the system, for the legend.
        ax : matplotlib Axes, optional
            Axes to draw on at once.
        confidence : bool, default False
            Whether to use the largest posterior instead, for any number of classes.
        """
        samples = read_samples(y_true, scores, priors, sample_weight, classes)
        event = "the chosen class" if confidence else class_of(samples.classes[-1])
        naive = float(samples.priors.max() if confidence else samples.priors[-1])
        made, fine = (reliability_of(samples, b, confidence=confidence) for b in (bins, FINE))
        return cls(made, fine, naive, event, level, confidence, name=name)._on(ax)

    @classmethod
    def from_confidences(
        cls,
        y_true: Column,
        scores: Scores | Column,
        **options: Any,  # noqa: ANN401
    ) -> Self:
        """Return the display for the largest posterior; options as in `from_predictions`.

        It takes any number of classes and evaluates only the chosen class, not the others.

        Parameters
        ----------
        y_true : column of N labels
            The true class of each sample.
        scores : array of posteriors, or typed scores
            As in `reliability`.
        """
        return cls.from_predictions(y_true, scores, confidence=True, **options)

    @classmethod
    def from_responses(
        cls,
        responses: Responses | ResponseEvaluation,
        **options: Any,  # noqa: ANN401
    ) -> Self:
        """Return the display for stated confidence; options as in `from_predictions`.

        Responses without a known truth or confidence are left out.

        Parameters
        ----------
        responses : Responses or ResponseEvaluation
            The answers with their confidence.
        """
        said = responses.responses if isinstance(responses, ResponseEvaluation) else responses
        if not said.open.any():
            rule = "must have answers of which truth and confidence are known"
            raise InputError("responses", rule, str(said))
        samples = open_samples(said)
        known = {"classes": TRUTHS, "sample_weight": samples.weights}
        truth = np.array(TRUTHS)[samples.y]
        return cls.from_predictions(truth, samples.scores, **{**known, **options})

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

    def _draw(self, axes: Axes) -> None:
        look = next_look(axes)
        draw_background(axes, self.naive)
        rows = self.frame()
        kept = ~np.isnan(rows["frequency"])
        p, rate, low, high = (rows[c][kept] for c in ("probability", "frequency", "low", "high"))
        axes.vlines(p, low, high, color=look.colour, linewidth=1.0, alpha=0.7)
        error = NAMES[self.confidence].replace("confidence ", "confidence\n")  # legends are narrow
        value = f"{digits(self.bins.error())}\nin {self.bins.share.size} bins"
        text = self._label(f"{error} {value}")
        draw_system(axes, p, rate, label=text, marker=look.mark, markersize=4, **look.line)
        draw_foot(axes, self.histogram, look.colour, self.event)


def draw_background(axes: Axes, naive: float) -> None:
    """Draw the diagonal, and where a system stands that answers the priors."""
    axes.plot([0, 1], [0, 1], label="calibrated", **REFERENCE)
    mark: dict[str, Any] = {"color": GREY, "ms": 5, "mfc": "white", "ls": "none", "zorder": 2}
    axes.plot(naive, naive, "D", label="naive: the priors", **mark)


def draw_foot(axes: Axes, fine: Reliability, colour: str, event: str) -> None:
    """Draw how often each probability was given, events up and others down, and name the axes.

    The scale on the left ends where the histogram begins.
    """
    edges = np.concatenate([[0.0], fine.sums.edges, [1.0]])
    middle, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    down, up = fine.sums.weight_by
    unit = _HEIGHT / max(float(up.max()), float(down.max()))
    for heights, alpha in ((up * unit, 0.9), (-down * unit, 0.45)):
        axes.bar(middle, heights, width, bottom=_MIDDLE, color=colour, alpha=alpha, linewidth=0)
    axes.axhline(_MIDDLE, color=GREY, linewidth=0.5)
    axes.set(
        xlabel=f"posterior of {event}\n(bars: {event} up, others down)",
        ylabel=f"share of {event}",
        xlim=(-0.01, 1.01),
        ylim=(_BOTTOM, 1.02),
        yticks=np.linspace(0, 1, 6),
        aspect="equal",
    )
    axes.spines["left"].set_bounds(0, 1)
