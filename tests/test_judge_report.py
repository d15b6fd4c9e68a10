"""Answers that a judge labelled: hand-computed numbers, laws, sentences that tests allow."""

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import stakes
from stakes.responses.judge_errors import JudgeErrors
from stakes.responses.judge_verdicts import judge_side
from test_judge import Columns, close, columns, ends

nan = math.nan
ROOT = Path(__file__).parent.parent
LONG = settings(max_examples=20, deadline=None)
NUMBERS = ("utility", "cost", "accuracy", "hallucination_rate")


def example(**more: Any) -> stakes.JudgedResponses:
    """40 of 200 answers seen by people, 50 abstentions, a judge that passes 8 of 18 wrong ones."""
    human = [1] * 22 + [0] * 18 + [None] * 160 + [None] * 50
    judge = [1] * 21 + [0] + [1] * 8 + [0] * 10 + [1] * 118 + [0] * 42 + [None] * 50
    abstained = [False] * 200 + [True] * 50
    return stakes.judge_report(human, judge, abstained, **{"target": 0.75, **more})


def test_numbers_by_hand() -> None:
    found = example()
    a, q, f = 0.8, found.answers.value, 147 / 200
    assert found.answers.human_only.value == 0.55
    assert found.answered.value == pytest.approx(a, rel=1e-15)
    assert found.answers.judge_only == pytest.approx(f, rel=1e-15)
    wanted: dict[str, Callable[[float], float]] = {
        "utility": lambda x: a * (x - (1 - x) * 3),
        "cost": lambda x: a * (1 - x) + 0.2 * 0.25,
        "accuracy": lambda x: x,
        "hallucination_rate": lambda x: a * (1 - x) / (a * (1 - x) + 0.2),
    }
    for name, formula in wanted.items():
        number = getattr(found, name)
        assert number.value == pytest.approx(formula(q), rel=1e-12)
        assert number.judge_only == pytest.approx(formula(f), rel=1e-12)
        assert number.bias.value == pytest.approx(formula(f) - formula(q), rel=1e-12)
    assert found.sensitivity.value == pytest.approx(21 / 22)
    assert found.specificity.value == pytest.approx(10 / 18)
    exact = stats.binomtest(1, 9).pvalue  # eight errors against one
    assert 0.02 < found.p_value < exact


def test_an_answer_by_hand_equals_that_of_the_mean() -> None:
    found = example()
    human = [1] * 22 + [0] * 18 + [None] * 160
    judge = [1] * 21 + [0] + [1] * 8 + [0] * 10 + [1] * 118 + [0] * 42
    mean = stakes.judged_mean(human, judge)
    assert found.answers.to_dict() == mean.to_dict()
    assert ends(found.accuracy) == pytest.approx(ends(mean))


@LONG
@given(columns(binary=False), st.sampled_from([0.0, 0.25, 0.5, 0.9]), st.integers(0, 2**20))
def test_utility_is_the_mirror_of_cost(c: Columns, t: float, seed: int) -> None:
    abstained = np.random.default_rng(seed).random(c.human.size) < 0.3
    found = stakes.judge_report(c.human, c.judge, abstained, target=t)
    if math.isnan(found.answers.value):
        return
    assert close(found.utility.value, 1 - found.cost.value / (1 - t))
    assert close(found.utility.judge_only, 1 - found.cost.judge_only / (1 - t))
    if found.utility.interval is not None:
        mirror = [1 - x / (1 - t) for x in reversed(ends(found.cost))]
        assert ends(found.utility) == pytest.approx(mirror, abs=1e-9)
    for name in NUMBERS:
        number = getattr(found, name)
        if number.interval is not None:
            low, high = number.interval
            assert low - 1e-12 <= number.value <= high + 1e-12


