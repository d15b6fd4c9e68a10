"""Systems compared on the same samples, and which is best at which odds."""

import json
import math
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from statistics import NormalDist
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
from stages import assert_seldom
from stakes._typing import FloatArray, IntArray
from stakes.evaluation import OddsRange
from stakes.evaluation.odds import _ranges
from stakes.simulation import Simulation


@cache
def compared() -> stakes.Comparison:
    return stakes.compare(
        TWO.y,
        {"good": GOOD, "poor": POOR, "same": GOOD},
        costs=COSTS,
        calibrator=stakes.AffineCalibrator(),
    )


def test_a_system_does_not_differ_from_itself() -> None:
    same = [d for d in compared().differences if d.system == "same"]
    assert len(same) > 15
    for difference in same:
        assert difference.difference.value == 0, difference.metric
        assert not difference.distinguishable
        assert not difference.wins


def codes(result: stakes.Comparison) -> list[str]:
    return [verdict.code for verdict in result.verdicts]


def test_a_poor_system_is_distinguishable() -> None:
    for metric in ("cost.nec", "cross_entropy.normalized", "brier_score.normalized"):
        difference = compared().of("poor", metric)
        assert difference.distinguishable
        assert not difference.wins
        assert difference.p_value <= difference.adjusted_p_value < 0.05
    assert compared().of("poor", "auc").difference.value == 0  # the order is the same
    assert compared().of("poor", "auc").difference.method == "the systems rank all samples alike"
    assert codes(compared())[:3] == ["same_scores", "worse", "may_be_best"]
    second, first, third = (verdict.text for verdict in compared().verdicts[:3])
    value = compared().of("poor", "cost.nec").difference.value
    assert first.startswith("poor costs more than good:")
    assert f" is {value:.4f} (95 % interval " in first
    assert "3 comparisons" in first
    assert second.startswith("The scores of same are those of good in all")
    assert compared().may_be_best == {"cost": ("good", "same")}
    assert third.startswith("good has the lowest cost of the 3 systems, but same is not")


def test_metrics_of_decisions_have_an_interval_and_a_test() -> None:
    found = compared().of("poor", "cost.f1_score")
    band = found.difference.interval
    assert band is not None
    assert found.difference.method == "likelihood"
    assert (0 not in band) == (found.p_value < 0.05)
    assert found.p_value <= found.adjusted_p_value


@pytest.mark.parametrize("metric", ["eer", "cost.minimum_nec", "cost.relative"])
def test_differences_that_have_no_interval_make_no_claim(metric: str) -> None:
    result = stakes.compare(TWO.y, {"a": GOOD, "b": POOR}, calibrator=stakes.AffineCalibrator())
    found = result.of("b", metric)
    assert found.difference.interval is None
    assert found.difference.method.endswith("has no interval that covers")
    assert math.isnan(found.p_value)
    assert not found.distinguishable


def test_values_are_those_of_evaluate() -> None:
    for name, scores in {"good": GOOD, "poor": POOR}.items():
        expected = stakes.evaluate(TWO.y, scores, costs=COSTS).metrics()
        for metric, value in compared().values[name].items():
            assert value == pytest.approx(expected[metric].value, rel=1e-12, abs=1e-14), metric


def test_turning_a_comparison_round_turns_its_signs() -> None:
    noisy = stakes.Logits(np.log(RAW) + RNG.normal(0, 0.5, RAW.shape))
    pair = {"a": GOOD, "b": noisy}
    forth = stakes.compare(TWO.y, pair)
    back = stakes.compare(TWO.y, pair, reference="b")
    assert (forth.reference, back.reference) == ("a", "b")
    for one in forth.differences:
        two = back.of("a", one.metric)
        assert one.difference.value == pytest.approx(-two.difference.value, abs=1e-15)
        assert one.difference.value == pytest.approx(one.value - one.reference, abs=1e-12)
        assert one.p_value == pytest.approx(two.p_value, nan_ok=True)
        assert (one.value, one.reference) == (two.reference, two.value)
        if one.difference.interval is not None:
            assert two.difference.interval is not None
            turned = [-two.difference.interval.high, -two.difference.interval.low]
            width = turned[1] - turned[0]  # ends of the law are found to 1e-7 of the way to them
            near = 1e-7 * width if one.difference.method == "likelihood" else 1e-12
            assert list(one.difference.interval) == pytest.approx(turned, abs=near), one.metric


