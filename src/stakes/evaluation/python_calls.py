"""How to do in Python what verdicts advise: calls with the arguments of `evaluate`."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stakes.calibration.registry import calibrator_class, calibrator_names

if TYPE_CHECKING:
    from stakes.evaluation.findings import Evaluation

_LONGEST = 200  # characters of class names up to which a call lists them


def python_calls(evaluation: "Evaluation") -> dict[str, str]:
    """Return by the action of a verdict the call that does it.

    `y_true` and `scores` are those of `evaluate`, and so are other arguments without a value.
    """
    if evaluation.calibrator is None:
        return {}
    return {"calibrate": _calibrate(evaluation, evaluation.calibrator)}


def _calibrate(evaluation: "Evaluation", calibrator: str) -> str:
    known = calibrator in calibrator_names()
    made = f"stakes.{calibrator_class(calibrator).__name__}()" if known else "calibrator"
    cost = evaluation.main.cost.raw
    own = {} if cost.priors_from_data else {"priors": _numbers(cost.priors)}
    return f"calibrator = {made}.fit(scores, y_true{_options(evaluation, own)})"


def _options(evaluation: "Evaluation", own: dict[str, Any]) -> str:
    data = evaluation.data
    if data.weighted:
        own = {**own, "sample_weight": "sample_weight"}
    if any(isinstance(name, str) for name in data.classes):  # texts have no order of their own
        names = repr(list(data.classes))
        own = {**own, "classes": names if len(names) <= _LONGEST else "classes"}
    return "".join(f", {name}={value}" for name, value in own.items())


def _numbers(priors: np.ndarray) -> str:
    return f"[{', '.join(f'{p:.12g}' for p in priors.tolist())}]"
