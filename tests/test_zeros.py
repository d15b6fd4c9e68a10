"""Posteriors of 0 and 1: every calibrator takes them for large odds, and gives none of its own."""

import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import stakes
from command import call
from stakes._text import number
from stakes._typing import FloatArray, IntArray
from stakes.calibration.floor import Floor
from stakes.calibration.registry import calibrator_class, calibrator_names
from stakes.calibration.slope import calibration_slope
from stakes.samples import read_samples
from stakes.simulation import simulate
from stakes.sklearn import BayesClassifier, CalibratedClassifier, compare_models, evaluate_model

COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1)
OPTIONS: dict[str, dict[str, Any]] = {"threshold": {"costs": COSTS}}
TWO = calibrator_names()
MANY = [name for name in TWO if not calibrator_class(name).two_classes]
CASES = [(name, k) for k, names in ((2, TWO), (3, MANY)) for name in names]
MODELS: dict[str, Callable[[], Any]] = {
    "forest": lambda: RandomForestClassifier(20, random_state=0),
    "tree": lambda: DecisionTreeClassifier(random_state=0),
    "neighbours": lambda: KNeighborsClassifier(5),
    "Bayes": GaussianNB,
}


def made(name: str) -> stakes.Calibrator:
    return calibrator_class(name)(**OPTIONS.get(name, {}))


@cache
def features(k: int, n: int = 600) -> tuple[FloatArray, IntArray]:
    rng = np.random.default_rng(k)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, 6)) + 0.8 * np.eye(k, 6)[y], y


@cache
def scored(model: str, k: int) -> tuple[FloatArray, IntArray]:
    """Posteriors of a model on samples that it did not see, and their labels."""
    x, y = features(k)
    wide = np.repeat(x, 80, axis=1) if model == "Bayes" else x
    p = MODELS[model]().fit(wide[::2], y[::2]).predict_proba(wide[1::2])
    return p.astype(np.float32 if model == "Bayes" else float), y[1::2]


