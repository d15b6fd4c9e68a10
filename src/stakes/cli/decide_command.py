"""stakes decide: Bayes decisions for the scores in a file."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from stakes._kernels.exact_sums import ExactSums
from stakes._text import number, percent, plain
from stakes._typing import FloatArray
from stakes.calibration import Calibrator
from stakes.cli.calibrator_files import priors_of_use, read_calibrator
from stakes.cli.cost_text import CostText, read_costs
from stakes.cli.outputs import check_output
from stakes.cli.places import told_in_place
from stakes.cli.score_columns import class_names, declared, in_order, refuse_stream, score_columns
from stakes.cli.screen import json_document
from stakes.cli.table_rewriting import TableRows, rewrite
from stakes.evaluation.deciding import Decisions, ReviewLevels, decide
from stakes.io import Columns
from stakes.io.batches import Ask
from stakes.scores import Posteriors, PosteriorScores, Scores


def _columns(decided: Decisions, prefix: str) -> dict[str, Any]:
    """Return what is appended to the table."""
    columns = {f"posterior_{c}": decided.posteriors[:, k] for k, c in enumerate(decided.classes)}
    names = np.array([str(d) for d in decided.decisions])
    more = {"decision": names[decided.indices], "expected_cost": decided.expected}
    return {f"{prefix}{name}": values for name, values in (columns | more).items()}


class _Totals:
    """How often each decision is made, and what all are expected to cost."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._cost = ExactSums(1)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return self.counts.total()

    @property
    def mean_cost(self) -> float:
        """The mean expected cost, the same for any batches."""
        return float(self._cost.total()[0]) / self.n

    def add(self, decided: Decisions) -> None:
        """Add the decisions of some rows."""
        self.counts.update({str(name): count for name, count in decided.counts.items()})
        self._cost.add(np.zeros(decided.indices.size, dtype=np.int8), decided.expected)


def run(file: str, options: dict[str, Any]) -> None:
    """Append posteriors, the Bayes decision and its expected cost to the rows of a file."""
    refuse_stream(file)
    check_output(options["output"], force=options["force"])
    rule = _Rule(options)
    rows, totals = rewrite(file, rule.ask, options, rule.write)
    _tell(totals, rule.names, rows, options)
    click.echo(f"wrote {plain(options['output'])}", err=True)


class _Rule:
    """How rows are decided."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        fitted, scores = options["fitted"], options["scores"]
        self._options = options
        self._calibrator = None if fitted is None else read_calibrator(fitted)
        self._text = read_costs(options["cost"], options["abstain"]) or CostText()
        known = self._text.classes
        if self._calibrator is not None:
            known = [str(name) for name in self._calibrator.classes]
        self._columns = class_names(options["classes"], scores, None, known)
        self.names = known or self._columns
        if self._calibrator is not None:
            _check_calibrated(self._calibrator, options)

    @property
    def ask(self) -> Ask:
        """The columns that are needed."""
        prices = self._text.columns
        numbers = dict.fromkeys([*score_columns(self._options["scores"]), *prices])
        return Ask((), tuple(numbers), tuple(prices))

    def write(self, rows: TableRows) -> _Totals:
        """Decide all rows and write them."""
        cut, totals = self._cut(rows), _Totals()

        def made(table: Columns) -> dict[str, Any]:
            decided = self._decide(table, rows)
            decided = decided if cut is None else decided.above(cut)
            totals.add(decided)
            return _columns(decided, self._options["prefix"])

        rows.write(made)
        return totals

    def _decide(self, table: Columns, rows: TableRows) -> Decisions:
        """Decide some rows."""
        scores = declared(table, self._options, self._columns)
        rows.note(scores.rounding)
        kept = in_order(scores, self._columns, self.names)
        costs = self._text.build(self.names, table)
        if [str(name) for name in costs.classes] != self.names:
            listed = ", ".join(plain(name) for name in self.names)
            msg = f"--cost must have the classes of the scores, {listed}, in that order."
            raise click.UsageError(msg)
        with told_in_place(table, {}):
            p = _posteriors(kept, self._calibrator, self._options, self.names)
            return replace(decide(Posteriors(p, renormalize=True), costs), posteriors=p)

    def _cut(self, rows: TableRows) -> float | None:
        """Return above which value a cap leaves the second decision, from all rows."""
        review = self._options["review"]
        if review is None:
            return None
        levels, second = ReviewLevels(), ""
        for table in rows.columns():
            decided = self._decide(table, rows)
            if len(decided.decisions) != 2:
                msg = f"--review needs two decisions: there are {len(decided.decisions)}."
                raise click.UsageError(msg)
            levels.add(decided.saving_order, decided.indices)
            second = plain(str(decided.decisions[1]))
        cut = levels.cut(review)
        tied = levels.tied(cut)
        if tied > 1:
            click.echo(
                f"Note: {tied} cases tie at the cap and would exceed it together: none of them gets"
                f" {second!r}, so that equal cases are decided alike.",
                err=True,
            )
        return cut


def _posteriors(
    scores: Scores, calibrator: Calibrator | None, options: Mapping[str, Any], names: list[str]
) -> FloatArray:
    """Return posteriors at the priors of use, calibrated where that was asked for."""
    prior, trained = options["prior"], options["training_prior"]
    target = None if prior is None else priors_of_use(prior, names)
    if calibrator is not None:
        return np.exp(calibrator.transform(scores.named(calibrator.classes), target).values)
    if target is None and scores.needs_priors:
        msg = "--prior must give the priors of use: likelihoods carry none."
        raise click.UsageError(msg)
    if trained is not None and (target is None or scores.needs_priors):
        msg = "--training-prior is for posteriors, which it moves to --prior: give both."
        raise click.UsageError(msg)
    if target is None or not isinstance(scores, PosteriorScores):
        return scores.answers(None if target is None else np.array(target)).p
    if trained is None:
        msg = "--prior alone does not change posteriors: say with --training-prior which priors"
        raise click.UsageError(f"{msg} they were fitted with.")
    old = priors_of_use(trained, names, "--training-prior")
    return np.exp(scores.named(tuple(names)).at_priors(old, target).values)


def _check_calibrated(calibrator: Calibrator, options: Mapping[str, Any]) -> None:
    """Refuse other priors than those of a calibrator, and say which they are."""
    at = calibrator.training_priors_text
    if options["training_prior"] is not None:
        msg = f"--training-prior is not for a calibrator, which keeps its own ({at}): leave it out."
        raise click.UsageError(msg)
    if options["prior"] is None and calibrator.training_priors is not None:
        msg = f"Note: posteriors are at the priors of the calibrator, {at}; --prior moves them."
        click.echo(msg, err=True)


def _tell(totals: _Totals, classes: list[str], rows: TableRows, options: Mapping[str, Any]) -> None:
    """Print how often each decision is made, and what a case is expected to cost."""
    shares = {name: count / totals.n for name, count in totals.counts.items()}
    if options["as_json"]:
        body = {
            "source": Path(rows.source).name,
            "read": rows.read,
            "samples": totals.n,
            "seed": None,
            "classes": classes,
            "decisions": shares,
            "mean_expected_cost": totals.mean_cost,
            "output": Path(options["output"]).name,
        }
        click.echo(json_document("decide", body))
        return
    for name, count in totals.counts.items():
        click.echo(f"{plain(name):<20} {count} of {totals.n} ({percent(shares[name], 1)} %)")
    click.echo(f"{'mean expected cost':<20} {number(totals.mean_cost)}")
