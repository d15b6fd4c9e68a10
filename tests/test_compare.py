"""Systems compared on the same samples, and which is best at which odds."""

import json
import math
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import stakes
from judged import (
    AMOUNTS,
    COSTS,
    GOOD,
    POOR,
    RAW,
    RNG,
    TEN,
    TEN_RAW,
    TWO,
    WEIGHTS,
    json_of,
    same_numbers,  # noqa: F401  every test uses it
)
from stakes._typing import FloatArray, IntArray
from stakes.evaluation import OddsRange
from stakes.simulation import Simulation


@cache
def compared() -> stakes.Comparison:
    return stakes.compare(
        TWO.y,
        {"good": GOOD, "poor": POOR, "same": GOOD},
        costs=COSTS,
        calibrator=stakes.AffineCalibrator(),
        resamples=80,
    )


def test_a_system_does_not_differ_from_itself() -> None:
    same = [d for d in compared().differences if d.system == "same"]
    assert len(same) > 15
    for difference in same:
        assert difference.difference.value == 0, difference.metric
        assert not difference.told_apart
        assert not difference.wins
        assert difference.probability == 0.5


def test_a_poor_system_is_told_apart() -> None:
    for metric in (
        "cost.nec",
        "cross_entropy.normalized",
        "brier_score.normalized",
        "cost.f1_score",
    ):
        difference = compared().of("poor", metric)
        assert difference.told_apart
        assert not difference.wins
        assert difference.probability < 0.05
    assert compared().of("poor", "auc").difference.value == 0  # the order is the same
    assert compared().of("poor", "auc").difference.method == "DeLong, paired"
    assert all(0 <= d.probability <= 1 for d in compared().differences)
    first, second = compared().verdicts
    assert first.startswith("good is better than poor")
    assert second.startswith("same and good are not told apart")


def test_values_are_those_of_evaluate() -> None:
    for name, scores in {"good": GOOD, "poor": POOR}.items():
        expected = stakes.evaluate(TWO.y, scores, costs=COSTS, resamples=0).metrics()
        for metric, value in compared().values[name].items():
            assert value == pytest.approx(expected[metric].value, rel=1e-12, abs=1e-14), metric


def test_turning_a_comparison_round_turns_its_signs() -> None:
    noisy = stakes.Logits(np.log(RAW) + RNG.normal(0, 0.5, RAW.shape))
    pair = {"a": GOOD, "b": noisy}
    forth = stakes.compare(TWO.y, pair, resamples=80)
    back = stakes.compare(TWO.y, pair, reference="b", resamples=80)
    assert (forth.reference, back.reference) == ("a", "b")
    for one in forth.differences:
        two = back.of("a", one.metric)
        assert one.difference.value == pytest.approx(-two.difference.value, abs=1e-15)
        assert one.difference.value == pytest.approx(one.value - one.reference, abs=1e-12)
        assert one.probability == pytest.approx(1 - two.probability)
        assert (one.value, one.reference) == (two.reference, two.value)
        if one.difference.interval is not None:
            assert two.difference.interval is not None
            turned = [-two.difference.interval.high, -two.difference.interval.low]
            assert list(one.difference.interval) == pytest.approx(turned, abs=1e-12), one.metric


def test_the_verdict_goes_by_the_first_application() -> None:
    uses = {"first": stakes.Application(COSTS, [0.5, 0.5]), "second": COSTS}
    result = stakes.compare(TWO.y, {"a": GOOD, "b": POOR}, costs=uses, resamples=60)
    assert result.costs[0] == "first.nec"
    value = result.of("b", "first.nec").difference.value
    assert f"{abs(value):.4f}" in result.verdicts[0]


def test_comparisons_with_groups_weights_and_amounts() -> None:
    groups = np.arange(1000) // 5
    result = stakes.compare(
        TWO.y, {"a": GOOD, "b": POOR}, costs=AMOUNTS, groups=groups, sample_weight=WEIGHTS, resamples=60
    )  # fmt: skip
    assert result.of("b", "auc").difference.method == "bootstrap (percentile)"
    expected = [
        stakes.bayes_cost(TWO.y, p, costs=AMOUNTS, sample_weight=WEIGHTS) for p in (GOOD, POOR)
    ]
    gap = expected[1].normalized - expected[0].normalized
    assert result.of("b", "cost.nec").difference.value == pytest.approx(gap, rel=1e-9)
    json_of(result)


def test_comparisons_without_resamples() -> None:
    result = stakes.compare(TWO.y, {"a": GOOD, "b": POOR}, resamples=0)
    nec = result.of("b", "cost.nec")
    assert nec.difference.interval is None
    assert not nec.told_apart
    assert "needs resamples" in result.verdicts[0]
    assert result.of("b", "auc").difference.interval is not None
    json_of(result)


def test_comparisons_of_infinite_losses_say_so() -> None:
    p = GOOD.copy()
    p[TWO.y.argmin()] = [0, 1]
    result = stakes.compare(TWO.y, {"a": p, "b": GOOD}, resamples=60)
    assert result.notes == ("The cross-entropy of a is infinite, so that it is not compared.",)
    with pytest.raises(stakes.InputError, match=r"cross_entropy\.normalized"):
        result.of("b", "cross_entropy.normalized")
    assert result.of("b", "brier_score.normalized").told_apart in {True, False}


