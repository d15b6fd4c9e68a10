"""What the library says apart from intervals is what it said: see `tests/nets.py`.

A difference is wanted, and then `python tests/nets.py --write NAME` freezes it and the fragment in
`changelog.d` explains it; or it is a defect.
"""

from functools import cache
from typing import Any

import pytest

import nets
from net_form import as_text, changes, read

SHOWN = 12


@cache
def made(name: str) -> dict[str, nets.Document]:
    """Return what a net gives today, as its file would hold it."""
    return {part: read(as_text(document)) for part, document in nets.made(name).items()}


def frozen(part: str, name: str) -> Any:  # noqa: ANN401  a document
    path = nets.place(part, name)
    assert path.exists(), f"write it: python tests/nets.py --write {name}"
    return read(path.read_text("utf-8"))


@pytest.mark.parametrize("name", nets.names())
def test_nets(name: str) -> None:
    found = [
        f"{part}: {line}"
        for part, document in made(name).items()
        for line in changes(frozen(part, name), document)
    ]
    shown = "\n".join(found[:SHOWN])
    write = f"python tests/nets.py --write {name}"
    assert not found, f"{len(found)} differences. Explain them and {write}, or fix them.\n{shown}"
