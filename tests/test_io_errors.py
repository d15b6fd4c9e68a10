"""What is wrong with a file is said with its name, its line or row, and the way out."""

import gzip
import io
import json
import os
import pickle
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from pyarrow import parquet

from stakes._check import (
    AddressError,
    ChecksumError,
    FileError,
    InputError,
    ResourceError,
    UnsafeFileError,
)
from stakes.io import column_names, join_keys, read_columns, read_whole
from stakes.io.sources import Source


def refused(source: Source, error: type[Exception], *words: str, **options: Any) -> str:  # noqa: ANN401
    """Read y and p, and see it refused in these words."""
    options = {"texts": ("y",), "numbers": ("p",), "finite": ("p",), **options}
    with pytest.raises(error) as caught:
        read_columns(source, **options)
    message = str(caught.value)
    assert type(caught.value) is error, message
    missing = [word for word in words if word.lower() not in message.lower()]
    assert not missing, message
    return message


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("y,p\na,1\n".encode("utf-16"), ["UTF-16"]),
        ("y,p\na,1\n".encode("utf-16-le"), ["UTF-16", "line 1"]),
        ("y,p\na,1\ncafé,2\n".encode("latin-1"), ["UTF-8", "line 3"]),
        ("y,p,z\na,1,\nb,2,é\n".encode("latin-1"), ["UTF-8", "line 3"]),
        (b"", ["empty"]),
        (b"\n\r\n", ["empty"]),
        (b"y,p\n", ["no rows"]),
        (b"y,p", ["no rows"]),
        (b"y,p,q\na,1\n", ["line 2", "2 fields", "3"]),
        (b"y,p\na,1\nb,2,3\n", ["line 3", "3 fields", "2"]),
        (b'y,p\n"cat,1\ndog,2\n', ["line 2", "quote"]),
        (b'y,p\na,1\n"cat,2\n"dog",2\n', ["line 3", "quote"]),
        (b'y,p\na,1\nb 5" pipe,2\n', ["line 3", "quote"]),
        (b'y,p\na,1\n"b"c,2\n', ["line 3", "quote"]),
        (b'y,p\na,1\nb"c",2\n', ["line 3", "quote"]),
        (b'y,p\na,"1,000.0"\n', ["line 2", "'p'", "1,000.0", "thousands"]),
        (b"y,p\na,1\nb,x\n", ["line 3", "'p'", "'x'"]),
        (b"y,p\na,1_0\n", ["line 2", "1_0"]),
        (b"y,p\na,0x1\n", ["line 2", "0x1"]),
        (b"y,p\na,\n", ["line 2", "'p'", "missing"]),
        (b"y,p\na,NA\n", ["line 2", "'p'", "missing", "NA"]),
        (b"y,p\na,1\nb,nan\n", ["line 3", "'p'", "NaN"]),
        (b"y,p\na,-inf\n", ["line 2", "'p'", "-inf"]),
        (b"y,p\na,1e999\n", ["line 2", "'p'", "1e999"]),
        (b"y,p\na,1\n,2\n", ["line 3", "'y'", "empty"]),
        (b'y,p\n"a\nb",1\n\nc,x\n', ["line 5", "'x'"]),
        (b"y,p,p\na,1,2\n", ["2 columns named 'p'", "y, p, p"]),
        (b"Y,p\na,1\n", ["'y'", "Y, p"]),
        (b"<!DOCTYPE html><html>", ["HTML"]),
        (b"\n  <html><body>", ["HTML"]),
        (b"PAR1\x15", ["Parquet"]),
        (b"PK\x03\x04", ["ZIP"]),
        (gzip.compress(b"y,p\na,1\n", mtime=0), ["gzip"]),
        (b"y,p\na,1\nb\0,2\n", ["line 3", "zero byte"]),
    ],
)
def test_csv(data: bytes, words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    refused(path, InputError, "t.csv", *words)


def test_a_blank_line_of_a_table_of_one_column_is_a_missing_value(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("p\n1\n\n2\n")
    refused(tmp_path / "t.csv", InputError, "line 3", "missing", texts=())


def test_a_fault_late_in_a_long_file_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("y,p\n" + "a,0.123456789\n" * 700_000 + "b,oops\n")
    refused(path, InputError, "line 700002", "oops")


def test_a_torn_gzip_file_is_bad_data(tmp_path: Path) -> None:
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"y,p\n" + b"a,1\n" * 999, mtime=0)[:-9])
    refused(tmp_path / "t.csv.gz", InputError, "t.csv.gz", "gzip")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"y": "a", "p": NaN}', ["line 1", "NaN"]),
        ('{"y": "a", "p": 1}\n{"y": "a", "p": 1, "p": 2}', ["line 2", "'p'", "twice"]),
        ('{"y": "a", "p": 1}\n\n{"y": "a"}', ["line 3", "'p'"]),
        ('{"y": "a", "p": 1}\n{"y": 1, "p": 1}', ["line 2", "'y'", "1"]),
        ('{"y": null, "p": 1}', ["line 1", "'y'", "null"]),
        ('{"y": "", "p": 1}', ["line 1", "'y'", "empty"]),
        ('{"y": 0.5, "p": 1}', ["line 1", "'y'", "0.5"]),
        ('{"y": "a", "p": "1"}', ["line 1", "'p'", "string"]),
        ('{"y": "a", "p": true}', ["line 1", "'p'", "truth value"]),
        ('{"y": "a", "p": 1e999}', ["line 1", "'p'"]),
        ('{"y": "a", "p": [1, 2]}\n{"y": "a", "p": [1]}', ["line 2", "'p'"]),
        ('{"y": "a", "p": [1, null]}', ["line 1", "'p'"]),
        ('{"y": "a", "p": 1', ["line 1", "JSON"]),
        ("[1]", ["line 1", "a list"]),
        ('{"y": "\\ud800", "p": 1}', ["'y'"]),
        ("[" * 100_000, ["nested"]),
    ],
)
def test_json_lines(text: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(text)
    refused(tmp_path / "t.jsonl", InputError, "t.jsonl", *words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"y": 1}', ["list", "object"]),
        ('[{"y": 1, "p": 1}, 3]', ["row 1", "number"]),
        ('[{"y": 1, "p": 1}, {"y": 1, "p": "x"}]', ["row 1", "'p'"]),
        ("[]", ["no rows"]),
    ],
)
def test_json_lists(text: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(text)
    refused(tmp_path / "t.json", InputError, "t.json", *words)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"y": ["a", None], "p": [1.0, 2]}, ["row 1", "'y'", "null"]),
        ({"y": ["a", ""], "p": [1.0, 2]}, ["row 1", "'y'", "empty"]),
        ({"y": pa.array([0, 1], pa.timestamp("ms")), "p": [1.0, 2]}, ["'y'", "timestamp"]),
        ({"y": [0.5, 1.0], "p": [1.0, 2]}, ["'y'", "double"]),
        ({"y": ["a", "b"], "p": [".1", ".2"]}, ["'p'", "string"]),
        ({"y": ["a", "b"], "p": [1.0, None]}, ["row 1", "'p'", "null"]),
        ({"y": ["a", "b"], "p": [1.0, float("nan")]}, ["row 1", "'p'", "NaN"]),
        ({"y": ["a", "b"], "p": [[1.0], [1.0, 2.0]]}, ["row 1", "'p'"]),
        ({"y": ["a", "b"], "p": [[1.0, 2], [1.0, None]]}, ["row 1", "'p'", "null"]),
        ({"y": ["a", "b"], "p": [2**53 + 1, 1]}, ["'p'", "9007199254740993"]),
        ({"y": ["a"], "q": [1.0]}, ["'p'", "y, q"]),
        ({"y": pa.array([], pa.string()), "p": pa.array([], pa.float64())}, ["no rows"]),
    ],
)  # fmt: skip
def test_parquet(columns: dict[str, Any], words: list[str], tmp_path: Path) -> None:
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    refused(tmp_path / "t.parquet", InputError, "t.parquet", *words)


