"""lm-eval itself, with a toy model: its numbers from its own samples, and functions inside it."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import stakes
from harness_runs import ABSTENTION, LIKELIHOODS, OPTIONS, lm_eval_run
from stakes import StatedIn, lm_eval as ours

pytest.importorskip("lm_eval")

pytestmark = pytest.mark.filterwarnings("ignore")  # those of lm-eval and what it loads
TASKS = ["sums_choice", "sums_text", "sums_target"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    return lm_eval_run(tmp_path_factory.mktemp("run"), TASKS)


def file_of(folder: Path, task: str) -> Path:
    (found,) = folder.glob(f"samples_{task}_*.jsonl")
    return found


def accuracy(log: stakes.AnswerLog) -> float:
    return sum(map(bool, log.right)) / len(log)


@pytest.mark.parametrize("metric", ["acc", "acc_norm", "acc_bytes"])
def test_accuracies_of_multiple_choice_follow_from_samples(
    run: tuple[dict[str, Any], Path], metric: str
) -> None:
    results, folder = run
    log = stakes.read_answer_log(file_of(folder, "sums_choice"), metric=metric, slices="topic")
    assert accuracy(log) == results["results"]["sums_choice"][f"{metric},none"]
    assert log.options is not None
    assert [options.right(metric) for options in log.options] == log.right
    scores = log.option_scores("bytes" if metric == "acc_bytes" else "characters")
    scores = scores if metric == "acc" else scores.per_length()
    assert scores.accuracy().value == results["results"]["sums_choice"][f"{metric},none"]
    assert [options.texts for options in log.options] == [tuple(o["options"]) for o in OPTIONS]
    assert [options.log_likelihoods for options in log.options] == LIKELIHOODS
    assert log.task == "sums_choice"
    assert log.notes == ()


@pytest.mark.parametrize("used", ["digits", "none"])
def test_exact_match_follows_from_samples(run: tuple[dict[str, Any], Path], used: str) -> None:
    results, folder = run
    log = stakes.read_answer_log(file_of(folder, "sums_text"), filter=used)
    assert accuracy(log) == results["results"]["sums_text"][f"exact_match,{used}"]


@pytest.mark.parametrize(
    ("task", "given"),
    [
        ("sums_choice", {"metric": "acc_norm", "slices": "topic"}),
        ("sums_text", {"filter": "digits", "abstain_pattern": ABSTENTION}),
        ("sums_target", {}),
    ],
)
def test_results_in_memory_are_those_of_the_file(
    run: tuple[dict[str, Any], Path], task: str, given: dict[str, Any]
) -> None:
    results, folder = run
    file = stakes.read_answer_log(file_of(folder, task), **given)
    memory = ours.answers_of_results(results, task, **given)
    assert memory.columns() == file.columns()
    assert str(memory.options) == str(file.options)
    assert memory.origin == file.origin


def test_functions_in_a_task_file_give_the_numbers_of_the_library(
    run: tuple[dict[str, Any], Path],
) -> None:
    results, folder = run
    inside = {
        key.removesuffix(",none"): value for key, value in results["results"]["sums_target"].items()
    }
    responses = stakes.read_answer_log(file_of(folder, "sums_target")).responses()
    outside = stakes.evaluate_responses(responses, 0.75).numbers
    names = {"utility": "utility", "answered": "answered", "normalized_cost": "cost.nec"}
    names |= {name: name for name in ("answered_accuracy", "hallucination_rate")}
    for name, ours_ in names.items():
        assert inside[name] == pytest.approx(outside[ours_].value, rel=1e-15)
    assert inside["utility"] == (2 - 3) / 4  # 2 right, 1 wrong, 1 abstained
    assert inside["response"] == (2 - 1) / 4  # the same answers at a target of one half
    points = [1, 0, -3, 1]
    spread = math.sqrt(sum((p + 0.25) ** 2 for p in points) / 3 / 4)
    assert inside["utility_stderr"] == pytest.approx(spread, rel=1e-12)


def test_results_without_samples_or_with_several_tasks(run: tuple[dict[str, Any], Path]) -> None:
    results, _ = run
    with pytest.raises(stakes.InputError, match=r"task must name one task .*: got None"):
        ours.answers_of_results(results)
    with pytest.raises(stakes.InputError, match="results must have samples of simple_evaluate"):
        ours.answers_of_results({"results": {}})
    one = {**results, "samples": {"sums_target": results["samples"]["sums_target"]}}
    assert len(ours.answers_of_results(one)) == 4


def test_what_is_logged_is_json() -> None:
    process = ours.response_processor(lambda doc, text: doc in text, StatedIn("percent"), 0.5)
    found = json.loads(json.dumps(process("4", ["4. Confidence: 90%"])))
    assert found["response"] == {"right": True, "abstained": False, "confidence": 0.9}
    assert (found["utility"], found["answered"]) == (1.0, 1.0)
    assert math.isnan(ours.utility_at(0.5)([]))
