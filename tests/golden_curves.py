"""Curves of two classes by brute force, for the cases of golden.py."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from golden_outcomes import Case, ends, level_answers, level_case, levels, number, problem
from stakes import (
    ConfusionMatrix,
    CostMatrix,
    LogPosteriors,
    abstention_curve,
    reliability,
    risk_curve,
)
from stakes._typing import FloatArray, IntArray
from stakes.curves.views import CurveView
from stakes.metrics.probability_bins import EqualMass
from stakes.scores.answers import Answers
from stakes.statistics import ScoreLevels


def curve_cases() -> list[Case]:
    """Return curves of two classes: data and given priors, adapted, with certain answers."""
    level, counts = levels(1, 150)
    sure, sure_counts = levels(2, 80, infinite=True)
    two, tied = [[0, 1], [5, 0]], np.array([[5, 4, 3, 1], [2, 1, 3, 5]])
    return [
        _curves("data priors", problem(two), level, counts),
        _curves("given priors", problem([[1, 3], [7, 2]], [0.9, 0.1]), level, counts),
        _curves("adapted", problem(two, [0.8, 0.2], adapt=True), level, counts),
        _curves("certain", problem(two), sure, sure_counts),
        _curves("few and wrong", problem(two), np.array([-1.0, 1.0]), np.array([[0, 2], [1, 0]])),
        _curves("ties", problem([[0, 1], [4, 0]]), np.log([0.25, 0.5, 1.0, 4.0]), tied),
    ]


def _curves(name: str, asked: Case, level: FloatArray, counts: IntArray) -> Case:
    """Return every curve of a system by brute force."""
    case = level_case(name, asked, level, counts)
    facts = case["facts"]
    priors = np.asarray(facts["dataPriors"] if asked["fromData"] else asked["priors"])
    old = facts["dataPriors"] if asked["adapt"] else None
    answers = level_answers(level, old, priors)
    p = answers.p
    theta = [0.001, 0.05, 0.2, 1 / 3, 0.5 if name == "ties" else 0.52, 0.61, 0.9, 0.99]
    points = [_risk(t, p, counts, priors, asked) for t in theta]
    del case["expected"]
    return {
        **case,
        "theta": theta,
        "risk": {key: [point[key] for point in points] for key in points[0]},
        "bands": None if name == "ties" else _bands(theta, answers, counts, asked),
        "entropy": _entropy(level, p, counts, priors),
        "roc": _roc(level, counts),
        "sweep": _sweep(p, counts, priors, np.asarray(asked["costs"])),
        "reliability": _reliability(p[:, 1], counts, priors),
        "isotonic": _isotonic(level, counts, priors),
        "histogram": _histogram(level, counts, p),
        "abstention": _abstention(p, counts, None if asked["fromData"] else priors),
    }


def _risk(
    theta: float, p: FloatArray, counts: IntArray, priors: FloatArray, asked: Case
) -> dict[str, Any]:
    """Return costs at one theta, and what each field calls them, each by its own formula."""
    costs = CostMatrix.binary(miss=1 - theta, false_alarm=theta)
    decided = costs.least_expected(p)
    table = np.array([[row[decided == j].sum() for j in (0, 1)] for row in counts])
    confusion = ConfusionMatrix.from_counts(table)
    cost = confusion.expected_cost(costs, priors)
    cost = replace(cost, priors_from_data=asked["fromData"])
    alarm, miss = confusion.rates[0, 1], confusion.rates[1, 0]
    p1, p2 = priors
    odds = theta / (1 - theta)
    effective = (1 - theta) * p2 / ((1 - theta) * p2 + theta * p1)
    best = min(_every_cost(counts, priors, costs.values))
    benefit = p2 * (1 - miss) - p1 * alarm * odds
    return {
        "actual": cost.value,
        "minimum": best,
        "naive": cost.naive,
        "murphy": cost.value,
        "bayesError": cost.normalized,
        "ape": effective * miss + (1 - effective) * alarm,
        "costCurve": effective * miss + (1 - effective) * alarm,
        "decisionCurve": benefit,
        "interventionsAvoided": 100 * (benefit - (p2 - p1 * odds)) / odds,
        "relativeValue": 1 - cost.normalized,
        "logOdds": math.log(effective / (1 - effective)),
        "effective": effective,
    }


def _bands(theta: list[float], answers: Answers, counts: IntArray, asked: Case) -> Case:
    """Return minimum and interval on the axes of each field, as the library draws them."""
    kept = np.repeat(np.arange(counts.size), counts.ravel())
    rows = np.tile(answers.log_p, (2, 1))[kept]
    y = np.repeat([0, 1], counts.shape[1])[kept]
    priors = None if asked["fromData"] else asked["priors"]
    curve = risk_curve(y, LogPosteriors.trusted(rows, None), priors=priors)
    t = np.asarray(theta)
    odds = (math.log(curve.priors[1] / curve.priors[0]) - np.log(t / (1 - t)))[::-1]
    views = {
        "murphy": curve.murphy(t),
        "bayesError": curve.normalized_bayes_error(odds),
        "ape": curve.ape(odds),
        "costCurve": curve.cost_curve(1 / (1 + np.exp(-odds))),
        "decisionCurve": curve.decision_curve(t),
        "interventionsAvoided": curve.interventions_avoided(t),
        "relativeValue": curve.relative_value(t),
    }
    return {name: _view(view) for name, view in views.items()}


def _view(view: CurveView) -> Case:
    """Return what a page draws besides the actual line."""
    parts = {"low": view.low, "high": view.high}
    band = {name: [] if end is None else ends(end) for name, end in parts.items()}
    return {"minimum": [] if view.minimum is None else view.minimum.tolist(), "band": band}


def _every_cost(counts: IntArray, priors: FloatArray, costs: FloatArray) -> list[float]:
    """Return the expected cost at every threshold."""
    below = np.concatenate([[[0], [0]], np.cumsum(counts, axis=1)], axis=1)
    rates = below / below[:, -1:]
    each = [rates[i] * costs[i, 0] + (1 - rates[i]) * costs[i, 1] for i in (0, 1)]
    return (priors[0] * each[0] + priors[1] * each[1]).tolist()


def _entropy(level: FloatArray, p: FloatArray, counts: IntArray, priors: FloatArray) -> Case:
    """Return the cross-entropy in bits at log10 odds of -3 to 3."""
    tens = np.arange(-3.0, 4.0)
    odds = _log(p[:, 1]) - _log(p[:, 0]) - math.log(priors[1] / priors[0])
    fitted = np.asarray(_isotonic(level, counts, np.array([0.5, 0.5])))
    blocks = ScoreLevels(level, counts[0], counts[1], np.zeros(2, dtype=np.int64)).blocks()
    best = np.repeat(_log(fitted) - _log(1 - fitted), np.diff(blocks))
    rows = {"actual": odds, "minimum": best, "naive": np.zeros(level.size)}
    return {
        name: [_bits(llr, x * math.log(10), counts) for x in tens] for name, llr in rows.items()
    }


def _log(x: FloatArray) -> FloatArray:
    """Return the log; minus infinity for 0."""
    with np.errstate(divide="ignore"):
        return np.log(x)


def _bits(llr: FloatArray, odds: float, counts: IntArray) -> float | str:
    """Return the cross-entropy at one prior."""
    prior = np.array([1, math.exp(odds)]) / (1 + math.exp(odds))
    loss = [np.logaddexp(0, llr + odds), np.logaddexp(0, -llr - odds)]
    share = counts / counts.sum(axis=1, keepdims=True)
    seen = [prior[i] * (share[i][m] * loss[i][m]).sum() for i, m in enumerate(counts > 0)]
    bits = float(sum(seen) / math.log(2))
    return bits if math.isfinite(bits) else "inf"


def _roc(level: FloatArray, counts: IntArray) -> Case:
    """Return the corners of the hull."""
    found = ScoreLevels(level, counts[0], counts[1], np.zeros(2, dtype=np.int64))
    below = np.concatenate([[[0], [0]], np.cumsum(counts, axis=1)], axis=1)
    rates = 1 - below[:, found.blocks()] / below[:, -1:]
    return {"hullAlarms": rates[0].tolist(), "hullDetections": rates[1].tolist()}


def _sweep(posteriors: FloatArray, counts: IntArray, priors: FloatArray, costs: FloatArray) -> Case:
    """Return the best cost of any threshold and that of the Bayes threshold."""
    every = _every_cost(counts, priors, costs)
    alarm, miss = costs[0, 1] - costs[0, 0], costs[1, 0] - costs[1, 1]
    theta = alarm / (alarm + miss)
    at = int((CostMatrix(costs).least_expected(posteriors) == 0).sum())
    return {"best": min(every), "threshold": theta, "bayes": every[at], "last": every[-1]}


def _reliability(posterior: FloatArray, counts: IntArray, priors: FloatArray) -> Case:
    """Return bins of even width and of even weight, classes as heavy as their priors."""
    y, p = np.repeat([0, 1], posterior.size), np.tile(posterior, 2)
    found = {}
    for name, bins in (("width", 15), ("mass", EqualMass(15))):
        r = reliability(y, p, bins, sample_weight=counts.ravel(), priors=priors)
        filled = r.share > 0
        parts = {"probability": r.probability, "frequency": r.frequency, "share": r.share}
        found[name] = {key: part[filled].tolist() for key, part in parts.items()}
    return found


def _isotonic(level: FloatArray, counts: IntArray, priors: FloatArray) -> list[float]:
    """Return the frequency of each step of the isotonic fit."""
    found = ScoreLevels(level, counts[0], counts[1], np.zeros(2, dtype=np.int64))
    below = np.concatenate([[[0], [0]], np.cumsum(counts, axis=1)], axis=1)[:, found.blocks()]
    first, second = np.diff(below, axis=1) / below[:, -1:] * priors[:, None]
    return (second / (first + second)).tolist()


def _histogram(level: FloatArray, counts: IntArray, p: FloatArray) -> Case:
    """Return shares of the classes in 17 bins of the log odds."""
    finite = np.isfinite(level)
    x = np.log(p[finite, 1]) - np.log(p[finite, 0])
    bins = np.linspace(x[0], x[-1], 18)
    inner = [np.histogram(x, bins, weights=row[finite])[0] for row in counts]  # fmt: skip
    totals = counts.sum(axis=1)
    ends = [[float(row[level == end].sum() / n) for row, n in zip(counts, totals, strict=True)] for end in (-np.inf, np.inf)]  # fmt: skip
    return {
        "first": (inner[0] / totals[0]).tolist(),
        "second": (inner[1] / totals[1]).tolist(),
        "certainFirst": ends[0],
        "certainSecond": ends[1],
    }


def _abstention(p: FloatArray, counts: IntArray, priors: FloatArray | None) -> Case:
    """Return cost and abstention at some prices, for costs of 1 and 5."""
    prices = [0.0, 0.1, 0.4, 0.8, 3.0]
    kept = np.repeat(np.arange(2 * len(p)), counts.ravel())
    y = np.repeat([0, 1], len(p))[kept]
    curve = abstention_curve(
        y,
        np.tile(p, (2, 1))[kept],
        prices,
        costs=CostMatrix.binary(miss=5, false_alarm=1),
        priors=None if priors is None else priors.tolist(),
    )
    return {
        "price": prices,
        "normalized": [number(c.normalized) for c in curve.costs],
        "share": list(curve.abstention_rates),
    }
