"""What commands print, and in which forms."""

import csv
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pytest
from pyarrow import parquet

import stakes
from command import DECIDED, QUICK, SCORED, SCORES, TABLE, call, environment, run, write_scores
from stakes._check import FileError
from stakes._kernels import compiled
from stakes.cli import demo_command


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    return write_scores(tmp_path / "scores.csv", 1500).parent


def test_evaluate_prints_cost_naive_interval_counts_and_metrics(table: Path) -> None:
    done = call(
        "evaluate", table, "--label", "truth", "--decision", "decision",
        "--cost", "miss=5,false_alarm=1", "--prior", "0.1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for words in ("expected cost", "naive", "95 % interval", "normalised (NEC)", "always healthy"):
        assert words in done.stdout
    for words in ("F1 score", "Matthews correlation", "net benefit", "FA per miss", "5 samples"):
        assert words in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stderr == ""


def test_json_holds_the_numbers_of_the_library(table: Path) -> None:
    done = call(
        "evaluate", table, "--label", "truth", "--decision", "decision",
        "--cost", "miss=5,false_alarm=1", "--weight", "weight", "--json",
    )  # fmt: skip
    document = json.loads(done.stdout)
    y, d = ["healthy", "healthy", "tumour", "tumour", "healthy"], list("htthh")
    names = {"h": "healthy", "t": "tumour"}
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=["healthy", "tumour"])
    expected = stakes.expected_cost(
        y, [names[c] for c in d], costs=costs, sample_weight=[1, 1, 2, 4, 1]
    )
    assert document["expected_cost"]["value"] == expected.value
    assert document["expected_cost"]["normalized_interval"] == list(expected.normalized_interval())
    assert document["schema"] == 1
    assert document["stakes"] == stakes.__version__
    assert document["confusion_matrix"]["classes"] == ["healthy", "tumour"]


def test_parquet_and_csv_give_the_same_document(tmp_path: Path) -> None:
    columns = pa.table({"truth": [0, 0, 1, 1, 10], "decision": [0, 1, 1, 0, 10]})
    parquet.write_table(columns, tmp_path / "table.parquet")
    (tmp_path / "numbers.csv").write_text("truth,decision\n0,0\n0,1\n1,1\n1,0\n10,10\n")
    asked = "--label", "truth", "--decision", "decision", "--json"
    one, other = (call("evaluate", tmp_path / f, *asked) for f in ("table.parquet", "numbers.csv"))
    assert one.returncode == 0, one.stderr
    documents = [json.loads(done.stdout) for done in (one, other)]
    assert [d.pop("source") for d in documents] == ["table.parquet", "numbers.csv"]
    assert documents[0] == documents[1]
    assert documents[0]["confusion_matrix"]["classes"] == ["0", "1", "10"]


