"""Intervals: how samples are resampled, statistics under weights and refits."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats
from scipy.special import stdtrit
from stakes.intervals.bootstrap import Statistic, SummedStatistic
from stakes.intervals.resampling import ClassSums

import stakes
from registry import GENERAL_OBJECTS, METRIC_OBJECTS
from stakes import metrics
from stakes._quantiles import student as _t
from stakes._typing import FloatArray, IntArray
from stakes.calibration.crossfit import deal
from stakes.calibration.linear import LinearCalibrator
from stakes.costs import SampleCosts
from stakes.intervals import (
    NOT_DRAWN,
    CalibratedStatistic,
    ClassMeans,
    CountStatistic,
    FullRefit,
    LossStatistic,
    NamedLosses,
    Odds,
    RankStatistic,
    Replicates,
    Resampling,
    Training,
    WarmRefit,
    count_statistic,
    counts,
    refit,
    refitter,
    replicate,
    replicate_counts,
    resampling,
    seed_of,
)
from stakes.metrics.expected_losses import sample_losses
from stakes.samples import read_samples
from stakes.scores import Answers
from stakes.scores.answers import SecondProbabilities
from stakes.scoring import LogLoss
from stakes.simulation import MISCALIBRATED, simulate
from strategies import Scored, scored

RNG = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Draw the same numbers in each test, whichever others run."""
    RNG.bit_generator.state = np.random.default_rng(8).bit_generator.state


class Mean(Statistic):
    """The weighted mean of some numbers."""

    names = ("mean",)

    def __init__(self, values: FloatArray, *, smooth: bool = True) -> None:
        self.values, self.smooth = values, smooth

    def under(self, weights: FloatArray) -> FloatArray:
        return np.array([[row @ self.values / row.sum()] for row in weights])


def drawn_mean(values: FloatArray, count: int, *, smooth: bool = True) -> Replicates:
    return replicate([Mean(values, smooth=smooth)], Resampling(values.size, 3), count)


# --- drawing ---


def test_plain_resamples_hold_as_many_samples() -> None:
    for index in range(20):
        times = Resampling(37, 5).draw(index)
        assert times.sum() == 37
        assert (times == np.trunc(times)).all()
    drawn = np.stack([Resampling(37, 5).draw(i) for i in range(2000)])
    assert drawn.mean(axis=0) == pytest.approx(np.ones(37), abs=5 / math.sqrt(2000))
    assert drawn.var() == pytest.approx(1 - 1 / 37, rel=0.03)  # binomial


def test_stratified_resamples_keep_class_sizes() -> None:
    y = RNG.integers(0, 3, 50)
    for index in range(20):
        times = Resampling(50, 5, strata=y).draw(index)
        np.testing.assert_array_equal(np.bincount(y, times), np.bincount(y))
    assert times.max() > 1


def test_groups_are_drawn_whole() -> None:
    unit = RNG.permutation(np.repeat(np.arange(12), [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]))
    for index in range(20):
        times = Resampling(unit.size, 5, unit=unit).draw(index)
        one_of_each = times[np.unique(unit, return_index=True)[1]]
        np.testing.assert_array_equal(times, one_of_each[unit])
        assert one_of_each.sum() == 12


def test_weights_multiply_what_is_drawn() -> None:
    w = RNG.uniform(0.5, 2, 30)
    plain, weighted = Resampling(30, 1), Resampling(30, 1, weights=w)
    np.testing.assert_array_equal(weighted.draw(4), plain.draw(4) * w)


@pytest.mark.parametrize("n", [7, 100, 1234])
def test_parts_cover_every_sample_once(n: int) -> None:
    y = RNG.integers(0, 2, n)
    unit = RNG.integers(0, 150, n)
    unit = np.unique(unit, return_inverse=True)[1]
    w = RNG.uniform(1, 2, n)
    for plan in (Resampling(n, 0), Resampling(n, 0, strata=y), Resampling(n, 0, unit, unit, w)):
        count = int(plan.parts.max()) + 1
        assert count <= 100
        left = plan.left_out(range(count))
        assert ((left == 0).sum(axis=0) == 1).all()
        assert (left == 0).any(axis=1).all()
        kept = np.ones(n) if plan.weights is None else w
        np.testing.assert_array_equal(left.max(axis=0), kept)


def test_parts_of_strata_hold_all_classes() -> None:
    y = np.repeat([0, 1], [900, 100])[RNG.permutation(1000)]
    parts = Resampling(1000, 0, strata=y).parts
    assert np.bincount(parts[y == 1], minlength=100).tolist() == [1] * 100


