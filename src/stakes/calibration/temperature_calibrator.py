"""One scale for all classes, no bias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stakes.calibration.linear import LinearCalibrator
from stakes.calibration.shared_scale import Moves

__all__ = ["TemperatureCalibrator"]


@dataclass(eq=False)
class TemperatureCalibrator(LinearCalibrator):
    """Temperature scaling: one scale for all classes and no bias; its inverse is `T`.

    See Also
    --------
    AffineCalibrator : with biases.
    choose_calibrator : which one to use.

    Examples
    --------
    These logits are twice as large as they should be, so divide them by 2:

    >>> import numpy as np
    >>> import stakes
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 3, 5000)
    >>> z = rng.normal(size=(5000, 3)) + 2 * np.eye(3)[y]
    >>> calibrator = stakes.TemperatureCalibrator().fit(stakes.Logits(4 * z), y)
    >>> round(calibrator.T, 1)
    2.0
    """

    name = "temperature"
    learns = "a scale"
    use = "the priors are right and the scores only overconfident; it cannot fix priors"
    fixes_priors = False
    moves: ClassVar[Moves] = Moves(scale=True, biases=False)

    @property
    def T(self) -> float:  # noqa: N802  as everybody calls it
        """The temperature, which log posteriors are divided by."""
        return self._affine().temperature
