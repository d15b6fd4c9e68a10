"""What engines share: sums of partitions that add in any order, parts of files, fit workers."""

import pickle
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from pyarrow import csv, parquet

import stakes
from engine_cases import BINARY, CASES, TABLE, local, parts, write_files
from stakes._check import RoundedRowsError, Rounding, joined_rounding
from stakes.cli.engine_tables import LabelJob
from stakes.engines.engine import load
from stakes.engines.files import FileParts, is_paths
from stakes.engines.partials import Partial, join_partials, sum_pieces
from stakes.engines.remote import checked, is_unfit, remote_call
from stakes.engines.table_job import TableJob
from stakes.engines.worker import join, partition, pieces_of_parts, sum_files, sum_table
from stakes.io import Relation, Roles, relations
from stakes.io.relations import pieces_of
from stakes.io.streams import Limits
from stakes.io.units import split_parts, units_of

JOB = TableJob(
    Relation(Roles("y", {"": "p"}, weight="w"), stakes.Posteriors),
    {"classes": [0, 1], "costs": BINARY},
)
DATA = pickle.dumps(JOB)
PARTS = parts(TABLE)


@cache
def sums() -> list[Partial]:
    return [sum_table(DATA, number, part) for number, part in enumerate(PARTS)]


@cache
def bad_sums() -> list[Partial]:
    tables = {4: spoilt(4, 3, 1.5), 2: spoilt(2, 7, -0.5), 0: PARTS[0]}
    return [sum_table(DATA, number, table) for number, table in tables.items()]


@given(st.permutations(range(len(PARTS))), st.integers(1, 4))
def test_partials_add_in_any_order_to_the_same_bytes(order: list[int], cut: int) -> None:
    some = [sums()[i] for i in order]
    total = join(join_partials(some[:cut]), join_partials(some[cut:]))
    assert total.rows == TABLE.num_rows
    assert total.with_samples("table", "w").total.to_bytes() == local("weights")


def test_a_partial_survives_the_journey() -> None:
    sent = [pickle.dumps(each) for each in sums()]
    assert max(map(len, sent)) < 200_000  # bytes of a summary, not what it holds in memory
    again = [pickle.loads(data) for data in sent]  # noqa: S301
    assert join(*again).total.to_bytes() == local("weights")


def spoilt(number: int, row: int, value: float) -> pa.Table:
    values = PARTS[number].column("p").to_numpy().copy()
    values[row] = value
    return PARTS[number].set_column(PARTS[number].schema.get_field_index("p"), "p", [values])


@given(st.permutations(range(3)))
def test_of_several_faults_that_of_the_first_partition_is_raised(order: list[int]) -> None:
    found = join_partials([bad_sums()[i] for i in order])
    with pytest.raises(stakes.InputError, match=r"got -0.5 at partition 2, row 7"):
        found.checked()


@given(st.permutations(range(3)))
def test_labels_of_two_kinds_are_refused_whatever_comes_first(order: list[int]) -> None:
    job = LabelJob("y")
    tables = [
        pa.table({"y": [1, 0]}),
        pa.table({"y": ["1", "0"]}),
        pa.table({"y": ["0"]}),
    ]
    found = [
        sum_pieces(job, n, pieces_of(table, job.ask, partition(n)))
        for n, table in enumerate(tables)
    ]
    with pytest.raises(
        stakes.InputError,
        match=r"partition 1: column 'y' must hold whole numbers as in partition 0: got texts",
    ):
        join_partials([found[i] for i in order]).checked()


def test_summaries_that_were_told_different_things_do_not_add() -> None:
    other = TableJob(JOB.relation, {"classes": [0, 1]})
    both = sum_table(DATA, 0, PARTS[0]) + sum_table(pickle.dumps(other), 2, PARTS[2])
    with pytest.raises(stakes.InputError, match="must be created with the same arguments"):
        both.checked()


def test_no_rows_and_no_weights_are_different_faults() -> None:
    with pytest.raises(stakes.InputError, match="'t' must hold samples"):
        Partial().with_samples("t", None)
    zero = PARTS[0].set_column(PARTS[0].schema.get_field_index("w"), "w", [np.zeros(1000)])
    with pytest.raises(
        stakes.InputError,
        match="t: column 'w' must be above 0 for some sample: all 1000 weights are 0",
    ):
        sum_table(DATA, 0, zero).with_samples("t", "w")


ROUNDED = Rounding("4 decimals", 1e-4, renormalized=True)
SINGLE = Rounding("float32", 1e-7, renormalized=False)


def test_roundings_join_only_where_each_row_tells_its_own() -> None:
    wide = Rounding("float32", 3e-7, renormalized=False)
    for one, two in ((SINGLE, wide), (wide, SINGLE)):
        assert joined_rounding(one, two) == wide
    assert joined_rounding(None, None) is None
    assert joined_rounding(SINGLE, None) == joined_rounding(None, SINGLE) == SINGLE
    for pair in ((None, ROUNDED), (ROUNDED, None), (SINGLE, ROUNDED), (ROUNDED, SINGLE)):
        with pytest.raises(RoundedRowsError):
            joined_rounding(*pair)
    by_sum = Rounding("", 1e-4, renormalized=True)
    assert joined_rounding(by_sum, None, renormalize=True) == by_sum
    with pytest.raises(RoundedRowsError):
        joined_rounding(SINGLE, Rounding("float32", 1e-7, renormalized=False, outside=1e-9))


