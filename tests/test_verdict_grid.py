"""A small part of the published grid of verdicts, with seeds of its own."""

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType

import pytest
from scipy.integrate import quad
from scipy.stats import norm

PATH = Path(__file__).parents[1] / "benchmarks/verdicts.py"
pytestmark = pytest.mark.skipif(not PATH.exists(), reason="an sdist has no benchmarks")
DRAWS, MOST = 40, 7  # were 5 % false, more than 7 of 40 would have a probability of 0.0007
# Were 30 % false, 2 of 20 or fewer would have a probability of 0.04, and 7 of 40 one of 0.06.
FEW, HARMLESS = 20, 2


@pytest.fixture(scope="module")
def grid() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verdict_grid", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.SEED = 4711  # type: ignore[attr-defined]  # the published seeds are others
    return module


@pytest.mark.parametrize(
    "cell",
    [
        ("calibrated", 200, "three"),
        ("overconfident", 500, "three"),
        ("useless", 60, "one"),
        ("perfect", 200, "one"),
        ("break-even", 60, "three"),
        ("calibrated", 60, "three, prior 0.3 given"),
    ],
)
def test_no_code_is_often_false(grid: ModuleType, cell: tuple[str, int, str]) -> None:
    counts = grid.tally(cell, FEW)
    if counts.worst()[1] > HARMLESS / FEW:
        counts = grid.tally(cell, DRAWS)
    assert counts.said
    assert counts.worst()[1] <= MOST / DRAWS, counts.false


def test_what_is_plain_is_said(grid: ModuleType) -> None:
    reversed_ = grid.tally(("reversed", 200, "one"), 10)
    assert reversed_.said["scores_reversed"] == reversed_.said["worse_than_naive"] == 10
    assert grid.tally(("perfect", 200, "one"), 10).said["useful"] == 10
    assert grid.tally(("constant", 60, "one"), 10).said["always_the_same"] == 10
    assert grid.tally(("overconfident", 2000, "one"), 5).said["overconfident"] == 5
    assert grid.tally(("underconfident", 2000, "one"), 5).said["underconfident"] == 5


def test_the_truth_of_a_system_is_that_of_its_densities(grid: ModuleType) -> None:
    system, application = grid.systems()["overconfident"], grid.SETS["three"][0][1]
    threshold = math.log(1 / 5)
    missed, _ = quad(norm(system.second, system.deviation).pdf, -60, threshold)
    alarms, _ = quad(norm(system.first, system.deviation).pdf, threshold, 60)
    assert application.cost(system) == pytest.approx((0.3 * 5 * missed + 0.7 * alarms) / 0.7)

    def loss(z: float) -> float:
        first, second = (norm(m, system.deviation).pdf(z) for m in (system.first, system.second))
        return 0.7 * first * math.log1p(math.exp(z)) + 0.3 * second * math.log1p(math.exp(-z))

    assert system.cross_entropy(0.3) == pytest.approx(quad(loss, -40, 40, limit=200)[0], rel=1e-4)
    assert system.slope == pytest.approx(0.5)
    better = system.true_odds(0.3)
    assert better.slope == pytest.approx(1)
    assert application.recovered(grid.systems()["calibrated"]) == pytest.approx(0, abs=1e-12)
    assert grid.SETS["one"][0][0].cost(grid.systems()["break-even"]) == pytest.approx(1)
