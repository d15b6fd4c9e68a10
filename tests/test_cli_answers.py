"""The command answers: columns and logs, one model and several, pairing, gates, errors, forms."""

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import stakes
from command import answer_rows, call, run, write_answers

LOGS = Path(__file__).parent / "answer_logs"
SAID = ("--right", "ok", "--confidence", "sure", "--abstained", "idk")
PAIRED = ("--model", "model", "--question", "id")
WORDS = {"certain": 0.95, "likely": 0.8, "unsure": 0.5}
Rows = list[dict[str, str]]


def humble() -> Rows:
    """Return the answers of the model that abstains where it is unsure."""
    return [row for row in answer_rows() if row["model"] == "humble"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the answers of two models in one file, and of each in its own."""
    write_answers(tmp_path / "both.csv")
    for name in ("bold", "humble"):
        rows = [row for row in answer_rows() if row["model"] == name]
        write_answers(tmp_path / f"{name}.csv", rows)
    return tmp_path


def document(*arguments: str, cwd: Path, command: str = "answers") -> dict[str, Any]:
    done = call(command, *arguments, "--json", cwd=cwd)
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def numbers(found: dict[str, Any]) -> dict[str, Any]:
    """Return a document without what names its file, columns and commands."""
    odd = ("source", "origin", "notes", "command")
    return {k: _numbers(v) for k, v in found.items() if k not in odd}


def _numbers(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, list):
        return [_numbers(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {k: _numbers(v) for k, v in value.items() if k != "command"}


def refused(*arguments: str, cwd: Path, code: int = 2, command: str = "answers") -> str:
    done = call(command, *arguments, cwd=cwd)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.stderr


def made_in_python(rows: Rows, target: float = 0.75, **more: Any) -> stakes.ResponseEvaluation:  # noqa: ANN401
    said = stakes.Responses(
        *([row[name] for row in rows] for name in ("ok", "sure", "idk")),
        groups=more.pop("groups", None),
        sample_weight=more.pop("sample_weight", None),
    )
    return stakes.evaluate_responses(said, target, **more)


def as_printed(made: stakes.ResponseEvaluation) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(made.to_json(source="x"))
    return found


# numbers


@pytest.mark.parametrize("target", ["0.75", "75%", "75 %", " 0.75 "])
def test_the_document_has_the_numbers_of_python(folder: Path, target: str) -> None:
    topic = {"topic": [row["topic"] for row in humble()]}
    made = made_in_python(humble(), slices=topic, risk=0.3)
    told = (*SAID, "--target", target, "--risk", "30%", "--slice", "topic")
    assert numbers(document("humble.csv", *told, cwd=folder)) == numbers(as_printed(made))


def test_groups_weights_and_the_calibrator_are_those_of_python(folder: Path) -> None:
    rows = humble()
    topics, weights = ([row[name] for row in rows] for name in ("topic", "weight"))
    rows = [{**row, "doc": f"d{k % 20}"} for k, row in enumerate(rows)]
    write_answers(folder / "docs.csv", rows)
    made = made_in_python(
        rows, groups=[row["doc"] for row in rows], sample_weight=[float(w) for w in weights],
        calibrator=stakes.AffineCalibrator(), folds=4, level=0.9, rng=3, slices={"topic": topics},
    )  # fmt: skip
    told = ("--group", "doc", "--weight", "weight", "--calibrator", "affine", "--folds", "4")
    more = ("--level", "0.9", "--seed", "3", "--slice", "topic", "--target", "0.75")
    found = document("docs.csv", *SAID, *told, *more, cwd=folder)
    assert numbers(found) == numbers(as_printed(made))
    assert found["groups"] == 20


def test_no_calibrator_gives_no_calibrated_rule(folder: Path) -> None:
    found = document("humble.csv", *SAID, "--calibrator", "none", cwd=folder)
    assert [rule["name"] for rule in found["rules"]] == ["own", "stated"]
    assert found["calibrator"] is None


def test_one_column_may_say_the_outcome(folder: Path) -> None:
    own = document("humble.csv", "--outcome", "outcome", "--confidence", "sure", cwd=folder)
    assert numbers(own) == numbers(document("humble.csv", *SAID, cwd=folder))
    words = {"right": "CORRECT", "wrong": "INCORRECT", "abstained": "NOT_ATTEMPTED"}
    rows = [{**row, "outcome": words[row["outcome"]]} for row in humble()]
    write_answers(folder / "simple.csv", rows)
    told = [x for name, word in words.items() for x in (f"--{name}-is", word)]
    named = document(
        "simple.csv", "--outcome", "outcome", *told, "--confidence", "sure", cwd=folder
    )
    assert numbers(named) == numbers(own)
    assert named["origin"] == {
        "simple.csv": {"outcome": "column 'outcome'", "confidence": "column 'sure' (a probability)"}
    }


@pytest.mark.parametrize("kind", ["percent", "words", "logprob", "agreement"])
def test_confidence_is_what_it_is_declared_to_be(folder: Path, kind: str) -> None:
    """The same answers, with confidence in another form, give what Python gives."""
    forms = {
        "percent": (["90", "55", "20"], (), stakes.StatedPercent),
        "words": (
            ["certain", "Likely", "unsure"],
            ("--words", "certain=0.95,likely=0.8,unsure=0.5"),
            lambda v: stakes.VerbalConfidence(v, WORDS),
        ),
        "logprob": (["-0.1", "-1.5", "0"], (), stakes.AnswerLogProbability),
        "agreement": (
            ["9", "5", "2"],
            ("--samples", "10"),
            lambda v: stakes.Agreement(v, samples=10),
        ),
    }
    values, told, make = forms[kind]
    rows = [{**row, "sure": values[k % 3] if row["sure"] else ""} for k, row in enumerate(humble())]
    write_answers(folder / "t.csv", rows)
    found = document("t.csv", *SAID, "--confidence-is", kind, *told, cwd=folder)
    columns = {name: [row[name] for row in rows] for name in ("ok", "sure", "idk")}
    said = stakes.Responses(columns["ok"], make(columns["sure"]), columns["idk"])
    assert numbers(found) == numbers(as_printed(stakes.evaluate_responses(said, 0.5)))


@pytest.mark.parametrize("name", ["words.toml", "words.json"])
def test_words_may_stand_in_a_file(folder: Path, name: str) -> None:
    rows = [{**row, "sure": "likely" if row["sure"] else ""} for row in humble()]
    write_answers(folder / "t.csv", rows)
    lines = "\n".join(f"{word} = {p}" for word, p in WORDS.items())
    (folder / name).write_text(json.dumps(WORDS) if name.endswith("json") else lines)
    told = (*SAID, "--confidence-is", "words")
    typed = document("t.csv", *told, "--words", "likely=0.8,certain=0.95,unsure=0.5", cwd=folder)
    assert numbers(document("t.csv", *told, "--words", name, cwd=folder)) == numbers(typed)


def as_jsonl(rows: Rows) -> str:
    out = []
    for row in rows:
        typed: dict[str, Any] = {**row, "ok": None if row["ok"] == "" else row["ok"] == "true"}
        typed |= {
            "sure": None if row["sure"] == "" else float(row["sure"]),
            "idk": row["idk"] == "1",
        }
        out.append(json.dumps(typed))
    return "\n".join(out) + "\n"


def test_every_kind_of_file_gives_the_same(folder: Path) -> None:
    rows = humble()
    lines = as_jsonl(rows)
    (folder / "t.jsonl").write_text(lines)
    typed = [json.loads(line) for line in lines.splitlines()]
    (folder / "t.json").write_text(json.dumps(typed))
    table = pa.table({name: [row[name] for row in typed] for name in typed[0]})
    pq.write_table(table, folder / "t.parquet")
    known = numbers(document("humble.csv", *SAID, "--slice", "topic", cwd=folder))
    for name in ("t.jsonl", "t.json", "t.parquet"):
        assert numbers(document(name, *SAID, "--slice", "topic", cwd=folder)) == known, name


def test_standard_input_is_a_table(folder: Path) -> None:
    text = (folder / "humble.csv").read_text()
    done = run("answers", "-", "--input-format", "csv", *SAID, "--json", input=text)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert numbers(found) == numbers(document("humble.csv", *SAID, cwd=folder))


def test_an_application_file_holds_the_options(folder: Path) -> None:
    (folder / "a.toml").write_text(
        'right = "ok"\nconfidence = "sure"\nabstained = "idk"\ntarget = 0.75\nslice = ["topic"]\n'
    )
    by_file = document("humble.csv", "--app", "a.toml", cwd=folder)
    typed = document("humble.csv", *SAID, "--target", "0.75", "--slice", "topic", cwd=folder)
    assert by_file == typed
    other = document("humble.csv", "--app", "a.toml", "--target", "0.5", cwd=folder)
    assert other["target"] == 0.5


# rows in any order


@pytest.mark.parametrize("more", [(), ("--group", "doc"), ("--weight", "weight")])
def test_no_order_of_rows_changes_a_byte(folder: Path, more: tuple[str, ...]) -> None:
    rows = [{**row, "doc": f"d{k % 30}"} for k, row in enumerate(humble())]
    texts = set()
    for seed in range(3):
        random.Random(seed).shuffle(rows)  # noqa: S311  not for secrets
        write_answers(folder / "t.csv", rows)
        told = (*SAID, "--target", "0.75", "--slice", "topic", *more)
        texts.add(call("answers", "t.csv", *told, "--json", cwd=folder).stdout)
    assert len(texts) == 1


@pytest.mark.parametrize("runs", [1, 3])
def test_no_order_of_rows_changes_a_comparison(folder: Path, runs: int) -> None:
    rows = [{**row, "id": f"q{int(row['id'][1:]) // runs}"} for row in answer_rows(198)]
    rows = [{**row, "topic": "law" if int(row["id"][1:]) % 2 else "sport"} for row in rows]
    texts = set()
    for seed in range(3):
        random.Random(seed).shuffle(rows)  # noqa: S311
        write_answers(folder / "t.csv", rows)
        told = (*SAID, *PAIRED, "--target", "0.75", "--slice", "topic", "--json")
        texts.add(call("answers", "t.csv", *told, cwd=folder).stdout)
    assert len(texts) == 1
    (text,) = texts
    assert json.loads(text)["systems"]["bold"]["groups"] == (None if runs == 1 else 66)


def test_rows_paired_by_place_may_be_shuffled_together(folder: Path) -> None:
    texts = set()
    for seed in range(2):
        order = list(range(200))
        random.Random(seed).shuffle(order)  # noqa: S311
        for name in ("bold", "humble"):
            rows = [row for row in answer_rows() if row["model"] == name]
            write_answers(folder / f"{name}.csv", [rows[k] for k in order])
        done = call("answers", "bold.csv", "humble.csv", *SAID, "--json", cwd=folder)
        texts.add(done.stdout)
    assert len(texts) == 1


# several models


def test_a_long_table_is_the_comparison_of_python(folder: Path) -> None:
    systems = {}
    for name in ("bold", "humble"):
        rows = [row for row in answer_rows() if row["model"] == name]
        systems[name] = stakes.Responses(
            *([row[each] for row in rows] for each in ("ok", "sure", "idk"))
        )
    topics = [row["topic"] for row in humble()]
    made = stakes.compare_responses(systems, 0.75, slices={"topic": topics})
    found = document("both.csv", *SAID, *PAIRED, "--target", "0.75", "--slice", "topic", cwd=folder)
    expected = json.loads(made.to_json(source="x"))
    assert numbers(found) == numbers(expected)
    assert found["notes"] == []


def test_files_are_models(folder: Path) -> None:
    long = document("both.csv", *SAID, *PAIRED, cwd=folder)
    by_file = document("bold.csv", "humble.csv", *SAID, "--question", "id", cwd=folder)
    assert numbers(by_file) == numbers(long)
    named = document("old=bold.csv", "new=humble.csv", *SAID, "--question", "id", cwd=folder)
    assert list(named["systems"]) == ["old", "new"]
    by_place = document("bold.csv", "humble.csv", *SAID, cwd=folder)
    assert by_place["leaderboard"] == long["leaderboard"]
    assert by_place["notes"] == [
        "Rows of the files are paired by their order, since --question is not given."
    ]


def test_a_file_called_like_a_pair_is_itself(folder: Path) -> None:
    (folder / "x=humble.csv").write_text((folder / "humble.csv").read_text())
    found = document("x=humble.csv", *SAID, cwd=folder)
    assert found["source"] == "x=humble.csv"


def test_files_in_another_order_are_paired_by_question(folder: Path) -> None:
    rows = humble()[::-1]
    write_answers(folder / "humble.csv", rows)
    turned = document("bold.csv", "humble.csv", *SAID, "--question", "id", cwd=folder)
    assert numbers(turned) == numbers(document("both.csv", *SAID, *PAIRED, cwd=folder))


def test_a_question_that_some_models_lack_is_named(folder: Path) -> None:
    write_answers(folder / "humble.csv", humble()[5:])
    told = ("bold.csv", "humble.csv", *SAID, "--question", "id")
    said = refused(*told, cwd=folder, code=3)
    assert "question 'q000' must occur for every model: 'bold' has it at bold.csv, line 2" in said
    assert "humble has not (5 of 200 questions are like this). Give --common" in said
    found = document(*told, "--common", cwd=folder)
    assert found["notes"] == ["195 questions of 200 are kept: those that all models have."]
    assert {s["responses"] for s in found["systems"].values()} == {195}


def test_models_without_a_common_question(folder: Path) -> None:
    rows = [{**row, "id": f"z{row['id']}"} for row in humble()]
    write_answers(folder / "humble.csv", rows)
    told = ("bold.csv", "humble.csv", *SAID, "--question", "id", "--common")
    assert "no question occurs for all of the models" in refused(*told, cwd=folder, code=3)


def test_questions_that_are_repeated_are_groups(folder: Path) -> None:
    rows = [{**row, "id": f"q{k // 4}"} for k, row in enumerate(humble())]
    write_answers(folder / "t.csv", rows)
    found = document("t.csv", *SAID, "--question", "id", cwd=folder)
    note = "Some questions occur several times for a model: each is treated as a group."
    assert found["groups"] == 50
    assert note in found["notes"]
    by_group = document("t.csv", *SAID, "--group", "id", cwd=folder)
    assert numbers(by_group) == numbers(found)
    assert note not in by_group["notes"]
    other = document("t.csv", *SAID, "--question", "id", "--group", "topic", cwd=folder)
    assert other["groups"] == 2
    assert note not in other["notes"]


def test_runs_must_be_as_many_for_each_model(folder: Path) -> None:
    write_answers(folder / "humble.csv", [*humble(), humble()[7]])
    said = refused("bold.csv", "humble.csv", *SAID, "--question", "id", cwd=folder, code=3)
    assert "question 'q007' must occur equally often for every model: got bold 1, humble 2" in said


@pytest.mark.parametrize("column", ["topic", "weight", "doc"])
def test_columns_of_the_question_are_the_same_for_all_models(folder: Path, column: str) -> None:
    rows = [{**row, "doc": f"d{int(row['id'][1:]) // 10}"} for row in answer_rows()]
    rows[203][column] = {"topic": "cooking", "weight": "9", "doc": "d0x"}[column]
    write_answers(folder / "t.csv", rows)
    flag = {"topic": "--slice", "weight": "--weight", "doc": "--group"}[column]
    said = refused("t.csv", *SAID, *PAIRED, flag, column, cwd=folder, code=3)
    assert f"column '{column}' must be the same for all models" in said
    assert "t.csv, line 205" in said


def test_one_model_in_a_column_is_judged_alone(folder: Path) -> None:
    found = document("humble.csv", *SAID, "--model", "model", cwd=folder)
    assert numbers(found) == numbers(document("humble.csv", *SAID, cwd=folder))


# what is printed


def printed(*arguments: str, cwd: Path) -> str:
    done = call("answers", *arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= 80
    return done.stdout


def test_the_screen_says_the_sentences_first(folder: Path) -> None:
    text = printed("bold.csv", *SAID, "--target", "0.75", "--slice", "topic", cwd=folder)
    found = document("bold.csv", *SAID, "--target", "0.75", "--slice", "topic", cwd=folder)
    flat = " ".join(text.split())
    for verdict in found["verdicts"]:
        assert f"=> {verdict['text']}" in flat
    assert flat.index("=> ") < flat.index("own responses") < flat.index("when to answer")
    for part in (
        "target 75 %: +1 right, −3 wrong, 0 for no answer",
        "read right: column 'ok'; abstained: column 'idk'; confidence: column 'sure'",
        "never 0, always −", "hallucination rate, %", "calibrated confidence >= 75 %",
        "utility at", "confidence of answers", "log loss", "Brier score", "calibration error",
        "calibration slope", "Risk limit 25 %: ", "topic law", "topic sport",
    ):  # fmt: skip
        assert part in flat, part
    rows = [line.split()[:2] for line in text.splitlines() if line[:1].isdigit()]
    assert [t for t, sign in rows if sign == "%"] == ["0", "25", "50", "75", "90"]


def test_details_name_every_metric(folder: Path) -> None:
    text = printed("humble.csv", *SAID, "--details", cwd=folder)
    for name in made_in_python(humble()).metrics():
        assert name[:20] in text


def test_without_confidence_the_screen_says_so(folder: Path) -> None:
    text = printed("humble.csv", "--right", "ok", "--abstained", "idk", cwd=folder)
    assert "Confidence is not evaluated: no confidence was stated." in text
    assert "when to answer" not in text


def test_an_infinite_log_loss_has_its_reason(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("ok,sure\n1,1\n0,1\n0,0\n1,0\n1,0.5\n")
    text = printed("t.csv", "--right", "ok", "--confidence", "sure", cwd=tmp_path)
    assert "The log loss is infinite: 2 answers were stated as certain" in text
    found = document("t.csv", "--right", "ok", "--confidence", "sure", cwd=tmp_path)
    assert found["confidence"]["scoring_rules"][0]["value"]["value"] == "inf"


@pytest.mark.parametrize(
    "table",
    ["ok\n1\n", "ok\n0\n", "ok,idk\n,1\n,1\n", "ok,sure\n1,1\n1,0.5\n", "ok,sure\n0,0.2\n0,0.2\n"],
)
def test_small_tables_are_judged_too(tmp_path: Path, table: str) -> None:
    (tmp_path / "t.csv").write_text(table)
    head = table.partition("\n")[0]
    told = [
        word
        for name, flag in (("ok", "--right"), ("sure", "--confidence"), ("idk", "--abstained"))
        for word in (flag, name)
        if name in head.split(",")
    ]
    for target in ("0", "0.75"):
        assert "=> " in printed("t.csv", *told, "--target", target, cwd=tmp_path)
        assert document("t.csv", *told, "--target", target, cwd=tmp_path)["verdicts"]


def test_the_leaderboard_on_a_screen(folder: Path) -> None:
    text = printed("both.csv", *SAID, *PAIRED, "--target", "0.75", "--slice", "topic", cwd=folder)
    lines = [line.split() for line in text.splitlines()]
    assert [line[:2] for line in lines if line and line[0] in ("1*", "1", "2*", "2")] == [
        ["1*", "humble"], ["2", "bold"]
    ]  # fmt: skip
    assert "=> At a target of 75 % humble is worth more than bold" in text
    assert "humble − bold" in text
    assert "p: adjusted by Holm's method, for 1 pair." in text
    assert "topic law" in text


def test_the_leaderboard_in_other_forms(folder: Path) -> None:
    told = ("both.csv", *SAID, *PAIRED, "--target", "0.75")
    board = document(*told, cwd=folder)["leaderboard"]
    rows = list(csv.DictReader(io.StringIO(printed_as("csv", *told, cwd=folder))))
    assert [row["model"] for row in rows] == [row["system"] for row in board]
    for row, known in zip(rows, board, strict=True):
        for name in ("rank", "utility", "low", "high", "answered", "nec", "hallucination_rate"):
            assert float(row[name]) == known[name]
        assert row["may_be_best"] == ("yes" if known["may_be_best"] else "no")
    text = printed_as("md", *told, cwd=folder)
    assert text.startswith("## stakes ")
    assert "| 1 | humble |" in text
    assert "- At a target of 75 % humble is worth more" in text


def printed_as(layout: str, *arguments: str, cwd: Path) -> str:
    done = call("answers", *arguments, "--format", layout, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_one_model_in_other_forms(folder: Path) -> None:
    told = ("humble.csv", *SAID, "--target", "0.75")
    rows = list(csv.DictReader(io.StringIO(printed_as("csv", *told, cwd=folder))))
    known = made_in_python(humble()).metrics()
    assert [row["metric"] for row in rows] == list(known)
    assert all(float(row["value"]) == known[row["metric"]].value for row in rows)
    assert "| utility |" in printed_as("md", *told, cwd=folder)
    github = printed_as("github", *told, cwd=folder)
    assert " title=stakes answers::At a target of 75 %" in github.replace("%25", "%")


def test_an_output_is_written_whole_and_never_over_an_input(folder: Path) -> None:
    done = call("answers", "humble.csv", *SAID, "--json", "-o", "out.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    written = (folder / "out.json").read_text()
    assert written == call("answers", "humble.csv", *SAID, "--json", cwd=folder).stdout
    for path in ("humble.csv", "bold.csv"):
        kept = (folder / path).read_bytes()
        said = refused(
            "a=bold.csv", "b=humble.csv", *SAID, "-o", path, "--force", cwd=folder, code=4
        )
        assert "it is read and would be lost" in said
        assert (folder / path).read_bytes() == kept
    (folder / "w.toml").write_text("likely = 0.8\n")
    words = ("--confidence-is", "words", "--words", "w.toml", "-o", "w.toml", "--force")
    assert "it is read" in refused("humble.csv", *SAID, *words, cwd=folder, code=4)


def test_hostile_names_stay_names(tmp_path: Path) -> None:
    nasty = ["=cmd()|x", "<b>\x1b[2J[bold]", "a|b\u202e"]
    rows = [
        {**row, "model": nasty[k // 60], "topic": nasty[k % 3]}
        for k, row in enumerate(row for row in answer_rows(60, ("a", "b", "c")))
    ]
    write_answers(tmp_path / "t.csv", rows)
    told = ("t.csv", *SAID, *PAIRED)
    text = printed(*told, cwd=tmp_path)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[bold]" in text
    assert "'=cmd()|x" in printed_as("csv", *told, cwd=tmp_path)
    assert "<b>" not in printed_as("md", *told, cwd=tmp_path)
    assert set(document(*told, cwd=tmp_path)["systems"]) == set(nasty)


# logs of harnesses


def test_the_log_of_a_harness_is_read_directly(tmp_path: Path) -> None:
    log = LOGS / "capitals.eval"
    told = ("--scorer", "stated_scorer")
    found = document(str(log), *told, cwd=tmp_path)
    read = stakes.read_answer_log(log, scorer="stated_scorer")
    expected = as_printed(stakes.evaluate_responses(read.responses(), 0.5))
    assert numbers(found) == numbers(expected)
    assert found["origin"]["capitals.eval"].items() >= dict(read.origin).items()
    flat = " ".join(printed(str(log), *told, cwd=tmp_path).split())
    for column, text in read.origin.items():
        assert f"{column}: {text}" in flat
    assert "log: inspect_ai, task capitals" in flat


def test_lines_of_lm_eval_are_a_log_unless_columns_are_named(tmp_path: Path) -> None:
    (path,) = LOGS.glob("samples_sums_text*.jsonl")
    (tmp_path / "other.jsonl").write_bytes(path.read_bytes())
    found = document("other.jsonl", "--filter", "none", cwd=tmp_path)
    assert found["origin"]["other.jsonl"]["log"].startswith("lm_eval")
    metric = stakes.read_answer_log(path, filter="none")
    assert found["right"] == sum(right is True for right in metric.right)
    columns = document("other.jsonl", "--right", "exact_match", cwd=tmp_path)
    assert columns["origin"] == {"other.jsonl": {"right": "column 'exact_match'"}}
    assert columns["responses"] == len(path.read_text().splitlines())
    said = refused("other.jsonl", cwd=tmp_path, code=3)
    assert "--filter must name one filter of the log" in said


@pytest.mark.parametrize(
    ("file", "arguments", "code", "words"),
    [
        ("grades.eval", (), 3, "--scorer must name one scorer of the log"),
        (
            "grades.eval",
            ("--scorer", "grade"),
            3,
            "--partial right, wrong, or the lowest score that is right",
        ),
        ("grades.eval", ("--scorer", "grade", "--partial", "half"), 2, "--partial must be a share"),
        ("grades.eval", ("--right", "ok"), 2, "is the log of a harness. Leave it out"),
        ("grades.eval", ("--model", "m"), 2, "--model names a column of a table"),
        ("grades.eval", ("--weight", "w"), 2, "--weight names a column of a table"),
        ("grades.eval", ("--max-bytes", "10"), 5, "--max-bytes allows 10"),
        ("letters.json", ("--confidence", "nothing"), 3, "--confidence must name a field"),
        ("letters.json", ("--abstain-pattern", "("), 3, "--abstain-pattern must be a regular"),
    ],
)
def test_what_a_log_leaves_open_is_asked_for(
    tmp_path: Path, file: str, arguments: tuple[str, ...], code: int, words: str
) -> None:
    assert words in refused(str(LOGS / file), *arguments, cwd=tmp_path, code=code)


def test_logs_of_several_models_are_compared(tmp_path: Path) -> None:
    log = json.loads((LOGS / "letters.json").read_text())
    names = ("one", "two")
    for name in names:
        log["eval"]["model"] = f"made/{name}"
        (tmp_path / f"{name}.json").write_text(json.dumps(log))
    found = document("one.json", "two.json", cwd=tmp_path)
    assert list(found["systems"]) == ["made/one", "made/two"]
    assert found["differences"][0]["gain"]["value"] == 0
    named = document("a=one.json", "b=two.json", cwd=tmp_path)
    assert list(named["systems"]) == ["a", "b"]


# gates

GATES: list[tuple[tuple[str, ...], int, str]] = [
    (("--min-utility", "0.1"), 0, "ok: utility is"),
    (("--min-utility", "0.9"), 1, "FAILED: utility is"),
    (("--max-hallucination-rate", "0.9"), 0, "ok: hallucination_rate is"),
    (("--max-hallucination-rate", "0.1"), 1, "FAILED: hallucination_rate is"),
    (("--min", "answered=0.5", "--max", "overconfidence=1"), 0, "ok: answered is"),
    (("--min", "confidence.auc=0.99"), 1, "FAILED: confidence.auc is"),
    (("--max", "cost.nec=5"), 0, "ok: cost.nec is"),
    (("--max", "confidence.brier_score.calibrated_normalized=2"), 0, "ok: confidence.brier"),
]


@pytest.mark.parametrize(("limits", "code", "words"), GATES)
def test_gates(folder: Path, limits: tuple[str, ...], code: int, words: str) -> None:
    told = ("humble.csv", "--answers", *SAID)
    done = call("check", *told, *limits, cwd=folder)
    assert done.returncode == code, done.stderr
    assert words in done.stdout
    found = document(*told, *limits, cwd=folder, command="check")
    assert found["passed"] == (code == 0)
    metrics = made_in_python(humble(), 0.5).metrics()
    for gate in found["gates"]:
        assert gate["estimate"]["value"] == metrics[gate["metric"]].value


def test_a_confident_gate_takes_the_worse_end(folder: Path) -> None:
    band = made_in_python(humble(), 0.5).numbers["utility"].interval
    assert band is not None
    told = ("humble.csv", "--answers", *SAID, "--confident", "--min-utility")
    assert call("check", *told, str(band.low - 1e-9), cwd=folder).returncode == 0
    assert call("check", *told, str(band.low + 1e-9), cwd=folder).returncode == 1


def test_an_undefined_number_meets_no_limit(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("ok,idk\n,1\n,1\n")
    told = ("t.csv", "--answers", "--right", "ok", "--abstained", "idk")
    for limit in (("--min", "answered_accuracy=0"), ("--max", "answered_accuracy=1")):
        done = call("check", *told, *limit, cwd=tmp_path)
        assert done.returncode == 1
        assert "answered_accuracy is undefined" in done.stdout


def test_every_model_must_pass(folder: Path) -> None:
    told = ("both.csv", "--answers", *SAID, "--model", "model", "--target", "0.75")
    found = document(*told, "--min-utility", "0", cwd=folder, command="check")
    assert [(g["metric"], g["passed"]) for g in found["gates"]] == [
        ("bold/utility", False), ("humble/utility", True)
    ]  # fmt: skip


def test_a_failed_gate_says_what_to_do_on_github(folder: Path) -> None:
    told = ("bold.csv", "--answers", *SAID, "--target", "0.75", "--min-utility", "0.1")
    done = call("check", *told, "--format", "github", cwd=folder)
    assert done.returncode == 1
    assert "::error title=stakes check%3A utility::FAILED: utility is" in done.stdout
    rule = made_in_python([r for r in answer_rows() if r["model"] == "bold"]).rule["calibrated"]
    assert rule.utility.value > 0.1
    assert "With abstention by calibrated confidence it would be" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--answers", *SAID), "at least one limit must be given, such as --min-utility 0.2"),
        (("--answers", *SAID, "--min", "speed=1"), "there is no metric 'speed'"),
        (("--answers", *SAID, "--min", "utility"), "--min must be METRIC=NUMBER"),
        (("--answers", *SAID, "--max-nec", "1"), "--max-nec has no effect with --answers"),
        (("--answers", *SAID, "--min-utility", "x"), "must be a number: got 'x'"),
        (("--min-utility", "1", "--max-nec", "1"), "--min-utility has no effect without --answers"),
        (("--right", "ok", "--max-nec", "1"), "--right has no effect without --answers"),
    ],
)
def test_bad_gates_are_named(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    assert words in refused("humble.csv", *arguments, cwd=folder, command="check")


# errors

USAGE: list[tuple[tuple[str, ...], str]] = [
    ((), "--right must name the column that says whether an answer is right, or --outcome"),
    ((*SAID, "--target", "1"), "--target must be at least 0 and below 1: got '1'"),
    ((*SAID, "--target", "75"), "got '75'. For percent write 75%"),
    ((*SAID, "--target", "high"), "--target must be a share such as 0.75 or 75%: got 'high'"),
    ((*SAID, "--target", "nan"), "--target must be at least 0 and below 1"),
    ((*SAID, "--risk", "0"), "--risk must be above 0 and below 1: got '0'"),
    (
        ("--right", "ok", "--abstained", "idk", "--risk", "0.1"),
        "--risk must be given with --confidence",
    ),
    ((*SAID, "--risk", "0.1", "--weight", "weight"), "--risk and --weight exclude each other"),
    ((*SAID, "--outcome", "outcome"), "--outcome replaces --right and --abstained"),
    ((*SAID, "--right-is", "x"), "--right-is must be given with --outcome"),
    (
        (*SAID, "--confidence-is", "words"),
        "--words and --confidence-is words must be given together",
    ),
    ((*SAID, "--words", "a=1"), "--words and --confidence-is words must be given together"),
    ((*SAID, "--samples", "3"), "--samples and --confidence-is agreement must be given together"),
    ((*SAID, "--confidence-is", "words", "--words", "a=2"), "from 0 to 1: got 2.0 for 'a'"),
    ((*SAID, "--confidence-is", "words", "--words", "a"), "--words must hold name=number pairs"),
    ((*SAID, "--confidence-is", "words", "--words", "a=1,A=0"), "'a' and 'A' are the same"),
    (
        ("--right", "ok", "--confidence-is", "percent"),
        "--confidence-is must be given with --confidence",
    ),
    ((*SAID, "--common"), "--common is for several models"),
    ((*SAID, "--scorer", "s"), "--scorer must be given with the log of a harness: this is a table"),
    (("--right", "ok", "--confidence", "ok"), "column 'ok' must have one meaning"),
    ((*SAID, "--title", "x"), "--title has no effect without --html"),
    ((*SAID, "--calibrator", "magic"), "vector or none: got 'magic'"),
]


@pytest.mark.parametrize(("arguments", "words"), USAGE)
def test_what_cannot_be_meant_is_refused(
    folder: Path, arguments: tuple[str, ...], words: str
) -> None:
    assert words in refused("humble.csv", *arguments, cwd=folder)


MODELS: list[tuple[tuple[str, ...], int, str]] = [
    (("both.csv", *SAID, "--model", "model"), 2, "--question must name the column that pairs"),
    (("bold.csv", "humble.csv", *SAID, *PAIRED), 2, "--model is for one table"),
    (("a=bold.csv", "a=humble.csv", *SAID), 2, "two files are the model 'a': name them"),
    (("bold.csv", "x=bold.csv", *SAID), 2, "each file must be named once: 'bold.csv'"),
    (("bold.csv", "humble.csv", *SAID, "--risk", "0.1"), 2, "--risk is for one model"),
    (("bold.csv", "humble.csv", *SAID, "--common"), 2, "--common needs --question"),
    (("bold.csv", "few.csv", *SAID), 3, "same number of rows to be paired by their order: got bold 200, few 3"),
    (("none.csv", *SAID), 4, "cannot read 'none.csv'"),
    (("bold.csv", "humble.csv", "--right", "nope"), 3, "'bold.csv' has no column 'nope'"),
    (("bold.csv", *SAID, "--max-bytes", "99"), 5, "--max-bytes"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "code", "words"), MODELS)
def test_models_that_cannot_be_read_are_named(
    folder: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    write_answers(folder / "few.csv", humble()[:3])
    assert words in refused(*arguments, cwd=folder, code=code)


BAD: list[tuple[dict[str, str], tuple[str, ...], str]] = [
    ({"ok": "perhaps"}, SAID, "column 'ok' must hold true or false"),
    ({"ok": "", "idk": "0"}, SAID, "name that column with --abstained"),
    ({"sure": "", "idk": "0", "ok": "1"}, SAID, "column 'sure' must be stated for every answer"),
    ({"sure": "1.5"}, SAID, "For percent give --confidence-is percent"),
    ({"sure": "high"}, SAID, "column 'sure' must hold numbers: got 'high'"),
    ({"idk": ""}, SAID, "column 'idk' must say of every response whether it is an abstention"),
    ({"sure": "0.5"}, (*SAID, "--confidence-is", "agreement", "--samples", "5"), "--confidence-is probability"),
    ({"sure": "sure"}, (*SAID, "--confidence-is", "words", "--words", "likely=1"), "declared words, 'likely'"),
    ({"outcome": "RIGHT"}, ("--outcome", "outcome"), "--right-is, --wrong-is, --abstained-is"),
    ({"weight": "-1"}, (*SAID, "--weight", "weight"), "column 'weight'"),
    ({"topic": ""}, (*SAID, "--group", "topic"), "column 'topic' must hold a label in every row"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "arguments", "words"), BAD)
def test_bad_rows_are_named_by_column_and_line(
    tmp_path: Path, change: dict[str, str], arguments: tuple[str, ...], words: str
) -> None:
    rows = [{**row, "sure": "0.5", "ok": "1", "idk": "0"} for row in humble()[:20]]
    if "agreement" in arguments or "words" in arguments:
        rows = [{**row, "sure": "1" if "agreement" in arguments else "likely"} for row in rows]
    rows[6] |= change
    write_answers(tmp_path / "t.csv", rows)
    said = refused("t.csv", *arguments, cwd=tmp_path, code=3)
    assert words in said
    assert "t.csv, line 8" in said


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [("a = [", 2, "must be a TOML or JSON file"), ('a = "x"', 2, "from 0 to 1: got 'x'"), ("", 2, "must give")],
)  # fmt: skip
def test_bad_files_of_words_are_named(folder: Path, text: str, code: int, words: str) -> None:
    (folder / "w.toml").write_text(text)
    told = (*SAID, "--confidence-is", "words", "--words", "w.toml")
    said = refused("humble.csv", *told, cwd=folder, code=code)
    assert words in said
    assert "--words 'w.toml'" in said


def test_missing_values_of_json_must_be_of_one_kind(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"ok": true}\n{"ok": "yes"}\n')
    said = refused("t.jsonl", "--right", "ok", cwd=tmp_path, code=3)
    assert "t.jsonl, line 2: column 'ok' must hold texts, numbers or truth values" in said
    (tmp_path / "t.jsonl").write_text('{"ok": true}\n{"ok": [1]}\n')
    assert "t.jsonl, line 2" in refused("t.jsonl", "--right", "ok", cwd=tmp_path, code=3)


def test_the_help_has_examples_that_parse(folder: Path) -> None:
    done = call("answers", "--help", cwd=folder)
    assert done.returncode == 0
    assert "stakes answers answers.csv --right ok" in done.stdout
    assert "they must fit into memory" in " ".join(done.stdout.split())


def test_documents_have_the_promised_form(folder: Path) -> None:
    schema = json.loads((Path(__file__).parents[1] / "docs/schema/stakes-1.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    for arguments in (("humble.csv", *SAID), ("both.csv", *SAID, *PAIRED, "--slice", "topic")):
        found = document(*arguments, cwd=folder)
        validator.validate(found)
        assert not validator.is_valid({**found, "surprise": 1})
    made = made_in_python(humble())
    validator.validate(as_printed(made))


@pytest.mark.parametrize("arguments", [("humble.csv", *SAID), ("both.csv", *SAID, *PAIRED)])
def test_a_page_is_written(folder: Path, arguments: tuple[str, ...]) -> None:
    told = ("--html", "page.html", "--title", "Two <models>", "--date", "1 May")
    done = call("answers", *arguments, *told, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "wrote page.html" in done.stderr
    page = (folder / "page.html").read_text()
    assert "Two &lt;models&gt;" in page
    assert "1 May" in page
    assert arguments[0] in page
