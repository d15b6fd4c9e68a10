"""Multiple choice with any number of options: values by hand, laws, and what other tools say."""

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import stakes
from stakes import OptionScores
from stakes._typing import FloatArray
from stakes.responses.option_rows import SUMMED_BRIER

nan, inf = math.nan, math.inf
KINDS = (stakes.Posteriors, stakes.LogPosteriors, stakes.Logits, stakes.LogLikelihoods)
RULES = (stakes.LogLoss(), stakes.BrierLoss(), stakes.SphericalLoss(), SUMMED_BRIER)
ROWS = [[0.5, 0.25, 0.25], [0.125, 0.875], [0.25, 0.25, 0.375, 0.125]]  # chosen: 0, 1, 2
ULPS = 4
HARNESS = json.loads(
    (Path(__file__).parent / "golden" / "lm_eval_multiple_choice.json").read_text(encoding="utf-8")
)


def close(value: float, truth: float | Fraction) -> bool:
    return abs(Fraction(value) - Fraction(truth)) <= ULPS * Fraction(math.ulp(float(truth)))


def as_kind(rows: list[FloatArray], kind: type[stakes.Scores]) -> list[FloatArray]:
    """Return posteriors as scores of a kind."""
    if kind is stakes.Posteriors:
        return rows
    return [np.log(row) + (7.5 if kind in KINDS[2:] else 0.0) for row in rows]


def numbers(scores: OptionScores) -> dict[str, float]:
    """Return every number of some scores, with the ends of its intervals."""
    accuracy = scores.accuracy()
    found = {"accuracy": accuracy.value, "naive": accuracy.naive, "skill": accuracy.skill}
    records = {
        "error": scores.error_rate(),
        "log": scores.log_score(),
        "brier": scores.brier_score(),
        "spherical": scores.expected_loss(stakes.SphericalLoss()),
        "cost": scores.cost_at(0.6),
    }
    for name, record in records.items():
        found |= {f"{name}": record.value, f"{name}.naive": record.naive}
        found |= {f"{name}.normalized": record.normalized, f"{name}.se": record.standard_error}
        for band in (record.interval(), record.normalized_interval()):
            found |= {f"{name}.{len(found)}": end for end in band}
    return found


