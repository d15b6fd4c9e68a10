"""Responses at a confidence target: values by hand, and laws that hold for any responses."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

import stakes
from stakes.responses.constant_rules import beside_constants
from stakes.responses.response_measures import ResponseMeasures, own_measures
from strategies import confidence_targets, responses_columns, weight_arrays

Columns = dict[str, np.ndarray]
WHOLE = settings(max_examples=settings().max_examples // 3)  # evaluations take long
TRUTHLESS = ("utility", "cost.value", "answered", "right", "answered_accuracy",
             "hallucination_rate", "omniscience_index")  # fmt: skip


def ulps(found: float, exact: Fraction) -> float:
    """Return how many units in the last place a number is off."""
    scale = math.ulp(float(exact)) if exact else math.ulp(0.0)
    return float(abs(Fraction(found) - exact) / Fraction(scale))


def measures(columns: Columns, **more: object) -> ResponseMeasures:
    """Return the numbers of responses."""
    return own_measures(stakes.Responses(**columns, **more), 0.95)  # type: ignore[arg-type]


def same(one: stakes.Estimate, other: stakes.Estimate) -> bool:
    """Whether two estimates have the same bits; NaN is NaN."""
    return one.to_dict() == other.to_dict()


# -- by hand


@pytest.mark.parametrize("t", [0.0, 0.25, 0.5, 0.75, 0.9, 0.999])
@pytest.mark.parametrize("counts", [(53, 41, 6), (1, 0, 0), (0, 0, 1), (7, 3, 90), (0, 9, 2)])
def test_values_are_those_of_fractions(t: float, counts: tuple[int, int, int]) -> None:
    right, wrong, silent = counts
    n, target, price = sum(counts), Fraction(t), 1 - Fraction(t)
    said = stakes.Responses.from_counts(right=right, wrong=wrong, abstained=silent)
    found = stakes.evaluate_responses(said, t).numbers
    assert ulps(found["utility"].value, (right - target / price * wrong) / n) <= 4
    assert ulps(found["cost.value"].value, (wrong + price * silent) / n) <= 4
    assert ulps(found["answered"].value, Fraction(right + wrong, n)) <= 4
    assert ulps(found["right"].value, Fraction(right, n)) <= 4
    assert ulps(found["omniscience_index"].value, Fraction(100 * (right - wrong), n)) <= 4
    if right + wrong:
        assert ulps(found["answered_accuracy"].value, Fraction(right, right + wrong)) <= 4
    if wrong + silent:
        assert ulps(found["hallucination_rate"].value, Fraction(wrong, wrong + silent)) <= 4
    naive = min(Fraction(wrong), price * n)  # of answers held back all are taken to be right
    if naive:
        assert ulps(found["cost.nec"].value, (wrong + price * silent) / naive) <= 4


def test_a_small_case_by_hand() -> None:
    """Two right, one wrong, one held back that would have been wrong, at a target of 3/4."""
    said = stakes.Responses([1, 1, 0, 0], [0.9, 0.6, 0.8, 0.3], [0, 0, 0, 1])
    found = stakes.evaluate_responses(said, 0.75)
    assert found.numbers["utility"].value == (2 - 3) / 4
    assert found.numbers["cost.value"].value == (1 + 0.25) / 4
    assert found.naive == ("abstain", 0.0)  # always answering would cost 2/4, never 1/4
    assert found.numbers["cost.nec"].value == 1.25
    assert found.rule["stated"].utility.value == (1 - 3) / 4  # answers 0.9 and 0.8
    assert found.rule["stated"].gain == pytest.approx(-1 / 4, rel=1e-15)
    assert found.curve.utility["best"][found.curve.targets == 0.75] == [1 / 4]  # 0.9 alone
    assert found.overconfidence is not None
    assert found.overconfidence.value == pytest.approx((0.9 + 0.6 + 0.8 + 0.3) / 4 - 0.5)


def test_the_published_omniscience_index_follows_from_the_published_rates() -> None:
    """53 % right and a hallucination rate of 88 %, both rounded, were published beside 13."""
    low, high = (right - rate / 100 * (100 - right) for right, rate in ((52.5, 88.5), (53.5, 87.5)))
    assert low < 12.5 < high < 13.5  # some rates that round to these give an index of 13
    said = stakes.Responses.from_counts(right=534, wrong=408, abstained=58)
    found = stakes.evaluate_responses(said, 0.5).numbers
    assert round(100 * found["right"].value) == 53
    assert round(100 * found["hallucination_rate"].value) == 88
    assert 12 <= found["omniscience_index"].value <= 13


def test_a_target_is_costs_with_an_abstention() -> None:
    target = stakes.ConfidenceTarget(0.75)
    assert target.penalty == 3
    assert target.costs().values.tolist() == [[1, 0.25], [0, 0.25]]
    three = target.costs(["a", "b", "c"])
    assert three.decisions[-1] == "abstain"
    assert str(target) == "target 75 %: +1 right, −3 wrong, 0 for no answer"
    for t in (1.0, -0.1, math.nan, "x", 1.5):
        with pytest.raises(stakes.InputError, match="t must"):
            stakes.ConfidenceTarget(t)  # type: ignore[arg-type]


# -- laws


@given(responses_columns(), confidence_targets())
def test_utility_mirrors_cost(columns: Columns, t: float) -> None:
    found = measures(columns)
    target = stakes.ConfidenceTarget(t)
    utility, cost = found.utility(target), found.cost(target).value
    assert utility.value == pytest.approx(1 - cost / (1 - t), abs=1e-12 / (1 - t))
    band, costs = utility.interval, found.cost(target).interval()
    assert band is not None
    assert list(band) == pytest.approx([1 - end / (1 - t) for end in (costs.high, costs.low)])


@given(responses_columns(), confidence_targets())
def test_cost_is_the_expected_cost_of_decisions(columns: Columns, t: float) -> None:
    """Right and wrong as classes, answering and abstaining as decisions."""
    target = stakes.ConfidenceTarget(t)
    names = np.array(["wrong", "right"]), np.array(["answer", "abstain"])
    y, d = (
        part[columns[k].astype(int)] for part, k in zip(names, ("right", "abstained"), strict=True)
    )
    known = stakes.expected_cost(y, d, costs=target.costs())
    record, normalized = measures(columns).normalized(target)
    assert record.value == pytest.approx(known.value, rel=1e-14)
    assert record.naive == pytest.approx(known.naive, rel=1e-14)
    if known.undefined is None:
        assert normalized.value == pytest.approx(known.normalized, rel=1e-14)
    else:
        assert math.isnan(normalized.value)
        assert "costs nothing" in normalized.method


@WHOLE
@given(responses_columns())
def test_without_a_penalty_always_answering_is_best(columns: Columns) -> None:
    found = stakes.evaluate_responses(stakes.Responses(**columns), 0.0)
    share = columns["right"].mean()
    for rule, answered in found.curve.answered.items():
        if rule != "own":
            assert answered[0] == pytest.approx(1)
            assert found.curve.utility[rule][0] == pytest.approx(share)
    assert found.numbers["utility"].value == pytest.approx(found.numbers["right"].value)
    assert found.numbers["utility"].value <= share + 1e-12


@given(responses_columns(), st.data(), confidence_targets())
def test_abstentions_need_no_truth(columns: Columns, data: st.DataObject, t: float) -> None:
    """Nothing but the normalised cost depends on it, and that through always answering alone."""
    n, silent = columns["right"].size, columns["abstained"] == 1
    other = columns["right"].copy()
    drawn = data.draw(st.lists(st.sampled_from([0.0, 1.0, math.nan]), min_size=n, max_size=n))
    other[silent] = np.array(drawn)[silent]
    target = stakes.ConfidenceTarget(t)
    one, two = (measures(columns | {"right": right}) for right in (columns["right"], other))
    found, changed = one.all_of(target), two.all_of(target)
    for name in TRUTHLESS:
        assert same(found[name], changed[name]), name
    naive = [part.normalized(target)[0].naive_answer for part in (one, two)]
    if naive == ["abstain", "abstain"]:
        assert found["cost.nec"].value == changed["cost.nec"].value


@given(responses_columns(largest=7, known=False), confidence_targets())
def test_the_normalised_cost_is_the_largest_of_all_that_could_be(
    columns: Columns, t: float
) -> None:
    target, right = stakes.ConfidenceTarget(t), columns["right"]
    missing = np.flatnonzero(np.isnan(right))
    found = measures(columns).normalized(target)[1]
    largest = []
    for truths in itertools.product([0.0, 1.0], repeat=missing.size):
        full = right.copy()
        full[missing] = truths
        known = measures(columns | {"right": full}).normalized(target)[1]
        largest.append(math.inf if math.isnan(known.value) else known.value)
        if found.interval is not None and missing.size:
            assert found.interval.low <= known.value <= found.interval.high + 1e-12
    if math.isnan(found.value):
        assert max(largest) == math.inf
    else:
        assert found.value == pytest.approx(max(largest), rel=1e-14)


@given(responses_columns(), st.data(), confidence_targets())
def test_order_changes_no_bit(columns: Columns, data: st.DataObject, t: float) -> None:
    n = columns["right"].size
    weights = data.draw(st.one_of(st.none(), weight_arrays(n)))
    order = np.array(data.draw(st.permutations(range(n))))
    target = stakes.ConfidenceTarget(t)
    one = measures(columns, sample_weight=weights)
    moved = {name: column[order] for name, column in columns.items()}
    two = measures(moved, sample_weight=None if weights is None else weights[order])
    for name, value in one.all_of(target).items():
        assert value.value == two.all_of(target)[name].value or math.isnan(value.value), name


@given(responses_columns(), st.integers(2, 4), confidence_targets())
def test_copies_of_all_rows_keep_every_value(columns: Columns, times: int, t: float) -> None:
    target = stakes.ConfidenceTarget(t)
    many = {name: np.tile(column, times) for name, column in columns.items()}
    one, two = (measures(c).all_of(target) for c in (columns, many))
    for name, found in one.items():
        assert found.value == two[name].value or math.isnan(found.value), name


@WHOLE
@given(responses_columns(), st.data(), confidence_targets())
def test_weights_count_as_copies(columns: Columns, data: st.DataObject, t: float) -> None:
    n = columns["right"].size
    weights = data.draw(weight_arrays(n, whole=True))
    copies = {name: np.repeat(column, weights.astype(int)) for name, column in columns.items()}
    one = stakes.evaluate_responses(stakes.Responses(**columns, sample_weight=weights), t)
    two = stakes.evaluate_responses(stakes.Responses(**copies), t)
    for name, found in one.numbers.items():
        assert found.value == pytest.approx(two.numbers[name].value, rel=1e-13, nan_ok=True), name
    for rule in ("own", "stated", "best"):
        assert one.curve.utility[rule] == pytest.approx(two.curve.utility[rule], abs=1e-10)
    assert {k: e.value for k, e in one.areas.items()} == pytest.approx(
        {k: e.value for k, e in two.areas.items()}, abs=1e-13
    )


@given(responses_columns(largest=60), confidence_targets())
def test_groups_of_one_response_are_nearly_none(columns: Columns, t: float) -> None:
    """Quantiles of Student's distribution make intervals a little wider, never narrower."""
    n, target = columns["right"].size, stakes.ConfidenceTarget(t)
    if n < 5:
        return
    alone, grouped = (
        measures(columns, groups=groups).all_of(target) for groups in (None, np.arange(n))
    )
    for name, found in alone.items():
        other = grouped[name]
        assert found.value == other.value or math.isnan(found.value)
        if found.interval is None or other.interval is None:
            continue
        width, wider = (e.interval.high - e.interval.low for e in (found, other))  # type: ignore[union-attr]
        most = 2.8 if n < 20 else 1.6  # any response seen may occur once more
        assert width - 1e-9 <= wider <= most * width + 1e-9, name


