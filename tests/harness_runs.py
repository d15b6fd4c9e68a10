"""Runs of the real harnesses, with mock models and no network.

`python tests/harness_runs.py` (in the environment of `make harnesses`) writes the small logs that
tests without these libraries read, `tests/answer_logs/`: events, tracebacks and descriptions of
the machine are taken out, everything else is as the harness wrote it.
"""

import contextlib
import io
import json
import logging
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

STORED = Path(__file__).with_name("answer_logs")

ABSTENTION = r"(?i)^i don't know"
# Question, capital, topic, document, and what the model says when it is asked for the n-th time.
CAPITALS: list[tuple[str, str, str, str, Sequence[str]]] = [
    ("france", "Paris", "Europe", "d1", ("Paris\nConfidence: 0.9", "Paris\nConfidence: 0.8")),
    ("italy", "Rome", "Europe", "d1", ("Milan\nConfidence: 0.6", "Rome\nConfidence: 0.5")),
    (
        "kiribati",
        "South Tarawa",
        "Oceania",
        "d2",
        ("I don't know.", "I don't know.\nConfidence: 0.1"),
    ),
    ("norway", "Oslo", "Europe", "d2", ("Oslo\nConfidence: 0.95", "boom")),
    ("chad", "N'Djamena", "Africa", "d3", ("N'Djamena\nConfidence: 0.7", "Faya\nConfidence: 0.4")),
    ("peru", "Lima", "America", "d3", ("Cusco\nConfidence: 0.99", "Cusco\nConfidence: 0.97")),
]
GRADES = ["C", "C", "I", "N", "P", "unscored", "I"]
CHOICES = [("B", "ANSWER: B"), ("A", "ANSWER: C"), ("C", ""), ("C", "none of them")]

OPTIONS: list[dict[str, Any]] = [
    {"q": "2 + 2 =", "options": ["three", "four", "five hundred"], "gold": 1, "topic": "sum"},
    {"q": "3 + 3 =", "options": ["six", "seven"], "gold": 0, "topic": "sum"},
    {
        "q": "9 − 1 =",
        "options": ["eight", "nine", "ten", "größer"],
        "gold": 0,
        "topic": "difference",
    },
    {"q": "5 − 5 =", "options": ["one", "zero", "I don't know"], "gold": 1, "topic": "difference"},
    {"q": "7 × 8 =", "options": ["fifty-six", "54"], "gold": 0, "topic": "product"},
]
# Log likelihoods by question and option, so that acc, acc_norm and acc_bytes all differ.
LIKELIHOODS = [
    (-5.0, -3.5, -6.0),
    (-1.0, -3.0),
    (-4.0, -5.0, -4.5, -4.9),
    (-2.5, -3.0, -2.0),
    (-5.0, -4.0),
]
SUMS = [
    ("2 + 2 =", "4", "4\nConfidence: 90%"),
    ("3 + 3 =", "6", "I don't know"),
    ("9 − 1 =", "8", "7\nConfidence: 60%"),
    ("5 − 5 =", "0", "The sum is 0\nConfidence: 75%"),
]
CHOICE_TASK = """
task: sums_choice
dataset_path: json
dataset_kwargs: {data_files: {test: FOLDER/options.jsonl}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{q}}"
doc_to_choice: "{{options}}"
doc_to_target: gold
metric_list:
  - {metric: acc, aggregation: mean, higher_is_better: true}
  - {metric: acc_norm, aggregation: mean, higher_is_better: true}
  - {metric: acc_bytes, aggregation: mean, higher_is_better: true}
"""
TEXT_TASK = """
task: sums_text
dataset_path: json
dataset_kwargs: {data_files: {test: FOLDER/sums.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{q}}"
doc_to_target: "{{a}}"
generation_kwargs: {until: ["###"]}
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
filter_list:
  - {name: digits, filter: [{function: regex, regex_pattern: "(\\\\d+)"}, {function: take_first}]}
  - {name: none, filter: [{function: take_first}]}
"""
TARGET_TASK = """
task: sums_target
dataset_path: json
dataset_kwargs: {data_files: {test: FOLDER/sums.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{q}}"
doc_to_target: "{{a}}"
generation_kwargs: {until: ["###"]}
process_results: !function target_functions.process_results
metric_list:
  - {metric: utility, aggregation: mean, higher_is_better: true}
  - {metric: answered, aggregation: mean, higher_is_better: true}
  - {metric: response, aggregation: !function target_functions.utility, higher_is_better: true}
  - {metric: answered_accuracy, aggregation: !function target_functions.accuracy, higher_is_better: true}
  - {metric: hallucination_rate, aggregation: !function target_functions.rate, higher_is_better: false}
  - {metric: normalized_cost, aggregation: !function target_functions.cost, higher_is_better: false}
"""
TARGET_FUNCTIONS = """
from stakes import StatedIn, lm_eval

stated = StatedIn("percent", abstention=r"(?i)^i don't know")
process_results = lm_eval.response_processor(
    lambda doc, text: doc["a"] in text,
    stated,
    t=0.75,
    names=["response", "answered_accuracy", "hallucination_rate", "normalized_cost"],
)
utility = lm_eval.utility_at(0.5)
accuracy = lm_eval.answered_accuracy
rate = lm_eval.hallucination_rate
cost = lm_eval.normalized_cost_at(0.75)
"""


