"""Take the pictures of the report that README.md and docs show, from demo and simulated data.

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
    """Write the five pictures."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        one, two, many, paid, said = (Path(folder) / f"{name}.html" for name in "abcde")
        _evaluation().save_html(one, source="breast.csv")
        _comparison().save_html(two, source="diabetes.csv")
        _eight().save_html(many, source="simulated")
        _payments().save_html(paid, source="simulated payments", unit="EUR")
        _responses().save_html(said, source="simulated answers")
        _take(browser, one, target / "report.png", 1180)
        _take(browser, two, target / "report-dark.png", 1100, scheme="dark")
        _take(browser, many, target / "report-eight.png", 1160)
        _take(browser, paid, target / "report-by-case.png", 1160)
        _take(browser, said, target / "report-answers.png", 1180)
        browser.close()


def _evaluation() -> stakes.Evaluation:
    """Evaluate the detector of malignant tumours."""
    table, truth = _table("breast.csv", "diagnosis")
    costs = stakes.CostMatrix.binary(miss=20, false_alarm=1, classes=["benign", "malignant"])
    return stakes.evaluate(truth, stakes.Logits(table["log_odds"].to_numpy()), costs=costs)


def _comparison() -> stakes.Comparison:
    """Compare two models of a rare outcome."""
    table, truth = _table("diabetes.csv", "outcome")
    systems = {name: table[name].to_numpy() for name in ("p_severe_a", "p_severe_b")}
    costs = stakes.CostMatrix.binary(miss=8, false_alarm=1, classes=["usual", "severe"])
    return stakes.compare(truth, systems, costs=costs)


def _eight() -> stakes.Comparison:
    """Compare eight detectors, from a weak one to a strong one."""
    rng, n = np.random.default_rng(4), 3000
    fault = rng.random(n) < 0.1
    base = rng.normal(0, 1, n) + 1.2 * fault
    systems = {}
    for k in range(8):
        seen = base + rng.normal(0, 2.2 - 0.25 * k, n)
        odds = np.log(0.1 / 0.9) + (seen - 0.6) * 1.2 / (1 + (2.2 - 0.25 * k) ** 2)
        systems[f"detector {'ABCDEFGH'[k]}"] = 1 / (1 + np.exp(-odds))
    costs = stakes.CostMatrix.binary(miss=6, false_alarm=1, classes=["sound", "faulty"])
    return stakes.compare(np.where(fault, "faulty", "sound"), systems, costs=costs)


def _payments() -> stakes.Evaluation:
    """Evaluate which payments are reviewed, as in docs/how-to/fraud.md."""
    rng, n = np.random.default_rng(1), 8000
    amount = np.round(np.exp(rng.normal(3.5, 1.2, n)), 2)
    weak, strong = rng.normal(0, 1, n), rng.normal(0, 1, n)
    log_odds = -6 + 0.25 * (np.log(amount) - 3.5) + weak + 1.6 * strong
    fraud = rng.random(n) < 1 / (1 + np.exp(-log_odds))
    p = np.round(1 / (1 + np.exp(-log_odds)), 6)
    costs = stakes.SampleCosts.from_columns(
        [[0, 3], ["amount", 0]], {"amount": amount}, classes=["honest", "fraud"]
    )
    return stakes.evaluate(np.where(fraud, "fraud", "honest"), p, costs=costs)


def _responses() -> stakes.ResponseEvaluation:
    """Evaluate a simulated, overconfident model that seldom abstains."""
    rng = np.random.default_rng(1)
    chance = rng.random(2000) ** 0.6
    stated = np.round(chance**0.4, 2)
    said = stakes.Responses(rng.random(2000) < chance, stated, abstained=stated < 0.45)
    return stakes.evaluate_responses(said, 0.75)


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
    tab.wait_for_timeout(2000)  # pictures are drawn when they are seen
    with Image.open(io.BytesIO(tab.screenshot())) as shot:
        few = shot.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(target, optimize=True)
    context.close()


if __name__ == "__main__":
    main()
