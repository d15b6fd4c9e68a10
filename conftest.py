"""What is collected; figures of pyplot are drawn without a window and closed after each test."""

import os
import sys
from collections.abc import Iterator

import pytest

os.environ["MPLBACKEND"] = "agg"

# Without doctests, and their libraries are not everywhere.
collect_ignore_glob = ["src/stakes/inspect_ai/*", "src/stakes/torch/*"]


@pytest.fixture(autouse=True)
def no_figure_stays_open() -> Iterator[None]:
    """Close what a test plotted, as a program would."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        from matplotlib import pyplot as plt  # noqa: PLC0415  of those who plot

        plt.close("all")
