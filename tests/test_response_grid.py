"""A part of the grid of responses: intervals cover, and sentences are rarely false."""

import math
from types import ModuleType

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

DRAWS = 40
LEAST = 32  # intervals of 95 % that cover; fewer of 40 have a probability below 1e-4
MOST = 8  # false sentences; more of 40 at 5 % have a probability below 1e-4


@pytest.fixture(scope="module")
def grid() -> ModuleType:
    return pytest.importorskip("benchmarks.responses")


@pytest.mark.parametrize(
    ("name", "n", "t", "kind"),
    [
        ("noise", 100, 0.5, "independent"),
        ("break-even", 200, 0.75, "documents"),
        ("calibrated, abstains best", 200, 0.75, "runs"),
        ("overconfident, answers all", 200, 0.75, "unknown"),
    ],
)
def test_intervals_cover_and_sentences_are_rarely_false(
    grid: ModuleType, name: str, n: int, t: float, kind: str
) -> None:
    counts = grid.tally(grid.Cell(name, n, t, kind), DRAWS)
    assert counts.said
    for number, given in counts.given.items():
        assert counts.covered[number] >= LEAST - (DRAWS - given), number
    for code, false in counts.false.items():
        assert false <= MOST, code
    assert counts.error_rate / DRAWS < 1.2  # of its limit


def test_the_truth_of_a_system_is_that_of_its_densities(grid: ModuleType) -> None:
    one = grid.SYSTEMS["overconfident, abstains as stated"](0.75)

    def stated(z: float) -> float:
        return float(expit(1.5 * (0.6 + 2 * z) + 1))

    least = float((math.log(3) - 1) / 1.5 - 0.6) / 2
    assert stated(least) == pytest.approx(0.75)
    right, _ = quad(lambda z: norm.pdf(z) * expit(0.6 + 2 * z), least, 9)
    answered = float(norm.sf(least))
    known = one.truths(0.75, held_back=True)
    assert known["answered"] == pytest.approx(answered, abs=1e-3)
    assert known["right"] == pytest.approx(right, abs=1e-3)
    assert known["utility"] == pytest.approx(right - 3 * (answered - right), abs=4e-3)
    gap, _ = quad(lambda z: norm.pdf(z) * (stated(z) - expit(0.6 + 2 * z)), -9, 9)
    assert known["overconfidence"] == pytest.approx(gap, abs=1e-4)
    even = grid.SYSTEMS["break-even"](0.9)
    assert even.truths(0.9, held_back=True)["utility"] == pytest.approx(0, abs=1e-9)
    assert np.isclose(even.nec(0.9), 1)
