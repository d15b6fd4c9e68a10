"""The quantile of Student's t."""

import pytest
from scipy.special import stdtrit

from stakes._quantiles import student


@pytest.mark.parametrize("degrees", [999, 1000, 1001, 20_000, 10**9])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_quantile_of_t_is_that_of_scipy(degrees: int, level: float) -> None:
    assert student(level, degrees) == pytest.approx(stdtrit(degrees, (1 + level) / 2), rel=1e-10)
