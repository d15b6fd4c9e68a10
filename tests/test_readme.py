"""The README as an index page shows it: without links that lead nowhere."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Load the hook on a stand-in for the build tool, which need not be installed."""
    interface = ModuleType("hatchling.metadata.plugin.interface")
    interface.MetadataHookInterface = object  # type: ignore[attr-defined]
    names = interface.__name__.split(".")
    for depth in range(1, len(names)):
        monkeypatch.setitem(sys.modules, ".".join(names[:depth]), ModuleType(names[depth - 1]))
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    spec = importlib.util.spec_from_file_location("hatch_readme", ROOT / "hatch_readme.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_index_page_has_no_links_to_files(hook: ModuleType) -> None:
    made = hook.ReadmeHook()
    made.root = str(ROOT)
    metadata: dict[str, dict[str, str]] = {}
    made.update(metadata)
    text = metadata["readme"]["text"]
    assert "evaluate it, compare it, gate it in CI (`docs/how-to/ml-engineer.md`)" in text
    for address in re.findall(r"\]\(([^)]*)\)", text):
        assert address.startswith("https://"), address


def test_links_of_the_readme_lead_to_files() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for address in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", readme):
        assert (ROOT / address).exists(), address


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("target", ["demo", "test", "wheel"])
@pytest.mark.parametrize("python", ["missing", "without venv", "older"])
def test_make_says_in_one_line_which_python_it_needs(
    target: str, python: str, tmp_path: Path
) -> None:
    for name in ("Makefile", "constraints.txt", "pyproject.toml", "hatch_build.py"):
        shutil.copy(ROOT / name, tmp_path)
    fake = tmp_path / "python"
    if python != "missing":
        act = "raise ImportError('ensurepip')" if python == "without venv" else "sys.exit(1)"
        fake.write_text(f'#!/bin/sh\nexec {sys.executable} -c "import sys; {act}"\n')
        fake.chmod(0o755)
    done = subprocess.run(
        [str(shutil.which("make")), target, f"PYTHON={fake}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert done.returncode == 2
    assert len(said) == 1
    assert said[0].startswith(f"'{fake}' must be Python 3.11 or newer with venv: install them")
    assert not (tmp_path / ".venv").exists()


def test_the_readme_begins_with_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 125
    picture, first, second = (
        text.index(x) for x in ("](docs/images/report.png)", "make demo", "make test")
    )
    assert picture < first < second < text.index("pip install")
    assert "LogisticRegression" in text[: text.index("## Ten seconds")]
