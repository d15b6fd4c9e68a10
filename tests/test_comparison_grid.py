"""A small part of the published grid of comparisons, with seeds of its own."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

PATH = Path(__file__).parents[1] / "benchmarks/comparisons.py"
pytestmark = pytest.mark.skipif(not PATH.exists(), reason="an sdist has no benchmarks")
DRAWS, MOST = 150, 10.0  # percent: 5 % false, and three standard errors of so many draws


@pytest.fixture(scope="module")
def grid() -> ModuleType:
    spec = importlib.util.spec_from_file_location("comparison_grid", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.SEED = 977  # type: ignore[attr-defined]  # the published seeds are others
    module.SIZES = (200, 1000)  # type: ignore[attr-defined]
    module.DISTANCES = {r: d[:2] for r, d in module.DISTANCES.items()}  # type: ignore[attr-defined]
    return module


@pytest.mark.parametrize(
    ("share", "cost", "correlation"),
    [(0.5, 1, 0.5), (0.1, 9, 0.5), (0.1, 50, 0.98), (0.02, 50, 0.995)],
)
def test_equal_systems_are_seldom_distinguished(
    grid: ModuleType, share: float, cost: int, correlation: float
) -> None:
    false = grid.pair_cell((share, cost, correlation, DRAWS))[::4]
    assert max(false) <= MOST


@pytest.mark.parametrize("cell", [(0.5, 1, 0.5), (0.1, 1, 0.5)])
def test_power_of_errors_of_one_cost_is_that_of_mcnemar(
    grid: ModuleType, cell: tuple[float, int, float]
) -> None:
    found = grid.pair_cell((*cell, DRAWS))
    for _, _, power, exact in (found[:4], found[4:]):
        assert power >= exact - 3


def test_costly_errors_traded_for_cheap_ones(grid: ModuleType) -> None:
    found = grid.traded_cell((50, 0.0, DRAWS))
    assert max(found[::2]) <= MOST
    assert max(found[1::2]) > 30  # what sign-flips would say


@pytest.mark.parametrize("name", ["the same, s = 2", "alike, lognormal weights, s = 1.5"])
def test_systems_that_err_in_different_ways(grid: ModuleType, name: str) -> None:
    found = grid.way_cell((name, DRAWS))
    assert max(found[0], found[4]) <= MOST


@pytest.mark.parametrize("cell", [(0.5, 1, 0.5), (0.1, 9, 0.98)])
def test_groups_are_seldom_distinguished(grid: ModuleType, cell: tuple[float, int, float]) -> None:
    assert max(grid.group_cell((*cell, DRAWS))) <= MOST


def test_the_margin_is_seldom_missed(grid: ModuleType) -> None:
    assert max(grid.margin_cell((1, 0.2, 0.5, DRAWS))) <= MOST


def test_odds_are_seldom_named_falsely(grid: ModuleType) -> None:
    found = grid.odds_cell((0.5, 0.98, 40))
    assert max(found[::3] + found[2::3]) <= MOST
    assert found[4] > 80  # power with 1,000 samples
