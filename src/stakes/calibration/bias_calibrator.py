"""A bias for each class, no scale."""

from dataclasses import dataclass
from typing import ClassVar

from stakes.calibration.linear import LinearCalibrator
from stakes.calibration.shared_scale import Moves

__all__ = ["BiasCalibrator"]


@dataclass(eq=False)
class BiasCalibrator(LinearCalibrator):
    """A bias for each class, no scale: what a change of priors needs."""

    name = "bias"
    learns = "a bias for each class"
    use = "only the priors have changed"
    moves: ClassVar[Moves] = Moves(scale=False, biases=True)
