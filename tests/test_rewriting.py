"""Tables that are written again with new columns: in batches as whole, and whole or not at all."""

import json
import shutil
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from command import call, environment
from stakes import InputError
from stakes.cli import table_rewriting
from stakes.io import read_batches, read_pairs, read_whole, whole
from stakes.io.batches import Ask
from stakes.io.readers import json_rows

N = 3000
ONE = ("--scores", "p", "--scores-are", "posteriors", "--classes", "a,b")
TWO = ("--scores", "q,p", "--scores-are", "posteriors", "--classes", "a,b")
COSTS = ("--cost", "miss=5,false_alarm=1")
DECIDE = ("decide", "t.parquet", *ONE, *COSTS)


@cache
def table(n: int = N) -> pa.Table:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    p = 1 / (1 + np.exp(-(2 * y - 1) - rng.normal(size=n)))
    return pa.table(
        {
            "id": np.arange(n),
            "y": np.array(["a", "b"])[y],
            "p": p,
            "q": 1 - p,
            "z": np.log(p / (1 - p)),
            "price": 1.0 + rng.integers(0, 9, n),
            "note": [f'said "{i}", twice' if i % 3 else None for i in range(n)],
        }
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table in several forms, and a calibrator."""
    folder = tmp_path_factory.mktemp("made")
    parquet.write_table(table(), folder / "t.parquet", row_group_size=700)
    csv.write_csv(table().drop_columns(["note"]), folder / "t.csv")
    lines = [json.dumps(row) for row in table().to_pylist()]
    (folder / "t.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "parts").mkdir()
    for i, start in enumerate(range(0, N, 1100)):
        path = folder / "parts" / f"part-{i}.parquet"
        parquet.write_table(table().slice(start, 1100), path)
    done = call("calibrate", "t.csv", "--label", "y", *ONE, "-o", "cal.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(made, tmp_path, dirs_exist_ok=True))


def written(folder: Path, *arguments: str, memory: str, output: str = "out.csv") -> dict[str, Any]:
    """Run a command that writes a table, and return what it printed."""
    more = ("--json", "--memory", memory, "-o", output, "--force")
    done = call(*arguments, *more, cwd=folder)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found.pop("read") == ("in batches" if memory == "0" else "whole")
    return found


APPLY = ("calibrate", "t.parquet", *ONE, "--apply", "cal.json")


@cache
def of_the_whole(made: Path, arguments: tuple[str, ...]) -> tuple[dict[str, Any], bytes]:
    """Return what a command prints and writes where it reads the table whole."""
    printed = written(made, *arguments, memory="1GB")
    wanted = (made / "out.csv").read_bytes()
    (made / "out.csv").unlink()
    return printed, wanted


def assert_bytes_of_the_whole(
    made: Path,
    folder: Path,
    arguments: tuple[str, ...],
    rows: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    printed, wanted = of_the_whole(made, arguments)
    assert wanted.count(b"\n") == N + 1
    monkeypatch.setattr(table_rewriting, "ROWS", rows)
    assert written(folder, *arguments, memory="0") == printed
    assert (folder / "out.csv").read_bytes() == wanted


@pytest.mark.parametrize("rows", [9, 1000, 10**6])
@pytest.mark.parametrize(
    "arguments",
    [
        DECIDE,
        ("decide", "t.csv", *ONE, *COSTS, "--abstain", "0.3"),
        ("decide", "t.jsonl", *TWO, *COSTS),
        ("decide", "parts", *ONE, "--cost", "miss=price,false_alarm=2"),
        ("decide", "t.parquet", *ONE, *COSTS, "--review", "0.1"),
        ("decide", "t.parquet", *TWO, "--renormalize", *COSTS, "--calibrator-file", "cal.json"),
        ("decide", "t.parquet", "--scores", "z", "--scores-are", "logits", "--classes", "a,b", *COSTS),
        APPLY,
        (*APPLY, "--prior", "0.01"),
        (*APPLY, "--write", "llr"),
        ("calibrate", "t.csv", *ONE, "--apply", "cal.json", "--write", "log-odds"),
    ],
)  # fmt: skip
def test_batches_give_the_bytes_of_the_whole_table(
    arguments: tuple[str, ...],
    rows: int,
    made: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert_bytes_of_the_whole(made, folder, arguments, rows, monkeypatch)


@pytest.mark.parametrize("arguments", [DECIDE, APPLY])
def test_rows_one_by_one_give_the_bytes_of_the_whole_table(
    arguments: tuple[str, ...], made: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_bytes_of_the_whole(made, folder, arguments, 1, monkeypatch)


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "tsv.gz", "parquet", "pq"])
def test_every_ending_has_the_values_of_the_whole_table(
    ending: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_rewriting, "ROWS", 700)
    for memory, name in (("0", f"a.{ending}"), ("1GB", f"b.{ending}")):
        written(folder, *DECIDE, memory=memory, output=name)
    if ending in ("parquet", "pq"):
        found, wanted = (parquet.read_table(folder / f"{name}.{ending}") for name in "ab")
        assert found.schema == wanted.schema
        assert found.equals(wanted)
        groups = parquet.ParquetFile(folder / f"a.{ending}").num_row_groups
        assert groups == 5
    else:
        data = [(folder / f"{name}.{ending}").read_bytes() for name in "ab"]
        assert data[0] == data[1]
        assert not ending.endswith("gz") or data[0][4:8] == bytes(4)  # no time of writing


@pytest.mark.parametrize("review", ["0", "0.001", "0.25", "1"])
@pytest.mark.parametrize("digits", [1, 17])
def test_a_cap_is_that_of_all_rows(
    review: str, digits: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    p = np.round(table().column("p").to_numpy(), digits)
    rows = table().set_column(2, "p", pa.array(p))
    parquet.write_table(rows, folder / "t.parquet", row_group_size=100)
    printed = written(folder, *DECIDE, "--review", review, memory="1GB")
    wanted = (folder / "out.csv").read_bytes()
    monkeypatch.setattr(table_rewriting, "ROWS", 100)
    assert written(folder, *DECIDE, "--review", review, memory="0") == printed
    assert (folder / "out.csv").read_bytes() == wanted
    assert printed["decisions"]["b"] <= float(review)


def test_ties_at_a_cap_are_counted_over_all_batches(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_rewriting, "ROWS", 100)
    parquet.write_table(pa.table({"p": np.full(1000, 0.9)}), folder / "t.parquet", row_group_size=9)
    more = ("--review", "0.5", "--memory", "0", "-o", "out.csv")
    done = call(*DECIDE, *more, cwd=folder)
    assert "Note: 1000 cases tie at the cap" in done.stderr


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.float32, "(float32); used unchanged"),
        (lambda p: np.round(p, 3), "(3 decimals); each row was divided by its sum"),
        (np.float64, ""),
    ],
)
def test_rounded_rows_are_read_as_all_of_them_show(
    values: Any,  # noqa: ANN401
    words: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    p = values(rng.dirichlet(np.ones(3), N))
    rows = pa.table({name: p[:, k] for k, name in enumerate("abc")})
    parquet.write_table(rows, folder / "t.parquet", row_group_size=500)
    scores = ("--scores", "a,b,c", "--scores-are", "posteriors", "--classes", "a,b,c")
    cost = ("--cost", "[[0,1,1],[2,0,1],[5,1,0]]")
    outputs = []
    monkeypatch.setattr(table_rewriting, "ROWS", 500)
    for memory in ("0", "1GB"):
        more = ("--memory", memory, "-o", "out.csv", "--force")
        done = call("decide", "t.parquet", *scores, *cost, *more, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert words in done.stderr
        assert done.stderr.count("rows of scores sum to 1") == bool(words)
        again = "Note: read whole: rows were rounded" in done.stderr
        assert again == ("decimals" in words and memory == "0")
        outputs.append((folder / "out.csv").read_bytes())
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("arguments", [DECIDE, APPLY])
@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "t.parquet, row 2345: column 'p' must hold"),
        (1.5, "got 1.5 at t.parquet, row 2345"),
    ],
)
def test_a_bad_value_is_named_and_nothing_is_left(
    arguments: tuple[str, ...],
    value: float | None,
    words: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(table_rewriting, "ROWS", 700)
    p = table().column("p").to_pylist()
    p[2345] = value
    rows = table().set_column(2, "p", pa.array(p))
    parquet.write_table(rows, folder / "t.parquet", row_group_size=700)
    (folder / "out.csv").write_text("before")
    there = sorted(folder.iterdir())
    done = call(*arguments, "--memory", "0", "-o", "out.csv", "--force", cwd=folder)
    assert done.returncode == 3
    assert words in done.stderr
    assert sorted(folder.iterdir()) == there
    assert (folder / "out.csv").read_text() == "before"


def test_mistakes_are_refused_as_for_a_whole_table(folder: Path) -> None:
    for more, code, words in (
        (("-o", "t.parquet", "--force"), 4, "it is read"),
        (("-o", "out.xlsx"), 3, "must end in .csv"),
        (("-o", "no/out.csv"), 4, "there is no directory"),
        (("-o", "out.csv", "--review", "0.1", "--abstain", "1"), 2, "--review needs two decisions"),
    ):
        done = call(*DECIDE, "--memory", "0", *more, cwd=folder)
        assert (done.returncode, words in done.stderr) == (code, True), done.stderr
    rows = table().append_column("decision", table().column("y"))
    parquet.write_table(rows, folder / "t.parquet")
    done = call(*DECIDE, "--memory", "0", "-o", "out.csv", cwd=folder)
    assert (done.returncode, "must not have a column 'decision' yet" in done.stderr) == (3, True)
    parquet.write_table(table().slice(0, 0), folder / "t.parquet")
    done = call(*DECIDE, "--memory", "0", "-o", "out.csv", cwd=folder)
    assert (done.returncode, "'t.parquet' must hold samples" in done.stderr) == (3, True)
    assert not (folder / "out.csv").exists()


def test_memory_chooses_by_all_columns(folder: Path) -> None:
    for memory, read in (("160kB", "in batches"), ("170kB", "whole")):
        more = ("--json", "--memory", memory, "-o", "out.csv", "--force")
        done = call(*DECIDE, *more, cwd=folder)
        assert json.loads(done.stdout)["read"] == read
        assert "the columns take about 168 kB" in done.stderr


@pytest.mark.parametrize(
    ("output", "sign", "code"),
    [
        ("out.csv", signal.SIGINT, 130),
        ("out.csv", signal.SIGTERM, 143),
        ("out.csv.gz", signal.SIGTERM, 143),
        ("out.parquet", signal.SIGINT, 130),
    ],
)
def test_a_signal_leaves_nothing_half_written(
    output: str, sign: signal.Signals, code: int, folder: Path
) -> None:
    script = f"""
import signal, time
signal.signal(signal.SIGINT, signal.SIG_DFL)  # a job in the background would ignore it
from stakes.cli import decide_command, main, table_rewriting
table_rewriting.ROWS = 100
decided = decide_command._Rule._decide
def slowly(self, table, rows):
    time.sleep(0.2)
    return decided(self, table, rows)
decide_command._Rule._decide = slowly
main({[*DECIDE, "--memory", "0", "-o", output]!r})
"""
    there = sorted(folder.iterdir())
    run = subprocess.Popen(
        [sys.executable, "-c", script], cwd=folder, stderr=subprocess.PIPE, env=environment()
    )
    for _ in range(1000):
        if sorted(folder.iterdir()) != there:
            break
        time.sleep(0.01)
    assert not (folder / output).exists()
    run.send_signal(sign)
    _, error = run.communicate(timeout=30)
    assert run.returncode == code, error
    assert sorted(folder.iterdir()) == there


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
@pytest.mark.parametrize("rows", [7, 500])
def test_batches_have_the_schema_of_the_whole_table(kind: str, rows: int, tmp_path: Path) -> None:
    """A column without any value in the first part takes its type from the others."""
    parts = [
        pa.table({"p": [0.1, 0.2], "x": pa.nulls(2)}),
        pa.table({"x": ["a", None], "p": [0.3, 0.4]}),
    ]
    for i, part in enumerate(parts):
        path = tmp_path / f"{i}.{kind}"
        if kind == "parquet":
            parquet.write_table(part, path)
        else:
            path.write_text("".join(json.dumps(row) + "\n" for row in part.to_pylist()))
    found = list(read_pairs(tmp_path, Ask((), ("p",)), rows=rows))
    wanted = read_whole(tmp_path)
    assert all(each.schema == wanted.schema for _, each in found)
    assert pa.concat_tables([each for _, each in found]).equals(wanted)
    assert [x for columns, _ in found for x in columns.numbers("p")] == [0.1, 0.2, 0.3, 0.4]


def test_json_has_the_schema_of_all_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_rows, "_ROWS", 2)
    rows = [{"p": 0.1, "x": "late" if i == 5 else None} for i in range(6)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = [each for _, each in read_pairs(tmp_path / "t.jsonl", Ask((), ("p",)))]
    wanted = read_whole(tmp_path / "t.jsonl")
    assert len(found) == 3
    assert [each.schema for each in found] == [wanted.schema] * 3


@pytest.mark.parametrize("sizes", [(1, 1, 8), (10,), (3, 3, 3, 1), (9, 1)])
def test_rows_stand_beside_their_columns_however_both_are_cut(
    sizes: tuple[int, ...], tmp_path: Path
) -> None:
    parquet.write_table(table(10), tmp_path / "t.parquet")
    columns = read_batches(tmp_path / "t.parquet", [], ["id"], rows=4)
    ends = np.cumsum(sizes)
    tables = (table(10).slice(end - n, n) for n, end in zip(sizes, ends, strict=True))
    for checked, rows in whole._paired(columns, tables, "t"):
        assert rows.column("id").to_pylist() == checked.numbers("id").tolist()


def test_a_table_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    for rows in (50, 150):
        parquet.write_table(table(100), tmp_path / "t.parquet", row_group_size=50)
        pairs = read_pairs(tmp_path / "t.parquet", Ask((), ("p",)), rows=50)
        next(pairs)
        parquet.write_table(table(rows), tmp_path / "u.parquet", row_group_size=50)
        (tmp_path / "u.parquet").replace(tmp_path / "t.parquet")
        with pytest.raises(InputError):
            list(pairs)
