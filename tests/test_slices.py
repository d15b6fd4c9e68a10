"""Slices of any columns: they part the samples, in an order, with a slice for missing values."""

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st

import stakes
from command import call
from stakes._check.slice_columns import in_order

RNG = np.random.default_rng(2)
N = 240
Y = RNG.integers(0, 2, N)
P = np.clip(0.5 + 0.3 * (Y - 0.5) + RNG.normal(0, 0.15, N), 0.01, 0.99)
AGE = RNG.integers(18, 95, N).astype(float)
AGE[::17] = np.nan
SITE = np.array(["b", "a", "c"], dtype=object)[RNG.integers(0, 3, N)]
SITE[::13] = None
SHIFT = RNG.integers(8, 12, N)
NIGHT = RNG.random(N) < 0.4
QUICK: dict[str, Any] = {"calibrator": None}
RANGES = pd.cut(pd.Series(AGE), [0, 40, 65, 120])
FRAME = pd.DataFrame({"site": SITE, "shift": SHIFT, "night": NIGHT, "age": RANGES})
COLUMNS = {"site": SITE.tolist(), "shift": SHIFT.tolist(), "night": NIGHT.tolist()}
TEXT_OF_AGE = RANGES.cat.rename_categories(str).astype(object).replace({np.nan: None}).tolist()
TEXTS = FRAME.assign(age=TEXT_OF_AGE)


def sliced(slices: Any, **options: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    made = stakes.evaluate(Y, P, slices=slices, **QUICK, **options)
    return [part.to_dict() for part in made.slices]


def values(slices: Any) -> list[str]:  # noqa: ANN401
    return [part["value"] for part in sliced(slices)]


FORMS: dict[str, Callable[[], Any]] = {
    "lists": lambda: {**COLUMNS, "age": TEXT_OF_AGE},
    "pandas": lambda: FRAME,
    "pandas, of Arrow": lambda: TEXTS.convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda: pl.DataFrame({**COLUMNS, "age": TEXT_OF_AGE}),
    "polars, lazy": lambda: pl.LazyFrame({**COLUMNS, "age": TEXT_OF_AGE}),
    "pyarrow": lambda: pa.table({**COLUMNS, "age": TEXT_OF_AGE}),
    "arrays": lambda: {
        "site": SITE,
        "shift": SHIFT.astype(float),
        "night": NIGHT,
        "age": np.array(TEXT_OF_AGE, dtype=object),
    },
    "series": lambda: {name: FRAME[name] for name in FRAME},
}


@pytest.mark.parametrize("form", FORMS)
def test_slices_part_the_samples_and_equal_their_own_evaluation(form: str) -> None:
    found = sliced(FORMS[form]())
    assert found == sliced(FRAME)
    assert {s["column"] for s in found} == set(FRAME)
    for name in FRAME:
        parts = [s for s in found if s["column"] == name]
        assert sum(s["samples"] for s in parts) == N
        counts = np.array([s["samples_per_class"] for s in parts])
        assert counts.sum(axis=0).tolist() == np.bincount(Y).tolist()
        for part in parts:
            column, missing = TEXTS[name], part["value"] == "missing"
            rows = np.flatnonzero(column.isna() if missing else column.astype(str) == part["value"])
            alone = stakes.evaluate(Y[rows], P[rows], classes=[0, 1], **QUICK)
            cost = alone.main.cost.normalized.value
            assert part["normalized_cost"]["value"] == pytest.approx(cost, rel=1e-12)


WHOLE = {**COLUMNS, "age": TEXT_OF_AGE, "y": Y, "p": P}
TABLES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: FRAME.assign(y=Y, p=P),
    "polars": lambda: pl.DataFrame(WHOLE),
    "polars, lazy": lambda: pl.LazyFrame(WHOLE),
    "pyarrow": lambda: pa.table(WHOLE),
    "DuckDB": lambda: duckdb.from_arrow(pa.table(WHOLE)),
}


