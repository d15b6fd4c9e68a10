"""Examples on pages write their files somewhere that goes away."""

from pathlib import Path

import pytest

collect_ignore = ["how-to/cluster.md"]  # which tests/test_guides.py runs where engines are


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each page in a directory of its own."""
    monkeypatch.chdir(tmp_path)
