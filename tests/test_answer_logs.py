"""Logs of harnesses, read without them: `tests/harness_runs.py` made those that are stored."""

import io
import json
import math
import struct
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import stakes
from harness_runs import ABSTENTION, CAPITALS, GRADES, LIKELIHOODS, OPTIONS, STORED, SUMS
from stakes.answer_logs import json_items
from stakes.answer_logs.json_items import object_items

DATE = "2026-11-18T00-00-00.000000"
TASKS = {
    name: STORED / f"samples_sums_{name}_{DATE}.jsonl" for name in ("choice", "text", "target")
}


def expected_rows() -> list[tuple[str, int, bool | None, float | None]]:
    """Return question, epoch, right and confidence of the run of capitals, from its table."""
    rows: list[tuple[str, int, bool | None, float | None]] = []
    for epoch in (1, 2):
        for question, capital, _, _, answers in CAPITALS:
            text = answers[epoch - 1]
            if text == "boom":
                continue
            first, _, rest = text.partition("\n")
            sure = float(rest.removeprefix("Confidence: ")) if rest else None
            right = None if first.startswith("I don't") else first == capital
            rows.append((question, epoch, right, sure))
    return rows


@pytest.mark.parametrize("form", ["eval", "json"])
def test_a_log_of_inspect_is_read_row_by_row(form: str) -> None:
    log = stakes.read_answer_log(
        STORED / f"capitals.{form}", scorer="stated_scorer", slices="topic"
    )
    assert log.confidence is not None
    found = sorted(zip(log.question, log.epoch, log.right, log.confidence, strict=True), key=str)
    assert found == sorted(expected_rows(), key=str)
    assert log.abstained == [right is None for right in log.right]
    topics = {question: topic for question, _, topic, *_ in CAPITALS}
    assert log.slices["topic"] == [topics[str(question)] for question in log.question]
    assert (log.task, log.model, log.harness) == ("capitals", "mockllm/model", "inspect_ai")
    (lost,) = log.left_out
    assert (lost.question, lost.epoch, lost.reason) == ("norway", 2, "an error")
    assert "boom" in lost.text
    assert log.notes == ()


def test_both_forms_of_a_log_say_the_same() -> None:
    logs = [
        stakes.read_answer_log(STORED / f"capitals.{form}", scorer="includes")
        for form in ("eval", "json")
    ]
    rows = [sorted(zip(*log.columns().values(), strict=True)) for log in logs]
    assert rows[0] == rows[1]
    assert logs[0].origin == logs[1].origin


def test_a_log_says_what_was_taken_from_where() -> None:
    log = stakes.read_answer_log(STORED / "capitals.eval", scorer="stated_scorer", slices=["topic"])
    assert log.origin == {
        "question": "'id' of each sample",
        "epoch": "'epoch' of each sample",
        "right": "scores.stated_scorer.value ('C' or 1 right, 'I' or 0 wrong)",
        "abstained": "score 'N' (2 rows)",
        "confidence": "field 'scores.stated_scorer.metadata.confidence' (10 rows)",
        "topic": "field 'topic' of each sample",
    }
    said = str(log)
    assert said.startswith("11 answers of capitals by mockllm/model (inspect_ai): 5 right, 4 wrong")
    assert "left out: 1 with an error; first question norway, epoch 2" in said
    bare = stakes.read_answer_log(STORED / "capitals.eval", scorer="includes")
    assert bare.confidence is None
    assert bare.origin["confidence"] == (
        "none; fields that could be named: 'metadata.topic', 'metadata.document'"
    )


def test_confidence_and_abstentions_by_name_path_and_pattern() -> None:
    path = "scores.stated_scorer.metadata.confidence"
    log = stakes.read_answer_log(
        STORED / "capitals.json", scorer="includes", confidence=path, abstain_pattern=ABSTENTION
    )
    own = stakes.read_answer_log(STORED / "capitals.json", scorer="stated_scorer")
    assert log.columns() == own.columns()
    marked = stakes.read_answer_log(
        STORED / "capitals.json",
        scorer="includes",
        abstain_field="scores.stated_scorer.reason",
        abstain_values="refusal",
    )
    assert marked.abstained == own.abstained
    assert marked.origin["abstained"] == "field 'scores.stated_scorer.reason' (2 rows)"
    none = stakes.read_answer_log(
        STORED / "capitals.json", scorer="stated_scorer", confidence=False
    )
    assert none.confidence is None
    assert none.origin["confidence"] == "not taken, as asked for"


