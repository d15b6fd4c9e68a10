"""Take the pictures of the report that README.md shows, from the demo data.

Needs Chromium and Playwright. Run it from the top of the project:
python examples/make_report_pictures.py [folder]
"""

import io
import os
import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import sync_playwright
from pyarrow import csv

import stakes

TARGET = Path(__file__).parents[1] / "docs" / "images"
WIDTH = 1180
_CHROMIUM = os.environ.get("STAKES_CHROMIUM") or shutil.which("chromium")


def main() -> None:
    """Write both pictures."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        one, two = Path(folder) / "one.html", Path(folder) / "two.html"
        _evaluation().save_html(one, source="breast.csv")
        _comparison().save_html(two, source="diabetes.csv")
        _take(browser, one, target / "report.png", 1180)
        _take(browser, two, target / "report-dark.png", 1100, scheme="dark")
        browser.close()


def _evaluation() -> stakes.Evaluation:
    """Judge the detector of malignant tumours."""
    table, truth = _table("breast.csv", "diagnosis")
    costs = stakes.CostMatrix.binary(miss=20, false_alarm=1, classes=["benign", "malignant"])
    return stakes.evaluate(truth, stakes.Logits(table["log_odds"].to_numpy()), costs=costs)


def _comparison() -> stakes.Comparison:
    """Compare two models of a rare outcome."""
    table, truth = _table("diabetes.csv", "outcome")
    systems = {name: table[name].to_numpy() for name in ("p_severe_a", "p_severe_b")}
    costs = stakes.CostMatrix.binary(miss=8, false_alarm=1, classes=["usual", "severe"])
    return stakes.compare(truth, systems, costs=costs)


def _table(name: str, label: str) -> tuple[Any, NDArray[np.object_]]:
    """Return a table of the demo data, and its truth."""
    table = csv.read_csv(str(files("stakes") / "data" / name))
    return table, table[label].to_numpy(zero_copy_only=False)


def _take(
    browser: Any,  # noqa: ANN401
    page: Path,
    target: Path,
    height: int,
    *,
    start: str = "",
    scheme: str = "light",
) -> None:
    """Take a picture of a page, from some element on, in few colours."""
    size = {"width": WIDTH, "height": height}
    context = browser.new_context(offline=True, viewport=size, color_scheme=scheme)
    tab = context.new_page()
    tab.goto(page.as_uri())
    tab.wait_for_selector("output.nec")
    if start:
        tab.locator(start).evaluate("e => scrollTo(0, e.getBoundingClientRect().top - 16)")
    tab.wait_for_timeout(1000)  # pictures are drawn when they are seen
    with Image.open(io.BytesIO(tab.screenshot())) as shot:
        few = shot.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(target, optimize=True)
    context.close()


if __name__ == "__main__":
    main()
