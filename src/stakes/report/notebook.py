"""Records in a notebook: a live frame, and what stays of it on paper and without scripts."""

import re
from typing import TYPE_CHECKING

from stakes._markdown import escaped, table_lines
from stakes._text import interval_name, number
from stakes.report.markup import Markup, element
from stakes.report.page import Page

if TYPE_CHECKING:
    from stakes.report import Reported

_HEIGHT = "900"
_MOST_ROWS = 40
# The text is for paper, where a frame is cut at its height, and for viewers that take out frames
# and styles alike, such as that of GitHub. A screen shows the frame alone.
_STYLE = """
.stakes-frame{border:0;display:block;width:100%}
@media screen{.stakes-frame+.stakes-text{display:none}}
@media print{.stakes-frame+.stakes-text .stakes-verdicts{display:none}}
"""
_SPOKEN = re.compile(r'<caption class="unseen">.*?</caption>', re.DOTALL)  # a heading says the same


def notebook_frame(page: Page) -> str:
    """Return a page in a frame that can reach nothing of the notebook around it.

    It is loaded at once, since an export does not scroll to it.
    """
    frame = element(
        "iframe",
        class_="stakes-frame",
        sandbox="allow-scripts",
        srcdoc=page.html(),
        width="100%",
        height=_HEIGHT,
        title="stakes report",
    )
    return f"<style>{_STYLE}</style>{frame}{_text(page)}"


def _text(page: Page) -> Markup:
    """Return verdicts and numbers of a page without its scripts and styles."""
    verdicts = [
        element("p", [element("strong", page.title), f" ({page.facts})"]),
        element("ul", [each.item() for each in page.findings]),
    ]
    tables = Markup(_SPOKEN.sub("", "".join(str(table) for table in page.numbers)))
    parts = [element("div", verdicts, class_="stakes-verdicts"), tables]
    return element("div", parts, class_="stakes-text")


def notebook_text(record: "Reported", page: Page) -> str:
    """Return verdicts and every number as Markdown, the first rows of very many."""
    lines = [f"**{escaped(page.title)}** ({escaped(page.facts)})", ""]
    for found in page.findings:
        lines.append(f"- {escaped(' '.join(filter(None, (found.text, found.advice))), 2000)}")
        lines += ["", f"      {found.command}", ""] if found.command else []
    metrics = record.metrics()
    rows = [
        (name, number(e.value), "" if e.interval is None else str(e.interval))
        for name, e in list(metrics.items())[:_MOST_ROWS]
    ]
    lines += ["", *table_lines(("metric", "value", interval_name(record.level)), rows)]
    if len(metrics) > _MOST_ROWS:
        lines += ["", f"Shows the first {_MOST_ROWS} of {len(metrics)} numbers."]
    notes = [f"- Note: {escaped(note, 2000)}" for note in getattr(record, "notes", ())]
    lines += ["", *notes] if notes else []
    return "\n".join([*lines, ""])
