"""The answer on responses: what they are worth at a target, and when to abstain.

The live page says the same (`frontend/src/page/response_answer.ts`); golden cases hold the two
together. Parts are those of `setting_words`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stakes._amounts import Band, amount, decimals_of
from stakes._text import number
from stakes.evaluation.verdicts.wording import percent
from stakes.report.setting_words import Part

VERDICTS = {
    "useful": ("worth having", "good"),
    "worse_than_naive": ("not worth having", "bad"),
    "not_distinguishable": ("not shown to be worth having", "warn"),
    "no_verdict": ("no verdict", "note"),
    "not_tested": ("not tested", "note"),
}
NOT_TESTED = "not_tested"  # the code of what a page computes at other targets
SHIFTS = ("abstain_more", "answer_more")  # codes of verdicts: another rule is shown to be better
OWN_ABSTENTIONS = "own_abstentions"
_PER = 1000
_MOST_NAMED = 3
_FEW_DECIMALS = 3  # of points without an interval
_SAME = 1e-12


@dataclass(frozen=True)
class RuleOutcome:
    """What a rule gives: shares of all questions that are answered, and the mean points."""

    right: float
    wrong: float
    utility: float
    band: Band = None
    threshold: float | None = None  # least stated confidence that is answered

    @property
    def answered(self) -> float:
        """The share of questions that are answered."""
        return self.right + self.wrong


@dataclass(frozen=True)
class ResponseStanding:
    """All that the sentences say of one system at a target."""

    target: float
    own: RuleOutcome
    calibrated: RuleOutcome | None
    always: RuleOutcome
    unknown: bool  # of some abstentions the truth is not known: always answering is at its best
    code: str  # of the verdict
    rule_code: str  # of the verdict on other rules; empty where there is none
    reason: str  # why there is no verdict
    tested: float  # the target of the report


def target_text(t: float) -> str:
    """Return a target as its field shows it.

    >>> target_text(0.75), target_text(1 / 3), target_text(0.0)
    ('75 %', '33.3333 %', '0 %')
    """
    return f"{100 * t:.6g} %"


def response_answer(one: ResponseStanding) -> list[list[Part]]:
    """Return the sentences: what it should answer and does, and whether that is worth having."""
    own, other = one.own, one.calibrated
    decimals = _decimals(own)
    points = amount(own.utility, decimals)
    head = _at(one.target)
    scores = f"scores {points} points per question"
    answers = f", this model answers {percent(own.answered)} of the questions and {scores}"
    would = "" if other is None else f"would score {amount(other.utility, decimals)}"
    if other is not None and _is_better(one, other):
        text = (
            f", this model should answer {percent(other.answered)} of the questions. It answers"
            f" {percent(own.answered)} and {scores}; {_rule_words(other)} {would}."
        )
    elif other is not None and one.rule_code == OWN_ABSTENTIONS:
        text = f"{answers}. No threshold on its confidence is shown to do better."
    elif other is not None and one.rule_code == NOT_TESTED:
        text = f"{answers}; {_rule_words(other)} {would}."
    else:
        text = f"{answers}."
    return [[*head, ["text", text]], _worth(one, decimals)]


def _decimals(rule: RuleOutcome) -> int:
    """Return how many decimals of the points to show: those that the interval justifies, or 3."""
    found = decimals_of(rule.utility, rule.band)
    return found if rule.band is not None else min(found, _FEW_DECIMALS)


def _at(t: float) -> list[Part]:
    return [["text", "At a confidence target of "], ["field", "target", t, "confidence target"]]


def _is_better(one: ResponseStanding, other: RuleOutcome) -> bool:
    """Tell whether another rule is better: by a test, or at other targets by its points alone."""
    if one.rule_code == NOT_TESTED:
        return other.utility > one.own.utility + _SAME
    return one.rule_code in SHIFTS


def _rule_words(rule: RuleOutcome) -> str:
    if rule.threshold is not None and math.isinf(rule.threshold):
        return "never answering"
    return f"abstaining below a stated confidence of {_bare(number(rule.threshold or 0.0))}"


def _worth(one: ResponseStanding, decimals: int, name: str = "") -> list[Part]:
    """Say whether responses are worth having: those of a system that is named, or of the one."""
    said: Part = ["verdict", *VERDICTS[one.code]]
    of: list[Part] = [["text", "the responses of "], ["name", name]] if name else (
        [["text", "its responses"]]
    )  # fmt: skip
    if one.code == "no_verdict":
        return [["text", "There is "], said, ["text", " on "], *of, ["text", f": {one.reason}."]]
    always = one.always.utility >= 0
    constant = "always answering" if always else "never answering"
    most = "up to " if always and one.unknown else ""
    points = amount(one.always.utility, decimals) if always else "0"
    if one.code != NOT_TESTED:
        rest = f": {constant} scores {most}{points}."
        return [["text", "As they are, "], *of, ["text", " are "], said, ["text", rest]]
    gap = one.own.utility - max(one.always.utility, 0.0)
    more = "as much as" if abs(gap) <= _SAME else "more than" if gap > 0 else "less than"
    compared = f" score {more} {constant} ({most}{points})."
    head: list[Part] = [["text", "At this target, "], *of, ["text", compared]]
    if name:
        return head
    rest = f": the report tests a target of {target_text(one.tested)}."
    return [*head, ["text", " This was computed in the page and is "], said, ["text", rest]]


def meaning(t: float) -> str:
    """Say what a target means for one wrong answer.

    >>> meaning(0.75)
    'A wrong answer cancels 3 right answers; no answer scores 0.'
    """
    penalty = t / (1 - t)
    rest = "; no answer scores 0."
    if penalty == 0:
        return f"A wrong answer costs nothing, so always answering is best{rest}"
    if abs(penalty - 1) <= _SAME:
        return f"A wrong answer cancels one right answer{rest}"
    if penalty > 1:
        return f"A wrong answer cancels {_bare(number(penalty))} right answers{rest}"
    return f"A wrong answer cancels {_bare(number(penalty))} of a right answer{rest}"


def break_even(own: RuleOutcome) -> str:
    """Say up to which target its answers are worth more than none; empty without answers."""
    if not own.answered > 0:
        return ""
    share = percent(own.right / own.answered)
    return f"Its answers score above 0 at targets below {share}, their accuracy."


def per_thousand(rule: RuleOutcome) -> list[str]:
    """Return the points per 1,000 questions, and how many are right, wrong, unanswered."""
    right, answered = (_whole(_PER * share) for share in (rule.right, rule.answered))
    counts = [right, answered - right, _PER - answered]
    band = None if rule.band is None else (_PER * rule.band[0], _PER * rule.band[1])
    points = amount(_PER * rule.utility, 0)  # whole ones, as equal values stand in several rows
    if band is not None:
        points += f" ({amount(band[0], 0)} to {amount(band[1], 0)})"
    return [points, *(amount(count, 0) for count in counts)]


def _whole(value: float) -> int:
    return math.floor(value + 0.5 + 1e-9)


def compared_responses(
    systems: Sequence[tuple[str, ResponseStanding]], best: Sequence[str] | None
) -> list[list[Part]]:
    """Return the sentences on several systems; `best` may be the best by a test, None: untested."""
    ranked = sorted(systems, key=lambda one: -one[1].own.utility)
    name, first = ranked[0]
    decimals = _decimals(first.own)
    points = f"{amount(first.own.utility, decimals)} points per question"
    head: list[Part] = [*_at(first.target), ["text", ", "], ["name", name]]
    if best is None:
        head += [["text", f" scores most, {points}. This was computed in the page and is "]]
        head += [["verdict", *VERDICTS[NOT_TESTED]]]
        head += [["text", f": the report tests a target of {target_text(first.tested)}. Next:"]]
    elif len(best) == 1:
        look = "note" if first.code == "worse_than_naive" else "good"
        head += [["text", " is "], ["verdict", f"the best of {len(ranked)}", look]]
        head += [["text", f": {points}. Next:"]]
    else:
        head += [["text", f" scores most, {points}, but is "]]
        head += [["verdict", "not shown to be the best", "warn"]]
        head += [["text", f": any of {len(best)} may be. Next:"]]
    for k, (other, one) in enumerate(ranked[1 : 1 + _MOST_NAMED]):
        head += [["text", ", " if k else " "], ["name", other]]
        head += [["text", f" {amount(one.own.utility, decimals)}"]]
    rest = len(ranked) - 1 - _MOST_NAMED
    head += [["text", f" and {rest} more." if rest > 0 else "."]]
    return [head, _worth(first, decimals, name)]


def _bare(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
