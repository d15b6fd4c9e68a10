"""Laws of intervals: what must not change them, and when there is none."""

import io
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import brentq, linprog
from scipy.special import ndtr, stdtrit

import stakes
from stakes._quantiles import normal, student
from stakes.cli.evaluate_command import print_evaluation
from stakes.cli.screen import Screen
from stakes.costs.cost_tables import game_value, optimal_decisions
from stakes.inference.least_costs import LeastCost
from stakes.inference.scored_rows import ScoredRows


def sample(n: int, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and posteriors of two normal classes, the rarer in the given share."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < max(1, round(n * share))).astype(int)
    z = 2 * (rng.standard_normal(n) + 2 * y) - 2 + math.log(share / (1 - share))
    return y, 1 / (1 + np.exp(-z))


def ends(record: stakes.ExpectedLoss) -> list[float]:
    """Return both intervals of a record."""
    return [*record.interval(), *record.normalized_interval()]


@pytest.mark.parametrize("priors", [None, [0.95, 0.05]])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("abstain", [False, True])
def test_constant_prices_give_the_interval_of_the_one_matrix_to_the_bit(
    priors: list[float] | None,
    weighted: bool,  # noqa: FBT001
    abstain: bool,  # noqa: FBT001
) -> None:
    y, p = sample(80, 0.1, 1)
    table = [[0.0, 3.0, 1.0], [7.0, 0.0, 2.0]] if abstain else [[0.0, 3.0], [7.0, 0.0]]
    matrix = stakes.CostMatrix(table, decisions=len(table[0]))
    columns = {f"c{i}{j}": np.full(80, x) for i, row in enumerate(table) for j, x in enumerate(row)}
    names = [[f"c{i}{j}" for j in range(len(table[0]))] for i in range(2)]
    prices = stakes.SampleCosts.from_columns(names, columns, decisions=len(table[0]))
    options: dict[str, Any] = {
        "priors": priors,
        "sample_weight": 1.0 + np.arange(80) % 3 if weighted else None,
    }
    decided = matrix.bayes_decisions(p)
    for call, given_ in ((stakes.bayes_cost, p), (stakes.expected_cost, decided)):
        one, other = (call(y, given_, costs=c, **options) for c in (matrix, prices))
        assert ends(one) == ends(other)
    told = {**options, "training_priors": "deployment"}
    both = [stakes.evaluate(y, p, costs=c, **told) for c in (matrix, prices)]
    assert both[0].main.cost.normalized.interval == both[1].main.cost.normalized.interval
    near = stakes.SampleCosts.from_columns(
        names,
        {k: v + 1e-9 * np.arange(80) * (v > 0) for k, v in columns.items()},
        decisions=len(table[0]),
    )
    found = stakes.expected_cost(y, decided, costs=near, **options)
    assert ends(found)[2:] == pytest.approx(
        ends(stakes.bayes_cost(y, p, costs=matrix, **options))[2:], abs=1e-6
    )


def test_no_error_seen_at_prices_by_case_is_not_certainty() -> None:
    y = np.repeat([0, 1], [56, 4])
    amounts = np.random.default_rng(5).lognormal(3, 1, 60)
    costs = stakes.SampleCosts.from_columns([[0, 3], ["a", 0]], {"a": amounts})
    found = stakes.expected_cost(y, y, costs=costs)
    assert found.value == 0
    low, high = found.normalized_interval()
    assert low == 0
    assert high > 1
    assert found.interval().high > 0


@given(st.integers(0, 10_000))
def test_a_decision_that_is_never_optimal_changes_no_bit_of_an_interval(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    y, z = np.arange(40) % k, rng.normal(size=(40, k)) + np.eye(k)[np.arange(40) % k]
    table = rng.integers(0, 9, (k, k)).astype(float)
    np.fill_diagonal(table, 0)
    mixed = table @ rng.dirichlet(np.ones(k))  # a mixture of the others costs as much: never better
    more = np.column_stack([table, mixed + 0.5 + rng.random(k) * rng.choice([1, 5000])])
    one, two = (stakes.CostMatrix(t, decisions=t.shape[1]) for t in (table, more))
    scores = stakes.Logits(z)
    assert ends(stakes.bayes_cost(y, scores, costs=one)) == ends(
        stakes.bayes_cost(y, scores, costs=two)
    )
    decided = one.bayes_decisions(scores)
    assert ends(stakes.expected_cost(y, decided, costs=one)) == ends(
        stakes.expected_cost(y, decided, costs=two)
    )
    decided[0] = k  # made all the same: then it counts
    wide = stakes.expected_cost(y, decided, costs=two)
    assert wide.losses.ends is not None
    assert wide.losses.ends[1][0] >= more[0, k]


def test_abstaining_at_a_price_that_nobody_pays_changes_nothing() -> None:
    y, p = sample(300, 0.2, 3)
    for costs in (stakes.CostMatrix.binary(miss=5, false_alarm=1), stakes.CostMatrix.zero_one(2)):
        silly = costs.with_abstention(5000)
        assert ends(stakes.bayes_cost(y, p, costs=costs)) == ends(
            stakes.bayes_cost(y, p, costs=silly)
        )
    prices = np.random.default_rng(0).lognormal(2, 1, 300)
    tables: list[list[list[float | str]]] = [
        [[0, 3], ["a", 0]],
        [[0, 3, 5000], ["a", 0, 5000]],
    ]
    both = [
        stakes.SampleCosts.from_columns(rows, {"a": prices}, decisions=len(rows[0]))
        for rows in tables
    ]
    assert ends(stakes.bayes_cost(y, p, costs=both[0])) == ends(
        stakes.bayes_cost(y, p, costs=both[1])
    )


@given(st.integers(0, 10_000))
def test_optimal_decisions_are_those_of_linear_programs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, m = int(rng.integers(2, 6)), int(rng.integers(2, 7))
    values = rng.integers(0, 6, (k, m)).astype(np.float64)
    values += 0.0 if seed % 2 else rng.random((k, m))
    found = optimal_decisions(values, 1e-12)
    for j in range(m):
        gaps = np.delete(values, j, axis=1) - values[:, [j]]
        margin = -linprog(
            [*np.zeros(k), -1.0],
            A_ub=np.column_stack([-gaps.T, np.ones(m - 1)]),
            b_ub=np.zeros(m - 1),
            A_eq=[[*np.ones(k), 0.0]],
            b_eq=[1.0],
            bounds=[(0, None)] * k + [(None, None)],
        ).fun
        assert game_value(gaps) == pytest.approx(margin, abs=1e-9)
        if abs(margin) > 1e-9:
            assert found[j] == (margin > 0)
    chosen = stakes.CostMatrix(values, decisions=m).least_expected(rng.dirichlet(np.ones(k), 200))
    assert found[np.unique(chosen)].all()


def test_one_price_per_class_and_several_further_decisions() -> None:
    errors = stakes.CostMatrix.zero_one(3)
    for price, kept in ((0.6, True), (0.7, False)):  # 1 - 1/3 is the most anyone pays
        table = errors.with_abstention(price)
        assert table.ranges()[1].tolist() == [1.0, 1.0, 1.0]
        assert table._table.optimal().tolist() == [True] * 3 + [kept]


def test_one_sample_of_a_class_may_have_lost_more() -> None:
    """What samples of the other class would lose of this one tells how much one may lose."""
    y, p = sample(201, 1 / 201, 2)
    assert y.sum() == 1
    loss = stakes.cross_entropy(y, p, priors=[0.5, 0.5])
    others = float(-np.log(p[y == 0]).mean())
    assert others > -math.log(p[y == 1][0])
    assert loss.interval().high > loss.value + 0.5 * 0.25 * (others + math.log(p[y == 1][0]))
    assert loss.interval().high < loss.value + 0.5 * others
    assert math.isfinite(loss.standard_error)


@given(st.floats(1, 900), st.floats(0.5, 0.999))
def test_quantiles_of_student_are_those_of_scipy(degrees: float, level: float) -> None:
    assert student(level, degrees) == pytest.approx(stdtrit(degrees, (1 + level) / 2), rel=1e-9)


def test_four_samples_of_the_class_that_one_class_decides() -> None:
    """No error among 4 samples of the class that decides: a miss rate of 0.49 is not excluded."""
    y = np.repeat([0, 1], [196, 4])
    costs = stakes.CostMatrix.binary(miss=50, false_alarm=1)
    cost = stakes.expected_cost(y, y, costs=costs, priors=[0.9, 0.1])
    assert cost.interval().high > 0.49 * 0.1 * 50


def test_a_mixture_of_decisions_dominates_by_case_that_single_ones_do_not() -> None:
    y, p = sample(200, 0.3, 4)
    amounts = {"a": 4 + np.random.default_rng(1).random(200), "b": np.full(200, 3.5)}
    tables: list[list[list[float | str]]] = [
        [[0, "a"], ["a", 0]],
        [[0, "a", "b"], ["a", 0, "b"]],  # half of either costs at most 2.5
    ]
    both = [
        stakes.SampleCosts.from_columns(rows, amounts, decisions=len(rows[0])) for rows in tables
    ]
    assert not both[1].optimal()[:, 2].any()
    assert ends(stakes.bayes_cost(y, p, costs=both[0])) == ends(
        stakes.bayes_cost(y, p, costs=both[1])
    )


def test_the_least_cost_reaches_up_by_half_of_what_other_folds_cost_more() -> None:
    rng = np.random.default_rng(12)
    y = np.repeat([0, 1], [80, 20])
    scores = rng.normal(size=100) + 2 * y
    found = stakes.evaluate(y, 1 / (1 + np.exp(-scores))).main.minimum
    assert found is not None
    assert found.interval is not None
    prices = np.array([[0.0, 1.0], [1.0, 0.0]])
    least = LeastCost.ordered(ScoredRows.from_scores(scores, y), prices[y], prices, None)
    low, high = least.problem.intervals(0.95).max(axis=0)
    assert least.optimism > 0.01
    assert tuple(found.interval) == pytest.approx((low, min(high + least.optimism / 2, 1.0)))


def test_areas_of_groups_count_groups_not_samples() -> None:
    rng = np.random.default_rng(3)
    y, s = np.repeat([0, 1], 30), rng.normal(size=60) + np.repeat([0, 1], 30)
    copies = np.repeat(np.arange(60), 8)
    p = 1 / (1 + np.exp(-s))
    one = stakes.evaluate(y, p, groups=np.arange(60), calibrator=None).ranking
    many = stakes.evaluate(y[copies], p[copies], groups=copies, calibrator=None).ranking
    for name in ("auc", "eer"):
        mine, theirs = one[name].interval, many[name].interval
        assert mine is not None
        assert theirs is not None
        # of single samples, half an unseen one is half a group more
        assert 0.9 < (theirs.high - theirs.low) / (mine.high - mine.low) < 1.1


@pytest.mark.parametrize("n", [4, 5])
def test_sensitivity_of_a_handful_has_an_interval(n: int) -> None:
    y = np.repeat([0, 1], [100, n])
    p = np.where(y == 1, 0.9, 0.1)
    found = stakes.evaluate(y, p).metrics()["cost.sensitivity"]
    assert found.interval is not None
    z = normal(0.95)

    def beyond(wrong: float) -> float:
        """Return how far a share of errors is beyond the ball, of n rows and half an error."""
        weights = (n + 0.5) * np.array([1 - wrong, wrong])
        return float(2 * np.array([n, 0.5]) @ np.log([n, 0.5] / weights)) - z * z

    assert tuple(found.interval) == pytest.approx((1 - brentq(beyond, 0.5 / n, 0.999), 1.0))
    counted = stakes.evaluate_decisions(stakes.confusion_matrix(y, y))
    assert counted.estimates["sensitivity"].interval == found.interval


def test_sensitivity_at_a_fixed_specificity_has_an_interval() -> None:
    rng = np.random.default_rng(41)
    y = np.repeat([0, 1], [400, 60])
    curve = stakes.roc_curve(y, rng.normal(size=460) + 2 * y)
    found = curve.sensitivity_estimate(0.9)
    assert found.value == curve.sensitivity_at(0.9).sensitivity
    assert found.interval is not None
    assert 0.76 in found.interval
    plain = 1.96 * math.sqrt(found.value * (1 - found.value) / 60)  # of a threshold that is known
    assert found.interval.low <= found.value - plain + 0.02
    other = curve.specificity_estimate(0.8)
    assert other.value == curve.specificity_at(0.8).specificity
    assert other.interval is not None
    assert curve.eer_estimate().value == curve.eer()


def test_the_command_line_says_why_there_is_no_interval() -> None:
    y, p = sample(200, 0.2, 2)
    screen = Screen(io.StringIO())
    screen.width = 120
    print_evaluation(screen, stakes.evaluate(y, p, groups=np.arange(200) % 4), "file.csv")
    said = " ".join(screen.file.getvalue().split())  # type: ignore[attr-defined]
    losses = "cross-entropy, Brier score, Bayes expected cost"
    assert f"No interval of the {losses}: needs 5 groups: got 4." in said


def test_the_upper_end_allows_for_a_naive_cost_that_varies() -> None:
    y = np.repeat([0, 1], [980, 20])
    d = np.concatenate([np.repeat([0, 1], [820, 160]), np.repeat([0, 1], [3, 17])])
    cost = stakes.expected_cost(y, d)  # 20 samples make the naive cost, and NEC about 8
    value, error = cost.normalized, cost.normalized_standard_error
    assert cost.normalized_interval().high > value * math.exp(1.9 * error / value)
    given = stakes.expected_cost(y, d, priors=[0.98, 0.02])  # a naive cost that is known
    assert given.normalized_interval().high < value + 3 * given.normalized_standard_error


@pytest.mark.parametrize(("share", "miss", "n"), [(0.2, 3.7, 500), (0.1, 8.0, 500)])
def test_the_best_constant_answer_may_be_another_one(share: float, miss: float, n: int) -> None:
    """Where two constant answers cost nearly the same, the samples may show the wrong one."""

    def gap(cut: float) -> float:
        """Return by how much a threshold costs more than the best constant answer."""
        cost = (1 - share) * ndtr(-cut) + share * miss * ndtr(cut - 2)
        return float(cost - min(1 - share, share * miss))

    threshold = brentq(gap, -3, 0)
    costs = stakes.CostMatrix.binary(miss=miss, false_alarm=1)
    covered = useful = 0
    for seed in range(150):
        rng = np.random.default_rng([27, seed])
        y = (rng.random(n) < share).astype(int)
        decided = (rng.normal(size=n) + 2 * y > threshold).astype(int)
        found = stakes.evaluate_decisions(stakes.confusion_matrix(y, decided), costs=costs)
        covered += 1 in found.expected_cost.normalized_interval()
        useful += found.verdicts[0].code == "useful"
    assert covered >= 0.92 * 150
    assert useful <= 0.08 * 150


def test_decisions_never_best_are_no_rivals() -> None:
    y = np.repeat([0, 1], [60, 40])
    decided = np.where(np.arange(100) % 9 == 0, 1 - y, y)
    plain = stakes.CostMatrix.binary(miss=1.4, false_alarm=1)
    more = plain.with_abstention(5000)
    wide = stakes.expected_cost(y, decided, costs=more)
    assert tuple(wide.normalized_interval()) == tuple(
        stakes.expected_cost(y, decided, costs=plain).normalized_interval()
    )
    other = 1 - list(plain.decisions).index(wide.naive_answer)
    assert [r.tolist() for r in wide.rivals] == [plain.column(other).tolist()]
    given = stakes.expected_cost(y, decided, costs=plain, priors=[0.6, 0.4])
    assert given.rivals == ()


def test_to_cost_less_than_naive_is_to_cost_less_than_each_constant_answer() -> None:
    costs = stakes.CostMatrix.binary(miss=2, false_alarm=1)
    matrix = stakes.ConfusionMatrix.from_counts([[34, 37], [6, 32]])
    found = stakes.evaluate_decisions(matrix, costs).expected_cost
    assert found.naive_answer == 1
    always, never = (
        replace(found, naive=value, naive_losses=costs.column(j), rivals=()).p_value
        for value, j in ((found.naive, 1), (float(matrix.priors @ costs.column(0)), 0))
    )
    assert never > always
    assert found.p_value == pytest.approx(never)
    given = stakes.evaluate_decisions(matrix, costs, priors=matrix.priors)
    assert given.expected_cost.p_value < never


def test_to_be_worse_than_the_best_constant_answer_is_to_be_worse_than_each_that_may_be_it() -> (
    None
):
    def p_values(counts: list[list[int]]) -> list[float]:
        """Return those against the best answer, and against each of the two alone."""
        found = stakes.ConfusionMatrix.from_counts(counts).expected_cost()
        never, always = (
            replace(found, naive=share, naive_losses=costs, rivals=()).p_value
            for share, costs in zip(found.priors[::-1].tolist(), np.eye(2)[::-1], strict=True)
        )
        return [found.p_value, never, always]

    both, never, always = p_values([[33, 67], [52, 38]])  # either may be the best
    assert never < always
    assert both == pytest.approx(always)
    both, never, always = p_values([[5, 175], [18, 2]])
    assert never < both < 1e-3 < always  # to always raise an alarm is surely not the best


def test_errors_that_were_not_seen_are_allowed_for() -> None:
    """No false alarm seen in 60 rows does not make a detector better than a constant answer."""
    matrix = stakes.ConfusionMatrix.from_counts([[60, 0], [0, 4]])
    costly, cheap = (stakes.CostMatrix.binary(miss=1, false_alarm=x) for x in (50, 1))
    assert matrix.expected_cost(costly).p_value > 0.3
    assert matrix.expected_cost(cheap).p_value < 0.125  # that of four equal signs
