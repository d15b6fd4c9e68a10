"""Whether pyright knows the type of every public name and of all its members: `make types`."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import exports


def unknown_types() -> list[str]:
    """Return the public names whose types are not known, with the reasons."""
    tool = shutil.which("pyright", path=Path(sys.executable).parent)
    if tool is None:
        raise FileNotFoundError("pyright")
    where = {"VIRTUAL_ENV": sys.prefix, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    words = [tool, "--verifytypes", "stakes", "--ignoreexternal", "--outputjson"]
    done = subprocess.run(
        words, capture_output=True, check=False, env={**os.environ, **where, "PATH": path}
    )
    symbols = json.loads(done.stdout)["typeCompleteness"]["symbols"]
    public = tuple(f"{module}.{name}" for module, name in exports.public_names())
    if not any(symbol["name"].startswith(public) for symbol in symbols):
        raise ValueError(done.stdout)
    return [
        f"{symbol['name']}: {_reasons(symbol)}"
        for symbol in symbols
        if not symbol["isTypeKnown"] and _inside(symbol["name"], public)
    ]


def _inside(name: str, public: tuple[str, ...]) -> bool:
    """Whether a name is one of the public ones, or a member of one that is not private."""
    held = any(name == one or name.startswith(f"{one}.") for one in public)
    return held and "._" not in name.removeprefix("stakes._errors")


def _reasons(symbol: dict[str, Any]) -> str:
    return "; ".join(d["message"].partition("\n")[0] for d in symbol["diagnostics"])


if __name__ == "__main__":
    found = unknown_types()
    print(*found, f"{len(found)} public names of unknown type", sep="\n")  # noqa: T201
    sys.exit(bool(found))
