"""The public names: sorted, documented, there, and cheap to import."""

import inspect
import json
import subprocess
import sys

import pytest

import stakes

MODULES = {"__version__", "displays", "metrics", "simulation"}
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
    assert list(stakes.__all__) == sorted(stakes.__all__)
    assert set(dir(stakes)) == set(stakes.__all__)
    for name in stakes.__all__:
        assert getattr(stakes, name) is not None


def test_every_name_with_a_room_is_public() -> None:
    assert set(stakes._ROOMS) == set(stakes.__all__) - MODULES


@pytest.mark.parametrize("name", [n for n in stakes.__all__ if n not in MODULES])
def test_public_name_says_what_it_is(name: str) -> None:
    thing = getattr(stakes, name)
    assert inspect.getdoc(thing)
    if inspect.isclass(thing) and not issubclass(thing, Exception):
        for attribute, member in inspect.getmembers(thing):
            if not attribute.startswith("_") and callable(member):
                assert inspect.getdoc(member), f"{name}.{attribute}"


def test_no_other_name_is_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'accuracy'"):
        _ = stakes.accuracy


def loaded_after(code: str) -> set[str]:
    """Return which heavy packages a fresh interpreter has loaded after some code."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    return {name.partition(".")[0] for name in json.loads(done.stdout)} & HEAVY


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_after("import stakes") == set()


def test_counting_arrays_loads_numpy_alone() -> None:
    assert loaded_after("import stakes; stakes.expected_cost([0, 1], [0, 1])") == {"numpy"}


def test_help_loads_click_alone() -> None:
    code = "import stakes.cli\ntry: stakes.cli.main(['--help'])\nexcept SystemExit: pass"
    script = (
        f"import io, sys\nsys.stdout, out = io.StringIO(), sys.stdout\n{code}\nsys.stdout = out"
    )
    assert loaded_after(script) == {"click"}
