"""Run the cells of a notebook in a real kernel."""

import os
from pathlib import Path
from typing import Any

import pytest

import stakes

TOP = str(Path(stakes.__file__).parents[1])
BEGINNING = """
import numpy as np
import stakes
data = stakes.simulation.simulate(2, n=400)
y, p = data.y, np.exp(data.posteriors([0.9, 0.1]).log_posteriors())
"""


def run(*cells: str, beginning: str = BEGINNING) -> Any:  # noqa: ANN401  a notebook
    """Return a notebook with the outputs of its cells; the first prepares the others."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    version = nbformat.v4
    book = version.new_notebook(cells=[version.new_code_cell(c) for c in (beginning, *cells)])
    client = nbclient.NotebookClient(book, timeout=120, kernel_name="python3")
    return client.execute(env=kernel_environment())


def kernel_environment() -> dict[str, str]:
    """Return the environment of a kernel, which chooses the drawing of notebooks itself."""
    here = {**os.environ, "PYTHONPATH": TOP}
    here.pop("MPLBACKEND", None)
    return here


def kinds(cell: Any) -> list[list[str]]:  # noqa: ANN401
    """Return the media types of each output of a cell."""
    return [sorted(output.get("data", {"text": output.get("text")})) for output in cell.outputs]


def pictures(cell: Any) -> list[bytes]:  # noqa: ANN401
    """Return the pictures that a cell shows."""
    from base64 import b64decode  # noqa: PLC0415

    found = [output.get("data", {}).get("image/png") for output in cell.outputs]
    return [b64decode(each) for each in found if each is not None]
