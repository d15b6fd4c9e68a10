"""What goes wrong, by kind: every error of the library is one of these."""


class StakesError(Exception):
    """Any error that stakes raises on purpose."""


class InputError(StakesError, ValueError):
    """An argument breaks a rule; the message names it, its value, its place and the way out."""


class UndefinedMetricError(InputError):
    """The data cannot give the quantity asked for, whatever the value would be."""


class FileError(StakesError, OSError):
    """A file cannot be read or written."""


class MissingExtraError(StakesError, ImportError):
    """A feature needs an optional dependency that is not installed."""


class UndefinedMetricWarning(UserWarning):
    """An undefined value was turned into a bare NaN, which cannot carry its reason."""