@WHOLE
@given(responses_columns(), confidence_targets())
def test_intervals_include_their_values(columns: Columns, t: float) -> None:
    for name, found in stakes.evaluate_responses(stakes.Responses(**columns), t).metrics().items():
        if found.interval is not None and not name.startswith("confidence."):
            low, high = found.interval
            assert low - 1e-9 <= found.value <= high + 1e-9, name


@WHOLE
@given(responses_columns(largest=20), confidence_targets())
def test_confidence_is_the_evaluation_of_right_and_wrong(columns: Columns, t: float) -> None:
    said = stakes.Responses(**columns).in_order()  # in which folds are dealt
    found = stakes.evaluate_responses(said, t).confidence
    y = np.array(["wrong", "right"])[said.right]
    if np.unique(y).size < 2:
        assert found is None
        return
    assert found is not None
    assert said.confidence is not None
    p = stakes.Posteriors(said.confidence)
    target = stakes.ConfidenceTarget(t)
    known = stakes.evaluate(
        y, p, costs=target.costs(), calibrator=stakes.IsotonicCalibrator(mix=1.0)
    )
    assert {k: e.to_dict() for k, e in found.metrics().items()} == {
        k: e.to_dict() for k, e in known.metrics().items()
    }


# -- edges


def test_nothing_is_undefined_without_a_reason() -> None:
    cases = {
        "one right": stakes.Responses([1]),
        "one abstention": stakes.Responses([None], None, [1]),
        "all abstained": stakes.Responses([None] * 30, [0.2] * 30, [1] * 30),
        "all right": stakes.Responses([1] * 30, [0.5, 1.0] * 15),
        "all wrong": stakes.Responses([0] * 30, [0.0, 1.0] * 15),
        "some unknown": stakes.Responses([1, None], [1.0, None], [0, 1]),
    }
    for name, said in cases.items():
        for t in (0.0, 0.5, 0.999):
            found = stakes.evaluate_responses(said, t)
            assert found.verdicts, name
            for key, value in found.metrics().items():
                assert value.method or not math.isnan(value.value), (name, key)
            assert found.to_dict()["responses"] == len(said)
            assert str(found)
    said = cases["all abstained"]
    assert stakes.coverage_at_risk(said, 0.1).threshold == math.inf
    assert math.isnan(stakes.coverage_at_risk(said, 0.1).risk)
    numbers = stakes.evaluate_responses(said, 0.5).numbers
    assert numbers["answered_accuracy"].method == "no question was answered"
    assert "if every answer held back is right" in numbers["cost.nec"].method
    all_right = stakes.evaluate_responses(cases["all right"], 0.5).numbers
    assert all_right["hallucination_rate"].method == "every question was answered rightly"


