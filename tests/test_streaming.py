"""Tables larger than memory: read in batches, with the results of the whole table."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from command import STAKES, call, environment, shell
from stakes import InputError
from stakes.cli import table_streams
from stakes.cli.memory import default_memory, size_in_words
from stakes.cli.resume_file import Bookmark
from stakes.cli.table_streams import UnitThreads
from stakes.io.units import Unit

N = 6000
COLUMNS = ("--label", "y", "--scores", "p", "--scores-are", "posteriors")
SCORES = (*COLUMNS, "--positive", "1")
QUICK = (*SCORES, "--calibrator", "none")
BATCHES = ("--memory", "0", "--json")
CLOSE = {"auc": 1e-4, "cost.nec": 1e-9, "cross_entropy.normalized": 1e-9}


@cache
def table(n: int = N) -> pa.Table:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    p = 1 / (1 + np.exp(-(2 * y - 1) - rng.normal(size=n)))
    return pa.table(
        {
            "y": y.astype(np.int8),
            "p": p,
            "q": 1 - p,
            "w": rng.uniform(0.2, 3, n),
            "v": np.round(np.exp(rng.normal(1, 1, n)), 2),
            "s": [["a", "b", "c"][i % 3] for i in range(n)],
            "g": [f"g{i % 50}" for i in range(n)],
        }
    )


def with_values(name: str, changes: dict[int, Any]) -> pa.Table:
    """Return the table with some values of a column changed."""
    rows = table()
    values = rows.column(name).to_pylist()
    for row, value in changes.items():
        values[row] = value
    return rows.set_column(rows.column_names.index(name), name, pa.array(values))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    parquet.write_table(table(), tmp_path / "t.parquet", row_group_size=500)
    csv.write_csv(table(), tmp_path / "t.csv")
    return tmp_path


@pytest.fixture
def small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units of one row group, and a file of --resume as often as can be."""
    monkeypatch.setattr(table_streams, "ROWS", 500)
    monkeypatch.setattr(table_streams, "EVERY", 0.0)
    monkeypatch.setattr(table_streams, "WAIT", 0.001)


