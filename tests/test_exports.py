"""The public names: sorted, documented, there, and cheap to import."""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import exports
import stakes

PACKAGES = [p.parent.name for p in exports.stubs() if p.parent.name != "stakes"]
NEEDED = {"inspect_ai": ("inspect_ai",), "torch": ("torchmetrics",)}
SLOW = {
    "html",
    "numpy.ma",
    "numpy.typing",
    "pyarrow.compute",
    "pyarrow.dataset",
    "stakes.calibration.isotonic_calibrator",
    "stakes.cli.calibrate_command",
    "stakes.curves.likelihood_ratios",
    "stakes.paper",
}

PUBLIC = dir(stakes)
WRITTEN = exports.stubs() | exports.engine_stubs() | exports.tables()
MODULES = {"__version__", *exports.MODULES}
HEAVY = {
    "click",
    "matplotlib",
    "narwhals",
    "numpy",
    "pandas",
    "pyarrow",
    "rich",
    "scipy",
    "sklearn",
}


def test_public_names_are_sorted_and_there() -> None:
    space: dict[str, object] = {}
    exec("from stakes import *", space)  # noqa: S102
    assert sorted(PUBLIC) == PUBLIC == sorted(space.keys() - {"__builtins__"})
    for name in PUBLIC:
        assert getattr(stakes, name) is space[name] is not None


@pytest.mark.parametrize(("path", "text"), WRITTEN.items(), ids=str)
def test_what_is_written_from_the_sources_is_current(path: Path, text: str) -> None:
    assert path.read_text() == text, "run `make exports`"


@pytest.mark.parametrize("name", [n for n in PUBLIC if n not in MODULES])
def test_public_name_says_what_it_is(name: str) -> None:
    thing = getattr(stakes, name)
    assert inspect.getdoc(thing)
    if inspect.isclass(thing) and not issubclass(thing, Exception):
        for attribute, member in inspect.getmembers(thing):
            if not attribute.startswith("_") and callable(member):
                assert inspect.getdoc(member), f"{name}.{attribute}"


def test_no_other_name_is_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'accuracy'"):
        _ = stakes.accuracy  # type: ignore[attr-defined]  # type checkers must refuse it too


def loaded_after(code: str) -> set[str]:
    """Return which heavy packages a fresh interpreter has loaded after some code."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    return {name.partition(".")[0] for name in json.loads(done.stdout)} & HEAVY


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_after("import stakes") == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_of_a_package_is_there_whichever_module_came_first(package: str) -> None:
    for needed in NEEDED.get(package, ()):
        pytest.importorskip(needed)
    script = f"""
import importlib, pkgutil, types
package = importlib.import_module("stakes.{package}")
for module in pkgutil.iter_modules(package.__path__):
    importlib.import_module(f"stakes.{package}.{{module.name}}")
for name in dir(package):
    assert not isinstance(getattr(package, name), types.ModuleType), name
try:
    package.nothing
except AttributeError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )
    missing = f"module 'stakes.{package}' has no attribute 'nothing'"
    assert done.stdout.startswith(missing)


def _loaded_by(modules: str) -> set[str]:
    """Return what modules of other libraries load by themselves."""
    script = f"import sys, {modules}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    return set(done.stdout.decode().split())


@pytest.mark.parametrize(
    ("calibrator", "slow"), [("none", SLOW | {"numpy.random"}), ("affine", SLOW)]
)
def test_evaluating_a_parquet_file_loads_nothing_slow(
    calibrator: str, slow: set[str], tmp_path: Path
) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(
        pa.table({"y": [0, 1, 0, 1] * 10_000, "p": [0.1, 0.2, 0.6, 0.7] * 10_000}), path
    )
    words = f"evaluate {path} --label y --scores p --scores-are posteriors --classes 0,1"
    words += f" --calibrator {calibrator}"
    script = f"""
import sys
from stakes.cli import main
try:
    main({words.split()!r})
except SystemExit as end:
    assert not end.code
print(*sorted(sys.modules), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    loaded = set(done.stderr.decode().split())
    assert {"pyarrow.parquet", "stakes.evaluation.entry"} <= loaded
    assert not loaded & slow - _loaded_by("pyarrow.parquet, rich.console")


@pytest.mark.parametrize(
    ("given", "used"),
    [({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2"), ({"OMP_NUM_THREADS": "2"}, None)],
)
def test_command_keeps_blas_to_one_thread_unless_the_environment_says_otherwise(
    given: dict[str, str], used: str | None
) -> None:
    name = "OPENBLAS_NUM_THREADS"
    script = f"""
import atexit, os, sys
from stakes.cli import main
assert "numpy" not in sys.modules
atexit.register(lambda: print("numpy" in sys.modules, os.environ.get("{name}"), file=sys.stderr))
sys.argv[1:] = ["evaluate", "no-such-file.csv"]
main()
"""
    others = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=False, env=others | given
    )
    assert done.stderr.decode().splitlines()[-1].split() == ["True", str(used)]


def test_a_call_of_the_command_line_leaves_the_environment_alone() -> None:
    script = "import os; from stakes.cli import main; before = dict(os.environ)"
    script += "\ntry: main(['--version'])\nexcept SystemExit: pass\nassert before == os.environ"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)


def test_counting_arrays_loads_numpy_alone() -> None:
    assert loaded_after("import stakes; stakes.expected_cost([0, 1], [0, 1])") == {"numpy"}


def test_help_loads_click_alone() -> None:
    code = "import stakes.cli\ntry: stakes.cli.main(['--help'])\nexcept SystemExit: pass"
    script = (
        f"import io, sys\nsys.stdout, out = io.StringIO(), sys.stdout\n{code}\nsys.stdout = out"
    )
    assert loaded_after(script) == {"click"}
