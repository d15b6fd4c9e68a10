"""The page: one file that needs no network, and lets no script run but its own."""

import base64
import hashlib
import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from stakes._amounts import Unit
from stakes._codes import explain_code
from stakes._text import plain
from stakes.report.markup import Markup, element
from stakes.report.payload import as_script

_MANY_CLASSES = 30  # whose tables are not laid out before they are near the window


@dataclass(frozen=True)
class Finding:
    """A verdict on a page: its look, what was found, what to do about it, and how."""

    look: str
    text: str
    advice: str = ""
    command: str = ""
    code: str = ""
    application: str = ""  # that it is of; empty: all of them

    def item(self) -> Markup:
        """Return an item of a list."""
        parts = [element("p", self.text)]
        if self.advice:
            parts.append(element("p", self.advice, class_="advice"))
        if self.command:
            parts.append(element("code", self.command, class_="command"))
        if self.code:
            parts.append(_explained(self.code))
        more = {"data_code": self.code} if self.code else {}
        return element("li", parts, class_=f"verdict {self.look}", **more)


def _explained(code: str) -> Markup:
    """Return what a code means and by which rule it is used, shown when asked for."""
    found = explain_code(code)
    parts = [
        element("summary", "What this means"),
        element("p", found.meaning),
        element("p", f"Rule: {found.rule}"),
        element("p", ["Code: ", element("code", code)]),
    ]
    return element("details", parts, class_="explained")


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
    findings: tuple[Finding, ...] = ()  # what sections say of them, for places without sections
    numbers: tuple[Markup, ...] = ()

    @property
    def _script(self) -> str:
        """The script of this kind of page."""
        kinds = ("cases", "responses")
        kind = next((kind for kind in kinds if self.data and self.data.get(kind)), "")
        return asset(f"page_of_{kind}.js" if kind else "page.js")

    def html(self) -> str:
        """Return the whole page."""
        style, script = asset("page.css"), self._script
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
            f"Made with stakes {stakes.__version__}. This file is self-contained and loads nothing."
        )
        yield "<body>"
        heading = [element("h1", self.title), element("p", self.facts, class_="facts")]
        if self.links:
            listed = [element("a", name, href=f"#{place}") for place, name in self.links]
            heading.append(element("nav", listed, aria_label="Sections"))
        yield str(element("header", heading))
        many = self.data is not None and len(self.data.get("classes", ())) > _MANY_CLASSES
        yield str(element("main", self.sections, **({"class_": "long"} if many else {})))
        yield str(element("footer", element("p", made)))
        if self.data is not None:
            kind = 'type="application/json" id="stakes-data"'
            yield f"<script {kind}>{as_script(self.data)}</script>"
            yield f"<script>{script}</script>"
        yield "</body></html>"


def section(name: str, title: str, *content: Markup) -> Markup:
    """Return a section under a heading that names it."""
    heading = element("h2", title, id=f"{name}-title")
    return element("section", [heading, *content], id=name, aria_labelledby=f"{name}-title")


def verdict_section(findings: Iterable[Finding]) -> Markup:
    """Return what the numbers say, first of all."""
    return section("verdicts", "Verdict", element("ul", [each.item() for each in findings]))


def listed_notes(notes: Iterable[str]) -> list[Markup]:
    """Return notes as a list, if there are any."""
    items = [element("li", note) for note in notes]
    return [element("ul", items, class_="notes")] if items else []


def things_to_know(findings: Sequence[Finding], names: Mapping[str, str]) -> Markup:
    """Return findings folded under how many they are, grouped by application."""
    many = "1 thing to know" if len(findings) == 1 else f"{len(findings)} things to know"
    several = len({each.application for each in findings} - {""}) > 1
    groups: dict[str, list[Markup]] = {}
    for each in findings:
        groups.setdefault(each.application if several else "", []).append(each.item())
    parts: list[Markup] = []
    for application, items in groups.items():
        heading = names.get(application, application)
        if len(groups) > 1:
            parts.append(element("h3", plain(heading) if heading else "All applications"))
        parts.append(element("ul", items))
    summary = element("summary", many)
    return element("details", [summary, element("div", parts, class_="known")], id="verdicts")


def live_sections(title: str = "Try other costs and priors") -> tuple[Markup, Markup]:
    """Return the places that the script fills."""
    text = "Sliders and charts need JavaScript; the answer and the numbers do not."
    off = element("noscript", element("p", text))
    return section("live", title, off), section("pictures", "Charts")


@dataclass(frozen=True, eq=False)
class Body:
    """What a page says: the answer, things to know, numbers, and details if any."""

    answer: Markup
    findings: Iterable[Finding]
    numbers: Iterable[Markup]
    details: Iterable[Markup] = ()
    names: Mapping[str, str] = field(default_factory=dict)  # of applications, above their findings
    live: tuple[str, str] = ("Try other costs and priors", "Try other costs")  # title, and in links


def record_page(
    heading: Heading, default: str, facts: str, body: Body, data: Mapping[str, Any]
) -> Page:
    """Return the page of a record: the answer, the live part, numbers, and details if any."""
    found, tables = tuple(body.findings), tuple(body.numbers)
    known = things_to_know(found, body.names)
    sections = [section("answer", "Answer", body.answer, known), *live_sections(body.live[0])]
    sections.append(section("numbers", "Numbers", *tables))
    links = [("answer", "Answer"), ("live", body.live[1]), ("pictures", "Charts")]
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
        found,
        tables,
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
