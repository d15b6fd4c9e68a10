"""The benchmarks run, say what they left out, and the page shows their results."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent

pytestmark = [
    pytest.mark.skipif(not (ROOT / "benchmarks").exists(), reason="an sdist has no benchmarks"),
    pytest.mark.skipif(sys.platform == "win32", reason="memory and children are read as on Unix"),
]


def run(module: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"benchmarks.{module}", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def accuracy(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    path = tmp_path_factory.mktemp("bench") / "results.json"
    done = run("run", "--quick", "--job", "small-accuracy", "--json", str(path))
    assert done.returncode == 0, done.stderr
    return json.loads(path.read_text()), done.stderr


def test_a_job_is_timed_and_checked_beside_a_peer(accuracy: tuple[dict[str, Any], str]) -> None:
    ours, theirs = accuracy[0]["jobs"]
    assert ours["cpu"] > 0
    assert ours["agrees"]
    assert theirs["agrees"]
    assert theirs["values"] == pytest.approx(ours["values"])
    assert theirs["ratio"] == pytest.approx(theirs["cpu"] / ours["cpu"])


def test_every_peer_has_a_version_or_a_reason(accuracy: tuple[dict[str, Any], str]) -> None:
    results, told = accuracy
    for name, peer in results["peers"].items():
        assert peer["missing"] or peer["versions"]
        assert (f"{name} is left out" in told) == bool(peer["missing"])


def test_an_unknown_job_is_refused() -> None:
    done = run("run", "--job", "acu")
    assert done.returncode == 2
    assert "--job must start one of scorecard-binary" in done.stderr


RESULTS = ROOT / "benchmarks" / "results.json"


def test_words_on_what_limits_us_hold_no_numbers() -> None:
    text = (ROOT / "benchmarks" / "limits.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("## ")]
    assert not [line for line in lines if any(letter.isdigit() for letter in line)]


def test_every_missed_figure_says_by_how_much_where_time_goes_and_why(tmp_path: Path) -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    theirs = next(row for row in results["jobs"] if row.get("wanted"))
    theirs |= {"ratio": theirs["wanted"] / 4, "met": False}
    ours = next(r for r in results["jobs"] if r["job"] == theirs["job"] and not r["peer"])
    ours |= {"profile": [{"step": "some.step", "share": 0.5}], "n": theirs["n"], "k": theirs["k"]}
    path = tmp_path / "missed.json"
    path.write_text(json.dumps(results), encoding="utf-8")
    script = "import json, sys; from benchmarks import report;"
    script += "print(report.missed(json.load(open(sys.argv[1]))))"
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    line = next(line for line in done.stdout.splitlines() if theirs["side"] in line)
    assert "| 4 x less time | `some.step` 50 % |" in line
    assert "Not looked into yet." not in done.stdout


def test_the_page_is_that_of_the_results() -> None:
    done = run("report", "--check")
    assert done.returncode == 0, done.stderr


def test_a_page_of_other_numbers_is_noticed(tmp_path: Path) -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    results["machine"]["python"] = "0.0"
    (tmp_path / "other.json").write_text(json.dumps(results))
    done = run("report", "--check", "--json", str(tmp_path / "other.json"))
    assert done.returncode == 1
    assert "is not that of the results" in done.stderr


def test_the_grid_of_calibration_can_be_run() -> None:
    script = (
        "import warnings; from benchmarks import calibration as grid; warnings.simplefilter('ignore');"
        "print(grid.replaced(1.0, 100, 2), grid.priors_row(2.0, 0.1, 0.3, 500, 2))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.startswith("[0.0, ")
