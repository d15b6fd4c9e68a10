"""stakes calibrate --apply: calibrated scores for the rows of a table."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stakes._kernels.exact_sums import ExactSums
from stakes._text import plain
from stakes._typing import FloatArray
from stakes.calibration import Calibrator
from stakes.cli.formats import Document, show
from stakes.cli.messages import note, refuse, wrote
from stakes.cli.options import Options
from stakes.cli.parsing import class_names, score_columns
from stakes.cli.places import told_in_place
from stakes.cli.table_rewriting import (
    TableRows,
    check_rewriting,
    priors_of_use,
    read_calibrator,
    rewrite,
)
from stakes.io import Columns
from stakes.io.batches import Ask
from stakes.scores import Scores


@dataclass
class _Applied:
    """What was written: the posteriors of all rows in sum, and how to read the columns."""

    sums: ExactSums  # the same for any batches
    n: int = 0
    columns: tuple[str, ...] = ()
    read_as: str = ""  # the kind that another command reads the columns as


def apply(options: Options) -> None:
    """Append calibrated scores to a table."""
    check_rewriting(options)
    calibrator = read_calibrator(str(options.apply))
    known = [str(name) for name in calibrator.classes]
    names = class_names(options.classes, str(options.scores), None, known)

    def write(rows: TableRows) -> _Applied:
        applied = _Applied(ExactSums(len(known)))

        def made(table: Columns) -> dict[str, FloatArray]:
            scores = rows.scores(table, names, known).named(calibrator.classes)
            with told_in_place(table, {}):
                p, columns, read_as = _calibrated(calibrator, scores, options)
            applied.columns, applied.read_as = tuple(columns), read_as
            applied.n += len(p)
            applied.sums.add(np.tile(np.arange(len(known)), len(p)), p.ravel())
            return columns

        rows.write(made)
        return applied

    ask = Ask((), tuple(score_columns(str(options.scores))))
    rows, applied = rewrite(options, ask, write)
    if options.as_json:
        show(_document(applied, calibrator, rows), options)
    listed = ",".join(plain(name) for name in applied.columns)
    order = ",".join(plain(name) for name in known)
    note(f"read them with --scores {listed} --scores-are {applied.read_as} --classes {order}.")
    wrote(str(options.output))


def _calibrated(
    calibrator: Calibrator, scores: Scores, options: Options
) -> tuple[FloatArray, dict[str, FloatArray], str]:
    """Return posteriors, the columns that are asked for, and what these are to be read as."""
    known = [str(name) for name in calibrator.classes]
    prior, kind = options.prior, options.write or "posteriors"
    if kind == "llr" and prior is not None:
        msg = "--prior has no effect on likelihood ratios, which serve any priors: leave it out"
        refuse(f"{msg}, and give it to stakes decide.")
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
    return p, columns, read_as


def _by_class(prefix: str, names: list[str], table: FloatArray) -> dict[str, FloatArray]:
    return {f"{prefix}{name}": table[:, k] for k, name in enumerate(names)}


def _document(applied: _Applied, calibrator: Calibrator, rows: TableRows) -> Document:
    known = [str(name) for name in calibrator.classes]
    prior = rows.options.prior
    used = calibrator.training_priors  # None where an earlier file did not keep them
    used = used if prior is None else np.array(priors_of_use(prior, known))
    means = applied.sums.total() / applied.n
    body = {
        "samples": applied.n,
        "seed": None,
        "calibrator": calibrator.name,
        "classes": known,
        "priors": None if used is None else dict(zip(known, used.tolist(), strict=True)),
        "mean_posteriors": dict(zip(known, means.tolist(), strict=True)),
        "columns": list(applied.columns),
        "scores_are": applied.read_as,
        "output": Path(str(rows.options.output)).name,
    }
    return Document("apply", body, rows.source, rows.read)
