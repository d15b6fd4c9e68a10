"""Verdicts: each rule fires where it should, and just not where it should not."""

import dataclasses
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes
from judged import (
    COSTS,
    RAW,
    TWO,
    codes,
    same_numbers,  # noqa: F401  every test uses it
    usual,
)
from stakes.evaluation import Evaluation
from stakes.evaluation.records import LossResult, SliceResult
from stakes.evaluation.verdicts import rules as verdicts, small_samples


def with_cost(
    low: float, value: float, high: float, evaluation: Evaluation | None = None
) -> Evaluation:
    """Return an evaluation whose normalised cost is as said."""
    found = evaluation or usual()
    estimate = stakes.Estimate(value, stakes.Interval(low, high, 0.95))
    return with_main(found, cost=dataclasses.replace(found.main.cost, normalized=estimate))


def with_main(evaluation: Evaluation, **changes: Any) -> Evaluation:  # noqa: ANN401
    main = dataclasses.replace(evaluation.main, **changes)
    return dataclasses.replace(evaluation, applications=(main,))


def with_relative(evaluation: Evaluation, low: float, value: float) -> Evaluation:
    """Return an evaluation whose relative calibration loss, of the cost, is as said."""
    estimate = stakes.Estimate(value, stakes.Interval(low, 1.0, 0.95))
    return with_main(evaluation, cost=dataclasses.replace(evaluation.main.cost, relative=estimate))


def fires(evaluation: Evaluation, code: str) -> bool:
    return code in [v.code for v in verdicts.verdicts_of(evaluation)]


@pytest.mark.parametrize(
    ("low", "high", "code"),
    [
        (0.5, 0.9999, "useful"),
        (0.5, 1.0, "not_told_apart"),
        (1.0, 1.5, "not_told_apart"),
        (1.0001, 1.5, "worse_than_naive"),
        (math.nan, math.inf, "no_interval"),
    ],
)
def test_usefulness_goes_by_the_interval(low: float, high: float, code: str) -> None:
    found = verdicts.verdicts_of(with_cost(low, 0.9, high))
    assert found[0].code == code
    others = {"useful", "not_told_apart", "worse_than_naive", "no_interval", "no_verdict"} - {code}
    assert not others & {v.code for v in found}


def test_no_verdict_where_the_naive_system_costs_nothing() -> None:
    assert (
        codes(stakes.evaluate(TWO.y, RAW, costs=[[0, 0], [1, 0]], resamples=0))[0] == "no_verdict"
    )
    assert "no_verdict" not in codes(
        stakes.evaluate(TWO.y, RAW, costs=[[0, 0.01], [1, 0]], resamples=0)
    )


@pytest.mark.parametrize(
    ("low", "value", "expected"),
    [(0.01, verdicts.GAIN, True), (0.01, verdicts.GAIN - 1e-9, False), (0.0, 0.3, False), (1e-9, 0.3, True)],
)  # fmt: skip
def test_calibration_is_advised_where_it_surely_gives_back(
    low: float,
    value: float,
    expected: bool,  # noqa: FBT001
) -> None:
    assert fires(with_relative(usual(), low, value), "calibration_would_help") == expected


def test_calibration_that_makes_a_system_useful_says_so() -> None:
    result = stakes.evaluate(TWO.y, np.exp(TWO.posteriors([0.01, 0.99]).values), resamples=60)
    verdict = next(v for v in result.verdicts if v.code == "calibration_would_help")
    assert "which makes it useful" in verdict.text
    assert codes(result)[0] == "worse_than_naive"
    without = stakes.evaluate(TWO.y, RAW, calibrator=None, resamples=0)
    assert "calibration_would_help" not in codes(without)


def test_accuracy_and_cost_can_disagree() -> None:
    accuracy = usual().main.traditional[0].value
    assert accuracy is not None
    assert accuracy.beats_naive
    for nec, expected in (
        (1 + verdicts.NEAR + 1e-9, True),
        (1 + verdicts.NEAR - 1e-9, False),
        (0.7, False),
    ):
        assert fires(with_cost(0.1, nec, 2), "metrics_disagree") == expected
    poor = stakes.evaluate(TWO.y, RAW[:, ::-1], costs=COSTS, resamples=0)  # bad by both
    assert fires(with_cost(0.1, 0.9, 2, poor), "metrics_disagree")
    assert not fires(with_cost(0.1, 1.5, 2, poor), "metrics_disagree")


