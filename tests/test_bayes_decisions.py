"""Bayes decisions: special cases against the general rule, any kind of score, costs per sample."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

import stakes
from stakes import CostMatrix
from strategies import Scored, scored

NEAR = np.array([-1e-9, 1e-9])  # beside a threshold


def general(costs: np.ndarray, p: np.ndarray) -> np.ndarray:
    """The rule itself, in exact enough arithmetic: ties to the lowest index."""
    risk = (p.astype(np.longdouble)[:, :, None] * costs[None]).sum(axis=1)
    return np.argmin(np.round(risk, 14), axis=1)


@given(scored())
def test_argmax_is_the_rule_of_zero_one_costs(data: Scored) -> None:
    ours = CostMatrix.zero_one(data.n_classes).bayes_decisions(data.p)
    assert (ours == data.p.argmax(axis=1)).all()


@given(scored(classes=2), st.integers(1, 9), st.integers(1, 9))
def test_the_binary_rule_is_a_threshold(data: Scored, miss: int, alarm: int) -> None:
    costs = CostMatrix.binary(miss=miss, false_alarm=alarm)
    clear = np.abs(data.p[:, 1] - costs.threshold()) > 1e-9
    ours = costs.bayes_decisions(data.p)
    assert (ours == (data.p[:, 1] > costs.threshold()))[clear].all()
    assert (ours == general(costs.values, data.p))[clear].all()


@given(st.lists(st.floats(-900, 900), min_size=1, max_size=20), st.integers(1, 99))
def test_the_ratio_rule_is_a_threshold(llr: list[float], share: int) -> None:
    costs = CostMatrix.binary(miss=5, false_alarm=1)
    priors = [1 - share / 100, share / 100]
    threshold = costs.llr_threshold(priors)
    clear = np.abs(np.array(llr) - threshold) > 1e-9
    ours = costs.bayes_decisions(stakes.LogLikelihoodRatios(llr), priors)
    assert (ours == (np.array(llr) > threshold))[clear].all()


@given(scored(), st.floats(0.01, 1))
def test_abstain_when_nobody_is_sure_enough(data: Scored, price: float) -> None:
    k = data.n_classes
    ours = CostMatrix.zero_one(k, abstain=price).bayes_decisions(data.p, indices=True)
    risk = 1 - data.p.max(axis=1)
    clear = np.abs(risk - price) > 1e-9
    assert ((ours == k) == (price < risk))[clear].all()


@given(scored(), st.data())
def test_any_cost_matrix_follows_the_general_rule(data: Scored, draw: st.DataObject) -> None:
    k = data.n_classes
    rows = st.lists(st.integers(0, 9), min_size=3, max_size=3)
    values = np.array(draw.draw(st.lists(rows, min_size=k, max_size=k)), dtype=float)
    ours = CostMatrix(values, decisions=3).bayes_decisions(data.p)
    assert (ours == general(values, data.p)).all() or _ties(values, data.p, ours)


def _ties(values: np.ndarray, p: np.ndarray, ours: np.ndarray) -> bool:
    """Tell whether all that differs lies within rounding of a tie."""
    risk = p @ values
    chosen = risk[np.arange(ours.size), ours]
    return bool((chosen <= risk.min(axis=1) + 1e-12).all())


@given(scored())
def test_a_useless_decision_changes_nothing(data: Scored) -> None:
    k = data.n_classes
    square = 1 - np.eye(k)
    wide = CostMatrix(np.hstack([square, np.full((k, 1), 2.0)]), decisions=k + 1)
    assert (
        wide.bayes_decisions(data.p) == CostMatrix(square, decisions=k).bayes_decisions(data.p)
    ).all()


def test_ties_go_to_the_lowest_index() -> None:
    assert CostMatrix.zero_one(2).bayes_decisions([[0.5, 0.5]]).tolist() == [0]
    assert CostMatrix([[0, 1], [1, 0]]).bayes_decisions([[0.5, 0.5]]).tolist() == [0]
    assert CostMatrix.zero_one(2, abstain=0.25).bayes_decisions([[0.75, 0.25]]).tolist() == [0]
    assert CostMatrix.zero_one(3).bayes_decisions([[0.2, 0.4, 0.4]]).tolist() == [1]
    # 0.7 + 0.2 + 0.1 rounds below 1, yet abstaining costs just its price
    assert CostMatrix([[0, 1, 0.3], [1, 0, 0.3]]).bayes_decisions([[0.7, 0.3]]).tolist() == [0]


def test_every_kind_of_score_gives_the_same_decisions() -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 3, (200, 3))
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    costs = CostMatrix([[0, 1, 2, 0.5], [3, 0, 1, 0.5], [1, 4, 0, 0.5]], decisions=4)
    uniform = np.full(3, 1 / 3)
    expected = costs.bayes_decisions(stakes.Posteriors(p, renormalize=True))
    for scores in (
        stakes.Logits(logits),
        stakes.Logits(logits + 1000),
        stakes.LogPosteriors(np.log(p / p.sum(axis=1, keepdims=True))),
        stakes.LogLikelihoods(logits - 7),
    ):
        assert (costs.bayes_decisions(scores, uniform) == expected).all()
    binary = CostMatrix.binary(miss=5, false_alarm=1)
    z = rng.normal(0, 3, 200)
    second = 1 / (1 + np.exp(-z))
    wanted = binary.bayes_decisions(second)
    for typed in (
        stakes.Logits(z),
        stakes.LogPosteriors(-np.log1p(np.exp(-z))),
        stakes.LogLikelihoodRatios(z),
        stakes.LogLikelihoodRatios.from_log10(z / np.log(10)),
        stakes.LogLikelihoodRatios.from_ratio(np.exp(z)),
    ):
        assert (binary.bayes_decisions(typed, [0.5, 0.5]) == wanted).all()


def test_costs_that_differ_by_sample_give_the_published_values() -> None:
    y, p = [0, 1, 1, 0], [0.2, 0.9, 0.1, 0.2]
    fp, fn = [4.0, 1.0, 2.0, 2.0], [1.0, 3.0, 3.0, 1.0]
    costs = stakes.SampleCosts.from_columns([[0, "fp"], ["fn", 0]], {"fp": fp, "fn": fn})
    assert costs.bayes_decisions(p).tolist() == [0, 1, 0, 0]
    cost = stakes.bayes_cost(y, p, costs=costs)
    assert cost.value == 0.75  # total 3 of 4 samples
    assert 1 - cost.normalized == 0.5  # the savings; always 0 and always 1 both cost 6
    hard = stakes.expected_cost(y, [0, 1, 0, 0], costs=costs)
    assert (hard.value, hard.naive) == (0.75, 1.5)


@given(scored(classes=2, weights=False), st.booleans())
def test_costs_that_are_the_same_for_all_samples_are_a_cost_matrix(
    data: Scored,
    weighted: bool,  # noqa: FBT001
) -> None:
    matrix = CostMatrix([[0, 1, 0.3], [5, 0, 0.4]], decisions=3)
    tiled = stakes.SampleCosts(np.tile(matrix.values, (data.y.size, 1, 1)), decisions=3)
    weights = 1.0 + np.arange(data.y.size) % 4 if weighted else None
    arguments = {"priors": data.priors, "sample_weight": weights}
    one = stakes.bayes_cost(data.y, data.p, costs=matrix, **arguments)
    other = stakes.bayes_cost(data.y, data.p, costs=tiled, **arguments)
    assert other.value == pytest.approx(one.value, rel=1e-12)
    assert other.naive == pytest.approx(one.naive, rel=1e-12)
    assert other.standard_error == pytest.approx(
        one.standard_error, rel=1e-9, abs=1e-9, nan_ok=True
    )
    assert other.normalized_standard_error == pytest.approx(
        one.normalized_standard_error, rel=1e-6, abs=1e-7, nan_ok=True
    )
    assert "SampleCosts" in repr(tiled)


def test_saturated_scores_lose_nothing() -> None:
    certain = stakes.LogLikelihoodRatios([-np.inf, np.inf, 800.0, -800.0])
    assert stakes.cllr([0, 1, 1, 0], certain).value == 0
    deep = stakes.LogPosteriors([[0.0, -10000.0], [-np.inf, 0.0]])
    assert stakes.cross_entropy([1, 1], deep, priors=[0, 1]).value == 5000
    tiny = stakes.cross_entropy([0], stakes.Posteriors([1e-20]), priors=[1, 0])
    assert tiny.value == pytest.approx(1e-20, rel=1e-15)
    assert stakes.brier_score([0], [1e-20], priors=[1, 0]).value == pytest.approx(1e-40, rel=1e-15)
    assert stakes.brier_score([1], stakes.Logits([60.0]), priors=[0, 1]).value == pytest.approx(
        np.exp(-120), rel=1e-13
    )


def test_change_of_priors_is_bayes_rule_for_any_number_of_classes() -> None:
    rng = np.random.default_rng(1)
    likelihood = rng.normal(0, 2, (50, 4))
    old, new = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.1, 0.1, 0.1, 0.7])
    at_old = stakes.LogLikelihoods(likelihood).log_posteriors(old)
    moved = stakes.Posteriors(np.exp(at_old), renormalize=True).at_priors(old, new)
    np.testing.assert_allclose(
        moved.log_posteriors(), stakes.LogLikelihoods(likelihood).log_posteriors(new), atol=1e-13
    )
    zero = stakes.Posteriors([0.25]).at_priors([0.5, 0.5], [1, 0])
    assert zero.log_posteriors().tolist() == [[0, -np.inf]]


def test_an_infinite_cross_entropy_says_how_many_and_which() -> None:
    certain = stakes.Posteriors([[1, 0], [1, 0], [0, 1], [0, 1]])
    loss = stakes.cross_entropy([0, 1, 1, 0], certain, sample_weight=[1, 1, 0, 1])
    assert loss.value == loss.normalized == np.inf
    assert loss.infinite_rows.tolist() == [1, 3]
    assert "2 samples had posterior 0" in str(loss)
    assert "row 1, 3" in str(loss)
    assert np.isnan(loss.standard_error)
    assert loss.interval().high == np.inf
    assert loss.to_dict()["value"] == "inf"
    assert loss.to_dict()["infinite_samples"] == 2


def test_costs_and_scores_must_name_the_same_classes_in_the_same_order() -> None:
    frame = pl.DataFrame({"spam": [0.3, 0.9, 0.2], "ham": [0.7, 0.1, 0.8]})
    y = ["ham", "spam", "spam"]
    costs = CostMatrix.binary(miss=5, false_alarm=1, classes=["ham", "spam"])
    right = stakes.bayes_cost(y, frame, costs=costs)
    rule = stakes.BayesCost(costs)
    with pytest.raises(stakes.InputError, match="in their order"):
        stakes.expected_loss(rule, y, frame)
    assert stakes.expected_loss(rule, y, frame, classes=["ham", "spam"]).value == right.value
    amounts = stakes.SampleCosts(np.tile(costs.values, (3, 1, 1)), classes=["ham", "spam"])
    assert stakes.bayes_cost(y, frame, costs=amounts).value == pytest.approx(right.value)
    with pytest.raises(stakes.InputError, match="in their order"):
        stakes.bayes_cost(y, frame, costs=amounts, classes=["spam", "ham"])
    longer = stakes.SampleCosts(np.tile(costs.values, (5, 1, 1)), classes=["ham", "spam"])
    with pytest.raises(stakes.InputError, match="5 for 3"):
        stakes.bayes_cost(y, frame, costs=longer, sample_weight=[1, 1, 0])
    assert stakes.BayesCost([[0, 1], [5, 0]]).costs == CostMatrix([[0, 1], [5, 0]])
    with pytest.raises(stakes.InputError, match="scoring rule"):
        stakes.expected_loss(stakes.LogLoss, [0], [0.5])


def test_exact_ties_go_to_the_lowest_index_in_spite_of_rounding() -> None:
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(3000):
        counts = rng.integers(0, 8, 3)
        if not counts.any():
            continue
        costs = rng.integers(0, 6, (3, 3))
        exact = [sum(int(a) * int(c) for a, c in zip(counts, col, strict=True)) for col in costs.T]
        ours = CostMatrix(costs).bayes_decisions([counts / counts.sum()])[0]
        wrong += int(ours) != int(np.argmin(exact))
    assert wrong == 0


def test_renormalised_scores_keep_the_names_of_their_columns() -> None:
    frame = pl.DataFrame({"spam": [30.0, 90.0], "ham": [70.0, 10.0]})
    loss = stakes.cross_entropy(
        ["ham", "spam"], stakes.Posteriors(frame, renormalize=True), classes=["ham", "spam"]
    )
    assert loss.value == pytest.approx(-(np.log(0.7) + np.log(0.9)) / 2)
    huge = stakes.Posteriors([[1.7e308, 1.7e308]], renormalize=True)
    assert huge.values.tolist() == [[0.5, 0.5]]


def test_rules_of_any_cost_function() -> None:
    gain = stakes.ScoringRule.from_cost(lambda h, d: -2.0 if h == d else 1.0, [0, 1])
    loss = stakes.expected_loss(gain, [0, 1, 1], [0.2, 0.9, 0.4])
    assert loss.value == pytest.approx(-1)
    assert loss.naive_answer == "1"
    assert loss.interval().low <= loss.value <= loss.interval().high
    assert loss.undefined is not None  # a naive gain is nothing to divide by
    soft = stakes.ScoringRule.from_cost(lambda h, d: float(d[h]) - 5, lambda s: s)
    y, p = [0, 1, 1] * 10, np.tile([0.2, 0.9, 0.4], 10)
    low, high = stakes.expected_loss(soft, y, p).interval()
    assert low < high
    for bad in (np.nan, np.inf):
        with pytest.raises(stakes.InputError, match="function"):
            stakes.expected_loss(
                stakes.ScoringRule.from_cost(lambda *_, x=bad: x, [0, 1]), [0], [0.5]
            )


def test_extreme_logits_leak_no_warnings() -> None:
    assert stakes.cross_entropy([0], stakes.Logits([[1e308, -1e308]])).value == 0
    assert stakes.cross_entropy([1], stakes.Logits([[1e308, -1e308]])).value == np.inf
    with pytest.raises(stakes.InputError, match="column per class"):
        stakes.Logits(np.zeros((2, 0)))
    one_column = pl.DataFrame({"p": [0.1, 0.8]})
    assert stakes.brier_score([0, 1], one_column).value == pytest.approx(0.025)


@pytest.mark.parametrize(
    "call",
    [
        lambda: stakes.simulation.simulate(1),
        lambda: stakes.simulation.simulate(2.5),
        lambda: stakes.simulation.simulate(2, n=-5),
        lambda: stakes.simulation.simulate(2, rng=-1),
        lambda: stakes.simulation.skewed_priors(3, largest=2),
        lambda: stakes.simulation.simulate(2, n=10).log_likelihoods(
            stakes.simulation.Distortion(1, (1.0, 2.0, 3.0))
        ),
        lambda: stakes.LogLikelihoodRatios.from_ratio([[1, 2], [3, 4]]),
        lambda: stakes.SampleCosts.from_columns([[0, None], [1, 0]], {"x": [1.0]}),
        lambda: stakes.SampleCosts.from_columns([[0, "x"], [1, 0]], {"x": [[1.0, 2.0]]}),
        lambda: stakes.calibration_error([0, 1], stakes.LogLikelihoodRatios([0.0, 1.0])),
    ],
)
def test_odd_arguments_are_refused_in_words(call: Callable[[], object]) -> None:
    with pytest.raises(stakes.InputError):
        call()


def costs_of_two(rng: np.random.Generator) -> CostMatrix:
    """Return costs with many ties, of up to five decisions."""
    m = int(rng.integers(1, 6))
    values = rng.choice([0, 1, 2, 3, 5, 0.1, 10, 0.25, 0.3], (2, m))
    return CostMatrix(values, classes=["a", "b"], decisions=[f"d{j}" for j in range(m)])


def test_decisions_of_two_classes_lie_on_intervals() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        costs = costs_of_two(rng)
        order, ends = costs.posterior_intervals()
        p = np.concatenate([rng.random(200), np.linspace(0, 1, 101), *(e + NEAR for e in ends)])
        p = p[(p >= 0) & (p <= 1)]
        wanted = costs.least_expected(np.column_stack([1 - p, p]))
        np.testing.assert_array_equal(np.array(order)[np.searchsorted(ends, p)], wanted)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_scorecard_counts_any_decisions_of_two_classes(*, weighted: bool) -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        costs = costs_of_two(rng)
        y, p = rng.integers(0, 2, 400), rng.random(400).round(2)
        w = rng.uniform(0.5, 2, 400) if weighted else None
        names = np.array(["a", "b"])[y]
        found = stakes.scorecard(names, p, costs=costs, sample_weight=w, classes=["a", "b"]).cost
        wanted = stakes.bayes_cost(names, p, costs=costs, sample_weight=w)
        assert found.value == pytest.approx(wanted.value, rel=1e-14)
        assert found.naive == pytest.approx(wanted.naive, rel=1e-14)


NAMED = CostMatrix([[0, 1], [5, 0]], classes=["healthy", "tumour"], decisions=["home", "operate"])


def test_decisions_are_names_and_indices_on_request() -> None:
    p = [0.1, 0.3]
    assert NAMED.bayes_decisions(p).tolist() == ["home", "operate"]
    assert NAMED.bayes_decisions(p, indices=True).tolist() == [0, 1]
    by_case = stakes.CostsByCase(
        [[0, 3], ["amount", 0]], classes=["fine", "fraud"], decisions=["pay", "stop"]
    ).with_columns({"amount": [10.0, 900.0]})
    assert by_case.bayes_decisions([0.2, 0.05]).tolist() == ["pay", "stop"]
    assert by_case.bayes_decisions([0.2, 0.05], indices=True).tolist() == [0, 1]


def test_decisions_without_names_are_their_indices() -> None:
    for costs in (CostMatrix.zero_one(2), CostMatrix([[0, 1, 2], [2, 1, 0]])):
        found, places = (costs.bayes_decisions([0.1, 0.9], indices=i) for i in (False, True))
        assert found.dtype == places.dtype == np.int64
        assert (found == places).all()
    turned = CostMatrix([[0, 1], [5, 0]], classes=[7, 3])
    assert turned.bayes_decisions([0.1, 0.9]).tolist() == [7, 3]
    mixed = CostMatrix.zero_one(2, abstain=0.1).bayes_decisions([0.01, 0.5])
    assert mixed.tolist() == [0, "abstain"]
    assert {type(name) for name in mixed} == {int, str}
