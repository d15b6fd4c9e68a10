"""Logs of harnesses for language models, whichever harness wrote them."""

from __future__ import annotations

__all__ = ["read_answer_log"]

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from stakes._foreign_calls import answered
from stakes._text import plain
from stakes.answer_logs.answer_log import AnswerLog
from stakes.answer_logs.inspect_logs import read_inspect_log
from stakes.answer_logs.lm_eval_logs import read_lm_eval_log
from stakes.answer_logs.reading_choices import LogChoices
from stakes.answer_logs.zip_members import starts_as_zip


@answered
def read_answer_log(  # noqa: PLR0913  each may be what a log leaves open
    path: str | os.PathLike[str],
    *,
    scorer: str | None = None,
    metric: str | None = None,
    filter: str | None = None,  # noqa: A002  as lm-eval calls it
    confidence: str | Literal[False] | None = None,
    abstain_values: str | Sequence[str] | None = None,
    abstain_field: str | None = None,
    abstain_pattern: str | re.Pattern[str] | None = None,
    partial: Literal["right", "wrong"] | float | None = None,
    slices: str | Sequence[str] = (),
) -> AnswerLog:
    r"""Read the answers that an evaluation harness logged, and the origin of each column.

    Logs of Inspect (`.eval`, `.json`) and samples of lm-eval (`samples_*.jsonl`) are read
    directly; neither library is needed. Nothing is guessed: if a log leaves a choice, the error
    lists the options. Samples that ended with an error or were not scored are listed in
    `left_out`.

    Parameters
    ----------
    path : str or path
        The log file.
    scorer : str, optional
        If there are several Inspect scorers, the one that decides what is right.
    metric : str, optional
        The lm-eval metric that decides what is right, such as `exact_match`, `acc`, `acc_norm`;
        for an Inspect score with several values, the value that counts.
    filter : str, optional
        If there are several lm-eval filters, the one that counts.
    confidence : str or False, optional
        The field with the stated confidence: a path such as
        `scores.match.metadata.confidence` or `doc.confidence`, or a name in the metadata of the
        score or sample. By default the field `confidence` of the score's metadata, if
        there is one; False ignores it.
    abstain_values : str or list of str, optional
        Values that mark an abstention: of `abstain_field` if that is given, else of the score.
        Inspect's score `N` always does.
    abstain_field : str, optional
        A field that marks an abstention, by being true or by `abstain_values`.
    abstain_pattern : str or compiled pattern, optional
        A regular expression: an answer that matches it is an abstention.
    partial : {"right", "wrong"} or float, optional
        How partial credit (`P`, or a number between 0 and 1) counts; a number is the least value
        that counts as right. By default partial credit is an error.
    slices : str or list of str, optional
        Fields of the sample's metadata (Inspect) or document (lm-eval) to keep as columns.

    Returns
    -------
    AnswerLog

    See Also
    --------
    evaluate_responses : evaluates the answers.

    Examples
    --------
    >>> import json, pathlib, tempfile, stakes
    >>> line = {"doc_id": 0, "doc": {"q": "2 + 2?"}, "target": "4", "filter": "none"}
    >>> line |= {"arguments": {"gen_args_0": {"arg_0": "2 + 2?", "arg_1": {}}}}
    >>> line |= {"resps": [["4"]], "filtered_resps": ["4"], "metrics": ["exact_match"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "samples_sums.jsonl")
    ...     _ = file.write_text(json.dumps({**line, "exact_match": 1.0}))
    ...     log = stakes.read_answer_log(file)
    >>> log.right, log.origin["right"]
    ([True], "metric 'exact_match' (1 right, 0 wrong), filter 'none'")
    """
    given = dict(locals())
    file = os.fspath(given.pop("path"))
    choices = LogChoices.read(given)
    name = plain(Path(file).name, 200)
    if starts_as_zip(file, name) or file.endswith(".eval"):
        return read_inspect_log(file, name, choices, packed=True)
    if file.endswith(".jsonl"):
        return read_lm_eval_log(file, name, choices)
    return read_inspect_log(file, name, choices, packed=False)
