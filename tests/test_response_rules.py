"""Rules that say when to answer: thresholds, calibration without leaks, risks that are kept."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binom
from sklearn.model_selection import GroupKFold

import stakes
from stakes._quantiles import binomial_below
from stakes.responses.abstention_rules import calibrate_confidence
from stakes.responses.risk_control import _crossing, _levels, _shown
from stakes.responses.selective_areas import _influences
from strategies import confidence_targets, responses_columns

Columns = dict[str, np.ndarray]
WHOLE = settings(max_examples=settings().max_examples // 3)  # evaluations take long
ISOTONIC = stakes.IsotonicCalibrator(mix=1.0)


def drawn(seed: int, n: int = 300, **more: object) -> stakes.Responses:
    """Return calibrated answers of a system that answers all."""
    rng = np.random.default_rng(seed)
    sure = rng.random(n)
    return stakes.Responses(rng.random(n) < sure, sure, **more)  # type: ignore[arg-type]


# -- thresholds


@given(st.integers(0, 1000))
def test_a_confidence_at_the_target_answers(k: int) -> None:
    """As it is stated, whatever a difference of products would be rounded to."""
    t = k / 1001
    target = stakes.ConfidenceTarget(t)
    p = np.array([np.nextafter(t, -1), t, np.nextafter(t, 2)])
    assert target.answers(p).tolist() == [False, True, True]


@WHOLE
@given(responses_columns(), confidence_targets())
def test_no_threshold_is_better_than_the_best_one(columns: Columns, t: float) -> None:
    found = stakes.evaluate_responses(stakes.Responses(**columns), t)
    here = found.curve.targets == t
    best = float(found.curve.utility["best"][here][0])
    penalty = t / (1 - t)
    right, sure = columns["right"], columns["confidence"]
    points = np.where(right == 1, 1.0, -penalty)
    every = [float(np.where(sure >= c, points, 0).mean()) for c in [*np.unique(sure), math.inf]]
    assert best == pytest.approx(max(every), abs=1e-9 * (1 + penalty))
    threshold = float(found.curve.best_threshold[here][0])  # type: ignore[index]
    seen = float(np.where(sure >= threshold, points, 0).mean())
    assert seen == pytest.approx(best, abs=1e-9 * (1 + penalty))
    assert found.rule["stated"].utility.value <= best + 1e-9 * (1 + penalty)
    regret = found.curve.regret()[here][0]
    assert regret == pytest.approx(best - found.numbers["utility"].value, abs=1e-9 * (1 + penalty))


@WHOLE
@given(responses_columns(), confidence_targets())
def test_the_stated_rule_is_the_bayes_decision(columns: Columns, t: float) -> None:
    target = stakes.ConfidenceTarget(t)
    found = stakes.evaluate_responses(stakes.Responses(**columns), target).rule["stated"]
    answers = columns["confidence"] >= t
    y = np.array(["wrong", "right"])[columns["right"].astype(int)]
    d = np.where(answers, "answer", "abstain")
    cost = stakes.expected_cost(y, d, costs=target.costs()).value
    assert found.utility.value == pytest.approx(target.utility(cost), abs=1e-12 / (1 - t))
    assert found.answered.value == pytest.approx(answers.mean())
    assert found.threshold == t


@WHOLE
@given(responses_columns(largest=12), confidence_targets())
def test_a_gain_is_a_difference_of_utilities(columns: Columns, t: float) -> None:
    found = stakes.evaluate_responses(stakes.Responses(**columns), t)
    own, stated = found.rule["own"], found.rule["stated"]
    assert own.gain is None
    assert stated.gain is not None
    slack = 1e-12 / (1 - t)
    assert stated.gain.value == pytest.approx(stated.utility.value - own.utility.value, abs=slack)


# -- calibration


@pytest.mark.parametrize("groups", [False, True])
def test_no_label_influences_its_own_calibrated_confidence(groups: bool) -> None:  # noqa: FBT001
    """Turning one label round leaves its own value, and those of its group, as they were."""
    rng = np.random.default_rng(3)
    sure, n = rng.random(60), 60
    right = rng.random(n) < sure
    unit = np.arange(n) // 3 if groups else None
    fold = np.arange(n) // 3 % 5  # by hand, since labels decide how folds are dealt
    before = calibrate_confidence(stakes.Responses(right, sure, groups=unit), ISOTONIC, fold, 0)
    for k in range(0, n, 7):
        other = right.copy()
        other[k] = not other[k]
        said = stakes.Responses(other, sure, groups=unit)
        after = calibrate_confidence(said, ISOTONIC, fold, 0)
        mine = [k] if unit is None else np.flatnonzero(unit == unit[k])
        np.testing.assert_array_equal(before.values[mine], after.values[mine])
        assert (before.values != after.values).any()


def test_folds_by_column_stay_with_their_responses() -> None:
    """In any order of rows, with abstentions of unknown truth and rows of weight 0 among them."""
    rng = np.random.default_rng(6)
    n = 90
    sure, fold = rng.random(n), rng.integers(0, 3, n)
    right = np.where(rng.random(n) < sure, 1.0, 0.0)
    silent = rng.random(n) < 0.2
    right[silent] = np.nan
    weights = rng.choice([0.0, 1.0, 2.0], n)
    values = []
    for order in (np.arange(n), rng.permutation(n)):
        said = stakes.Responses(
            right[order], sure[order], silent[order], sample_weight=weights[order]
        )
        found = stakes.evaluate_responses(said, 0.5, folds=fold[order])
        values.append(found.rule["calibrated"].utility.value)
        kept = np.flatnonzero((weights > 0) & ~silent)
        by_hand = stakes.cross_calibrate(
            ISOTONIC, right[kept], stakes.Posteriors(sure[kept]), folds=fold[kept],
            sample_weight=weights[kept],
        )  # fmt: skip
        calibrated = np.sort(np.exp(by_hand.log_posteriors()[:, 1]))
        fitted = calibrate_confidence(said.in_order(), ISOTONIC, fold[order], 0).values
        assert np.sort(fitted[~np.isnan(fitted)]) == pytest.approx(calibrated, rel=1e-12)
    assert values[0] == values[1]
    with pytest.raises(stakes.InputError, match=r"folds must hold one value per response: got 2"):
        stakes.evaluate_responses(drawn(0), 0.5, folds=[0, 1])


def test_folds_know_the_groups() -> None:
    said = drawn(7, 90, groups=np.arange(90) // 3)
    found = stakes.evaluate_responses(said, 0.5, folds=GroupKFold(3))
    assert found.notes == ()
    with pytest.raises(ValueError, match="groups"):
        stakes.evaluate_responses(drawn(7, 90), 0.5, folds=GroupKFold(3))


def test_the_threshold_is_that_of_the_calibrator_of_all() -> None:
    said = drawn(0, 2000)
    found = stakes.evaluate_responses(said, 0.75).rule["calibrated"]
    assert found.threshold == pytest.approx(0.75, abs=0.06)
    assert found.threshold in said.confidence  # type: ignore[operator]
    none = stakes.Responses([0, 1] * 100, [0.9] * 200)
    assert stakes.evaluate_responses(none, 0.75).rule["calibrated"].threshold == math.inf


def test_where_there_is_no_calibrated_rule_a_note_says_why() -> None:
    cases = {
        "no confidence was stated": stakes.Responses([1, 0]),
        "every answer is right": stakes.Responses([1, 1], [0.9, 0.8]),
        "every answer is wrong": stakes.Responses([0, 0], [0.9, 0.8]),
        "no answer has a confidence": stakes.Responses([None], [0.5], [1]),
    }
    for why, said in cases.items():
        found = stakes.evaluate_responses(said, 0.5)
        assert "calibrated" not in found.rule
        assert found.notes == (f"No calibrated rule: {why}.",)
        assert found.why_no_confidence == why
        assert found.overconfidence is None
    without = stakes.evaluate_responses(drawn(0), 0.5, calibrator=None)
    assert without.notes == ("No calibrated rule: no calibrator was given.",)
    assert without.confidence is not None
    extreme = stakes.Responses([0, 1, 1, 0] * 30, [0, 1.0, 0, 1] * 30)
    affine = stakes.evaluate_responses(extreme, 0.5, calibrator=stakes.AffineCalibrator())
    assert affine.notes == ()
    assert affine.rule["calibrated"].threshold == 0  # confidence tells nothing: half are right
    one = stakes.Responses([0] + [1] * 30, [0.1] + [0.9] * 30)
    (note,) = stakes.evaluate_responses(one, 0.5).notes
    assert note.startswith("No calibrated rule: class 'wrong' has 1 sample")


def test_abstentions_of_unknown_truth_stay_abstentions() -> None:
    """A rule can answer only what is known; the others stay as they are, and are counted."""
    right, silent = [1, 0, None, None, 1, 0], [0, 0, 1, 1, 1, 1]
    said = stakes.Responses(right, [0.9, 0.8, 0.95, None, 0.9, 0.2], silent)
    found = stakes.evaluate_responses(said, 0.75)
    assert found.rule["stated"].answered.value == 3 / 6
    assert said.unknown == 2
    assert found.to_dict()["unknown_abstentions"] == 2


def test_the_sentence_of_a_model_that_should_abstain_more() -> None:
    rng = np.random.default_rng(1)
    chance = rng.beta(2, 1, 1000)
    stated = np.round(chance, 2)
    said = stakes.Responses(rng.random(1000) < chance, stated)
    found = stakes.evaluate_responses(said, 0.75)
    assert found.verdicts[1].code == "abstain_more"
    rule = found.rule["calibrated"]
    assert f"abstaining below {rule.threshold:.4f}" in found.verdicts[1].text
    quiet = stakes.Responses(said.right, stated, stated < 0.98)
    more = stakes.evaluate_responses(quiet, 0.75).verdicts[1]
    assert more.code == "answer_more"
    best = stakes.Responses(said.right, stated, stated < 0.75)
    assert stakes.evaluate_responses(best, 0.75).verdicts[1].code == "own_abstentions"


# -- risk and coverage


def test_the_curve_of_answers_is_not_that_of_classes() -> None:
    """Right and wrong are not classes 0 and 1 that an argmax chooses between."""
    stated = [0.9, 0.4, 0.3, 0.2]
    said = stakes.Responses([1, 1, 0, 1], stated)
    curve = stakes.response_risk_coverage(said)
    assert curve.joint_risk.tolist() == [0, 0, 0, 0.25, 0.25]
    classes = stakes.risk_coverage_curve(said.right, stakes.Posteriors(stated))
    assert classes.joint_risk[-1] == 0.5  # where 0.4 and 0.2 are answers of class 0
    found = stakes.evaluate_responses(said, 0.5)
    assert found.risk_coverage is not None
    assert found.areas["aurc"].value == curve.area() == found.risk_coverage.area()


@WHOLE
@given(responses_columns(largest=12))
def test_areas_are_those_of_the_definition(columns: Columns) -> None:
    said = stakes.Responses(**columns)
    sure, wrong = columns["confidence"], 1 - columns["right"]
    levels = np.unique(sure)[::-1]
    coverage = [0.0, *(float((sure >= c).mean()) for c in levels)]
    joint = [0.0, *(float((wrong * (sure >= c)).mean()) for c in levels)]
    risk = [joint[1] / coverage[1], *(a / b for a, b in zip(joint[1:], coverage[1:], strict=True))]
    found = stakes.evaluate_responses(said, 0.5).areas
    assert found["aurc"].value == pytest.approx(float(np.trapezoid(risk, coverage)))
    assert found["augrc"].value == pytest.approx(float(np.trapezoid(joint, coverage)))


def test_influences_are_derivatives_of_the_areas() -> None:
    """By a small change of the weight of each response."""
    rng = np.random.default_rng(2)
    sure, right = np.round(4 * rng.random(40)) / 4, rng.integers(0, 2, 40)
    weights = rng.random(40) + 0.5
    effects = _influences(stakes.Responses(right, sure, sample_weight=weights))
    step = 1e-6
    for k in range(40):
        ends = []
        for sign in (-1, 1):
            moved = weights.copy()
            moved[k] += sign * step
            said = stakes.Responses(right, sure, sample_weight=moved)
            curve = stakes.response_risk_coverage(said)
            ends.append((curve.area(), curve.generalized_area()))
        slopes = (np.array(ends[1]) - ends[0]) / (2 * step) * weights[k]
        assert slopes == pytest.approx([effects["aurc"][k], effects["augrc"][k]], abs=1e-8)


def test_few_errors_have_areas_without_an_interval() -> None:
    said = stakes.Responses([1] * 91 + [0] * 9, np.linspace(1, 0, 100))
    found = stakes.evaluate_responses(said, 0.5).areas["aurc"]
    assert found.interval is None
    assert found.method == "needs 10 right and 10 wrong answers: got 9"


# -- guarantees


@given(st.integers(0, 60), st.integers(1, 60), st.floats(0, 1))
def test_binomial_tails_are_those_of_scipy(k: int, n: int, p: float) -> None:
    assert binomial_below(k, n, p) == pytest.approx(binom.cdf(k, n, p), rel=1e-9, abs=1e-14)


@given(responses_columns(largest=40), st.floats(0.05, 0.9))
def test_limits_are_kept_on_the_responses_themselves(columns: Columns, limit: float) -> None:
    said = stakes.Responses(**columns)
    for found in (stakes.coverage_at_risk(said, limit), stakes.coverage_at_error_rate(said, limit)):
        answered = columns["confidence"] >= found.threshold
        assert found.coverage == pytest.approx(answered.mean())
        if answered.any():
            assert found.risk <= limit
        else:
            assert math.isnan(found.risk)
            assert found.threshold == math.inf


def test_a_guarantee_needs_enough_answers() -> None:
    """Without an error, 1 - (1 - limit)^n of a single test must reach the level."""
    needed = math.ceil(math.log(0.05) / math.log(0.9))
    for n, shown in ((needed - 1, False), (needed, True)):
        found = stakes.coverage_at_risk(stakes.Responses([1] * n, [0.9] * n), 0.1)
        assert math.isfinite(found.threshold) == shown


@pytest.mark.parametrize("limit", [0.1, 0.2])
def test_answers_at_the_limit_break_the_guarantee_as_often_as_allowed(limit: float) -> None:
    rng = np.random.default_rng(12)
    sizes = np.arange(30, 201, 5)
    levels = _levels(sizes, limit, 0.05)
    wrong = np.cumsum(rng.random((20_000, 200)) < limit, axis=1)[:, sizes - 1]
    broken = np.mean((binom.cdf(wrong, sizes, limit) <= levels).any(axis=1))
    assert broken == pytest.approx(_crossing(sizes, limit, levels), abs=0.005)
    assert 0.03 < broken < 0.055
    assert levels[0] > 5 * 0.05 / sizes.size


def test_what_is_shown_makes_other_tests_easier() -> None:
    sizes = np.array([40, 80, 160])
    alone, after = (_levels(sizes[:n], 0.1, 0.05)[1] for n in (3, 2))
    assert alone < after <= 0.05
    middle = (alone + after) / 2
    for last, found in ((1e-9, [False, True, True]), (0.9, [False] * 3)):
        assert _shown(np.array([0.9, middle, last]), sizes, 0.1, 0.05).tolist() == found


def test_groups_of_unequal_sizes_get_an_answer() -> None:
    rng = np.random.default_rng(3)
    unit = np.repeat(np.arange(60), rng.geometric(0.05, 60))
    right = rng.random(unit.size) < 0.98
    found = stakes.coverage_at_risk(
        stakes.Responses(right, rng.random(unit.size), groups=unit), 0.1
    )
    assert found.coverage == 1


def test_conformal_risk_control_by_hand() -> None:
    """With n answers, errors + 1 over n + 1 must not exceed the rate."""
    right = [1] * 6 + [0, 1, 0, 1]
    said = stakes.Responses(right, np.linspace(1, 0.1, 10))
    for rate, threshold in ((2 / 11, 0.3), (1.999 / 11, 0.5), (3 / 11, 0.1), (0.5 / 11, math.inf)):
        found = stakes.coverage_at_error_rate(said, rate + 1e-12)
        assert found.threshold == pytest.approx(threshold), rate


def test_groups_make_a_guarantee_harder() -> None:
    rng = np.random.default_rng(5)
    sure = np.repeat(rng.random(200), 5)
    right = rng.random(1000) < np.repeat(sure[::5], 5)
    alone = stakes.coverage_at_risk(stakes.Responses(right, sure), 0.2)
    unit = np.arange(1000) // 5
    grouped = stakes.coverage_at_risk(stakes.Responses(right, sure, groups=unit), 0.2)
    assert grouped.coverage < alone.coverage
    each = stakes.coverage_at_error_rate(stakes.Responses(right, sure, groups=unit), 0.2)
    assert "of a new group" in each.guarantee


def test_a_rising_map_of_the_confidence_changes_no_choice() -> None:
    said = drawn(4)
    assert said.confidence is not None
    squared = stakes.Responses(said.right, np.square(said.confidence))
    for one, two in (
        (stakes.coverage_at_risk(said, 0.25), stakes.coverage_at_risk(squared, 0.25)),
        (stakes.coverage_at_error_rate(said, 0.1), stakes.coverage_at_error_rate(squared, 0.1)),
    ):
        assert two.threshold == one.threshold**2
        assert (one.coverage, one.risk) == (two.coverage, two.risk)
    areas = (stakes.evaluate_responses(s, 0.5).areas for s in (said, squared))
    first, second = areas
    assert {k: e.to_dict() for k, e in first.items()} == {k: e.to_dict() for k, e in second.items()}


@WHOLE
@given(responses_columns(largest=25), confidence_targets())
def test_every_form_of_an_evaluation_can_be_written(columns: Columns, t: float) -> None:
    found = stakes.evaluate_responses(stakes.Responses(**columns), t)
    assert json.dumps(found.to_dict(), allow_nan=False)
