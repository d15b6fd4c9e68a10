"""Intervals cover: a small part of the published grid, with seeds of its own."""

import math
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.skipif(
    not (ROOT / "benchmarks").exists(), reason="an sdist has no benchmarks"
)
REPLICATIONS = 40
FEW, HARMLESS = 20, 2  # at a coverage of 0.75 as few would be missed with a probability of 0.09


@pytest.fixture(scope="module", autouse=True)
def _found() -> None:
    sys.path.insert(0, str(ROOT))


@pytest.mark.parametrize(
    "part",
    [
        {"kind": "scores", "n": 100, "share": 0.1, "scale": 2.0},
        {"kind": "scores", "n": 200, "share": 0.02, "fixed": True},
        {"kind": "prices", "n": 200, "share": 0.02, "spread": 1.5, "fixed": True},
        {"kind": "tie", "n": 60, "share": 0.1, "spread": 1.0},
        {"kind": "groups", "n": 375, "share": 0.3, "groups": 15},
        {"kind": "patients", "n": 1200, "share": 0.1, "groups": 60},
        {"kind": "ties", "n": 100, "share": 0.1},
        {"kind": "ties", "n": 1000, "share": 0.5},
        {"kind": "areas", "n": 100, "share": 0.1, "ranking": "2 scores that know nothing"},
        {"kind": "areas", "n": 10_000, "share": 0.02, "ranking": "all alarms and 1 % of the rest"},
    ],
    ids=lambda part: f"{part['kind']} {part['n']}",
)
def test_intervals_include_the_value_of_the_population(
    part: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks import coverage  # noqa: PLC0415  found by the fixture

    monkeypatch.setattr(coverage, "SEED", 90_210)
    cell = coverage.Cell(**part)
    found = coverage.count(cell, range(FEW))
    assert found
    tallies = [tally for tally in found.values() if tally.given >= FEW / 2]
    useful = sum(tally.useful for tally in tallies) if part["kind"] == "tie" else 0
    if useful == 0 and all(tally.given - tally.covered <= HARMLESS for tally in tallies):
        return
    more = coverage.count(cell, range(FEW, REPLICATIONS))
    for name, tally in more.items():
        found[name] = found.get(name, coverage.Tally()) + tally
    least = 0.95 - 3 * math.sqrt(0.95 * 0.05 / REPLICATIONS)  # 0.85
    for name, tally in found.items():
        if tally.given >= REPLICATIONS / 2:
            assert tally.covered / tally.given >= least, name
        if part["kind"] == "tie":
            assert tally.useful / tally.given <= 0.05


def test_the_page_has_marks_for_the_tables() -> None:
    from benchmarks import coverage  # noqa: PLC0415

    text = coverage.PAGE.read_text(encoding="utf-8")
    again = coverage.written(text, "| a |")
    assert again.count("| a |") == 1
    assert again.split(coverage.BEGIN)[0] == text.split(coverage.BEGIN)[0]
    assert again.split(coverage.END)[1] == text.split(coverage.END)[1]


def test_quadrature_is_that_of_many_samples() -> None:
    import numpy as np  # noqa: PLC0415
    from benchmarks.populations import Gaussians, Payments  # noqa: PLC0415

    import stakes  # noqa: PLC0415

    rng, population = np.random.default_rng(3), Gaussians(0.2, 2.0)
    y = population.labels(400_000, rng, fixed=True)
    x = rng.standard_normal(y.size) + 2.0 * y
    scores = stakes.Logits(population.log_odds(x))
    assert stakes.cross_entropy(y, scores).normalized == pytest.approx(
        population.cross_entropy(), rel=0.01
    )
    assert stakes.brier_score(y, scores).normalized == pytest.approx(population.brier(), rel=0.01)
    costs = stakes.CostMatrix.binary(miss=9, false_alarm=1)
    nec = stakes.bayes_cost(y, scores, costs=costs).normalized
    assert nec == pytest.approx(population.nec(9), rel=0.01)
    payments = Payments(population, 1.0)
    amounts = {"a": payments.amounts(y.size, rng)}
    prices = stakes.SampleCosts.from_columns([[0, payments.review], ["a", 0]], amounts)
    found = stakes.bayes_cost(y, scores, costs=prices).normalized
    assert found == pytest.approx(payments.nec(), rel=0.02)


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_values_of_few_scores_are_those_of_many_samples(share: float) -> None:
    import numpy as np  # noqa: PLC0415
    from benchmarks.populations import SPECIFICITY, FewValues  # noqa: PLC0415

    import stakes  # noqa: PLC0415

    population = FewValues(share)
    curve = stakes.roc_curve(*population.draw(400_000, np.random.default_rng(8)))
    known = population.truths()
    fixed = curve.sensitivity_at(SPECIFICITY).sensitivity
    assert curve.auc() == pytest.approx(known["auc"], abs=0.005)
    assert curve.eer() == pytest.approx(known["eer"], abs=0.005)
    assert fixed == pytest.approx(known["sensitivity at fixed specificity"], abs=0.01)