def test_partials_note_rounded_rows_by_system() -> None:
    assert Partial(roundings={"": SINGLE}).notes() == [str(SINGLE)]
    some, none = Partial(rows=1, roundings={"": SINGLE}), Partial(rows=1, roundings={"": None})
    for both in (some + none, none + some, Partial() + some, some + Partial()):
        assert both.notes() == [str(SINGLE)]
    assert Partial(roundings={"a": SINGLE, "b": None}).notes() == [f"a: {SINGLE}"]


@pytest.mark.parametrize("rows", [1, 700, 1400, 10**6])
def test_parts_of_files_hold_each_row_once(rows: int, tmp_path: Path) -> None:
    write_files(tmp_path)
    files = FileParts.find(tmp_path)
    limits = Limits()
    small = split_parts(split_parts(files.parts, limits, 2000), limits, rows)
    ask = JOB.ask
    again = [
        sum_pieces(JOB, n, pieces_of_parts("t", [p], ask, limits)) for n, p in enumerate(small)
    ]
    assert join_partials(again).total.to_bytes() == local("weights")
    assert all(Path(p.path).is_absolute() for p in files.parts)
    for slots in (1, 3, 100):
        tasks = replace(files, parts=small).tasks(slots)
        assert len(tasks) <= 4 * slots
        found = [sum_files(DATA, n, task) for n, task in enumerate(tasks)]
        assert join(*found).total.to_bytes() == local("weights")


def test_rows_of_a_part_are_those_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    values = TABLE.column("p").to_numpy().copy()
    values[5000] = 7.0
    table = TABLE.set_column(TABLE.schema.get_field_index("p"), "p", [values])
    parquet.write_table(table, path, row_group_size=700)
    whole = split_parts(split_parts(FileParts.find(path).parts, Limits(), 2000), Limits(), 1)
    assert [(p.groups, p.row) for p in whole] == [((n,), 700 * n) for n in range(9)]
    faults = [
        found.fault[1]
        for n, p in enumerate(whole)
        if (found := sum_pieces(JOB, n, pieces_of_parts("t", [p], JOB.ask, Limits()))).fault
    ]
    assert len(faults) == 1
    assert "at t.parquet, row 5000" in str(faults[0])


def test_rows_are_counted_over_pieces_of_a_partition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relations, "_ROWS", 100)
    with pytest.raises(stakes.InputError, match=r"got 1\.5 at partition 4, row 777"):
        sum_table(DATA, 4, spoilt(4, 777, 1.5)).checked()


def test_a_file_that_shrinks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(TABLE, path, row_group_size=700)
    some = split_parts(FileParts.find(path).parts, Limits(), 1)
    parquet.write_table(TABLE[:1000], path, row_group_size=700)
    with pytest.raises(stakes.InputError, match="has changed while it was read"):
        list(units_of("t", some[-1:], JOB.ask, Limits()))


def test_text_is_one_part_and_a_pipe_is_refused(tmp_path: Path) -> None:
    csv.write_csv(TABLE.select(["y", "p", "w"]), tmp_path / "t.csv")
    files = FileParts.find(str(tmp_path / "t.csv"))
    assert len(files.parts) == 1
    first = files.first(JOB.ask)
    assert first is not None
    assert len(first) > 0
    with pytest.raises(stakes.InputError, match="can be read only here and once"):
        FileParts.split("-", [replace(files.parts[0], streamed=True)], Limits())


def test_paths_are_texts_or_paths_only() -> None:
    assert [is_paths(t) for t in ("a", Path("a"), ["a", Path("b")])] == [True] * 3
    assert [is_paths(t) for t in ([], [1], 3, TABLE)] == [False] * 4


def test_a_worker_of_another_version_says_so() -> None:
    assert remote_call(stakes.__version__)("ready") is None
    odd = remote_call("9.9.9")("ready")
    assert is_unfit(odd)
    assert is_unfit(join(sum_table(DATA, 0, PARTS[0]), odd))
    with pytest.raises(
        stakes.EngineError,
        match=rf"has stakes {stakes.__version__} .*this process has 9.9.9.*pip install stakes==9.9.9",
    ):
        checked(odd, "9.9.9")
    assert checked(3, "9.9.9") == 3


def test_an_engine_that_is_not_installed_is_named() -> None:
    with pytest.raises(
        ImportError, match=r"stakes.dask needs no_such_engine.*pip install 'stakes\[dask\]'"
    ):
        load("no_such_engine", "dask")


def test_labels_are_gathered_over_partitions() -> None:
    job = LabelJob("name")
    rows = parts(TABLE.sort_by("name"))
    found = [sum_pieces(job, n, pieces_of(t, job.ask)) for n, t in enumerate(rows)]
    assert [sorted(each.total.labels) for each in found if each.total][::3] == [
        ["benign"],
        ["malignant"],
    ]
    assert join_partials(found).total.labels == {"benign", "malignant"}


def test_cases_differ() -> None:
    assert len({local(case) for case in CASES}) == len(CASES) - 1  # lists and columns are the same