def test_missing_truths_widen_the_normalised_cost_to_both_extremes() -> None:
    target = stakes.ConfidenceTarget(0.5)
    silent = [0] * 320 + [1] * 80
    answers = [1] * 300 + [0] * 20
    found, all_wrong, all_right = (
        own_measures(stakes.Responses(answers + [held] * 80, None, silent), 0.95)
        for held in (None, 0, 1)
    )
    band, low, high = (x.normalized(target)[1].interval for x in (found, all_wrong, all_right))
    assert band is not None
    assert low is not None
    assert high is not None
    assert band.low == low.low < high.low - 0.1
    assert band.high == high.high
    one, two = (beside_constants(x, target) for x in (found, all_right))
    assert (one.better, one.never) == (two.better, two.never)
    assert (one.unknown, two.unknown) == (80, 0)


def test_a_share_of_tiny_weight_keeps_its_interval() -> None:
    said = stakes.Responses([0, 0], None, [1, 0], sample_weight=[1.0, 6e-291])
    found = stakes.evaluate_responses(said, 0.5).numbers["answered_accuracy"]
    alone = stakes.evaluate_responses(stakes.Responses([0]), 0.5).numbers["answered_accuracy"]
    assert same(found, alone)


def test_rows_of_weight_0_are_absent() -> None:
    right, sure = [1, 0, 1, 0, 1, 1], [0.9, 0.2, 0.6, 0.7, 0.8, 0.5]
    weights, topic = [1, 0, 1, 1, 0, 1], list("aabbbc")
    kept = [k for k, w in enumerate(weights) if w]
    one = stakes.evaluate_responses(
        stakes.Responses(right, sure, sample_weight=weights), 0.5, slices={"topic": topic}
    )
    some = stakes.Responses(
        [right[k] for k in kept], [sure[k] for k in kept], sample_weight=[1] * 4
    )
    two = stakes.evaluate_responses(some, 0.5, slices={"topic": [topic[k] for k in kept]})
    assert one.to_dict() == two.to_dict()


