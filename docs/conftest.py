"""Examples on pages write their files somewhere that goes away."""

from pathlib import Path

import pytest

# tests/test_guides.py runs these where engines, harnesses, torch and MLflow are.
GUIDES = ("cluster", "harnesses", "torch", "trackers")
collect_ignore = ["site", *(f"how-to/{page}.md" for page in GUIDES)]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each page in a directory of its own."""
    monkeypatch.chdir(tmp_path)
