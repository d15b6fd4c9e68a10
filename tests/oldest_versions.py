"""Prints the oldest versions that the project promises, as constraints for pip.

Floors come from pyproject.toml: dependencies, extras, and `[tool.oldest]` for libraries whose
objects are read but which nothing depends on. Other pins are those of constraints.txt.
"""

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_FLOOR = re.compile(r"^([A-Za-z0-9_.-]+)(\[[^\]]*\])?>=([0-9][0-9A-Za-z.]*)$")


def floors() -> dict[str, str]:
    """Return the oldest promised version of each library by its name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    wanted = [*project["project"]["dependencies"], *(each for extra in extras for each in extra)]
    return dict(map(_floor, wanted)) | project["tool"]["oldest"]


def _floor(requirement: str) -> tuple[str, str]:
    found = _FLOOR.match(requirement)
    if found is None:
        message = f"a requirement must be name>=version: got {requirement!r}"
        raise ValueError(message)
    return found[1], found[3]


def constraints() -> Iterable[str]:
    """Yield a pin for each library: its floor, or what constraints.txt says of it."""
    oldest = floors()
    yield from (f"{name}=={version}" for name, version in oldest.items())
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    tools = _tools()
    yield from (pin for pin in pins if pin.partition("==")[0].lower() in tools - set(oldest))


def _tools() -> set[str]:
    """Return the tools of the tests, whose pins hold for old libraries too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {*project["dependency-groups"]["test"], "pip", "hatchling"}


if __name__ == "__main__":
    sys.stdout.write("\n".join(constraints()) + "\n")
