"""stakes decide: Bayes decisions for the scores in a file."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from stakes._text import number, percent, plain
from stakes._typing import FloatArray, IntArray
from stakes.calibration import Calibrator
from stakes.cli.calibrate import priors_of_use, read_calibrator
from stakes.cli.costs import CostText, read_costs
from stakes.cli.outputs import check_output
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
from stakes.costs import CostMatrix, SampleCosts
from stakes.evaluation.thresholds import capped_threshold, review_order
from stakes.io import Columns, read_columns, read_whole, with_columns, write_table
from stakes.scores import Posteriors, PosteriorScores, Scores


@dataclass(frozen=True, eq=False)
class _Decided:
    """The posteriors of each row, its decision and what that is expected to cost."""

    classes: list[str]
    costs: CostMatrix | SampleCosts
    posteriors: FloatArray
    chosen: IntArray
    expected: FloatArray

    @property
    def shares(self) -> dict[str, float]:
        """How often each decision is made."""
        names = [str(d) for d in self.costs.decisions]
        counts = np.bincount(self.chosen, minlength=len(names))
        return dict(zip(names, (counts / self.chosen.size).tolist(), strict=True))

    @property
    def columns(self) -> dict[str, Any]:
        """What is appended to the table."""
        columns = {f"posterior_{c}": self.posteriors[:, k] for k, c in enumerate(self.classes)}
        names = np.array([str(d) for d in self.costs.decisions])
        return {**columns, "decision": names[self.chosen], "expected_cost": self.expected}

    def named(self, prefix: str) -> dict[str, Any]:
        """Return what is appended, under names of its own."""
        return {f"{prefix}{name}": values for name, values in self.columns.items()}


def run(file: str, options: dict[str, Any]) -> None:
    """Append posteriors, the Bayes decision and its expected cost to the rows of a file."""
    refuse_stream(file)
    output = options["output"]
    check_output(output, force=options["force"])
    table, decided = _decide(file, options)
    whole = read_whole(file, **reading(options))
    write_table(
        with_columns(whole, decided.named(options["prefix"])), output, force=options["force"]
    )
    _tell(decided, table.source, options)
    click.echo(f"wrote {plain(output)}", err=True)


def _decide(file: str, options: Mapping[str, Any]) -> tuple[Columns, _Decided]:
    """Read scores and decide."""
    fitted, scores = options["fitted"], options["scores"]
    calibrator = None if fitted is None else read_calibrator(fitted)
    text = read_costs(options["cost"], options["abstain"]) or CostText()
    known = text.classes if calibrator is None else [str(name) for name in calibrator.classes]
    named = class_names(options["classes"], scores, None, known)
    wanted = list(dict.fromkeys([*score_columns(scores), *text.columns]))
    table = read_columns(file, numbers=wanted, finite=text.columns, **reading(options))
    names = known or named
    kept = in_order(declared(table, options, named), named, names)
    costs = text.build(names, table)
    if [str(name) for name in costs.classes] != names:
        listed = ", ".join(plain(name) for name in names)
        msg = f"--cost must have the classes of the scores, {listed}, in that order."
        raise click.UsageError(msg)
    with told_in_place(table, {}):
        p = _posteriors(kept, calibrator, options, names)
        chosen = costs.bayes_decisions(Posteriors(p, renormalize=True))
    if options["review"] is not None:
        chosen = _capped(costs, p, chosen, options["review"])
    return table, _Decided(names, costs, p, chosen, _expected(costs, p, chosen))


def _expected(costs: CostMatrix | SampleCosts, p: FloatArray, chosen: IntArray) -> FloatArray:
    """Return what each decision is expected to cost."""
    expected = np.zeros(chosen.size)
    for k in range(p.shape[1]):
        expected += p[:, k] * costs.at(np.full(chosen.size, k), chosen)
    return expected


def _capped(
    costs: CostMatrix | SampleCosts, p: FloatArray, chosen: IntArray, review: float
) -> IntArray:
    """Keep the second decision above the threshold of the cap, as stakes threshold does."""
    if len(costs.decisions) != 2:
        msg = f"--review needs two decisions: there are {len(costs.decisions)}."
        raise click.UsageError(msg)
    value, _ = review_order(costs, p)
    n = chosen.size
    cut = capped_threshold(value, np.full(n, 1 / n), review)
    kept = chosen * (value > cut)
    tied = int(np.count_nonzero(value[chosen == 1] == cut))
    if tied > 1:
        click.echo(
            f"Note: {tied} cases tie at the cap and would exceed it together: none of them gets"
            f" {plain(str(costs.decisions[1]))!r}, so that equal cases are decided alike.",
            err=True,
        )
    return np.asarray(kept, dtype=np.int64)


def _posteriors(
    scores: Scores, calibrator: Calibrator | None, options: Mapping[str, Any], names: list[str]
) -> FloatArray:
    """Return posteriors at the priors of use, calibrated where that was asked for."""
    prior, trained = options["prior"], options["training_prior"]
    target = None if prior is None else priors_of_use(prior, names)
    if calibrator is not None:
        return _calibrated(scores, calibrator, target, trained)
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


def _calibrated(
    scores: Scores, calibrator: Calibrator, target: list[float] | None, trained: str | None
) -> FloatArray:
    """Return calibrated posteriors at the priors of use, or at those of the calibrator."""
    if trained is not None:
        at = calibrator.training_priors_text
        msg = f"--training-prior is not for a calibrator, which keeps its own ({at}): leave it out."
        raise click.UsageError(msg)
    if target is None and calibrator.training_priors is not None:
        at = calibrator.training_priors_text
        msg = f"Note: posteriors are at the priors of the calibrator, {at}; --prior moves them."
        click.echo(msg, err=True)
    return np.exp(calibrator.transform(scores.named(calibrator.classes), target).values)


def _tell(decided: _Decided, source: str, options: Mapping[str, Any]) -> None:
    """Print how often each decision is made, and what a case is expected to cost."""
    mean = float(decided.expected.mean())
    if options["as_json"]:
        body = {
            "source": Path(source).name,
            "samples": int(decided.chosen.size),
            "seed": None,
            "classes": decided.classes,
            "decisions": decided.shares,
            "mean_expected_cost": mean,
            "output": Path(options["output"]).name,
        }
        click.echo(json_document("decide", body))
        return
    for name, share in decided.shares.items():
        count = round(share * decided.chosen.size)
        click.echo(f"{plain(name):<20} {count} of {decided.chosen.size} ({percent(share, 1)} %)")
    click.echo(f"{'mean expected cost':<20} {number(mean)}")
