"""stakes calibrate: learn a calibration from a file of scores, or apply one."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from stakes._check import InputError
from stakes._files import read_text, write_text
from stakes._kernels import ExactSums
from stakes._text import number, percent, plain
from stakes._typing import FloatArray
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
from stakes.cli.outputs import check_output
from stakes.cli.parsing import parse_priors
from stakes.cli.places import told_in_place
from stakes.cli.rewriting import TableRows, rewrite
from stakes.cli.scoring import (
    class_names,
    declared,
    in_order,
    reading,
    refuse_stream,
    say_rounding,
    score_columns,
)
from stakes.cli.screen import json_document
from stakes.evaluation.verdicts import reversed_systems
from stakes.io import Columns, read_columns
from stakes.io.batches import Ask
from stakes.samples import read_samples
from stakes.scores import Scores
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
    if options["write"] is not None:
        msg = "--write is for --apply: learning writes a calibrator file. Leave it out."
        raise click.UsageError(msg)
    _learn(file, options)


def _learn(file: str, options: dict[str, Any]) -> None:
    """Learn a calibrator, write it, and print what it recovers."""
    label, group, output = options["label"], options["group"], options["output"]
    check_output(output, force=options["force"])
    texts = tuple(dict.fromkeys((label, *([group] if group else []))))
    weight = options["weight"]
    numbers = [*score_columns(options["scores"]), *([weight] if weight else [])]
    table = read_columns(file, texts, numbers, **reading(options))
    weights = None if weight is None else table.numbers(weight)
    y = table.texts(label)
    names = class_names(options["classes"], options["scores"], y.tolist(), None)
    scores = declared(table, options, names)
    say_rounding(scores.rounding)
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
        samples = read_samples(y, scores, priors=priors, classes=names, sample_weight=weights)
        notes = [v.text.rstrip(".") for v in reversed_systems({"": samples}, 0.95)]
    write_text(output, json.dumps(calibrator.to_dict(), indent=1, allow_nan=False) + "\n")
    _tell(losses, calibrator, notes, table.source, len(y), options)
    click.echo(f"wrote {plain(output)}", err=True)


def _tell(
    losses: list[CalibrationLoss],
    calibrator: Calibrator,
    notes: list[str],
    source: str,
    samples: int,
    options: dict[str, Any],
) -> None:
    """Print what calibration recovers."""
    method, folds, seed = options["method"], options["folds"], options["seed"]
    if options["as_json"]:
        body = {
            "source": Path(source).name,
            "samples": samples,
            "seed": seed,
            "folds": folds,
            "method": method,
            "priors": by_name(
                [str(name) for name in calibrator.classes], calibrator.training_priors
            ),
            "losses": [loss.to_dict() for loss in losses],
            "notes": [*notes, *calibrator.notes],
            "output": Path(options["output"]).name,
        }
        click.echo(json_document("calibrate", body))
        return
    for loss in losses:
        raw, after = number(loss.raw.normalized), number(loss.calibrated.normalized)
        known = math.isfinite(loss.relative)
        gain = f"recovers {percent(loss.relative)} % of it" if known else "undefined"
        click.echo(f"{loss.raw.name:<14} {raw} uncalibrated, {after} calibrated (naive 1): {gain}")
    click.echo(
        f"{method} calibrator, cross-fitted on {folds} folds, seed {seed}, {samples} samples"
    )
    click.echo(f"fitted at the priors {calibrator.training_priors_text}")
    for note in (*notes, *calibrator.notes):
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


@dataclass(frozen=True, eq=False)
class _Calibrated:
    """Calibrated posteriors of each row, and the new columns made of them."""

    posteriors: FloatArray
    columns: dict[str, FloatArray]
    read_as: str  # the kind that another command reads these columns as


class _Applied:
    """What was written: the posteriors of all rows in the mean, and how to read the columns."""

    def __init__(self, n_classes: int) -> None:
        self.n = 0
        self.columns: list[str] = []
        self.read_as = ""
        self._sums = ExactSums(n_classes)

    @property
    def means(self) -> FloatArray:
        """The mean posterior of each class, the same for any batches."""
        return self._sums.total() / self.n

    def add(self, found: _Calibrated) -> None:
        """Add the posteriors of some rows."""
        self.columns, self.read_as = list(found.columns), found.read_as
        n, k = found.posteriors.shape
        self.n += n
        self._sums.add(np.tile(np.arange(k), n), found.posteriors.ravel())


def _apply(file: str, options: dict[str, Any]) -> None:
    """Append calibrated scores to a table."""
    refuse_stream(file)
    refuse_typed({"method": "--method", "folds": "--folds", "seed": "--seed"}, "--apply")
    calibrator = read_calibrator(options["fitted"])
    known = [str(name) for name in calibrator.classes]
    names = class_names(options["classes"], options["scores"], None, known)
    check_output(options["output"], force=options["force"])

    def write(rows: TableRows) -> _Applied:
        applied = _Applied(len(known))

        def made(table: Columns) -> dict[str, FloatArray]:
            given = declared(table, options, names)
            rows.note(given.rounding)
            scores = in_order(given, names, known).named(calibrator.classes)
            with told_in_place(table, {}):
                found = _calibrated(calibrator, scores, options, known)
            applied.add(found)
            return found.columns

        rows.write(made)
        return applied

    ask = Ask((), tuple(score_columns(options["scores"])))
    rows, applied = rewrite(file, ask, options, write)
    _tell_applied(applied, calibrator, rows, options)
    click.echo(f"wrote {plain(options['output'])}", err=True)


def _calibrated(
    calibrator: Calibrator, scores: Scores, options: dict[str, Any], known: list[str]
) -> _Calibrated:
    """Return calibrated scores in the form that was asked for."""
    prior, kind = options["prior"], options["write"] or "posteriors"
    if kind == "llr" and prior is not None:
        msg = "--prior has no effect on likelihood ratios, which serve any priors: leave it out"
        raise click.UsageError(f"{msg}, and give it to stakes decide.")
    target = None if prior is None else priors_of_use(prior, known)
    found = calibrator.transform(scores, target)
    p = np.exp(found.values)
    if kind == "posteriors":
        columns, read_as = _by_class("calibrated_", known, p), "posteriors"
    elif kind == "log-odds" and len(known) == 2:
        columns, read_as = {"calibrated_log_odds": found.ranks()}, "logits"
    elif kind == "log-odds":
        columns, read_as = _by_class("calibrated_log_", known, found.values), "log-posteriors"
    elif len(known) == 2:
        ratios = calibrator.log_likelihood_ratios(scores)
        columns, read_as = {"calibrated_llr": ratios.values}, "llr"
    else:
        likelihoods = calibrator.log_likelihoods(scores).values
        columns = _by_class("calibrated_log_likelihood_", known, likelihoods)
        read_as = "log-likelihoods"
    return _Calibrated(p, columns, read_as)


def _by_class(prefix: str, names: list[str], table: FloatArray) -> dict[str, FloatArray]:
    """Return one column for each class."""
    return {f"{prefix}{name}": table[:, k] for k, name in enumerate(names)}


def priors_of_use(text: str, names: list[str], option: str = "--prior") -> list[float]:
    """Return priors in the order of the classes; there are no labels to take them from."""
    priors = parse_priors(text, names, option)
    if priors is None:
        msg = f"{option} must be numbers here: there are no labels to count."
        raise click.UsageError(msg)
    return [priors[name] for name in names]


def by_name(names: Sequence[str], values: FloatArray | None) -> dict[str, float] | None:
    """Return a number for each class."""
    return None if values is None else dict(zip(names, values.tolist(), strict=True))


def _tell_applied(
    applied: _Applied, calibrator: Calibrator, rows: TableRows, options: dict[str, Any]
) -> None:
    """Say what was written, and how it is to be read."""
    known = [str(name) for name in calibrator.classes]
    if options["as_json"]:
        prior = options["prior"]
        used = calibrator.training_priors  # None where an earlier file did not keep them
        used = used if prior is None else np.array(priors_of_use(prior, known))
        body = {
            "source": Path(rows.source).name,
            "read": rows.read,
            "samples": applied.n,
            "seed": None,
            "calibrator": calibrator.name,
            "classes": known,
            "priors": by_name(known, used),
            "mean_posteriors": by_name(known, applied.means),
            "columns": applied.columns,
            "scores_are": applied.read_as,
            "output": Path(options["output"]).name,
        }
        click.echo(json_document("apply", body))
    listed = ",".join(plain(name) for name in applied.columns)
    order = ",".join(plain(name) for name in known)
    click.echo(
        f"Note: read them with --scores {listed} --scores-are {applied.read_as} --classes {order}.",
        err=True,
    )