def test_answers_of_a_log_are_responses() -> None:
    log = stakes.read_answer_log(STORED / "capitals.eval", scorer="stated_scorer")
    responses = log.responses()
    assert str(responses).startswith("11 responses: 5 right, 4 wrong, 2 abstained")
    assert responses.groups is not None
    assert len(set(responses.groups.tolist())) == 6
    assert log.responses(groups=False).groups is None
    assert stakes.evaluate_responses(responses, 0.75).numbers["utility"].value == (5 - 3 * 4) / 11
    with pytest.raises(
        stakes.InputError, match="groups must name a column of the log: got 'author'"
    ):
        log.responses(groups="author")
    text = stakes.read_answer_log(TASKS["target"])
    assert text.responses().groups is None


def test_grades_that_are_neither_right_nor_wrong() -> None:
    grades = STORED / "grades.eval"
    with pytest.raises(
        stakes.InputError, match=r"got 'P' at 'grades.eval', member 'samples/4_epoch_1"
    ):
        stakes.read_answer_log(grades, scorer="grade")
    for partial, right in (("right", True), ("wrong", False), (0.5, True), (0.6, False)):
        log = stakes.read_answer_log(grades, scorer="grade", partial=partial)  # type: ignore[arg-type]
        named = dict(zip(log.question, log.right, strict=True))
        assert named == {0: True, 1: True, 2: False, 3: None, 4: right, 6: False}
        (lost,) = log.left_out
        assert (lost.question, lost.reason, lost.text) == (5, "unscored", "grader_failed")
    assert len(GRADES) == len(log) + 1


def test_one_value_of_a_score_of_several() -> None:
    grades = STORED / "grades.eval"
    with pytest.raises(stakes.InputError, match=r"metric must name one value.*'exact', 'loose'"):
        stakes.read_answer_log(grades, scorer="both")
    exact = stakes.read_answer_log(grades, scorer="both", metric="exact")
    assert exact.right == [grade == "C" for grade in GRADES]
    assert stakes.read_answer_log(grades, scorer="both", metric="loose").right == [True] * 7


def test_words_of_confidence_stay_as_they_were_logged() -> None:
    log = stakes.read_answer_log(
        STORED / "grades.eval", scorer="grade", partial="wrong", confidence="sure"
    )
    assert log.confidence == ["very", "very", "hardly", "hardly", "hardly", "hardly"]
    words = {"very": 0.9, "hardly": 0.2}
    responses = log.responses(lambda column: stakes.VerbalConfidence(column, words))
    assert responses.confidence is not None
    assert responses.confidence.tolist() == [0.9, 0.9, 0.2, 0.2, 0.2, 0.2]


def test_multiple_choice_of_inspect() -> None:
    log = stakes.read_answer_log(STORED / "letters.json")
    assert log.right == [True, False, None, False]  # no letter at all is graded as wrong
    more = stakes.read_answer_log(STORED / "letters.json", abstain_pattern="none of")
    assert more.abstained == [False, False, True, True]


def test_samples_of_lm_eval_give_its_own_numbers() -> None:
    results = json.loads((STORED / f"results_{DATE}.json").read_text())["results"]
    for metric in ("acc", "acc_norm", "acc_bytes"):
        log = stakes.read_answer_log(TASKS["choice"], metric=metric)
        assert sum(map(bool, log.right)) / len(log) == results["sums_choice"][f"{metric},none"]
        assert log.options is not None
        assert [options.right(metric) for options in log.options] == log.right
        scores = log.option_scores("bytes" if metric == "acc_bytes" else "characters")
        scores = scores if metric == "acc" else scores.per_length()
        assert scores.accuracy().value == results["sums_choice"][f"{metric},none"]
    for used in ("digits", "none"):
        log = stakes.read_answer_log(TASKS["text"], filter=used)
        assert sum(map(bool, log.right)) / len(log) == results["sums_text"][f"exact_match,{used}"]
    accuracies = {results["sums_choice"][f"{m},none"] for m in ("acc", "acc_norm", "acc_bytes")}
    assert len(accuracies) > 1


