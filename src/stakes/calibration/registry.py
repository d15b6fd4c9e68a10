"""Every calibrator by its name: the class `XCalibrator` in the module `x_calibrator`."""

from typing import TYPE_CHECKING, Any

from stakes import calibration
from stakes._errors import InputError
from stakes._foreign_words import own_name
from stakes._text import quoted

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


def read_calibrator(given: Any) -> "Calibrator | None":  # noqa: ANN401  what a user passed
    """Return a calibrator that is given, or named as on the command line; None for none.

    >>> read_calibrator("isotonic"), read_calibrator("none")
    (IsotonicCalibrator(), None)
    """
    if given is None or isinstance(given, calibration.Calibrator):
        return given
    names = [name for name in calibrator_names() if name != "threshold"]  # that needs costs
    name = own_name(given, [*names, "none"]) if isinstance(given, str) else None
    if name is not None:
        return None if name == "none" else calibrator_class(name)()
    shown = given.__name__ if isinstance(given, type) else repr(given)
    hint = f"Pass {shown}()." if isinstance(given, type) else f"Names are {quoted(names, most=20)}."
    rule = "must be a calibrator such as AffineCalibrator(), its name, or None"
    raise InputError("calibrator", rule, shown, hint=hint)
