"""Every calibrator by its name: the class `XCalibrator` in the module `x_calibrator`."""

from typing import TYPE_CHECKING

from stakes import calibration

if TYPE_CHECKING:
    from stakes.calibration.calibrators import Calibrator

_SUFFIX = "Calibrator"


def calibrator_names() -> tuple[str, ...]:
    """Return the names of all calibrators, from the public classes; none is loaded."""
    public = (name for name in dir(calibration) if name.endswith(_SUFFIX) and name != _SUFFIX)
    return tuple(name.removesuffix(_SUFFIX).lower() for name in public)


def calibrator_class(name: str) -> "type[Calibrator]":
    """Return a calibrator by its name; the others are not loaded."""
    found: type[Calibrator] = getattr(calibration, name.title() + _SUFFIX)
    return found
