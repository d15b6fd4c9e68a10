"""stakes decide: Bayes decisions for the scores in a file."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from stakes._files import refuse_taken
from stakes._text import number, plain
from stakes._typing import FloatArray, IntArray
from stakes.calibration import Calibrator
from stakes.cli.calibrate import read_calibrator
from stakes.cli.costs import CostText, read_costs
from stakes.cli.parsing import parse_priors
from stakes.cli.places import told_in_place
from stakes.cli.scoring import class_names, in_order, reading, refuse_stream, score_columns, typed
from stakes.cli.screen import json_document
from stakes.costs import CostMatrix, SampleCosts
from stakes.io import Columns, read_columns, read_whole, with_columns, write_table
from stakes.scores import Posteriors, Scores


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


def run(file: str, options: dict[str, Any]) -> None:
    """Append posteriors, the Bayes decision and its expected cost to the rows of a file."""
    refuse_stream(file)
    output = options["output"]
    refuse_taken(output, force=options["force"])
    table, decided = _decide(file, options)
    whole = read_whole(file, **reading(options))
    write_table(with_columns(whole, decided.columns), output, force=options["force"])
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
    kept = in_order(typed(table, scores, options["scores_are"], named), named, names)
    costs = text.build(names, table)
    if [str(name) for name in costs.classes] != names:
        listed = ", ".join(plain(name) for name in names)
        msg = f"--cost must have the classes of the scores, {listed}, in that order."
        raise click.UsageError(msg)
    with told_in_place(table, {}):
        p = _posteriors(kept, calibrator, options["prior"], names)
        chosen = costs.bayes_decisions(Posteriors.renormalized(p))
    expected = np.zeros(len(chosen))
    for k in range(len(names)):
        expected += p[:, k] * costs.at(np.full(chosen.size, k), chosen)
    return table, _Decided(names, costs, p, chosen, expected)


def _posteriors(
    scores: Scores, calibrator: Calibrator | None, prior: str | None, names: list[str]
) -> FloatArray:
    """Return posteriors at the priors of use, calibrated where that was asked for."""
    if prior is None and calibrator is None and scores.needs_priors:
        msg = "--prior must tell the priors of use: likelihoods carry none."
        raise click.UsageError(msg)
    priors = parse_priors(prior, names) if prior else None
    given = None if priors is None else [priors[name] for name in names]
    if calibrator is None:
        return np.exp(scores.log_posteriors(given))
    return np.exp(calibrator.transform(scores.named(calibrator.classes), given).values)


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
        click.echo(f"{plain(name):<20} {100 * share:.1f} %")
    click.echo(f"{'mean expected cost':<20} {number(mean)}")
