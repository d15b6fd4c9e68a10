"""Cases of costs that differ from case to case, for the page."""

from itertools import product
from typing import Any

import numpy as np

import stakes
from golden_outcomes import ends
from stakes._typing import FloatArray
from stakes.report.payload import packed
from stakes.results import json_number

KINDS = ["honest", "fraud"]
ENTRIES: dict[str, list[list[float | str]]] = {
    "amount": [[0, 3], ["amount", 0]],
    "review costs too": [[0, 3], ["amount", 3]],
    "two columns": [["fee", 3], ["amount", "fee"]],
}


SETTINGS: list[tuple[float, float | None, float | None, bool]] = [
    (1.0, None, None, False),
    (0.1, None, 0.05, False),
    (1.0, 0.1, 0.2, True),
    (0.4, 0.02, None, True),
    (0.0, None, 0.5, False),
]  # a multiplier, a prior, a cap, whether samples have weights


def case_cases() -> list[dict[str, Any]]:
    """Return settings of each kind: amounts multiplied, priors, caps, weights, ties."""
    return [_case(entries, *setting) for entries, setting in product(ENTRIES, SETTINGS)]


def payments(n: int = 50) -> tuple[np.ndarray, FloatArray, dict[str, FloatArray]]:
    """Return labels, posteriors and columns of payments, many of which tie."""
    rng = np.random.default_rng(5)
    amount = np.asarray(np.round(np.exp(rng.normal(3.5, 1.2, n))), dtype=np.float64)
    z = np.round(-2 + 0.4 * (np.log(amount) - 3.5) + 1.5 * rng.normal(0, 1, n))
    y = (rng.random(n) < 1 / (1 + np.exp(-z))).astype(np.int64)
    return y, z, {"amount": amount, "fee": np.round(rng.uniform(0, 2, n), 1)}


def _case(
    entries: str,
    multiplier: float,
    prior: float | None,
    cap: float | None,
    weighted: bool,  # noqa: FBT001
) -> dict[str, Any]:
    y, z, columns = payments()
    at = {name: multiplier * column for name, column in columns.items()}
    costs = stakes.SampleCosts.from_columns(ENTRIES[entries], at, classes=KINDS)
    weights = np.where(y == 1, 1.0, 1 + np.arange(y.size) % 3) if weighted else None
    shares = np.bincount(y, weights) / np.sum(np.bincount(y, weights))
    training = None if prior is None else dict(zip(KINDS, shares.tolist(), strict=True))
    priors = None if prior is None else {"honest": 1 - prior, "fraud": prior}
    labels, scores = np.array(KINDS)[y], stakes.Logits(z)
    choice = stakes.choose_threshold(
        labels, scores, costs=costs, priors=priors, training_priors=training,
        review=cap, sample_weight=weights, classes=KINDS,
    )  # fmt: skip
    found = choice.results[-1] if cap is not None else choice.results[0]
    moved = 0.0 if prior is None else _log_odds([1 - prior, prior]) - _log_odds(shares)
    p = 1 / (1 + np.exp(-(z + moved)))
    saving = np.subtract(*(costs.expected(np.column_stack([1 - p, p]), j) for j in (0, 1)))
    decided = np.array(KINDS)[(saving > found.threshold + 1e-9).astype(np.int64)]
    cost = stakes.expected_cost(
        labels, decided, costs=costs, priors=priors, sample_weight=weights, classes=KINDS
    )
    assert np.isclose(cost.value, found.value, rtol=1e-12, atol=0)  # these are its decisions
    names = list(columns) if entries == "two columns" else ["amount"]
    cells = [
        [{"amounts": names.index(c)} if isinstance(c, str) else c for c in row]
        for row in ENTRIES[entries]
    ]
    return {
        "name": f"{entries}, x {multiplier:g}, prior {prior}, cap {cap}, weighted {weighted}",
        "data": {
            "total": y.size,
            "labels": packed(y.astype(np.uint8)),
            "weights": None if weights is None else packed(weights),
            "amounts": [packed(columns[name]) for name in names],
            "systems": [{"name": "one", "reference": None, "auc": None, "logOdds": packed(z)}],
        },
        "dataPriors": shares.tolist(),
        "problem": {
            "cells": cells,
            "multiplier": multiplier,
            "priors": shares.tolist() if prior is None else [1 - prior, prior],
            "fromData": prior is None,
            "adapt": prior is not None,
            "cap": cap,
        },
        "expected": {
            "expected": found.value,
            "naive": choice.naive,
            "naiveDecision": KINDS.index(str(choice.naive_answer)),
            "normalized": json_number(found.normalized.value),
            "reviewed": found.reviewed,
        },
        "intervals": [
            ends(band) if cost.undefined is None else None
            for band in (cost.normalized_interval(), cost.interval())
        ],
        "found": found.sensitivity,
        "spared": found.specificity,
    }


def _log_odds(priors: "list[float] | FloatArray") -> float:
    return float(np.log(priors[1]) - np.log(priors[0]))
