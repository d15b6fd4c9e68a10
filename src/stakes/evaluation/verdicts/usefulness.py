"""Whether decisions beat the best constant answer, and what this and other sentences rest on."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from stakes._math import expectation
from stakes._text import number, plain
from stakes._typing import Label
from stakes.costs import CostMatrix
from stakes.evaluation.application_decisions import ApplicationDecisions
from stakes.evaluation.calibrated_losses import CalibratedLoss
from stakes.evaluation.findings import ApplicationResult, Verdict
from stakes.evaluation.systems import System
from stakes.evaluation.verdicts.cautions import Groups, areas_among_classes
from stakes.evaluation.verdicts.wording import (
    name_of,
    percent,
    percent_at_most,
    with_interval,
)
from stakes.metrics.multiplicity import level_among
from stakes.results import Estimate, ExpectedLoss, Interval, normalized_of
from stakes.samples import Samples
from stakes.statistics.group_effects import effective_groups, effective_samples

MARGIN = 0.05  # distance from 1 within which a normalised cost is the same for practical purposes


@dataclass(frozen=True, eq=False)
class CostClaim:
    """A normalised cost of which something is to be said, and what claims rest on."""

    cost: ExpectedLoss
    normalized: Estimate  # as it is shown
    where: str = ""  # what it is the cost of, to begin the sentence with
    errors: ExpectedLoss | None = None  # the error rate, where decisions are classes
    gain: CalibratedLoss | None = None  # before and after calibration

    @property
    def answer(self) -> str:
        """The best constant answer."""
        return name_of(self.cost.naive_answer)

    @property
    def share(self) -> str:
        """The normalised cost in percent."""
        return percent(self.normalized.value)

    def interval_at(self, level: float) -> Interval | None:
        """Return the interval of the normalised cost at another level."""
        return normalized_of(self.cost, level).interval

    def errors_at(self, level: float) -> Interval | None:
        """Return the interval of the normalised error rate, where decisions are classes."""
        return None if self.errors is None else normalized_of(self.errors, level).interval

    def side(self, level: float) -> int:
        """Return -1 where the cost is below that of the constant answer, 1 where above, else 0.

        It is known at a level where the interval of that level leaves out 1.
        """
        if not self.cost.p_value < 1 - level:
            return 0
        return -1 if self.normalized.value < 1 else 1

    def within_margin(self, level: float) -> bool:
        """Whether the interval shown and that at the level lie within the margin about 1."""
        bands = (self.normalized.interval, self.interval_at(level))
        return all(b is not None and b.low >= 1 - MARGIN and b.high <= 1 + MARGIN for b in bands)


@dataclass(frozen=True, eq=False)
class Evidence:
    """The claims about a system in some applications, in their order."""

    costs: tuple[CostClaim, ...]
    rule_gain: CalibratedLoss | None  # the first scoring rule, before and after calibration
    class_areas: dict[Label, Estimate]  # AUC of each class, corrected for how many there are
    units: float  # how many samples, or groups, vary independently
    groups: Groups | None = None
    largest_part: float = 0.0  # of what a calibrator learns, that one sample teaches


def evidence_of(system: System, results: tuple[ApplicationResult, ...], level: float) -> Evidence:
    """Return what the verdicts on a system rest on."""
    every, samples = system.decisions_of_all, system.samples
    gains: list[CalibratedLoss | None] = [None] * len(every)
    rule_gain = None
    if system.stage is not None:
        gains = [system.calibrated_cost(i) for i in range(len(every))]
        rule_gain = system.calibrated_rule(0) if system.rules else None
    return Evidence(
        costs=tuple(
            CostClaim(
                a.cost.raw,
                a.cost.normalized,
                f"{plain(a.name)}: " if len(results) > 1 else "",
                _errors(decisions),
                gain,
            )
            for a, decisions, gain in zip(results, every, gains, strict=True)
        ),
        rule_gain=rule_gain,
        class_areas=areas_among_classes(samples, level),
        units=effective_units(every[0].samples),
        groups=Groups.from_samples(every[0].samples),
        largest_part=0.0 if rule_gain is None or rule_gain.why_none else rule_gain.largest_part,
    )


def _errors(decisions: ApplicationDecisions) -> ExpectedLoss | None:
    """Return the error rate, where decisions are classes."""
    if not decisions.use.square:
        return None
    rate = decisions.confusion.expected_cost(None, decisions.samples.given_priors)
    table, costs = decisions.table, CostMatrix.zero_one(decisions.use.costs.classes)
    rows = table.losses(costs.at(table.y, table.decided), rate.losses.mean)
    return replace(rate, losses=rows.between(*costs.ranges()))


def effective_units(samples: Samples) -> float:
    """Return how many equal samples, or groups if all samples of a group are alike, are as precise.

    The shares of classes of groups of unequal size vary as those of this many samples.
    """
    mass = samples.mass
    if samples.groups is not None:
        return effective_groups(samples.groups, np.ones(len(samples)) if mass is None else mass)
    if samples.weights is None:
        return float(samples.n)
    return effective_samples(samples.weights, samples.copies)


def supported_claims(claims: Sequence[Callable[[float], bool]], level: float) -> list[bool]:
    """Return which claims may be made, after Holm; each tells whether a level supports it."""
    waiting = list(range(len(claims)))
    while waiting:
        own = level_among(len(waiting), level)
        supported = [i for i in waiting if claims[i](own)]
        if not supported:
            break
        waiting = [i for i in waiting if i not in supported]
    return [i not in waiting for i in range(len(claims))]


def usefulness_of(
    claims: Sequence[CostClaim], level: float, among: str = "applications"
) -> list[Verdict]:
    """Return for each claim exactly one of the codes of docs/verdicts.md, "Is it useful?".

    Any false one among them is said with probability 1 - level at most.
    """
    defined = [(c, c.normalized.interval) for c in claims if c.cost.undefined is None]
    known = [c for c, band in defined if band is not None and not math.isnan(band.low)]
    apart = supported_claims([lambda own, c=c: c.side(own) != 0 for c in known], level)  # type: ignore[misc]
    equal = supported_claims([lambda own, c=c: c.within_margin(own) for c in known], level)  # type: ignore[misc]
    found = {}
    for c, beyond, within in zip(known, apart, equal, strict=True):
        reason = "" if beyond or within else _not_apart(c, level, len(known), among)
        found[id(c)] = _said(c, level, apart=beyond, equal=within, reason=reason)
    return [found.get(id(c)) or _unknown(c) for c in claims]


def _not_apart(c: CostClaim, level: float, claims: int, among: str) -> str:
    shown = c.normalized.interval
    if shown is None or 1 in shown:
        return "but the interval includes 1"
    wide = c.interval_at(level_among(claims, level))
    return f"but corrected for {claims} {among} the interval includes 1 ({wide})"


def _said(c: CostClaim, level: float, *, apart: bool, equal: bool, reason: str) -> Verdict:
    nec = f"(NEC {with_interval(c.normalized, level)})"
    if apart and c.normalized.value < 1:
        text = f"{c.where}Useful: it costs {c.share} of always answering {c.answer} {nec}."
        return Verdict("useful", text)
    if apart:
        return Verdict(
            "worse_than_naive",
            f"{c.where}Worse than a constant answer: it costs {c.share} of always answering"
            f" {c.answer} {nec}.",
            "Do not use these decisions.",
        )
    if equal:
        return Verdict(
            "practically_equal",
            f"{c.where}The same for practical purposes as always answering {c.answer}: it costs"
            f" {c.share} of that, and the interval lies within {percent(MARGIN)} of it {nec}.",
            "It saves nothing at these costs.",
        )
    return Verdict(
        "not_distinguishable",
        f"{c.where}Not distinguishable from always answering {c.answer}: it costs {c.share} of"
        f" that {nec}, {reason}.",
        "Gather more labelled data before you decide.",
    )


def _unknown(c: CostClaim) -> Verdict:
    if c.cost.undefined is not None:
        return Verdict("no_verdict", f"{c.where}No verdict: {c.cost.undefined.text}.")
    why = c.normalized.method or "it is not finite"
    text = f"It costs {c.share} of always answering {c.answer}, but there is no interval: {why}."
    return Verdict("no_interval", c.where + text, "Gather more labelled data before you decide.")


def with_constant(
    said: Verdict, c: CostClaim, only: Label, units: tuple[int, str], among: tuple[float, int]
) -> list[Verdict]:
    """Return what is said where every sample gets the same decision, instead if it is the best."""
    nec = c.normalized.value
    if c.cost.undefined is not None or math.isnan(nec):
        return [said]
    number_, kind = units  # samples or groups that were seen
    level, claims = among
    limit = 1 - (1 - level_among(claims, level)) ** (1 / number_)
    corrected = f", corrected for {claims} applications" if claims > 1 else ""
    cost = "the best constant answer"
    if nec > 1:
        cost = f"at {c.share} of the cost of always answering {c.answer}"
    constant = Verdict(
        "always_the_same",
        f"{c.where}Every sample gets {name_of(only)}, {cost}. From {number_} {kind}, at most"
        f" {percent_at_most(limit)} of such cases get another decision"
        f" ({100 * level:g} % limit{corrected}).",
        "If the scores should lead to other decisions, check the costs and the priors.",
    )
    return [said, constant] if nec > 1 else [constant]


def slice_verdicts(claims: Sequence[CostClaim], level: float) -> list[Verdict]:
    """Return the verdict on each slice, corrected for how many there are."""
    said = usefulness_of(claims, level, "slices")
    return [
        Verdict(
            "too_few_samples",
            f"{c.where}Too few samples: even without an error the interval would include 1"
            f" (NEC {number(c.normalized.value)}, interval {c.normalized.interval}).",
            "Gather more labelled data of this slice.",
        )
        if v.code == "not_distinguishable" and _hopeless(c, level)
        else v
        for c, v in zip(claims, said, strict=True)
    ]


def _hopeless(c: CostClaim, level: float) -> bool:
    """Whether the interval would include 1 even if nothing were lost on these samples."""
    rows, least = c.cost.losses, np.zeros(len(c.cost.classes))
    unseen = rows.unseen(c.cost.priors)
    least[unseen.y] = np.inf
    np.minimum.at(least, unseen.y, unseen.loss)
    best = replace(rows, loss=least[rows.y])
    value = expectation(c.cost.priors, least)
    perfect = replace(c.cost, losses=best, value=value)
    return perfect.normalized_interval(level).high >= 1
