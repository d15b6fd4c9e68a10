"""One scale for all classes, no bias."""

from dataclasses import dataclass
from typing import ClassVar

from stakes.calibration.linear import LinearCalibrator
from stakes.calibration.shared_scale import Moves

__all__ = ["TemperatureCalibrator"]


@dataclass(eq=False)
class TemperatureCalibrator(LinearCalibrator):
    """One scale for all classes, no bias; its inverse is the temperature."""

    name = "temperature"
    learns = "a scale"
    use = "the priors are right and the scores only overconfident; it cannot fix priors"
    moves: ClassVar[Moves] = Moves(scale=True, biases=False)
