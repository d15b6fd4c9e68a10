"""The answer of a page: a sentence with its verdict, and the results per 1,000 cases.

The live page says the same (`frontend/src/core/answer.ts`); golden cases hold the two together.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from stakes._amounts import Band, Unit, amount, decimals_of, with_unit
from stakes._typing import FloatArray
from stakes.loss_rows import LossRows
from stakes.report.setting_words import Part, Setting, condition

MARGIN = 0.05  # distance from 1 within which a cost is the same for practical purposes
Kind: TypeAlias = "tuple[str, Callable[[int, int], bool]]"  # a name, and which cells belong to it
PER = 1000
_MOST_NAMED = 3
VERDICTS = {  # what is said, what is said where calibration would make it useful, its look
    "useful": ("worth using", "worth using", "good"),
    "worse_than_naive": ("not worth using", "not yet worth using", "bad"),
    "practically_equal": (
        "no better than deciding without it", "not yet better than deciding without it", "warn",
    ),
    "not_distinguishable": (
        "not shown to be worth using", "not yet shown to be worth using", "warn",
    ),
    "always_the_same": ("not useful", "not yet useful", "bad"),
    "no_interval": ("not tested", "not tested", "note"),
    "no_verdict": ("no verdict", "no verdict", "note"),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Standing:
    """What a system costs at a setting, and the code of its verdict."""

    name: str
    code: str
    expected: float
    band: Band  # of the expected cost
    counts: FloatArray | None  # weight of each class by decision, where they are known
    whole: bool = True  # counts are of samples that vary one by one, so that shares have intervals
    only: int = -1  # the decision that every case gets


@dataclass(frozen=True)
class Naive:
    """What the best constant decision costs."""

    decision: int
    cost: float


def code_of(normalized: float, band: Band, *, constant: bool = False) -> str:
    """Return the code of a cost by its interval alone, as fractions of the naive cost."""
    if math.isnan(normalized):
        return "no_verdict"
    if constant and normalized <= 1:
        return "always_the_same"
    if band is None:
        return "no_interval"
    low, high = band
    if high < 1 or low > 1:
        return "useful" if high < 1 else "worse_than_naive"
    near = low >= 1 - MARGIN and high <= 1 + MARGIN
    return "practically_equal" if near else "not_distinguishable"


def naive_phrase(setting: Setting, decision: int) -> list[Part]:
    """Return "calling every case malignant"."""
    if decision == setting.free:
        return [["text", "leaving every case undecided"]]
    called = setting.decisions[decision] in setting.classes
    lead = "calling every case " if called else "always deciding "
    return [["text", lead], ["name", setting.decisions[decision]]]


def answer(
    setting: Setting,
    standings: Sequence[Standing],
    naive: Naive,
    unit: Unit,
    *,
    subject: str = "this system",
    reason: str = "",
) -> list[list[Part]]:
    """Return the sentences on one system: uncalibrated, and calibrated if that is known."""
    first, *others = standings
    helped = any(one.code == "useful" for one in others)
    said = verdict_of(first.code, helped=helped)
    head: list[Part] = [*condition(setting), ["text", ", "]]
    if first.code == "no_verdict":
        return [[*head, ["text", "there is "], said, ["text", f": {reason}."]]]
    head += [["text", f"{subject} {'are' if subject.endswith('s') else 'is'} "], said]
    decimals = decimals_of(first.expected * unit.scale, _scaled(first.band, unit.scale))
    if first.code == "always_the_same":
        head += [["text", ": every case gets "], ["name", setting.decisions[first.only]]]
        head += [["text", f", at {_cost(first.expected, decimals, unit)} per case."]]
    else:
        costs = f": {_cost(first.expected, decimals, unit)} per case, compared with"
        head += [["text", f"{costs} {_cost(naive.cost, decimals, unit)} for "]]
        head += [*naive_phrase(setting, naive.decision), ["text", "."]]
    return [head, *(_calibrated(one, unit) for one in others if one.code != "no_verdict")]


def _calibrated(one: Standing, unit: Unit) -> list[Part]:
    decimals = decimals_of(one.expected * unit.scale, _scaled(one.band, unit.scale))
    cost = f"Calibrated: {_cost(one.expected, decimals, unit)} per case, "
    return [["text", cost], verdict_of(one.code), ["text", "."]]


def verdict_of(code: str, *, helped: bool = False) -> Part:
    """Return the words and the look of a verdict; `helped` where calibration makes it useful."""
    alone, later, look = VERDICTS[code]
    return ["verdict", later if helped else alone, look]


def _cost(value: float, decimals: int, unit: Unit) -> str:
    return with_unit(amount(value * unit.scale, decimals), unit)


def _scaled(band: Band, by: float) -> Band:
    return None if band is None else (by * band[0], by * band[1])


def compared(
    setting: Setting,
    standings: Sequence[Standing],
    naive: Naive,
    unit: Unit,
    best: Sequence[str] | None,
    calibrated: tuple[Sequence[Standing], Sequence[str] | None] = ((), None),
) -> list[list[Part]]:
    """Return the sentences on several systems; `best` may be the best by a test, None: untested."""
    head: list[Part] = [*condition(setting), ["text", ", "]]
    if any(math.isnan(one.expected) for one in standings):
        return [[*head, ["text", "there is "], verdict_of("no_verdict"), ["text", "."]]]
    sentences = [[*head, *_ranked(setting, standings, naive, unit, best)]]
    later, later_best = calibrated
    if later:
        before, after = winner(standings, best), winner(later, later_best)
        turned = before is not None and after is not None and before.name != after.name
        lead = "Calibrated, the order is reversed: " if turned else "Calibrated, "
        sentences.append([["text", lead], *_ranked(setting, later, naive, unit, later_best)])
    return sentences


def winner(standings: Sequence[Standing], best: Sequence[str] | None) -> Standing | None:
    """Return the system that costs less than each other: by the test, or by intervals apart."""
    first, *others = sorted(standings, key=lambda one: one.expected)
    if best is not None:
        return first if list(best) == [first.name] else None
    bands = [one.band for one in others]
    if first.band is None or not others:
        return None
    return first if all(b is not None and first.band[1] < b[0] for b in bands) else None


def _ranked(
    setting: Setting,
    standings: Sequence[Standing],
    naive: Naive,
    unit: Unit,
    best: Sequence[str] | None,
) -> list[Part]:
    order = sorted(standings, key=lambda one: one.expected)
    first, second = order[0], order[1]
    decimals = decimals_of(first.expected * unit.scale, _scaled(first.band, unit.scale))
    against: list[Part] = [["text", f"{_cost(naive.cost, decimals, unit)} for "],
               *naive_phrase(setting, naive.decision), ["text", "."]]  # fmt: skip
    if winner(standings, best) is not None:
        costs = f": {_cost(first.expected, decimals, unit)} per case, compared with"
        middle: list[Part] = [
            ["name", first.name], ["text", " "], ["verdict", "costs least", "good"],
            ["text", f"{costs} {_cost(second.expected, decimals, unit)} for "],
            ["name", second.name], ["text", " and "], *against,
        ]  # fmt: skip
        return [*middle, *_worth(" It is ", first.code)]
    tied = order if best is None else [one for one in order if one.name in best]
    middle = [["verdict", "no system is shown to cost least", "warn"]]
    if best is None:
        middle = [["text", "which system costs least is "], ["verdict", "not tested here", "note"]]
    for i, one in enumerate(tied[:_MOST_NAMED]):
        middle += [["text", ": " if i == 0 else ", "], ["name", one.name]]
        per_case = " per case" if i == 0 else ""
        middle += [["text", f" {_cost(one.expected, decimals, unit)}{per_case}"]]
    more = len(tied) - _MOST_NAMED
    middle += [["text", f" and {more} more" if more > 0 else ""], ["text", ", compared with "]]
    return [*middle, *against, *_worth(" The cheapest is ", first.code)]


def _worth(lead: str, code: str) -> list[Part]:
    """Say whether a system is worth using, where that is known."""
    known = code not in ("no_interval", "no_verdict")
    return [["text", lead], verdict_of(code), ["text", "."]] if known else []


def per_thousand(
    setting: Setting,
    standings: Sequence[Standing],
    naive: Naive,
    unit: Unit,
    level: float,
) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of the results per 1,000 cases, for each system and the naive one."""
    kinds = _kinds(setting)
    heads = [name for name, _ in kinds] + [f"cost{f', {unit.name}' if unit.name else ''}"]
    rows = []
    for one in standings:
        cells = [_expected_count(setting, one, kind, level) for kind in kinds]
        scale = PER * unit.scale
        rows.append([*cells, _with_band(one.expected * scale, _scaled(one.band, scale))])
    fixed_ = [
        _bare_amount(PER * sum(float(p) for i, p in enumerate(setting.priors)
                                if wanted(i, naive.decision)))
        for _, wanted in kinds
    ]  # fmt: skip
    rows.append([*fixed_, _bare_amount(naive.cost * PER * unit.scale)])
    return heads, rows


