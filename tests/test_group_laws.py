"""Samples in groups of unequal size, some of them of one class only: the intervals still cover."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.model_selection import GroupKFold

import stakes
from stakes._quantiles import normal, student
from stakes._typing import FloatArray, IntArray
from stakes.calibration.crossfit import Folds
from stakes.calibration.slope import calibration_slope
from stakes.curves.area_difference import AreaDifference
from stakes.curves.placements import Placements
from stakes.evaluation.application_decisions import curve_of
from stakes.evaluation.ranking_results import ranking_of
from stakes.evaluation.verdicts.usefulness import effective_units
from stakes.samples import read_samples


def patients(
    seed: int, groups: int, share: float, distance: float = 1.0
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return groups, labels and calibrated log odds; all samples of a group have one label.

    Sizes are geometric with mean 20, and half of the variance of the scores is by group.
    """
    rng = np.random.default_rng(seed)
    unit = np.repeat(np.arange(groups), rng.geometric(0.05, groups))
    y = (rng.random(groups) < share).astype(np.int64)[unit]
    noise = rng.normal(size=groups)[unit] + rng.normal(size=unit.size)
    x = math.sqrt(0.5) * noise + distance * y
    return unit, y, distance * x - distance**2 / 2 + math.log(share / (1 - share))


def area_difference(
    a: FloatArray, b: FloatArray, y: IntArray, unit: IntArray | None = None
) -> AreaDifference:
    """Return the area of one score less that of another."""
    first, second = (Placements.from_scores(s, y, None, unit) for s in (a, b))
    return AreaDifference(first.less(second))


def holding(unit: IntArray, y: IntArray) -> int:
    """Return how many groups hold the class that fewer of them hold."""
    return min(np.unique(unit[y == k]).size for k in (0, 1))


# -- calibration slope


@pytest.mark.parametrize(("groups", "share"), [(200, 0.03), (60, 0.1)])
def test_few_groups_of_a_class_do_not_show_a_slope(groups: int, share: float) -> None:
    """Of 150 draws 4 are expected on either side; more than 10 have a probability below 0.5 %."""
    sides = np.zeros(2, dtype=int)
    for seed in range(150):
        unit, y, z = patients(seed, groups, share)
        if holding(unit, y) < 2:
            continue
        band = calibration_slope(read_samples(y, stakes.Logits(z)), unit).interval()
        if band is not None:
            sides += (band.high < 1, band.low > 1)
    assert (sides <= 10).all()


def test_a_class_within_one_group_gives_no_interval_of_the_slope() -> None:
    rng = np.random.default_rng(12)
    y = np.repeat([0, 1], [80, 20])
    samples = read_samples(y, stakes.Logits(rng.normal(size=100) + y))
    found = calibration_slope(samples, np.arange(100) // 20)
    assert found.interval() is None
    assert found.why == "some class occurs in one group only"


# -- ranking


def ranked(scores: FloatArray, y: IntArray, unit: IntArray | None) -> dict[str, stakes.Estimate]:
    samples = replace(read_samples(y, stakes.Logits(scores)), groups=unit)
    return ranking_of(samples, curve_of(samples), 0.95)


@pytest.mark.parametrize(("groups", "share"), [(200, 0.03), (60, 0.05)])
def test_areas_and_equal_error_rates_of_few_groups_of_a_class_are_covered(
    groups: int, share: float
) -> None:
    """Of 120 draws 6 are expected outside; more than 12 have a probability below 1 %."""
    truth = {"auc": ndtr(math.sqrt(0.5)), "eer": ndtr(-0.5)}
    outside = dict.fromkeys(truth, 0)
    for seed in range(120):
        unit, y, z = patients(seed, groups, share)
        if holding(unit, y) < 2:
            continue
        for name, found in ranked(z, y, unit).items():
            assert found.interval is not None
            outside[name] += truth[name] not in found.interval
    assert max(outside.values()) <= 12


def test_areas_of_few_groups_of_a_class_do_not_differ() -> None:
    """Of 200 draws 10 are expected; more than 18 have a probability below 1 %."""
    false = 0
    for seed in range(200):
        unit, y, z = patients(seed, 200, 0.03)
        rng = np.random.default_rng(10_000 + seed)
        other = rng.normal(size=200)[unit] + rng.normal(size=y.size) + math.sqrt(2) * y
        if holding(unit, y) >= 2:
            false += area_difference(z, other, y, unit).distinguishable()
    assert false <= 18


def test_ranking_of_groups_of_one_sample_is_that_of_samples() -> None:
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [90, 12])
    z = rng.normal(size=102) + y
    alone, grouped = ranked(z, y, None), ranked(z, y, np.arange(102))
    one, many = (e["auc"].interval for e in (alone, grouped))
    assert one is not None
    assert many is not None

    # as of a rarer class with 11 degrees of freedom, and 102 groups instead of samples
    wider = student(0.95, 11) / normal(0.95)
    assert 1 < (many.high - many.low) / (one.high - one.low) < 1.2 * wider
    other = z + rng.normal(size=102)
    first, second = (area_difference(z, other, y, u) for u in (None, np.arange(102)))
    assert first.value == pytest.approx(second.value, rel=1e-12)
    assert first.p_value < second.p_value < 1
    ends = first.interval(), second.interval()
    assert ends[0] is not None
    assert ends[1] is not None
    assert 1 < (ends[1].high - ends[1].low) / (ends[0].high - ends[0].low) < 1.3 * wider


