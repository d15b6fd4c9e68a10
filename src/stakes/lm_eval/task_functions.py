"""Functions that a task file of lm-eval names with !function."""

from __future__ import annotations

__all__ = [
    "answered_accuracy",
    "hallucination_rate",
    "normalized_cost_at",
    "response_processor",
    "utility_at",
]

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stakes.answer_logs.stated_answers import StatedIn
from stakes.answer_logs.target_values import TargetValues, utility
from stakes.costs.confidence_target import ConfidenceTarget

Response = Mapping[str, Any]
Aggregation = Callable[[Sequence[Response]], float]


def response_processor(
    is_right: Callable[[Any, str], bool],
    stated: StatedIn,
    t: float,
    names: Sequence[str] = ("response",),
) -> Callable[[Any, Sequence[Any]], dict[str, Any]]:
    """Return a function for `process_results` of a task that generates text.

    For each document it returns

    - `utility`, the points at the target, and `answered`, 1 or 0: aggregate them by their mean
      (`aggregation: mean`), and lm-eval adds the standard error;
    - `response`, whether it was right or refused and its confidence: for the aggregations of this
      module, and for `stakes.read_answer_log`, which reads it from the log for any other target.

    Parameters
    ----------
    is_right : function (doc, text) -> bool
        Whether the model's text answers the document; not called for abstentions.
    stated : StatedIn
        How confidence is written, and what an abstention looks like.
    t : float
        The confidence target.
    names : list of str, default ('response',)
        The metrics of the task that aggregate responses. `metric_list` must have each of them with
        its aggregation, since lm-eval takes the mean of all others, and responses have no mean.

    Returns
    -------
    callable
        For `process_results`.

    See Also
    --------
    StatedIn : how a confidence is read.
    evaluate_responses : with intervals and verdicts.

    Examples
    --------
    >>> from stakes import StatedIn
    >>> from stakes.lm_eval import response_processor
    >>> stated = StatedIn(abstention=r"(?i)i don't know")
    >>> process = response_processor(lambda doc, text: doc in text, stated, t=0.75)
    >>> for text in ("Rome. Confidence: 0.6", "I don't know."):
    ...     print(process("Paris", [text])["utility"])
    -3.0
    0.0

    At this target, the model should say that it does not know.
    """
    target = ConfidenceTarget(t)

    def process_results(doc: Any, results: Sequence[Any]) -> dict[str, Any]:  # noqa: ANN401
        text = str(results[0])
        said = stated(text)
        right = None if said.abstained else bool(is_right(doc, text))
        response = {"right": right, "abstained": said.abstained, "confidence": said.confidence}
        return {
            "utility": utility(right, said.abstained, target),
            "answered": float(not said.abstained),
            **dict.fromkeys(names, response),
        }

    return process_results


def utility_at(t: float) -> Aggregation:
    """Return an aggregation of `response`: the mean utility at a confidence target.

    Parameters
    ----------
    t : float
        The confidence target.

    Returns
    -------
    callable
        An aggregation for a task of lm-eval.

    See Also
    --------
    evaluate_responses : the same with intervals and verdicts.

    Examples
    --------
    >>> from stakes.lm_eval import utility_at, response_processor
    >>> from stakes import StatedIn
    >>> process = response_processor(lambda doc, text: doc in text, StatedIn(), t=0.75)
    >>> texts = "Paris. Confidence: 0.9", "Rome. Confidence: 0.6"
    >>> said = [process("Paris", [text])["response"] for text in texts]
    >>> utility_at(0.75)(said)  # below 0: never answering would be better
    -1.0
    """
    target = ConfidenceTarget(t)

    def mean_utility(responses: Sequence[Response]) -> float:
        return _values(responses).utility(target)

    return mean_utility


def normalized_cost_at(t: float) -> Aggregation:
    """Return an aggregation of `response`: the cost divided by that of the better constant rule.

    The constant rules are always and never answering. Withheld answers are assumed to be right,
    which makes this the largest possible value.

    Parameters
    ----------
    t : float
        The confidence target.

    Returns
    -------
    callable
        An aggregation for a task of lm-eval.

    See Also
    --------
    evaluate_responses : the same with intervals and verdicts.

    Examples
    --------
    >>> from stakes.lm_eval import normalized_cost_at, response_processor
    >>> from stakes import StatedIn
    >>> process = response_processor(lambda doc, text: doc in text, StatedIn(), t=0.75)
    >>> texts = "Paris. Confidence: 0.9", "Rome. Confidence: 0.6"
    >>> said = [process("Paris", [text])["response"] for text in texts]
    >>> normalized_cost_at(0.75)(said) < 1  # its choice of what to answer is worth nothing
    False
    """
    target = ConfidenceTarget(t)

    def normalized_cost(responses: Sequence[Response]) -> float:
        return _values(responses).normalized_cost(target)

    return normalized_cost


def answered_accuracy(responses: Sequence[Response]) -> float:
    """Return the share of the answers that are right; NaN if nothing was answered.

    Parameters
    ----------
    responses : sequence of Response
        What `response_processor` returned as `response`.

    Returns
    -------
    float

    See Also
    --------
    evaluate_responses : the same with intervals and verdicts.

    Examples
    --------
    >>> from stakes.lm_eval import answered_accuracy, response_processor
    >>> from stakes import StatedIn
    >>> process = response_processor(lambda doc, text: doc in text, StatedIn(), t=0.75)
    >>> texts = "Paris. Confidence: 0.9", "Rome. Confidence: 0.6"
    >>> said = [process("Paris", [text])["response"] for text in texts]
    >>> answered_accuracy(said) > 0.75  # not accurate enough for the target: abstain more
    False
    """
    return _values(responses).answered_accuracy()


def hallucination_rate(responses: Sequence[Response]) -> float:
    """Return the share of wrong answers among what is not right; NaN if everything is right.

    Parameters
    ----------
    responses : sequence of Response
        What `response_processor` returned as `response`.

    Returns
    -------
    float

    See Also
    --------
    evaluate_responses : the same with intervals and verdicts.

    Examples
    --------
    >>> from stakes.lm_eval import hallucination_rate, response_processor
    >>> from stakes import StatedIn
    >>> process = response_processor(lambda doc, text: doc in text, StatedIn(), t=0.75)
    >>> texts = "Paris. Confidence: 0.9", "Rome. Confidence: 0.6"
    >>> said = [process("Paris", [text])["response"] for text in texts]
    >>> hallucination_rate(said)  # every answer that is not right is wrong: it never abstains
    1.0
    """
    return _values(responses).hallucination_rate()


def _values(responses: Sequence[Response]) -> TargetValues:
    return TargetValues(
        [each["right"] for each in responses], [each["abstained"] for each in responses]
    )
