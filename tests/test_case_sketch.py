"""Cases with their costs, as a page holds them."""

from typing import Any

import numpy as np
import pytest

import stakes
from stakes.evaluation import case_sketch
from stakes.evaluation.case_sketch import CaseSketch

RNG = np.random.default_rng(3)
N = 400
Y = (RNG.random(N) < 0.2).astype(np.int64)
P = np.clip(0.2 + 0.3 * Y + RNG.normal(0, 0.15, N), 0.01, 0.99)
AMOUNT = np.round(np.exp(RNG.normal(3, 1, N)), 2)


def cases(entries: list[list[float | str]], **options: Any) -> CaseSketch | None:  # noqa: ANN401
    costs = stakes.SampleCosts.from_columns(entries, {"amount": AMOUNT, "one": np.ones(N)})
    found = stakes.evaluate(Y, P, costs=costs, calibrator=None, **options)
    assert found.sketch is not None
    return found.sketch.cases


def test_few_cases_are_kept_whole() -> None:
    found = cases([[0, 3], ["amount", 0]])
    assert found is not None
    assert found.exact
    assert found.cells == ((0.0, 3.0), (0, 0.0))
    assert isinstance(found.cells[1][0], int)
    assert isinstance(found.cells[1][1], float)
    kept = sorted(zip(found.y, found.amounts[0], found.systems[0].log_odds, strict=True))
    wanted = sorted(zip(Y, AMOUNT, np.log(P) - np.log1p(-P), strict=True))
    assert np.allclose(kept, wanted, rtol=1e-12, atol=1e-12)


def test_amounts_are_kept_once_and_what_does_not_vary_is_a_number() -> None:
    found = cases([["amount", "one"], ["amount", 7]])
    assert found is not None
    assert len(found.amounts) == 1
    assert found.cells == ((0, 1.0), (0, 7.0))


def test_of_many_cases_some_are_drawn_within_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case_sketch, "_MOST_CASES", 300)
    found = cases([[0, 3], ["amount", 0]], sample_weight=1.0 + np.arange(N) % 2)
    assert found is not None
    assert not found.exact
    assert found.total == N
    assert found.weights is not None
    assert found.y.size == found.weights.size == found.amounts[0].size <= 300
    share = np.bincount(found.y) / found.y.size
    assert share == pytest.approx(np.bincount(Y) / N, abs=0.01)
    rows = {(a, round(z, 9)) for a, z in zip(AMOUNT, np.log(P) - np.log1p(-P), strict=True)}
    odds = found.systems[0].log_odds
    assert all((a, round(z, 9)) in rows for a, z in zip(found.amounts[0], odds, strict=True))


def test_a_page_holds_no_more_bytes_with_more_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case_sketch, "_CASE_BYTES", 8 * 3 * 300)
    costs = stakes.SampleCosts.from_columns([[0, 3], ["amount", 0]], {"amount": AMOUNT})
    systems = {"one": P, "other": P[::-1]}
    found = stakes.compare(Y, systems, costs=costs, calibrator=None).sketch
    assert found is not None
    assert found.cases is not None
    assert found.cases.y.size <= 300


@pytest.mark.parametrize(
    "entries", [[[0, 3], ["one", 0]], [[0, 3, 1], ["amount", 0, 1]]], ids=["constant", "three"]
)
def test_other_costs_have_no_cases(entries: list[list[float | str]]) -> None:
    columns = {"amount": AMOUNT, "one": np.ones(N)}
    names = ["no", "yes", "ask"][: len(entries[0])]
    costs = stakes.SampleCosts.from_columns(entries, columns, decisions=names)
    found = stakes.evaluate(Y, P, costs=costs, calibrator=None).sketch
    assert found is not None
    assert found.cases is None
    assert found.why_not