def test_a_class_within_one_group_gives_no_interval_of_ranking() -> None:
    rng = np.random.default_rng(12)
    y, unit = np.repeat([0, 1], [80, 20]), np.arange(100) // 20
    z = rng.normal(size=100) + y
    found = ranked(z, y, unit)
    assert [e.interval for e in found.values()] == [None, None]
    assert {e.method for e in found.values()} == {"some class occurs in one group only"}
    pair = area_difference(z, z + rng.normal(size=100), y, unit)
    assert pair.interval() is None
    assert pair.why == "some class occurs in one group only"


@pytest.mark.parametrize(("distance", "share", "n"), [(1.0, 0.05, 60), (2.5, 0.05, 200)])
def test_areas_of_few_samples_of_a_class_do_not_differ(
    distance: float, share: float, n: int
) -> None:
    """Two scores of one area, in other shapes: 20 of 400 expected, rarely more than 32."""
    false = 0
    rng = np.random.default_rng([221, n])
    for _ in range(400):
        y = (rng.random(n) < share).astype(np.int64)
        noise = rng.normal(size=(2, n))
        other = 0.5 * noise[0] + math.sqrt(0.75) * noise[1]
        a = noise[0] + distance * y
        b = other * np.where(y == 1, 0.3, 1) + distance * math.sqrt(1.09 / 2) * y
        if y.sum() >= 2:
            false += area_difference(a, b, y).distinguishable()
    assert false <= 32


# -- warnings


def test_warnings_count_the_groups_of_the_rarest_class() -> None:
    unit = np.repeat(np.arange(70), 10)
    y = (np.arange(70) < 7).astype(np.int64)[unit]
    rng = np.random.default_rng(4)
    found = stakes.evaluate(y, stakes.Logits(rng.normal(size=700) + y), groups=unit)
    said = {v.code: v.text for v in found.verdicts}
    assert "Some classes occur in few groups (1: 7). With fewer than 60" in said["small_class"]
    text = said["few_groups"]
    assert (
        "rest on 70 groups, which for the rarest class are as precise as 7 groups of equal" in text
    )
    assert "those of the AUC, of calibration loss and of the calibration slope may cover" in text
    assert text.endswith("with fewer than 15, all may.")
    both = {"a": stakes.Logits(rng.normal(size=700) + y), "b": stakes.Logits(1.0 * y)}
    pair = stakes.compare(y, both, priors="data", groups=unit)
    assert {"small_class", "few_groups"} <= {v.code for v in pair.verdicts}
    whole = stakes.evaluate(y, stakes.Logits(rng.normal(size=700) + y))
    assert not {"small_class", "few_groups"} & {v.code for v in whole.verdicts}


def test_equal_groups_count_as_samples() -> None:
    y = np.tile([0, 1], 30)
    samples = read_samples(y, np.full(60, 0.3))
    alone = replace(samples, groups=np.arange(60))
    assert effective_units(alone) == effective_units(samples) == 60
    assert effective_units(replace(samples, groups=np.arange(60) // 3)) == 20
    rng = np.random.default_rng(3)
    w = rng.uniform(0.5, 2, 60)
    weighted = read_samples(y, np.full(60, 0.3), sample_weight=w)
    alone = replace(weighted, groups=np.arange(60))
    assert effective_units(alone) == pytest.approx(effective_units(weighted))


def test_the_same_decision_for_unequal_groups_counts_effective_groups() -> None:
    unit = np.repeat(np.arange(12), [100, *[4] * 11])
    y = (np.arange(unit.size) % 10 == 0).astype(np.int64)
    result = stakes.evaluate(y, np.linspace(0.1, 0.3, y.size), groups=unit)
    assert pytest.approx(2.04, abs=0.01) == 144**2 / (100**2 + 11 * 16)
    said = [v.text for v in result.verdicts if v.code == "always_the_same"]
    assert [("From 2 effective groups, at most 78 %" in text) for text in said] == [True]


# -- samples of weight 0


@pytest.mark.parametrize("folds", [4, GroupKFold(4)])
def test_samples_of_weight_0_are_absent_with_groups(folds: Folds) -> None:
    unit, y, z = patients(3, 60, 0.4)
    w = np.tile([1.0, 2.0, 0.0], y.size)[: y.size]
    used = w > 0

    def evaluated(rows: IntArray) -> stakes.Evaluation:
        return stakes.evaluate(
            y[rows], stakes.LogLikelihoodRatios(z[rows]), costs=[[0, 1], [5, 0]], priors=[0.6, 0.4],
            sample_weight=w[rows], groups=unit[rows], folds=folds,
        )  # fmt: skip

    assert evaluated(np.arange(y.size)).to_dict() == evaluated(np.flatnonzero(used)).to_dict()
