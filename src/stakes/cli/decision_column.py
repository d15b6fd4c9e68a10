"""Hard decisions in a file: what they cost."""

from pathlib import Path
from typing import Any

import click

from stakes._text import number, plain
from stakes.cli.cost_text import CostText, read_costs
from stakes.cli.formats import Cell, Document
from stakes.cli.options import refuse_typed, without_effect
from stakes.cli.parsing import order_classes, parse_priors
from stakes.cli.places import told_in_place
from stakes.cli.read_mode import WHOLE
from stakes.cli.score_columns import reading
from stakes.cli.screen import head, print_decisions
from stakes.cli.table_request import Paths
from stakes.costs import CostMatrix, SampleCosts
from stakes.evaluation import DecisionEvaluation, evaluate_decisions
from stakes.io import read_columns
from stakes.metrics import confusion_matrix, expected_cost

_FOR_SCORES = ("scores", "scores_are", "training_prior", "key", "slices", "group", "dcf", "abstain")


def evaluate_decided(file: Paths, decision: str, options: dict[str, Any]) -> Document:
    """Evaluate a column of decisions."""
    odd = [
        f"--{name.replace('_', '-').replace('slices', 'slice')}"
        for name in _FOR_SCORES
        if options.get(name)
    ]
    if odd:
        raise click.UsageError(without_effect(odd, "with --decision"))
    refuse_typed({"method": "--calibrator", "folds": "--folds"}, "--decision")
    if click.get_current_context().meta.get("stakes.applications"):
        msg = "--decision is judged in one application: put cost and prior outside [applications]."
        raise click.UsageError(msg)
    label = options["label"]
    if label is None:
        msg = "--label must name the column of the true classes."
        raise click.UsageError(msg)
    if label == decision:
        msg = f"--label and --decision must be two columns: both are {label!r}."
        raise click.UsageError(msg)
    evaluation, source = _evaluate(file, label, decision, options)
    return decision_document("evaluate", evaluation, source)


def _evaluate(
    file: Paths, label: str, decision: str, options: dict[str, Any]
) -> tuple[DecisionEvaluation, str]:
    """Count the decisions of a table and price them."""
    text = read_costs(options["cost"], None)
    weight = options["weight"]
    prices = [] if text is None else text.columns
    numbers = list(dict.fromkeys([*prices, *([weight] if weight else [])]))
    table = read_columns(file, (label, decision), numbers, finite=prices, **reading(options))
    y, d = table.texts(label), table.texts(decision)
    names = _class_order(text, set(y.tolist()), set(d.tolist()), options)
    costs = None if text is None else text.build(names, table)
    priors = None if options["prior"] is None else parse_priors(options["prior"], names)
    weights = None if weight is None else table.numbers(weight)
    decisions = costs.decisions if costs is not None else None
    with told_in_place(table, {"y_true": label, "y_pred": decision, "sample_weight": weight}):
        counts = confusion_matrix(y, d, classes=names, decisions=decisions, sample_weight=weights)
        by_case, square = None, costs if isinstance(costs, CostMatrix) else None
        if isinstance(costs, SampleCosts):
            by_case = expected_cost(y, d, costs=costs, priors=priors, sample_weight=weights)
        made = evaluate_decisions(
            counts, square, priors, options["level"], options["resamples"], options["seed"], by_case
        )
    return made, table.source


def _class_order(
    text: CostText | None, labels: set[str], decisions: set[str], options: dict[str, Any]
) -> list[str]:
    """Return the classes in order: those of the cost file, as typed, or sorted."""
    classes, positive = options["classes"], options["positive"]
    named = text.read if text is not None else None
    if named is None:
        names = order_classes(labels, decisions, classes, positive)
        odd = sorted(decisions - labels)
        if odd and classes is None:
            listed = ", ".join(plain(name) for name in odd[:5])
            click.echo(f"Note: decided but never true, counted as classes: {listed}.", err=True)
        return names
    return _file_order(named, classes, positive)


def _file_order(named: CostMatrix, classes: str | None, positive: str | None) -> list[str]:
    """Return the classes of a cost file, with which options must agree."""
    names = [str(c) for c in named.classes]
    if order_classes(set(names), set(), classes or ",".join(names), positive) != names:
        listed = ", ".join(plain(name) for name in names)
        msg = f"--classes and --positive must agree with the cost file, whose classes are {listed}"
        raise click.UsageError(f"{msg} (the last is of interest).")
    return names


def decision_document(command: str, evaluation: DecisionEvaluation, source: str) -> Document:
    """Return an evaluation of decisions in every form."""
    rows: list[list[Cell]] = [["metric", "value", "low", "high", "naive"]]
    cost, level = evaluation.expected_cost, evaluation.level
    rows.append(["expected_cost", cost.value, *cost.interval(level), cost.naive])
    rows.append(["nec", cost.normalized, *cost.normalized_interval(level), 1.0])
    for name, estimate in evaluation.estimates.items():
        band = estimate.interval
        ends = (None, None) if band is None else (band.low, band.high)
        naive = next(
            e.value.naive for e in evaluation.traditional if e.value and e.value.name == name
        )
        rows.append([name, estimate.value, *ends, naive])
    confusion, n = evaluation.confusion, evaluation.confusion.n
    samples = f"{number(n, 6)} {'samples' if confusion.whole else 'total weight'}"
    return Document(
        command=command,
        body={
            "source": Path(source).name,
            "read": WHOLE,
            "samples": int(n) if confusion.whole else n,
            **evaluation.to_dict(),
        },
        rows=rows,
        sentences=[str(verdict) for verdict in evaluation.verdicts],
        draw=lambda screen: print_decisions(screen, evaluation, source),
        title=head(source, f"{samples}, seed {evaluation.seed}"),
        page=lambda: evaluation.to_html(source=source),
    )
