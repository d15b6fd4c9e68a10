"""Everything about a system at once: the one road behind the command line and the report."""

from stakes.evaluation.applications import Application
from stakes.evaluation.bootstrap import AreaUnderRoc, Bootstrap, EqualErrorRate, bootstrap
from stakes.evaluation.compare import Comparison, Difference, compare
from stakes.evaluation.decisions import DecisionEvaluation, evaluate_decisions
from stakes.evaluation.evaluate import evaluate
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
from stakes.evaluation.thresholds import ThresholdChoice, ThresholdResult, choose_threshold

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
    "Difference",
    "EqualErrorRate",
    "Evaluation",
    "LossResult",
    "OddsRange",
    "SliceResult",
    "ThresholdChoice",
    "ThresholdResult",
    "Verdict",
    "bootstrap",
    "choose_threshold",
    "compare",
    "evaluate",
    "evaluate_decisions",
]