def test_verdicts_go_by_every_application() -> None:
    uses = {"first": stakes.Application(COSTS, [0.5, 0.5]), "second": COSTS}
    result = stakes.compare(TWO.y, {"a": GOOD, "b": POOR}, costs=uses, training_priors="data")
    assert result.costs[0] == "first.nec"
    for place, name in enumerate(("first", "second")):
        value = result.of("b", f"{name}.nec").difference.value
        assert result.verdicts[place].text.startswith(f"{name}: ")
        assert f"{value:.4f}" in result.verdicts[place].text


def test_comparisons_with_groups_weights_and_amounts() -> None:
    groups = np.arange(1000) // 5
    result = stakes.compare(
        TWO.y, {"a": GOOD, "b": POOR}, costs=AMOUNTS, groups=groups, sample_weight=WEIGHTS
    )  # fmt: skip
    assert result.of("b", "auc").difference.method == "the systems rank all samples alike"
    expected = [
        stakes.bayes_cost(TWO.y, p, costs=AMOUNTS, sample_weight=WEIGHTS) for p in (GOOD, POOR)
    ]
    gap = expected[1].normalized - expected[0].normalized
    assert result.of("b", "cost.nec").difference.value == pytest.approx(gap, rel=1e-9)
    json_of(result)


def test_differences_have_intervals_and_tests() -> None:
    result = stakes.compare(TWO.y, {"a": GOOD, "b": POOR}, calibrator=stakes.AffineCalibrator())
    for metric in (
        "cost.value", "cost.nec", "cost.calibrated_nec", "cost.calibration_loss", "auc",
        "cross_entropy.value", "cross_entropy.normalized", "cross_entropy.calibration_loss",
        "cost.f1_score", "cost.matthews_correlation", "cost.accuracy",
    ):  # fmt: skip
        found = result.of("b", metric)
        assert metric == "auc" or found.difference.interval is not None, metric
        assert not math.isnan(found.p_value)
    json_of(result)


def test_comparisons_of_infinite_losses_say_so() -> None:
    p = GOOD.copy()
    p[TWO.y.argmin()] = [0, 1]
    result = stakes.compare(TWO.y, {"a": p, "b": GOOD})
    (said,) = result.notes
    assert said.startswith("The cross-entropy of a is infinite, so its differences are infinite")
    assert said.endswith("1 sample has posterior 0 for the true class.")
    assert result.of("b", "cross_entropy.normalized").difference.value == -math.inf
    assert result.of("b", "brier_score.normalized").difference.interval is not None


def test_ten_classes_are_compared() -> None:
    flat = np.full(TEN_RAW.shape, 0.1)
    result = stakes.compare(TEN.y, {"a": TEN_RAW, "naive": flat})
    assert result.of("naive", "cost.nec").distinguishable
    assert result.odds == ()
    json_of(result)


def test_the_same_seed_compares_alike() -> None:
    again = [stakes.compare(TWO.y, {"a": GOOD, "b": RAW}, rng=3) for _ in range(2)]
    assert json_of(again[0]) == json_of(again[1])
    assert json_of(again[0]) == json.dumps(json.loads(json_of(again[0])))


