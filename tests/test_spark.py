"""Spark: real executors, of every kind of session, give the bytes of one process."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import stakes
from engine_cases import BINARY, COMMAND, TABLE, local, write_files
from spark_checks import CASES_OF

pytest.importorskip("pyspark")
CHECKS = Path(__file__).with_name("spark_checks.py")
MODES = ("local[2]", "connect", "local-cluster[2,1,1024]")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("rows"))


def found(mode: str, folder: Path) -> dict[str, Any]:
    """Return what a process of its own found with a kind of session."""
    done = run(mode, folder)
    assert done.returncode == 0, done.stderr[-3000:]
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@cache
def run(mode: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, str(CHECKS), mode, str(folder)],
        env={**os.environ, "PYTHONPATH": str(CHECKS.parent)},
        capture_output=True,
        text=True,
        check=False,
    )


def digest(case: str) -> str:
    return hashlib.sha256(local(case)).hexdigest()


@pytest.mark.parametrize("mode", MODES[:2])
def test_executors_give_the_bytes_of_one_process(mode: str, folder: Path) -> None:
    assert found(mode, folder)["bytes"] == {case: digest(case) for case in CASES_OF[mode]}


def test_every_form_of_a_table_gives_the_same_bytes(folder: Path) -> None:
    forms = found("local[2]", folder)["forms"]
    assert len(forms) == 4
    assert set(forms.values()) == {digest("binary")}


def test_only_columns_that_are_needed_are_read(folder: Path) -> None:
    assert "ReadSchema: struct<y:bigint,p:double>" in found("local[2]", folder)["plan"]


def test_a_comparison_is_that_of_one_process(folder: Path) -> None:
    told: dict[str, Any] = {"label": "y", "costs": BINARY, "sample_weight": "w"}
    here = stakes.compare(TABLE, {"old": "q", "new": "p"}, **told).to_dict()
    there = found("local[2]", folder)["compared"]
    assert there["samples"] == here["samples"]
    for one, two in zip(there["differences"], here["differences"], strict=True):
        assert one["metric"] == two["metric"]
        assert one["value"] == pytest.approx(two["value"], rel=1e-9, abs=1e-12, nan_ok=True)


def test_vectors_of_ml_and_odd_names_are_read(folder: Path) -> None:
    assert found("local[2]", folder)["vectors"] == digest("ten classes in a list")


@pytest.mark.parametrize("mode", MODES[:2])
def test_what_is_wrong_is_said_with_its_place(mode: str, folder: Path) -> None:
    said = found(mode, folder)["faults"]
    assert (
        "InputError: table: column 'p' must be posteriors: got 1.5 at partition 0, row"
        in said["beyond"]
    )
    assert "column 'p' must hold numbers: got null" in said["null"]
    assert "must name the classes" in said["texts"]
    assert "'table' has no column 'nope'" in said["column"]
    assert "must hold samples" in said["empty"]
    assert "must be a DataFrame of Spark, or paths: got int" in said["kind"]
    assert said["fails"].startswith("EngineError: Spark gave up: ")
    assert "no such host" in said["fails"]


def test_executors_with_another_version_are_refused(folder: Path) -> None:
    said = found("local[2]", folder)["odd_workers"]
    assert f"a worker has stakes {stakes.__version__}" in said["version"]
    assert "this process has 9.9.9" in said["version"]


def test_killed_executors_change_no_byte(folder: Path) -> None:
    assert found(MODES[2], folder)["kills"] == [digest("binary")]
    assert found(MODES[2], folder)["killed"] == 1


def command(*more: str, cwd: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "stakes", "evaluate", *more],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_prints_what_it_prints_for_files(folder: Path) -> None:
    here = command(str(folder), *COMMAND, "--memory", "0", cwd=folder.parent)
    assert found("local[2]", folder)["command"] == json.loads(here.stdout)
    assert "started Spark here" in run("local[2]", folder).stderr


def test_missing_java_is_said_in_one_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "env").symlink_to(shutil.which("env") or "/usr/bin/env")
    nothing = {"PATH": str(tmp_path / "bin"), "JAVA_HOME": ""}
    done = command(str(folder), *COMMAND, "--engine", "spark", cwd=tmp_path, **nothing)
    assert done.returncode == 4
    assert "Spark needs Java 17 or newer, and none is installed" in done.stderr
    assert "apt-get install openjdk-17-jre-headless" in done.stderr
    java = tmp_path / "bin" / "java"
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    old = {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", "JAVA_HOME": ""}
    done = command(str(folder), *COMMAND, "--engine", "spark", cwd=tmp_path, **old)
    assert "Java 17 or newer" in done.stderr
    assert "is 11" in done.stderr
