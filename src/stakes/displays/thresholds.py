"""The paper's threshold figure: metrics as a function of the decision threshold."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from stakes._typing import FloatArray
from stakes.displays.figures import BLUE, GREEN, ORANGE, RED, STYLE, new_figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LOOKS = {
    "NEC_b": (BLUE, "-", r"$\mathrm{NEC}_b$"),
    "NEC_b2=1": (ORANGE, (0, (5, 1)), r"$\mathrm{NEC}_{\beta^2=1}$"),
    "NEC_b2=2": (GREEN, (0, (3, 1, 1, 1)), r"$\mathrm{NEC}_{\beta^2=2}$"),
    "1-F1": (RED, (0, (1, 1)), r"$1 - F_{\beta=1}$"),
}


class Curve(Protocol):
    """What the display needs to know of a curve."""

    @property
    def name(self) -> str:
        """Which metric it is."""

    @property
    def values(self) -> FloatArray:
        """Its value at each threshold."""

    @property
    def best_on_grid(self) -> tuple[float, float]:
        """The best threshold and the value there."""

    @property
    def bayes_on_grid(self) -> tuple[float, float] | None:
        """The Bayes threshold and the value there, if the metric has one."""


@dataclass(frozen=True, eq=False)
class ThresholdDisplay:
    """Metrics over thresholds, one panel per system; best and Bayes thresholds are marked."""

    thresholds: FloatArray
    systems: "Mapping[str, Sequence[Curve]]"

    def frame(self) -> list[dict[str, float | str]]:
        """Return the points as rows, one per system and threshold."""
        return [
            {"system": name, "threshold": float(t), **{c.name: float(c.values[i]) for c in curves}}
            for name, curves in self.systems.items()
            for i, t in enumerate(self.thresholds)
        ]

    def plot(self) -> "Figure":
        """Return the figure."""
        figure = new_figure(9.0, 4.0)
        import matplotlib as mpl  # noqa: PLC0415  there, or new_figure would have said so

        with mpl.rc_context(STYLE):
            panels = figure.subplots(1, len(self.systems), squeeze=False, sharey=True)[0]
            for axes, (name, curves) in zip(panels, self.systems.items(), strict=True):
                self._draw(axes, curves)
                axes.set(title=name, xlabel="threshold on the log likelihood ratio", ylim=(0, 1.05))
            panels[0].set_ylabel("metric (lower is better)")
            handles, labels = panels[0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside upper center", ncols=6, frameon=False)
        return figure

    def _draw(self, axes: "Axes", curves: "Sequence[Curve]") -> None:
        """Draw one panel: curves, dots at their best, triangles at their Bayes thresholds."""
        for curve in curves:
            colour, dashes, label = _LOOKS[curve.name]
            axes.plot(self.thresholds, curve.values, color=colour, ls=dashes, lw=1.6, label=label)
            axes.axvline(curve.best_on_grid[0], color=colour, ls=":", lw=0.8)
            axes.plot(*curve.best_on_grid, "o", color=colour, ms=6)
            if curve.bayes_on_grid is not None:
                axes.axvline(curve.bayes_on_grid[0], color=colour, ls="--", lw=0.8)
                axes.plot(*curve.bayes_on_grid, "^", color=colour, ms=7, mfc="white")
        axes.plot([], [], "o", color="black", label="best threshold")
        axes.plot([], [], "^", color="black", mfc="white", label="Bayes threshold")
        axes.set_xlim(float(self.thresholds[0]), float(self.thresholds[-1]))
