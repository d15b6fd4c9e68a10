"""The Tippett plot of forensics: likelihood ratios of both classes, cumulated."""

from __future__ import annotations

__all__ = ["TippettDisplay"]

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from stakes._check import read_priors
from stakes._foreign_calls import answered
from stakes._typing import Column, NamesLike, PriorsLike
from stakes.curves import TippettCurve, tippett_curve
from stakes.displays.figures import Axes, Frame, ScoreDisplay, predicted
from stakes.displays.looks import REFERENCE, class_of, digits, draw_system, next_look, note
from stakes.evaluation.model_priors import contradiction, model_priors
from stakes.samples import read_samples
from stakes.scores import LogLikelihoodRatios


@dataclass(eq=False, repr=False)
class TippettDisplay(ScoreDisplay):
    """Share of each class with a likelihood ratio above a value, on the log10 scale.

    The further apart the curves, the better. The curve of the first class at 0 is its rate of
    misleading evidence. An uninformative system has all ratios at 1, the vertical line.

    Parameters
    ----------
    curve : TippettCurve

    See Also
    --------
    tippett_curve : the numbers.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> display = stakes.TippettDisplay.from_predictions(data.y, data.log_likelihood_ratios())
    >>> list(display.frame())
    ['log10_ratio', '0', '1']
    """

    curve: TippettCurve

    title = "Tippett plot: cumulative likelihood ratios of both classes"
    needs = "likelihood ratios of two classes"
    size: ClassVar[tuple[float, float]] = (4.6, 3.4)

    @classmethod
    @answered
    def from_predictions(  # type: ignore[override]
        cls,
        y_true: Column,
        llr: LogLikelihoodRatios | Column,
        *,
        sample_weight: Column | None = None,
        classes: NamesLike | None = None,
        name: str = "",
        ax: Axes | None = None,
    ) -> Self:
        """Return the display for natural log likelihood ratios.

        Parameters
        ----------
        y_true : column of N labels
            The true class of each sample.
        llr : column of N natural log likelihood ratios, or LogLikelihoodRatios
            The target class comes last.
        sample_weight : column of N weights, optional
            How much each sample counts; by default all count the same.
        classes : sequence of K names, optional
            In the order of the columns of scores; the class of interest comes last.
        name : str, optional
            Name of the system, for the legend.
        ax : matplotlib Axes, optional
            Axes to draw on at once.
        """
        curve = tippett_curve(y_true, llr, sample_weight=sample_weight, classes=classes)
        return cls(curve, name=name)._on(ax)

    @classmethod
    @answered
    def from_estimator(  # type: ignore[override]
        cls,
        estimator: Any,  # noqa: ANN401
        X: Any,  # noqa: ANN401, N803
        y: Column,
        *,
        training_priors: PriorsLike,
        **options: Any,  # noqa: ANN401
    ) -> Self:
        """Return the display for a fitted classifier of two classes.

        Its posteriors become likelihood ratios when the training priors are divided out.

        Parameters
        ----------
        estimator : classifier
            Fitted, with `predict_proba` and `classes_`, as in scikit-learn.
        X : features of N samples
            Data that the classifier has not seen.
        y : column of N labels
            The true classes.
        training_priors : float, array of K, or mapping by class
            The priors that its posteriors are at: with `class_weight="balanced"` the same for all.
        """
        scores, classes = predicted(estimator, X)
        given = read_priors(training_priors, names := tuple(classes))
        if given is not None:
            shares = read_samples(y, scores, classes=names).data_priors()
            doubt = contradiction(model_priors(estimator, None), given, names, shares)
            if doubt:
                warnings.warn(f"{doubt}.", UserWarning, stacklevel=3)
        even = scores.at_priors(training_priors, [0.5, 0.5])
        llr = LogLikelihoodRatios(even.ranks())
        known = {"classes": classes, "name": type(estimator).__name__}
        return cls.from_predictions(y, llr, **{**known, **options})

    def frame(self) -> Frame:
        """Return the share of each class above every ratio that occurs."""
        shares = zip(self.curve.roc.classes, self.curve.share_above, strict=True)
        return {"log10_ratio": self.curve.log10_ratios, **{str(c): row for c, row in shares}}

    def _draw(self, axes: Axes) -> None:
        curve = self.curve
        x = curve.log10_ratios
        finite = x[np.isfinite(x)]
        left, right = min(finite.min(initial=0.0), -1.0), max(finite.max(initial=0.0), 1.0)
        axes.axvline(0, label="naive: ratio 1", **REFERENCE)
        misled = curve.misleading
        ways = "above 1", "below 1"
        for i, (name, share) in enumerate(zip(curve.roc.classes, curve.share_above, strict=True)):
            text = self._label(f"{class_of(name)}: {digits(100 * misled[i])} % {ways[i]}")
            edge = np.clip(x, left - 1, right + 1)  # infinite ratios lie outside
            line = {**next_look(axes).line, "drawstyle": "steps-post"}
            draw_system(axes, edge, 100 * share, label=text, **line)
        second = class_of(curve.roc.classes[1])
        axes.set(
            xlabel=f"log10 of the likelihood ratio for {second}",
            ylabel="share with a larger ratio (%)",
            xlim=(left, right),
            ylim=(-1, 101),
        )
        level = curve.roc.levels
        for end, where in (("minus", -np.inf), ("plus", np.inf)):
            n = sum(float(part[level.level == where].sum()) for part in (level.first, level.second))
            note(axes, [f"not drawn: {digits(n)} at {end} infinity"] if n > 0 else [])
