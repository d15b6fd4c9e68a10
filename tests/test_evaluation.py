"""Evaluate and compare: the numbers of the single functions, verdicts, slices, odds, errors."""

import dataclasses
import json
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stakes
from judged import (
    AMOUNTS,
    COSTS,
    RAW,
    RNG,
    TEN,
    TEN_RAW,
    TWO,
    WEIGHTS,
    codes,
    json_of,
    same_numbers,  # noqa: F401  every test uses it
    usual,
)
from stakes._text import number
from stakes._typing import IntArray
from stakes.simulation import MISCALIBRATED, simulate

# --- the numbers are those of the single functions ---

CASES: dict[str, dict[str, Any]] = {
    "two classes": {"costs": COSTS},
    "weights": {"costs": COSTS, "sample_weight": WEIGHTS},
    "priors": {"costs": COSTS, "priors": [0.3, 0.7], "training_priors": "deployment"},
    "priors and weights": {
        "priors": [0.3, 0.7],
        "training_priors": "deployment",
        "sample_weight": WEIGHTS,
    },
    "ratios": {"scores": TWO.log_likelihood_ratios(MISCALIBRATED), "priors": [0.4, 0.6]},
    "ratios at data priors": {"scores": TWO.log_likelihood_ratios(), "priors": "data"},
    "amounts": {"costs": AMOUNTS},
    "amounts at priors": {"costs": AMOUNTS, "priors": [0.5, 0.5], "training_priors": "deployment"},
    "abstention": {"costs": stakes.CostMatrix.zero_one(2, abstain=0.1)},
    "ten classes": {"y_true": TEN.y, "scores": TEN_RAW},
    "ten classes at priors": {
        "y_true": TEN.y,
        "scores": TEN_RAW,
        "priors": [0.05] * 8 + [0.3] * 2,
        "training_priors": "deployment",
    },
}


@pytest.mark.parametrize("case", CASES)
def test_numbers_are_those_of_the_single_functions(case: str) -> None:
    given = {"y_true": TWO.y, "scores": RAW, **CASES[case]}
    y, scores = given.pop("y_true"), given.pop("scores")
    costs = given.pop("costs", None)
    result = stakes.evaluate(y, scores, costs=costs, **given)
    given.pop("training_priors", None)
    found = {name: e.value for name, e in result.metrics().items()}
    cost = stakes.bayes_cost(y, scores, costs=costs, **given)
    entropy, brier = (
        stakes.cross_entropy(y, scores, **given),
        stakes.brier_score(y, scores, **given),
    )
    loss = stakes.calibration_loss(stakes.LogLoss(), y, scores, **given)
    expected = {
        "cost.value": cost.value,
        "cost.nec": cost.normalized,
        "cross_entropy.value": entropy.value,
        "cross_entropy.normalized": entropy.normalized,
        "brier_score.normalized": brier.normalized,
        "cross_entropy.calibrated_normalized": loss.calibrated.normalized,
        "cross_entropy.calibration_loss": loss.normalized,
        "cross_entropy.relative": loss.relative,
    }
    if not isinstance(costs, stakes.SampleCosts):
        rule = stakes.BayesCost(costs or stakes.CostMatrix.zero_one(len(result.data.classes)))
        at_costs = stakes.calibration_loss(rule, y, scores, **given)
        expected |= {
            "cost.calibrated_nec": at_costs.calibrated.normalized,
            "cost.calibration_loss": at_costs.normalized,
            "cost.relative": at_costs.relative,
        }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-12, abs=1e-14), name
    band = result.metrics()["cost.nec"].interval
    assert band is not None
    assert list(band) == pytest.approx(list(cost.normalized_interval()))
    json_of(result)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("priors", [None, [0.4, 0.6]])
