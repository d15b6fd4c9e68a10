"""stakes calibrate: learn a calibration from a file of scores, or apply one."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from stakes._files import write_text
from stakes._text import number, percent, plain
from stakes.calibration import CalibrationLoss, Calibrator
from stakes.calibration.loss import calibration_loss_of
from stakes.calibration.registry import calibrator_class
from stakes.cli.calibrator_files import by_name
from stakes.cli.evaluate_command import asked_for
from stakes.cli.outputs import check_output
from stakes.cli.parsing import parse_priors
from stakes.cli.places import told_in_place
from stakes.cli.read_mode import WHOLE, cells_note, summed, why_no_cells
from stakes.cli.score_columns import (
    class_names,
    declared,
    reading,
    say_rounding,
    score_columns,
)
from stakes.cli.screen import json_document
from stakes.cli.table_request import Request, prepare
from stakes.evaluation.verdicts import reversed_systems
from stakes.io import read_columns
from stakes.samples import Samples, read_samples
from stakes.scoring import BrierLoss, LogLoss


def run(file: str, options: dict[str, Any]) -> None:
    """Learn from a file how to turn its scores into better posteriors, or apply what was learnt."""
    if options["fitted"] is not None:
        if options["label"] or options["group"]:
            msg = "--label and --group are for learning: leave them out with --apply."
            raise click.UsageError(msg)
        from stakes.cli.apply_calibrator import apply  # noqa: PLC0415  another way to calibrate

        apply(file, options)
        return
    if options["label"] is None:
        msg = "--label is needed to learn; to use a calibrator give --apply."
        raise click.UsageError(msg)
    if options["write"] is not None:
        msg = "--write is for --apply: learning writes a calibrator file. Leave it out."
        raise click.UsageError(msg)
    _learn(file, options)


@dataclass(frozen=True, eq=False)
class _Data:
    """Samples to learn from, their groups, and what they were read from."""

    samples: Samples
    groups: Any
    source: str
    read: str
    notes: tuple[str, ...] = ()


def _learn(file: str, options: dict[str, Any]) -> None:
    """Learn a calibrator, write it, and print what it recovers."""
    output = options["output"]
    check_output(output, force=options["force"])
    request = prepare(asked_for(file, options))
    found = summed(request, options, _why_whole(request), cells=True)
    if found is None:
        learnt = _learn_whole(file, options)
    else:
        with found.told_in_place():
            notes = (cells_note("The calibrator was fitted").rstrip("."),)
            source, read = found.choice.source, found.choice.read
            data = _Data(found.summary.samples(), None, source, read, notes)
            learnt = _fitted(data, options)
    text = json.dumps(learnt.calibrator.to_dict(), indent=1, allow_nan=False)
    write_text(output, text + "\n")
    _tell(learnt, options)
    click.echo(f"wrote {plain(output)}", err=True)


def _why_whole(request: Request) -> str:
    """Return why a calibrator is to be fitted on all rows; a mistake is named before they are."""
    asked = request.asked
    if asked.classes is None and len(request.score_columns) == 1:
        class_names(None, request.score_columns[0], None, None)
    if asked.scores_are == "log-posteriors":
        return "log-posteriors"
    return why_no_cells(request)


def _learn_whole(file: str, options: dict[str, Any]) -> "_Learnt":
    """Learn from all rows of a table."""
    label, group, weight = options["label"], options["group"], options["weight"]
    texts = tuple(dict.fromkeys((label, *([group] if group else []))))
    numbers = [*score_columns(options["scores"]), *([weight] if weight else [])]
    table = read_columns(file, texts, numbers, **reading(options))
    y = table.texts(label)
    names = class_names(options["classes"], options["scores"], y.tolist(), None)
    scores = declared(table, options, names)
    say_rounding(scores.rounding)
    prior = options["prior"]
    priors = parse_priors(prior, names) if prior else ("data" if scores.needs_priors else None)
    with told_in_place(table, {"y_true": label, "groups": group, "sample_weight": weight}):
        weights = None if weight is None else table.numbers(weight)
        samples = read_samples(y, scores, priors=priors, classes=names, sample_weight=weights)
        groups = None if group is None else table.texts(group)
        return _fitted(_Data(samples, groups, table.source, WHOLE), options)


@dataclass(frozen=True, eq=False)
class _Learnt:
    """A fitted calibrator, what it recovers, and what to know of it."""

    data: _Data
    calibrator: Calibrator
    losses: list[CalibrationLoss]
    notes: list[str]


def _fitted(data: _Data, options: dict[str, Any]) -> _Learnt:
    """Fit a calibrator, and cross-fit it to see what it recovers."""
    calibrator = calibrator_class(options["method"])()
    folds, seed = options["folds"], options["seed"]
    losses = [
        calibration_loss_of(rule, data.samples, calibrator, folds, data.groups, seed)
        for rule in (LogLoss(), BrierLoss())
    ]
    calibrator.fit_samples(data.samples)
    notes = [v.text.rstrip(".") for v in reversed_systems({"": data.samples}, 0.95)]
    return _Learnt(data, calibrator, losses, [*notes, *calibrator.notes, *data.notes])


def _tell(learnt: _Learnt, options: dict[str, Any]) -> None:
    """Print what calibration recovers."""
    method, folds, seed = options["method"], options["folds"], options["seed"]
    calibrator, data = learnt.calibrator, learnt.data
    n = data.samples.n if data.samples.copies is not None else data.samples.n_given
    if options["as_json"]:
        body = {
            "source": Path(data.source).name,
            "read": data.read,
            "samples": n,
            "seed": seed,
            "folds": folds,
            "method": method,
            "priors": by_name(
                [str(name) for name in calibrator.classes], calibrator.training_priors
            ),
            "losses": [loss.to_dict() for loss in learnt.losses],
            "notes": learnt.notes,
            "output": Path(options["output"]).name,
        }
        click.echo(json_document("calibrate", body))
        return
    for loss in learnt.losses:
        raw, after = number(loss.raw.normalized), number(loss.calibrated.normalized)
        known = math.isfinite(loss.relative)
        gain = f"recovers {percent(loss.relative)} % of it" if known else "undefined"
        click.echo(f"{loss.raw.name:<14} {raw} uncalibrated, {after} calibrated (naive 1): {gain}")
    click.echo(f"{method} calibrator, cross-fitted on {folds} folds, seed {seed}, {n} samples")
    click.echo(f"fitted at the priors {calibrator.training_priors_text}")
    for note in learnt.notes:
        click.echo(f"Note: {note}.")
