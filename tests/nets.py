"""The nets: what the library says about some sixty data sets, apart from intervals.

    python tests/nets.py --write [NAME...]

rewrites `tests/golden/nets`, all of it or some nets. `values` hold numbers and texts that no
interval may change, `verdicts` what intervals and tests decide. Where a set is given in another
way (rows in another order, in batches, as merged summaries), the keys that come out differently are
part of the file. That list may only become shorter: a longer one is not written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import stakes
from net_commands import commands
from net_form import Parts, as_text, differing, is_of_interval, read, rounded
from net_refusals import refusals
from net_sets import all_nets

FOLDER = Path(__file__).parent / "golden" / "nets"
Document = dict[str, dict[str, Any]]


def parts_of(result: Any) -> Parts:
    """Return a result in its two parts; a mapping is all values."""
    found = Parts()
    if isinstance(result, Mapping):
        found.add("", result)
        return found
    found.add("", result.to_dict())
    for name, estimate in getattr(result, "metrics", dict)().items():
        if not is_of_interval(name):
            found.values[f"metrics.{name}"] = rounded(estimate.value)
    spoken = {str(each) for each in getattr(result, "verdicts", ())}
    lines = [" ".join(line.removeprefix("- ").split()) for line in str(result).splitlines()]
    said = [line for line in lines if not any(line in each for each in spoken)]
    advised = [line for line in said if line.startswith("calibrator = ")]
    found.values["text"] = rounded([line for line in said if line and line not in advised])
    if advised:
        found.verdicts["advised"] = rounded(advised)
    return found


def documents_of(name: str) -> dict[str, Document]:
    """Return what is frozen of a set: its values, and its verdicts."""
    first, *others = all_nets()[name].paths().items()
    parts = parts_of(first[1]())
    values: Document = {"values": parts.values, "differs": {}, "refused": {}}
    verdicts: Document = {"verdicts": parts.verdicts, "differs": {}}
    for path, run in others:
        try:
            other = parts_of(run())
        except stakes.StakesError as error:
            values["refused"][path] = str(error)
            continue
        for document, one, two in (
            (values, parts.values, other.values),
            (verdicts, parts.verdicts, other.verdicts),
        ):
            for key in differing(one, two):
                document["differs"][key] = " ".join(
                    [document["differs"].get(key, ""), path]
                ).strip()
    return {"values": values, "verdicts": verdicts}


def documents_of_commands() -> dict[str, Document]:
    """Return what is frozen of the command line."""
    found = commands()
    return {
        "values": {name: parts.values for name, parts in found.items()},
        "verdicts": {name: parts.verdicts for name, parts in found.items() if parts.verdicts},
    }


def documents_of_refusals() -> dict[str, Document]:
    """Return what is frozen of refusals: all of it are values."""
    return {"values": refusals()}


OTHERS: dict[str, Callable[[], dict[str, Document]]] = {
    "commands": documents_of_commands,
    "refusals": documents_of_refusals,
}


def names() -> list[str]:
    """Return the names of all nets."""
    return [*all_nets(), *OTHERS]


def made(name: str) -> dict[str, Document]:
    """Return the documents of a net, made anew."""
    return OTHERS[name]() if name in OTHERS else documents_of(name)


def place(part: str, name: str) -> Path:
    """Return the file of one part of a net."""
    return FOLDER / part / f"{name}.json"


def grown(name: str, documents: Mapping[str, Document]) -> list[str]:
    """Return the keys that came to differ between the ways in which a set can be given."""
    found = []
    for part, document in documents.items():
        path = place(part, name)
        if path.exists():
            before = read(path.read_text("utf-8"))["differs"] if "differs" in document else {}
            now = document.get("differs", {})
            more = {key for key, paths in now.items() if set(paths.split()) - _paths(before, key)}
            held = set(read(path.read_text("utf-8")).get(part, ())) & more
            found += [f"{name}, {part}: {key}" for key in sorted(held)]
    return found


def _paths(differs: Mapping[str, str], key: str) -> set[str]:
    return set(differs.get(key, "").split())


def write(wanted: list[str]) -> None:
    """Write nets anew, all or some; refuse where rows given in another way agreed, and do not."""
    unknown = set(wanted) - set(names())
    if unknown:
        sys.exit(f"there is no net {', '.join(sorted(unknown))}: names are {', '.join(names())}")
    refused = []
    for name in wanted or names():
        documents = made(name)
        more = grown(name, documents)
        refused += more
        if not more:
            _write(name, documents)
    if not wanted:
        for path in FOLDER.glob("*/*.json"):
            if path.stem not in names():
                path.unlink()
    if refused:
        sys.exit(
            "not written, since rows in another order, in batches or merged gave the same\n"
            "here and now do not:\n" + "\n".join(refused)
        )


def _write(name: str, documents: Mapping[str, Document]) -> None:
    for part, document in documents.items():
        path = place(part, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_text(document), "utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] != ["--write"]:
        sys.exit(__doc__)
    write(sys.argv[2:])