def test_rankings_and_decisions_are_those_of_the_single_functions(
    weighted: bool,  # noqa: FBT001
    priors: list[float] | None,
) -> None:
    w = WEIGHTS if weighted else None
    result = stakes.evaluate(
        TWO.y,
        RAW,
        costs=COSTS,
        priors=priors,
        training_priors="deployment",
        sample_weight=w,
        calibrator=None,
    )
    found = result.metrics()
    roc = stakes.roc_curve(TWO.y, RAW[:, 1], sample_weight=w)
    assert found["auc"].value == roc.auc()
    assert found["eer"].value == roc.eer()
    assert found["cost.minimum_nec"].value == roc.minimum_cost(COSTS, priors).normalized
    assert found["auc"].method == "likelihood"
    decided = COSTS.bayes_decisions(RAW)
    cm = stakes.confusion_matrix(TWO.y, decided, sample_weight=w)
    assert result.main.confusion.counts == pytest.approx(cm.counts)
    used = cm if priors is None else cm.at_priors(priors)
    for metric in (stakes.metrics.Accuracy(), stakes.metrics.FScore(1), stakes.metrics.Matthews()):
        name = f"cost.{metric.name.lower().replace(' ', '_')}"
        assert found[name].value == pytest.approx(metric.evaluate(used).value, rel=1e-12)
        assert found[name].method == "likelihood"
        assert found[name].interval is not None
    assert result.main.threshold == pytest.approx(1 / 6)
    wanted = COSTS.llr_threshold(used.priors)
    assert result.main.llr_threshold == pytest.approx(wanted, rel=1e-12)
    by_class = {c.name: c for c in result.by_class}
    recall = by_class[1].recall
    assert recall is not None
    assert recall.value == pytest.approx(stakes.metrics.Sensitivity().evaluate(cm).value)
    errors = result.calibration_errors
    assert errors["calibration_error"] == pytest.approx(
        stakes.calibration_error(TWO.y, RAW, priors=priors, sample_weight=w)
    )


def test_ten_classes_are_ranked_one_by_one() -> None:
    ranking = stakes.evaluate(TEN.y, TEN_RAW).ranking
    detectors = stakes.class_detectors(TEN.y, TEN_RAW)
    assert ranking["auc"].value == pytest.approx(detectors.macro())
    assert ranking["auc.3"].method == "likelihood"
    assert len(ranking) == 11


def test_the_share_that_is_not_decided() -> None:
    costs = stakes.CostMatrix.zero_one(2, abstain=0.1)
    found = stakes.evaluate(TWO.y, RAW, costs=costs).main
    assert found.abstention is not None
    assert found.abstention.value == pytest.approx(np.mean(costs.bayes_decisions(RAW) == "abstain"))
    assert found.traditional == ()
    assert usual().main.abstention is None


def test_applications_have_priors_of_their_own() -> None:
    rare = stakes.Application(COSTS, [0.99, 0.01])
    uses = {"rare": rare, "as is": COSTS, "array": [[0, 1], [2, 0]]}
    shares = (np.bincount(TWO.y) / TWO.y.size).tolist()
    result = stakes.evaluate(TWO.y, RAW, costs=uses, training_priors="data")
    assert [a.name for a in result.applications] == list(uses)
    assert result.main.name == "rare"
    at = {"rare": [0.99, 0.01], "as is": None, "array": None}
    matrices = {"rare": COSTS, "as is": COSTS, "array": stakes.CostMatrix([[0, 1], [2, 0]])}
    for a in result.applications:
        scores = stakes.Posteriors(RAW).at_priors(shares, at[a.name] or shares)
        expected = stakes.bayes_cost(TWO.y, scores, costs=matrices[a.name], priors=at[a.name])
        assert a.cost.normalized.value == pytest.approx(expected.normalized, rel=1e-12)
        loss = stakes.calibration_loss(
            stakes.BayesCost(matrices[a.name]), TWO.y, scores, priors=at[a.name]
        )
        assert a.cost.relative is not None
        assert a.cost.relative.value == pytest.approx(loss.relative, rel=1e-12)
        band = a.cost.relative.interval
        assert band is not None
        assert band.low <= loss.relative <= band.high
    assert codes(result)[0] in {"useful", "worse_than_naive", "not_distinguishable"}
    assert result.verdicts[0].text.startswith("rare: ")


def test_held_out_calibration() -> None:
    other = simulate(2, n=900, priors=[0.8, 0.2], rng=5)
    folds = stakes.HeldOut(other.y, other.posteriors([0.8, 0.2], MISCALIBRATED))
    result = stakes.evaluate(TWO.y, RAW, folds=folds)
    expected = stakes.calibration_loss(stakes.LogLoss(), TWO.y, RAW, folds=folds)
    found = result.metrics()["cross_entropy.relative"]
    assert found.value == pytest.approx(expected.relative, rel=1e-12)
    assert found.interval is not None
    assert found.value in found.interval
    assert result.fitted == "fitted on held-out data"