def test_a_damaged_page_is_found_by_its_checksum(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    p = np.linspace(0, 1, 100)
    columns = {"y": ["a"] * 100, "p": p}
    parquet.write_table(pa.table(columns), path, write_page_checksum=True, use_dictionary=False,
                        compression="none", row_group_size=50)  # fmt: skip
    data = bytearray(path.read_bytes())
    data[data.rindex(p[70].tobytes()) + 6] ^= 1
    path.write_bytes(data)
    refused(path, ChecksumError, "t.parquet", "row group 1")


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.npz", "t.npy"])
@pytest.mark.parametrize("data", [b"", b"no such thing", b"PAR1 nothing", b"ARROW1\0\0xxxxxxxxx"])
def test_torn_binary_files_are_bad_data(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    refused(tmp_path / name, InputError, name)


def test_parts_must_agree(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"y": [1], "p": [1.0]}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"y": ["1"], "p": [1.0]}), tmp_path / "b.parquet")
    refused(tmp_path, InputError, "b.parquet", "'y'", "whole numbers", "texts", "a.parquet")
    parquet.write_table(pa.table({"y": [1], "p": [[1.0]]}), tmp_path / "b.parquet")
    refused(tmp_path, InputError, "b.parquet", "'p'")
    parquet.write_table(pa.table({"y": [1], "q": [1.0]}), tmp_path / "b.parquet")
    refused(tmp_path, InputError, "b.parquet", "'p'", "y, q")
    with pytest.raises(InputError, match=r"b\.parquet"):
        read_whole(tmp_path)
    refused([tmp_path / "a.parquet"] * 2, InputError, "a.parquet", "twice")


