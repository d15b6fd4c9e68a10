"""What is said of an evaluation in the tags of a run: settings, verdicts, numbers that are none."""

import json
import math
from collections.abc import Mapping
from typing import Any

from stakes._version import __version__
from stakes.evaluation import Comparison, DecisionEvaluation, Evaluation
from stakes.evaluation.findings import plain_value
from stakes.results import Estimate, ExpectedLoss

Record = Evaluation | Comparison | DecisionEvaluation
_LONGEST = 5000  # letters of a tag in any store
_ELSEWHERE = "too long for a tag: see the JSON document"


def setting_tags(record: Record) -> dict[str, str]:
    """Return the settings of an evaluation, and what it says, by key."""
    tags = {"level": f"{record.level:g}"}
    if not isinstance(record, DecisionEvaluation):
        tags["seed"] = str(record.seed)
    if isinstance(record, Comparison):
        tags |= {
            "systems": _json(record.systems),
            "reference": record.reference,
            "may_be_best": _json(record.may_be_best),
        }
    else:
        tags |= _uses(record)
    if isinstance(record, Evaluation):
        tags |= {"scores": record.data.scores, "calibrator": record.calibrator or "none"}
    tags["verdict"] = record.verdicts[0].text if record.verdicts else "none"
    tags["verdict_codes"] = ",".join(verdict.code for verdict in record.verdicts)
    return {"version": __version__} | {key: _short(text) for key, text in tags.items()}


def _uses(record: Evaluation | DecisionEvaluation) -> dict[str, str]:
    """Return costs and priors by application."""
    found: dict[str, tuple[Any, ExpectedLoss]]
    if isinstance(record, DecisionEvaluation):
        found = {"cost": (record.costs, record.expected_cost)}
    else:
        found = {a.name: (a.costs, a.cost.raw) for a in record.applications}
    return {
        "costs": _json({name: _costs(costs) for name, (costs, _) in found.items()}),
        "decisions": _json({name: _decisions(costs) for name, (costs, _) in found.items()}),
        "priors": _json({name: _priors(loss) for name, (_, loss) in found.items()}),
        "priors_from_data": _json({n: loss.priors_from_data for n, (_, loss) in found.items()}),
    }


def _costs(costs: Any) -> object:
    return costs.to_lists() if hasattr(costs, "to_lists") else "from case to case"


def _decisions(costs: Any) -> object:
    return None if costs is None else [str(each) for each in costs.decisions]


def _priors(loss: ExpectedLoss) -> dict[str, float]:
    return dict(zip(map(str, loss.classes), loss.priors.tolist(), strict=True))


def _json(value: object) -> str:
    return json.dumps(plain_value(value), ensure_ascii=False)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else _ELSEWHERE


def not_finite(numbers: Mapping[str, float], estimates: Mapping[str, Estimate]) -> dict[str, str]:
    """Return what metrics cannot hold, in words: undefined, with the reason, or infinite."""
    out = {}
    for name, value in numbers.items():
        if math.isnan(value):
            why = estimates[name].method if name in estimates else ""
            out[name] = f"undefined: {why}" if why else "undefined"
        elif math.isinf(value):
            out[name] = "inf" if value > 0 else "-inf"
    return {name: _short(text) for name, text in out.items()}
