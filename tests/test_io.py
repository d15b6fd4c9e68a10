"""Tables from files: what is read, from where, and that nothing is lost on the way."""

import gzip
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from pyarrow import feather, ipc, parquet

from stakes._check import FileError, InputError
from stakes.io import (
    Columns,
    column_names,
    join_keys,
    read_columns,
    read_whole,
    with_columns,
    write_table,
)

ROWS = b"y,p0,p1\na,0.9,0.1\nb,0.30000000000000004,0.8\n"
TABLE = pa.table({"y": ["a", "b"], "p0": [0.9, 0.30000000000000004], "p1": [0.1, 0.8]})


def _arrow_stream(path: Path) -> None:
    with ipc.new_stream(path, TABLE.schema) as writer:
        writer.write_table(TABLE)


def _objects(*, lines: bool) -> bytes:
    rows = TABLE.to_pylist()
    return ("\n".join(map(json.dumps, rows)) if lines else json.dumps(rows)).encode()


def _npz(path: Path) -> None:
    np.savez(
        path,
        **{
            name: TABLE[name].to_numpy().astype("U" if name == "y" else float)
            for name in TABLE.column_names
        },
    )


def _npy(path: Path) -> None:
    rows = [tuple(row.values()) for row in TABLE.to_pylist()]
    np.save(path, np.array(rows, dtype=[("y", "U1"), ("p0", "f8"), ("p1", "f8")]))


def _through_a_pipe(data: bytes) -> Columns:
    """Read y and p of a CSV text that comes as process substitution brings it."""
    read, write = os.pipe()

    def feed() -> None:
        with os.fdopen(write, "wb") as stream:
            stream.write(data)

    feeder = threading.Thread(target=feed)
    feeder.start()
    try:
        return read_columns(f"/dev/fd/{read}", ("y",), ("p",), kind="csv")
    finally:
        feeder.join()
        os.close(read)


WRITERS: dict[str, Callable[[Path], Any]] = {
    "t.csv": lambda p: p.write_bytes(ROWS),
    "t.csv.gz": lambda p: p.write_bytes(gzip.compress(ROWS, mtime=0)),
    "t.tsv": lambda p: p.write_bytes(ROWS.replace(b",", b"\t")),
    "t.parquet": lambda p: parquet.write_table(TABLE, p),
    "t.pq": lambda p: parquet.write_table(TABLE, p),
    "t.feather": lambda p: feather.write_feather(TABLE, p),
    "t.arrow": _arrow_stream,
    "t.jsonl": lambda p: p.write_bytes(_objects(lines=True)),
    "t.ndjson": lambda p: p.write_bytes(_objects(lines=True)),
    "t.json": lambda p: p.write_bytes(_objects(lines=False)),
    "t.json.gz": lambda p: p.write_bytes(gzip.compress(_objects(lines=False))),
    "t.npz": _npz,
    "t.npy": _npy,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_gives_the_same_columns(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    seen: list[tuple[int, int | None]] = []
    table = read_columns(
        tmp_path / name, ("y",), ("p0", "p1"), finite=("p0",), progress=lambda *a: seen.append(a)
    )
    assert table.texts("y").tolist() == ["a", "b"]
    assert table.numbers("p0").tolist() == [0.9, 0.30000000000000004]
    assert table.matrix(["p1", "p0"]).tolist() == [[0.1, 0.9], [0.8, 0.30000000000000004]]
    assert table.matrix(["p0"]).shape == (2,)
    assert (len(table), table.source) == (2, name)
    lined = name.split(".")[1] in {"csv", "tsv"}
    first = "line 3" if lined else "line 2" if name[2:] in {"jsonl", "ndjson"} else "row 1"
    assert str(table.place(1)) == f"{name}, {first}"
    assert column_names(tmp_path / name) == ["y", "p0", "p1"]
    assert read_whole(tmp_path / name).column_names == ["y", "p0", "p1"]
    done, total = zip(*seen, strict=True)
    assert list(done) == sorted(done)
    assert len(set(total)) == 1
    assert total[-1] is None or 0 <= done[0] <= done[-1] <= total[-1]


def test_the_progress_of_a_parquet_file_ends_at_its_size(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"y": ["a", "b"] * 50}), tmp_path / "t.parquet", row_group_size=25)
    seen: list[tuple[int, int | None]] = []
    read_columns(tmp_path / "t.parquet", ("y",), (), progress=lambda *a: seen.append(a))
    size = (tmp_path / "t.parquet").stat().st_size
    assert seen[-1] == (size, size)


