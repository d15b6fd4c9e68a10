"""Outcomes of systems and problems as the library finds them, for the cases of golden.py."""

import base64
import gzip
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np

from stakes import ConfusionMatrix, CostMatrix, LogLikelihoodRatios, Posteriors
from stakes._typing import FloatArray, IntArray
from stakes.results import ExpectedLoss
from stakes.scores.answers import Answers, LogProbabilities, Probabilities

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


def number(value: float) -> float | None:
    """Return a number, None for NaN."""
    return None if math.isnan(value) else float(value)


def ends(values: Iterable[float]) -> list[float]:
    """Return ends of intervals with the digits that a search for them has."""
    return [float(f"{value:.12g}") for value in values]


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
    cost = confusion.expected_cost(costs, priors)
    if asked["fromData"]:
        others = costs.rival_columns(cost.priors)
        cost = replace(cost, priors_from_data=True, rivals=others)
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
        "normalized": number(cost.normalized),
        "interval": ends(cost.normalized_interval(0.95)) if known else None,
        "byClass": [number(x) for x in cost.by_class.values()],
        "shares": shares.tolist(),
    }


def level_answers(level: FloatArray, reference: Any, priors: Any) -> Answers:  # noqa: ANN401
    """Return the posteriors of log odds that hold at reference priors, or follow none."""
    if reference is None:
        return LogProbabilities.from_log_odds(level)
    ratio = level - (math.log(reference[1]) - math.log(reference[0]))
    return LogLikelihoodRatios(ratio).answers(np.asarray(priors))


def levels(seed: int, n: int, *, infinite: bool = False) -> tuple[FloatArray, IntArray]:
    """Return log odds and counts of two classes, with ties and perhaps certain answers."""
    rng = np.random.default_rng(seed)
    level = np.unique(np.round(rng.normal(0, 3, n), 2))
    if infinite:
        level = np.concatenate([[-np.inf], level, [np.inf]])
    chance = 1 / (1 + np.exp(-0.6 * level - 0.4))
    total = rng.integers(1, 30, level.size)
    second = rng.binomial(total, np.clip(chance, 0.02, 0.98))
    return level, np.stack([total - second, second])


def level_case(
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
    answers = level_answers(level, old, new)
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
    level, counts = levels(1, 150)
    sure, sure_counts = levels(2, 80, infinite=True)
    tied = np.log([0.2, 0.25, 1.0, 4.0, 5.0])
    tied_counts = np.array([[5, 4, 3, 2, 1], [1, 2, 3, 4, 5]])
    weights: FloatArray = np.round(counts * 0.37 + (counts > 0) * 0.01, 4).astype(np.float64)
    few = np.array([[2, 0, 0, 0, 0], [0, 1, 0, 0, 0]])
    two, wide = [[0, 1], [5, 0]], [[0, 1, 0.3], [5, 0, 0.3]]
    return [
        level_case("data priors", problem(two), level, counts),
        level_case("given priors", problem(two, [0.95, 0.05]), level, counts),
        level_case("adapted", problem(two, [0.9, 0.1], adapt=True), level, counts),
        level_case("likelihoods", problem(two, [0.8, 0.2]), level, counts, reference=[0.5, 0.5]),
        level_case("reference, data", problem(two), level, counts, reference=[0.7, 0.3]),
        level_case("abstention", problem(wide), level, counts),
        level_case("abstention, given", problem(wide, [0.6, 0.4]), sure, sure_counts),
        level_case("dear right answers", problem([[1, 3], [7, 2]], [0.3, 0.7]), level, counts),
        level_case("four decisions", problem([[0, 1, 4, 2], [9, 4, 0, 2]]), level, counts),
        level_case("one decision", problem([[2], [3]]), level, counts),
        level_case("bounded by costs of 1", problem([[0.5, 1], [8, 1]]), tied, few),
        level_case("not bounded by costs", problem([[2, 3], [5, 2]]), tied, few),
        level_case("naive costs 1", problem([[0, 1, 1], [8, 1, 1]]), level, counts),
        level_case("certain", problem(two), sure, sure_counts),
        level_case("certain, adapted", problem(two, [0.5, 0.5], adapt=True), sure, sure_counts),
        level_case("ties", problem([[0, 1], [4, 0]]), tied, tied_counts),
        level_case("ties, even", problem([[0, 1], [1, 0]]), tied, tied_counts),
        level_case("ties of three", problem([[0, 1, 0.5], [1, 0, 0.5]]), tied, tied_counts),
        level_case("prior 0", problem(two, [1.0, 0.0]), level, counts),
        level_case("prior 0, base", problem([[2, 3], [5, 0]], [1.0, 0.0]), level, counts),
        level_case("prior 0, adapted", problem(two, [0.0, 1.0], adapt=True), level, counts),
        level_case("zero naive cost", problem([[0, 1], [0, 1]]), level, counts),
        level_case("extreme", problem([[0, 1e-9], [1e9, 0]], [0.999999, 0.000001]), level, counts),
        level_case("never optimal", problem([[0, 1, 5000], [5, 0, 5000]]), level, counts),
        level_case("a mixture is better", problem([[0, 4, 3], [4, 0, 3]]), level, counts),
        level_case("weights", problem(two), level, weights),
        level_case("weights, given", problem(wide, [0.9, 0.1]), level, weights),
    ]


def codes_of(seed: int, n: int, k: int) -> tuple[IntArray, IntArray, FloatArray]:
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


def row_case(
    name: str,
    asked: Case,
    data: tuple[IntArray, IntArray, FloatArray],
    *,
    reference: list[float] | None = None,
    shares: FloatArray | None = None,
    scale: float = 40,
    weights: FloatArray | None = None,
) -> Case:
    """Return a case of several classes; `shares` are those of more data than are embedded."""
    y, codes, p = data
    k = codes.shape[1]
    counts = np.bincount(y, minlength=k)
    heavy = np.bincount(y, weights, minlength=k)
    seen = heavy / heavy.sum() if shares is None else shares
    facts = _facts(seen, counts, "" if weights is None else "weighted")
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
            "weights": None if weights is None else packed(weights, "f64"),
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
        "expected": {**_judged(asked, facts, y, answers, weights), "samples": y.size},
    }


