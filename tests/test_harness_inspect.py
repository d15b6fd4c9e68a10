"""inspect itself, with its mock model: its numbers from its own logs, and metrics inside it."""

import asyncio
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import stakes
from harness_runs import (
    ABSTENTION,
    CAPITALS,
    GRADES,
    answers_in_turn,
    capitals_task,
    choice_answer,
    choice_task,
    grades_task,
    inspect_run,
)

pytest.importorskip("inspect_ai")

from inspect_ai.log import read_eval_log
from inspect_ai.scorer import (
    SampleScore,
    Score,
    includes,
    mean,
    stderr,
)

from inspect_scorers import stated_scorer
from stakes import StatedIn, inspect_ai as ours

pytestmark = pytest.mark.filterwarnings("ignore")  # those of inspect and what it loads
GRADE = {"C": 1.0, "I": 0.0, "N": 0.0, "P": 0.5}


def numbers(log: Any, name: str) -> dict[str, float]:
    """Return the metrics of a scorer in a log of inspect."""
    found = [score for score in log.results.scores if score.name == name]
    return {key: each.value for score in found for key, each in score.metrics.items()}


def mean_of_means(log: stakes.AnswerLog) -> float:
    """Return the mean over questions of the mean over their epochs."""
    by_question: dict[Any, list[bool]] = {}
    for question, right in zip(log.question, log.right, strict=True):
        by_question.setdefault(question, []).append(bool(right))
    return sum(sum(each) / len(each) for each in by_question.values()) / len(by_question)


@pytest.mark.parametrize("form", ["eval", "json"])
def test_accuracy_of_inspect_follows_from_its_own_log(form: str, tmp_path: Path) -> None:
    run = inspect_run(
        capitals_task([stated_scorer(), includes()]), answers_in_turn(), tmp_path, form
    )
    for name in ("stated_scorer", "includes"):
        log = stakes.read_answer_log(run.location, scorer=name, slices=["topic"])
        assert mean_of_means(log) == pytest.approx(numbers(run, name)["accuracy"], rel=1e-15)
        assert len(log) == run.results.completed_samples
        assert len(log) + len(log.left_out) == run.results.total_samples
        assert set(log.slices["topic"]) == {topic for _, _, topic, *_ in CAPITALS}
    samples = {(s.id, s.epoch): s.scores for s in read_eval_log(run.location).samples or ()}
    log = stakes.read_answer_log(run.location, scorer="stated_scorer")
    for question, epoch, sure in zip(log.question, log.epoch, log.confidence or (), strict=True):
        assert samples[question, epoch]["stated_scorer"].metadata["confidence"] == sure


def test_metrics_inside_inspect_are_those_of_the_library(tmp_path: Path) -> None:
    run = inspect_run(capitals_task(stated_scorer()), answers_in_turn(), tmp_path, "eval")
    inside = numbers(run, "stated_scorer")
    responses = stakes.read_answer_log(run.location).responses()
    outside = stakes.evaluate_responses(responses, stakes.ConfidenceTarget(0.75)).numbers
    names = {
        "confidence_target": "utility",
        "normalized_cost": "cost.nec",
        "answered": "answered",
        "answered_accuracy": "answered_accuracy",
        "hallucination_rate": "hallucination_rate",
    }
    assert {name: inside[name] for name in names} == {
        name: outside[ours_].value for name, ours_ in names.items()
    }
    assert inside["confidence_target"] == (5 - 3 * 4) / 11  # 5 right, 4 wrong, 2 abstained
    assert inside["normalized_cost"] == pytest.approx((4 + 0.25 * 2) / (0.25 * 11), rel=1e-15)
    assert (inside["answered"], inside["answered_accuracy"]) == (9 / 11, 5 / 9)
    assert inside["hallucination_rate"] == 4 / 6
    assert inside["confidence_target_stderr"] > 0


def test_grades_of_inspect(tmp_path: Path) -> None:
    run = inspect_run(grades_task(), lambda _: "text", tmp_path, "eval")
    log = stakes.read_answer_log(run.location, scorer="grade", partial="wrong")
    grades = [grade for grade in GRADES if grade != "unscored"]
    assert numbers(run, "grade")["accuracy"] == sum(map(GRADE.__getitem__, grades)) / len(grades)
    assert len(log) == len(grades)
    half = grades.count("P") / 2
    assert (sum(map(bool, log.right)) + half) / len(log) == numbers(run, "grade")["accuracy"]
    exact = stakes.read_answer_log(run.location, scorer="both", metric="exact")
    assert sum(map(bool, exact.right)) / len(exact) == numbers(run, "exact")["accuracy"]


def test_multiple_choice_of_inspect(tmp_path: Path) -> None:
    run = inspect_run(choice_task(), choice_answer, tmp_path, "json")
    log = stakes.read_answer_log(run.location)
    assert sum(map(bool, log.right)) / len(log) == numbers(run, "choice")["accuracy"]
    assert sum(log.abstained) == 1  # the one without any text


def scores_of(values: list[Any], clusters: list[int]) -> list[SampleScore]:
    """Return scores of questions, each in a cluster."""
    return [
        SampleScore(score=Score(value=value), sample_id=i, sample_metadata={"document": cluster})
        for i, (value, cluster) in enumerate(zip(values, clusters, strict=True))
    ]


