"""Tables for the tests of engines, and what is asked of them."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import stakes

N = 6000
BINARY = stakes.CostMatrix.binary(miss=5, false_alarm=1)
BY_CASE = stakes.CostsByCase([[0, 3], ["amount", 0]])
TEN = [f"p{k}" for k in range(10)]
NAMES = {"sample_weight": "weight", "groups": "group"}  # of evaluate, of Summary.of


def table(n: int = N) -> pa.Table:
    """Return rows of two and of ten classes, with everything that can belong to a sample."""
    rng = np.random.default_rng(3)
    y, digit = rng.integers(2, size=n), rng.integers(10, size=n)
    p = 1 / (1 + np.exp(-(2 * y - 1) - rng.normal(size=n)))
    logits = rng.normal(size=(n, 10))
    logits[np.arange(n), digit] += 2
    ten = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return pa.table(
        {
            "y": y,
            "name": np.array(["benign", "malignant"])[y],
            "p": p,
            "q": np.sqrt(p),
            "digit": digit,
            "list": pa.FixedSizeListArray.from_arrays(pa.array(ten.reshape(-1)), 10),
            **{name: ten[:, k] for k, name in enumerate(TEN)},
            "w": rng.uniform(0.2, 3, n),
            "g": np.array([f"g{i % 97}" for i in range(n)]),
            "s": np.array(["a", "b", "c"])[rng.integers(3, size=n)],
            "amount": np.round(np.exp(rng.normal(size=n)), 2),
            "unused": pa.array(["?"] * n),
            "ward": pa.array([None if i % 7 == 0 else f"ward {i % 3}" for i in range(n)]),
            "dose": pa.array([None if i % 5 == 0 else i % 4 / 2 for i in range(n)]),
            "night": pa.array([None if i % 6 == 0 else i % 4 == 0 for i in range(n)]),
        }
    )


TABLE = table()
CASES: dict[str, dict[str, Any]] = {
    "binary": {"label": "y", "scores": "p", "costs": BINARY},
    "names": {"label": "name", "scores": "p", "classes": ["benign", "malignant"]},
    "ten classes": {"label": "digit", "scores": TEN},
    "ten classes in a list": {"label": "digit", "scores": "list"},
    "weights": {"label": "y", "scores": "p", "costs": BINARY, "sample_weight": "w"},
    "groups": {"label": "y", "scores": "p", "costs": BINARY, "groups": "g"},
    "prices": {"label": "y", "scores": "p", "costs": BY_CASE},
    "missing values": {"label": "y", "scores": "p", "slices": ["s", "ward", "dose", "night"]},
    "everything": {
        "label": "digit",
        "scores": TEN,
        "costs": {"even": np.ones((10, 10)) - np.eye(10), "odd": 3 * (np.ones((10, 10)) - np.eye(10))},
        "classes": list(range(10)),
        "sample_weight": "w",
        "groups": "g",
        "slices": ["s"],
        "priors": np.full(10, 0.1),
        "training_priors": "deployment",
    },
}  # fmt: skip
COMMAND = (
    "--label", "y", "--scores", "p", "--scores-are", "posteriors", "--positive", "1", "--cost",
    "miss=5,false_alarm=1", "--json",
)  # fmt: skip


def local(case: str) -> bytes:
    """Return the summary of all rows in this process."""
    told = {NAMES.get(name, name): value for name, value in CASES[case].items()}
    return stakes.Summary.of(TABLE, **told).to_bytes()


def parts(frame: Any, sizes: "tuple[int, ...]" = (1000, 0, 3500, 1, 1499)) -> list[Any]:  # noqa: ANN401
    """Return rows in partitions of odd sizes, one of them empty."""
    ends = np.cumsum((0, *sizes))
    return [frame[a:b] for a, b in pairwise(ends.tolist())]


def write_files(folder: Path) -> Path:
    """Write the rows as Parquet files of several row groups."""
    for number, rows in enumerate(parts(TABLE)):
        parquet.write_table(rows, folder / f"{number}.parquet", row_group_size=700)
    return folder
