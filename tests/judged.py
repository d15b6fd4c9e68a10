"""Two simulated systems that tests of evaluate and compare share."""

import json
from functools import cache

import numpy as np
import pytest

import stakes
from stakes.evaluation import Evaluation
from stakes.simulation import MISCALIBRATED, Simulation, simulate

RNG = np.random.default_rng(11)
ORDER = RNG.permutation(1000)
SORTED = simulate(2, n=1000, priors=[0.8, 0.2])
TWO = Simulation(SORTED.y[ORDER], SORTED.x[ORDER], 2, 0.15)  # in no order of classes
RAW = np.exp(TWO.posteriors([0.8, 0.2], MISCALIBRATED).values)
TEN = simulate(10, n=800, priors=[0.1] * 10)
TEN_RAW = np.exp(TEN.posteriors([0.1] * 10, MISCALIBRATED).values)
COSTS = stakes.CostMatrix.binary(miss=5, false_alarm=1)
WEIGHTS = RNG.uniform(0.2, 3, 1000)
AMOUNTS = stakes.SampleCosts.from_columns(
    [[0, 3], ["amount", 0]], {"amount": RNG.lognormal(2, 1, 1000)}
)
GOOD = np.exp(TWO.posteriors([0.8, 0.2]).values)
POOR = np.exp(TWO.posteriors([0.02, 0.98]).values)


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Draw the same numbers in each test, whichever others run."""
    RNG.bit_generator.state = np.random.default_rng(12).bit_generator.state


@cache
def usual() -> Evaluation:
    return stakes.evaluate(TWO.y, RAW, costs=COSTS)


def codes(evaluation: Evaluation) -> list[str]:
    return [verdict.code for verdict in evaluation.verdicts]


def json_of(result: Evaluation | stakes.Comparison) -> str:
    return json.dumps(result.to_dict(), allow_nan=False)
