"""Mistakes: each gets one line that says what, where and how to fix it, and the right code."""

import json
from pathlib import Path

import click
import pyarrow as pa
import pytest
from pyarrow import parquet

import stakes
from command import DECIDED, QUICK, SCORED, SCORES, TABLE, call, write_scores
from stakes.cli.options import options_of


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, ["usage"]),
        (("evaluate",), 2, ["PATH"]),
        (("evaluat",), 2, ["evaluat"]),
        (
            ("evaluate", "table.csv", "--label", "truth"),
            2,
            ["--scores", "id, truth, decision, weight"],
        ),
        (("evaluate", "table.csv", *DECIDED, "--no-such-flag"), 2, ["--no-such-flag"]),
        (("evaluate", "table.csv", *DECIDED, "--jsn"), 2, ["'--jsn'", "did you mean '--json'?"]),
        (("decide", "table.csv", "--priors", "1"), 2, ["'--priors'", "did you mean '--prior'?"]),
        (("evalute", "table.csv"), 2, ["'evalute'", "did you mean 'evaluate'?"]),
        (("frobnicate", "table.csv"), 2, ["'frobnicate'", "calibrate, check, compare"]),
        (
            ("evaluate", "table.csv", *DECIDED, "--level", "x"),
            2,
            ["--level", "must be a number above 0 and below 1: got 'x'"],
        ),
        (("evaluate", "none.csv", *DECIDED), 4, ["none.csv", "No such file"]),
        (("evaluate", "none.parquet", *DECIDED), 4, ["none.parquet", "No such file"]),
        (("evaluate", "https://example.org/t.csv", *DECIDED), 2, ["https", "not supported"]),
        (("evaluate", "table.xlsx", *DECIDED), 3, ["table.xlsx", "spreadsheet", "Save it as CSV"]),
        (("evaluate", "-", *DECIDED), 3, ["standard input", "--input-format"]),
        (
            ("evaluate", "table.csv", "--label", "Truth", "--decision", "decision"),
            3,
            ["'Truth'", "id, truth, decision, weight"],
        ),
        (
            ("evaluate", "table.csv", *DECIDED, "--cost", "miss=x"),
            2,
            ["--cost", "miss", "false_alarm"],
        ),
        (("evaluate", "table.csv", *DECIDED, "--cost", "miss=5"), 2, ["--cost", "false_alarm"]),
        (("evaluate", "table.csv", *DECIDED, "--cost", "[[0,1]"), 2, ["--cost"]),
        (("evaluate", "table.csv", *DECIDED, "--cost", "none.toml"), 4, ["none.toml"]),
        (("evaluate", "table.csv", *DECIDED, "--prior", "2"), 2, ["--prior", "2"]),
        (("evaluate", "table.csv", *DECIDED, "--prior", "x"), 2, ["--prior", "x"]),
        (("evaluate", "table.csv", *DECIDED, "--positive", "x"), 2, ["--positive", "'x'"]),
        (("evaluate", "table.csv", *DECIDED, "--weight", "truth"), 3, ["truth", "numbers"]),
        (("evaluate", "table.csv", *DECIDED, "--level", "95"), 2, ["level", "95"]),
        (("evaluate", "table.csv", "--label", "", "--decision", "decision"), 3, ["''", "truth"]),
        (("evaluate", "table.csv", "--label", "truth", "--decision", "truth"), 2, ["two columns"]),
        (
            ("evaluate", "table.csv", *DECIDED, "--cost", "miss=5,miss=7,false_alarm=1"),
            2,
            ["twice"],
        ),
        (("evaluate", "table.csv", *DECIDED, "--cost", "[" * 3000), 2, ["--cost"]),
        (
            ("evaluate", "table.csv", *DECIDED, "--cost", "costs.toml", "--positive", "healthy"),
            2,
            ["cost file"],
        ),
        (
            ("evaluate", "table.csv", *DECIDED, "--classes", "healthy,ill"),
            3,
            ["column 'truth'", "'tumour'"],
        ),
        (("evaluate", "empty.csv", *DECIDED), 3, ["empty.csv", "empty"]),
        (("evaluate", "header.csv", *DECIDED), 3, ["header.csv", "no rows"]),
        (("evaluate", "ragged.csv", *DECIDED), 3, ["ragged.csv", "2"]),
        (("evaluate", "latin.csv", *DECIDED), 3, ["latin.csv", "UTF-8"]),
        (("evaluate", "utf16.csv", *DECIDED), 3, ["utf16.csv", "UTF-16"]),
        (("evaluate", "page.csv", *DECIDED), 3, ["page.csv", "HTML"]),
        (("evaluate", "disguised.csv", *DECIDED), 3, ["disguised.csv", "Parquet"]),
        (("evaluate", "broken.parquet", *DECIDED), 3, ["broken.parquet"]),
        (("evaluate", "null.parquet", *DECIDED), 3, ["truth", "row 1", "null"]),
        (("evaluate", "float.parquet", *DECIDED), 3, ["truth", "double"]),
        (("evaluate", "gap.csv", *DECIDED), 3, ["truth", "line 3", "empty"]),
        (("reproduce", "--output", "table.csv/x"), 4, ["table.csv/x"]),
    ],
)
def test_a_mistake_gets_one_message_and_one_code(
    arguments: tuple[str, ...], code: int, words: list[str], tmp_path: Path
) -> None:
    folder = tmp_path
    (folder / "table.csv").write_text(TABLE)
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
    done = call(*arguments, cwd=folder)
    assert done.returncode == code, done.stderr
    said = done.stderr.lower()
    assert [w for w in words if w.lower() not in said] == [], done.stderr
    assert "Traceback (most" not in done.stderr
    more = done.stderr.splitlines()[1:] if arguments else []
    assert [line[:20] for line in more] in ([], ["See: stakes explain "])
    assert more or code not in (3, 4)
    assert done.stdout == "" or arguments[:1] == ("reproduce",)


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
        (("decide", "scores.csv", "--scores", "p_alarm", "--scores-are", "llr", "--classes", "calm,alarm", "--cost", "miss=1,false_alarm=1", "-o", "o.csv"), 2, ["--prior"]),
        (("decide", "taken.csv", "--scores", "a,b", "--scores-are", "posteriors", "--cost", "miss=1,false_alarm=1", "-o", "o.csv"), 3, ["decision", "Rename"]),
    ],
)  # fmt: skip
def test_mistakes_of_calibrate_and_decide(
    arguments: tuple[str, ...], code: int, words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "taken.csv").write_text("a,b,decision\n0.5,0.5,x\n")
    write_scores(tmp_path / "scores.csv")
    done = call(*arguments, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert [w for w in words if w.lower() not in done.stderr.lower()] == [], done.stderr
    assert "Traceback" not in done.stderr


EVALUATE = ("evaluate", *QUICK)
TWO = ("compare", "scores.csv", "--label", "y", "--scores-are", "posteriors", "--positive", "alarm")
APPLICATIONS = {
    "unknown.toml": b"cots = 1",
    "broken.toml": b"label = ",
    "wrong.toml": b'folds = "many"',
    "odd.toml": b'[applications.a]\ncst = "x"',
    "plain.toml": b"applications = 3",
    "several.toml": b'[applications.a]\ncost = "miss=1,false_alarm=1"\n[applications.b]\nprior = 0.1',
    "twice.json": b'{"cost": [[0, 1], [1, 0]], "cost": [[0, 9], [9, 0]]}',
    "list.json": b"[1]",
    "bytes.toml": b"\xff",
}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("evaluate", "scores.csv", "--lable", "y"), 2, ["--lable", "--label"]),
        ((*EVALUATE, "--prior", "calm=0.9,storm=0.1"), 2, ["--prior", "storm", "calm"]),
        ((*EVALUATE, "--prior", "calm=1"), 2, ["--prior", "alarm"]),
        ((*EVALUATE, "--prior", "calm=0.9,alarm=0.2"), 2, ["--prior", "1.1"]),
        ((*EVALUATE, "--prior", "0.9,0.2"), 2, ["--prior", "1.1"]),
        ((*EVALUATE, "--prior", "5%"), 2, ["--prior must be a number", "'5%'", "Write 0.05."]),
        ((*EVALUATE, "--prior", "5"), 2, ["--prior must be from 0 to 1: got 5. 5 % is 0.05."]),
        ((*EVALUATE, "--prior", "nan"), 2, ["--prior", "nan"]),
        ((*EVALUATE, "--training-prior", "2"), 2, ["--training-prior", "2"]),
        ((*EVALUATE, "--cost", "miss=amount,false_alarm=1"), 3, ["amount", "price"]),
        ((*EVALUATE, "--cost", "[[0,1],[1]]"), 2, ["--cost", "one length"]),
        ((*EVALUATE, "--cost", "[[0,1,0.2],[1,0,0.2]]"), 2, ["--cost", "decisions", 'Name them: --cost \'{"matrix"']),
        ((*EVALUATE, "--cost", "[[0,-1],[1,0]]"), 2, ["--cost", "For gains give the loss of each decision"]),
        ((*EVALUATE, "--training-prior", "0", "--prior", "0.5"), 3, ["--training-prior must be above 0"]),
        ((*EVALUATE, "--scores-are", "llr"), 3, ["For 2 classes give --scores-are log-likelihoods"]),
        ((*EVALUATE, "--scores", "p_alarm", "--classes", "calm,alarm", "--scores-are", "log-likelihoods"), 3, ["give --scores-are llr"]),
        ((*EVALUATE, "--cost", "costs.yaml"), 2, ["--cost", "costs.yaml", ".toml"]),
        ((*EVALUATE, "--cost", "unknown.toml"), 2, ["--cost", "unknown.toml"]),
        ((*EVALUATE, "--classes", "calm"), 3, ["scores.csv", "2 classes", "calm"]),
        ((*EVALUATE, "--classes", "calm,calm"), 2, ["--classes", "once"]),
        ((*EVALUATE, "--positive", "storm"), 2, ["--positive", "storm", "alarm"]),
        ((*EVALUATE, "--dcf", "10:1:0.1", "--prior", "0.1"), 2, ["--dcf", "--prior"]),
        ((*EVALUATE, "--dcf", "10:1"), 2, ["--dcf", "10:1:0.01"]),
        ((*EVALUATE, "--abstain", "nan"), 2, ["--abstain", "nan"]),
        ((*EVALUATE, "--seed", "-5"), 2, ["--seed", "-5"]),
        ((*EVALUATE, "--level", "nan"), 2, ["--level", "nan"]),
        ((*EVALUATE, "--input-format", "xls"), 2, ["--input-format", "xls", "parquet"]),
        ((*EVALUATE, "--max-bytes", "10"), 5, ["scores.csv", "10", "--max-bytes"]),
        ((*EVALUATE, "-o", ""), 4, ["output"]),
        ((*EVALUATE, "--weight", "note"), 3, ["scores.csv", "line 2", "note"]),
        ((*EVALUATE, "--slice", "none"), 3, ["none", "ward"]),
        ((*EVALUATE, "--group", "none"), 3, ["none", "ward"]),
        (("evaluate", "scores.csv", "--label", "p_calm", *SCORES), 2, ["--label", "p_calm"]),
        (("evaluate", "scores.csv", "--label", "y", "--scores", "p_calm,p_calm", "--scores-are", "posteriors"), 2, ["--scores", "once"]),
        (("evaluate", "scores.csv", "--label", "y", "--scores", "p_alarm", "--scores-are", "posteriors"), 2, ["--positive", "calm"]),
        (("evaluate", "sum.csv", "--label", "y", "--scores", "p_a,p_b", "--scores-are", "posteriors"), 3, ["sum.csv, line 3", "1.1", "--scores-are"]),
        (("evaluate", "weights.csv", "--label", "y", "--scores", "p_a,p_b", "--scores-are", "posteriors", "--weight", "zero"), 3, ["weights.csv", "zero", "0"]),
        (("evaluate", "weights.csv", "--label", "y", "--scores", "p_a,p_b", "--scores-are", "posteriors", "--weight", "zero", "--memory", "0"), 3, ["weights.csv: column 'zero'", "all 2 weights are 0"]),
        (("evaluate", "weights.csv", "--label", "y", "--scores", "p_a,p_b", "--scores-are", "posteriors", "--weight", "gap"), 3, ["weights.csv, line 3", "gap", "NaN"]),
        (("evaluate", "a\nb.csv", "--label", "y", *SCORES), 4, ["a\\nb.csv"]),
        (("evaluate", "-", "--scores-are", "llr"), 2, ["--label", "standard input"]),
        *((("evaluate", "scores.csv", "--app", name), 2, [name, word]) for name, word in (
            ("unknown.toml", "no option 'cots'. Did you mean 'cost'?"), ("broken.toml", "TOML"), ("wrong.toml", "--folds"),
            ("odd.toml", "cst"), ("plain.toml", "[applications.NAME]"), ("twice.json", "twice"),
            ("list.json", "by name"), ("bytes.toml", "UTF-8"))),
        (("evaluate", "scores.csv", "--app", "none.toml"), 4, ["none.toml", "No such file"]),
        (("threshold", *SCORED, "--app", "several.toml"), 2, ["--app", "several"]),
        (("threshold", *SCORED, "--review", "2"), 2, ["--review", "2"]),
        ((*TWO, "--system", "A=p_alarm"), 2, ["--system", "twice"]),
        ((*TWO, "--system", "A=p_alarm", "--system", "A=p_calm"), 2, ["--system", "once"]),
        ((*TWO, "--system", "A=p_alarm", "--system", "B=p_calm", "--reference", "C"), 2, ["--reference", "C"]),
        (("check", *QUICK), 2, ["--max-nec"]),
        (("check", *QUICK, "--max", "nonsense=1"), 2, ["nonsense", "cost.nec"]),
        (("check", *QUICK, "--max", "auc"), 2, ["--max", "METRIC=NUMBER"]),
        (("check", *QUICK, "--max-nec", "nan"), 2, ["--max-nec", "nan"]),
        (("calibrate", *SCORED, "-o", "-"), 4, ["output"]),
        (("calibrate", *SCORED, "-o", "c.json", "--folds", "5000"), 3, ["folds", "5000"]),
        (("calibrate", "-", "--apply", "c.json", *SCORES, "-o", "x.csv"), 2, ["standard input", "twice"]),
        (("decide", "-", *SCORES, "--cost", "miss=1,false_alarm=1", "-o", "x.csv"), 2, ["standard input", "twice"]),
        (("completion", "tcsh"), 2, ["tcsh", "bash"]),
        (("demo", "--seed", "x"), 2, ["--seed", "x"]),
    ],
)  # fmt: skip
def test_what_a_stranger_types(
    arguments: tuple[str, ...], code: int, words: list[str], tmp_path: Path
) -> None:
    write_scores(tmp_path / "scores.csv", 100)
    (tmp_path / "sum.csv").write_text("y,p_a,p_b\na,0.5,0.5\nb,0.5,0.6\n")
    (tmp_path / "weights.csv").write_text("y,p_a,p_b,zero,gap\na,0.5,0.5,0,1\nb,0.5,0.5,0,nan\n")
    for name, data in APPLICATIONS.items():
        (tmp_path / name).write_bytes(data)
    done = call(*arguments, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    lines = [line for line in done.stderr.splitlines() if not line.startswith("Note: ")]
    assert lines[1:] == [line for line in lines if line.startswith("See: stakes explain ")][:1]
    assert lines[0].startswith("stakes: ")
    assert [w for w in words if w.lower() not in lines[0].lower()] == [], done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("rows", [1, 3])
def test_few_samples_or_one_class_give_a_report_not_an_error(rows: int, tmp_path: Path) -> None:
    lines = ["y,p_a,p_b,g", "a,0.9,0.1,x", "a,0.6,0.4,x", "b,0.3,0.7,x"]
    (tmp_path / "few.csv").write_text("\n".join(lines[: rows + 1]) + "\n")
    for more in (
        (),
        ("--prior", "0", "--training-prior", "deployment"),
        ("--cost", "miss=0,false_alarm=0"),
    ):
        done = call(
            "evaluate", "few.csv", "--label", "y", "--scores", "p_a,p_b", "--scores-are",
            "posteriors", *more, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "Warning" not in done.stderr
    alone = call(
        "evaluate", "few.csv", "--label", "y", "--scores", "p_a,p_b", "--scores-are",
        "posteriors", "--group", "g", cwd=tmp_path,
    )  # fmt: skip
    assert alone.returncode == 3
    assert "'g' must hold at least two groups" in alone.stderr


@pytest.mark.parametrize("option", [o for o in options_of("evaluate") if o.name != "decision"])
def test_no_option_is_ignored_silently_beside_decisions(option: click.Option) -> None:
    """An option has an effect on decisions, or it is refused; a new one is refused."""
    effective = {
        *("label", "classes", "positive", "weight", "cost", "prior", "level"),
        *("details", "html", "layout", "as_json", "output", "force", "memory", "resume"),
        *("input_format", "max_bytes", "timeout", "title", "date", "unit"),
    }
    values = {"method": "beta", "scores_are": "llr", "folds": "3", "seed": "3", "engine": "dask"}
    words = [option.opts[-1], *([] if option.is_flag else [values.get(str(option.name), "brier")])]
    if option.name not in effective:
        done = call("evaluate", "table.csv", *DECIDED, *words, cwd=Path.cwd())
        assert (done.returncode, f"{words[0]} has no effect with --decision" in done.stderr) == (
            2,
            True,
        )


def test_a_calibrator_file_has_an_option_of_its_own(tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.csv")
    decide = ("decide", "scores.csv", *SCORES, "--cost", "miss=5,false_alarm=1", "-o", "out.csv")
    done = call(*decide, "--calibrator", "cal.json", cwd=tmp_path)
    assert (done.returncode, "--calibrator-file 'cal.json'" in done.stderr) == (2, True)


def test_any_scoring_rule_can_be_named(tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.csv")
    for batches in ((), ("--memory", "0")):
        done = call("evaluate", *QUICK, "--rule", "spherical", *batches, "--json", cwd=tmp_path)
        names = [rule["name"] for rule in json.loads(done.stdout)["scoring_rules"]]
        assert names == ["cross-entropy", "Brier score", stakes.SphericalLoss().name]
    done = call("evaluate", *QUICK, "--rule", "no", cwd=tmp_path)
    assert (done.returncode, "--rule must be one of 'log', 'brier'" in done.stderr) == (2, True)