@pytest.mark.parametrize(
    ("systems", "more", "words"),
    [
        ({"a": GOOD}, {}, "systems must map at least two"),
        ([GOOD, RAW], {}, "systems must map"),
        ({1: GOOD, 2: RAW}, {}, "systems must have texts"),
        ({"a": GOOD, "b": RAW}, {"reference": "c"}, "reference must be one of"),
        (
            {"a": GOOD, "b": RAW},
            {"reference": GOOD},
            "reference must be the name of .* got a ndarray",
        ),
        ({"a": GOOD, "b": RAW}, {"margin": 0}, r"margin must be a number in \(0, inf\): got 0"),
        (
            {"a": GOOD, "b": RAW},
            {"margin": 0.1, "level": 0.4},
            "level must be above 0.5 with a margin",
        ),
        ({"a": GOOD, "b": TEN_RAW}, {}, "classes|rows|samples"),
        (
            {"a": GOOD, "b": np.column_stack([RAW / 2, np.full(1000, 0.5)])},
            {},
            "systems must have the same classes",
        ),
        ({"a": GOOD, "b": RAW[:10]}, {}, "1000"),
    ],
)
def test_bad_systems_are_named(systems: Any, more: dict[str, Any], words: str) -> None:  # noqa: ANN401
    with pytest.raises(stakes.InputError, match=words):
        stakes.compare(TWO.y, systems, **more)


# --- few rows, unseen errors, several systems ---


def test_four_discordant_rows_are_no_difference() -> None:
    y = np.repeat([0, 1], 100)
    old = np.where(y == 1, 0.9, 0.1)
    old[:10], old[100:110] = 0.8, 0.2
    new = old.copy()
    new[100:104] = 0.9
    found = stakes.compare(y, {"old": old, "new": new})
    assert found.of("new", "cost.nec").p_value == pytest.approx(0.0783, abs=1e-4)
    assert codes(found)[0] == "not_distinguishable"
    new[104:106] = 0.9  # six rows, exact p = 0.031 by McNemar's test
    found = stakes.compare(y, {"old": old, "new": new})
    assert found.of("new", "cost.nec").p_value == pytest.approx(0.0192, abs=1e-4)
    assert codes(found)[0] == "better"


def test_a_claim_that_errors_not_seen_could_reverse_is_not_made() -> None:
    y = np.repeat([0, 1], [300, 60])
    old = np.where(y == 1, 0.9, 0.01)
    old[:30], old[300:310] = 0.8, 0.01  # misses of both, false alarms
    new = old.copy()
    new[:14] = 0.01  # fourteen cheap errors less; no costly error differs
    costs = stakes.CostMatrix.binary(miss=9, false_alarm=1)
    found = stakes.compare(y, {"old": old, "new": new}, costs=costs)
    gap = found.of("new", "cost.nec")
    assert gap.difference.interval is not None
    assert 0 in gap.difference.interval  # two misses cost more than fourteen false alarms
    assert codes(found)[0] == "not_distinguishable"
    assert math.isnan(gap.p_value_if_alike)  # all errors that differ cost the same
    even = stakes.compare(y, {"old": old, "new": new})
    assert codes(even)[0] == "better"
    old[310:312] = 0.01  # two misses more of the old system
    other = stakes.compare(y, {"old": old, "new": new}, costs=costs)
    assert codes(other)[:2] == ["not_distinguishable", "differs_if_alike"]
    assert other.of("new", "cost.nec").p_value_if_alike < 0.05
    assert "costs less than old if the two systems' errors are alike" in other.verdicts[1].text
    old[310:312] = 0.9
    margin = stakes.compare(y, {"old": old, "new": new}, costs=costs, margin=0.02)
    assert "not_shown_non_inferior" in codes(margin)  # a margin allows for errors not seen