@pytest.mark.parametrize(("misses", "alarms"), [(30, 30), (29, 30), (30, 29)])
def test_few_errors(misses: int, alarms: int) -> None:
    y = np.repeat([0, 1], 200)
    d = y.copy()
    d[:alarms], d[200 : 200 + misses] = 1, 0
    result = stakes.evaluate(y, np.where(d == 1, 0.8, 0.2), resamples=0)
    assert ("few_errors" in codes(result)) == (min(misses, alarms) < small_samples.FEWEST_ERRORS)
    for verdict in result.verdicts:
        if verdict.code == "few_errors":
            assert ("29 misses" in verdict.text) == (misses == 29)
            assert ("29 false alarms" in verdict.text) == (alarms == 29)


@pytest.mark.parametrize(("errors", "expected"), [(29, True), (30, False)])
def test_few_errors_of_several_classes(errors: int, expected: bool) -> None:  # noqa: FBT001
    y = np.repeat([0, 1, 2], 100)
    d = y.copy()
    d[:errors] = 1
    result = stakes.evaluate(y, np.eye(3)[d] * 0.7 + 0.1, resamples=0)
    assert ("few_errors" in codes(result)) == expected
    weighted = stakes.evaluate(
        y, np.eye(3)[d] * 0.7 + 0.1, sample_weight=np.full(300, 0.5), resamples=0
    )
    assert ("few_errors" in codes(weighted)) == expected  # samples are counted, not weights


def with_entropy(evaluation: Evaluation, low: float, value: float) -> Evaluation:
    estimate = stakes.Estimate(value, stakes.Interval(low, 1.0, 0.95))
    first: LossResult = dataclasses.replace(evaluation.rules[0], relative=estimate)
    return dataclasses.replace(evaluation, rules=(first, *evaluation.rules[1:]))


@pytest.mark.parametrize(
    ("nec", "gain", "sure", "low", "entropy", "expected"),
    [
        (0.9, verdicts.GAIN - 1e-9, 0.01, 0.01, verdicts.POOR, "decisions_fine_probabilities_not"),
        (0.9, 0.5, -0.01, 0.01, verdicts.POOR, "decisions_fine_probabilities_not"),
        (1.0, verdicts.GAIN - 1e-9, 0.01, 0.01, verdicts.POOR, "probabilities_not_calibrated"),
        (0.9, verdicts.GAIN, 0.01, 0.01, verdicts.POOR, None),  # said of the cost already
        (0.9, verdicts.GAIN - 1e-9, 0.01, 0.0, verdicts.POOR, None),  # it may be chance
        (0.9, verdicts.GAIN - 1e-9, 0.01, 0.01, verdicts.POOR - 1e-9, None),
    ],
)
def test_poor_probabilities_that_no_cost_gives_away(
    nec: float, gain: float, sure: float, low: float, entropy: float, expected: str | None
) -> None:
    made = with_entropy(with_relative(with_cost(0.1, nec, 2), sure, gain), low, entropy)
    both = ("decisions_fine_probabilities_not", "probabilities_not_calibrated")
    assert [code for code in both if fires(made, code)] == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("ratio", "expected"), [(1.499, False), (1.501, True), (1 / 1.499, False), (1 / 1.501, True)]
)
def test_priors_that_differ(ratio: float, expected: bool) -> None:  # noqa: FBT001
    odds = ratio * 0.25
    priors = [1 / (1 + odds), odds / (1 + odds)]
    result = stakes.evaluate(TWO.y, RAW, priors=priors, resamples=0)
    assert ("priors_differ" in codes(result)) == expected
    llr = stakes.evaluate(TWO.y, TWO.log_likelihood_ratios(), priors=priors, resamples=0)
    assert "priors_differ" not in codes(llr)
    assert verdicts.SHIFT == 1.5


