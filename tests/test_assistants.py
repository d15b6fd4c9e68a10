"""The skill file and llms.txt: every call and command in them works, every link leads to a page."""

import importlib.util
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import stakes
from stakes.cli import main

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SKILL = (DOCS / "SKILL.md").read_text(encoding="utf-8")
CALLS = re.findall(r"^\| ([^|]+) \| `(stakes\.[^|]+)` \|$", SKILL, re.MULTILINE)
BLOCKS = re.findall(r"^ *```python\n(.*?)^ *```$", SKILL, re.MULTILINE | re.DOTALL)
COMMANDS = [
    line
    for block in re.findall(r"^```console\n(.*?)^```$", SKILL, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def setting() -> dict[str, Any]:
    """Return the names that the skill file speaks about."""
    rng = np.random.default_rng(5)
    ill = rng.random(300) < 0.3
    X = rng.normal(size=(300, 2)) + 1.5 * ill[:, None]
    y = np.where(ill, "malignant", "benign")
    model = LogisticRegression().fit(X[:100], y[:100])
    X, y = X[100:], y[100:]
    p = model.predict_proba(X)[:, 1]
    columns = {
        "label": y,
        "p": p,
        "q": p**2,
        "site": ["a", "b"] * 100,
        "patient": np.arange(200) // 2,
    }
    costs = stakes.CostMatrix.binary(miss=20, false_alarm=1, classes=["benign", "malignant"])
    return {
        "stakes": stakes, "model": model, "X": X, "y": y, "p": p, "q": p**2,
        "d": model.predict(X), "frame": pd.DataFrame(columns), "costs": costs,
    }  # fmt: skip


def test_the_skill_file_has_what_assistants_look_for() -> None:
    found = re.match(r"---\nname: ([a-z-]+)\ndescription: (.+)\n---\n", SKILL)
    assert found is not None
    assert found[1] == "stakes"
    assert len(found[2]) < 1024
    assert len(CALLS) >= 20
    assert len(BLOCKS) >= 6
    assert len(COMMANDS) >= 6
    assert len(re.findall(r"^\d\. \*\*", SKILL, re.MULTILINE)) == 5


@pytest.mark.parametrize("call", [call for _, call in CALLS])
def test_every_call_of_the_table_works(call: str) -> None:
    assert eval(call, setting()) is not None  # noqa: S307  of our own page


def test_every_block_runs(capsys: pytest.CaptureFixture[str]) -> None:
    names = setting()
    for block in BLOCKS:
        lines = block.splitlines()
        margin = len(lines[0]) - len(lines[0].lstrip())
        exec("\n".join(line[margin:] for line in lines), names)  # noqa: S102  of our own page
    assert "normalised expected cost" in capsys.readouterr().out
    assert Path("report.html").exists()
    assert "cost.nec" in names["numbers"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_works(command: str) -> None:
    frame = setting()["frame"]
    ill = np.where(frame["label"] == "malignant", "ill", "well")
    pd.DataFrame({"y": ill, "p": frame["p"], "q": frame["q"]}).to_csv("t.csv", index=False)
    with pytest.raises(SystemExit) as end:
        main(shlex.split(command)[1:])
    assert not end.value.code


def test_every_link_of_llms_txt_leads_to_a_page() -> None:
    text = (DOCS / "llms.txt").read_text(encoding="utf-8")
    assert text.startswith("# stakes\n\n> ")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 20
    pages = {page.relative_to(DOCS).with_suffix(".html").as_posix() for page in DOCS.rglob("*.md")}
    pages |= {page.replace("README.html", "index.html") for page in pages}
    assert [link for link in links if link not in {*pages, "SKILL.md"}] == []


def test_both_are_at_the_root_of_the_site(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("finish", DOCS / "site" / "finish.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.add_text_files(tmp_path)
    assert (tmp_path / "SKILL.md").read_text(encoding="utf-8") == SKILL
    assert "](SKILL.md)" in (tmp_path / "llms.txt").read_text(encoding="utf-8")
