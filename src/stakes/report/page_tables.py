"""Tables that several pages hold."""

from collections.abc import Mapping, Sequence

import numpy as np

from stakes._text import number, plain
from stakes.costs import CostMatrix, SampleCosts
from stakes.metrics import ConfusionMatrix, Explanation
from stakes.report.markup import Content, Markup, element, table, user_text
from stakes.report.page import folded
from stakes.results import Estimate, ExpectedLoss

_MOST_SHOWN = 40  # classes and decisions
_MOST_COUNTED = 1000  # classes up to which a table is laid out at all


def estimate_cells(estimate: Estimate) -> tuple[str, str]:
    """Return a value, and its interval or why there is none."""
    interval = estimate.method if estimate.interval is None else str(estimate.interval)
    return number(estimate.value), interval


def naive_row(cost: ExpectedLoss) -> list[Content]:
    """Return what the best constant decision costs."""
    return [["always ", user_text(cost.naive_answer), " costs"], number(cost.naive), ""]


def confusion_table(
    confusion: ConfusionMatrix, costs: CostMatrix | SampleCosts | None, name: str = ""
) -> Markup:
    """Return the confusion matrix, each cell with its cost."""
    if len(confusion.classes) > _MOST_COUNTED:
        return element("p", "The confusion matrix has too many classes to show.", class_="note")
    classes, decisions = confusion.classes[:_MOST_SHOWN], confusion.decisions[:_MOST_SHOWN]
    counts = confusion.counts
    prices = costs.values if isinstance(costs, CostMatrix) else np.zeros(counts.shape)
    rows: list[list[Content]] = [
        [user_text(c), *map(_cell, counts[i, : len(decisions)], prices[i])]
        for i, c in enumerate(classes)
    ]
    cut = max(len(confusion.classes), len(confusion.decisions)) > _MOST_SHOWN
    note = "Samples × what each costs, where it is not 0." if prices.any() else ""
    note += f" The first {_MOST_SHOWN} classes and decisions." if cut else ""
    heads = ("truth \\ decision", *(plain(d) for d in decisions))
    return table(f"{name}Decisions", heads, rows, note.strip())


def _cell(count: float, price: float) -> str:
    return f"{number(count, 6)} × {number(price)}" if count and price else number(count, 6)


def prior_table(cost: ExpectedLoss, name: str = "") -> Markup:
    """Return the priors that were used."""
    origin = "as in the data" if cost.priors_from_data else "as given"
    pairs = list(zip(cost.classes, cost.priors, strict=True))
    rows: list[list[Content]] = [[user_text(c), number(p)] for c, p in pairs[:_MOST_SHOWN]]
    note = f"The first {_MOST_SHOWN} of {len(pairs)}." if len(pairs) > _MOST_SHOWN else ""
    shown = table(f"{name}Priors", ("class", "prior"), rows, note)
    return folded(f"{name}Priors, {origin}", shown)


def traditional_table(
    explained: Sequence[Explanation], estimates: Mapping[str, Estimate], name: str
) -> list[Markup]:
    """Return the traditional metrics beside the cost each is tied to, if there are any."""
    rows: list[list[Content]] = []
    for e in explained:
        if e.value is None:
            continue
        estimate, nec = estimates.get(e.value.name), e.expected_cost
        cells = (
            "undefined" if e.value.undefined else number(e.value.value),
            "" if estimate is None else estimate_cells(estimate)[1],
            number(e.value.naive),
            e.value.better,
            "" if nec is None or nec.undefined else number(nec.normalized),
        )
        rows.append([e.value.name, *cells])
    heads = ("metric", "value", "interval", "naive", "better", "NEC of its implied costs")
    return [folded(name, table(name, heads, rows))] if explained else []
