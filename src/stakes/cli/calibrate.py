"""stakes calibrate: learn a calibration from a file of scores, or apply one."""

import json
import math
from pathlib import Path
from typing import Any

import click
import numpy as np

from stakes._check import InputError
from stakes._files import read_text, refuse_taken, write_text
from stakes._text import number, plain
from stakes.calibration import (
    AffineCalibrator,
    BetaCalibrator,
    BiasCalibrator,
    CalibrationLoss,
    Calibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    TemperatureCalibrator,
    VectorCalibrator,
    calibration_loss,
    calibrator_from_dict,
)
from stakes.cli.options import refuse_typed
from stakes.cli.parsing import parse_priors
from stakes.cli.places import told_in_place
from stakes.cli.scoring import (
    class_names,
    declared,
    in_order,
    reading,
    refuse_stream,
    score_columns,
)
from stakes.cli.screen import json_document
from stakes.io import read_columns, read_whole, with_columns, write_table
from stakes.scoring import BrierLoss, LogLoss

METHODS: dict[str, Calibrator] = {
    "affine": AffineCalibrator(),
    "temperature": TemperatureCalibrator(),
    "bias": BiasCalibrator(),
    "vector": VectorCalibrator(),
    "beta": BetaCalibrator(),
    "isotonic": IsotonicCalibrator(),
    "histogram": HistogramCalibrator(),
}


def run(file: str, options: dict[str, Any]) -> None:
    """Learn from a file how to turn its scores into better posteriors, or apply what was learnt."""
    if options["fitted"] is not None:
        if options["label"] or options["group"]:
            msg = "--label and --group are for learning: leave them out with --apply."
            raise click.UsageError(msg)
        _apply(file, options)
        return
    if options["label"] is None:
        msg = "--label is needed to learn; to use a calibrator give --apply."
        raise click.UsageError(msg)
    _learn(file, options)


def _learn(file: str, options: dict[str, Any]) -> None:
    """Learn a calibrator, write it, and tell what it gives back."""
    label, group, output = options["label"], options["group"], options["output"]
    refuse_taken(output, force=options["force"])
    texts = tuple(dict.fromkeys((label, *([group] if group else []))))
    weight = options["weight"]
    numbers = [*score_columns(options["scores"]), *([weight] if weight else [])]
    table = read_columns(file, texts, numbers, **reading(options))
    weights = None if weight is None else table.numbers(weight)
    y = table.texts(label)
    names = class_names(options["classes"], options["scores"], y.tolist(), None)
    scores = declared(table, options, names)
    prior = options["prior"]
    priors = parse_priors(prior, names) if prior else ("data" if scores.needs_priors else None)
    calibrator = METHODS[options["method"]].fresh()
    with told_in_place(table, {"y_true": label, "groups": group, "sample_weight": weight}):
        losses = [
            calibration_loss(
                rule, y, scores, calibrator=calibrator, folds=options["folds"],
                groups=None if group is None else table.texts(group), rng=options["seed"],
                priors=priors, classes=names, sample_weight=weights,
            )
            for rule in (LogLoss(), BrierLoss())
        ]  # fmt: skip
        calibrator.fit(scores, y, priors=priors, classes=names, sample_weight=weights)
    write_text(output, json.dumps(calibrator.to_dict(), indent=1, allow_nan=False) + "\n")
    _tell(losses, calibrator, table.source, len(y), options)
    click.echo(f"wrote {plain(output)}", err=True)


def _tell(
    losses: list[CalibrationLoss],
    calibrator: Calibrator,
    source: str,
    samples: int,
    options: dict[str, Any],
) -> None:
    """Print what calibration gives back."""
    method, folds, seed = options["method"], options["folds"], options["seed"]
    if options["as_json"]:
        body = {
            "source": Path(source).name,
            "samples": samples,
            "seed": seed,
            "folds": folds,
            "method": method,
            "losses": [loss.to_dict() for loss in losses],
            "notes": list(calibrator.notes),
            "output": Path(options["output"]).name,
        }
        click.echo(json_document("calibrate", body))
        return
    for loss in losses:
        raw, after = number(loss.raw.normalized), number(loss.calibrated.normalized)
        known = math.isfinite(loss.relative)
        gain = f"gives back {100 * loss.relative:.0f} % of it" if known else "undefined"
        click.echo(f"{loss.raw.name:<14} {raw} as is, {after} calibrated (naive 1): {gain}")
    click.echo(
        f"{method} calibrator, cross-fitted on {folds} folds, seed {seed}, {samples} samples"
    )
    for note in calibrator.notes:
        click.echo(f"Note: {note}.")


def read_calibrator(path: str) -> Calibrator:
    """Read a calibrator file."""
    try:
        return calibrator_from_dict(json.loads(read_text(path)))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise InputError(f"{path!r}: {error}") from error
        msg = f"{path!r} must be a calibrator's JSON file: {error}."
        raise InputError(msg) from error


def _apply(file: str, options: dict[str, Any]) -> None:
    """Append calibrated posteriors to a table."""
    refuse_stream(file)
    refuse_typed({"method": "--method", "folds": "--folds", "seed": "--seed"}, "--apply")
    calibrator = read_calibrator(options["fitted"])
    known = [str(name) for name in calibrator.classes]
    columns, prior, output = options["scores"], options["prior"], options["output"]
    names = class_names(options["classes"], columns, None, known)
    refuse_taken(output, force=options["force"])
    table = read_columns(file, numbers=score_columns(columns), **reading(options))
    scores = in_order(declared(table, options, names), names, known)
    if prior is not None and not scores.needs_priors:
        msg = "--prior has no say in posteriors that are calibrated: stakes decide adapts them."
        raise click.UsageError(msg)
    priors = None if prior is None else parse_priors(prior, known)
    given = None if priors is None else [priors[name] for name in known]
    with told_in_place(table, {}):
        p = np.exp(calibrator.transform(scores.named(calibrator.classes), given).values)
    new = {f"calibrated_{name}": p[:, k] for k, name in enumerate(known)}
    write_table(
        with_columns(read_whole(file, **reading(options)), new), output, force=options["force"]
    )
    if options["as_json"]:
        body = {
            "source": Path(table.source).name,
            "samples": len(table),
            "seed": None,
            "calibrator": calibrator.name,
            "classes": known,
            "mean_posteriors": dict(zip(known, p.mean(axis=0).tolist(), strict=True)),
            "output": Path(output).name,
        }
        click.echo(json_document("apply", body))
    click.echo(f"wrote {plain(output)}", err=True)
