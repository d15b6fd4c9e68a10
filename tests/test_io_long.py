"""Tables with a row for each sample and class."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import stakes
from command import call

THREE = stakes.simulation.simulate(3, n=200, priors=[0.4, 0.3, 0.3])
P = np.exp(THREE.posteriors([0.4, 0.3, 0.3]).values)
NAMES = ("b", "a", "c")
LONG = (
    "--label", "y", "--scores", "p", "--scores-are", "posteriors", "--id", "id",
    "--class-column", "k", "--calibrator", "none",
)  # fmt: skip


def rows() -> list[str]:
    return [
        f"s{i},{NAMES[THREE.y[i]]},{NAMES[k]},{float(P[i, k])!r},{1 + i % 3}"
        for i in range(THREE.y.size)
        for k in (2, 0, 1)
    ]


def write(folder: Path, lines: list[str]) -> None:
    (folder / "long.csv").write_text("\n".join(["id,y,k,p,w", *lines]) + "\n")


def test_a_long_table_gives_what_a_wide_one_gives(tmp_path: Path) -> None:
    write(tmp_path, [rows()[i] for i in np.random.default_rng(0).permutation(len(rows()))])
    done = call("evaluate", "long.csv", *LONG, "--weight", "w", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    weights = [1 + i % 3 for i in range(THREE.y.size)]
    wanted = stakes.cross_entropy(
        [NAMES[k] for k in THREE.y], P, classes=list(NAMES), sample_weight=weights
    )
    value = json.loads(done.stdout)["scoring_rules"][0]["value"]["value"]
    assert value == pytest.approx(wanted.value, rel=1e-12)
    turned = call("evaluate", "long.csv", *LONG, "--classes", "c,b,a", "--json", cwd=tmp_path)
    assert json.loads(turned.stdout)["data"]["classes"] == ["c", "b", "a"]


def without_a_class(lines: list[str]) -> list[str]:
    return lines[1:]


def with_a_class_twice(lines: list[str]) -> list[str]:
    return [*lines, lines[4]]


def with_two_labels(lines: list[str]) -> list[str]:
    odd = lines[1].replace(f",{NAMES[THREE.y[0]]},b,", ",c,b,", 1)
    return [lines[0], odd, *lines[2:]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without_a_class, ["'s0'", "no row for class 'c'"]),
        (with_a_class_twice, ["line 602", "'s1'", "twice"]),
        (with_two_labels, ["line 3", "'y'", "the same in all rows"]),
    ],
)
def test_a_long_table_that_is_not_whole_is_refused(
    change: Callable[[list[str]], list[str]], words: list[str], tmp_path: Path
) -> None:
    write(tmp_path, change(rows()))
    done = call("evaluate", "long.csv", *LONG, cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert [word for word in words if word not in done.stderr] == [], done.stderr


def test_both_columns_are_needed(tmp_path: Path) -> None:
    write(tmp_path, rows())
    done = call("evaluate", "long.csv", *LONG[:8], cwd=tmp_path)
    assert done.returncode == 2
    assert "--class-column" in done.stderr
