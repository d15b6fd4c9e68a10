"""Kinds of files: each module here declares one or two, and everything follows from that.

A reader is a class with a name: its endings, choices of the command line, lists in messages, the
table in docs/files.md and the laws of the tests are read from `READERS`. Modules are found by
their being here; none loads Arrow before a file is read.
"""

from importlib import import_module
from pathlib import Path

from stakes.io.readers.base_reader import READERS, Reader

for _name in sorted({file.name.partition(".")[0] for file in Path(__path__[0]).iterdir()}):
    if not _name.startswith("_"):
        import_module(f"{__name__}.{_name}")
for _name in sorted(READERS, key=lambda name: "" if READERS[name].packable else name):  # text first
    READERS[_name] = READERS.pop(_name)
_PACKED = ".gz"


def endings(reader: Reader) -> tuple[str, ...]:
    """Return the endings of files of a kind, packed ones too."""
    packed = tuple(f"{ending}{_PACKED}" for ending in reader.endings) if reader.packable else ()
    return (*reader.endings, *packed)


def file_kinds() -> list[str]:
    """Return all that may be given as the kind of a file: its endings without their dots."""
    return [ending[1:] for reader in READERS.values() for ending in endings(reader)]


def kind_by_ending(path: str) -> tuple[str | None, bool]:
    """Return the kind of a file by its ending, and whether it is packed."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    packed = suffixes[-1:] == [_PACKED]
    ending = "".join(suffixes[-2:] if packed else suffixes[-1:])
    found = (reader.name for reader in READERS.values() if ending in endings(reader))
    kind = next(found, None)
    return kind, packed and kind is not None


def listed(names: list[str]) -> str:
    """Return endings as a list for a message: .csv, .tsv or .parquet."""
    return f"{', '.join(names[:-1])} or {names[-1]}"
