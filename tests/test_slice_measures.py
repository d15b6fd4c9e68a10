"""Slices: their numbers are those of an evaluation of their samples alone."""

from typing import Any

import numpy as np
import pytest

import stakes
from stakes.evaluation import SliceResult


def sliced(k: int, **options: Any) -> tuple[stakes.Evaluation, dict[str, stakes.Evaluation], Any]:  # noqa: ANN401
    data = stakes.simulation.simulate(k, n=1500)
    p = np.exp(data.posteriors(np.full(k, 1 / k)).log_posteriors())
    ward = np.where(np.arange(data.y.size) % 3 > 0, "a", "b")
    made = stakes.evaluate(data.y, p, slices={"ward": ward}, **options)
    alone = {
        name: stakes.evaluate(data.y[ward == name], p[ward == name], **options) for name in "ab"
    }
    return made, alone, (data.y, p, ward)


@pytest.mark.parametrize("k", [2, 4])
def test_a_slice_is_measured_as_if_it_were_alone(k: int) -> None:
    made, alone, (y, p, ward) = sliced(k)
    for found in made.slices:
        own, mine = alone[found.value], ward == found.value
        assert found.auc == own.ranking["auc"]
        for name, estimate in found.traditional.items():
            other = own.main.traditional_estimates[name]
            assert estimate.value == other.value
            assert estimate.interval in (None, other.interval)
        assert found.traditional["accuracy"].interval is not None
        named = np.ones(mine.sum(), dtype=int) if k == 2 else p[mine].argmax(axis=1)
        score, hit = p[mine][np.arange(mine.sum()), named], y[mine] == named
        assert found.mean_score == pytest.approx(score.mean())
        assert found.rate == pytest.approx(hit.mean())
        assert found.calibration_gap is not None
        assert found.calibration_gap.value == pytest.approx((score - hit).mean())
        band = found.calibration_gap.interval
        assert band is not None
        half = 1.959964 * (score - hit).std() / np.sqrt(mine.sum())
        assert (band.high - band.low) / 2 == pytest.approx(half, rel=1e-6)


def test_given_priors_weigh_the_classes_of_a_slice() -> None:
    made, _, (y, p, ward) = sliced(2, priors=[0.8, 0.2], training_priors="deployment")
    for found in made.slices:
        mine = ward == found.value
        means = [p[mine & (y == i), 1].mean() for i in range(2)]
        assert found.mean_score == pytest.approx(0.8 * means[0] + 0.2 * means[1])
        assert found.rate == pytest.approx(0.2)


def test_the_gap_of_calibrated_scores_is_covered() -> None:
    rng, hits, runs = np.random.default_rng(1), 0, 120
    for _ in range(runs):
        p = rng.beta(1, 3, 150)
        y = (rng.random(150) < p).astype(int)
        ward = np.array(["a"] * 75 + ["b"] * 75)
        made = stakes.evaluate(y, p, slices={"w": ward}, calibrator=None, rules=[])
        for s in made.slices:
            assert s.calibration_gap is not None
            band = s.calibration_gap.interval
            assert band is not None
            hits += band.low <= 0 <= band.high
    assert 0.90 < hits / (2 * runs) < 0.99


def bad_slice(good: float) -> stakes.Evaluation:
    """Return an evaluation with a slice whose scores are reversed, in a whole of some quality."""
    rng = np.random.default_rng(5)
    n = 2000
    y = (rng.random(n) < 0.4).astype(int)
    ward = np.where(np.arange(n) % 4 == 0, "bad", "good")
    z = (2 * y - 1) * np.where(ward == "bad", -2.0, good) + rng.normal(size=n)
    return stakes.evaluate(y, stakes.Logits(z), slices={"ward": ward})


@pytest.mark.parametrize("good", [2.0, 0.0, -2.0], ids=["useful", "useless", "reversed"])
def test_a_slice_worse_than_naive_is_named_whatever_the_whole_is(good: float) -> None:
    made = bad_slice(good)
    bad: SliceResult = next(s for s in made.slices if s.value == "bad")
    assert bad.cost is not None
    assert bad.cost.value > 2
    assert bad.verdict is not None
    assert bad.verdict.code == "worse_than_naive"
    said = [v for v in made.verdicts if v.code == "slice_worse_than_naive"]
    assert len(said) == 1
    assert "bad" in said[0].text
    assert bad.auc is not None
    assert bad.auc.value < 0.1


def test_measures_stand_on_the_page_and_in_json() -> None:
    made = bad_slice(2.0)
    page = made.to_html()
    assert "Slices: ranking and calibration" in page
    assert "Traditional metrics by slice" in page
    record = made.to_dict()["slices"][0]
    assert record["auc"]["value"] == made.slices[0].auc
    assert record["rate"] == made.slices[0].rate
    assert "accuracy" in record["traditional"]


def test_weights_groups_and_few_samples_say_why_there_is_no_interval() -> None:
    _, _, (y, p, ward) = sliced(2)
    weights, groups = np.ones(y.size) + (y == 1), np.arange(y.size) // 3
    options: list[dict[str, Any]] = [{"sample_weight": weights}, {"groups": groups}]
    for option, what in zip(options, ("weights", "groups"), strict=True):
        made = stakes.evaluate(y, p, slices={"ward": ward}, **option)
        gap = made.slices[0].calibration_gap
        assert gap is not None
        assert gap.interval is None
        assert what in gap.method