def test_blocks_and_threads_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    data = simulate(2, n=301, priors=[0.7, 0.3])
    raw = data.posteriors([0.5, 0.5], MISCALIBRATED)
    w = RNG.uniform(0.5, 2, data.y.size)

    def evaluated() -> str:
        return str(stakes.evaluate(data.y, raw, sample_weight=w).to_dict())

    usual = evaluated()
    for cells, threads in ((1, 1), (2**10, 5), (2**30, 2)):
        monkeypatch.setattr(resampling, "_CELLS", cells)
        monkeypatch.setenv("STAKES_THREADS", str(threads))
        assert evaluated() == usual
    monkeypatch.setattr(resampling, "_CELLS", 2**10)
    assert len(list(Resampling(300, 0).blocks(70))) == 24  # so that the blocks did differ


def test_another_seed_draws_others() -> None:
    assert (Resampling(50, 1).draw(0) != Resampling(50, 2).draw(0)).any()
    assert (Resampling(50, 1).draw(0) != Resampling(50, 1).draw(1)).any()


def test_seeds() -> None:
    assert seed_of(5) == seed_of(np.int64(5)) == 5
    first, second = (seed_of(np.random.default_rng(1)) for _ in range(2))
    assert first == second
    for bad in (-1, True, 1.5, "1", None):
        with pytest.raises(stakes.InputError, match="rng"):
            seed_of(bad)


def test_progress_counts_up_to_the_total() -> None:
    seen: list[tuple[int, int]] = []
    replicate([Mean(np.arange(200.0))], Resampling(200, 0), 70, lambda i, n: seen.append((i, n)))
    assert [i for i, _ in seen] == sorted({i for i, _ in seen})
    assert seen[-1] == (170, 170)  # 70 resamples and 100 parts


# --- intervals ---


def test_the_spread_of_a_mean_is_that_of_theory() -> None:
    values = RNG.exponential(size=400)
    drawn = drawn_mean(values, 4000).drawn[:, 0]
    assert drawn.std() == pytest.approx(values.std() / 20, rel=0.04)
    assert drawn.mean() == pytest.approx(values.mean(), abs=4 * values.std() / 20 / 60)


@pytest.mark.parametrize(("smooth", "method"), [(True, "BCa"), (False, "percentile")])
def test_ends_are_those_of_scipy(smooth: bool, method: str) -> None:  # noqa: FBT001
    values = RNG.exponential(size=80)
    ours = drawn_mean(values, 20_000, smooth=smooth).estimate("mean", 0.95)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method=method.lower(), random_state=1
    ).confidence_interval
    assert ours.method == f"bootstrap ({method})"
    assert ours.interval is not None
    width = theirs.high - theirs.low
    assert abs(ours.interval.low - theirs.low) < 0.03 * width
    assert abs(ours.interval.high - theirs.high) < 0.03 * width


def test_only_a_skewed_statistic_is_corrected() -> None:
    half = RNG.normal(size=100)
    ends = {}
    for name, values in {"even": np.concatenate([half, -half]), "skewed": half**6}.items():
        for smooth in (True, False):
            band = drawn_mean(values, 4000, smooth=smooth).estimate("mean", 0.9).interval
            assert band is not None
            ends[name, smooth] = np.array([band.low, band.high])
        ends[name, True] = (ends[name, True] - ends[name, False]) / np.ptp(ends[name, False])
    assert np.abs(ends["even", True]).max() < 0.04
    assert ends["skewed", True].min() > 0.04  # both ends move to where the tail is


def test_a_part_can_stand_for_several() -> None:
    drawn = RNG.gamma(2, size=(500, 1))
    left = np.array([[0.3], [0.9], [1.1]])
    times = np.array([5.0, 2.0, 1.0])
    short = Replicates(("x",), np.array([2.0]), drawn, left, times=times)
    long = Replicates(("x",), np.array([2.0]), drawn, left.repeat(times.astype(int), axis=0))
    bands = [r.estimate("x", 0.95).interval for r in (short, long)]
    assert bands[0] is not None
    assert bands[1] is not None
    assert bands[0].low == pytest.approx(bands[1].low)
    assert bands[0].high == pytest.approx(bands[1].high)


