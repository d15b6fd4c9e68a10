"""The answers in what lm-eval's `simple_evaluate` returns."""

from __future__ import annotations

__all__ = ["answers_of_results"]

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from stakes._check import InputError
from stakes._text import quoted
from stakes.answer_logs.answer_log import AnswerLog
from stakes.answer_logs.lm_eval_logs import RunDescription, log_of_rows
from stakes.answer_logs.reading_choices import LogChoices


def answers_of_results(  # noqa: PLR0913  as for files
    results: Mapping[str, Any],
    task: str | None = None,
    *,
    metric: str | None = None,
    filter: str | None = None,  # noqa: A002  as lm-eval calls it
    confidence: str | Literal[False] | None = None,
    abstain_values: str | Sequence[str] | None = None,
    abstain_field: str | None = None,
    abstain_pattern: str | re.Pattern[str] | None = None,
    partial: Literal["right", "wrong"] | float | None = None,
    slices: str | Sequence[str] = (),
) -> AnswerLog:
    """Return the answers of one task from `lm_eval.simple_evaluate(..., log_samples=True)`.

    Parameters
    ----------
    results : mapping
        What `simple_evaluate` returned.
    task : str, optional
        If there are several tasks, the one to take.
    metric : str, optional
        As in `stakes.read_answer_log`.
    filter : str, optional
        As in `stakes.read_answer_log`.
    confidence : str or False, optional
        As in `stakes.read_answer_log`.
    abstain_values : str or list of str, optional
        As in `stakes.read_answer_log`.
    abstain_field : str, optional
        As in `stakes.read_answer_log`.
    abstain_pattern : str or compiled pattern, optional
        As in `stakes.read_answer_log`.
    partial : {"right", "wrong"} or float, optional
        As in `stakes.read_answer_log`.
    slices : str or list of str, optional
        As in `stakes.read_answer_log`.

    Returns
    -------
    AnswerLog
        The same as read from the file that lm-eval writes.

    See Also
    --------
    read_answer_log : the same from a file.
    evaluate_responses : evaluates the answers.

    Examples
    --------
    >>> from stakes.lm_eval import answers_of_results
    >>> sample = {"doc_id": 0, "doc": {"q": "2 + 2?"}, "target": "4", "filter": "none"}
    >>> sample |= {"arguments": [["2 + 2?", {}]], "resps": [["4"]], "filtered_resps": ["4"]}
    >>> sample |= {"metrics": ["exact_match"], "exact_match": 1.0}
    >>> log = answers_of_results({"samples": {"sums": [sample]}})
    >>> log.right, len(log.left_out)  # every sample counts, so evaluate `log.responses()`
    ([True], 0)
    """
    given = {name: value for name, value in locals().items() if name not in {"results", "task"}}
    samples = results.get("samples") if isinstance(results, Mapping) else None
    if not samples:
        rule = "must have samples of simple_evaluate"
        raise InputError("results", rule, found="it has none", hint="Pass log_samples=True to it.")
    if task is None and len(samples) == 1:
        task = next(iter(samples))
    if task is None or task not in samples:
        rule = "must name one task of the results"
        raise InputError("task", rule, repr(task), hint=f"They have {quoted(samples)}.")
    about = RunDescription.of_results(results, task)
    rows = ((f"sample {index} of {task!r}", row) for index, row in enumerate(samples[task]))
    choices = LogChoices.read({"scorer": None, **given})
    return log_of_rows(rows, f"results of {task}", choices, about)