@pytest.mark.parametrize("form", ["costs.toml", "costs.csv"])
def test_costs_from_a_file_may_have_more_decisions_than_classes(form: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("y,d\na,x\nb,y\nb,z\n")
    costs = stakes.CostMatrix([[0, 1, 2], [3, 0, 1]], classes=["a", "b"], decisions=["x", "y", "z"])
    costs.write(tmp_path / form)
    done = call(
        "evaluate", "t.csv", "--label", "y", "--decision", "d", "--cost", form, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "0.3333" in done.stdout


def test_positive_puts_the_class_of_interest_last(table: Path) -> None:
    asked = "--label", "truth", "--decision", "decision", "--json"
    done = call("evaluate", table, *asked, "--positive", "healthy")
    assert json.loads(done.stdout)["confusion_matrix"]["classes"] == ["tumour", "healthy"]
    done = call("evaluate", table, *asked, "--classes", "tumour,healthy")
    assert json.loads(done.stdout)["confusion_matrix"]["classes"] == ["tumour", "healthy"]
    done = call("evaluate", table, *asked, "--prior", "tumour=0.2,healthy=0.8")
    assert json.loads(done.stdout)["expected_cost"]["priors"] == {"healthy": 0.8, "tumour": 0.2}


def test_a_decision_that_is_never_true_is_noted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("y,d\na,a\nb,abstain\n")
    done = call("evaluate", "t.csv", "--label", "y", "--decision", "d", cwd=tmp_path)
    assert done.returncode == 0
    assert "these classes occur only as decisions: abstain" in done.stderr
    assert "No samples of class abstain" in done.stdout


def test_constant_decisions_and_many_classes_print_a_whole_report(tmp_path: Path) -> None:
    (tmp_path / "constant.csv").write_text("y,d\na,a\nb,a\n")
    done = call("evaluate", "constant.csv", "--label", "y", "--decision", "d", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Matthews correlation is undefined" in done.stdout
    rows = "".join(f"{i},{i if i % 3 else 0}\n" for i in range(9000))
    (tmp_path / "many.csv").write_text(f"y,d\n{rows}")
    done = call("evaluate", "many.csv", "--label", "y", "--decision", "d", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "first classes and decisions of 9000 x 9000" in done.stdout
    assert "and 8992 more" in done.stdout
    done = call("evaluate", "many.csv", "--label", "y", "--decision", "d", "--json", cwd=tmp_path)
    assert len(done.stdout) < 3_000_000


def test_demo_tells_three_stories_and_keeps_its_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for story in ("_biopsies", "_digits", "_patients"):  # of one seed, they are computed once
        monkeypatch.setattr(demo_command, story, cache(getattr(demo_command, story)))
    done = call("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "569 biopsies" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    tour = (Path(__file__).parents[1] / "docs" / "tour.md").read_text(encoding="utf-8")
    printed = "\n".join(line.rstrip() for line in done.stdout.rstrip().splitlines())
    assert f"```text\n{printed}\n```" in tour
    kept = tmp_path / "stakes-demo.json"
    document = json.loads(kept.read_text())
    assert document["command"] == "demo"
    assert document["breast"]["data"]["samples"] == 569
    kept.write_text("mine")
    again = call("demo", "--seed", "0", cwd=tmp_path)
    assert again.stdout == done.stdout
    assert kept.read_text() == "mine"
    assert "was not changed" in again.stderr
    kept.unlink()
    no_room = FileError("cannot write 'stakes-demo.json': No space left on device")
    with mock.patch("stakes.cli.demo_command.write_text", side_effect=no_room):
        shown = call("demo", cwd=tmp_path)
    assert (shown.returncode, shown.stdout) == (0, done.stdout)
    assert shown.stderr.startswith("All numbers are in stakes demo --json (")


COUNTED = (
    "evaluate",
    "d.csv",
    *DECIDED,
    "--classes",
    "healthy,tumour",
    "--json",
)


@pytest.mark.parametrize(
    ("named", "plain_form"),
    [
        ({"matrix": [[0, 5], [1, 0]], "classes": ["tumour", "healthy"]}, "[[0, 1], [5, 0]]"),
        (
            {
                "matrix": [[5, 0], [0, 1]],
                "classes": ["tumour", "healthy"],
                "decisions": ["healthy", "tumour"],
            },
            "[[0, 1], [5, 0]]",
        ),
        ({"matrix": [[0, 1], [5, 0]], "decisions": ["healthy", "tumour"]}, "[[0, 1], [5, 0]]"),
    ],
)
def test_a_matrix_with_names_stands_in_any_order(
    named: dict[str, Any], plain_form: str, tmp_path: Path
) -> None:
    (tmp_path / "d.csv").write_text(TABLE)
    found = [
        json.loads(call(*COUNTED, "--cost", cost, cwd=tmp_path).stdout)
        for cost in (json.dumps(named), plain_form)
    ]
    assert found[0] == found[1]


def test_a_matrix_with_other_names_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text(TABLE)
    cost = json.dumps({"matrix": [[0, 1], [5, 0]], "classes": ["healthy", "ill"]})
    done = call(*COUNTED, "--cost", cost, cwd=tmp_path)
    assert done.returncode == 2
    assert "must have a row for each of the classes" in done.stderr


def test_outputs_of_compare_are_checked_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "there.json").write_text("old")
    systems = ("--system", "a=p", "--system", "b=q", "--label", "y", "--scores-are", "logits")
    done = call("compare", "missing.csv", *systems, "-o", "there.json", cwd=tmp_path)
    assert done.returncode != 0
    assert "there.json" in done.stderr
    assert "missing.csv" not in done.stderr


@pytest.mark.parametrize(("k", "shown"), [(4, True), (5, False)])
def test_the_cost_of_a_cell_is_shown_for_few_classes(k: int, shown: bool, tmp_path: Path) -> None:  # noqa: FBT001
    rows = "".join(f"{i},{j}\n" for i in range(k) for j in range(k))
    (tmp_path / "d.csv").write_text("truth,decision\n" + rows)
    done = call("evaluate", "d.csv", *DECIDED, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert ("(cost 1)" in done.stdout) == shown


def test_long_names_of_the_confusion_matrix_are_cut(tmp_path: Path) -> None:
    first, second = "abcdefghijklmnopqrstuvwxyz"[:18], "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:19]
    rows = [f"{first},{first},", f"{second},{second},", f"{first},{second},"]
    (tmp_path / "d.csv").write_text("\n".join(["truth,decision,", *rows]) + "\n")
    done = call("evaluate", "d.csv", *DECIDED, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("truth"))
    assert lines[head].split()[3:5] == [f"{second[:17]}…", first]
    assert [line.split()[0] for line in lines[head + 2 : head + 4]] == [f"{second[:17]}…", first]


def test_version_and_help() -> None:
    said = call("--version").stdout.splitlines()
    assert said == [f"stakes {stakes.__version__}", f"kernels: {compiled}"]
    slow = run("--version", env=environment(STAKES_KERNELS="numpy")).stdout
    assert "kernels: numpy definitions: STAKES_KERNELS" in slow
    listed = call("--help").stdout
    commands = (
        "calibrate", "check", "compare", "completion", "decide", "demo", "evaluate", "reproduce",
        "threshold",
    )  # fmt: skip
    for command in commands:
        assert f"\n  {command} " in listed
        done = call(command, "--help")
        assert (done.returncode, done.stderr) == (0, "")
        assert f"Usage: stakes {command}" in done.stdout


def test_help_does_not_import_what_it_does_not_need() -> None:
    script = (
        "import sys; import stakes.cli as c;"
        "[c.group.get_command(None, n) for n in c.group.list_commands(None)];"
        "heavy = {'numpy', 'scipy', 'pyarrow', 'rich', 'narwhals'} & set(sys.modules);"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_figures_need_an_extra_and_say_which(tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not here')\n")
    script = (
        "import numpy as np; from stakes.displays import MetricScatterDisplay as D;"
        "D(np.array([0.5]), np.array([0.9])).plot()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        timeout=60,
    )
    assert done.returncode == 1
    assert "drawing needs matplotlib: pip install 'stakes[plot]'" in done.stderr


def test_calibrate_learns_applies_and_decides(scored: Path) -> None:
    tmp_path = scored
    learnt = call(
        "calibrate", "scores.csv", "--label", "y", *SCORES, "-o", "cal.json", cwd=tmp_path
    )
    assert learnt.returncode == 0, learnt.stderr
    assert "cross-entropy" in learnt.stdout
    assert "recovers" in learnt.stdout
    assert "classes are taken from the column names: calm, alarm" in learnt.stderr
    applied = call(
        "calibrate", "scores.csv", "--apply", "cal.json", *SCORES, "-o", "out.csv", cwd=tmp_path
    )
    assert applied.returncode == 0, applied.stderr
    before, after = (
        list(csv.reader((tmp_path / f).read_text().splitlines())) for f in ("scores.csv", "out.csv")
    )
    assert [row[:7] for row in after] == before  # all columns and the row order are kept
    assert after[0][7:] == ["calibrated_calm", "calibrated_alarm"]
    y = [row[2] for row in after[1:]]
    p = [[float(x) for x in row[7:]] for row in after[1:]]
    better = stakes.bayes_cost(y, stakes.Posteriors(p, renormalize=True), classes=["calm", "alarm"])
    assert better.normalized < 1
    decided = call(
        "decide", "scores.csv", *SCORES, "--cost", "miss=5,false_alarm=1",
        "--calibrator-file", "cal.json", "-o", "decided.parquet", cwd=tmp_path,
    )  # fmt: skip
    assert decided.returncode == 0, decided.stderr
    table = parquet.read_table(tmp_path / "decided.parquet")
    assert table.column_names[:7] == before[0]
    assert table.column_names[-2:] == ["decision", "expected_cost"]
    choice = table.column("decision").to_pylist()
    posterior = table.column("posterior_alarm").to_pylist()
    assert all((d == "alarm") == (q > 1 / 6) for d, q in zip(choice, posterior, strict=True))
    assert "mean expected cost" in decided.stdout
    document = call(
        "calibrate", "scores.csv", "--label", "y", *SCORES, "-o", "cal2.json", "--json",
        "--method", "temperature", cwd=tmp_path,
    )  # fmt: skip
    assert json.loads(document.stdout)["losses"][0]["calibrator"] == "temperature"


def test_decide_and_apply_print_json(scored: Path) -> None:
    call("calibrate", *SCORED, "-o", "cal.json", cwd=scored)
    done = call(
        "decide", "scores.csv", *SCORES, "--cost", "miss=price,false_alarm=1", "--abstain", "0.1",
        "-o", "d.csv", "--json", cwd=scored,
    )  # fmt: skip
    document = json.loads(done.stdout)
    assert set(document["decisions"]) == {"calm", "alarm", "abstain"}
    assert sum(document["decisions"].values()) == pytest.approx(1)
    assert (document["samples"], document["output"]) == (1499, "d.csv")
    done = call(
        "calibrate", "scores.csv", "--apply", "cal.json", *SCORES, "-o", "a.csv", "--json",
        cwd=scored,
    )  # fmt: skip
    document = json.loads(done.stdout)
    assert (document["command"], document["calibrator"]) == ("apply", "affine")
    assert sum(document["mean_posteriors"].values()) == pytest.approx(1)


def test_columns_in_another_order_give_the_same_table(scored: Path) -> None:
    folder = scored
    learn = call("calibrate", "scores.csv", "--label", "y", *SCORES, "-o", "cal.json", cwd=folder)
    assert learn.returncode == 0, learn.stderr
    swapped = ("--scores", "p_alarm,p_calm", "--scores-are", "posteriors")
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=["calm", "alarm"])
    costs.write(folder / "costs.toml")
    for command, tail in (
        (("calibrate", "scores.csv", "--apply", "cal.json"), "calibrated_alarm"),
        (("decide", "scores.csv", "--cost", "costs.toml"), "posterior_alarm"),
        (
            ("decide", "scores.csv", "--cost", "costs.toml", "--calibrator-file", "cal.json"),
            "decision",
        ),
    ):
        tables = []
        for i, columns in enumerate((SCORES, swapped, (*swapped, "--classes", "alarm,calm"))):
            name = f"{tail}{i}.parquet"
            done = call(*command, *columns, "-o", name, cwd=folder)
            assert done.returncode == 0, done.stderr
            tables.append(parquet.read_table(folder / name).column(tail).to_pylist())
        assert tables[0] == tables[1] == tables[2]
    wrong = call(
        "decide", "scores.csv", *SCORES, "--classes", "calm,storm", "--cost", "costs.toml",
        "-o", "x.csv", cwd=folder,
    )  # fmt: skip
    assert wrong.returncode == 2
    assert "storm" in wrong.stderr
    label = call(
        "calibrate",
        "scores.csv",
        "--apply",
        "cal.json",
        "--label",
        "y",
        *SCORES,
        "-o",
        "x.csv",
        cwd=folder,
    )
    assert label.returncode == 2


def test_every_form_tells_version_samples_and_seed(scored: Path) -> None:
    for command in (
        ("evaluate", *QUICK),
        ("compare", "scores.csv", "--label", "y", "--system", "a=p_alarm", "--system", "b=p_alarm",
         "--scores-are", "posteriors", "--positive", "alarm" ),
        ("check", *QUICK, "--max-nec", "1"),
    ):  # fmt: skip
        document = json.loads(call(*command, "--json", cwd=scored).stdout)
        samples = document["data"]["samples"] if "data" in document else document["samples"]
        assert (document["stakes"], samples, document["seed"]) == (stakes.__version__, 1499, 0)
        text = call(*command, "--format", "md", cwd=scored).stdout
        assert text.startswith(f"## stakes {stakes.__version__}  scores.csv  1499 samples, seed 0")
        rows = list(csv.reader(call(*command, "--format", "csv", cwd=scored).stdout.splitlines()))
        assert {len(row) for row in rows} == {len(rows[0])}


def test_an_application_file_holds_options_and_several_applications(scored: Path) -> None:
    (scored / "one.toml").write_text(
        'label = "y"\nscores = "p_calm,p_alarm"\nscores-are = "posteriors"\n'
        "cost = { miss = 5, false_alarm = 1 }\nprior = { calm = 0.9, alarm = 0.1 }\n"
        'training-prior = "deployment"\n'
        'slice = ["ward"]\njson = true\n'
    )
    done = call("evaluate", "scores.csv", "--app", "one.toml", cwd=scored)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["applications"][0]["costs"] == [[0, 1], [5, 0]]
    assert document["applications"][0]["priors"] == {"calm": 0.9, "alarm": 0.1}
    assert len(document["slices"]) == 7
    (scored / "two.json").write_text(
        '{"label": "y", "scores": "p_calm,p_alarm", "scores-are": "posteriors",'
        '"training-prior": "data", "applications":'
        '{"home": {"cost": "miss=5,false_alarm=1"}, "ward": {"dcf": "10:1:0.2"}}}'
    )
    done = call("evaluate", "scores.csv", "--app", "two.json", "--json", cwd=scored)
    names = [a["name"] for a in json.loads(done.stdout)["applications"]]
    assert names == ["home", "ward"]


def test_numbered_columns_take_the_sorted_labels_and_say_so(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("y,p0,p1\n007,0.9,0.1\n7,0.2,0.8\n7,0.4,0.6\n")
    done = call(
        "evaluate", "t.csv", "--label", "y", "--scores", "p0,p1", "--scores-are", "posteriors",
        "--json", cwd=tmp_path,
    )  # fmt: skip
    assert json.loads(done.stdout)["data"]["classes"] == ["007", "7"]
    assert "columns are read in the order of the sorted labels: p0 007, p1 7." in done.stderr


def test_names_of_classes_in_a_cost_file_may_hold_commas(tmp_path: Path) -> None:
    names = ["mild, at home", "severe"]
    costs = stakes.CostMatrix([[0, 1], [5, 0]], classes=names)
    (tmp_path / "t.csv").write_text(
        "y,d\n" + "".join(f'"{y}","{d}"\n' for y in names for d in names)
    )
    costs.write(tmp_path / "costs.toml")
    decided = ("evaluate", "t.csv", "--label", "y", "--decision", "d", "--cost", "costs.toml")
    for more in ((), ("--positive", "severe")):
        done = call(*decided, "--json", *more, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    done = call(*decided, "--positive", names[0], cwd=tmp_path)
    assert (done.returncode, "must agree with the cost file" in done.stderr) == (2, True)
