"""The precision-recall curve."""

from __future__ import annotations

__all__ = ["PrecisionRecallDisplay"]

from dataclasses import dataclass

import numpy as np

from stakes.curves import PrecisionRecallCurve, precision_recall_curve
from stakes.displays.figures import Axes, Frame, ScoreDisplay
from stakes.displays.looks import REFERENCE, class_of, digits, draw_system, next_look


@dataclass(eq=False, repr=False)
class PrecisionRecallDisplay(ScoreDisplay):
    """Precision against recall, with the naive line of always saying yes.

    The line is the share of the class of interest. The curve changes with it, so compare systems on
    the same data only.

    Parameters
    ----------
    curve : PrecisionRecallCurve

    See Also
    --------
    precision_recall_curve : the numbers.

    Examples
    --------
    >>> import stakes
    >>> y, p = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> display = stakes.PrecisionRecallDisplay.from_predictions(y, p)
    >>> display.frame()["recall"].tolist()
    [1.0, 1.0, 0.5, 0.5, 0.0]
    """

    curve: PrecisionRecallCurve

    title = "precision against recall"
    ranks = True
    compute = precision_recall_curve

    def frame(self) -> Frame:
        """Return every point of the curve; the precision is NaN if there is no alarm."""
        curve = self.curve
        return {"threshold": curve.thresholds, "recall": curve.recall, "precision": curve.precision}

    def _draw(self, axes: Axes) -> None:
        look = next_look(axes)
        curve = self.curve
        prior = float(curve.roc.priors[1])
        axes.axhline(prior, label=f"naive: always yes, {digits(prior)}", **REFERENCE)
        said = ~np.isnan(curve.precision)  # without an alarm there is nothing to draw
        text = self._label(f"average precision {digits(curve.average_precision())}")
        line = {**look.line, "drawstyle": "steps-post"}  # each point holds down to the next recall
        draw_system(axes, curve.recall[said], curve.precision[said], label=text, **line)
        second = class_of(curve.roc.classes[1])
        axes.set(
            xlabel=f"recall of {second}",
            ylabel=f"precision for {second}",
            xlim=(-0.01, 1.01),
            ylim=(0, 1.02),
        )
