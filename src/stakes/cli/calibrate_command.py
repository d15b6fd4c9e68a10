"""stakes calibrate: learn a calibration from a file of scores, or apply one."""

import json
import math
from dataclasses import replace
from pathlib import Path

from stakes._files import write_text
from stakes._text import number, percent
from stakes.calibration import CalibrationLoss, Calibrator
from stakes.calibration.loss import calibration_loss_of
from stakes.calibration.registry import calibrator_class
from stakes.cli.messages import refuse, wrote
from stakes.cli.options import Options
from stakes.cli.outputs import Document, check_output, show
from stakes.cli.parsing import POSTERIORS, class_names
from stakes.cli.read_mode import read_table
from stakes.cli.table_request import LabelledTable, prepare
from stakes.evaluation.applications import DEPLOYMENT
from stakes.evaluation.verdicts.cautions import reversed_systems
from stakes.scoring import BrierLoss, LogLoss


def run(options: Options) -> None:
    """Learn from a file how to turn its scores into better posteriors, or apply what was learnt."""
    if options.apply is not None:
        from stakes.cli.apply_calibrator import apply  # noqa: PLC0415  another way to calibrate

        apply(options)
        return
    if options.label is None:
        refuse("--label must be given to fit a calibrator. To apply one give --apply.")
    if options.write is not None:
        refuse("--write is for --apply: fitting writes a calibrator file. Leave it out.")
    output = str(options.output)
    check_output(output, options)
    request = prepare(options)
    o = request.options
    if o.prior not in {None, "data"} and o.scores_are in POSTERIORS:
        o = replace(o, training_prior=DEPLOYMENT)  # a calibrator learns from them as delivered
        request = replace(request, options=o)
    if o.classes is None and len(request.score_columns) == 1:
        class_names(None, request.score_columns[0], None, None)  # names the mistake
    whole = o.scores_are if o.scores_are == "log-posteriors" else ""
    table = read_table(request, whole, cells=True)
    with table.told_in_place():
        samples = table.samples()
        calibrator = calibrator_class(options.learner)()
        told = (calibrator, options.folds, table.groups, options.seed)
        rules = (LogLoss(), BrierLoss())
        losses = [calibration_loss_of(rule, samples, *told) for rule in rules]
        calibrator.fit_samples(samples)
    warned = [v.text.rstrip(".") for v in reversed_systems({"": samples}, 0.95)]
    notes = [*warned, *calibrator.notes, *table.notes("The calibrator was fitted")]
    write_text(output, json.dumps(calibrator.to_dict(), indent=1, allow_nan=False) + "\n")
    n = samples.n if samples.copies is not None else samples.n_given
    show(_document(calibrator, losses, notes, table, n), options)
    wrote(output)


def _document(
    calibrator: Calibrator,
    losses: list[CalibrationLoss],
    notes: list[str],
    table: LabelledTable,
    n: int,
) -> Document:
    options = table.request.options
    method, folds, seed = options.learner, options.folds, options.seed
    classes, priors = [str(name) for name in calibrator.classes], calibrator.training_priors
    lines = []
    for loss in losses:
        raw, after = number(loss.raw.normalized), number(loss.calibrated.normalized)
        known = math.isfinite(loss.relative)
        gain = f"recovers {percent(loss.relative)} % of it" if known else loss.why_no_share
        lines.append(
            f"{loss.raw.name:<14} {raw} uncalibrated, {after} calibrated (naive 1): {gain}"
        )
    folded = f"cross-fitted on {folds} folds, seed {seed}, {n} samples"
    return Document(
        command="calibrate",
        body={
            "samples": n,
            "seed": seed,
            "folds": folds,
            "method": method,
            "priors": None if priors is None else dict(zip(classes, priors.tolist(), strict=True)),
            "losses": [loss.to_dict() for loss in losses],
            "notes": notes,
            "output": Path(str(options.output)).name,
        },
        source=table.source,
        read=table.read,
        sentences=[
            *lines,
            f"{method} calibrator, {folded}",
            f"fitted at the priors {calibrator.training_priors_text}",
            *(f"Note: {note}." for note in notes),
        ],
    )
