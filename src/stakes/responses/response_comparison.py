"""Several systems on the same questions: who is worth more, and which may be the best."""

from __future__ import annotations

__all__ = ["ResponseComparison", "ResponseDifference", "SliceComparison", "compare_responses"]

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from stakes._check import InputError, read_level, read_seed
from stakes._errors import kind_of
from stakes._foreign_calls import answered
from stakes._records import Record
from stakes._text import number, percent, plain, quoted, table
from stakes._typing import Column
from stakes.calibration import Calibrator
from stakes.calibration.crossfit import Folds
from stakes.costs.confidence_target import ConfidenceTarget, as_target
from stakes.evaluation.findings import Paged, Verdict, plain_values
from stakes.evaluation.tracking import Tracked
from stakes.metrics.multiplicity import holm
from stakes.metrics.paired import PairedDifference, paired_difference
from stakes.responses.abstention_rules import gain_of, paired_costs
from stakes.responses.comparison_sentences import comparison_sentences
from stakes.responses.response_evaluation import CALIBRATOR, ResponseEvaluation, evaluate_responses
from stakes.responses.response_measures import own_measures
from stakes.responses.response_samples import Responses
from stakes.responses.response_slices import slices_of
from stakes.results import Estimate

_RANKED = ("utility", "answered", "answered_accuracy", "hallucination_rate", "cost.nec")


@dataclass(frozen=True, eq=False)
class ResponseDifference(Record):
    """The utility of a system minus that of another on the same questions.

    Attributes
    ----------
    system : str
    reference : str
    gain : Estimate
        Difference of utility.
    p_value : float
    adjusted_p_value : float
        Corrected for all pairs (Holm).
    level : float
    more_right : float
        P-value for equally many right answers.
    right_gain : float
        Share of right answers of the system minus that of the other.

    See Also
    --------
    compare_responses : returns it for each pair.

    Examples
    --------
    >>> import stakes
    >>> bold = stakes.Responses([True] * 70 + [False] * 30)
    >>> careful = stakes.Responses([True] * 60 + [None] * 40, abstained=[False] * 60 + [True] * 40)
    >>> found = stakes.compare_responses({"bold": bold, "careful": careful}, 0.75)
    >>> found.of("bold", "careful").better  # fewer right answers, and yet worth more
    'careful'
    """

    system: str
    reference: str
    gain: Estimate
    p_value: float
    adjusted_p_value: float  # for all pairs, after Holm
    level: float
    more_right: float  # p-value of as many right answers; the sign is in `right_gain`
    right_gain: float

    @property
    def distinguishable(self) -> bool:
        """Whether the difference is distinguishable from 0, corrected for all pairs."""
        return self.adjusted_p_value < 1 - self.level

    @property
    def better(self) -> str | None:
        """The system with the greater utility; None if the two are not distinguishable."""
        if not self.distinguishable:
            return None
        return self.system if self.gain.value > 0 else self.reference

    def __str__(self) -> str:
        pair = f"{plain(self.system)} − {plain(self.reference)}"
        return f"{pair}: utility {self.gain}, p {number(self.adjusted_p_value)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON."""
        return plain_values(self) | {"distinguishable": self.distinguishable}


