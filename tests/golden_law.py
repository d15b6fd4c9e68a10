"""Cases that tie the page's law of intervals to the library's.

Run as a script it writes them to frontend/test/golden_law.json.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from stakes._quantiles import normal
from stakes._typing import FloatArray, IntArray
from stakes.inference.cells import Cells, Unseen
from stakes.inference.law import Problem
from stakes.inference.totals import Totals

PLACE = Path(__file__).parent.parent / "frontend" / "test" / "golden_law.json"
Case = dict[str, Any]
LEVELS = (0.5, 0.95, 0.999)


def mean_cases() -> list[Case]:
    """Return mean losses and their ratios: few and many rows, weights, strata, rare and no errors."""
    return [
        *(_case(f"data priors {seed}", seed, 3, given=False, based=False) for seed in range(3)),
        *(_case(f"ratio {seed}", seed, 2, given=False, based=True) for seed in range(3, 7)),
        *(_case(f"given priors {seed}", seed, 4, given=True, based=False) for seed in range(7, 10)),
        *(_case(f"ratio, given priors {seed}", seed, 2, given=True, based=True) for seed in (10, 11)),
        *(_exact(kind) for kind in ("no errors", "one error", "all alike", "many rows")),
    ]  # fmt: skip


def matthews_case() -> list[float]:
    """Return a radius and the ends of a metric that is no ratio of sums."""
    rows = np.eye(4)
    cells = Cells.from_rows(rows, Unseen.candidates(rows), counts=np.array([70, 8, 5, 17]))

    def formula(t: Any) -> Any:  # noqa: ANN401  real or complex totals
        a, b, c, d = (t[..., j] for j in range(4))
        return (a * d - b * c) / np.sqrt((a + b) * (a + c) * (d + b) * (d + c))

    problem = Problem.single(cells, Totals(cells.all_columns, [formula]))
    return [normal(0.95), *problem.intervals(0.95)[0].tolist()]


def _case(name: str, seed: int, k: int, *, given: bool, based: bool) -> Case:
    """Return random rows of each class, and rows that may occur."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(k + 2, 25))
    y = np.sort(np.concatenate([np.arange(k), rng.integers(0, k, n - k)]))
    weight = np.round(rng.lognormal(0, 0.7, n), 4) if seed % 2 else np.ones(n)
    loss = np.round(rng.choice([rng.random(n), rng.integers(0, 3, n)]), 4)
    counts = rng.choice([np.ones(n), rng.integers(1, 200, n)]).astype(np.float64)
    base = np.round(rng.lognormal(0, 0.5, n), 4)
    heavy = (counts * weight * weight).sum() / (counts * weight).sum()
    possible = [[i, heavy * end, heavy, heavy] for i in range(k) for end in (0.0, 2.5)]
    table = np.column_stack([weight * loss, weight, weight * base])
    priors = np.round(rng.dirichlet(np.ones(k)), 6) if given else None
    return _solved(name, table, y, counts, np.array(possible), priors, based=based)


def _exact(kind: str) -> Case:
    """Return errors and right answers with counts at the edges."""
    counts = {
        "no errors": [40.0, 0.0, 12.0, 0.0],
        "one error": [40.0, 0.0, 11.0, 1.0],
        "all alike": [0.0, 40.0, 0.0, 12.0],
        "many rows": [9e11, 1e11, 9.9e6, 1e5],
    }[kind]
    table = np.array([[0.0, 1, 0], [1, 1, 0], [0, 1, 20], [20, 1, 20]])
    y = np.array([0, 0, 1, 1])
    possible = np.column_stack([y, table])
    based = kind == "one error"
    return _solved(kind, table, y, np.array(counts), possible, None, based=based)


def _solved(
    name: str,
    table: FloatArray,
    y: IntArray,
    counts: FloatArray,
    possible: FloatArray,
    priors: FloatArray | None,
    *,
    based: bool,
) -> Case:
    """Return rows and the intervals of the law; columns are amount, weight and base."""
    rare = possible[:, 0].astype(np.int64)
    problem = mean_problem((y, table), counts, (rare, possible[:, 1:]), priors, based=based)
    return {
        "name": name,
        "rows": _rows(y, table, counts, based=based),
        "possible": _rows(rare, possible[:, 1:], np.zeros(rare.size), based=based),
        "priors": None if priors is None else priors.tolist(),
        "intervals": [
            [normal(level), *problem.intervals(level)[0].tolist()]  # radius and ends
            for level in LEVELS
        ],
    }


def _rows(y: IntArray, table: FloatArray, counts: FloatArray, *, based: bool) -> Case:
    parts = {"amount": table[:, 0], "weight": table[:, 1], "counts": counts, "y": y}
    return {
        **{name: part.tolist() for name, part in parts.items()},
        "base": table[:, 2].tolist() if based else None,
    }


def mean_problem(
    rows: tuple[IntArray, FloatArray],
    counts: FloatArray,
    possible: tuple[IntArray, FloatArray],
    priors: FloatArray | None,
    *,
    based: bool,
) -> Problem:
    """Return a mean loss at given priors or of the data, or its ratio to another mean."""
    k = 1 if priors is None else priors.size
    classes = [np.zeros_like(y) if priors is None else y for y, _ in (rows, possible)]
    seen, rare = (
        _spread(of, table, k) for of, (_, table) in zip(classes, (rows, possible), strict=True)
    )
    cells = Cells.from_rows(seen, Unseen.candidates(rare, classes[1]), classes[0], counts)
    shares = np.ones(1) if priors is None else priors
    return Problem.single(cells, Totals(cells.all_columns, [_mean(shares, based=based)]))


def _spread(of: IntArray, table: FloatArray, k: int) -> FloatArray:
    """Return amount, weight and base, each in the column of its class."""
    each = np.equal.outer(of, np.arange(k)).astype(np.float64)
    return np.hstack([each * column[:, None] for column in table.T])


def _mean(shares: FloatArray, *, based: bool) -> Callable[[Any], Any]:
    k = shares.size

    def formula(t: Any) -> Any:  # noqa: ANN401  real or complex totals
        size = t[..., k : 2 * k]
        above = (t[..., :k] / size * shares).sum(axis=-1)
        return above / (t[..., 2 * k :] / size * shares).sum(axis=-1) if based else above

    return formula


MAKERS: dict[str, Callable[[], Any]] = {"means": mean_cases, "matthews": matthews_case}


if __name__ == "__main__":
    made = {name: make() for name, make in MAKERS.items()}
    text = json.dumps(made, allow_nan=False, separators=(",", ":"))
    PLACE.write_text(text + "\n", "utf-8")
