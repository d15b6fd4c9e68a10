"""A bias for each class, no scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stakes.calibration.linear import LinearCalibrator
from stakes.calibration.shared_scale import Moves

__all__ = ["BiasCalibrator"]


@dataclass(eq=False)
class BiasCalibrator(LinearCalibrator):
    """A bias for each class and no scale: corrects for a change of priors.

    See Also
    --------
    AffineCalibrator : with a scale.
    estimate_priors : new priors, without labels.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> raw = data.posteriors([0.5, 0.5])
    >>> stage = stakes.BiasCalibrator()
    >>> found = stakes.calibration_loss(stakes.LogLoss(), data.y, raw, calibrator=stage)
    >>> found.relative > 0.3  # more than a third of the loss: calibrate
    True
    """

    name = "bias"
    learns = "a bias for each class"
    use = "only the priors have changed"
    moves: ClassVar[Moves] = Moves(scale=False, biases=True)
