"""Very many samples are summed in blocks: the same values, the same bits in any order, no copy."""

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

import stakes
from stakes import samples
from stakes._kernels import compiled, group_sums
from stakes._kernels.group_sums import BlockSums, sum_by
from stakes.statistics import LossSums

Metric = Callable[..., object]
RNG = np.random.default_rng(5)


@pytest.fixture
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, few in (("_MOST_AT_ONCE", 50), ("_BLOCK", 64), ("_FEWEST_ROWS", 1)):
        monkeypatch.setattr(samples, name, few)


def made(k: int, n: int = 700) -> tuple[np.ndarray, np.ndarray]:
    y = RNG.integers(0, k, n)
    p = RNG.dirichlet(np.full(k, 0.05), n)  # of very different sizes
    p = (p + 1e-12) / (p + 1e-12).sum(axis=1, keepdims=True)
    return y, p


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("metric", [stakes.cross_entropy, stakes.brier_score, stakes.bayes_cost])
def test_losses_in_blocks(metric: Metric, k: int, request: pytest.FixtureRequest) -> None:
    y, p = made(k)
    whole = metric(y, p)
    request.getfixturevalue("few_at_once")
    found, turned = metric(y, p), metric(y[::-1], p[::-1])
    assert found.value == turned.value  # type: ignore[attr-defined]
    assert found.value == pytest.approx(whole.value, rel=1e-15)  # type: ignore[attr-defined]
    assert found.interval(0.9) == turned.interval(0.9)  # type: ignore[attr-defined]
    assert found.standard_error == pytest.approx(whole.standard_error, rel=1e-13)  # type: ignore[attr-defined]


@pytest.mark.usefixtures("few_at_once")
def test_infinite_losses_are_found_in_their_blocks() -> None:
    y, p = made(2)
    y[[3, 400, 699]] = 1
    p[[3, 400, 699]] = 1, 0
    found = stakes.cross_entropy(y, p)
    assert found.value == np.inf
    assert found.infinite_rows.tolist() == [3, 400, 699]


@pytest.mark.parametrize(
    ("metric", "k"),
    [
        (stakes.calibration_error, 2),
        (stakes.confidence_calibration_error, 2),
        (stakes.confidence_calibration_error, 4),
    ],
)
@pytest.mark.parametrize("norm", [1, 2, np.inf])
def test_calibration_errors_in_blocks(
    metric: Metric, k: int, norm: float, request: pytest.FixtureRequest
) -> None:
    y, p = made(k)
    priors = np.arange(1, k + 1) / (k * (k + 1) / 2)
    whole, moved = (metric(y, p, bins=7, norm=norm, priors=q) for q in (None, priors))
    request.getfixturevalue("few_at_once")
    assert metric(y, p, bins=7, norm=norm) == pytest.approx(whole, rel=1e-14)
    assert metric(y, p, bins=7, norm=norm, priors=priors) == pytest.approx(moved, rel=1e-13)
    assert metric(y, p, bins=7, norm=norm) == metric(y[::-1], p[::-1], bins=7, norm=norm)
    with pytest.raises(stakes.InputError, match="two classes"):
        stakes.calibration_error(*made(3))


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e308, 5e-324])
@pytest.mark.parametrize("quick", [False, True])
def test_sums_of_blocks_are_those_of_all(
    scale: float, *, quick: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not quick:
        monkeypatch.setattr(group_sums, "KERNELS", None)
    group = RNG.integers(0, 3, 1000)
    values = RNG.choice([1.0, 1e-20, 3e-9], 1000) * RNG.random(1000) * scale / 1000
    blocks = [(group[i : i + 130], values[i : i + 130]) for i in range(0, 1000, 130)]
    found = BlockSums(3)
    for block in blocks:
        found.look(*block)
    for block in reversed(blocks):
        found.add(*block)
    np.testing.assert_array_equal(found.total(), sum_by(group, values, 3))


@pytest.mark.skipif(not compiled, reason="numpy reads any array")
def test_blocks_must_be_columns_of_one_length() -> None:
    with pytest.raises(ValueError, match="group and values"):
        BlockSums(2).look(np.zeros(2, np.int64), np.zeros(3))
    with pytest.raises(ValueError, match="class codes"):
        BlockSums(2).look(np.array([0, 2]), np.zeros(2))


def test_sums_over_blocks_count_every_class() -> None:
    y, loss = RNG.integers(0, 3, 500), RNG.exponential(size=500)
    loss[7] = np.inf
    found = LossSums.from_blocks(lambda: iter([(y[:100], loss[:100]), (y[100:], loss[100:])]), 4)
    wanted = LossSums.from_losses(y, loss, None, 4)
    for name in ("weight", "loss", "square", "square_square", "infinite"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-15)


def test_many_samples_take_little_room() -> None:
    n = 2**21
    y, p = RNG.integers(0, 2, n), RNG.random(n)
    for metric in (stakes.cross_entropy, stakes.brier_score, stakes.calibration_error):
        metric(y[:100], p[:100])
        tracemalloc.start()
        metric(y, p)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 0.3 * p.nbytes  # a single column of losses would be more