@pytest.mark.parametrize("kind", TABLES)
def test_columns_of_a_table_are_the_same_slices(kind: str) -> None:
    table = TABLES[kind]()
    made = stakes.evaluate(table, "p", label="y", slices=list(FRAME), **QUICK)
    assert [part.to_dict() for part in made.slices] == sliced(FRAME)
    summed = stakes.Summary.of(table, label="y", scores="p", slices=list(FRAME))
    assert labels(summed.evaluate(**QUICK)) == labels(made)
    assert summed.to_bytes() == in_batches().to_bytes()


def labels(made: stakes.Evaluation) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(part.column, part.value, part.counts) for part in made.slices]


def in_batches() -> stakes.Summary:
    summary = stakes.Summary(classes=[0, 1], slices=list(FRAME))
    for rows in np.array_split(np.arange(N), 7):
        summary.update(Y[rows], P[rows], slices=FRAME.iloc[rows])
    return summary


def test_batches_of_frames_add_up_to_the_whole() -> None:
    made = stakes.evaluate(Y, P, slices=FRAME, **QUICK)
    batches = in_batches()
    assert labels(batches.evaluate(**QUICK)) == labels(made)
    again = stakes.Summary.from_bytes(batches.to_bytes())
    assert labels(again.evaluate(**QUICK)) == labels(made)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("read", ["whole", "stream"])
