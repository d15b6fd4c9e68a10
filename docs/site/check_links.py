"""Fail where a page of the built site links to nothing, or loads something from elsewhere.

Every link within the site must lead to a file of it, and every anchor to an element. Standard
library only.
"""

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {  # what a browser fetches by itself, by tag
    "audio": "src",
    "iframe": "src",
    "img": "src",
    "link": "href",
    "script": "src",
    "source": "src",
    "video": "src",
}
_STYLE_ADDRESS = re.compile(r"(?:@import\s+|url\()\s*['\"]?(https?:|//)")


class Page(HTMLParser):
    """The anchors of a page, and the addresses that it links to or loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: list[str] = []
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of a tag."""
        values = {name: value or "" for name, value in attrs}
        self.anchors += [values[name] for name in ("id", "name") if name in values]
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        address = values.get(_LOADED.get(tag, ""), "")
        if address and values.get("rel") != "canonical":
            self.loaded.append(address)


def faults(site: Path) -> Iterator[str]:
    """Yield what is wrong, one sentence each."""
    pages = {p.resolve(): Page(p.read_text(encoding="utf-8")) for p in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        where = path.relative_to(site.resolve())
        for address in page.loaded:
            if urlsplit(address).scheme not in ("", "data") or address.startswith("//"):
                yield f"{where} loads {address}"
        for address in {*page.links, *page.loaded}:
            yield from (f"{where}: {fault}" for fault in _fault(address, path, pages, site))
    for style in sorted(site.rglob("*.css")):
        if _STYLE_ADDRESS.search(style.read_text(encoding="utf-8")):
            yield f"{style.relative_to(site)} loads from elsewhere"


def _fault(address: str, path: Path, pages: dict[Path, Page], site: Path) -> Iterator[str]:
    parts = urlsplit(address)
    if parts.scheme or address.startswith("//"):
        return
    goal = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
    if parts.path.startswith("/"):
        goal = site.resolve() / unquote(parts.path).lstrip("/")
    if goal.is_dir():
        goal /= "index.html"
    if not goal.is_relative_to(site.resolve()):
        yield f"{address} leaves the site"
    elif not goal.exists():
        yield f"{address} leads to no file"
    elif parts.fragment and goal in pages and unquote(parts.fragment) not in pages[goal].anchors:
        yield f"{address} leads to no element"


if __name__ == "__main__":
    found = list(faults(Path(sys.argv[1])))
    print("\n".join(found) or "every link and anchor leads somewhere, and nothing is loaded")
    sys.exit(bool(found))
