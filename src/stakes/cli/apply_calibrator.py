"""stakes calibrate --apply: calibrated scores for the rows of a table."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from stakes._kernels.exact_sums import ExactSums
from stakes._text import plain
from stakes._typing import FloatArray
from stakes.calibration import Calibrator
from stakes.cli.calibrator_files import by_name, priors_of_use, read_calibrator
from stakes.cli.options import refuse_typed
from stakes.cli.outputs import check_output
from stakes.cli.places import told_in_place
from stakes.cli.score_columns import class_names, declared, in_order, refuse_stream, score_columns
from stakes.cli.screen import json_document
from stakes.cli.table_rewriting import TableRows, rewrite
from stakes.io import Columns
from stakes.io.batches import Ask
from stakes.scores import Scores


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


def apply(file: str, options: dict[str, Any]) -> None:
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
