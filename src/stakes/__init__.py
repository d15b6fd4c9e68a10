"""Evaluate classifiers by what their decisions cost.

Names are imported when first used, so that `import stakes` stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stakes import metrics
    from stakes._check import (
        FileError,
        InputError,
        MissingExtraError,
        StakesError,
        UndefinedMetricError,
        UndefinedMetricWarning,
    )
    from stakes.costs import CostMatrix
    from stakes.metrics import (
        ConfusionMatrix,
        Explanation,
        confusion_matrix,
        expected_cost,
        explain,
    )
    from stakes.results import ExpectedLoss, Interval, MetricValue, Undefined

    __version__: str

_ROOMS = {
    "ConfusionMatrix": "stakes.metrics",
    "CostMatrix": "stakes.costs",
    "ExpectedLoss": "stakes.results",
    "Explanation": "stakes.metrics",
    "FileError": "stakes._check",
    "InputError": "stakes._check",
    "Interval": "stakes.results",
    "MetricValue": "stakes.results",
    "MissingExtraError": "stakes._check",
    "StakesError": "stakes._check",
    "Undefined": "stakes.results",
    "UndefinedMetricError": "stakes._check",
    "UndefinedMetricWarning": "stakes._check",
    "confusion_matrix": "stakes.metrics",
    "expected_cost": "stakes.metrics",
    "explain": "stakes.metrics",
}

__all__ = [
    "ConfusionMatrix",
    "CostMatrix",
    "ExpectedLoss",
    "Explanation",
    "FileError",
    "InputError",
    "Interval",
    "MetricValue",
    "MissingExtraError",
    "StakesError",
    "Undefined",
    "UndefinedMetricError",
    "UndefinedMetricWarning",
    "__version__",
    "confusion_matrix",
    "expected_cost",
    "explain",
    "metrics",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Import a public name from its room the first time it is asked for."""
    if name == "__version__":
        value: Any = import_module("importlib.metadata").version("stakes")
    elif name == "metrics":
        return import_module("stakes.metrics")
    elif name in _ROOMS:
        value = getattr(import_module(_ROOMS[name]), name)
    else:
        msg = f"module 'stakes' has no attribute {name!r}"
        raise AttributeError(msg)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