@pytest.mark.parametrize(
    "calibrator", [stakes.IsotonicCalibrator(), stakes.TemperatureCalibrator()]
)
def test_other_calibrators(calibrator: stakes.Calibrator) -> None:
    part = slice(200, 400)
    result = stakes.evaluate(TWO.y[part], RAW[part], calibrator=calibrator)
    loss = stakes.calibration_loss(
        stakes.BrierLoss(), TWO.y[part], RAW[part], calibrator=calibrator
    )
    found = result.metrics()["brier_score.relative"]
    assert found.value == pytest.approx(loss.relative, rel=1e-12)
    assert found.interval is not None
    assert result.calibrator == calibrator.name


# --- groups ---


def test_groups_widen_the_interval_of_copies() -> None:
    """Ten copies of each sample know no more than one."""
    y, p = TWO.y[::10], RAW[::10]
    alone = stakes.evaluate(y, p, calibrator=None, groups=np.arange(y.size))
    copies, names = np.repeat(np.arange(y.size), 10), np.repeat(np.arange(y.size), 10)
    many = stakes.evaluate(y[copies], p[copies], calibrator=None, groups=names)
    blind = stakes.evaluate(y[copies], p[copies], calibrator=None)
    for name in ("cost.nec", "cross_entropy.normalized", "auc", "cost.accuracy"):
        one, all_, naive = (width(r.metrics()[name]) for r in (alone, many, blind))
        assert 0.6 * one < all_ < one  # half an unseen sample is less of a group of ten
        assert naive < 0.5 * all_
    assert many.data.groups == y.size
    for first, second in zip(alone.by_class, many.by_class, strict=True):
        assert 0.6 * width(first.cost) < width(second.cost) < 1.1 * width(first.cost)
        assert second.cost.method == "likelihood, by group"
        assert first.recall is not None
        assert second.recall is not None
        assert 0.6 * width(first.recall) < width(second.recall) < 1.1 * width(first.recall)


def test_groups_without_an_error_may_err_as_a_whole() -> None:
    """Of 40 groups that err as a whole in 3 of 100 none errs in 30 of 100 samples."""
    groups = np.repeat(np.arange(40), 10)
    y = np.tile([0, 1], 200)
    result = stakes.evaluate(y, np.where(y == 1, 0.99, 0.01), calibrator=None, groups=groups)
    for one in result.by_class:
        assert one.recall is not None
        assert one.recall.interval is not None
        assert one.recall.interval.low < 0.97


def width(estimate: stakes.Estimate) -> float:
    assert estimate.interval is not None
    return estimate.interval.high - estimate.interval.low


def test_groups_stay_whole_in_folds_and_slices() -> None:
    groups = np.arange(1000) // 4
    site = np.where(np.arange(1000) % 8 < 4, "a", "b")
    costs = stakes.CostMatrix.zero_one(2, abstain=0.3)
    result = stakes.evaluate(TWO.y, RAW, costs=costs, groups=groups, slices=site)
    assert result.fitted == "cross-fitted on 5 folds, groups kept whole"
    assert result.main.abstention is not None
    assert result.main.abstention.method == "likelihood, by group"
    for part in result.slices:
        assert part.cost is not None
        assert part.cost.method == "likelihood, by group"
        one = stakes.bayes_cost(TWO.y[site == part.value], RAW[site == part.value], costs=costs)
        assert part.cost.value == pytest.approx(one.normalized)


# --- slices ---


def test_the_columns_of_a_frame_are_slices() -> None:
    site, shift = np.array(["a", "b"])[TWO.y % 2], np.arange(len(TWO.y)) % 3
    frame = pd.DataFrame({"site": site, "shift": shift})
    alone = {"costs": COSTS, "calibrator": None}
    named = stakes.evaluate(TWO.y, RAW, slices={"site": site, "shift": shift}, **alone)
    for form in (frame, pl.DataFrame(frame)):
        found = stakes.evaluate(TWO.y, RAW, slices=form, **alone)
        assert [s.to_dict() for s in found.slices] == [s.to_dict() for s in named.slices]
    cut = stakes.evaluate(TWO.y, RAW, slices=pd.cut(pd.Series(np.arange(len(TWO.y))), 2), **alone)
    assert len(cut.slices) == 2
    assert all("," in part.value for part in cut.slices)


