"""What follows from the order of scores: by sorted keys as by the definitions, on every path."""

import json
import math
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from sklearn import metrics as sk

import stakes
from registry import METRIC_OBJECTS
from stakes._check.lookalikes import are_decided
from stakes._kernels import formulas, keys
from stakes._kernels.definitions import order
from stakes._kernels.kernel_records import Blocks, Places
from stakes._kernels.library import KERNELS
from stakes.calibration.floor import Floor
from stakes.calibration.isotonic_calibrator import StepMap
from stakes.metrics.traditional import FourCounts
from stakes.results import Direction
from stakes.samples import read_samples
from stakes.statistics import ScoreLevels

SPREADS = [
    [-math.inf, -2.0, -1.0, -0.0, 0.0, 0.5, 0.7, 2.0, math.inf],
    [0.0, 1.0, 0.5, 5e-324, 1e-310, 2.3e-308, 1 - 2**-53],  # no key has all of them
    [1e300, -1e299, 3e299, math.inf, -math.inf, 0.0],  # but with a shift of its own
    [1e300, 1e-300, -1e-320, 0.0, math.inf],  # too far apart for any
    [1535.9, 1536.0, -1537.0, 2.0**-1011, 2.0**-1013],
    [-3.0, -2.0, -1.0],
]


@st.composite
def columns(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Draw scores and classes of any type and stride, with ties or without."""
    n = draw(st.sampled_from([1, 2, 7, 63, 64, 65, 128, 513, 1300]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    among = draw(st.sampled_from([*SPREADS, None]))
    decimals = draw(st.sampled_from([1, 3, 17]))
    scores = rng.normal(0, 6, n).round(decimals) if among is None else rng.choice(among, n)
    if among is None:
        scores = scores.astype(draw(st.sampled_from([np.float64, np.float32])))
    share = draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    y = rng.random(n) < share
    y = y.astype(draw(st.sampled_from([np.bool_, np.uint8, np.int16, np.int32, np.int64])))
    if draw(st.booleans()):
        scores, y = np.repeat(scores, 2)[::2], y[::-1].copy()[::-1]
    return scores, y


def defined_blocks(scores: Any, y: Any) -> Blocks:
    """Return the blocks of pool-adjacent-violators by the definitions alone."""
    levels = order.score_levels(scores, y)
    return order.blocks_at(levels, order.pav_blocks(levels.first, levels.second))


def same(found: Any, wanted: Any) -> None:
    """Hold two records equal, bit for bit."""
    for name, part in vars(wanted).items():
        np.testing.assert_array_equal(getattr(found, name), part, err_msg=name)


@given(columns())
def test_keys_are_sorted_as_scores_are(data: tuple[Any, Any]) -> None:
    assert keys.score_places(*data, 9)[0] == order.score_places(*data, 9)[0]
    same(keys.score_levels(*data), order.score_levels(*data))
    same(keys.score_blocks(*data), defined_blocks(*data))


@given(columns())
def test_pairs_are_what_they_are(data: tuple[Any, Any]) -> None:
    scores, y = (part[:100] for part in data)
    first, second = scores[y == 0].tolist(), scores[y == 1].tolist()
    total = sum(2 * (b > a) + (b == a) for a in first for b in second)
    assert keys.score_places(scores, y, 9)[0] == (total, len(first), len(second))


@given(columns())
def test_precision_of_keys_is_that_of_its_definition(data: tuple[Any, Any]) -> None:
    assert keys.score_precision(*data) == order.score_precision(*data)


@given(columns())
def test_average_precision_is_rounded_once(data: tuple[Any, Any]) -> None:
    scores, y = (part[:100] for part in data)
    hits = [int(((scores >= s) & (y == 1)).sum()) for s in scores[y == 1]]
    alarms = [int((scores >= s).sum()) for s in scores[y == 1]]
    shares = [Fraction(hit / alarm) for hit, alarm in zip(hits, alarms, strict=True)]
    found = keys.score_precision(scores, y)
    assert (found.first, found.second) == ((y == 0).sum(), len(hits))
    assert found.mean == (float(sum(shares) / len(hits)) if hits else 0)


def laid_out(curve: stakes.PrecisionRecallCurve) -> float:
    """Return the average precision from all points of the curve."""
    steps, precision = -np.diff(curve.recall), curve.precision[:-1]
    return float((steps[steps > 0] * precision[steps > 0]).sum())


@given(columns(), st.sampled_from([None, 1.0, 1e-200, 1e200]))
def test_average_precision_is_that_of_the_curve(data: tuple[Any, Any], scale: float | None) -> None:
    scores, y = np.append(data[0], data[0][:2]), np.append(data[1], [0, 1][: data[0].size])
    if are_decided(scores):
        scores = scores + 2  # in the same order, and no decisions
    if not y.any() or y.all():
        return
    rng = np.random.default_rng(y.size)
    weights = None if scale is None else scale * (rng.random(y.size) + 0.1)
    found = stakes.average_precision(y, scores, sample_weight=weights)
    curve = stakes.precision_recall_curve(y, scores, sample_weight=weights)
    assert found == curve.average_precision()
    assert found == pytest.approx(laid_out(curve), rel=1e-13)
    assert found.naive == curve.roc.priors[1]
    ranks = np.unique(scores, return_inverse=True)[1]  # others take no infinite scores
    usual = weights if weights is None or scale is None else weights / scale
    wanted = sk.average_precision_score(y, ranks, sample_weight=usual)
    assert found == pytest.approx(wanted, rel=1e-12)


def test_precision_of_very_many_samples() -> None:
    found = order.level_precision(np.array([2**41, 2**39]), np.array([2**40, 2**40]))
    assert found.mean == pytest.approx((1 / 1.5 + 2 / 4.5) / 2)


def test_average_precision_of_scores_that_know_nothing_is_the_prior() -> None:
    y = np.array([0, 0, 0, 1])
    found = stakes.average_precision(y, np.full(4, 0.3))
    assert (found, found.naive, found.better, found.beats_naive) == (0.25, 0.25, "higher", False)
    assert found.interval() is None
    assert "no interval" in found.method
    scores = y + 0.5
    assert float(stakes.average_precision(y, scores)) == 1
    assert stakes.average_precision(y, scores, positive=0) == pytest.approx(
        stakes.precision_recall_curve(1 - y, scores).average_precision()
    )
    certain = stakes.Posteriors(y.astype(float))
    assert float(stakes.average_precision(y, certain)) == 1


@pytest.mark.parametrize("decimals", [2, 4, 17])
def test_many_keys(decimals: int) -> None:
    rng = np.random.default_rng(decimals)
    y = rng.integers(0, 2, 100_000)
    scores = (rng.normal(0, 2, y.size) + y).round(decimals)
    assert keys.score_places(scores, y, 9)[0] == order.score_places(scores, y, 9)[0]
    assert keys.score_precision(scores, y) == order.score_precision(scores, y)
    same(keys.score_levels(scores, y), order.score_levels(scores, y))
    same(keys.score_blocks(scores, y), defined_blocks(scores, y))


@pytest.mark.parametrize(
    "kernel", [partial(keys.score_places, most=9), keys.score_levels, keys.score_precision]
)
def test_keys_of_what_is_no_score_or_no_class(kernel: Any) -> None:
    p = np.linspace(0, 1, 700)
    with pytest.raises(ValueError, match="0 and 1"):
        kernel(p, np.full(700, 2))
    for row in (0, 3, 699):
        y = np.zeros(700, dtype=np.int64)
        for label in (-1, 2, 2**40):
            y[row] = label
            with pytest.raises(ValueError, match="0 and 1"):
                kernel(p, y)
        unknown = p.copy()
        unknown[row] = math.nan
        with pytest.raises(ValueError, match="NaN"):
            kernel(unknown, np.zeros(700, dtype=np.int64))
    with pytest.raises(ValueError, match="column of 700"):
        kernel(p, np.zeros(699, dtype=np.int64))


class ClassCounts(NamedTuple):
    """Samples of two classes at each score, and in all."""

    first: np.ndarray[Any, Any]
    second: np.ndarray[Any, Any]
    totals: tuple[int, int]


def counted(first: Any, second: Any) -> ClassCounts:
    one, two = np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)
    return ClassCounts(one, two, (int(one.sum()), int(two.sum())))


counts_at = st.lists(
    st.tuples(st.integers(0, 3) | st.integers(0, 2**40), st.integers(0, 3)), max_size=600
).map(lambda pairs: counted(*np.array(pairs, dtype=np.int64).reshape(-1, 2).T))


def curve_of(at: ClassCounts) -> stakes.RocCurve:
    levels = ScoreLevels(np.arange(at.first.size) / 8.0, at.first, at.second, np.zeros(2, int))
    return stakes.RocCurve(levels, (0, 1))


@given(counts_at, st.sampled_from([0.0, 0.1]))
def test_swept_metrics_have_the_bits_of_their_formulas(at: ClassCounts, more: float) -> None:
    assume(min(at.totals) > 0)
    curve, table = curve_of(at), [[more, 2.0 + more], [0.7 + more, more]]
    n11, n21 = (np.concatenate([[0], np.cumsum(c)]).astype(float) for c in (at.first, at.second))
    n1, n2 = n11[-1], n21[-1]
    n12, n22 = n1 - n11, n2 - n21
    whole = FourCounts(n11, n12, n21, n22)
    with pytest.MonkeyPatch.context() as patch, np.errstate(invalid="ignore", divide="ignore"):
        patch.setattr(formulas, "_FEW", 0)
        for name, metric in METRIC_OBJECTS.items():
            np.testing.assert_array_equal(curve.sweep(metric), metric.values(whole), name)
        first = n12 / n1 * table[0][1] + table[0][0] * (n11 / n1)
        second = n21 / n2 * table[1][0] + table[1][1] * (n22 / n2)
        wanted = 0.3 * first + 0.7 * second
        np.testing.assert_array_equal(curve.expected_costs(table, [0.3, 0.7]), wanted)


@pytest.mark.skipif(KERNELS is None, reason="there are no kernels")
def test_the_kernel_takes_the_steps_of_every_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formulas, "_FEW", 0)
    monkeypatch.setattr(formulas, "_run", lambda *_: "taken")
    at = counted([3, 1], [1, 3])
    for name, metric in METRIC_OBJECTS.items():
        assert curve_of(at).sweep(metric) == "taken", name


def test_a_correlation_near_nothing_keeps_its_digits() -> None:
    n = 94_906_267  # the products differ by 1 in 9e15
    found = curve_of(counted([n, n + 1], [n - 1, n])).sweep(stakes.metrics.Matthews())[1]
    n1, n2 = 2 * n + 1, 2 * n - 1
    exact = Fraction(n * n - (n + 1) * (n - 1))
    assert found == pytest.approx(float(exact) / math.sqrt(n1 * n2 * (2 * n - 1) * (2 * n + 1)))


def test_counts_beyond_those_with_exact_products() -> None:
    found = curve_of(counted([2**60, 3], [1, 2**59])).sweep(stakes.metrics.FScore())
    assert found[1] == pytest.approx(2 * 2**59 / (2 * 2**59 + 1 + 3))


def test_curves_of_plain_arrays_are_those_of_any_column() -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 500)
    for s in (rng.random(500), rng.normal(0, 9, 500).round(), rng.random(500).astype(np.float32)):
        other = s.tolist()
        for labels in (y, y.astype(np.uint8), y.astype(bool)):
            assert stakes.auc(labels, s) == stakes.auc(labels.tolist(), other)
            curve, wanted = stakes.roc_curve(labels, s), stakes.roc_curve(labels.tolist(), other)
            assert curve.classes == wanted.classes
            assert [type(c) for c in curve.classes] == [type(c) for c in wanted.classes]
            same(curve.levels, wanted.levels)
        turned = stakes.auc(y, s, positive=0)
        assert turned == stakes.auc(y.tolist(), other, positive=0) == stakes.auc(1 - y, s)
        assert stakes.auc(y, s, classes=[1, 0]) == turned
        assert stakes.auc(y + 1, s) == stakes.auc(y, s)


def said(call: Any, *arguments: Any) -> str:
    with pytest.raises(stakes.StakesError) as caught:
        call(*arguments)
    return str(caught.value)


@pytest.mark.parametrize("call", [stakes.auc, stakes.roc_curve, stakes.average_precision])
def test_errors_have_the_same_words_on_every_road(call: Any) -> None:
    p, y = np.array([0.1, 0.2, 0.7]), np.array([0, 1, 1])
    unknown = np.array([0.1, math.nan, 0.7])
    cases = [(y, unknown), (y + np.arange(3), p), (0 * y, p), (y, p[:2]), (y[:0], p[:0])]
    for labels, scores in cases:
        assert said(call, labels, scores) == said(call, labels.tolist(), scores.tolist())


@st.composite
def posteriors(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Draw posteriors and classes that both occur; some posteriors have the same log odds."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.sampled_from([2, 5, 70, 900]))
    near = 0.1 + rng.integers(-9, 10, n) * 2.0**-56
    kinds = [rng.beta(0.3, 0.3, n), rng.random(n).round(2), rng.choice([0.0, 0.4, 1.0], n), near]
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    return draw(st.sampled_from(kinds)), y


@given(posteriors(), st.sampled_from([None, [0.8, 0.2]]), st.sampled_from([0.0, 0.5]))
def test_isotonic_fits_of_plain_arrays(data: tuple[Any, Any], priors: Any, mix: float) -> None:
    p, y = data
    odds = stakes.Logits(np.log(p + 1e-9) - np.log1p(1e-9 - p))
    for scores in (p, stakes.Posteriors(p), odds):
        quick = stakes.IsotonicCalibrator(mix).fit(scores, y, priors=priors)
        samples = read_samples(y, scores, priors=priors)
        log_p = Floor.from_samples(samples).samples(samples).scores.answers(None).log_p
        found, wanted = quick.fitted, quick.learn(log_p, y, samples.balanced_weights())
        assert isinstance(wanted, StepMap)
        same(found, wanted)
        weighted = quick.fresh().fit(scores, y, priors=priors, sample_weight=np.full(y.size, 2.0))
        np.testing.assert_allclose(vars(weighted.fitted)["low"], found.low)  # type: ignore[attr-defined]


def test_isotonic_errors_have_the_same_words_on_every_road() -> None:
    p, y = np.array([0.1, 0.2, 0.7]), np.array([0, 1, 1])
    fit = stakes.IsotonicCalibrator().fit
    outside, unknown = np.array([0.1, 1.2, 0.7]), np.array([0.1, math.nan, 0.7])
    cases = [(outside, y), (-p, y), (unknown, y), (p, y + 1), (p, 0 * y), (p[:2], y)]
    for scores, labels in cases:
        assert said(fit, scores, labels) == said(fit, scores.tolist(), labels.tolist())


PATHS = """
import json, numpy as np, stakes
from stakes import metrics
rng = np.random.default_rng(8)
y = rng.integers(0, 2, 3000)
p = (rng.random(3000) / 2 + y / 3).round(6)
curve = stakes.roc_curve(y, p)
every = metrics.FScore(2), metrics.Matthews(), metrics.NetBenefit(0.3), metrics.Precision()
found = [np.nan_to_num(curve.sweep(metric)).tolist() for metric in every]
found.append(curve.normalized_costs([[0, 1], [4, 0]]).tolist())
found.append([stakes.auc(y, p), curve.auc(), curve.eer(), *curve.hull_points.tolist()])
found.append([stakes.average_precision(y, p)])
fitted = stakes.IsotonicCalibrator().fit(p, y).fitted
print(json.dumps([*found, fitted.to_dict()]))
"""


def test_both_roads_give_the_same() -> None:
    inherited = {"PATH", "PYTHONPATH", "HOME"} & os.environ.keys()
    env = {name: os.environ[name] for name in inherited}
    told = [
        subprocess.run(
            [sys.executable, "-c", PATHS],
            env=env | more,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for more in ({}, {"STAKES_KERNELS": "numpy"})
    ]
    assert json.loads(told[0]) == json.loads(told[1])


def test_a_metric_of_ones_own_is_swept() -> None:
    class Alarms:
        """How many are decided as the class of interest."""

        name = "alarms"
        better: Direction = "lower"

        def values(self, n: FourCounts) -> np.ndarray[Any, Any]:
            return n.n12 + n.n22

    curve = stakes.roc_curve(np.array([0, 1, 1]), np.array([0.1, 0.4, 0.4]))
    assert curve.sweep(Alarms()).tolist() == [3, 2, 0]


@given(columns(), st.integers(0, 9))
def test_places_are_those_of_their_definition(data: tuple[Any, Any], most: int) -> None:
    pairs, found = keys.score_places(*data, most)
    same_pairs, wanted = order.score_places(*data, most)
    assert pairs == same_pairs
    if not isinstance(found, Places) or not isinstance(wanted, Places):
        assert type(found) is type(wanted)
        same(found, wanted)
        return
    levels = order.score_levels(*data)
    from_levels = keys.level_places(levels.first, levels.second, pairs)
    for parts in zip(found, wanted, from_levels, strict=True):
        np.testing.assert_array_equal(parts[0], parts[1])
        np.testing.assert_array_equal(parts[0], parts[2])


@given(columns())
def test_places_add_up_to_the_pairs(data: tuple[Any, Any]) -> None:
    pairs, found = keys.score_places(*data, 0)
    assert isinstance(found, Places)
    numbers, sums = (
        [float(x[found.y == k].sum()) for k in (0, 1)]
        for x in (found.number, found.number * found.below)
    )
    assert numbers == [pairs.first, pairs.second]
    lost = 2 * pairs.first * pairs.second - pairs.total
    assert sums == pytest.approx([lost / 2, pairs.total / 2], rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("decimals", [0, 2, 17])
def test_an_area_has_the_interval_of_an_evaluation(decimals: int) -> None:
    rng = np.random.default_rng(decimals)
    y = rng.integers(0, 2, 40_000)
    s = (rng.normal(0, 1, y.size) + y).round(decimals)
    area, shown = stakes.auc(y, s), stakes.evaluate(y, stakes.Logits(s), level=0.9).ranking["auc"]
    band = area.interval(0.9)
    assert band is not None
    assert area == stakes.roc_curve(y, s).auc() == shown.value
    assert shown.interval is not None
    assert list(band) == pytest.approx(list(shown.interval), abs=1e-12)
    assert area.method == shown.method == "likelihood"
    assert (area.naive, area.better, area.beats_naive) == (0.5, "higher", True)
    assert area.to_dict(0.9)["interval"] == pytest.approx(list(band))


def test_areas_without_spread_have_intervals() -> None:
    y = np.tile([0, 1], 200_000)
    equal = stakes.auc(y, np.full(y.size, 0.3))
    assert (equal, equal.interval(), equal.method) == (0.5, None, "all samples have one score")
    for scores in (y + 0.5, -y.astype(float), stakes.Posteriors(1.0 * y)):
        area = stakes.auc(y, scores)
        band = area.interval()
        assert band is not None
        assert band.low < band.high
        assert area in band


def test_weights_that_are_equal_give_the_interval_without_weights() -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 300)
    s = (rng.normal(0, 1, y.size) + y).round(1)
    plain, weighted = stakes.auc(y, s), stakes.auc(y, s, sample_weight=np.full(300, 7.0))
    assert list(weighted.interval()) == pytest.approx(list(plain.interval()))  # type: ignore[arg-type]
    uneven = stakes.auc(y, s, sample_weight=rng.random(300) + 0.1).interval()
    assert uneven is not None
    assert uneven.high - uneven.low > plain.interval().high - plain.interval().low  # type: ignore[union-attr]


def test_ranking_values_work_as_the_numbers_they_were() -> None:
    y, llr = [0, 0, 1, 1], [-1.0, 0.5, 0.2, 2.0]
    area, least = stakes.auc(y, llr), stakes.minimum_cllr(y, llr)
    assert area == 0.75
    assert f"{area:.2f} {1 - area}" == "0.75 0.25"
    assert json.dumps(area) == "0.75"
    assert np.mean([area, area]) == 0.75
    assert least == float(least) == least.value <= stakes.cllr(y, llr).normalized
    assert (least.naive, least.better, least.beats_naive) == (1.0, "lower", True)
    band = least.interval()
    assert band is not None
    assert 0 < band.low < least < band.high <= 1
    assert least.method == "likelihood"
    assert pickle.loads(pickle.dumps(least)).interval() == band  # noqa: S301
    assert pickle.loads(pickle.dumps(area)).interval() == area.interval()  # noqa: S301
    assert str(area).startswith("AUC 0.7500 (for class 1; naive 0.5")


@pytest.mark.parametrize("n", [0, 1, 2, 47, 48, 49, 300, 5000, 70_000, 200_000])
@pytest.mark.parametrize("kind", ["uniform", "normal", "ties", "equal", "far", "two", "descending"])
def test_doubles_are_sorted(n: int, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if KERNELS is None:
        pytest.skip("sorting is numpy's without kernels")
    monkeypatch.setattr(keys, "_FEWEST_SORTED", 0)
    monkeypatch.setattr(keys, "KERNELS", replace(KERNELS, sorts=True))
    rng = np.random.default_rng(n)
    values = {
        "uniform": rng.random(n),
        "normal": rng.normal(size=n),
        "ties": np.round(rng.normal(size=n), 1),
        "equal": np.full(n, -0.5),
        "far": rng.choice([-np.inf, np.inf, 0.0, 1e-300, -1e300, 5e-324, -5e-324, 1.0], size=n),
        "two": rng.choice([1.0, np.nextafter(1.0, 2.0)], size=n),
        "descending": -np.arange(n, dtype=np.float64),
    }[kind]
    found, wanted = values.copy(), np.sort(values)
    keys.sort_doubles(found)
    assert (found == wanted).all()
    assert (
        np.bincount((found.view(np.uint64) % 1021).astype(np.int64)).tolist()
        == np.bincount((values.view(np.uint64) % 1021).astype(np.int64)).tolist()
    )
