"""stakes evaluate --decision: what hard decisions in a file cost."""

from stakes._text import interval_name, number, plain, plain_list
from stakes.cli.cost_text import CostText, read_costs
from stakes.cli.github import verdict_annotations
from stakes.cli.messages import note, refuse
from stakes.cli.options import Options
from stakes.cli.outputs import Cell, Document, ends, page_text
from stakes.cli.parsing import listed_names, order_classes, parse_priors, positive_last
from stakes.cli.places import told_in_place
from stakes.cli.screen import Screen, described, priors_in_words
from stakes.cli.table_request import WHOLE
from stakes.costs import CostMatrix, SampleCosts
from stakes.evaluation import DecisionEvaluation, evaluate_decisions
from stakes.io import read_columns
from stakes.metrics import confusion_matrix, expected_cost


def decision_document(options: Options) -> Document:
    """Return an evaluation of a column of decisions, in every form."""
    if options.applications:
        msg = "--decision needs a single application: put cost and prior outside [applications]."
        refuse(msg)
    if options.label is None:
        refuse("--label must name the column of the true classes.")
    if options.label == options.decision:
        refuse(f"--label and --decision must be two columns: both are {options.label!r}.")
    evaluation, source = _evaluate(options, options.label, str(options.decision))
    confusion, n = evaluation.confusion, evaluation.confusion.n
    unit = "samples" if confusion.whole else "total weight"
    facts = f"{number(n, 6)} {unit}"
    return Document(
        command="evaluate",
        body={"samples": int(n) if confusion.whole else n, **evaluation.to_dict()},
        source=source,
        read=WHOLE,
        facts=facts,
        rows=_rows(evaluation),
        sentences=[str(verdict) for verdict in evaluation.verdicts],
        draw=lambda screen: _print(screen, evaluation, source, facts),
        page=lambda: page_text(evaluation, options, source, str(options.decision)),
        annotations=verdict_annotations("evaluate", evaluation.verdicts),
    )


def _evaluate(options: Options, label: str, decision: str) -> tuple[DecisionEvaluation, str]:
    text, weight = read_costs(options.cost, None), options.weight
    prices = [] if text is None else text.columns
    numbers = list(dict.fromkeys([*prices, *([weight] if weight else [])]))
    table = read_columns(options.file, (label, decision), numbers, finite=prices, **options.reading)
    y, d = table.texts(label), table.texts(decision)
    names = _class_order(text, set(y.tolist()), set(d.tolist()), options)
    costs = None if text is None else text.build(names, table)
    priors = None if options.prior is None else parse_priors(options.prior, names)
    weights = None if weight is None else table.numbers(weight)
    decisions = costs.decisions if costs is not None else None
    with told_in_place(table, {"y_true": label, "y_pred": decision, "sample_weight": weight}):
        counts = confusion_matrix(y, d, classes=names, decisions=decisions, sample_weight=weights)
        by_case, square = None, costs if isinstance(costs, CostMatrix) else None
        if isinstance(costs, SampleCosts):
            by_case = expected_cost(y, d, costs=costs, priors=priors, sample_weight=weights)
        made = evaluate_decisions(counts, square, priors, options.level, by_case)
    return made, table.source


def _class_order(
    text: CostText | None, labels: set[str], decisions: set[str], options: Options
) -> list[str]:
    """Return the classes in order: those of the cost file, as typed, or sorted."""
    classes, positive = options.classes, options.positive
    names = None if text is None else text.classes
    if names is None:
        odd = sorted(decisions - labels)
        if odd and classes is None:
            note(f"these classes occur only as decisions: {plain_list(odd[:5])}.")
        return order_classes(labels | decisions, classes, positive)
    if positive_last(listed_names(classes) if classes else names, positive) != names:
        msg = "--classes and --positive must agree with the cost file, whose classes are"
        refuse(f"{msg} {plain_list(names)} (the last is of interest).")
    return names


def _rows(evaluation: DecisionEvaluation) -> list[list[Cell]]:
    cost, level = evaluation.expected_cost, evaluation.level
    naive = {e.value.name: e.value.naive for e in evaluation.traditional if e.value is not None}
    return [
        ["metric", "value", "low", "high", "naive"],
        ["expected_cost", cost.value, *cost.interval(level), cost.naive],
        ["nec", cost.normalized, *cost.normalized_interval(level), 1.0],
        *([name, e.value, *ends(e), naive[name]] for name, e in evaluation.estimates.items()),
    ]


def _print(screen: Screen, evaluation: DecisionEvaluation, source: str, facts: str) -> None:
    cost = evaluation.expected_cost
    screen.head(source, facts)
    origin = "from the data" if cost.priors_from_data else "as given"
    last = f"  (of interest: {plain(cost.classes[-1])})" if len(cost.classes) == 2 else ""
    screen.put(f"priors   {priors_in_words(cost, 8)}, {origin}{last}")
    costs = described(evaluation.costs) if evaluation.costs else "from case to case"
    screen.put(f"costs    {costs}")
    screen.print()
    level, normalised = evaluation.level, ("undefined", "", "", "no naive cost")
    if cost.undefined is None:
        band = str(cost.normalized_interval(level))
        normalised = (number(cost.normalized), band, "1", "lower is better")
    naive = (number(cost.naive), f"always {plain(cost.naive_answer)}")
    screen.table(
        ("", "value", interval_name(level), "naive", ""),
        [
            ("expected cost", number(cost.value), str(cost.interval(level)), *naive),
            ("normalised (NEC)", *normalised),
        ],
    )
    screen.print()
    screen.verdicts(evaluation.verdicts)
    screen.counts(evaluation.confusion, evaluation.costs)
    if evaluation.traditional:
        screen.print()
        screen.traditional(evaluation.traditional)
    for reason in evaluation.reasons:
        screen.put(reason)