def test_slices_are_evaluated_by_themselves() -> None:
    site, sex = np.where(RNG.random(1000) < 0.3, "x", "y"), RNG.integers(0, 2, 1000)
    slices = {"site": site, "sex": pl.Series(sex)}
    result = stakes.evaluate(TWO.y, RAW, costs=COSTS, slices=slices)
    assert [(s.column, s.value) for s in result.slices] == [
        ("site", "x"), ("site", "y"), ("sex", "0"), ("sex", "1"),
    ]  # fmt: skip
    rows = (site == "x", site == "y", sex == 0, sex == 1)
    for found, kept in zip(result.slices, rows, strict=True):
        cost = stakes.bayes_cost(TWO.y[kept], RAW[kept], costs=COSTS)
        assert found.cost is not None
        assert found.cost.value == pytest.approx(cost.normalized, rel=1e-12)
        assert found.cost.interval == cost.normalized_interval()
        assert found.samples == kept.sum()


def test_slices_take_their_own_amounts() -> None:
    site = np.arange(1000) % 3
    result = stakes.evaluate(TWO.y, RAW, costs=AMOUNTS, slices=site)
    for found in result.slices:
        kept = np.flatnonzero(site == int(found.value))
        cost = stakes.bayes_cost(TWO.y[kept], RAW[kept], costs=AMOUNTS.part(kept))
        assert found.cost is not None
        assert found.cost.value == pytest.approx(cost.normalized, rel=1e-12)


def test_a_slice_that_lacks_a_class_says_so() -> None:
    site = np.where((TWO.y == 0) & (np.arange(1000) % 5 == 0), "healthy", "mixed")
    at_priors = stakes.evaluate(
        TWO.y, RAW, slices=site, priors=[0.5, 0.5], training_priors="deployment"
    )
    lacking, whole = at_priors.slices
    assert lacking.cost is None
    assert "no samples" in lacking.why
    assert whole.cost is not None
    from_data = stakes.evaluate(TWO.y, RAW, slices=site).slices[0]
    assert from_data.cost is not None
    assert math.isnan(from_data.cost.value)
    assert "prior 1" in from_data.why
    json_of(at_priors)


# --- kinds of input ---


def test_names_and_frames() -> None:
    names = np.array(["fine", "fraud"], dtype=object)[TWO.y]
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=["fine", "fraud"])
    plain = stakes.evaluate(TWO.y, RAW, costs=COSTS).frame()
    frames = (
        frame({"fine": RAW[:, 0], "fraud": RAW[:, 1]}) for frame in (pd.DataFrame, pl.DataFrame)
    )
    for y in (names, pd.Series(names), pl.Series(names.tolist())):
        result = stakes.evaluate(y, RAW, costs=costs)
        assert result.data.classes == ("fine", "fraud")
        assert result.frame()["value"] == pytest.approx(plain["value"])
    for scores in (*frames, RAW[:, 1], pd.Series(RAW[:, 1]), pl.Series(RAW[:, 1])):
        again = stakes.evaluate(names, scores, costs=costs)
        assert again.frame()["low"] == pytest.approx(plain["low"], nan_ok=True)


def test_records_are_frozen_and_plain() -> None:
    result = usual()
    for thing in (result, result.main, result.main.cost, result.data, result.verdicts[0]):
        name = dataclasses.fields(thing)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(thing, name, None)
    again = json.loads(json_of(result))
    assert again == result.to_dict()
    assert again["applications"][0]["expected_cost"]["normalized"]["value"] == pytest.approx(
        result.main.cost.normalized.value
    )
    frame = result.frame()
    assert len({len(column) for column in frame.values()}) == 1
    rows = zip(frame["metric"], frame["value"], frame["low"], frame["high"], strict=True)
    for name, *shown in rows:
        found = result.metrics()[name]
        ends = (np.nan, np.nan) if found.interval is None else tuple(found.interval)
        np.testing.assert_array_equal(shown, [found.value, *ends])
    assert "normalised expected cost" in str(result)


def test_the_same_seed_gives_the_same_numbers() -> None:
    first, again, other = (
        stakes.evaluate(TWO.y[::3], RAW[::3], costs=COSTS, rng=seed)
        for seed in (0, np.random.default_rng(4), np.random.default_rng(4))
    )
    assert again.to_dict() == other.to_dict()
    assert first.to_dict() != again.to_dict()