def test_no_false_alarm_seen_is_not_better_than_never() -> None:
    y = np.repeat([0, 1], [60, 40])
    costs = stakes.CostMatrix.binary(miss=1, false_alarm=50)
    systems = {"never": np.full(100, 0.4), "system": np.where(y == 1, 0.999, 0.4)}
    found = stakes.compare(y, systems, costs=costs)
    assert found.of("system", "cost.nec").difference.value == -1
    assert codes(found)[0] == "not_distinguishable"
    alone = stakes.evaluate(y, systems["system"], costs=costs)
    assert "useful" not in [verdict.code for verdict in alone.verdicts]


def equal_systems(rng: np.random.Generator, n: int, k: int) -> tuple[IntArray, dict[str, Any]]:
    """Return systems of the same worth that err on different samples."""
    y = (rng.random(n) < 0.3).astype(np.int64)
    shared = rng.normal(2 * (y - 0.5), 0.7)
    scores = {f"s{i}": stakes.LogLikelihoodRatios(2 * rng.normal(shared, 0.7)) for i in range(k)}
    return y, scores


def test_the_best_of_ten_equal_systems_is_not_better_than_any() -> None:
    rng = np.random.default_rng(71)

    def claimed() -> Iterator[bool]:
        while True:
            y, systems = equal_systems(rng, 300, 10)
            more: dict[str, Any] = {"priors": "data", "rules": []}
            values = stakes.compare(y, systems, **more).values
            best = min(systems, key=lambda name: values[name]["cost.nec"])
            found = stakes.compare(y, systems, reference=best, **more)
            named = bool({"better", "worse"} & set(codes(found)))
            yield named or len(found.may_be_best["cost"]) < 10

    # 5 % and chance; at a rate of 30 %, either would pass with a probability of 0.11 at most
    assert_seldom(claimed(), (10, 0), (20, 3))


def test_what_is_said_does_not_depend_on_the_reference() -> None:
    rng = np.random.default_rng(72)
    y, systems = equal_systems(rng, 400, 3)
    systems["poor"] = stakes.LogLikelihoodRatios(rng.normal(y - 0.5, 2.0))
    found = [stakes.compare(y, systems, reference=name, priors="data") for name in systems]
    assert len({result.may_be_best["cost"] for result in found}) >= 1
    for result in found:
        assert sorted(result.may_be_best["cost"]) == sorted(found[0].may_be_best["cost"])
        for other in found:
            if other.reference != result.reference:
                one = result.of(other.reference, "cost.nec").adjusted_p_value
                assert one == pytest.approx(other.of(result.reference, "cost.nec").adjusted_p_value)


