"""The first section of a page: the answer, the results per 1,000 cases, and things to know."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from stakes._amounts import Unit, amount, decimals_of, with_unit
from stakes._text import plain
from stakes._typing import FloatArray
from stakes.costs import CostMatrix, SampleCosts
from stakes.evaluation import (
    ApplicationResult,
    Comparison,
    DecisionEvaluation,
    Evaluation,
    Verdict,
)
from stakes.evaluation.verdicts.wording import percent
from stakes.report.answer import (
    PER,
    Naive,
    Standing,
    answer,
    code_of,
    compared,
    naive_phrase,
    per_thousand,
    verdict_of,
)
from stakes.report.markup import Content, Markup, element, joined
from stakes.report.response_answer import target_text
from stakes.report.setting_words import Part, Setting, first_cell
from stakes.results import Estimate, ExpectedLoss

ICONS = {"good": "✓", "bad": "✕", "warn": "?", "note": "–"}
_MOST_CLASSES = 100  # beyond, the sentence would say nothing
_USEFULNESS = (
    "useful", "worse_than_naive", "practically_equal", "not_distinguishable", "always_the_same",
    "no_interval", "no_verdict",
)  # fmt: skip


def usefulness_code(verdicts: Sequence[Verdict], application: str) -> str:
    """Return the code of the verdict that says whether an application is useful."""
    for v in verdicts:
        if v.code in _USEFULNESS and v.application in ("", application):
            return v.code
    return "no_verdict"


def calibrated_code(a: ApplicationResult, applications: int, level: float) -> str:
    """Return the code of the calibrated cost: by its interval, and that corrected for how many."""
    after, record = a.cost.calibrated_normalized, a.cost.calibrated
    if after is None or record is None:
        return "no_verdict"
    shown = code_of(after.value, _band(after))
    if shown not in ("useful", "worse_than_naive") or applications == 1:
        return shown
    corrected = record.normalized_interval(1 - (1 - level) / applications)
    return shown if code_of(after.value, (corrected.low, corrected.high)) == shown else (
        "not_distinguishable"
    )  # fmt: skip


def setting_of(cost: ExpectedLoss, costs: CostMatrix) -> Setting:
    """Return the setting of a record."""
    named = [plain(c) for c in cost.classes], [plain(d) for d in costs.decisions]
    made = Setting(*named, costs.values, cost.priors, cost.priors_from_data, (0, 0))
    return Setting(*named, costs.values, cost.priors, cost.priors_from_data, first_cell(made))


def evaluation_answer(evaluation: Evaluation, unit: Unit) -> Markup:
    """Return the answer on the first application, as far as it can be said without scripts."""
    a, level = evaluation.main, evaluation.level
    if isinstance(a.costs, SampleCosts) and math.isfinite(a.cost.raw.normalized):
        return answer_text(_case_sentences(evaluation, a.costs, unit), [])
    if not isinstance(a.costs, CostMatrix) or len(a.cost.raw.classes) > _MOST_CLASSES:
        return _plain_answer(evaluation.verdicts[0])
    raw = a.cost.raw
    setting, naive = setting_of(raw, a.costs), _naive(raw, a.costs)
    made = set(a.confusion.column.tolist())
    grouped = evaluation.data.weighted or evaluation.data.groups is not None
    first = Standing(
        "uncalibrated",
        usefulness_code(evaluation.verdicts, a.name),
        raw.value,
        _band(a.cost.value),
        np.asarray(a.confusion.counts, dtype=np.float64),
        not grouped,
        made.pop() if len(made) == 1 else -1,
    )
    standings = [first]
    after = a.cost.calibrated_normalized
    if after is not None and a.cost.calibrated is not None:
        code = calibrated_code(a, len(evaluation.applications), level)
        ends = a.cost.calibrated.interval(level)
        band = None if after.interval is None else (ends.low, ends.high)
        later = _calibrated_counts(evaluation)
        value = a.cost.calibrated.value
        standings.append(Standing("calibrated", code, value, band, later, not grouped))
    reason = "" if raw.undefined is None else raw.undefined.text
    sentences = answer(setting, standings, naive, unit, reason=reason)
    table = _thousand(setting, standings, naive, unit, level, ["uncalibrated", "calibrated"])
    return answer_text(sentences, [table] if math.isfinite(raw.normalized) else [])


def _case_sentences(evaluation: Evaluation, costs: SampleCosts, unit: Unit) -> list[Sequence[Part]]:
    """Return the answer where costs vary by case, as the live page says it."""
    a, level, scale = evaluation.main, evaluation.level, PER * unit.scale
    raw, band, after = a.cost.raw, _band(a.cost.value), a.cost.calibrated_normalized
    decimals = decimals_of(raw.value * scale, band and (band[0] * scale, band[1] * scale))

    def cost(value: float) -> str:
        return with_unit(amount(value * scale, decimals), unit)

    naive = plain(costs.decisions[[str(d) for d in costs.decisions].index(str(raw.naive_answer))])
    code = usefulness_code(evaluation.verdicts, a.name)
    later = "" if after is None else calibrated_code(a, len(evaluation.applications), level)
    first: list[Part] = [
        ["text", "With costs that vary by case, this system is "],
        verdict_of(code, helped=later == "useful"),
        ["text", f": it costs {cost(raw.value)} per {PER:,} cases"],
        ["text", f" ({percent(raw.normalized)} of the naive cost)"],
        ["text", f", compared with {cost(raw.naive)} for always deciding "],
        ["name", naive],
        ["text", "."],
    ]
    if after is None or a.cost.calibrated is None:
        return [first]
    told = f"Calibrated: {cost(a.cost.calibrated.value)} per {PER:,} cases, "
    return [first, [["text", told], verdict_of(later), ["text", "."]]]


def _calibrated_counts(evaluation: Evaluation) -> FloatArray | None:
    """Return the decisions with calibrated scores in the first application, where they are kept."""
    sketch, name = evaluation.sketch, evaluation.main.name
    known = () if sketch is None else (a for a in sketch.applications if a.name == name)
    return next((a.counts[1] for a in known if len(a.counts) > 1), None)


def decisions_answer(evaluation: DecisionEvaluation, unit: Unit) -> Markup:
    """Return the answer on decisions that were made."""
    cost, costs, confusion = evaluation.expected_cost, evaluation.costs, evaluation.confusion
    if costs is None or len(cost.classes) > _MOST_CLASSES:
        return _plain_answer(evaluation.verdicts[0])
    setting, naive = setting_of(cost, costs), _naive(cost, costs)
    band = None
    if cost.undefined is None:
        ends = cost.interval(evaluation.level)
        band = ends.low, ends.high
    made = set(confusion.column.tolist())
    counts = np.asarray(confusion.counts, dtype=np.float64)
    code, only = usefulness_code(evaluation.verdicts, ""), made.pop() if len(made) == 1 else -1
    one = Standing("decisions", code, cost.value, band, counts, confusion.whole, only)
    reason = "" if cost.undefined is None else cost.undefined.text
    sentences = answer(setting, [one], naive, unit, subject="these decisions", reason=reason)
    table = _thousand(setting, [one], naive, unit, evaluation.level, ["these decisions"])
    return answer_text(sentences, [table] if math.isfinite(cost.normalized) else [])


def comparison_answer(comparison: Comparison, unit: Unit) -> Markup:
    """Return the answer on the first application of a comparison."""
    sketch = comparison.sketch
    if sketch is None or not sketch.applications:
        return _plain_answer(comparison.verdicts[0])
    a = sketch.applications[0]
    named = [plain(c) for c in sketch.classes], [plain(d) for d in a.costs.decisions]
    bare = Setting(*named, a.costs.values, a.priors, a.priors_from_data, (0, 0))
    setting = replace(bare, cell=first_cell(bare))
    constant, cost = a.costs.naive(a.priors)
    naive = Naive(int(constant), float(cost))
    systems = [plain(name) for name in comparison.systems]
    standings = [
        Standing(systems[i % len(systems)], "no_interval", nec * naive.cost, None, None)
        for i, nec in enumerate(a.normalized)
    ]
    n = len(systems)
    best = [plain(name) for name in comparison.may_be_best[a.name]]
    after = best_calibrated(comparison, a.name)
    later = standings[n:], None if after is None else [plain(name) for name in after]
    return answer_text(compared(setting, standings[:n], naive, unit, best, later), [])


def best_calibrated(comparison: Comparison, application: str) -> tuple[str, ...] | None:
    """Return which of two systems may be the best calibrated, by the test; of more None."""
    metric = f"{application}.calibrated_nec"
    found = [d for d in comparison.differences if d.metric == metric]
    if len(comparison.systems) != 2 or len(found) != 1:
        return None
    if not found[0].distinguishable:
        return comparison.systems
    return (found[0].system if found[0].wins else comparison.reference,)


def _plain_answer(verdict: Verdict) -> Markup:
    return element("div", element("p", verdict.text, class_="answer"), id="answer-text")


def _naive(cost: ExpectedLoss, costs: CostMatrix) -> Naive:
    answers = [str(d) for d in costs.decisions]
    return Naive(answers.index(str(cost.naive_answer)), cost.naive)


def _band(estimate: Estimate) -> tuple[float, float] | None:
    band = estimate.interval
    return None if band is None or math.isnan(band.low) else (band.low, band.high)


def answer_text(sentences: Sequence[Sequence[Part]], more: Sequence[Markup]) -> Markup:
    """Return the answer, for the place that the live page fills."""
    spoken = [element("p", shown_parts(one), class_="answer") for one in sentences]
    return element("div", [*spoken, *more], id="answer-text")


def shown_parts(parts: Iterable[Part]) -> list[Markup | str]:
    """Return a sentence; numbers that the live page lets change stand out."""
    out: list[Markup | str] = []
    for kind, first, *rest in parts:
        if kind == "name":
            out.append(element("bdi", str(first), class_="name", dir="auto"))
        elif kind == "field":
            out.append(element("b", _given(str(first), float(rest[0])), class_="given"))
        elif kind == "verdict":
            look = str(rest[0])
            icon = element("span", ICONS[look], class_="icon", aria_hidden="true")
            out.append(element("strong", [icon, str(first)], class_=f"verdict-word {look}"))
        else:
            out.append(str(first))
    return out


def _given(key: str, value: float) -> str:
    """Return a number that the live page lets change as its field shows it."""
    if key == "target":
        return target_text(value)
    return _bare(amount(value, decimals_of(value, None)))


def _bare(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _thousand(
    setting: Setting,
    standings: Sequence[Standing],
    naive: Naive,
    unit: Unit,
    level: float,
    names: Sequence[str],
) -> Markup:
    heads, rows = per_thousand(setting, standings, naive, unit, level)
    labels: list[Content] = [
        *names[: len(standings)],
        shown_parts(naive_phrase(setting, naive.decision)),
    ]
    return thousand_table("cases", heads, labels, rows)


def thousand_table(
    what: str, heads: Sequence[str], labels: Sequence[Content], rows: Sequence[Sequence[str]]
) -> Markup:
    """Return a table of the results per 1,000 cases or questions."""
    body = [
        element("tr", [element("th", label, scope="row"), *(_cell(c) for c in cells)])
        for label, cells in zip(labels, rows, strict=True)
    ]
    top = [f"Per 1,000 {what}", *heads]
    head = element("tr", [element("th", h, scope="col") for h in top])
    caption = element("caption", f"Results per 1,000 {what}", class_="unseen")
    inner = element("table", [caption, element("thead", head), element("tbody", body)])
    region = {"tabindex": "0", "role": "region", "aria_label": f"per 1,000 {what}"}
    return element("div", inner, class_="thousand", **region)


def _cell(text: str) -> Markup:
    """Return a cell; a narrow page breaks its line before the interval, not within."""
    value, opening, rest = text.partition(" (")
    band: Content = [" ", element("span", f"({rest}", class_="band")] if opening else ""
    return element("td", [value, band])


def as_text(content: Content) -> str:
    """Return content as text of a page."""
    return joined(content)
