"""The page of several systems: who is better, at these costs and at others."""

from pathlib import Path

from stakes._text import number, plain
from stakes.evaluation import Comparison
from stakes.evaluation.comparison_verdicts import NONE_BEST, p_note
from stakes.evaluation.verdicts.wording import p_number
from stakes.report.markup import Markup, element, table, user_text
from stakes.report.metric_labels import metric_label
from stakes.report.page import Page, folded, live_sections, section
from stakes.report.page_tables import interval_text, level_text
from stakes.report.payload import compared, payload

_MAIN = ("nec", "normalized", "auc", "accuracy", "calibrated_nec", "calibrated_normalized")
_MOST_ROWS = 500
_CLEAR = {"better", "worse", "best", "equivalent", "non_inferior"}


def comparison_page(comparison: Comparison, title: str = "", source: str = "") -> Page:
    """Return the page of a comparison."""
    body = payload("comparison", comparison.sketch, comparison.level)
    name = f"{plain(Path(source).name)}: " if source else ""
    facts = (
        f"{name}{comparison.n:,} samples, {len(comparison.systems)} systems, differences"
        f" from {plain(comparison.reference)}; seed {comparison.seed}"
    )
    return Page(
        title=title or "Which system costs less",
        facts=facts,
        sections=(
            _verdicts(comparison),
            *live_sections(),
            section("numbers", "Numbers", *(_differences(comparison, main=True))),
            section("details", "Details", *_details(comparison)),
        ),
        data={**body, **compared(comparison)},
    )


def _verdicts(comparison: Comparison) -> Markup:
    """Return who is better, and what to do."""
    listed = []
    for verdict in comparison.verdicts:
        look = "good" if verdict.code in _CLEAR else "warn"
        parts = [element("p", verdict.text)]
        if verdict.advice:
            parts.append(element("p", verdict.advice, class_="advice"))
        listed.append(element("li", parts, class_=f"verdict {look}"))
    return section("verdicts", "Verdict", element("ul", listed))


def _differences(comparison: Comparison, *, main: bool) -> list[Markup]:
    """Return the differences of each system."""
    heads = (
        "metric", "value", "reference", "difference", level_text(comparison.level), "p",
    )  # fmt: skip
    parts = []
    several = len(comparison.may_be_best) > 1
    for system in comparison.systems[1:]:
        rows = [
            [
                metric_label(d.metric, several=several) if main else plain(d.metric),
                number(d.value),
                number(d.reference),
                number(d.difference.value),
                interval_text(d.difference),
                p_number(d.adjusted_p_value),
            ]
            for d in comparison.differences
            if d.system == system and (not main or d.metric.rpartition(".")[2] in _MAIN)
        ]
        caption = f"{plain(system)} less {plain(comparison.reference)}, on the same samples"
        parts.append(table(caption, heads, rows[:_MOST_ROWS]))
    parts.append(element("p", p_note(comparison.systems, comparison.costs), class_="note"))
    return parts


def _details(comparison: Comparison) -> list[Markup]:
    """Return every difference, the odds, and notes."""
    parts = [folded("Every difference", *_differences(comparison, main=False))]
    if comparison.odds:
        rows = [
            [
                f"{number(r.low)} to {number(r.high)}",
                NONE_BEST if r.system is None else user_text(r.system),
            ]
            for r in comparison.odds[:_MOST_ROWS]
        ]
        heads = ("odds c12 P1 / (c21 P2)", "costs least")
        parts.append(folded("Who costs least at which odds", table("By odds", heads, rows)))
    if comparison.notes:
        listed = [element("li", note) for note in comparison.notes]
        parts.append(element("ul", listed, class_="notes"))
    return parts
