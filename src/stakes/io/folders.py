"""Columns that the folders of a table give, as in `site=A/part-0.parquet`."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stakes.io.arrow_library import pa
from stakes.io.batches import Ask, Batch, Part

_NULL = "__HIVE_DEFAULT_PARTITION__"  # how Hive and Spark write a missing value


def folder_column(folder: str) -> tuple[str, str | None] | None:
    """Return the column and the value that a folder `name=value` stands for."""
    name, sign, value = folder.partition("=")
    if not name or not sign:
        return None
    from urllib.parse import unquote  # noqa: PLC0415  only for such folders

    return unquote(name), None if value == _NULL else unquote(value)


def folder_names(part: Part) -> list[str]:
    """Return the names of the columns that the folders of a part give."""
    return [name for name, _ in part.folders]


def check_folders(part: Part, names: Sequence[str]) -> None:
    """Refuse a column that is both in the file and in the path."""
    double = next((name for name in folder_names(part) if name in names), None)
    if double is not None:
        both = f"has a column {double!r}, which its folder gives too: which one counts is not known"
        raise part.wrong(f"{both}. Rename the folder or the column")


def file_ask(part: Part, ask: Ask) -> Ask:
    """Return what is asked of the file itself; all columns where folders give all that is asked."""
    given = set(folder_names(part))
    if not given:
        return ask
    texts, numbers = (
        tuple(n for n in names if n not in given) for names in (ask.texts, ask.numbers)
    )
    return Ask(texts, numbers, ask.finite)


def with_folders(batch: Batch, part: Part, ask: Ask) -> Batch:
    """Return a batch with the columns that its folders give, of those that are asked for."""
    if not part.folders:
        return batch

    table = batch.table
    for name, value in part.folders:
        if name in ask.names or not ask.names:
            places = pa.array(np.zeros(len(table), dtype=np.int32))
            texts = pa.array([value], type=pa.string())
            table = table.append_column(name, pa.DictionaryArray.from_arrays(places, texts))
    return replace(batch, table=table.select(list(ask.names)) if ask.names else table)
