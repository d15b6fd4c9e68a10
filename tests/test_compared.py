"""Systems in tables larger than memory: compared on rows of each class that were kept."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import stakes
from command import call
from stakes import InputError
from stakes.cli import table_streams
from stakes.evaluation.entry import RULES
from stakes.evaluation.summaries import compared_rows
from stakes.evaluation.summaries.compared_rows import ComparedRows, ScoreForm
from stakes.summary.members import CheckedBatch, Members

N = 4000
COLUMNS = ("--label", "y", "--system", "old=p", "--system", "new=r", "--scores-are", "posteriors")
QUICK = ("--positive", "1", "--calibrator", "none", "--json")
COMPARE = ("compare", "t.parquet", *COLUMNS, *QUICK)
WIDE = (
    "compare", "wide.parquet", "--label", "y", "--system", "a=a_x,a_y,a_z", "--system", "b=b",
    "--scores-are", "posteriors", "--classes", "x,y,z", *QUICK[2:],
)  # fmt: skip
DEFAULTS: dict[str, Any] = {
    "reference": None,
    "margin": None,
    "costs": None,
    "priors": None,
    "training_priors": None,
    "calibrator": None,
    "folds": 5,
    "level": 0.95,
    "rules": RULES,
    "rng": 0,
}


def table(n: int = N) -> pa.Table:
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.25).astype(np.int8)
    p, r = (1 / (1 + np.exp(1.5 - 3 * y - rng.normal(0, s, n))) for s in (1.0, 2.0))
    return pa.table(
        {
            "y": y,
            "p": p,
            "r": r,
            "w": rng.uniform(0.3, 2, n),
            "v": rng.uniform(1, 9, n),
            "g": [f"g{i % 70}" for i in range(n)],
            "z": np.log(p / (1 - p)),
        }
    )


def wide(n: int = N) -> pa.Table:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, n)
    logits = rng.normal(size=(2, n, 3))
    logits[:, np.arange(n), y] += 1
    p = np.exp(logits)
    p /= p.sum(axis=2, keepdims=True)
    columns = {f"a_{name}": p[0, :, k] for k, name in enumerate("xyz")}
    return pa.table({"y": np.array(list("xyz"))[y], **columns, "b": p[1].tolist()})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    parquet.write_table(table(), tmp_path / "t.parquet", row_group_size=500)
    csv.write_csv(table(), tmp_path / "t.csv")
    parquet.write_table(wide(), tmp_path / "wide.parquet", row_group_size=500)
    return tmp_path


def document(*arguments: str, cwd: Path) -> dict[str, Any]:
    """Return the JSON of a command that must go well, without the name of the file."""
    done = call(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    del found["source"]
    return found


def assert_alike(found: Any, wanted: Any) -> None:  # noqa: ANN401
    """Compare plain values, numbers up to the order of sums."""
    if isinstance(wanted, dict):
        assert set(found) == set(wanted)
        for name, value in wanted.items():
            assert_alike(found[name], value)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            assert_alike(a, b)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    else:
        assert found == wanted


@pytest.mark.parametrize(
    "arguments",
    [
        COMPARE,
        (*COMPARE, "--cost", "miss=5,false_alarm=1", "--margin", "0.1", "--reference", "new"),
        (*COMPARE, "--prior", "0.02", "--training-prior", "deployment"),
        (*COMPARE, "--training-prior", "data", "--prior", "0.1"),
        ("compare", "t.csv", *COLUMNS, "--classes", "0,1", "--positive", "0", *QUICK[2:]),
        ("compare", "t.parquet", "--label", "y", "--system", "a=z", "--system", "b=p", "--scores-are", "llr", *QUICK),
        WIDE,
    ],
)  # fmt: skip
def test_batches_compare_as_the_whole_table_where_no_row_is_left_out(
    arguments: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = document(*arguments, "--memory", "1GB", cwd=folder)
    monkeypatch.setattr(table_streams, "ROWS", 500)
    found = document(*arguments, "--memory", "0", cwd=folder)
    assert (found.pop("read"), wanted.pop("read")) == ("in batches", "whole")
    assert_alike(found, wanted)


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("rows", [100, 10**6])
def test_threads_batches_and_the_order_of_rows_change_nothing(
    threads: str, rows: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compared_rows, "_MOST_ROWS", 300)
    more = ("--memory", "0")
    wanted = document(*COMPARE, *more, cwd=folder)
    assert wanted["samples"] == 600
    assert wanted["notes"] == [
        f"The comparison rests on 600 of {N} samples, 300 different ones of a class at most."
    ]
    monkeypatch.setenv("STAKES_THREADS", threads)
    monkeypatch.setattr(table_streams, "ROWS", rows)
    assert document(*COMPARE, *more, cwd=folder) == wanted
    order = np.random.default_rng(2).permutation(N)
    parquet.write_table(table().take(pa.array(order)), folder / "t.parquet", row_group_size=70)
    assert document(*COMPARE, *more, cwd=folder) == wanted


def test_the_terminal_says_on_what_a_comparison_rests(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compared_rows, "_MOST_ROWS", 300)
    done = call(*COMPARE[:-1], "--memory", "0", cwd=folder)
    assert "Note: The comparison rests on 600 of 4000 samples, 300 different" in done.stdout


def kept_rows(quota: int, y: np.ndarray, *columns: np.ndarray, parts: int = 1) -> ComparedRows:
    """Return rows of systems that were added in parts."""
    systems = {f"s{i}": stakes.Posteriors(p) for i, p in enumerate(columns)}
    forms = {name: ScoreForm.from_scores(scores) for name, scores in systems.items()}
    total = ComparedRows([0, 1], forms, quota)
    for part in np.array_split(np.arange(y.size), parts):
        each = ComparedRows([0, 1], forms, quota)
        each.update(
            CheckedBatch(y[part]), {name: scores.part(part) for name, scores in systems.items()}
        )
        total = total + each
    return total


def columns(n: int = N) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = table(n)
    y, p, r = (rows.column(name).to_numpy() for name in ("y", "p", "r"))
    return y.astype(np.int64), p, r


def test_kept_rows_estimate_the_difference_at_the_priors_of_all_samples() -> None:
    y, p, r = columns()
    every = stakes.compare(y, {"s0": p, "s1": r})
    some = kept_rows(700, y, p, r, parts=3).compare(**DEFAULTS)
    assert some.n == 1400
    for metric in ("cost.value", "cross_entropy.value", "auc"):
        wanted = every.of("s1", metric).difference.value
        found = some.of("s1", metric).difference
        assert found.interval is not None
        width = found.interval.high - found.interval.low
        assert abs(found.value - wanted) < width
    shares = np.bincount(y) / y.size
    at = kept_rows(700, y, p, r).compare(
        **{**DEFAULTS, "priors": shares, "training_priors": "deployment"}
    )
    assert some.values == at.values
    own = {"own": stakes.Application(stakes.CostMatrix.zero_one([0, 1]), "data")}
    told = {**DEFAULTS, "priors": [0.5, 0.5], "costs": own, "training_priors": shares}
    uneven = kept_rows(700, y, p, r).compare(**told)
    assert uneven.values["s0"]["own.value"] == pytest.approx(at.values["s0"]["cost.value"])
    trained = {**DEFAULTS, "priors": [0.5, 0.5], "training_priors": "data"}
    both = [
        kept_rows(700, y, p, r).compare(**told).values
        for told in (trained, {**trained, "training_priors": shares})
    ]
    assert both[0] == both[1]


@pytest.mark.parametrize("trained", ["deployment", "data", [0.75, 0.25]])
def test_kept_rows_are_adapted_as_all_rows_are(trained: Any) -> None:  # noqa: ANN401
    y, p, r = columns(40_000)
    told: dict[str, Any] = {"priors": [0.95, 0.05], "training_priors": trained}
    every = stakes.compare(y, {"s0": p, "s1": r}, **told)
    some = kept_rows(3000, y, p, r).compare(**{**DEFAULTS, **told})
    for name, values in every.values.items():
        assert some.values[name]["cost.nec"] == pytest.approx(values["cost.nec"], rel=0.1)


def test_equal_rows_are_kept_together() -> None:
    y, p, r = columns()
    p, r = (np.round(each, 1).clip(0.05, 0.95) for each in (p, r))
    rows = kept_rows(1000, y, p, r, parts=5)
    assert rows.rows.all_there
    assert rows.rows.settled().y.size < 300
    found = rows.compare(**DEFAULTS)
    wanted = stakes.compare(y, {"s0": p, "s1": r})
    assert found.n == N
    for name, values in wanted.values.items():
        assert found.values[name] == pytest.approx(dict(values), rel=1e-9)


def test_what_cannot_be_compared_is_refused() -> None:
    form = ScoreForm.from_scores(stakes.Posteriors([0.1, 0.2]))
    rows = ComparedRows([0, 1], {"a": form, "b": form})
    with pytest.raises(InputError, match="samples must be added"):
        rows.compare(**DEFAULTS)
    y, logits = np.array([0, 1]), stakes.Logits([0.1, 0.2])
    with pytest.raises(InputError, match="'a' must be of one form"):
        rows.update(CheckedBatch(y), {"a": logits, "b": logits})
    form = ScoreForm.from_scores(stakes.LogLikelihoodRatios([0.1]))
    rows = ComparedRows([0, 1], {"a": form, "b": form})
    ratios = stakes.LogLikelihoodRatios([0.1, 0.2])
    rows.update(CheckedBatch(y), {"a": ratios, "b": ratios})
    with pytest.raises(InputError, match="priors"):
        rows.compare(**DEFAULTS)


MEMBERS = {
    "weights": ("--weight", "w"),
    "groups": ("--group", "g"),
    "costs by case": ("--cost", "miss=v,false_alarm=1"),
    "all": ("--weight", "w", "--group", "g", "--cost", "miss=v,false_alarm=1"),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_rows_are_kept_with_all_that_belongs_to_them(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_streams, "ROWS", 700)
    run = (*COMPARE, *MEMBERS[name])
    done = call(*run, "--memory", "0", cwd=folder)
    found, exact = json.loads(done.stdout), json.loads(call(*run, cwd=folder).stdout)
    assert (found["read"], exact["read"]) == ("in batches", "whole")
    assert found["samples"] == exact["samples"]
    for name_, values in exact["values"].items():
        assert found["values"][name_] == pytest.approx(values, rel=1e-9, nan_ok=True)
    assert [v["code"] for v in found["verdicts"]] == [v["code"] for v in exact["verdicts"]]
    for ours, theirs in zip(found["differences"], exact["differences"], strict=True):
        assert ours["difference"]["value"] == pytest.approx(theirs["difference"]["value"], abs=1e-9)
        band = theirs["difference"]["interval"]
        assert ours["difference"]["interval"] == (band and pytest.approx(band, abs=1e-9))


def test_weights_of_rows_that_were_left_out_count() -> None:
    rows = table(6000)
    y, w = rows["y"].to_numpy(), rows["w"].to_numpy()
    forms = dict.fromkeys("ab", ScoreForm(stakes.Posteriors, 0))
    kept = ComparedRows([0, 1], forms, 500, Members(weighted=True))
    scores = {
        "a": stakes.Posteriors(rows["p"].to_numpy()),
        "b": stakes.Posteriors(rows["r"].to_numpy()),
    }
    kept.update(CheckedBatch(y.astype(np.int64), w), scores)
    shares = np.bincount(y, w) / w.sum()
    assert kept._shares == pytest.approx(shares, rel=1e-14)
    found = kept.compare(**DEFAULTS)
    assert found.n < 6000
    exact = stakes.compare(y, scores, sample_weight=w)
    for name in ("a", "b"):
        ours, theirs = found.values[name]["cost.nec"], exact.values[name]["cost.nec"]
        assert ours == pytest.approx(theirs, abs=0.2)  # 500 rows of a class: sd 0.03 and 0.06


def test_rounded_rows_are_read_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_streams, "ROWS", 500)
    names = ["a_x", "a_y", "a_z"]
    rows = wide()
    for kind, read in ((lambda p: np.round(p, 3), "whole"), (np.float32, "in batches")):
        changed = rows
        for name in names:
            at = rows.column_names.index(name)
            changed = changed.set_column(at, name, pa.array(kind(rows.column(name).to_numpy())))
        parquet.write_table(changed, folder / "wide.parquet", row_group_size=500)
        found = document(*WIDE, "--memory", "0", cwd=folder)
        assert found["read"] == read
        assert_alike(found["notes"], document(*WIDE, cwd=folder)["notes"])


@pytest.mark.parametrize("threads", ["1", "3"])
def test_the_first_bad_value_is_named(
    threads: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAKES_THREADS", threads)
    monkeypatch.setattr(table_streams, "ROWS", 500)
    r = table().column("r").to_pylist()
    r[3100], r[1234] = None, 7.0
    rows = table().set_column(2, "r", pa.array(r))
    parquet.write_table(rows, folder / "t.parquet", row_group_size=500)
    done = call(*COMPARE, "--memory", "0", cwd=folder)
    assert done.returncode == 3
    assert "got 7.0 at t.parquet, row 1234" in done.stderr


def test_classes_are_found_behind_a_first_batch_that_lacks_some(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_streams, "ROWS", 500)
    order = np.argsort(wide().column("y").to_numpy(zero_copy_only=False), kind="stable")
    names = ["y", "p1", "p2", "p3", "b"]
    rows = wide().take(pa.array(order)).rename_columns(names)
    parquet.write_table(rows, folder / "wide.parquet", row_group_size=500)
    told = ("--system", "a=p1,p2,p3", "--system", "b=b", "--scores-are", "posteriors", *QUICK[2:])
    found, wanted = (
        document("compare", "wide.parquet", "--label", "y", *told, "--memory", memory, cwd=folder)
        for memory in ("0", "1GB")
    )
    assert_alike(found["values"], wanted["values"])
