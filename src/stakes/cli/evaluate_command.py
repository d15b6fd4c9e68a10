"""stakes evaluate: what a system costs, whether it is any use, how good its probabilities are."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stakes._text import plain
from stakes.cli.actions import COMMANDS, with_options
from stakes.cli.formats import publish
from stakes.cli.options import Options
from stakes.cli.outputs import check_outputs, forget
from stakes.cli.parsing import parse_priors
from stakes.cli.places import text_in_file
from stakes.cli.progress import progress_bar
from stakes.cli.read_mode import WHOLE, say_whole, summed
from stakes.cli.table_request import Problem, Request, Setting, prepare, read_request
from stakes.cli.terminal_report import evaluation_document
from stakes.evaluation import Evaluation, evaluate
from stakes.io import Columns


def run(options: Options) -> None:
    """Tell what a system costs: Bayes decisions, naive reference, calibration, intervals."""
    check_outputs(options)
    if options.decision is not None:
        from stakes.cli.decision_column import decision_document  # noqa: PLC0415  another way

        if options.resume or options.memory is not None:
            say_whole("--decision", options)
        document = decision_document(options)
    else:
        request = prepare(options)
        made = evaluated_in_batches(request) or evaluated_whole(read_request(request))
        document = evaluation_document(
            made.evaluation, made.source, made.read, made.commands, details=options.details
        )
    publish(document, options)
    forget(options)


@dataclass(frozen=True)
class Evaluated:
    """An evaluation, and what it is of: from where, how many samples, read whole or in batches."""

    evaluation: Evaluation
    source: str
    samples: int
    read: str
    commands: Mapping[str, str]  # that its verdicts ask for, by action


def evaluated_in_batches(request: Request) -> Evaluated | None:
    """Evaluate a table batch by batch; None where it is to be read whole."""
    found = summed(request)
    if found is None:
        return None
    with found.told_in_place(), progress_bar("resampling") as progress:
        made = found.summary.evaluate(progress=progress, **stage_arguments(request.options))
    made = replace(made, notes=(*found.notes, *made.notes))
    choice = found.choice
    return _in_own_words(made, found.setting, None, (choice.source, found.summary.n, choice.read))


def evaluated_whole(problem: Problem) -> Evaluated:
    """Evaluate the first system of a table."""
    with problem.told_in_place(), progress_bar("resampling") as progress:
        told = {"slices": problem.slices, "progress": progress, **shared_arguments(problem)}
        made = evaluate(problem.y, problem.scores, **told)
    facts = (problem.table.source, len(problem.y), WHOLE)
    return _in_own_words(made, problem, problem.table, facts)


def shared_arguments(problem: Problem) -> dict[str, Any]:
    """Return what `evaluate` and `compare` are told alike."""
    return {
        "costs": problem.costs,
        "priors": problem.priors,
        "training_priors": problem.training_priors,
        "groups": problem.groups,
        "sample_weight": problem.weights,
        "classes": problem.classes,
        "rules": problem.request.rules,
        **stage_arguments(problem.request.options),
    }


def stage_arguments(options: Options) -> dict[str, Any]:
    """Return how calibration and intervals are to be computed."""
    calibrator = None
    if options.method != "none":
        from stakes.calibration.registry import calibrator_class  # noqa: PLC0415  slow to load

        calibrator = calibrator_class(options.method)()
    return {
        "calibrator": calibrator,
        "folds": options.folds,
        "level": options.level,
        "resamples": options.resamples,
        "rng": options.seed,
    }


def _in_own_words(
    evaluation: Evaluation, setting: Setting, table: Columns | None, facts: tuple[str, int, str]
) -> Evaluated:
    """Put the user's own columns into the commands, and lines of the file for rows."""
    verdicts = tuple(
        replace(verdict, text=text_in_file(verdict.text, table))
        for verdict in with_options(evaluation.verdicts)
    )
    notes = tuple(text_in_file(note, table) for note in evaluation.notes)
    evaluation = replace(evaluation, verdicts=verdicts, notes=notes)
    commands = {**COMMANDS, "calibrate": _calibrate_command(setting, evaluation)}
    return Evaluated(evaluation, *facts, commands)


def _calibrate_command(setting: Setting, evaluation: Evaluation) -> str:
    """Return the command that fits the calibrator whose gain was told; none for trials."""
    o = setting.request.options
    if o.key is not None or evaluation.calibrator is None or not isinstance(o.file, str):
        return ""
    file = Path(o.file)
    prior = o.prior or (None if not o.dcf else o.dcf[0].rpartition(":")[2])
    if prior is not None and setting.columns != setting.classes:
        priors = parse_priors(prior, setting.classes)  # by names, which mean the same in any order
        prior = prior if priors is None else ",".join(f"{n}={p:.12g}" for n, p in priors.items())
    own = {
        "--label": o.label,
        "--scores": next(iter(setting.request.systems.values())),
        "--scores-are": o.scores_are,
        "--classes": ",".join(setting.columns),
        "--method": None if evaluation.calibrator == "affine" else evaluation.calibrator,
        "--prior": prior,
        "--weight": o.weight,
        "--group": o.group,
    }
    words = [file.name if file.is_absolute() else str(file)]
    words += [word for option, text in own.items() if text for word in (option, text)]
    quoted = " ".join(shlex.quote(plain(word, 10**6)) for word in words)
    return f"stakes calibrate {quoted} -o calibrator.json"
