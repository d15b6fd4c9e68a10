"""stakes calibrate: learn a calibration from a file of scores, or apply one."""

import json
import math

import click
import numpy as np

from stakes._check import InputError
from stakes._files import read_text, refuse_taken, write_text
from stakes._text import number
from stakes.calibration import (
    AffineCalibrator,
    BetaCalibrator,
    BiasCalibrator,
    Calibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    TemperatureCalibrator,
    VectorCalibrator,
    calibration_loss,
    calibrator_from_dict,
)
from stakes.cli.parsing import parse_priors
from stakes.cli.scoring import (
    class_names,
    in_order,
    read_scores,
    score_columns,
    score_options,
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


@click.command(name="calibrate")
@click.argument("file")
@click.option("--label", help="Column of the true classes; needed to learn.")
@score_options
@click.option("--method", type=click.Choice(list(METHODS)), default="affine", show_default=True)
@click.option("--prior", help="Priors to calibrate for; by default those of the data.")
@click.option("--group", help="Column of groups that folds must not part.")
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the folds."
)
@click.option("--apply", "fitted", help="A calibrator file to apply instead of learning one.")
@click.option("-o", "--output", required=True, help="Where to write: calibrator .json, or table.")
@click.option("--force", is_flag=True, help="Replace the output if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(  # noqa: PLR0913  one argument per option
    *,
    file: str,
    label: str | None,
    scores: str,
    scores_are: str,
    classes: str | None,
    method: str,
    prior: str | None,
    group: str | None,
    folds: int,
    seed: int,
    fitted: str | None,
    output: str,
    force: bool,
    as_json: bool,
) -> None:
    """Learn from FILE how to turn its scores into better posteriors, or apply what was learnt.

    \b
    stakes calibrate val.csv --label y --scores p_a,p_b --scores-are posteriors -o cal.json
    stakes calibrate new.csv --apply cal.json --scores p_a,p_b --scores-are posteriors -o out.csv
    """  # noqa: D301
    if fitted is not None:
        if label or group or as_json:
            msg = "--label, --group and --json are for learning: leave them out with --apply."
            raise click.UsageError(msg)
        apply_file(file, (scores, scores_are, classes), fitted, prior, output, force=force)
        return
    if label is None:
        msg = "--label is needed to learn; to use a calibrator give --apply."
        raise click.UsageError(msg)
    refuse_taken(output, force=force)
    table = read_columns(file, (label, *([group] if group else [])), score_columns(scores))
    y = table.texts(label)
    names = class_names(classes, scores, y.tolist(), None)
    typed = read_scores(table, scores, scores_are)
    priors = parse_priors(prior, names) if prior else ("data" if typed.needs_priors else None)
    calibrator = METHODS[method].fresh()
    groups = None if group is None else table.texts(group)
    records = [
        calibration_loss(
            rule, y, typed, calibrator=calibrator, folds=folds, groups=groups, rng=seed,
            priors=priors, classes=names,
        )
        for rule in (LogLoss(), BrierLoss())
    ]  # fmt: skip
    calibrator.fit(typed, y, priors=priors, classes=names)
    write_text(output, json.dumps(calibrator.to_dict(), indent=1, allow_nan=False) + "\n")
    if as_json:
        click.echo(json_document("calibrate", {"losses": [r.to_dict() for r in records]}))
        return
    for record in records:
        raw, after = number(record.raw.normalized), number(record.calibrated.normalized)
        known = math.isfinite(record.relative)
        gain = f"{100 * record.relative:.0f} % of it lost to calibration" if known else "undefined"
        click.echo(f"{record.raw.name:<14} {raw} as is, {after} calibrated (naive 1): {gain}")
    click.echo(f"{method} calibrator, cross-fitted on {folds} folds, seed {seed}, {len(y)} samples")
    for note in calibrator.notes:
        click.echo(f"Note: {note}.")
    click.echo(f"wrote {output}", err=True)


def read_calibrator(path: str) -> Calibrator:
    """Read a calibrator file."""
    try:
        return calibrator_from_dict(json.loads(read_text(path)))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise InputError(f"{path!r}: {error}") from error
        msg = f"{path!r} must be a calibrator's JSON file: {error}."
        raise InputError(msg) from error


def apply_file(
    file: str,
    columns: tuple[str, str, str | None],
    fitted: str,
    prior: str | None,
    output: str,
    *,
    force: bool = False,
) -> None:
    """Append calibrated posteriors to a table."""
    calibrator = read_calibrator(fitted)
    scores, kind, classes = columns
    known = [str(name) for name in calibrator.classes]
    names = class_names(classes, scores, None, known)
    table = read_columns(file, numbers=score_columns(scores))
    typed = in_order(read_scores(table, scores, kind), names, known)
    priors = None if prior is None else parse_priors(prior, known)
    given = None if priors is None else [priors[name] for name in known]
    p = np.exp(calibrator.transform(typed.named(calibrator.classes), given).values)
    columns_out = {f"calibrated_{name}": p[:, k] for k, name in enumerate(known)}
    write_table(with_columns(read_whole(file), columns_out), output, force=force)
    click.echo(f"wrote {output}", err=True)
