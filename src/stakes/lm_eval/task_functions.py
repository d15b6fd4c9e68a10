"""Functions that a task file of lm-eval names with !function."""

__all__ = [
    "answered_accuracy",
    "hallucination_rate",
    "normalized_cost_at",
    "response_processor",
    "utility_at",
]

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stakes.answer_logs import target_values
from stakes.answer_logs.stated_answers import StatedIn

Response = Mapping[str, Any]
Aggregation = Callable[[Sequence[Response]], float]


def response_processor(
    is_right: Callable[[Any, str], bool], stated: StatedIn, t: float
) -> Callable[[Any, Sequence[Any]], dict[str, Any]]:
    """Return a function for `process_results` of a task that generates text.

    It gives for each document

    - `utility`, the points at the target, and `answered`, 1 or 0: their mean (`aggregation: mean`)
      is what counts, and lm-eval adds the standard error;
    - `response`, what was right, abstained and how sure: for the aggregations below, and for
      `stakes.read_answer_log`, which reads them from the log at any other target. The same is
      under the name of each of these aggregations that takes no mean.

    Parameters
    ----------
    is_right : function (doc, text) -> bool
        Whether what the model wrote answers the document; not asked about abstentions.
    stated : StatedIn
        How confidence is written, and what an abstention looks like.
    t : float
        The confidence target.
    """
    t = target_values.read_target(t)

    def process_results(doc: Any, results: Sequence[Any]) -> dict[str, Any]:  # noqa: ANN401
        text = str(results[0])
        said = stated(text)
        right = None if said.abstained else bool(is_right(doc, text))
        response = {"right": right, "abstained": said.abstained, "confidence": said.confidence}
        return {
            "utility": target_values.utility(right, said.abstained, t),
            "answered": float(not said.abstained),
            "response": response,
            "answered_accuracy": response,
            "hallucination_rate": response,
            "normalized_cost": response,
        }

    return process_results


def utility_at(t: float) -> Aggregation:
    """Return an aggregation of `response`: the mean utility at a confidence target."""
    t = target_values.read_target(t)

    def utility(responses: Sequence[Response]) -> float:
        return target_values.mean_utility(*_columns(responses), t)

    return utility


def normalized_cost_at(t: float) -> Aggregation:
    """Return an aggregation of `response`: the cost over the better of always and never answering.

    Answers that were held back are taken to be right, which makes this the largest that it can be.
    """
    t = target_values.read_target(t)

    def normalized_cost(responses: Sequence[Response]) -> float:
        return target_values.normalized_cost(*_columns(responses), t)

    return normalized_cost


def answered_accuracy(responses: Sequence[Response]) -> float:
    """Return which share of the answers is right; NaN where nothing was answered."""
    return target_values.answered_accuracy(*_columns(responses))


def hallucination_rate(responses: Sequence[Response]) -> float:
    """Return how often the answer is wrong where it is not right; NaN where every one is right."""
    return target_values.hallucination_rate(*_columns(responses))


def _columns(responses: Sequence[Response]) -> tuple[list[bool | None], list[bool]]:
    return [each["right"] for each in responses], [each["abstained"] for each in responses]
