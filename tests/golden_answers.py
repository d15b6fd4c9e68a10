"""Cases of the answer of a page: settings and costs, and the sentences that Python says."""

from dataclasses import replace
from typing import Any

import numpy as np

from golden_outcomes import Case
from stakes._amounts import Unit, amount, decimals_of
from stakes.report.answer import Naive, Standing, answer, code_of, compared, per_thousand
from stakes.report.setting_words import Setting, first_cell


def answer_cases() -> list[Case]:
    """Return sentences and tables for settings of every kind."""
    return [_case(i, setting) for i, setting in enumerate(_settings())]


def _settings() -> list[Setting]:
    three, five = ["healthy", "inflamed", "tumour"], list("abcde")
    tables: list[tuple[list[str], list[str], Any, Any, bool]] = [
        (["no", "yes"], ["no", "yes"], [[0, 1], [20, 0]], [0.63, 0.37], True),
        (["no", "yes"], ["no", "yes"], [[0, 4], [4, 0]], [0.999, 0.001], False),
        (["no", "yes"], ["wait", "act", "ask"], [[0, 2, 0.5], [9, 0, 0.5]], [0.5, 0.5], False),
        (["no", "yes"], ["no", "yes"], [[0.1, 1], [5, 0]], [0.8, 0.2], True),
        (["no", "yes"], ["no", "yes"], [[0, 0], [5, 0]], [0.8, 0.2], True),
        (three, three, 1 - np.eye(3), [0.7, 0.2, 0.1], True),
        (three, [*three, "abstain"], [[0, 2, 2, 1], [2, 0, 2, 1], [2, 2, 0, 1]],
         [1 / 3, 1 / 3, 1 / 3], False),
        (three, three, [[0, 1, 1], [5, 0, 5], [40, 40, 0]], [0.7, 0.2, 0.1], False),
        (three, three, [[0, 1, 2], [5, 0, 1.5], [40, 10, 0]], [0.7, 0.2, 0.1], True),
        (three, ["go home", "see a doctor"], [[0, 1], [3, 1], [40, 0.25]], [0.7, 0.2, 0.1], True),
        (five, five, 1 - np.eye(5), [0.2] * 5, False),
        (five, [*five, "abstain"], np.hstack([1 - np.eye(5), np.full((5, 1), 0.25)]),
         [0.1, 0.1, 0.1, 0.3, 0.4], False),
        (five, five, 3 * (1 - np.eye(5)) * np.arange(1, 6)[:, None], [0.2] * 5, True),
    ]  # fmt: skip
    made = []
    for classes, decisions, costs, priors, from_data in tables:
        array = np.asarray(costs, dtype=np.float64)
        bare = Setting(classes, decisions, array, np.asarray(priors), from_data, (0, 0))
        made.append(replace(bare, cell=first_cell(bare)))
    return made


def _case(i: int, s: Setting) -> Case:
    rng = np.random.default_rng(i)
    k, m = s.costs.shape
    naive_costs = s.priors @ s.costs
    naive = Naive(int(naive_costs.argmin()), float(naive_costs.min()))
    unit = Unit("EUR", 250.0) if i % 3 == 2 else Unit()
    standings = []
    for j, name in enumerate(("one", "two", "three", "four")):
        counts = rng.integers(0, 60, (k, m)).astype(np.float64)
        counts[np.arange(k), np.arange(k) % m] += 200
        expected = float(s.priors @ ((counts * s.costs).sum(axis=1) / counts.sum(axis=1)))
        half = expected * [0.4, 0.003, 0.0, 1.5][(i + j) % 4]
        band = (expected - half, expected + 1.2 * half) if half else None
        unit_cost = naive.cost or float("nan")
        relative = None if band is None else (band[0] / unit_cost, band[1] / unit_cost)
        code = code_of(expected / unit_cost, relative)
        standings.append(Standing(name, code, expected, band, counts, whole=j != 2))
    return {
        "setting": _plain(s),
        "unit": vars(unit),
        "naive": vars(naive),
        "standings": [{**vars(x), "counts": x.counts.tolist()} for x in standings],  # type: ignore[union-attr]
        "answer": answer(s, standings[:2], naive, unit, reason="there is no naive cost"),
        "decisions": answer(s, standings[2:3], naive, unit, subject="these decisions"),
        "tested": compared(s, standings, naive, unit, _best(standings, 1), (standings[:2], None)),
        "tied": compared(s, standings, naive, unit, [x.name for x in standings]),
        "table": list(per_thousand(s, standings, naive, unit, 0.95)),
    }


def _best(standings: list[Standing], most: int) -> list[str]:
    return [x.name for x in sorted(standings, key=lambda x: x.expected)][:most]


def _plain(s: Setting) -> dict[str, Any]:
    return {
        "classes": list(s.classes),
        "decisions": list(s.decisions),
        "costs": s.costs.tolist(),
        "priors": s.priors.tolist(),
        "fromData": s.from_data,
        "cell": list(s.cell),
    }


def amount_cases() -> list[tuple[float, list[float] | None, str]]:
    """Return values with intervals, as people read them."""
    bands: list[tuple[float, list[float] | None]] = [
        (0.6819, [0.419, 1.035]), (681.9, [419, 1035]), (12345.678, None), (0, None), (0, [0, 3.8]),
        (1e-7, None), (3.2e12, [1e12, 5e12]), (99.96, [99.9, 100.1]), (-0.004, [-0.5, 0.5]),
        (-1234.5, [-2000, -100]), (0.00012345, [0.0001, 0.0002]), (5, [5, 5]),
        (0.8905, [0.88, 0.9]), (890.5, [880, 900]), (-0.0285, [-0.04, -0.01]), (1.005, [0.9, 1.1]),
    ]  # fmt: skip
    return [
        (x, b, amount(x, decimals_of(x, None if b is None else (b[0], b[1])))) for x, b in bands
    ]
