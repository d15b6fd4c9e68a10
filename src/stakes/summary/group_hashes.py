"""Groups of samples: numbered by a hash of their names, and counted.

Groups that share the highest bits of their hash are one part; parts are whole groups, so that they
vary independently as groups do.
"""

import hashlib
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from stakes._typing import IntArray
from stakes.summary.form import Part, Reader, Writer, damaged
from stakes.summary.kept_rows import Hashes, mixed

BITS = 20  # of the hash that tell parts, at most
_SHORT = 64  # letters of a name that are hashed for many names at once
_MOST_COUNTED = 2**14
_ALL = 2.0**64
_SMALLER = 2  # bits of a hash that are not written, since whole numbers have 63


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


def part_of(hashes: Hashes) -> IntArray:
    """Return the part of each group by its hash."""
    return (hashes >> np.uint64(64 - BITS)).astype(np.int64)


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