@given(
    rows=st.lists(st.tuples(st.sampled_from("CIN"), st.integers(0, 4)), min_size=2, max_size=30),
    t=st.floats(0, 0.95),
)
def test_standard_errors_are_those_of_inspect(rows: list[tuple[str, int]], t: float) -> None:
    scores = scores_of([value for value, _ in rows], [cluster for _, cluster in rows])
    points = {"C": 1.0, "I": -t / (1 - t), "N": 0.0}
    reference = mean()(
        [SampleScore(score=Score(value=points[each.score.value])) for each in scores]
    )
    assert ours.confidence_target(t)(scores) == pytest.approx(reference, rel=1e-12, abs=1e-12)
    single = stderr(to_float=points.__getitem__)(scores)
    assert ours.confidence_target_stderr(t)(scores) == pytest.approx(single, rel=1e-9, abs=1e-12)
    clustered = stderr(to_float=points.__getitem__, cluster="document")(scores)
    found = ours.confidence_target_stderr(t, cluster="document")(scores)
    if len({cluster for _, cluster in rows}) == 1:
        assert math.isnan(found)  # where inspect says 0
    else:
        assert found == pytest.approx(clustered, rel=1e-9, abs=1e-9)


def test_epochs_of_a_question_are_one_cluster() -> None:
    scores = [
        SampleScore(score=Score(value=v), sample_id=i) for i in range(4) for v in ("CI"[i % 2],) * 3
    ]
    once = scores[::3]
    many = ours.confidence_target_stderr(0.5)(scores)
    assert many == pytest.approx(ours.confidence_target_stderr(0.5)(once), rel=1e-12)


def test_metrics_without_answers_are_undefined() -> None:
    unscored = [SampleScore(score=Score.unscored())]
    silent = [SampleScore(score=Score(value="N"), sample_id=0)]
    for found in ([], unscored):
        for make in (ours.answered, ours.answered_accuracy, ours.hallucination_rate):
            assert math.isnan(make()(found))
        assert math.isnan(ours.confidence_target(0.5)(found))
    assert ours.confidence_target(0.5)(silent) == 0
    assert math.isnan(ours.answered_accuracy()(silent))
    assert ours.omniscience_index()(scores_of(list("CCCIN"), [0] * 5)) == 40.0


def test_partial_credit_and_lost_clusters_are_errors() -> None:
    some = scores_of(["P", "C"], [0, 1])
    with pytest.raises(
        stakes.InputError, match=r"score must be right or wrong.*: got 'P' at sample 0"
    ):
        ours.confidence_target(0.5)(some)
    assert ours.confidence_target(0.5, partial="wrong")(some) == 0
    with pytest.raises(
        stakes.InputError, match=r"cluster must name a field .*: got 'x' at sample 0"
    ):
        ours.confidence_target_stderr(0.5, cluster="x")(scores_of(["C", "C"], [0, 1]))
    with pytest.raises(stakes.InputError, match="t must be"):
        ours.confidence_target(1.0)


def test_a_judge_is_not_asked_about_abstentions() -> None:
    asked = []

    async def judge(state: Any, target: Any) -> Score:
        asked.append(state.output.completion)
        return Score(value="C", metadata={"judge": "mock"})

    class State:
        def __init__(self, text: str) -> None:
            self.output = type("Output", (), {"completion": text})

    wrapped = ours.with_stated_confidence(judge, StatedIn("percent", abstention=ABSTENTION))
    first = asyncio.run(wrapped(State("Paris\nConfidence: 80%"), None))
    second = asyncio.run(wrapped(State("I don't know\nConfidence: 180%"), None))
    assert asked == ["Paris\nConfidence: 80%"]
    assert first is not None
    assert second is not None
    assert first.metadata == {"judge": "mock", "confidence": 0.8, "confidence_text": "80"}
    assert (second.value, second.reason) == ("N", "refusal")
    assert second.metadata == {
        "confidence": None,
        "confidence_text": "180",
        "confidence_problem": "a percentage must be from 0 to 100: got 180",
    }


METRICS = """
from inspect_ai.scorer import metric
from stakes.inspect_ai import confidence_target

@metric(scores="unreduced")
def at_75():
    return confidence_target(0.75)
"""


def test_the_command_line_of_inspect_finds_the_metrics(tmp_path: Path) -> None:
    run = inspect_run(capitals_task(includes()), answers_in_turn(), tmp_path, "eval")
    (tmp_path / "metrics.py").write_text(METRICS)
    scored = tmp_path / "scored.eval"
    words = ["score", run.location, "--scorer", "inspect_ai/includes", "--action", "overwrite"]
    words += ["--metric", "stakes/omniscience_index", "--metric", "metrics.py@at_75"]
    words += ["--output-file", str(scored), "--display", "none"]
    start = [sys.executable, "-m", "inspect_ai", *words]
    done = subprocess.run(start, cwd=tmp_path, stdout=-1, stderr=-1, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = numbers(read_eval_log(str(scored)), "includes")
    assert found == {  # nothing is marked as an abstention, and the error is scored, as wrong
        "omniscience_index": pytest.approx(100 * (5 - 7) / 12),
        "at_75": pytest.approx((5 - 3 * 7) / 12),
    }
    log = stakes.read_answer_log(scored)
    assert (len(log), len(log.left_out)) == (11, 1)
    assert log.notes == ("1 sample that ended with an error has a score, which inspect counts",)


def test_a_metric_of_ones_own_must_ask_for_every_epoch() -> None:
    """What the guide warns of: reduced scores have lost which answers were abstentions."""
    assert ours.answered()([SampleScore(score=Score(value="N"))]) == 0
    assert ours.answered()([SampleScore(score=Score(value=0.0))]) == 1
