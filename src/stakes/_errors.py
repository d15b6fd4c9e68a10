"""What goes wrong, by kind: every error of the library is one of these."""

__all__ = [
    "FileError",
    "InputError",
    "MissingExtraError",
    "StakesError",
    "UndefinedMetricError",
    "UndefinedMetricWarning",
]


class StakesError(Exception):
    """Any error that stakes raises on purpose."""


class InputError(StakesError, ValueError):
    """An argument breaks a rule; the message names it, its value, its place and the way out."""


class UndefinedMetricError(InputError):
    """The data cannot give the quantity asked for, whatever the value would be."""


class AddressError(InputError):
    """An address such as https://... stands where a file on this machine must stand."""


class UnsafeFileError(InputError):
    """A file could run code when it is read, so it is not read."""


class ChecksumError(InputError):
    """A file is damaged: what it holds does not agree with its checksum."""


class ResourceError(InputError):
    """A file is larger than the limit; the message names the size and the limit."""


class FileError(StakesError, OSError):
    """A file cannot be read or written."""


class MissingExtraError(StakesError, ImportError):
    """A feature needs an optional dependency that is not installed."""


class UndefinedMetricWarning(UserWarning):
    """An undefined value was turned into a bare NaN, which cannot carry its reason."""
