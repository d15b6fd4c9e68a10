"""Every command that the explanation of a code advises runs, on a table that has its columns."""

import re
import shlex
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from command import call
from stakes._codes import codes

N = 80
COMMANDS = sorted(
    {entry.command for entry in codes().values() if entry.command.startswith("stakes ")}
)
ELSEWHERE = (" --engine ", "stakes evaluate - ")  # need a cluster, or standard input
APPLICATION = """\
label = "y"
scores = "p"
scores-are = "posteriors"
positive = "malignant"
cost = "miss=5,false_alarm=1"
"""


def _after(words: list[str], option: str) -> list[str]:
    return [words[k + 1] for k, word in enumerate(words) if word == option]


def _classes(words: list[str]) -> list[str]:
    """Return the labels that a command is meant for."""
    if named := _after(words, "--classes"):
        return named[0].split(",")
    columns = "".join(_after(words, "--scores")).split(",")
    if len(columns) > 1:
        return [column.partition("_")[2] for column in columns]
    if "c" in _after(words, "--positive"):
        return ["a", "b", "c"]
    return ["benign", "malignant"]


def _table(words: list[str]) -> dict[str, object]:
    """Return a column for everything that a command names."""
    rng = np.random.default_rng(1)
    names = _classes(words)
    y = np.arange(N) % len(names)
    columns = "".join(_after(words, "--scores")).split(",")
    posteriors = rng.dirichlet(np.ones(len(names)), N) / 2 + np.eye(len(names))[y] / 2
    table: dict[str, object] = {"y": np.array(names)[y], "d": np.array(names)[rng.permutation(y)]}
    for name in ("p", "p_old", "p_new", "p_a", "p_b", "p_c"):  # of one class
        table[name] = np.clip((y > 0) * 0.4 + rng.uniform(0.05, 0.55, N), 0, 1)
    if len(columns) > 1:
        table |= dict(zip(columns, posteriors.T, strict=True))
    table |= {"site": np.array(["north", "south"])[y % 2], "patient": np.arange(N)}
    table |= {"ok": rng.integers(0, 2, N), "idk": np.arange(N) % 10 == 0, "id": np.arange(N)}
    percent = "percent" in _after(words, "--confidence-is")
    table |= {"sure": rng.integers(50, 100, N) / (1 if percent else 100)}
    return table | {"topic": np.array(["law", "art"])[y % 2]}


def _write(folder: Path, words: list[str]) -> None:
    table = _table(words)
    arrow = pa.table({name: pa.array(np.asarray(values)) for name, values in table.items()})
    for name in ("scores.csv", "scores.dat", "val.csv", "clean.csv", "decided.csv", "answers.csv"):
        pyarrow.csv.write_csv(arrow, folder / name)
    for name in ("a.csv", "b.csv"):
        pyarrow.csv.write_csv(arrow, folder / name)
    (folder / "parts").mkdir()
    pyarrow.parquet.write_table(arrow, folder / "parts" / "one.parquet")
    np.savez(folder / "scores.npz", y=np.asarray(table["y"]), p=np.asarray(table["p"]))
    (folder / "screening.toml").write_text(APPLICATION)


@pytest.mark.filterwarnings("ignore")  # what such few rows make of a fit is not the question
@pytest.mark.parametrize("line", [c for c in COMMANDS if not any(e in c for e in ELSEWHERE)])
def test_a_command_that_is_advised_runs(line: str, tmp_path: Path) -> None:
    words = shlex.split(line)[1:]
    _write(tmp_path, words)
    done = call(*words, cwd=tmp_path)
    limits = re.search("--max|check", line) is not None
    assert done.returncode == 0 or (limits and done.returncode == 1), done.stderr


def test_commands_are_found() -> None:
    assert len(COMMANDS) > 40
    assert any(ELSEWHERE[0] in line for line in COMMANDS)