def test_ten_classes_are_compared() -> None:
    flat = np.full(TEN_RAW.shape, 0.1)
    result = stakes.compare(TEN.y, {"a": TEN_RAW, "naive": flat}, resamples=60)
    assert result.of("naive", "cost.nec").told_apart
    assert result.odds == ()
    json_of(result)


def test_the_same_seed_compares_alike() -> None:
    again = [stakes.compare(TWO.y, {"a": GOOD, "b": RAW}, resamples=50, rng=3) for _ in range(2)]
    assert json_of(again[0]) == json_of(again[1])
    assert json_of(again[0]) == json.dumps(json.loads(json_of(again[0])))


@pytest.mark.parametrize(
    ("systems", "more", "words"),
    [
        ({"a": GOOD}, {}, "systems must map at least two"),
        ([GOOD, RAW], {}, "systems must map"),
        ({1: GOOD, 2: RAW}, {}, "systems must have texts"),
        ({"a": GOOD, "b": RAW}, {"reference": "c"}, "reference must be one of"),
        ({"a": GOOD, "b": TEN_RAW}, {}, "classes|rows|samples"),
        (
            {"a": GOOD, "b": np.column_stack([RAW / 2, np.full(1000, 0.5)])},
            {},
            "systems must speak",
        ),
        ({"a": GOOD, "b": RAW[:10]}, {}, "1000"),
    ],
)
def test_bad_systems_are_named(systems: Any, more: dict[str, Any], words: str) -> None:  # noqa: ANN401
    with pytest.raises(stakes.InputError, match=words):
        stakes.compare(TWO.y, systems, resamples=50, **more)


# --- which system is best at which odds ---


def check_cover(ranges: tuple[OddsRange, ...]) -> None:
    assert ranges[0].low == 0
    assert ranges[-1].high == math.inf
    for one, two in pairwise(ranges):
        assert one.high == two.low
        assert one.low < one.high
        assert one.system != two.system


def best_at(ranges: tuple[OddsRange, ...], odds: float) -> OddsRange:
    return next(r for r in ranges if r.low <= odds < r.high)


def one_sided() -> tuple[IntArray, dict[str, FloatArray]]:
    """Two systems: one sees some cases for sure, the other some that are none for sure."""
    y = np.repeat([0, 1], 2000)
    seen = np.arange(4000) % 2 == 0
    sure_ill = np.where((y == 1) & seen, 0.999, 1 / 3)
    sure_well = np.where((y == 0) & seen, 0.001, 2 / 3)
    return y, {"finds": sure_ill, "rules out": sure_well}


def test_the_best_system_can_change_with_the_odds() -> None:
    y, systems = one_sided()
    ranges = stakes.compare(y, systems, resamples=50).odds
    check_cover(ranges)
    for odds in (0.3, 0.7, 1.4, 3.0):
        costs = stakes.CostMatrix([[0, odds], [1, 0]])
        spent = {n: stakes.bayes_cost(y, p, costs=costs).value for n, p in systems.items()}
        found = best_at(ranges, odds)
        assert found.system == min(spent, key=lambda n: spent[n])
    assert (best_at(ranges, 0.7).system, best_at(ranges, 1.4).system) == ("rules out", "finds")
    assert best_at(ranges, 0.7).told_apart


def test_equal_systems_are_not_told_apart_at_any_odds() -> None:
    """Rounding alone picks no winner: the same decisions, summed in another order."""
    weights = RNG.uniform(0.1, 5, 1000)
    cell = np.floor(TWO.log_likelihood_ratios().values / 0.01) * 0.01 + 0.005
    systems = {n: stakes.LogLikelihoodRatios(cell + RNG.uniform(-0.004, 0.004, 1000)) for n in "ab"}
    result = stakes.compare(TWO.y, systems, priors="data", sample_weight=weights, resamples=0)
    found = [(r.low, r.high, r.system, r.told_apart) for r in result.odds]
    assert found == [(0, math.inf, "a", False)]


@pytest.mark.parametrize("weighted", [False, True])
def test_odds_cover_everything(weighted: bool) -> None:  # noqa: FBT001
    x = Simulation(TWO.y, TWO.x + RNG.normal(0, 0.3, 1000), 2, 0.15)
    systems = {"a": GOOD, "b": x.posteriors([0.8, 0.2]), "c": POOR}
    w = WEIGHTS if weighted else None
    result = stakes.compare(TWO.y, systems, sample_weight=w, resamples=0)
    check_cover(result.odds)
    for r in result.odds:
        ends = np.clip([math.log(r.low) if r.low else -7, math.log(r.high)], -7, 7)
        place = float(ends.mean())
        middle = math.exp(round(place + 1e-6, 2))  # ranges are found in steps of 0.01
        odds = middle / (0.8 / 0.2 if w is None else w[TWO.y == 0].sum() / w[TWO.y == 1].sum())
        costs = stakes.CostMatrix([[0, odds], [1, 0]])
        spent = {
            n: stakes.bayes_cost(TWO.y, p, costs=costs, sample_weight=w).value
            for n, p in systems.items()
        }
        assert spent[r.system] <= min(spent.values()) * (1 + 1e-9)


def test_there_are_no_odds_without_both_classes() -> None:
    y = np.zeros(20, dtype=int)
    result = stakes.compare(y, {"a": np.full(20, 0.3), "b": np.full(20, 0.4)}, resamples=0)
    assert result.odds == ()
