"""Words stay whole, panels scroll with the page, names of all scripts are shown; paper too."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser import opened, playwright, quiet
from kinds_of_page import CONDITIONS, evaluation, written

WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
FAMILY = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"
PERSIAN = "\u06a9\u062a\u0627\u0628\u200c\u0647\u0627\u06cc \u062e\u0648\u0628"
BROKEN = """() => {
    const broken = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const node = texts.currentNode;
        const inside = node.parentElement;
        if (inside.closest("script, style, pre, code, svg, select, .unseen")) continue;
        if (!inside.checkVisibility()) continue;
        for (const word of node.data.matchAll(/[\\p{L}\\p{M}]+/gu)) {
            const range = document.createRange();
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            const rows = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
            const turned = getComputedStyle(inside).writingMode !== "horizontal-tb";
            if (!turned && rows.size > 1) broken.push(word[0]);
        }
    }
    return broken;
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


def drawn(page: Any) -> None:  # noqa: ANN401
    """Pass by all pictures, so that they are drawn."""
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for figure in page.locator("figure").all():
        figure.scroll_into_view_if_needed()
    page.wait_for_timeout(300)


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize(
    "kind",
    ["two", "three", "ten", "compare-eight", "decisions", "answers", "compare-answers"],
)
def test_no_word_is_broken(browser: Any, folder: Path, kind: str, size: Any) -> None:  # noqa: ANN401
    with opened(browser, written(kind, folder), viewport=size) as watched:
        drawn(watched.page)
        assert watched.page.evaluate(BROKEN) == []
        wide = watched.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= size["width"]


@pytest.mark.parametrize("kind", ["two", "three", "compare-eight", "answers"])
def test_a_phone_shows_all_results_per_thousand(browser: Any, folder: Path, kind: str) -> None:  # noqa: ANN401
    with opened(browser, written(kind, folder), viewport=PHONE) as watched:
        table = watched.page.locator("#answer-text .thousand")
        wide, room = table.evaluate("e => [e.scrollWidth, e.clientWidth]")
        assert wide <= room
        heights = table.locator(".band").evaluate_all(
            "all => all.map(e => e.getClientRects().length)"
        )
        assert set(heights) == {1}  # no interval is broken


def test_controls_of_ten_classes_scroll_with_the_page(browser: Any, folder: Path) -> None:  # noqa: ANN401
    with opened(
        browser, written("ten", folder), viewport={"width": 1440, "height": 600}
    ) as watched:
        page, panel = watched.page, watched.page.locator(".controls")
        tall = panel.evaluate("e => [e.scrollHeight, e.clientHeight, innerHeight]")
        assert tall[0] == tall[1] > tall[2]
        last = panel.locator("input[type=range]").last
        last.scroll_into_view_if_needed()
        box = last.bounding_box()
        assert 0 <= box["y"] <= box["y"] + box["height"] <= 600
        page.mouse.wheel(0, 300)
        page.wait_for_timeout(200)
        after = panel.evaluate("e => e.getBoundingClientRect().bottom")
        assert after == pytest.approx(600, abs=1)  # its end stays in view beside the pictures
        for name in CONDITIONS:
            playwright.expect(panel.locator("bdi", has_text=name).first).to_be_visible()


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_names_of_all_scripts(browser: Any, tmp_path: Path, size: Any) -> None:  # noqa: ANN401
    names = [FAMILY, PERSIAN, "Donaudampfschifffahrtsgesellschaftskapitänsmütze" * 2]
    path = tmp_path / "names.html"
    evaluation(names).save_html(path)
    with opened(browser, path, viewport=size) as watched:
        body = watched.page.inner_text("body")
        assert FAMILY in body
        assert PERSIAN in body
        assert "\\u200" not in body
        ways = watched.page.locator("#live bdi", has_text=PERSIAN).evaluate_all(
            "all => all.map(e => getComputedStyle(e).direction)"
        )
        assert set(ways) == {"rtl"}
        head = watched.page.locator("table.counts thead bdi").nth(2)
        assert head.get_attribute("title").startswith("Donaudampf")
        assert watched.page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        quiet(watched, path)


@pytest.mark.parametrize("kind", ["three", "ten", "compare-eight", "answers", "compare-answers"])
def test_paper(browser: Any, folder: Path, kind: str) -> None:  # noqa: ANN401
    with opened(browser, written(kind, folder), color_scheme="dark", viewport=WIDE) as watched:
        page = watched.page
        for figure in page.locator("figure").all():
            figure.scroll_into_view_if_needed()
        page.emulate_media(media="print", color_scheme="dark")
        page.set_viewport_size({"width": 680, "height": 1000})  # A4 between its margins
        page.wait_for_timeout(300)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(255, 255, 255)"
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= 680
        assert page.evaluate(BROKEN) == []
        widths = page.locator(".figures > figure .plot svg").evaluate_all(
            "all => all.map(e => e.getBoundingClientRect().width)"
        )
        assert widths
        assert min(widths) > 600


HEADINGS = {
    "Numbers", "Charts", "Details", "Confusion matrix", "Ranking", "Results by class",
    "Normalised losses (lower is better)", "Cost per case", "Cost and share of abstentions",
    "Calibration errors and slope", "Try other costs and priors", "Accuracy by confidence",
    "Try other targets",
    "Points at every target", "Stated confidence", "Risk over coverage", "Slices",
}  # fmt: skip


@pytest.mark.parametrize("kind", ["three", "ten", "compare-eight", "answers"])
def test_no_heading_ends_a_page(browser: Any, folder: Path, tmp_path: Path, kind: str) -> None:  # noqa: ANN401
    reader = shutil.which("pdftotext")
    if reader is None:
        pytest.skip("pdftotext is needed to read printed pages")
    pdf = tmp_path / "page.pdf"
    with opened(browser, written(kind, folder), viewport=WIDE) as watched:
        drawn(watched.page)
        watched.page.pdf(path=str(pdf), format="A4", print_background=True)
    made = subprocess.run([reader, "-layout", pdf, "-"], capture_output=True, check=True)
    printed = made.stdout.decode("utf-8").split("\f")
    assert len(printed) > 2
    for text in printed:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        assert not lines or lines[-1] not in HEADINGS


def test_eight_systems_have_colours_of_their_own(browser: Any, folder: Path) -> None:  # noqa: ANN401
    for scheme in ("light", "dark"):
        with opened(browser, written("compare-eight", folder), color_scheme=scheme) as watched:
            found = watched.page.locator(".bars .row .dot").evaluate_all(
                "all => all.map(e => getComputedStyle(e).fill.match(/\\d+/g).map(Number))"
            )
        assert len(found) == 8
        colours = np.array(found) / 255
        linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
        for seen in (linear, np.clip(linear @ DEUTERANOPIA.T, 0, 1)):
            lab = _lab(seen)
            apart = np.linalg.norm(lab[:, None] - lab, axis=2)[np.triu_indices(8, 1)]
            assert apart.min() > 20, scheme  # about 2 can just be told side by side


DEUTERANOPIA = np.array(  # Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)


def _lab(linear: Any) -> Any:  # noqa: ANN401
    """Return CIE L*a*b* of linear sRGB."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x = linear @ np.array(to_xyz).T / [0.9505, 1, 1.089]
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], 1)
