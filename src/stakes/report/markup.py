"""Markup: elements whose text and attributes are always escaped."""

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stakes._text import plain

_LONGEST = 2000  # characters of one text from outside
_MOST_UPRIGHT = 8  # columns whose names are not turned
_VOID = frozenset({"img"})  # elements without an end


@dataclass(frozen=True)
class Markup:
    """Text that is safe to stand in a page as it is."""

    text: str

    def __str__(self) -> str:
        return self.text


Content: TypeAlias = "Markup | str | Sequence[Content]"


def element(name: str, content: Content = "", /, **attributes: str) -> Markup:
    """Return an element; plain strings in it are escaped, and `class_` stands for class."""
    listed = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(value)}"'
        for key, value in attributes.items()
    )
    if name in _VOID:
        return Markup(f"<{name}{listed}>")
    return Markup(f"<{name}{listed}>{joined(content)}</{name}>")


def joined(content: Content) -> str:
    """Return markup as text, one after the other."""
    if isinstance(content, str):
        return html.escape(plain(content, _LONGEST))
    return content.text if isinstance(content, Markup) else "".join(joined(c) for c in content)


def user_text(name: object, longest: int = 60) -> Markup:
    """Return a name from outside, kept apart from the direction of the text around it."""
    return element("bdi", plain(name, longest))


def table(
    caption: str, heads: Sequence[str], rows: Iterable[Sequence[Content]], note: str = ""
) -> Markup:
    """Return a table that scrolls by itself: names in the first column, numbers in the others."""
    turned = len(heads) > _MOST_UPRIGHT
    head = element("tr", [_head(h, turned=turned and at > 0) for at, h in enumerate(heads)])
    body = []
    for first, *others in rows:
        spans = (isinstance(cell, str) and " to " in cell for cell in others)
        kinds = ("interval" if span else "number" for span in spans)
        cells = (element("td", c, class_=kind) for c, kind in zip(others, kinds, strict=True))
        body.append(element("tr", [element("th", first, scope="row"), *cells]))
    spoken = element("caption", caption, class_="unseen")  # the heading wraps, a caption does not
    inner = element(
        "table",
        [spoken, element("thead", head), element("tbody", body)],
        **({"class_": "turned"} if turned else {}),
    )
    scroll = element("div", inner, class_="scroll", tabindex="0", role="region", aria_label=caption)
    parts = [element("h3", caption, class_="caption"), scroll]
    if note:
        parts.append(element("p", note, class_="note"))
    return Markup(joined(parts))


def _head(name: str, *, turned: bool) -> Markup:
    """Return the head of a column; a corner without a name is a cell like others."""
    if not name:
        return element("td")
    if not turned:
        return element("th", name, scope="col")
    return element("th", element("span", name, title=name), scope="col")
