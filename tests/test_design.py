"""What docs/design.md says of the inside is so: the path of evaluate, packages, names of modules."""

import ast
import re
import sys
import tomllib
from collections import Counter
from importlib import import_module
from pathlib import Path
from types import FrameType

import numpy as np
import pandas as pd

import stakes

TOP = Path(__file__).parent.parent
SOURCE = TOP / "src" / "stakes"
DESIGN = (TOP / "docs" / "design.md").read_text(encoding="utf-8")
PATH = re.findall(r"^\| `(\w+)` \| `([\w/]+)` \|", DESIGN, re.MULTILINE)
MOST = 25  # functions that one needs to read to follow evaluate
# a contract, or two names
PUBLIC_OF = {"Comparison", "ResponseComparison", "Summary", "ScoringRule"}


def functions_run() -> set[tuple[str, str]]:
    """Return the functions that an evaluation of a table with everything runs."""
    data = stakes.simulation.simulate(2, n=600)
    table = pd.DataFrame(
        {
            "y": data.y,
            "p": np.exp(data.posteriors([0.5, 0.5]).values)[:, 1],
            "ward": np.arange(data.y.size) % 50,
            "site": np.where(np.arange(data.y.size) % 2, "a", "b"),
        }
    )
    run: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            run.add((frame.f_globals.get("__name__", ""), frame.f_code.co_name))

    sys.setprofile(note)
    try:
        stakes.evaluate(
            table,
            ["p"],
            label="y",
            costs=[[0, 1], [5, 0]],
            priors=[0.8, 0.2],
            training_priors=[0.5, 0.5],
            groups="ward",
            slices=["site"],
        )
        stakes.evaluate(data.y, data.posteriors([0.5, 0.5]))
    finally:
        sys.setprofile(None)
    return run


def test_the_path_of_evaluate_is_the_one_described() -> None:
    assert 15 < len(PATH) <= MOST
    run = functions_run()
    for name, module in PATH:
        home = "stakes." + module.replace("/", ".")
        function = getattr(import_module(home), name)
        assert (function.__module__, name) in run, f"{home}.{name} does not run"


def test_every_package_is_described() -> None:
    packages = {p.parent.name for p in SOURCE.glob("*/__init__.py")}
    packages |= {p.stem for p in SOURCE.glob("*.py") if not p.stem.startswith("__")}
    named = set(re.findall(r"`(\w+)/?`", DESIGN.partition("## Packages")[2].partition("\n## ")[0]))
    assert packages - named == set()


def test_the_layers_are_those_that_are_checked() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(c for c in contracts if c["id"] == "layers")["layers"]
    assert " > ".join(f"`{layer}`" for layer in layers) in DESIGN


def test_no_two_modules_have_one_name() -> None:
    names = Counter(p.stem for p in SOURCE.rglob("*.py") if not p.stem.startswith("__"))
    assert [name for name, n in names.items() if n > 1] == []


def test_methods_say_what_they_build_or_return() -> None:
    found = [
        node.name
        for file in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and any(isinstance(part, ast.FunctionDef) and part.name == "of" for part in node.body)
    ]
    assert set(found) - PUBLIC_OF == set()


def test_nothing_is_named_by_a_participle() -> None:
    words = re.compile(r"\b(Asked|Given|Passed|Priced|Task|Weighing|Judgement)\b")
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                assert not words.fullmatch(node.name), f"{file.name}: class {node.name}"
