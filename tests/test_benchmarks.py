"""The benchmarks run, say what they left out, and the page shows their results."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

pytestmark = [
    pytest.mark.skipif(not (ROOT / "benchmarks").exists(), reason="an sdist has no benchmarks"),
    pytest.mark.skipif(sys.platform == "win32", reason="memory and children are read as on Unix"),
]


def run(module: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"benchmarks.{module}", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_job_is_timed_and_checked_beside_a_peer(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    done = run("run", "--quick", "--job", "small-accuracy", "--json", str(path))
    assert done.returncode == 0, done.stderr
    results = json.loads(path.read_text())
    ours, theirs = results["jobs"]
    assert ours["agrees"]
    assert ours["cpu"] > 0
    assert theirs["agrees"]
    assert theirs["values"] == pytest.approx(ours["values"])
    assert theirs["ratio"] == pytest.approx(theirs["cpu"] / ours["cpu"])


def test_every_peer_has_a_version_or_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    done = run("run", "--quick", "--job", "small-brier-10", "--json", str(path))
    assert done.returncode == 0, done.stderr
    peers = json.loads(path.read_text())["peers"]
    for peer in peers.values():
        assert peer["missing"] or peer["versions"]
    for name, peer in peers.items():
        assert (f"{name} is left out" in done.stderr) == bool(peer["missing"])


def test_an_unknown_job_is_refused() -> None:
    done = run("run", "--job", "acu")
    assert done.returncode == 2
    assert "--job must start one of scorecard-binary" in done.stderr


def test_the_page_is_that_of_the_results() -> None:
    done = run("report", "--check")
    assert done.returncode == 0, done.stderr


def test_a_page_of_other_numbers_is_noticed(tmp_path: Path) -> None:
    results = json.loads((ROOT / "benchmarks" / "results.json").read_text())
    results["machine"]["python"] = "0.0"
    (tmp_path / "other.json").write_text(json.dumps(results))
    done = run("report", "--check", "--json", str(tmp_path / "other.json"))
    assert done.returncode == 1
    assert "is not that of the results" in done.stderr
