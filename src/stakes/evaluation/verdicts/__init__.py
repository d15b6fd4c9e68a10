"""Verdicts: plain sentences drawn from the numbers by the rules in docs/verdicts.md."""

from stakes.evaluation.verdicts.rules import usefulness, verdicts_of
from stakes.evaluation.verdicts.small_samples import few_errors, few_groups, small_classes

__all__ = ["few_errors", "few_groups", "small_classes", "usefulness", "verdicts_of"]
