"""The command line, run as a process: exit code, standard output, standard error."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import stakes

TABLE = """\
id,truth,decision,weight
1,healthy,healthy,1
2,healthy,tumour,1
3,tumour,tumour,2
4,tumour,healthy,4
5,healthy,healthy,1
"""


def run(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run stakes as a process of its own."""
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-m", "stakes", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=environment,
        timeout=300,
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


def test_evaluate_prints_cost_naive_interval_counts_and_metrics(table: Path) -> None:
    done = run(
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
    done = run(
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
    one, other = (run("evaluate", tmp_path / f, *asked) for f in ("table.parquet", "numbers.csv"))
    assert one.returncode == 0, one.stderr
    assert one.stdout == other.stdout
    assert json.loads(one.stdout)["confusion_matrix"]["classes"] == ["0", "1", "10"]


@pytest.mark.parametrize("form", ["costs.toml", "costs.csv"])
def test_costs_from_a_file_may_have_more_decisions_than_classes(form: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("y,d\na,x\nb,y\nb,z\n")
    costs = stakes.CostMatrix([[0, 1, 2], [3, 0, 1]], classes=["a", "b"], decisions=["x", "y", "z"])
    costs.write(tmp_path / form)
    done = run("evaluate", "t.csv", "--label", "y", "--decision", "d", "--cost", form, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "0.3333" in done.stdout


def test_positive_puts_the_class_of_interest_last(table: Path) -> None:
    asked = "--label", "truth", "--decision", "decision", "--json"
    done = run("evaluate", table, *asked, "--positive", "healthy")
    assert json.loads(done.stdout)["confusion_matrix"]["classes"] == ["tumour", "healthy"]
    done = run("evaluate", table, *asked, "--classes", "tumour,healthy")
    assert json.loads(done.stdout)["confusion_matrix"]["classes"] == ["tumour", "healthy"]
    done = run("evaluate", table, *asked, "--prior", "tumour=0.2,healthy=0.8")
    assert json.loads(done.stdout)["expected_cost"]["priors"] == {"healthy": 0.8, "tumour": 0.2}


ASKED = ("--label", "truth", "--decision", "decision")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, ["usage"]),
        (("evaluate",), 2, ["FILE"]),
        (("evaluat",), 2, ["evaluat"]),
        (("evaluate", "table.csv", "--label", "truth"), 2, ["--decision"]),
        (("evaluate", "table.csv", *ASKED, "--no-such-flag"), 2, ["--no-such-flag"]),
        (("evaluate", "none.csv", *ASKED), 4, ["none.csv", "No such file"]),
        (("evaluate", "none.parquet", *ASKED), 4, ["none.parquet", "No such file"]),
        (("evaluate", "https://example.org/t.csv", *ASKED), 2, ["https", "not supported"]),
        (("evaluate", "table.xlsx", *ASKED), 3, [".xlsx", ".parquet"]),
        (("evaluate", "-", *ASKED), 3, ["standard input", "--format"]),
        (
            ("evaluate", "table.csv", "--label", "Truth", "--decision", "decision"),
            3,
            ["'Truth'", "id, truth, decision, weight"],
        ),
        (("evaluate", "table.csv", *ASKED, "--cost", "miss=x"), 2, ["--cost", "miss=x"]),
        (("evaluate", "table.csv", *ASKED, "--cost", "miss=5"), 2, ["--cost", "false_alarm"]),
        (("evaluate", "table.csv", *ASKED, "--cost", "[[0,1]"), 2, ["--cost"]),
        (("evaluate", "table.csv", *ASKED, "--cost", "none.toml"), 4, ["none.toml"]),
        (("evaluate", "table.csv", *ASKED, "--prior", "2"), 2, ["--prior", "2"]),
        (("evaluate", "table.csv", *ASKED, "--prior", "x"), 2, ["--prior", "x"]),
        (("evaluate", "table.csv", *ASKED, "--positive", "x"), 2, ["--positive", "'x'"]),
        (("evaluate", "table.csv", *ASKED, "--weight", "truth"), 3, ["truth", "numbers"]),
        (("evaluate", "table.csv", *ASKED, "--level", "95"), 2, ["level", "95"]),
        (("evaluate", "table.csv", "--label", "", "--decision", "decision"), 3, ["''", "truth"]),
        (("evaluate", "table.csv", "--label", "truth", "--decision", "truth"), 2, ["two columns"]),
        (("evaluate", "table.csv", *ASKED, "--cost", "miss=5,miss=7,false_alarm=1"), 2, ["twice"]),
        (("evaluate", "table.csv", *ASKED, "--cost", "[" * 3000), 2, ["--cost"]),
        (
            ("evaluate", "table.csv", *ASKED, "--cost", "costs.toml", "--positive", "healthy"),
            2,
            ["cost file"],
        ),
        (
            ("evaluate", "table.csv", *ASKED, "--classes", "healthy,ill"),
            3,
            ["column 'truth'", "'tumour'"],
        ),
        (("evaluate", "empty.csv", *ASKED), 3, ["empty.csv", "empty"]),
        (("evaluate", "header.csv", *ASKED), 3, ["header.csv", "no rows"]),
        (("evaluate", "ragged.csv", *ASKED), 3, ["ragged.csv", "2"]),
        (("evaluate", "latin.csv", *ASKED), 3, ["latin.csv", "UTF-8"]),
        (("evaluate", "utf16.csv", *ASKED), 3, ["utf16.csv", "UTF-16"]),
        (("evaluate", "page.csv", *ASKED), 3, ["page.csv", "HTML"]),
        (("evaluate", "disguised.csv", *ASKED), 3, ["disguised.csv", "Parquet"]),
        (("evaluate", "broken.parquet", *ASKED), 3, ["broken.parquet"]),
        (("evaluate", "null.parquet", *ASKED), 3, ["truth", "row 1", "null"]),
        (("evaluate", "float.parquet", *ASKED), 3, ["truth", "double"]),
        (("evaluate", "gap.csv", *ASKED), 3, ["truth", "line 3", "empty"]),
        (("reproduce", "--output", "table.csv/x"), 4, ["table.csv/x"]),
    ],
)
def test_a_mistake_gets_one_message_and_one_code(
    arguments: tuple[str, ...], code: int, words: list[str], table: Path
) -> None:
    folder = table.parent
    (folder / "empty.csv").write_text("")
    stakes.CostMatrix.zero_one(["healthy", "tumour"]).write(folder / "costs.toml")
    (folder / "header.csv").write_text("truth,decision\n")
    (folder / "ragged.csv").write_text("truth,decision,x\na,b\n")
    (folder / "latin.csv").write_bytes("truth,decision\ncafé,a\n".encode("latin-1"))
    (folder / "utf16.csv").write_bytes("truth,decision\na,a\n".encode("utf-16"))
    (folder / "page.csv").write_text("<!DOCTYPE html><html>log in</html>")
    (folder / "gap.csv").write_text("truth,decision\na,a\n,a\n")
    parquet.write_table(pa.table({"truth": ["a"], "decision": ["a"]}), folder / "disguised.csv")
    (folder / "broken.parquet").write_bytes(b"PAR1 and nothing else")
    nulls = pa.table({"truth": ["a", None], "decision": ["a", "a"]})
    parquet.write_table(nulls, folder / "null.parquet")
    floats = pa.table({"truth": [0.5, 1.0], "decision": ["a", "a"]})
    parquet.write_table(floats, folder / "float.parquet")
    done = run(*arguments, cwd=folder)
    assert done.returncode == code, done.stderr
    said = done.stderr.lower()
    assert [w for w in words if w.lower() not in said] == [], done.stderr
    assert "traceback" not in said
    assert done.stdout == "" or arguments[:1] == ("reproduce",)


def test_names_cannot_reach_the_terminal_raw(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("y,d\n\x1b[2Jpwn,b\nb,[red]b\n")
    done = run("evaluate", "t.csv", "--label", "y", "--decision", "d", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "\\x1b[2Jpwn" in done.stdout
    assert "[red]b" in done.stdout


def test_a_reader_that_stops_early_is_no_error(table: Path) -> None:
    command = f"{sys.executable} -m stakes evaluate {table} --label truth --decision decision"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{command} --json | head -c 1"],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout == "{"
    assert done.stderr == ""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{command} | head -c 1"],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "s", "")


def test_a_full_disk_and_a_narrow_terminal(table: Path) -> None:
    command = f"{sys.executable} -m stakes evaluate {table} --label truth --decision decision"
    full = subprocess.run(
        ["bash", "-c", f"{command} > /dev/full"],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert full.returncode == 4
    assert "No space left" in full.stderr
    assert "Traceback" not in full.stderr
    narrow = subprocess.run(
        ["bash", "-c", command],  # noqa: S607
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        timeout=60,
    )
    assert narrow.returncode == 0, narrow.stderr


def test_the_order_of_classes_does_not_hang_on_the_hash_seed(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("y,d\n007,7\n7,007\n7,7\n")
    outputs = set()
    for seed in ("0", "1", "2", "3"):
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "stakes",
                "evaluate",
                "t.csv",
                "--label",
                "y",
                "--decision",
                "d",
                "--json",
            ],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
            timeout=60,
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert json.loads(outputs.pop())["confusion_matrix"]["classes"] == ["007", "7"]


def test_a_decision_that_is_never_true_is_noted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("y,d\na,a\nb,abstain\n")
    done = run("evaluate", "t.csv", "--label", "y", "--decision", "d", cwd=tmp_path)
    assert done.returncode == 0
    assert "decided but never true, counted as classes: abstain" in done.stderr
    assert "No samples of class abstain" in done.stdout


def test_constant_decisions_and_many_classes_print_a_whole_report(tmp_path: Path) -> None:
    (tmp_path / "constant.csv").write_text("y,d\na,a\nb,a\n")
    done = run("evaluate", "constant.csv", "--label", "y", "--decision", "d", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Matthews correlation is undefined" in done.stdout
    rows = "".join(f"{i},{i if i % 3 else 0}\n" for i in range(9000))
    (tmp_path / "many.csv").write_text(f"y,d\n{rows}")
    done = run("evaluate", "many.csv", "--label", "y", "--decision", "d", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "first classes and decisions of 9000 x 9000" in done.stdout
    assert "and 8992 more" in done.stdout
    done = run("evaluate", "many.csv", "--label", "y", "--decision", "d", "--json", cwd=tmp_path)
    assert len(done.stdout) < 3_000_000


def test_demo_tells_its_story() -> None:
    done = run("demo")
    assert done.returncode == 0, done.stderr
    assert "569 samples" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "Useful" in done.stdout
    document = json.loads(run("demo", "--json").stdout)
    assert document["command"] == "demo"
    assert document["expected_cost"]["normalized"] < 1


def test_reproduce_marks_every_cell_and_draws(tmp_path: Path) -> None:
    done = run("reproduce", "--output", "figures", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for count in (81, 108, 36, 72):
        assert f"{count} of {count} printed cells agree" in done.stdout
    assert "54 of 54 printed cells agree" in done.stdout
    assert "In all, 353 of 353 printed numbers agree." in done.stdout
    assert " !" not in done.stdout
    names = sorted(p.name for p in (tmp_path / "figures").iterdir())
    stems = ("ec_vs_other_scatter", "metrics_vs_thr")
    assert names == [f"{stem}.{kind}" for stem in stems for kind in ("png", "svg")]


def test_version_and_help() -> None:
    assert run("--version").stdout.strip() == f"stakes {stakes.__version__}"
    for command in ((), ("evaluate",), ("demo",), ("reproduce",)):
        done = run(*command, "--help")
        assert done.returncode == 0
        assert "Usage:" in done.stdout


def test_figures_need_an_extra_and_say_which(tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not here')\n")
    script = "from stakes.displays import MetricScatterDisplay as D; D({}).plot()"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        timeout=60,
    )
    assert done.returncode == 1
    assert "drawing needs matplotlib: pip install 'stakes[plot]'" in done.stderr


def test_the_readme_shows_what_the_demo_prints() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    printed = [line.rstrip() for line in run("demo").stdout.rstrip().splitlines()]
    assert "\n".join(printed) in readme


@pytest.fixture
def scored_file(tmp_path: Path) -> Path:
    data = stakes.simulation.simulate(2, n=1500)
    p = np.exp(data.posteriors([0.1, 0.9]).values)
    lines = ["id,note,y,p_calm,p_alarm"]
    names = ("calm", "alarm")
    lines += [
        f'{i:03d},"a, b",{names[y]},{float(p[i, 0])!r},{float(p[i, 1])!r}'
        for i, y in enumerate(data.y)
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


SCORES = ("--scores", "p_calm,p_alarm", "--scores-are", "posteriors")


def test_calibrate_learns_applies_and_decides(scored_file: Path) -> None:
    tmp_path = scored_file.parent
    learnt = run("calibrate", "scores.csv", "--label", "y", *SCORES, "-o", "cal.json", cwd=tmp_path)
    assert learnt.returncode == 0, learnt.stderr
    assert "cross-entropy" in learnt.stdout
    assert "lost to calibration" in learnt.stdout
    assert "classes taken from the names of the columns: calm, alarm" in learnt.stderr
    applied = run(
        "calibrate", "scores.csv", "--apply", "cal.json", *SCORES, "-o", "out.csv", cwd=tmp_path
    )
    assert applied.returncode == 0, applied.stderr
    before, after = (
        list(csv.reader((tmp_path / f).read_text().splitlines())) for f in ("scores.csv", "out.csv")
    )
    assert [row[:5] for row in after] == before  # all columns and the row order are kept
    assert after[0][5:] == ["calibrated_calm", "calibrated_alarm"]
    y = [row[2] for row in after[1:]]
    p = [[float(x) for x in row[5:]] for row in after[1:]]
    better = stakes.bayes_cost(y, stakes.Posteriors.renormalized(p), classes=["calm", "alarm"])
    assert better.normalized < 1
    decided = run(
        "decide", "scores.csv", *SCORES, "--cost", "miss=5,false_alarm=1",
        "--calibrator", "cal.json", "-o", "decided.parquet", cwd=tmp_path,
    )  # fmt: skip
    assert decided.returncode == 0, decided.stderr
    table = parquet.read_table(tmp_path / "decided.parquet")
    assert table.column_names[:5] == before[0]
    assert table.column_names[-2:] == ["decision", "expected_cost"]
    choice = table.column("decision").to_pylist()
    posterior = table.column("posterior_alarm").to_pylist()
    assert all((d == "alarm") == (q > 1 / 6) for d, q in zip(choice, posterior, strict=True))
    assert "mean expected cost" in decided.stdout
    document = run(
        "calibrate", "scores.csv", "--label", "y", *SCORES, "-o", "cal2.json", "--json",
        "--method", "temperature", cwd=tmp_path,
    )  # fmt: skip
    assert json.loads(document.stdout)["losses"][0]["calibrator"] == "temperature"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("calibrate", "scores.csv", *SCORES, "-o", "c.json"), 2, ["--label"]),
        (("calibrate", "scores.csv", "--label", "y", "--scores", "p_calm", "--scores-are", "llr", "-o", "c.json"), 2, ["--classes"]),
        (("calibrate", "scores.csv", "--label", "y", "--scores", "p_calm,p_alarm", "--scores-are", "guess", "-o", "c.json"), 2, ["posteriors"]),
        (("calibrate", "scores.csv", "--label", "y", "--scores", "p_calm,none", "--scores-are", "posteriors", "--classes", "calm,alarm", "-o", "c.json"), 3, ["none"]),
        (("calibrate", "scores.csv", "--apply", "bad.json", *SCORES, "-o", "o.csv"), 3, ["bad.json"]),
        (("calibrate", "scores.csv", "--apply", "none.json", *SCORES, "-o", "o.csv"), 4, ["none.json"]),
        (("calibrate", "scores.csv", "--label", "y", *SCORES, "-o", "no/c.json"), 4, ["no/c.json"]),
        (("decide", "scores.csv", *SCORES, "--cost", "miss=1,false_alarm=1", "-o", "o.txt"), 3, ["o.txt"]),
        (("decide", "scores.csv", "--scores", "p_alarm", "--scores-are", "llr", "--classes", "calm,alarm", "--cost", "miss=1,false_alarm=1", "-o", "o.csv"), 3, ["priors"]),
        (("decide", "taken.csv", "--scores", "a,b", "--scores-are", "posteriors", "--cost", "miss=1,false_alarm=1", "-o", "o.csv"), 3, ["decision", "Rename"]),
    ],
)  # fmt: skip
def test_mistakes_of_calibrate_and_decide(
    arguments: tuple[str, ...], code: int, words: list[str], scored_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "taken.csv").write_text("a,b,decision\n0.5,0.5,x\n")
    done = run(*arguments, cwd=scored_file.parent)
    assert done.returncode == code, done.stderr
    assert [w for w in words if w.lower() not in done.stderr.lower()] == [], done.stderr
    assert "Traceback" not in done.stderr


def test_columns_in_another_order_give_the_same_table(scored_file: Path) -> None:
    folder = scored_file.parent
    learn = run("calibrate", "scores.csv", "--label", "y", *SCORES, "-o", "cal.json", cwd=folder)
    assert learn.returncode == 0, learn.stderr
    swapped = ("--scores", "p_alarm,p_calm", "--scores-are", "posteriors")
    costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=["calm", "alarm"])
    costs.write(folder / "costs.toml")
    for command, tail in (
        (("calibrate", "scores.csv", "--apply", "cal.json"), "calibrated_alarm"),
        (("decide", "scores.csv", "--cost", "costs.toml"), "posterior_alarm"),
        (("decide", "scores.csv", "--cost", "costs.toml", "--calibrator", "cal.json"), "decision"),
    ):
        tables = []
        for i, columns in enumerate((SCORES, swapped, (*swapped, "--classes", "alarm,calm"))):
            name = f"{tail}{i}.parquet"
            done = run(*command, *columns, "-o", name, cwd=folder)
            assert done.returncode == 0, done.stderr
            tables.append(parquet.read_table(folder / name).column(tail).to_pylist())
        assert tables[0] == tables[1] == tables[2]
    wrong = run(
        "decide", "scores.csv", *SCORES, "--classes", "calm,storm", "--cost", "costs.toml",
        "-o", "x.csv", cwd=folder,
    )  # fmt: skip
    assert wrong.returncode == 2
    assert "storm" in wrong.stderr
    label = run(
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