@LONG
@given(columns(), st.integers(0, 2**20))
def test_rows_that_abstained_need_no_label(c: Columns, seed: int) -> None:
    rng = np.random.default_rng(seed)
    abstained = rng.random(c.human.size) < 0.3
    junk = np.where(abstained, rng.choice([nan, 7.0, -1.0], c.human.size), 0.0)
    first = stakes.judge_report(c.human, c.judge, abstained, target=0.5)
    second = stakes.judge_report(
        np.where(abstained, junk, c.human),
        np.where(abstained, junk, c.judge),
        abstained,
        target=0.5,
    )
    assert first.to_dict() == second.to_dict()


@LONG
@given(columns(), st.integers(0, 2**20))
def test_the_order_of_rows_changes_no_bit(c: Columns, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = c.human.size
    told = {"abstained": rng.random(n) < 0.2, "groups": rng.integers(0, 9, n)}
    order = rng.permutation(n)
    mixed = {name: values[order] for name, values in told.items()}
    first = stakes.judge_report(c.human, c.judge, **told, target=0.5)
    second = stakes.judge_report(c.human[order], c.judge[order], **mixed, target=0.5)
    assert first.to_dict() == second.to_dict()


def test_without_abstentions_the_rate_among_what_is_not_right_is_1() -> None:
    human, judge = [1] * 12 + [0] * 8 + [None] * 20, [1] * 10 + [0] * 10 + [1] * 10 + [0] * 10
    found = stakes.judge_report(human, judge, target=0.5)
    assert found.hallucination_rate.value == 1
    perfect = stakes.judge_report([1] * 12 + [None] * 8, [1] * 20, target=0.5)
    assert math.isnan(perfect.hallucination_rate.value)
    assert "nothing is not right" in perfect.hallucination_rate.method
    assert perfect.accuracy.interval is not None
    assert perfect.accuracy.interval.low < 0.85


def test_all_rows_abstained() -> None:
    found = stakes.judge_report([None] * 5, [None] * 5, [True] * 5, target=0.75)
    assert (found.utility.value, found.cost.value) == (0, 0.25)
    assert found.utility.method == "no row was answered"
    assert math.isnan(found.accuracy.value)
    assert found.hallucination_rate.value == 0
    assert found.verdicts == ()


def test_no_human_label() -> None:
    found = stakes.judge_report([None] * 4, [1, 1, 0, 1], target=0.5)
    assert math.isnan(found.utility.value)
    assert found.utility.judge_only == 0.5
    assert found.utility.method == "no row has a human label"
    assert math.isnan(found.sensitivity.value)


def test_the_sentence_on_a_generous_judge() -> None:
    found = example(target=0.5).verdicts
    assert [v.code for v in found] == ["judge_generous"]
    assert str(found[0]) == (
        "The judge alone gives a utility of 0.38; corrected 0.09 (−0.15 to 0.31): it passes 44 % of"
        " wrong answers. Report the corrected number."
    )


def test_the_sentence_on_a_strict_judge_and_on_one_of_whom_little_is_known() -> None:
    human = [1] * 30 + [0] * 10 + [None] * 60
    strict = [1] * 18 + [0] * 22 + [1] * 27 + [0] * 33
    found = stakes.judge_report(human, strict, target=0).verdicts[0]
    assert found.code == "judge_strict"
    assert "it fails 40 % of right answers." in found.text
    fair = [1] * 27 + [0] * 3 + [1] * 2 + [0] * 8 + [1] * 43 + [0] * 17
    unclear = stakes.judge_report(human, fair, target=0).verdicts[0]
    assert unclear.code == "judge_bias_unclear"
    assert "40 human labels do not show a bias of the judge" in unclear.text


def test_people_who_saw_other_rows_are_noticed() -> None:
    human = [1] * 20 + [0] * 20 + [None] * 100
    judge = [1] * 18 + [0] * 22 + [1] * 90 + [0] * 10
    codes = [v.code for v in stakes.judge_report(human, judge, target=0.5).verdicts]
    assert "human_rows_differ" in codes
    chance = [0.3] * 140
    told = stakes.judge_report(human, judge, target=0.5, inclusion=chance)
    assert "human_rows_differ" not in [v.code for v in told.verdicts]


def test_few_labels_in_groups_are_no_evidence_of_another_choice() -> None:
    """A judge that passes nearly all passes all of a few: that is chance."""
    judge = np.where(np.arange(1000) % 20 == 7, 0.0, 1.0)
    human = np.where(np.arange(1000) % 50 == 0, 1.0, nan)
    found = stakes.judge_report(human, judge, target=0.5, groups=np.arange(1000) // 10)
    assert found.answers.caution == ""


def test_whole_groups_that_were_chosen_are_compared_as_groups() -> None:
    unit = np.arange(1000) // 25
    judge = (unit % 2).astype(float)
    human = np.where(np.isin(unit, [1, 3, 5, 7, 9, 10]), judge, nan)
    assert stakes.judge_report(human, judge, target=0.5).answers.caution
    assert not stakes.judge_report(human, judge, target=0.5, groups=unit).answers.caution


@pytest.mark.parametrize(("p_value", "side"), [(0.04, 1), (0.06, 0), (nan, 0)])
def test_a_judge_is_called_generous_only_where_the_test_allows_it(
    p_value: float, side: int
) -> None:
    answers, none = example().answers, stakes.Estimate(nan)
    assert ends(answers.bias)[0] > 0
    assert judge_side(answers, JudgeErrors(none, none, p_value), 0.95) == side


def test_a_probability_of_a_half_passes() -> None:
    human = [1] * 10 + [0] * 10
    judge = [0.5] * 10 + [0.49] * 10
    found = stakes.judge_report(human, judge, target=0.5)
    assert (found.sensitivity.value, found.specificity.value) == (1, 1)


def test_groups_that_answer_more_where_they_are_right_widen_the_utility() -> None:
    rng = np.random.default_rng(4)
    unit = np.repeat(np.arange(40), 10)
    easy = unit % 2 == 0
    right = (rng.random(400) < np.where(easy, 0.95, 0.4)).astype(float)
    abstained = rng.random(400) < np.where(easy, 0.05, 0.6)
    human = np.where(rng.random(400) < 0.5, right, nan)
    alone, grouped = (
        stakes.judge_report(human, right, abstained, target=0, groups=g).utility
        for g in (None, unit)
    )
    assert grouped.value == pytest.approx(alone.value)
    assert np.diff(ends(grouped))[0] > 1.3 * np.diff(ends(alone))[0]


@pytest.mark.skipif(not (ROOT / "benchmarks").exists(), reason="an sdist has no benchmarks")
@pytest.mark.parametrize(
    "part",
    [
        {"judge": "good", "accuracy": 0.95, "humans": 10},
        {"judge": "generous", "accuracy": 0.5, "humans": 20, "rows": 300},
        {"judge": "probability", "accuracy": 0.8, "humans": 50, "group": 10, "answered": 0.7},
    ],
    ids=lambda part: part["judge"],
)
def test_intervals_include_the_value_of_the_population(
    part: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    sys.path.insert(0, str(ROOT))
    from benchmarks import judges  # noqa: PLC0415

    monkeypatch.setattr(judges, "SEED", 4_711)
    found = judges.count(judges.Cell(**part), range(60))
    for name in judges.COVERED[1:]:
        given, covered = found[name]
        assert given == 60 or name == "hallucination rate"  # none of answers that all seem right
        assert given - covered <= 9, name  # at 0.95 as few or fewer have a probability of 0.003
    for name in judges.FALSE:
        assert found[name][1] <= 9


@pytest.mark.skipif(not (ROOT / "benchmarks").exists(), reason="an sdist has no benchmarks")
def test_the_page_has_marks_for_the_tables() -> None:
    sys.path.insert(0, str(ROOT))
    from benchmarks import judges  # noqa: PLC0415

    text = judges.PAGE.read_text(encoding="utf-8")
    again = judges.written(text, "| a |")
    assert again.count("| a |") == 1
    assert again.split(judges.BEGIN)[0] == text.split(judges.BEGIN)[0]
    assert again.split(judges.END)[1] == text.split(judges.END)[1]
