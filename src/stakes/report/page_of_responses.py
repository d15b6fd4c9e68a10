"""The page of responses: what they are worth at a confidence target, and when to abstain."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from stakes._text import interval_name, number, plain
from stakes.evaluation import Verdict
from stakes.evaluation.verdicts.wording import counted, p_number, percent
from stakes.report.answer_section import answer_text, thousand_table
from stakes.report.markup import Content, Markup, element, table, user_text
from stakes.report.page import Body, Finding, Heading, Page, folded, listed_notes, record_page
from stakes.report.page_of_evaluation import estimate_cells
from stakes.report.payload import full_label
from stakes.report.response_answer import (
    RuleOutcome,
    break_even,
    compared_responses,
    meaning,
    per_thousand,
    response_answer,
    target_text,
)
from stakes.report.response_payload import outcome_of, response_payload, standing_of
from stakes.responses import ResponseComparison, ResponseEvaluation, Responses
from stakes.responses.abstention_rules import CALIBRATED, OWN, STATED, AbstentionRule
from stakes.responses.response_measures import NAMES

_MOST_ROWS = 500
_MOST_COMPARED = 8  # systems of the first table, the best first
_GOOD = ("useful", "own_abstentions", "better", "best")
_BAD = ("worse_than_naive", "slice_worse_than_naive")
LIVE = ("Try other targets", "Try other targets")
HEADS = ("points", "right", "wrong", "no answer")
_CURVES = {
    OWN: "its own abstentions",
    STATED: "stated confidence",
    CALIBRATED: "calibrated confidence",
    "best": "best threshold in hindsight",
}
_AREAS = {
    "aurc": "area under the risk-coverage curve (AURC)",
    "augrc": "area under the generalised risk-coverage curve (AUGRC)",
}


def responses_page(found: ResponseEvaluation, heading: Heading) -> Page:
    """Return the page of responses."""
    body = Body(
        _answer(found),
        findings_of(found.verdicts),
        _numbers(found),
        _details(found),
        live=LIVE,
    )
    data = response_payload("evaluation", {"": found})
    facts = f"{facts_of(found.responses)}; seed {found.seed}"
    return record_page(heading, "What these responses are worth", facts, body, data)


def facts_of(said: Responses) -> str:
    """Return how many responses there are, and of which kind."""
    groups = "" if said.groups is None else f" in {np.unique(said.groups).size:,} groups"
    weights = "" if said.weights is None else ", weighted"
    right, wrong = int(said.is_right.sum()), int(said.is_wrong.sum())
    kinds = f"{right:,} right, {wrong:,} wrong, {len(said) - right - wrong:,} abstained"
    return f"{len(said):,} responses{groups}{weights}: {kinds}"


def findings_of(verdicts: Sequence[Verdict]) -> list[Finding]:
    """Return verdicts as things to know."""
    looks = dict.fromkeys(_GOOD, "good") | dict.fromkeys(_BAD, "bad")
    return [Finding(looks.get(v.code, "warn"), v.text, v.advice, code=v.code) for v in verdicts]


def _answer(found: ResponseEvaluation) -> Markup:
    one = standing_of(found)
    known = [(_label_of(k, one.target), outcome_of(rule)) for k, rule in found.rule.items()]
    always = "always answering, at best" if one.unknown else "always answering"
    rows = [*known, (always, one.always), ("never answering", RuleOutcome(0.0, 0.0, 0.0))]
    cells = [per_thousand(rule) for _, rule in rows]
    shown = thousand_table("questions", HEADS, [label for label, _ in rows], cells)
    return answer_text(response_answer(one), [meaning_of(one.target, one.own), shown])


def meaning_of(t: float, own: RuleOutcome | None = None) -> Markup:
    """Return what the target means, and up to which target the answers pay."""
    more = "" if own is None else break_even(own)
    return element("p", f"{meaning(t)} {more}".rstrip(), class_="meaning")


def _numbers(found: ResponseEvaluation) -> Iterable[Markup]:
    level = interval_name(found.level)
    at = f"At a target of {target_text(found.target.t)}"
    rows: list[list[Content]] = [[NAMES[k], *estimate_cells(e)] for k, e in found.numbers.items()]
    constant = "never" if found.naive[0] == "abstain" else "always"
    rows.insert(1, [f"{constant} answering scores", number(found.naive[1]), ""])
    yield table(at, ("", "value", level), rows)
    if len(found.rules) > 1:
        yield _rules(found)
    if found.areas or found.overconfidence is not None:
        rows = [[_AREAS[name], *estimate_cells(e)] for name, e in found.areas.items()]
        if found.overconfidence is not None:
            gap = "mean confidence − accuracy (above 0: overconfident)"
            rows.insert(0, [gap, *estimate_cells(found.overconfidence)])
        yield table("Stated confidence", ("", "value", level), rows)
    if found.risk_limit is not None:
        limit = f"At most {percent(found.risk_limit.limit)} of the answers wrong: "
        yield element("p", f"{limit}{found.risk_limit}.", class_="note")
    if found.slices:
        yield _slices(found)


def _rules(found: ResponseEvaluation, title: str = "Rules based on its confidence") -> Markup:
    level = interval_name(found.level)
    heads = ("rule", "utility", level, "answered", "accuracy of answers", "gain", level, "p")
    rows: list[list[Content]] = []
    for rule in found.rules:
        gain = ("", "") if rule.gain is None else estimate_cells(rule.gain)
        p_value = "" if math.isnan(rule.p_value) else p_number(rule.p_value)
        shares = [_share(e.value) for e in (rule.answered, rule.answered_accuracy)]
        rows.append([_rule_name(rule, found.target.t), *estimate_cells(rule.utility)])
        rows[-1] += [*shares, *gain, p_value]
    note = "Gain: compared with its own abstentions. Calibrators are cross-fitted."
    return table(title, heads, rows, note)


def _rule_name(rule: AbstentionRule, t: float) -> str:
    label = _label_of(rule.name, t)
    if rule.name != CALIBRATED or rule.threshold is None:
        return label
    inf = math.isinf(rule.threshold)
    return f"{label} ({'nothing reaches it' if inf else f'stated {number(rule.threshold)}'})"


def _label_of(name: str, t: float) -> str:
    """Return what a rule is called at a target."""
    return _CURVES[OWN] if name == OWN else f"{name} confidence of {target_text(t)} or more"


def _share(value: float) -> str:
    return "undefined" if math.isnan(value) else percent(value)


def _slices(found: ResponseEvaluation) -> Markup:
    rows: list[list[Content]] = []
    words = {"useful": "worth having", "worse_than_naive": "not worth having"}
    for part in found.slices[:_MOST_ROWS]:
        shares = [_share(part.numbers[key].value) for key in ("answered", "answered_accuracy")]
        name: Content = [user_text(part.column), " ", user_text(part.value)]
        worth = words.get(part.verdict.code, "unclear")
        cells = [*estimate_cells(part.numbers["utility"]), *shares, worth]
        rows.append([name, f"{part.responses:,}", *cells])
    level = interval_name(found.level)
    heads = ("slice", "responses", "utility", level, "answered", "accuracy of answers", "verdict")
    note = ""
    if len(found.slices) > 1:
        many = counted(len(found.slices), "slices")
        note = f"Verdict: corrected for {many}. Unclear: not distinguishable from a constant rule."
    return table("Slices", heads, rows, note)


def _details(found: ResponseEvaluation) -> Iterable[Markup]:
    curve = found.curve
    heads = ("target", *(_CURVES[name] for name in curve.utility), "share that it answers")
    rows: list[list[Content]] = [
        [
            target_text(float(t)),
            *(number(float(values[k])) for values in curve.utility.values()),
            percent(float(curve.answered[OWN][k])),
        ]
        for k, t in enumerate(curve.targets)
    ]
    yield folded("Utility at every target", table("Utility by target and rule", heads, rows))
    every = [
        [_label(name), number(e.value), "" if e.interval is None else str(e.interval), e.method]
        for name, e in found.metrics().items()
    ]
    columns = ("metric", "value", interval_name(found.level), "interval method")
    yield folded("All numbers", table("All numbers", columns, every[:_MOST_ROWS]))
    yield from listed_notes(plain(note, 2000) for note in found.notes)


def _label(name: str) -> str:
    return NAMES.get(name) or _AREAS.get(name) or full_label(name)


def compared_responses_page(found: ResponseComparison, heading: Heading) -> Page:
    """Return the page of several systems on the same questions."""
    first = next(iter(found.evaluations.values()))
    body = Body(
        _compared_answer(found),
        findings_of(found.verdicts),
        _compared_numbers(found),
        _compared_details(found),
        live=LIVE,
    )
    data = response_payload("comparison", found.evaluations, best=found.may_be_best)
    groups = first.responses.groups
    grouped = "" if groups is None else f" in {np.unique(groups).size:,} groups"
    facts = f"{len(first.responses):,} questions{grouped}, {len(found.systems)} systems"
    title = "Which responses are worth more"
    return record_page(heading, title, f"{facts}; seed {found.seed}", body, data)


def _compared_answer(found: ResponseComparison) -> Markup:
    own = {name: outcome_of(found.evaluations[name].rule[OWN]) for name in found.ranking}
    t, best = found.target.t, [plain(name) for name in found.may_be_best]
    systems = [(plain(name), standing_of(one)) for name, one in found.evaluations.items()]
    sentences = compared_responses(systems, best)
    shown = list(own.items())[:_MOST_COMPARED]
    labels: list[Content] = [*(user_text(name) for name, _ in shown), "never answering"]
    cells = [per_thousand(rule) for _, rule in shown] + [per_thousand(RuleOutcome(0.0, 0.0, 0.0))]
    return answer_text(
        sentences, [meaning_of(t), thousand_table("questions", HEADS, labels, cells)]
    )


def _compared_numbers(found: ResponseComparison) -> Iterable[Markup]:
    level = interval_name(found.level)
    heads = ("system", "utility", level, "answered", "accuracy of answers",
             "hallucination rate", "normalised cost", "may be best")  # fmt: skip
    rows: list[list[Content]] = []
    for row in found.leaderboard():
        numbers = found.evaluations[row["system"]].numbers
        keys = ("answered", "answered_accuracy", "hallucination_rate")
        shares = [_share(numbers[key].value) for key in keys]
        cells = [*estimate_cells(numbers["utility"]), *shares, number(numbers["cost.nec"].value)]
        best = "yes" if row["may_be_best"] else "no"
        name: Content = [f"{row['rank']}. ", user_text(row["system"])]
        rows.append([name, *cells, best])
    note = "May be best: no other system is shown to be worth more, corrected for all pairs."
    yield table(f"Ranking at a target of {target_text(found.target.t)}", heads, rows, note)
    pairs: list[list[Content]] = [
        [
            [user_text(d.system), " minus ", user_text(d.reference)],
            *estimate_cells(d.gain),
            p_number(d.adjusted_p_value),
        ]
        for d in found.differences[:_MOST_ROWS]
    ]
    note = "p: corrected for all pairs (Holm)."
    yield table(
        "Differences in utility on the same questions", ("", "value", level, "p"), pairs, note
    )
    if found.slices:
        yield _compared_slices(found)


def _compared_slices(found: ResponseComparison) -> Markup:
    rows: list[list[Content]] = []
    for part in found.slices[:_MOST_ROWS]:
        values = [number(part.utility[name].value) for name in found.systems]
        best: Content = "none is distinguishable" if part.best is None else user_text(part.best)
        name: Content = [user_text(part.column), " ", user_text(part.value)]
        rows.append([name, f"{part.responses:,}", *values, best])
    heads = ("slice", "questions", *(plain(name) for name in found.systems), "best")
    note = "Utility of each system. Best: worth more than every other, corrected for all slices."
    return table("Slices", heads, rows, note)


def _compared_details(found: ResponseComparison) -> Iterable[Markup]:
    """Yield what each system has for itself."""
    for name, one in found.evaluations.items():
        rows = [[NAMES[k], *estimate_cells(e)] for k, e in one.numbers.items()]
        title = f"Numbers of {plain(name)}"
        inner = table(title, ("", "value", interval_name(found.level)), rows)
        yield folded(title, inner)
        if len(one.rules) > 1:
            title = f"Rules based on the confidence of {plain(name)}"
            yield folded(title, _rules(one, title))
