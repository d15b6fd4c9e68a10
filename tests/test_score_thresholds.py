"""Thresholds on delivered scores: put into a system, they give its Bayes decisions."""

import math
from typing import Any

import numpy as np
import pytest

import stakes
from stakes.evaluation.score_thresholds import precise


def kinds() -> dict[str, tuple[Any, np.ndarray]]:
    """Return the same scores in each form, as an object and as the numbers that are delivered."""
    data = stakes.simulation.simulate(2, n=1500)
    log_p = np.asarray(data.posteriors([0.5, 0.5]).log_posteriors())
    z = log_p[:, 1] - log_p[:, 0]
    return {
        "posteriors": (np.exp(log_p), np.exp(log_p[:, 1])),
        "logits": (stakes.Logits(z), z),
        "log posteriors": (stakes.LogPosteriors(log_p), log_p[:, 1]),
        "ratios": (stakes.LogLikelihoodRatios(z), z),
        "likelihoods": (stakes.LogLikelihoods(log_p), z),
    }


FOLLOW = {"ratios", "likelihoods"}  # priors, by themselves
CASES = [(k, adapt) for k in kinds() for adapt in (False, True) if not (adapt and k in FOLLOW)]


@pytest.mark.parametrize(("kind", "adapt"), CASES)
@pytest.mark.parametrize("priors", ["data", [0.95, 0.05]])
def test_the_threshold_gives_the_bayes_decisions(
    kind: str,
    priors: str | list[float],
    adapt: bool,  # noqa: FBT001
) -> None:
    y = stakes.simulation.simulate(2, n=1500).y
    scores, delivered = kinds()[kind]
    costs = stakes.CostMatrix.binary(miss=20, false_alarm=1)
    training = None if kind in FOLLOW else [0.5, 0.5] if adapt else "deployment"
    made = stakes.evaluate(y, scores, costs=costs, priors=priors, training_priors=training)
    found = made.main.score_threshold
    assert found is not None
    shown = float(precise(found.value).replace("−", "-"))
    above = (delivered > shown).astype(int)
    counts = np.zeros((2, 2))
    np.add.at(counts, (y, above), 1)
    assert counts.tolist() == made.main.confusion.counts.tolist()
    assert str(found) == f"{precise(found.value)} ({found.scale})"


@pytest.mark.parametrize(("kind", "adapt"), CASES)
@pytest.mark.parametrize("digits", [2, 17])
def test_a_chosen_threshold_is_told_on_the_scores_as_delivered(
    kind: str,
    adapt: bool,  # noqa: FBT001
    digits: int,
) -> None:
    y = stakes.simulation.simulate(2, n=1500).y
    scores, delivered = kinds()[kind]
    if kind == "posteriors":
        scores = delivered = np.clip(delivered.round(digits), 0.01, 0.99)  # with many ties
    choice = stakes.choose_threshold(
        y,
        scores,
        costs={"miss": 20, "false_alarm": 1},
        priors=[0.95, 0.05],
        training_priors=([0.5, 0.5] if adapt else None if kind in FOLLOW else "deployment"),
        review=0.03,
    )
    for result in choice.results:
        assert result.score_threshold is not None
        above = delivered > result.score_threshold.value
        assert (above[y == 1].mean(), 1 - above[y == 0].mean()) == pytest.approx(
            (result.sensitivity, result.specificity), abs=1e-12
        )
    shown = f"Threshold on your scores: {choice.chosen.score_threshold}."
    assert (shown in str(choice)) == (adapt or kind != "posteriors")
    assert choice.to_dict()["results"][0]["score_threshold"]["scale"] == (
        choice.results[0].score_threshold.scale  # type: ignore[union-attr]  # seen above
    )


def test_a_threshold_on_the_expected_saving_is_on_no_score() -> None:
    data = stakes.simulation.simulate(2, n=300)
    costs = {"miss": np.linspace(3, 5, len(data.y)), "false_alarm": 1}
    choice = stakes.choose_threshold(data.y, data.posteriors([0.5, 0.5]), costs=costs)
    assert choice.chosen.score_threshold is None
    assert "on your scores" not in str(choice)


@pytest.mark.parametrize("power", range(-12, 0))
def test_thresholds_near_the_ends_keep_their_digits(power: int) -> None:
    p = 1.234567 * 10.0**power
    assert float(precise(p)) == pytest.approx(p, rel=1e-5)
    assert 1 - float(precise(1 - p)) == pytest.approx(p, rel=2e-4)


def test_costs_without_a_threshold_have_none() -> None:
    data = stakes.simulation.simulate(3, n=300)
    made = stakes.evaluate(data.y, data.posteriors(np.full(3, 1 / 3)))
    assert made.main.score_threshold is None
    assert made.to_dict()["applications"][0]["score_threshold"] is None
    assert math.isclose(0.5, float(precise(0.5)))
