"""Differences between systems, with intervals, against the line of no difference."""

from __future__ import annotations

__all__ = ["ComparisonDisplay"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from stakes._check import InputError
from stakes._foreign_calls import answered
from stakes._text import quoted
from stakes._typing import Column
from stakes.displays.figures import Axes, Frame, ScoreDisplay, notice_weights, predicted
from stakes.displays.looks import BLUE, GREY, RED, note, shown, with_interval
from stakes.evaluation import Comparison, compare
from stakes.evaluation.differences import Difference

# Colour, mark and words by whether the system is better, worse, or not distinguishable.
_KINDS = {
    "better": (BLUE, "o", BLUE, "better than the reference"),
    "worse": (RED, "X", RED, "worse"),
    "open": (GREY, "o", "white", "not distinguishable"),
}


@dataclass(eq=False, repr=False)
class ComparisonDisplay(ScoreDisplay):
    """Forest plot of differences: each metric of each system minus that of the reference.

    Parameters
    ----------
    comparison : Comparison
    metrics : sequence of names, optional
        By default the normalised ones and the AUC.

    See Also
    --------
    compare : the numbers.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> good, bad = data.posteriors([0.9, 0.1]), data.posteriors([0.5, 0.5])
    >>> result = stakes.compare(data.y, {"plain": good, "balanced": bad})
    >>> stakes.ComparisonDisplay(result, ["cost.nec", "auc"]).frame()["distinguishable"].tolist()
    [True, False]
    """

    comparison: Comparison
    metrics: Sequence[str] | None = None  # by default normalised ones and the AUC

    title = "differences between systems, with intervals"
    needs = "scores of several systems"
    compute = compare

    @classmethod
    @answered
    def from_predictions(  # type: ignore[override]
        cls,
        y_true: Column,
        systems: Mapping[str, Any],
        **options: Any,  # noqa: ANN401
    ) -> Self:
        """Return the display for labels and the scores of several systems.

        Parameters
        ----------
        y_true : column of N labels
            The true class of each sample.
        systems : mapping from name to scores
            As in `compare`.
        """
        return super().from_predictions(y_true, systems, **options)

    @classmethod
    @answered
    def from_estimator(
        cls,
        estimator: Mapping[str, Any],
        X: Any,  # noqa: ANN401, N803
        y: Column,
        **options: Any,  # noqa: ANN401
    ) -> Self:
        """Return the display for fitted classifiers on data that they have not seen.

        Parameters
        ----------
        estimator : mapping from name to fitted classifier
            The classifiers to compare.
        X : features of N samples
            Data that the classifiers have not seen.
        y : column of N labels
            The true classes.
        """
        answers = {name: predicted(one, X) for name, one in estimator.items()}
        orders = {tuple(classes) for _, classes in answers.values()}
        if len(orders) != 1:
            rule = "must map names to classifiers of the same classes"
            raise InputError("estimator", rule, orders)
        for name, one in estimator.items():
            notice_weights(one, f"model {name!r}")
        systems = {name: p for name, (p, _) in answers.items()}
        return cls.from_predictions(y, systems, **{"classes": orders.pop(), **options})

    @property
    def legend_at(self) -> Mapping[str, Any]:  # type: ignore[override]
        """Position of the legend: above the differences, under the name."""
        above = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": 3}
        return above | ({"title": shown(self.name)} if self.name else {})

    @property
    def differences(self) -> list[Difference]:
        """The differences that are drawn, from top to bottom."""
        known = list(dict.fromkeys(d.metric for d in self.comparison.differences))
        if self.metrics is None:
            wanted = [m for m in known if m.endswith((".nec", ".normalized")) or m == "auc"]
        else:
            wanted = list(self.metrics)
            unknown = [m for m in wanted if m not in known]
            if unknown:
                rule = f"must be some of {quoted(known, most=20)}"
                raise InputError("metrics", rule, quoted(unknown))
        return [d for m in wanted for d in self.comparison.differences if d.metric == m]

    def frame(self) -> Frame:
        """Return the differences: system, metric, value, low, high, distinguishable."""
        rows = self.differences
        bands = [d.difference.interval for d in rows]
        return {
            "system": np.array([d.system for d in rows], dtype=object),
            "metric": np.array([d.metric for d in rows], dtype=object),
            "difference": np.array([d.difference.value for d in rows]),
            "low": np.array([np.nan if b is None else b.low for b in bands]),
            "high": np.array([np.nan if b is None else b.high for b in bands]),
            "distinguishable": np.array([d.distinguishable for d in rows], dtype=np.bool_),
        }

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        """Size in inches; each row has the same height."""
        return 5.4, 1.3 + 0.3 * len(self.differences)

    def _draw(self, axes: Axes) -> None:
        rows = self.differences
        axes.axvline(0, color=GREY, linewidth=1.0)
        several, names = len(self.comparison.systems) > 2, []
        for place, row in enumerate(rows):
            _draw_row(axes, place, row)
            of = f"{shown(row.system, 20)}: " if several else ""
            names.append(f"{of}{shown(row.metric)} {'↓' if row.better == 'lower' else '↑'}")
        axes.set_yticks(range(len(rows)), names)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
        for spine in ("left", "right", "top"):
            axes.spines[spine].set_visible(False)
        axes.tick_params(axis="y", length=0)
        reference = shown(self.comparison.reference)
        system = "system" if several else shown(rows[0].system if rows else "system")
        axes.set_xlabel(f"{system} minus {reference}")
        level = f"{100 * self.comparison.level:g} % intervals"
        note(axes, [f"{level}; ↓ lower is better, ↑ higher is better"])
        for kind, (colour, mark, fill, text) in _KINDS.items():
            if kind in map(_kind, rows):
                axes.plot([], [], mark, color=colour, mfc=fill, ls="none", label=text)


def _kind(difference: Difference) -> str:
    if not difference.distinguishable:
        return "open"
    return "better" if difference.wins else "worse"


def _draw_row(axes: Axes, place: int, row: Difference) -> None:
    """Draw one difference, and write it at the right edge."""
    colour, mark, fill, _ = _KINDS[_kind(row)]
    band = row.difference.interval
    if band is not None:
        axes.plot([band.low, band.high], [place, place], color=colour, linewidth=1.6)
    axes.plot(row.difference.value, place, mark, color=colour, mfc=fill, ms=6, zorder=3)
    text = with_interval(row.difference) + ("" if band is not None else " (no interval)")
    where: dict[str, Any] = {"xycoords": axes.get_yaxis_transform(), "annotation_clip": False}
    axes.annotate(text, (1.02, place), va="center", fontsize=8.0, **where)