def test_a_slice_within_one_group_has_no_verdict() -> None:
    rng = np.random.default_rng(0)
    topic, document = np.repeat(["a", "b"], 60), np.repeat([0, *range(1, 7)], [60] + [10] * 6)
    said = stakes.Responses(rng.random(120) < 0.7, rng.random(120), groups=document)
    found = stakes.evaluate_responses(said, 0.5, slices={"topic": topic})
    assert found.slices[0].verdict.code == "no_verdict"
    assert found.slices[0].numbers["utility"].method == "needs 5 groups: got 1"


def test_answers_beside_always_and_never_answering() -> None:
    def codes(*counts: int, t: float = 0.75) -> str:
        right, wrong, silent = counts
        said = stakes.Responses.from_counts(right=right, wrong=wrong, abstained=silent)
        return stakes.evaluate_responses(said, t).verdicts[0].code

    assert codes(150, 10, 40) == "better_than_never"  # of 40 nobody knows whether they are right
    assert codes(180, 20, 0) == "better_than_never"  # it never abstains
    assert codes(100, 100, 0) == "worse_than_naive"
    assert codes(75, 25, 0) == "not_distinguishable"
    said = stakes.Responses([1] * 150 + [0] * 50, None, [0] * 150 + [1] * 50)
    found = stakes.evaluate_responses(said, 0.75).verdicts[0]
    assert found.code == "useful"
    text = stakes.evaluate_responses(
        stakes.Responses.from_counts(right=150, wrong=10, abstained=40), 0.75
    ).verdict
    assert "truth of 40 abstentions is missing" in text
    even = stakes.evaluate_responses(stakes.Responses.from_counts(right=75, wrong=25), 0.75)
    assert "not distinguishable from never answering" in even.verdict