def test_options_are_those_of_the_documents() -> None:
    log = stakes.read_answer_log(TASKS["choice"], metric="acc", slices="topic")
    assert log.options is not None
    assert [o.texts for o in log.options] == [tuple(o["options"]) for o in OPTIONS]
    assert [o.gold for o in log.options] == [(o["gold"],) for o in OPTIONS]
    assert [o.log_likelihoods for o in log.options] == LIKELIHOODS
    assert log.options[2].characters == (5, 4, 3, 6)
    assert log.options[2].bytes == (5, 4, 3, 8)
    assert log.slices["topic"] == [o["topic"] for o in OPTIONS]
    assert (log.task, log.model) == ("sums_choice", "toy")


def test_options_that_are_not_logged_have_no_scores() -> None:
    for log in (
        stakes.read_answer_log(TASKS["target"]),
        stakes.read_answer_log(STORED / "letters.json"),
    ):
        with pytest.raises(stakes.InputError, match="must have the log likelihoods of options"):
            log.option_scores()
    choice = stakes.read_answer_log(TASKS["choice"], metric="acc")
    with pytest.raises(stakes.InputError, match="lengths must be 'characters' or 'bytes': got 'x'"):
        choice.option_scores("x")  # type: ignore[arg-type]


def test_an_option_may_be_an_abstention() -> None:
    log = stakes.read_answer_log(TASKS["choice"], metric="acc", abstain_pattern="^I don't know$")
    assert log.abstained == [False, False, False, True, False]
    assert log.right[3] is None


def test_answers_that_stakes_logged_in_lm_eval() -> None:
    log = stakes.read_answer_log(TASKS["target"])
    assert log.right == [True, None, False, True]
    assert log.confidence == [0.9, None, 0.6, 0.75]
    assert log.origin["right"].startswith("metric 'response'")
    text = stakes.read_answer_log(TASKS["text"], filter="digits", abstain_pattern=ABSTENTION)
    assert text.abstained == log.abstained


def test_a_file_without_results_beside_it_is_read_alike(tmp_path: Path) -> None:
    alone = tmp_path / "samples.jsonl"
    alone.write_bytes(TASKS["choice"].read_bytes())
    log = stakes.read_answer_log(alone, metric="acc")
    beside = stakes.read_answer_log(TASKS["choice"], metric="acc")
    assert (log.task, log.model) == (None, None)
    assert str(log.options) == str(beside.options)
    assert log.right == beside.right