def _array_bytes(array: NDArray[Any], **header: object) -> bytes:
    """Return an array as .npy, its header as given."""
    if not header:
        stream = io.BytesIO()
        np.save(stream, array, allow_pickle=False)
        return stream.getvalue()
    text = repr({"descr": "<f8", "fortran_order": False, "shape": (1,), **header}).encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + array.tobytes()


def _archive(path: Path, *members: tuple[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(f"{name}.npy", data)
    return path


LABELS = ("y", _array_bytes(np.array([0])))


class _Canary:
    """What would make a directory if it were ever unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        return os.mkdir, (str(self.path),)


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    array = np.array([_Canary(canary)], dtype=object)
    np.savez(tmp_path / "t.npz", y=[0], p=array)
    refused(tmp_path / "t.npz", UnsafeFileError, "t.npz", "'p'", "pickled", "allow_pickle")
    np.save(tmp_path / "t.npy", array)
    refused(tmp_path / "t.npy", UnsafeFileError, "t.npy", "pickled")
    for name in ("m.pkl", "m.pickle", "m.joblib", "m.pt", "m.bin"):
        (tmp_path / name).write_bytes(pickle.dumps(_Canary(canary)))
        refused(tmp_path / name, UnsafeFileError, name, "pickle")
    assert not canary.exists()


@pytest.mark.parametrize(
    ("member", "words"),
    [
        (_array_bytes(np.zeros(0), shape=(10**12, 2)), ["1000000000000", "bytes"]),
        (_array_bytes(np.zeros(2), shape=(1,)), ["8 bytes", "16 bytes"]),
        (_array_bytes(np.zeros(1), shape=(-1,)), ["header", "-1"]),
        (_array_bytes(np.zeros(1), descr="nonsense"), ["header"]),
        (_array_bytes(np.zeros(1), shape=(1,), note="x" * 11_000), ["header", "10000"]),
        (b"\x93NUMPY\x01\x00\xff\xff", ["header"]),
        (b"text", [".npy"]),
        (_array_bytes(np.zeros((1, 1, 1))), ["3 dimensions"]),
        (_array_bytes(np.zeros(2)), ["y 1", "p 2"]),
        (_array_bytes(np.array([1j])), ["complex"]),
        (_array_bytes(np.array(["x"])), ["string"]),
    ],
)
def test_arrays(member: bytes, words: list[str], tmp_path: Path) -> None:
    refused(_archive(tmp_path / "t.npz", LABELS, ("p", member)), InputError, "t.npz", *words)


def test_doubled_and_damaged_members(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        path = _archive(tmp_path / "t.npz", LABELS, LABELS)
    refused(path, InputError, "'y'", "twice", numbers=())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("y.npy", LABELS[1])
        archive.writestr("p.npy", _array_bytes(np.array([0.7])))
    data = path.read_bytes()
    path.write_bytes(data.replace(np.float64(0.7).tobytes(), np.float64(0.8).tobytes()))
    refused(path, ChecksumError, "'p'", "t.npz")


def test_a_bomb_is_refused_by_its_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = 2**28
    text = repr({"descr": "|i1", "fortran_order": False, "shape": (size,)}).encode()
    with zipfile.ZipFile(tmp_path / "t.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(*(f"{LABELS[0]}.npy", LABELS[1]))
        with archive.open("p.npy", "w", force_zip64=True) as member:
            member.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text)
            for _ in range(size // 2**24):
                member.write(bytes(2**24))
    unpacked = 0
    fill = zipfile.ZipExtFile._read1  # type: ignore[attr-defined]

    def counted(stream: zipfile.ZipExtFile, n: int) -> bytes:
        nonlocal unpacked
        data: bytes = fill(stream, n)
        unpacked += len(data)
        return data

    monkeypatch.setattr(zipfile.ZipExtFile, "_read1", counted)
    words = ("'p'", str(size), "max_bytes")
    refused(tmp_path / "t.npz", ResourceError, *words, max_bytes=size - 1)
    assert 0 < unpacked < 2**20


def test_limits(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("y,p\n" + "a,1\n" * 1000)
    refused(
        tmp_path / "t.csv",
        ResourceError,
        "t.csv",
        "longer than 1000 bytes",
        "max_bytes",
        max_bytes=1000,
    )
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"y,p\n" + b"a,1\n" * 100_000, mtime=0))
    refused(tmp_path / "t.csv.gz", ResourceError, "longer than", max_bytes=10_000)
    parquet.write_table(
        pa.table({"y": ["a"] * 10_000, "p": [1.0] * 10_000}), tmp_path / "t.parquet"
    )
    refused(tmp_path / "t.parquet", ResourceError, "10000 rows", "max_bytes", max_bytes=100_000)
    refused(tmp_path / "t.csv", InputError, "max_bytes", max_bytes=0)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_an_endless_device_is_left(kind: str) -> None:
    refused("/dev/zero", ResourceError, "/dev/zero", "longer than", "max_bytes", kind=kind)
    refused(
        "/dev/zero",
        ResourceError,
        "/dev/zero",
        "longer than 9999 bytes",
        "max_bytes",
        kind=kind,
        max_bytes=9999,
    )


@pytest.mark.parametrize("kind", ["csv", None])
def test_a_pipe_that_nobody_writes_to_is_left(kind: str | None, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    began = time.monotonic()
    refused(tmp_path / "fifo", FileError, "fifo", "0.2 seconds", kind=kind, patience=0.2)
    assert time.monotonic() - began < 5


def test_a_pipe_is_waited_for_and_its_kind_asked_for(tmp_path: Path) -> None:
    pipe = tmp_path / "fifo"
    os.mkfifo(pipe)

    def feed() -> None:
        time.sleep(0.2)
        pipe.write_bytes(b"y,p\na,1\n")

    feeder = threading.Thread(target=feed)
    feeder.start()
    assert read_columns(pipe, ("y",), kind="csv").texts("y").tolist() == ["a"]
    feeder.join()
    with pytest.raises(InputError, match="only once"):
        column_names(pipe, kind="csv")


def test_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "junk").mkdir()
    parquet.write_table(pa.table({"y": ["a"], "p": [1.0]}), "junk/a.parquet")
    Path("junk/README.txt").touch()
    refused("nope.csv", FileError, "nope.csv", "No such file")
    refused("a\nb.csv", FileError, "a\\nb.csv")
    refused("a\0b.csv", FileError, "a\\x00b.csv")
    refused("empty", InputError, "empty", "no data files")
    refused("junk", InputError, "junk", "README.txt")
    refused("parts/*.parquet", FileError, "'parts/*.parquet' matched no files")
    refused("https://example.com/x.csv", AddressError, "https", "not supported")
    refused("s3://bucket/x.parquet", AddressError, "s3", "not supported")
    refused(["https://example.com/x.csv"], AddressError, "https")
    refused("-", InputError, "standard input", "kind=")
    refused("junk/a.parquet", InputError, "kind must be one of", "xlsx", kind="xlsx")
    refused("x.yaml", InputError, "x.yaml", "TOML", "JSON")
    refused("x.xlsx", InputError, "x.xlsx", "Save it as CSV")
    refused("x.docx", InputError, "x.docx", ".parquet")
    refused(["junk"], InputError, "junk", "README.txt")
    refused([], InputError, "list of files")


@pytest.mark.parametrize(
    ("scores", "key", "words"),
    [
        ("m s 1\nm t 2\n", "m s target\n", ["scores.txt, line 2", "'m t'", "not in the key"]),
        ("m s 1\n", "m s target\nm t nontarget\n", ["key.txt, line 2", "'m t'", "no score"]),
        ("m s 1\nm s 1\n", "m s target\n", ["scores.txt, line 2", "'m s'", "twice"]),
        ("m s 1\n", "m s target\nm s target\n", ["key.txt, line 2", "'m s'", "twice"]),
        ("m s x\n", "m s target\n", ["scores.txt, line 1", "'x'"]),
        ("m s nan\n", "m s target\n", ["scores.txt, line 1", "NaN"]),
        ("m s\n", "m s target\n", ["scores.txt, line 1", "2 fields"]),
        ("m s 1\n", "m s impostor\n", ["key.txt, line 1", "'impostor'"]),
        ("", "m s target\n", ["scores.txt", "empty"]),
    ],
)
def test_trials(scores: str, key: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "scores.txt").write_text(scores)
    (tmp_path / "key.txt").write_text(key)
    with pytest.raises(InputError) as caught:
        join_keys(tmp_path / "scores.txt", tmp_path / "key.txt")
    assert [word for word in words if word not in str(caught.value)] == [], str(caught.value)


def test_rows_with_other_names_are_not_kept_in_part(tmp_path: Path) -> None:
    rows = [{"y": "a", "p": 1}, {"y": "a", "p": 1, "more": 2}]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(InputError, match=r"line 2.*more"):
        read_whole(tmp_path / "t.jsonl")
    (tmp_path / "t.jsonl").write_text('{"y": "a", "p": NaN}')
    with pytest.raises(InputError, match="NaN is not a JSON number"):
        read_whole(tmp_path / "t.jsonl")


@pytest.mark.parametrize(
    ("sign", "told"), [(";", "separated by semicolons"), ("\t", "separated by tabs")]
)
def test_a_table_with_another_separator_is_told_so(sign: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"y{sign}p\na{sign}0.5\n")
    with pytest.raises(InputError, match=told):
        read_columns(tmp_path / "t.csv", ["y"], ["p"])


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for folder, value in (("first", "0.5"), ("second", "many")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "t.csv").write_text(f"p\n{value}\n")
    with pytest.raises(InputError, match=r"second.t\.csv, line 2"):
        read_columns(tmp_path / "*" / "t.csv", (), ("p",))
