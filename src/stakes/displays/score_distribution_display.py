"""The scores of each class, and the thresholds that costs choose."""

from __future__ import annotations

__all__ = ["ScoreDistributionDisplay"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from stakes._foreign_calls import answered
from stakes._typing import Column, CostValues, Label, NamesLike, PriorsLike
from stakes.costs import CostMatrix
from stakes.costs.matrix import declared_classes
from stakes.curves import ScoreDistribution, score_distribution
from stakes.displays.figures import Axes, Frame, ScoreDisplay
from stakes.displays.looks import BLACK, SYSTEM, Dashes, class_of, digits, next_look, note
from stakes.scores import Scores

_DASHES: dict[str, Dashes] = {"Bayes": (0, (4, 2)), "best": (0, (1, 1.5))}


@dataclass(eq=False, repr=False)
class ScoreDistributionDisplay(ScoreDisplay):
    """Histogram of the scores of each class: the share of the class in each bin.

    Parameters
    ----------
    distribution : ScoreDistribution
    thresholds : mapping from name to float, optional
        Drawn as vertical lines.

    See Also
    --------
    score_distribution : the numbers.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> ratios = data.log_likelihood_ratios()
    >>> display = stakes.ScoreDistributionDisplay.from_predictions(data.y, ratios, bins=30)
    >>> list(display.frame())
    ['low', 'high', '0', '1']
    """

    distribution: ScoreDistribution
    thresholds: Mapping[str, float] = field(default_factory=dict)

    title = "scores of each class, with the thresholds implied by the costs"
    size: ClassVar[tuple[float, float]] = (4.6, 3.0)

    @classmethod
    @answered
    def from_predictions(  # type: ignore[override] # noqa: PLR0913
        cls,
        y_true: Column,
        scores: Scores | Column,
        *,
        bins: int = 40,
        costs: CostMatrix | CostValues | None = None,
        priors: PriorsLike | None = None,
        sample_weight: Column | None = None,
        classes: NamesLike | None = None,
        positive: Label | None = None,
        name: str = "",
        ax: Axes | None = None,
    ) -> Self:
        """Return the display for a detector's scores.

        Parameters
        ----------
        y_true : column of N labels
            The true class of each sample.
        scores : array of posteriors, or typed scores
            As in `score_distribution`.
        bins : int, default 40
            Number of bins.
        costs : CostMatrix or array of shape (2, 2), optional
            If given, the Bayes threshold and the best threshold are marked.
        priors : float, array of K, mapping by class, or "data", optional
            How often each class will occur in deployment; by default as often as in the data.
        sample_weight : column of N weights, optional
            How much each sample counts; by default all count the same.
        classes : sequence of K names, optional
            In the order of the columns of scores; the class of interest comes last.
        positive : name, optional
            The class of interest; by default the last.
        name : str, optional
            Name of the system, for the legend.
        ax : matplotlib Axes, optional
            Axes to draw on at once.
        """
        declared = declared_classes(classes, costs, positive=positive)
        found = score_distribution(
            y_true, scores, bins, sample_weight=sample_weight, classes=declared, positive=positive
        )
        if costs is None:
            return cls(found, name=name)._on(ax)
        points = found.detector.points(costs, priors)
        thresholds = {what: point.threshold for what, point in points.items()}
        return cls(found, thresholds, name=name)._on(ax)

    def frame(self) -> Frame:
        """Return the bins, and the share of each class in them."""
        found = self.distribution
        shares = {str(c): row for c, row in zip(found.classes, found.shares, strict=True)}
        return {"low": found.edges[:-1], "high": found.edges[1:], **shares}

    def _draw(self, axes: Axes) -> None:
        found = self.distribution
        edges = found.edges
        for i, (name, share) in enumerate(zip(found.classes, found.shares, strict=True)):
            style = next_look(axes)
            hatch = None if i == 0 else "////"
            face: dict[str, Any] = {"facecolor": style.colour, "edgecolor": style.colour}
            axes.stairs(share, edges, fill=True, alpha=0.25, linewidth=0, hatch=hatch, **face)
            line: dict[str, Any] = {"color": style.colour, "ls": style.dashes, "lw": 1.5}
            axes.stairs(share, edges, label=self._label(class_of(name)), gid=SYSTEM, **line)
        outside = []
        for what, threshold in self.thresholds.items():
            text = self._label(f"{what} threshold {digits(threshold)}")
            if not edges[0] <= threshold <= edges[-1]:
                outside.append(text)
            else:
                axes.axvline(threshold, color=BLACK, lw=1.1, ls=_DASHES.get(what, "-"), label=text)
        scale, last = found.detector.scale, class_of(found.classes[-1])
        axes.set(
            xlabel=f"{scale} of {last}",
            ylabel="share of the class in the bin",
            xlim=(edges[0], edges[-1]),
        )
        axes.set_ylim(0, 1.45 * float(found.shares.max(initial=1e-9)))  # space for the legend
        infinite = [
            f"{digits(100 * share)} % of {class_of(name)} at {end} infinity"
            for end, shares in (("minus", found.below), ("plus", found.above))
            for name, share in zip(found.classes, shares, strict=True)
            if share > 0
        ]
        note(axes, [f"not drawn: {what}" for what in (*infinite, *outside)])
