"""Colours, dashes, names and lines: what makes a picture readable in colour and in grey."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes._text import fixed, number, plain
from stakes._typing import FloatArray, IntArray
from stakes.results import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours of Okabe and Ito, distinct for the colour-blind; dashes and marks are, in grey.
BLUE, RED, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
PURPLE, SKY = "#CC79A7", "#56B4E9"
GREY, BLACK = "#6B6B6B", "#000000"

Dashes = str | tuple[int, tuple[float, ...]]
SYSTEM = "stakes-system"  # marks the main lines of a display, so that the next one looks different
_COLUMNS = 1500  # more than the dots of a line in print
_LONGEST_LINE = 25  # letters of a legend with several columns


@dataclass(frozen=True)
class Look:
    """Colour, dashes and mark of one line."""

    colour: str
    dashes: Dashes
    mark: str

    @property
    def line(self) -> dict[str, Any]:
        """Options of a line."""
        return {"color": self.colour, "linestyle": self.dashes}


LOOKS = (
    Look(BLUE, "-", "o"),
    Look(RED, (0, (5, 1.5)), "s"),
    Look(GREEN, (0, (3, 1, 1, 1)), "^"),
    Look(PURPLE, (0, (1, 1)), "D"),
    Look(ORANGE, (0, (7, 1, 1, 1, 1, 1)), "v"),
    Look(SKY, (0, (2, 2)), "P"),
)
REFERENCE: dict[str, Any] = {"color": GREY, "linewidth": 0.9, "linestyle": ":"}
BAYES: dict[str, Any] = {"marker": "^", "markersize": 7, "linestyle": "none", "mfc": "white"}
BEST: dict[str, Any] = {"marker": "o", "markersize": 5.5, "linestyle": "none"}


def look_of(index: int) -> Look:
    """Return the look of a line by its number; there are six, then they come again."""
    return LOOKS[index % len(LOOKS)]


def next_look(axes: "Axes") -> Look:
    """Return a look that no system on these axes has yet."""
    return look_of(systems_on(axes))


def systems_on(axes: "Axes") -> int:
    """Return how many main lines displays have drawn on axes."""
    return sum(line.get_gid() == SYSTEM for line in (*axes.lines, *axes.patches))


def draw_system(axes: "Axes", x: FloatArray, y: FloatArray, **options: Any) -> None:  # noqa: ANN401
    """Draw the main line of a system, thinned where there are more points than dots."""
    kept = thinned(x, y)
    axes.plot(x[kept], y[kept], gid=SYSTEM, **{"linewidth": 1.6, **options})


def shown(name: object, longest: int = 28) -> str:
    r"""Return a name fit for a figure: harmless, short, and no formula.

    >>> shown("tax in $ and $")
    'tax in \\$ and \\$'
    """
    text = plain(name, longest).replace("$", r"\$")
    return f"\u2009{text}" if text.startswith("_") else text  # else it would be left out of legends


def class_of(name: object) -> str:
    """Return the name of a class; a number alone would read like one of the figure's own."""
    return f"class {name}" if isinstance(name, int) else shown(name)


def digits(value: float, count: int = 3) -> str:
    """Return a number with few digits and a true minus sign."""
    return number(value, count)


def with_interval(estimate: Estimate) -> str:
    """Return a value and its interval with the digits a figure needs."""
    band = estimate.interval
    if band is None or math.isnan(band.low) or math.isnan(band.high):
        return digits(estimate.value)
    value, low, high = (fixed(x, 3) if abs(x) < 10 else digits(x) for x in (estimate.value, *band))
    return f"{value} [{low}, {high}]"


def thinned(x: FloatArray, y: FloatArray, columns: int = _COLUMNS) -> IntArray:
    """Return which points of a line to draw so that it looks the same.

    `x` rises or falls. Of the points that fall on one column of dots, the first, the last, the
    lowest and the highest are kept.
    """
    if x.size <= 4 * columns:
        return np.arange(x.size)
    finite = x[np.isfinite(x)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    place = np.clip(x, low, high) - low
    code = np.minimum(place * (columns / max(high - low, 1e-300)), columns).astype(np.int64)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(code)) + 1])
    ends = np.append(starts[1:], x.size) - 1
    group = np.repeat(np.arange(starts.size), np.diff(np.append(starts, x.size)))
    kept = [starts, ends]
    for extreme in (np.fmin, np.fmax):
        value = extreme.reduceat(y, starts)
        hits = np.flatnonzero(y == value[group])
        kept.append(hits[np.unique(group[hits], return_index=True)[1]])
    return np.unique(np.concatenate(kept))


def legend(axes: "Axes", **options: Any) -> None:  # noqa: ANN401
    """Draw the legend; a line that several displays share is named once."""
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    if not unique:
        return
    texts = list(unique)
    if options.get("ncols", 1) > 1:  # a legend wider than the figure would leave no place for axes
        texts = [fill(" ".join(text.split()), _LONGEST_LINE) for text in texts]
    axes.legend(list(unique.values()), texts, **options)


def note(axes: "Axes", lines: Sequence[str]) -> None:
    """Say under the figure what it cannot show."""
    said = [line for line in lines if line]
    if said:
        old = axes.get_xlabel()
        axes.set_xlabel("\n".join([old, *(line for line in said if line not in old)]))
