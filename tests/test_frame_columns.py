"""Columns of data frames in memory: the same as through Arrow, whatever their type."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import stakes

N = 12
HALF = [i % 2 for i in range(N)]
SHARE = [round((i + 0.5) / N, 3) for i in range(N)]
WORDS = ["no", "yes"]
TEXTS = [WORDS[i] for i in HALF]
DAYS = [dt.date(2024, 1, 1 + i) for i in HALF]
TIMES = [dt.datetime(2024, 1, 1 + i, 8 * i) for i in HALF]  # noqa: DTZ001  as in most tables

Make = Callable[[], Any]
COLUMNS: dict[str, Make] = {
    "pandas int8": lambda: pd.Series(HALF, dtype="int8"),
    "pandas uint8": lambda: pd.Series(HALF, dtype="uint8"),
    "pandas int64": lambda: pd.Series(HALF),
    "pandas uint64": lambda: pd.Series(HALF, dtype="uint64"),
    "pandas float16": lambda: pd.Series(SHARE, dtype="float16"),
    "pandas float32": lambda: pd.Series(SHARE, dtype="float32"),
    "pandas float64": lambda: pd.Series(SHARE),
    "pandas Int64": lambda: pd.Series(HALF, dtype="Int64"),
    "pandas Int64, missing": lambda: pd.Series([None, *HALF[1:]], dtype="Int64"),
    "pandas int64 of Arrow": lambda: pd.Series(HALF, dtype="int64[pyarrow]"),
    "pandas bool": lambda: pd.Series(HALF, dtype=bool),
    "pandas boolean": lambda: pd.Series(HALF, dtype="boolean"),
    "pandas boolean, missing": lambda: pd.Series([True, None] * (N // 2), dtype="boolean"),
    "pandas texts": lambda: pd.Series(TEXTS),
    "pandas texts, objects": lambda: pd.Series(TEXTS, dtype=object),
    "pandas texts, missing": lambda: pd.Series([*TEXTS[:5], None, *TEXTS[6:]]),
    "pandas texts, empty": lambda: pd.Series([*TEXTS[:5], "", *TEXTS[6:]]),
    "pandas texts, all missing": lambda: pd.Series([None] * N, dtype=object),
    "pandas string of Arrow": lambda: pd.Series(TEXTS, dtype="string[pyarrow]"),
    "pandas whole numbers, objects": lambda: pd.Series(HALF, dtype=object),
    "pandas truth values, objects": lambda: pd.Series([bool(i) for i in HALF], dtype=object),
    "pandas categories": lambda: pd.Series(pd.Categorical(TEXTS)),
    "pandas categories, missing": lambda: pd.Series(pd.Categorical([None, *TEXTS[1:]])),
    "pandas categories, ordered": lambda: pd.Series(pd.Categorical(TEXTS, WORDS[::-1], ordered=True)),
    "pandas categories of numbers": lambda: pd.Series(pd.Categorical(HALF)),
    "pandas dates": lambda: pd.Series(DAYS),
    "pandas times": lambda: pd.Series(TIMES),
    "pandas times, missing": lambda: pd.Series([None, *TIMES[1:]]),
    "pandas bytes": lambda: pd.Series([b"x"] * N),
    "pandas Float64": lambda: pd.Series(SHARE, dtype="Float64"),
    "pandas float64, missing": lambda: pd.Series([*SHARE[:3], None, *SHARE[4:]]),
    "pandas double of Arrow": lambda: pd.Series(SHARE, dtype="double[pyarrow]"),
    "pandas infinity": lambda: pd.Series([*SHARE[:3], np.inf, *SHARE[4:]]),
    "pandas lists": lambda: pd.Series([[1 - p, p] for p in SHARE]),
    "pandas lists of several lengths": lambda: pd.Series([[1.0]] * 3 + [[0.5, 0.5]] * (N - 3)),
    "pandas lists, missing": lambda: pd.Series([[1 - p, p] for p in SHARE[1:]] + [[None, 1.0]]),
    "pandas empty lists": lambda: pd.Series([[]] * N),
    "pandas lists of texts": lambda: pd.Series([["a", "b"]] * N),
    "pandas beyond a double": lambda: pd.Series([2**60 + 1] * N),
    "polars int64": lambda: pl.Series(HALF),
    "polars uint8": lambda: pl.Series(HALF, dtype=pl.UInt8),
    "polars int64, missing": lambda: pl.Series([None, *HALF[1:]]),
    "polars bool": lambda: pl.Series([bool(i) for i in HALF]),
    "polars texts": lambda: pl.Series(TEXTS),
    "polars texts, missing": lambda: pl.Series([*TEXTS[:5], None, *TEXTS[6:]]),
    "polars categories": lambda: pl.Series(TEXTS, dtype=pl.Categorical),
    "polars Enum": lambda: pl.Series(TEXTS, dtype=pl.Enum(WORDS[::-1])),
    "polars dates": lambda: pl.Series(DAYS),
    "polars times": lambda: pl.Series(TIMES),
    "polars float32": lambda: pl.Series(SHARE, dtype=pl.Float32),
    "polars float64": lambda: pl.Series(SHARE),
    "polars float64, NaN": lambda: pl.Series([*SHARE[:3], np.nan, *SHARE[4:]]),
    "polars float64, missing": lambda: pl.Series([*SHARE[:3], None, *SHARE[4:]]),
    "polars lists": lambda: pl.Series([[1 - p, p] for p in SHARE]),
    "polars lists of float32": lambda: pl.Series([[1 - p, p] for p in SHARE], dtype=pl.List(pl.Float32)),
    "polars arrays": lambda: pl.Series([[1 - p, p] for p in SHARE], dtype=pl.Array(pl.Float64, 2)),
    "polars lists, missing": lambda: pl.Series([[1 - p, p] for p in SHARE[1:]] + [[None, 1.0]]),
    "polars beyond a double": lambda: pl.Series([2**60 + 1] * N),
    "polars nothing": lambda: pl.Series([None] * N),
}  # fmt: skip
USES = ("labels", "texts as labels", "scores", "weight", "group", "slices")


def table(name: str, use: str) -> Any:
    """Return a frame with the column in its use."""
    library: Any = pd if name.startswith("pandas") else pl
    labels = TEXTS if use == "texts as labels" else HALF
    columns: dict[str, Any] = {"y": labels, "p": SHARE, "w": [1.0] * N, "g": HALF, "s": TEXTS}
    place = {
        "labels": "y",
        "texts as labels": "y",
        "scores": "p",
        "weight": "w",
        "group": "g",
        "slices": "s",
    }
    return library.DataFrame({**columns, place[use]: COLUMNS[name]()})  # fmt: skip


def outcome(rows: Any, use: str) -> object:
    """Return what the summary of the rows is, or the error."""
    options: dict[str, Any] = {"classes": WORDS if use == "texts as labels" else [0, 1]}
    if use in {"weight", "group"}:
        options[use] = use[0]
    if use == "slices":
        options["slices"] = ["s"]
    try:
        return stakes.Summary.of(
            rows, label="y", scores="p", kind=stakes.Logits, **options
        ).to_bytes()
    except stakes.InputError as error:
        return error.code, error.place, error.argument, error.rule
    except (pa.ArrowException, OSError) as error:
        return type(error).__name__


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_read_as_through_arrow(name: str, use: str) -> None:
    rows = table(name, use)
    try:
        stream = pa.RecordBatchReader.from_stream(rows)
    except (pa.ArrowException, TypeError, ValueError):
        pytest.skip("Arrow has no such column")
    if use == "slices" and any(word in name for word in ("float16", "float32")):
        pytest.skip("their texts are those of numpy, as for arrays, not those of a double")
    found, want = outcome(rows, use), outcome(stream, use)
    if use == "slices" and any(word in name for word in ("lists", "arrays")):
        assert isinstance(found, tuple)
        assert "texts, whole numbers, truth values, dates or ranges" in found[3]
        return
    assert found == want


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_decimals_are_the_doubles_that_they_are_nearest_to(library: str) -> None:
    values = [Decimal(str(p)) for p in SHARE]
    series: Any = pd.Series(values) if library == "pandas" else pl.Series(values)
    rows = (pd if library == "pandas" else pl).DataFrame({"y": HALF, "p": series})
    found = stakes.Summary.of(rows, label="y", scores="p")
    assert found == stakes.Summary.of(pa.table({"y": HALF, "p": SHARE}), label="y", scores="p")


@pytest.mark.parametrize("rows", [1, 5, N, N + 1])
def test_rows_at_a_time_change_nothing(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"y": TEXTS, "p": SHARE, "s": [*TEXTS[:5], None, *TEXTS[6:]]})
    named: Any = {"label": "y", "scores": "p", "slices": ["s"], "classes": WORDS}
    whole = stakes.Summary.of(frame, **named)
    monkeypatch.setattr("stakes.io.relations._ROWS", rows)
    assert stakes.Summary.of(frame, **named).to_bytes() == whole.to_bytes()
    assert stakes.Summary.of(frame.to_pandas(), **named).to_bytes() == whole.to_bytes()
    frame[N - 1, "p"] = None
    with pytest.raises(stakes.InputError, match=f"table, row {N - 1}: column 'p'"):
        stakes.Summary.of(frame, **named)