@st.composite
def questions(draw: st.DrawFn, least: int = 2, most: int = 40) -> tuple[list[FloatArray], Any]:
    """Rows of posteriors without ties, and right options."""
    sizes = draw(st.lists(st.integers(2, 6), min_size=least, max_size=most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = [rng.dirichlet(np.full(k, 0.7)) + 1e-9 for k in sizes]
    rows = [row / row.sum() for row in rows]
    return rows, [int(rng.integers(k)) for k in sizes]


# -- by hand


def test_numbers_by_hand() -> None:
    scores = OptionScores(ROWS, [0, 0, 2])
    assert scores.chosen().tolist() == [0, 1, 2]
    assert scores.right().tolist() == [True, False, True]
    assert scores.confidence().tolist() == [0.5, 0.875, 0.375]
    accuracy = scores.accuracy()
    assert close(accuracy.value, Fraction(2, 3))
    assert close(
        accuracy.naive, Fraction(1, 3) * (Fraction(1, 3) + Fraction(1, 2) + Fraction(1, 4))
    )
    assert close(accuracy.skill, 1 - Fraction(1, 3) / (1 - accuracy.naive))
    loss = scores.log_score()
    assert close(loss.value, (math.log(2) + math.log(8) + math.log(8 / 3)) / 3)
    assert close(loss.naive, math.log(24) / 3)
    brier = scores.brier_score()
    squares = [Fraction(3, 8), Fraction(98, 64), Fraction(25 + 4 + 4 + 1, 64)]
    assert close(brier.value, sum(squares) / 3)
    assert close(brier.naive, Fraction(2, 3) / 3 + Fraction(1, 6) + Fraction(1, 4))
    assert close(brier.normalized, Fraction(brier.value) / Fraction(brier.naive))
    averaged = scores.expected_loss(stakes.BrierLoss())
    assert close(averaged.value, (squares[0] / 3 + squares[1] / 2 + squares[2] / 4) / 3)


def test_abstention_by_hand() -> None:
    scores = OptionScores(ROWS, [0, 0, 2])
    assert scores.answers(0.5).tolist() == [True, True, False]
    cost = scores.cost_at(0.5)
    assert close(cost.value, Fraction(3, 2) / 3)
    assert close(cost.naive, Fraction(1, 2))  # a guess at two options is worth no more than none
    assert scores.answers(0).all()
    free = scores.cost_at(0)
    error = scores.error_rate()
    assert (free.value, free.naive) == (error.value, error.naive)
    assert not scores.answers(0.99).any()
    assert close(scores.cost_at(0.75).value, Fraction(1 + Fraction(1, 2)) / 3)


def test_a_target_may_be_an_object() -> None:
    target = stakes.ConfidenceTarget(0.5)
    scores = OptionScores(ROWS, [0, 0, 2])
    assert scores.cost_at(target).value == scores.cost_at(0.5).value


def test_several_right_options_count_as_one() -> None:
    """As truthfulqa_mc2: the probability of all right ones together."""
    for kind in KINDS:
        rows = as_kind([np.array([0.5, 0.125, 0.375]), np.array([0.25, 0.75])], kind)
        scores = OptionScores(rows, [[0, 1], 1], kind=kind)
        assert scores.right().tolist() == [True, True]
        loss = scores.log_score()
        assert loss.value == pytest.approx(-(math.log(0.625) + math.log(0.75)) / 2, rel=1e-14)
        assert loss.naive == pytest.approx((math.log(1.5) + math.log(2)) / 2, rel=1e-14)
        brier = scores.brier_score().value
        assert brier == pytest.approx((2 * 0.375**2 + 2 * 0.25**2) / 2, rel=1e-14)
        assert scores.accuracy().naive == pytest.approx((2 / 3 + 1 / 2) / 2, rel=1e-15)
    certain = OptionScores([[-inf, -inf, 0.0]], [[0, 1]], kind=stakes.Logits)
    assert certain.log_score().value == inf


def test_an_impossible_right_option_makes_the_log_score_infinite() -> None:
    scores = OptionScores([[0.5, 0.5], [1.0, 0.0], [0.25, 0.25, 0.5]], [0, 1, 2])
    loss = scores.log_score()
    assert loss.value == inf
    assert loss.infinite_rows.tolist() == [1]
    assert loss.no_interval == "the value is infinite"
    assert scores.brier_score().value < 1


# -- forms of input


def test_every_form_gives_the_same_numbers() -> None:
    right = [0, 0, 2]
    expected = numbers(OptionScores(ROWS, right))
    padded = [[*row, *[nan] * (4 - len(row))] for row in ROWS]
    flat = [p for row in ROWS for p in row]
    question = ["b"] * 3 + ["c"] * 2 + ["a"] * 4
    flags = [1, 0, 0, 1, 0, 0, 0, 1, 0]
    mixed = [3, 0, 5, 1, 4, 6, 2, 7, 8]  # rows of a question may be apart
    made = [
        OptionScores([np.array(row) for row in ROWS], np.array(right)),
        OptionScores(pd.Series(ROWS), pd.Series(right)),
        OptionScores(pl.Series(ROWS), pl.Series(right)),
        OptionScores(pa.array(ROWS), right),
        OptionScores.from_padded(np.array(padded), right),
        OptionScores.from_long(question, flat, flags),
        OptionScores.from_long(*([column[i] for i in mixed] for column in (question, flat, flags))),
    ]
    for scores in made:
        assert numbers(scores) == pytest.approx(expected, rel=1e-14, nan_ok=True)
    assert [scores.n_options.tolist() for scores in made[5:]] == [[3, 2, 4], [2, 3, 4]]
    assert made[0].log_score().value == made[3].log_score().value


def test_tables_and_typed_scores() -> None:
    table = np.array([[0.25, 0.75], [0.5, 0.5], [0.875, 0.125]])
    right = [1, 0, 0]
    expected = OptionScores(table, right).log_score().value
    for scores in (
        table.tolist(),
        pd.DataFrame(table),
        stakes.Posteriors(table),
        stakes.Posteriors(table[:, 1]),
        stakes.LogPosteriors(np.log(table)),
        stakes.LogPosteriors(np.log(table[:, 1])),
        stakes.Logits(np.log(table[:, 1] / table[:, 0])),
        stakes.LogLikelihoods(np.log(table) - 3),
    ):
        assert OptionScores(scores, right).log_score().value == pytest.approx(expected, rel=1e-14)


def test_groups_and_weights_of_a_long_table() -> None:
    scores = OptionScores.from_long(
        [1, 1, 2, 2],
        [0.5, 0.5, 0.25, 0.75],
        [True, False, False, True],
        groups=["x", "x", "y", "y"],
        sample_weight=[1, 1, 3, 3],
        lengths=[1, 2, 3, 4],
    )
    assert scores.weights is not None
    assert scores.weights.tolist() == [1, 3]
    assert scores.groups is not None
    assert scores.groups.tolist() == [0, 1]
    assert scores.lengths is not None
    assert scores.lengths.tolist() == [1, 2, 3, 4]


def test_rounded_rows_are_divided_by_their_sums() -> None:
    scores = OptionScores([[0.333, 0.333, 0.333], [0.5, 0.5]], [0, 1])
    assert close(scores.log_score().value, (math.log(3) + math.log(2)) / 2)


# -- laws


@settings(deadline=None, max_examples=60)
@given(questions(), st.sampled_from(KINDS), st.integers(0, 2**32))
def test_labels_of_options_change_nothing(
    drawn: tuple[list[FloatArray], list[int]], kind: type[stakes.Scores], seed: int
) -> None:
    """To the bit, intervals included: sums over options have one order."""
    rows, right = drawn
    rng = np.random.default_rng(seed)
    order = [rng.permutation(row.size) for row in rows]
    values = as_kind(rows, kind)
    moved = [row[o] for row, o in zip(values, order, strict=True)]
    places = [int(np.flatnonzero(o == h)[0]) for o, h in zip(order, right, strict=True)]
    first = OptionScores(values, right, kind=kind)
    second = OptionScores(moved, places, kind=kind)
    np.testing.assert_equal(numbers(first), numbers(second))
    assert first.confidence().tolist() == second.confidence().tolist()
    chosen = [int(o[c]) for o, c in zip(order, second.chosen(), strict=True)]
    assert first.chosen().tolist() == chosen


@settings(deadline=None, max_examples=40)
@given(questions(), st.integers(0, 2**32))
def test_the_order_of_questions_changes_no_value(
    drawn: tuple[list[FloatArray], list[int]], seed: int
) -> None:
    rows, right = drawn
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.1, 3, len(rows))
    order = rng.permutation(len(rows))
    first = OptionScores(rows, right, sample_weight=weights)
    second = OptionScores(
        [rows[i] for i in order], [right[i] for i in order], sample_weight=weights[order]
    )
    np.testing.assert_equal(numbers(first), numbers(second))


@settings(deadline=None, max_examples=40)
@given(questions(), st.sampled_from(RULES))
def test_a_weight_counts_questions(
    drawn: tuple[list[FloatArray], list[int]], rule: stakes.ScoringRule
) -> None:
    rows, right = drawn
    times = np.arange(len(rows)) % 3
    times[-1] = 2
    again = [i for i, n in enumerate(times) for _ in range(n)]
    twice = OptionScores([rows[i] for i in again], [right[i] for i in again])
    weighted = OptionScores(rows, right, sample_weight=times)
    for one, other in (
        (twice.expected_loss(rule), weighted.expected_loss(rule)),
        (twice.accuracy(), weighted.accuracy()),
        (twice.cost_at(0.4), weighted.cost_at(0.4)),
    ):
        assert one.value == pytest.approx(other.value, rel=1e-14)
        assert one.naive == pytest.approx(other.naive, rel=1e-14)
    assert len(weighted.right()) == len(rows)


@settings(deadline=None, max_examples=40)
@given(questions(least=12))
def test_questions_asked_twice_tell_as_much_as_once(
    drawn: tuple[list[FloatArray], list[int]],
) -> None:
    rows, right = drawn
    ids = np.arange(len(rows))
    once = OptionScores(rows, right, groups=ids)
    twice = OptionScores(rows + rows, right + right, groups=np.concatenate([ids, ids]))
    for rule in RULES:
        one, two = once.expected_loss(rule), twice.expected_loss(rule)
        assert two.value == pytest.approx(one.value, rel=1e-14)
        if math.isfinite(one.value):
            assert two.standard_error == pytest.approx(one.standard_error, rel=1e-9)
            assert two.no_interval == one.no_interval
            if not one.no_interval:  # an unseen question is half as much of a group of two
                (low, high), (lower, higher) = one.normalized_interval(), two.normalized_interval()
                assert low - 1e-9 <= lower <= two.normalized <= higher <= high + 1e-9
                assert higher - lower > 0.6 * (high - low)


@settings(deadline=None, max_examples=40)
@given(questions(least=12))
def test_a_group_for_each_question_is_at_least_as_wide_as_none(
    drawn: tuple[list[FloatArray], list[int]],
) -> None:
    rows, right = drawn
    alone = OptionScores(rows, right)
    grouped = OptionScores(rows, right, groups=np.arange(len(rows)))
    for one, other in zip(_losses(alone), _losses(grouped), strict=True):
        assert one.value == other.value
        assert other.standard_error == pytest.approx(one.standard_error, rel=1e-9)
        assert 1 - 1e-9 <= _width(other.interval()) / _width(one.interval()) < 1.5


def _losses(scores: OptionScores) -> list[stakes.ExpectedLoss]:
    rules = [scores.expected_loss(rule) for rule in RULES]
    return [scores.error_rate(), scores.cost_at(0.5), *rules]


def _width(band: stakes.Interval) -> float:
    return band.high - band.low


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 5), st.integers(0, 2**32))
def test_one_number_of_options_is_a_classifier(k: int, seed: int) -> None:
    """Where each place is right as often, all is that of K classes, naive values included."""
    rng = np.random.default_rng(seed)
    y = np.tile(np.arange(k), 20)
    p = rng.dirichlet(np.ones(k), y.size) + 1e-9
    p /= p.sum(axis=1, keepdims=True)
    scores = OptionScores(p, y)
    pairs = [
        (scores.log_score(), stakes.cross_entropy(y, p), 1),
        (scores.brier_score(), stakes.brier_score(y, p), k),
        (scores.expected_loss(stakes.BrierLoss()), stakes.brier_score(y, p), 1),
        (
            scores.expected_loss(stakes.SphericalLoss()),
            stakes.expected_loss(stakes.SphericalLoss(), y, p),
            1,
        ),
        (scores.error_rate(), stakes.bayes_cost(y, p), 1),
    ]
    for ours, theirs, factor in pairs:
        assert ours.value == pytest.approx(factor * theirs.value, rel=1e-13)
        assert ours.naive == pytest.approx(factor * theirs.naive, rel=1e-13)
        assert ours.normalized == pytest.approx(theirs.normalized, rel=1e-13)
        assert ours.standard_error == pytest.approx(factor * theirs.standard_error, rel=1e-9)
    error = stakes.confidence_calibration_error(y, p)
    assert scores.calibration_error().value == pytest.approx(error.value, rel=1e-12)
    assert tuple(scores.calibration_error().interval() or ()) == pytest.approx(
        tuple(error.interval() or ()), rel=1e-9
    )


