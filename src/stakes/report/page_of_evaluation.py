"""The page of one system: verdicts, the live part, pictures, numbers."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from stakes._text import number, percent, plain
from stakes.evaluation import ApplicationResult, Evaluation, Verdict
from stakes.report.markup import Content, Markup, element, table, user_text
from stakes.report.metric_labels import ranking_label
from stakes.report.page import Page, folded, live_sections, section
from stakes.report.page_tables import (
    confusion_table,
    interval_text,
    level_text,
    prior_table,
    traditional_table,
)
from stakes.report.payload import payload
from stakes.results import Estimate

_MOST_ROWS = 500
_LOOKS = {
    "useful": "good",
    "worse_than_naive": "bad",
    "always_the_same": "bad",
    "scores_reversed": "bad",
    "slice_worse_than_naive": "bad",
    "infinite_loss": "bad",
}


ACTIONS = {  # how to do what a verdict advises, in Python
    "calibrate": "calibrator = stakes.AffineCalibrator().fit(y, scores)",
    "adapt_priors": 'stakes.evaluate(..., training_priors="data")',
}


def evaluation_page(
    evaluation: Evaluation,
    title: str = "",
    source: str = "",
    actions: Mapping[str, str] = ACTIONS,
) -> Page:
    """Return the page of an evaluation."""
    sketch = evaluation.sketch
    body = payload("evaluation", sketch, evaluation.level)
    return Page(
        title=title or "What this system costs",
        facts=_facts(evaluation, source),
        sections=(
            verdict_section(evaluation.verdicts, actions),
            *live_sections(),
            section("numbers", "Numbers", *_numbers(evaluation)),
            section("details", "Details", *_details(evaluation)),
        ),
        data=body,
    )


def _facts(evaluation: Evaluation, source: str) -> str:
    """Say what was judged."""
    data = evaluation.data
    name = f"{plain(Path(source).name)}: " if source else ""
    groups = "" if data.groups is None else f" in {data.groups} groups"
    weights = ", weighted" if data.weighted else ""
    return (
        f"{name}{data.n:,} samples{groups} of {len(data.classes)} classes{weights};"
        f" seed {evaluation.seed}"
    )


def verdict_section(verdicts: Sequence[Verdict], actions: Mapping[str, str] = ACTIONS) -> Markup:
    """Return what the numbers say, first of all."""
    return section("verdicts", "Verdict", element("ul", [_verdict(v, actions) for v in verdicts]))


def _verdict(verdict: Verdict, actions: Mapping[str, str]) -> Markup:
    """Return a verdict with its advice."""
    parts = [element("p", verdict.text)]
    if verdict.advice:
        parts.append(element("p", verdict.advice, class_="advice"))
    if actions.get(verdict.action):
        parts.append(element("code", actions[verdict.action], class_="command"))
    look = _LOOKS.get(verdict.code, "warn")
    return element("li", parts, class_=f"verdict {look}", data_code=verdict.code)


def _numbers(evaluation: Evaluation) -> Iterable[Markup]:
    """Yield the tables that everybody reads."""
    yield _losses(evaluation)
    yield from (_application(a, evaluation) for a in evaluation.applications)
    if evaluation.ranking:
        yield _ranking(evaluation)
    yield _calibration_errors(evaluation)
    if evaluation.slices:
        yield _slices(evaluation)


def _losses(evaluation: Evaluation) -> Markup:
    """Return costs and scoring rules, uncalibrated and calibrated."""
    staged = () if evaluation.calibrator is None else ("calibrated", "interval", "recovers")
    heads = ("", "uncalibrated", level_text(evaluation.level), "naive", *staged)
    rows = []
    several = len(evaluation.applications) > 1
    for a in evaluation.applications:
        name = f"expected cost, {plain(a.name)}" if several else "expected cost (NEC)"
        rows.append([name, *_loss_cells(a.cost.normalized), "1"])
        rows[-1] += _staged(a.cost.calibrated_normalized, a.cost.relative, staged)
    for rule in evaluation.rules:
        rows.append([rule.raw.name, *_loss_cells(rule.normalized), "1"])
        rows[-1] += _staged(rule.calibrated_normalized, rule.relative, staged)
    note = "Each over what the naive system scores: 1 is no better than a constant answer."
    if evaluation.calibrator is not None:
        note += f" Calibrated: {evaluation.calibrator}, {evaluation.fitted}."
    return table("Normalised costs and scores, lower is better", heads, rows, note)


def _loss_cells(estimate: Estimate) -> list[str]:
    """Return a value and its interval."""
    return [number(estimate.value), interval_text(estimate)]


def _staged(after: Estimate | None, back: Estimate | None, wanted: Sequence[str]) -> list[str]:
    """Return what calibration gives."""
    if not wanted or after is None:
        return [""] * len(wanted)
    share = "" if back is None or not math.isfinite(back.value) else _percent(back)
    return [*_loss_cells(after), share]


def _percent(estimate: Estimate) -> str:
    """Return a share in percent with its interval."""
    band = estimate.interval
    span = "" if band is None else f" ({percent(band.low)} to {percent(band.high)})"
    return f"{percent(estimate.value)} %{span}"


def _application(a: ApplicationResult, evaluation: Evaluation) -> Markup:
    """Return what decisions cost, and how many of which are made."""
    raw = a.cost.raw
    several = len(evaluation.applications) > 1
    name = f"{plain(a.name)}: " if several else ""
    rows: list[list[Content]] = [
        ["a case costs", number(raw.value), interval_text(a.cost.value)],
        [["always ", user_text(raw.naive_answer), " costs"], number(raw.naive), ""],
    ]
    if a.threshold is not None:
        last = user_text(a.costs.decisions[-1])
        rows.append([["decides ", last, " above a posterior of"], number(a.threshold), ""])
    if a.minimum is not None:
        text = "least normalised cost of any threshold, chosen on these data"
        rows.append([text, number(a.minimum.value), interval_text(a.minimum)])
    if a.abstention is not None:
        share = a.abstention
        rows.append(
            ["share of cases without a decision", number(share.value), interval_text(share)]
        )
    heads = ("", "value", level_text(evaluation.level))
    parts = [
        table(f"{name}Cost of a case", heads, rows),
        confusion_table(a.confusion, a.costs, name),
        prior_table(raw, name),
    ]
    return element("div", parts, class_="application")


def _ranking(evaluation: Evaluation) -> Markup:
    """Return how well scores rank."""
    naive = {"auc": "0.5", "eer": "0.5"}
    rows = [
        [ranking_label(name), number(e.value), interval_text(e), naive.get(name, "")]
        for name, e in evaluation.ranking.items()
    ]
    heads = ("", "value", level_text(evaluation.level), "naive")
    return table("Ranking", heads, rows)


def _calibration_errors(evaluation: Evaluation) -> Markup:
    """Return calibration errors beside what chance alone makes of them, and the slope."""
    rows: list[list[Content]] = [
        [
            error.name,
            number(error.value),
            interval_text(error.estimate(evaluation.level)),
            _known(error.debiased),
            _known(error.expected_if_calibrated),
        ]
        for error in evaluation.calibration_errors.values()
    ]
    slope = evaluation.slope
    if slope is not None:
        name = "calibration slope (below 1: overconfident)"
        rows.append([name, number(slope.value), interval_text(slope), "", "1"])
    heads = ("", "value", level_text(evaluation.level), "debiased", "expected if calibrated")
    return table("Calibration errors and slope", heads, rows)


def _known(value: float) -> str:
    """Return a number, or nothing for one that is unknown."""
    return "" if math.isnan(value) else number(value)


def _slices(evaluation: Evaluation) -> Markup:
    """Return the slices."""
    rows: list[list[Content]] = []
    for s in evaluation.slices[:_MOST_ROWS]:
        name: Content = [user_text(s.column), " ", user_text(s.value)]
        if s.cost is None or s.cross_entropy is None:
            rows.append([name, str(s.samples), "undefined", s.why, "", ""])
        else:
            cells = [*_loss_cells(s.cost), number(s.cross_entropy.value), s.standing]
            rows.append([name, str(s.samples), *cells])
    level = level_text(evaluation.level)
    heads = ("slice", "samples", "NEC", level, "cross-entropy", "verdict")
    note = ""
    if len(evaluation.slices) > 1:
        many = f"corrected for {len(evaluation.slices)} slices"
        note = f"Verdict: against the best constant answer, {many}; unclear: not distinguishable."
    return table("Slices, normalised within each", heads, rows, note)


def _details(evaluation: Evaluation) -> Iterable[Markup]:
    """Yield what some readers want to see."""
    yield folded("Every class", _classes(evaluation))
    for a in evaluation.applications:
        if a.traditional:
            several = len(evaluation.applications) > 1
            name = f"Traditional metrics{f' of {plain(a.name)}' if several else ''}"
            yield folded(name, traditional_table(a.traditional, a.traditional_estimates, name))
    yield folded("Every number", _metrics(evaluation))
    if evaluation.notes:
        yield element("ul", [element("li", note) for note in evaluation.notes], class_="notes")


def _classes(evaluation: Evaluation) -> Markup:
    """Return what is lost on each class."""
    rows: list[list[Content]] = [
        [
            user_text(c.name),
            str(c.samples),
            number(c.prior),
            "" if c.recall is None else str(c.recall),
            str(c.cost),
            str(c.cross_entropy),
        ]
        for c in evaluation.by_class[:_MOST_ROWS]
    ]
    heads = ("class", "samples", "prior", "recall", "mean cost", "mean cross-entropy")
    return table("What is lost on each class", heads, rows)


def _metrics(evaluation: Evaluation) -> Markup:
    """Return every number with its interval and how that was had."""
    rows = [
        [plain(name), number(e.value), "" if e.interval is None else str(e.interval), e.method]
        for name, e in evaluation.metrics().items()
    ]
    heads = ("metric", "value", level_text(evaluation.level), "interval by")
    return table("Every number", heads, rows[:_MOST_ROWS])
