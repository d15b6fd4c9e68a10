"""Damaged files of every kind: an error that names the file, never a traceback."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import stakes
from stakes.io import column_names, read_columns, read_whole

N = 24


def _columns() -> dict[str, list[object]]:
    rng = np.random.default_rng(1)
    p = rng.random(N)
    return {"y": ["no", "yes"] * (N // 2), "p": p.tolist(), "k": list(range(N))}


def _csv() -> bytes:
    columns = _columns()
    rows = zip(columns["y"], columns["p"], columns["k"], strict=True)
    return ("y,p,k\n" + "".join(f"{y},{p!r},{k}\n" for y, p, k in rows)).encode()


def _objects() -> list[dict[str, object]]:
    columns = _columns()
    return [{name: columns[name][i] for name in columns} for i in range(N)]


def _write_arrays(path: Path, *, packed: bool) -> None:
    arrays = {name: np.array(values) for name, values in _columns().items()}
    save: Any = np.savez_compressed if packed else np.savez
    save(path, **arrays)


def _write_structured(path: Path) -> None:
    columns = _columns()
    made = np.empty(N, dtype=[("y", "U3"), ("p", "f8"), ("k", "i4")])
    for name, values in columns.items():
        made[name] = values
    np.save(path, made)


def _write_bytes_labels(path: Path) -> None:
    columns = _columns()
    made = np.empty(N, dtype=[("y", "S3"), ("p", "f8"), ("k", "i4")])
    for name, values in columns.items():
        made[name] = values
    np.save(path, made)


KINDS: dict[str, Callable[[Path], object]] = {
    "t.csv": lambda path: path.write_bytes(_csv()),
    "t.csv.gz": lambda path: path.write_bytes(gzip.compress(_csv(), mtime=0)),
    "t.jsonl": lambda path: path.write_text("\n".join(json.dumps(row) for row in _objects())),
    "t.json": lambda path: path.write_text(json.dumps(_objects())),
    "t.parquet": lambda path: parquet.write_table(pa.table(_columns()), path),
    "plain.parquet": lambda path: parquet.write_table(
        pa.table(_columns()), path, compression="none", use_dictionary=False
    ),
    "t.arrow": lambda path: feather.write_feather(pa.table(_columns()), path),
    "t.npz": lambda path: _write_arrays(path, packed=True),
    "stored.npz": lambda path: _write_arrays(path, packed=False),
    "t.npy": _write_structured,
    "bytes.npy": _write_bytes_labels,
}


def _damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """Return bytes with a few flipped, cut out, repeated or overwritten."""
    made = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(0, max(1, len(made))))
        length = int(rng.integers(1, 9))
        way = int(rng.integers(0, 5))
        if way == 0 and made:
            made[at] ^= 1 << int(rng.integers(0, 8))
        elif way == 1:
            made[at : at + length] = rng.bytes(length)
        elif way == 2:
            del made[at : at + length]
        elif way == 3:
            made[at:at] = made[max(0, at - length) : at]
        else:
            del made[at:]
    return bytes(made)


def _read(path: Path) -> None:
    """Read a file as the commands do."""
    column_names(path)
    table = read_columns(path, texts=["y"], numbers=["p", "k"], finite=["p"])
    table.texts("y")
    table.matrix(["p", "k"])
    read_whole(path)


def _refusal(path: Path) -> str:
    """Return the words with which a file is refused; none where it is read."""
    try:
        _read(path)
    except stakes.StakesError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", KINDS)
def test_damaged_files_are_refused_in_words(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    KINDS[name](path)
    _read(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(sum(name.encode()))
    refused = 0
    for _ in range(150):
        path.write_bytes(_damaged(whole, rng))
        message = _refusal(path)
        refused += message != ""
        assert message == "" or name in message, message
    assert refused > 10


def test_labels_that_are_not_utf_8_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "plain.parquet"
    KINDS[path.name](path)
    path.write_bytes(path.read_bytes().replace(b"yes", b"y\xfes"))
    with pytest.raises(stakes.InputError, match=r"plain\.parquet"):
        read_columns(path, texts=["y"])


@pytest.mark.parametrize("shape", ["(2, -1)", "(True,)", "[2]", "(2.0,)"])
def test_a_header_with_no_possible_shape_is_refused(shape: str, tmp_path: Path) -> None:
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(16)
    (tmp_path / "t.npy").write_bytes(data)
    with pytest.raises(stakes.InputError, match=r"declares the shape|header cannot be read"):
        read_whole(tmp_path / "t.npy")