def test_with_the_right_option_first_all_is_that_of_one_class() -> None:
    """Intervals too: only the naive answer differs."""
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(4), 50)
    p[:, 1:] = -np.sort(-p[:, 1:], axis=1)
    y = np.zeros(50, dtype=int)
    ours = OptionScores(p, y).log_score()
    theirs = stakes.cross_entropy(y, p)
    assert ours.value == theirs.value
    assert tuple(ours.interval()) == tuple(theirs.interval())
    brier = OptionScores(p, y).expected_loss(stakes.BrierLoss())
    assert tuple(brier.interval()) == tuple(stakes.brier_score(y, p).interval())


def test_a_ratio_interval_is_that_of_the_residuals() -> None:
    """The naive loss differs by question: the error is that of loss - ratio * naive loss."""
    rng = np.random.default_rng(4)
    sizes = rng.integers(2, 9, 300)
    rows = [rng.dirichlet(np.ones(k)) for k in sizes]
    right = [int(rng.integers(k)) for k in sizes]
    loss = OptionScores(rows, right).log_score()
    losses = np.array([-math.log(row[h]) for row, h in zip(rows, right, strict=True)])
    naive = np.log(sizes)
    ratio = losses.mean() / naive.mean()
    error = np.std(losses - ratio * naive) / math.sqrt(300) / naive.mean()
    assert loss.normalized_standard_error == pytest.approx(error, rel=1e-9)
    low, high = loss.normalized_interval()
    assert 3.7 * error < high - low < 4.4 * error
    assert high - ratio > 1.96 * error > ratio - low > 1.6 * error  # losses are skewed
    as_if_fixed = loss.standard_error / loss.naive
    assert error != pytest.approx(as_if_fixed, rel=0.01)