@pytest.mark.parametrize("grouped", [False, True])
def test_samples_of_weight_0_are_absent(grouped: bool) -> None:  # noqa: FBT001
    kept = np.flatnonzero(np.arange(1000) % 3 != 1)
    w = np.where(np.arange(1000) % 3 != 1, WEIGHTS, 0.0)
    groups = RNG.permutation(1000) // 3
    groups[np.setdiff1d(np.arange(1000), kept)[::2]] += 5000  # groups that vanish altogether
    site = np.arange(1000) % 2

    def made(rows: IntArray | slice) -> dict[str, Any]:
        return stakes.evaluate(
            TWO.y[rows],
            RAW[rows],
            costs=AMOUNTS.part(np.arange(1000)[rows]),
            sample_weight=w[rows],
            groups=groups[rows] if grouped else None,
            slices=site[rows],
        ).to_dict()

    assert made(slice(None)) == made(kept)


def test_scale_of_weights_changes_nothing() -> None:
    one, two = (
        stakes.evaluate(TWO.y, RAW, sample_weight=c * WEIGHTS, calibrator=None) for c in (1, 2**40)
    )
    assert one.frame()["high"] == pytest.approx(two.frame()["high"], rel=1e-12, nan_ok=True)
    assert one.data.priors == pytest.approx(two.data.priors)


# --- odd data ---


def test_a_class_without_samples() -> None:
    p = np.column_stack([0.9 * RAW, np.full(1000, 0.1)])
    for priors in (None, [0.6, 0.4, 0]):
        result = stakes.evaluate(TWO.y, p, priors=priors, training_priors="deployment")
        assert result.data.counts == (800, 200, 0)
        assert [c.name for c in result.by_class] == [0, 1]
        assert result.notes[0].startswith("Calibration was left out: class 2 has 0 samples")
        assert result.calibrator is None
        accuracy = result.metrics()["cost.accuracy"]
        assert accuracy.interval is not None
        assert accuracy.value in accuracy.interval
        json_of(result)
    with pytest.raises(stakes.InputError, match="2"):
        stakes.evaluate(TWO.y, p, priors=[0.5, 0.3, 0.2], training_priors="deployment")


@pytest.mark.parametrize("y", [[0], [0, 1], [0, 0, 0], [0, 0, 1, 1]])
def test_few_samples_give_notes_and_no_crash(y: list[int]) -> None:
    p = np.linspace(0.2, 0.9, len(y))
    result = stakes.evaluate(y, p)
    assert "too few for 5 folds" in result.notes[0]
    assert result.main.cost.relative is None
    json_of(result)
    json_of(stakes.compare(y, {"a": p, "b": 1 - p}))


def test_the_class_with_few_groups_is_named() -> None:
    y = [0] * 40 + [1] * 20
    groups = [*range(40), *np.arange(20) % 3]
    result = stakes.evaluate(y, np.linspace(0.1, 0.9, 60), groups=groups)
    assert "class 1 has 3 groups, too few for 5 folds" in result.notes[0]


def test_an_infinite_loss_has_a_verdict() -> None:
    p = RAW.copy()
    row = int(np.flatnonzero(TWO.y == 0)[3])
    p[row] = [0, 1]
    result = stakes.evaluate(TWO.y, p)
    assert math.isinf(result.metrics()["cross_entropy.value"].value)
    assert "posteriors of 0 and 1 as odds of" in result.notes[0]
    verdict = next(v for v in result.verdicts if v.code == "infinite_loss")
    assert "1 sample has" in verdict.text
    assert f"row {row})" in verdict.text
    assert result.to_dict()["scoring_rules"][0]["value"]["value"] == "inf"
    json_of(result)
    assert math.isfinite(result.metrics()["cross_entropy.calibrated_normalized"].value)
    assert f"calibrated {result.rules[0].calibrated_normalized}" in str(result)
    kept = np.delete(np.arange(TWO.y.size), row)
    others = stakes.cross_entropy(TWO.y[kept], RAW[kept])
    assert f"over the others it is {number(others.value)}" in verdict.text
    binned = stakes.evaluate(TWO.y, p, calibrator=stakes.HistogramCalibrator(3))
    assert binned.metrics()["cross_entropy.relative"].method == "a loss is infinite"
    json_of(binned)
    assert "infinite_loss" not in codes(usual())


def test_without_a_calibrator() -> None:
    bare = stakes.evaluate(TWO.y, RAW, costs=COSTS)
    calibrated = bare.main.cost.calibrated_normalized
    assert calibrated is not None
    assert calibrated.method == "likelihood, the calibrator refitted"
    assert bare.metrics()["eer"].interval is not None
    raw = stakes.evaluate(TWO.y, RAW, costs=COSTS, calibrator=None)
    assert raw.calibrator is None
    assert raw.main.cost.relative is None
    assert "cost.relative" not in raw.metrics()
    for name, estimate in raw.metrics().items():
        assert estimate.to_dict() == usual().metrics()[name].to_dict()


