# Written by `make exports` from the `__all__` of each module.
from stakes.responses.abstention_rules import AbstentionRule as AbstentionRule
from stakes.responses.confidence_kinds import Agreement as Agreement
from stakes.responses.confidence_kinds import AnswerLogProbability as AnswerLogProbability
from stakes.responses.confidence_kinds import Confidence as Confidence
from stakes.responses.response_evaluation import ResponseEvaluation as ResponseEvaluation
from stakes.responses.response_slices import ResponseSlice as ResponseSlice
from stakes.responses.response_samples import Responses as Responses
from stakes.responses.risk_control import RiskLimit as RiskLimit
from stakes.responses.confidence_kinds import StatedPercent as StatedPercent
from stakes.responses.confidence_kinds import StatedProbability as StatedProbability
from stakes.responses.target_curves import TargetCurve as TargetCurve
from stakes.responses.confidence_kinds import VerbalConfidence as VerbalConfidence
from stakes.responses.risk_control import coverage_at_error_rate as coverage_at_error_rate
from stakes.responses.risk_control import coverage_at_risk as coverage_at_risk
from stakes.responses.response_evaluation import evaluate_responses as evaluate_responses