@pytest.mark.parametrize(
    ("data", "labels"),
    [
        (b"\xef\xbb\xbfy,p\na,1\n", ["a"]),
        (b"y,p\r\na,1\nb,2\r\n", ["a", "b"]),
        (b"y,p\ra,1\rb,2\r", ["a", "b"]),
        (b"y,p\na,1\nb,2", ["a", "b"]),
        (b'y,p\n"ca\nt",1\n"d""q",2\n', ["ca\nt", 'd"q']),
        (b"y,p\n007,1\n7,2\n", ["007", "7"]),
        (b"\n\ny,p\n\na,1\n\n", ["a"]),
        (b'p,"y"\n1,"a,b"\n', ["a,b"]),
        ("y,p\ncafé,1\n".encode(), ["café"]),
        (b"y,p,p2,\na,1,2,\n", ["a"]),
    ],
)
def test_odd_but_sound_text_is_read_as_it_stands(
    data: bytes, labels: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    assert read_columns(path, ("y",), ("p",)).texts("y").tolist() == labels


def test_places_are_lines_of_an_editor_also_after_quoted_newlines(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'y,p\r\n"a\r\nb",1\r\n\r\nc,2\r\n')
    table = read_columns(path, ("y",), ("p",))
    assert [str(table.place(row)) for row in range(2)] == ["t.csv, line 2", "t.csv, line 5"]
    with pytest.raises(InputError, match="2 rows"):
        table.place(2)


@given(
    labels=st.lists(st.text('ab,"\n\r\t é', min_size=1).filter(str.strip), min_size=1, max_size=20),
    chunk=st.integers(1, 40),
)
def test_rows_are_cut_at_no_quoted_line_end(labels: list[str], chunk: int) -> None:
    import csv  # noqa: PLC0415

    from stakes.io import text_rows  # noqa: PLC0415

    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows([["y", "p"], *([label, i] for i, label in enumerate(labels))])
    data = text.getvalue().encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_rows, "CHUNK", chunk)
        table = _through_a_pipe(data)
    assert table.texts("y").tolist() == labels
    assert table.numbers("p").tolist() == list(range(len(labels)))
    line = 2 + sum(
        label.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1 for label in labels[:-1]
    )
    assert str(table.place(len(labels) - 1)).endswith(f", line {line}")


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_doubles_keep_every_bit(values: list[float]) -> None:
    data = "y,p\n" + "".join(f"a,{value!r}\n" for value in values)
    table = _through_a_pipe(data.encode())
    assert table.numbers("p").tolist() == values


def test_labels_of_other_types_become_texts(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    big = pa.array([2**53, 2**53 + 1])
    columns = {"big": big, "bool": [True, False], "cat": pa.array(["x", "y"]).dictionary_encode()}
    parquet.write_table(pa.table(columns), path)
    table = read_columns(path, ("big", "bool", "cat"))
    assert table.texts("big").tolist() == ["9007199254740992", "9007199254740993"]
    assert table.texts("bool").tolist() == ["true", "false"]
    assert table.texts("cat").tolist() == ["x", "y"]


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "int64", "uint64"])
@pytest.mark.parametrize("wide", [False, True])
def test_whole_numbers_become_their_own_texts(kind: str, tmp_path: Path, *, wide: bool) -> None:
    ends = np.iinfo(kind)
    labels = [ends.max, ends.max - 2, ends.max, ends.max - 1, *([ends.min] if wide else [])]
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"y": np.array(labels, dtype=kind)}), path, row_group_size=3)
    assert read_columns(path, ("y",)).texts("y").tolist() == [str(label) for label in labels]


def test_short_whole_numbers_far_apart_become_their_own_texts(tmp_path: Path) -> None:
    labels = np.array([-20_000, 20_000, 7] * 4000, dtype=np.int16)  # differences need more bits
    parquet.write_table(pa.table({"y": labels}), tmp_path / "t.parquet")
    found = read_columns(tmp_path / "t.parquet", ("y",)).texts("y")
    assert found.tolist() == [str(label) for label in labels.tolist()]


