"""The README as an index page shows it: without links that lead nowhere."""

import importlib.util
import re
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
