"""Columns of scores as they are named on a command line."""

from collections.abc import Callable, Sequence
from typing import Any

import click
import numpy as np

from stakes._text import plain, quoted
from stakes.io import read_numbers
from stakes.scores import (
    Logits,
    LogLikelihoodRatios,
    LogLikelihoods,
    LogPosteriors,
    Posteriors,
    Scores,
)

KINDS: dict[str, Callable[[Any], Scores]] = {
    "posteriors": Posteriors,
    "log-posteriors": LogPosteriors,
    "logits": Logits,
    "log-likelihoods": LogLikelihoods,
    "llr": LogLikelihoodRatios,
    "log10-lr": LogLikelihoodRatios.from_log10,
    "lr": LogLikelihoodRatios.from_ratio,
}


def score_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name columns of scores and say what they are."""
    for option in (
        click.option("--classes", help="Names in the order of the score columns."),
        click.option(
            "--scores-are",
            type=click.Choice(list(KINDS)),
            required=True,
            help="What the scores are; it is never guessed.",
        ),
        click.option(
            "--scores",
            required=True,
            help="Columns of scores, one per class; one column speaks of the last class.",
        ),
    ):
        command = option(command)
    return command


def read_scores(table: Any, scores: str, kind: str, source: str) -> Scores:  # noqa: ANN401
    """Return the scores of a table, of the declared kind."""
    columns = [name.strip() for name in scores.split(",")]
    values = [read_numbers(table, column, source) for column in columns]
    return KINDS[kind](values[0] if len(values) == 1 else np.column_stack(values))


def class_names(
    classes: str | None, scores: str, labels: Sequence[str] | None, known: Sequence[str] | None
) -> list[str]:
    """Return the classes in the order of the columns: declared, known, or named by the columns.

    Columns named p_healthy, p_tumour name their classes; what was taken from them is said.
    """
    if classes is not None:
        return [name.strip() for name in classes.split(",")]
    if known is not None:
        return list(known)
    columns = [name.strip() for name in scores.split(",")]
    named = [column.removeprefix("p_") for column in columns]
    if len(columns) > 1 and (labels is None or set(labels) <= set(named)):
        listed = ", ".join(plain(name) for name in named)
        click.echo(f"Note: classes taken from the names of the columns: {listed}.", err=True)
        return named
    msg = f"--classes must name the classes in the order of the score columns {quoted(columns)}."
    raise click.UsageError(msg)