@dataclass(frozen=True, eq=False)
class SliceComparison(Record):
    """The utility of each system on the questions that share a value of a column.

    Attributes
    ----------
    column : str
    value : str
    responses : int
        Number of responses.
    utility : mapping from system to Estimate
    best : str or None
        The system with more utility than each other, corrected for all slices and pairs.

    See Also
    --------
    compare_responses : returns it for each value of `slices`.

    Examples
    --------
    >>> import stakes
    >>> bold = stakes.Responses([True] * 70 + [False] * 30)
    >>> careful = stakes.Responses([True] * 60 + [None] * 40, abstained=[False] * 60 + [True] * 40)
    >>> topics = ["history", "physics"] * 50
    >>> found = stakes.compare_responses({"bold": bold, "careful": careful}, 0.75, slices=topics)
    >>> [(part.value, part.best) for part in found.slices]
    [('history', 'careful'), ('physics', 'careful')]
    """

    column: str
    value: str
    responses: int
    utility: Mapping[str, Estimate]  # by system
    best: str | None  # worth more than each other, with all slices and pairs allowed for

    def __str__(self) -> str:
        values = ", ".join(f"{plain(name)} {number(e.value)}" for name, e in self.utility.items())
        best = "none is distinguishable" if self.best is None else f"best {plain(self.best)}"
        return f"{plain(self.column)} = {plain(self.value)}: {values}; {best}"

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON."""
        return plain_values(self)


@dataclass(frozen=True, eq=False)
class ResponseComparison(Paged, Tracked):
    """Systems side by side on the same questions at one confidence target.

    Attributes
    ----------
    target : ConfidenceTarget
    evaluations : mapping from system to ResponseEvaluation
    differences : tuple of ResponseDifference
    slices : tuple of SliceComparison
    level : float
        Confidence level of the intervals.
    seed : int
        Seed of the folds.
    verdicts : tuple of Verdict

    See Also
    --------
    compare_responses : returns it.

    Examples
    --------
    >>> import stakes
    >>> bold = stakes.Responses([True] * 70 + [False] * 30)
    >>> careful = stakes.Responses([True] * 60 + [None] * 40, abstained=[False] * 60 + [True] * 40)
    >>> found = stakes.compare_responses({"bold": bold, "careful": careful}, 0.75)
    >>> found.may_be_best  # use this one
    ('careful',)
    """

    target: ConfidenceTarget
    evaluations: Mapping[str, ResponseEvaluation] = field(repr=False)
    differences: tuple[ResponseDifference, ...]
    slices: tuple[SliceComparison, ...]
    level: float
    seed: int
    verdicts: tuple[Verdict, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The names, in the order given."""
        return tuple(self.evaluations)

    @property
    def ranking(self) -> tuple[str, ...]:
        """The names by utility, the highest first."""
        return tuple(sorted(self.systems, key=lambda name: -self.utility(name)))

    @property
    def may_be_best(self) -> tuple[str, ...]:
        """The systems that no other is shown to beat, in the order of ranking."""
        beaten = {
            name
            for each in self.differences
            for name in (each.system, each.reference)
            if each.better not in (None, name)
        }
        return tuple(name for name in self.ranking if name not in beaten)

    def utility(self, system: str) -> float:
        """Return the utility of a system.

        Parameters
        ----------
        system : str
            Name of the system.
        """
        return self.evaluations[system].numbers["utility"].value

    def of(self, system: str, reference: str) -> ResponseDifference:
        """Return the difference between two systems, in either direction.

        Parameters
        ----------
        system : str
            Name of the system.
        reference : str
            Name of the system to compare it with.
        """
        for each in self.differences:
            if (each.system, each.reference) == (system, reference):
                return each
            if (each.system, each.reference) == (reference, system):
                return _turned(each)
        known = quoted(self.systems)
        raise InputError(
            "system and reference", f"must be two of {known}", f"{system}, {reference}"
        )

    def leaderboard(self) -> list[dict[str, Any]]:
        """Return one row per system, the best first, as plain values."""
        best = self.may_be_best
        rows = []
        for rank, name in enumerate(self.ranking, 1):
            numbers = self.evaluations[name].numbers
            band = numbers["utility"].interval
            row = {"rank": rank, "system": name, "utility": numbers["utility"].value}
            row["low"], row["high"] = (None, None) if band is None else (band.low, band.high)
            row |= {key.removeprefix("cost."): numbers[key].value for key in _RANKED[1:]}
            rows.append(row | {"may_be_best": name in best})
        return rows

    def metrics(self) -> dict[str, Estimate]:
        """Return every number by name: `new/utility`, `new/utility.gain_over.old`."""
        out = {
            f"{name}/{key}": value
            for name, found in self.evaluations.items()
            for key, value in found.metrics().items()
        }
        gains = {f"{d.system}/utility.gain_over.{d.reference}": d.gain for d in self.differences}
        return out | gains

    def _references(self) -> dict[str, float]:
        return {"responses": float(len(next(iter(self.evaluations.values())).responses))}

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, ready for JSON."""
        return {
            "target": self.target.t,
            "systems": {name: found.to_dict() for name, found in self.evaluations.items()},
            "leaderboard": [_plain_row(row) for row in self.leaderboard()],
            "differences": [each.to_dict() for each in self.differences],
            "may_be_best": list(self.may_be_best),
            "slices": [each.to_dict() for each in self.slices],
            "level": self.level,
            "seed": self.seed,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
        }

    def _document(self) -> tuple[str, dict[str, Any]]:
        return "answers", self.to_dict()

    def __str__(self) -> str:
        rows = [["", "system", "utility", "answered", "accuracy of its answers"]]
        for row in self.leaderboard():
            found = self.evaluations[row["system"]].numbers
            shares = [_percent(found[key].value) for key in ("answered", "answered_accuracy")]
            rows.append([str(row["rank"]), plain(row["system"]), str(found["utility"]), *shares])
        lines = [str(self.target), table(rows, names=2)]
        return "\n".join([*lines, *(f"- {verdict}" for verdict in self.verdicts)])


def _percent(share: float) -> str:
    return "undefined" if math.isnan(share) else f"{percent(share)} %"


def _plain_row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}


@answered
def compare_responses(
    systems: Mapping[str, Responses],
    target: ConfidenceTarget | float = 0.5,
    *,
    calibrator: Calibrator | None = CALIBRATOR,
    folds: Folds = 5,
    slices: Mapping[str, Column] | Column | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> ResponseComparison:
    """Compare systems on the same questions, in the same order, by the utility of their answers.

    Parameters
    ----------
    systems : mapping from name to Responses
        At least two, of equal length: row k of each is its response to the same question. Groups
        and weights belong to the questions, so they are the same for all.
    target : ConfidenceTarget or float, default 0.5
        As in `evaluate_responses`.
    calibrator : Calibrator or None, optional
        As in `evaluate_responses`.
    folds : int, splitter, array of N fold numbers, HeldOut or TrainOnTest, default 5
        As in `cross_calibrate`.
    slices : data frame, mapping from name to column, or one column, optional
        As in `evaluate_responses`.
    level : float, default 0.95
        Confidence level of the intervals.
    rng : int or Generator, default 0
        Seed of the folds.

    Returns
    -------
    ResponseComparison
        With `leaderboard()`, `differences`, `may_be_best`, `slices`, `verdicts`.

    See Also
    --------
    evaluate_responses : for one system.

    Examples
    --------
    The first model knows more, but the second abstains when it does not know, so use the second:

    >>> import stakes
    >>> bold = stakes.Responses([True] * 70 + [False] * 30)
    >>> humble = stakes.Responses(
    ...     [True] * 60 + [None] * 40, abstained=[False] * 60 + [True] * 40
    ... )
    >>> found = stakes.compare_responses({"bold": bold, "humble": humble}, 0.75)
    >>> found.ranking, found.may_be_best
    (('humble', 'bold'), ('humble',))
    >>> print(found.verdicts[0])
    At a target of 75 % humble is worth more than bold: 0.6000 against −0.2000 points per question (difference 0.8000, 95 % interval 0.4981 to 1.101).
    """  # noqa: E501  what is printed
    listed = _read_systems(systems)
    target, level = as_target(target), read_level(level)
    seed = read_seed(rng)
    found = {
        name: evaluate_responses(
            said, target, calibrator=calibrator, folds=folds, level=level, rng=seed
        )
        for name, said in listed.items()
    }
    differences = _differences(listed, target, level)
    comparison = ResponseComparison(
        target=target,
        evaluations=found,
        differences=differences,
        slices=tuple(_slices(listed, slices, target, level)),
        level=level,
        seed=seed,
    )
    return replace(comparison, verdicts=tuple(comparison_sentences(comparison)))


def _read_systems(systems: Mapping[str, Responses]) -> dict[str, Responses]:
    if not isinstance(systems, Mapping) or len(systems) < 2:
        raise InputError("systems", "must map at least two names to Responses", kind_of(systems))
    listed = {str(name): said for name, said in systems.items()}
    first, *others = listed.values()
    for name, said in listed.items():
        if not isinstance(said, Responses):
            raise InputError(f"systems {name!r}", "must be Responses(...)", kind_of(said))
        if said.n_given != first.n_given:
            rule = "must respond to the same questions, in the same order"
            got = f"{said.n_given} responses, where the first system has {first.n_given}"
            raise InputError(f"systems {name!r}", rule, got)
    for part in ("weights", "groups"):
        own = getattr(first, part)
        if any(not _same(own, getattr(said, part)) for said in others):
            rule = f"must have the same {part}: they belong to the questions"
            raise InputError("systems", rule)
    return listed


def _same(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def _differences(
    systems: Mapping[str, Responses], target: ConfidenceTarget, level: float
) -> tuple[ResponseDifference, ...]:
    pairs = list(combinations(systems, 2))
    tests = [_paired(systems[b], systems[a], target) for a, b in pairs]
    adjusted = holm([test.p_value for test in tests])
    out = []
    for (first, second), test, p_value in zip(pairs, tests, adjusted, strict=True):
        right = _right_difference(systems[second], systems[first])
        gain = _turned_estimate(gain_of(test, target, level))
        out.append(
            ResponseDifference(
                second, first, gain, test.p_value, p_value, level, right.p_value, right.value
            )
        )
    return tuple(out)


def _paired(one: Responses, other: Responses, target: ConfidenceTarget) -> PairedDifference:
    first, second = (own_measures(said, 0.95) for said in (one, other))
    return paired_costs(first, second, target, systems=True)


def _right_difference(one: Responses, other: Responses) -> PairedDifference:
    """Return the share answered rightly by the first less that by the second."""
    n = len(one)
    first, second = (said.is_right.astype(np.float64) for said in (one, other))
    return paired_difference(
        np.zeros(n, dtype=np.int64), first, second, n_classes=1, weights=one.weights,
        unit=one.groups, largest=np.ones(n),
    )  # fmt: skip


def _turned_estimate(costs: Estimate) -> Estimate:
    """Return a gain from a difference of costs, which points the other way."""
    band = costs.interval
    if band is not None:
        band = replace(band, low=0.0 - band.high, high=0.0 - band.low)
    return Estimate(0.0 - costs.value, band, costs.method)


def _turned(each: ResponseDifference) -> ResponseDifference:
    return replace(
        each, system=each.reference, reference=each.system, gain=_turned_estimate(each.gain),
        right_gain=0.0 - each.right_gain,
    )  # fmt: skip


def _slices(
    systems: Mapping[str, Responses],
    slices: Any,  # noqa: ANN401  any columns
    target: ConfidenceTarget,
    level: float,
) -> Iterator[SliceComparison]:
    """Yield each slice; a best system is named where it beats each other one after Holm."""
    first = next(iter(systems.values()))
    parts = [
        (name, {system: said.part(kept) for system, said in systems.items()})
        for name, kept in slices_of(first, slices)
    ]
    pairs = list(combinations(systems, 2))
    tests = [_paired(part[b], part[a], target) for _, part in parts for a, b in pairs]
    adjusted = holm([test.p_value for test in tests]) if tests else []
    for k, (name, part) in enumerate(parts):
        mine = slice(k * len(pairs), (k + 1) * len(pairs))
        best = _best(pairs, tests[mine], adjusted[mine], 1 - level)
        utility = {s: own_measures(said, level).utility(target) for s, said in part.items()}
        yield SliceComparison(*name, len(next(iter(part.values()))), utility, best)


def _best(
    pairs: Sequence[tuple[str, str]],
    tests: Sequence[PairedDifference],
    p_values: Sequence[float],
    alpha: float,
) -> str | None:
    wins: dict[str, int] = {}
    for (a, b), test, p_value in zip(pairs, tests, p_values, strict=True):
        if p_value < alpha:
            winner = b if test.value < 0 else a
            wins[winner] = wins.get(winner, 0) + 1
    needed = len({name for pair in pairs for name in pair}) - 1
    return next((name for name, number_ in wins.items() if number_ == needed), None)
