"""The page: one file that needs no network, and lets no script run but its own."""

import base64
import hashlib
import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from stakes._amounts import Unit
from stakes._text import plain
from stakes.report.markup import Markup, element
from stakes.report.payload import as_script

_FRAME_HEIGHT = "900"


@dataclass(frozen=True)
class Heading:
    """What the maker of a page says about it: title, data, system, date, unit of cost."""

    title: str = ""
    source: str = ""
    system: str = ""
    date: str = ""
    unit: Unit = field(default_factory=Unit)

    def title_or(self, default: str) -> str:
        """Return the title; by default one that names the data and the system."""
        if self.title:
            return self.title
        named = [plain(Path(self.source).name)] if self.source else []
        named += [plain(self.system)] if self.system else []
        return f"{', '.join(named)}: {default[0].lower()}{default[1:]}" if named else default

    def facts(self, facts: str) -> str:
        """Return the line under the title."""
        name = [plain(Path(self.source).name)] if self.source and self.title else []
        date = [plain(self.date)] if self.date else []
        return ": ".join([*name, ", ".join([*date, facts])])


@dataclass(frozen=True, eq=False)
class Page:
    """A title, facts under it, sections, and what the live part works with, if there is one."""

    title: str
    facts: str
    sections: tuple[Markup, ...]
    data: Mapping[str, Any] | None = None
    links: tuple[tuple[str, str], ...] = ()  # ids and names of sections

    def html(self) -> str:
        """Return the whole page."""
        style, script = asset("page.css"), asset("page.js")
        rules = {  # only this style and this script count, and nothing is fetched
            "default-src": "'none'",
            "script-src": f"'sha256-{_digest(script)}'",
            "style-src": f"'sha256-{_digest(style)}'",
            "worker-src": "blob:",
            "img-src": "data:",
            "base-uri": "'none'",
            "form-action": "'none'",
        }
        policy = "; ".join(f"{name} {value}" for name, value in rules.items())
        head = [
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{html.escape(plain(self.title, 200))}</title>",
            f"<style>{style}</style>",
        ]
        return "\n".join(["<!doctype html>", '<html lang="en">', *head, *self._body(script), ""])

    def _body(self, script: str) -> Iterable[str]:
        import stakes  # noqa: PLC0415

        made = (
            f"Made by stakes {stakes.__version__}. This file holds all it shows and loads nothing."
        )
        yield "<body>"
        heading = [element("h1", self.title), element("p", self.facts, class_="facts")]
        if self.links:
            listed = [element("a", name, href=f"#{place}") for place, name in self.links]
            heading.append(element("nav", listed, aria_label="Sections"))
        yield str(element("header", heading))
        yield str(element("main", self.sections))
        yield str(element("footer", element("p", made)))
        if self.data is not None:
            kind = 'type="application/json" id="stakes-data"'
            yield f"<script {kind}>{as_script(self.data)}</script>"
            yield f"<script>{script}</script>"
        yield "</body></html>"


def notebook_frame(page: str) -> str:
    """Return a page in a frame that can reach nothing of the notebook around it."""
    inner = html.escape(page)
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{inner}" width="100%" height="{_FRAME_HEIGHT}"'
        ' title="stakes report" loading="lazy"></iframe>'
    )


def section(name: str, title: str, *content: Markup) -> Markup:
    """Return a section under a heading that names it."""
    heading = element("h2", title, id=f"{name}-title")
    return element("section", [heading, *content], id=name, aria_labelledby=f"{name}-title")


def verdict(look: str, text: str, advice: str = "", command: str = "", **more: str) -> Markup:
    """Return a finding, with what to do about it."""
    parts = [element("p", text)]
    if advice:
        parts.append(element("p", advice, class_="advice"))
    if command:
        parts.append(element("code", command, class_="command"))
    return element("li", parts, class_=f"verdict {look}", **more)


def verdict_section(verdicts: Iterable[Markup]) -> Markup:
    """Return findings that are shown at once."""
    return section("verdicts", "Verdict", element("ul", list(verdicts)))


def listed_notes(notes: Iterable[str]) -> list[Markup]:
    """Return notes as a list, if there are any."""
    items = [element("li", note) for note in notes]
    return [element("ul", items, class_="notes")] if items else []


def live_sections() -> tuple[Markup, Markup]:
    """Return the places that the script fills."""
    text = "Sliders and pictures need a browser that runs scripts; the answer and numbers do not."
    off = element("noscript", element("p", text))
    return section("live", "Other costs, other priors", off), section("pictures", "Pictures")


@dataclass(frozen=True, eq=False)
class Body:
    """What a page says: the answer, things to know, numbers, and details if any."""

    answer: Markup
    known: Markup
    numbers: Iterable[Markup]
    details: Iterable[Markup] = ()


def record_page(
    heading: Heading, default: str, facts: str, body: Body, data: Mapping[str, Any]
) -> Page:
    """Return the page of a record: the answer, the live part, numbers, and details if any."""
    sections = [section("answer", "Answer", body.answer, body.known), *live_sections()]
    sections.append(section("numbers", "Numbers", *body.numbers))
    links = [("answer", "Answer"), ("live", "Other costs"), ("pictures", "Pictures")]
    links.append(("numbers", "Numbers"))
    if rest := list(body.details):
        sections.append(section("details", "Details", *rest))
        links.append(("details", "Details"))
    unit = {"name": heading.unit.name, "scale": heading.unit.scale}
    return Page(
        heading.title_or(default),
        heading.facts(facts),
        tuple(sections),
        {**data, "unit": unit},
        tuple(links),
    )


def folded(summary: str, *content: Markup) -> Markup:
    """Return content that is shown when asked for."""
    return element("details", [element("summary", summary), *content])


@cache
def asset(name: str) -> str:
    """Return a built file of the package; the sources are in frontend/."""
    return (files("stakes.report") / name).read_text(encoding="utf-8").rstrip("\n")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
