"""Displays and pyplot: axes and names everywhere, figures that pyplot shows and closes."""

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from inspect import ismethod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression

import stakes
from stakes.displays import DISPLAYS, Display, panels, png, save_figure
from stakes.displays.figures import ScoreDisplay

DATA = stakes.simulation.simulate(2, n=300)
P = np.exp(DATA.posteriors([0.9, 0.1]).log_posteriors())
LLR = DATA.log_likelihood_ratios()
MODEL = LogisticRegression().fit(LLR.values[:, None], DATA.y)
X = LLR.values[:, None]
OF_SYSTEMS = "scores of several systems"
RESPONSES = stakes.Responses(DATA.y == 1, P[:, 1])
DECISIONS = np.asarray(stakes.CostMatrix.zero_one(2).bayes_decisions(P))


def arguments(kind: type[Display], constructor: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return what a named constructor of a display takes, by what the display needs."""
    if constructor == "from_responses":
        return (RESPONSES,), {}
    if constructor == "from_decisions":
        return (DATA.y, DECISIONS), {}
    if constructor == "from_estimator":
        if kind.needs == OF_SYSTEMS:
            return ({"one": MODEL, "two": MODEL}, X, DATA.y), {}
        ratios = kind.needs.startswith("likelihood ratios")
        return (MODEL, X, DATA.y), {"training_priors": [0.9, 0.1]} if ratios else {}
    scores = {"likelihood ratios of two classes": LLR, OF_SYSTEMS: {"one": P, "two": P[:, 1]}}
    return (DATA.y, scores.get(kind.needs, P)), {}


def constructors() -> Iterator[tuple[str, type[Display], str]]:
    """Yield every named constructor of every display."""
    for name, kind in DISPLAYS.classes.items():
        for constructor in dir(kind):
            if constructor.startswith("from_") and ismethod(getattr(kind, constructor)):
                yield f"{name}.{constructor}", kind, constructor


NAMED = {name: (kind, constructor) for name, kind, constructor in constructors()}


def make(which: str, **options: Any) -> Display:  # noqa: ANN401
    kind, constructor = NAMED[which]
    given, more = arguments(kind, constructor)
    return getattr(kind, constructor)(*given, **more, **options)


def unplotted(which: str, **options: Any) -> Display:  # noqa: ANN401
    kind = DISPLAYS.classes[which]
    if issubclass(kind, ScoreDisplay):
        return make(f"{which}.from_predictions", **options)
    if f"{which}.from_responses" in NAMED:
        return make(f"{which}.from_responses", **options)
    return stakes.MetricScatterDisplay(np.array([0.3, 1.2]), np.array([0.9, 0.1]), **options)


def texts(figure: Any) -> str:  # noqa: ANN401
    found = figure.findobj(lambda artist: hasattr(artist, "get_text"))
    return "\n".join(artist.get_text() for artist in found)


def test_every_display_of_scores_has_its_named_constructors() -> None:
    for name, kind in DISPLAYS.classes.items():
        if issubclass(kind, ScoreDisplay):
            assert {f"{name}.from_predictions", f"{name}.from_estimator"} <= set(NAMED)
    assert {"ConfusionDisplay.from_decisions", "ReliabilityDisplay.from_confidences"} <= set(NAMED)


@pytest.mark.parametrize("name", NAMED)
def test_constructors_draw_at_once_on_given_axes_and_say_the_name(name: str) -> None:
    axes = Figure().subplots(1, 2)
    display = make(name, ax=axes[1], name="winter")
    assert display.ax_ is axes[1]
    assert display.figure_ is axes[1].figure
    assert axes[1].has_data()
    assert not axes[0].has_data()
    assert "winter" in texts(display.figure_)
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", NAMED)
def test_constructors_without_axes_draw_nothing(name: str) -> None:
    display = make(name)
    assert not hasattr(display, "ax_")
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", DISPLAYS.classes)
def test_plot_draws_on_a_new_figure_of_pyplot(name: str) -> None:
    display = unplotted(name)
    assert display.plot() is display
    assert plt.gcf() is display.figure_
    assert plt.gca() is display.ax_
    display.plot()
    assert len(plt.get_fignums()) == 2


@pytest.mark.parametrize("name", DISPLAYS.classes)
def test_plot_takes_axes_and_a_name_for_this_drawing(name: str) -> None:
    display = unplotted(name, name="summer")
    axes = Figure().subplots()
    display.plot(axes, name="winter")
    assert "winter" in texts(axes.figure)
    assert "summer" not in texts(axes.figure)
    assert display.name == "summer"
    assert "summer" in texts(display.plot().figure_)


@pytest.mark.parametrize("name", DISPLAYS.classes)
def test_a_repr_is_one_short_line(name: str) -> None:
    told = repr(unplotted(name, name="winter"))
    assert told.startswith(f"{name}(name='winter', ")
    assert len(told) < 80


@pytest.mark.parametrize("name", DISPLAYS.classes)
def test_pictures_for_files_and_notebooks_open_no_figure(name: str, tmp_path: Path) -> None:
    display = unplotted(name)
    pictures = (display._repr_png_(), png(display), png(panels([[display]])))
    assert all(p is not None and p.startswith(b"\x89PNG") for p in pictures)
    assert [path.suffix for path in save_figure(unplotted(name), tmp_path / "x")] == [
        ".svg",
        ".png",
    ]
    assert plt.get_fignums() == []


def test_a_model_gives_its_name() -> None:
    display = make("RocDisplay.from_estimator")
    assert display.name == "LogisticRegression"
    assert make("RocDisplay.from_estimator", name="mine").name == "mine"


def test_what_was_changed_after_plotting_is_shown() -> None:
    display = unplotted("RocDisplay").plot(Figure().subplots())
    before = display._repr_png_()
    assert display._repr_png_() == before
    display.ax_.set_title("Winter of 2025")
    assert display._repr_png_() == png(display) == png(display.figure_) != before


def test_axes_of_a_part_of_a_figure_show_the_whole() -> None:
    figure = plt.figure()
    left, right = figure.subfigures(1, 2)  # type: ignore[misc]
    right.suptitle("beside")
    display = unplotted("RocDisplay").plot(left.subplots())
    assert png(display) == png(figure)


def test_a_loop_warns_as_pyplot_does() -> None:
    """Pyplot warns once, of more figures than its setting; closed ones do not count."""
    display = unplotted("RiskCoverageDisplay")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(25):
            display.plot()
            plt.close()
        for _ in range(25):
            display.plot(Figure().subplots())
            display._repr_png_()
        for _ in range(plt.rcParams["figure.max_open_warning"]):
            display.plot()
    with pytest.warns(RuntimeWarning, match="More than 20 figures"):
        display.plot()


def test_a_drawing_that_fails_leaves_no_figure() -> None:
    display = unplotted("RocDisplay", name="x")
    display.name = None  # type: ignore[assignment]
    display.points = 3  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        display.plot()
    assert plt.get_fignums() == []


def test_systems_on_the_same_axes_stay_in_sight() -> None:
    """The axes are as wide as the widest system needs, whichever is drawn last."""
    poor = np.clip(0.2 + 0.6 * P, 0, 1)[:, ::-1]
    for kind in (stakes.RiskCoverageDisplay, stakes.ThresholdSweepDisplay, stakes.RiskDisplay):
        systems = [kind.from_predictions(DATA.y, p) for p in (P, poor / poor.sum(1)[:, None])]
        alone = [s.plot(Figure().subplots()).ax_ for s in systems]
        tops = [axes.get_ylim()[1] for axes in alone]
        for order in (systems, systems[::-1]):
            axes = Figure().subplots()
            for system in order:
                system.plot(axes)
            assert axes.get_ylim()[1] == max(tops)


def test_a_window_that_shows_a_figure_is_not_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.backend_bases import FigureManagerBase  # noqa: PLC0415

    display = unplotted("RocDisplay").plot()
    assert display._repr_png_() is not None  # Agg shows nothing
    manager = display.figure_.canvas.manager
    monkeypatch.setattr(manager, "__class__", type("OfWindows", (FigureManagerBase,), {}))
    assert display._repr_png_() is not None  # not shown before plt.show()
    monkeypatch.setattr(plt, "isinteractive", lambda: True)
    assert display._repr_png_() is None


def test_the_backend_of_notebooks_does_not_show_the_value_of_a_cell_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It shows what pyplot knows at the end of a cell; tests/test_notebooks.py runs real cells."""
    value, other = unplotted("RocDisplay").plot(), unplotted("DetDisplay").plot()
    monkeypatch.setattr("matplotlib.get_backend", lambda: "inline")
    assert value._repr_png_() is not None
    assert [plt.figure(number) for number in plt.get_fignums()] == [other.figure_]


SCRIPT = """
import sys
import stakes
display = stakes.RocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="mine")
display._repr_png_()
stakes.displays.save_figure(display, "saved")
stakes.displays.png(stakes.displays.panels([[display]]))
assert "matplotlib.pyplot" not in sys.modules, "pyplot is for those who plot"
display = stakes.RocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="mine")
display.plot()
import matplotlib.pyplot as plt
plt.show()
plt.savefig("shown.png")
print(plt.gcf() is display.figure_)
"""


def test_a_plain_script_plots_and_saves(tmp_path: Path) -> None:
    top = str(Path(stakes.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-W", "ignore:FigureCanvasAgg is non-interactive", "-c", SCRIPT],
        capture_output=True,
        check=False,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": top, "MPLBACKEND": "agg"},
        timeout=120,
    )
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr
    picture = plt.imread(tmp_path / "shown.png")
    assert (picture[..., :3].min(axis=-1) < 0.9).mean() > 0.01  # not empty
    assert (tmp_path / "saved.svg").exists()


@pytest.mark.parametrize("name", ["", "naive Bayes", "gradient boosting, second year"])
def test_a_long_name_leaves_the_axes_their_place(name: str) -> None:
    display = stakes.ReliabilityDisplay.from_predictions(
        [0, 1, 0, 1], [0.1, 0.7, 0.4, 0.9], name=name
    ).plot()
    display.figure_.draw_without_rendering()
    assert display.ax_.get_position().width > 0.6
