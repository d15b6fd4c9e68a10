"""How much memory the columns of a table would take, before they are read."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from stakes.io.batches import Ask
from stakes.io.columns import damage_named
from stakes.io.sources import Part
from stakes.io.streams import Limits

_WIDTH = 8  # bytes of a number in memory, and of a label
_FACTORS = {"npz": 1, "npy": 1, "arrow": 2}  # memory over bytes of the file; arrays may be packed
_TEXT, _PACKED = 2, 10


@dataclass(frozen=True)
class TableSize:
    """Bytes in memory and number of rows, as far as they are known beforehand."""

    n_bytes: int
    rows: int | None


def size_in_memory(parts: Sequence[Part], ask: Ask, limits: Limits) -> TableSize:
    """Estimate how much memory columns take: from the footers of Parquet files, or file sizes.

    Text takes twice its bytes, packed text ten times; nothing is known of a pipe.
    """
    total, rows = 0, 0
    known = True
    for part in parts:
        if part.kind == "parquet" and not part.streamed:
            from stakes.io.arrow import parquet_rows  # noqa: PLC0415  loaded with the first file

            with damage_named(part):
                count = parquet_rows(part, limits)
            rows += count
            total += count * _WIDTH * max(len(ask.names), 1)
        else:
            known = False
            factor = _PACKED if part.packed else _FACTORS.get(str(part.kind), _TEXT)
            total += 0 if part.streamed else factor * os.stat(part.path).st_size  # noqa: PTH116
    return TableSize(total, rows if known else None)
