"""Verdicts: each rule fires where it should, just not where it should not; none contradicts."""

import ast
import dataclasses
import math
import re
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import expit, logit

import stakes
from judged import (
    COSTS,
    RAW,
    TWO,
    codes,
    same_numbers,  # noqa: F401  every test uses it
    usual,
)
from stakes._typing import FloatArray, IntArray
from stakes.cli.places import COMMANDS, with_options
from stakes.evaluation import Evaluation, Verdict, evaluate_decisions
from stakes.evaluation.calibrated_losses import Number
from stakes.evaluation.documents import with_commands
from stakes.evaluation.python_calls import python_calls
from stakes.evaluation.verdicts import cautions, evaluation_verdicts, suspicions, usefulness
from stakes.evaluation.verdicts.evaluation_verdicts import verdicts_of
from stakes.evaluation.verdicts.usefulness import (
    CostClaim,
    Evidence,
    supported_claims,
    usefulness_of,
)
from stakes.metrics.multiplicity import holm

C = stakes.CostMatrix.binary
THREE = {
    "1:1": C(miss=1, false_alarm=1),
    "5:1": C(miss=5, false_alarm=1),
    "1:5": C(miss=1, false_alarm=5),
}


@dataclasses.dataclass(frozen=True)
class Gain:
    """What calibration recovers, as said; `high` is the most of the cost that it may recover."""

    value: float
    p_value: float
    high: float = math.inf
    why_none: str = ""
    largest_part: float = 0.0

    @property
    def values(self) -> tuple[float, float, float]:
        return math.nan, self.value, math.nan

    def interval(self, number: Number, level: float) -> stakes.Interval:
        after = number == Number.CALIBRATED
        return stakes.Interval(0.0, 0.9, level) if after else stakes.Interval(-1, self.high, level)


def estimate(low: float, value: float, high: float) -> stakes.Estimate:
    return stakes.Estimate(value, stakes.Interval(low, high, 0.95))


@dataclasses.dataclass(frozen=True, eq=False)
class Claim(CostClaim):
    """A claim whose intervals are as said, `wide` wider at higher levels than 95 %."""

    wide: float = 0.0
    error_rate: tuple[float, float] | None = None

    def interval_at(self, level: float) -> stakes.Interval:
        band, more = self.normalized.interval, self.wide * (level > 0.95)
        assert band is not None
        return stakes.Interval(band.low - more, band.high + more, level)

    def errors_at(self, level: float) -> stakes.Interval | None:
        return None if self.error_rate is None else stakes.Interval(*self.error_rate, level)


def claim(shown: stakes.Estimate, p_value: float = math.nan, **more: Any) -> CostClaim:  # noqa: ANN401
    cost = dataclasses.replace(usual().main.cost.raw)
    vars(cost)["p_value"] = p_value
    return Claim(cost, shown, **more)


def evidence(gain: Gain | None = None, **changes: Any) -> Evidence:  # noqa: ANN401
    """Return the evidence of a useful system, with changes."""
    usual_: dict[str, Any] = {
        "costs": (claim(estimate(0.5, 0.6, 0.7), 0.001, gain=gain),),
        "rule_gain": None,
        "class_areas": {},
        "units": 1000.0,
    }
    return Evidence(**{**usual_, **changes})


def with_main(evaluation: Evaluation, **changes: Any) -> Evaluation:  # noqa: ANN401
    cost = dataclasses.replace(evaluation.main.cost, **changes)
    main = dataclasses.replace(evaluation.main, cost=cost)
    return dataclasses.replace(evaluation, applications=(main,))


def fires(code: str, evaluation: Evaluation | None = None, **changes: Any) -> bool:  # noqa: ANN401
    found = verdicts_of(evaluation or usual(), evidence(**changes))
    return code in [v.code for v in found]