@pytest.mark.parametrize("name", ["l.parquet", "l.jsonl", "l.npz", "l.arrow"])
def test_a_column_of_lists_is_a_matrix(name: str, tmp_path: Path) -> None:
    post = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    table = pa.table({"y": [0, 1, 1], "post": post.tolist()})
    path = tmp_path / name
    if name == "l.parquet":
        parquet.write_table(table, path)
    elif name == "l.arrow":
        feather.write_feather(table, path)
    elif name == "l.npz":
        np.savez(path, y=[0, 1, 1], post=np.asfortranarray(post))
    else:
        path.write_text("\n".join(map(json.dumps, table.to_pylist())))
    read = read_columns(path, ("y",), ("post",))
    assert read.matrix(["post"]).tolist() == post.tolist()
    assert read.texts("y").tolist() == ["0", "1", "1"]
    if name == "l.npz":
        named = read_columns(path, ("y",), ("post_1", "post_0"))
        assert named.matrix(["post_1", "post_0"]).tolist() == post[:, ::-1].tolist()


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_a_matrix_keeps_the_width_of_its_numbers(kind: type, tmp_path: Path) -> None:
    p: Any = np.array([0.9, 0.2], dtype=kind)
    parquet.write_table(pa.table({"y": [0, 1], "p0": p, "p1": kind(1) - p}), tmp_path / "t.parquet")
    table = read_columns(tmp_path / "t.parquet", ("y",), ("p0", "p1"))
    assert table.matrix(["p0", "p1"]).dtype == kind
    assert table.numbers("p0").dtype == np.float64


def test_parts_are_joined_by_name_in_sorted_order(tmp_path: Path) -> None:
    for name in ("part2", "part0", "part1"):
        columns = {"p": [float(name[-1])], "y": [name]}
        order = ["y", "p"] if name == "part1" else ["p", "y"]
        parquet.write_table(pa.table(columns).select(order), tmp_path / f"{name}.parquet")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part0.crc").touch()
    wanted = ["part0", "part1", "part2"]
    for source in (
        tmp_path,
        str(tmp_path / "*.parquet"),
        [tmp_path / f"{n}.parquet" for n in wanted],
    ):
        table = read_columns(source, ("y",), ("p",))
        assert table.texts("y").tolist() == wanted
        assert table.numbers("p").tolist() == [0, 1, 2]
        assert str(table.place(2)) == "part2.parquet, row 0"
    assert read_whole(tmp_path).column("y").to_pylist() == wanted