def test_small_samples_are_warned_of() -> None:
    rng = np.random.default_rng(73)
    y, systems = equal_systems(rng, 60, 2)
    found = stakes.compare(y, systems, priors="data", groups=np.arange(60) // 6)
    assert {"few_errors", "small_class", "few_groups"} <= set(codes(found))


@pytest.mark.parametrize(
    ("groups", "calibrator", "words"),
    [
        (10, None, "With fewer than 15, all may cover less often than stated."),
        (20, None, None),
        (20, stakes.AffineCalibrator(), "those of calibration loss may cover"),
        (10, stakes.AffineCalibrator(), "less often than stated; with fewer than 15, all may."),
        (240, stakes.AffineCalibrator(), None),
    ],
)
def test_few_groups_names_what_is_shown(
    groups: int, calibrator: stakes.Calibrator | None, words: str | None
) -> None:
    rng = np.random.default_rng(73)
    y, systems = equal_systems(rng, 240, 2)
    found = stakes.compare(
        y,
        systems,
        priors="data",
        groups=np.arange(240) % groups,
        calibrator=calibrator,
    )
    said = [v.text for v in found.verdicts if v.code == "few_groups"]
    assert len(said) == (words is not None)
    for text in said:
        assert str(words) in text
        assert "slope" not in text  # compare shows none


# --- margins ---


def half_wrong(
    n: int, wrong_old: int, wrong_new: int, both: int
) -> tuple[IntArray, dict[str, Any]]:
    """Return two systems with so many errors, some of them on the same samples."""
    y = np.arange(n) % 2
    old, new = np.where(y == 1, 0.9, 0.1), np.where(y == 1, 0.9, 0.1)
    old[:wrong_old] = 1 - old[:wrong_old]
    start = wrong_old - both
    new[start : start + wrong_new] = 1 - new[start : start + wrong_new]
    return y, {"old": old, "new": new}


def test_a_margin_is_a_share_of_the_references_cost() -> None:
    y, systems = half_wrong(20_000, 2000, 2010, 1990)
    found = stakes.compare(y, systems, margin=0.05)
    (relative,) = found.relative_costs
    assert relative.ratio.value == pytest.approx(2010 / 2000)
    assert relative.ratio.interval is not None
    assert relative.ratio.interval.level == pytest.approx(0.9)
    assert relative.non_inferior
    assert relative.equivalent
    assert codes(found)[:2] == ["not_distinguishable", "equivalent"]
    assert "the same for practical purposes, within 5 %" in found.verdicts[1].text
    tight = stakes.compare(y, systems, margin=0.001)
    assert codes(tight)[1] == "not_shown_non_inferior"
    assert tight.relative_costs[0].ratio.to_dict() == relative.ratio.to_dict()


def test_a_copy_is_equivalent_once_there_are_enough_errors() -> None:
    found = []
    for n in (500, 20_000):
        y, systems = half_wrong(n, n // 10, n // 10, n // 10)
        found.append(stakes.compare(y, systems, margin=0.02, rules=[]))
    assert [result.relative_costs[0].equivalent for result in found] == [False, True]
    assert all(codes(result)[0] == "same_scores" for result in found)
    assert not any("non_inferior" in code for result in found for code in codes(result))


def test_a_better_system_is_non_inferior_but_not_equivalent() -> None:
    y, systems = half_wrong(2000, 400, 200, 190)
    found = stakes.compare(y, systems, margin=0.02)
    assert codes(found)[:2] == ["better", "non_inferior"]
    assert found.verdicts[1].text.startswith(
        "new costs at most 2 % more than old (50 % of its cost"
    )
    worse = stakes.compare(y, systems, reference="new", margin=0.02)
    assert codes(worse)[:2] == ["worse", "not_shown_non_inferior"]


@pytest.mark.parametrize("margin", [0.02, 0.1, 0.5])
def test_the_interval_of_the_ratio_agrees_with_the_test(margin: float) -> None:
    y, systems = half_wrong(3000, 300, 310, 280)
    (found,) = stakes.compare(y, systems, margin=margin).relative_costs
    assert found.ratio.interval is not None
    low, high = found.ratio.interval
    assert found.non_inferior == (high <= 1 + margin)
    assert found.equivalent == (high <= 1 + margin and low >= 1 / (1 + margin))


def test_systems_at_the_margin_are_seldom_called_equivalent() -> None:
    """The new system costs exactly 10 % more."""
    rng = np.random.default_rng(74)

    def claimed() -> Iterator[bool]:
        while True:
            u = rng.random(800)
            y = (rng.random(800) < 0.5).astype(np.int64)
            wrong_old, wrong_new = u < 0.2, (u > 0.02) & (u < 0.24)
            old, new = (np.where(w, 1 - y, y) * 0.8 + 0.1 for w in (wrong_old, wrong_new))
            found = stakes.compare(y, {"old": old, "new": new}, margin=0.1, rules=[])
            yield found.relative_costs[0].non_inferior

    # 5 % and chance; at a rate of 15 %, either would pass with a probability of 0.03 at most
    assert_seldom(claimed(), (60, 3), (200, 20))


# --- which system is best at which odds ---


def check_cover(ranges: tuple[OddsRange, ...]) -> None:
    assert 0 < ranges[0].low < ranges[-1].high < math.inf
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
    ranges = stakes.compare(y, systems).odds
    check_cover(ranges)
    for odds in (0.6, 0.7, 1.4, 1.6):
        costs = stakes.CostMatrix([[0, odds], [1, 0]])
        spent = {n: stakes.bayes_cost(y, p, costs=costs).value for n, p in systems.items()}
        assert best_at(ranges, odds).system == min(spent, key=lambda n: spent[n])
    assert (best_at(ranges, 0.7).system, best_at(ranges, 1.4).system) == ("rules out", "finds")
    assert best_at(ranges, 1.0).system is None  # where they cost the same


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_a_named_system_costs_least(weighted: bool, grouped: bool) -> None:  # noqa: FBT001
    x = Simulation(TWO.y, TWO.x + RNG.normal(0, 0.8, 1000), 2, 0.15)
    systems = {"a": GOOD, "b": x.posteriors([0.8, 0.2]), "c": POOR}
    w = WEIGHTS if weighted else None
    groups = np.arange(1000) // 4 if grouped else None
    result = stakes.compare(TWO.y, systems, sample_weight=w, groups=groups)
    check_cover(result.odds)
    named = [(r.system, math.sqrt(r.low * r.high)) for r in result.odds if r.system is not None]
    assert named
    for system, middle in named:
        odds = middle / (0.8 / 0.2 if w is None else w[TWO.y == 0].sum() / w[TWO.y == 1].sum())
        costs = stakes.CostMatrix([[0, odds], [1, 0]])
        spent = {
            n: stakes.bayes_cost(TWO.y, p, costs=costs, sample_weight=w) for n, p in systems.items()
        }
        assert spent[system].value == min(loss.value for loss in spent.values())
        assert spent[system].normalized < 1


def test_no_range_of_odds_contradicts_a_verdict() -> None:
    y = np.repeat([0, 1], [500, 100])
    a = np.concatenate([np.full(500, -12.0), np.full(100, 7.5)])
    b = np.concatenate([np.full(500, -12.0), np.full(99, 12.0), [-5.0]])
    systems = {n: stakes.LogLikelihoodRatios(x) for n, x in (("A", a), ("B", b))}
    found = stakes.compare(y, systems, priors=[0.9999, 0.0001])
    assert [r.system for r in found.odds] == [None]
    assert (math.log(found.odds[0].low), math.log(found.odds[0].high)) == pytest.approx((-12, 12))


def test_scores_that_two_systems_share_count_for_neither_with_groups() -> None:
    rng = np.random.default_rng(4)
    y, systems = equal_systems(rng, 600, 2)
    one, two = (s.values for s in systems.values())
    same = {"a": stakes.LogLikelihoodRatios(one), "b": stakes.LogLikelihoodRatios(one)}
    mixed = same | {"b": stakes.LogLikelihoodRatios(np.where(np.arange(600) % 2, one, two))}
    for found in (same, mixed):
        result = stakes.compare(y, found, priors="data", groups=np.arange(600) // 3, rules=[])
        assert {r.system for r in result.odds} == {None}


@pytest.mark.parametrize("seed", range(8))
def test_a_system_that_is_never_worse_is_not_beaten_by_unseen_misses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = 1 / (1 + np.exp(-rng.normal(-5, 2, 20_000)))
    y = (rng.random(20_000) < 0.005 + 0.99 * a).astype(np.int64)
    found = stakes.compare(y, {"a": a, "b": np.maximum(a, 0.005)}, rules=[])
    assert "a" not in {r.system for r in found.odds}


def test_equal_systems_are_seldom_named_anywhere() -> None:
    rng, named = np.random.default_rng(75), 0
    for _ in range(100):
        y, systems = equal_systems(rng, 400, 2)
        odds = stakes.compare(y, systems, priors="data", rules=[]).odds
        named += any(r.system is not None for r in odds)
    assert named <= 5


def test_a_system_worse_than_naive_is_not_said_to_cost_least() -> None:
    """Both alarm on most samples without reason; where alarms are costly none is worth its cost."""
    y = np.repeat([0, 1], 500)
    rng = np.random.default_rng(76)
    wrong = {"bad": 0.9, "worse": 0.6}
    systems = {n: np.where(rng.random(1000) < x, 0.02, 0.98) for n, x in wrong.items()}
    found = stakes.compare(y, systems)
    assert best_at(found.odds, 10.0).system is None
    costs = stakes.CostMatrix([[0, 10], [1, 0]])
    spent = {n: stakes.bayes_cost(y, p, costs=costs).normalized for n, p in systems.items()}
    assert 1 < spent["bad"] < spent["worse"]


def normalised(t: float, distance: float, factor: float, shift: float) -> float:
    """Return the true normalised cost at log odds t of `factor * x + shift`, x = N(±d / 2, 1)."""
    cut, normal = (t - shift) / factor, NormalDist()
    alarms, misses = normal.cdf(-cut - distance / 2), normal.cdf(cut - distance / 2)
    return (math.exp(t) * alarms + misses) / min(math.exp(t), 1.0)


def named_falsely(ranges: tuple[OddsRange, ...], truth: dict[str, tuple[float, ...]]) -> bool:
    """Whether a system is named where, in truth, another one or the naive one costs no more."""
    for r in ranges:
        if r.system is None:
            continue
        for t in np.linspace(math.log(r.low), math.log(r.high), 41).tolist():
            costs = {name: normalised(t, *system) for name, system in truth.items()}
            if costs.pop(r.system) >= min([1.0, *costs.values()]):
                return True
    return False


@pytest.mark.parametrize(
    ("n", "share", "distance", "factor", "shift", "groups"),
    [
        (1000, 0.3, 2.0, 6.0, 3.0, None),  # overconfident and shifted
        (300, 0.1, 2.0, 6.0, 0.0, None),
        (2000, 0.5, 1.0, 0.4, 2.0, None),  # underconfident, so that rates change slowly
        (1000, 0.3, 0.0, 2.0, 0.0, None),  # useless
        (1000, 0.3, 2.0, 6.0, 3.0, 100),
    ],
)
def test_worse_than_naive_is_seldom_named_anywhere(
    n: int, share: float, distance: float, factor: float, shift: float, groups: int | None
) -> None:
    rng = np.random.default_rng(77)
    truth = {"better": (distance, factor, shift), "useless": (0.0, 4.0, 0.0)}

    def false() -> Iterator[bool]:
        while True:
            y = (rng.random(n) < share).astype(np.int64)
            unit = None if groups is None else np.arange(n) % groups
            shared = np.zeros(n) if unit is None else rng.normal(size=groups)[unit]
            part = 0.0 if unit is None else 0.3
            systems = {}
            for name, (d, a, b) in truth.items():
                noise = math.sqrt(part) * shared + math.sqrt(1 - part) * rng.normal(size=n)
                systems[name] = stakes.LogLikelihoodRatios(a * (noise + d * (y - 0.5)) + b)
            found = stakes.compare(y, systems, groups=unit, priors="data", rules=[])
            yield named_falsely(found.odds, truth)

    # at a rate of 10 %, either would pass with a probability below 0.1
    assert_seldom(false(), (40, 1), (100, 5))


def test_a_range_ends_where_it_was_last_shown() -> None:
    grid = np.linspace(-1, 1, 9)
    best = np.array([-1, 0, 0, 1, 1, -1, 0, -1, 1])  # a point between others is no range
    found = _ranges(best, grid, ["a", "b"])
    check_cover(found)
    assert [(r.system, np.log([r.low, r.high]).tolist()) for r in found] == [
        (None, pytest.approx([-1, -0.75])),
        ("a", pytest.approx([-0.75, -0.5])),
        (None, pytest.approx([-0.5, -0.25])),
        ("b", pytest.approx([-0.25, 0])),
        (None, pytest.approx([0, 1])),
    ]


@pytest.mark.parametrize("grouped", [False, True])
def test_few_samples_name_no_system(grouped: bool) -> None:  # noqa: FBT001
    y = np.array([0, 1, 0, 1])
    systems = {"right": np.where(y == 1, 0.9, 0.1), "wrong": np.where(y == 1, 0.1, 0.9)}
    groups = np.arange(4) if grouped else None
    found = stakes.compare(y, systems, groups=groups, rules=[])
    assert [r.system for r in found.odds] == [None]


def test_there_are_no_odds_without_both_classes() -> None:
    y = np.zeros(20, dtype=int)
    result = stakes.compare(y, {"a": np.full(20, 0.3), "b": np.full(20, 0.4)})
    assert result.odds == ()


def test_probabilities_of_0_and_1_in_both_systems_are_compared() -> None:
    y = np.tile([0, 1], 60)
    first = np.where(y == 1, 1.0, 0.0)
    second = first.copy()
    first[:12], second[6:18] = 0.4, 0.6
    found = stakes.compare(y, {"a": first, "b": second})  # a warning is an error
    assert found.of("b", "cost.nec").difference.interval is not None


def test_a_decision_that_is_never_optimal_changes_no_comparison_of_prices_by_case() -> None:
    rng = np.random.default_rng(1)
    y = (rng.random(400) < 0.3).astype(int)
    amounts = {"amount": np.exp(rng.normal(3, 1, 400))}
    systems = {name: 1 / (1 + np.exp(-2 * rng.normal(2 * y - 1, 1))) for name in ("a", "b")}
    plain = stakes.SampleCosts.from_columns([[0, 3], ["amount", 0]], amounts)
    more = stakes.SampleCosts.from_columns(
        [[0, 3, 99999], ["amount", 0, 99999]], amounts, decisions=["no", "yes", "never"]
    )
    first, second = (stakes.compare(y, systems, costs=c).of("b", "cost.nec") for c in (plain, more))
    assert first.to_dict() == second.to_dict()


def test_reversed_scores_are_said_first() -> None:
    data = stakes.simulation.simulate(2, n=600)
    good = data.posteriors([0.8, 0.2])
    z = good.values[:, 1] - good.values[:, 0]
    systems = {"good": stakes.Logits(z), "turned": stakes.Logits(-z)}
    said = stakes.compare(data.y, systems).verdicts
    assert said[0].code == "scores_reversed"
    assert said[0].text.startswith("The scores of turned look reversed: they rank 1 below 0 (AUC")
    assert [v.code for v in said].count("scores_reversed") == 1
    rng = np.random.default_rng(2)
    chance = {str(k): stakes.Logits(rng.normal(size=data.y.size)) for k in range(12)}
    codes = [v.code for v in stakes.compare(data.y, chance).verdicts]
    assert "scores_reversed" not in codes


def test_no_system_is_best_where_unseen_errors_could_reverse_it() -> None:
    rng = np.random.default_rng(9)
    costs = stakes.CostMatrix.binary(miss=50, false_alarm=1)
    for _ in range(25):
        y = (rng.random(400) < 0.25).astype(int)
        rare = np.where(y == 1, rng.random(400) < 0.005, 0)  # a miss in two samples on average
        alarms = [np.where(y == 0, rng.random(400) < 50 * 0.005 / 3, 0) for _ in range(2)]
        systems = {
            "misser": np.where((y == 1) & (rare == 0), 0.9, 0.001),
            "first": np.where((y == 1) | (alarms[0] == 1), 0.9, 0.001),
            "second": np.where((y == 1) | (alarms[1] == 1), 0.9, 0.001),
        }
        found = stakes.compare(y, systems, costs=costs)
        said = [v.code for v in found.verdicts]
        assert not {"best", "better", "worse"} & set(said)
        assert len(found.may_be_best["cost"]) > 1
