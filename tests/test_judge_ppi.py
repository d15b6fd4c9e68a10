"""Agreement with ppi-python on drawn labels, and that the stored references are its own."""

from typing import Any

import numpy as np
import pytest

import stakes
from judge_cases import REFERENCES, case
from stakes._quantiles import normal

ppi = pytest.importorskip("ppi_py")


def theirs(human: Any, judge: Any, alpha: float) -> tuple[float, float, float]:
    seen = ~np.isnan(human)
    parts = human[seen], judge[seen], judge[~seen]
    low, high = ppi.ppi_mean_ci(*parts, alpha=alpha)
    value = ppi.ppi_mean_pointestimate(*parts)
    return tuple(float(np.squeeze(x)) for x in (value, low, high))  # type: ignore[return-value]


@pytest.mark.parametrize("name", REFERENCES)
def test_stored_references_are_those_of_the_library(name: str) -> None:
    assert theirs(*case(name), alpha=0.1) == pytest.approx(REFERENCES[name][:3], rel=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_values_and_large_sample_intervals_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, seen = int(rng.integers(20, 2000)), int(rng.integers(5, 18))
    right = (rng.random(n) < rng.uniform(0.2, 0.8)).astype(float)
    judge = np.where(rng.random(n) < 0.9, right, 1 - right)
    if seed % 3 == 1:
        judge = np.clip(judge + rng.normal(0, 0.2, n), 0, 1)
    if seed % 3 == 2:
        right, judge = rng.gamma(2, size=n), rng.gamma(2, size=n)
        judge = 0.5 * judge + right
    human = np.where(np.arange(n) < seen, right, np.nan)
    found = stakes.judged_mean(human, judge, bounds=(-1e9, 1e9))
    if not found.tuning:  # the judge would make the interval wider; theirs uses it all the same
        assert found.value == pytest.approx(np.nanmean(human))
        return
    reach = normal(0.95) * found.standard_error
    value, low, high = theirs(human, judge, alpha=0.05)
    assert found.value == pytest.approx(value, abs=1e-6)
    assert (found.value - reach, found.value + reach) == pytest.approx((low, high), abs=1e-6)
