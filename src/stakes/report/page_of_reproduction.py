"""The page of the paper: its tables beside the printed digits, its figures, its systems live."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from stakes._text import fixed
from stakes.evaluation.sketch import Sketch
from stakes.paper import Cell, Reproduction
from stakes.report.markup import Content, Markup, element, table
from stakes.report.page import Finding, Page, live_sections, section, verdict_section
from stakes.report.payload import payload

_LEVEL = 0.95


@dataclass(frozen=True)
class Picture:
    """A figure of the paper, reproduced."""

    title: str
    text: str  # what it shows, for those who cannot see it
    png: bytes


def reproduction_page(
    tables: Sequence[Reproduction], pictures: Sequence[Picture], sketch: Sketch
) -> Page:
    """Return the page of all tables and figures."""
    printed = [cell for t in tables for cell in t.printed_cells]
    agreeing = sum(cell.agrees for cell in printed)
    look = "good" if agreeing == len(printed) else "warn"
    text = f"{agreeing} of {len(printed)} printed numbers agree with those computed here."
    advice = "A cell shows the computed value and the printed digits; a cross marks a difference."
    figures = []
    for picture in pictures:
        data = base64.b64encode(picture.png).decode("ascii")
        image = element("img", src=f"data:image/png;base64,{data}", alt=picture.text)
        figures.append(element("figure", [image, element("figcaption", picture.title)]))
    return Page(
        title="Analysis and comparison of classification metrics, reproduced",
        facts="L. Ferrer, arXiv:2209.05355; every table and figure recomputed",
        sections=(
            verdict_section([Finding(look, text, advice)]),
            section("numbers", "Tables", *(_table(t) for t in tables)),
            section("figures", "Figures", *figures),
            *live_sections(),
        ),
        data=payload("comparison", sketch, _LEVEL),
    )


def _table(reproduction: Reproduction) -> Markup:
    rows: list[list[Content]] = [
        [" ".join(names), *(_cell(cell) for cell in cells)] for names, cells in reproduction.rows
    ]
    heads = (" ".join(reproduction.row_names), *reproduction.columns)
    count = len(reproduction.printed_cells)
    note = f"{reproduction.agreeing} of {count} printed cells agree." if count else ""
    return table(f"{reproduction.label}: {reproduction.title}", heads, rows, note)


def _cell(cell: Cell) -> Content:
    if cell.value != cell.value:
        return "none"
    if not cell.printed:
        return fixed(cell.value, 4)
    value = f"{fixed(cell.value, cell.decimals + 1)} "
    kind, mark = ("agrees", "") if cell.agrees else ("differs", " ✗")
    return [value, element("span", f"{cell.printed}{mark}", class_=f"printed {kind}")]
