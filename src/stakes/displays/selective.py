"""Decisions that may abstain: what the price of abstaining does, and risk against coverage."""

__all__ = ["AbstentionDisplay", "RiskCoverageDisplay"]

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from stakes._typing import Column, NamesLike, PriorsLike
from stakes.costs import CostMatrix
from stakes.curves import (
    AbstentionCurve,
    RiskCoverageCurve,
    abstention_curve,
    risk_coverage_curve,
)
from stakes.displays.figures import Frame, ScoreDisplay
from stakes.displays.looks import (
    REFERENCE,
    digits,
    draw_system,
    labelled,
    legend,
    look,
    next_look,
    note,
)
from stakes.samples import read_samples
from stakes.scores import Scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False)
class AbstentionDisplay(ScoreDisplay):
    """Normalised cost and share of abstentions of Bayes decisions against the price of abstaining.

    Both are fractions: at 1 the cost is that of the naive system, which may abstain too.

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

    size = (4.6, 3.4)

    @classmethod
    def from_predictions(  # noqa: PLR0913
        cls,
        y_true: Column,
        scores: Scores | Column,
        *,
        prices: Sequence[float] | None = None,
        costs: CostMatrix | None = None,
        level: float = 0.95,
        priors: PriorsLike | None = None,
        sample_weight: Column | None = None,
        classes: NamesLike | None = None,
    ) -> Self:
        """Return the display of scores; arguments as for `abstention_curve`."""
        curve = abstention_curve(
            y_true,
            scores,
            prices,
            costs=costs,
            priors=priors,
            sample_weight=sample_weight,
            classes=classes,
        )
        return cls(curve, level)

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

    def _draw(self, axes: "Axes") -> None:
        rows = self.frame()
        order = np.argsort(rows["price"], kind="stable")
        price, value, low, high, rate = (
            rows[c][order] for c in ("price", "normalized", "low", "high", "abstention_rate")
        )
        cost, share = look(0), look(1)
        axes.axhline(1, label="naive", **REFERENCE)
        axes.fill_between(price, low, high, color=cost.colour, alpha=0.15, linewidth=0)
        axes.plot(price, value, label="normalised cost", linewidth=1.6, **cost.line)
        axes.plot(price, rate, label="share of abstentions", linewidth=1.6, **share.line)
        top = max(1.05, 1.05 * float(np.nanmax(np.append(value, 0.0))))
        axes.set(
            xlabel="price of abstaining",
            ylabel="normalised cost, share of cases",
            xlim=(0, float(price[-1])),
            ylim=(0, top),
        )
        note(axes, ["no normalised cost where abstaining is free"] if np.isnan(value).any() else [])
        legend(axes, loc="best")


@dataclass(eq=False)
class RiskCoverageDisplay(ScoreDisplay):
    """Share of wrong answers among those given, if the least sure ones are withheld.

    `naive` is the error rate of always answering the most frequent class.

    Examples
    --------
    >>> import stakes
    >>> display = stakes.RiskCoverageDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.45, 0.9])
    >>> display.frame()["risk"].tolist()
    [0.0, 0.0, 0.0, 0.25]
    """

    curve: RiskCoverageCurve
    naive: float
    name: str = ""

    size = (4.2, 3.2)

    @classmethod
    def from_predictions(
        cls,
        y_true: Column,
        scores: Scores | Column,
        *,
        priors: PriorsLike | None = None,
        sample_weight: Column | None = None,
        classes: NamesLike | None = None,
        name: str = "",
    ) -> Self:
        """Return the display of scores; arguments as for `risk_coverage_curve`."""
        samples = read_samples(
            y_true, scores, priors=priors, sample_weight=sample_weight, classes=classes
        )
        curve = risk_coverage_curve(
            y_true, scores, priors=priors, sample_weight=sample_weight, classes=classes
        )
        naive = CostMatrix.zero_one(samples.classes).naive(samples.priors)[1]
        return cls(curve, naive, name)

    def frame(self) -> Frame:
        """Return coverage, risk among the answers, and risk among all samples."""
        curve = self.curve
        return {
            "coverage": curve.coverage,
            "risk": curve.risk,
            "joint_risk": curve.joint_risk,
        }

    def _draw(self, axes: "Axes") -> None:
        style = next_look(axes)
        curve = self.curve
        top = 1.15 * float(curve.risk.max())
        far = top > 0 and self.naive > 3 * top
        where = " (far above)" if far else ""
        axes.axhline(self.naive, label=f"naive: {digits(self.naive)}{where}", **REFERENCE)
        text = labelled(self.name, f"area {digits(curve.area())}")
        draw_system(axes, curve.coverage, curve.risk, label=text, **style.line)
        axes.set(
            xlabel="coverage: share of cases answered",
            ylabel="risk: share of answers that are wrong",
            xlim=(0, 1.005),
        )
        axes.set_ylim(0, top if far else max(top, 1.1 * self.naive))
        legend(axes, loc="best")
