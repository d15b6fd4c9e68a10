"""The confusion matrix with what each cell costs."""

from __future__ import annotations

__all__ = ["ConfusionDisplay"]

from dataclasses import dataclass
from typing import Self

import numpy as np

from stakes._foreign_calls import answered
from stakes._text import number
from stakes._typing import Column, CostValues, FloatArray, Names, NamesLike, PriorsLike
from stakes.costs import CostMatrix
from stakes.costs.matrix import as_cost_matrix, check_order, declared_classes
from stakes.curves.selective import bayes_counts
from stakes.displays.figures import Axes, Frame, ScoreDisplay
from stakes.displays.looks import digits, shown
from stakes.metrics import ConfusionMatrix, confusion_matrix
from stakes.results import ExpectedLoss
from stakes.samples import read_samples
from stakes.scores import Scores

_MOST_TEXTS = 12  # classes or decisions beyond which words do not fit into a cell
_MOST_WORDS = 4
_MOST_NAMES = 40


@dataclass(eq=False, repr=False)
class ConfusionDisplay(ScoreDisplay):
    """Counts, rates and costs of each cell: truth in rows, decision in columns.

    The darker a cell, the larger its share of the class. The cost of a cell is what it adds to the
    expected cost, c_ij P_i R_ij; the sum is compared with the naive system under the table.

    Parameters
    ----------
    matrix : ConfusionMatrix
    costs : CostMatrix
    cost : ExpectedLoss
        Expected cost of all cells together.
    cells : array
        What each cell adds to the expected cost.

    See Also
    --------
    confusion_matrix : the numbers.

    Examples
    --------
    >>> import stakes
    >>> costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    >>> y, p = [0, 0, 0, 1], [0.1, 0.1, 0.3, 0.9]
    >>> stakes.ConfusionDisplay.from_predictions(y, p, costs=costs).frame()["cost"].tolist()
    [0.0, 0.25, 0.0, 0.0]
    """

    matrix: ConfusionMatrix
    costs: CostMatrix
    cost: ExpectedLoss
    cells: FloatArray  # what each cell adds to the cost

    title = "confusion matrix with the cost of each cell"
    needs = "scores"

    @classmethod
    @answered
    def from_predictions(  # type: ignore[override] # noqa: PLR0913
        cls,
        y_true: Column,
        scores: Scores | Column,
        *,
        costs: CostMatrix | CostValues | None = None,
        priors: PriorsLike | None = None,
        sample_weight: Column | None = None,
        classes: NamesLike | None = None,
        name: str = "",
        ax: Axes | None = None,
    ) -> Self:
        """Return the display for the Bayes decisions of scores at given costs.

        Parameters
        ----------
        y_true : column of N labels
            The true class of each sample.
        scores : array of posteriors, or typed scores
            As in `bayes_cost`.
        costs : CostMatrix or array of shape (K, M), optional
            By default 1 for each error.
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
        """
        declared = declared_classes(classes, costs)
        samples = read_samples(y_true, scores, priors, sample_weight, declared)
        matrix = as_cost_matrix(costs, samples.classes)
        check_order(matrix, samples.classes)
        counts = bayes_counts(samples, matrix)
        return cls._from_counts(counts, matrix, samples.given_priors, name)._on(ax)

    @classmethod
    @answered
    def from_decisions(  # noqa: PLR0913  those of `expected_cost`
        cls,
        y_true: Column,
        y_pred: Column,
        *,
        costs: CostMatrix | CostValues | None = None,
        priors: PriorsLike | None = None,
        sample_weight: Column | None = None,
        classes: NamesLike | None = None,
        decisions: NamesLike | None = None,
        name: str = "",
        ax: Axes | None = None,
    ) -> Self:
        """Return the display for given decisions.

        Parameters
        ----------
        y_true : column of N labels
            The true class of each sample.
        y_pred : column of N decisions
            The decision for each sample.
        costs : CostMatrix or array of shape (K, M), optional
            By default 1 for each error.
        priors : float, array of K, mapping by class, or "data", optional
            How often each class will occur in deployment; by default as often as in the data.
        sample_weight : column of N weights, optional
            How much each sample counts; by default all count the same.
        classes : sequence of K names, optional
            In the order of the columns of scores; the class of interest comes last.
        decisions : sequence of M names, optional
            Names of the decisions; by default the classes.
        name : str, optional
            Name of the system, for the legend.
        ax : matplotlib Axes, optional
            Axes to draw on at once.
        """
        if isinstance(costs, CostMatrix):
            classes = costs.classes if classes is None else classes
            decisions = costs.decisions if decisions is None else decisions
        counts = confusion_matrix(
            y_true, y_pred, classes=classes, decisions=decisions, sample_weight=sample_weight
        )
        if costs is not None and not isinstance(costs, CostMatrix):
            costs = CostMatrix(costs, classes=counts.classes, decisions=counts.decisions)
        matrix = as_cost_matrix(costs, counts.classes)
        check_order(matrix, counts.classes)
        return cls._from_counts(counts, matrix, priors, name)._on(ax)

    @classmethod
    def _from_counts(
        cls, counts: ConfusionMatrix, costs: CostMatrix, priors: PriorsLike | None, name: str
    ) -> Self:
        cost = counts.expected_cost(costs, priors)
        return cls(counts, costs, cost, counts.cell_costs(costs, priors), name=name)

    def frame(self) -> Frame:
        """Return the cells: class, decision, count, rate within the class, and cost."""
        rows, columns = np.divmod(np.arange(self.cells.size), len(self.matrix.decisions))
        return {
            "class": np.array(self.matrix.classes, dtype=object)[rows],
            "decision": np.array(self.matrix.decisions, dtype=object)[columns],
            "count": self.matrix.counts.ravel(),
            "rate": self.matrix.rates.ravel(),
            "cost": self.cells.ravel(),
        }

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        """Size in inches; cells keep their size while there are few."""
        k, m = len(self.matrix.classes), len(self.matrix.decisions)
        if max(k, m) <= _MOST_WORDS:
            return 1.4 + 1.05 * max(m, 2), 1.0 + 0.95 * max(k, 2)
        return min(1.6 + 0.4 * m, 7.0), min(1.6 + 0.4 * k, 7.0)

    def _draw(self, axes: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415  an extra

        rates = self.matrix.rates
        k, m = rates.shape
        shades = LinearSegmentedColormap.from_list("stakes", ["#FFFFFF", "#56B4E9", "#00517F"])
        filled = np.ma.masked_invalid(rates)
        image = axes.imshow(filled, cmap=shades.with_extremes(bad="#EEEEEE"), vmin=0, vmax=1)
        axes.grid(visible=False)
        if max(k, m) <= _MOST_TEXTS:
            self._write_cells(axes, rates)
        else:
            axes.figure.colorbar(image, ax=axes, label="share of the class", shrink=0.8)
        axes.set_xticks(*_ticks(self.matrix.decisions), rotation=0 if m <= 3 else 90)
        axes.set_yticks(*_ticks(self.matrix.classes))
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        cost, naive = digits(self.cost.value), digits(self.cost.naive)
        known = "undefined" if self.cost.undefined is not None else digits(self.cost.normalized)
        summary = f"expected cost {cost}, naive {naive}\nnormalised cost {known}"
        axes.set(xlabel=f"decision\n{summary}", ylabel="truth")
        if self.name:
            axes.set_title(shown(self.name))

    def _write_cells(self, axes: Axes, rates: FloatArray) -> None:
        """Write count, rate and cost into each cell; in a crowd, the count alone."""
        counts, few = self.matrix.counts, max(rates.shape) <= _MOST_WORDS
        size = 9.0 if few else 7.0
        for i, j in np.ndindex(*rates.shape):
            lines = [number(float(counts[i, j]))]
            if few:
                rate = "no samples" if np.isnan(rates[i, j]) else f"{100 * rates[i, j]:.3g} %"
                lines += [rate, f"cost {digits(float(self.cells[i, j]))}"]
            colour = "white" if rates[i, j] > 0.6 else "black"
            text = "\n".join(lines) if few or counts[i, j] else ""
            axes.text(j, i, text, ha="center", va="center", color=colour, fontsize=size)


def _ticks(names: Names) -> tuple[list[int], list[str]]:
    """Return places and names for an axis; of very many, every n-th."""
    step = 1 + (len(names) - 1) // _MOST_NAMES
    places = list(range(0, len(names), step))
    return places, [shown(names[i], 16) for i in places]
