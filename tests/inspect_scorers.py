"""A scorer of inspect as a user writes it: an own one with stakes' helper and metrics."""

from inspect_ai.scorer import Scorer, accuracy, includes, scorer, stderr

from harness_runs import ABSTENTION
from stakes import StatedIn
from stakes.inspect_ai import (
    answered,
    answered_accuracy,
    confidence_target,
    confidence_target_stderr,
    hallucination_rate,
    normalized_cost,
    with_stated_confidence,
)


@scorer(
    metrics=[
        accuracy(),
        stderr(),
        confidence_target(0.75),
        confidence_target_stderr(0.75),
        normalized_cost(0.75),
        answered(),
        answered_accuracy(),
        hallucination_rate(),
    ]
)
def stated_scorer() -> Scorer:
    """Return inspect's `includes`, with the stated confidence and abstentions."""
    return with_stated_confidence(includes(), StatedIn(abstention=ABSTENTION))