BAD: dict[str, dict[str, Any]] = {
    "level": {"level": 1.0},
    "rng": {"rng": -1},
    "priors": {"priors": [0.5, 0.6]},
    "calibrator": {"calibrator": "magic"},
    "folds": {"folds": 1},
    "folds must hold": {"folds": "five"},
    "groups": {"groups": [1, 2]},
    "groups must hold at least two": {"groups": ["a"] * 1000},
    "slices 'site'": {"slices": {"site": [1, 2]}},
    "sample_weight": {"sample_weight": -np.ones(1000)},
    "costs": {"costs": {}},
    "costs must be": {"costs": {"a": [0.0, 1.0]}},
    "costs must give miss": {"costs": {"a": "b"}},
    "costs must have the classes": {"costs": stakes.CostMatrix.zero_one(["a", "b"]), "classes": [0, 1]},
    "costs must be of": {"costs": stakes.SampleCosts(np.ones((3, 2, 2)))},
    "rules": {"rules": ["log"]},
    "rules must be a list": {"rules": stakes.LogLoss()},
    "names of their own": {"rules": [stakes.LogLoss(), stakes.LogLoss()]},
    "'cross_entropy'": {"costs": {"cross_entropy": COSTS}},
    "classes": {"classes": ["a", "b", "c"]},
}  # fmt: skip


@pytest.mark.parametrize("words", BAD)
def test_bad_arguments_are_named(words: str) -> None:
    with pytest.raises(stakes.InputError, match=words):
        stakes.evaluate(TWO.y, RAW, **BAD[words])
    if not words.startswith("slices"):
        with pytest.raises(stakes.InputError, match=words):
            stakes.compare(
                TWO.y,
                {"a": RAW, "b": RAW},
                **{"calibrator": stakes.AffineCalibrator(), **BAD[words]},
            )


def test_likelihood_ratios_bring_their_own_costs() -> None:
    data = stakes.simulation.simulate(2, n=500)
    typed = data.log_likelihood_ratios()
    ranking = stakes.evaluate(data.y, typed, priors=[0.5, 0.5]).ranking
    assert float(ranking["cllr"]) == pytest.approx(float(stakes.cllr(data.y, typed)), rel=1e-12)
    least = stakes.minimum_cllr(data.y, typed)
    assert float(ranking["minimum_cllr"]) == pytest.approx(least, rel=1e-12)


def test_impossible_truths_are_told_in_rows_of_the_arguments() -> None:
    y = np.tile([0, 1], 50)
    p = np.where(y == 1, 0.8, 0.2)
    p[[7, 93]] = 0.0
    told = str(stakes.evaluate(y, p))
    assert "2 samples have posterior 0 for the true class (row 7 and 1 more)" in told


def test_why_calibration_was_left_out_is_printed() -> None:
    y = [0] * 40 + [1] * 3
    result = stakes.evaluate(y, np.linspace(0.1, 0.9, 43))
    assert result.calibrator is None
    assert "Note: Calibration was left out: class 1 has 3 samples" in str(result)


def test_calibration_errors_are_summed_over_blocks() -> None:
    data = stakes.simulation.simulate(2, n=70_000)  # more than one block
    p = data.posteriors([0.5, 0.5])
    errors = stakes.evaluate(data.y, p, calibrator=None).calibration_errors
    assert errors["calibration_error"] == pytest.approx(
        stakes.calibration_error(data.y, p), rel=1e-12
    )
    assert errors["confidence_calibration_error"] == pytest.approx(
        stakes.confidence_calibration_error(data.y, p), rel=1e-12
    )


def test_applications_are_printed_with_their_names() -> None:
    data = stakes.simulation.simulate(2, n=300)
    p = data.posteriors([0.5, 0.5])
    several = {"screening": {"miss": 5, "false_alarm": 1}, "triage": {"miss": 1, "false_alarm": 3}}
    lines = str(stakes.evaluate(data.y, p, costs=several)).splitlines()
    assert [line.partition(":")[0] for line in lines[1:3]] == ["screening", "triage"]
    assert all("normalised expected cost" in line for line in lines[1:3])
    alone = str(stakes.evaluate(data.y, p, costs=several["triage"])).splitlines()
    assert alone[1].startswith("normalised expected cost")
