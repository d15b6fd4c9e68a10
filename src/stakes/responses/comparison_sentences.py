"""What a comparison of responses says; each claim rests on a paired test after Holm."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stakes._text import number, percent, plain
from stakes.evaluation.findings import Verdict
from stakes.evaluation.verdicts.wording import listed, p_number
from stakes.responses.response_verdicts import target_name

if TYPE_CHECKING:
    from stakes.responses.response_comparison import ResponseComparison, ResponseDifference

_MOST_NAMED = 6


def comparison_sentences(found: "ResponseComparison") -> Iterator[Verdict]:
    """Yield what is to be said, the most important first."""
    if len(found.systems) == 2:
        yield _pair(found, found.of(*found.ranking))
    else:
        yield _best(found)
    yield from _reversals(found)
    yield from _slices(found)


def _pair(found: "ResponseComparison", difference: "ResponseDifference") -> Verdict:
    best, other = plain(difference.system), plain(difference.reference)
    at = f"At a target of {target_name(found.target)}"
    points = [number(found.utility(name)) for name in (difference.system, difference.reference)]
    values = f"{points[0]} against {points[1]} points per question"
    gap = f"difference {number(difference.gain.value)}"
    if difference.gain.interval is not None:
        gap += f", {100 * found.level:g} % interval {difference.gain.interval}"
    if difference.distinguishable:
        return Verdict("better", f"{at} {best} is worth more than {other}: {values} ({gap}).")
    p_value = p_number(difference.adjusted_p_value)
    return Verdict(
        "not_distinguishable",
        f"{at} {best} and {other} are not distinguishable: {values} ({gap}, p {p_value}).",
        "Gather more questions.",
    )


def _best(found: "ResponseComparison") -> Verdict:
    names = found.may_be_best
    first, others = found.ranking[0], [plain(name) for name in names if name != found.ranking[0]]
    at, n = f"At a target of {target_name(found.target)}", len(found.systems)
    points = f"{number(found.utility(first))} points per question"
    if not others:
        text = (
            f"{at} {plain(first)} is worth more than each of the other {n - 1} systems: {points}."
        )
        return Verdict("best", text)
    are = "is" if len(others) == 1 else "are"
    return Verdict(
        "may_be_best",
        f"{at} {plain(first)} has the highest utility of the {n} systems ({points}), but"
        f" {listed(others, _MOST_NAMED)} {are} not distinguishable from it: any of these"
        f" {len(others) + 1} may be the best.",
    )


def _reversals(found: "ResponseComparison") -> Iterator[Verdict]:
    """Say where the system with more right answers is worth less; both are tested."""
    for each in found.differences:
        winner = each.better
        if winner is None or not each.more_right < 1 - found.level:
            continue
        knows_more = each.system if each.right_gain > 0 else each.reference
        if knows_more == winner:
            continue
        numbers = [found.evaluations[name].numbers for name in (knows_more, winner)]
        right = [f"{percent(values['right'].value)} %" for values in numbers]
        wrong = [
            f"{percent(values['answered'].value - values['right'].value)} %" for values in numbers
        ]
        yield Verdict(
            "more_right_but_worse",
            f"{plain(knows_more)} answers more questions correctly than {plain(winner)}"
            f" ({right[0]} against {right[1]}), yet is worth less: it answers {wrong[0]}"
            f" wrongly, {plain(winner)} {wrong[1]}.",
        )


def _slices(found: "ResponseComparison") -> Iterator[Verdict]:
    """Say where a slice has another best system than the whole."""
    overall = found.may_be_best
    for part in found.slices:
        if part.best is None or part.best in overall:
            continue
        where = f"{plain(part.column)} {plain(part.value)}"
        value = number(part.utility[part.best].value)
        yield Verdict(
            "other_best_in_slice",
            f"On {where} {plain(part.best)} is worth more than every other system ({value} points"
            " per question), though it is not the best overall.",
        )
