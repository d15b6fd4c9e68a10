"""Which calibrator, if any: uncalibrated scores are kept unless one is better beyond noise."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, strategies as st

import stakes
from stages import assert_seldom
from stakes.metrics.multiplicity import holm

CANDIDATES = [
    stakes.TemperatureCalibrator(),
    stakes.AffineCalibrator(),
    stakes.IsotonicCalibrator(mix=1.0),
]
COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1)


def draw(n: int, factor: float, rng: np.random.Generator) -> tuple[np.ndarray, stakes.Logits]:
    """Return labels and log odds that are right but for a factor."""
    y = np.r_[np.zeros(8, int), np.ones(8, int), (rng.random(n - 16) < 0.5).astype(int)]
    return y, stakes.Logits(factor * 2 * rng.normal(2 * y - 1, 1.0))


@pytest.mark.parametrize("rule", [stakes.LogLoss(), stakes.BrierLoss(), stakes.BayesCost(COSTS)])
def test_calibrated_scores_are_seldom_replaced(rule: stakes.ScoringRule) -> None:
    rng = np.random.default_rng(20)

    def replaced() -> Iterator[bool]:
        while True:
            y, scores = draw(120, 1.0, rng)
            yield stakes.choose_calibrator(rule, y, scores, CANDIDATES).best is not None

    # at a rate of 20 %, either would pass with a probability below 0.1
    assert_seldom(replaced(), (12, 0), (25, 2))


@pytest.mark.parametrize("factor", [0.4, 2.5])
def test_over_and_under_confident_scores_are_replaced(factor: float) -> None:
    rng = np.random.default_rng(21)
    for _ in range(5):
        y, scores = draw(1000, factor, rng)
        choice = stakes.choose_calibrator(stakes.LogLoss(), y, scores, CANDIDATES)
        assert choice.best is not None
        assert choice.chosen.p_value < 0.05
        assert choice.chosen.difference is not None
        assert choice.chosen.difference.value < 0
        raw = stakes.cross_entropy(y, scores)
        assert choice.honest is not None
        assert choice.honest.value < raw.value


def test_the_chosen_is_the_least_of_those_that_are_better() -> None:
    y, scores = draw(2000, 2.5, np.random.default_rng(22))
    choice = stakes.choose_calibrator(stakes.BrierLoss(), y, scores, CANDIDATES)
    better = [c for c in choice.candidates if c.p_value < 0.05]
    assert choice.chosen is min(better, key=lambda c: c.loss.value)
    assert [c.loss.value for c in choice.candidates] == sorted(
        c.loss.value for c in choice.candidates
    )
    text = str(choice)
    assert f"use {choice.chosen.name}: better than uncalibrated beyond noise" in text
    assert "on new data" in text
    strict = stakes.choose_calibrator(
        stakes.BrierLoss(), y[:40], stakes.Logits(scores.values[:40]), CANDIDATES, level=0.999
    )
    assert strict.best is None
    assert "use uncalibrated: no calibrator is better beyond noise" in str(strict)
    assert strict.honest is not None
    assert (
        strict.honest.value == stakes.brier_score(y[:40], stakes.Logits(scores.values[:40])).value
    )


def test_no_label_of_a_fold_has_an_effect_on_its_honest_scores() -> None:
    from stakes.calibration.choice import Selection  # noqa: PLC0415
    from stakes.calibration.crossfit import deal  # noqa: PLC0415
    from stakes.samples import read_samples  # noqa: PLC0415

    y, scores = draw(300, 2.5, np.random.default_rng(23))
    number = np.arange(300) % 5

    def nested(labels: np.ndarray) -> np.ndarray:
        samples = read_samples(labels, scores)
        folds = deal(samples, number, None, 0)
        chosen = Selection(stakes.LogLoss(), tuple(CANDIDATES), folds, 0.95)
        return chosen._nested(samples, None, folds).values

    plain = nested(y)
    for row in (3, 17):
        flipped = y.copy()
        flipped[row] = 1 - flipped[row]
        own = number == number[row]
        assert (nested(flipped)[own] == plain[own]).all()


def test_an_infinite_loss_is_no_noise() -> None:
    rng = np.random.default_rng(24)
    y, scores = draw(200, 1.0, rng)
    p = 1 / (1 + np.exp(-scores.values))
    p[0] = 1 - y[0]
    some = [stakes.IsotonicCalibrator(mix=1.0)]
    choice = stakes.choose_calibrator(stakes.LogLoss(), y, p, some)
    assert choice.chosen.name == "isotonic"
    plain = stakes.choose_calibrator(
        stakes.LogLoss(), y, scores, [stakes.IsotonicCalibrator(mix=0)]
    )
    assert plain.losses[-1].value == np.inf
    assert plain.best is None


def test_groups_held_out_data_and_few_samples_are_served() -> None:
    y, scores = draw(400, 2.5, np.random.default_rng(25))
    groups = np.arange(400) // 4
    choice = stakes.choose_calibrator(stakes.LogLoss(), y, scores, CANDIDATES, groups=groups)
    assert choice.honest is not None
    assert choice.chosen.difference is not None
    assert choice.chosen.difference.units == 100
    half = slice(200), slice(200, None)
    held = stakes.HeldOut(y[half[0]], stakes.Logits(scores.values[half[0]]))
    other = stakes.choose_calibrator(
        stakes.LogLoss(), y[half[1]], stakes.Logits(scores.values[half[1]]), CANDIDATES, folds=held
    )
    assert other.honest is None
    assert "optimistic" in str(other)
    few = stakes.choose_calibrator(
        stakes.LogLoss(),
        [0, 0, 0, 1, 1],
        [0.2, 0.6, 0.3, 0.4, 0.7],
        [stakes.BiasCalibrator()],
        folds=2,
    )
    assert few.best is None
    with pytest.raises(stakes.InputError, match="candidates"):
        stakes.choose_calibrator(stakes.LogLoss(), y, scores, [])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_holm_is_the_closed_test_of_bonferroni(p_values: list[float]) -> None:
    found = holm(p_values)
    n = len(p_values)
    for i in range(n):
        closed = max(
            len(some) * min(p_values[j] for j in some)
            for size in range(1, n + 1)
            for some in itertools.combinations(range(n), size)
            if i in some
        )
        assert found[i] == pytest.approx(min(closed, 1.0))
