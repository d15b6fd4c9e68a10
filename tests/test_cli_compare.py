"""The commands compare and check: margins, gates, and what they print."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import call
from stakes._text import number

COMMON = ("--label", "y", "--scores-are", "posteriors", "--positive", "ill")
SYSTEMS = ("--system", "old=old", "--system", "new=new")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return the folder of a file with two systems: the new one errs on fewer samples."""
    rng = np.random.default_rng(5)
    y = np.arange(2000) % 2
    old, new = (np.where(rng.random(2000) < rate, 1 - y, y) * 0.8 + 0.1 for rate in (0.3, 0.1))
    rows = zip(np.where(y == 1, "ill", "well"), old, new, strict=True)
    lines = ["y,old,new", *(f"{a},{b:.1f},{c:.1f}" for a, b, c in rows)]
    (tmp_path / "two.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def document(*arguments: str, cwd: Path) -> dict[str, Any]:
    done = call(*arguments, "--json", cwd=cwd)
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_table_by_odds_says_how_it_is_tested(table: Path) -> None:
    text = " ".join(call("compare", "two.csv", *COMMON, *SYSTEMS, cwd=table).stdout.split())
    _, found, rest = text.partition("odds c12 P1 / (c21 P2) costs least")
    assert found
    assert "Tested for all odds together, and against the naive system; the verdicts are" in rest
    assert "cross-entropy" in text
    assert "Brier score" in text
    assert "AUC" in text


def test_a_signed_difference_stands_with_its_signed_interval(table: Path) -> None:
    done = call("compare", "two.csv", *COMMON, *SYSTEMS, cwd=table)
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    nec = document("compare", "two.csv", *COMMON, *SYSTEMS, cwd=table)["differences"][1]
    value, (low, high) = nec["difference"]["value"], nec["difference"]["interval"]
    assert value < 0
    assert high < 0
    assert (
        "new costs less than old: the normalised cost of new minus that of old is"
        f" {number(value)} (95 % interval {number(low)} to {number(high)})" in text
    )


def test_details_show_no_undefined_shares(table: Path) -> None:
    done = call("compare", "two.csv", *COMMON, *SYSTEMS, "--details", cwd=table)
    assert "nan" not in done.stdout
    assert "f1" in done.stdout


@pytest.mark.parametrize(
    ("scores", "against", "code"),
    [("new", "old=0.02", 0), ("old", "new=0.02", 1), ("old", "new=9", 0)],
)
def test_a_gate_against_another_system(table: Path, scores: str, against: str, code: int) -> None:
    gate = ("--scores", scores, "--max-loss-against", against)
    done = call("check", "two.csv", *COMMON, *gate, cwd=table)
    assert done.returncode == code
    other = against.partition("=")[0]
    assert f"cost.relative_to.{other} is" in done.stdout
    assert done.stdout.startswith("ok" if code == 0 else "FAILED")


def test_the_gate_goes_by_the_interval(table: Path) -> None:
    """A value within the limit does not pass if the interval is not."""
    rows = (table / "two.csv").read_text().splitlines()
    (table / "few.csv").write_text("\n".join(rows[:30]) + "\n")
    gate = ("--scores", "new", "--max-loss-against", "old=0.02")
    (found,) = document("check", "few.csv", *COMMON, *gate, cwd=table)["gates"]
    assert found["estimate"]["value"] < 1.02 < found["held_against"]
    assert not found["passed"]


def test_the_largest_cost_is_that_of_every_application(table: Path) -> None:
    """One application would pass, the other does not."""
    (table / "app.toml").write_text(
        'training-prior = "data"\n'
        '[applications.even]\ncost = "miss=1,false_alarm=1"\n'
        '[applications.rare]\ncost = "miss=1,false_alarm=1"\nprior = "0.05"\n'
    )
    limit = ("--scores", "new", "--app", "app.toml", "--max-nec", "0.5")
    gates = document("check", "two.csv", *COMMON, *limit, cwd=table)["gates"]
    assert [(g["metric"], g["passed"]) for g in gates] == [("even.nec", True), ("rare.nec", False)]
    assert call("check", "two.csv", *COMMON, *limit, cwd=table).returncode == 1


def test_a_metric_without_an_interval_says_so(table: Path) -> None:
    limit = ("--scores", "new", "--max", "cost.f1_score=2", "--confident", "--group", "old")
    done = call("check", "two.csv", *COMMON, *limit, cwd=table)
    assert done.returncode == 1
    assert "without an interval" in done.stdout
    assert "()" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--scores", "new", "--max-loss-against", "old"), "COLUMNS=SHARE"),
        (("--scores", "new", "--max-loss-against", "old=0"), "above 0"),
        (("--scores", "new", "--max-loss-against", "old=x"), "got 'old=x'"),
        (("--scores", "new", "--max-loss-against", "new=0.1"), "other columns than --scores"),
        (("--max-loss-against", "old=0.1"), "--scores must name"),
    ],
)
def test_bad_gates_are_named(table: Path, arguments: tuple[str, ...], words: str) -> None:
    done = call("check", "two.csv", *COMMON, *arguments, cwd=table)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_margin_is_printed_and_written(table: Path) -> None:
    found = document("compare", "two.csv", *COMMON, *SYSTEMS, "--margin", "0.02", cwd=table)
    assert [verdict["code"] for verdict in found["verdicts"][:2]] == ["better", "non_inferior"]
    (relative,) = found["relative_costs"]
    assert relative["non_inferior"]
    assert not relative["equivalent"]
    assert call("compare", "two.csv", *COMMON, *SYSTEMS, "--margin", "0", cwd=table).returncode == 2
