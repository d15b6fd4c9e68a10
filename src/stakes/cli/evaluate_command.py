"""stakes evaluate: what a system costs, whether it is any use, how good its probabilities are."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from stakes._text import plain
from stakes.cli.actions import COMMANDS, with_options
from stakes.cli.formats import begin, publish
from stakes.cli.outputs import forget
from stakes.cli.parsing import parse_priors
from stakes.cli.places import text_in_file
from stakes.cli.progress import progress_bar
from stakes.cli.read_mode import WHOLE, choose_for_decisions, summed, why_not_summed
from stakes.cli.table_request import Asked, Paths, Problem, Request, Setting, prepare, read_request
from stakes.cli.terminal_report import evaluation_document
from stakes.evaluation import Evaluation, evaluate
from stakes.io import Columns


def run(*, file: Paths, decision: str | None, details: bool, **options: Any) -> None:  # noqa: ANN401
    """Tell what a system costs: Bayes decisions, naive reference, calibration, intervals."""
    begin(options)
    if decision is not None:
        from stakes.cli.decision_column import evaluate_decided  # noqa: PLC0415  another way to evaluate

        choose_for_decisions(options)
        document = evaluate_decided(file, decision, options)
    else:
        request = prepare(asked_for(file, options))
        judged = evaluate_in_batches(request, options)
        judged = judged or evaluate_problem(read_request(request), options)
        document = evaluation_document(
            "evaluate",
            judged.evaluation,
            judged.facts.source,
            details=details,
            read=judged.facts.read,
            commands=judged.commands,
        )
    publish(document, options)
    forget(options)


@dataclass(frozen=True)
class Facts:
    """What was read: from where, how many samples, and whether whole or in batches."""

    source: str
    samples: int
    read: str


@dataclass(frozen=True)
class Judged:
    """An evaluation, and what it is of."""

    evaluation: Evaluation
    facts: Facts
    commands: Mapping[str, str]  # that its verdicts ask for, by action


def facts_of(problem: Problem) -> Facts:
    """Return what was read of a table that was read whole."""
    return Facts(problem.table.source, len(problem.y), WHOLE)


def evaluate_in_batches(request: Request, options: dict[str, Any]) -> Judged | None:
    """Evaluate a table batch by batch; None where it is to be read whole."""
    found = summed(request, options, why_not_summed(request))
    if found is None:
        return None
    with found.told_in_place(), progress_bar("resampling") as progress:
        evaluation = found.summary.evaluate(progress=progress, **stage_arguments(options))
    evaluation = replace(evaluation, notes=(*found.notes, *evaluation.notes))
    facts = Facts(found.choice.source, found.summary.n, found.choice.read)
    return _in_own_words(evaluation, facts, found.setting, None)


def evaluate_problem(problem: Problem, options: dict[str, Any]) -> Judged:
    """Evaluate the first system of a table."""
    with problem.told_in_place(), progress_bar("resampling") as progress:
        evaluation = evaluate(
            problem.y,
            problem.scores,
            slices=problem.slices,
            progress=progress,
            **shared_arguments(problem, options),
        )
    return _in_own_words(evaluation, facts_of(problem), problem, problem.table)


def shared_arguments(problem: Problem, options: dict[str, Any]) -> dict[str, Any]:
    """Return what `evaluate` and `compare` are told alike."""
    return {
        "costs": problem.costs,
        "priors": problem.priors,
        "training_priors": problem.training_priors,
        "groups": problem.groups,
        "sample_weight": problem.weights,
        "classes": problem.classes,
        **stage_arguments(options),
    }


def stage_arguments(options: dict[str, Any]) -> dict[str, Any]:
    """Return how calibration and intervals are to be computed."""
    return {
        "calibrator": _calibrator(options["method"]),
        "folds": options["folds"],
        "level": options["level"],
        "resamples": options["resamples"],
        "rng": options["seed"],
    }


def _in_own_words(
    evaluation: Evaluation, facts: Facts, setting: Setting, table: Columns | None
) -> Judged:
    """Put the user's own columns into the commands, and lines of the file for rows."""
    verdicts = tuple(
        replace(verdict, text=text_in_file(verdict.text, table))
        for verdict in with_options(evaluation.verdicts)
    )
    notes = tuple(text_in_file(note, table) for note in evaluation.notes)
    evaluation = replace(evaluation, verdicts=verdicts, notes=notes)
    commands = {**COMMANDS, "calibrate": _calibrate_command(setting, evaluation)}
    return Judged(evaluation, facts, commands)


def _calibrate_command(setting: Setting, evaluation: Evaluation) -> str:
    """Return the command that fits the calibrator whose gain was told; none for trials."""
    asked = setting.asked
    if asked.key is not None or evaluation.calibrator is None or not isinstance(asked.file, str):
        return ""
    file = Path(asked.file)
    prior = asked.prior or (None if not asked.dcf else asked.dcf[0].rpartition(":")[2])
    own = {
        "--label": asked.label,
        "--scores": next(iter(asked.systems.values())),
        "--scores-are": asked.scores_are,
        "--classes": ",".join(setting.columns),
        "--method": None if evaluation.calibrator == "affine" else evaluation.calibrator,
        "--prior": prior if setting.columns == setting.classes else _named(prior, setting.classes),
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


def asked_for(file: Paths, options: dict[str, Any]) -> Asked:
    """Return the options that say what is in a table and what it is for."""
    meta = click.get_current_context().meta
    known = {name: options[name] for name in Asked.__dataclass_fields__ if name in options}
    return Asked(file=file, **known, applications=meta.get("stakes.applications", {}))


def _calibrator(method: str) -> Any:  # noqa: ANN401
    """Return the calibrator of a name."""
    if method == "none":
        return None
    from stakes.calibration.registry import calibrator_class  # noqa: PLC0415

    return calibrator_class(method)()