@pytest.mark.parametrize(("n", "expected"), [(49, True), (50, False)])
def test_small_classes(n: int, expected: bool) -> None:  # noqa: FBT001
    kept = np.concatenate([np.flatnonzero(TWO.y == 0), np.flatnonzero(TWO.y == 1)[:n]])
    assert small_samples.FEWEST_SAMPLES == 50
    result = stakes.evaluate(TWO.y[kept], RAW[kept], resamples=0)
    assert ("small_class" in codes(result)) == expected


@pytest.mark.parametrize(
    ("over_all", "low", "expected"), [(0.9, 1.001, True), (0.9, 1.0, False), (1.0, 1.001, False)]
)
def test_slices_that_are_worse_than_naive(over_all: float, low: float, expected: bool) -> None:  # noqa: FBT001
    bad = stakes.Estimate(1.2, stakes.Interval(low, 1.5, 0.95))
    part = SliceResult("site", "x", 100, (50, 50), bad, None)
    made = dataclasses.replace(with_cost(0.1, over_all, 2), slices=(part,))
    assert fires(made, "slice_worse_than_naive") == expected


def test_a_slice_that_is_worse_in_the_data() -> None:
    site = np.arange(1000) % 10 == 0
    p = np.where(site[:, None], RAW[:, ::-1], RAW)
    result = stakes.evaluate(TWO.y, p, slices={"site": site}, resamples=0)
    assert "slice_worse_than_naive" in codes(result)
    assert "site True" in next(
        v.text for v in result.verdicts if v.code == "slice_worse_than_naive"
    )


def test_the_page_names_every_verdict_and_threshold() -> None:
    top = Path(__file__).parents[1]
    page = (top / "docs" / "verdicts.md").read_text(encoding="utf-8")
    source = "".join(
        p.read_text(encoding="utf-8") for p in sorted(Path(verdicts.__file__).parent.glob("*.py"))
    )
    known = set(re.findall(r'Verdict\(\s*"(\w+)"', source))
    assert len(known) == 16
    assert set(re.findall(r"^\| `([a-z_]+)`", page, re.MULTILINE)) == known
    constants = {
        n: getattr(verdicts, n, getattr(small_samples, n, None))
        for n in re.findall(r"^([A-Z][A-Z_]+) = ", source, re.MULTILINE)
    }
    assert len(constants) == 7
    for name, value in constants.items():
        assert re.search(rf"\| `{name}` \| {re.escape(format(value, 'g'))} \|", page), name


def test_a_system_that_decides_nothing_is_told_so() -> None:
    y = np.repeat([0, 1], [180, 20])
    p = np.linspace(0.01, 0.3, 200)
    result = stakes.evaluate(y, p, resamples=0)
    assert result.verdicts[0].code == "always_the_same"
    assert "every case gets 0" in result.verdicts[0].text
    assert not {"useful", "not_told_apart", "worse_than_naive"} & set(codes(result))
    p[-1] = 0.9
    assert result.verdicts[0].code not in codes(stakes.evaluate(y, p, resamples=0))


@pytest.mark.parametrize(("groups", "expected"), [(29, True), (30, False)])
def test_few_groups(groups: int, expected: bool) -> None:  # noqa: FBT001
    unit = np.arange(1000) % groups
    result = stakes.evaluate(TWO.y, RAW, groups=unit, resamples=60, calibrator=None)
    assert ("few_groups" in codes(result)) == expected


def test_errors_are_those_of_decisions_that_answer_a_class() -> None:
    y = np.repeat([0, 1], 100)
    p = np.where(y == 1, 0.9, 0.1)
    p[:3], p[-2:], p[50] = 0.95, 0.05, 0.5
    named = stakes.CostMatrix(
        [[0, 1, 0.3], [5, 0, 0.3]], decisions=["send home", "operate", "more tests"]
    )
    result = stakes.evaluate(y, p, costs=named, resamples=0)
    assert dict(result.main.errors) == {"misses": 2, "false alarms": 3}
    assert "few_errors" in codes(result)
