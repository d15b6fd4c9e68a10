"""A scale and a bias for each class."""

from dataclasses import dataclass

from stakes.calibration.linear import LinearCalibrator

__all__ = ["VectorCalibrator"]


@dataclass(eq=False)
class VectorCalibrator(LinearCalibrator):
    """A scale and a bias for each class."""

    name = "vector"
    learns = "a scale and a bias for each class"
    use = "there are many samples of each class"
    scale_for_each = True
