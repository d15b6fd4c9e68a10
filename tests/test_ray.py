"""The recipe for Ray, run as the page prints it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import stakes
from engine_cases import CASES, TABLE, write_files

pytest.importorskip("ray")
PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "query-engines.md"


def test_the_recipe_gives_what_one_process_gives(tmp_path: Path) -> None:
    found = re.search(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    (tmp_path / "days").mkdir()
    write_files(tmp_path / "days")
    (tmp_path / "recipe.py").write_text(found[1])
    done = subprocess.run(
        [sys.executable, "recipe.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    here = stakes.Summary.of(TABLE, **CASES["binary"]).evaluate()
    assert done.stdout.splitlines()[-1] == str(here.verdicts[0])