def changed(file: Path, change: Callable[[int, dict[str, Any]], None], to: Path) -> Path:
    """Write samples of lm-eval with a change in each line."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for index, row in enumerate(rows):
        change(index, row)
    to.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return to


def test_a_target_may_be_the_text_of_an_option(tmp_path: Path) -> None:
    def by_text(index: int, row: dict[str, Any]) -> None:
        row["target"] = OPTIONS[index]["options"][OPTIONS[index]["gold"]]

    log = stakes.read_answer_log(
        changed(TASKS["choice"], by_text, tmp_path / "a.jsonl"), metric="acc"
    )
    assert log.options is not None
    assert [o.gold for o in log.options] == [(o["gold"],) for o in OPTIONS]
    assert log.origin["options"].endswith("from 'target', its text")


def test_options_that_contradict_the_logged_accuracy_are_not_called_right(tmp_path: Path) -> None:
    def wrong(_: int, row: dict[str, Any]) -> None:
        row["target"] = "0"

    log = stakes.read_answer_log(
        changed(TASKS["choice"], wrong, tmp_path / "a.jsonl"), metric="acc"
    )
    assert log.options is not None
    assert {o.gold for o in log.options} == {None}
    assert log.notes == ("which option is right does not follow from 'target' of the samples",)


def test_options_in_the_context_have_no_texts(tmp_path: Path) -> None:
    def swapped(_: int, row: dict[str, Any]) -> None:
        for key, pair in row["arguments"].items():
            row["arguments"][key] = {"arg_0": pair["arg_0"] + pair["arg_1"], "arg_1": " so"}

    log = stakes.read_answer_log(
        changed(TASKS["choice"], swapped, tmp_path / "a.jsonl"), metric="acc"
    )
    assert log.options is not None
    assert [o.texts for o in log.options] == [None] * 5
    assert log.options[0].right() is None
    assert log.right == stakes.read_answer_log(TASKS["choice"], metric="acc").right


CHOICES: list[tuple[str, dict[str, Any], str]] = [
    ("capitals.eval", {}, "scorer must name one scorer of the log: got None. It has 'stated_scorer', 'includes'."),
    ("capitals.eval", {"scorer": "f1"}, "scorer must name one scorer of the log: got 'f1'. It has 'stated_scorer', 'includes'."),
    ("capitals.eval", {"scorer": "includes", "confidence": "sure"}, "confidence must name a field that samples of the log have: got 'sure'. The last one has 'metadata.topic', 'metadata.document'."),
    ("capitals.eval", {"scorer": "includes", "slices": "author"}, "slices must name a field that samples of the log have: got 'author'. The last one has 'metadata.topic', 'metadata.document'."),
    ("capitals.eval", {"scorer": "includes", "abstain_field": "refused"}, "abstain_field must name a field that samples of the log have: got 'refused'. The last one has 'metadata.topic', 'metadata.document'."),
    ("capitals.eval", {"scorer": "includes", "abstain_field": "topic"}, "abstain_field must be true or false in the field 'topic': got 'Africa' at 'capitals.eval', member 'samples/chad_epoch_1.json'. Name the values that mean an abstention with abstain_values=..."),
    ("capitals.eval", {"scorer": "includes", "abstain_pattern": "("}, "abstain_pattern must be a regular expression: got '(' (missing ), unterminated subpattern at position 0)."),
    ("capitals.eval", {"scorer": "includes", "confidence": "metadata"}, "confidence must be a number or a text in the field 'metadata': got {'topic': 'Africa', 'document': 'd3'} at 'capitals.eval', member 'samples/chad_epoch_1.json'."),
    ("grades.eval", {"scorer": "grade", "partial": "half"}, "partial must be 'right', 'wrong', or the least value that is right: got 'half'."),
    ("grades.eval", {"scorer": "grade"}, "scores.grade.value must be right or wrong, as nothing says how partial credit counts: got 'P' at 'grades.eval', member 'samples/4_epoch_1.json'. Say how partial credit counts: partial='right', 'wrong', or the smallest value that counts as right."),
    (TASKS["choice"].name, {}, "metric must name one metric of the log: got None. It has 'acc', 'acc_norm', 'acc_bytes'."),
    (TASKS["choice"].name, {"metric": "f1"}, "metric must name one metric of the log: got 'f1'. It has 'acc', 'acc_norm', 'acc_bytes'."),
    (TASKS["text"].name, {}, "filter must name one filter of the log. It has 'digits', 'none'."),
    (TASKS["text"].name, {"filter": "x"}, "filter must name a filter of the log: got 'x'. It has 'digits', 'none'."),
    ("no.eval", {}, "cannot read 'no.eval': No such file or directory."),
    ("", {}, "cannot read 'answer_logs': it is a directory; name one log."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "message"), CHOICES, ids=lambda value: str(value)[:40])
def test_what_is_not_clear_is_an_error_that_names_the_choices(
    name: str, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(stakes.StakesError) as error:
        stakes.read_answer_log(STORED / name, **given)
    assert str(error.value) == message


def repacked(change: Callable[[dict[str, bytes]], None]) -> bytes:
    """Return the log of capitals as a zip of the standard library, with a change."""
    from stakes.answer_logs.zip_members import open_archive  # noqa: PLC0415

    with open_archive(str(STORED / "capitals.eval"), "capitals.eval") as archive:
        members = {name: archive.read(name) for name in archive.members}
    change(members)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        for name, data in members.items():
            written.writestr(name, data)
    return file.getvalue()


def test_members_packed_in_another_way_are_read_alike(tmp_path: Path) -> None:
    (tmp_path / "log.eval").write_bytes(repacked(lambda _: None))
    found = stakes.read_answer_log(tmp_path / "log.eval", scorer="includes")
    assert (
        found.columns()
        == stakes.read_answer_log(STORED / "capitals.eval", scorer="includes").columns()
    )
    assert (STORED / "capitals.eval").read_bytes()[8:10] == struct.pack("<H", 93)  # Zstandard


def test_a_run_that_did_not_end_is_said_to_be_one(tmp_path: Path) -> None:
    def unfinished(members: dict[str, bytes]) -> None:
        header = json.loads(members.pop("header.json"))
        members["_journal/start.json"] = json.dumps({"eval": header["eval"]}).encode()
        del members["samples/peru_epoch_2.json"]

    (tmp_path / "log.eval").write_bytes(repacked(unfinished))
    log = stakes.read_answer_log(tmp_path / "log.eval", scorer="includes")
    assert log.notes == (
        "the run did not end well: its status is 'started'",
        "the log has 11 of 12 samples of its dataset",
    )


def damaged(members: dict[str, bytes]) -> None:
    members["samples/peru_epoch_2.json"] = members["samples/peru_epoch_2.json"][:-40]


def headless(members: dict[str, bytes]) -> None:
    for name in ("header.json", "_journal/start.json"):
        members.pop(name, None)


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def stored(name: str) -> bytes:
    return (STORED / name).read_bytes()


LINES = TASKS["text"].read_text(encoding="utf-8").splitlines()
DAMAGES: list[tuple[str, bytes, str]] = [
    ("a.eval", stored("capitals.eval")[:-200], "'a.eval' must be a whole zip file"),
    ("a.eval", b"no zip", "'a.eval' must be a whole zip file"),
    ("a.eval", flipped(stored("capitals.eval"), 900), r"'a.eval', member '\S+' must be whole"),
    ("a.eval", repacked(damaged), "'a.eval', member 'samples/peru_epoch_2.json' must be JSON"),
    ("a.eval", repacked(headless), "'a.eval' must be a log of inspect: it has neither header.json"),
    ("a.json", stored("capitals.json")[:9000], r"'a.json', line \d+ must be JSON"),
    ("a.json", b'{"samples": []}', "'a.json' must be a log of inspect: it has no 'eval'"),
    ("a.json", b'{"eval": {}, "samples": []}', "'a.json' must have scored samples: it has no samples"),
    ("a.json", b'{"eval": {}}x', "'a.json', line 1 must be JSON: nothing may follow the object"),
    ("a.json", b'{"eval": {}, "samples": [3]}', "sample 0 must be an object of JSON: got 3"),
    ("a.json", b'{"a" 1}', "'a.json', line 1 must be JSON: one of : must follow: got '1'"),
    ("a.json", b'{"a": "\xff"}', "'a.json', line 1 must be JSON: it must be UTF-8"),
    ("a.json", b"", "'a.json', line 1 must be JSON: one of { must follow: got the end of the file"),
    ("a.jsonl", "\n".join([LINES[0], LINES[1][:60]]).encode(), "'a.jsonl', line 2 must be JSON"),
    ("a.jsonl", "\n".join([LINES[0], LINES[0]]).encode(), "'a.jsonl', line 2: doc_id 0 is there twice"),
    ("a.jsonl", b'{"a": 1}', "'a.jsonl', line 1 must be a sample of lm-eval"),
    ("a.jsonl", b"", "'a.jsonl' must be a table: it is empty"),
    ("a.jsonl", LINES[0].replace('"exact_match": 1.0', '"exact_match": 3').encode(), "exact_match must say right or wrong .*: got 3 at 'a.jsonl', line 1"),
    ("a.jsonl", LINES[0].replace('"exact_match": 1.0', '"exact_match": NaN').encode(), "'a.jsonl', line 1 must have a value of the metric 'exact_match'"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "message"), DAMAGES, ids=range(len(DAMAGES)))
def test_damage_is_an_error_with_its_place(
    name: str, data: bytes, message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(stakes.StakesError, match=message):
        stakes.read_answer_log(tmp_path / name, scorer="includes")


class Pieces:
    """Bytes that come in small pieces."""

    name = "t.json"

    def __init__(self, data: bytes) -> None:
        self._stream = io.BytesIO(data)

    def read(self, size: int) -> bytes:
        return self._stream.read(size)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    before=st.dictionaries(st.text(), json_values, max_size=3),
    samples=st.lists(json_values, max_size=4),
    window=st.integers(1, 9),
    indent=st.sampled_from([None, 1]),
    ascii_only=st.booleans(),
)
def test_items_of_a_long_object_are_those_of_the_whole(
    before: dict[str, Any],
    samples: list[Any],
    window: int,
    indent: int | None,
    ascii_only: bool,  # noqa: FBT001
) -> None:
    whole = {**before, "samples": samples}
    data = json.dumps(whole, indent=indent, ensure_ascii=ascii_only).encode(
        "utf-8", "surrogatepass"
    )
    try:
        data.decode()
    except UnicodeDecodeError:
        return
    found = list(object_items(Pieces(data), "samples", window))
    assert [value for name, value in found if name == "samples"] == samples
    assert {name: value for name, value in found if name != "samples"} == {
        name: value for name, value in before.items() if name != "samples"
    }


def test_nan_is_read_as_a_sample_without_a_score() -> None:
    ((_, value),) = object_items(Pieces(b'{"a": NaN}'), "samples", 2)
    assert math.isnan(value)
    assert json_items.parse_json("NaN", "x") is not None


def test_a_long_log_is_not_held_in_memory(tmp_path: Path) -> None:
    sample = {"epoch": 1, "scores": {"s": {"value": "C"}}, "messages": ["x" * 100_000]}
    file = tmp_path / "long.json"
    with file.open("w") as stream:
        stream.write('{"eval": {"task": "t"}, "samples": [')
        stream.write(",".join(json.dumps({"id": i, **sample}) for i in range(200)))
        stream.write("]}")
    stakes.read_answer_log(STORED / "letters.json")  # loads what is loaded once
    tracemalloc.start()
    try:
        log = stakes.read_answer_log(file)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(log) == 200
    assert peak < file.stat().st_size / 2


STATED: list[tuple[dict[str, Any], str, tuple[float | None, bool]]] = [
    ({}, "Paris. Confidence: 0.9", (0.9, False)),
    ({}, "confidence = .25", (0.25, False)),
    ({}, "Confidence: 90%", (None, False)),
    ({}, "Confidence: 1.7", (None, False)),
    ({}, "Confidence: 0.2\nNo: confidence: 1", (1.0, False)),
    ({}, "Paris", (None, False)),
    ({"kind": "percent"}, "Confidence: 85 %", (0.85, False)),
    ({"kind": "percent"}, "Confidence: 85", (0.85, False)),
    ({"kind": "percent"}, "Confidence: 850", (None, False)),
    ({"kind": "words", "words": {"likely": 0.8, "very likely": 0.95}}, "Confidence: Very likely.", (0.95, False)),
    ({"kind": "words", "words": {"likely": 0.8}, "pattern": r"\[(\w+)\]"}, "[maybe]", (None, False)),
    ({"pattern": r"p=(\S+)"}, "p=0.3", (0.3, False)),
    ({"pattern": r"p=(\S+)"}, "p=high", (None, False)),
    ({"abstention": ["^I don't know", "(?i)cannot answer"]}, "I Cannot answer. Confidence: 0", (0.0, True)),
    ({"abstention": "^I don't know"}, "Well, I don't know", (None, False)),
]  # fmt: skip


@pytest.mark.parametrize(("given", "text", "found"), STATED, ids=range(len(STATED)))
def test_confidence_and_abstentions_in_texts(
    given: dict[str, Any], text: str, found: tuple[float | None, bool]
) -> None:
    said = stakes.StatedIn(**given)(text)
    assert (said.confidence, said.abstained) == found
    assert (said.problem == "") == (said.confidence is not None)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kind": "odds"}, "kind must be 'probability', 'percent' or 'words': got 'odds'."),
        ({"kind": "words"}, "words must say what each word means where kind is 'words', and only there: got None."),
        ({"words": {"sure": 1}}, "words must say what each word means where kind is 'words', and only there"),
        ({"kind": "words", "words": {"sure": 2}}, "words 'sure' must be"),
        ({"pattern": "x"}, "pattern must have a group, which is the confidence: got 'x'."),
        ({"abstention": "["}, "abstention must be a regular expression: got '['"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_from_texts_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(stakes.InputError) as error:
        stakes.StatedIn(**given)
    assert str(error.value).startswith(message)


def test_the_stored_sums_are_those_of_the_table() -> None:
    log = stakes.read_answer_log(TASKS["target"])
    right = [None if "know" in text else a in text for _, a, text in SUMS]
    assert log.right == right


def test_without_inspect_its_metrics_say_how_to_install_it() -> None:
    code = "import sys; sys.modules['inspect_ai'] = None; import stakes.inspect_ai as s; s.answered"
    done = subprocess.run([sys.executable, "-c", code], stderr=-1, text=True, check=False)
    assert "MissingExtraError: stakes.inspect_ai needs inspect" in done.stderr
    assert "pip install 'stakes[inspect]'" in done.stderr
