"""What a comparison says: who costs less, who costs the same, and which systems may be best."""

import math
from collections.abc import Iterator, Mapping, Sequence

from stakes._text import number, plain
from stakes.evaluation.differences import Difference, RelativeCost
from stakes.evaluation.findings import Verdict
from stakes.evaluation.verdicts.cautions import few_errors, few_kinds
from stakes.evaluation.verdicts.wording import listed, p_number, p_text

NONE_BEST = "none is distinguishable"  # where no system is named for a range of odds
ODDS_NOTE = (  # under a table of such ranges
    "Tested for all odds together, and against the naive system; the verdicts are for your costs"
    " and priors alone."
)
_MOST_NAMED = 6


def p_note(systems: Sequence[str], costs: Sequence[str]) -> str:
    """Say what p-values are corrected for."""
    pairs = len(systems) * (len(systems) - 1) // 2
    many = f"all {pairs} pairs of systems" if pairs > 1 else ""
    uses = f"{len(costs)} applications" if len(costs) > 1 else ""
    both = " and, for costs, ".join(part for part in (many, uses) if part)
    corrected = f", corrected for {both} (Holm)" if both else ""
    return f"p tests for a difference{corrected}; metrics without p have no test."


def pair_verdict(difference: Difference, reference: str, where: str, family: int) -> Verdict:
    """Say whether a system costs less than the reference, more, or neither for sure."""
    name, other = plain(difference.system), plain(reference)
    gap = difference.difference
    if gap.interval is None:
        return Verdict("no_verdict", f"{where}No verdict on {name} and {other}: {gap.method}.")
    of = f"the normalised cost of {name} minus that of {other} is {number(gap.value)}"
    found = f"{of} ({100 * difference.level:g} % interval {gap.interval})"
    many = f", corrected for {family} comparisons" if family > 1 else ""
    if difference.distinguishable:
        code, word = ("better", "less") if difference.wins else ("worse", "more")
        return Verdict(code, f"{where}{name} costs {word} than {other}: {found}{many}.")
    p_value = p_number(difference.adjusted_p_value)
    corrected = f"but p is {p_value} corrected for {family} comparisons"
    why = "which includes 0" if 0 in gap.interval else corrected
    return Verdict(
        "not_distinguishable",
        f"{where}{name} and {other} are not distinguishable: {found}, {why}.",
        "Gather more labelled samples, or state a margin that you can accept.",
    )


def alike_verdict(difference: Difference, reference: str, where: str) -> Iterator[Verdict]:
    """Say what only a test finds that takes the errors of two systems to be alike in size."""
    p = difference.p_value_if_alike
    if math.isnan(p):
        return
    name, other = plain(difference.system), plain(reference)
    word = "less" if difference.wins else "more"
    yield Verdict(
        "differs_if_alike",
        f"{where}{name} costs {word} than {other} if the two systems' errors are alike in size"
        f" ({p_text(p)}); without that assumption these rows do not show it.",
    )


def margin_verdict(found: RelativeCost, reference: str, where: str) -> Verdict:
    """Say whether a system costs at most a margin more than the reference."""
    name, other, share = plain(found.system), plain(reference), f"{100 * found.margin:g} %"
    ratio = f"{number(100 * found.ratio.value)} % of its cost"
    band = found.ratio.interval
    if band is None:
        return Verdict(
            "no_verdict", f"{where}No verdict on the margin for {name}: {found.ratio.method}."
        )
    low, high = (number(100 * end) for end in band)
    seen = f"{ratio}, {100 * band.level:g} % interval {low} to {high} %"
    if found.equivalent:
        text = f"{name} and {other} cost the same for practical purposes, within {share}"
        return Verdict("equivalent", f"{where}{text} ({seen}).")
    if found.non_inferior:
        return Verdict(
            "non_inferior", f"{where}{name} costs at most {share} more than {other} ({seen})."
        )
    return Verdict(
        "not_shown_non_inferior",
        f"{where}It is not shown that {name} costs at most {share} more than {other} ({seen}).",
        "Gather more labelled samples, or accept a wider margin.",
    )


def best_verdict(names: Sequence[str], lowest: str, systems: int, where: str) -> Verdict:
    """Name the systems that may be the best one."""
    best, others = plain(lowest), [plain(name) for name in names if name != lowest]
    if not others:
        return Verdict("best", f"{where}{best} costs less than each of the other systems.")
    named = listed(others, _MOST_NAMED)
    are = "is" if len(others) == 1 else "are"
    return Verdict(
        "may_be_best",
        f"{where}{best} has the lowest cost of the {systems} systems, but {named} {are} not"
        f" distinguishable from it: any of these {len(names)} may be the best.",
    )


def few_errors_of(errors: Mapping[str, Mapping[str, int]], where: str) -> Iterator[Verdict]:
    """Warn where decisions of some systems rest on few errors of a kind."""
    few = {name: few_kinds(counts) for name, counts in errors.items()}
    found = [f"{plain(name)} {kinds}" for name, kinds in few.items() if kinds]
    more = f"; and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return few_errors(f"few errors: {'; '.join(found[:_MOST_NAMED])}{more}" if found else "", where)


def verdicts_of_comparison(
    differences: Sequence[Difference],
    margins: Sequence[RelativeCost],
    best: Mapping[str, Sequence[str]],
    values: Mapping[str, Mapping[str, float]],
    same: Sequence[tuple[str, str]] = (),
) -> Iterator[Verdict]:
    """Return what a comparison says, by application; the first system is the reference.

    Of systems that are the `same` nothing is said, as there is no difference to find.
    """
    reference, systems = next(iter(values)), len(values)
    family = systems * (systems - 1) // 2 * len(best)
    for application, names in best.items():
        where = f"{plain(application)}: " if len(best) > 1 else ""
        for difference in differences:
            own = difference.metric == f"{application}.nec"
            if own and (reference, difference.system) not in same:
                yield pair_verdict(difference, reference, where, family)
                yield from alike_verdict(difference, reference, where)
        for found in margins:
            if found.application == application and (reference, found.system) not in same:
                yield margin_verdict(found, reference, where)
        if systems > 2 and names:
            lowest = min(names, key=lambda name: values[name][f"{application}.nec"])
            yield best_verdict(names, lowest, systems, where)
