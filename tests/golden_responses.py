"""Cases of responses for the page: what rules give at each target, and what is said of it.

Run as a script it writes them to frontend/test/golden_responses.json.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import stakes
from stakes.report.response_answer import (
    ResponseStanding,
    RuleOutcome,
    break_even,
    compared_responses,
    meaning,
    per_thousand,
    response_answer,
    target_text,
)
from stakes.report.response_payload import sketch_data
from stakes.responses import response_sketch
from stakes.responses.abstention_rules import RULES, Rules, calibrate_confidence
from stakes.responses.response_measures import ResponseMeasures
from stakes.responses.selective_areas import curve_of_confidence
from stakes.responses.target_curves import Hindsight
from stakes.results import json_number

PLACE = Path(__file__).parent.parent / "frontend" / "test" / "golden_responses.json"
TARGETS = (0.0, 0.1, 0.25, 0.5, 0.6, 0.75, 0.9, 0.99)
ODD_TARGETS = (1 / 3, 0.7, 0.123456789)  # 0.7 is a stated level but for rounding


def said(kind: str, n: int = 80) -> stakes.Responses:
    """Return responses of a kind, made up."""
    rng = np.random.default_rng(11)
    chance = rng.random(n)
    right = rng.random(n) < chance
    sure: Any = chance if kind == "many levels" else np.round(10 * np.sqrt(chance)) / 10
    silent = (sure < 0.5) & (rng.random(n) < 0.8)
    if kind == "never abstains":
        silent = np.zeros(n, dtype=bool)
    unknown = silent & (np.arange(n) % 2 == 0)
    truth = [None if hidden else bool(ok) for ok, hidden in zip(right, unknown, strict=True)]
    stated = None if kind == "no confidence" else np.where(unknown, np.nan, sure)
    weights = rng.integers(1, 5, n) / 3 if kind == "weights" else None
    groups = np.arange(n) // 2 if kind == "groups" else None
    return stakes.Responses(truth, stated, silent, groups=groups, sample_weight=weights)


KINDS = ("plain", "weights", "groups", "never abstains", "no confidence", "many levels")


def rule_cases() -> list[dict[str, Any]]:
    """Return what each rule gives at each target."""
    return [_rules(kind) for kind in KINDS]


def _rules(kind: str) -> dict[str, Any]:
    responses = said(kind)
    calibrator = stakes.IsotonicCalibrator(mix=1.0)
    fitted = calibrate_confidence(responses, calibrator, 5, 0)
    rules = Rules(responses, fitted, 0.95)
    grid = kind == "many levels"
    with patch.object(response_sketch, "MOST_LEVELS", 20 if grid else 4000):
        sketch = response_sketch.response_sketch(responses, fitted)
    targets = TARGETS if grid else (*TARGETS, *ODD_TARGETS)
    curve = None if grid else curve_of_confidence(responses)
    return {
        "name": kind,
        "data": {"name": kind, **sketch_data(sketch), "at": None},
        "exact": not grid,
        "at": [_at(rules, t, exact=not grid) for t in targets],
        "risk": None if curve is None else curve.risk.tolist(),
    }


def _at(rules: Rules, t: float, *, exact: bool) -> dict[str, Any]:
    target, known = stakes.ConfidenceTarget(t), rules.responses
    found: dict[str, Any] = {}
    for name in RULES:
        measures = rules.measures(name, target)
        if measures is None:
            found[name] = None
            continue
        threshold = rules._threshold(name, target)
        found[name] = {
            "utility": measures.utility(target).value,
            "right": measures.right().value,
            "answered": measures.answered().value,
            "threshold": threshold if threshold is None else json_number(threshold),
        }
    everything = np.ones(len(known), dtype=bool)
    always = ResponseMeasures(known.assumed(), everything, 0.95)
    best = Hindsight.from_responses(known).best(target) if exact and known.open.any() else None
    return {
        "t": t,
        "rules": found,
        "always": always.utility(target).value,
        "best": best and [json_number(value) for value in best],
    }


def _standings() -> Iterator[ResponseStanding]:
    rng = np.random.default_rng(3)
    codes = ("useful", "worse_than_naive", "not_distinguishable", "no_verdict", "not_tested")
    kinds = ("abstain_more", "answer_more", "own_abstentions", "", "not_tested")
    targets = (0.0, 0.05, 1 / 3, 0.5, 0.75, 0.9, 0.999)
    for k, (code, rule_code) in enumerate(product(codes, kinds)):
        t = targets[k % len(targets)]
        made = [_outcome(rng, t) for _ in range(3)]
        if k % 4 == 0:
            made[1] = replace(made[1], threshold=float("inf"), right=0.0, wrong=0.0, utility=0.0)
        if k % 5 == 1:
            made[0] = replace(made[0], utility=max(made[2].utility, 0.0))
        yield ResponseStanding(
            target=t, own=made[0], calibrated=None if k % 6 == 2 else made[1],
            always=replace(made[2], band=None), unknown=k % 3 == 0, code=code,
            rule_code=rule_code, reason="too few", tested=0.75,
        )  # fmt: skip


def _outcome(rng: np.random.Generator, t: float) -> RuleOutcome:
    answered, accuracy = rng.random(2)
    right, wrong = float(answered * accuracy), float(answered * (1 - accuracy))
    utility, half = right - t / (1 - t) * wrong, float(rng.choice([0.0, 0.004, 0.03, 0.2]))
    band = (utility - half, utility + half) if half else None
    return RuleOutcome(right, wrong, utility, band, float(np.round(rng.random(), 2)))


def word_cases() -> list[dict[str, Any]]:
    """Return standings and what is said of them."""
    return [
        {
            "standing": _plain_standing(one),
            "answer": response_answer(one),
            "meaning": meaning(one.target),
            "field": target_text(one.target),
            "breakEven": break_even(one.own),
            "thousand": per_thousand(one.own),
        }
        for one in _standings()
    ]


def _plain_standing(one: ResponseStanding) -> dict[str, Any]:
    return {
        "target": one.target, "own": plain(one.own), "calibrated": plain(one.calibrated),
        "always": plain(one.always), "unknown": one.unknown, "code": one.code,
        "ruleCode": one.rule_code, "reason": one.reason, "tested": one.tested,
    }  # fmt: skip


def plain(rule: RuleOutcome | None) -> dict[str, Any] | None:
    """Return an outcome for JSON."""
    if rule is None:
        return None
    threshold = None if rule.threshold is None else json_number(rule.threshold)
    shares = {"right": rule.right, "wrong": rule.wrong, "utility": rule.utility}
    return shares | {"band": rule.band and list(rule.band), "threshold": threshold}


def compared_cases() -> list[dict[str, Any]]:
    """Return several systems and what is said of them."""
    standings = list(_standings())
    found = []
    for k, (count, best) in enumerate(product((2, 3, 6), (None, 1, 2))):
        same = [replace(one, target=0.6) for one in standings[2 * k : 2 * k + count]]
        if best is None:
            same = [replace(one, code="not_tested") for one in same]
        systems = [(f"model {j}", one) for j, one in enumerate(same)]
        names = None if best is None else [name for name, _ in systems[:best]]
        found.append(
            {
                "systems": [[name, _plain_standing(one)] for name, one in systems],
                "best": names,
                "answer": compared_responses(systems, names),
            }
        )
    return found


MAKERS = {"rules": rule_cases, "words": word_cases, "compared": compared_cases}


if __name__ == "__main__":
    made = {name: make() for name, make in MAKERS.items()}
    text = json.dumps(made, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    PLACE.write_text(text + "\n", "utf-8")
