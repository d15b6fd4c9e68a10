"""Tables read unit by unit: the same rows, checks and places as when they are read whole."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet

from stakes import InputError
from stakes.io import column_names, read_batches, read_columns, read_whole
from stakes.io.batches import Ask
from stakes.io.sources import find_parts
from stakes.io.streams import Limits
from stakes.io.units import size_in_memory, units_of

N = 1000


def table(n: int = N, **columns: Any) -> pa.Table:  # noqa: ANN401
    rng = np.random.default_rng(0)
    return pa.table({"y": rng.integers(0, 3, n).astype(np.int8), "p": rng.random(n), **columns})


def write(path: Path, rows: pa.Table, group: int = 64) -> Path:
    """Write a table by the ending of its name."""
    kind = path.name.partition(".")[2]
    if kind == "parquet":
        parquet.write_table(rows, path, row_group_size=group)
    elif kind == "arrow":
        feather.write_feather(rows, path, chunksize=group, compression="uncompressed")
    elif kind == "jsonl":
        lines = (f'{{"y": {r["y"]}, "p": {r["p"]!r}}}' for r in rows.to_pylist())
        path.write_text("\n".join(lines) + "\n")
    elif kind == "npz":
        np.savez(path, **{name: rows.column(name).to_numpy() for name in rows.column_names})
    else:
        sink = pa.BufferOutputStream()
        options = csv.WriteOptions(delimiter="\t" if kind == "tsv" else ",")
        csv.write_csv(rows, sink, options)
        data = sink.getvalue().to_pybytes()
        path.write_bytes(gzip.compress(data) if kind.endswith("gz") else data)
    return path


@pytest.mark.parametrize("rows", [7, 64, 100, 10**6])
@pytest.mark.parametrize("kind", ["parquet", "arrow", "csv", "tsv", "csv.gz", "jsonl", "npz"])
def test_batches_are_the_table(kind: str, rows: int, tmp_path: Path) -> None:
    path = write(tmp_path / f"t.{kind}", table())
    whole = read_columns(path, ["y"], ["p"])
    batches = list(read_batches(path, ["y"], ["p"], rows=rows))
    assert np.array_equal(np.concatenate([b.texts("y") for b in batches]), whole.texts("y"))
    assert np.array_equal(np.concatenate([b.numbers("p") for b in batches]), whole.numbers("p"))
    places = [b.place(i) for b in batches for i in range(len(b))]
    assert places == [whole.place(i) for i in range(len(whole))]
    if kind == "parquet":
        assert max(map(len, batches)) <= rows


def test_row_groups_are_put_together_or_cut(tmp_path: Path) -> None:
    path = write(tmp_path / "t.parquet", table(), group=100)
    assert [len(b) for b in read_batches(path, ["y"], rows=350)] == [300, 300, 300, 100]
    assert [len(b) for b in read_batches(path, ["y"], rows=60)] == [60, 40] * 10
    assert [len(b) for b in read_batches(path, ["y"], rows=1)] == [1] * N


def spoiled(**values: dict[int, Any]) -> pa.Table:
    """Return a table with some values changed."""
    columns = {name: table().column(name).to_pylist() for name in ("y", "p")}
    for name, changes in values.items():
        for row, value in changes.items():
            columns[name][row] = value
    return pa.table(columns)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (spoiled(p={700: None, 900: None}), r"t\.parquet, row 700: column 'p' .* got null"),
        (spoiled(p={701: float("nan")}), r"t\.parquet, row 701: column 'p' .* got NaN"),
        (spoiled(p={701: float("inf")}), r"t\.parquet, row 701: column 'p' .* got inf"),
        (spoiled(y={702: None}), r"t\.parquet, row 702: column 'y' .* null"),
        (spoiled(y={710: None}, p={705: float("nan")}), r"t\.parquet, row 705: column 'p'"),
        (spoiled(y={705: None}, p={710: float("nan")}), r"t\.parquet, row 705: column 'y'"),
    ],
)
@pytest.mark.parametrize("size", [60, 640, 10**6])
def test_the_first_bad_value_is_named(
    rows: pa.Table, words: str, size: int, tmp_path: Path
) -> None:
    path = write(tmp_path / "t.parquet", rows)
    with pytest.raises(InputError, match=words):
        list(read_batches(path, ["y"], ["p"], finite=["p"], rows=size))


def test_a_bad_value_is_named_in_its_part(tmp_path: Path) -> None:
    for i in range(4):
        write(tmp_path / f"part-{i}.parquet", spoiled(p={999: None}) if i > 1 else table())
    with pytest.raises(InputError, match=r"^part-2\.parquet, row 999: "):
        list(read_batches(tmp_path, ["y"], ["p"]))


def test_a_bad_field_of_text_is_named_by_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", table(300_000))
    lines = path.read_text().splitlines()
    lines[290_000] = "1,none"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"t\.csv, line 290001: column 'p'"):
        list(read_batches(path, ["y"], ["p"]))


def test_the_first_bad_line_of_text_is_named(tmp_path: Path) -> None:
    lines = ["y,p", *("1,0.5" for _ in range(100))]
    lines[60], lines[70] = "1,nan", ",0.5"
    (tmp_path / "t.csv").write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"t\.csv, line 61: column 'p' .* got NaN"):
        list(read_batches(tmp_path / "t.csv", ["y"], ["p"]))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64])
def test_a_late_label_is_told_apart(dtype: Any, tmp_path: Path) -> None:  # noqa: ANN401
    values = np.zeros(10_000, dtype=dtype)
    values[5000:] = 100
    values[9999] = 7
    write(tmp_path / "t.parquet", pa.table({"y": values}), group=3000)
    batches = list(read_batches(tmp_path / "t.parquet", ["y"]))
    found = np.concatenate([batch.texts("y") for batch in batches])
    assert np.array_equal(found, values.astype(str))


def test_labels_are_of_one_kind_in_all_parts(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", table())
    write(tmp_path / "b.parquet", pa.table({"y": ["a"], "p": [0.1]}))
    with pytest.raises(InputError, match=r"b\.parquet: .* must hold whole numbers as in a\.parq"):
        list(read_batches(tmp_path, ["y"], ["p"]))


def test_units_can_be_read_in_any_order(tmp_path: Path) -> None:
    path = write(tmp_path / "t.parquet", table())
    shown, parts = find_parts(path)
    units = list(units_of(shown, parts, Ask(("y",), ("p",)), Limits(), 100))
    pieces = {unit.number: unit.read().columns().numbers("p") for unit in reversed(units)}
    found = np.concatenate([pieces[number] for number in range(len(units))])
    assert np.array_equal(found, table().column("p").to_numpy())


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """A table in folders by site and year."""
    for site in ("A", "B%20%3D%2F"):
        for year in ("2024", "2025"):
            folder = tmp_path / "data" / f"site={site}" / f"year={year}"
            folder.mkdir(parents=True)
            write(folder / "part-0.parquet", table(10))
    (tmp_path / "data" / "_SUCCESS").touch()
    return tmp_path / "data"


READERS: dict[str, Callable[[Path, list[str]], list[Any]]] = {
    "whole": lambda path, names: [read_columns(path, names, ["p"])],
    "in batches": lambda path, names: list(read_batches(path, names, ["p"], rows=7)),
}


@pytest.mark.parametrize("reader", READERS)
def test_folders_give_columns(reader: str, folders: Path) -> None:
    found = READERS[reader](folders, ["y", "site", "year"])
    sites, years = (np.concatenate([t.texts(n) for t in found]) for n in ("site", "year"))
    assert sites.tolist() == ["A"] * 20 + ["B =/"] * 20
    assert years.tolist() == (["2024"] * 10 + ["2025"] * 10) * 2
    assert str(found[0].place(3)) == "site=A/year=2024/part-0.parquet, row 3"


def test_columns_of_folders_are_columns_of_the_table(folders: Path) -> None:
    assert column_names(folders) == ["y", "p", "site", "year"]
    assert read_whole(folders).column_names == ["y", "p", "site", "year"]
    assert read_columns(folders, ["site"]).texts("site").tolist() == ["A"] * 20 + ["B =/"] * 20


@pytest.mark.parametrize("reader", READERS)
def test_a_column_in_the_path_and_in_the_file_is_refused(reader: str, folders: Path) -> None:
    write(folders / "site=A" / "year=2024" / "part-1.parquet", table(10, site=["A"] * 10))
    with pytest.raises(InputError, match=r"part-1\.parquet' has a column 'site', which its folder"):
        READERS[reader](folders, ["y"])


@pytest.mark.parametrize("reader", READERS)
def test_a_missing_value_of_a_folder_is_no_label(reader: str, folders: Path) -> None:
    (folders / "site=A").rename(folders / "site=__HIVE_DEFAULT_PARTITION__")
    assert READERS[reader](folders, ["y"])
    with pytest.raises(InputError, match="column 'site' must hold a label in every row"):
        READERS[reader](folders, ["site"])


def test_folders_that_do_not_fit_are_refused(folders: Path) -> None:
    write(folders / "site=A" / "more.parquet", table(10))
    with pytest.raises(InputError, match=r"must lie in folders name=value .*\(site\): got site, y"):
        find_parts(folders)
    (folders / "site=A" / "more.parquet").unlink()
    (folders / "site=A" / "year=2024" / "site=C").mkdir()
    with pytest.raises(InputError, match="gives column 'site' twice"):
        find_parts(folders)


def test_a_folder_of_another_name_is_no_part(folders: Path) -> None:
    (folders / "more").mkdir()
    with pytest.raises(InputError, match="must hold only data files: 'more' is not one"):
        find_parts(folders)


def test_a_list_of_paths_may_hold_directories_and_patterns(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    write(tmp_path / "d" / "a.parquet", table(3))
    write(tmp_path / "b-1.csv", table(3))
    write(tmp_path / "b-2.csv", table(3))
    write(tmp_path / "c.csv", table(3))
    paths = [str(tmp_path / name) for name in ("d", "b-*.csv", "c.csv")]
    shown, parts = find_parts(paths)
    assert shown == "a.parquet and 3 more"
    assert [part.name for part in parts] == ["a.parquet", "b-1.csv", "b-2.csv", "c.csv"]
    with pytest.raises(InputError, match=r"standard input .* must be the only input"):
        find_parts([*paths, "-"])
    with pytest.raises(InputError, match="listed twice"):
        find_parts([*paths, str(tmp_path / "b-1.csv")])


@pytest.mark.parametrize(
    ("kind", "n_bytes"),
    [
        ("parquet", lambda _: 2 * 8 * N),
        ("csv", lambda size: 2 * size),
        ("csv.gz", lambda s: 10 * s),
    ],
)
def test_size_in_memory(kind: str, n_bytes: Callable[[int], int], tmp_path: Path) -> None:
    path = write(tmp_path / f"t.{kind}", table())
    size, rows = size_in_memory(find_parts(path)[1], Ask(("y",), ("p",)), Limits())
    assert size == n_bytes(path.stat().st_size)
    assert rows == (N if kind == "parquet" else None)
