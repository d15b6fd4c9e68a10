"""What all displays share: matplotlib where it is installed, one style, files that repeat."""

from __future__ import annotations

__all__ = ["DISPLAYS", "Display", "Drawing", "panels", "png", "save_figure"]

import sys
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np

from stakes._check import MissingExtraError
from stakes._files import write_bytes
from stakes._foreign_calls import Answering, answered
from stakes._records import Record
from stakes._registry import Registry
from stakes._typing import Column
from stakes.displays.looks import legend, shown, systems_on
from stakes.evaluation.model_priors import model_priors
from stakes.scores import PosteriorScores, model_scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # noqa: PLC0414  handed on
    from matplotlib.figure import Figure
else:  # of an extra, and slow to load
    Axes = Figure = Any

Frame = dict[str, np.ndarray]
Drawing: TypeAlias = Figure  # matplotlib's, for packages that do not know matplotlib
FIGURE_ENDINGS = (".svg", ".png")  # of the files of one figure

STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "font.size": 9.0,
    "grid.alpha": 0.25,
    "legend.fontsize": 8.0,
    "legend.edgecolor": "none",
    "legend.framealpha": 0.85,
    "svg.fonttype": "path",
    "svg.hashsalt": "stakes",
    "text.usetex": False,  # names come from users, and TeX would run them
}


@dataclass(eq=False, repr=False)
class Display(metaclass=Answering):
    """Base class of displays, which draw numbers that were computed elsewhere.

    `plot` draws it, on its own axes or on given ones, and returns the display; `ax_` and `figure_`
    are then the axes and the figure. `frame` returns the drawn numbers as columns. Several displays
    of one kind may be drawn on the same axes: each takes the next colour and dash.

    A subclass states what it draws (`title`) and from what (`needs`), returns its numbers (`frame`)
    and draws them (`_draw`); figure, style and legend are the same for all.

    Parameters
    ----------
    name : str, optional
        Name of the system, for the legend.

    See Also
    --------
    panels : several displays in one figure.
    save_figure : writes a display to files.
    RocDisplay : one of them.

    Examples
    --------
    Every display has its numbers as columns, so a program can decide too:

    >>> import stakes
    >>> display = stakes.RocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> isinstance(display, stakes.displays.Display), len(display.frame()["threshold"])
    (True, 5)
    """

    title: ClassVar[str]
    needs: ClassVar[str]
    size: ClassVar[tuple[float, float]] = (3.8, 3.6)  # inches, for one column of a paper
    legend_at: ClassVar[Mapping[str, Any]] = {"loc": "best"}

    name: str = field(default="", kw_only=True)  # of the system, for the legend
    ax_: Axes = field(init=False)  # where it was drawn last
    figure_: Figure = field(init=False)

    if not TYPE_CHECKING:  # which would take every attribute for there
        __getattr__ = Record.__getattr__

    @abstractmethod
    def frame(self) -> Frame:
        """Return the drawn numbers as columns of equal length."""

    @abstractmethod
    def _draw(self, axes: Axes) -> None:
        """Draw on axes."""

    def _label(self, text: str) -> str:
        """Return what a legend says of a line: the name of the system, if it has one, and more."""
        return f"{shown(self.name)}: {text}" if self.name else text

    @answered
    def plot(self, ax: Axes | None = None, *, name: str | None = None) -> Self:
        """Draw on given axes, or on a new pyplot figure, and return the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default the axes of a new pyplot figure, for `plt.show()`, `plt.savefig` and
            `plt.close`.
        name : str, optional
            Name of the system, for the legend; by default that of the display.
        """
        if ax is None:
            with pyplot_axes(*self.size) as axes:
                self._draw_all(axes, name)
        else:
            self._draw_all(axes := ax, name)
        self.ax_, self.figure_ = axes, axes.figure  # type: ignore[assignment]
        return self

    def _on(self, ax: Axes | None) -> Self:
        """Return the display, which is drawn at once where axes are given."""
        return self if ax is None else self.plot(ax)

    def _draw_all(self, axes: Axes, name: str | None = None) -> None:
        """Draw with a legend; what other systems on these axes show stays in sight."""
        there = (*axes.get_xlim(), *axes.get_ylim()) if systems_on(axes) else ()
        with styled():
            drawn = self if name is None else replace(self, name=name)
            drawn._draw(axes)
            legend(axes, **drawn.legend_at)
        if there:
            axes.set_xlim(_around(*there[:2], *axes.get_xlim()))
            axes.set_ylim(_around(*there[2:], *axes.get_ylim()))

    def _picture(self) -> Figure:
        """Return what was drawn last, or a new drawing that pyplot does not know."""
        if hasattr(self, "figure_"):
            return self.figure_.canvas.figure  # the whole figure, where axes are in a part of it
        with styled():
            figure = new_figure(*self.size)
            self._draw_all(figure.subplots())
        return figure

    def _repr_png_(self) -> bytes | None:
        """Return the picture for a notebook; None where pyplot has it on the screen."""
        figure = self._picture()
        return None if shown_by_pyplot(figure) else png(figure)

    def __repr__(self) -> str:
        rows = len(next(iter(self.frame().values())))
        name = f"name={self.name!r}, " if self.name else ""
        return f"{type(self).__name__}({name}{rows} rows)"


