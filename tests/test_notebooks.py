"""Notebooks: what cells show, in a real kernel, and what an export of them keeps."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

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


RECORDS = {
    "evaluation": ("made = stakes.evaluate(y, p, priors=[0.5, 0.5], training_priors='data')\nmade"),
    "comparison": "stakes.compare(y, {'a': p, 'b': p[:, 1] ** 2})",
    "decisions": (
        "from stakes.evaluation import evaluate_decisions\n"
        "evaluate_decisions(stakes.confusion_matrix(y, p.argmax(axis=1)))"
    ),
}


@pytest.fixture(scope="module")
def told() -> Any:  # noqa: ANN401
    return run(*RECORDS.values())


def test_records_come_as_frame_markdown_and_text(told: Any) -> None:  # noqa: ANN401
    for cell in told.cells[1:]:
        (output,) = cell.outputs
        assert sorted(output.data) == ["text/html", "text/markdown", "text/plain"]
        assert output.data["text/markdown"].startswith("**W")


def test_an_export_holds_the_frame_and_runs_in_a_browser(
    told: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    """The page and its picture in a headless browser, where there is one."""
    nbconvert = pytest.importorskip("nbconvert")
    exported, _ = nbconvert.HTMLExporter().from_notebook_node(told)
    assert exported.count('<iframe class="stakes-frame"') == len(RECORDS)
    assert 'loading="lazy"' not in exported
    assert exported.count('<div class="stakes-text">') == len(RECORDS)
    browser = os.environ.get("STAKES_CHROMIUM") or shutil.which("chromium")
    if browser is None:
        if os.environ.get("CI") == "true":
            pytest.fail("chromium is needed to print an export")
        pytest.skip("chromium is needed to print an export")
    page, paper = tmp_path / "book.html", tmp_path / "book.pdf"
    page.write_text(exported, encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    subprocess.run(
        [browser, *flags, f"--user-data-dir={tmp_path}/profile", f"--print-to-pdf={paper}",
         page.as_uri()],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    sheets = paper.read_bytes().count(b"/Type /Page\n")
    assert sheets >= 2 * len(RECORDS)  # a frame takes a sheet, and the numbers come after it
