"""The paper's scatter figure: a traditional metric against the cost it is tied to."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stakes.displays.figures import BLUE, GREY, ORANGE, STYLE, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANELS = (("NEC_b", "MCC"), ("NEC_b2=1", "F1"), ("NEC_b2=2", "F1"))
_TITLES = {
    "NEC_b": r"$\mathrm{NEC}_b$",
    "NEC_b2=1": r"$\mathrm{NEC}_{\beta^2=1}$",
    "NEC_b2=2": r"$\mathrm{NEC}_{\beta^2=2}$",
    "F1": r"$F_{\beta=1}$",
    "MCC": "MCC",
}


@dataclass(frozen=True)
class MetricScatterDisplay:
    """Systems as points: a normalised expected cost on x, a traditional metric on y."""

    points: dict[str, dict[str, list[float]]]

    def frame(self) -> list[dict[str, float | str]]:
        """Return the points as rows, one per system."""
        return [
            {"data": name, **dict(zip(columns, row, strict=True))}
            for name, columns in self.points.items()
            for row in zip(*columns.values(), strict=True)
        ]

    def plot(self) -> "Figure":
        """Return the figure: one row per data set, one column per pair of metrics."""
        figure = new_figure(9.0, 3.0 * len(self.points))
        import matplotlib as mpl  # noqa: PLC0415  there, or new_figure would have said so

        with mpl.rc_context(STYLE):
            grid = figure.subplots(len(self.points), len(_PANELS), squeeze=False)
            for row, (name, columns) in zip(grid, self.points.items(), strict=True):
                for axes, (x, y) in zip(row, _PANELS, strict=True):
                    _draw(axes, columns[x], columns[y])
                    axes.set(xlabel=_TITLES[x], ylabel=_TITLES[y], title=f"${name}$")
            handles, labels = grid[0, 0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
        return figure


def _draw(axes: "Axes", x: list[float], y: list[float]) -> None:
    """Draw one panel; systems that do not beat the naive one are crosses."""
    useful = [a < 1 - 1e-12 for a in x]
    kinds = (True, BLUE, "better than the naive system"), (False, ORANGE, "not better")
    for keep, colour, label in kinds:
        chosen = [(a, b) for a, b, u in zip(x, y, useful, strict=True) if u == keep]
        if chosen:
            marker = "o" if keep else "x"
            xs, ys = zip(*chosen, strict=True)
            axes.scatter(xs, ys, s=9, c=colour, marker=marker, lw=0.7, label=label)
    axes.axvline(1, color=GREY, lw=1, ls="--", label="naive system")
    axes.set_xlim(-0.05, 2)