def test_files_give_the_same_slices(kind: str, read: str, tmp_path: Path) -> None:
    path = tmp_path / f"table.{kind}"
    table = pd.DataFrame(WHOLE)
    if kind == "csv":
        table.to_csv(path, index=False)
    else:
        pq.write_table(pa.Table.from_pandas(table), path)
    chosen = [word for name in FRAME for word in ("--slice", name)]
    memory = ["--memory", "0"] if read == "stream" else []
    done = call("evaluate", path, "--label", "y", "--scores", "p", "--scores-are", "posteriors",
                "--positive", "1", "--calibrator", "none", *memory, *chosen, "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["slices"]
    for ours, theirs in zip(sliced(FRAME), found, strict=True):
        assert ours["value"].lower() == theirs["value"].lower()  # truth as the file writes it
        assert ours["samples_per_class"] == theirs["samples_per_class"]


def test_values_are_in_their_own_order() -> None:
    ages = pd.cut(pd.Series(AGE), [0, 9, 40, 100, 120])
    assert values(ages) == ["(9, 40]", "(40, 100]", "missing"]
    sizes = pd.Series(["small", "large", "middle"] * 80)
    order = ["small", "middle", "large"]
    assert values(sizes) == ["large", "middle", "small"]
    assert values(pd.Categorical(sizes, categories=order)) == order
    assert values(sizes.astype(pd.CategoricalDtype(["huge", *order], ordered=True))) == order
    assert values(pl.Series("size", sizes.tolist(), dtype=pl.Enum(order))) == order
    assert values(pl.Series("size", sizes.tolist(), dtype=pl.Categorical)) == sorted(order)
    ordered = pa.DictionaryArray.from_arrays(
        pa.array([0, 2, 1] * 80), pa.array(order), ordered=True
    )
    assert values(pa.chunked_array([ordered, ordered[:0]])) == order
    assert values([9, 10, 100] * 80) == ["9", "10", "100"]
    assert values(["9", "10", "100"] * 80) == ["9", "10", "100"]
    assert values([0.5, 2, 1.0] * 80) == ["0.5", "1", "2"]
    assert values(np.array([0.1, 1, 0.25] * 80, dtype=np.float32)) == ["0.1", "0.25", "1"]
    assert values([True, False] * 120) == ["False", "True"]
    assert values(pd.qcut(pd.Series(AGE), 4))[-1] == "missing"
    assert values([dt.date(2024, 3, 1), dt.date(2023, 12, 31), None] * 80) == [
        "2023-12-31",
        "2024-03-01",
        "missing",
    ]
    days = pd.Series(pd.to_datetime(["2024-03-01", "2023-12-31", None] * 80))
    assert values(days) == ["2023-12-31", "2024-03-01", "missing"]
    assert values(days.to_numpy()) == ["2023-12-31", "2024-03-01", "missing"]
    assert values(days.dt.to_period("Q")) == ["2023Q4", "2024Q1", "missing"]


MISSING: dict[str, Any] = {
    "None": [None, "a"] * 120,
    "NaN among texts": [float("nan"), "a"] * 120,
    "an empty text": ["", "a"] * 120,
    "None, NaN and empty": [None, float("nan"), "", "a"] * 60,
    "NaN": np.array([np.nan, 1.0] * 120),
    "NA of pandas": pd.Series([pd.NA, 1] * 120, dtype="Int64"),
    "NA among truth values": pd.Series([None, True] * 120, dtype="boolean"),
    "NaT": pd.Series([pd.NaT, pd.Timestamp("2024-01-01")] * 120),
    "a code of -1": pd.Categorical(["a", None] * 120),
    "null of polars": pl.Series([None, 2] * 120),
    "null of Arrow": pa.chunked_array([pa.array([None, True] * 120)]),
    "masked": np.ma.masked_array([1, 2] * 120, mask=[True, False] * 120),
    "nothing else": [None] * 240,
}


@pytest.mark.parametrize("form", MISSING)
def test_missing_values_are_a_slice_that_comes_last(form: str) -> None:
    found = sliced(MISSING[form])
    assert found[-1]["value"] == "missing"
    assert sum(part["samples"] for part in found) == N
    assert len(found) == (1 if form == "nothing else" else 2)


def test_a_value_called_missing_is_another_slice() -> None:
    column = ["missing", None, "a"] * 80
    names = ["a", "missing", "missing (no value)"]
    assert values(column) == names
    assert [part["samples"] for part in sliced(column)] == [80] * 3
    summary = stakes.Summary(classes=[0, 1], slices=["s"])
    summary.update(Y, P, slices={"s": column})
    assert [part.value for part in summary.evaluate(**QUICK).slices] == names
    odd = ["missing", "missing (no value)", None] * 80
    assert len(set(values(odd))) == 3


def test_one_column_has_the_name_of_its_series() -> None:
    for form in (pd.Series(SITE, name="site"), pl.Series("site", SITE.tolist())):
        assert {part["column"] for part in sliced(form)} == {"site"}
    for form in (pd.Series(SITE), pl.Series(SITE.tolist()), SITE.tolist(), SITE):
        assert {part["column"] for part in sliced(form)} == {"slice"}
    assert {part["column"] for part in sliced(pd.DataFrame({3: SHIFT}))} == {"3"}
    assert sliced(pd.DataFrame(index=range(N))) == []


def test_1_and_true_and_the_text_are_not_confused() -> None:
    with pytest.raises(stakes.InputError, match="all of one kind: got int, str"):
        sliced([1, "1"] * 120)
    with pytest.raises(stakes.InputError, match="all of one kind: got bool, int"):
        sliced([True, 1] * 120)
    assert values([1, 1.0] * 120) == ["1"]


WRONG: dict[str, tuple[Any, str]] = {
    "very many numbers": (np.linspace(0, 1, N), r"at most 200 .* numbers: got 240\. .*pandas\.cut"),
    "ages of a frame": (pd.DataFrame({"site": SITE, "age": np.arange(N) / 7}),
                        r"slices 'age' must have .* got 240.*pandas\.qcut"),
    "very many dates": (pd.date_range("2020-01-01", periods=N), r"are dates: got 240.*months"),
    "two dimensions": (np.zeros((N, 2)), r"must be 1-D: got 2-D \(240, 2\)\..*data frame"),
    "rows of lists": ([[1, 2]] * N, r"must be 1-D: got 2-D"),
    "mappings": ([{}] * N, r"must hold texts.*got dict at row 0"),
    "bytes": ([b"a"] * N, r"must hold texts.*got bytes"),
    "one text": ("site", r"must hold one value per sample: got 'site'"),
    "a generator": ((x for x in range(N)), r"must be a sequence"),
    "too few": ({"site": [1, 2]}, r"slices 'site' must hold one value per sample: got 2 for 240"),
    "columns of one name": (pd.DataFrame(np.zeros((N, 2)), columns=["a", "a"]),
                            r"slices must have columns of different names: got several called 'a'"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said(case: str) -> None:
    column, message = WRONG[case]
    with pytest.raises(stakes.InputError, match=message):
        sliced(column)


def test_many_names_are_not_numbers() -> None:
    """A name of each sample is a slice: it is not for us to tell that it says little."""
    assert len(sliced([f"patient {i}" for i in range(N)])) == N


def test_a_summary_refuses_very_many_numbers_however_they_come() -> None:
    told: dict[str, Any] = {"classes": [0, 1], "slices": ["age"]}
    one, other = stakes.Summary(**told), stakes.Summary(**told)
    one.update(Y[:150], P[:150], slices={"age": np.arange(150)})
    with pytest.raises(
        stakes.InputError, match=r"slices 'age' must have at most 200 .*pandas\.cut"
    ):
        one.update(Y[:150], P[:150], slices={"age": np.arange(150) + 0.5})
    other.update(Y[:150], P[:150], slices={"age": np.arange(150) + 0.5})
    with pytest.raises(stakes.InputError, match=r"slices 'age' must have at most 200"):
        (one + other).evaluate(**QUICK)


def test_numbers_in_a_file_are_cut_first(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    pd.DataFrame({"y": Y, "p": P, "dose": np.arange(N) / 3}).to_csv(path, index=False)
    done = call("evaluate", path, "--label", "y", "--scores", "p", "--scores-are", "posteriors",
                "--positive", "1", "--slice", "dose")  # fmt: skip
    assert done.returncode == 3
    assert "must have at most 200 different values where they are numbers" in done.stderr


def test_labels_and_groups_must_not_be_missing_though_they_are_slices_too(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("y,p,g\n0,0.2,a\n1,0.8,\n0,0.1,b\n1,0.9,b\n")
    words = ["evaluate", str(path), "--label", "y", "--scores", "p", "--scores-are", "posteriors"]
    done = call(*words, "--group", "g", "--slice", "g")
    assert "line 3" in done.stderr
    assert "must hold a label in every row" in done.stderr


numbers = st.one_of(st.integers(-1000, 1000), st.floats(allow_nan=False, width=32))


@given(st.lists(numbers, min_size=1, max_size=30))
def test_texts_of_numbers_are_in_the_order_of_the_numbers(found: list[float]) -> None:
    texts = in_order([str(x) for x in found])
    assert [float(text) for text in texts] == sorted(float(text) for text in texts)
    assert set(texts) == {str(x) for x in found}


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20, unique=True), st.randoms())
def test_ranges_are_in_the_order_of_their_ends(ends: list[float], random: Any) -> None:  # noqa: ANN401
    ranges = pd.IntervalIndex.from_breaks(sorted(ends))
    texts = [str(r) for r in ranges]
    random.shuffle(mixed := list(texts))
    assert in_order(mixed) == texts


@given(st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=1, max_size=40), st.randoms())
def test_rows_in_any_order_give_the_same_slices(column: list[str | None], random: Any) -> None:  # noqa: ANN401
    column = [*column, *column]  # so that there are samples of both classes
    n = len(column)
    y, p = np.arange(n) % 2, np.resize(P, n)
    rows = np.arange(n)
    turned = rows.tolist()
    random.shuffle(turned)
    made, again = (
        stakes.evaluate(y[r], p[r], slices=[column[i] for i in r], classes=[0, 1], **QUICK)
        for r in (rows, np.array(turned))
    )
    assert labels(made) == labels(again)
    assert sum(part.samples for part in made.slices) == n
    assert len(made.slices) == len({value or None for value in column})
