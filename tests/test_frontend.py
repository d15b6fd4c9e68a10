"""The page's numbers are the library's: the committed cases, and node that runs the page's core."""

import json
import math
import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import golden
import golden_law
import golden_responses
from command import call
from golden_outcomes import unpacked

FRONTEND = golden.PLACE.parent.parent
NPM = shutil.which("npm")


SOUGHT = {"interval", "intervals", "band", "matthews"}  # ends, which a search finds


def same(ours: Any, theirs: Any, near: float = 1e-12) -> bool:  # noqa: ANN401  anything JSON holds
    """Compare cases; numbers may differ by what another machine's logarithms make of them."""
    if isinstance(ours, float) and isinstance(theirs, int | float):
        return math.isclose(ours, theirs, rel_tol=near, abs_tol=near / 1000) or ours == theirs
    if isinstance(ours, dict):
        keys = ours.keys()
        return keys == theirs.keys() and all(
            same(ours[k], theirs[k], 1e-7 if k in SOUGHT else near) for k in keys
        )
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(
            same(one, other, near) for one, other in zip(ours, theirs, strict=True)
        )
    return bool(ours == theirs)


@dataclass(frozen=True)
class NodeRun:
    """How the tests of the page's core ended, and the files for the command line they wrote."""

    code: int
    said: str
    files: list[list[dict[str, str]]]


@cache
def node_tests() -> NodeRun:
    """Run the tests of the page's core, once; they build in one place, so one run at a time."""
    if NPM is None or not (FRONTEND / "node_modules").is_dir():
        reason = "node and `npm ci` in frontend/ are needed to test the page's core"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    fcntl = pytest.importorskip("fcntl")
    with (FRONTEND / "node_modules" / ".tested").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            [NPM, "test", "--silent"],
            cwd=FRONTEND,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        written = FRONTEND / "build" / "files.json"
        files = json.loads(written.read_text("utf-8")) if written.exists() else []
    return NodeRun(done.returncode, done.stdout[-5000:] + done.stderr[-2000:], files)


@pytest.mark.parametrize("part", golden.MAKERS)
def test_committed_cases_are_those_of_the_library(part: str) -> None:
    committed = json.loads(golden.PLACE.read_text("utf-8"))
    assert committed.keys() == golden.MAKERS.keys()
    made = json.loads(golden.as_json(golden.MAKERS[part]()))
    assert same(unpacked(made), unpacked(committed[part]))


@pytest.mark.parametrize("part", golden_responses.MAKERS)
def test_committed_cases_of_responses_are_those_of_the_library(part: str) -> None:
    committed = json.loads(golden_responses.PLACE.read_text("utf-8"))
    assert committed.keys() == golden_responses.MAKERS.keys()
    made = json.loads(golden.as_json(golden_responses.MAKERS[part]()))
    assert same(unpacked(made), unpacked(committed[part]))


@pytest.mark.parametrize("part", golden_law.MAKERS)
def test_committed_cases_of_the_law_are_those_of_the_library(part: str) -> None:
    committed = json.loads(golden_law.PLACE.read_text("utf-8"))
    assert committed.keys() == golden_law.MAKERS.keys()
    made = json.loads(golden.as_json(golden_law.MAKERS[part]()))
    assert same({part: made}, {part: committed[part]})


def test_cases_take_little_room() -> None:
    assert golden.PLACE.stat().st_size < 320_000
    assert golden_responses.PLACE.stat().st_size < 100_000
    assert golden_law.PLACE.stat().st_size < 20_000


def test_the_core_finds_what_the_library_finds() -> None:
    done = node_tests()
    assert done.code == 0, done.said


@pytest.mark.parametrize("place", range(len(golden.file_cases())))
def test_the_command_line_reads_back_what_the_page_writes(place: int, tmp_path: Path) -> None:
    case = golden.file_cases()[place]
    asked, classes = case["problem"], case["about"]["classes"]
    document = _evaluated(place, tmp_path)
    [found] = document["applications"]
    shares = [1 / len(classes)] * len(classes)
    assert found["costs"] == asked["costs"]
    assert found["decisions"] == asked["decisions"]
    assert found["priors_from_data"] == asked["fromData"]
    assert list(found["priors"]) == classes
    wanted = shares if asked["fromData"] else asked["priors"]
    assert list(found["priors"].values()) == pytest.approx(wanted, rel=1e-15)
    adapted = asked["adapt"] or case["about"]["reference"] is not None
    assert document["data"]["adapted"] == adapted


def _can_be_turned(case: dict[str, Any]) -> bool:
    """Whether a case has two classes that are named, by names that can be typed."""
    classes, names = case["about"]["classes"], case["about"]["names"]
    typed = all("," not in name and name == name.strip() for name in classes)
    return names is not None and len(classes) == 2 and typed


@pytest.mark.parametrize(
    "place", [i for i, case in enumerate(golden.file_cases()) if _can_be_turned(case)]
)
def test_what_the_page_writes_holds_in_any_order_of_the_classes(place: int, tmp_path: Path) -> None:
    case = golden.file_cases()[place]
    asked, classes = case["problem"], case["about"]["classes"]
    [found] = _evaluated(place, tmp_path, "--positive", classes[0])["applications"]
    assert list(found["priors"]) == classes[::-1]
    assert found["priors"] == _evaluated(place, tmp_path)["applications"][0]["priors"]
    costs = {
        (truth, decision): cost
        for truth, row in zip(classes, asked["costs"], strict=True)
        for decision, cost in zip(asked["decisions"], row, strict=True)
    }
    for truth, row in zip(classes[::-1], found["costs"], strict=True):
        for decision, cost in zip(found["decisions"], row, strict=True):
            assert costs[truth, decision] == cost


def _evaluated(place: int, folder: Path, *options: str) -> Any:  # noqa: ANN401
    """Judge a table with the files that the page wrote."""
    classes = golden.file_cases()[place]["about"]["classes"]
    for file in node_tests().files[place]:
        (folder / file["name"]).write_text(file["text"], "utf-8")
    (folder / "long.jsonl").write_text(_long_table(classes), "utf-8")
    columns = ["--label", "y", "--id", "id", "--class-column", "c", "--scores", "s"]
    quick = ["--app", "application.toml", "--calibrator", "none", "--json"]
    kind = ["--scores-are", "posteriors"]
    done = call("evaluate", "long.jsonl", *columns, *kind, *quick, *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _long_table(classes: list[str]) -> str:
    """Return a row for each sample and class, one sample of each class."""
    k = len(classes)
    rows = [
        {"id": i, "y": truth, "c": name, "s": 0.5 if name == truth else 0.5 / (k - 1)}
        for i, truth in enumerate(classes)
        for name in classes
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)