def votes(k: int = 2, n: int = 300, seed: int = 5) -> tuple[FloatArray, IntArray]:
    """Shares of 20 votes, many of them 0, some of these wrong."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    p = rng.dirichlet(np.ones(k) / 3, n) + np.eye(k)[y]
    counts = np.array([rng.multinomial(20, row / 2) for row in p])
    wrong = np.arange(0, n, 40)
    counts[wrong] = 20 * np.eye(k, dtype=int)[(y[wrong] + 1) % k]
    return counts / 20, y


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("name", "k"), CASES)
def test_calibrated_losses_are_finite(name: str, k: int, model: str) -> None:
    p, y = scored(model, k)
    assert p.min() == 0
    better = stakes.cross_calibrate(made(name), y, p)
    found = stakes.cross_entropy(y, better)
    assert math.isfinite(found.value)
    if name not in ("threshold", "bias", "histogram"):
        assert found.normalized < 1.2
    after = made(name).fit(p, y).transform(p).values
    assert np.isfinite(after).all()
    np.testing.assert_allclose(np.exp(after).sum(axis=1), 1, rtol=1e-9)


@pytest.mark.parametrize(("name", "k"), CASES)
def test_a_posterior_on_its_way_to_0_makes_no_jump(name: str, k: int) -> None:
    p, y = votes(k)
    row, column = np.argwhere(p == 0)[0]

    def after(least: float) -> FloatArray:
        near = p.copy()
        near[near == 0] = least
        return made(name).fit(stakes.Posteriors.trusted(near), y).transform(p).values

    zero = after(0.0)
    for least in (5e-324, 1e-310, 1e-300):
        np.testing.assert_allclose(after(least), zero, rtol=1e-9, atol=1e-9)
    assert p[row, column] == 0


@pytest.mark.parametrize(("a", "b"), [(1e-45, 0.9999e-45), (1e-150, 1.001e-150), (1e-299, 1e-300)])
def test_the_floor_is_continuous(a: float, b: float) -> None:
    p, y = votes()
    floors = []
    for least in (a, b):
        near = p.copy()
        near[3] = [least, 1]
        floors.append(Floor.from_scores(stakes.Posteriors.trusted(near), n=y.size).most)
    assert floors[0] == pytest.approx(floors[1], abs=0.5)


def test_the_floor_falls_from_that_of_plain_scores_to_that_of_zeros() -> None:
    def floor(least: float) -> float:
        scores = stakes.Posteriors([[0.05, 0.95], [0.6, 0.4], [least, 1 - least]])
        return Floor.from_scores(scores, n=3).most

    steps = [floor(least) for least in (1e-20, 1e-45, 1e-100, 1e-200, 1e-290, 1e-300, 0)]
    assert steps[:2] == pytest.approx([math.log(2e20), math.log(2e45)], rel=1e-6)
    assert (np.diff(steps[1:]) <= 0).all()
    assert steps[-1] == steps[-2] == pytest.approx(math.log(2 * 19))  # half of 1 to 19


@pytest.mark.parametrize(("name", "k"), CASES)
def test_more_extreme_scores_stay_more_extreme(name: str, k: int) -> None:
    p, y = votes(k)
    fitted = made(name).fit(p, y)
    steps = [1e-3, 1e-30, 1e-200, 1e-320, 0.0]
    table = np.array([[s, *[(1 - s) / (k - 1)] * (k - 1)] for s in steps])
    after = fitted.transform(table).values[:, 0]
    turned = isinstance(fitted, stakes.MatrixCalibrator | stakes.VectorCalibrator)
    assert (np.diff(after) <= 1e-12).all() or turned
    assert after[-1] == pytest.approx(after[-2], abs=1e-9)


@pytest.mark.parametrize("name", TWO)
def test_a_zero_is_met_though_none_was_fitted(name: str) -> None:
    data = simulate(2, n=300)
    fitted = made(name).fit(data.posteriors([0.5, 0.5]), data.y)
    after = fitted.transform([0.0, 1e-320, 1e-60, 0.3, 1.0]).values
    assert np.isfinite(after).all()
    assert (np.diff(after[:, 1]) >= -1e-12).all()
    infinite = fitted.transform(stakes.LogPosteriors([-np.inf, -1e300, -0.5])).values
    assert np.isfinite(infinite).all()


@pytest.mark.parametrize(("name", "k"), CASES)
def test_order_copies_and_weights_of_1_change_nothing(name: str, k: int) -> None:
    p, y = votes(k)
    plain = made(name).fit(p, y)
    order = np.random.default_rng(0).permutation(y.size)
    other = made(name).fit(p[order], y[order])
    np.testing.assert_allclose(other.transform(p).values, plain.transform(p).values, atol=1e-6)
    twice = np.repeat(np.arange(y.size), 2)
    samples = read_samples(y, p)
    copied = samples.with_copies(np.arange(y.size), np.full(y.size, 2))
    several, repeated = made(name).fit_samples(copied), made(name).fit(p[twice], y[twice])
    np.testing.assert_allclose(several.transform(p).values, repeated.transform(p).values, atol=1e-6)


def test_copies_count_where_there_are_no_odds() -> None:
    samples = read_samples([0, 1, 1, 0], stakes.Posteriors([0.0, 1.0, 0.0, 1.0]))
    three = samples.with_copies(np.arange(4), np.full(4, 3))
    assert Floor.from_samples(samples).most == math.log(9)
    assert Floor.from_samples(three).most == math.log(25)


@pytest.mark.parametrize(("name", "k"), CASES)
def test_the_floor_is_kept_in_the_file_and_said(name: str, k: int) -> None:
    p, y = votes(k)
    fitted = made(name).fit(p, y)
    data = json.loads(json.dumps(fitted.to_dict()))
    again = stakes.calibrator_from_dict(data)
    assert (again.transform(p).values == fitted.transform(p).values).all()
    for told in (str(fitted), str(again), *again.notes[:1]):
        assert "takes posteriors of 0 and 1 as odds of 38 to 1" in told
    plain = made(name).fit(np.clip(p, 0.01, None) / np.clip(p, 0.01, None).sum(axis=1)[:, None], y)
    assert "takes posteriors of 0" not in str(plain)


def test_a_file_with_a_broken_floor_is_refused() -> None:
    from stakes.calibration.maps import checksum  # noqa: PLC0415

    p, y = votes()
    data = stakes.AffineCalibrator().fit(p, y).to_dict()
    for floor in (-1.0, 0.0, "x", None):
        body = {k: v for k, v in {**data, "floor": floor}.items() if k != "sha256"}
        with pytest.raises(stakes.InputError, match=r"floor|whole"):
            stakes.calibrator_from_dict({**body, "sha256": checksum(body)})


@pytest.mark.parametrize("kind", ["posteriors", "logits", "ratios"])
def test_without_extreme_scores_nothing_changes(kind: str) -> None:
    data = simulate(2, n=400, rng=3)
    scores: Any = {
        "posteriors": data.posteriors([0.5, 0.5]),
        "logits": stakes.Logits(1e4 * data.log_likelihood_ratios().values),
        "ratios": data.log_likelihood_ratios(),
    }[kind]
    samples = read_samples(data.y, scores, priors=[0.5, 0.5])
    floor = Floor.from_samples(samples)
    assert floor.samples(samples) is samples
    assert not floor.active


def test_infinite_log_scores_count_as_twice_the_largest_odds() -> None:
    y, z = [0, 0, 1, 1, 0, 1], [-np.inf, -1000.0, 3.0, np.inf, 2.0, -0.5]
    fitted = stakes.AffineCalibrator().fit(stakes.LogLikelihoodRatios(z), y, priors=[0.5, 0.5])
    assert fitted._fit_or_refuse().floor.most == pytest.approx(1000 + math.log(2))


@pytest.mark.parametrize("k", [2, 3])
def test_a_class_of_prior_0_keeps_it(k: int) -> None:
    data = simulate(k, n=300)
    priors = [*[1 / (k - 1)] * (k - 1), 0.0]
    scores = data.posteriors([1 / k] * k).at_priors([1 / k] * k, priors)
    samples = read_samples(data.y, scores, priors=priors)
    floor = Floor.from_samples(samples)
    assert not floor.active
    assert floor.samples(samples) is samples


class TestEverywhere:
    @pytest.mark.parametrize("k", [2, 3])
    def test_evaluate(self, k: int) -> None:
        p, y = votes(k)
        result = stakes.evaluate(y, p)
        rule = result.rules[0]
        assert rule.calibrated_normalized is not None
        band = rule.calibrated_normalized.interval
        assert band is not None
        assert 0 < band.low < rule.calibrated_normalized.value < band.high < 2
        told = str(result)
        assert f"∞ (naive 1), calibrated {rule.calibrated_normalized}" in told
        assert "so the cross-entropy is infinite; over the others it is" in told
        assert "Note: the calibrator takes posteriors of 0 and 1 as odds of 38 to 1" in told
        assert result.slope is not None
        assert math.isfinite(result.slope.value)

    @pytest.mark.parametrize("name", TWO)
    def test_every_calibrator_has_finite_intervals(self, name: str) -> None:
        p, y = votes()
        result = stakes.evaluate(y, p, costs=COSTS, calibrator=made(name))
        for metric in ("cross_entropy.calibrated_normalized", "cost.calibrated_nec"):
            band = result.metrics()[metric].interval
            assert band is not None
            assert math.isfinite(band.low)
            assert math.isfinite(band.high)

    def test_the_others_are_those_whose_loss_is_finite(self) -> None:
        p, y = votes()
        lost = p[np.arange(y.size), y] == 0
        found = stakes.cross_entropy(y, p)
        others = stakes.cross_entropy(y[~lost], p[~lost])
        assert found.over_others == pytest.approx(others.value)
        assert f"; over the others it is {number(others.value)}" in str(found)
        weights = np.arange(1.0, y.size + 1)
        heavy = stakes.cross_entropy(y, p, sample_weight=weights)
        other = stakes.cross_entropy(y[~lost], p[~lost], sample_weight=weights[~lost])
        assert heavy.over_others == pytest.approx(other.value)
        given = stakes.cross_entropy(y, p, priors=[0.9, 0.1])
        other = stakes.cross_entropy(y[~lost], p[~lost], priors=[0.9, 0.1])
        assert given.over_others == pytest.approx(other.value)

    @pytest.mark.parametrize("confident", [(), ("--confident",)])
    def test_a_limit_on_a_missing_number(self, confident: tuple[str, ...], tmp_path: Path) -> None:
        p, y = votes()
        lines = ["y,p", *(f"{a},{b[1]}" for a, b in zip(y, p, strict=True))]
        (tmp_path / "t.csv").write_text("\n".join(lines))
        read = ("t.csv", "--label", "y", "--scores", "p", "--scores-are", "posteriors")
        asked = ("check", *read, "--positive", "1", *confident)
        limits = ("--max-cross-entropy", "0.9", "--max-calibration-loss", "0.2")
        done = call(*asked, *limits, cwd=tmp_path)
        assert done.returncode == 1, done.stderr
        assert "cross_entropy.relative is undefined" in done.stdout
        assert "(a loss is infinite)" in done.stdout
        lost = (p[np.arange(y.size), y] == 0).sum()
        assert f"Note: {lost} samples have posterior 0 for the true class (t.csv" in done.stdout
        done = call(*asked, "--max-brier", "0.9", cwd=tmp_path)
        assert "posterior 0" not in done.stdout

    def test_models(self) -> None:
        x, y = features(2)
        forest = RandomForestClassifier(50, random_state=0)
        posteriors = CalibratedClassifier(forest).fit(x, y).predict_proba(x)
        assert posteriors.min() > 0
        stage = stakes.AffineCalibrator()
        BayesClassifier(forest, costs=COSTS, calibrator=stage).fit(x, y).predict(x)
        found = evaluate_model(forest, x, y, cv=5)
        assert "cross_entropy.calibrated_normalized" in found.metrics()

    def test_systems(self) -> None:
        x, y = features(2)
        models = RandomForestClassifier(20, random_state=0), LogisticRegression()
        p = {type(m).__name__: m.fit(x[::2], y[::2]).predict_proba(x[1::2]) for m in models}
        stage = stakes.AffineCalibrator()
        found = stakes.compare(y[1::2], p, calibrator=stage)
        forest = found.values["RandomForestClassifier"]
        assert math.isfinite(forest["brier_score.calibrated_normalized"])
        assert math.isfinite(forest["cost.calibrated_nec"])
        p["RandomForestClassifier"][0] = [y[1], 1 - y[1]]
        found = stakes.compare(y[1::2], p, calibrator=stage)
        assert "Note: The cross-entropy of RandomForestClassifier is infinite" in str(found)
        both = compare_models(
            {"forest": models[0], "line": models[1]}, x, y, cv=3, calibrator=stage
        )
        assert math.isfinite(both.values["forest"]["brier_score.calibrated_normalized"])

    def test_streams(self) -> None:
        p, y = votes(n=400)
        total = stakes.Summary(classes=2)
        for part in np.split(np.arange(y.size), 4):
            total.update(y[part], p[part])
        streamed, at_once = total.evaluate(), stakes.evaluate(y, p)
        texts = [
            v.text for r in (streamed, at_once) for v in r.verdicts if v.code == "infinite_loss"
        ]
        assert texts[0].split("; ")[1] == texts[1].split("; ")[1]
        name = "cross_entropy.calibrated_normalized"
        assert streamed.metrics()[name].value == pytest.approx(
            at_once.metrics()[name].value, rel=0.05
        )

    def test_the_slope_of_hard_answers_is_that_of_their_error_rates(self) -> None:
        y = np.repeat([0, 1], 50)
        p = np.where(np.arange(100) % 10 == 0, 1 - y, y).astype(float)
        found = calibration_slope(read_samples(y, stakes.Posteriors(p)))
        assert found.value == pytest.approx(math.log(9) / math.log(201), rel=1e-6)

    def test_a_choice_with_an_infinite_loss_says_why(self) -> None:
        data = simulate(2, n=300)
        p, y = np.exp(data.posteriors([0.9, 0.1]).values[:, 1]), data.y
        p[np.flatnonzero(y == 1)[0]] = 0.0  # without it, nothing is to be calibrated
        choice = stakes.choose_calibrator(stakes.LogLoss(), y, p, [stakes.AffineCalibrator()])
        assert choice.best is not None
        assert choice.honest is not None
        assert choice.honest.value == math.inf
        assert "∞ (no interval), as some training parts left scores" in str(choice)

    def test_choice(self) -> None:
        p, y = votes()
        some = [stakes.AffineCalibrator(), stakes.IsotonicCalibrator()]
        choice = stakes.choose_calibrator(stakes.LogLoss(), y, p, some)
        assert choice.best is not None
        assert choice.honest is not None
        assert math.isfinite(choice.honest.value)


@pytest.mark.parametrize("weights", [None, "copies"])
def test_blocks_without_an_event_count_half_of_one(weights: str | None) -> None:
    y, p = np.array([0, 0, 0, 1, 0, 1, 1, 1]), np.array([1, 2, 3, 4, 5, 6, 7, 8]) / 10
    samples = read_samples(y, p)
    often = 1
    if weights:
        often = 5
        samples = samples.with_copies(np.arange(8), np.full(8, often))
    fitted = stakes.IsotonicCalibrator().fit_samples(samples)
    low, _, high = np.exp(fitted.transform(np.array([0.1, 0.45, 0.9])).values[:, 1])
    assert low == pytest.approx(0.5 / (3 * often + 1))
    assert high == pytest.approx(1 - 0.5 / (3 * often + 1))
    exact = stakes.IsotonicCalibrator(mix=0).fit_samples(samples).transform([0.1, 0.9]).values
    assert np.exp(exact[:, 1]).tolist() == [0, 1]
    binned = stakes.HistogramCalibrator(2).fit_samples(samples).transform([0.1]).values
    assert np.exp(binned[0, 1]) == pytest.approx(0.25 / 1.05)
    bare = stakes.HistogramCalibrator(4).fit_samples(samples).transform([0.1]).values
    assert np.exp(bare[0, 1]) == pytest.approx(0.5 / (2 * often + 1))


def test_half_an_event_never_exceeds_the_next_block() -> None:
    y = np.array([0] + [0] * 19 + [1] + [1] * 5)
    p = np.array([0.1] + [0.4] * 20 + [0.9] * 5)
    after = np.exp(stakes.IsotonicCalibrator().fit(p, y).transform([0.1, 0.4, 0.9]).values[:, 1])
    assert after[0] == after[1] == pytest.approx(1 / 20)


@pytest.mark.parametrize("floor", [0.0, 1e-3, 1e-6, 1e-9, 1e-15])
def test_a_level_without_events_stays_possible_whatever_its_odds(floor: float) -> None:
    said = np.arange(100) >= 93  # a tree calls 7 of 100 samples positive, none of them rightly
    y = (np.arange(100) < 3).astype(int)
    p = stakes.Posteriors(np.where(said, 1 - floor, floor))
    fitted = stakes.AffineCalibrator().fit(p, y).transform(p).posteriors()[:, 1]
    assert fitted[~said] == pytest.approx(3 / 93, rel=1e-6)
    assert (fitted[said] > 1e-12).all()
