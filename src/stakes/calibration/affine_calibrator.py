"""One scale for all classes and a bias for each."""

from __future__ import annotations

from dataclasses import dataclass

from stakes.calibration.linear import LinearCalibrator

__all__ = ["AffineCalibrator"]


@dataclass(eq=False)
class AffineCalibrator(LinearCalibrator):
    """One scale for all classes and a bias for each (eq:affcal): the paper's calibrator.

    For two classes this is Platt scaling of the log odds.

    See Also
    --------
    TemperatureCalibrator : a scale alone.
    BiasCalibrator : biases alone.
    VectorCalibrator : a scale for each class.
    choose_calibrator : which one to use.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> raw = data.posteriors([0.9, 0.1], stakes.simulation.MISCALIBRATED)
    >>> calibrator = stakes.AffineCalibrator().fit(raw, data.y)
    >>> after = stakes.cross_entropy(data.y, calibrator.transform(raw))
    >>> after.value < stakes.cross_entropy(data.y, raw).value
    True
    """

    name = "affine"
    use = "by default; for two classes it is Platt scaling of the log odds"
    learns = "a scale, and a bias for each class"
