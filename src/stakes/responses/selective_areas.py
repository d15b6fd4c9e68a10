"""Areas under risk-coverage curves of stated confidence, with intervals by linearisation."""

from __future__ import annotations

__all__ = ["response_risk_coverage"]

import math

import numpy as np

from stakes._check import InputError
from stakes._counting import bincount
from stakes._foreign_calls import answered
from stakes._quantiles import student
from stakes._typing import FloatArray
from stakes.curves import RiskCoverageCurve
from stakes.curves.selective import risk_coverage
from stakes.responses.response_samples import Responses
from stakes.results import FEWEST_OF_CLASS, Estimate, Interval
from stakes.statistics import ScoreLevels
from stakes.statistics.group_effects import left_out_by_group


@answered
def response_risk_coverage(responses: Responses) -> RiskCoverageCurve:
    """Return the share of wrong answers if the least confident ones are withheld.

    Parameters
    ----------
    responses : Responses
        With a confidence; only those with known truth and confidence count.

    Returns
    -------
    RiskCoverageCurve
        With `coverage`, `risk`, `area()` (AURC) and `generalized_area()` (AUGRC).

    See Also
    --------
    risk_coverage_curve : for scores of classes.
    evaluate_responses : everything about the responses at once.

    Examples
    --------
    >>> import stakes
    >>> said = stakes.Responses([True, True, False, True], [0.9, 0.8, 0.7, 0.6])
    >>> curve = stakes.response_risk_coverage(said)
    >>> curve.coverage.tolist(), curve.joint_risk.tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.0, 0.0, 0.25, 0.25])
    """
    curve = curve_of_confidence(responses)
    if curve is None:
        rule = "must have answers of which truth and confidence are known"
        raise InputError("responses", rule, found="there is none", hint="Pass confidence=...")
    return curve


def curve_of_confidence(responses: Responses) -> RiskCoverageCurve | None:
    """Return the same, or None where no confidence is known."""
    part = responses.part(np.flatnonzero(responses.open))
    if part.confidence is None or not len(part):
        return None
    wrong = (part.right == 0).astype(np.int64)
    return risk_coverage(ScoreLevels.from_scores(part.confidence, wrong, part.weights))


def selective_areas(responses: Responses, level: float) -> dict[str, Estimate]:
    """Return AURC and AUGRC of the confidence, lower is better, with intervals."""
    curve = curve_of_confidence(responses)
    if curve is None:
        return {}
    part = responses.part(np.flatnonzero(responses.open))
    effects = _influences(part)
    values = {"aurc": curve.area(), "augrc": curve.generalized_area()}
    return {name: _estimate(values[name], effects[name], part, level) for name in values}


def _influences(part: Responses) -> dict[str, FloatArray]:
    """Return how much each response moves either area: its derivative by the share of each.

    With shares m and errors e at the levels of confidence, the highest first, coverage C and
    joint risk A are their running sums. Both areas are sums over steps of C of a mean of two
    neighbours: of A, or of the risk R = A / C.
    """
    assert part.confidence is not None  # noqa: S101  it is known
    w, wrong = part.shares, (part.right == 0).astype(np.float64)
    levels, place = np.unique(-part.confidence, return_inverse=True)
    m, e = (bincount(place, x, levels.size) for x in (w, w * wrong))
    coverage, joint = np.cumsum(m), np.cumsum(e)
    after = np.append(m[1:], 0.0)
    weight = (m + after) / 2  # of each level in a sum over steps
    general = (joint + joint - e) / 2
    general_wrong = np.cumsum(weight[::-1])[::-1]
    risk = joint / coverage
    before = np.append(risk[0], risk[:-1])
    weight_risk = weight.copy()
    weight_risk[0] += m[0] / 2  # at coverage 0 the risk is that of the first level
    fall, rise = -weight_risk * risk / coverage, weight_risk / coverage
    plain = (risk + before) / 2 + np.cumsum(fall[::-1])[::-1]
    plain_wrong = np.cumsum(rise[::-1])[::-1]
    effects = {
        "aurc": plain[place] + wrong * plain_wrong[place],
        "augrc": general[place] + wrong * general_wrong[place],
    }
    return {name: w * (effect - w @ effect) for name, effect in effects.items()}


def _estimate(value: float, effect: FloatArray, part: Responses, level: float) -> Estimate:
    unit = np.arange(len(part)) if part.groups is None else part.groups
    fewest = min(np.unique(unit[part.right == k]).size for k in (0, 1))
    if fewest < FEWEST_OF_CLASS:
        what = "answers" if part.groups is None else "groups with them"
        why = f"needs {FEWEST_OF_CLASS} right and {FEWEST_OF_CLASS} wrong {what}: got {fewest}"
        return Estimate(value, None, why)
    quantile, method = student(level, fewest), "linearised, logit scale"
    spread = math.sqrt(float(np.square(effect).sum()))
    if part.groups is not None:
        unit = np.unique(part.groups, return_inverse=True)[1]
        sums = left_out_by_group(effect, unit, part.shares)
        spread = max(spread, math.sqrt(float(np.square(sums - sums.mean()).sum())))
        method += ", by group"
    odds = math.log(value / (1 - value))  # right and wrong answers: neither 0 nor 1
    half = quantile * spread / (value * (1 - value))
    low, high = (1 / (1 + math.exp(-odds - side)) for side in (-half, half))
    return Estimate(value, Interval(low, high, level), method)
