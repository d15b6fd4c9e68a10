"""The JSON of every command has the form that docs/schema promises."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from command import SCORED, SCORES, TABLE, call, write_answers, write_scores

SCHEMA = json.loads((Path(__file__).parents[1] / "docs/schema/stakes-1.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
ANSWERED = ("--right", "ok", "--confidence", "sure", "--abstained", "idk", "--target", "75%")
COSTS = ("--cost", "miss=5,false_alarm=1")
RESAMPLES = ()
DOCUMENTS: dict[str, tuple[str, ...]] = {
    "evaluate_scores": (
        "evaluate", *SCORED, *RESAMPLES, *COSTS, "--slice", "ward", "--group", "ward",
    ),
    "evaluate_scores, bare": ("evaluate", *SCORED, "--calibrator", "none"),
    "evaluate_scores, priced": (
        "evaluate", *SCORED, *RESAMPLES, "--cost", "miss=price,false_alarm=1", "--abstain", "0.1",
    ),
    "evaluate_scores, one class": (
        "evaluate", "one.csv", "--label", "y", "--scores", "p_a,p_b", "--scores-are", "posteriors",
        *RESAMPLES,
    ),
    "evaluate_scores, prior 0": ("evaluate", *SCORED, *RESAMPLES, "--prior", "0", "--training-prior", "deployment"),
    "evaluate_decisions": (
        "evaluate", "table.csv", "--label", "truth", "--decision", "decision", *RESAMPLES,
    ),
    "evaluate_decisions, weighted": (
        "evaluate", "table.csv", "--label", "truth", "--decision", "decision", "--weight", "weight",
    ),
    "compare": (
        "compare", "scores.csv", "--label", "y", "--system", "a=p_alarm", "--system", "b=p_calm,p_alarm",
        "--scores-are", "posteriors", "--positive", "alarm", "--margin", "0.02", *RESAMPLES,
    ),
    "check, against": (
        "check", "scores.csv", "--label", "y", "--scores", "p_alarm", "--scores-are", "posteriors",
        "--positive", "alarm", "--max-loss-against", "p_calm,p_alarm=0.02",
    ),
    "threshold": ("threshold", *SCORED, *COSTS, "--review", "0.1"),
    "check": ("check", *SCORED, *RESAMPLES, "--max-nec", "0.5", "--min", "auc=0.1", "--confident"),
    "calibrate": ("calibrate", *SCORED, "-o", "new.json"),
    "apply": ("calibrate", "scores.csv", "--apply", "cal.json", *SCORES, "-o", "out.csv"),
    "decide": ("decide", "scores.csv", *SCORES, *COSTS, "-o", "out.csv"),
    "demo": ("demo",),
    "answers": ("answers", "answers.csv", *ANSWERED, "--slice", "model", "--group", "id"),
    "answers, bare": ("answers", "answers.csv", "--outcome", "outcome", "--target", "0"),
    "answers_compared": (
        "answers", "answers.csv", *ANSWERED, "--slice", "topic", "--model", "model", "--question", "id",
    ),
    "explain": ("explain", "few_errors", "judge_strict"),
    "explain, all": ("explain",),
    "check, answers": (
        "check", "answers.csv", "--answers", *ANSWERED, "--min-utility", "0", "--max-hallucination-rate", "1",
    ),
}  # fmt: skip


def printed(name: str, folder: Path) -> dict[str, Any]:
    """Return the document that a command prints."""
    write_scores(folder / "scores.csv")
    (folder / "table.csv").write_text(TABLE)
    write_answers(folder / "answers.csv")
    (folder / "one.csv").write_text("y,p_a,p_b\na,0.9,0.1\na,1,0\na,0.2,0.8\n")
    if name == "apply":
        assert call("calibrate", *SCORED, "-o", "cal.json", cwd=folder).returncode == 0
    done = call(*DOCUMENTS[name], "--json", cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    promised = {ref["$ref"].rpartition("/")[2] for ref in SCHEMA["oneOf"]}
    assert promised == {name.partition(",")[0] for name in DOCUMENTS} | {"reproduce"}


@pytest.mark.parametrize("name", list(DOCUMENTS))
def test_documents_have_the_promised_form(name: str, tmp_path: Path) -> None:
    document = printed(name, tmp_path)
    part = {"$ref": f"#/$defs/{name.partition(',')[0]}", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(part).validate(document)
    VALIDATOR.validate(document)


def damaged(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return documents with a key gone, a key too many, or a value of another type."""
    for key in document:
        yield {k: v for k, v in document.items() if k != key}
        yield {**document, key: {"of": ["another", "type"]}}
    yield {**document, "surprise": 1}
    yield {**document, "schema": 2}
    deep = copy.deepcopy(document)
    deep["applications"][0]["expected_cost"]["value"]["value"] = "much"
    yield deep
    deep = copy.deepcopy(document)
    del deep["scoring_rules"][0]["normalized"]["interval"]
    yield deep


def test_a_damaged_document_does_not_pass(tmp_path: Path) -> None:
    document = printed("evaluate_scores", tmp_path)
    assert VALIDATOR.is_valid(document)
    assert not any(VALIDATOR.is_valid(bad) for bad in damaged(document))


def test_reproduction_has_the_promised_form() -> None:
    row = {"names": ["a"], "values": [0.1, None], "printed": ["0.1", None], "agrees": [True, None]}
    table = {
        "label": "Table 1", "title": "t", "columns": ["n", "x", "y"], "rows": [row], "agreeing": 1,
        "printed_cells": 1,
    }  # fmt: skip
    document = {"stakes": "0", "schema": 1, "command": "reproduce", "seed": None, "tables": [table]}
    VALIDATOR.validate(document)
    row["values"] = ["NaN"]
    assert not VALIDATOR.is_valid(document)
