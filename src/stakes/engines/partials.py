"""What a worker makes of its rows: a sum, or what is wrong with them, which add."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any, Protocol, Self

from stakes._check import InputError, Place, Rounding, StakesError, joined_rounding
from stakes._text import plain
from stakes.io.batches import Ask
from stakes.io.columns import no_rows
from stakes.io.gather import Kinds
from stakes.io.units import Piece

Roundings = Mapping[str, Rounding | None]  # by system
Seen = Mapping[str, Mapping[str, tuple[int, str]]]  # kinds of a column's labels, where first


class Job(Protocol):
    """How rows are added to a sum. It is sent to workers, and so knows no engine."""

    @property
    def ask(self) -> Ask:
        """The columns that are needed."""

    def fresh(self) -> Any:  # noqa: ANN401
        """Return a sum without rows."""

    def add(self, total: Any, piece: Piece) -> Roundings:  # noqa: ANN401
        """Add rows, and tell how the scores of each system were rounded."""

    @property
    def renormalize(self) -> bool:
        """Whether each row of scores is divided by its sum."""


@dataclass(frozen=True, eq=False)
class Partial:
    """The sum of some partitions, or the fault of the first bad one; no order changes it."""

    total: Any = None  # None: no rows
    rows: int = 0
    roundings: Roundings = field(default_factory=dict)
    kinds: Seen = field(default_factory=dict)
    renormalize: bool = False
    fault: tuple[int, StakesError] | None = None

    def __add__(self, other: "Partial") -> "Partial":
        faults = [each.fault for each in (self, other) if each.fault is not None]
        if faults:
            return Partial(fault=min(faults, key=lambda fault: fault[0]))
        one, two, by_sum = self.roundings, other.roundings, self.renormalize or other.renormalize
        totals = [each.total for each in (self, other) if each.total is not None]
        try:
            roundings = {
                name: joined_rounding(one.get(name), two.get(name), renormalize=by_sum)
                for name in {**one, **two}
            }
            total = reduce(add, totals) if totals else None
        except StakesError as error:  # sums that were told different things
            return Partial(fault=(-1, error))
        kinds = _joined_kinds(self.kinds, other.kinds)
        return Partial(total, self.rows + other.rows, roundings, kinds, by_sum)

    def notes(self) -> list[str]:
        """Say which systems have rows of scores that were rounded."""
        found = {name: str(each) for name, each in self.roundings.items() if each is not None}
        return [f"{name}: {text}" if name else text for name, text in found.items()]

    def checked(self) -> Self:
        """Return the sum; raise what is wrong with the first bad partition."""
        if self.fault is not None:
            raise self.fault[1]
        for column, kinds in self.kinds.items():
            (first, (_, where)), *others = sorted(kinds.items(), key=lambda each: each[1])
            for odd, (_, place) in others:
                rule = f"must hold {first} as in {where}"
                raise InputError(None, rule, odd, place=Place(file=place, column=column))
        return self

    def with_samples(self, source: str, weight: str | None) -> Self:
        """Return the sum, which must hold samples."""
        self.checked()
        if not self.rows:
            raise no_rows(source)
        if not self.total.n:
            found, column = f"all {self.rows} weights are 0", f"column {plain(weight)!r}"
            error = InputError(column, "must be above 0 for some sample", found=found)
            raise error.moved(source=plain(source))
        return self


def sum_pieces(job: Job, number: int, pieces: Iterable[Piece]) -> Partial:
    """Return the sum of one partition; what is wrong with its rows is part of it.

    A fault of the data is returned, not raised: an engine would try the partition again.
    """
    total, rows, seen = job.fresh(), 0, Kinds()
    roundings: dict[str, Rounding | None] = {}
    try:
        for piece in pieces:
            if not len(piece):
                continue
            for name, found in job.add(total, piece).items():
                before = roundings.get(name)
                roundings[name] = joined_rounding(before, found, renormalize=job.renormalize)
            rows += len(piece)
            seen |= piece.kinds
    except StakesError as error:
        return Partial(fault=(number, error))
    kinds = {column: {kind: (number, where)} for column, (kind, where) in seen.items()}
    return Partial(total if rows else None, rows, roundings, kinds, job.renormalize)


def join_partials(partials: Iterable[Partial]) -> Partial:
    """Return the sum of several."""
    return reduce(add, partials, Partial())


def _joined_kinds(one: Seen, two: Seen) -> Seen:
    out = {column: dict(kinds) for column, kinds in one.items()}
    for column, kinds in two.items():
        known = out.setdefault(column, {})
        for kind, place in kinds.items():
            known[kind] = min(known.get(kind, place), place)
    return out
