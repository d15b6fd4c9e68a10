"""What responses are worth at every confidence target, by the rule that says when to answer."""

from __future__ import annotations

__all__ = ["TargetCurveDisplay"]

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from stakes.displays.figures import Axes, Display, Frame
from stakes.displays.looks import GREY, REFERENCE, draw_system, next_look
from stakes.responses import ResponseEvaluation, Responses, TargetCurve, evaluate_responses

_NAMES = {
    "own": "its own abstentions",
    "stated": "stated confidence",
    "calibrated": "calibrated confidence",
}
_BEST: dict[str, Any] = {"color": GREY, "linewidth": 0.9, "alpha": 0.7}
_LOWEST = -1.0  # utility falls without end as the target nears 1


@dataclass(eq=False, repr=False)
class TargetCurveDisplay(Display):
    """Utility against the confidence target: own abstentions, thresholds and hindsight.

    Never answering scores 0. The thin grey line is the best threshold on the stated confidence in
    hindsight: no rule of this form could have scored more on these responses.

    Parameters
    ----------
    curve : TargetCurve
    target : float, optional
        Marked in the plot.

    See Also
    --------
    evaluate_responses : the numbers.

    Examples
    --------
    >>> import stakes
    >>> said = stakes.Responses([True, True, False] * 40, [0.9, 0.6, 0.6] * 40)
    >>> display = stakes.TargetCurveDisplay.from_responses(said, 0.75)
    >>> list(display.frame())
    ['target', 'own', 'stated', 'calibrated', 'best']
    """

    curve: TargetCurve
    target: float | None = None  # where a line is drawn

    title = "points per question at every confidence target"
    needs = "responses"
    size: ClassVar[tuple[float, float]] = (4.6, 3.4)

    @classmethod
    def from_responses(
        cls,
        responses: Responses | ResponseEvaluation,
        target: float | None = None,
        *,
        name: str = "",
        ax: Axes | None = None,
        **options: Any,  # noqa: ANN401
    ) -> Self:
        """Return the display for responses.

        Parameters
        ----------
        responses : Responses or ResponseEvaluation
        target : float, optional
            Target to mark with a vertical line; by default that of the evaluation, if there is one.
        name : str, optional
            Name of the system, for the legend.
        ax : matplotlib Axes, optional
            Axes to draw on at once.
        **options
            Options of `evaluate_responses`.
        """
        found = responses
        if isinstance(found, Responses):
            found = evaluate_responses(found, 0.5 if target is None else target, **options)
        elif target is None:
            target = found.target.t
        return cls(found.curve, target, name=name)._on(ax)

    def frame(self) -> Frame:
        """Return the utility of each rule by target."""
        return {"target": self.curve.targets, **self.curve.utility}

    def _draw(self, axes: Axes) -> None:
        rows = self.frame()
        targets = rows.pop("target")
        axes.axhline(0, label="naive: never answering", **REFERENCE)
        if self.target is not None:
            axes.axvline(self.target, color=GREY, linewidth=0.7)
        if "best" in rows:
            text = self._label("best threshold in hindsight")
            axes.plot(targets, rows.pop("best"), label=text, **_BEST)
        for rule, utility in rows.items():
            look = next_look(axes)
            draw_system(axes, targets, utility, label=self._label(_NAMES[rule]), **look.line)
        drawn = np.concatenate([*self.curve.utility.values(), [0.0]])
        low, high = max(_LOWEST, float(drawn.min())), float(drawn.max())
        axes.set(
            xlabel="confidence target",
            ylabel="points per question",
            xlim=(0, 1),
            ylim=(low - 0.05 * (high - low), high + 0.05 * (high - low)),
        )
