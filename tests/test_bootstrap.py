"""Intervals of single metrics: the same samples for all, the spread of theory, clear refusals."""

import json
import math

import numpy as np
import pytest
from stakes.evaluation.bootstrapping import Drawable
from stakes.intervals.losses import pass_sums, passable
from stakes.intervals.resampling import ClassSums, Resampling

import stakes
from stakes.scores import LogProbabilities
from stakes.scores.answers import LogOdds
from stakes.simulation import simulate
from strategies import rules

TWO = simulate(2, n=1500, priors=[0.7, 0.3])
P = TWO.posteriors([0.5, 0.5])
SECOND = np.exp(P.values[:, 1])
ALL: list[Drawable] = [
    stakes.LogLoss(),
    stakes.AreaUnderRoc(),
    stakes.EqualErrorRate(),
    stakes.BrierLoss(),
]


def test_values_are_those_of_the_metrics() -> None:
    found = stakes.bootstrap(TWO.y, P, ALL, resamples=50)
    loss = stakes.cross_entropy(TWO.y, P)
    curve = stakes.roc_curve(TWO.y, P)
    assert found["cross_entropy.value"].value == loss.value
    assert found["cross_entropy.normalized"].value == loss.normalized
    assert found["brier_score.value"].value == stakes.brier_score(TWO.y, P).value
    assert found["auc"].value == pytest.approx(stakes.auc(TWO.y, P), rel=1e-14)
    assert found["eer"].value == pytest.approx(curve.eer(), rel=1e-9)
    assert list(found.estimates)[2:4] == ["auc", "eer"]


def test_the_spread_is_that_of_theory() -> None:
    found = stakes.bootstrap(TWO.y, P, ALL, resamples=4000)
    loss = stakes.cross_entropy(TWO.y, P)
    assert found.drawn["cross_entropy.value"].std() == pytest.approx(loss.standard_error, rel=0.05)
    low, high = found["auc"].interval  # type: ignore[misc]
    area = stakes.evaluate(TWO.y, P, calibrator=None).ranking["auc"].interval
    assert area is not None
    assert high - low == pytest.approx(area.high - area.low, rel=0.08)


def test_each_metric_sees_the_same_samples_whatever_else_is_asked() -> None:
    together = stakes.bootstrap(TWO.y, P, ALL, resamples=60, rng=3)
    for metric in ALL:
        alone = stakes.bootstrap(TWO.y, P, metric, resamples=60, rng=3)
        for name, values in alone.drawn.items():
            np.testing.assert_array_equal(together.drawn[name], values)
    other = stakes.bootstrap(TWO.y, P, ALL, resamples=60, rng=4)
    assert (other.drawn["auc"] != together.drawn["auc"]).any()


def test_intervals_are_near_those_of_closed_forms() -> None:
    groups = np.arange(1500) // 3
    single = stakes.bootstrap(TWO.y, P, ALL, resamples=500, groups=groups)
    whole = stakes.evaluate(TWO.y, P, calibrator=None, groups=groups).metrics()
    for name in ("cross_entropy.value", "brier_score.normalized", "auc"):
        drawn, closed = single[name].interval, whole[name].interval
        assert drawn is not None
        assert closed is not None
        wide = closed.high - closed.low
        assert tuple(drawn) == pytest.approx(tuple(closed), abs=0.15 * wide)


def test_integer_weights_are_repetitions() -> None:
    w = np.random.default_rng(0).integers(1, 4, 1500)
    weighted = stakes.bootstrap(TWO.y, SECOND, ALL, resamples=50, sample_weight=w)
    groups = np.repeat(np.arange(1500), w)
    repeated = stakes.bootstrap(
        np.repeat(TWO.y, w), np.repeat(SECOND, w), ALL, resamples=50, groups=groups
    )
    for name, estimate in weighted.estimates.items():
        assert estimate.value == pytest.approx(repeated[name].value, rel=1e-10)


def test_class_sizes_are_kept_where_priors_are_given() -> None:
    right = np.where(TWO.y == 1, 0.9, 0.4)  # constant within each class
    found = stakes.bootstrap(TWO.y, right, stakes.BrierLoss(), priors=[0.5, 0.5], resamples=50)
    assert np.ptp(found.drawn["brier_score.value"]) < 1e-15
    free = stakes.bootstrap(TWO.y, right, stakes.BrierLoss(), resamples=50)
    assert np.ptp(free.drawn["brier_score.value"]) > 1e-3


