"""stakes evaluate: what a system costs, whether it is any use, how good its probabilities are."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from stakes._text import plain
from stakes.cli.formats import begin, publish
from stakes.cli.parsing import parse_priors
from stakes.cli.places import with_line
from stakes.cli.progress import hurry
from stakes.cli.report import evaluation_document
from stakes.cli.request import Asked, Problem, read_problem
from stakes.evaluation import Evaluation, evaluate


def run(*, file: str, decision: str | None, details: bool, **options: Any) -> None:  # noqa: ANN401
    """Tell what a system costs: Bayes decisions, naive reference, calibration, intervals."""
    begin(options)
    if decision is not None:
        from stakes.cli.decisions import evaluate_decided  # noqa: PLC0415  another way to evaluate

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
    return problem, evaluate_problem(problem, options)


def evaluate_problem(problem: Problem, options: dict[str, Any]) -> Evaluation:
    """Evaluate the first system of a table."""
    with problem.told_in_place(), hurry("drawing samples again") as progress:
        evaluation = evaluate(
            problem.y,
            problem.scores,
            slices=problem.slices,
            progress=progress,
            **shared_arguments(problem, options),
        )
    return _in_own_words(evaluation, problem)


def shared_arguments(problem: Problem, options: dict[str, Any]) -> dict[str, Any]:
    """Return what `evaluate` and `compare` are told alike."""
    return {
        "costs": problem.costs,
        "priors": problem.priors,
        "training_priors": problem.training_priors,
        "calibrator": _calibrator(options["method"]),
        "folds": options["folds"],
        "level": options["level"],
        "resamples": options["resamples"],
        "groups": problem.groups,
        "sample_weight": problem.weights,
        "classes": problem.classes,
        "rng": options["seed"],
    }


def _in_own_words(evaluation: Evaluation, problem: Problem) -> Evaluation:
    """Put the user's own columns into the commands, and lines of the file for rows."""
    table = problem.table
    calibrate = _calibrate_command(problem, evaluation)
    verdicts = tuple(
        replace(
            verdict,
            text=with_line(verdict.text, table)
            if verdict.code == "infinite_loss"
            else verdict.text,
            command=calibrate
            if verdict.command.startswith("stakes calibrate")
            else verdict.command,
        )
        for verdict in evaluation.verdicts
    )
    notes = tuple(with_line(note, table) for note in evaluation.notes)
    return replace(evaluation, verdicts=verdicts, notes=notes)


def _calibrate_command(problem: Problem, evaluation: Evaluation) -> str:
    """Return the command that fits the calibrator whose gain was told; none for trials."""
    asked = problem.asked
    if asked.key is not None or evaluation.calibrator is None:
        return ""
    file = Path(asked.file)
    prior = asked.prior or (None if not asked.dcf else asked.dcf[0].rpartition(":")[2])
    own = {
        "--label": asked.label,
        "--scores": next(iter(asked.systems.values())),
        "--scores-are": asked.scores_are,
        "--classes": ",".join(problem.columns),
        "--method": None if evaluation.calibrator == "affine" else evaluation.calibrator,
        "--prior": prior if problem.columns == problem.classes else _named(prior, problem.classes),
        "--weight": asked.weight,
        "--group": asked.group,
    }
    words = [file.name if file.is_absolute() else str(file)]
    words += [word for option, text in own.items() if text for word in (option, text)]
    quoted = " ".join(shlex.quote(plain(word, 10**6)) for word in words)
    return f"stakes calibrate {quoted} -o calibrator.json"


def _named(prior: str | None, classes: list[str]) -> str | None:
    """Return a prior by names, which mean the same in any order of the classes."""
    priors = None if prior is None else parse_priors(prior, classes)
    return prior if priors is None else ",".join(f"{n}={p:.12g}" for n, p in priors.items())


def asked_for(file: str, options: dict[str, Any]) -> Asked:
    """Return the options that say what is in a table and what it is for."""
    meta = click.get_current_context().meta
    known = {name: options[name] for name in Asked.__dataclass_fields__ if name in options}
    return Asked(file=file, **known, applications=meta.get("stakes.applications", {}))


def _calibrator(method: str) -> Any:  # noqa: ANN401
    """Return the calibrator of a name."""
    if method == "none":
        return None
    from stakes.cli.calibrate import METHODS  # noqa: PLC0415

    return METHODS[method].fresh()