def test_no_interval_without_enough_values() -> None:
    def made(drawn: FloatArray, observed: float = 1.0) -> stakes.Estimate:
        return Replicates(("x",), np.array([observed]), drawn[:, None], None).estimate("x", 0.95)

    assert made(np.arange(100.0)).interval is not None
    assert made(np.empty(0)).method == NOT_DRAWN
    for bad in (np.arange(19.0), np.where(np.arange(100) < 11, np.nan, np.arange(100.0))):
        assert made(bad).interval is None
        assert "undefined" in made(bad).method
    assert made(np.arange(100.0), math.nan).interval is None
    some = np.where(np.arange(100) < 10, np.inf, np.arange(100.0))
    assert made(some).interval is not None
    assert made(np.ones(100)).method == "no spread in the resamples"


def test_differences_are_paired() -> None:
    values = RNG.normal(size=(300, 1))
    both = Replicates(("a", "b"), np.zeros(2), np.hstack([values, values - 1]), None)
    gap = both.difference("a", "b", 0.95)
    assert gap.interval is not None
    assert list(gap.interval) == pytest.approx([1, 1])
    never = Replicates(("a", "b"), np.full(2, np.inf), np.full((300, 2), np.inf), None)
    assert math.isnan(never.difference("a", "b", 0.95).value)


# --- statistics under weights ---


def loss_values(data: Scored, rule: stakes.ScoringRule) -> FloatArray:
    samples = read_samples(data.y, data.p, priors=data.priors)
    priced = NamedLosses("x", "normalized", sample_losses(rule, samples), rule.losses, rule)
    means = ClassMeans(samples.y, data.n_classes, data.priors)
    w = np.ones(data.y.size) if data.weights is None else data.weights / data.weights.max()
    return LossStatistic(means, [priced]).under(w[None, :])[0]


