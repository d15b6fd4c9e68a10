"""What all displays share: matplotlib where it is installed, one style, files that repeat."""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stakes._check import MissingExtraError
from stakes._files import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Colours of Okabe and Ito, told apart by the colour-blind and in grey.
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
GREY = "#6B6B6B"

STYLE: dict[Any, Any] = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 9.0,
    "grid.alpha": 0.25,
    "svg.fonttype": "path",
    "svg.hashsalt": "stakes",
}


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure that needs no window."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  an extra
    except ImportError as error:
        msg = "drawing needs matplotlib: pip install 'stakes[plot]'"
        raise MissingExtraError(msg) from error
    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: "Figure", stem: str | Path) -> list[Path]:
    """Write a figure as SVG and PNG; the same numbers give the same bytes."""
    import matplotlib as mpl  # noqa: PLC0415

    paths = []
    with mpl.rc_context(STYLE):
        for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
            stream = BytesIO()
            figure.savefig(stream, format=kind, dpi=150, metadata=metadata)
            path = Path(f"{stem}.{kind}")
            write_bytes(path, stream.getvalue())
            paths.append(path)
    return paths