def _kinds(setting: Setting) -> list[Kind]:
    """Return the kinds of outcome that are counted."""
    kinds: list[Kind] = []
    if setting.ratio is not None:
        no, yes = setting.plain
        kinds = [("misses", lambda i, j: i == 1 and j == no),
                 ("false alarms", lambda i, j: i == 0 and j == yes)]  # fmt: skip
    elif setting.square:
        kinds = [("errors", lambda i, j: j in setting.plain and setting.plain[i] != j)]
    if setting.free >= 0:
        kinds.append(("undecided", lambda _, j: j == setting.free))
    return kinds


def _expected_count(setting: Setting, one: Standing, kind: Kind, level: float) -> str:
    if one.counts is None:
        return ""
    counts, (k, m) = one.counts, one.counts.shape
    hits = np.array([[float(kind[1](i, j)) for j in range(m)] for i in range(k)])
    sizes, paid = counts.sum(axis=1), (counts * hits).sum(axis=1)
    used = (setting.priors > 0) & (sizes > 0)
    value = float((setting.priors[used] * paid[used] / sizes[used]).sum())
    band = _share_band(setting, counts, hits, level) if one.whole else None
    return _with_band(PER * value, _scaled(band, PER))


def _share_band(setting: Setting, counts: FloatArray, hits: FloatArray, level: float) -> Band:
    """Return the interval of the share of cases with some outcome."""
    y, weight = np.indices(counts.shape)[0].ravel(), np.ones(counts.size)
    rows = LossRows(hits.mean(axis=1), y, hits.ravel(), weight, counts.ravel())
    rows = rows.between(hits.min(axis=1), hits.max(axis=1))
    low, high = rows.problem(None if setting.from_data else setting.priors).intervals(level)[0]
    return None if math.isnan(low) else (float(low), float(high))


def _with_band(value: float, band: Band) -> str:
    decimals = decimals_of(value, band)
    text = _trimmed(amount(value, decimals))
    if band is None:
        return text
    low, high = (_trimmed(amount(end, decimals)) for end in band)
    return f"{text} ({low} to {high})"


def _bare_amount(value: float) -> str:
    return _trimmed(amount(value, decimals_of(value, None)))


def _trimmed(text: str) -> str:
    """Return an amount; 0 without decimals."""
    return "0" if text.strip("0.") == "" else text
