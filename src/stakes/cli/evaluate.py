"""stakes evaluate: what the decisions in a file cost."""

from pathlib import Path

import click

from stakes._check import InputError
from stakes._text import plain
from stakes.cli.parsing import order_classes, parse_costs, parse_priors
from stakes.cli.screen import json_document, print_decisions
from stakes.costs import CostMatrix
from stakes.evaluation import DecisionEvaluation, evaluate_decisions
from stakes.io import read_columns
from stakes.metrics import confusion_matrix


@click.command(
    name="evaluate",
    epilog="Costs may be miss=5,false_alarm=1, a .toml or .csv cost file, or a matrix such as "
    "'[[0,1],[5,0]]' with truth in rows. Priors may be one number (of the class of interest), "
    "name=number for each class, or data.",
)
@click.argument("file")
@click.option("--label", required=True, help="Column of the true classes.")
@click.option("--decision", required=True, help="Column of the decisions.")
@click.option("--cost", help="What errors cost; by default 1 each.")
@click.option("--prior", default="data", show_default=True, help="How often classes will occur.")
@click.option("--classes", help="Names in order, such as healthy,tumour; the last is of interest.")
@click.option("--positive", help="The class of interest, which is put last.")
@click.option("--weight", help="Column of sample weights.")
@click.option(
    "--level",
    default=0.95,
    show_default=True,
    type=click.FloatRange(0, 1 - 1e-12, min_open=True, max_open=True),
    help="Level of the intervals.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(  # noqa: PLR0913  one argument per option
    *,
    file: str,
    label: str,
    decision: str,
    cost: str | None,
    prior: str,
    classes: str | None,
    positive: str | None,
    weight: str | None,
    level: float,
    as_json: bool,
) -> None:
    """Tell what the decisions in FILE (CSV or Parquet) cost.

    \b
    stakes evaluate scores.csv --label y --decision d
    stakes evaluate scores.csv --label y --decision d --cost miss=5,false_alarm=1 --prior 0.02
    """  # noqa: D301
    evaluation = evaluate_file(
        file,
        label=label,
        decision=decision,
        cost=cost,
        prior=prior,
        order=(classes, positive),
        weight=weight,
        level=level,
    )
    if as_json:
        click.echo(as_document(evaluation, "evaluate"))
    else:
        print_decisions(evaluation, file)


def evaluate_file(  # noqa: PLR0913
    file: str,
    *,
    label: str,
    decision: str,
    cost: str | None,
    prior: str,
    order: tuple[str | None, str | None] = (None, None),
    weight: str | None = None,
    level: float = 0.95,
) -> DecisionEvaluation:
    """Evaluate the decisions of a file."""
    if label == decision:
        msg = f"--label and --decision must be two columns: both are {label!r}."
        raise click.UsageError(msg)
    weights = () if weight is None else (weight,)
    table = read_columns(file, (label, decision), weights, finite=weights)
    y, d = (table.texts(column) for column in (label, decision))
    named = None
    if cost is not None and cost.lower().endswith((".toml", ".csv")):
        named = parse_costs(cost, ())
    names = _class_order(named, set(y), set(d), order)
    costs = named if named or cost is None else parse_costs(cost, names)
    try:
        counts = confusion_matrix(
            y,
            d,
            classes=names,
            decisions=costs.decisions if costs is not None else None,
            sample_weight=None if weight is None else table.numbers(weight),
        )
        return evaluate_decisions(counts, costs, parse_priors(prior, names), level)
    except InputError as error:
        raise type(error)(_in_words_of_the_file(str(error), file, label, decision)) from error


def _class_order(
    named: CostMatrix | None,
    labels: set[str],
    decisions: set[str],
    order: tuple[str | None, str | None],
) -> list[str]:
    """Return the classes in order: those of the cost file, as typed, or sorted."""
    if named is None:
        names = order_classes(labels, decisions, *order)
        odd = sorted(decisions - labels)
        if odd and order[0] is None:
            listed = ", ".join(plain(name) for name in odd[:5])
            click.echo(f"Note: decided but never true, counted as classes: {listed}.", err=True)
        return names
    names = [str(c) for c in named.classes]
    if order_classes(set(names), set(), order[0] or ",".join(names), order[1]) != names:
        listed = ", ".join(plain(name) for name in names)
        msg = f"--classes and --positive must agree with the cost file, whose classes are {listed}"
        raise click.UsageError(f"{msg} (the last is of interest).")
    return names


def _in_words_of_the_file(message: str, file: str, label: str, decision: str) -> str:
    """Say columns of the file where the library says arguments."""
    words = {"y_true": f"column {label!r}", "y_pred": f"column {decision!r}"}
    for argument, column in words.items():
        message = message.replace(argument, f"{plain(Path(file).name)}: {column}")
    return message


def as_document(evaluation: DecisionEvaluation, command_name: str) -> str:
    """Return the JSON document of an evaluation."""
    return json_document(command_name, evaluation.to_dict())
