"""Verdicts: plain sentences drawn from the numbers by the rules in docs/verdicts.md."""

from stakes.evaluation.verdicts.evaluation_verdicts import verdicts_of
from stakes.evaluation.verdicts.evidence import Evidence, evidence_of
from stakes.evaluation.verdicts.reversal import reversed_systems
from stakes.evaluation.verdicts.small_samples import Groups, few_errors, few_groups, small_classes
from stakes.evaluation.verdicts.usefulness import (
    CostClaim,
    slice_verdicts,
    supported_claims,
    usefulness_of,
)
