"""A scale and a bias for each class."""

from __future__ import annotations

from dataclasses import dataclass

from stakes.calibration.linear import LinearCalibrator

__all__ = ["VectorCalibrator"]


@dataclass(eq=False)
class VectorCalibrator(LinearCalibrator):
    """A scale and a bias for each class.

    See Also
    --------
    AffineCalibrator : one scale for all classes.
    MatrixCalibrator : effects of one class on another.
    choose_calibrator : which one to use.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(3, n=3000)
    >>> raw = data.posteriors([1 / 3, 1 / 3, 1 / 3])
    >>> stage = stakes.VectorCalibrator()
    >>> found = stakes.calibration_loss(stakes.LogLoss(), data.y, raw, calibrator=stage)
    >>> found.relative > 0.1  # more than a tenth of the loss: calibrate
    True
    """

    name = "vector"
    learns = "a scale and a bias for each class"
    use = "there are many samples of each class"
    scale_for_each = True