def test_intervals_stay_within_what_is_possible() -> None:
    rows = [[0.9, 0.1], [0.8, 0.1, 0.1], [0.7, 0.1, 0.1, 0.1]]
    scores = OptionScores(rows, [0, 0, 0])
    assert scores.accuracy().interval().high == 1
    assert scores.accuracy().interval().low >= 0
    wrong = OptionScores(rows, [1, 1, 1])
    assert wrong.error_rate().interval().high == 1
    assert wrong.brier_score().interval().high <= 2
    assert wrong.cost_at(0.5).interval().high <= 1


# -- ties, and what others choose


def test_ties_go_to_the_first_and_are_counted() -> None:
    scores = OptionScores([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4], [0.5, 0.5]], [1, 1, 0])
    assert scores.chosen().tolist() == [0, 1, 0]
    assert scores.tied().all()
    assert scores.accuracy().tied == 3
    assert "first best option" in str(scores.accuracy())


def harness_scores(samples: list[dict[str, Any]], *, unit: str = "characters") -> OptionScores:
    """Return the scores of questions of a log of lm-evaluation-harness."""
    choices = [sample["doc"]["choices"] for sample in samples]
    encoded = [[c.encode() if unit == "bytes" else c for c in each] for each in choices]
    return OptionScores(
        [_likelihoods(sample)[0] for sample in samples],
        [sample["target"] for sample in samples],
        kind=stakes.LogLikelihoods,
        lengths=[[len(c) for c in each] for each in encoded],
    )


