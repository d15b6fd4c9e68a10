"""Tables that hand over an Arrow stream: read batch by batch, or whole, with the same numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import stakes

BINARY = stakes.CostMatrix.binary(miss=5, false_alarm=1)
N = 500
Table = Any


def data(k: int = 2) -> tuple[Any, Any]:
    rng = np.random.default_rng(k)
    y = rng.integers(k, size=N)
    z = rng.normal(size=(N, k))
    z[np.arange(N), y] += 1.5
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    return y, p[:, 1] if k == 2 else p


Y, P = data()
TABLE = pa.table({"x": pa.array(["?"] * N), "y": Y, "p": P, "q": np.sqrt(P)})


def relation(table: Any) -> Any:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("held", table)
    return connection.sql('select * from held where "p" >= 0')


FORMS: dict[str, Callable[[Any], Any]] = {
    "table": lambda t: t,
    "batches of 7 rows": lambda t: t.to_reader(max_chunksize=7),
    "record batch": lambda t: t.combine_chunks().to_batches()[0],
    "data set": ds.dataset,
    "scanner": lambda t: ds.dataset(t).scanner(batch_size=100),
    "polars": pl.from_arrow,
    "lazy polars": lambda t: pl.DataFrame(t).lazy(),
    "pandas": lambda t: t.to_pandas(),
    "duckdb": relation,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_source_gives_the_summary_of_its_columns(form: str) -> None:
    whole = stakes.Summary(classes=[0, 1], costs=BINARY)
    whole.update(Y, P)
    found = stakes.Summary.of(FORMS[form](TABLE), label="y", scores="p", costs=BINARY)
    assert found.to_bytes() == whole.to_bytes()
    assert stakes.Summary.of(FORMS[form](TABLE), label="y", scores="p").n == N


@pytest.mark.parametrize("form", FORMS)
def test_every_source_is_evaluated_and_compared(form: str) -> None:
    options: Any = {"costs": BINARY}
    found = stakes.evaluate(FORMS[form](TABLE), label="y", scores="p", **options)
    assert found.to_dict() == stakes.evaluate(Y, P, **options).to_dict()
    compared = stakes.compare(
        FORMS[form](TABLE), label="y", systems={"a": "p", "b": "q"}, **options
    )
    assert compared.to_dict() == stakes.compare(Y, {"a": P, "b": np.sqrt(P)}, **options).to_dict()


def texts() -> Any:
    return np.array(["no", "yes"])[Y]


LABELS: dict[str, tuple[Callable[[], Any], Any]] = {
    "int8": (lambda: pa.array(Y, pa.int8()), [0, 1]),
    "uint64": (lambda: pa.array(Y, pa.uint64()), [0, 1]),
    "truth": (lambda: pa.array(Y == 1), [False, True]),
    "texts": (lambda: pa.array(texts()), ["no", "yes"]),
    "large texts": (lambda: pa.array(texts().tolist(), pa.large_string()), ["no", "yes"]),
    "views": (lambda: pa.array(texts().tolist(), pa.string_view()), ["no", "yes"]),
    "categories": (lambda: pa.array(texts()).dictionary_encode(), ["no", "yes"]),
    "far apart": (lambda: pa.array(np.where(Y, 10**12, -5)), [-5, 10**12]),
}


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("turned", [False, True])
def test_labels_of_every_type(name: str, turned: bool) -> None:  # noqa: FBT001
    make, classes = LABELS[name]
    classes = classes[::-1] if turned else classes
    whole = stakes.Summary(classes=classes)
    whole.update(np.array(LABELS[name][1], dtype=object)[Y].tolist(), P)
    table = pa.table({"y": make(), "p": P})
    assert stakes.Summary.of(table, label="y", scores="p", classes=classes) == whole
    y = stakes.evaluate(table, label="y", scores="p", classes=classes)
    assert y.data.counts == (int((turned == Y).sum()), int((turned != Y).sum()))


def test_dictionaries_may_change_between_batches() -> None:
    kind = pa.dictionary(pa.int8(), pa.string())
    parts = [
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 1], pa.int8()), pa.array(["a", "b"])),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 1], pa.int8()), pa.array(["b", "a"])),
        pa.DictionaryArray.from_arrays(pa.array([2, 2, 2], pa.int8()), pa.array(["?", "c", "b"])),
    ]
    column = pa.chunked_array(parts, kind)
    p = np.linspace(0.1, 0.9, 9)
    found = stakes.Summary.of(
        pa.table({"y": column, "p": p}), label="y", scores="p", classes=["a", "b"]
    )
    whole = stakes.Summary(classes=["a", "b"])
    whole.update(list("abbbaabbb"), p)
    assert found == whole


ORDERED: dict[str, Callable[[], Table]] = {
    "pandas": lambda: pd.DataFrame(
        {"y": pd.Categorical(texts(), ["yes", "no"], ordered=True), "p": P}
    ),
    "polars": lambda: pl.DataFrame({"y": pl.Series(texts(), dtype=pl.Enum(["yes", "no"])), "p": P}),
}


@pytest.mark.parametrize("name", ORDERED)
def test_categories_with_an_order_are_the_classes(name: str) -> None:
    assert stakes.Summary.of(ORDERED[name](), label="y", scores="p").classes == ("yes", "no")


@pytest.mark.parametrize("listed", ["columns", "fixed", "lists"])
@pytest.mark.parametrize("single", [False, True])
def test_scores_of_several_classes(listed: str, single: bool) -> None:  # noqa: FBT001
    y, p = data(3)
    p = np.log(p.astype(np.float32)) if single else np.log(p)
    flat = pa.array(p.ravel())
    if listed == "columns":
        table = pa.table({"y": y, "a": p[:, 0], "b": p[:, 1], "c": p[:, 2]})
    elif listed == "fixed":
        table = pa.table({"y": y, "s": pa.FixedSizeListArray.from_arrays(flat, 3)})
    else:
        offsets = np.arange(0, 3 * N + 1, 3, dtype=np.int32)
        table = pa.table({"y": y, "s": pa.ListArray.from_arrays(offsets, flat)})
    scores: Any = list("abc") if listed == "columns" else "s"
    whole = stakes.Summary(classes=3, scores=stakes.Logits)
    whole.update(y, p)
    reader = table.to_reader(max_chunksize=90)
    assert stakes.Summary.of(reader, label="y", scores=scores, kind=stakes.Logits) == whole
    found = stakes.evaluate(table, label="y", scores=scores, kind=stakes.Logits)
    assert found.data.n == N
    assert found.data.scores == "Logits"


def test_only_the_columns_that_are_needed_are_read(tmp_path: Path) -> None:
    wide = TABLE.append_column("object", pa.array([b"\xff"] * N))
    pq.write_table(wide, tmp_path / "a.parquet")
    asked: list[Any] = []

    class Recorded:
        schema = wide.schema

        def scanner(self, columns: Any) -> Any:
            asked.append(columns)
            return ds.dataset(tmp_path / "a.parquet").scanner(columns=columns)

    assert stakes.Summary.of(Recorded(), label="y", scores="p").n == N
    assert asked == [["y", "p"]]
    frame = TABLE.to_pandas()
    frame["odd"] = [object()] * N  # Arrow could not take it
    assert stakes.Summary.of(frame, label="y", scores="p").n == N


def at(row: int, column: str, value: Any) -> Any:
    """Return batches of a table with one value changed."""
    values = {"y": Y.astype(object), "p": P.astype(object)}
    values[column][row] = value
    kinds = {"y": pa.int64(), "p": pa.float64()}
    return pa.table({k: pa.array(v.tolist(), kinds[k]) for k, v in values.items()}).to_reader(
        max_chunksize=100
    )


def of(table: Any, label: Any = "y", scores: Any = "p", **more: Any) -> Callable[[], object]:
    return lambda: stakes.Summary.of(table, label=label, scores=scores, **more)


MESSAGES: list[tuple[str, Callable[[], object], list[str]]] = [
    ("null label", of(at(321, "y", None)), ["table, row 321", "'y'", "null"]),
    ("null score", of(at(321, "p", None)), ["table, row 321", "'p'", "null"]),
    ("NaN", of(at(321, "p", np.nan)), ["table, row 321", "'p'", "NaN", "Leave such rows out"]),
    ("range", of(at(321, "p", 1.5)), ["table: column 'p'", "1.5", "row 321", "[0, 1]"]),
    ("label", of(at(321, "y", 7)), ["table: column 'y'", "classes 0, 1", "got 7", "row 321"]),
    ("no label column", of(TABLE, "z"), ["'table' has no column 'z'", "x, y, p, q"]),
    ("no score column", of(TABLE.to_pandas(), "y", "z"), ["'table' has no column 'z'"]),
    ("none of polars", of(pl.from_arrow(TABLE), "y", "z"), ["'table' has no column 'z'"]),
    ("none of a data set", of(ds.dataset(TABLE), "y", "z"), ["'table' has no column 'z'"]),
    ("two of a name", of(TABLE.append_column("p", pa.array(P))), ["2 columns named 'p'"]),
    ("texts as scores", of(TABLE, "y", "x"), ["table", "'x'", "numbers", "string"]),
    ("texts", of(pa.table({"y": texts(), "p": P})), ["classes", "'y'", "Pass classes=[...]"]),
    ("other texts", of(pa.table({"y": texts(), "p": P}), classes=[0, 1]), ["'y'", "0, 1", "got 'yes'"]),
    ("numbers", of(TABLE, classes=["a", "b"]), ["'y'", "'a', 'b'", "got", "row 0"]),
    ("fractions as labels", of(TABLE, "q"), ["'q'", "integers or strings", "double"]),
    ("one column for both", of(TABLE, "p"), ["label", "scores", "'p'"]),
    ("label is no name", of(TABLE, 3), ["label", "name of a column", "3"]),
    ("scores are no name", of(TABLE, "y", [3]), ["scores", "name of a column", "[3]"]),
    ("scores of nothing", of(TABLE, "y", []), ["scores", "name of a column"]),
    ("not a table", of([1, 2]), ["table", "Arrow stream", "list"]),
    ("no rows", of(TABLE.slice(0, 0)), ["'table'", "no rows"]),
    ("three columns of two", of(TABLE, "y", ["p", "p", "q"], classes=[0, 1], kind=stakes.Logits), ["2 names"]),
    ("one column of three", of(TABLE, classes=[0, 1, 2]), ["one column per class", "3"]),
    ("mixed frame", of(pd.DataFrame({"y": [0, "a"], "p": [1, 0]})), ["table: column 'y'", "integers or strings", "int and str"]),
    ("whole: NaN", lambda: stakes.evaluate(at(321, "p", np.nan), label="y", scores="p"), ["row 321"]),
    ("whole: range", lambda: stakes.evaluate(at(321, "p", 2.0), label="y", scores="p"), ["row 321"]),
    ("whole: no rows", lambda: stakes.evaluate(TABLE[:0], label="y", scores="p"), ["no rows"]),
    ("whole: arrays", lambda: stakes.evaluate(Y, P, label="y"), ["scores", "name of a column"]),
    ("compare", lambda: stakes.compare(TABLE, {"a": "z", "b": "p"}, label="y"), ["no column 'z'"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "words"), [pytest.param(call, words, id=name) for name, call, words in MESSAGES]
)
def test_message(call: Callable[[], object], words: list[str]) -> None:
    with pytest.raises(stakes.InputError) as caught:
        call()
    message = str(caught.value)
    assert [word for word in words if word not in message] == [], message
    assert len(message) < 400


MEMBERS = pa.table(
    {
        "y": Y,
        "p": P,
        "w": np.linspace(0, 2, N),
        "patient": np.arange(N) % 37,
        "site": pa.array(["north", "south"] * (N // 2)).dictionary_encode(),
        "adult": np.arange(N) % 3 > 0,
        "amount": np.round(np.geomspace(1, 500, N), 2),
    }
)
BY_CASE = stakes.CostsByCase([[0, 3], ["amount", 0]], classes=[0, 1])
NAMED: dict[str, Any] = {"label": "y", "scores": "p", "costs": BY_CASE}


def member(name: str) -> Any:
    return MEMBERS[name].to_numpy()


@pytest.mark.parametrize("form", FORMS)
def test_weights_groups_slices_and_amounts_are_columns(form: str) -> None:
    slices = ["site", "adult"]
    whole = stakes.Summary(
        classes=[0, 1], costs=BY_CASE, weighted=True, grouped=True, slices=slices
    )
    whole.update(
        Y,
        P,
        sample_weight=member("w"),
        groups=member("patient"),
        slices={"site": MEMBERS["site"].to_pylist(), "adult": member("adult")},
        columns={"amount": member("amount")},
    )
    made = FORMS[form](MEMBERS)
    found = stakes.Summary.of(made, **NAMED, weight="w", group="patient", slices=slices)
    assert found.to_bytes() == whole.to_bytes()


@pytest.mark.parametrize("form", ["table", "polars", "pandas", "duckdb"])
def test_evaluate_and_compare_take_names_of_columns(form: str) -> None:
    quick: dict[str, Any] = {"calibrator": None}
    columns = {"sample_weight": member("w"), "groups": member("patient")}
    costs = BY_CASE.with_columns({"amount": member("amount")})
    slices = {"site": MEMBERS["site"].to_pylist()}
    exact = stakes.evaluate(Y, P, costs=costs, slices=slices, **columns, **quick)
    names = {"sample_weight": "w", "groups": "patient"}
    found = stakes.evaluate(
        FORMS[form](MEMBERS), "p", label="y", costs=BY_CASE, slices=["site"], **names, **quick
    )
    assert found.to_dict() == exact.to_dict()
    both = {"a": "p", "b": "amount"}
    scaled = MEMBERS.set_column(6, "amount", pa.array(1 / (1 + member("amount"))))
    other = stakes.compare(FORMS[form](scaled), both, label="y", **names)
    systems = {"a": P, "b": 1 / (1 + member("amount"))}
    assert other.to_dict() == stakes.compare(Y, systems, **columns).to_dict()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"weight": "nothing"}, "nothing"),
        ({"group": 3}, "group must be the name of a column: got 3"),
        ({"weight": "site"}, "site"),
        ({"costs": stakes.CostsByCase([[0, 1], ["price", 0]], classes=[0, 1])}, "price"),
    ],
)
def test_columns_that_are_not_there_are_named(more: dict[str, Any], words: str) -> None:
    with pytest.raises(stakes.InputError, match=words):
        stakes.Summary.of(MEMBERS, **(NAMED | more))