# -- kinds of confidence and of columns


def test_confidence_in_every_form() -> None:
    words = {"certain": 0.9, "unsure": 0.5}
    kinds = [
        stakes.StatedProbability([0.9, 0.5]),
        stakes.StatedPercent([90, 50]),
        stakes.VerbalConfidence([" Certain", "UNSURE"], words),
        stakes.AnswerLogProbability([math.log(0.9), math.log(0.5)]),
        stakes.Agreement([9, 5], samples=10),
    ]
    for kind in kinds:
        said = stakes.Responses([1, 0], kind)
        assert said.confidence == pytest.approx([0.9, 0.5], rel=1e-15)
    for kind in (kinds[1], kinds[2], kinds[4]):
        assert kind.probabilities().tolist() == [0.9, 0.5]


@pytest.mark.parametrize(
    "column",
    [
        [True, False, None], [1, 0, math.nan], ["yes", "No", ""], ["right", "wrong", "none"],
        np.array([1.0, 0.0, np.nan]), pd.Series([True, False, None], dtype="boolean"),
        pl.Series([True, False, None]), ["1", "0", "NaN"], np.array(["true", "false", "null"]),
    ],
)  # fmt: skip
def test_truths_in_every_form(column: object) -> None:
    said = stakes.Responses(column, [0.5, None, None], [0, 1, 1])  # type: ignore[arg-type]
    assert said.right.tolist() == [1, 0, -1]
    assert not said.is_wrong.any()  # what was held back would have been
    assert said.unknown == 1


def test_outcomes_by_their_words() -> None:
    said = stakes.Responses.from_outcomes(["wrong", "right", "abstained"], [0.2, 0.9, None])
    assert (said.is_right.tolist(), said.is_wrong.tolist()) == ([0, 1, 0], [1, 0, 0])
    assert said.abstained.tolist() == [False, False, True]


