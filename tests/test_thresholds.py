"""Which threshold: by the Bayes rule, the best on the data, and under a cap on reviews."""

import numpy as np
import pytest

import stakes
from stakes.results import Estimate

DATA = stakes.simulation.simulate(2, n=3000)
RAW = DATA.posteriors([0.7, 0.3])
COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1)


def test_the_bayes_rule_is_that_of_the_costs() -> None:
    choice = stakes.choose_threshold(DATA.y, RAW, costs=COSTS)
    bayes = choice.results[0]
    assert bayes.threshold == COSTS.threshold()
    cost = stakes.bayes_cost(DATA.y, RAW, costs=COSTS)
    assert bayes.value == pytest.approx(cost.value, rel=1e-12)
    assert tuple(bayes.normalized.interval or ()) == pytest.approx(
        tuple(cost.normalized_interval()), rel=1e-12
    )
    assert choice.chosen is bayes


@pytest.mark.parametrize("priors", [None, [0.5, 0.5], [0.99, 0.01]])
def test_the_best_on_the_data_is_the_least_cost_of_any_threshold(
    priors: list[float] | None,
) -> None:
    choice = stakes.choose_threshold(
        DATA.y, RAW, costs=COSTS, priors=priors, training_priors="deployment"
    )
    least = stakes.roc_curve(DATA.y, RAW).minimum_cost(COSTS, priors)
    assert choice.results[1].value == pytest.approx(least.value, rel=1e-12)
    assert choice.results[1].sensitivity == pytest.approx(least.point.sensitivity, rel=1e-12)


@pytest.mark.parametrize("cap", [0.0, 0.01, 0.05, 0.2, 1.0])
def test_a_cap_is_kept_and_no_review_costs_more_than_it_saves(cap: float) -> None:
    choice = stakes.choose_threshold(DATA.y, RAW, costs=COSTS, review=cap)
    bayes, capped = choice.results[0], choice.results[-1]
    assert choice.chosen is capped
    assert capped.reviewed <= cap + 1e-12
    assert capped.threshold >= bayes.threshold
    if bayes.reviewed <= cap:
        assert capped.threshold == bayes.threshold
    else:
        assert capped.reviewed > cap - 2 / DATA.y.size  # as many as can be had


def test_a_cap_is_a_share_at_the_priors_of_use() -> None:
    priors = [0.999, 0.001]
    choice = stakes.choose_threshold(
        DATA.y, RAW, costs=COSTS, priors=priors, training_priors="deployment", review=0.01
    )
    weights = np.where(DATA.y == 0, 0.999 / (DATA.y == 0).sum(), 0.001 / (DATA.y == 1).sum())
    taken = np.exp(RAW.values[:, 1]) > choice.chosen.threshold
    assert choice.chosen.reviewed == pytest.approx(float(weights @ taken), rel=1e-9)
    assert choice.chosen.reviewed <= 0.01


def test_amounts_give_a_threshold_on_the_expected_saving() -> None:
    amount = np.linspace(1, 50, DATA.y.size)
    costs = stakes.SampleCosts.from_columns([[0, 3], ["amount", 0]], {"amount": amount})
    choice = stakes.choose_threshold(DATA.y, RAW, costs=costs, review=0.05)
    assert choice.of == "the expected saving"
    assert choice.results[0].threshold == 0
    cost = stakes.bayes_cost(DATA.y, RAW, costs=costs)
    assert choice.results[0].value == pytest.approx(cost.value, rel=1e-12)
    p = np.exp(RAW.values[:, 1])
    saving = p * amount - (1 - p) * 3
    assert choice.chosen.reviewed == pytest.approx(np.mean(saving > choice.chosen.threshold))
    assert choice.results[1].value <= choice.results[0].value <= choice.chosen.value


def test_what_no_threshold_can_serve_is_refused() -> None:
    with pytest.raises(stakes.InputError, match="two classes and two decisions"):
        stakes.choose_threshold(DATA.y, RAW, costs=stakes.CostMatrix.zero_one(2, abstain=0.1))
    asking = stakes.CostMatrix([[1, 0.2], [0, 0.2]], classes=[0, 1], decisions=["answer", "idk"])
    with pytest.raises(stakes.InputError, match="'answer' costs less than 'idk' for class 1"):
        stakes.choose_threshold(DATA.y, RAW, costs=asking)
    for costs, words in (
        ([[1, 0], [0, 1]], "in the other order"),
        ([[0, 1], [0, 1]], "1 never costs less"),
        ([[1, 0], [1, 0]], "0 never costs less"),
        ([[1, 0], [2, 2]], "0 never costs less"),
        ([[2, 2], [0, 1]], "1 never costs less"),
        ([[1, 1], [2, 2]], "nothing to decide"),
    ):
        with pytest.raises(stakes.InputError, match=words):
            stakes.choose_threshold(DATA.y, RAW, costs=stakes.CostMatrix(costs))
    with pytest.raises(stakes.InputError, match="review must"):
        stakes.choose_threshold(DATA.y, RAW, costs=COSTS, review=1.5)


def test_posteriors_are_adapted_to_the_priors_of_each_application() -> None:
    few = stakes.Application(COSTS, [0.995, 0.005])
    both = stakes.evaluate(
        DATA.y, RAW, costs={"now": COSTS, "few": few}, training_priors=[0.7, 0.3]
    )
    by_hand = RAW.at_priors([0.7, 0.3], [0.995, 0.005])
    cost = stakes.bayes_cost(DATA.y, by_hand, costs=COSTS, priors=[0.995, 0.005])
    assert both.applications[1].cost.raw.value == pytest.approx(cost.value, rel=1e-12)
    now = RAW.at_priors([0.7, 0.3], both.data.priors)
    entropy = stakes.cross_entropy(DATA.y, now)
    assert both.rules[0].raw.value == pytest.approx(entropy.value, rel=1e-12)
    compared = stakes.compare(
        DATA.y, {"a": RAW, "b": RAW}, costs={"few": few}, training_priors=[0.7, 0.3]
    )
    assert compared.values["a"]["few.value"] == pytest.approx(cost.value, rel=1e-12)


