"""The page of several systems: who is better, at these costs and at others."""

from stakes._text import interval_name, number, plain
from stakes.evaluation import Comparison
from stakes.evaluation.comparison_verdicts import NONE_BEST, ODDS_NOTE, p_note
from stakes.evaluation.verdicts.wording import listed, p_number
from stakes.report.answer_section import best_calibrated, comparison_answer
from stakes.report.markup import Markup, element, table, user_text
from stakes.report.page import (
    Body,
    Finding,
    Heading,
    Page,
    folded,
    listed_notes,
    record_page,
)
from stakes.report.page_of_evaluation import estimate_cells
from stakes.report.payload import comparison_payload, full_label, metric_label, payload

_MAIN = ("nec", "normalized", "auc", "accuracy", "calibrated_nec", "calibrated_normalized")
_MOST_ROWS = 500
_MOST_ALIKE = 2  # verdicts of no difference that are told one by one
_CLEAR = {"better", "worse", "best", "equivalent", "non_inferior"}


def comparison_page(comparison: Comparison, heading: Heading) -> Page:
    """Return the page of a comparison."""
    facts = (
        f"{comparison.n:,} samples, {len(comparison.systems)} systems, differences from"
        f" {plain(comparison.reference)}; seed {comparison.seed}"
    )
    body = Body(
        element("div", [comparison_answer(comparison, heading.unit), *_reversals(comparison)]),
        _known(comparison),
        _differences(comparison, main=True),
        _details(comparison),
    )
    data = payload("comparison", comparison.sketch, comparison.level)
    known = {plain(name): name for name in comparison.may_be_best}
    for application in data["applications"]:
        name = known[application["name"]]
        application["codes"] = []
        application["best"] = [plain(each) for each in comparison.may_be_best[name]]
        application["bestCalibrated"] = [
            plain(each) for each in best_calibrated(comparison, name) or ()
        ]
    data["given"] = len(comparison.systems)
    return record_page(
        heading, "Which system costs less", facts, body, data | comparison_payload(comparison)
    )


def _known(comparison: Comparison) -> list[Finding]:
    """Return the findings; systems that are not distinguishable from the reference share one."""
    alike = [v for v in comparison.verdicts if v.code == "not_distinguishable"]
    many = len(alike) > _MOST_ALIKE
    items = [
        Finding(
            "good" if v.code in _CLEAR else "warn",
            v.text,
            v.advice,
            code=v.code,
            application=v.application,
        )
        for v in comparison.verdicts
        if not many or v.code != "not_distinguishable"
    ]
    if many:
        names = [
            plain(d.system)
            if len(comparison.costs) == 1
            else f"{plain(d.system)} ({d.metric[:-4]})"
            for d in comparison.differences
            if d.metric in comparison.costs and not d.distinguishable
        ]
        text = f"Not distinguishable from {plain(comparison.reference)}: {listed(names, 20)}."
        items.append(Finding("warn", text, alike[0].advice, code=alike[0].code))
    return items


def _reversals(comparison: Comparison) -> list[Markup]:
    """Say where calibration reverses which of two systems is better, both distinguishable."""
    found = {(d.system, d.metric): d for d in comparison.differences}
    said = []
    for (system, metric), before in found.items():
        scope, _, last = metric.rpartition(".")
        after = found.get((system, f"{scope}.calibrated_{last}"))
        if after is None or not (before.distinguishable and after.distinguishable):
            continue
        if before.wins == after.wins:
            continue
        pair = [plain(system), plain(comparison.reference)]
        first, second = pair if before.wins else pair[::-1]
        what = "cost" if last == "nec" else metric_label(metric)
        text = (
            f"Calibration reverses the order: uncalibrated, {first} has the lower {what};"
            f" calibrated, {second} does. Both differences are distinguishable from 0."
        )
        said.append(element("p", text, class_="answer reversal"))
    return said


def _differences(comparison: Comparison, *, main: bool) -> list[Markup]:
    level = interval_name(comparison.level)
    heads = ("metric", "value", "reference", "difference", level, "p")
    parts = []
    several = len(comparison.may_be_best) > 1
    more = "" if main else ": all metrics"  # no two regions of one name
    for system in comparison.systems[1:]:
        rows = [
            [
                metric_label(d.metric, several=several) if main else full_label(d.metric),
                number(d.value),
                number(d.reference),
                *estimate_cells(d.difference),
                p_number(d.adjusted_p_value),
            ]
            for d in comparison.differences
            if d.system == system and (not main or d.metric.rpartition(".")[2] in _MAIN)
        ]
        caption = f"{plain(system)} minus {plain(comparison.reference)}, on the same samples{more}"
        parts.append(table(caption, heads, rows[:_MOST_ROWS]))
    parts.append(element("p", p_note(comparison.systems, comparison.costs), class_="note"))
    return parts


def _details(comparison: Comparison) -> list[Markup]:
    parts = [folded("All differences", *_differences(comparison, main=False))]
    if comparison.odds:
        shown = comparison.odds[:_MOST_ROWS]
        best = (NONE_BEST if r.system is None else user_text(r.system) for r in shown)
        spans = (f"{number(r.low)} to {number(r.high)}" for r in shown)
        rows = zip(spans, best, strict=True)
        heads = ("odds c12 P1 / (c21 P2)", "costs least")
        by_odds = table("By odds", heads, rows, ODDS_NOTE)
        parts.append(folded("Which system costs least at which odds", by_odds))
    return [*parts, *listed_notes(comparison.notes)]