class ScoreDisplay(Display):
    """A display of labels and scores."""

    needs = "scores of two classes"
    ranks: ClassVar[bool] = False  # whether only the order of scores is drawn, without costs
    compute: ClassVar[Callable[..., Any]]  # of labels and scores; its value is the first field

    @classmethod
    @answered
    def from_predictions(cls, y_true: Column, scores: Any, **options: Any) -> Self:  # noqa: ANN401
        """Return the display for labels and scores.

        Parameters
        ----------
        y_true : column of N labels
            The true class of each sample.
        scores : array of posteriors, or typed scores
            As in the function whose result is drawn.
        **options
            Options of that function; `name` (of the system, for the legend) and other fields of the
            display; `ax` (matplotlib Axes) to draw on at once.
        """
        ax, inside = options.pop("ax", None), [f.name for f in fields(cls) if f.init]
        own = {name: options.pop(name) for name in inside if name in options}
        return cls(cls.compute(y_true, scores, **options), **own)._on(ax)  # type: ignore[call-arg]

    @classmethod
    @answered
    def from_estimator(
        cls,
        estimator: Any,  # noqa: ANN401
        X: Any,  # noqa: ANN401, N803
        y: Column,
        **options: Any,  # noqa: ANN401
    ) -> Self:
        """Return the display for a fitted classifier on data that it has not seen.

        Parameters
        ----------
        estimator : classifier
            With `predict_proba` and `classes_`, as in scikit-learn.
        X : features of N samples
            As its `predict_proba` takes them.
        y : column of N labels
            The true class of each sample.
        **options
            As in `from_predictions`; `name` is that of the estimator's class by default.
        """
        scores, classes = predicted(estimator, X)
        if not cls.ranks or options.get("costs") is not None:
            notice_weights(estimator)
        known = {"classes": classes, "name": type(estimator).__name__}
        return cls.from_predictions(y, scores, **{**known, **options})


DISPLAYS: Registry[Display] = Registry("stakes.displays", Display, "display")  # type: ignore[type-abstract]


def _around(*ends: float) -> tuple[float, float]:
    return min(ends), max(ends)


def predicted(estimator: Any, X: Any) -> tuple[PosteriorScores, list[Any]]:  # noqa: ANN401, N803
    """Return posteriors, named by class, and the classes in the order of their columns."""
    scores = model_scores(estimator, X, argument="estimator")
    return scores, list(scores.names or ())


def notice_weights(estimator: Any, whose: str = "the model") -> None:  # noqa: ANN401
    """Say so where a model weights classes: its posteriors are not at the priors of its data."""
    at = model_priors(estimator, None)
    if at.weighting:
        better = "BayesClassifier" if at.values is not None else "CalibratedClassifier"
        text = f"{whose} does not give posteriors at the priors of its data: {at.weighting}"
        text = f"{text}. Draw those of stakes.sklearn.{better}(model), which moves them there."
        warnings.warn(text, UserWarning, stacklevel=4)


@contextmanager
def styled() -> Iterator[None]:
    """Draw in one style, without a change to anybody else's; say so where matplotlib is missing."""
    with _matplotlib().rc_context(STYLE):
        yield


