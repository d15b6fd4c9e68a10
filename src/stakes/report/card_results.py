"""The results that a model card shows first: costs, scoring rules, ranking, traditional metrics."""

import math
from collections.abc import Mapping, Sequence

from stakes._text import number
from stakes.evaluation import DecisionEvaluation, Evaluation
from stakes.metrics import Explanation
from stakes.report.payload import ranking_label
from stakes.results import Estimate, ExpectedLoss

_HIGHER = frozenset({"auc"})
_NORMALIZED = ("nec", "normalized", "calibrated_nec", "calibrated_normalized", "minimum_nec")


def results_of(record: Evaluation | DecisionEvaluation) -> list[tuple[str, object, ExpectedLoss]]:
    """Return name, costs and expected cost of each application."""
    if isinstance(record, DecisionEvaluation):
        return [("cost", record.costs, record.expected_cost)]
    return [(a.name, a.costs, a.cost.raw) for a in record.applications]


def naive_value(name: str, references: Mapping[str, float]) -> float | None:
    """Return the value of the naive system; normalised losses have 1."""
    if name.rpartition(".")[2] in _NORMALIZED:
        return 1.0
    return references.get(f"{name}.naive")


def main_results(record: Evaluation | DecisionEvaluation) -> list[list[str]]:
    """Return rows: what it is, value, interval, naive value, which way is better."""
    numbers = record.metrics()
    rows: list[list[str]] = []
    found = results_of(record)
    for name, _, loss in found:
        of = f", {name}" if len(found) > 1 else ""
        rows.append(_row(f"expected cost per case{of}", numbers[f"{name}.value"], loss.naive))
        rows.append(_row(f"normalised expected cost (NEC){of}", numbers[f"{name}.nec"], 1.0))
        after = numbers.get(f"{name}.calibrated_nec")
        if after is not None:
            rows.append(_row(f"NEC after calibration{of}", after, 1.0))
    if isinstance(record, Evaluation):
        rows += [_row(f"normalised {r.raw.name}", r.normalized, 1.0) for r in record.rules]
        for name, estimate in record.ranking.items():
            naive = 0.5 if name in {"auc", "eer"} else None
            better = "higher" if name in _HIGHER else "lower"
            rows.append(_row(ranking_label(name), estimate, naive, better))
        if record.slope is not None:
            rows.append(_row("calibration slope", record.slope, None, "1"))
        for a in record.applications:
            of = f", {a.name}" if len(found) > 1 else ""
            rows += _traditional(a.traditional, a.traditional_estimates, of)
        return rows
    return rows + _traditional(record.traditional, record.estimates, "")


def _traditional(
    explained: Sequence[Explanation], estimates: Mapping[str, Estimate], of: str
) -> list[list[str]]:
    values = (e.value for e in explained if e.value is not None)
    return [
        _row(f"{v.name}{of}", estimates[v.name], v.naive, v.better)
        for v in values
        if v.name in estimates
    ]


def _row(name: str, estimate: Estimate, naive: float | None, better: str = "lower") -> list[str]:
    beside = "" if naive is None or math.isnan(naive) else number(naive)
    return [name, number(estimate.value), str(estimate.interval or ""), beside, better]
