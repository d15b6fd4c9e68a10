"""Cases that tie the page's TypeScript to the library: what it is given, what must come out.

Run as a script it writes them to frontend/test/golden.json.
"""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from golden_answers import amount_cases, answer_cases
from golden_cases import case_cases
from golden_curves import curve_cases
from golden_outcomes import Case, codes_of, level_cases, problem, row_case, row_cases
from stakes import CostMatrix, reliability
from stakes._text import number
from stakes._typing import FloatArray
from stakes.evaluation.score_thresholds import precise
from stakes.evaluation.verdicts.wording import percent

PLACE = Path(__file__).parent.parent / "frontend" / "test" / "golden.json"


def confidence_cases() -> list[Case]:
    """Return how far the confidence of some classes can be trusted, at any priors."""
    return [
        _confidence("data priors", 10, None),
        _confidence("given priors", 3, [0.7, 0.1, 0.2]),
    ]


def _confidence(name: str, k: int, priors: list[float] | None) -> Case:
    """Return a case of confidences; classes are as heavy as their priors."""
    data = codes_of(4, 500, k)
    case = row_case(name, problem(1 - np.eye(k), priors), data)
    r = reliability(data[0], data[2], 15, confidence=True, priors=priors)
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
                        "names": None if i == 1 else names,
                        "scores": "adapted" if i == 2 else "posteriors",
                        "reference": uneven[::-1].tolist() if i == 2 else None,
                    },
                }
            )
    return found


def percent_cases() -> list[tuple[float, str]]:
    """Return shares as verdicts write them: none that reads as all or as nothing and is not."""
    shares = [0, 1, 0.5, 0.125, 0.004, 0.0004, 0.00999, 0.01, 0.99, 0.9901, 0.996, 0.9999]
    shares += [1.0004, 1.004, 1.00999, 1.01, 1.005, 1.125, 1.1111, 2, 12.345]
    shares += [-share for share in shares[1:]] + [-1e-9, 1e-9]
    return [(share, percent(share)) for share in shares]


def number_cases() -> list[tuple[str, int, str]]:
    """Return numbers as people read them: of every size, and next to where their form changes."""
    rng = np.random.default_rng(9)
    sizes = 10 ** rng.uniform(-9, 17, 80)
    edges = [0.0, 1e-3, 0.1, 0.5, 1, 10, 99.95, 999.95, 9999.5, 1e6, 1e15, 2e15, 1.125e15, 1e21]
    ties = [0.15625, 2.5, 0.03125, 1234.5, 12.25, 0.00048828125, 0.42585, 1.005, 0.99995, 0.0009995]
    found = [*sizes]
    for edge in [*edges, *ties]:
        found += [edge, np.nextafter(edge, 0), np.nextafter(edge, np.inf)]
    listed = [value if i % 3 else -value for i, value in enumerate(found)]
    cases = [(value, 4) for value in listed] + [(value, 3) for value in listed[::9]]
    cases += [(math.inf, 4), (-math.inf, 4), (math.nan, 4)]
    return [(repr(float(value)), digits, number(value, digits)) for value, digits in cases]


def threshold_cases() -> list[tuple[float, str]]:
    """Return thresholds as they are shown."""
    values = [1 / 21, 1 / 3, 0.5, 0.9, 0.99999, 1 - 1e-9, 1e-9, 0.001234567, -2.995732, 12.5, -1e-7]
    return [(value, precise(value)) for value in values]


MAKERS: dict[str, Callable[[], Any]] = {
    "answers": answer_cases,
    "amounts": amount_cases,
    "levels": level_cases,
    "rows": row_cases,
    "cases": case_cases,
    "curves": curve_cases,
    "confidence": confidence_cases,
    "regions": region_cases,
    "files": file_cases,
    "percents": percent_cases,
    "numbers": number_cases,
    "thresholds": threshold_cases,
}


def as_json(found: Any) -> str:  # noqa: ANN401
    """Return cases as JSON."""
    return json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


if __name__ == "__main__":
    cases = {name: make() for name, make in MAKERS.items()}
    PLACE.write_text(as_json(cases) + "\n", "utf-8")
