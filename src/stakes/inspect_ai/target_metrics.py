"""Metrics of inspect for models that may say "I don't know"."""

__all__ = [
    "answered",
    "answered_accuracy",
    "confidence_target",
    "confidence_target_stderr",
    "hallucination_rate",
    "normalized_cost",
    "omniscience_index",
]

import math
from collections.abc import Hashable
from typing import Any

from stakes._check import InputError, Place
from stakes._text import plain
from stakes.answer_logs.reading_choices import is_unscored, truth_of
from stakes.answer_logs.target_values import TargetValues, clustered_stderr
from stakes.costs.confidence_target import ConfidenceTarget
from stakes.inspect_ai.inspect_library import NOANSWER, Metric, SampleScore, metric


class _Answers:
    """The scores of a run as answers and abstentions, those without a value left out."""

    def __init__(self, scores: list[SampleScore], partial: Any = None) -> None:
        self.scores = [each for each in scores if not is_unscored(each.score.value)]
        values = [each.score.value for each in self.scores]
        self.abstained = [value == NOANSWER for value in values]
        self.right = [
            None if value == NOANSWER else self._truth(each, partial)
            for each, value in zip(self.scores, values, strict=True)
        ]

    @staticmethod
    def _truth(each: SampleScore, partial: Any) -> bool:
        place = Place(file=f"sample {plain(each.sample_id)}")
        return truth_of(each.score.value, partial, place, "score")

    @property
    def values(self) -> TargetValues:
        """The numbers that follow from them."""
        return TargetValues(self.right, self.abstained)

    def clusters(self, cluster: str | None) -> list[Hashable]:
        """Return what varies together: a field of the sample's metadata, else the question."""
        if cluster is None:
            return [each.sample_id for each in self.scores]
        found = [(each.sample_metadata or {}).get(cluster) for each in self.scores]
        for each, value in zip(self.scores, found, strict=True):
            if value is None or (isinstance(value, float) and math.isnan(value)):
                rule = "must name a field of the metadata of every sample"
                place = Place(file=f"sample {plain(each.sample_id)}")
                raise InputError("cluster", rule, repr(cluster), place=place)
        return found


@metric(scores="unreduced")
def confidence_target(t: float, partial: Any = None) -> Metric:
    """Mean utility at a confidence target: +1 right, −t/(1 − t) wrong, 0 for no answer.

    Higher is better; never answering scores 0, and always answering pays if more than a share t of
    the answers is right. `NOANSWER` counts as an abstention. Every epoch counts separately.

    Parameters
    ----------
    t : float
        The target, at least 0 and below 1: how sure an answer must be to be worth giving.
    partial : {"right", "wrong"} or float, optional
        How partial credit counts; by default it is an error.

    Returns
    -------
    Metric
        For a scorer of Inspect.

    See Also
    --------
    evaluate_responses : the same with intervals and verdicts.

    Examples
    --------
    .. code-block:: python

        @scorer(metrics=[stakes.inspect_ai.confidence_target(0.75)])
        def exact():  # below 0, never answering would be better
            ...
    """
    target = ConfidenceTarget(t)

    def mean(scores: list[SampleScore]) -> float:
        return _Answers(scores, partial).values.utility(target)

    return mean


@metric(scores="unreduced")
def omniscience_index(partial: Any = None) -> Metric:
    """Utility at a target of one half, times 100: right minus wrong answers, in percent.

    Parameters
    ----------
    partial : {"right", "wrong"} or float, optional
        As in `confidence_target`.

    Returns
    -------
    Metric
        For a scorer of Inspect.

    See Also
    --------
    evaluate_responses : the same with intervals and verdicts.

    Examples
    --------
    .. code-block:: python

        @scorer(metrics=[stakes.inspect_ai.omniscience_index()])
        def exact():  # below 0, more answers are wrong than right: abstain more
            ...
    """
    half = ConfidenceTarget(0.5)

    def index(scores: list[SampleScore]) -> float:
        return 100 * _Answers(scores, partial).values.utility(half)

    return index


