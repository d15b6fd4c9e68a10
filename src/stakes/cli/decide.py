"""stakes decide: Bayes decisions for the scores in a file."""

import click
import numpy as np

from stakes._files import refuse_taken
from stakes._text import number, plain
from stakes.cli.calibrate import read_calibrator
from stakes.cli.costs import CostText, read_costs
from stakes.cli.parsing import parse_priors
from stakes.cli.scoring import (
    class_names,
    in_order,
    read_scores,
    score_columns,
    score_options,
)
from stakes.io import read_columns, read_whole, with_columns, write_table
from stakes.scores import Posteriors


@click.command(name="decide")
@click.argument("file")
@score_options
@click.option("--cost", required=True, help="What errors cost, as for evaluate.")
@click.option("--abstain", help="Price of not deciding, or its column.")
@click.option("--prior", help="Priors of use; needed for likelihoods.")
@click.option("--calibrator", "fitted", help="A calibrator file to apply first.")
@click.option("-o", "--output", required=True, help="Table to write.")
@click.option("--force", is_flag=True, help="Replace the output if it exists.")
def command(  # noqa: PLR0913  one argument per option
    *,
    file: str,
    scores: str,
    scores_are: str,
    classes: str | None,
    cost: str,
    abstain: str | None,
    prior: str | None,
    fitted: str | None,
    output: str,
    force: bool,
) -> None:
    """Append posteriors, the Bayes decision and its expected cost to the rows of FILE.

    \b
    stakes decide new.csv --scores p_healthy,p_tumour --scores-are posteriors \\
        --cost miss=5,false_alarm=1 -o decided.csv
    """  # noqa: D301
    calibrator = None if fitted is None else read_calibrator(fitted)
    text = read_costs(cost, abstain) or CostText()
    known = text.classes
    if calibrator is not None:
        known = [str(name) for name in calibrator.classes]
    names = class_names(classes, scores, None, known)
    refuse_taken(output, force=force)
    wanted = list(dict.fromkeys([*score_columns(scores), *text.columns]))
    table = read_columns(file, numbers=wanted, finite=text.columns)
    typed = in_order(read_scores(table, scores, scores_are), names, known or names)
    names = known or names
    costs = text.build(names, table)
    if [str(name) for name in costs.classes] != names:
        msg = f"--cost must have the classes of the scores, {', '.join(names)}, in that order."
        raise click.UsageError(msg)
    priors = parse_priors(prior, names) if prior else None
    given = None if priors is None else [priors[name] for name in names]
    log_p = (
        typed.log_posteriors(given)
        if calibrator is None
        else calibrator.transform(typed.named(calibrator.classes), given).values
    )
    p = np.exp(log_p)
    decided = costs.bayes_decisions(Posteriors.renormalized(p))
    expected = np.zeros(len(decided))
    for k in range(len(names)):
        expected += p[:, k] * costs.at(np.full(decided.size, k), decided)
    columns = {f"posterior_{name}": p[:, k] for k, name in enumerate(names)}
    columns["decision"] = np.array([str(costs.decisions[j]) for j in decided])
    columns["expected_cost"] = expected
    write_table(with_columns(read_whole(file), columns), output, force=force)
    shares = np.bincount(decided, minlength=len(costs.decisions)) / decided.size
    for name, share in zip(costs.decisions, shares, strict=True):
        click.echo(f"{plain(name):<20} {100 * share:.1f} %")
    click.echo(f"{'mean expected cost':<20} {number(float(expected.mean()))}")
    click.echo(f"wrote {output}", err=True)
