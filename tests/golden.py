"""Cases that tie the page's TypeScript to the library: what it is given, what must come out.

Run as a script it writes them to frontend/test/golden.json.
"""

import base64
import gzip
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from stakes import (
    ConfusionMatrix,
    CostMatrix,
    LogLikelihoodRatios,
    Posteriors,
    abstention_curve,
    reliability,
)
from stakes._typing import FloatArray, IntArray
from stakes.metrics.reliability import EqualMass
from stakes.results import ExpectedLoss
from stakes.scores.answers import Answers, LogProbabilities, Probabilities
from stakes.statistics import ScoreLevels

PLACE = Path(__file__).parent.parent / "frontend" / "test" / "golden.json"
TYPES = {"f64": "<f8", "f32": "<f4", "u32": "<u4", "u16": "<u2", "u8": "u1"}
Z = NormalDist().inv_cdf(0.975)
Case = dict[str, Any]


def packed(values: Sequence[float] | FloatArray | IntArray, kind: str) -> Case:
    """Return an array as a page embeds it."""
    raw = np.asarray(values).astype(TYPES[kind]).tobytes()
    return {"type": kind, "data": base64.b64encode(gzip.compress(raw, mtime=0)).decode()}


def unpacked(node: Any) -> Any:  # noqa: ANN401  anything that JSON holds
    """Return the same with packed arrays written out, as their bytes differ between makers."""
    if isinstance(node, dict) and set(node) == {"type", "data"}:
        raw = gzip.decompress(base64.b64decode(node["data"]))
        return [node["type"], *np.frombuffer(raw, TYPES[node["type"]]).tolist()]
    if isinstance(node, dict):
        return {key: unpacked(value) for key, value in node.items()}
    return [unpacked(value) for value in node] if isinstance(node, list) else node


def problem(
    costs: Sequence[Sequence[float]] | FloatArray,
    priors: Sequence[float] | None = None,
    *,
    adapt: bool = False,
) -> Case:
    """Return a problem as the reader of a page makes it; no priors are those of the data."""
    table = np.asarray(costs, dtype=np.float64)
    return {
        "costs": table.tolist(),
        "decisions": [f"d{j}" for j in range(table.shape[1])],
        "priors": [1 / len(table)] * len(table) if priors is None else list(priors),
        "fromData": priors is None,
        "adapt": adapt,
    }


def _facts(shares: FloatArray, counts: Any, why: str = "") -> Case:  # noqa: ANN401
    """Return what the page knows of the data."""
    return {
        "dataPriors": shares.tolist(),
        "quantile": Z,
        "noInterval": why,
        "counts": [int(n) for n in counts],
    }


def _number(value: float) -> float | None:
    """Return a number, None for NaN."""
    return None if math.isnan(value) else float(value)


def _judged(
    asked: Case, facts: Case, y: IntArray, answers: Answers, weight: FloatArray | None = None
) -> Case:
    """Return what the library makes of posteriors."""
    costs = CostMatrix(asked["costs"], decisions=asked["decisions"])
    decided = costs.least_expected(answers.p)
    counts: Any = np.zeros(costs.shape, dtype=np.int64 if weight is None else np.float64)
    np.add.at(counts, (y, decided), 1 if weight is None else weight)
    confusion = ConfusionMatrix.from_counts(counts, decisions=asked["decisions"])
    priors = facts["dataPriors"] if asked["fromData"] else asked["priors"]
    cost = replace(confusion.expected_cost(costs, priors), priors_from_data=asked["fromData"])
    return _outcome(confusion, cost, costs, facts)


def _outcome(
    confusion: ConfusionMatrix, cost: ExpectedLoss, costs: CostMatrix, facts: Case
) -> Case:
    """Return an expected cost as the page tells it."""
    known = not facts["noInterval"] and cost.undefined is None
    shares = confusion.at_priors(cost.priors).decision_rates
    return {
        "counts": confusion.counts.tolist(),
        "expected": cost.value,
        "naive": cost.naive,
        "naiveDecision": costs.decisions.index(cost.naive_answer),
        "normalized": _number(cost.normalized),
        "interval": list(cost.normalized_interval(0.95)) if known else None,
        "byClass": [_number(x) for x in cost.by_class.values()],
        "shares": shares.tolist(),
    }


