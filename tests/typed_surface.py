"""Types as users see them, by pyright: `make types`.

The type of every public name and of its members must be known, and what is right and wrong in
`typed_use.py` must be accepted and refused.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import exports

BIN = Path(sys.executable).parent
# Classes that inherit from scikit-learn's, which has no types; their own members must have them.
UNTYPED_BASES = {"BayesClassifier", "CalibratedClassifier", "NamedScorer", "WrappingClassifier"}


def pyright(*words: str) -> dict[str, Any]:
    """Return what pyright says of the environment that this runs in."""
    path = os.pathsep.join([str(BIN), os.environ["PATH"]])
    where = {"VIRTUAL_ENV": sys.prefix, "PATH": path, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    command = [str(BIN / "pyright"), "--outputjson", *words]
    done = subprocess.run(command, stdout=-1, check=False, env={**os.environ, **where})
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def unknown_types() -> list[str]:
    """Return the public names whose types are not known, with the reasons."""
    said = pyright("--verifytypes", "stakes", "--ignoreexternal")["typeCompleteness"]
    symbols = {symbol["name"]: symbol for symbol in said["symbols"]}
    public = tuple(f"{module}.{name}" for module, name in exports.public_names())
    assert len(symbols.keys() & set(public)) > 100
    return [
        "; ".join([name, *(d["message"].partition("\n")[0] for d in symbol["diagnostics"])])
        for name, symbol in symbols.items()
        if not symbol["isTypeKnown"]
        and name.startswith(public)
        and not name.startswith(
            ("stakes.inspect_ai.", "stakes.torch.")
        )  # of types that are not here
        and name.rpartition(".")[2] not in UNTYPED_BASES
    ]


def wrong_uses() -> list[str]:
    """Return where pyright does not say of `typed_use.py` what it should."""
    page = Path(__file__).with_name("typed_use.py")
    found = pyright(str(page))["generalDiagnostics"]
    return [f"{page.name}:{d['range']['start']['line'] + 1}: {d['message']}" for d in found]


if __name__ == "__main__":
    found = unknown_types() + wrong_uses()
    print(*found, f"types: {len(found)} faults", sep="\n")  # noqa: T201
    sys.exit(bool(found))
