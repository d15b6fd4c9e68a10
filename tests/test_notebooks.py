"""Notebooks: what cells show, in a real kernel, and what an export of them keeps."""

import pytest

from notebook import kinds, pictures, run

pytest.importorskip("nbclient")

pytestmark = pytest.mark.filterwarnings("ignore")  # those of kernels and what they load

CELLS = {
    "value of plot": "stakes.RocDisplay.from_predictions(y, p).plot()",
    "with a semicolon": "stakes.RocDisplay.from_predictions(y, p).plot();",
    "not plotted": "display = stakes.RocDisplay.from_predictions(y, p)\ndisplay",
    "on axes of pyplot": (
        "import matplotlib.pyplot as plt\n"
        "fig, axes = plt.subplots(1, 2)\n"
        "display.plot(axes[0], name='left')\n"
        "display.plot(axes[1], name='right')"
    ),
    "on axes of pyplot, with a semicolon": (
        "fig, ax = plt.subplots()\nstakes.RocDisplay.from_predictions(y, p, ax=ax);"
    ),
    "shown again": "display",
    "in a loop": "for name in 'abc':\n    display.plot(name=name)",
    "two figures, of which one is the value": "display.plot()\ndisplay.plot()",
}
COUNTS = {"in a loop": 3, "two figures, of which one is the value": 2}


@pytest.fixture(scope="module")
def shown() -> dict[str, tuple[list[bytes], list[list[str]]]]:
    book = run(*CELLS.values(), "print(plt.get_fignums())")
    cells = dict(zip(CELLS, book.cells[1:-1], strict=True))
    assert book.cells[-1].outputs[0].text == "[]\n"  # nothing stays open
    return {name: (pictures(cell), kinds(cell)) for name, cell in cells.items()}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_shows_each_picture_once(
    name: str, shown: dict[str, tuple[list[bytes], list[list[str]]]]
) -> None:
    found, types = shown[name]
    assert len(found) == COUNTS.get(name, 1)
    assert types == [["image/png", "text/plain"]] * len(found)  # and nothing else


def test_two_axes_are_one_picture(
    shown: dict[str, tuple[list[bytes], list[list[str]]]],
) -> None:
    both, again = shown["on axes of pyplot"][0], shown["shown again"][0]
    assert both == again
