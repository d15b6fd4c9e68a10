"""stakes evaluate: what a system costs, whether it is any use, how good its probabilities are."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from stakes._text import plain
from stakes.cli.formats import publish
from stakes.cli.messages import progress_bar
from stakes.cli.options import Options
from stakes.cli.outputs import check_outputs, forget
from stakes.cli.parsing import parse_priors
from stakes.cli.places import COMMANDS, text_in_file, with_options
from stakes.cli.read_mode import SummedTable, read_table, say_whole
from stakes.cli.table_request import Setting, WholeTable, prepare
from stakes.cli.terminal_report import evaluation_document
from stakes.evaluation import Evaluation


def run(options: Options) -> None:
    """Tell what a system costs: Bayes decisions, naive reference, calibration, intervals."""
    check_outputs(options)
    if options.decision is not None:
        from stakes.cli.decision_column import decision_document  # noqa: PLC0415  another way

        if options.resume or options.memory is not None:
            say_whole("--decision", options)
        document = decision_document(options)
    else:
        table = read_table(prepare(options))
        evaluation = evaluated(table)
        commands = {**COMMANDS, "calibrate": _calibrate_command(table, evaluation)}
        document = evaluation_document(evaluation, table, commands)
    publish(document, options)
    forget(options)


def evaluated(table: WholeTable | SummedTable) -> Evaluation:
    """Evaluate the first system of a table, in words of options and with lines for rows."""
    with table.told_in_place(), progress_bar("resampling") as progress:
        made = table.evaluate(progress=progress, **stage_arguments(table.request.options))
    verdicts = tuple(
        replace(verdict, text=text_in_file(verdict.text, table.table))
        for verdict in with_options(made.verdicts)
    )
    notes = tuple(text_in_file(note, table.table) for note in made.notes)
    return replace(made, verdicts=verdicts, notes=notes)


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
