"""A scorer that also reads how sure the answer says that it is, and whether it is none."""

__all__ = ["with_stated_confidence"]

from typing import Any

from stakes.answer_logs.stated_answers import Stated, StatedIn
from stakes.inspect_ai.inspect_library import NOANSWER, Score, Scorer, Target, TaskState


def with_stated_confidence(scorer: Scorer, stated: StatedIn) -> Scorer:
    """Return a scorer that also records the stated confidence and marks abstentions.

    The score is that of `scorer`. Its metadata get `confidence` (None if nothing valid is stated),
    `confidence_text`, as it was written, and `confidence_problem` if there is no number. An
    abstention is `NOANSWER` with the reason "refusal"; `scorer`, which may be an expensive judge,
    is not called for it.

    Parameters
    ----------
    scorer : Scorer
        The scorer that decides what is right.
    stated : StatedIn
        How confidence is written, and what an abstention looks like.

    Returns
    -------
    Scorer
        Return it from a function with Inspect's `@scorer`, which names the metrics.

    See Also
    --------
    StatedIn : how a confidence is read.

    Examples
    --------
    Ask for a confidence in the prompt, and evaluate the log at any target:

    .. code-block:: python

        @scorer(metrics=[stakes.inspect_ai.confidence_target(0.75)])
        def sure_match():
            return stakes.inspect_ai.with_stated_confidence(match(), stakes.StatedIn("percent"))
    """

    async def score(state: TaskState, target: Target) -> Score | None:
        completion = state.output.completion
        said = stated(completion)
        if said.abstained:
            return Score(
                value=NOANSWER, answer=completion, reason="refusal", metadata=_metadata(said)
            )
        found = await scorer(state, target)
        if found is None:
            return None
        return found.model_copy(update={"metadata": {**(found.metadata or {}), **_metadata(said)}})

    return score


def _metadata(said: Stated) -> dict[str, Any]:
    found: dict[str, Any] = {"confidence": said.confidence}
    if said.text is not None:
        found["confidence_text"] = said.text
    if said.problem:
        found["confidence_problem"] = said.problem
    return found