def test_an_infinite_loss_has_no_interval() -> None:
    p = SECOND.copy()
    p[np.flatnonzero(TWO.y == 1)[0]] = 0
    with np.errstate(divide="ignore"):
        found = stakes.bootstrap(TWO.y, p, [stakes.LogLoss(), stakes.BrierLoss()], resamples=50)
    assert found["cross_entropy.value"].value == math.inf
    assert found["cross_entropy.value"].interval is None
    assert found["brier_score.value"].interval is not None
    assert "cross_entropy.value" not in found.drawn


def test_the_record_reads_well() -> None:
    found = stakes.bootstrap(TWO.y, P, ALL, resamples=50)
    assert str(found).splitlines()[-1] == "50 resamples of 1500 samples"
    assert str(found).splitlines()[2].startswith("auc ")
    kept = json.loads(json.dumps(found.to_dict()))
    assert kept["estimates"]["auc"]["method"] == "bootstrap (percentile)"
    assert kept["estimates"]["cross_entropy.value"]["method"] == "bootstrap (BCa)"
    with pytest.raises(stakes.InputError, match=r"name must be one of .*auc.*: got 'f1'"):
        _ = found["f1"]


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        ([], "at least one metric"),
        (["auc"], "got 'auc'"),
        ([stakes.LogLoss(), stakes.LogLoss()], "cross_entropy stands for several"),
    ],
)
def test_metrics_that_are_none_are_refused(metrics: list[Drawable], said: str) -> None:
    with pytest.raises(stakes.InputError, match=said):
        stakes.bootstrap(TWO.y, P, metrics)


def test_ranking_needs_two_classes() -> None:
    three = simulate(3, n=90)
    with pytest.raises(stakes.InputError, match="got 3 of 3 classes"):
        stakes.bootstrap(three.y, three.posteriors([0.2, 0.3, 0.5]), stakes.AreaUnderRoc())
    with pytest.raises(stakes.InputError, match="got 1 of 2 classes"):
        stakes.bootstrap([1, 1, 1], [0.2, 0.3, 0.4], stakes.AreaUnderRoc())
    with pytest.raises(stakes.InputError, match="resamples must be a whole number of at least 50"):
        stakes.bootstrap(TWO.y, P, stakes.LogLoss(), resamples=0)


# --- losses of other answers in one pass ---


@pytest.mark.parametrize("k", [2, 3])
def test_one_pass_gives_the_sums_of_the_rules(k: int) -> None:
    rng = np.random.default_rng(k)
    y = rng.integers(0, k, 400)
    w = rng.integers(0, 4, 400).astype(float)
    costs = stakes.CostMatrix(rng.uniform(1, 2, (k, k)) * (1 - np.eye(k)))
    rules = [stakes.BayesCost(costs), stakes.BrierLoss(), stakes.LogLoss()]
    assert all(passable(rule, k) for rule in rules)
    assert not passable(stakes.SphericalLoss(), k)
    assert not passable(None, k)
    z = rng.normal(size=(400, k))
    answers = LogOdds(z[:, 1] - z[:, 0]) if k == 2 else LogProbabilities.normalised(z)
    table = np.stack([rule.losses(y, answers) for rule in rules])
    found = pass_sums(rules, y, answers, w)
    assert found is not None
    np.testing.assert_allclose(found, ClassSums(table, y, k).under(w[None])[0], rtol=1e-12)


def test_the_naive_loss_of_many_priors_is_that_of_each() -> None:
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.dirichlet(np.ones(3), 20), np.eye(3)])
    for rule in rules(3):
        wanted = [rule.naive(row) for row in rows]
        np.testing.assert_allclose(rule.naive_each(rows), wanted, rtol=1e-14)


@pytest.mark.parametrize("seed", [0, 2**64 - 1, 2**64, 2**200])
def test_a_seed_of_any_size_is_64_bits(seed: int) -> None:
    key = Resampling(10, seed).key
    assert 0 <= key < 2**64
    assert key == seed or seed >= 2**64
