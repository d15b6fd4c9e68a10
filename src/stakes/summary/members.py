"""What belongs to samples besides class and scores: weights, groups, amounts by column.

Groups are numbered by a hash of their names, and counted. Groups that share the highest bits of
their hash are one part; parts are whole groups, so that they vary independently as groups do.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.summary.form import Part, Reader, Writer, damaged
from stakes.summary.kept_rows import Hashes, mixed
from stakes.summary.tally import Field, Tally

WEIGHT_BITS = 3  # sizes of weights in an octave are 2^3
BITS = 20  # of the hash that tell parts, at most
_SHORT = 64  # letters of a name that are hashed for many names at once
_MOST_COUNTED = 2**14
_ALL = 2.0**64
_SMALLER = 2  # bits of a hash that are not written, since whole numbers have 63


@dataclass(frozen=True, eq=False)
class CheckedBatch:
    """A batch: the class of each sample, its weight, the hash of its group, amounts by column."""

    y: IntArray
    weights: FloatArray | None = None
    groups: Hashes | None = None
    amounts: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def parts(self) -> IntArray | None:
        """The part that each group is in, by its hash."""
        if self.groups is None:
            return None
        return (self.groups >> np.uint64(64 - BITS)).astype(np.int64)

    def some(self, rows: IntArray) -> "CheckedBatch":
        """Return some of the samples."""
        return CheckedBatch(
            self.y[rows],
            None if self.weights is None else self.weights[rows],
            None if self.groups is None else self.groups[rows],
            {name: values[rows] for name, values in self.amounts.items()},
        )


class MemberRows(NamedTuple):
    """What belongs to rows: weights, parts of groups, amounts by column."""

    weights: FloatArray | None
    part: IntArray | None
    amounts: Mapping[str, FloatArray]


class AlikeRows(NamedTuple):
    """Rows of samples that are alike: their class, how many, and what else they share."""

    y: IntArray
    copies: IntArray
    value: Any  # the score, the decision, or the mean of each rule's loss
    weights: FloatArray | None = None
    part: IntArray | None = None  # of groups
    amounts: Mapping[str, FloatArray] = MappingProxyType({})


@dataclass(frozen=True)
class Members:
    """Which of these samples have: in fields of a key, or in columns of rows."""

    weighted: bool = False
    grouped: bool = False
    columns: tuple[str, ...] = ()  # of amounts

    def fields(self, part_drops: tuple[int, ...], size_drops: tuple[int, ...]) -> list[Field]:
        """Return the fields of a key for groups and weights, which lose bits at each step."""
        groups = [Field(2**BITS, part_drops)] if self.grouped else []
        return groups + ([Field.amount(WEIGHT_BITS, size_drops)] if self.weighted else [])

    def values(self, new: CheckedBatch) -> "list[IntArray | FloatArray]":
        """Return the values of these fields for each sample."""
        found = (new.parts if self.grouped else None), (new.weights if self.weighted else None)
        return [value for value in found if value is not None]

    def from_keys(self, tally: Tally, first: int) -> MemberRows:
        """Return what belongs to the samples of each key, whose group is its field `first`."""
        means = [amount / tally.sums[0] for amount in tally.amounts()]
        weights = means.pop(0) if self.weighted else None
        part = tally.values()[first] if self.grouped else None
        return MemberRows(weights, part, dict(zip(self.columns, means, strict=True)))

    @property
    def width(self) -> int:
        """How many numbers that are for each sample."""
        return self.weighted + self.grouped + len(self.columns)

    def as_columns(self, new: CheckedBatch) -> list[FloatArray]:
        """Return these numbers as columns."""
        found = [new.weights, new.parts, *(new.amounts[name] for name in self.columns)]
        return [np.asarray(column, dtype=np.float64) for column in found if column is not None]

    def from_columns(self, values: FloatArray) -> MemberRows:
        """Return columns as what they are."""
        columns = list(np.ascontiguousarray(values.T))
        weights = columns.pop(0) if self.weighted else None
        part = columns.pop(0).astype(np.int64) if self.grouped else None
        return MemberRows(weights, part, dict(zip(self.columns, columns, strict=True)))


def group_hashes(names: "IntArray | Sequence[Any]") -> Hashes:
    """Return a hash of each name; whole numbers and texts never share names."""
    if isinstance(names, np.ndarray) and names.dtype.kind in "iub":
        return mixed(mixed(names.astype(np.int64).view(np.uint64) + np.uint64(1)))
    texts = [str(name) for name in names]
    letters = np.array([text[:_SHORT] for text in texts], dtype=np.str_)[:, None].view(np.uint32)
    total = np.zeros(len(texts), dtype=np.uint64)  # of one hash of each letter at its place
    for place in range(letters.shape[1]):
        letter = letters[:, place].astype(np.uint64)
        total += np.where(letter > 0, mixed(letter | np.uint64((place + 1) << 32)), np.uint64(0))
    found = mixed(total)
    for place in (place for place, text in enumerate(texts) if len(text) > _SHORT):
        digest = hashlib.blake2b(texts[place].encode(), digest_size=8).digest()
        found[place] = int.from_bytes(digest, "little")
    return found


class GroupCount(Part):
    """How many groups there are: exactly while they are few, else from their least hashes."""

    def __init__(self) -> None:
        self._least: Hashes = np.empty(0, dtype=np.uint64)

    def add(self, hashes: Hashes) -> None:
        """Add groups by their hashes, each any number of times."""
        shortened = hashes >> np.uint64(_SMALLER)
        if self._least.size == _MOST_COUNTED:
            shortened = shortened[shortened < self._least[-1]]
        if shortened.size:
            self._least = np.union1d(self._least, shortened)[:_MOST_COUNTED]

    def __add__(self, other: Self) -> Self:
        out = super().__add__(other)
        out._least = np.union1d(self._least, other._least)[:_MOST_COUNTED]
        return out

    @property
    def exact(self) -> bool:
        """Whether the number is known exactly."""
        return self._least.size < _MOST_COUNTED

    @property
    def number(self) -> int:
        """How many groups there are; about, and rounded to two digits, where they are many."""
        n = self._least.size
        if self.exact:
            return n
        guess = (n - 1) * (_ALL / 2**_SMALLER) / float(self._least[-1])
        unit = 10 ** (len(str(int(guess))) - 2)
        return round(guess / unit) * unit

    def write(self, writer: Writer) -> None:
        """Write the hashes."""
        whole = self._least.astype(np.int64)
        writer.listed(np.diff(whole, prepend=np.int64(0)))

    def read(self, reader: Reader) -> Self:
        """Read hashes."""
        steps = reader.listed(_MOST_COUNTED)
        self._least = np.cumsum(steps).astype(np.uint64)
        if (steps[1:] < 1).any() or (self._least >= np.uint64(2 ** (64 - _SMALLER))).any():
            raise damaged("groups that there are not")
        return self
