"""No rule of axe is broken, of any level, on any kind of page: light, dark, on a phone."""

import os
from pathlib import Path
from typing import Any

import pytest

from browser import opened
from kinds_of_page import KINDS, written

AXE = Path(__file__).parents[1] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
LOOKS = {"light": ("light", WIDE), "dark": ("dark", WIDE), "phone": ("light", PHONE)}
RUN = """() => axe.run(document, {resultTypes: ["violations"]}).then((found) =>
    found.violations.flatMap((v) => v.nodes.map((node) => `${v.id} (${v.impact}): `
        + `${node.html.slice(0, 160)} ${node.any.concat(node.all, node.none)
            .map((c) => c.message).join(" ").slice(0, 200)}`)))"""


@pytest.fixture(scope="module")
def axe() -> str:
    if not AXE.exists():
        reason = "axe-core is needed to test accessibility: cd frontend && npm ci"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return AXE.read_text("utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


def unfold(page: Any) -> None:  # noqa: ANN401
    """Open all that is folded, show what is far, and pass by all pictures: they are drawn then."""
    page.evaluate(
        "document.querySelectorAll('section').forEach("
        "(s) => { s.style.contentVisibility = 'visible'; })"
    )
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for figure in page.locator("figure").all():
        figure.scroll_into_view_if_needed()
    page.wait_for_timeout(300)


@pytest.mark.parametrize("kind", KINDS)
def test_no_rule_is_broken(browser: Any, folder: Path, axe: str, kind: str) -> None:  # noqa: ANN401
    path = written(kind, folder)
    for name, (scheme, size) in LOOKS.items():
        with opened(browser, path, color_scheme=scheme, viewport=size) as watched:
            unfold(watched.page)
            watched.page.evaluate(axe)
            assert watched.page.evaluate(RUN) == [], name


def test_a_broken_rule_is_found(browser: Any, folder: Path, axe: str) -> None:  # noqa: ANN401
    with opened(browser, written("two", folder)) as watched:
        watched.page.evaluate("document.querySelector('input').removeAttribute('aria-label')")
        watched.page.evaluate("document.querySelector('header').append(new Image())")
        watched.page.evaluate(axe)
        assert any("image-alt" in found for found in watched.page.evaluate(RUN))
