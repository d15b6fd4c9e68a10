"""Scoring rules: what an answer costs, least on average when it is the true posterior.

Each rule of a module here is registered in `RULES`.
"""

from stakes._registry import Registry
from stakes.scoring.rules import BayesCost, BrierLoss, LogLoss, SphericalLoss, ThresholdRange
from stakes.scoring.scoring_rule import ScoringRule

RULES: Registry[ScoringRule] = Registry(__name__, ScoringRule, "rule")  # type: ignore[type-abstract]