def drawn(n: int, seed: int, share: float = 0.3) -> tuple[IntArray, FloatArray]:
    """Return labels and log likelihood ratios of two normal classes at distance 2."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(np.int64)
    return y, 2 * rng.normal(2 * y - 1, 1)


# -- is it useful?


@pytest.mark.parametrize(
    ("low", "value", "high", "p_value", "code"),
    [
        (0.5, 0.9, 0.9999, 0.01, "useful"),
        (0.5, 0.9, 1.0001, 0.051, "not_distinguishable"),
        (0.5, 0.9, 1.1, 0.06, "not_distinguishable"),
        (1.0001, 1.2, 1.5, 0.01, "worse_than_naive"),
        (0.9999, 1.2, 1.5, 0.051, "not_distinguishable"),
        (0.95, 0.99, 1.05, 0.5, "practically_equal"),
        (0.9499, 0.99, 1.05, 0.5, "not_distinguishable"),
        (0.95, 0.99, 1.0501, 0.5, "not_distinguishable"),
        (0.96, 0.97, 0.99, 0.01, "useful"),
        (math.nan, 0.9, math.inf, math.nan, "no_interval"),
    ],
)
def test_usefulness_goes_by_the_test_which_agrees_with_the_interval(
    low: float, value: float, high: float, p_value: float, code: str
) -> None:
    assert usefulness.MARGIN == 0.05
    (found,) = usefulness_of([claim(estimate(low, value, high), p_value)], 0.95)
    assert found.code == code
    if code != "no_interval":
        assert f"95 % interval {stakes.Interval(low, high, 0.95)}" in found.text


def test_several_claims_are_corrected_after_holm() -> None:
    p_values = [0.04, 0.012, 0.02, 0.3]
    assert holm(p_values) == pytest.approx([0.08, 0.048, 0.06, 0.3])
    shown = estimate(0.5, 0.6, 0.7)
    found = usefulness_of([claim(shown, p) for p in p_values], 0.95)
    assert [v.code for v in found] == [
        "not_distinguishable",
        "useful",
        *["not_distinguishable"] * 2,
    ]
    assert "corrected for 4 applications" in found[0].text
    found = usefulness_of([claim(shown, p) for p in (0.012, 0.012, 0.024, 0.049)], 0.95)
    assert {v.code for v in found} == {"useful"}  # each that is proven makes the next easier
    wide = [claim(estimate(0.5, 0.9, 0.99), 0.03, wide=0.1) for _ in range(2)]
    both = usefulness_of(wide, 0.95)
    assert [v.code for v in both] == ["not_distinguishable"] * 2
    assert "corrected for 2 applications the interval includes 1 (0.4000 to 1.090)" in both[0].text
    assert [v.code for v in usefulness_of(wide[:1], 0.95)] == ["useful"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_by_levels_is_holm_by_p_values(p_values: list[float]) -> None:
    by_level = supported_claims([lambda level, p=p: p < 1 - level for p in p_values], 0.9)  # type: ignore[misc]
    corrected = holm(p_values)
    for said, p in zip(by_level, corrected, strict=True):
        if abs(p - 0.1) > 1e-9:
            assert said == (p < 0.1)


def test_no_verdict_where_the_naive_system_costs_nothing() -> None:
    free = stakes.evaluate(TWO.y, RAW, costs=[[0, 0], [1, 0]])
    assert codes(free)[0] == "no_verdict"
    nearly = stakes.evaluate(TWO.y, RAW, costs=[[0, 0.01], [1, 0]])
    assert "no_verdict" not in codes(nearly)


def test_the_same_for_practical_purposes() -> None:
    y, llr = drawn(60_000, seed=3)
    worthless = np.where(llr > 7, 0.6, 0.4)  # one case in a hundred, and most of them rightly
    found = stakes.evaluate(y, worthless, calibrator=None)
    assert 0.95 < found.main.cost.normalized.value < 1
    assert codes(found)[0] == "useful"  # below 1 beyond chance, however little
    coin = np.where(np.random.default_rng(4).random(y.size) < 0.02, 0.6, 0.2)
    found = stakes.evaluate(y, coin, costs=[[0, 1], [7 / 3, 0]], calibrator=None)
    assert codes(found)[0] == "practically_equal"


# -- always the same decision


def test_a_system_that_always_decides_the_same() -> None:
    y = np.repeat([0, 1], [180, 20])
    p = np.linspace(0.01, 0.3, 200)
    result = stakes.evaluate(y, p)
    first = result.verdicts[0]
    assert first.code == "always_the_same"
    assert "Every sample gets 0, the best constant answer" in first.text
    assert 1.48 < 100 * (1 - 0.05 ** (1 / 200)) < 1.5
    assert "From 200 samples, at most 1.5 % of such cases" in first.text
    assert not {"useful", "not_distinguishable", "worse_than_naive"} & set(codes(result))
    p[-1] = 0.9
    assert first.code not in codes(stakes.evaluate(y, p))


def test_the_same_decision_can_be_worse_than_naive() -> None:
    y = np.repeat([0, 1], [180, 20])
    result = stakes.evaluate(y, np.linspace(0.6, 0.9, 200))
    assert codes(result)[:2] == ["worse_than_naive", "always_the_same"]
    assert "900 % of the cost of always answering 0" in result.verdicts[1].text
    groups = np.arange(200) // 10
    grouped = stakes.evaluate(y, np.linspace(0.1, 0.3, 200), groups=groups)
    assert 13 < 100 * (1 - 0.05 ** (1 / 20)) < 14
    assert "From 20 groups, at most 14 %" in grouped.verdicts[0].text


# -- calibration


@pytest.mark.parametrize(
    ("p_value", "value", "expected"),
    [
        (0.01, evaluation_verdicts.GAIN, True),
        (0.01, evaluation_verdicts.GAIN - 1e-9, False),
        (0.0501, 0.3, False),
        (0.049, 0.3, True),
        (math.nan, 0.3, False),
    ],
)
def test_calibration_is_advised_where_it_surely_recovers(
    p_value: float,
    value: float,
    expected: bool,  # noqa: FBT001
) -> None:
    made = with_main(usual(), relative=stakes.Estimate(value))
    assert fires("calibration_would_help", made, gain=Gain(0.1, p_value)) == expected
    assert not fires("calibration_would_help", made, gain=Gain(-0.1, p_value))


@pytest.mark.parametrize(("high", "expected"), [(0.999, True), (1.0, False)])
def test_calibration_makes_useful_only_by_its_interval(high: float, expected: bool) -> None:  # noqa: FBT001
    made = with_main(
        usual(), relative=stakes.Estimate(0.3), calibrated_normalized=estimate(0.4, 0.6, high)
    )
    poor = evidence(costs=(claim(estimate(0.9, 1.0, 1.1), gain=Gain(0.1, 0.001)),))
    text = next(v.text for v in verdicts_of(made, poor) if v.code == "calibration_would_help")
    assert ("which makes it useful" in text) == expected
    useful = evidence(Gain(0.1, 0.001))  # it was before
    assert "which makes it useful" not in " ".join(v.text for v in verdicts_of(made, useful))


def test_calibration_that_makes_a_system_useful_says_so() -> None:
    result = stakes.evaluate(TWO.y, np.exp(TWO.posteriors([0.01, 0.99]).values))
    verdict = next(v for v in result.verdicts if v.code == "calibration_would_help")
    assert "which makes it useful (p < 0.001)" in verdict.text
    assert codes(result)[0] == "worse_than_naive"
    without = stakes.evaluate(TWO.y, RAW, calibrator=None)
    assert "calibration_would_help" not in codes(without)


@pytest.mark.parametrize(
    ("p_value", "share", "gain", "expected"),
    [
        (0.01, evaluation_verdicts.POOR, Gain(0, 1, 0.04), "decisions_fine_probabilities_not"),
        (0.01, evaluation_verdicts.POOR, Gain(0, 1, 0.06), "probabilities_not_calibrated"),
        (0.01, evaluation_verdicts.POOR - 1e-9, Gain(0, 1, 0.04), None),
        (0.0501, evaluation_verdicts.POOR, Gain(0, 1, 0.04), None),  # it may be chance
        (0.01, evaluation_verdicts.POOR, Gain(0.5, 0.01, 0.6), None),  # said of the cost already
    ],
)
def test_poor_probabilities(p_value: float, share: float, gain: Gain, expected: str | None) -> None:
    raw = dataclasses.replace(usual().main.cost.raw, value=1.0)  # so that gains are shares
    made = with_main(usual(), raw=raw, relative=stakes.Estimate(0.5))
    rule = dataclasses.replace(made.rules[0], relative=stakes.Estimate(share))
    made = dataclasses.replace(made, rules=(rule,), slope=estimate(0.9, 1, 1.1))
    said = {v.code for v in verdicts_of(made, evidence(gain, rule_gain=Gain(1, p_value)))}
    both = {"decisions_fine_probabilities_not", "probabilities_not_calibrated"}
    assert said & both == ({expected} if expected else set())
    separable = dataclasses.replace(made, slope=stakes.Estimate(math.nan))
    assert not both & {
        v.code for v in verdicts_of(separable, evidence(gain, rule_gain=Gain(1, p_value)))
    }


@pytest.mark.parametrize(
    ("low", "high", "code"),
    [
        (0.4, 0.999, "overconfident"),
        (0.4, 1.0, None),
        (1.0, 2.0, None),
        (1.001, 2.0, "underconfident"),
        (-0.2, 0.1, "overconfident"),
    ],
)
def test_confidence_goes_by_the_slope(low: float, high: float, code: str | None) -> None:
    found = [v.code for v in evaluation_verdicts.confidence(estimate(low, 0.7, high))]
    assert found == ([code] if code else [])


@pytest.mark.parametrize(("scale", "code"), [(2.0, "overconfident"), (0.5, "underconfident")])
def test_scaled_log_odds(scale: float, code: str) -> None:
    y, llr = drawn(2000, seed=5)
    found = stakes.evaluate(y, expit(scale * (llr + logit(0.3))))
    assert code in codes(found)
    assert found.slope is not None
    assert found.slope.value == pytest.approx(1 / scale, rel=0.15)
    assert str(found.slope.interval) in next(v.text for v in found.verdicts if v.code == code)
    assert found.to_dict()["calibration_slope"] == found.slope.to_dict()
    assert found.metrics()["calibration_slope"] is found.slope


# -- swapped columns


def test_swapped_columns_are_said_first() -> None:
    y, llr = drawn(300, seed=6)
    p = expit(llr + logit(0.3))
    names = np.array(["well", "ill"], dtype=object)
    found = stakes.evaluate(names[y], 1 - p, classes=["well", "ill"])
    first = found.verdicts[0]
    assert first.code == "scores_reversed"
    assert "rank 'ill' below 'well'" in first.text
    assert str(found.ranking["auc"].interval) in first.text
    silent = {"calibration_would_help", "overconfident", "probabilities_not_calibrated"}
    assert not silent & set(codes(found))
    assert not [v for v in found.verdicts if v.action == "calibrate"]
    assert "scores_reversed" not in codes(stakes.evaluate(y, p))


def test_swapped_columns_of_three_classes() -> None:
    data = stakes.simulation.simulate(3, n=600, priors=[0.4, 0.3, 0.3])
    p = np.exp(data.posteriors([0.4, 0.3, 0.3]).values)
    found = stakes.evaluate(data.y, p[:, [1, 0, 2]])
    assert codes(found)[0] == "scores_reversed"
    assert "rank 0 below the other classes" in found.verdicts[0].text
    assert "scores_reversed" not in codes(stakes.evaluate(data.y, p))


@pytest.mark.parametrize(("high", "expected"), [(0.4999, True), (0.5, False)])
def test_reversed_goes_by_the_interval(high: float, expected: bool) -> None:  # noqa: FBT001
    made = dataclasses.replace(usual(), ranking={"auc": estimate(0.1, 0.3, high)}, slope=None)
    worse = (claim(estimate(1.1, 1.2, 1.3), 0.001),)
    assert fires("scores_reversed", made, costs=worse) == expected
    assert not fires("scores_reversed", made)  # whatever is useful is not reversed


@pytest.mark.parametrize(("high", "expected"), [(-0.001, True), (0.0, False)])
def test_without_areas_the_slope_shows_reversed_scores(high: float, expected: bool) -> None:  # noqa: FBT001
    made = dataclasses.replace(usual(), ranking={}, slope=estimate(-0.5, -0.2, high))
    worse = (claim(estimate(1.1, 1.2, 1.3), 0.001),)
    assert fires("scores_reversed", made, costs=worse) == expected
    ranked = dataclasses.replace(made, ranking={"auc": estimate(0.4, 0.5, 0.6)})
    assert not fires("scores_reversed", ranked, costs=worse)


# -- accuracy, priors, infinite losses


@pytest.mark.parametrize(
    ("value", "p_value", "errors", "expected"),
    [
        (1.2, 0.001, (0.5, 0.999), True),
        (1.2, 0.001, (0.5, 1.0), False),
        (1.2, 0.06, (0.5, 0.9), False),
        (0.7, 0.001, (1.001, 1.2), True),
        (0.7, 0.001, (1.0, 1.2), False),
        (0.7, 0.001, (0.5, 0.9), False),
    ],
)
def test_accuracy_and_cost_disagree_where_both_are_sure(
    value: float,
    p_value: float,
    errors: tuple[float, float],
    expected: bool,  # noqa: FBT001
) -> None:
    said = claim(estimate(value - 0.1, value, value + 0.1), p_value, error_rate=errors)
    assert fires("metrics_disagree", costs=(said,)) == expected


def test_infinite_losses_are_counted_once() -> None:
    y = np.arange(120) % 2
    p = np.where(y == 1, 0.8, 0.2)
    p[[1, 11, 31, 51, 71, 91]] = 0.0
    result = stakes.evaluate(y, p)
    verdict = next(v for v in result.verdicts if v.code == "infinite_loss")
    assert "6 samples have posterior 0 for the true class (row 1 and 5 more)" in verdict.text
    (note,) = result.notes
    assert note == "the calibrator takes posteriors of 0 and 1 as odds of 8 to 1"


# -- little data


def confusion(y: IntArray, d: IntArray) -> stakes.ConfusionMatrix:
    return stakes.ConfusionMatrix.from_counts(
        [[((y == i) & (d == j)).sum() for j in (0, 1)] for i in (0, 1)]
    )


@pytest.mark.parametrize(("misses", "alarms"), [(30, 30), (29, 30), (30, 29), (1, 30)])
def test_few_errors(misses: int, alarms: int) -> None:
    y = np.repeat([0, 1], 200)
    d = y.copy()
    d[:alarms], d[200 : 200 + misses] = 1, 0
    scored = stakes.evaluate(y, np.where(d == 1, 0.8, 0.2))
    counted = evaluate_decisions(confusion(y, d))
    for verdicts in (scored.verdicts, counted.verdicts):
        said = [v.text for v in verdicts if v.code == "few_errors"]
        assert bool(said) == (min(misses, alarms) < cautions.FEWEST_ERRORS)
        for text in said:
            assert ("29 misses" in text) == (misses == 29)
            assert ("1 miss." in text) == (misses == 1)
            assert ("29 false alarms" in text) == (alarms == 29)


@pytest.mark.parametrize(("errors", "expected"), [(29, True), (30, False)])
def test_few_errors_of_several_classes(errors: int, expected: bool) -> None:  # noqa: FBT001
    y = np.repeat([0, 1, 2], 100)
    d = y.copy()
    d[:errors] = 1
    result = stakes.evaluate(y, np.eye(3)[d] * 0.7 + 0.1)
    assert ("few_errors" in codes(result)) == expected
    weighted = stakes.evaluate(y, np.eye(3)[d] * 0.7 + 0.1, sample_weight=np.full(300, 0.5))
    assert ("few_errors" in codes(weighted)) == expected  # samples are counted, not weights


@pytest.mark.parametrize(("n", "expected"), [(59, True), (60, False)])
def test_small_classes(n: int, expected: bool) -> None:  # noqa: FBT001
    kept = np.concatenate([np.flatnonzero(TWO.y == 0), np.flatnonzero(TWO.y == 1)[:n]])
    assert cautions.FEWEST_SAMPLES == 60
    result = stakes.evaluate(TWO.y[kept], RAW[kept])
    assert ("small_class" in codes(result)) == expected
    bare = stakes.evaluate(TWO.y[kept], RAW[kept], calibrator=None)
    log_only = stakes.evaluate(TWO.y[kept], RAW[kept], rules=[stakes.LogLoss()])
    for found, words in (
        (result, "the cross-entropy and the calibration loss (also that of the Brier score) may"),
        (bare, "the AUC and the cross-entropy may"),
        (log_only, "the cross-entropy and the calibration loss may"),
    ):
        said = [v.text for v in found.verdicts if v.code == "small_class"]
        assert [words in text for text in said] == [True] * expected
    d = (RAW[kept, 1] > 0.5).astype(int)
    counted = evaluate_decisions(confusion(TWO.y[kept], d))
    assert ("small_class" in [v.code for v in counted.verdicts]) == expected


@pytest.mark.parametrize(("groups", "expected"), [(14, True), (49, True), (50, False)])
def test_few_groups(groups: int, expected: bool) -> None:  # noqa: FBT001
    unit = np.concatenate([np.arange(n) % groups for n in (17 * groups, 3 * groups)])
    y = np.repeat([0, 1], [17 * groups, 3 * groups])
    rng = np.random.default_rng(8)
    p = 1 / (1 + np.exp(-rng.normal(2.0 * y - 2, 1)))
    result = stakes.evaluate(y, p, groups=unit, calibrator=None)
    assert ("few_groups" in codes(result)) == expected
    assert "small_class" in codes(result)  # each class occurs in fewer than 60 groups
    said = [v.text for v in result.verdicts if v.code == "few_groups"]
    assert [("all may" in text) for text in said] == [groups < 15] * len(said)
    for text in said:
        assert (
            f"The intervals rest on {groups} groups. With fewer than 50, those of the AUC" in text
        )
        assert "calibration slope" in text
        assert "calibration loss" not in text  # none is shown


def test_errors_are_those_of_decisions_that_answer_a_class() -> None:
    y = np.repeat([0, 1], 100)
    p = np.where(y == 1, 0.9, 0.1)
    p[:3], p[-2:], p[50] = 0.95, 0.05, 0.5
    named = stakes.CostMatrix(
        [[0, 1, 0.3], [5, 0, 0.3]], decisions=["send home", "operate", "more tests"]
    )
    result = stakes.evaluate(y, p, costs=named)
    assert dict(result.main.errors) == {"misses": 2, "false alarms": 3}
    assert "few_errors" in codes(result)


def test_constant_decisions_are_said_of_decisions_too() -> None:
    counted = evaluate_decisions(confusion(np.repeat([0, 1], [180, 20]), np.zeros(200, int)))
    assert [v.code for v in counted.verdicts] == ["always_the_same", "small_class"]
    assert "From 200 samples, at most 1.5 % of such cases" in counted.verdict


def test_decisions_and_scores_get_the_same_verdict() -> None:
    scored = stakes.evaluate(TWO.y, RAW, costs=COSTS, calibrator=None)
    counted = evaluate_decisions(scored.main.confusion, COSTS)
    assert counted.verdicts[0].text == scored.verdicts[0].text == counted.verdict
    assert counted.to_dict()["verdicts"] == [v.to_dict() for v in counted.verdicts]


# -- slices


def test_every_slice_has_a_verdict() -> None:
    y, llr = drawn(1500, seed=8)
    site = np.array(["good", "bad", "coin"], dtype=object)[np.arange(1500) % 3]
    site[:4] = "tiny"
    y[:4], site[4] = [0, 0, 1, 1], "alone"
    p = expit(np.where(site == "bad", -llr, llr) + logit(0.3))
    p[site == "coin"] = np.random.default_rng(9).permutation(p[site == "coin"])
    found = stakes.evaluate(y, p, slices={"site": site})
    said = {s.value: s.verdict.code for s in found.slices if s.verdict is not None}
    assert said == {
        "good": "useful",
        "bad": "worse_than_naive",
        "coin": said["coin"],
        "tiny": "too_few_samples",
        "alone": "no_verdict",
    }
    assert said["coin"] in ("worse_than_naive", "not_distinguishable")
    text = next(v.text for v in found.verdicts if v.code == "slice_worse_than_naive")
    assert "site bad (NEC" in text
    assert "Useful over all" not in text
    assert f"corrected for {len(found.slices)} slices" in text
    first = found.to_dict()["slices"][0]["verdict"]
    assert first is not None
    assert first["text"].startswith("site ")


def test_slices_are_corrected_for_how_many_there_are() -> None:
    y, llr = drawn(120, seed=10)
    p = expit(llr + logit(0.3))
    alone = stakes.evaluate(y, p, slices={"all": np.zeros(120, int)})
    assert [s.verdict.code for s in alone.slices if s.verdict] == ["useful"]
    shown = estimate(0.5, 0.6, 0.7)
    found = usefulness.slice_verdicts([claim(shown, 0.01) for _ in range(6)], 0.95)
    assert {v.code for v in found} == {"not_distinguishable"}
    assert "corrected for 6 slices" in found[0].text


# -- no two contradict each other

# pairs of codes that exclude each other within one application
USEFULNESS = (
    "useful",
    "worse_than_naive",
    "practically_equal",
    "not_distinguishable",
    "no_interval",
    "no_verdict",
)
EXCLUSIVE_IN_AN_APPLICATION = {
    *combinations(USEFULNESS, 2),
    ("useful", "always_the_same"),
    ("no_verdict", "always_the_same"),
    ("no_verdict", "calibration_would_help"),
    ("not_distinguishable", "metrics_disagree"),
    ("practically_equal", "metrics_disagree"),
    ("no_interval", "metrics_disagree"),
    ("no_verdict", "metrics_disagree"),
    ("calibration_would_help", "decisions_fine_probabilities_not"),
    ("worse_than_naive", "decisions_fine_probabilities_not"),
    ("not_distinguishable", "decisions_fine_probabilities_not"),
    ("practically_equal", "decisions_fine_probabilities_not"),
}
# and those that exclude each other within an evaluation
EXCLUSIVE = {
    ("overconfident", "underconfident"),
    ("decisions_fine_probabilities_not", "probabilities_not_calibrated"),
    ("probabilities_not_calibrated", "calibration_would_help"),
    *(
        ("scores_reversed", code)
        for code in (
            "useful",
            "calibration_would_help",
            "overconfident",
            "underconfident",
            "decisions_fine_probabilities_not",
            "probabilities_not_calibrated",
        )
    ),
}


def contradictions(found: Evaluation) -> list[tuple[str, ...]]:
    """Return the pairs of verdicts that exclude each other."""
    every = {v.code for v in found.verdicts}
    out: list[tuple[str, ...]] = [pair for pair in EXCLUSIVE if set(pair) <= every]
    for a in found.applications:
        own = [v for v in found.verdicts if a.name in (v.application, *_named(v))]
        own_codes = [v.code for v in own]
        out += [pair for pair in EXCLUSIVE_IN_AN_APPLICATION if set(pair) <= set(own_codes)]
        assert len(own_codes) == len(set(own_codes)), own_codes
        assert sum(c in (*USEFULNESS, "always_the_same") for c in own_codes) >= 1
        already = "useful" in own_codes and any("makes it useful" in v.text for v in own)
        out += [("useful", "makes it useful")] * already
    return out


def _named(verdict: Verdict) -> list[str]:
    """Return the applications that a verdict on several is about."""
    if verdict.code != "decisions_fine_probabilities_not" or verdict.application:
        return []
    return [name for name in THREE if f" {name}" in verdict.text.partition("would")[0]]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([12, 40, 150, 700]),
    share=st.sampled_from([0.05, 0.3, 0.5]),
    scale=st.sampled_from([-1.0, 0.0, 0.3, 1.0, 3.0]),
    shift=st.sampled_from([-3.0, 0.0, 2.0]),
    noise=st.sampled_from([0.0, 1.0, 5.0]),
    several=st.booleans(),
    prior=st.sampled_from([None, 0.1]),
)
def test_no_two_verdicts_contradict_each_other(  # noqa: PLR0917
    seed: int,
    n: int,
    share: float,
    scale: float,
    shift: float,
    noise: float,
    several: bool,  # noqa: FBT001
    prior: float | None,
) -> None:
    y, llr = drawn(n, seed, share)
    y[:4] = [0, 0, 1, 1]
    rng = np.random.default_rng(seed)
    z = scale * llr + shift + noise * rng.normal(size=n)
    found = stakes.evaluate(
        y,
        expit(z),
        costs=THREE if several else None,
        priors=None if prior is None else [1 - prior, prior],
        training_priors="deployment",
        slices=rng.integers(3, size=n),
    )
    assert contradictions(found) == []
    for s in found.slices:
        assert s.verdict is not None
    for verdict in found.verdicts:
        assert "told apart" not in verdict.text
        assert " nan" not in verdict.text


def test_the_table_of_contradictions_finds_them() -> None:
    both = (Verdict("overconfident", ""), Verdict("underconfident", ""))
    made = dataclasses.replace(usual(), verdicts=(*usual().verdicts, *both))
    assert contradictions(made) == [("overconfident", "underconfident")]
    name = usual().main.name
    twice = (Verdict("useful", "", application=name), Verdict("no_verdict", "", application=name))
    assert ("useful", "no_verdict") in contradictions(dataclasses.replace(usual(), verdicts=twice))


# -- the page


def test_the_page_names_every_verdict_and_threshold() -> None:
    top = Path(__file__).parents[1]
    page = (top / "docs" / "verdicts.md").read_text(encoding="utf-8")
    page = page.partition("## In a comparison")[0]  # test_reference has the codes beyond
    modules = sorted(Path(evaluation_verdicts.__file__).parent.glob("*.py"))
    source = "".join(path.read_text(encoding="utf-8") for path in modules)
    known = set(re.findall(r'Verdict\(\s*"(\w+)"', source))
    assert len(known) == 28
    assert set(re.findall(r"^\| \[`([a-z_]+)`\]", page, re.MULTILINE)) == known
    constants = {
        name: getattr(module, name)
        for module in (evaluation_verdicts, cautions, suspicions, usefulness)
        for name in vars(module)
        if re.fullmatch(r"[A-Z][A-Z_]+", name) and isinstance(vars(module)[name], int | float)
    }
    assert len(constants) == 13
    for name, value in constants.items():
        assert re.search(rf"\| `{name}` \| {re.escape(format(value, 'g'))} \|", page), name


def test_a_verdict_has_an_action_and_each_edge_says_how() -> None:
    package = Path(evaluation_verdicts.__file__).parent
    modules = [*package.glob("*.py"), package.parent / "comparison_verdicts.py"]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in modules]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    texts = [node.value for node in nodes if isinstance(node.value, str)]
    assert not [text for text in texts if re.search(r"(^|[ (])--[a-z]|stakes [a-z]+ ", text)]
    assert set(COMMANDS) == set(python_calls(usual())) == {"calibrate"}
    assert set(COMMANDS) <= set(texts)
    (terminal,) = with_options([Verdict("scores_reversed", "", "Check.", "check_classes")])
    assert "--positive" in terminal.advice
    body = {
        "verdicts": [Verdict("useful", "").to_dict(), Verdict("a", "", "", "calibrate").to_dict()]
    }
    commands = [v["command"] for v in with_commands(body, COMMANDS)["verdicts"]]
    assert commands == ["", COMMANDS["calibrate"]]


def test_what_calibration_may_recover_is_a_share_of_the_cost() -> None:
    gain: Any = SimpleNamespace(interval=lambda _, level: stakes.Interval(-0.1, 0.75, level))
    shown = SimpleNamespace(interval=stakes.Interval(-0.2, 0.5, 0.95))
    use: Any = SimpleNamespace(cost=SimpleNamespace(raw=SimpleNamespace(value=0.4), relative=shown))
    found = evaluation_verdicts._most_recovered(use, gain, 0.95)
    assert found == pytest.approx(0.75)
    use.cost.relative.interval = stakes.Interval(-0.2, 0.9, 0.95)
    found = evaluation_verdicts._most_recovered(use, gain, 0.95)
    assert found == 0.9
