"""Verdicts: plain sentences drawn from the numbers by the rules in docs/verdicts.md."""

from stakes.evaluation.verdicts.evidence import Evidence, evidence_of
from stakes.evaluation.verdicts.families import adjusted, holm
from stakes.evaluation.verdicts.rules import verdicts_of
from stakes.evaluation.verdicts.small_samples import few_errors, few_groups, small_classes
from stakes.evaluation.verdicts.usefulness import CostClaim, slice_verdicts, usefulness_of

__all__ = [
    "CostClaim",
    "Evidence",
    "adjusted",
    "evidence_of",
    "few_errors",
    "few_groups",
    "holm",
    "slice_verdicts",
    "small_classes",
    "usefulness_of",
    "verdicts_of",
]