@given(scored(weights=False), st.integers(0, 2))
def test_losses_are_those_of_the_library(data: Scored, which: int) -> None:
    costs = stakes.CostMatrix(np.arange(1.0, 3 * data.n_classes + 1).reshape(-1, 3) % 5)
    rule = (stakes.LogLoss(), stakes.BrierLoss(), stakes.BayesCost(costs))[which]
    expected = data.loss(rule)
    if math.isinf(expected.value):
        return
    found = loss_values(data, rule)
    np.testing.assert_allclose(found, [expected.value, expected.normalized], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("priors", [None, [0.3, 0.7]])
def test_weights_stand_for_copies(priors: list[float] | None) -> None:
    y, p = RNG.integers(0, 2, 40), RNG.uniform(0.05, 0.95, 40)
    table = np.column_stack([1 - p, p])
    given_priors = None if priors is None else np.array(priors)
    for rule in (stakes.LogLoss(), stakes.BayesCost(stakes.CostMatrix.zero_one(2))):
        w = Resampling(40, 1).draw(0)
        found = loss_values(Scored(y, table, w, given_priors), rule)
        expected = stakes.expected_loss(rule, y, p, priors=priors, sample_weight=w)
        np.testing.assert_allclose(found, [expected.value, expected.normalized], rtol=1e-12)


@pytest.mark.parametrize("priors", [None, [0.6, 0.4]])
def test_costs_per_sample_are_those_of_the_library(priors: list[float] | None) -> None:
    y, p = RNG.integers(0, 2, 60), RNG.uniform(size=60)
    amounts = RNG.lognormal(3, 1, 60)
    costs = SampleCosts.from_columns([[0, 3], ["amount", 0]], {"amount": amounts})
    decided = costs.bayes_decisions(p)
    constants = np.column_stack([costs.at(y, np.full(60, j)) for j in (0, 1)])
    priced = NamedLosses(
        "x", "nec", costs.at(y, decided), stakes.LogLoss().losses, constants=constants
    )
    means = ClassMeans(y, 2, None if priors is None else np.array(priors))
    expected = stakes.bayes_cost(y, p, costs=costs, priors=priors)
    found = LossStatistic(means, [priced]).under(np.ones((1, 60)))[0]
    np.testing.assert_allclose(found, [expected.value, expected.normalized], rtol=1e-12)


def test_a_given_class_that_was_not_drawn_leaves_no_value() -> None:
    priced = NamedLosses("x", "nec", np.ones(3), stakes.LogLoss().losses, stakes.LogLoss())
    absent = np.array([[1.0, 1.0, 0.0]])
    y = np.array([0, 0, 1])
    at_given = LossStatistic(ClassMeans(y, 2, np.array([0.5, 0.5])), [priced]).under(absent)
    assert np.isnan(at_given).all()
    assert LossStatistic(ClassMeans(y, 2, None), [priced]).under(absent)[0, 0] == 1
    assert np.isnan(LossStatistic(ClassMeans(y, 2, None), [priced]).under(np.zeros((1, 3)))).all()


RANK_COSTS = [
    stakes.CostMatrix.zero_one(2),
    stakes.CostMatrix.binary(miss=5, false_alarm=1),
    stakes.CostMatrix([[1, 2], [6, 0.5]]),
]


@given(scored(classes=2))
def test_ranking_is_that_of_the_curve(data: Scored) -> None:
    s = data.p[:, 1]
    w = np.ones(s.size) if data.weights is None else data.weights / data.weights.max()
    w = np.maximum(w, 1e-6)
    roc = stakes.roc_curve(data.y, stakes.Posteriors(s), sample_weight=w)
    odds = [Odds(str(i), c.values, data.priors) for i, c in enumerate(RANK_COSTS)]
    found = RankStatistic(s, data.y, odds).under(w[None, :])[0]
    least = [roc.minimum_cost(c, data.priors).normalized for c in RANK_COSTS]
    np.testing.assert_allclose(found, [roc.auc(), roc.eer(), *least], rtol=1e-9, atol=1e-9)


def test_ranking_of_one_class_has_no_value() -> None:
    one = RankStatistic(np.arange(3.0), np.array([0, 0, 1]), [])
    assert np.isnan(one.under(np.array([[1.0, 1.0, 0.0]]))).all()


def counted(
    y: IntArray,
    d: IntArray,
    k: int,
    chosen: list[metrics.DecisionMetric],
    priors: FloatArray | None,
) -> CountStatistic:
    names = tuple(range(k))
    return CountStatistic("x", y, d, names, names, chosen, priors)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("at_priors", [False, True])
def test_metrics_of_counts_are_their_own(k: int, at_priors: bool) -> None:  # noqa: FBT001
    y, d = RNG.integers(0, k, 200), RNG.integers(0, k, 200)
    d = np.where(RNG.random(200) < 0.5, y, d)
    chosen = list((METRIC_OBJECTS if k == 2 else GENERAL_OBJECTS).values())
    priors = np.arange(1.0, k + 1) / np.arange(1, k + 1).sum() if at_priors else None
    statistic = counted(y, d, k, chosen, priors)
    for w in (np.ones(200), Resampling(200, 1).draw(0)):
        cm = stakes.confusion_matrix(y, d, sample_weight=w)
        cm = cm if priors is None else cm.at_priors(priors)
        expected = [metric.evaluate(cm).value for metric in chosen]
        np.testing.assert_allclose(statistic.under(w[None, :])[0], expected, rtol=1e-12, atol=1e-14)


def test_a_class_of_prior_0_without_samples_does_not_count() -> None:
    y, d = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    statistic = counted(y, d, 3, [metrics.Accuracy()], np.array([0.5, 0.5, 0.0]))
    assert statistic.under(np.ones((1, 4)))[0, 0] == 0.75


@pytest.mark.parametrize("priors", [None, [0.5, 0.5]])
def test_counts_are_drawn_like_samples(priors: list[float] | None) -> None:
    y, d = np.repeat([0, 0, 1, 1], [80, 20, 10, 30]), np.repeat([0, 1, 0, 1], [80, 20, 10, 30])
    p = None if priors is None else np.array(priors)
    chosen: list[metrics.DecisionMetric] = [metrics.Accuracy(), metrics.FScore(1)]
    table = replicate_counts(stakes.confusion_matrix(y, d), chosen, p, 3000, 1)
    plan = Resampling(140, 2, strata=None if p is None else y)
    single = replicate([counted(y, d, 2, chosen, p)], plan, 3000)
    np.testing.assert_allclose(table.observed, single.observed, rtol=1e-12)
    for k in (0, 1):
        assert table.drawn[:, k].std() == pytest.approx(single.drawn[:, k].std(), rel=0.06)
        assert stats.ks_2samp(table.drawn[:, k], single.drawn[:, k]).statistic < 0.06
    for a, b in zip(table.names, single.names, strict=True):
        one, two = (r.estimate(n, 0.95).interval for r, n in ((table, a), (single, b)))
        assert one is not None
        assert two is not None
        assert np.abs(np.array(list(one)) - list(two)).max() < 0.012


def test_parts_of_counts_are_single_samples() -> None:
    y, d = np.repeat([0, 0, 1, 1], [30, 7, 5, 18]), np.repeat([0, 1, 0, 1], [30, 7, 5, 18])
    chosen: list[metrics.DecisionMetric] = [metrics.FScore(1)]
    table = replicate_counts(stakes.confusion_matrix(y, d), chosen, None, 50, 1)
    single = replicate([counted(y, d, 2, chosen, None)], Resampling(60, 2), 50)
    assert table.left_out is not None
    assert table.times is not None
    assert single.left_out is not None
    copies = np.repeat(table.left_out[:, 0], table.times.astype(int))
    np.testing.assert_allclose(np.sort(copies), np.sort(single.left_out[:, 0]), rtol=1e-12)


def test_counts_at_given_priors_keep_class_sizes() -> None:
    cells = counts._Cells.from_confusion(stakes.ConfusionMatrix.from_counts([[80, 20], [10, 30]]))
    rng = np.random.default_rng(0)
    kept, free = (
        cells.tables(np.vstack(list(cells.drawn(rng, 40, by_class=by_class))))
        for by_class in (True, False)
    )
    assert (kept.sum(axis=2) == [100, 40]).all()
    assert (free.sum(axis=(1, 2)) == 140).all()
    assert (free.sum(axis=2) != [100, 40]).any()


def test_blocks_change_no_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(5).integers(0, 9, (4, 4))
    matrix = stakes.ConfusionMatrix.from_counts(table)
    for priors in (None, np.full(4, 0.25)):
        whole = replicate_counts(matrix, [metrics.Matthews()], priors, 30, 1)
        with monkeypatch.context() as patch:
            patch.setattr(counts, "_CELLS", 40)
            parts = replicate_counts(matrix, [metrics.Matthews()], priors, 30, 1)
        np.testing.assert_array_equal(whole.drawn, parts.drawn)
        np.testing.assert_array_equal(whole.left_out, parts.left_out)


@given(seed=st.integers(0, 2**32), k=st.integers(2, 6), given_priors=st.booleans())
def test_the_correlation_of_many_tables_is_that_of_each(
    seed: int, k: int, *, given_priors: bool
) -> None:
    rng = np.random.default_rng(seed)
    used = rng.choice(k, rng.integers(1, k + 1), replace=False)  # other decisions are never made
    table = rng.integers(0, 4, (k, k)) * (rng.random((k, k)) < 0.6) * np.isin(np.arange(k), used)
    table[np.arange(k), rng.choice(used, k)] += 1
    matrix = stakes.ConfusionMatrix.from_counts(table)
    priors = rng.dirichlet(np.ones(k)) if given_priors else None
    found = replicate_counts(matrix, [metrics.Matthews()], priors, 20, 3)
    cells = counts._Cells.from_confusion(matrix)
    names = (matrix.classes, matrix.decisions)
    drawn = np.vstack(list(cells.drawn(np.random.default_rng(3), 20, by_class=given_priors)))
    left = np.vstack(list(cells.left_out()))
    for weights, values in ((drawn, found.drawn), (left, found.left_out)):
        assert values is not None
        for table, value in zip(cells.tables(weights), values[:, 0], strict=True):
            shown = table
            if priors is not None:
                size = table.sum(axis=1, keepdims=True)
                shown = priors[:, None] * np.divide(
                    table, size, out=np.zeros_like(table), where=size > 0
                )
            expected = counts._single(metrics.Matthews(), shown, names)
            assert value == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("priors", [None, [0.6, 0.4]])
@pytest.mark.parametrize("k", [2, 4])
def test_decisions_have_one_interval_wherever_they_come_from(
    k: int, priors: list[float] | None
) -> None:
    rng = np.random.default_rng(k)
    y = rng.integers(0, k, 400)
    z = rng.normal(size=(400, k))
    z[np.arange(400), y] += 1
    at = None if priors is None else np.resize(priors, k) / np.resize(priors, k).sum()
    result = stakes.evaluate(y, stakes.Logits(z), priors=at, training_priors="deployment", rng=7)
    direct = stakes.evaluate_decisions(result.main.confusion, priors=at, rng=7)
    named = result.main.traditional_estimates
    assert "Matthews correlation" in named
    assert {n: (e.value, e.interval) for n, e in named.items()} == {
        n: (e.value, e.interval) for n, e in direct.estimates.items() if n in named
    }


# --- refits ---


def training(
    n: int, k: int, *, priors: FloatArray | None = None, weights: FloatArray | None = None
) -> Training:
    data = simulate(k, n=n, priors=np.full(k, 1 / k) if k > 2 else [0.7, 0.3])
    logits = stakes.Logits(data.log_likelihoods(MISCALIBRATED).values)
    samples = read_samples(data.y, logits)
    pairs = deal(samples, 5, None, 0).pairs
    return Training(samples.scores.answers(None).log_p, samples.y, pairs, priors, weights)


def gap_in_spreads(data: Training, calibrator: LinearCalibrator, count: int = 30) -> float:
    """Return how far quick refits are from full ones, in spreads of the calibrated loss."""
    n, k = data.log_p.shape
    rule = stakes.LogLoss()
    means = ClassMeans(data.y, k, data.priors)
    priced = [NamedLosses("x", "normalized", np.ones(n), rule.losses, rule)]
    plan = Resampling(n, 1, weights=data.weights)
    rows = np.stack([plan.draw(i) for i in range(count)])
    warm, full = (
        CalibratedStatistic(means, priced, how(calibrator, data)).under(rows)[:, 0]
        for how in (WarmRefit, FullRefit)
    )
    assert np.isfinite(full).all()
    return float(np.abs(warm - full).max() / full.std())


@pytest.mark.parametrize(("n", "k"), [(200, 2), (569, 2), (2000, 2), (600, 3), (1500, 10)])
def test_quick_refits_are_full_ones(n: int, k: int) -> None:
    assert gap_in_spreads(training(n, k), stakes.AffineCalibrator()) < 0.01


def test_one_step_is_near_enough_for_many_samples() -> None:
    data = training(20_000, 2)
    assert data.log_p.size > refit._SMALL
    gap = gap_in_spreads(data, stakes.AffineCalibrator(), 12)
    assert 1e-4 < gap < 0.1  # above 0, since it is one step only


def test_one_step_starts_from_the_weighted_fit() -> None:
    plain = training(20_000, 2)
    heavy = np.where(plain.y == 1, 20.0, 1.0) * (1 + (plain.log_p[:, 1] > -0.7))
    data = Training(plain.log_p, plain.y, plain.pairs, None, heavy)
    assert gap_in_spreads(data, stakes.AffineCalibrator(), 8) < 0.1
    unweighted_start = Training(plain.log_p, plain.y, plain.pairs, None)
    assert WarmRefit(stakes.AffineCalibrator(), data)._start[0] != pytest.approx(
        WarmRefit(stakes.AffineCalibrator(), unweighted_start)._start[0], abs=0.1
    )


@pytest.mark.parametrize(
    "calibrator",
    [stakes.TemperatureCalibrator(), stakes.BiasCalibrator(), stakes.VectorCalibrator()],
)
def test_other_linear_calibrators_and_given_priors(calibrator: LinearCalibrator) -> None:
    data = training(800, 3, priors=np.array([0.2, 0.3, 0.5]))
    assert gap_in_spreads(data, calibrator, 10) < 0.01


def test_refits_at_unit_weights_are_the_cross_fit() -> None:
    data = simulate(3, n=900, priors=[0.5, 0.3, 0.2])
    raw = data.posteriors([1 / 3] * 3, MISCALIBRATED)
    samples = read_samples(data.y, raw)
    pairs = deal(samples, 5, None, 0).pairs
    expected = stakes.cross_calibrate(stakes.AffineCalibrator(), data.y, raw).values
    for how in (WarmRefit, FullRefit):
        answers = how(stakes.AffineCalibrator(), Training(raw.values, data.y, pairs, None))(
            np.ones(900)
        )
        assert answers is not None
        np.testing.assert_allclose(answers.log_p, expected, rtol=1e-3 if how is WarmRefit else 1e-9)


def test_which_refit_is_used() -> None:
    data = training(100, 2)
    assert isinstance(refitter(stakes.AffineCalibrator(), data), WarmRefit)
    assert isinstance(refitter(stakes.IsotonicCalibrator(), data), FullRefit)
    assert isinstance(refitter(stakes.AffineCalibrator(stakes.BrierLoss()), data), FullRefit)
    every = np.arange(data.y.size)
    on_test = Training(data.log_p, data.y, [(every, every)], None)
    assert isinstance(refitter(stakes.AffineCalibrator(), on_test), FullRefit)
    twice = Training(data.log_p, data.y, [*data.pairs, *data.pairs], None)
    assert isinstance(refitter(stakes.AffineCalibrator(), twice), FullRefit)


@pytest.mark.parametrize("how", [WarmRefit, FullRefit])
def test_a_class_that_is_not_drawn_gives_no_fit(how: type[WarmRefit] | type[FullRefit]) -> None:
    data = training(100, 2)
    assert how(stakes.AffineCalibrator(), data)((data.y == 0).astype(float)) is None


def parameters(data: Training, weights: FloatArray) -> FloatArray:
    """Return what is fitted in each fold, from the fit to all samples of the first data."""
    found = WarmRefit(stakes.AffineCalibrator(), data).maps(weights)
    assert found is not None
    return np.stack([np.concatenate([m.scale, m.bias]) for m in found])


def changed(data: Training, at: int, what: str) -> Training:
    """Return data in which one sample has another label or score."""
    y, log_p = data.y.copy(), data.log_p.copy()
    if what == "label":
        y[at] = 1 - y[at]
    else:
        log_p[at] = log_p[at][::-1]
    return Training(log_p, y, data.pairs, data.priors)


def folds_of(data: Training) -> IntArray:
    fold = np.empty(data.y.size, dtype=np.int64)
    for number, (_, test) in enumerate(data.pairs):
        fold[test] = number
    return fold


@pytest.mark.parametrize("priors", [None, [0.5, 0.5]])
@pytest.mark.parametrize("what", ["label", "score"])
def test_no_sample_has_a_say_in_the_fit_that_tests_it(
    what: str, priors: list[float] | None
) -> None:
    """A changed sample leaves its own fold's fit to the bit, and moves all others."""
    data = training(300, 2, priors=None if priors is None else np.array(priors))
    weights = Resampling(data.y.size, 3).draw(0)
    fold = folds_of(data)
    at = int(np.flatnonzero(weights > 0)[5])
    both = data, changed(data, at, what)
    before, after = (answers_of(FullRefit(stakes.AffineCalibrator(), t)(weights)) for t in both)
    mine = (np.arange(data.y.size) != at) & (fold == fold[at])
    np.testing.assert_array_equal(before[mine], after[mine])
    others = fold != fold[at]
    assert (before[others] != after[others]).all()
    warm = [parameters(t, weights) for t in both]
    gaps = np.abs(warm[0] - warm[1]).max(axis=1)
    assert gaps[fold[at]] < 1e-4 * np.delete(gaps, fold[at]).min()


@pytest.mark.parametrize("what", ["label", "score"])
def test_one_step_lets_a_sample_into_its_own_fold_by_the_start_alone(what: str) -> None:
    """The step starts from a fit to all samples, which is felt to second order."""
    data = training(20_000, 2)
    weights = Resampling(data.y.size, 3).draw(0)
    fold = folds_of(data)
    at = int(np.flatnonzero(weights > 0)[5])
    warm = [parameters(t, weights) for t in (data, changed(data, at, what))]
    gaps = np.abs(warm[0] - warm[1]).max(axis=1)
    assert gaps[fold[at]] < 0.1 * np.delete(gaps, fold[at]).min()


def answers_of(answers: Answers | None) -> FloatArray:
    assert answers is not None
    return answers.log_p


def test_a_sample_that_is_not_drawn_has_no_say_at_all() -> None:
    data = training(300, 2)
    weights = Resampling(data.y.size, 3).draw(0)
    at = int(np.flatnonzero(weights == 0)[0])
    y = data.y.copy()
    y[at] = 1 - y[at]
    found = [
        FullRefit(stakes.AffineCalibrator(), Training(data.log_p, labels, data.pairs, None))(
            weights
        )
        for labels in (data.y, y)
    ]
    np.testing.assert_array_equal(*(answers_of(a) for a in found))


@settings(max_examples=20)
@given(scored(weights=False))
def test_calibrated_values_add_up(data: Scored) -> None:
    """The raw value is the calibrated one and the calibration loss."""
    rule = stakes.BrierLoss()
    samples = read_samples(data.y, data.p)
    losses = sample_losses(rule, samples)
    priced = [NamedLosses("x", "normalized", losses, rule.losses, rule)]
    means = ClassMeans(samples.y, data.n_classes, None)
    flat = stakes.Posteriors(np.full(data.p.shape, 1 / data.n_classes)).answers(None)
    kept: list[Statistic] = [
        LossStatistic(means, priced),
        CalibratedStatistic(means, priced, lambda _: flat),
    ]
    raw, after = (s.under(np.ones((1, data.y.size)))[0] for s in kept)
    assert raw[1] == pytest.approx(after[0] + after[1])
    if raw[0] > 0:
        assert after[2] * raw[1] == pytest.approx(after[1])


def test_infinite_posteriors_are_no_hindrance() -> None:
    log_p = np.log(np.array([[0.2, 0.8], [0.7, 0.3], [0.4, 0.6], [0.6, 0.4]] * 20))
    y = np.array([1, 0, 0, 1] * 20)
    log_p[0], log_p[1] = [-np.inf, 0.0], [0.0, -np.inf]
    rows = np.arange(80)
    pairs = [(rows[rows % 2 == k], rows[rows % 2 != k]) for k in (0, 1)]
    data = Training(log_p, y, [(np.setdiff1d(rows, t), t) for _, t in pairs], None)
    for how in (WarmRefit, FullRefit):
        found = how(stakes.AffineCalibrator(), data)(np.ones(80))
        assert found is not None
        assert found.log_p[0].tolist() == [-np.inf, 0.0]


def test_products_of_weights_and_columns_use_every_class() -> None:
    y = np.array([0, 1, 0, 2])  # classes that do not lie together
    means = ClassMeans(y, 3, np.array([0.2, 0.3, 0.5]))
    columns = np.arange(8.0).reshape(4, 2)
    for w in product([1.0, 2.0], repeat=4):
        found = means.expectation(ClassSums(columns.T, y, 3).under(np.array([w])))[0]
        first = (w[0] * columns[0] + w[2] * columns[2]) / (w[0] + w[2])
        np.testing.assert_allclose(found, 0.2 * first + 0.3 * columns[1] + 0.5 * columns[3])


def statistics_of(*, sorted_classes: bool) -> list[Statistic]:
    """Return some of every kind, over samples of two classes."""
    data = simulate(2, n=300, priors=[0.6, 0.4])
    y = np.sort(data.y) if sorted_classes else data.y
    p = np.clip(RNG.normal(0.4 + 0.2 * y, 0.2).round(2), 0.01, 0.99)
    losses = LogLoss().losses(y, SecondProbabilities(p))
    constants = RNG.uniform(0.5, 2, (300, 2))
    priced = [
        NamedLosses("log", "normalized", losses, LogLoss().losses, LogLoss()),
        NamedLosses("cost", "nec", losses**2, LogLoss().losses, constants=constants),
    ]
    names = ("a", "b")
    d = (p > 0.5).astype(np.int64)
    odds = [
        Odds("x", np.array([[0, 1.0], [3, 0]]), None),
        Odds("y", np.eye(2)[::-1], np.array([0.5, 0.5])),
    ]
    return [
        LossStatistic(ClassMeans(y, 2, None), priced),
        LossStatistic(ClassMeans(y, 2, np.array([0.2, 0.8])), priced),
        count_statistic("x", y, d, (names, names), (stakes.metrics.Accuracy(),), None),
        RankStatistic(p, y, odds),
    ]


@pytest.mark.parametrize("sorted_classes", [False, True])
@pytest.mark.parametrize("kept", ["", "strata", "unit"])
@pytest.mark.parametrize("weighted", [False, True])
def test_streams_see_the_weights_that_are_drawn(
    *, sorted_classes: bool, kept: str, weighted: bool
) -> None:
    statistics = statistics_of(sorted_classes=sorted_classes)
    n, y = 300, statistics[3].y
    plan = Resampling(
        n,
        7,
        strata=y if kept == "strata" else None,
        unit=np.arange(n) // 4 if kept == "unit" else None,
        weights=RNG.uniform(0.5, 2, n) if weighted else None,
    )
    rows = range(3, 17)
    weights = np.stack([plan.draw(index) for index in rows])
    left = plan.left_out(range(int(plan.parts.max()) + 1))
    for statistic in statistics:
        stream = statistic.stream(plan)
        assert stream is not None
        np.testing.assert_allclose(stream(rows), statistic.under(weights), rtol=1e-12)
        if isinstance(statistic, SummedStatistic):
            found = statistic.from_sums(statistic.sums.left_out(plan))
            np.testing.assert_allclose(found, statistic.under(left), rtol=1e-11)


def test_a_class_that_is_left_out_whole_has_no_weight() -> None:
    y = np.array([0, 0, 0, 1])
    sums = ClassSums(np.array([[0.1, 0.2, 0.4, 0.3]]), y, 2).left_out(Resampling(4, 0))
    assert sums[3, 1].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(sums[:3, 0, 0], [0.6, 0.5, 0.3])


def test_seeds_of_more_than_64_bits_draw_their_own() -> None:
    seeds = [2**64 + 3, 3, 2**70]
    drawn = [Resampling(50, seed).draw(0).tolist() for seed in seeds]
    assert len({tuple(row) for row in drawn}) == 3


@pytest.mark.parametrize("degrees", [999, 1000, 1001, 20_000, 10**9])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_quantile_of_t_is_that_of_scipy(degrees: int, level: float) -> None:
    assert _t(level, degrees) == pytest.approx(stdtrit(degrees, (1 + level) / 2), rel=1e-10)