@metric(scores="unreduced")
def confidence_target_stderr(
    t: float,
    cluster: str | None = None,
    partial: Any = None,
) -> Metric:
    """Standard error of the mean utility at a confidence target.

    Epochs of one question vary together, and are one cluster; `cluster` names a field of the
    sample's metadata that defines larger clusters, such as the document that several questions are
    about.

    Parameters
    ----------
    t : float
        The confidence target.
    cluster : str, optional
        Field of the metadata that names the clusters.
    partial : {"right", "wrong"} or float, optional
        As in `confidence_target`.

    Returns
    -------
    Metric
        For a scorer of Inspect.

    See Also
    --------
    evaluate_responses : the same with intervals and verdicts.

    Examples
    --------
    .. code-block:: python

        from stakes.inspect_ai import confidence_target, confidence_target_stderr

        @scorer(metrics=[confidence_target(0.75), confidence_target_stderr(0.75)])
        def exact():  # useful if the utility is more than two standard errors above 0
            ...
    """
    target = ConfidenceTarget(t)

    def stderr(scores: list[SampleScore]) -> float:
        answers = _Answers(scores, partial)
        return clustered_stderr(answers.values.points(target), answers.clusters(cluster))

    return stderr


@metric(scores="unreduced")
def normalized_cost(t: float, partial: Any = None) -> Metric:
    """Cost at a confidence target divided by the better of always and never answering.

    Below 1, the model's choice of what to answer is worth something. Withheld answers are assumed
    to be right, which makes this the largest possible value.

    Parameters
    ----------
    t : float
        The confidence target.
    partial : {"right", "wrong"} or float, optional
        As in `confidence_target`.

    Returns
    -------
    Metric
        For a scorer of Inspect.

    See Also
    --------
    evaluate_responses : the same with intervals and verdicts.

    Examples
    --------
    .. code-block:: python

        @scorer(metrics=[stakes.inspect_ai.normalized_cost(0.75)])
        def exact():  # below 1, the model's choice of what to answer is worth something
            ...
    """
    target = ConfidenceTarget(t)

    def cost(scores: list[SampleScore]) -> float:
        return _Answers(scores, partial).values.normalized_cost(target)

    return cost


@metric(scores="unreduced")
def answered() -> Metric:
    """Share of the questions that are answered.

    Returns
    -------
    Metric
        For a scorer of Inspect.

    See Also
    --------
    evaluate_responses : the same with intervals and verdicts.

    Examples
    --------
    .. code-block:: python

        @scorer(metrics=[stakes.inspect_ai.answered()])
        def exact():  # 1 means that the model never abstains
            ...
    """

    def share(scores: list[SampleScore]) -> float:
        return _Answers(scores, "right").values.answered()

    return share


@metric(scores="unreduced")
def answered_accuracy(partial: Any = None) -> Metric:
    """Share of the answers that are right; NaN if nothing was answered.

    Parameters
    ----------
    partial : {"right", "wrong"} or float, optional
        As in `confidence_target`.

    Returns
    -------
    Metric
        For a scorer of Inspect.

    See Also
    --------
    evaluate_responses : the same with intervals and verdicts.

    Examples
    --------
    .. code-block:: python

        @scorer(metrics=[stakes.inspect_ai.answered_accuracy()])
        def exact():  # below the target, the model should abstain more
            ...
    """

    def share(scores: list[SampleScore]) -> float:
        return _Answers(scores, partial).values.answered_accuracy()

    return share


@metric(scores="unreduced")
def hallucination_rate(partial: Any = None) -> Metric:
    """Share of wrong answers among what is not right; NaN if everything is right.

    Parameters
    ----------
    partial : {"right", "wrong"} or float, optional
        As in `confidence_target`.

    Returns
    -------
    Metric
        For a scorer of Inspect.

    See Also
    --------
    evaluate_responses : the same with intervals and verdicts.

    Examples
    --------
    .. code-block:: python

        @scorer(metrics=[stakes.inspect_ai.hallucination_rate()])
        def exact():  # 1 means that the model never admits that it does not know
            ...
    """

    def share(scores: list[SampleScore]) -> float:
        return _Answers(scores, partial).values.hallucination_rate()

    return share
