"""Calibrators and thresholds of tables larger than memory: learnt on cells of the score."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import stakes
from command import call
from stakes import InputError
from stakes.calibration.loss import calibration_loss_of
from stakes.cli import table_streams
from stakes.evaluation.threshold_choice import choose_threshold_samples
from stakes.samples import Samples, read_samples

N = 200_000
SCORES = ("t.parquet", "--label", "y", "--scores", "p", "--scores-are", "posteriors")
LEARN = ("calibrate", *SCORES, "--classes", "0,1", "-o", "cal.json", "--force", "--json")
COSTS = ("--cost", "miss=5,false_alarm=1")
CHOOSE = ("threshold", *SCORES, "--positive", "1", *COSTS, "--json")


def table(n: int, digits: int = 17) -> pa.Table:
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.2).astype(np.int8)
    z = 2 * y - 1.5 + rng.normal(0, 1.3, n)
    p = np.round(1 / (1 + np.exp(-1.7 * z)), digits)
    return pa.table({"y": y, "p": p, "z": z, "w": rng.uniform(0.2, 3, n), "g": np.arange(n) % 50})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cells")
    parquet.write_table(table(N), path / "t.parquet", row_group_size=20_000)
    parquet.write_table(table(3000), path / "small.parquet", row_group_size=500)
    return path


def document(folder: Path, *arguments: str, memory: str) -> dict[str, Any]:
    """Return the JSON of a command that must go well."""
    done = call(*arguments, "--memory", memory, cwd=folder)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found.pop("read") == ("in batches" if memory == "0" else "whole")
    return found


def numbers(found: Any) -> list[float]:  # noqa: ANN401
    """Return all numbers of plain values in their order."""
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, list):
        return [number for each in found for number in numbers(each)]
    return [found] if isinstance(found, int | float) else []


@pytest.mark.parametrize(
    "more",
    [
        (),
        ("--method", "temperature"),
        ("--method", "bias"),
        ("--method", "beta"),
        ("--prior", "0.01"),
        ("--weight", "w"),
        ("--scores", "z", "--scores-are", "logits"),
        ("--scores", "z", "--scores-are", "llr", "--prior", "0.1"),
    ],
)
def test_a_calibrator_of_cells_is_that_of_all_rows(more: tuple[str, ...], folder: Path) -> None:
    fits, losses = [], []
    for memory in ("0", "1GB"):
        found = document(folder, *LEARN, *more, memory=memory)
        assert found["samples"] == N
        cells = "The calibrator was fitted on cells of the score"
        assert any(note.startswith(cells) for note in found["notes"]) == (memory == "0")
        losses.append([loss["raw"]["value"] for loss in found["losses"]])
        losses.append([loss["calibrated"]["value"] for loss in found["losses"]])
        fits.append(json.loads((folder / "cal.json").read_text()))
    for fit in fits:
        fit.pop("sha256")
    a, b = fits
    assert a.keys() == b.keys()
    for name in a:
        if not isinstance(a[name], dict | list):
            assert a[name] == b[name], name
    assert numbers(a) == pytest.approx(numbers(b), rel=1e-5)
    assert losses[0] == pytest.approx(losses[2], rel=1e-12)
    assert losses[1] == pytest.approx(losses[3], rel=1e-4)


@pytest.mark.parametrize("method", ["isotonic", "histogram"])
def test_steps_of_cells_are_near_those_of_all_rows(method: str, folder: Path) -> None:
    p = stakes.Posteriors(np.linspace(0.001, 0.999, 999))
    found = []
    for memory in ("0", "1GB"):
        document(folder, *LEARN, "--method", method, memory=memory)
        data = json.loads((folder / "cal.json").read_text())
        fitted = stakes.Calibrator.from_dict(data)
        found.append(np.exp(fitted.transform(p.named(fitted.classes)).values[:, 1]))
    gap = np.abs(found[0] - found[1])
    assert gap.mean() < 1e-3
    assert gap.max() < 0.02  # where a step begins at another row of its cell


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("rows", [500, 10**6])
def test_threads_and_batches_change_no_calibrator_and_no_threshold(
    threads: str, rows: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn, choose = (
        tuple("small.parquet" if word == "t.parquet" else word for word in command)
        for command in (LEARN, CHOOSE)
    )
    wanted = document(folder, *learn, memory="0"), document(folder, *choose, memory="0")
    fit = (folder / "cal.json").read_bytes()
    monkeypatch.setenv("STAKES_THREADS", threads)
    monkeypatch.setattr(table_streams, "ROWS", rows)
    assert (document(folder, *learn, memory="0"), document(folder, *choose, memory="0")) == wanted
    assert (folder / "cal.json").read_bytes() == fit


@pytest.mark.parametrize(
    "more",
    [
        (),
        ("--review", "0.05"),
        ("--training-prior", "deployment", "--prior", "0.01"),
        ("--training-prior", "0.5", "--prior", "0.1"),
        ("--weight", "w"),
        ("--weight", "w", "--training-prior", "deployment", "--prior", "0.1", "--review", "0.2"),
        ("--scores", "z", "--scores-are", "llr", "--prior", "0.2", "--review", "0.3"),
    ],
)
def test_thresholds_of_cells_are_near_those_of_all_rows(
    more: tuple[str, ...], folder: Path
) -> None:
    found, wanted = (document(folder, *CHOOSE, *more, memory=m) for m in ("0", "1GB"))
    assert found["notes"].pop().startswith("Thresholds lie on cells of the score")
    assert found["notes"] == wanted["notes"]
    assert found["samples"] == N
    for a, b in zip(found["results"], wanted["results"], strict=True):
        within = 1e-9 if a["rule"] == "Bayes rule" else 1e-3
        assert a["expected_cost"] == pytest.approx(b["expected_cost"], rel=within)
        for name in ("threshold", "reviewed"):  # many thresholds are nearly the best
            if not a["rule"].startswith("best"):
                assert a[name] == pytest.approx(b[name], rel=within, abs=1e-12)
        if a["rule"].startswith("cap"):
            assert a["reviewed"] <= float(more[-1]) + 1e-12


def test_what_cells_do_not_tell_is_read_whole(folder: Path) -> None:
    done = call(*LEARN, "--group", "g", "--memory", "0", cwd=folder)
    assert json.loads(done.stdout)["read"] == "whole"
    assert "Note: read whole: --group cannot be summed in batches yet" in done.stderr


def test_other_reasons_to_read_whole(folder: Path) -> None:
    for command, more, reason in (
        (CHOOSE, ("--training-prior", "0.5"), "--training-prior without --prior"),
        (CHOOSE, ("--training-prior", "data", "--prior", "0.1"), "--training-prior data"),
        (CHOOSE, ("--cost", "miss=w,false_alarm=1"), "costs by case"),
        (LEARN, ("--scores", "z", "--scores-are", "llr"), "likelihoods without --prior"),
        (LEARN, ("--scores", "lp", "--scores-are", "log-posteriors"), "log-posteriors"),
    ):
        rows = table(500)
        lists = np.log(np.column_stack([1 - rows["p"].to_numpy(), rows["p"].to_numpy()])).tolist()
        parquet.write_table(rows.append_column("lp", pa.array(lists)), folder / "u.parquet")
        words = ["u.parquet" if word == "t.parquet" else word for word in command]
        done = call(*words, *more, "--memory", "0", cwd=folder)
        assert f"Note: read whole: {reason} cannot be summed" in done.stderr
        assert json.loads(done.stdout)["read"] == "whole"


def test_mistakes_are_named_before_a_table_is_read(folder: Path) -> None:
    bare = tuple(word for word in LEARN if word not in ("--classes", "0,1"))
    done = call(*bare, "--memory", "0", cwd=folder)
    assert (done.returncode, "--classes must name the classes" in done.stderr) == (2, True)
    done = call(*CHOOSE[:-3], "--dcf", "1:1:0.1", "--dcf", "1:1:0.2", cwd=folder)
    assert (done.returncode, "a threshold needs one application" in done.stderr) == (2, True)
    summary = stakes.Summary(classes=[0, 1, 2])
    with pytest.raises(InputError, match="classes must be two"):
        summary.samples()


def test_a_bad_value_is_named_and_no_calibrator_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_streams, "ROWS", 500)
    p = table(3000).column("p").to_pylist()
    p[2222] = 1.25
    rows = table(3000).set_column(1, "p", pa.array(p))
    parquet.write_table(rows, tmp_path / "t.parquet", row_group_size=500)
    for command in (LEARN, CHOOSE):
        done = call(*command, "--memory", "0", cwd=tmp_path)
        assert (done.returncode, "t.parquet, row 2222" in done.stderr) == (3, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.parquet"]


def with_copies(given_priors: bool) -> tuple[Samples, Samples]:  # noqa: FBT001
    """Return rows that stand for several samples, and these one by one."""
    rows = table(400, digits=2)
    y, p = rows.column("y").to_numpy(), rows.column("p").to_numpy().clip(0.01, 0.99)
    copies = np.random.default_rng(1).integers(1, 6, y.size)
    row = np.repeat(np.arange(y.size), copies)
    priors = [0.9, 0.1] if given_priors else None
    one_by_one = read_samples(y[row], p[row], priors=priors)
    made = replace(read_samples(y, p, priors=priors), copies=copies)
    return replace(made, priors=one_by_one.priors), one_by_one


@pytest.mark.parametrize("given_priors", [True, False])
@pytest.mark.parametrize("review", [None, 0.1])
def test_thresholds_of_copies_are_those_of_repeated_rows(
    review: float | None,
    given_priors: bool,  # noqa: FBT001
) -> None:
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    found, wanted = (
        choose_threshold_samples(
            samples, costs=costs, training_priors="deployment", review=review, level=0.9
        )
        for samples in with_copies(given_priors)
    )
    assert found.n == wanted.n
    assert numbers(found.to_dict()) == pytest.approx(numbers(wanted.to_dict()), rel=1e-9)


@pytest.mark.parametrize("given_priors", [True, False])
@pytest.mark.parametrize("calibrator", [stakes.AffineCalibrator(), stakes.IsotonicCalibrator()])
def test_calibration_loss_of_copies_is_that_of_repeated_rows(
    calibrator: stakes.Calibrator,
    given_priors: bool,  # noqa: FBT001
) -> None:
    found, wanted = (
        calibration_loss_of(stakes.LogLoss(), samples, calibrator, 5, None, 3).to_dict()
        for samples in with_copies(given_priors)
    )
    assert found["data"] == wanted["data"] == "cross-fitted on 5 folds"
    assert numbers(found) == pytest.approx(numbers(wanted), rel=1e-7)