def mock_model(answer: Callable[[str], str]) -> Any:
    """Return inspect's mock model, which says what a function answers to a question."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: PLC0415

    def outputs(messages: Any, *_: Any) -> Any:
        found = ModelOutput.from_content("mockllm/model", answer(messages[-1].text))
        found.usage = ModelUsage()  # else it counts tokens with a table from the network
        return found

    return get_model("mockllm/model", custom_outputs=outputs)


def inspect_run(task: Any, answer: Callable[[str], str], folder: Path, form: str) -> Any:
    """Return inspect's own log of a run, which it has also written to a folder."""
    from inspect_ai import eval as evaluate  # noqa: PLC0415

    logs = evaluate(
        task,
        model=mock_model(answer),
        log_dir=str(folder),
        log_format=form,
        display="none",
        fail_on_error=False,
        max_samples=1,
    )
    assert logs[0].status == "success", logs[0].error
    return logs[0]


def answers_in_turn() -> Callable[[str], str]:
    """Return what says the first answer to a question first, then the second."""
    asked: Counter[str] = Counter()
    said = {question: answers for question, *_, answers in CAPITALS}

    def answer(question: str) -> str:
        asked[question] += 1
        text = said[question][asked[question] - 1]
        if text == "boom":
            raise RuntimeError(text)
        return text

    return answer


def capitals_task(scorers: Any, epochs: Any = 2) -> Any:
    """Return a task of questions with several epochs, one of which ends with an error."""
    from inspect_ai import Task  # noqa: PLC0415
    from inspect_ai.dataset import MemoryDataset, Sample  # noqa: PLC0415
    from inspect_ai.solver import generate  # noqa: PLC0415

    samples = [
        Sample(input=q, target=target, id=q, metadata={"topic": topic, "document": document})
        for q, target, topic, document, _ in CAPITALS
    ]
    return Task(
        name="capitals",
        dataset=MemoryDataset(samples, name="capitals"),
        solver=generate(),
        scorer=scorers,
        epochs=epochs,
    )


def grades_task() -> Any:
    """Return a task with every kind of grade, and a score of several values."""
    from inspect_ai import Task  # noqa: PLC0415
    from inspect_ai.dataset import MemoryDataset, Sample  # noqa: PLC0415
    from inspect_ai.scorer import Score, Scorer, accuracy, scorer  # noqa: PLC0415

    @scorer(metrics=[accuracy()])
    def grade() -> Scorer:
        async def score(state: Any, target: Any) -> Score:
            value = state.metadata["grade"]
            if value == "unscored":
                return Score.unscored(reason="grader_failed")
            sure = {"sure": "very"} if value == "C" else {"sure": "hardly"}
            return Score(value=value, metadata=sure)

        return score

    @scorer(metrics={"exact": [accuracy()], "loose": [accuracy()]})
    def both() -> Scorer:
        async def score(state: Any, target: Any) -> Score:
            right = state.metadata["grade"] == "C"
            return Score(value={"exact": int(right), "loose": 1})

        return score

    samples = [
        Sample(input=f"question {i}", target="", id=i, metadata={"grade": grade})
        for i, grade in enumerate(GRADES)
    ]
    return Task(
        name="grades",
        dataset=MemoryDataset(samples, name="grades"),
        scorer=[grade(), both()],
    )


def choice_task() -> Any:
    """Return a multiple-choice task of inspect."""
    from inspect_ai import Task  # noqa: PLC0415
    from inspect_ai.dataset import MemoryDataset, Sample  # noqa: PLC0415
    from inspect_ai.scorer import choice  # noqa: PLC0415
    from inspect_ai.solver import multiple_choice  # noqa: PLC0415

    samples = [
        Sample(input=f"question {i}", choices=["x", "y", "z"], target=target, id=i)
        for i, (target, _) in enumerate(CHOICES)
    ]
    return Task(
        name="letters",
        dataset=MemoryDataset(samples, name="letters"),
        solver=multiple_choice(),
        scorer=choice(),
    )


def choice_answer(question: str) -> str:
    """Return the answer to a question of the multiple-choice task."""
    return next(text for i, (_, text) in enumerate(CHOICES) if f"question {i}" in question)


