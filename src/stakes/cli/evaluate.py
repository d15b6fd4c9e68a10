"""stakes evaluate: what a system costs, whether it is any use, how good its probabilities are."""

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from stakes._text import plain
from stakes.cli.decisions import evaluate_decided
from stakes.cli.formats import begin, publish
from stakes.cli.places import with_line
from stakes.cli.progress import hurry
from stakes.cli.report import evaluation_document
from stakes.cli.request import Asked, Problem, read_problem
from stakes.evaluation import Evaluation, evaluate


def run(*, file: str, decision: str | None, details: bool, **options: Any) -> None:  # noqa: ANN401
    """Tell what a system costs: Bayes decisions, naive reference, calibration, intervals."""
    begin(options)
    if decision is not None:
        document = evaluate_decided(file, decision, options)
    else:
        problem, evaluation = evaluate_table(file, options)
        document = evaluation_document(
            "evaluate", evaluation, problem.table.source, details=details
        )
    publish(document, options)


def evaluate_table(file: str, options: dict[str, Any]) -> tuple[Problem, Evaluation]:
    """Evaluate the scores of a table."""
    problem = read_problem(asked_for(file, options))
    with problem.told_in_place(), hurry("drawing samples again") as progress:
        evaluation = evaluate(
            problem.y,
            problem.scores,
            costs=problem.costs,
            priors=problem.priors,
            training_priors=problem.training_priors,
            calibrator=calibrator_of(options["method"]),
            folds=options["folds"],
            level=options["level"],
            resamples=options["resamples"],
            groups=problem.groups,
            slices=problem.slices,
            sample_weight=problem.weights,
            classes=problem.classes,
            rng=options["seed"],
            progress=progress,
        )
    return problem, _in_own_words(evaluation, problem)


def _in_own_words(evaluation: Evaluation, problem: Problem) -> Evaluation:
    """Put the user's own columns into the commands, and lines of the file for rows."""
    asked, table = problem.asked, problem.table
    own = {
        "FILE": Path(asked.file).name if Path(asked.file).is_absolute() else asked.file,
        "LABEL": asked.label,
        "SCORES": next(iter(asked.systems.values())),
        "KIND": asked.scores_are,
        "CLASSES": ",".join(problem.classes),
    }
    words = {word: shlex.quote(plain(text)) for word, text in own.items() if text is not None}
    verdicts = tuple(
        replace(
            verdict,
            text=with_line(verdict.text, table),
            command=""
            if asked.key
            else re.sub(r"\b[A-Z]{4,}\b", lambda m: words.get(m[0], m[0]), verdict.command),
        )
        for verdict in evaluation.verdicts
    )
    notes = tuple(with_line(note, table) for note in evaluation.notes)
    return replace(evaluation, verdicts=verdicts, notes=notes)


def asked_for(file: str, options: dict[str, Any]) -> Asked:
    """Return the options that say what is in a table and what it is for."""
    meta = click.get_current_context().meta
    known = {name: options[name] for name in Asked.__dataclass_fields__ if name in options}
    return Asked(file=file, **known, applications=meta.get("stakes.applications", {}))


def calibrator_of(method: str) -> Any:  # noqa: ANN401
    """Return the calibrator of a name."""
    from stakes.cli.calibrate import METHODS  # noqa: PLC0415

    return None if method == "none" else METHODS[method].fresh()
