"""Pages in a real browser: opened from disk, watched, moved; shared by the tests of the page."""

import os
import re
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = os.environ.get("STAKES_CHROMIUM") or shutil.which("chromium")
THUMB = 16  # pixels, the width of a slider's handle
TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


@dataclass
class Watched:
    """A page, and all that it said, loaded or refused."""

    page: Any
    said: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def necs(self) -> list[str]:
        """Return the normalised cost of each system, as shown."""
        return [
            text.strip()
            for text in self.page.locator("output.nec").evaluate_all(
                "all => all.sort((a, b) => a.dataset.system - b.dataset.system)"
                ".map(e => e.textContent)"
            )
        ]

    def application(self) -> dict[str, Any]:
        """Return the chosen application as the page would save it."""
        details = self.page.locator("details", has_text="This application as TOML")
        if details.get_attribute("open") is None:
            details.locator("summary").click()
        playwright.expect(details.locator("pre")).to_contain_text("cost")
        return tomllib.loads(details.locator("pre").inner_text())

    def figure(self, title: str) -> str:
        """Return the words of a picture, which is drawn when it is seen."""
        figure = self.page.locator("figure", has=self.page.get_by_role("heading", name=title))
        figure.scroll_into_view_if_needed()
        self.page.wait_for_timeout(300)
        return re.sub(r"[\u2068\u2069]", "", " ".join(figure.inner_text().split()))

    def drag(self, name: str, to: float) -> None:
        """Drag a slider to a share of its way with the mouse."""
        slider = self.page.get_by_role("slider", name=name, exact=True)
        low, high, step = (
            float(slider.evaluate(f"e => e.{part}")) for part in ("min", "max", "step || 0")
        )
        for _ in range(3):  # what is computed after a change may move the slider away
            width = self._drag_once(slider, low, high, to)
            self.settle()
            reached = (float(slider.input_value()) - low) / (high - low)
            if abs(reached - to) <= THUMB / width + step / (high - low):
                return
        pytest.fail(f"the slider {name!r} was dragged to {to}, and stands at {reached}")

    def _drag_once(self, slider: Any, low: float, high: float, to: float) -> float:  # noqa: ANN401
        slider.scroll_into_view_if_needed()
        box, before = slider.bounding_box(), None
        while box != before:
            self.page.wait_for_timeout(150)
            box, before = slider.bounding_box(), box
        now = float(slider.input_value())
        y, end = box["y"] + box["height"] / 2, box["x"] + to * box["width"]
        start = box["x"] + THUMB / 2 + (box["width"] - THUMB) * (now - low) / (high - low)
        self.page.mouse.move(start, y)
        self.page.mouse.down()
        for step in range(1, 6):
            self.page.mouse.move(start + (end - start) * step / 5, y)
        self.page.mouse.up()
        return box["width"]

    def settle(self) -> None:
        """Wait until the page shows what was asked last."""
        self.page.wait_for_timeout(100)
        self.page.evaluate(TWO_FRAMES)  # a busy machine may need longer than that
        playwright.expect(self.page.locator("#live")).not_to_contain_text(
            "when you release the slider"
        )


def launched() -> Iterator[Any]:
    """Run Chromium; without it the test is skipped, or fails where it is meant to be there."""
    if CHROMIUM is None:
        reason = "chromium is needed to test the page"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@contextmanager
def opened(browser: Any, path: Path, fragment: str = "", **options: Any) -> Iterator[Watched]:  # noqa: ANN401
    """Open a page from disk, and watch it."""
    context = browser.new_context(offline=True, **options)
    page = context.new_page()
    watched = Watched(page)
    page.on("console", lambda message: watched.said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: watched.said.append(f"error: {error}"))
    page.on("dialog", lambda dialog: watched.said.append(f"dialog: {dialog.message}"))
    page.on("request", lambda request: watched.loaded.append(request.url))
    page.goto(f"{path.as_uri()}{fragment}")
    page.wait_for_selector("output.nec, #live > p")
    yield watched
    context.close()


def quiet(watched: Watched, path: Path) -> None:
    """Hold that nothing was said and nothing loaded but the page and its worker."""
    assert watched.said == []
    outside = [a for a in watched.loaded if not a.startswith((path.as_uri(), "blob:", "data:"))]
    assert outside == []


def two_classes() -> dict[str, Any]:
    data = stakes.simulation.simulate(2, n=700)
    return {
        "y_true": np.array(["calm", "alarm"])[data.y],
        "scores": data.posteriors([0.6, 0.4]),
        "classes": ["calm", "alarm"],
    }


def asked(application: dict[str, Any], classes: list[str]) -> dict[str, Any]:
    """Return what Python is to be asked for the application that a page chose."""
    cost, prior = application["cost"], application["prior"]
    assert cost["classes"] == classes
    costs = stakes.CostMatrix(
        cost["matrix"], classes=classes, decisions=cost.get("decisions", classes)
    )
    priors = None if prior == "data" else [prior[name] for name in classes]
    return {"costs": costs, "priors": priors, "training_priors": application.get("training-prior")}
