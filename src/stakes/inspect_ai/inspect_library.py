"""inspect, where it is installed and recent enough; else the line that installs it.

Modules of this package have inspect from here, so that without it their names raise an error with
the pip line, not a bare ImportError.
"""

from stakes._check import MissingExtraError
from stakes._text import plain

OLDEST = (0, 3, 245)  # metrics may ask for the scores of all epochs, and scores may be missing
_HINT = "Install it with: pip install 'stakes[inspect]'"

try:
    import inspect_ai.scorer
    from inspect_ai.scorer import (  # noqa: F401  from here for all modules
        NOANSWER,
        Metric,
        SampleScore,
        Score,
        Scorer,
        Target,
        metric,
    )
    from inspect_ai.solver import TaskState  # noqa: F401
except ImportError as error:
    msg = f"stakes.inspect_ai needs inspect, which cannot be imported ({plain(error, 100)})."
    raise MissingExtraError(f"{msg} {_HINT}") from error

if not hasattr(inspect_ai.scorer.Score, "unscored"):
    msg = f"stakes.inspect_ai needs inspect {'.'.join(map(str, OLDEST))} or newer."
    raise MissingExtraError(f"{msg} {_HINT}")