def written_tasks(folder: Path) -> Path:
    """Write tasks and documents for lm-eval."""
    texts = {
        "options.jsonl": "".join(f"{json.dumps(o)}\n" for o in OPTIONS),
        "sums.jsonl": "".join(f"{json.dumps({'q': q, 'a': a})}\n" for q, a, _ in SUMS),
        "choice.yaml": CHOICE_TASK.replace("FOLDER", str(folder)),
        "text.yaml": TEXT_TASK.replace("FOLDER", str(folder)),
        "target.yaml": TARGET_TASK.replace("FOLDER", str(folder)),
        "target_functions.py": TARGET_FUNCTIONS,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def toy_model() -> Any:
    """Return a model of lm-eval that says what the tables above say."""
    from lm_eval.api.model import LM  # noqa: PLC0415

    class Toy(LM):
        def loglikelihood(self, requests: Any, **_: Any) -> list[tuple[float, bool]]:
            found = []
            for context, option in (request.args for request in requests):
                row = next(i for i, o in enumerate(OPTIONS) if o["q"] == context)
                at = OPTIONS[row]["options"].index(option.removeprefix(" "))
                found.append((LIKELIHOODS[row][at], False))
            return found

        def generate_until(self, requests: Any, **_: Any) -> list[str]:
            said = {question: text for question, _, text in SUMS}
            return [said[request.args[0]] for request in requests]

        def loglikelihood_rolling(self, requests: Any, **_: Any) -> list[float]:
            raise NotImplementedError

    return Toy()


@contextlib.contextmanager
def quiet_and_offline(home: Path) -> Iterator[None]:
    """Keep libraries from the network, and from filling the screen."""
    told = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(home)}
    told |= {"HF_DATASETS_CACHE": str(home), "TQDM_DISABLE": "1"}
    before = dict(os.environ)
    os.environ |= told
    logging.disable(logging.WARNING)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.disable(logging.NOTSET)
        os.environ.clear()
        os.environ |= before


def lm_eval_run(folder: Path, tasks: Sequence[str]) -> tuple[dict[str, Any], Path]:
    """Return lm-eval's own results of a run, and the folder where it wrote its samples."""
    with quiet_and_offline(folder / "cache"):
        import datasets  # noqa: PLC0415
        import lm_eval  # noqa: PLC0415
        from lm_eval.loggers import EvaluationTracker  # noqa: PLC0415
        from lm_eval.tasks import TaskManager  # noqa: PLC0415

        datasets.disable_progress_bars()
        written_tasks(folder)
        tracker = EvaluationTracker(output_path=str(folder / "out"))
        results = lm_eval.simple_evaluate(
            model=toy_model(),
            tasks=list(tasks),
            task_manager=TaskManager(include_path=str(folder), include_defaults=False),
            log_samples=True,
            evaluation_tracker=tracker,
            bootstrap_iters=10,
        )
        copy = json.loads(json.dumps(results["samples"], default=str))
        tracker.save_results_aggregated(results=results, samples=results["samples"])
        for name, samples in copy.items():
            tracker.save_results_samples(task_name=name, samples=samples)
    (out,) = {file.parent for file in (folder / "out").rglob("samples_*.jsonl")}
    return results, out


def harmless(log: Any) -> Any:
    """Return a log of inspect without events, tracebacks and what it says of the machine."""
    for sample in log.samples:
        sample.events, sample.attachments = [], {}
        if sample.error is not None:
            sample.error.traceback = sample.error.traceback_ansi = ""
    log.eval.revision, log.eval.model_args = None, {}
    log.eval.task_file = None
    return log


def store_inspect(folder: Path) -> None:
    """Write the logs of inspect that tests keep."""
    from inspect_ai.log import read_eval_log, write_eval_log  # noqa: PLC0415

    from inspect_scorers import stated_scorer  # noqa: PLC0415
    from inspect_ai.scorer import includes  # noqa: PLC0415  # isort: skip

    runs: dict[str, tuple[Any, Callable[[str], str], tuple[str, ...]]] = {
        "capitals": (
            capitals_task([stated_scorer(), includes()]),
            answers_in_turn(),
            ("eval", "json"),
        ),
        "grades": (grades_task(), lambda _: "text", ("eval",)),
        "letters": (choice_task(), choice_answer, ("json",)),
    }
    for name, (task, answer, forms) in runs.items():
        log = inspect_run(task, answer, folder, "eval")
        found = harmless(read_eval_log(log.location))
        for form in forms:
            write_eval_log(found, str(STORED / f"{name}.{form}"), format=form)


def store_lm_eval(folder: Path) -> None:
    """Write the samples of lm-eval that tests keep, and the part of the results that is read."""
    _, out = lm_eval_run(folder, ["sums_choice", "sums_text", "sums_target"])
    date = "2026-11-18T00-00-00.000000"
    for task in ("sums_choice", "sums_text", "sums_target"):
        (file,) = out.glob(f"samples_{task}_*.jsonl")
        text = file.read_text(encoding="utf-8")
        (STORED / f"samples_{task}_{date}.jsonl").write_text(text, encoding="utf-8")
    (file,) = out.glob("results_*.json")
    results: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    configs = {
        task: {"target_delimiter": config["target_delimiter"]}
        for task, config in results["configs"].items()
    }
    kept = {"results": results["results"], "configs": configs, "model_name": "toy"}
    (STORED / f"results_{date}.json").write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    STORED.mkdir(exist_ok=True)
    sys.path.insert(0, str(Path(__file__).parent))
    with tempfile.TemporaryDirectory() as temporary:
        store_inspect(Path(temporary))
        store_lm_eval(Path(temporary))
