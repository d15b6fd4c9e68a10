"""No interval reaches where its metric cannot be."""

import math
import re

import numpy as np
import pytest
from scipy.special import expit

import stakes

SHARES = re.compile(
    r"auc|eer|(error|.*_rate|accuracy|sensitivity|specificity|precision|f1_score|recall)$"
)
COSTS: dict[str, stakes.CostMatrix | stakes.Application] = {
    "even": stakes.CostMatrix.binary(miss=1, false_alarm=1),
    "misses": stakes.CostMatrix.binary(miss=20, false_alarm=1),
    "rare": stakes.Application(stakes.CostMatrix.binary(miss=5, false_alarm=1), [0.97, 0.03]),
}


def limits(name: str) -> tuple[float, float]:
    """Return the least and largest value that a metric can have."""
    last = name.rsplit(".", 1)[-1]
    if last == "relative":
        return -math.inf, 1
    if last in ("calibration_loss", "calibration_slope") or "net_benefit" in last:
        return -math.inf, math.inf
    if "matthews" in last:
        return -1, 1
    return 0, 1 if SHARES.match(last) else math.inf


@pytest.mark.parametrize("n", [40, 400])
@pytest.mark.parametrize("scale", [0.0, 0.4, 1.0, 6.0, -2.0])
@pytest.mark.parametrize("grouped", [False, True])
def test_intervals_stay_where_values_can_be(n: int, scale: float, *, grouped: bool) -> None:
    rng = np.random.default_rng([n, int(10 * abs(scale)), grouped])
    y = (rng.random(n) < 0.3).astype(int)
    p = expit(scale * rng.normal(2 * y - 1, 1.2, n))
    groups = rng.integers(0, 12, n) if grouped else None
    result = stakes.evaluate(y, p, costs=COSTS, training_priors="data", groups=groups)
    seen = 0
    for name, found in result.metrics().items():
        low, high = limits(name)
        if math.isfinite(found.value):
            assert low <= found.value <= high, name
        if found.interval is not None:
            assert low <= found.interval.low <= found.interval.high <= high, (name, found)
            seen += 1
    assert seen > 10