def _level_answers(level: FloatArray, reference: Any, priors: Any) -> Answers:  # noqa: ANN401
    """Return the posteriors of log odds that hold at reference priors, or follow none."""
    if reference is None:
        return LogProbabilities.from_log_odds(level)
    ratio = level - (math.log(reference[1]) - math.log(reference[0]))
    return LogLikelihoodRatios(ratio).answers(np.asarray(priors))


def _levels(seed: int, n: int, *, infinite: bool = False) -> tuple[FloatArray, IntArray]:
    """Return log odds and counts of two classes, with ties and perhaps certain answers."""
    rng = np.random.default_rng(seed)
    level = np.unique(np.round(rng.normal(0, 3, n), 2))
    if infinite:
        level = np.concatenate([[-np.inf], level, [np.inf]])
    chance = 1 / (1 + np.exp(-0.6 * level - 0.4))
    total = rng.integers(1, 30, level.size)
    second = rng.binomial(total, np.clip(chance, 0.02, 0.98))
    return level, np.stack([total - second, second])


def _level_case(
    name: str,
    asked: Case,
    level: FloatArray,
    counts: IntArray | FloatArray,
    *,
    reference: list[float] | None = None,
) -> Case:
    """Return a case of two classes."""
    whole = counts.dtype.kind == "i"
    totals = counts.sum(axis=1)
    facts = _facts(totals / totals.sum(), totals, "" if whole else "weighted")
    kind = "u32" if whole else "f64"
    system = {
        "name": name,
        "reference": reference,
        "level": packed(level, "f64"),
        "weights": [packed(part, kind) for part in counts],
    }
    old = reference or (facts["dataPriors"] if asked["adapt"] else None)
    new = facts["dataPriors"] if asked["fromData"] else asked["priors"]
    answers = _level_answers(level, old, new)
    both = LogProbabilities(np.tile(answers.log_p, (2, 1)))
    y, flat = np.repeat([0, 1], level.size), counts.ravel()
    if whole:
        kept = np.repeat(np.arange(y.size), flat.astype(np.int64))
        expected = _judged(asked, facts, y[kept], both.rows(kept))
    else:
        expected = _judged(asked, facts, y, both, flat.astype(np.float64))
    live = {"kind": "levels", "exact": True, "error": 0, "systems": [system]}
    return {
        "name": name,
        "classes": ["no", "yes"],
        "live": live,
        "facts": facts,
        "problem": asked,
        "expected": {**expected, "samples": sum(facts["counts"])},
    }


def level_cases() -> list[Case]:
    """Return cases of two classes: costs, priors, references, ties, certainty, weights."""
    level, counts = _levels(1, 150)
    sure, sure_counts = _levels(2, 80, infinite=True)
    tied = np.log([0.2, 0.25, 1.0, 4.0, 5.0])
    tied_counts = np.array([[5, 4, 3, 2, 1], [1, 2, 3, 4, 5]])
    weights: FloatArray = np.round(counts * 0.37 + (counts > 0) * 0.01, 4).astype(np.float64)
    two, wide = [[0, 1], [5, 0]], [[0, 1, 0.3], [5, 0, 0.3]]
    return [
        _level_case("data priors", problem(two), level, counts),
        _level_case("given priors", problem(two, [0.95, 0.05]), level, counts),
        _level_case("adapted", problem(two, [0.9, 0.1], adapt=True), level, counts),
        _level_case("likelihoods", problem(two, [0.8, 0.2]), level, counts, reference=[0.5, 0.5]),
        _level_case("reference, data", problem(two), level, counts, reference=[0.7, 0.3]),
        _level_case("abstention", problem(wide), level, counts),
        _level_case("abstention, given", problem(wide, [0.6, 0.4]), sure, sure_counts),
        _level_case("dear right answers", problem([[1, 3], [7, 2]], [0.3, 0.7]), level, counts),
        _level_case("four decisions", problem([[0, 1, 4, 2], [9, 4, 0, 2]]), level, counts),
        _level_case("one decision", problem([[2], [3]]), level, counts),
        _level_case("naive costs 1", problem([[0, 1, 1], [8, 1, 1]]), level, counts),
        _level_case("certain", problem(two), sure, sure_counts),
        _level_case("certain, adapted", problem(two, [0.5, 0.5], adapt=True), sure, sure_counts),
        _level_case("ties", problem([[0, 1], [4, 0]]), tied, tied_counts),
        _level_case("ties, even", problem([[0, 1], [1, 0]]), tied, tied_counts),
        _level_case("ties of three", problem([[0, 1, 0.5], [1, 0, 0.5]]), tied, tied_counts),
        _level_case("prior 0", problem(two, [1.0, 0.0]), level, counts),
        _level_case("prior 0, base", problem([[2, 3], [5, 0]], [1.0, 0.0]), level, counts),
        _level_case("prior 0, adapted", problem(two, [0.0, 1.0], adapt=True), level, counts),
        _level_case("zero naive cost", problem([[0, 1], [0, 1]]), level, counts),
        _level_case("extreme", problem([[0, 1e-9], [1e9, 0]], [0.999999, 0.000001]), level, counts),
        _level_case("weights", problem(two), level, weights),
        _level_case("weights, given", problem(wide, [0.9, 0.1]), level, weights),
    ]


