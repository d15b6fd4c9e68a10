"""The page of several systems: who is better, at these costs and at others."""

from stakes._text import interval_name, number, plain
from stakes.evaluation import Comparison
from stakes.evaluation.comparison_verdicts import NONE_BEST, p_note
from stakes.evaluation.verdicts.wording import p_number
from stakes.report.markup import Markup, element, table, user_text
from stakes.report.page import Finding, Page, folded, listed_notes, record_page
from stakes.report.page_of_evaluation import estimate_cells
from stakes.report.payload import comparison_payload, metric_label, payload

_MAIN = ("nec", "normalized", "auc", "accuracy", "calibrated_nec", "calibrated_normalized")
_MOST_ROWS = 500
_CLEAR = {"better", "worse", "best", "equivalent", "non_inferior"}


def comparison_page(comparison: Comparison, title: str, source: str) -> Page:
    """Return the page of a comparison."""
    verdicts = (
        Finding("good" if v.code in _CLEAR else "warn", v.text, v.advice)
        for v in comparison.verdicts
    )
    facts = (
        f"{comparison.n:,} samples, {len(comparison.systems)} systems, differences from"
        f" {plain(comparison.reference)}; seed {comparison.seed}"
    )
    data = payload("comparison", comparison.sketch, comparison.level)
    return record_page(
        title or "Which system costs less",
        source,
        facts,
        verdicts,
        numbers=_differences(comparison, main=True),
        details=_details(comparison),
        data=data | comparison_payload(comparison),
    )


def _differences(comparison: Comparison, *, main: bool) -> list[Markup]:
    level = interval_name(comparison.level)
    heads = ("metric", "value", "reference", "difference", level, "p")
    parts = []
    several = len(comparison.may_be_best) > 1
    for system in comparison.systems[1:]:
        rows = [
            [
                metric_label(d.metric, several=several) if main else plain(d.metric),
                number(d.value),
                number(d.reference),
                *estimate_cells(d.difference),
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
    parts = [folded("Every difference", *_differences(comparison, main=False))]
    if comparison.odds:
        shown = comparison.odds[:_MOST_ROWS]
        best = (NONE_BEST if r.system is None else user_text(r.system) for r in shown)
        spans = (f"{number(r.low)} to {number(r.high)}" for r in shown)
        rows = zip(spans, best, strict=True)
        heads = ("odds c12 P1 / (c21 P2)", "costs least")
        parts.append(folded("Who costs least at which odds", table("By odds", heads, rows)))
    return [*parts, *listed_notes(comparison.notes)]
