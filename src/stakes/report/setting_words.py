"""The setting of an answer in words: what errors cost and how frequent classes are.

The live page says the same (`frontend/src/core/setting.ts`); golden cases hold the two together.
A part is a list: a text, a name from the data, a number that the reader can change, or a verdict.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from stakes._amounts import amount, decimals_of
from stakes._typing import FloatArray

Part = list[str | float]
_MOST_LISTED = 4  # classes whose costs and shares are listed one by one


@dataclass(frozen=True, eq=False)
class Setting:
    """Costs and priors, with the names that people see; `cell` is the cost that is named first."""

    classes: Sequence[str]
    decisions: Sequence[str]
    costs: FloatArray  # truth in rows
    priors: FloatArray
    from_data: bool
    cell: tuple[int, int]

    @cached_property
    def free(self) -> int:
        """The decision that costs the same for every class, beyond one for each; -1 without one."""
        k, m = self.costs.shape
        if m <= k:
            return -1
        same = [j for j in range(m) if (self.costs[:, j] == self.costs[0, j]).all()]
        return same[-1] if same else -1

    @cached_property
    def plain(self) -> list[int]:
        """The decisions other than leaving a case undecided."""
        return [j for j in range(len(self.decisions)) if j != self.free]

    @property
    def square(self) -> bool:
        """Whether decisions are the classes, abstention aside."""
        return [self.decisions[j] for j in self.plain] == list(self.classes)

    @property
    def ratio(self) -> float | None:
        """What a miss costs, in false alarms; None where costs are not those two alone."""
        if len(self.classes) != 2 or len(self.plain) != 2:
            return None
        no, yes = self.plain
        (right, alarm), (miss, caught) = self.costs[0, [no, yes]], self.costs[1, [no, yes]]
        return float(miss / alarm) if right == caught == 0 and miss > 0 and alarm > 0 else None


def first_cell(setting: Setting) -> tuple[int, int]:
    """Return the costliest error, the first of several."""
    worst, cell = -1.0, (0, 0)
    for i in range(len(setting.classes)):
        for j in setting.plain:
            if setting.costs[i, j] > worst:
                worst, cell = float(setting.costs[i, j]), (i, j)
    return cell


def condition(setting: Setting) -> list[Part]:
    """Return the condition of an answer: "If every error costs the same and 37 % are x"."""
    costs = _cost_clause(setting)
    undecided = _undecided(setting)
    link = ", and " if undecided else " and "
    return [["text", "If "], *costs, *undecided, ["text", link], *_priors(setting)]


def _cost_clause(s: Setting) -> list[Part]:
    if s.ratio is not None:
        field: Part = ["field", "ratio", s.ratio, "cost of a miss, in false alarms"]
        return [["text", "missing a "], ["name", s.classes[1]], ["text", " case costs as much as "],
                field, ["text", _false_alarms(s.ratio)]]  # fmt: skip
    prices = _prices_by_class(s)
    if prices is not None and len(set(prices)) == 1:
        return [["text", "every error costs the same"]]
    if prices is not None and len(prices) <= _MOST_LISTED:
        return _listed_prices(s, prices)
    return _named_cell(s)


def _prices_by_class(s: Setting) -> list[float] | None:
    """Return what any error on each class costs, where right answers are free."""
    if not s.square:
        return None
    found = []
    for i in range(len(s.classes)):
        others = {float(s.costs[i, j]) for at, j in enumerate(s.plain) if at != i}
        if s.costs[i, s.plain[i]] != 0 or len(others) != 1:
            return None
        found.append(others.pop())
    return found


def _listed_prices(s: Setting, prices: Sequence[float]) -> list[Part]:
    parts: list[Part] = []
    for i, price in enumerate(prices):
        last = i == len(prices) - 1
        lead = "misclassifying " if i == 0 else " and " if last else ", "
        label = f"cost of misclassifying {s.classes[i]}"
        parts += [["text", lead], ["name", s.classes[i]], ["text", " costs " if i == 0 else " "]]
        parts += [["field", f"error-{i}", price, label]]
    return parts


def _named_cell(s: Setting) -> list[Part]:
    i, j = s.cell
    truth, decision = s.classes[i], s.decisions[j]
    label = f"cost of deciding {decision} for {truth}"
    field: Part = ["field", f"cost-{i}-{j}", float(s.costs[i, j]), label]
    others = [
        float(s.costs[a, b])
        for a in range(len(s.classes))
        for at, b in enumerate(s.plain)
        if (a, b) != (i, j) and not (s.square and at == a)
    ]
    said = f", other {'errors' if s.square else 'decisions'} {_span(others)}" if others else ""
    if s.square:
        head: list[Part] = [["text", "calling a "], ["name", truth], ["text", " case "],
                            ["name", decision], ["text", " costs "]]  # fmt: skip
    else:
        head = [["text", "deciding "], ["name", decision], ["text", " for a "], ["name", truth],
                ["text", " case costs "]]  # fmt: skip
    return [*head, field, ["text", said]]


def _span(values: Sequence[float]) -> str:
    low, high = (amount(end, max(0, decimals_of(end, None))) for end in (min(values), max(values)))
    low, high = (_bare(text) for text in (low, high))
    return low if low == high else f"{low} to {high}"


def _bare(text: str) -> str:
    """Return an amount without zeros after the point."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def _undecided(s: Setting) -> list[Part]:
    if s.free < 0:
        return []
    price, unit = float(s.costs[0, s.free]), 1.0
    prices = _prices_by_class(s)
    tail = ""
    if s.ratio is not None:
        unit = float(s.costs[0, s.plain[1]])
        tail = _false_alarms(price / unit)
    elif prices is not None and len(set(prices)) == 1 and prices[0] > 0:
        unit, tail = prices[0], " times as much"
    field: Part = ["field", "abstain", price / unit, "cost of leaving a case undecided"]
    return [["text", ", leaving a case undecided costs "], field, ["text", tail]]


def _false_alarms(count: float) -> str:
    return " false alarm" if count == 1 else " false alarms"


def _priors(s: Setting) -> list[Part]:
    if len(s.classes) == 2:
        return [_share(s, 1), ["text", " % of cases are "], ["name", s.classes[1]]]
    if len(s.classes) <= _MOST_LISTED:
        parts: list[Part] = []
        for i in range(len(s.classes)):
            lead = "" if i == 0 else " and " if i == len(s.classes) - 1 else ", "
            tail = " % of cases are " if i == 0 else " % "
            parts += [["text", lead]] if lead else []
            parts += [_share(s, i), ["text", tail], ["name", s.classes[i]]]
        return parts
    if s.from_data:
        return [["text", "classes occur as often as in these data"]]
    if max(s.priors) - min(s.priors) < 1e-9:
        return [["text", "all classes are equally frequent"]]
    low, high = (_bare(amount(100 * p, decimals_of(100 * p, None)))
                 for p in (min(s.priors), max(s.priors)))  # fmt: skip
    return [["text", f"class shares range from {low} % to {high} %"]]


def _share(s: Setting, i: int) -> Part:
    label = f"share of {s.classes[i]}, in percent"
    return ["field", f"prior-{i}", 100 * float(s.priors[i]), label]
