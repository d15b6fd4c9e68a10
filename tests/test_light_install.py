"""A light install: numpy, scipy and narwhals are enough for all but files and the command line."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "stakes"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LEFT_OUT = ("pyarrow", "click", "rich")
MODULES = {  # where the package has another name, or brings others
    "dask": {"dask", "distributed", "cloudpickle"},
    "scikit-learn": {"sklearn", "joblib"},
}
OPTIONAL = {"threadpoolctl", "torchmetrics"}  # used where others brought them
BASE = {"narwhals", "numpy", "scipy"}

# Packages of an extra, and where they may be imported; those of the base may be everywhere.
OF_EXTRAS = {
    "cli": ["cli", "io", "answer_logs", "engines"],
    "dask": ["engines", "dask"],
    "inspect": ["inspect_ai"],
    "lm-eval": ["lm_eval"],
    "mlflow": ["mlflow"],
    "plot": ["displays"],
    "sklearn": ["sklearn"],
    "spark": ["engines", "spark"],
    "torch": ["torch"],
}


def results(library: str, *left_out: str) -> dict[str, str]:
    """Return what the calls of light_calls.py return in a process without some packages."""
    command = [sys.executable, str(ROOT / "tests" / "light_calls.py"), library, *left_out]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_in_memory_need_no_file_library(library: str) -> None:
    found, want = results(library, *LEFT_OUT), results(library)
    assert len(found) > 50
    assert [name for name, text in found.items() if re.match(r"\w+(Error|Warning): ", text)] == []
    assert {name for name in want if found[name] != want[name]} == set()


def without(names: Sequence[str], code: str) -> "subprocess.CompletedProcess[str]":
    """Run code in a process without some packages."""
    script = f"import light_calls\nlight_calls.leave_out({list(names)!r})\n{code}"
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT / "tests")


@pytest.mark.parametrize(
    ("names", "arguments"),
    [
        (LEFT_OUT, ["--version"]),
        *(([name], ["evaluate", "scores.csv"]) for name in LEFT_OUT),
    ],
)
def test_the_command_says_in_one_line_what_to_install(
    names: list[str], arguments: list[str]
) -> None:
    run = f"import sys, stakes.__main__\nsys.argv[1:] = {arguments!r}\nstakes.__main__.main()"
    done = without(names, run)
    said = "stakes: the command line needs click, pyarrow and rich: pip install 'stakes[cli]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (3, "", said)


@pytest.mark.parametrize("call", ["read_columns", "read_batches", "read_whole"])
def test_a_file_says_what_to_install(call: str) -> None:
    path = str(SOURCE / "data" / "breast.csv")
    columns = "" if call == "read_whole" else ", ['diagnosis']"
    done = without(LEFT_OUT, f"import stakes.io\nlist(stakes.io.{call}({path!r}{columns}))")
    assert done.returncode == 1
    last = "stakes._errors.MissingExtraError: files and Arrow streams need pyarrow:"
    assert done.stderr.splitlines()[-1] == f"{last} pip install 'stakes[cli]'"


def test_a_query_of_duckdb_needs_no_arrow() -> None:
    pytest.importorskip("duckdb")
    code = """
import duckdb, numpy as np, pandas as pd, stakes
held = pd.DataFrame({"y": [0, 1] * 20, "the p": np.linspace(0.1, 0.9, 40)})
query = duckdb.sql('select * from held')
options = {"label": "y", "scores": "the p"}
assert stakes.Summary.of(query, **options).n == 40
assert stakes.evaluate(query, **options).data.n == 40
assert stakes.bayes_cost(held["y"], query.project('"the p"')) > 0
"""
    done = without(LEFT_OUT, code)
    assert (done.returncode, done.stderr) == (0, "")


def test_only_what_is_required_is_imported() -> None:
    """Every import of another library, at the top of a file or where it is used, is allowed."""
    extras = {
        extra: set().union(*map(modules_of, needed))
        for extra, needed in PROJECT["optional-dependencies"].items()
    }
    assert set(extras) == set(OF_EXTRAS)
    assert set().union(*map(modules_of, PROJECT["dependencies"])) == BASE
    wrong, used = [], set()
    for path in SOURCE.rglob("*.py"):
        package = path.relative_to(SOURCE).parts[0]
        for name in imported(path):
            known = {extra for extra, modules in extras.items() if name in modules}
            used.add(name)
            free = name in {*BASE, *OPTIONAL, *sys.stdlib_module_names, "stakes"}
            if not free and not any(package in OF_EXTRAS[extra] for extra in known):
                wrong.append(f"{path.relative_to(SOURCE)}: {name}")
    assert wrong == []
    assert used >= BASE
    assert set().union(*extras.values()) - {"lm_eval", "joblib"} <= used


def modules_of(requirement: str) -> set[str]:
    """Return the modules of a requirement such as "dask[dataframe]>=2025.1"."""
    found = re.match(r"[\w.-]+", requirement)
    assert found is not None
    return MODULES.get(found[0], {found[0].replace("-", "_")})


def imported(path: Path) -> Iterator[str]:
    """Yield the packages that a file imports, also by import_module and `load`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            known = called in {"import_module", "load", "_Module"}
            names = [str(node.args[0].value)] if known else []
        else:
            continue
        yield from {name.partition(".")[0] for name in names}


def size(name: str) -> int:
    """Return the bytes of an installed package, without what Python compiles."""
    files = distribution(name).files or []
    paths = [Path(str(each.locate())) for each in files]
    return sum(p.stat().st_size for p in paths if p.suffix != ".pyc" and p.is_file())


def required(name: str) -> set[str]:
    """Return what a package requires in this environment, without its extras."""
    found = set()
    for each in distribution(name).requires or []:
        words, _, condition = each.partition(";")
        if "extra" not in condition:
            match = re.match(r"[\w.-]+", words)
            assert match is not None
            found.add(match[0])
    return found


def with_required(names: set[str]) -> set[str]:
    """Return packages with all that they require."""
    found, new = set(names), set(names)
    while new:
        new = {each for name in new for each in required(name)} - found
        found |= new
    return found


def test_the_size_of_the_install_is_what_the_readme_says() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    said = r"about (\d+) MB.*adds narwhals \((\d+) MB\).*`cli` adds another (\d+) MB"
    told = re.search(said, readme)
    assert told is not None
    assert with_required(BASE) == BASE  # nothing else comes with them
    own = sum(p.stat().st_size for p in SOURCE.rglob("*") if p.is_file() and p.suffix != ".pyc")
    try:
        megabytes = (own + sum(map(size, BASE))) / 1e6
    except PackageNotFoundError as error:  # installed in another way than by pip
        pytest.skip(str(error))
    assert own < 12e6
    assert megabytes < 250
    assert megabytes == pytest.approx(int(told[1]), rel=0.15)
    assert size("narwhals") / 1e6 == pytest.approx(int(told[2]), rel=0.3)
    command = with_required({"click", "pyarrow", "rich"})
    assert sum(map(size, command)) / 1e6 == pytest.approx(int(told[3]), rel=0.15)
