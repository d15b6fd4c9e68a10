"""Means that people measured on some rows and a judge on all: references and laws."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import brentq

import stakes
from judge_cases import REFERENCES, case
from stakes._quantiles import normal

nan = math.nan
LONG = settings(max_examples=25, deadline=None)


def ends(record: Any) -> list[float]:
    assert record.interval is not None, record.method
    return list(record.interval)


@dataclass(frozen=True)
class Columns:
    human: Any
    judge: Any
    seen: Any


@st.composite
def columns(draw: st.DrawFn, *, binary: bool = True, least: int = 10) -> Columns:
    """Draw labels of a judge, and of people for some rows."""
    n = draw(st.integers(least + 2, 60))
    seed = draw(st.integers(0, 2**20))
    rng = np.random.default_rng(seed)
    share, agree = draw(st.sampled_from([0.1, 0.5, 0.9])), draw(st.sampled_from([0.0, 0.5, 0.9]))
    right = (rng.random(n) < share).astype(float)
    judge = np.where(rng.random(n) < agree, right, (rng.random(n) < 0.5).astype(float))
    if not binary:
        judge = np.round(0.7 * judge + 0.3 * rng.random(n), 6)
    seen = np.zeros(n, dtype=bool)
    seen[rng.permutation(n)[: draw(st.integers(least, n - 1))]] = True
    return Columns(np.where(seen, right, nan), judge, seen)


def close(a: float, b: float, tolerance: float = 1e-9) -> bool:
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)


@pytest.mark.parametrize("name", REFERENCES)
def test_value_and_large_sample_interval_are_those_of_ppi_python(name: str) -> None:
    value, low, high, untuned = REFERENCES[name]
    found = stakes.judged_mean(*case(name))
    reach = normal(0.9) * found.standard_error
    assert found.value == pytest.approx(value, rel=1e-12)
    assert (found.value - reach, found.value + reach) == pytest.approx((low, high), rel=1e-9)
    assert stakes.judged_mean(*case(name), tuning=1).value == pytest.approx(untuned, rel=1e-12)


def test_a_case_by_hand() -> None:
    human = [1, 1, 0, 0, None, None, None, None]
    judge = [1, 1, 1, 0, 1, 1, 1, 1]
    found = stakes.judged_mean(human, judge)
    # cov 1/2 * (1 - 3/4) = 1/8; variance of 7 ones of 8 with one degree less 1/8; m / N = 1/2
    assert found.tuning == pytest.approx(0.5)
    assert found.value == pytest.approx(0.5 + 0.5 * (1 - 0.75))
    assert found.human_only.value == 0.5
    assert found.judge_only == 7 / 8
    assert found.bias.value == pytest.approx(7 / 8 - 0.625)
    assert (found.rows, found.human_rows) == (8, 4)
    assert found.interval is None
    assert found.method == "needs 10 human labels: got 4"


def test_the_interval_of_a_constant_judge_is_that_of_the_likelihood_ratio() -> None:
    found = stakes.judged_mean([1] * 8 + [0] * 12 + [None] * 30, [1] * 50)

    def beyond(p: float, right: float, wrong: float) -> float:
        n = right + wrong
        loss = right * math.log(right / n / p) + wrong * math.log(wrong / n / (1 - p))
        return 2 * loss - normal(0.95) ** 2

    low = brentq(beyond, 1e-6, 8 / 20.5, args=(8, 12.5))  # half an unseen row at either end
    high = brentq(beyond, 8.5 / 20.5, 1 - 1e-6, args=(8.5, 12))
    assert ends(found) == pytest.approx([low, high], rel=1e-6)
    assert found.tuning == 0
    assert found.labels_gained == pytest.approx(0, abs=1e-9)


@LONG
@given(columns(binary=False))
def test_a_judge_makes_no_interval_wider(c: Columns) -> None:
    found = stakes.judged_mean(c.human, c.judge)
    assert np.diff(ends(found))[0] <= np.diff(ends(found.human_only))[0] + 1e-9
    assert found.labels_gained >= -1e-9


def test_lambda_is_in_the_interval() -> None:
    human, judge = case("labels")
    free = stakes.judged_mean(human, judge)
    fixed = stakes.judged_mean(human, judge, tuning=free.tuning)
    assert fixed.value == pytest.approx(free.value, rel=1e-12)
    assert abs(np.diff(ends(free))[0] / np.diff(ends(fixed))[0] - 1) > 1e-3


@LONG
@given(columns())
def test_a_constant_judge_leaves_the_human_labels_alone(c: Columns) -> None:
    found = stakes.judged_mean(c.human, np.full(c.human.size, 0.3))
    assert found.value == found.human_only.value == pytest.approx(np.nanmean(c.human))
    assert ends(found) == pytest.approx(ends(found.human_only), abs=1e-9)
    assert found.tuning == 0


@LONG
@given(columns(binary=False))
def test_the_judge_is_used_between_not_at_all_and_fully(c: Columns) -> None:
    found = stakes.judged_mean(c.human, c.judge)
    assert 0 <= found.tuning <= 1
    low, high = ends(found)
    assert 0 <= low <= found.value <= high <= 1


@LONG
@given(columns(binary=False))
def test_a_judge_that_is_always_right_gives_the_mean_of_all_rows(c: Columns) -> None:
    """With each row counted once, which the lambda of least variance does but for chance."""
    human = np.where(c.seen, c.judge, nan)
    once = 1 - c.seen.mean()
    found = stakes.judged_mean(human, c.judge, tuning=once, bounds=(0, 1))
    assert close(found.value, c.judge.mean())
    assert close(found.bias.value, 0)
    tuned = stakes.judged_mean(human, c.judge, bounds=(0, 1))
    spread = np.var(c.judge[c.seen]) / np.var(c.judge, ddof=1)
    if once * spread <= 1 and tuned.tuning > 0:  # else the judge is of no use
        assert close(tuned.tuning, once * spread)


def test_a_judge_that_is_always_right_gives_nearly_the_mean_of_many_rows() -> None:
    rng = np.random.default_rng(5)
    judge = (rng.random(20_000) < 0.3).astype(float)
    human = np.where(np.arange(20_000) < 2_000, judge, nan)
    found = stakes.judged_mean(human, judge)
    assert found.value == pytest.approx(judge.mean(), abs=2e-4)
    assert found.labels_gained > 10_000


@LONG
@given(columns(binary=False))
def test_all_rows_with_human_labels_need_no_judge(c: Columns) -> None:
    human = np.nan_to_num(c.human, nan=1.0)
    found = stakes.judged_mean(human, c.judge)
    assert found.tuning == 0
    assert close(found.value, human.mean())
    assert ends(found) == pytest.approx(ends(found.human_only), abs=1e-9)
    assert close(found.bias.value, c.judge.mean() - human.mean())


@LONG
@given(columns(binary=False), st.integers(0, 2**20), st.booleans())
def test_the_order_of_rows_changes_no_bit(c: Columns, seed: int, grouped: bool) -> None:  # noqa: FBT001
    rng = np.random.default_rng(seed)
    n = c.human.size
    told: dict[str, Any] = {
        "groups": rng.integers(0, 8, n) if grouped else None,
        "sample_weight": rng.choice([0.3, 1.7], n),
    }
    order = rng.permutation(n)
    mixed: dict[str, Any] = {k: None if v is None else v[order] for k, v in told.items()}
    first = stakes.judged_mean(c.human, c.judge, **told)
    second = stakes.judged_mean(c.human[order], c.judge[order], **mixed)
    assert first.to_dict() == second.to_dict()


@LONG
@given(columns(binary=False))
def test_groups_of_one_row_are_wider_by_the_quantile_of_t(c: Columns) -> None:
    names = [f"row {i}" for i in range(c.human.size)]
    alone, grouped = (
        stakes.judged_mean(c.human, c.judge, groups=g, tuning=0.5) for g in (None, names)
    )
    assert close(grouped.value, alone.value)
    assert close(grouped.standard_error, alone.standard_error)
    for one, other in ((alone, grouped), (alone.bias, grouped.bias)):
        low, high = ends(other)
        assert low <= ends(one)[0] + 1e-9
        assert high >= ends(one)[1] - 1e-9


@LONG
@given(columns(binary=False), st.integers(0, 2**20))
def test_names_of_groups_do_not_matter(c: Columns, seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 9, c.human.size)
    other = rng.permutation(9)[groups]
    first, second = (stakes.judged_mean(c.human, c.judge, groups=g) for g in (groups, other))
    assert close(first.value, second.value)
    assert (first.interval is None) == (second.interval is None)
    if first.interval is not None:
        assert ends(first) == pytest.approx(ends(second), rel=1e-9, abs=1e-9)


@LONG
@given(columns(binary=False), st.sampled_from([0.25, 3.0, 1e6]), st.sampled_from([0.0, -2.0, 5.0]))
def test_other_units_scale_and_shift_everything(c: Columns, scale: float, shift: float) -> None:
    plain = stakes.judged_mean(c.human, c.judge)
    bounds = (shift, scale + shift)
    moved = stakes.judged_mean(scale * c.human + shift, scale * c.judge + shift, bounds=bounds)
    assert close(moved.tuning, plain.tuning, 1e-6)
    assert close(moved.value, scale * plain.value + shift, 1e-6)
    assert ends(moved) == pytest.approx(
        [scale * x + shift for x in ends(plain)], rel=1e-6, abs=1e-6
    )
    assert close(moved.standard_error, scale * plain.standard_error, 1e-6)
    assert ends(moved.bias) == pytest.approx(
        [scale * x for x in ends(plain.bias)], rel=1e-6, abs=1e-6
    )


@LONG
@given(columns())
def test_the_bias_is_that_of_the_numbers_shown(c: Columns) -> None:
    found = stakes.judged_mean(c.human, c.judge)
    low, high = ends(found.bias)
    assert low <= found.bias.value <= high
    assert close(found.judge_only - found.bias.value, found.value, 1e-9)


def test_a_judge_that_agrees_in_every_row_has_a_bias_about_0() -> None:
    judge = np.array([1.0] * 9 + [0.0] * 3 + [1.0] * 10 + [0.0] * 20)
    human = np.where(np.arange(42) < 12, judge, nan)
    low, high = ends(stakes.judged_mean(human, judge, tuning=30 / 42).bias)
    assert low < -0.1
    assert high > 0.1


@LONG
@given(columns(), st.integers(0, 2**20))
def test_a_weight_of_0_is_an_absent_row(c: Columns, seed: int) -> None:
    kept = np.random.default_rng(seed).random(c.human.size) < 0.8
    kept[np.flatnonzero(c.seen)[0]] = True
    weighted = stakes.judged_mean(c.human, c.judge, sample_weight=3.0 * kept)
    assert weighted.to_dict() == stakes.judged_mean(c.human[kept], c.judge[kept]).to_dict()


def test_a_group_counts_as_one_where_its_rows_are_copies() -> None:
    rng = np.random.default_rng(8)
    judge = (rng.random(60) < 0.6).astype(float)
    human = np.where(rng.random(60) < 0.8, judge, 1 - judge)
    human[30:] = nan
    alone = stakes.judged_mean(human, judge)
    five = stakes.judged_mean(
        np.repeat(human, 5), np.repeat(judge, 5), groups=np.repeat(np.arange(60), 5)
    )
    without = stakes.judged_mean(np.repeat(human, 5), np.repeat(judge, 5))
    assert five.standard_error == pytest.approx(alone.standard_error, rel=0.06)
    assert ends(five) == pytest.approx(ends(alone), abs=0.02)
    assert np.diff(ends(without))[0] < 0.55 * np.diff(ends(five))[0]
    assert five.method.endswith("by group")


def test_known_chances_of_being_seen_are_allowed_for() -> None:
    rng = np.random.default_rng(11)
    n = 40_000
    right = (rng.random(n) < 0.7).astype(float)
    judge = np.where(rng.random(n) < 0.85, right, 1 - right)
    chance = np.where(judge == 1, 0.02, 0.2)  # people look where the judge doubts
    human = np.where(rng.random(n) < chance, right, nan)
    naive = stakes.judged_mean(human, judge)
    found = stakes.judged_mean(human, judge, inclusion=chance)
    assert 0.7 not in (naive.interval or ())
    assert naive.caution.startswith("rows with human labels are not a random sample")
    assert found.caution == ""
    low, high = ends(found)
    assert low < 0.7 < high
    assert high - low < 0.08
    seen = ~np.isnan(human)
    weight = seen / chance / (seen / chance).sum()
    factor = found.tuning / (1 - seen.mean())
    rest = np.nan_to_num(human) - factor * judge
    influence = factor / n * (judge - judge.mean()) + weight * (rest - weight @ rest)
    assert found.standard_error == pytest.approx(math.sqrt((influence**2).sum()), rel=1e-9)
    equal = stakes.judged_mean(human, judge, inclusion=np.full(n, 0.05))
    assert close(equal.value, naive.value)


def test_a_chance_of_1_is_known_for_rows_that_all_people_saw() -> None:
    human, judge = case("labels")
    chance = np.where(np.isnan(human), nan, 0.4)  # need not be known elsewhere
    found = stakes.judged_mean(human, judge, inclusion=chance)
    assert close(found.value, stakes.judged_mean(human, judge).value)


def test_probabilities_in_rows_seen_and_not_are_compared() -> None:
    rng = np.random.default_rng(2)
    judge = rng.random(300)
    human = np.where(np.arange(300) < 100, (judge > 0.5).astype(float), nan)
    assert stakes.judged_mean(human, judge).caution == ""
    moved = np.where(np.isnan(human), judge, judge**2)
    assert "p = " in stakes.judged_mean(human, moved).caution
    groups = np.arange(300) // 10
    assert "tested at 0.01" in stakes.judged_mean(human, moved, groups=groups).caution


def test_nobody_looked() -> None:
    found = stakes.judged_mean([None, None], [1, 0])
    assert math.isnan(found.value)
    assert found.method == "no row has a human label"
    assert found.judge_only == 0.5
    with pytest.warns(stakes.UndefinedMetricWarning, match="no row has a human label"):
        assert math.isnan(found + 1)


def test_labels_in_few_groups_have_no_interval() -> None:
    human, judge = case("labels")
    found = stakes.judged_mean(human, judge, groups=np.arange(60) // 6)
    assert found.interval is None
    assert found.method == "needs human labels in 5 groups: got 4"
    assert math.isnan(found.labels_gained)


def test_values_without_bounds_need_more_labels_and_some_spread() -> None:
    human, judge = case("losses")
    human[29:] = nan
    assert stakes.judged_mean(human, judge).method.startswith(
        "needs 30 human labels of values without"
    )
    assert stakes.judged_mean(human, judge, bounds=(0, 7)).interval is not None
    same = np.where(np.arange(50) < 40, 2.0, nan)
    assert "no spread" in stakes.judged_mean(same, judge).method
    skewed = np.exp(np.linspace(-2, 2, 50))
    seen = np.where(np.arange(50) % 5 < 4, skewed, nan)
    found = stakes.judged_mean(seen, np.ones(50))
    low, high = ends(found)
    assert high - found.value > 1.3 * (found.value - low)


@pytest.mark.parametrize(
    "make",
    [
        np.array,
        pd.Series,
        lambda x: pd.Series([None if math.isnan(v) else int(v) for v in x], dtype="Int64"),
        lambda x: pd.array([None if math.isnan(v) else bool(v) for v in x], dtype="boolean"),
        lambda x: pl.Series([None if math.isnan(v) else v for v in x]),
        lambda x: [None if math.isnan(v) else bool(v) for v in x],
    ],
)
def test_missing_values_of_every_library_are_rows_that_nobody_saw(make: Any) -> None:
    human, judge = case("labels")
    assert (
        stakes.judged_mean(make(human), judge).to_dict()
        == stakes.judged_mean(human, judge).to_dict()
    )


def test_more_confidence_needs_a_wider_interval() -> None:
    human, judge = case("labels")
    narrow, wide = (ends(stakes.judged_mean(human, judge, level=x)) for x in (0.8, 0.99))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
