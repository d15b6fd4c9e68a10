"""The page of one system, by its scores or by its decisions: verdicts, the live part, numbers."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from stakes._text import interval_name, number, percent, plain
from stakes.costs import CostMatrix, SampleCosts
from stakes.evaluation import ApplicationResult, DecisionEvaluation, Evaluation, Verdict
from stakes.evaluation.python_calls import python_calls
from stakes.evaluation.score_thresholds import precise
from stakes.metrics import ConfusionMatrix, Explanation
from stakes.report.answer_section import (
    calibrated_code,
    decisions_answer,
    evaluation_answer,
    usefulness_code,
)
from stakes.report.markup import Content, Markup, element, table, user_text
from stakes.report.page import (
    Body,
    Finding,
    Heading,
    Page,
    folded,
    listed_notes,
    record_page,
)
from stakes.report.payload import (
    ShownCost,
    decision_payload,
    full_label,
    payload,
    ranking_label,
)
from stakes.results import Estimate, ExpectedLoss

_MOST_ROWS = 500
_MOST_SHOWN = 40  # classes and decisions
_MOST_COUNTED = 1000  # classes up to which a table is laid out at all
_BAD = (
    "worse_than_naive", "always_the_same", "scores_reversed", "slice_worse_than_naive",
    "infinite_loss",
)  # fmt: skip
_LOOKS = {"useful": "good", **dict.fromkeys(_BAD, "bad")}


def evaluation_page(
    evaluation: Evaluation, heading: Heading, actions: Mapping[str, str] | None = None
) -> Page:
    """Return the page of an evaluation."""
    data = evaluation.data
    groups = "" if data.groups is None else f" in {data.groups} groups"
    weights = ", weighted" if data.weighted else ""
    several = {"": "All applications"} if len(evaluation.applications) > 1 else {}
    calls = python_calls(evaluation) if actions is None else actions
    body = Body(
        evaluation_answer(evaluation, heading.unit),
        verdict_items(evaluation.verdicts, calls),
        _numbers(evaluation),
        _details(evaluation),
        several,
    )
    shown = {a.name: _shown_costs(a, evaluation.level) for a in evaluation.applications}
    live = payload("evaluation", evaluation.sketch, evaluation.level, shown)
    facts = f"{data.n:,} samples{groups}, {len(data.classes)} classes{weights}"
    return record_page(
        heading,
        "What this system costs",
        f"{facts}; seed {evaluation.seed}",
        body,
        _with_codes(evaluation, live),
    )


def _shown_costs(a: ApplicationResult, level: float) -> list[ShownCost]:
    """Return the costs that the report shows, uncalibrated and calibrated."""
    shown: list[ShownCost] = [(a.cost.normalized, a.cost.value.interval)]
    if a.cost.calibrated is not None and a.cost.calibrated.undefined is None:
        shown.append((a.cost.calibrated_normalized, a.cost.calibrated.interval(level)))
    return shown


def _with_codes(evaluation: Evaluation, data: dict[str, Any]) -> dict[str, Any]:
    """Return what the live part works with, and the verdict on each system in each application."""
    known = {plain(a.name): a for a in evaluation.applications}
    for application in data["applications"]:
        a = known[application["name"]]
        codes = [usefulness_code(evaluation.verdicts, a.name)]
        if a.cost.calibrated_normalized is not None:
            codes.append(calibrated_code(a, len(known), evaluation.level))
        application["codes"] = codes
    return data


def verdict_items(verdicts: Sequence[Verdict], actions: Mapping[str, str]) -> Iterable[Finding]:
    """Yield verdicts with their advice, and how to follow it, each with its application."""
    for v in verdicts:
        look, command = _LOOKS.get(v.code, "warn"), actions.get(v.action) or ""
        yield Finding(look, v.text, v.advice, command, v.code, v.application)


def _numbers(evaluation: Evaluation) -> Iterable[Markup]:
    yield _losses(evaluation)
    yield from (_application(a, evaluation) for a in evaluation.applications)
    if evaluation.ranking:
        naive = {"auc": "0.5", "eer": "0.5"}
        rows = [
            [ranking_label(name), *estimate_cells(e), naive.get(name, "")]
            for name, e in evaluation.ranking.items()
        ]
        yield table("Ranking", ("", "value", interval_name(evaluation.level), "naive"), rows)
    yield _calibration_errors(evaluation)
    if evaluation.slices:
        yield _slices(evaluation)
        yield from _slice_measures(evaluation)


def _losses(evaluation: Evaluation) -> Markup:
    staged = (
        () if evaluation.calibrator is None else ("calibrated", "interval", "calibration recovers")
    )
    several = len(evaluation.applications) > 1
    losses = [
        (f"expected cost, {plain(a.name)}" if several else "expected cost", a.cost)
        for a in evaluation.applications
    ] + [(rule.raw.name, rule) for rule in evaluation.rules]
    rows = []
    for name, loss in losses:
        after, back = loss.calibrated_normalized, loss.relative
        cells = [""] * len(staged)
        if staged and after is not None:
            cells = [*estimate_cells(after), ""]
            if back is not None and not math.isfinite(back.value):
                cells[-1] = f"undefined: {back.method}"
            elif back is not None:
                band = back.interval
                span = "" if band is None else f" ({percent(band.low)} to {percent(band.high)})"
                cells[-1] = f"{percent(back.value)} %{span}"
        rows.append([name, *estimate_cells(loss.normalized), "1", *cells])
    note = "Each divided by the value of the naive system: 1 is no better than a constant decision."
    if evaluation.calibrator is not None:
        note += f" Calibrated: {evaluation.calibrator}, {evaluation.fitted}."
    heads = ("", "uncalibrated", interval_name(evaluation.level), "naive", *staged)
    return table("Normalised losses (lower is better)", heads, rows, note)


def _application(a: ApplicationResult, evaluation: Evaluation) -> Markup:
    name = f"{plain(a.name)}: " if len(evaluation.applications) > 1 else ""
    cost = number(a.cost.raw.value), estimate_cells(a.cost.value)[1]
    rows: list[list[Content]] = [["this system", *cost], _naive_row(a.cost.raw)]
    if a.threshold is not None:
        last = user_text(a.costs.decisions[-1])
        rows.append([["decides ", last, " above a posterior of"], precise(a.threshold), ""])
        if (given := a.score_threshold) is not None and given.scale != "posterior":
            rows.append([f"same threshold, as {given.scale}", precise(given.value), ""])
    if a.minimum is not None:
        text = "minimum normalised cost (best threshold on these data)"
        rows.append([text, *estimate_cells(a.minimum)])
    if a.abstention is not None:
        rows.append(["share of cases left undecided", *estimate_cells(a.abstention)])
    heads = ("", "value", interval_name(evaluation.level))
    parts = [
        table(f"{name}Cost per case", heads, rows),
        _confusion_table(a.confusion, a.costs, name),
        _prior_table(a.cost.raw, name),
    ]
    return element("div", parts, class_="application")


def _calibration_errors(evaluation: Evaluation) -> Markup:
    rows: list[list[Content]] = []
    for error in evaluation.calibration_errors.values():
        value, interval = number(error.value), estimate_cells(error.estimate(evaluation.level))[1]
        chance = error.debiased, error.expected_if_calibrated
        known = ("" if math.isnan(x) else number(x) for x in chance)
        rows.append([error.name, value, interval, *known])
    if evaluation.slope is not None:
        name = "calibration slope (below 1: overconfident)"
        rows.append([name, *estimate_cells(evaluation.slope), "", "1"])
    heads = ("", "value", interval_name(evaluation.level), "debiased", "expected if calibrated")
    return table("Calibration errors and slope", heads, rows)


def _slices(evaluation: Evaluation) -> Markup:
    rows: list[list[Content]] = []
    for s in evaluation.slices[:_MOST_ROWS]:
        cells = ["undefined", s.why, "", ""]
        if s.cost is not None and s.cross_entropy is not None:
            cells = [*estimate_cells(s.cost), number(s.cross_entropy.value), s.standing]
        rows.append([[user_text(s.column), " ", user_text(s.value)], str(s.samples), *cells])
    level = interval_name(evaluation.level)
    heads = ("slice", "samples", "normalised cost", level, "cross-entropy", "verdict")
    note = ""
    if len(evaluation.slices) > 1:
        many = f"corrected for {len(evaluation.slices)} slices"
        note = f"Verdict: compared with the best constant decision, {many}."
        note += " Unclear: not distinguishable from it."
    return table("Slices, each normalised by its own naive cost", heads, rows, note)


def _slice_measures(evaluation: Evaluation) -> Iterable[Markup]:
    """Yield how slices rank and how far their scores are from rates."""
    rows: list[list[Content]] = []
    for s in evaluation.slices[:_MOST_ROWS]:
        gap = s.calibration_gap
        if gap is None or s.mean_score is None or s.rate is None:
            continue
        area = ("undefined", "a class does not occur") if s.auc is None else estimate_cells(s.auc)
        cells = [*area, number(s.mean_score), number(s.rate), *estimate_cells(gap)]
        rows.append([[user_text(s.column), " ", user_text(s.value)], *cells])
    if not rows:
        return
    level, last = interval_name(evaluation.level), plain(evaluation.data.classes[-1])
    note = (
        f"Mean score: the mean posterior of {last}. Rate: how often it occurs."
        if len(evaluation.data.classes) == 2
        else "Mean score: the mean posterior of the most likely class. Rate: how often it is right."
    )
    heads = ("slice", "AUC", level, "mean score", "rate", "score − rate", level)
    note += " The difference is 0 for calibrated scores."
    yield table("Slices: ranking and calibration", heads, rows, note)


def _slice_metrics(evaluation: Evaluation) -> Iterable[Markup]:
    """Yield the traditional metrics of each slice."""
    rows: list[list[Content]] = [
        [[user_text(s.column), " ", user_text(s.value)], name, *estimate_cells(e)]
        for s in evaluation.slices
        for name, e in s.traditional.items()
    ]
    if rows:
        heads = ("slice", "metric", "value", interval_name(evaluation.level))
        yield folded(
            "Traditional metrics by slice",
            table("Traditional metrics by slice", heads, rows[:_MOST_ROWS]),
        )


def _details(evaluation: Evaluation) -> Iterable[Markup]:
    rows: list[list[Content]] = []
    for c in evaluation.by_class[:_MOST_ROWS]:
        recall = "" if c.recall is None else str(c.recall)
        cells = str(c.samples), number(c.prior), recall, str(c.cost), str(c.cross_entropy)
        rows.append([user_text(c.name), *cells])
    heads = ("class", "samples", "prior", "recall", "mean cost", "mean cross-entropy")
    yield folded("Losses by class", table("Losses by class", heads, rows))
    yield from _slice_metrics(evaluation)
    several = len(evaluation.applications) > 1
    for a in evaluation.applications:
        name = f"Traditional metrics{f' of {plain(a.name)}' if several else ''}"
        yield from _traditional_table(a.traditional, a.traditional_estimates, name)
    every = [
        [full_label(name), number(e.value), "" if e.interval is None else str(e.interval), e.method]
        for name, e in evaluation.metrics().items()
    ]
    columns = ("metric", "value", interval_name(evaluation.level), "interval method")
    yield folded("All numbers", table("All numbers", columns, every[:_MOST_ROWS]))
    yield from listed_notes(evaluation.notes)


def decisions_page(evaluation: DecisionEvaluation, heading: Heading) -> Page:
    """Return the page of an evaluation of decisions."""
    confusion = evaluation.confusion
    unit = "samples" if confusion.whole else "total weight"
    cost, level = evaluation.expected_cost, evaluation.level
    rows: list[list[Content]] = [
        ["normalised expected cost", number(cost.normalized), str(cost.normalized_interval(level))],
        ["cost per case", number(cost.value), str(cost.interval(level))],
        _naive_row(cost),
    ]
    body = Body(
        decisions_answer(evaluation, heading.unit),
        verdict_items(evaluation.verdicts, {}),
        [
            table("Cost (lower is better)", ("", "value", interval_name(level)), rows),
            _confusion_table(confusion, evaluation.costs),
            _prior_table(cost),
            *_traditional_table(
                evaluation.traditional, evaluation.estimates, "Traditional metrics"
            ),
            *listed_notes(evaluation.reasons),
        ],
    )
    data = decision_payload(evaluation)
    for application in data["applications"]:
        application["codes"] = [usefulness_code(evaluation.verdicts, "")]
    facts = f"{number(confusion.n, 6)} {unit}, {len(confusion.classes)} classes"
    return record_page(heading, "What these decisions cost", facts, body, data)


def estimate_cells(estimate: Estimate) -> tuple[str, str]:
    """Return a value, and its interval or why there is none."""
    interval = estimate.method if estimate.interval is None else str(estimate.interval)
    return number(estimate.value), interval


def _naive_row(cost: ExpectedLoss) -> list[Content]:
    """Return what the best constant decision costs."""
    return [["always deciding ", user_text(cost.naive_answer)], number(cost.naive), ""]


def _confusion_table(
    confusion: ConfusionMatrix, costs: CostMatrix | SampleCosts | None, name: str = ""
) -> Markup:
    """Return the confusion matrix, each cell with its cost."""
    if len(confusion.classes) > _MOST_COUNTED:
        return element("p", "The confusion matrix has too many classes to show.", class_="note")
    classes, decisions = confusion.classes[:_MOST_SHOWN], confusion.decisions[:_MOST_SHOWN]
    counts = confusion.counts
    prices = costs.values if isinstance(costs, CostMatrix) else np.zeros(counts.shape)
    rows: list[list[Content]] = [
        [user_text(c), *map(_cell, counts[i, : len(decisions)], prices[i])]
        for i, c in enumerate(classes)
    ]
    cut = max(len(confusion.classes), len(confusion.decisions)) > _MOST_SHOWN
    note = "Count × cost per case, where the cost is not 0." if prices.any() else ""
    note += f" Only the first {_MOST_SHOWN} classes and decisions are shown." if cut else ""
    heads = ("truth \\ decision", *(plain(d) for d in decisions))
    return table(f"{name}Confusion matrix", heads, rows, note.strip())


def _cell(count: float, price: float) -> str:
    return f"{number(count, 6)} × {number(price)}" if count and price else number(count, 6)


def _prior_table(cost: ExpectedLoss, name: str = "") -> Markup:
    """Return the priors that were used."""
    origin = "as in the data" if cost.priors_from_data else "as given"
    pairs = list(zip(cost.classes, cost.priors, strict=True))
    rows: list[list[Content]] = [[user_text(c), number(p)] for c, p in pairs[:_MOST_SHOWN]]
    note = f"Shows the first {_MOST_SHOWN} of {len(pairs)}." if len(pairs) > _MOST_SHOWN else ""
    shown = table(f"{name}Priors", ("class", "prior"), rows, note)
    return folded(f"{name}Priors, {origin}", shown)


def _traditional_table(
    explained: Sequence[Explanation], estimates: Mapping[str, Estimate], name: str
) -> list[Markup]:
    """Return the traditional metrics beside the cost each is tied to, if there are any."""
    rows: list[list[Content]] = []
    for e in explained:
        if e.value is None:
            continue
        estimate, nec = estimates.get(e.value.name), e.expected_cost
        cells = (
            "undefined" if e.value.undefined else number(e.value.value),
            "" if estimate is None else estimate_cells(estimate)[1],
            number(e.value.naive),
            e.value.better,
            "" if nec is None or nec.undefined else number(nec.normalized),
        )
        rows.append([e.value.name, *cells])
    heads = (
        "metric",
        "value",
        "interval",
        "naive",
        "better",
        "normalised cost at its implied costs",
    )
    return [folded(name, table(name, heads, rows))] if explained else []
