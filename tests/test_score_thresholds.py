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
    made = stakes.evaluate(
        y, scores, costs=costs, priors=priors, training_priors=training, resamples=0
    )
    found = made.main.score_threshold
    assert found is not None
    shown = float(precise(found.value).replace("−", "-"))
    above = (delivered > shown).astype(int)
    counts = np.zeros((2, 2))
    np.add.at(counts, (y, above), 1)
    assert counts.tolist() == made.main.confusion.counts.tolist()
    assert str(found) == f"{precise(found.value)} ({found.scale})"


@pytest.mark.parametrize("power", range(-12, 0))
def test_thresholds_near_the_ends_keep_their_digits(power: int) -> None:
    p = 1.234567 * 10.0**power
    assert float(precise(p)) == pytest.approx(p, rel=1e-5)
    assert 1 - float(precise(1 - p)) == pytest.approx(p, rel=2e-4)


def test_costs_without_a_threshold_have_none() -> None:
    data = stakes.simulation.simulate(3, n=300)
    made = stakes.evaluate(data.y, data.posteriors(np.full(3, 1 / 3)), resamples=0)
    assert made.main.score_threshold is None
    assert made.to_dict()["applications"][0]["score_threshold"] is None
    assert math.isclose(0.5, float(precise(0.5)))