def _likelihoods(sample: dict[str, Any]) -> tuple[list[float], list[float]]:
    """Return log likelihoods of the options with the question, and without it."""
    found = [value for value, _ in sample["filtered_resps"]]
    k = len(sample["doc"]["choices"])
    return found[:k], found[k:]


@pytest.mark.parametrize("task", ["ragged", "four", "several"])
def test_numbers_of_the_harness_on_its_own_log(task: str) -> None:
    """Made by lm-evaluation-harness with a model of random log likelihoods, some of them tied.

    Its `acc_norm` divides by characters, `acc_bytes` by bytes; options of the log have both.
    """
    log = HARNESS[task]
    samples, results = log["samples"], log["results"]
    scores, in_bytes = harness_scores(samples), harness_scores(samples, unit="bytes")
    found = {"acc": scores, "acc_norm": scores.per_length(), "acc_bytes": in_bytes.per_length()}
    if "acc_mutual_info" in samples[0]:
        found["acc_mutual_info"] = scores.relative_to([_likelihoods(s)[1] for s in samples])
    assert scores.tied().any()
    for name in {name.partition(",")[0] for name in results} - {"brier_score"}:
        assert found[name].right().tolist() == [sample[name] == 1 for sample in samples]
        assert found[name].accuracy().value == results[f"{name},none"]
        n = len(samples)  # its error is with n - 1 where ours is with n
        ours = found[name].accuracy().standard_error * math.sqrt(n / (n - 1))
        assert ours == pytest.approx(log["stderr"][f"{name}_stderr,none"], rel=1e-12)
    if "brier_score,none" in results:
        brier = scores.brier_score().value
        assert brier == pytest.approx(results["brier_score,none"], rel=1e-14)