def test_whole_numbers_and_doubles_of_several_parts_are_joined(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"y": ["a"], "p": [1]}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"y": ["a"], "p": [0.5]}), tmp_path / "b.parquet")
    assert read_columns(tmp_path, ("y",), ("p",)).numbers("p").tolist() == [1.0, 0.5]


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.jsonl", "t.parquet", "t.npz", "t.arrow"])
def test_standard_input_is_read_where_the_kind_is_given(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    WRITERS[name](tmp_path / name)
    with (tmp_path / name).open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        table = read_columns("-", ["y"], ["p0"], kind=name[2:])
    assert (table.source, table.texts("y").tolist()) == ("standard input", ["a", "b"])
    assert str(table.place(0)).startswith("standard input, ")


@pytest.mark.parametrize("name", ["t.csv", "t.npz"])
def test_standard_input_of_a_process_is_read(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    code = "import sys; from stakes.io import read_columns as r; t = r('-', ['y'], ['p0'], kind=sys.argv[1]); print(t.source, t.texts('y'), t.place(0))"
    with (tmp_path / name).open("rb") as stream:
        done = subprocess.run(
            [sys.executable, "-c", code, name[2:]],
            stdin=stream,
            capture_output=True,
            text=True,
            check=True,
        )
    assert done.stdout.startswith("standard input ['a' 'b'] standard input, ")


def test_a_column_may_be_both_labels_and_numbers(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("y\n007\n7\n")
    table = read_columns(tmp_path / "t.csv", ("y",), ("y",))
    assert (table.texts("y").tolist(), table.numbers("y").tolist()) == (["007", "7"], [7, 7])


def test_scores_and_key_are_joined_by_trial(tmp_path: Path) -> None:
    scores, key = tmp_path / "scores.txt", tmp_path / "key.txt"
    scores.write_text("m1 s1 2.5\nm2\ts1  -1e-3\n\nm1 s2 -inf\n")
    key.write_text("m1 s2 nontarget\nm1 s1 target\nm2 s1 nontarget\n")
    table = join_keys(scores, key)
    assert table.texts("label").tolist() == ["target", "nontarget", "nontarget"]
    assert table.numbers("score").tolist() == [2.5, -0.001, -np.inf]
    assert str(table.place(2)) == "scores.txt, line 4"


def test_a_table_is_not_written_over_another_unasked(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    write_table(TABLE, path)
    with pytest.raises(
        FileError, match=r"out\.csv' already exists\. Pass force=True to replace it"
    ):
        write_table(TABLE, path)
    write_table(with_columns(TABLE, {"new": [1, 2]}), path, force=True)
    assert column_names(path) == ["y", "p0", "p1", "new"]
    with pytest.raises(FileError, match="directory"):
        write_table(TABLE, tmp_path, force=True)


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "target.csv").write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to("target.csv")
    with pytest.raises(FileError, match="already exists"):
        write_table(TABLE, link)
    assert (tmp_path / "target.csv").read_text() == "old"
    write_table(TABLE, link, force=True)
    assert link.is_symlink()
    assert not (tmp_path / "target.csv").is_symlink()
    write_table(TABLE, tmp_path / "plain.csv")
    assert (tmp_path / "target.csv").read_text() == (tmp_path / "plain.csv").read_text()


def test_memory_does_not_grow_with_the_text(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    filler = "x" * 2000
    with path.open("w") as stream:
        stream.write("y,p,filler\n")
        stream.writelines(f"a,{i},{filler}\n" for i in range(60_000))  # 120 MB, of which 1 is kept
    code = (
        "import resource, sys; from stakes.io import read_columns as r\n"
        "import pyarrow.csv\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "r(sys.argv[1], ['y'], ['p'])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, flush=True)\n"
        "__import__('os')._exit(0)"  # Arrow's idle threads can abort a process as it ends
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    scale = 1 if sys.platform == "darwin" else 1024
    assert int(done.stdout) * scale < 80 * 1024**2


def test_the_last_character_is_a_character(tmp_path: Path) -> None:
    np.savez(tmp_path / "t.npz", y=np.array(["a", "\U0010ffff"]), p=np.array([0.1, 0.2]))
    assert read_columns(tmp_path / "t.npz", ("y",), ("p",)).texts("y").tolist() == [
        "a",
        "\U0010ffff",
    ]


@pytest.mark.parametrize("code", [0x110000, 0xD800, 0xDFFF])
def test_texts_of_numbers_that_are_no_characters_are_refused(code: int, tmp_path: Path) -> None:
    texts = np.array([ord("a"), code], dtype="<u4").view("<U1")
    np.savez(tmp_path / "t.npz", y=texts, p=np.array([0.1, 0.2]))
    with pytest.raises(InputError, match="numbers that are not characters"):
        read_columns(tmp_path / "t.npz", ("y",), ("p",))


def test_the_line_of_a_byte_in_a_list_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_bytes(b'[\n{"y": "\xff"}]')
    with pytest.raises(InputError, match="line 2 holds the byte"):
        read_columns(tmp_path / "t.json", ("y",), ())


def test_lists_in_several_files_are_one_column(tmp_path: Path) -> None:
    for name, rows in (("a", [[0.1, 0.9]]), ("b", [[0.3, 0.7], [0.4, 0.6]])):
        parquet.write_table(pa.table({"p": rows}), tmp_path / f"{name}.parquet")
    whole = read_columns(tmp_path, (), ("p",)).matrix(["p"])
    assert whole.tolist() == [[0.1, 0.9], [0.3, 0.7], [0.4, 0.6]]
    parquet.write_table(pa.table({"p": [[0.1, 0.2, 0.7]]}), tmp_path / "c.parquet")
    with pytest.raises(InputError, match="lists of 2 numbers as before: got lists of 3"):
        read_columns(tmp_path, (), ("p",))


def test_another_kind_of_file_in_the_name_of_a_list_is_told(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"p": [0.1]}), tmp_path / "t.json")
    with pytest.raises(InputError, match=r"(?i)parquet"):
        read_columns(tmp_path / "t.json", (), ("p",))
