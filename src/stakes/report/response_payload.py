"""What a page of responses embeds, in the form of frontend/src/core/responses.ts."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stakes._amounts import Band
from stakes._text import plain
from stakes._typing import FloatArray
from stakes.report.payload import packed, payload
from stakes.report.response_answer import ResponseStanding, RuleOutcome
from stakes.responses.abstention_rules import CALIBRATED, OWN, STATED, AbstentionRule
from stakes.responses.response_evaluation import ResponseEvaluation
from stakes.responses.response_sketch import ConfidenceLevels, ResponseSketch
from stakes.responses.response_slices import ResponseSlice
from stakes.results import Estimate, json_number

_WORTH = ("useful", "worse_than_naive", "not_distinguishable", "no_verdict")
_OTHER_RULES = ("abstain_more", "answer_more", "own_abstentions")
_MOST_SLICES = 60


def standing_of(found: ResponseEvaluation) -> ResponseStanding:
    """Return what the sentences say at the target of the report."""
    codes = [verdict.code for verdict in found.verdicts]
    rules = {name: outcome_of(rule) for name, rule in found.rule.items()}
    assert found.sketch is not None  # noqa: S101  every evaluation has one
    return ResponseStanding(
        target=found.target.t,
        own=rules[OWN],
        calibrated=rules.get(CALIBRATED),
        always=always_of(found),
        unknown=found.sketch.unknown > 0,
        code=next((code for code in codes if code in _WORTH), "no_verdict"),
        rule_code=next((code for code in codes if code in _OTHER_RULES), ""),
        reason=found.numbers["cost.nec"].method or "there is no test",
        tested=found.target.t,
    )


def outcome_of(rule: AbstentionRule) -> RuleOutcome:
    """Return what a rule gives."""
    share, accuracy = rule.answered.value, rule.answered_accuracy.value
    right = 0.0 if math.isnan(accuracy) else share * accuracy
    return RuleOutcome(
        right, share - right, rule.utility.value, band_of(rule.utility), rule.threshold
    )


def always_of(found: ResponseEvaluation) -> RuleOutcome:
    """Return what always answering gives, at best where some truths are not known."""
    assert found.sketch is not None  # noqa: S101  every evaluation has one
    right, wrong = found.sketch.always
    return RuleOutcome(right, wrong, found.target.utility(wrong))


def band_of(estimate: Estimate) -> Band:
    """Return the ends of an interval, if there is one."""
    band = estimate.interval
    return None if band is None or math.isnan(band.low) else (band.low, band.high)


def response_payload(
    kind: str,
    found: Mapping[str, ResponseEvaluation],
    *,
    best: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return what the live part works with: each system, and what Python found at the target."""
    first = next(iter(found.values()))
    body = payload(kind, None, first.level)
    return body | {
        "whyNotLive": "",
        "responses": {
            "target": first.target.t,
            "systems": [_system(name, one) for name, one in found.items()],
            "best": None if best is None else [plain(name) for name in best],
            "slices": [_slice(part) for part in first.slices[:_MOST_SLICES]],
        },
    }


def _system(name: str, found: ResponseEvaluation) -> dict[str, Any]:
    sketch, standing = found.sketch, standing_of(found)
    assert sketch is not None  # noqa: S101  every evaluation has one
    rules = {name: outcome_of(rule) for name, rule in found.rule.items()}
    return {
        "name": plain(name),
        **sketch_data(sketch),
        "at": {
            "rules": {name: _outcome(rules.get(name)) for name in (OWN, STATED, CALIBRATED)},
            "code": standing.code,
            "ruleCode": standing.rule_code,
            "reason": standing.reason,
        },
    }


def sketch_data(sketch: ResponseSketch) -> dict[str, Any]:
    """Return a sketch as plain values."""
    return {
        "right": sketch.right,
        "wrong": sketch.wrong,
        "abstained": sketch.abstained,
        "alwaysWrong": sketch.always_wrong,
        "unknown": sketch.unknown,
        "stated": sketch.stated and _levels(sketch.stated),
        "fitted": None if sketch.fitted is None else packed(sketch.fitted),
        "calibrated": sketch.calibrated and _levels(sketch.calibrated),
    }


def _levels(levels: ConfidenceLevels) -> dict[str, Any]:
    return {
        "level": packed(levels.level),
        "weights": [_packed_weights(w) for w in (levels.wrong, levels.right)],
        "exact": levels.exact,
    }


def _packed_weights(weights: FloatArray) -> dict[str, str]:
    whole = weights.max(initial=0) < 2**32 and (weights == np.floor(weights)).all()
    return packed(weights.astype(np.uint32 if whole else np.float64))


def _outcome(rule: RuleOutcome | None) -> dict[str, Any] | None:
    if rule is None:
        return None
    return {
        "right": rule.right,
        "wrong": rule.wrong,
        "utility": rule.utility,
        "band": rule.band and list(rule.band),
        "threshold": None if rule.threshold is None else json_number(rule.threshold),
    }


def _slice(part: ResponseSlice) -> dict[str, Any]:
    utility = part.numbers["utility"]
    band = band_of(utility)
    return {
        "name": plain(f"{part.column} {part.value}"),
        "responses": part.responses,
        "value": utility.value,
        "band": band and list(band),
        "code": part.verdict.code,
    }