def test_the_log_tells_characters_from_bytes_and_from_neither() -> None:
    results = HARNESS["ragged"]["results"]
    assert len({results[f"{name},none"] for name in ("acc", "acc_norm", "acc_bytes")}) == 3


def test_records_show_naive_values_and_intervals() -> None:
    scores = OptionScores(ROWS, [0, 0, 2])
    assert str(scores) == "OptionScores(3 questions, 2 to 4 options, Posteriors)"
    assert "guesses at random" in str(scores.accuracy())
    assert "all options alike" in str(scores.brier_score())
    assert scores.accuracy().to_dict()["naive"] == scores.accuracy().naive
    assert scores.log_score().no_interval == ""
    assert scores.kind is stakes.Posteriors
    assert scores.n_options.tolist() == [3, 2, 4]
    grouped = OptionScores(ROWS, [0, 0, 2], groups=["a", "a", "b"])
    assert "groups" in grouped.calibration_error().method
    assert grouped.log_score().no_interval == "needs 5 groups: got 2"


# -- errors

LL = stakes.LogLikelihoods


def of(rows: Any = ROWS, right: Any = (0, 0, 2), **more: Any) -> OptionScores:  # noqa: ANN401
    return OptionScores(rows, list(right), **more)


MESSAGES: list[tuple[str, Callable[[], object], list[str]]] = [
    ("NaN", lambda: of([[0.5, 0.5], [0.2, nan, 0.8]], [0, 0]), ["NaN", "row 1, option 1"]),
    ("none", lambda: of([[0.5, 0.5], [0.2, None]], [0, 0]), ["None", "row 1, option 1"]),
    ("text", lambda: of([[0.5, "x"]], [0]), ["'x'", "row 0, option 1"]),
    ("not a row", lambda: of([[0.5, 0.5], 0.3], [0, 0]), ["0.3", "row 1", "two options"]),
    ("flat", lambda: of([0.5, 0.5], [0, 0]), ["0.5", "row 0"]),
    ("one option", lambda: of([[0.5, 0.5], [1.0]], [0, 0]), ["at least two", "got 1 at row 1"]),
    ("no questions", lambda: of([], []), ["scores", "at least one question"]),
    ("number", lambda: of(3, [0]), ["scores", "3"]),
    ("generator", lambda: of(iter(ROWS)), ["scores", "list(scores)"]),
    ("sum", lambda: of([[0.5, 0.5], [0.5, 0.2]], [0, 0]), ["sum", "row 1", "LogLikelihoods"]),
    ("sum of two", lambda: of([[0.5, 0.25, 0.25], [0.5, 0.2]], [0, 0]), ["sum 0.7", "row 1"]),
    ("outside", lambda: of([[0.5, 0.5], [-2.0, 3.0]], [0, 0]), ["row 1, option 0", "kind="]),
    ("log", lambda: of([[-1.0, 0.5]], [0], kind=stakes.LogPosteriors), ["0.5", "row 0, option 1"]),
    ("infinite", lambda: of([[0.0, inf]], [0], kind=LL), ["inf", "row 0, option 1"]),
    ("impossible", lambda: of([[0.0, 1.0], [-inf, -inf]], [0, 0], kind=LL), ["row 1", "-inf"]),
    ("kind", lambda: of(kind=stakes.LogLikelihoodRatios), ["kind", "LogLikelihoodRatios"]),
    ("kind of text", lambda: of(kind="magic"), ["kind", "'magic'"]),
    ("typed", lambda: of(stakes.Logits([[1, 2]]), [0], kind=LL), ["kind", "Logits", "Leave"]),
    ("ratios", lambda: of(stakes.LogLikelihoodRatios([1.0]), [0]), ["LogLikelihoodRatios"]),
    ("right beyond", lambda: of(right=[0, 2, 2]), ["right", "got 2 at row 1", "2 options"]),
    ("from one", lambda: of(right=[1, 2, 4]), ["right", "got 2 at row 1", "count from 0"]),
    ("unknown to the harness", lambda: of(right=[0, -100, 2]), ["-100 at row 1"]),
    ("right too few", lambda: of(right=[0, 1]), ["right", "2 for 3 questions"]),
    ("right text", lambda: of(right=["a", "b", "c"]), ["right", "'a'"]),
    ("right truth", lambda: of(right=[True, False, True]), ["right", "truth values"]),
    ("no right", lambda: of(right=[0, [], 2]), ["right", "row 1", "none"]),
    ("all right", lambda: of(right=[0, [0, 1], 2]), ["right", "row 1", "no wrong option"]),
    ("lengths", lambda: of(lengths=[[1, 2, 3], [1, 2], [1, 2]]), ["lengths", "2 at row 2", "4"]),
    ("length 0", lambda: of(lengths=[[1, 2, 3], [1, 0], [1, 2, 3, 4]]), ["0.0 at row 1, option 1"]),
    ("few lengths", lambda: of(lengths=[[1, 2, 3]]), ["lengths", "1 for 3"]),
    ("no lengths", lambda: of().per_length(), ["lengths", "must be given"]),
    ("per length", lambda: of(lengths=ROWS).per_length(), ["LogLikelihoods", "Posteriors"]),
    ("relative", lambda: of().relative_to(ROWS), ["log scale", "Posteriors"]),
    ("weights", lambda: of(sample_weight=[1, 2]), ["sample_weight", "2 for 3"]),
    ("groups", lambda: of(groups=[1, 2]), ["groups", "2 for 3"]),
    ("one group", lambda: of(groups=[1, 1, 1]), ["groups", "at least two"]),
    ("rule", lambda: of().expected_loss("log"),  # type: ignore[arg-type]
     ["rule", "'log'"]),
    ("asymmetric", lambda: of([[0.5, 0.5]], [0]).expected_loss(stakes.ThresholdRange(0, 0.5)),
     ["rule", "alike"]),
    ("two classes", lambda: of().expected_loss(stakes.ThresholdRange()), ["two classes"]),
    ("target", lambda: of().answers(1.0), ["target", "[0, 1)", "1.0"]),
    ("padding", lambda: OptionScores.from_padded([[0.5, nan, 0.5]], [0]), ["row 0, option 1"]),
    ("padded shape", lambda: OptionScores.from_padded([0.5, 0.5], [0]), ["table"]),
    ("padded lengths", lambda: OptionScores.from_padded([[0.5, 0.5]], [0], lengths=[[1], [2]]),
     ["lengths", "2 for 1"]),
    ("long alone", lambda: OptionScores.from_long(["a", "a", "b"], [0.5, 0.5, 1], [1, 0, 1]),
     ["question", "one of b", "row 2"]),
    ("long flags", lambda: OptionScores.from_long([1, 1], [0.5, 0.5], [2, 0]), ["truth", "row 0"]),
    ("long wrong", lambda: OptionScores.from_long([1, 1], [0.5, 0.5], [0, 0]), ["no right option"]),
    ("long scores", lambda: OptionScores.from_long([1, 1], [0.5], [1, 0]), ["scores", "2 options"]),
    ("long weights",
     lambda: OptionScores.from_long([1, 1], [0.5, 0.5], [1, 0], sample_weight=[1, 2]),
     ["sample_weight", "row 1", "row 0"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "words"), [pytest.param(call, words, id=name) for name, call, words in MESSAGES]
)
def test_errors_name_question_and_option(call: Callable[[], object], words: list[str]) -> None:
    with pytest.raises(stakes.InputError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
