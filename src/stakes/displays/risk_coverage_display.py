"""Risk against coverage: how often answers are wrong if the least sure ones are withheld."""

from __future__ import annotations

__all__ = ["RiskCoverageDisplay"]

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from stakes._foreign_calls import answered
from stakes._typing import Column
from stakes.costs import CostMatrix
from stakes.curves import RiskCoverageCurve, risk_coverage_curve
from stakes.displays.figures import Axes, Frame, ScoreDisplay
from stakes.displays.looks import REFERENCE, digits, draw_system, next_look
from stakes.responses import ResponseEvaluation, Responses
from stakes.responses.response_measures import own_measures
from stakes.responses.selective_areas import response_risk_coverage
from stakes.samples import read_samples
from stakes.scores import Scores

_LEVEL = 0.95  # of intervals, none of which is drawn


@dataclass(eq=False, repr=False)
class RiskCoverageDisplay(ScoreDisplay):
    """Share of wrong answers among those given, if the least confident ones are withheld.

    `naive` is the error rate of always answering the most frequent class. For responses, it is the
    error rate of answering all questions, which an uninformative confidence has at any coverage.

    Parameters
    ----------
    curve : RiskCoverageCurve
    naive : float
        Error rate of the naive system.
    own : tuple of two floats, optional
        Coverage and risk of the system's own abstentions, marked in the plot.

    See Also
    --------
    risk_coverage_curve : the numbers.

    Examples
    --------
    >>> import stakes
    >>> p = stakes.Posteriors([0.1, 0.4, 0.45, 0.9])
    >>> display = stakes.RiskCoverageDisplay.from_predictions([0, 0, 1, 1], p)
    >>> display.frame()["risk"].tolist()
    [0.0, 0.0, 0.0, 0.25]
    """

    curve: RiskCoverageCurve
    naive: float
    own: tuple[float, float] | None = None  # coverage and risk

    title = "selective risk against coverage"
    needs = "scores"
    size: ClassVar[tuple[float, float]] = (4.2, 3.2)

    @classmethod
    @answered
    def from_predictions(
        cls,
        y_true: Column,
        scores: Scores | Column,
        *,
        name: str = "",
        ax: Axes | None = None,
        **options: Any,  # noqa: ANN401
    ) -> Self:
        """Return the display for scores; options as in `risk_coverage_curve`.

        Parameters
        ----------
        y_true : column of N labels
            The true class of each sample.
        scores : array of posteriors, or typed scores
            As in `risk_coverage_curve`.
        name : str, optional
            Name of the system, for the legend.
        ax : matplotlib Axes, optional
            Axes to draw on at once.
        """
        samples = read_samples(y_true, scores, **options)
        curve = risk_coverage_curve(y_true, scores, **options)
        naive = CostMatrix.zero_one(samples.classes).naive(samples.priors)[1]
        return cls(curve, naive, name=name)._on(ax)

    @classmethod
    def from_responses(
        cls,
        responses: Responses | ResponseEvaluation,
        *,
        name: str = "",
        ax: Axes | None = None,
    ) -> Self:
        """Return the display for answers with their stated confidence, each right or wrong.

        Responses without a known truth or confidence are left out.

        Parameters
        ----------
        responses : Responses or ResponseEvaluation
            The answers with their confidence.
        name : str, optional
            Name of the system, for the legend.
        ax : matplotlib Axes, optional
            Axes to draw on at once.
        """
        said = responses.responses if isinstance(responses, ResponseEvaluation) else responses
        part = said.part(np.flatnonzero(said.open))
        curve = response_risk_coverage(said)
        own = own_measures(part, _LEVEL)
        accuracy = own.answered_accuracy().value
        point = None if math.isnan(accuracy) else (own.answered().value, 1 - accuracy)
        return cls(curve, float(curve.risk[-1]), point, name=name)._on(ax)

    def frame(self) -> Frame:
        """Return coverage, risk among the answers, and risk among all samples."""
        curve = self.curve
        return {"coverage": curve.coverage, "risk": curve.risk, "joint_risk": curve.joint_risk}

    def _draw(self, axes: Axes) -> None:
        look = next_look(axes)
        curve = self.curve
        top = 1.15 * max(float(curve.risk.max()), 0.0 if self.own is None else self.own[1])
        far = top > 0 and self.naive > 3 * top
        where = " (far above)" if far else ""
        axes.axhline(self.naive, label=f"naive: {digits(self.naive)}{where}", **REFERENCE)
        text = self._label(f"area {digits(curve.area())}")
        draw_system(axes, curve.coverage, curve.risk, label=text, **look.line)
        if self.own is not None:
            mark: dict[str, Any] = {"marker": look.mark, "color": look.colour, "linestyle": "none"}
            axes.plot(*self.own, label=self._label("its own abstentions"), **mark)
        axes.set(
            xlabel="coverage: share of cases answered",
            ylabel="risk: share of answers that are wrong",
            xlim=(0, 1.005),
        )
        axes.set_ylim(0, top if far else max(top, 1.1 * self.naive))