R = stakes.Responses
SAID = R([1, 0], [0.9, 0.2])
ERRORS = [
    (lambda: R([1, 2]), ["right must hold true or false", "2", "row 1"]),
    (lambda: R([1, "maybe"]), ["right", "'maybe'", "row 1"]),
    (lambda: R([]), ["right", "empty"]),
    (lambda: R([1, None]), ["right", "missing", "row 1", "abstained=..."]),
    (lambda: R([1, 0], [0.5]), ["confidence", "1 for 2 responses"]),
    (lambda: R([1, 0], [0.5, 90]), ["confidence", "0 to 1", "90", "row 1", "StatedPercent"]),
    (lambda: R([1, 0], [0.5, None]), ["confidence", "missing", "row 1", "abstention"]),
    (lambda: R([1, 0], [0.5, "x"]), ["confidence must hold numbers", "'x'", "row 1"]),
    (lambda: R([1, 0], stakes.StatedPercent([50, 101])), ["0 to 100", "101", "row 1"]),
    (lambda: R([1], stakes.VerbalConfidence(["sure"], {"likely": 0.8})), ["'sure'", "Declare"]),
    (lambda: R([1], stakes.VerbalConfidence(["a"], {})), ["words", "{'likely': 0.8}"]),
    (lambda: R([1], stakes.VerbalConfidence(["a"], {"a": 2})), ["words 'a'", "2"]),
    (lambda: R([1], stakes.AnswerLogProbability([0.1])), ["0.1", "at most 0"]),
    (lambda: R([1], stakes.Agreement([0.5], 10)), ["whole numbers", "0.5", "StatedProbability"]),
    (lambda: R([1], stakes.Agreement([11], 10)), ["0 to 10", "11"]),
    (lambda: R([1], None, [None]), ["abstained", "missing", "row 0"]),
    (lambda: R([1, 0], None, [1]), ["abstained", "1 for 2"]),
    (lambda: R([1, 0], groups=["a", "a"]), ["groups", "two groups", "Leave groups out"]),
    (lambda: R([1, 0, 1], groups=list("aab"), sample_weight=[1, 1, 0]), ["groups", "two"]),
    (lambda: R([1, 0], sample_weight=[0, 0]), ["sample_weight"]),
    (lambda: R(x for x in [1, 0]), ["right", "generator", "list(right)"]),  # type: ignore[arg-type]
    (lambda: R("yes"), ["right", "column", "'yes'"]),
    (lambda: R([[1, 0]]), ["right", "1-D"]),
    (lambda: R(np.ma.array([1, 0], mask=[False, True])), ["right", "masked"]),
    (lambda: R.from_outcomes(["right", "??"]), ["outcomes", "'??'", "row 1", "wrong=..."]),
    (lambda: R.from_outcomes(["a"], right="x", wrong="x"), ["three different words"]),
    (lambda: R.from_counts(right=1.5, wrong=0), ["right", "whole number", "1.5"]),  # type: ignore[arg-type]
    (lambda: R.from_counts(right=0, wrong=0), ["must not all be 0"]),
    (lambda: stakes.evaluate_responses([1, 0], 0.5), ["responses must be Responses("]),  # type: ignore[arg-type]
    (lambda: stakes.evaluate_responses(SAID, 1.0), ["t must", "1"]),
    (lambda: stakes.evaluate_responses(SAID, slices={"a": [1]}), ["slices 'a'", "1 for 2"]),
    (lambda: stakes.coverage_at_risk(R([1, 0]), 0.1), ["responses", "confidence"]),
    (lambda: stakes.coverage_at_risk(SAID, 0), ["risk must", "0"]),
    (lambda: stakes.coverage_at_error_rate(SAID, 1), ["rate must", "1"]),
    (
        lambda: stakes.coverage_at_risk(R([1, 0], [1, 0], sample_weight=[1, 2]), 0.1),
        ["responses", "no weights"],
    ),
    (lambda: stakes.response_risk_coverage(R([1, 0])), ["responses", "confidence=..."]),
    (
        lambda: stakes.risk_coverage_curve([1, 0], [0.9, 0.2]),
        ["scores", "plain column", "Posteriors(p)", "Responses(right, confidence)"],
    ),
]


@pytest.mark.parametrize(("call", "words"), ERRORS, ids=range(len(ERRORS)))
def test_errors_name_the_argument_the_value_and_the_way_out(call, words) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    with pytest.raises(stakes.InputError) as caught:
        call()
    for word in words:
        assert word in str(caught.value), str(caught.value)