def _matplotlib() -> Any:  # noqa: ANN401  a module
    try:
        import matplotlib as mpl  # noqa: PLC0415  an extra
    except ImportError as error:
        raise MissingExtraError("drawing needs matplotlib: pip install 'stakes[plot]'") from error
    return mpl


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure that needs no window."""
    from matplotlib.figure import Figure  # noqa: PLC0415  there, or `styled` would have said so

    return Figure(figsize=(width, height), layout="constrained")


@contextmanager
def pyplot_axes(width: float, height: float) -> Iterator[Axes]:
    """Give axes of a new figure that pyplot shows, saves and closes; none is left if this fails.

    Pyplot chooses its backend here, outside the style, since it keeps that choice in the settings
    that the style restores.
    """
    _matplotlib()
    from matplotlib import pyplot as plt  # noqa: PLC0415  of those who plot

    figure = plt.figure(figsize=(width, height), layout="constrained")
    try:
        with styled():
            axes = figure.subplots()
        yield axes
    except BaseException:
        plt.close(figure)
        raise


def shown_by_pyplot(figure: Figure) -> bool:
    """Whether pyplot has a figure on the screen.

    The backend of notebooks shows at the end of a cell all figures that pyplot knows. A figure
    that is shown as the value of the cell is taken from it, so that it is not shown twice.
    """
    plt = sys.modules.get("matplotlib.pyplot")
    manager = figure.canvas.manager
    if plt is None or manager is None or not plt.fignum_exists(manager.num):
        return False
    if "inline" in _matplotlib().get_backend().lower():
        plt.close(figure)
        return False
    from matplotlib.backend_bases import FigureManagerBase  # noqa: PLC0415  an extra

    return plt.isinteractive() and type(manager) is not FigureManagerBase


def panels(
    rows: Sequence[Sequence[Display]],
    titles: Sequence[Sequence[str]] | None = None,
    *,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw displays as the panels of one figure, row by row, under one legend if all share it.

    Parameters
    ----------
    rows : sequence of sequences of displays
        One panel each.
    titles : sequence of sequences of str, optional
        One for each display.
    size : tuple of two floats, optional
        Width and height in inches; by default they follow from the displays.

    Returns
    -------
    matplotlib Figure

    See Also
    --------
    save_figure : writes it.

    Examples
    --------
    >>> import stakes
    >>> y, p = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> kinds = stakes.RocDisplay, stakes.PrecisionRecallDisplay
    >>> figure = stakes.displays.panels([[kind.from_predictions(y, p) for kind in kinds]])
    >>> len(figure.axes)
    2
    """
    height, width = len(rows), max((len(row) for row in rows), default=1)
    with styled():
        across = max((sum(d.size[0] for d in row) for row in rows), default=1.0)
        down = sum(max((d.size[1] for d in row), default=0.0) for row in rows) or 1.0
        figure = new_figure(*(size or (across, down)))
        grid = figure.subplots(max(height, 1), width, squeeze=False)
        for i, row in enumerate(rows):
            for j, display in enumerate(row):
                display.plot(grid[i, j])
                if titles is not None:
                    grid[i, j].set_title(titles[i][j])
            for axes in grid[i, len(row) :]:
                axes.remove()
        _share_legend(figure, figure.axes)
    return figure


def _share_legend(figure: Figure, grid: list[Axes]) -> None:
    """Put one legend above all panels where they say the same."""
    entries = [axes.get_legend_handles_labels() for axes in grid]
    labels = {tuple(dict.fromkeys(names)) for _, names in entries}
    shared = len(labels) == 1 and bool(entries[0][1])
    for axes, own in ((axes, axes.get_legend()) for axes in grid):
        if shared and own is not None:
            own.remove()
        elif own is not None and own.get_bbox_to_anchor().height == 0 and axes.get_title():
            rows = -(-len(own.get_texts()) // 2)  # the title goes over a legend above the axes
            axes.set_title(axes.get_title(), pad=10.0 + 13.0 * rows)
    if shared:
        unique = dict(zip(entries[0][1], entries[0][0], strict=True))
        texts, columns = list(unique), min(len(unique), 7)
        figure.legend(list(unique.values()), texts, loc="outside upper center", ncols=columns)


def png(drawn: Display | Figure, dpi: float = 150) -> bytes:
    """Return a display or figure as PNG; the same numbers give the same bytes.

    A display that was not plotted is drawn only for this: pyplot is not needed, and no figure stays
    open.

    Parameters
    ----------
    drawn : Display or Figure
    dpi : float, default 150
        Dots per inch.

    Returns
    -------
    bytes

    See Also
    --------
    save_figure : writes SVG and PNG to files.

    Examples
    --------
    >>> import stakes
    >>> display = stakes.RocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> stakes.displays.png(display)[1:4]
    b'PNG'
    """
    return _bytes(drawn, format="png", dpi=dpi, metadata={"Software": None})


def svg(drawn: Display | Figure) -> bytes:
    """Return a figure, or that of a display, as SVG; the same numbers give the same bytes."""
    return _bytes(drawn, format="svg", metadata={"Date": None})


def _bytes(drawn: Display | Figure, **options: Any) -> bytes:  # noqa: ANN401
    figure = drawn._picture() if isinstance(drawn, Display) else drawn
    stream = BytesIO()
    with styled():
        figure.savefig(stream, **options)
    return stream.getvalue()


def save_figure(drawn: Display | Figure, stem: str | Path) -> list[Path]:
    """Write a display or figure as SVG and PNG, without opening a window.

    Parameters
    ----------
    drawn : Display or Figure
    stem : path
        Path without the extension.

    Returns
    -------
    list of Path
        The two files.

    See Also
    --------
    panels : several displays in one figure.
    png : the bytes alone.

    Examples
    --------
    >>> import stakes
    >>> from tempfile import TemporaryDirectory
    >>> display = stakes.RocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> with TemporaryDirectory() as folder:
    ...     [path.name for path in stakes.displays.save_figure(display, f"{folder}/roc")]
    ['roc.svg', 'roc.png']
    """
    figure = drawn._picture() if isinstance(drawn, Display) else drawn
    contents = (svg(figure), png(figure))
    paths = [Path(f"{stem}{ending}") for ending in FIGURE_ENDINGS]
    written = dict(zip(paths, contents, strict=True))
    for path, content in written.items():
        write_bytes(path, content)
    return list(written)