def document(*arguments: str, cwd: Path) -> dict[str, Any]:
    """Return the JSON of a command that must go well, without the name of the file."""
    done = call(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    del found["source"]
    return found


@pytest.mark.parametrize("file", ["t.parquet", "t.csv"])
def test_batches_give_what_the_whole_table_gives(file: str, folder: Path) -> None:
    numbers = {}
    for memory in ("0", "1GB"):
        done = call(
            "evaluate",
            file,
            *SCORES,
            "--format",
            "csv",
            "--memory",
            memory,
            cwd=folder,
        )
        assert done.returncode == 0, done.stderr
        rows = [line.split(",") for line in done.stdout.splitlines()[1:]]
        numbers[memory] = {row[0]: float(row[1]) for row in rows if row[1]}
    assert set(numbers["0"]) == set(numbers["1GB"])
    for name, within in CLOSE.items():
        assert numbers["0"][name] == pytest.approx(numbers["1GB"][name], abs=within)
    for name, value in numbers["0"].items():
        assert value == pytest.approx(numbers["1GB"][name], abs=0.02, rel=0.02), name


@pytest.mark.parametrize(
    ("threads", "rows"),
    [("1", 100), ("2", 100), ("5", 100), ("2", 1000), ("5", 1000), ("1", 10**6)],
)
def test_threads_batches_and_parts_change_nothing(
    threads: str, rows: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = document("evaluate", "t.parquet", *QUICK, *BATCHES, cwd=folder)
    (folder / "parts").mkdir()
    for i, start in enumerate(range(0, N, 1700)):
        parquet.write_table(table().slice(start, 1700), folder / "parts" / f"part-{i}.parquet")
    monkeypatch.setenv("STAKES_THREADS", threads)
    monkeypatch.setattr(table_streams, "ROWS", rows)
    assert document("evaluate", "t.parquet", *QUICK, *BATCHES, cwd=folder) == wanted
    assert document("evaluate", "parts", *QUICK, *BATCHES, cwd=folder) == wanted
    paths = [f"parts/part-{i}.parquet" for i in (3, 0, 2, 1)]
    assert document("evaluate", *paths, *QUICK, *BATCHES, cwd=folder) == wanted
    assert document("evaluate", "t.csv", *QUICK, *BATCHES, cwd=folder) == wanted


def test_a_table_is_read_in_batches_if_it_is_larger_than_memory(folder: Path) -> None:
    for memory, read, words in (
        ("95kB", "in batches", "more than 95 kB"),
        ("97kB", "whole", "the columns take about 96 kB"),
        ("0", "in batches", "because of --memory 0"),
        ("1.5GiB", "whole", "96 kB"),
    ):
        done = call("evaluate", "t.parquet", *QUICK, "--json", "--memory", memory, cwd=folder)
        assert json.loads(done.stdout)["read"] == read
        assert done.stderr.startswith(f"Note: read {read}")
        assert words in done.stderr
    done = call("evaluate", "t.parquet", *QUICK, "--json", cwd=folder)
    assert (json.loads(done.stdout)["read"], done.stderr) == ("whole", "")


@pytest.mark.parametrize("size", ["2XB", "-1", "", "much", "1e3GB", "9" * 400, "GB"])
def test_a_size_that_is_none_is_refused(size: str, folder: Path) -> None:
    done = call("evaluate", "t.parquet", *QUICK, "--memory", size, cwd=folder)
    assert done.returncode == 2
    assert "--memory must be a size such as 2GB, 500MB, 1.5GiB or 0: got" in done.stderr


def test_sizes_in_words_and_of_the_machine() -> None:
    assert [size_in_words(n) for n in (0, 999, 1500, 3_200_000_000)] == [
        "0 B",
        "999 B",
        "1.5 kB",
        "3.2 GB",
    ]
    memory = default_memory()
    assert memory is None or memory > 10**6


MEMBERS = {
    "weights": ("--weight", "w"),
    "groups": ("--group", "g"),
    "slices": ("--slice", "s", "--slice", "g"),
    "costs by case": ("--cost", "miss=v,false_alarm=3"),
    "two columns of costs": ("--cost", '[[0,"w"],["v",0]]', "--slice", "s"),
    "all": ("--weight", "w", "--group", "g", "--slice", "s", "--cost", "miss=5,false_alarm=1"),
    "all by case": ("--weight", "w", "--group", "g", "--slice", "s", "--cost", "miss=v,false_alarm=3"),
}  # fmt: skip


def numbers_of(found: object, where: str = "") -> dict[str, float]:
    """Return every number of JSON by its place."""
    if isinstance(found, dict):
        entries: Any = found.items()
    elif isinstance(found, list):
        entries = enumerate(found)
    else:
        return {where: found} if isinstance(found, int | float) else {}
    out: dict[str, float] = {}
    for key, value in entries:
        out |= numbers_of(value, f"{where}.{key}")
    return out


@pytest.mark.parametrize("name", MEMBERS)
def test_what_belongs_to_rows_is_summed_in_batches(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_streams, "ROWS", 700)
    parquet.write_table(table(), folder / "t.parquet", row_group_size=700)
    run = ("evaluate", "t.parquet", *QUICK, *MEMBERS[name])
    done = call(*run, *BATCHES, cwd=folder)
    assert "read in batches" in done.stderr
    found = json.loads(done.stdout)
    exact = json.loads(call(*run, "--json", cwd=folder).stdout)
    assert (found["read"], exact["read"]) == ("in batches", "whole")
    assert found["data"]["groups"] == exact["data"]["groups"]
    assert [v["code"] for v in found["verdicts"]] == [v["code"] for v in exact["verdicts"]]
    for part in ("applications", "scoring_rules", "slices", "by_class"):
        ours, theirs = numbers_of(found[part], part), numbers_of(exact[part], part)
        assert set(ours) == set(theirs)
        for place, value in theirs.items():
            rank = "minimum" in place or "threshold" in place
            close = 0.05 if rank else 1e-3 if "two" in name else 2e-4
            if part == "slices" and "cross_entropy.interval" in place:
                close = 0.03  # of sums, which do not tell the largest loss
            assert ours[place] == pytest.approx(value, rel=close, abs=close), place


def test_an_interrupted_run_of_all_members_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_streams, "ROWS", 500)
    parquet.write_table(table(), folder / "t.parquet", row_group_size=500)
    run = ("evaluate", "t.parquet", *QUICK, *MEMBERS["all by case"], "--json", "--resume", "r.part")
    real, calls = table_streams.Stream.add, 0

    def stopped(*arguments: Any) -> int:  # noqa: ANN401
        nonlocal calls
        calls += 1
        if calls == 6:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(table_streams, "EVERY", 0.0)
    monkeypatch.setattr(table_streams, "available_threads", lambda: 1)
    monkeypatch.setattr(table_streams.Stream, "add", stopped)
    call(*run, cwd=folder)
    monkeypatch.setattr(table_streams.Stream, "add", real)
    other = [*run]
    other[other.index("--weight") + 1] = "v"
    refused = call(*other, cwd=folder)
    assert refused.returncode == 3
    assert "it was written for --weight w, not v" in refused.stderr
    done = call(*run, cwd=folder)
    assert "rows were read before" in done.stderr
    whole = call(*run[:-2], "--memory", "0", cwd=folder)
    ours, theirs = (json.loads(each.stdout) for each in (done, whole))
    assert {**ours, "notes": []} == {**theirs, "notes": []}


BAD_MEMBERS = {
    "weight below 0": ("w", -1.0, "column 'w' must be finite and at least 0: got -1.0"),
    "weight too large": ("w", 1e200, "column 'w' must be 0 or from 1e-100 to 1e+100"),
    "amount below 0": ("v", -2.0, "column 'v' must hold costs that are finite and at least 0: got -2.0"),
    "group missing": ("g", None, "column 'g'"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_MEMBERS)
def test_a_bad_member_is_named_with_its_row(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    column, value, words = BAD_MEMBERS[name]
    monkeypatch.setattr(table_streams, "ROWS", 500)
    parquet.write_table(
        with_values(column, {4321: value}), folder / "t.parquet", row_group_size=500
    )
    done = call("evaluate", "t.parquet", *QUICK, *MEMBERS["all by case"], *BATCHES, cwd=folder)
    assert done.returncode == 3
    assert words in done.stderr
    assert "row 4321" in done.stderr


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ((*SCORES, "--cost", '[["w","q"],["v",0]]'), "--cost with more than two columns"),
        (("--label", "y", "--scores", "p", "--scores-are", "llr", "--positive", "1"), "likelihoods without --prior"),
        (("--label", "y", "--scores", "p", "--scores-are", "llr", "--positive", "1", "--dcf", "1:1:0.1", "--dcf", "1:1:0.2"), "likelihoods without --prior"),
        (("--label", "y", "--decision", "y2"), "--decision"),
    ],
)  # fmt: skip
def test_what_cannot_be_summed_is_read_whole(
    more: tuple[str, ...], reason: str, folder: Path
) -> None:
    rows = table().append_column("y2", table().column("y"))
    parquet.write_table(rows, folder / "t.parquet")
    quick = () if "--decision" in more else ("--calibrator", "none")
    done = call("evaluate", "t.parquet", *more, *quick, *BATCHES, cwd=folder)
    assert json.loads(done.stdout)["read"] == "whole"
    assert f"Note: read whole: {reason}" in done.stderr
    assert "cannot be summed in batches yet" in done.stderr
    done = call("evaluate", "t.parquet", *more, *quick, "--resume", "r.part", cwd=folder)
    assert done.returncode == 2
    assert f"--resume is for tables that are read in batches: {reason}" in done.stderr


def three_classes(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    y = rng.integers(3, size=n)
    z = rng.normal(size=(n, 3))
    z[np.arange(n), y] += 1.5
    return y, np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)


def in_batches_and_whole(file: str, options: tuple[str, ...], folder: Path) -> list[Any]:
    """Return the document of a file read in batches, and read whole."""
    few = (*options, "--calibrator", "none", "--format", "json")
    done = [call("evaluate", file, *few, *more, cwd=folder) for more in (("--memory", "0"), ())]
    assert [d.returncode for d in done] == [0, 0], done[0].stderr
    return [json.loads(d.stdout) for d in done]


@pytest.mark.parametrize("form", ["columns", "lists", "turned"])
def test_several_scores_in_a_row_are_summed(form: str, folder: Path) -> None:
    y, p = three_classes(2000)
    options: tuple[str, ...] = ("--label", "y", "--scores-are", "posteriors")
    if form == "lists":
        rows = pa.table({"y": y, "p": pa.array(p.tolist())})
        options += ("--scores", "p", "--classes", "0,1,2")
    elif form == "turned":
        rows = pa.table({"y": np.minimum(y, 1), "p": p[:, 1] + p[:, 2]})
        options += ("--scores", "p", "--classes", "0,1", "--positive", "0")
    else:
        rows = pa.table({"y": y, **{f"p_{k}": p[:, k] for k in range(3)}})
        options += ("--scores", "p_0,p_1,p_2")
    parquet.write_table(rows, folder / "k.parquet", row_group_size=300)
    batches, whole = in_batches_and_whole("k.parquet", options, folder)
    assert (batches["read"], whole["read"]) == ("in batches", "whole")
    ours, theirs = (d["applications"][0]["expected_cost"]["normalized"] for d in (batches, whole))
    assert ours == theirs
    rules = [[r["value"]["value"] for r in d["scoring_rules"]] for d in (batches, whole)]
    assert rules[0] == pytest.approx(rules[1], rel=1e-13)
    assert batches["data"] == whole["data"]


def test_a_threshold_is_not_found_in_batches_of_lists(folder: Path) -> None:
    y, p = three_classes(300)
    pairs = [[float(1 - x), float(x)] for x in p[:, 0]]
    parquet.write_table(pa.table({"y": np.minimum(y, 1), "p": pairs}), folder / "k.parquet")
    options = ("--label", "y", "--scores", "p", "--scores-are", "posteriors", "--classes", "0,1")
    done = call("threshold", "k.parquet", *options, "--memory", "0", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "read whole: a column of lists cannot be summed in batches" in done.stderr
    rows = "".join(
        json.dumps({"y": int(a), "p": b}) + "\n" for a, b in zip(y > 0, pairs, strict=True)
    )
    command = [*STAKES, "threshold", "-", *options, "--input-format", "jsonl", "--memory", "0"]
    said = subprocess.run(command, input=rows, capture_output=True, text=True, check=False)
    assert said.returncode == 2
    assert "--memory 0 is for one number per row: the scores are lists" in said.stderr


def test_places_in_lists_are_the_classes_where_labels_are_places(folder: Path) -> None:
    y, p = three_classes(60)
    parquet.write_table(pa.table({"y": y, "p": pa.array(p.tolist())}), folder / "k.parquet")
    few = ("--label", "y", "--scores", "p", "--scores-are", "posteriors")
    done = call("evaluate", "k.parquet", *few, "--calibrator", "none", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "classes are 0 to 2, the positions in column p." in done.stderr


def test_rows_that_were_rounded_are_read_whole(folder: Path) -> None:
    y, p = three_classes(500)
    short = np.round(p, 3)
    rows = pa.table({"y": y, **{f"p_{k}": short[:, k] for k in range(3)}})
    parquet.write_table(rows, folder / "r.parquet", row_group_size=100)
    options = ("--label", "y", "--scores", "p_0,p_1,p_2", "--scores-are", "posteriors")
    few = (*options, "--calibrator", "none", *BATCHES)
    done = call("evaluate", "r.parquet", *few, cwd=folder)
    assert "rows were rounded" in done.stderr
    assert json.loads(done.stdout)["read"] == "whole"
    done = call("evaluate", "r.parquet", *few, "--resume", "r.part", cwd=folder)
    assert (done.returncode, "--resume is for tables" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "more",
    [
        ("--scores-are", "llr", "--prior", "0.3"),
        ("--scores-are", "llr", "--dcf", "10:1:0.01"),
        ("--scores-are", "log10-lr", "--prior", "0.3"),
        ("--scores-are", "logits"),
        ("--scores-are", "posteriors", "--training-prior", "0.5", "--prior", "0.1"),
        ("--scores-are", "posteriors", "--cost", "miss=5,false_alarm=1", "--abstain", "0.1"),
    ],
)
def test_kinds_of_scores_and_costs_are_summed(more: tuple[str, ...], folder: Path) -> None:
    options = ("--label", "y", "--scores", "p", "--positive", "1", *QUICK[-4:], "--json", *more)
    found = document("evaluate", "t.parquet", *options, "--memory", "0", cwd=folder)
    whole = document("evaluate", "t.parquet", *options, "--memory", "1GB", cwd=folder)
    assert (found["read"], whole["read"]) == ("in batches", "whole")
    for a, b in zip(found["applications"], whole["applications"], strict=True):
        costs = [each["expected_cost"]["normalized"]["value"] for each in (a, b)]
        assert costs[0] == pytest.approx(costs[1])


@pytest.mark.usefixtures("small_units")
@pytest.mark.parametrize("threads", ["1", "2", "4"])
@pytest.mark.parametrize(
    ("column", "changes", "words"),
    [
        ("p", {5300: None, 1200: None}, "t.parquet, row 1200: column 'p' must hold"),
        ("p", {4100: float("nan"), 4700: 2.0}, "t.parquet, row 4100: column 'p' must hold"),
        ("p", {4700: float("nan"), 4100: 2.0}, "got 2.0 at t.parquet, row 4100"),
        ("y", {5999: 7, 2501: 5}, "labels of the classes '0', '1': got '5' at t.parquet, row 2501"),
        ("y", {3000: None}, "t.parquet, row 3000: column 'y' must hold a label"),
    ],
)
def test_the_first_bad_value_is_named_whatever_thread_met_it(
    column: str,
    changes: dict[int, Any],
    words: str,
    threads: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STAKES_THREADS", threads)
    path = folder / "t.parquet"
    parquet.write_table(with_values(column, changes), path, row_group_size=500)
    done = call("evaluate", "t.parquet", *QUICK, *BATCHES, "--resume", "r.part", cwd=folder)
    assert done.returncode == 3
    assert words in done.stderr


def test_classes_are_found_behind_a_first_batch_of_one_class(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = np.argsort(table().column("y").to_numpy(), kind="stable")
    parquet.write_table(table().take(pa.array(order)), folder / "sorted.parquet")
    wanted = document("evaluate", "t.parquet", *QUICK, *BATCHES, cwd=folder)
    monkeypatch.setattr(table_streams, "ROWS", 500)
    assert document("evaluate", "sorted.parquet", *QUICK, *BATCHES, cwd=folder) == wanted


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (COLUMNS, "--positive must name the class that column 'p' is the score of"),
        ((*COLUMNS, "--positive", "2"), "--positive must be one of the classes"),
        ((*COLUMNS, "--classes", "0,1,2"), "are for 2 classes, but there are 3"),
        ((*QUICK, "--cost", "miss=1,false_alarm=-1"), "--cost"),
        (("--label", "no", *QUICK[2:]), "has no column 'no'"),
    ],
)
def test_mistakes_are_named_as_for_a_whole_table(
    arguments: tuple[str, ...], words: str, folder: Path
) -> None:
    found = [
        call("evaluate", "t.parquet", *arguments, "--memory", memory, cwd=folder)
        for memory in ("0", "1GB")
    ]
    assert [words in done.stderr for done in found] == [True, True]
    assert found[0].returncode == found[1].returncode != 0


def test_a_table_without_rows_is_refused(folder: Path) -> None:
    parquet.write_table(table().slice(0, 0), folder / "e.parquet")
    done = call("evaluate", "e.parquet", *QUICK, *BATCHES, cwd=folder)
    assert (done.returncode, "'e.parquet' must hold samples" in done.stderr) == (3, True)


def test_standard_input_is_read_in_batches_where_memory_is_0(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = " ".join(("stakes evaluate - --input-format csv", *QUICK, "--json"))
    done = shell(f"{line} --memory 0 < t.csv", folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.pop("source") == "standard input"
    assert found == document("evaluate", "t.csv", *QUICK, *BATCHES, cwd=folder)

    def given(name: str, *more: str) -> subprocess.CompletedProcess[str]:
        with (folder / name).open() as stream:
            monkeypatch.setattr(sys, "stdin", stream)
            return call(*line.split()[1:], *more, cwd=folder)

    done = given("t.csv", "--memory", "1kB")
    assert json.loads(done.stdout)["read"] == "whole"
    assert "'standard input', which can be read only once," in done.stderr
    done = given("t.csv", "--memory", "0", "--resume", "r.part")
    assert (done.returncode, "--resume is for tables" in done.stderr) == (2, True)
    (folder / "one.csv").write_text("y,p\n1,0.5\n")
    done = given("one.csv", "--memory", "0")
    assert (done.returncode, "--classes must name all classes" in done.stderr) == (2, True)


def test_folders_can_give_the_label(folder: Path) -> None:
    for label in (0, 1):
        (folder / "hive" / f"y={label}").mkdir(parents=True)
        kept = table().filter(pa.array(table().column("y").to_numpy() == label)).select(["p"])
        parquet.write_table(kept, folder / "hive" / f"y={label}" / "part-0.parquet")
    wanted = document("evaluate", "t.parquet", *QUICK, *BATCHES, cwd=folder)
    assert document("evaluate", "hive", *QUICK, *BATCHES, cwd=folder) == wanted


def test_check_reads_in_batches(folder: Path) -> None:
    for limit, code in (("0.1", 0), ("0.99", 1)):
        done = call(
            "check",
            "t.parquet",
            *QUICK,
            *BATCHES,
            "--min-auc",
            limit,
            "--resume",
            "r.part",
            cwd=folder,
        )
        found = json.loads(done.stdout)
        assert (done.returncode, found["read"], found["samples"]) == (code, "in batches", N)
        assert not (folder / "r.part").exists()
    done = call("check", "t.parquet", *QUICK, *BATCHES, "--max-loss-against", "q=0.5", cwd=folder)
    assert json.loads(done.stdout)["read"] == "whole"


def test_several_paths_have_no_key(folder: Path) -> None:
    done = call("evaluate", "a.txt", "b.txt", "--key", "key.txt", cwd=folder)
    assert (done.returncode, "--key needs one file" in done.stderr) == (2, True)


def test_no_output_goes_onto_one_of_several_inputs(folder: Path) -> None:
    paths = ("t.parquet", "t.csv")
    for option in ("-o", "--resume", "--html"):
        done = call("evaluate", *paths, *QUICK, option, "./t.csv", "--force", cwd=folder)
        assert (done.returncode, "it is read" in done.stderr) == (4, True)
    done = call("evaluate", "t.csv", *QUICK, "--resume", "x", "-o", "./x", cwd=folder)
    assert (done.returncode, "--output and --resume must be two files" in done.stderr) == (2, True)


class Slow(table_streams.Stream):
    """A stream that fails at a unit once others are saved."""

    path = Path()

    def ready(self, unit: Unit) -> table_streams.Batch | None:
        """Fail at the ninth unit, after the file of --resume is there."""
        if unit.number == 8:
            wait_for(self.path)
            msg = "interrupted for a test"
            raise InputError(msg)
        return super().ready(unit)


def wait_for(path: Path) -> None:
    """Wait until a file is there."""
    for _ in range(1000):
        if path.exists():
            return
        time.sleep(0.01)


@pytest.fixture
def stopped(folder: Path, small_units: None) -> Path:  # noqa: ARG001
    """A folder with the file of a run that was stopped in the midst."""
    Slow.path = folder / "r.part"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_streams, "Stream", Slow)
        done = call("evaluate", "t.parquet", *QUICK, *BATCHES, "--resume", "r.part", cwd=folder)
    assert (done.returncode, "interrupted for a test" in done.stderr) == (3, True)
    assert (folder / "r.part").exists()
    return folder


def test_a_run_goes_on_from_what_was_read(stopped: Path) -> None:
    wanted = document("evaluate", "t.parquet", *QUICK, *BATCHES, cwd=stopped)
    done = call("evaluate", "t.parquet", *QUICK, "--json", "--resume", "r.part", cwd=stopped)
    assert "rows were read before, see 'r.part'" in done.stderr
    assert int(done.stderr.split("Note: ")[2].split()[0]) > 0
    found = json.loads(done.stdout)
    assert found.pop("source") == "t.parquet"
    assert found == wanted
    assert not (stopped / "r.part").exists()


def test_the_options_of_intervals_may_change(stopped: Path) -> None:
    done = call(
        "evaluate",
        "t.parquet",
        *QUICK,
        "--level",
        "0.9",
        "--json",
        "--resume",
        "r.part",
        cwd=stopped,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["level"] == 0.9


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--label", "y", "--scores", "q", *QUICK[4:]), "written for --scores p, not q"),
        ((*QUICK, "--cost", "miss=5,false_alarm=1"), "written for costs and priors"),
        (
            (*QUICK, "--prior", "0.3", "--training-prior", "deployment"),
            "written for costs and priors",
        ),
        ((*QUICK, "--scores-are", "logits"), "written for --scores-are posteriors, not logits"),
    ],
)
def test_a_file_of_other_options_is_refused(
    options: tuple[str, ...], words: str, stopped: Path
) -> None:
    refused(stopped, words, "t.parquet", *options)


def refused(folder: Path, words: str, *arguments: str) -> None:
    """Run with a file that must be refused, and left as it is."""
    kept = (folder / "r.part").read_bytes()
    done = call("evaluate", *arguments, "--resume", "r.part", cwd=folder)
    assert done.returncode == 3, done.stderr
    assert "--resume must be a file of this run: got 'r.part'" in done.stderr
    assert words in done.stderr
    others = "is not a file that --resume wrote" in words  # which nobody is told to delete
    assert ("Delete it to start again, or name" in done.stderr) != others
    assert ("Name another file." in done.stderr) == others
    assert (folder / "r.part").read_bytes() == kept


def test_a_file_of_other_or_changed_parts_is_refused(stopped: Path) -> None:
    (stopped / "u.parquet").write_bytes((stopped / "t.parquet").read_bytes())
    refused(stopped, "'u.parquet' is in only one of them", "u.parquet", *QUICK)
    refused(stopped, "'u.parquet' is in only one of them", "t.parquet", "u.parquet", *QUICK)
    os.utime(stopped / "t.parquet", ns=(0, 0))
    refused(stopped, "'t.parquet' has changed since", "t.parquet", *QUICK)


def test_a_damaged_file_is_refused(stopped: Path) -> None:
    path = stopped / "r.part"
    whole = path.read_bytes()
    for data, words in (
        (b"", "it is not a file that --resume wrote"),
        (b"y,p\n1,2\n", "it is not a file that --resume wrote"),
        (whole.replace(b"stakes resume 2", b"stakes resume 9", 1), "another version of stakes"),
        (whole[:-1], "it is damaged"),
        (whole[:20], "it is damaged"),
        (whole[:200] + bytes([whole[200] ^ 1]) + whole[201:], "it is damaged"),
    ):
        path.write_bytes(data)
        refused(stopped, words, "t.parquet", *QUICK)


def test_a_bookmark_is_read_as_it_was_written() -> None:
    parts = [("/a", 1, 2), ("/b", 3, 4)]
    mark = Bookmark({"--label": "y"}, parts, [{0, 1, 2, 5, 7, 8}, set()], b"summary")
    assert Bookmark.from_bytes(mark.to_bytes()) == mark


def test_a_bookmark_cannot_be_written_where_there_is_no_directory(folder: Path) -> None:
    done = call("evaluate", "t.parquet", *QUICK, "--resume", "no/r.part", cwd=folder)
    assert (done.returncode, "there is no directory" in done.stderr) == (4, True)


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_at_once(sign: signal.Signals, code: int, folder: Path) -> None:
    script = f"""
import signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)  # a job in the background would ignore it
from stakes.cli import main, table_streams
table_streams.WAIT, table_streams.EVERY = 0.01, 0.0
table_streams.ROWS = 500
ready = table_streams.Stream.ready
def slowly(self, unit):
    time.sleep(0.2)
    return ready(self, unit)
table_streams.Stream.ready = slowly
main({["evaluate", "t.parquet", *QUICK, "--resume", "r.part"]!r})
"""
    run = subprocess.Popen(
        [sys.executable, "-c", script], cwd=folder, stderr=subprocess.PIPE, env=environment()
    )
    wait_for(folder / "r.part")
    run.send_signal(sign)
    start = time.monotonic()
    _, error = run.communicate(timeout=30)
    assert time.monotonic() - start < 5
    assert run.returncode == code, error
    assert sorted(p.name for p in folder.iterdir()) == ["r.part", "t.csv", "t.parquet"]
    done = call("evaluate", "t.csv", *QUICK, "--resume", "other.part", cwd=folder)
    assert done.returncode == 0


@pytest.mark.skipif(
    not (Path(__file__).parents[1] / "benchmarks").exists(), reason="an sdist has no benchmarks"
)
def test_kills_change_no_byte(tmp_path: Path) -> None:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from benchmarks.kills import kill_at_random  # noqa: PLC0415

    done, _ = kill_at_random(tmp_path, kills=2, groups=200)
    assert sum(done) == 2


class Total:
    """A sum of whole numbers."""

    def __init__(self, value: int = 0) -> None:
        self.value = value

    def __add__(self, other: "Total") -> "Total":
        return Total(self.value + other.value)

    def take(self, value: int) -> int:
        """Add a number, as one row."""
        self.value += value
        return 1


def units(n: int) -> Iterator[Unit]:
    """Go through units that cannot be read."""
    return (Unit(0, number, lambda: pytest.fail("not read")) for number in range(n))


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_a_crew_takes_each_unit_once(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_streams, "WAIT", 0.001)

    def ready(unit: Unit) -> int:
        time.sleep(0.0005)
        return unit.number

    team = UnitThreads(units(500), Total, ready, Total.take, threads)
    seen: list[tuple[Total, list[Unit]]] = []
    team.run(lambda: seen.append(team.collect()))
    seen += [team.collect(), team.collect()]
    assert sum(total.value for total, _ in seen) == sum(range(500))
    assert sorted(unit.number for _, done in seen for unit in done) == list(range(500))
    for total, done in seen:  # what is saved is consistent at every moment
        assert total.value == sum(unit.number for unit in done)
    assert team.rows == 500


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_a_crew_raises_the_error_of_the_first_unit(threads: int) -> None:
    met = threading.Event()

    def ready(unit: Unit) -> int:
        if unit.number == 20:
            met.wait(0.2)
            msg = "first"
            raise InputError(msg)
        if unit.number == 23:
            met.set()
            msg = "second"
            raise InputError(msg)
        return unit.number

    team = UnitThreads(units(500), Total, ready, Total.take, threads)
    with pytest.raises(InputError, match="first"):
        team.run(lambda: None)
    assert team.rows < 100


def test_a_crew_raises_what_goes_wrong_with_the_next_unit() -> None:
    def some() -> Iterator[Unit]:
        yield from units(3)
        msg = "damaged"
        raise InputError(msg)

    team = UnitThreads(some(), Total, lambda unit: unit.number, Total.take, 2)
    with pytest.raises(InputError, match="damaged"):
        team.run(lambda: None)


def test_the_memory_option_stands_in_application_files_of_all_commands(folder: Path) -> None:
    (folder / "app.toml").write_text(
        'memory = "0"\nlabel = "y"\nscores-are = "posteriors"\npositive = "1"\n'
    )
    app = ("t.parquet", "--scores", "p", "--app", "app.toml")
    done = call("evaluate", *app, "--json", cwd=folder)
    assert json.loads(done.stdout)["read"] == "in batches"
    assert call("threshold", *app, cwd=folder).returncode == 0


def test_the_command_is_a_process_too(folder: Path) -> None:
    (folder / "u.parquet").write_bytes((folder / "t.parquet").read_bytes())
    done = subprocess.run(
        [*STAKES, "evaluate", "t.parquet", "u.parquet", *QUICK, *BATCHES], cwd=folder, env=environment(), capture_output=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["data"]["samples"] == 2 * N


@pytest.mark.parametrize(("rows", "read"), [(2_000, "whole"), (9_000_000, "in batches")])
def test_some_million_rows_are_read_in_batches(rows: int, read: str, folder: Path) -> None:
    short = pa.table({"y": np.tile(np.array([0, 1, 0], dtype=np.int8), rows // 3)})
    p = np.linspace(0.01, 0.99, len(short)).astype(np.float32)
    parquet.write_table(short.append_column("p", pa.array(p)), folder / "m.parquet")
    few = ("--calibrator", "none", "--format", "json")
    done = call("evaluate", "m.parquet", *SCORES, *few, cwd=folder)
    assert (done.returncode, json.loads(done.stdout)["read"]) == (0, read), done.stderr