def test_training_priors_that_make_no_sense_are_refused() -> None:
    with pytest.raises(stakes.InputError, match="training_priors are for posteriors"):
        stakes.evaluate(
            DATA.y, DATA.log_likelihood_ratios(), priors=[0.5, 0.5], training_priors="data"
        )
    with pytest.raises(stakes.InputError, match="training_priors must be above 0"):
        stakes.evaluate(DATA.y, RAW, training_priors=[1.0, 0.0])
    with pytest.raises(stakes.InputError, match=r"^training_priors must"):
        stakes.evaluate(DATA.y, RAW, training_priors=[0.9, 0.9])


def ends(estimate: Estimate | None) -> tuple[float, float, float]:
    """Return a value and its interval, both of which must be there."""
    assert estimate is not None
    assert estimate.interval is not None
    return estimate.value, estimate.interval.low, estimate.interval.high


@pytest.mark.parametrize("prior", [0.02, 0.3, 0.9])
def test_the_least_cost_has_one_interval_however_priors_are_given(prior: float) -> None:
    at, old = [1 - prior, prior], [0.7, 0.3]
    y, p = DATA.y[::4], np.exp(RAW.values[::4, 1])
    for_all, own = (
        stakes.evaluate(y, p, costs={"a": c}, priors=q, training_priors=old).main
        for c, q in ((COSTS, at), (stakes.Application(COSTS, at), None))
    )
    best = stakes.choose_threshold(y, p, costs=COSTS, priors=at, training_priors=old).results[1]
    assert ends(for_all.minimum) == pytest.approx(ends(own.minimum), rel=1e-12)
    assert ends(for_all.minimum) == pytest.approx(ends(best.normalized), rel=1e-12)
    assert for_all.minimum_point is not None
    assert own.minimum_point is not None
    assert for_all.minimum_point.threshold == pytest.approx(own.minimum_point.threshold, rel=1e-9)


def test_any_rising_map_of_scores_has_the_same_least_cost() -> None:
    y, z = DATA.y[::11], (RAW.values[:, 1] - RAW.values[:, 0])[::11]
    found = {
        ends(stakes.evaluate(y, stakes.Logits(s), costs=COSTS).main.minimum)
        for s in (z, np.arcsinh(z), z**3 + z, np.exp(z))
    }
    assert len(found) == 1


def test_the_best_threshold_of_amounts_is_allowed_for() -> None:
    rng = np.random.default_rng(8)
    y = (rng.random(80) < 0.3).astype(int)
    p = rng.beta(1 + 2 * y, 2 - y)
    amounts = {"amount": rng.lognormal(2, 1, 80)}
    costs = stakes.SampleCosts.from_columns([[0, 3], ["amount", 0]], amounts)
    best = stakes.choose_threshold(y, p, costs=costs).results[1]
    both = np.column_stack([1 - p, p])
    saving = costs.expected(both, 0) - costs.expected(both, 1)
    fixed = stakes.expected_cost(y, (saving > best.threshold).astype(int), costs=costs)
    value, low, high = ends(best.normalized)
    assert value == pytest.approx(fixed.normalized, rel=1e-12)
    assert 0 < low < value < high <= 1


@pytest.mark.parametrize("values", [[0.6] * 9, [0.3, 0.6, 0.6, 0.9], [0.5]])
@pytest.mark.parametrize("cap", [1.0, 0.999999])
def test_a_cap_that_takes_all_cases_changes_nothing(values: list[float], cap: float) -> None:
    y = np.arange(len(values)) % 2
    y[:1] = 1
    choice = stakes.choose_threshold(
        np.r_[y, 0], np.r_[values, 0.5], costs=stakes.CostMatrix.binary(miss=9, false_alarm=1),
        review=cap,
    )  # fmt: skip
    bayes, capped = choice.results[0], choice.results[-1]
    if cap == 1:
        assert (capped.threshold, capped.reviewed) == (bayes.threshold, bayes.reviewed)
        assert capped.reviewed == pytest.approx(1)
    assert capped.reviewed <= cap + 1e-12


def test_reversed_scores_are_said_before_a_threshold_is_used() -> None:
    scores = stakes.Logits(np.where(DATA.y == 1, -2.0, 2.0) + np.arange(DATA.y.size) % 7)
    wrong = stakes.choose_threshold(DATA.y, scores, costs=COSTS)
    assert wrong.notes[0].startswith("The scores look reversed: they rank 1 below 0 (AUC 0.")
    assert wrong.to_dict()["notes"] == list(wrong.notes)
    assert stakes.choose_threshold(DATA.y, RAW, costs=COSTS).notes == ()


def test_the_best_on_the_data_is_that_at_the_priors_where_costs_differ_by_case() -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 300)
    p = 1 / (1 + np.exp(-(2 * y - 1) - rng.normal(size=300)))
    amount, priors = rng.uniform(1, 9, 300), [0.97, 0.03]
    columns = {"amount": amount}
    costs = stakes.SampleCosts.from_columns([[0, 2], ["amount", 0]], columns, classes=[0, 1])
    value = p * amount - (1 - p) * 2
    least = min(
        float(stakes.expected_cost(y, (value > cut).astype(int), costs=costs, priors=priors))
        for cut in (-np.inf, *value)
    )
    found = stakes.choose_threshold(y, p, costs=costs, priors=priors, training_priors="deployment")
    assert found.results[1].value == pytest.approx(least)
