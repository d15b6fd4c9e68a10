"""Responses beside the rules that look at nothing: always to answer, and never to."""

from dataclasses import dataclass

import numpy as np

from stakes.costs.confidence_target import ConfidenceTarget
from stakes.responses.abstention_rules import paired_costs
from stakes.responses.response_measures import ResponseMeasures
from stakes.responses.response_samples import Responses


@dataclass(frozen=True)
class BesideConstants:
    """P-values of being worth as much as a rule that looks at nothing.

    `better` is against the better one of the two; where responses seem to be worth more than
    both, the larger of the two. `never` is against never answering.
    """

    better: float
    never: float
    abstains: bool  # at all
    unknown: int  # abstentions of which the truth is not known


def beside_constants(own: ResponseMeasures, target: ConfidenceTarget) -> BesideConstants:
    """Return the tests; answers held back of which nothing is known are taken to be right."""
    n = len(own.responses)
    silent = ResponseMeasures(own.responses, np.zeros(n, dtype=np.bool_), own.level)
    always = ResponseMeasures(own.responses.assumed(), np.ones(n, dtype=np.bool_), own.level)
    tests = [paired_costs(own, other, target) for other in (silent, always)]
    if all(test.value < 0 for test in tests):
        better = max(test.p_value for test in tests)
    else:
        better = max(tests, key=lambda test: test.value).p_value
    abstains = not own.answers.all()
    return BesideConstants(better, tests[0].p_value, abstains, own.responses.unknown)


def always_answering(responses: Responses, target: ConfidenceTarget) -> float:
    """Return the utility of always answering; answers that nobody knows are taken to be right."""
    everything = np.ones(len(responses), dtype=np.bool_)
    return ResponseMeasures(responses.assumed(), everything, 0.95).utility(target).value
