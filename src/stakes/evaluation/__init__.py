"""Everything about a system at once: the one entry point behind the command line and the report."""

from typing import TYPE_CHECKING

from stakes._lazy import names_of_package
from stakes.evaluation.entry import evaluate

if TYPE_CHECKING:
    from stakes.evaluation.applications import Application
    from stakes.evaluation.bootstrapping import (
        AreaUnderRoc,
        Bootstrap,
        EqualErrorRate,
        bootstrap,
    )
    from stakes.evaluation.comparison import Comparison, compare
    from stakes.evaluation.deciding import Decisions, decide
    from stakes.evaluation.decisions import DecisionEvaluation, evaluate_decisions
    from stakes.evaluation.differences import Difference, RelativeCost
    from stakes.evaluation.odds import OddsRange
    from stakes.evaluation.records import (
        SCHEMA_VERSION,
        ApplicationResult,
        ClassResult,
        DataSummary,
        Evaluation,
        LossResult,
        SliceResult,
        Verdict,
    )
    from stakes.evaluation.summaries import Summary
    from stakes.evaluation.thresholds import ThresholdChoice, ThresholdResult, choose_threshold
else:
    __getattr__ = names_of_package(
        __name__,
        {
            "applications": ("Application",),
            "bootstrapping": ("AreaUnderRoc", "Bootstrap", "EqualErrorRate", "bootstrap"),
            "comparison": ("Comparison", "compare"),
            "deciding": ("Decisions", "decide"),
            "decisions": ("DecisionEvaluation", "evaluate_decisions"),
            "differences": ("Difference", "RelativeCost"),
            "odds": ("OddsRange",),
            "records": (
                "SCHEMA_VERSION",
                "ApplicationResult",
                "ClassResult",
                "DataSummary",
                "Evaluation",
                "LossResult",
                "SliceResult",
                "Verdict",
            ),
            "summaries": ("Summary",),
            "thresholds": ("ThresholdChoice", "ThresholdResult", "choose_threshold"),
        },
    )

__all__ = [
    "SCHEMA_VERSION",
    "Application",
    "ApplicationResult",
    "AreaUnderRoc",
    "Bootstrap",
    "ClassResult",
    "Comparison",
    "DataSummary",
    "DecisionEvaluation",
    "Decisions",
    "Difference",
    "EqualErrorRate",
    "Evaluation",
    "LossResult",
    "OddsRange",
    "RelativeCost",
    "SliceResult",
    "Summary",
    "ThresholdChoice",
    "ThresholdResult",
    "Verdict",
    "bootstrap",
    "choose_threshold",
    "compare",
    "decide",
    "evaluate",
    "evaluate_decisions",
]
