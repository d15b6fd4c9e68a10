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
    meaning,
    per_thousand,
    response_answer,
    target_text,
)
from stakes.report.response_payload import outcome_of, response_payload, standing_of
from stakes.responses import ResponseEvaluation, Responses
from stakes.responses.abstention_rules import CALIBRATED, OWN, STATED
from stakes.responses.response_measures import NAMES

_MOST_ROWS = 500
_GOOD = ("useful", "own_abstentions", "better", "best")
_BAD = ("worse_than_naive", "slice_worse_than_naive")
LIVE = ("Other targets", "Other targets")
HEADS = ("right", "wrong", "unanswered", "points")
LABELS = {
    OWN: "its own abstentions",
    STATED: "answering where it states the target or more",
    CALIBRATED: "answering where its calibrated confidence is the target or more",
}
_AREAS = {
    "aurc": "area under risk over coverage (AURC)",
    "augrc": "area under generalised risk over coverage (AUGRC)",
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
    known = [(LABELS[name], outcome_of(rule)) for name, rule in found.rule.items()]
    always = "always answering, at best" if one.unknown else "always answering"
    rows = [*known, (always, one.always), ("never answering", RuleOutcome(0.0, 0.0, 0.0))]
    cells = [per_thousand(rule) for _, rule in rows]
    shown = thousand_table("questions", HEADS, [label for label, _ in rows], cells)
    return answer_text(response_answer(one), [meaning_of(one.target, one.own), shown])


def meaning_of(t: float, own: RuleOutcome | None = None) -> Markup:
    """Say what the target means, and up to which target the answers pay."""
    more = "" if own is None else break_even(own)
    return element("p", f"{meaning(t)} {more}".rstrip(), class_="meaning")


def _numbers(found: ResponseEvaluation) -> Iterable[Markup]:
    level = interval_name(found.level)
    at = f"At a target of {target_text(found.target.t)}"
    rows: list[list[Content]] = [[NAMES[k], *estimate_cells(e)] for k, e in found.numbers.items()]
    constant = "never" if found.naive[0] == "abstain" else "always"
    rows.insert(1, [f"{constant} answering scores", number(found.naive[1]), ""])
    yield table(at, ("", "value", level), rows)
    yield _rules(found)
    if found.areas or found.overconfidence is not None:
        rows = [[_AREAS[name], *estimate_cells(e)] for name, e in found.areas.items()]
        if found.overconfidence is not None:
            gap = "mean confidence less accuracy (above 0: overconfident)"
            rows.insert(0, [gap, *estimate_cells(found.overconfidence)])
        yield table("Stated confidence", ("", "value", level), rows)
    if found.risk_limit is not None:
        limit = f"At most {percent(found.risk_limit.limit)} of the answers wrong: "
        yield element("p", f"{limit}{found.risk_limit}.", class_="note")
    if found.slices:
        yield _slices(found)


def _rules(found: ResponseEvaluation) -> Markup:
    level = interval_name(found.level)
    heads = ("rule", "utility", level, "answered", "accuracy of answers", "gain", level, "p")
    rows: list[list[Content]] = []
    for rule in found.rules:
        gain = ("", "") if rule.gain is None else estimate_cells(rule.gain)
        p_value = "" if math.isnan(rule.p_value) else p_number(rule.p_value)
        shares = [_share(e.value) for e in (rule.answered, rule.answered_accuracy)]
        rows.append([_rule_name(rule.name, rule.threshold), *estimate_cells(rule.utility)])
        rows[-1] += [*shares, *gain, p_value]
    note = "Gain: over its own abstentions. Calibrators did not see the responses they are used on."
    return table("Rules on its confidence", heads, rows, note)


def _rule_name(name: str, threshold: float | None) -> str:
    if name != CALIBRATED or threshold is None:
        return LABELS[name]
    below = "nothing reaches it" if math.isinf(threshold) else f"stated {number(threshold)}"
    return f"{LABELS[name]} ({below})"


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
        note = f"Verdict: corrected for {many}; unclear: not distinguishable from a constant rule."
    return table("Slices", heads, rows, note)


def _details(found: ResponseEvaluation) -> Iterable[Markup]:
    curve = found.curve
    names = {**LABELS, "best": "best threshold in hindsight"}
    heads = ("target", *(names[name] for name in curve.utility), "its own share answered")
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
    columns = ("metric", "value", interval_name(found.level), "interval by")
    yield folded("Every number", table("Every number", columns, every[:_MOST_ROWS]))
    yield from listed_notes(plain(note, 2000) for note in found.notes)


def _label(name: str) -> str:
    return NAMES.get(name) or _AREAS.get(name) or full_label(name)