def row_cases() -> list[Case]:
    """Return cases of three to ten classes."""
    three, ten = codes_of(3, 400, 3), codes_of(4, 500, 10)
    rng = np.random.default_rng(5)
    errors = 1 - np.eye(10)
    dense = np.round(rng.uniform(0.2, 5, (10, 10)) * errors, 2)
    uneven = np.arange(1, 11) / 55
    weights = np.round(rng.uniform(0.1, 3, 500), 3)
    high = (three[0], three[1] * 100, decoded(three[1] * 100, 4000, 65535))
    return [
        row_case("zero-one", problem(1 - np.eye(3)), three),
        row_case("zero-one, abstain", problem(np.hstack([errors, np.full((10, 1), 0.4)])), ten),
        row_case("by class", problem(errors * np.arange(1, 11)[:, None], uneven.tolist()), ten),
        row_case("dense", problem(dense), ten),
        row_case("dense, given", problem(dense, uneven.tolist()), ten),
        row_case("dense, adapted", problem(dense, uneven.tolist(), adapt=True), ten),
        row_case("reference", problem(dense), ten, reference=uneven.tolist()),
        row_case("few decisions", problem(rng.integers(0, 9, (10, 4)).astype(np.float64)), ten),
        row_case("prior 0", problem(1 - np.eye(3), [0.5, 0.5, 0.0]), three),
        row_case("prior 0, adapted", problem(1 - np.eye(3), [0.0, 0.3, 0.7], adapt=True), _sure(three)),
        row_case("a part of the data", problem(dense), ten, shares=uneven),
        row_case("wide codes", problem(1 - np.eye(3)), high, scale=4000),
        row_case("never optimal", problem(np.hstack([1 - np.eye(3), np.full((3, 1), 50.0)])), three),
        row_case("a mixture is better", problem([[0, 4, 3, 3], [4, 0, 2, 3], [1, 5, 0, 3]]), three),
        row_case("weights", problem(dense, uneven.tolist()), ten, weights=weights),
        row_case("weights, data", problem(dense), ten, weights=weights),
        row_case("zero naive cost", problem([[0, 1], [0, 2], [0, 3]]), three),
    ]  # fmt: skip


def _sure(data: tuple[IntArray, IntArray, FloatArray]) -> tuple[IntArray, IntArray, FloatArray]:
    """Return rows that leave some class of a prior above 0 possible."""
    y, codes, _ = data
    fewer = np.minimum(codes, 254)
    return y, fewer, decoded(fewer, 40, 255)