def _codes(seed: int, n: int, k: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return labels, codes of posteriors and the posteriors that they stand for."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, n - k)]))
    scores = rng.normal(0, 1.5, (n, k))
    scores[np.arange(n), y] += 2
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    codes = np.minimum(np.round(40 * np.sqrt(-np.log(p))), 255).astype(np.int64)
    codes[0, :] = 7  # a row of ties
    codes[1, : k - 1] = 255
    return y, codes, decoded(codes, 40, 255)


def decoded(codes: IntArray, scale: float, top: int) -> FloatArray:
    """Return the posteriors that codes stand for."""
    p = np.where(codes == top, 0.0, np.exp(-np.square(codes / scale)))
    return p / p.sum(axis=1, keepdims=True)


def _row_case(
    name: str,
    asked: Case,
    data: tuple[IntArray, IntArray, FloatArray],
    *,
    reference: list[float] | None = None,
    shares: FloatArray | None = None,
    scale: float = 40,
) -> Case:
    """Return a case of several classes; `shares` are those of more data than are embedded."""
    y, codes, p = data
    k = codes.shape[1]
    counts = np.bincount(y, minlength=k)
    facts = _facts(counts / y.size if shares is None else shares, counts)
    new = np.asarray(facts["dataPriors"] if asked["fromData"] else asked["priors"])
    old = reference or (facts["dataPriors"] if asked["adapt"] else None)
    answers: Answers = Probabilities(p)
    if old is not None:
        answers = Posteriors(p).at_priors(old, new).answers(None)
    return {
        "name": name,
        "classes": [f"c{i}" for i in range(k)],
        "live": {
            "kind": "rows",
            "rows": y.size,
            "total": y.size,
            "scale": scale,
            "error": 0,
            "labels": packed(y, "u8"),
            "systems": [
                {
                    "name": name,
                    "reference": reference,
                    "codes": packed(codes, "u8" if codes.max() < 256 else "u16"),
                }
            ],
        },
        "facts": facts,
        "problem": asked,
        "expected": {**_judged(asked, facts, y, answers), "samples": y.size},
    }


def row_cases() -> list[Case]:
    """Return cases of three to ten classes."""
    three, ten = _codes(3, 400, 3), _codes(4, 500, 10)
    rng = np.random.default_rng(5)
    errors = 1 - np.eye(10)
    dense = np.round(rng.uniform(0.2, 5, (10, 10)) * errors, 2)
    uneven = np.arange(1, 11) / 55
    high = (three[0], three[1] * 100, decoded(three[1] * 100, 4000, 65535))
    return [
        _row_case("zero-one", problem(1 - np.eye(3)), three),
        _row_case("zero-one, abstain", problem(np.hstack([errors, np.full((10, 1), 0.4)])), ten),
        _row_case("by class", problem(errors * np.arange(1, 11)[:, None], uneven.tolist()), ten),
        _row_case("dense", problem(dense), ten),
        _row_case("dense, given", problem(dense, uneven.tolist()), ten),
        _row_case("dense, adapted", problem(dense, uneven.tolist(), adapt=True), ten),
        _row_case("reference", problem(dense), ten, reference=uneven.tolist()),
        _row_case("few decisions", problem(rng.integers(0, 9, (10, 4)).astype(np.float64)), ten),
        _row_case("prior 0", problem(1 - np.eye(3), [0.5, 0.5, 0.0]), three),
        _row_case("prior 0, adapted", problem(1 - np.eye(3), [0.0, 0.3, 0.7], adapt=True), _sure(three)),
        _row_case("a part of the data", problem(dense), ten, shares=uneven),
        _row_case("wide codes", problem(1 - np.eye(3)), high, scale=4000),
        _row_case("zero naive cost", problem([[0, 1], [0, 2], [0, 3]]), three),
    ]  # fmt: skip


def _sure(data: tuple[IntArray, IntArray, FloatArray]) -> tuple[IntArray, IntArray, FloatArray]:
    """Return rows that leave some class of a prior above 0 possible."""
    y, codes, _ = data
    fewer = np.minimum(codes, 254)
    return y, fewer, decoded(fewer, 40, 255)


def curve_cases() -> list[Case]:
    """Return curves of two classes: data and given priors, adapted, with certain answers."""
    level, counts = _levels(1, 150)
    sure, sure_counts = _levels(2, 80, infinite=True)
    two = [[0, 1], [5, 0]]
    return [
        _curves("data priors", problem(two), level, counts),
        _curves("given priors", problem([[1, 3], [7, 2]], [0.9, 0.1]), level, counts),
        _curves("adapted", problem(two, [0.8, 0.2], adapt=True), level, counts),
        _curves("certain", problem(two), sure, sure_counts),
    ]


def _curves(name: str, asked: Case, level: FloatArray, counts: IntArray) -> Case:
    """Return every curve of a system by brute force."""
    case = _level_case(name, asked, level, counts)
    facts = case["facts"]
    priors = np.asarray(facts["dataPriors"] if asked["fromData"] else asked["priors"])
    old = facts["dataPriors"] if asked["adapt"] else None
    p = _level_answers(level, old, priors).p
    theta = [0.001, 0.05, 0.2, 1 / 3, 0.5, 0.61, 0.9, 0.99]
    points = [_risk(t, p, counts, priors, asked) for t in theta]
    del case["expected"]
    return {
        **case,
        "theta": theta,
        "risk": {key: [point[key] for point in points] for key in points[0]},
        "roc": _roc(level, counts),
        "sweep": _sweep(p[:, 1], counts, priors, np.asarray(asked["costs"])),
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
        "band": list(cost.interval(0.95)),
        "normalizedBand": list(cost.normalized_interval(0.95)),
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


def _every_cost(counts: IntArray, priors: FloatArray, costs: FloatArray) -> list[float]:
    """Return the expected cost at every threshold."""
    below = np.concatenate([[[0], [0]], np.cumsum(counts, axis=1)], axis=1)
    rates = below / below[:, -1:]
    each = [rates[i] * costs[i, 0] + (1 - rates[i]) * costs[i, 1] for i in (0, 1)]
    return (priors[0] * each[0] + priors[1] * each[1]).tolist()


def _roc(level: FloatArray, counts: IntArray) -> Case:
    """Return the corners of the hull and the area."""
    levels = ScoreLevels(level, counts[0], counts[1], np.zeros(2, dtype=np.int64))
    below = np.concatenate([[[0], [0]], np.cumsum(counts, axis=1)], axis=1)
    rates = 1 - below[:, levels.blocks()] / below[:, -1:]
    first, second = (np.repeat(np.arange(level.size), part) for part in counts)
    wins = (second[:, None] > first[None, :]).mean() + (
        second[:, None] == first[None, :]
    ).mean() / 2
    return {"hullAlarms": rates[0].tolist(), "hullDetections": rates[1].tolist(), "auc": wins}


def _sweep(posterior: FloatArray, counts: IntArray, priors: FloatArray, costs: FloatArray) -> Case:
    """Return the best cost of any threshold and that of the Bayes threshold."""
    every = _every_cost(counts, priors, costs)
    alarm, miss = costs[0, 1] - costs[0, 0], costs[1, 0] - costs[1, 1]
    theta = alarm / (alarm + miss)
    at = int((posterior <= theta).sum())
    return {"best": min(every), "threshold": theta, "bayes": every[at], "last": every[-1]}


def _reliability(posterior: FloatArray, counts: IntArray, priors: FloatArray) -> Case:
    """Return bins of even width and of even weight, classes as heavy as their priors."""
    weight = (priors[:, None] * counts / counts.sum(axis=1, keepdims=True)).ravel()
    y, p = np.repeat([0, 1], posterior.size), np.tile(posterior, 2)
    found = {}
    for name, bins in (("width", 15), ("mass", EqualMass(15))):
        r = reliability(y, p, bins, sample_weight=weight)
        filled = r.share > 0
        parts = {"probability": r.probability, "frequency": r.frequency, "share": r.share}
        found[name] = {key: part[filled].tolist() for key, part in parts.items()}
    return found


def _isotonic(level: FloatArray, counts: IntArray, priors: FloatArray) -> list[float]:
    """Return the frequency of each step of the isotonic fit."""
    levels = ScoreLevels(level, counts[0], counts[1], np.zeros(2, dtype=np.int64))
    below = np.concatenate([[[0], [0]], np.cumsum(counts, axis=1)], axis=1)[:, levels.blocks()]
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
        "normalized": [_number(c.normalized) for c in curve.costs],
        "share": list(curve.abstention_rates),
    }


def confidence_case() -> Case:
    """Return how far the confidence of ten classes can be trusted."""
    data = _codes(4, 500, 10)
    case = _row_case("confidence", problem(1 - np.eye(10)), data)
    r = reliability(data[0], data[2], 15, confidence=True)
    filled = r.share > 0
    parts = {"probability": r.probability, "frequency": r.frequency, "share": r.share}
    counts = np.asarray(case["expected"]["counts"])
    case["recalls"] = (np.diag(counts) / counts.sum(axis=1)).tolist()
    case["confidence"] = {key: part[filled].tolist() for key, part in parts.items()}
    return case


def region_cases() -> list[Case]:
    """Return the decision taken for posteriors of two classes."""
    rng = np.random.default_rng(6)
    tables = [
        [[0, 1], [5, 0]],
        [[0, 1, 0.3], [5, 0, 0.4]],
        [[0, 1, 0.9], [5, 0, 0.9]],
        [[2, 2], [1, 1]],
        [[1, 0], [0, 1]],
        [[0, 0, 1], [1, 3, 0]],
        [[3], [4]],
        *(np.round(rng.uniform(0, 5, (2, m)), 1).tolist() for m in (2, 3, 4, 6, 8)),
    ]
    grid = np.linspace(0.0005, 0.9995, 41)
    p = np.column_stack([1 - grid, grid])
    return [
        {
            "costs": table,
            "posterior": grid.tolist(),
            "decision": CostMatrix(table, decisions=len(table[0])).least_expected(p).tolist(),
        }
        for table in tables
    ]


HOSTILE = [
    ["a", "b"],
    ["comma, equals = and # hash", 'quote " and \\ backslash'],
    ["del \x7f and \x01", "new\nline\ttab\r"],
    ["ünïcode ∞ 漢字", "🙂 [table] 'single'"],
    ["[[0,1]]", "costs.toml", "data"],
]  # sorted, as a long table has its classes


def file_cases() -> list[Case]:
    """Return applications to write as files and to read back by the command line."""
    found = []
    for names in HOSTILE:
        k = len(names)
        base = np.round((1 - np.eye(k)) * [[0.1 + 0.2], [1e-7], [12345678.9]][:k], 12)
        uneven = np.arange(1, k + 1) / math.fsum(range(1, k + 1))
        own = [f"do {name}" for name in names]
        tables: list[tuple[FloatArray, list[str]]] = [
            (base, names),
            (np.hstack([base, np.full((k, 1), 0.25)]), [*names, "abstain"]),
            (np.hstack([base, np.arange(1.0, k + 1)[:, None]]), [*names, "abstain"]),
            (np.hstack([base, np.full((k, 1), 3e21)]), [*names, 'say "no"\\']),
            (base, own),
            (base[:, :1] + 1, ["only"]),
        ]
        for i, (table, decisions) in enumerate(tables):
            given = i % 2 == 0
            found.append(
                {
                    "problem": {
                        "costs": table.tolist(),
                        "decisions": decisions,
                        "priors": uneven.tolist(),
                        "fromData": not given,
                        "adapt": i % 3 == 0,
                    },
                    "about": {
                        "classes": names,
                        "scores": "adapted" if i == 2 else "posteriors",
                        "reference": uneven[::-1].tolist() if i == 2 else None,
                    },
                }
            )
    return found


MAKERS: dict[str, Callable[[], Any]] = {
    "levels": level_cases,
    "rows": row_cases,
    "curves": curve_cases,
    "confidence": confidence_case,
    "regions": region_cases,
    "files": file_cases,
}


def as_json(found: Any) -> str:  # noqa: ANN401
    """Return cases as JSON."""
    return json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


if __name__ == "__main__":
    cases = {name: make() for name, make in MAKERS.items()}
    PLACE.write_text(as_json(cases) + "\n", "utf-8")
